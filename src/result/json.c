/*
 * Results as JSON, the complete record.
 *
 * jansson parses, quotes and prints all but the numbers of matrices, curves
 * and passes: those are written here, a row per line, so that files are
 * readable, differ by line and need no JSON object per number.
 *
 * Loading goes by hand rather than by json_unpack(), whose messages do not
 * name the place.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"

/* Thirty thousand years, and far from what a double could not add. */
#define ELAPSED_MAX_S 1e12

static const char *const curve_statistics[] = {
	"median", "mean", "ceiling", NULL};
static const char *const curve_places[] = {"main", "detail", "strip", NULL};

/* jansson's lines, moved to the right: strings hold no raw line feed. */
static int write_indented(const char *text, size_t n, void *stream)
{
	for (size_t i = 0; i < n; i++) {
		putc(text[i], stream);
		if (text[i] == '\n')
			fputs("  ", stream);
	}
	return 0;
}

/* Begin the next member of the top-level object. */
static int begin_member(FILE *out, const char *key, bool first)
{
	json_t *name = json_string(key);
	int rc;

	fputs(first ? "{\n  " : ",\n  ", out);
	rc = json_dumpf(name, out, FORMAT_JSON_FLAGS);
	json_decref(name);
	fputs(": ", out);
	return rc;
}

/* An object or an array over several lines, anything else on one. */
static int write_member(
	FILE *out, const char *key, const json_t *value, bool first)
{
	int rc = begin_member(out, key, first);

	/* CPU numbers stay on one line, as the rows do. */
	if (strcmp(key, "cpus") == 0)
		return rc | json_dumpf(value, out, FORMAT_JSON_FLAGS);
	return rc | json_dump_callback(value, write_indented, out,
			    FORMAT_JSON_FLAGS | JSON_INDENT(2));
}

/* The members of object without its braces; takes the reference. */
static int write_embedded(FILE *out, json_t *object)
{
	int rc = json_dumpf(object, out, FORMAT_JSON_FLAGS | JSON_EMBED);

	json_decref(object);
	return rc;
}

/* ", " and the members of extra, if there are any but the one to skip. */
static int write_extra(FILE *out, const json_t *extra)
{
	if (json_object_size(extra) == 0)
		return 0;
	fputs(", ", out);
	return json_dumpf(extra, out, FORMAT_JSON_FLAGS | JSON_EMBED);
}

static void write_numbers(FILE *out, const double *values, size_t n)
{
	struct number number;

	putc('[', out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputs(", ", out);
		fputs(format_number(&number, values[i], "null"), out);
	}
	putc(']', out);
}

/* The member "values" over several lines. */
static void write_rows(
	FILE *out, const double *values, size_t rows, size_t columns)
{
	fputs(",\n     \"values\": [", out);
	for (size_t i = 0; i < rows; i++) {
		fputs(i > 0 ? ",\n      " : "\n      ", out);
		write_numbers(out, values + i * columns, columns);
	}
	fputs(rows > 0 ? "\n     ]" : "]", out);
}

static int write_matrix(FILE *out, const struct matrix *matrix, size_t n)
{
	int rc;

	putc('{', out);
	rc = write_embedded(out,
		json_pack("{s:s, s:s, s:s, s:s?, s:s, s:b}", "name",
			matrix->name, "statistic", matrix->statistic, "unit",
			matrix->unit, "quantity", matrix->quantity, "better",
			matrix->higher_is_better ? "higher" : "lower",
			"symmetric", matrix->symmetric));
	write_rows(out, matrix->values, n, n);
	rc |= write_extra(out, matrix->extra);
	putc('}', out);
	return rc;
}

/* "median": [...], */
static void write_values(
	FILE *out, const char *key, const double *values, size_t n)
{
	fprintf(out, ",\n     \"%s\": ", key);
	if (values)
		write_numbers(out, values, n);
	else
		fputs("null", out);
}

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pack_numbers(const double *values, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, number_or_null(values[i]));
	return array;
}

static json_t *pack_fit(const struct curve_fit *fit)
{
	if (!fit)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o}", "overhead_ns",
		pack_numbers(fit->overhead_ns, 3), "rate_gib_per_s",
		pack_numbers(fit->rate_gib_per_s, 3), "half_rate_bytes",
		number_or_null(fit->half_rate_bytes), "worst_error",
		number_or_null(fit->worst_error));
}

static json_t *pack_facts(const struct curve *curve)
{
	const struct curve_facts *is = &curve->is;
	json_t *mark = curve->mark ? json_pack("{s:f, s:s}", "x", curve->mark_x,
					     "text", curve->mark)
				   : json_null();

	return json_pack("{s:s?, s:s, s:s, s:s?, s:s?, s:o, s:s, s:s, s:i, "
			 "s:o, s:o}",
		"test", is->test, "family", is->family, "member", is->member,
		"variant", is->variant, "device", is->device, "cpus",
		format_pack_cpus(&curve->cpus), "statistic",
		curve_statistics[is->statistic], "place",
		curve_places[is->place], "part", (int)is->part, "mark", mark,
		"fit", pack_fit(curve->fit));
}

