/*
 * Results as JSON, the complete record.
 *
 * jansson parses, quotes and prints all but the numbers of matrices, curves
 * and passes: those are written here, a row per line, so that files are
 * readable, differ by line and need no JSON object per number.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"

/* Thirty thousand years, and far from what a double could not add. */
#define ELAPSED_MAX_S 1e12

const char *const format_curve_statistics[] = {
	"median", "mean", "ceiling", NULL};
const char *const format_curve_places[] = {"main", "detail", "strip", NULL};
const char *const format_curve_axes[] = {
	"amounts", "ratios", "counts", "bytes", NULL};

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
	json_t *mark = curve->mark ? json_pack("{s:o, s:s}", "x",
					     number_or_null(curve->mark_x),
					     "text", curve->mark)
				   : json_null();

	return json_pack("{s:s?, s:s, s:s, s:s?, s:s?, s:o, s:s, s:s, s:i, "
			 "s:o, s:o}",
		"test", is->test, "family", is->family, "member", is->member,
		"variant", is->variant, "device", is->device, "cpus",
		format_pack_cpus(&curve->cpus), "statistic",
		format_curve_statistics[is->statistic], "place",
		format_curve_places[is->place], "part", (int)is->part, "mark",
		mark, "fit", pack_fit(curve->fit));
}

static int write_axis(
	FILE *out, const char *key, const struct curve *curve, bool is_x)
{
	const struct curve_facts *is = &curve->is;
	int rc;

	fprintf(out, ",\n     \"%s\": {", key);
	rc = write_embedded(out,
		json_pack("{s:s, s:s?, s:s}", "name",
			is_x ? is->x_name : is->y_name, "unit",
			is_x ? is->x_unit : is->y_unit, "kind",
			format_curve_axes[is_x ? is->x_axis : is->y_axis]));
	if (is_x) {
		fputs(", \"values\": ", out);
		write_numbers(out, curve->x, curve->n);
	}
	rc |= write_extra(out, json_object_get(curve->extra, key));
	putc('}', out);
	return rc;
}

static int write_curve(FILE *out, const struct curve *curve)
{
	json_t *extra = json_copy(curve->extra);
	int rc;

	json_object_del(extra, "x");
	json_object_del(extra, "y");
	putc('{', out);
	rc = write_embedded(out, pack_facts(curve));
	rc |= write_axis(out, "x", curve, true);
	rc |= write_axis(out, "y", curve, false);
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
