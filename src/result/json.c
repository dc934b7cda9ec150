/*
 * Results as JSON, the complete record.
 *
 * jansson parses, quotes and prints. Only the numbers of matrices, curves and
 * passes are written here, a row per line: files stay readable, diffs are by
 * line, and no number needs a JSON object.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/fields.h"
#include "result/file.h"
#include "result/format.h"

static const struct pack_context all_digits = {.digits = 0};

/* Indent the lines of jansson, whose strings have no raw line feed. */
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
static int begin_top_member(FILE *out, const char *key, bool first)
{
	json_t *name = json_string(key);
	int rc;

	fputs(first ? "{\n  " : ",\n  ", out);
	rc = json_dumpf(name, out, FORMAT_JSON_FLAGS);
	json_decref(name);
	fputs(": ", out);
	return rc;
}

/* Objects and arrays take several lines, other values one. */
static int write_top_member(
	FILE *out, const char *key, const json_t *value, bool first)
{
	int rc = begin_top_member(out, key, first);

	/* CPU numbers stay on one line, as the rows do. */
	if (strcmp(key, "cpus") == 0)
		return rc | json_dumpf(value, out, FORMAT_JSON_FLAGS);
	return rc | json_dump_callback(value, write_indented, out,
			    FORMAT_JSON_FLAGS | JSON_INDENT(2));
}

static void write_json_numbers(FILE *out, const double *values, size_t n)
{
	struct number_text number;

	putc('[', out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputs(", ", out);
		fputs(format_number(&number, values[i], "null"), out);
	}
	putc(']', out);
}

/* The member "values" over several lines. */
static void write_values_rows(
	FILE *out, const double *values, size_t rows, size_t columns)
{
	fputs(",\n     \"values\": [", out);
	for (size_t i = 0; i < rows; i++) {
		fputs(i > 0 ? ",\n      " : "\n      ", out);
		write_json_numbers(out, values + i * columns, columns);
	}
	fputs(rows > 0 ? "\n     ]" : "]", out);
}

/*
 * The fields of a struct, then the unknown keys; those of an inner object are
 * under its key.
 */
static int write_json_fields(FILE *out, const struct record_field *fields,
	const void *from, const json_t *extra);

static int write_object_field(FILE *out, const struct record_field *field,
	const void *from, const json_t *extra)
{
	const char *behind;
	int rc;

	memcpy(&behind, (const char *)from + field->at, sizeof(behind));
	if (field->nullable && !behind) {
		fputs("null", out);
		return 0;
	}
	if (field->kind == FIELD_BEHIND)
		from = behind;
	putc('{', out);
	rc = write_json_fields(out, field->type->fields, from,
		json_object_get(extra, field->key));
	putc('}', out);
	return rc;
}

static int write_json_field(FILE *out, const struct record_field *field,
	const void *from, const json_t *extra)
{
	const double *values;
	json_t *value;
	int rc;

	fprintf(out, "\"%s\": ", field->key);
	if (field_is_object(field))
		return write_object_field(out, field, from, extra);
	if (field->kind == FIELD_VALUES) {
		memcpy(&values, (const char *)from + field->at, sizeof(values));
		if (values)
			write_json_numbers(
				out, values, ((const struct curve *)from)->n);
		else
			fputs("null", out);
		return 0;
	}
	value = field_pack(field, from, &all_digits);
	rc = json_dumpf(value, out, FORMAT_JSON_FLAGS);
	json_decref(value);
	return rc;
}

/* ", " and the members of extra, if there are any. */
static int write_extra_members(FILE *out, const json_t *extra)
{
	if (json_object_size(extra) == 0)
		return 0;
	fputs(", ", out);
	return json_dumpf(extra, out, FORMAT_JSON_FLAGS | JSON_EMBED);
}

static int write_json_fields(FILE *out, const struct record_field *fields,
	const void *from, const json_t *extra)
{
	json_t *rest = json_copy((json_t *)extra);
	const char *between = "";
	int rc = 0;

	for (const struct record_field *field = fields; field->key; field++) {
		fputs(field->line ? ",\n     " : between, out);
		rc |= write_json_field(out, field, from, extra);
		if (field_is_object(field))
			json_object_del(rest, field->key);
		between = ", ";
	}
	rc |= write_extra_members(out, rest);
	json_decref(rest);
	return rc;
}

static void write_node_axis(
	FILE *out, const char *key, const struct cpu_list *nodes)
{
	fprintf(out, ", \"%s\": {\"kind\": \"node\", \"ids\": [", key);
	for (size_t i = 0; i < nodes->n; i++)
		fprintf(out, "%s%u", i > 0 ? ", " : "", nodes->cpus[i]);
	fputs("]}", out);
}

/* Only the rows of nodes with CPUs, and the columns of those with memory. */
static int write_node_matrix(
	FILE *out, const struct result *result, const struct matrix *matrix)
{
	const struct cpu_list *rows = &result->nodes.rows;
	const struct cpu_list *columns = &result->nodes.columns;
	const struct cpu_list *all = &result->nodes.all;
	double *values = curve_new_missing(rows->n * columns->n);

	if (!values)
		return -1;
	for (size_t k = 0; k < rows->n * columns->n; k++) {
		long i = cpu_list_find(all, rows->cpus[k / columns->n]);
		long j = cpu_list_find(all, columns->cpus[k % columns->n]);

		values[k] = matrix->values[(size_t)i * all->n + (size_t)j];
	}
	write_node_axis(out, "rows", rows);
	write_node_axis(out, "columns", columns);
	write_values_rows(out, values, rows->n, columns->n);
	free(values);
	return 0;
}