static int write_axis(FILE *out, const char *key, const char *name,
	const char *unit, const double *values, size_t n, const json_t *extra)
{
	int rc;

	fprintf(out, ",\n     \"%s\": {", key);
	rc = write_embedded(
		out, json_pack("{s:s, s:s}", "name", name, "unit", unit));
	if (values) {
		fputs(", \"values\": ", out);
		write_numbers(out, values, n);
	}
	rc |= write_extra(out, json_object_get(extra, key));
	putc('}', out);
	return rc;
}

static int write_curve(FILE *out, const struct curve *curve)
{
	const struct curve_facts *is = &curve->is;
	json_t *extra = json_copy(curve->extra);
	int rc;

	json_object_del(extra, "x");
	json_object_del(extra, "y");
	putc('{', out);
	rc = write_embedded(out, pack_facts(curve));
	rc |= write_axis(out, "x", is->x_name, is->x_unit, curve->x, curve->n,
		curve->extra);
	rc |= write_axis(
		out, "y", is->y_name, is->y_unit, NULL, 0, curve->extra);
	write_values(out, "median", curve->median, curve->n);
	write_values(out, "low", curve->low, curve->n);
	write_values(out, "high", curve->high, curve->n);
	write_values(out, "ceiling", curve->ceiling, curve->n);
	rc |= write_extra(out, extra);
	putc('}', out);
	json_decref(extra);
	return rc;
}

static int write_passes(
	FILE *out, const struct passes *passes, const struct cpu_list *cpus)
{
	int rc;

	putc('{', out);
	rc = write_embedded(out, json_pack("{s:s, s:s}", "name", passes->name,
					 "unit", passes->unit));
	fputs(",\n     \"pairs\": [", out);
	for (size_t p = 0; p < passes->n_pairs; p++)
		fprintf(out, "%s[%u, %u]", p > 0 ? ", " : "",
			cpus->cpus[passes->pairs[p].first],
			cpus->cpus[passes->pairs[p].second]);
	fputs("],\n     \"start_s\": ", out);
	write_numbers(out, passes->start_s, passes->n_passes);
	write_rows(out, passes->values, passes->n_passes, passes->n_pairs);
	rc |= write_extra(out, passes->extra);
	putc('}', out);
	return rc;
}

static int write_measured(FILE *out, const struct result *result)
{
	int rc = begin_member(out, "matrices", false);

	putc('[', out);
	for (size_t i = 0; i < result->n_matrices; i++) {
		fputs(i > 0 ? ",\n    " : "\n    ", out);
		rc |= write_matrix(out, &result->matrices[i], result->cpus.n);
	}
	fputs(result->n_matrices > 0 ? "\n  ]" : "]", out);
	if (result->n_curves > 0) {
		rc |= begin_member(out, "curves", false);
		putc('[', out);
	}
	for (size_t i = 0; i < result->n_curves; i++) {
		fputs(i > 0 ? ",\n    " : "\n    ", out);
		rc |= write_curve(out, &result->curves[i]);
	}
	fputs(result->n_curves > 0 ? "\n  ]" : "", out);
	if (result->n_kept > 0) {
		rc |= begin_member(out, "passes", false);
		putc('[', out);
	}
	for (size_t i = 0; i < result->n_kept; i++) {
		fputs(i > 0 ? ",\n    " : "\n    ", out);
		rc |= write_passes(out, &result->kept[i], &result->cpus);
	}
	fputs(result->n_kept > 0 ? "\n  ]" : "", out);
	return rc;
}

static int write_topology(FILE *out, const struct result *result)
{
	json_t *known = json_pack("{s:s?}", "hwloc_xml", result->hwloc_xml);
	int rc = -1;

	if (known) {
		json_object_update_missing(
			known, json_object_get(result->extra, "topology"));
		rc = write_member(out, "topology", known, false);
	}
	json_decref(known);
	return rc;
}

int result_write_json(const struct result *result, FILE *out, struct error *err)
{
	json_t *envelope = format_pack_envelope(result, err);
	json_t *value;
	const char *key;
	bool first = true;
	int rc = 0, flushed;

	if (!envelope)
		return -ENOMEM;
	json_object_foreach(envelope, key, value)
	{
		rc |= write_member(out, key, value, first);
		first = false;
	}
	json_decref(envelope);
	rc |= write_measured(out, result);
	rc |= write_topology(out, result);
	json_object_foreach(result->extra, key, value)
	{
		if (strcmp(key, "topology") != 0)
			rc |= write_member(out, key, value, false);
	}
	fputs("\n}\n", out);
	flushed = format_flush(out, err);
	if (flushed < 0 || rc == 0)
		return flushed;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"the result holds text that is not UTF-8, or memory is out");
}

/* The path of a value for messages, as "matrices[2].values[3]". */
struct path {
	char text[128];
};

