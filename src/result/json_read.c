/*
 * Results from JSON. By hand rather than by json_unpack(), whose messages do
 * not name the place.
 *
 * A value is read through its node, which knows the way to it. The first
 * failure counts: what is read after it is nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/format.h"
#include "result/record.h"
#include "util/text.h"

/* Thirty thousand years, and far from what a double could not add. */
#define ELAPSED_MAX_S 1e12

struct input {
	struct error *err;
	int rc;
};

/* A value of the file: the root, a member or an item of another. */
struct node {
	struct input *in;
	const struct node *up;
	const char *key; /* NULL: an item */
	size_t index;
	json_t *value; /* borrowed; NULL: nothing */
};

static struct node member(const struct node *up, const char *key)
{
	return (struct node){
		up->in, up, key, 0, json_object_get(up->value, key)};
}

static struct node item(const struct node *up, size_t i)
{
	return (struct node){up->in, up, NULL, i, json_array_get(up->value, i)};
}

static bool failed(const struct node *node)
{
	return node->in->rc < 0;
}

/* "matrices[2].values[3]"; the root has no name. */
static void print_path(const struct node *node, FILE *out)
{
	if (!node->up)
		return;
	print_path(node->up, out);
	if (node->key)
		fprintf(out, "%s%s", node->up->up ? "." : "", node->key);
	else
		fprintf(out, "[%zu]", node->index);
}

__attribute__((format(printf, 2, 3))) static void fail(
	const struct node *node, const char *format, ...)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	va_list args;

	if (failed(node) || !out) {
		if (out)
			fclose(out);
		else
			node->in->rc = error_no_memory(node->in->err, "a file");
		return;
	}
	print_path(node, out);
	if (node->up)
		fputs(": ", out);
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fclose(out);
	node->in->rc =
		error_set(node->in->err, ERROR_FAILURE, EINVAL, "%s", text);
}

static void fail_memory(const struct node *node)
{
	if (!failed(node))
		node->in->rc =
			error_no_memory(node->in->err, "what the file holds");
}

static void wrong_type(const struct node *node, const char *expected)
{
	fail(node, "found %s, expected %s", format_type(node->value), expected);
}

static void check_flaw(const struct node *node, bool lines)
{
	const char *flaw = format_flaw(node->value, lines);

	if (flaw)
		fail(node, "found %s, expected text without control characters",
			flaw);
}

static bool is_null(const struct node *node)
{
	return !node->value || json_is_null(node->value);
}

/* Whether to go on with node, which must be an object. */
static bool enter(const struct node *node, bool nullable)
{
	if (json_is_object(node->value))
		return !failed(node);
	if (!nullable || !is_null(node))
		wrong_type(node, nullable ? "an object or null" : "an object");
	return false;
}

static size_t size_of(const struct node *node)
{
	return json_array_size(node->value);
}

/* Forget what was read, in an object. */
static void drop(const struct node *node, const char *const *keys)
{
	for (; *keys; keys++)
		json_object_del(node->value, *keys);
}

/* What is left of an object is for newer versions. */
static void keep_rest(const struct node *node, json_t **extra)
{
	check_flaw(node, true);
	if (!failed(node) && json_object_size(node->value) > 0)
		*extra = json_incref(node->value);
}

/* A string, for free(). */
static char *read_text(const struct node *up, const char *key, bool nullable)
{
	struct node node = member(up, key);
	char *text;

	if (!json_is_string(node.value)) {
		if (!nullable || !is_null(&node))
			wrong_type(&node,
				nullable ? "a string or null" : "a string");
		return NULL;
	}
	check_flaw(&node, strcmp(key, "hwloc_xml") == 0);
	text = strdup(json_string_value(node.value));
	if (!text)
		fail_memory(&node);
	return text;
}

static bool read_flag(const struct node *up, const char *key)
{
	struct node node = member(up, key);

	if (!json_is_boolean(node.value))
		wrong_type(&node, "true or false");
	return json_is_true(node.value);
}

