/* Reads and writes records as JSON: functions of the tables in fields.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/print.h"
#include "result/fields.h"
#include "result/file.h"
#include "result/format.h"
#include "result/old_names.h"
#include "result/runs.h"
#include "util/text.h"

/* Check sizes in options that other commands use. */
static void check_option_sizes(const struct record_node *root)
{
	static const char *const sizes[] = {"chunk_bytes", "chunks",
		"line_bytes", "lines", "size_bytes", "slice_bytes"};
	struct record_node options = node_member(root, "options");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct record_node size = node_member(&options, sizes[i]);

		if (!node_is_null(&size))
			node_expect_type(
				&size, NODE_INTEGER, "a whole number or null");
	}
}

int result_version(const void *from)
{
	const struct result *result = from;

	return result->n_sections > 0 || result->n_skipped > 0 ? 2 : 1;
}

static bool is_in_list(const struct record_node *node, const char *key)
{
	return node->up && strcmp(node->up->key, key) == 0;
}

void begin_result(const struct record_node *node, void *into)
{
	struct record_node matrices = node_member(node, "matrices");
	struct record_node series = node_member(node, "series");
	struct record_node runs = node_member(node, "runs");
	struct record_node sections = node_member(node, "sections");
	struct record_node skipped = node_member(node, "skipped");

	(void)into;
	if (is_in_list(node, "runs") && runs.value)
		node_fail(&runs, "found runs inside a run, expected none");
	if (node->up && sections.value)
		node_fail(&sections,
			"found sections inside a section or run, expected "
			"none");
	if (node->up && skipped.value)
		node_fail(&skipped,
			"found skipped commands inside a section or run, "
			"expected none");
	if (!old_names_replace(node->value))
		node_fail_memory(node);
	check_option_sizes(node);
	if (series.value)
		node_fail(&series,
			"found curves as c2c wrote them before November 2026, "
			"expected \"curves\": measure again");
	/* A record has matrices, curves or sections. */
	if (!matrices.value && !sections.value &&
		!json_object_get(node->value, "curves"))
		node_expect_type(&matrices, NODE_ARRAY, "an array");
}

static bool has_values(const struct result *result)
{
	return result->n_matrices + result->n_curves + result->n_caches +
		       result->n_tlbs + result->n_kept + result->n_runs >
	       0;
}

/* Check a record. The reader has read CPUs and command before runs. */
void end_result(const struct record_node *node, void *into)
{
	const struct result *run = into, *result = node_around(node);
	bool sections = run->n_sections > 0;
	struct record_node parts =
		node_member(node, sections ? "sections" : "skipped");

	/* c2c would ignore these values. */
	if ((sections || run->n_skipped > 0) && has_values(run))
		node_fail(&parts, "found values beside %s, expected none",
			sections ? "sections" : "skipped commands");
	if (!is_in_list(node, "runs"))
		return;
	if (!cpu_list_same(&run->cpus, &result->cpus))
		node_fail(node, "found other CPUs than the record has");
	if (!result_same_nodes(run, result))
		node_fail(node,
			"found matrices of other NUMA nodes than the record "
			"has");
	if (strcmp(run->command, result->command) != 0)
		node_fail(node, "found another command than the record has");
}

static void check_symmetric(const struct record_node *values,
	const struct matrix *matrix, const struct result *result)
{
	const struct cpu_list *members = result_members(result);
	const char *word = result_is_of_nodes(result) ? "node" : "CPU";
	size_t n = members->n;

	for (size_t i = 0; i < n && !node_has_failed(values); i++) {
		for (size_t j = 0; j < i; j++) {
			double a = matrix->values[i * n + j];
			double b = matrix->values[j * n + i];

			if (a == b || (isnan(a) && isnan(b)))
				continue;
			node_fail(values,
				"found %.9g from %s %u to %s %u and %.9g back, "
				"expected equal values in a symmetric matrix",
				a, word, members->cpus[i], word,
				members->cpus[j], b);
		}
	}
}