static struct path make_path(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static struct path make_path(const char *format, ...)
{
	struct path path = {""};
	va_list args;

	va_start(args, format);
	vsnprintf(path.text, sizeof(path.text), format, args);
	va_end(args);
	return path;
}

/*
 * Take key out of object: a new reference, or NULL when it is absent. where
 * is the path of the object with its dot, as messages show it.
 */
static json_t *take(json_t *object, const char *key)
{
	json_t *value = json_incref(json_object_get(object, key));

	json_object_del(object, key);
	return value;
}

static int wrong_type(const char *where, const char *key, const json_t *found,
	const char *expected, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"%s%s: found %s, expected %s", where, key, format_type(found),
		expected);
}

/* A string that must be there, or may be null when null is allowed. */
static int take_string(json_t *object, const char *where, const char *key,
	bool nullable, char **text, struct error *err)
{
	json_t *value = take(object, key);
	int rc = 0;

	if (json_is_string(value)) {
		*text = strdup(json_string_value(value));
		if (!*text)
			rc = error_no_memory(err, "a text of the file");
	} else if (!nullable || (value && !json_is_null(value))) {
		rc = wrong_type(where, key, value,
			nullable ? "a string or null" : "a string", err);
	}
	json_decref(value);
	return rc;
}

static int take_bool(json_t *object, const char *where, const char *key,
	bool *flag, struct error *err)
{
	json_t *value = take(object, key);
	int rc = 0;

	if (json_is_boolean(value))
		*flag = json_is_true(value);
	else
		rc = wrong_type(where, key, value, "true or false", err);
	json_decref(value);
	return rc;
}

/* The facts of an object; null and absent are none. */
static int take_facts(
	json_t *root, const char *key, struct facts *facts, struct error *err)
{
	json_t *value = take(root, key);
	const char *flaw = format_flaw(value, false);
	int rc = 0;

	if (flaw)
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"%s: found %s, expected text that a terminal may show",
			key, flaw);
	else if (json_is_object(value))
		rc = facts_unpack(facts, value, err);
	else if (value && !json_is_null(value))
		rc = wrong_type("", key, value, "an object or null", err);
	json_decref(value);
	return rc;
}

static int take_run(json_t *root, struct run_facts *run, struct error *err)
{
	json_t *block = json_object_get(root, "run");
	const char *flaw = format_flaw(block, false);
	struct facts facts = {.n = 0};
	int rc;

	if (!json_is_object(block) || flaw)
		return take_facts(root, "run", &facts, err);
	run->environment = take(block, "environment");
	run->tests = take(block, "tests");
	rc = take_facts(root, "run", &facts, err);
	if (rc == 0)
		run_facts_take(run, &facts);
	facts_release(&facts);
	return rc;
}

static int check_format(json_t *root, struct error *err)
{
	const json_t *format = json_object_get(root, "format");
	const json_t *version = json_object_get(root, "version");
	const char *name = json_string_value(format);
	struct quote quote;
	json_int_t number;

	if (!name)
		return wrong_type("", "format", format,
			"the string \"" RESULT_FORMAT "\"", err);
	if (strcmp(name, RESULT_FORMAT) != 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"format: found %s, expected '" RESULT_FORMAT "'",
			reader_quote(&quote, name, strlen(name)));
	if (!json_is_integer(version))
		return wrong_type(
			"", "version", version, "a whole number", err);
	number = json_integer_value(version);
	if (number > RESULT_VERSION)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"version: found %" JSON_INTEGER_FORMAT
			", expected at most %d: a newer c2c wrote this file, "
			"update c2c to read it",
			number, RESULT_VERSION);
	if (number < 1)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"version: found %" JSON_INTEGER_FORMAT
			", expected 1 or more",
			number);
	json_object_del(root, "format");
	json_object_del(root, "version");
	return 0;
}

/* A number; NaN where it is null or absent. */
static int take_number(json_t *object, const char *where, const char *key,
	double *number, struct error *err)
{
	json_t *value = take(object, key);
	int rc = 0;

	*number = json_is_number(value) ? json_number_value(value) : NAN;
	if (value && !json_is_number(value) && !json_is_null(value))
		rc = wrong_type(where, key, value, "a number or null", err);
	json_decref(value);
	return rc;
}

static int take_elapsed(json_t *root, double *elapsed_s, struct error *err)
{
	int rc = take_number(root, "", "elapsed_s", elapsed_s, err);

	if (*elapsed_s < 0 || *elapsed_s > ELAPSED_MAX_S)
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"elapsed_s: found %.9g, expected seconds from 0 to %g",
			*elapsed_s, ELAPSED_MAX_S);
	return rc;
}