static int write_json_matrix(FILE *out, const struct result *result, size_t i)
{
	const struct matrix *matrix = &result->matrices[i];
	size_t n = result->cpus.n;
	int rc = write_json_fields(out, fields_of_matrix, matrix, NULL);

	if (result_is_of_nodes(result))
		rc |= write_node_matrix(out, result, matrix);
	else
		write_values_rows(out, matrix->values, n, n);
	return rc | write_extra_members(out, matrix->extra);
}

static int write_json_curve(FILE *out, const struct result *result, size_t i)
{
	const struct curve *curve = &result->curves[i];

	return write_json_fields(out, fields_of_curve, curve, curve->extra);
}

static int write_json_cache(FILE *out, const struct result *result, size_t i)
{
	const struct cache_level *level = &result->caches[i];

	return write_json_fields(out, fields_of_cache, level, level->extra);
}

static int write_json_tlb(FILE *out, const struct result *result, size_t i)
{
	const struct cache_tlb *tlb = &result->tlbs[i];

	return write_json_fields(out, fields_of_tlb, tlb, tlb->extra);
}

static int write_json_passes(FILE *out, const struct result *result, size_t i)
{
	const struct passes *passes = &result->kept[i];
	const unsigned *cpus = result->cpus.cpus;
	int rc = write_json_fields(out, fields_of_passes, passes, NULL);

	fputs(",\n     \"pairs\": [", out);
	for (size_t p = 0; p < passes->n_pairs; p++)
		fprintf(out, "%s[%u, %u]", p > 0 ? ", " : "",
			cpus[passes->pairs[p].first],
			cpus[passes->pairs[p].second]);
	fputs("],\n     \"start_s\": ", out);
	write_json_numbers(out, passes->start_s, passes->n_passes);
	write_values_rows(
		out, passes->values, passes->n_passes, passes->n_pairs);
	return rc | write_extra_members(out, passes->extra);
}

/* A list of n objects, a line for each. */
static int write_object_list(FILE *out, const char *key, size_t n,
	int (*write)(FILE *out, const struct result *result, size_t i),
	const struct result *result)
{
	int rc = begin_top_member(out, key, false);

	putc('[', out);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? ",\n    {" : "\n    {", out);
		rc |= write(out, result, i);
		putc('}', out);
	}
	fputs(n > 0 ? "\n  ]" : "]", out);
	return rc;
}

static int write_measured_lists(FILE *out, const struct result *result)
{
	int rc = write_object_list(
		out, "matrices", result->n_matrices, write_json_matrix, result);

	if (result->n_curves > 0)
		rc |= write_object_list(out, "curves", result->n_curves,
			write_json_curve, result);
	if (result->n_caches > 0)
		rc |= write_object_list(out, "caches", result->n_caches,
			write_json_cache, result);
	if (result->n_tlbs > 0)
		rc |= write_object_list(
			out, "tlbs", result->n_tlbs, write_json_tlb, result);
	if (result->n_kept > 0)
		rc |= write_object_list(out, "passes", result->n_kept,
			write_json_passes, result);
	return rc;
}

static int write_topology_member(FILE *out, const struct result *result)
{
	json_t *known = json_object();
	int rc = json_object_set_new(known, fields_of_topology->key,
		field_pack(fields_of_topology, result, &all_digits));

	json_object_update_missing(
		known, json_object_get(result->extra, "topology"));
	rc |= write_top_member(out, "topology", known, false);
	json_decref(known);
	return rc;
}

/* The object without the end of its last line. */
static int write_result_object(
	const struct result *result, FILE *out, struct error *err)
{
	json_t *envelope = format_pack_envelope(result, err);
	json_t *value;
	const char *key;
	bool first = true;
	int rc = 0;

	if (!envelope)
		return -ENOMEM;
	json_object_foreach(envelope, key, value)
	{
		rc |= write_top_member(out, key, value, first);
		first = false;
	}
	json_decref(envelope);
	rc |= write_measured_lists(out, result);
	for (size_t i = 0; i < result->n_runs && rc != -ENOMEM; i++) {
		if (i == 0)
			rc |= begin_top_member(out, "runs", false);
		fputs(i > 0 ? ",\n" : "[\n", out);
		if (write_result_object(&result->runs[i], out, err) != 0)
			rc = -ENOMEM;
		if (i + 1 == result->n_runs)
			putc(']', out);
	}
	rc |= write_topology_member(out, result);
	json_object_foreach(result->extra, key, value)
	{
		if (strcmp(key, "topology") != 0)
			rc |= write_top_member(out, key, value, false);
	}
	fputs("\n}", out);
	return rc == 0 ? 0
		       : error_set(err, ERROR_FAILURE, ENOMEM,
				 "the result holds text that is not UTF-8, or "
				 "memory is out");
}

int result_write_json(const struct result *result, FILE *out, struct error *err)
{
	int rc = write_result_object(result, out, err), flushed;

	putc('\n', out);
	flushed = format_flush(out, err);
	return flushed < 0 ? flushed : rc;
}