/* A number; NaN where it is null or absent. */
static double read_number(const struct node *up, const char *key)
{
	struct node node = member(up, key);

	if (json_is_number(node.value))
		return json_number_value(node.value);
	if (!is_null(&node))
		wrong_type(&node, "a number or null");
	return NAN;
}

/* One of some words, by its place in a list that NULL ends. */
static unsigned read_choice(const struct node *up, const char *key,
	const char *const *words, bool nullable)
{
	struct node node = member(up, key);
	char *text = read_text(up, key, nullable);
	struct quote quote;
	unsigned i = 0;

	while (text && words[i] && strcmp(words[i], text) != 0)
		i++;
	if (!words[i] && words[2])
		fail(&node, "found %s, expected a word like '%s'",
			reader_quote(&quote, text, strlen(text)), words[0]);
	else if (!words[i])
		fail(&node, "found %s, expected '%s' or '%s'",
			reader_quote(&quote, text, strlen(text)), words[0],
			words[1]);
	free(text);
	return words[i] ? i : 0;
}

static bool is_array(const struct node *node)
{
	if (!json_is_array(node->value))
		wrong_type(node, "an array");
	return !failed(node);
}

/* Whether to go on with an array that must have n items. */
static bool has_items(
	const struct node *node, size_t n, const char *items, const char *per)
{
	if (is_array(node) && size_of(node) != n)
		fail(node, "found %zu %s, expected %zu, one per %s",
			size_of(node), items, n, per);
	return !failed(node);
}

/* Numbers, or nulls, which are NaN. */
static void read_numbers(const struct node *node, double *values)
{
	for (size_t i = 0; i < size_of(node) && !failed(node); i++) {
		struct node number = item(node, i);

		values[i] = NAN;
		if (json_is_number(number.value))
			values[i] = json_number_value(number.value);
		else if (!json_is_null(number.value))
			wrong_type(&number, "a number or null");
	}
}

static void read_values(
	const struct node *up, const char *key, size_t n, double *values)
{
	struct node node = member(up, key);

	if (has_items(&node, n, "values", "value of x"))
		read_numbers(&node, values);
}

/* Whether rows are arrays of n: before n * n numbers take memory. */
static bool has_columns(const struct node *rows, size_t n, const char *per)
{
	for (size_t i = 0; i < size_of(rows); i++) {
		struct node row = item(rows, i);

		if (!has_items(&row, n, "columns", per))
			return false;
	}
	return !failed(rows);
}

/* What is measured between CPUs is no less than nothing. */
static void read_rows(const struct node *rows, size_t n, double *values)
{
	for (size_t i = 0; i < size_of(rows) && !failed(rows); i++) {
		struct node row = item(rows, i);

		read_numbers(&row, values + i * n);
		for (size_t j = 0; j < n; j++) {
			struct node number = item(&row, j);

			if (values[i * n + j] < 0)
				fail(&number,
					"found %.9g, expected a number that is "
					"not negative",
					values[i * n + j]);
		}
	}
}

static void read_cpu(const struct node *node, struct cpu_list *cpus)
{
	json_int_t cpu = json_integer_value(node->value);
	size_t n = cpus->n;
	char found[32];

	snprintf(found, sizeof(found), "%.15g", json_number_value(node->value));
	if (!json_is_integer(node->value) || cpu < 0 || cpu > CPU_LIST_MAX_CPU)
		fail(node, "found %s, expected a whole number from 0 to %u",
			json_is_number(node->value) ? found
						    : format_type(node->value),
			CPU_LIST_MAX_CPU);
	else if (cpu_list_add(cpus, (unsigned)cpu, NULL) < 0)
		fail_memory(node);
	else if (cpus->n == n)
		fail(node,
			"found CPU %u for the second time, expected every CPU "
			"once",
			(unsigned)cpu);
}