/* Sizes of what was measured, which are compared, resumed and shown. */
static int check_sizes(const json_t *options, struct error *err)
{
	static const char *const sizes[] = {
		"chunk_bytes", "chunks", "line_bytes", "lines", "size_bytes"};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(sizes) / sizeof(*sizes); i++) {
		const json_t *value = json_object_get(options, sizes[i]);

		if (value && !json_is_null(value) && !json_is_integer(value))
			rc = wrong_type("options.", sizes[i], value,
				"a whole number or null", err);
	}
	return rc;
}

/* cpus[i], which is no CPU number. */
static int bad_cpu(
	const char *where, size_t i, const json_t *value, struct error *err)
{
	char found[32];

	snprintf(found, sizeof(found), "%.15g", json_number_value(value));
	return error_set(err, ERROR_FAILURE, EINVAL,
		"%scpus[%zu]: found %s, expected a whole number from 0 to %u",
		where, i, json_is_number(value) ? found : format_type(value),
		CPU_LIST_MAX_CPU);
}

static int unpack_cpus(struct cpu_list *cpus, const json_t *array,
	const char *where, struct error *err)
{
	const json_t *value;
	size_t i;

	if (!json_is_array(array))
		return wrong_type(
			where, "cpus", array, "an array of CPU numbers", err);
	if (json_array_size(array) > RESULT_MAX_CPUS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%scpus: found %zu CPUs, expected at most %d", where,
			json_array_size(array), RESULT_MAX_CPUS);
	json_array_foreach(array, i, value)
	{
		json_int_t cpu = json_integer_value(value);
		int rc;

		if (!json_is_integer(value) || cpu < 0 ||
			cpu > CPU_LIST_MAX_CPU)
			return bad_cpu(where, i, value, err);
		rc = cpu_list_add(cpus, (unsigned)cpu, err);
		if (rc < 0)
			return rc;
		if (cpus->n != i + 1)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"%scpus[%zu]: found CPU %u for the second "
				"time, expected every CPU once",
				where, i, (unsigned)cpu);
	}
	return 0;
}

int format_unpack_envelope(
	struct result *result, json_t *root, struct error *err)
{
	json_t *cpus = take(root, "cpus");
	int rc = check_format(root, err);

	if (rc == 0)
		rc = take_string(
			root, "", "command", false, &result->command, err);
	if (rc == 0)
		rc = take_string(
			root, "", "started", true, &result->started, err);
	if (rc == 0)
		rc = take_elapsed(root, &result->elapsed_s, err);
	if (rc == 0)
		rc = take_bool(root, "", "complete", &result->complete, err);
	if (rc == 0)
		rc = take_facts(root, "tool", &result->tool, err);
	if (rc == 0)
		rc = take_facts(root, "machine", &result->machine, err);
	if (rc == 0)
		rc = check_sizes(json_object_get(root, "options"), err);
	if (rc == 0)
		rc = take_facts(root, "options", &result->options, err);
	if (rc == 0)
		rc = take_run(root, &result->run, err);
	if (rc == 0)
		rc = unpack_cpus(&result->cpus, cpus, "", err);
	json_decref(cpus);
	return rc;
}

/* Numbers or nulls; where is the path of the array. */
static int unpack_numbers(double *values, const json_t *array,
	const char *where, struct error *err)
{
	const json_t *value;
	size_t i;

	json_array_foreach(array, i, value)
	{
		if (json_is_number(value))
			values[i] = json_number_value(value);
		else if (!json_is_null(value))
			return error_set(err, ERROR_FAILURE, EINVAL,
				"%s[%zu]: found %s, expected a number or null",
				where, i, format_type(value));
	}
	return 0;
}

/* Whether values is an array of n items; where is its path. */
static int check_array(const json_t *values, size_t n, const char *items,
	const char *per, const char *where, struct error *err)
{
	if (!json_is_array(values))
		return wrong_type(where, "", values, "an array", err);
	if (json_array_size(values) != n)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%s: found %zu %s, expected %zu, one per %s", where,
			json_array_size(values), items, n, per);
	return 0;
}

/* Whether each of the rows, which are an array, is an array of n columns. */
static int check_columns(const json_t *rows, size_t n, const char *per,
	const char *where, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < json_array_size(rows); i++) {
		struct path row = make_path("%s[%zu]", where, i);

		rc = check_array(json_array_get(rows, i), n, "columns", per,
			row.text, err);
	}
	return rc;
}

/* The whole shape is checked before n * n numbers take memory. */
static int check_square(
	const json_t *values, size_t n, const char *where, struct error *err)
{
	int rc = check_array(values, n, "rows", "CPU", where, err);

	if (rc == 0)
		rc = check_columns(values, n, "CPU", where, err);
	return rc;
}

/* What is measured between CPUs is no less than nothing. */
static int check_not_negative(
	const double *values, size_t n, const char *where, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i] < 0)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"%s[%zu]: found %.9g, expected a number that "
				"is not negative",
				where, i, values[i]);
	}
	return 0;
}