static void read_node_axis(
	const struct record_node *axis, struct cpu_list *nodes)
{
	struct record_node kind = node_member(axis, "kind"),
			   ids = node_member(axis, "ids");
	static const char *const kinds[] = {"node", "node", NULL};

	if (!node_expect_type(axis, NODE_OBJECT, "an object") ||
		!node_expect_type(&kind, NODE_STRING, "the string \"node\""))
		return;
	node_read_word(&kind, kinds);
	if (node_expect_type(&ids, NODE_ARRAY, "an array of node numbers"))
		node_read_members(&ids, nodes, "node", RESULT_MAX_NODES);
	if (!node_has_failed(&ids) && nodes->n == 0)
		node_fail(&ids, "found no node, expected one or more");
}

/*
 * Read the nodes of a matrix, which are the same for all matrices. Return false
 * after an error.
 */
static bool read_matrix_nodes(
	const struct record_node *node, struct result *result)
{
	struct record_node rows = node_member(node, "rows");
	struct record_node columns = node_member(node, "columns");
	struct cpu_list list[2] = {{.n = 0}, {.n = 0}};

	if (!node_is_null(&rows) || !node_is_null(&columns)) {
		read_node_axis(&rows, &list[0]);
		read_node_axis(&columns, &list[1]);
	}
	if (!node_has_failed(node) && result->n_matrices == 1 &&
		list[0].n > 0 && !result_set_nodes(result, &list[0], &list[1]))
		node_fail_memory(node);
	if (!node_has_failed(node) &&
		!(cpu_list_same(&list[0], &result->nodes.rows) &&
			cpu_list_same(&list[1], &result->nodes.columns)))
		node_fail(node,
			"found other rows or columns than in matrices[0], "
			"expected the same in all matrices");
	cpu_list_release(&list[0]);
	cpu_list_release(&list[1]);
	json_object_del(node->value, "rows");
	json_object_del(node->value, "columns");
	return !node_has_failed(node);
}

struct grid_members matrix_members(const void *around)
{
	const struct result_nodes *nodes =
		&((const struct result *)around)->nodes;

	return (struct grid_members){&nodes->rows, &nodes->columns,
		nodes->all.n > 0 ? &nodes->all : NULL};
}

void begin_matrix(const struct record_node *node, void *into)
{
	struct record_node values = node_member(node, "values");
	struct result *result = node_around(node);
	bool of_nodes;
	const char *word;

	if (!read_matrix_nodes(node, result))
		return;
	of_nodes = result_is_of_nodes(result);
	word = of_nodes ? "node" : "CPU";
	if (node_has_shape(&values,
		    of_nodes ? result->nodes.rows.n : result->cpus.n,
		    of_nodes ? result->nodes.columns.n : result->cpus.n, word,
		    word) &&
		!matrix_make_room(into, result_members(result)->n))
		node_fail_memory(node);
}

void end_matrix(const struct record_node *node, void *into)
{
	const struct record_node values = node_member(node, "values");

	if (((struct matrix *)into)->symmetric)
		check_symmetric(&values, into, node_around(node));
}

/* Make an object from the nodes of rows or columns, or null without nodes. */
json_t *pack_node_axis(const void *from, const struct pack_context *context)
{
	const struct result_nodes *nodes =
		&((const struct result *)context->up->from)->nodes;
	bool rows = strcmp(context->field->key, "rows") == 0;

	(void)from;
	return nodes->all.n == 0
		       ? json_null()
		       : json_pack("{s:s, s:o}", "kind", "node", "ids",
				 format_pack_cpus(rows ? &nodes->rows
						       : &nodes->columns));
}

/* Return the kind of an axis in an older record from the unit. */
static enum curve_axis axis_of_unit(const char *unit)
{
	static const struct {
		const char *unit;
		enum curve_axis axis;
	} known[] = {{"B", CURVE_BYTES}, {"ms", CURVE_RATIOS},
		{"times", CURVE_RATIOS}, {"Gcalls/s", CURVE_RATIOS},
		{"work-items", CURVE_COUNTS}};

	for (size_t i = 0; unit && i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(unit, known[i].unit) == 0)
			return known[i].axis;
	}
	return CURVE_AMOUNTS;
}

