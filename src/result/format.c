/*
 * What the formats of this folder share: see format.h.
 */
#include "result/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/file.h"
#include "result/record.h"
#include "util/array.h"
#include "util/text.h"

const char *format_number(
	struct number *number, double value, const char *missing)
{
	double size = fabs(value);
	/*
	 * Below 10^15 a double holds every whole number. Above 10^6 "%.6g"
	 * would turn to exponents, so that what is read back and found whole
	 * would look otherwise than before.
	 */
	bool whole = size < 1e15 - 0.5 &&
		     (value == trunc(value) || size >= 1e6 - 0.5);

	if (!isfinite(value))
		return missing;
	/* Adding 0 turns -0 into 0. */
	snprintf(number->text, sizeof(number->text), whole ? "%.0f" : "%.6g",
		value + 0.0);
	return number->text;
}

const char *format_type(const json_t *value)
{
	if (!value)
		return "nothing";
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
	case JSON_REAL:
		return "a number";
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		return "null";
	}
	return "something unknown";
}

const char *format_flaw(const json_t *value, bool lines)
{
	const char *flaw = NULL, *key;
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		return text_flaw(json_string_value(value), lines);
	json_array_foreach(value, i, item)
	{
		flaw = format_flaw(item, lines);
		if (flaw)
			return flaw;
	}
	json_object_foreach((json_t *)value, key, item)
	{
		flaw = text_flaw(key, lines);
		if (!flaw)
			flaw = format_flaw(item, lines);
		if (flaw)
			return flaw;
	}
	return NULL;
}

int format_push(struct numbers *numbers, double value, struct error *err)
{
	if (!array_grow(&numbers->values, numbers->n, sizeof(value)))
		return error_no_memory(err, "the numbers of the file");
	numbers->values[numbers->n++] = value;
	return 0;
}

int format_check_symmetric(const struct result *result,
	const struct matrix *matrix, struct error *err)
{
	size_t n = result->cpus.n;

	for (size_t i = 0; matrix->symmetric && i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double a = matrix->values[i * n + j];
			double b = matrix->values[j * n + i];

			if (a == b || (isnan(a) && isnan(b)))
				continue;
			return error_set(err, ERROR_FAILURE, EINVAL,
				"found %.9g from CPU %u to CPU %u and %.9g "
				"back, "
				"expected equal values in a matrix that says "
				"it is symmetric",
				a, result->cpus.cpus[i], result->cpus.cpus[j],
				b);
		}
	}
	return 0;
}

const char *format_remedy(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
		return "free some space or choose another folder";
	case EFBIG:
		return "raise the limit on file sizes (ulimit -f)";
	case EACCES:
	case EPERM:
	case EROFS:
		return "choose another folder or change its permissions";
	default:
		return "";
	}
}

int format_flush(FILE *out, struct error *err)
{
	int code;

	/* A failed flush says why; an earlier failure may no longer know. */
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	code = errno ? errno : EIO;
	return error_set(err, ERROR_FAILURE, code, "writing failed: %s%s%s",
		strerror(code), *format_remedy(code) ? ": " : "",
		format_remedy(code));
}

json_t *format_pack_cpus(const struct cpu_list *cpus)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cpus->n; i++)
		json_array_append_new(array, json_integer(cpus->cpus[i]));
	if (json_array_size(array) == cpus->n)
		return array;
	json_decref(array);
	return NULL;
}

int format_print(const json_t *json, FILE *out, struct error *err)
{
	if (!json)
		return error_no_memory(err, "the JSON");
	errno = 0;
	if (json_dumpf(json, out, JSON_INDENT(2) | FORMAT_JSON_FLAGS) == 0 &&
		putc('\n', out) != EOF)
		return 0;
	return error_set(err, ERROR_FAILURE, errno ? errno : EIO,
		"the JSON cannot be written: %s",
		strerror(errno ? errno : EIO));
}

json_t *format_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *format_pack_envelope(const struct result *result, struct error *err)
{
	/* A microsecond is more than a duration in seconds can mean. */
	json_t *envelope = json_pack(
		"{s:s, s:i, s:s?, s:s?, s:o, s:b, s:o, s:o, s:o, s:o, s:o}",
		"format", RESULT_FORMAT, "version", RESULT_VERSION, "command",
		result->command, "started", result->started, "elapsed_s",
		format_real(round(result->elapsed_s * 1e6) / 1e6), "complete",
		result->complete, "tool", facts_pack(&result->tool), "machine",
		facts_pack(&result->machine), "options",
		facts_pack(&result->options), "run",
		run_facts_pack(&result->run), "cpus",
		format_pack_cpus(&result->cpus));

	if (!envelope)
		error_set(err, ERROR_FAILURE, ENOMEM,
			"the command or the time of the result is not UTF-8, "
			"or memory is out");
	return envelope;
}