/* Rows of n columns, which have been checked. */
static int unpack_rows(double *values, const json_t *rows, size_t n,
	const char *where, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < json_array_size(rows); i++) {
		struct path row = make_path("%s[%zu]", where, i);

		rc = unpack_numbers(
			values + i * n, json_array_get(rows, i), row.text, err);
		if (rc == 0)
			rc = check_not_negative(
				values + i * n, n, row.text, err);
	}
	return rc;
}

static int unpack_square(struct result *result, struct matrix *matrix,
	const json_t *values, const char *where, struct error *err)
{
	int rc =
		unpack_rows(matrix->values, values, result->cpus.n, where, err);

	if (rc < 0)
		return rc;
	rc = format_check_symmetric(result, matrix, err);
	if (rc < 0)
		error_prefix(err, "%s", where);
	return rc;
}

/* The words of a matrix, before its memory is taken. */
struct head {
	char *name, *statistic, *unit, *quantity, *better;
	bool symmetric;
};

static void head_release(struct head *head)
{
	free(head->name);
	free(head->statistic);
	free(head->unit);
	free(head->quantity);
	free(head->better);
}

static int take_head(
	struct head *head, json_t *object, const char *where, struct error *err)
{
	struct quote quote;
	int rc;

	if ((rc = take_string(object, where, "name", false, &head->name, err)) <
			0 ||
		(rc = take_string(object, where, "statistic", false,
			 &head->statistic, err)) < 0 ||
		(rc = take_string(
			 object, where, "unit", false, &head->unit, err)) < 0 ||
		(rc = take_string(object, where, "quantity", true,
			 &head->quantity, err)) < 0 ||
		(rc = take_string(object, where, "better", false, &head->better,
			 err)) < 0 ||
		(rc = take_bool(object, where, "symmetric", &head->symmetric,
			 err)) < 0)
		return rc;
	if (strcmp(head->better, "lower") != 0 &&
		strcmp(head->better, "higher") != 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%sbetter: found %s, expected 'lower' or 'higher'",
			where,
			reader_quote(
				&quote, head->better, strlen(head->better)));
	return 0;
}

static int unpack_matrix(
	struct result *result, json_t *object, size_t index, struct error *err)
{
	struct head head = {0};
	struct matrix *matrix;
	json_t *values;
	struct path item = make_path("matrices[%zu]", index);
	struct path where = make_path("%s.", item.text);
	struct path path = make_path("%s.values", item.text);
	int rc;

	if (!json_is_object(object))
		return wrong_type(item.text, "", object, "an object", err);
	values = take(object, "values");
	rc = take_head(&head, object, where.text, err);
	if (rc == 0)
		rc = check_square(values, result->cpus.n, path.text, err);
	if (rc == 0) {
		matrix = result_add_matrix(result, head.name, head.statistic,
			head.unit, head.quantity,
			strcmp(head.better, "higher") == 0, head.symmetric);
		if (matrix) {
			rc = unpack_square(
				result, matrix, values, path.text, err);
			format_keep_extra(&matrix->extra, object);
		} else {
			rc = error_no_memory(err, path.text);
		}
	}
	head_release(&head);
	json_decref(values);
	return rc;
}

/* One of some words, which stand in a list that NULL ends. */
static int take_choice(json_t *object, const char *where, const char *key,
	const char *const *words, unsigned *choice, struct error *err)
{
	char *text = NULL;
	struct quote quote;
	int rc = take_string(object, where, key, true, &text, err);

	*choice = 0;
	while (rc == 0 && text && words[*choice] &&
		strcmp(words[*choice], text) != 0)
		++*choice;
	if (rc == 0 && !words[*choice])
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"%s%s: found %s, expected a word like '%s'", where, key,
			reader_quote(&quote, text, strlen(text)), words[0]);
	free(text);
	return rc;
}

/* As many numbers as there are, or null: *values stays NULL then. */
static int take_numbers(json_t *object, const char *where, const char *key,
	size_t n, double *values, struct error *err)
{
	struct path path = make_path("%s%s", where, key);
	json_t *array = take(object, key);
	int rc = check_array(array, n, "values", "value of x", path.text, err);

	if (rc == 0)
		rc = unpack_numbers(values, array, path.text, err);
	json_decref(array);
	return rc;
}

static bool is_null(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return !value || json_is_null(value);
}

/* The texts of curves[i]; those of its axes are one object deeper. */
static int take_words(struct curve_facts *facts, json_t *object,
	const char *where, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < CURVE_WORDS; i++) {
		const char *path = curve_words[i].path;
		const char *dot = strchr(path, '.');
		char axis[2] = {path[0], 0};
		struct path deeper = make_path("%s%s.", where, axis);
		json_t *home = dot ? json_object_get(object, axis) : object;
		char *text = NULL;

		if (!json_is_object(home))
			return wrong_type(where, axis, home, "an object", err);
		rc = take_string(home, dot ? deeper.text : where,
			dot ? dot + 1 : path, curve_words[i].nullable, &text,
			err);
		*curve_word(facts, i) = text;
	}
	return rc;
}