/* Drop a text of an older record that is not a unit of x. */
static bool drop_unit(struct curve_facts *facts)
{
	char *unit = (char *)facts->x_unit, *name = (char *)facts->x_name;

	if (!unit)
		return true;
	if (strncmp(unit, "per ", 4) == 0)
		facts->x_name = text_format("%s %s", name, unit);
	else if (strcmp(unit, "number") != 0)
		return true;
	facts->x_unit = NULL;
	free(unit);
	if (facts->x_name != name)
		free(name);
	return facts->x_name;
}

void begin_curve(const struct record_node *node, void *into)
{
	struct record_node x = node_member(node, "x");
	struct record_node y = node_member(node, "y");
	struct record_node values = node_member(&x, "values");
	struct record_node x_kind = node_member(&x, "kind");
	struct record_node y_kind = node_member(&y, "kind");
	struct curve *curve = into;

	if (!node_expect_type(&x, NODE_OBJECT, "an object") ||
		!node_expect_type(&values, NODE_ARRAY, "an array") ||
		!node_has_at_most(&values, RESULT_MAX_POINTS, "points"))
		return;
	curve->n = node_array_size(&values);
	curve->facts.x_axis = node_is_null(&x_kind) ? CURVE_AXES : 0;
	curve->facts.y_axis = node_is_null(&y_kind) ? CURVE_AXES : 0;
}

void end_curve(const struct record_node *node, void *into)
{
	struct curve *curve = into;
	struct curve_facts *facts = &curve->facts;

	if (curve->n_x_names && curve->n_x_names != curve->n)
		node_fail(node,
			"found %zu names of x, expected one for each point",
			curve->n_x_names);
	if (facts->y_axis == CURVE_AXES)
		facts->y_axis = axis_of_unit(facts->y_unit);
	if (facts->x_axis != CURVE_AXES)
		return;
	facts->x_axis = axis_of_unit(facts->x_unit);
	if (!drop_unit(facts))
		node_fail_memory(node);
}

/* An index of CPU numbers and pairs. The number of pairs may be n * n. */
struct pair_index {
	size_t n;	     /* CPUs */
	unsigned end;	     /* largest CPU number + 1 */
	uint32_t *places;    /* [end] index of the CPU + 1, or 0 */
	unsigned char *seen; /* bits for n * n pairs */
};

static uint32_t find_cpu_position(
	const struct record_node *node, const struct pair_index *index)
{
	json_int_t cpu = json_integer_value(node->value);
	uint32_t place;

	if (!node_expect_type(node, NODE_INTEGER,
		    node_is_of_types(node, NODE_NUMBER) ? "a whole number"
							: "a CPU number"))
		return 0;
	place = cpu >= 0 && cpu < index->end ? index->places[cpu] : 0;
	if (place)
		return place - 1;
	node_fail(node, "found %" JSON_INTEGER_FORMAT ", expected one of cpus",
		cpu);
	return 0;
}

static void read_pair(const struct record_node *node, struct pair_index *index,
	struct cpu_pair *pair)
{
	struct record_node first = node_item(node, 0),
			   second = node_item(node, 1);
	size_t bit;

	if (!node_has_items(node, 2, "CPU numbers", "end"))
		return;
	pair->first = find_cpu_position(&first, index);
	pair->second = find_cpu_position(&second, index);
	bit = pair->first * index->n + pair->second;
	if (index->seen[bit / 8] & 1 << bit % 8)
		node_fail(node,
			"found CPUs %" JSON_INTEGER_FORMAT
			" and %" JSON_INTEGER_FORMAT " for the second time, "
			"expected every pair once",
			json_integer_value(first.value),
			json_integer_value(second.value));
	index->seen[bit / 8] |= (unsigned char)(1 << bit % 8);
}