static void read_cpus(const struct node *node, struct cpu_list *cpus)
{
	if (!json_is_array(node->value))
		wrong_type(node, "an array of CPU numbers");
	else if (size_of(node) > RESULT_MAX_CPUS)
		fail(node, "found %zu CPUs, expected at most %d", size_of(node),
			RESULT_MAX_CPUS);
	for (size_t i = 0; i < size_of(node) && !failed(node); i++) {
		struct node cpu = item(node, i);

		read_cpu(&cpu, cpus);
	}
}

static void check_format(const struct node *root)
{
	struct node format = member(root, "format");
	struct node version = member(root, "version");
	const char *name = json_string_value(format.value);
	json_int_t number = json_integer_value(version.value);
	struct quote quote;

	if (!name)
		wrong_type(&format, "the string \"" RESULT_FORMAT "\"");
	else if (strcmp(name, RESULT_FORMAT) != 0)
		fail(&format, "found %s, expected '" RESULT_FORMAT "'",
			reader_quote(&quote, name, strlen(name)));
	if (!json_is_integer(version.value))
		wrong_type(&version, "a whole number");
	if (number > RESULT_VERSION)
		fail(&version,
			"found %" JSON_INTEGER_FORMAT
			", expected at most %d: a newer c2c wrote this file, "
			"update c2c to read it",
			number, RESULT_VERSION);
	if (number < 1)
		fail(&version,
			"found %" JSON_INTEGER_FORMAT ", expected 1 or more",
			number);
}

/* Sizes of what was measured, which are compared, resumed and shown. */
static void check_sizes(const struct node *root)
{
	static const char *const sizes[] = {
		"chunk_bytes", "chunks", "line_bytes", "lines", "size_bytes"};
	struct node options = member(root, "options");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct node size = member(&options, sizes[i]);

		if (!is_null(&size) && !json_is_integer(size.value))
			wrong_type(&size, "a whole number or null");
	}
}

/* The object under a key if there is one; null and absent are none. */
static json_t *read_block(const struct node *root, const char *key)
{
	struct node node = member(root, key);

	check_flaw(&node, false);
	return enter(&node, true) ? node.value : NULL;
}

static void read_envelope(const struct node *root, struct result *result)
{
	static const char *const keys[] = {"format", "version", "command",
		"started", "elapsed_s", "complete", "tool", "machine",
		"options", "run", "cpus", NULL};
	struct node elapsed = member(root, "elapsed_s");
	struct node cpus = member(root, "cpus");
	json_t *run;

	check_format(root);
	result->command = read_text(root, "command", false);
	result->started = read_text(root, "started", true);
	result->elapsed_s = read_number(root, "elapsed_s");
	if (result->elapsed_s < 0 || result->elapsed_s > ELAPSED_MAX_S)
		fail(&elapsed, "found %.9g, expected seconds from 0 to %g",
			result->elapsed_s, ELAPSED_MAX_S);
	result->complete = read_flag(root, "complete");
	facts_unpack(&result->tool, read_block(root, "tool"));
	facts_unpack(&result->machine, read_block(root, "machine"));
	check_sizes(root);
	facts_unpack(&result->options, read_block(root, "options"));
	run = read_block(root, "run");
	if (run && run_facts_unpack(&result->run, run) < 0)
		fail_memory(root);
	read_cpus(&cpus, &result->cpus);
	drop(root, keys);
}