static int take_fit(struct curve *curve, json_t *object, const char *where,
	struct error *err)
{
	struct path path = make_path("%sfit.", where);
	json_t *value = take(object, "fit");
	struct curve_fit *fit = NULL;
	int rc = 0;

	if (json_is_object(value)) {
		fit = calloc(1, sizeof(*fit));
		if (!fit)
			rc = error_no_memory(err, path.text);
		curve->fit = fit;
		if (rc == 0)
			rc = take_numbers(value, path.text, "overhead_ns", 3,
				fit->overhead_ns, err);
		if (rc == 0)
			rc = take_numbers(value, path.text, "rate_gib_per_s", 3,
				fit->rate_gib_per_s, err);
		if (rc == 0)
			rc = take_number(value, path.text, "half_rate_bytes",
				&fit->half_rate_bytes, err);
		if (rc == 0)
			rc = take_number(value, path.text, "worst_error",
				&fit->worst_error, err);
	} else if (value && !json_is_null(value)) {
		rc = wrong_type(where, "fit", value, "an object or null", err);
	}
	json_decref(value);
	return rc;
}

static int take_mark(struct curve *curve, json_t *object, const char *where,
	struct error *err)
{
	struct path path = make_path("%smark.", where);
	json_t *value = take(object, "mark");
	int rc = 0;

	if (json_is_object(value)) {
		rc = take_string(
			value, path.text, "text", false, &curve->mark, err);
		if (rc == 0)
			rc = take_number(
				value, path.text, "x", &curve->mark_x, err);
	} else if (value && !json_is_null(value)) {
		rc = wrong_type(where, "mark", value, "an object or null", err);
	}
	json_decref(value);
	return rc;
}

static int take_part(
	json_t *object, const char *where, unsigned *part, struct error *err)
{
	json_t *value = take(object, "part");
	json_int_t number = json_integer_value(value);
	int rc = 0;

	if ((value && !json_is_integer(value)) || number < 0 ||
		number > CURVE_MOST_PARTS)
		rc = wrong_type(where, "part", value, "a small number", err);
	*part = (unsigned)number;
	json_decref(value);
	return rc;
}

/* The values of curves[i], whose place in the result is made already. */
static int take_values(struct curve *curve, json_t *object, const char *where,
	struct error *err)
{
	static const char *const keys[] = {"median", "low", "high", "ceiling"};
	struct path x = make_path("%sx.", where);
	double *const values[] = {
		curve->median, curve->low, curve->high, curve->ceiling};
	json_t *cpus = take(object, "cpus");
	int rc = take_numbers(json_object_get(object, "x"), x.text, "values",
		curve->n, curve->x, err);

	for (size_t i = 0; rc == 0 && i < 4; i++) {
		if (values[i])
			rc = take_numbers(object, where, keys[i], curve->n,
				values[i], err);
	}
	if (rc == 0 && cpus && !json_is_null(cpus))
		rc = unpack_cpus(&curve->cpus, cpus, where, err);
	json_decref(cpus);
	if (rc == 0)
		rc = take_fit(curve, object, where, err);
	return rc == 0 ? take_mark(curve, object, where, err) : rc;
}

/* What is left of an object that was taken apart is for newer versions. */
static void drop_empty(json_t *object, const char *key)
{
	if (json_object_size(json_object_get(object, key)) == 0)
		json_object_del(object, key);
}

static int add_curve(struct result *result, json_t *object,
	struct curve_facts *facts, const char *where, struct error *err)
{
	const json_t *x =
		json_object_get(json_object_get(object, "x"), "values");
	struct path path = make_path("%sx.", where);
	struct curve *curve;
	int rc;

	if (!json_is_array(x))
		return wrong_type(path.text, "values", x, "an array", err);
	curve = result_add_curve(result, facts, json_array_size(x));
	if (!curve ||
		(!is_null(object, "ceiling") && !curve_add_ceiling(curve)))
		return error_no_memory(err, path.text);
	rc = take_values(curve, object, where, err);
	if (is_null(object, "ceiling"))
		json_object_del(object, "ceiling");
	drop_empty(object, "x");
	drop_empty(object, "y");
	if (rc == 0)
		format_keep_extra(&curve->extra, object);
	return rc;
}

static int unpack_curve(
	struct result *result, json_t *object, size_t index, struct error *err)
{
	struct path item = make_path("curves[%zu]", index);
	struct path where = make_path("%s.", item.text);
	struct curve_facts facts = {.test = NULL};
	unsigned statistic = 0, place = 0;
	int rc;

	if (!json_is_object(object))
		return wrong_type(item.text, "", object, "an object", err);
	rc = take_words(&facts, object, where.text, err);
	if (rc == 0)
		rc = take_choice(object, where.text, "statistic",
			curve_statistics, &statistic, err);
	if (rc == 0)
		rc = take_choice(
			object, where.text, "place", curve_places, &place, err);
	if (rc == 0)
		rc = take_part(object, where.text, &facts.part, err);
	facts.statistic = (enum curve_statistic)statistic;
	facts.place = (enum curve_place)place;
	if (rc == 0)
		rc = add_curve(result, object, &facts, where.text, err);
	for (size_t i = 0; i < CURVE_WORDS; i++)
		free((char *)*curve_word(&facts, i));
	return rc;
}