void read_pairs(const struct record_node *pairs, void *into)
{
	const struct cpu_list *cpus =
		&((const struct result *)node_around(pairs->up))->cpus;
	struct cpu_pair *places = ((struct passes *)into)->pairs;
	struct pair_index index = {.n = cpus->n, .end = 1};

	for (size_t i = 0; i < cpus->n; i++) {
		if (cpus->cpus[i] >= index.end)
			index.end = cpus->cpus[i] + 1;
	}
	index.places = calloc(index.end, sizeof(*index.places));
	index.seen = calloc(cpus->n * cpus->n / 8 + 1, 1);
	if (!index.places || !index.seen) {
		free(index.places);
		free(index.seen);
		node_fail_memory(pairs);
		return;
	}
	for (size_t i = 0; i < cpus->n; i++)
		index.places[cpus->cpus[i]] = (uint32_t)i + 1;
	for (size_t i = 0;
		i < node_array_size(pairs) && !node_has_failed(pairs); i++) {
		struct record_node pair = node_item(pairs, i);

		read_pair(&pair, &index, &places[i]);
	}
	free(index.places);
	free(index.seen);
}

static void check_interval(
	const struct record_node *node, double least, double most)
{
	if (least > most)
		node_fail(node,
			"found least_bytes %.9g above most_bytes %.9g, "
			"expected an interval",
			least, most);
}

void end_cache(const struct record_node *node, void *into)
{
	const struct cache_level *level = into;

	check_interval(node, level->least_bytes, level->most_bytes);
}

void end_tlb(const struct record_node *node, void *into)
{
	const struct cache_tlb *tlb = into;

	check_interval(node, tlb->least_bytes, tlb->most_bytes);
}

void end_line_profile(const struct record_node *node, void *into)
{
	const struct line_profile *profile = into;

	if (profile->cpus.n != 2)
		node_fail(node, "cpus: found %zu, expected the 2 of a pair",
			profile->cpus.n);
}

void begin_passes(const struct record_node *node, void *into)
{
	struct record_node pairs = node_member(node, "pairs");
	struct record_node start_s = node_member(node, "start_s");
	struct record_node values = node_member(node, "values");

	if (!node_expect_type(&pairs, NODE_ARRAY, "an array") ||
		(!node_is_taken(&values) &&
			!node_expect_type(&values, NODE_ARRAY, "an array")) ||
		!node_has_items(
			&start_s, node_count_rows(&values), "times", "pass") ||
		!node_has_shape(&values, node_count_rows(&values),
			node_array_size(&pairs), "pass", "pair"))
		return;
	if (!passes_make_room(
		    into, node_array_size(&pairs), node_count_rows(&values)))
		node_fail_memory(node);
}

void print_pass_pairs(
	FILE *out, const void *from, const struct pack_context *context)
{
	const struct passes *passes = from;
	const unsigned *cpus =
		((const struct result *)context->up->from)->cpus.cpus;

	putc('[', out);
	for (size_t p = 0; p < passes->n_pairs; p++)
		fprintf(out, "%s[%u, %u]", p > 0 ? ", " : "",
			cpus[passes->pairs[p].first],
			cpus[passes->pairs[p].second]);
	putc(']', out);
}

/* Compute the verdict of an older record, which has only correlations. */
void end_run(const struct record_node *node, void *into)
{
	struct run_facts *run = into;

	(void)node;
	run->known = true;
	if (run->verdict == RUN_UNJUDGED &&
		(run->pairs < 0 || run->pairs >= RUN_JUDGED_PAIRS))
		run->verdict = run_judge(run->even_odd, run->halves);
}

static size_t read_reader_bytes(void *buffer, size_t room, void *reader)
{
	return reader_read(reader, buffer, room);
}

int format_read_json(
	struct result *result, struct reader *reader, struct error *err)
{
	int rc = unpack_stream(
		&result_type, result, read_reader_bytes, reader, err);

	return reader->failure ? reader_failed(reader, err) : rc;
}

bool format_read_grids(struct result *result, const char *text, size_t n)
{
	return unpack_text(&result_type, result, text, n);
}

int result_write_json(const struct result *result, FILE *out, struct error *err)
{
	int rc = print_struct(&result_type, result, out), flushed;

	putc('\n', out);
	flushed = format_flush(out, err);
	if (flushed < 0 || rc == 0)
		return flushed;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"the result has a text that is not UTF-8, or c2c is out of "
		"memory");
}