static void read_matrix(const struct node *node, struct result *result)
{
	static const char *const better[] = {"lower", "higher", NULL};
	static const char *const keys[] = {"name", "statistic", "unit",
		"quantity", "better", "symmetric", "values", NULL};
	struct node values = member(node, "values");
	struct matrix *matrix = NULL, head = {.name = NULL};
	size_t n = result->cpus.n;
	struct error err;

	if (!enter(node, false))
		return;
	head.name = read_text(node, "name", false);
	head.statistic = read_text(node, "statistic", false);
	head.unit = read_text(node, "unit", false);
	head.quantity = read_text(node, "quantity", true);
	head.higher_is_better = read_choice(node, "better", better, false);
	head.symmetric = read_flag(node, "symmetric");
	if (has_items(&values, n, "rows", "CPU") &&
		has_columns(&values, n, "CPU"))
		matrix = result_add_matrix(result, head.name, head.statistic,
			head.unit, head.quantity, head.higher_is_better,
			head.symmetric);
	if (matrix) {
		read_rows(&values, n, matrix->values);
		if (format_check_symmetric(result, matrix, &err) < 0)
			fail(&values, "%s", err.text);
		drop(node, keys);
		keep_rest(node, &matrix->extra);
	} else {
		fail_memory(node);
	}
	free(head.name);
	free(head.statistic);
	free(head.unit);
	free(head.quantity);
}

/* The texts of a curve; those of its axes are one object deeper. */
static void read_words(const struct node *node, struct curve_facts *facts)
{
	for (size_t i = 0; i < CURVE_WORDS; i++) {
		const char *path = curve_words[i].path;
		const char *dot = strchr(path, '.');
		char key[2] = {path[0], 0};
		struct node axis = member(node, key);

		if (!dot || enter(&axis, false))
			*curve_word(facts, i) = read_text(dot ? &axis : node,
				dot ? dot + 1 : path, curve_words[i].nullable);
	}
}

/* In older records the unit alone says what the values are. */
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

static enum curve_axis read_axis(
	const struct node *curve, const char *key, const char *unit)
{
	struct node axis = member(curve, key), kind = member(&axis, "kind");

	return is_null(&kind) ? axis_of_unit(unit)
			      : (enum curve_axis)read_choice(&axis, "kind",
					format_curve_axes, false);
}

static void read_axes(const struct node *node, struct curve_facts *facts)
{
	struct node x = member(node, "x"), kind = member(&x, "kind");
	char *unit = (char *)facts->x_unit, *name;

	facts->x_axis = read_axis(node, "x", facts->x_unit);
	facts->y_axis = read_axis(node, "y", facts->y_unit);
	if (!unit || !is_null(&kind))
		return;
	/* They also had units that are none. */
	if (strncmp(unit, "per ", 4) == 0 && facts->x_name) {
		name = text_format("%s %s", facts->x_name, unit);
		if (!name)
			return;
		free((char *)facts->x_name);
		facts->x_name = name;
	} else if (strcmp(unit, "number") != 0) {
		return;
	}
	free(unit);
	facts->x_unit = NULL;
}

static void read_fit(const struct node *up, struct curve *curve)
{
	struct node node = member(up, "fit");

	if (!enter(&node, true))
		return;
	curve->fit = calloc(1, sizeof(*curve->fit));
	if (!curve->fit) {
		fail_memory(&node);
		return;
	}
	read_values(&node, "overhead_ns", 3, curve->fit->overhead_ns);
	read_values(&node, "rate_gib_per_s", 3, curve->fit->rate_gib_per_s);
	curve->fit->half_rate_bytes = read_number(&node, "half_rate_bytes");
	curve->fit->worst_error = read_number(&node, "worst_error");
}

/* The axes keep what else they have. */
static void drop_axis(const struct node *node, const char *key)
{
	static const char *const keys[] = {
		"name", "unit", "kind", "values", NULL};
	struct node axis = member(node, key);

	drop(&axis, keys);
	if (json_object_size(axis.value) == 0)
		json_object_del(node->value, key);
}