/*
 * Pairs are looked up by CPU number, and marked once seen: there may be as
 * many as a matrix has cells.
 */
struct pair_index {
	size_t n;	     /* CPUs */
	unsigned end;	     /* above every CPU number */
	uint32_t *places;    /* [end], from 1; 0: not in cpus */
	unsigned char *seen; /* a bit for each of n * n pairs */
};

static int pair_index_init(struct pair_index *index,
	const struct cpu_list *cpus, struct error *err)
{
	index->n = cpus->n;
	index->end = 1;
	for (size_t i = 0; i < cpus->n; i++) {
		if (cpus->cpus[i] >= index->end)
			index->end = cpus->cpus[i] + 1;
	}
	index->places = calloc(index->end, sizeof(*index->places));
	index->seen = calloc(cpus->n * cpus->n / 8 + 1, 1);
	if (!index->places || !index->seen)
		return error_no_memory(err, "the pairs of passes");
	for (size_t i = 0; i < cpus->n; i++)
		index->places[cpus->cpus[i]] = (uint32_t)i + 1;
	return 0;
}

static void pair_index_release(struct pair_index *index)
{
	free(index->places);
	free(index->seen);
}

/* The place of the CPU that value names; where is its path. */
static int find_place(const struct pair_index *index, const json_t *value,
	const char *where, uint32_t *place, struct error *err)
{
	json_int_t cpu = json_integer_value(value);

	if (!json_is_integer(value))
		return wrong_type(where, "", value,
			json_is_number(value) ? "a whole number"
					      : "a CPU number",
			err);
	*place = cpu >= 0 && cpu < index->end ? index->places[cpu] : 0;
	if (*place == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%s: found %" JSON_INTEGER_FORMAT
			", expected one of cpus",
			where, cpu);
	--*place;
	return 0;
}

static int unpack_pair(struct pair_index *index, struct cpu_pair *pair,
	const json_t *value, const char *where, struct error *err)
{
	uint32_t places[2] = {0, 0};
	size_t bit;
	int rc = check_array(value, 2, "CPU numbers", "end", where, err);

	for (size_t i = 0; rc == 0 && i < 2; i++) {
		struct path path = make_path("%s[%zu]", where, i);

		rc = find_place(index, json_array_get(value, i), path.text,
			&places[i], err);
	}
	if (rc < 0)
		return rc;
	bit = places[0] * index->n + places[1];
	if (index->seen[bit / 8] & 1 << bit % 8)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%s: found CPUs %" JSON_INTEGER_FORMAT
			" and %" JSON_INTEGER_FORMAT " for the second time, "
			"expected every pair once",
			where, json_integer_value(json_array_get(value, 0)),
			json_integer_value(json_array_get(value, 1)));
	index->seen[bit / 8] |= (unsigned char)(1 << bit % 8);
	*pair = (struct cpu_pair){places[0], places[1]};
	return 0;
}

static int unpack_pairs(struct result *result, struct cpu_pair *pairs,
	const json_t *array, const char *where, struct error *err)
{
	struct pair_index index = {.n = 0};
	int rc = pair_index_init(&index, &result->cpus, err);

	for (size_t i = 0; rc == 0 && i < json_array_size(array); i++) {
		struct path path = make_path("%s[%zu]", where, i);

		rc = unpack_pair(&index, &pairs[i], json_array_get(array, i),
			path.text, err);
	}
	pair_index_release(&index);
	return rc;
}

/* The members of one entry of "passes", taken out of it. */
struct kept {
	char *name, *unit;
	json_t *pairs, *start_s, *values;
	struct path at_pairs, at_start_s, at_values;
};

static void kept_release(struct kept *kept)
{
	free(kept->name);
	free(kept->unit);
	json_decref(kept->pairs);
	json_decref(kept->start_s);
	json_decref(kept->values);
}

/* Its words, and the shape of all its arrays. */
static int take_kept(
	struct kept *kept, json_t *object, const char *where, struct error *err)
{
	int rc = take_string(object, where, "name", false, &kept->name, err);

	if (rc == 0)
		rc = take_string(
			object, where, "unit", false, &kept->unit, err);
	if (rc < 0)
		return rc;
	kept->pairs = take(object, "pairs");
	kept->start_s = take(object, "start_s");
	kept->values = take(object, "values");
	kept->at_pairs = make_path("%spairs", where);
	kept->at_start_s = make_path("%sstart_s", where);
	kept->at_values = make_path("%svalues", where);
	if (!json_is_array(kept->pairs))
		return wrong_type(where, "pairs", kept->pairs, "an array", err);
	if (!json_is_array(kept->values))
		return wrong_type(
			where, "values", kept->values, "an array", err);
	rc = check_array(kept->start_s, json_array_size(kept->values), "times",
		"pass", kept->at_start_s.text, err);
	if (rc == 0)
		rc = check_columns(kept->values, json_array_size(kept->pairs),
			"pair", kept->at_values.text, err);
	return rc;
}

