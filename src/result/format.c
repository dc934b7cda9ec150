/*
 * What the formats of this folder share: see format.h.
 */
#include "result/format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/fields.h"
#include "util/array.h"
#include "util/text.h"

const char *format_number(
	struct number_text *number, double value, const char *missing)
{
	double size = fabs(value);
	/*
	 * Below 10^15 a double holds every whole number. From 10^6 on "%.6g"
	 * has exponents, and a number, read back and found whole, would
	 * then look different.
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

	/* A failed flush sets errno; an earlier failure may not have. */
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
	json_t *envelope = json_pack("{s:s, s:i}", "format", RESULT_FORMAT,
		"version", RESULT_VERSION);
	int rc = envelope ? 0 : -1;

	for (const struct json_field *field = fields_of_result; field->key;
		field++)
		rc |= json_object_set_new(
			envelope, field->key, field_pack(field, result));
	/* No duration is more precise than a microsecond. */
	rc |= json_object_set_new(envelope, "elapsed_s",
		format_real(round(result->elapsed_s * 1e6) / 1e6));
	if (rc == 0)
		return envelope;
	json_decref(envelope);
	error_set(err, ERROR_FAILURE, ENOMEM,
		"the command or the time of the result is not UTF-8, or memory "
		"is out");
	return NULL;
}