/* What a curve, whose place in the result is made, has beside its words. */
static void read_points(const struct node *node, struct curve *curve)
{
	static const char *const keys[] = {"test", "family", "member",
		"variant", "device", "cpus", "statistic", "place", "part",
		"mark", "fit", "median", "low", "high", "ceiling", NULL};
	struct node x = member(node, "x"), mark = member(node, "mark");
	struct node cpus = member(node, "cpus");

	read_values(&x, "values", curve->n, curve->x);
	read_values(node, "median", curve->n, curve->median);
	read_values(node, "low", curve->n, curve->low);
	read_values(node, "high", curve->n, curve->high);
	if (curve->ceiling)
		read_values(node, "ceiling", curve->n, curve->ceiling);
	if (!is_null(&cpus))
		read_cpus(&cpus, &curve->cpus);
	read_fit(node, curve);
	if (enter(&mark, true)) {
		curve->mark = read_text(&mark, "text", false);
		curve->mark_x = read_number(&mark, "x");
	}
	drop(node, keys);
	drop_axis(node, "x");
	drop_axis(node, "y");
	keep_rest(node, &curve->extra);
}

static void read_curve(const struct node *node, struct result *result)
{
	struct node x = member(node, "x"), values = member(&x, "values");
	struct node part = member(node, "part");
	struct node ceiling = member(node, "ceiling");
	json_int_t number = json_integer_value(part.value);
	struct curve_facts facts = {.test = NULL};
	struct curve *curve;

	if (!enter(node, false))
		return;
	read_words(node, &facts);
	read_axes(node, &facts);
	facts.statistic = (enum curve_statistic)read_choice(
		node, "statistic", format_curve_statistics, true);
	facts.place = (enum curve_place)read_choice(
		node, "place", format_curve_places, true);
	if ((part.value && !json_is_integer(part.value)) || number < 0 ||
		number > CURVE_MOST_PARTS)
		wrong_type(&part, "a small number");
	facts.part = (unsigned)number;
	if (is_array(&values)) {
		curve = result_add_curve(result, &facts, size_of(&values));
		if (curve && (is_null(&ceiling) || curve_add_ceiling(curve)))
			read_points(node, curve);
		else
			fail_memory(node);
	}
	for (size_t i = 0; i < CURVE_WORDS; i++)
		free((char *)*curve_word(&facts, i));
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

static bool pair_index_init(
	struct pair_index *index, const struct cpu_list *cpus)
{
	index->n = cpus->n;
	index->end = 1;
	for (size_t i = 0; i < cpus->n; i++) {
		if (cpus->cpus[i] >= index->end)
			index->end = cpus->cpus[i] + 1;
	}
	index->places = calloc(index->end, sizeof(*index->places));
	index->seen = calloc(cpus->n * cpus->n / 8 + 1, 1);
	for (size_t i = 0; index->places && i < cpus->n; i++)
		index->places[cpus->cpus[i]] = (uint32_t)i + 1;
	return index->places && index->seen;
}

static void pair_index_release(struct pair_index *index)
{
	free(index->places);
	free(index->seen);
}

/* The place of the CPU that node names. */
static uint32_t find_place(
	const struct node *node, const struct pair_index *index)
{
	json_int_t cpu = json_integer_value(node->value);
	uint32_t place;

	if (!json_is_integer(node->value)) {
		wrong_type(node, json_is_number(node->value) ? "a whole number"
							     : "a CPU number");
		return 0;
	}
	place = cpu >= 0 && cpu < index->end ? index->places[cpu] : 0;
	if (place)
		return place - 1;
	fail(node, "found %" JSON_INTEGER_FORMAT ", expected one of cpus", cpu);
	return 0;
}

static void read_pair(const struct node *node, struct pair_index *index,
	struct cpu_pair *pair)
{
	struct node first = item(node, 0), second = item(node, 1);
	size_t bit;

	if (!has_items(node, 2, "CPU numbers", "end"))
		return;
	pair->first = find_place(&first, index);
	pair->second = find_place(&second, index);
	bit = pair->first * index->n + pair->second;
	if (index->seen[bit / 8] & 1 << bit % 8)
		fail(node,
			"found CPUs %" JSON_INTEGER_FORMAT
			" and %" JSON_INTEGER_FORMAT " for the second time, "
			"expected every pair once",
			json_integer_value(first.value),
			json_integer_value(second.value));
	index->seen[bit / 8] |= (unsigned char)(1 << bit % 8);
}

static void read_pairs(const struct node *pairs, const struct cpu_list *cpus,
	struct cpu_pair *into)
{
	struct pair_index index = {.n = 0};

	if (!pair_index_init(&index, cpus))
		fail_memory(pairs);
	for (size_t i = 0; i < size_of(pairs) && !failed(pairs); i++) {
		struct node pair = item(pairs, i);

		read_pair(&pair, &index, &into[i]);
	}
	pair_index_release(&index);
}

static void read_passes(const struct node *node, struct result *result)
{
	static const char *const keys[] = {
		"name", "unit", "pairs", "start_s", "values", NULL};
	struct node pairs = member(node, "pairs");
	struct node start_s = member(node, "start_s");
	struct node values = member(node, "values");
	struct passes *passes = NULL;
	char *name, *unit;

	if (!enter(node, false))
		return;
	name = read_text(node, "name", false);
	unit = read_text(node, "unit", false);
	if (is_array(&pairs) && is_array(&values) &&
		has_items(&start_s, size_of(&values), "times", "pass") &&
		has_columns(&values, size_of(&pairs), "pair"))
		passes = result_add_passes(
			result, name, unit, size_of(&pairs), size_of(&values));
	free(name);
	free(unit);
	if (!passes) {
		fail_memory(node);
		return;
	}
	read_pairs(&pairs, &result->cpus, passes->pairs);
	read_numbers(&start_s, passes->start_s);
	read_rows(&values, passes->n_pairs, passes->values);
	drop(node, keys);
	keep_rest(node, &passes->extra);
}

/* Each item of a list that may be absent. */
static void read_list(const struct node *root, const char *key,
	void (*read)(const struct node *node, struct result *result),
	struct result *result)
{
	struct node list = member(root, key);

	if (list.value && !is_array(&list))
		return;
	for (size_t i = 0; i < size_of(&list) && !failed(root); i++) {
		struct node node = item(&list, i);

		read(&node, result);
	}
}

/* topology.hwloc_xml goes to the result; the object keeps what else it has. */
static void read_topology(const struct node *root, struct result *result)
{
	static const char *const keys[] = {"hwloc_xml", NULL};
	struct node topology = member(root, "topology");

	if (enter(&topology, true)) {
		result->hwloc_xml = read_text(&topology, "hwloc_xml", true);
		drop(&topology, keys);
	}
	if (json_object_size(topology.value) == 0)
		json_object_del(root->value, "topology");
}

static void read_result(const struct node *root, struct result *result)
{
	static const char *const keys[] = {
		"matrices", "curves", "passes", NULL};
	struct node matrices = member(root, "matrices");
	struct node series = member(root, "series");
	struct node rest = {root->in, root, "an unknown key", 0, root->value};

	if (!json_is_object(root->value)) {
		wrong_type(root, "an object: the result of c2c");
		return;
	}
	read_envelope(root, result);
	if (series.value)
		fail(&series,
			"found curves as c2c wrote them before November 2026, "
			"expected \"curves\": measure again");
	/* Matrices and curves: either may be absent, but not both. */
	if (!matrices.value && !json_object_get(root->value, "curves"))
		wrong_type(&matrices, "an array");
	read_list(root, "matrices", read_matrix, result);
	read_list(root, "curves", read_curve, result);
	read_list(root, "passes", read_passes, result);
	read_topology(root, result);
	drop(root, keys);
	keep_rest(&rest, &result->extra);
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
	json_t *value = json_load_callback(
		read_bytes, reader, JSON_REJECT_DUPLICATES, &problem);
	struct input in = {.err = err};
	struct node root = {.in = &in, .value = value};

	if (reader->failure)
		in.rc = reader_failed(reader, err);
	else if (!value)
		in.rc = not_json(&problem, err);
	else
		read_result(&root, result);
	json_decref(value);
	return in.rc;
}