static int add_kept(struct result *result, json_t *object,
	const struct kept *kept, struct error *err)
{
	size_t n_pairs = json_array_size(kept->pairs);
	struct passes *passes = result_add_passes(result, kept->name,
		kept->unit, n_pairs, json_array_size(kept->values));
	int rc;

	if (!passes)
		return error_no_memory(err, kept->at_values.text);
	format_keep_extra(&passes->extra, object);
	rc = unpack_pairs(
		result, passes->pairs, kept->pairs, kept->at_pairs.text, err);
	if (rc == 0)
		rc = unpack_numbers(passes->start_s, kept->start_s,
			kept->at_start_s.text, err);
	if (rc == 0)
		rc = unpack_rows(passes->values, kept->values, n_pairs,
			kept->at_values.text, err);
	return rc;
}

static int unpack_passes(
	struct result *result, json_t *object, size_t index, struct error *err)
{
	struct kept kept = {.name = NULL};
	struct path item = make_path("passes[%zu]", index);
	struct path where = make_path("%s.", item.text);
	int rc;

	if (!json_is_object(object))
		return wrong_type(item.text, "", object, "an object", err);
	rc = take_kept(&kept, object, where.text, err);
	if (rc == 0)
		rc = add_kept(result, object, &kept, err);
	kept_release(&kept);
	return rc;
}

/* Either of matrices and curves may be absent, but not both. */
static int unpack_measured(
	struct result *result, json_t *root, struct error *err)
{
	json_t *matrices = take(root, "matrices");
	json_t *curves = take(root, "curves");
	json_t *passes = take(root, "passes");
	int rc = 0;

	if (json_object_get(root, "series"))
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"series: found curves as c2c wrote them before "
			"November 2026, expected \"curves\": measure again");
	else if (matrices ? !json_is_array(matrices) : !curves)
		rc = wrong_type("", "matrices", matrices, "an array", err);
	else if (curves && !json_is_array(curves))
		rc = wrong_type("", "curves", curves, "an array", err);
	else if (passes && !json_is_array(passes))
		rc = wrong_type("", "passes", passes, "an array", err);
	for (size_t i = 0; rc == 0 && i < json_array_size(matrices); i++)
		rc = unpack_matrix(result, json_array_get(matrices, i), i, err);
	for (size_t i = 0; rc == 0 && i < json_array_size(curves); i++)
		rc = unpack_curve(result, json_array_get(curves, i), i, err);
	for (size_t i = 0; rc == 0 && i < json_array_size(passes); i++)
		rc = unpack_passes(result, json_array_get(passes, i), i, err);
	json_decref(matrices);
	json_decref(curves);
	json_decref(passes);
	return rc;
}

/* topology.hwloc_xml goes to the result; the object keeps what else it has. */
static int unpack_topology(
	struct result *result, json_t *root, struct error *err)
{
	json_t *topology = json_object_get(root, "topology");
	int rc = 0;

	if (json_is_object(topology))
		rc = take_string(topology, "topology.", "hwloc_xml", true,
			&result->hwloc_xml, err);
	else if (topology && !json_is_null(topology))
		return wrong_type(
			"", "topology", topology, "an object or null", err);
	if (json_object_size(topology) == 0)
		json_object_del(root, "topology");
	return rc;
}

static int unpack(struct result *result, json_t *root, struct error *err)
{
	int rc;

	if (!json_is_object(root))
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %s, expected an object: the result of c2c",
			format_type(root));
	rc = format_unpack_envelope(result, root, err);
	if (rc == 0)
		rc = unpack_measured(result, root, err);
	if (rc == 0)
		rc = unpack_topology(result, root, err);
	if (rc == 0)
		format_keep_extra(&result->extra, root);
	return rc;
}

static size_t read_bytes(void *buffer, size_t room, void *reader)
{
	return reader_read(reader, buffer, room);
}

/* jansson's own words, which may quote bytes of the file. */
static int not_json(json_error_t *problem, struct error *err)
{
	if (json_error_code(problem) == json_error_out_of_memory)
		return error_no_memory(err, "the file");
	for (char *c = problem->text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	}
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %d, column %d: found what is not JSON: %s", problem->line,
		problem->column, problem->text);
}

int format_read_json(
	struct result *result, struct reader *reader, struct error *err)
{
	json_error_t problem;
	json_t *root = json_load_callback(
		read_bytes, reader, JSON_REJECT_DUPLICATES, &problem);
	int rc;

	if (reader->failure) {
		rc = reader_failed(reader, err);
	} else if (!root) {
		rc = not_json(&problem, err);
	} else {
		rc = unpack(result, root, err);
	}
	json_decref(root);
	return rc;
}
