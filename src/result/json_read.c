/*
 * Results from JSON, by the tables of fields.c. The messages of json_unpack()
 * would not name the place.
 *
 * Each value has a node, which knows the path to it. The first failure counts,
 * and ends the reading. What is read leaves its object; the rest is for newer
 * versions.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "result/fields.h"
#include "result/grids.h"
#include "result/old_names.h"
#include "result/runs.h"
#include "util/text.h"

/* Types of JSON; flags. */
#define OBJECT	(1u << JSON_OBJECT)
#define ARRAY	(1u << JSON_ARRAY)
#define STRING	(1u << JSON_STRING)
#define INTEGER (1u << JSON_INTEGER)
#define NUMBER	(INTEGER | 1u << JSON_REAL)
#define BOOLEAN (1u << JSON_TRUE | 1u << JSON_FALSE)

struct input {
	struct error *err;
	int rc;
	struct grids *grids; /* what was taken out of the text, or NULL */
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

/* The path, "matrices[2].values[3]", before a text. */
static char *place(const struct node *node, const char *text)
{
	char *behind, *whole;

	if (!node->up)
		return strdup(text);
	behind = node->key ? text_format("%s%s%s", node->up->up ? "." : "",
				     node->key, text)
			   : text_format("[%zu]%s", node->index, text);
	whole = behind ? place(node->up, behind) : NULL;
	free(behind);
	return whole;
}

__attribute__((format(printf, 2, 3))) static void fail(
	const struct node *node, const char *format, ...)
{
	char *path = place(node, node->up ? ": " : "");
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!failed(node))
		node->in->rc = error_set(node->in->err, ERROR_FAILURE, EINVAL,
			"%s%s", path ? path : "", text);
	free(path);
}

static void fail_memory(const struct node *node)
{
	if (!failed(node))
		node->in->rc =
			error_no_memory(node->in->err, "what the file holds");
}

static bool is(const struct node *node, unsigned types)
{
	return node->value && (types >> json_typeof(node->value) & 1);
}

static bool is_null(const struct node *node)
{
	return !node->value || json_is_null(node->value);
}

/* Check the type of a value; false after any failure. */
static bool expect(
	const struct node *node, unsigned types, const char *expected)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "an array",
		[JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	if (!is(node, types))
		fail(node, "found %s, expected %s",
			node->value ? names[json_typeof(node->value)]
				    : "nothing",
			expected);
	return !failed(node);
}

/* The text_flaw() of any text or key in a value. */
static const char *flaw_of(const json_t *value, bool lines)
{
	const char *flaw = NULL, *key;
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		return text_flaw(json_string_value(value), lines);
	for (i = 0; !flaw && i < json_array_size(value); i++)
		flaw = flaw_of(json_array_get(value, i), lines);
	json_object_foreach((json_t *)value, key, item)
	{
		flaw = flaw ? flaw : text_flaw(key, lines);
		flaw = flaw ? flaw : flaw_of(item, lines);
	}
	return flaw;
}

static void check_flaw(const struct node *node, bool lines)
{
	const char *flaw = flaw_of(node->value, lines);

	if (flaw)
		fail(node, "found %s, expected text without control characters",
			flaw);
}

static size_t size_of(const struct node *node)
{
	return json_array_size(node->value);
}

/* Work on some items grows faster than their number. False after any failure.
 */
static bool has_at_most(const struct node *node, size_t most, const char *items)
{
	if (size_of(node) > most)
		fail(node, "found %zu %s, expected at most %zu", size_of(node),
			items, most);
	return !failed(node);
}

/* Check that it is an array of n items; false after any failure. */
static bool has_items(
	const struct node *node, size_t n, const char *items, const char *per)
{
	if (expect(node, ARRAY, "an array") && size_of(node) != n)
		fail(node, "found %zu %s, expected %zu, one per %s",
			size_of(node), items, n, per);
	return !failed(node);
}

/* A number within the limits of results, or null, which is NaN. */
static double read_number(const struct node *node)
{
	double value;

	if (is_null(node) || !expect(node, NUMBER, "a number or null"))
		return NAN;
	value = json_number_value(node->value);
	if (fabs(value) > RESULT_MOST)
		fail(node, "found %.9g, expected a number from %g to %g", value,
			-RESULT_MOST, RESULT_MOST);
	return fabs(value) < RESULT_LEAST ? 0 : value;
}

static void read_numbers(const struct node *node, double *values)
{
	for (size_t i = 0; i < size_of(node) && !failed(node); i++) {
		struct node number = item(node, i);

		values[i] = read_number(&number);
	}
}

/* Check that rows have n items, before n * n numbers take memory. */
static bool has_columns(const struct node *rows, size_t n, const char *per)
{
	for (size_t i = 0; i < size_of(rows) && !failed(rows); i++) {
		struct node row = item(rows, i);

		has_items(&row, n, "columns", per);
	}
	return !failed(rows);
}

/*
 * The grid that this number stands for, or NULL. Each is read once, so that a
 * file which itself has a number there leaves another place without a grid.
 */
static struct grid *grid_of(const struct node *node)
{
	const struct grids *grids = node->in->grids;
	json_int_t at = json_integer_value(node->value);

	if (!grids || !is(node, INTEGER) || at < 0 || (size_t)at >= grids->n)
		return NULL;
	return grids->grids[at].values ? &grids->grids[at] : NULL;
}

static size_t rows_of(const struct node *rows)
{
	const struct grid *grid = grid_of(rows);

	return grid ? grid->rows : size_of(rows);
}

/* Check both sides of an array of arrays. */
static bool has_shape(const struct node *rows, size_t n, size_t columns,
	const char *per_row, const char *per_column)
{
	const struct grid *grid = grid_of(rows);

	if (!grid)
		return has_items(rows, n, "rows", per_row) &&
		       has_columns(rows, columns, per_column);
	if (grid->rows != n || grid->columns != columns)
		fail(rows, "found another number of rows or columns");
	return !failed(rows);
}

static void read_grid(struct grid *grid, double *values)
{
	memcpy(values, grid->values,
		grid->rows * grid->columns * sizeof(*values));
	free(grid->values);
	grid->values = NULL;
}

/* Measurements between CPUs are not negative. */
static void read_rows(const struct node *rows, size_t n, double *values)
{
	struct grid *grid = grid_of(rows);

	if (grid) {
		read_grid(grid, values);
		return;
	}
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

/* A number of these types from 0 to most: NaN after a failure. */
static double read_within(const struct node *node, unsigned types, double most)
{
	const char *what = types == INTEGER ? "a whole number" : "a number";
	double value = json_number_value(node->value);
	char expected[64];

	snprintf(expected, sizeof(expected), "%s from 0 to %.9g", what, most);
	if (is(node, NUMBER) && (!is(node, types) || value < 0 || value > most))
		fail(node, "found %.15g, expected %s", value, expected);
	return expect(node, types, expected) ? value : NAN;
}

/* At most so many numbers of CPUs or nodes, all different. */
static void read_members(const struct node *node, struct cpu_list *members,
	const char *word, size_t most)
{
	char words[16];

	snprintf(words, sizeof(words), "%ss", word);
	has_at_most(node, most, words);
	for (size_t i = 0; i < size_of(node) && !failed(node); i++) {
		struct node number = item(node, i);
		double member = read_within(&number, INTEGER, CPU_LIST_MAX_CPU);

		if (isnan(member))
			return;
		if (cpu_list_add(members, (unsigned)member, NULL) < 0)
			fail_memory(node);
		else if (members->n == i)
			fail(&number,
				"found %s %.0f for the second time, expected "
				"every %s once",
				word, member, word);
	}
}

static void read_cpus(const struct node *node, struct cpu_list *cpus)
{
	read_members(node, cpus, "CPU", RESULT_MAX_CPUS);
}

/* The place of a text among words. */
static unsigned read_word(const struct node *node, const char *const *words)
{
	const char *text = json_string_value(node->value);
	struct quote quote;
	const char *found;
	unsigned i = 0;

	assert(words);
	while (words[i] && strcmp(words[i], text) != 0)
		i++;
	if (words[i])
		return i;
	found = reader_quote(&quote, text, strlen(text));
	if (words[2])
		fail(node, "found %s, expected a word like '%s'", found,
			words[0]);
	else
		fail(node, "found %s, expected '%s' or '%s'", found, words[0],
			words[1]);
	return 0;
}

static void read_text(const struct node *node, bool lines, char **text)
{
	check_flaw(node, lines);
	free(*text);
	*text = strdup(json_string_value(node->value));
	if (!*text)
		fail_memory(node);
}

static void read_values(const struct node *node, size_t n, double **values)
{
	if (!has_items(node, n, "values", "value of x"))
		return;
	if (!*values)
		*values = calloc(n + 1, sizeof(**values));
	if (*values)
		read_numbers(node, *values);
	else
		fail_memory(node);
}

static void read_fields(
	const struct node *node, const struct field *fields, void *into);

static void read_behind(
	const struct node *node, const struct field *field, void **behind)
{
	*behind = calloc(1, field->bytes);
	if (*behind)
		read_fields(node, field->fields, *behind);
	else
		fail_memory(node);
}

static void read_value(
	const struct node *node, const struct field *field, void *into)
{
	void *at = (char *)into + field->at;

	switch (field->kind) {
	case FIELD_TEXT:
		read_text(node, field->lines, at);
		break;
	case FIELD_FLAG:
		*(bool *)at = field->words ? read_word(node, field->words)
					   : json_is_true(node->value);
		break;
	case FIELD_NUMBER:
		*(double *)at = field->most
					? read_within(node, NUMBER, field->most)
					: read_number(node);
		break;
	case FIELD_COUNT:
		if (read_within(node, INTEGER, field->most) > 0)
			*(unsigned *)at =
				(unsigned)json_integer_value(node->value);
		break;
	case FIELD_WORD:
		*(unsigned *)at = read_word(node, field->words);
		break;
	case FIELD_CPUS:
		read_cpus(node, at);
		break;
	case FIELD_FACTS:
		check_flaw(node, false);
		facts_unpack(at, node->value);
		break;
	case FIELD_RUN:
		check_flaw(node, false);
		if (run_facts_unpack(at, node->value) < 0)
			fail_memory(node);
		break;
	case FIELD_TRIPLE:
		if (size_of(node) != 3)
			fail(node,
				"found %zu values, expected 3: middle, low and "
				"high",
				size_of(node));
		else
			read_numbers(node, at);
		break;
	case FIELD_VALUES:
		read_values(node, ((struct curve *)into)->n, at);
		break;
	case FIELD_INNER:
		read_fields(node, field->fields, into);
		break;
	case FIELD_BEHIND:
		read_behind(node, field, at);
		break;
	default:
		break;
	}
}

static void read_fields(
	const struct node *node, const struct field *fields, void *into)
{
	static const struct {
		unsigned types;
		const char *expected;
	} kinds[] = {
		[FIELD_TEXT] = {STRING, "a string"},
		[FIELD_WORD] = {STRING, "a string"},
		[FIELD_FLAG] = {BOOLEAN, "true or false"},
		[FIELD_NUMBER] = {NUMBER, "a number"},
		[FIELD_COUNT] = {NUMBER, "a whole number"},
		[FIELD_CPUS] = {ARRAY, "an array of CPU numbers"},
		[FIELD_TRIPLE] = {ARRAY, "an array"},
		[FIELD_VALUES] = {ARRAY, "an array"},
		[FIELD_FACTS] = {OBJECT, "an object"},
		[FIELD_RUN] = {OBJECT, "an object"},
		[FIELD_INNER] = {OBJECT, "an object"},
		[FIELD_BEHIND] = {OBJECT, "an object"},
	};
	const double none = NAN;
	char expected[64];

	for (; fields->key && !failed(node); fields++) {
		struct node value = member(node, fields->key);
		enum field_kind kind =
			fields->words ? FIELD_WORD : fields->kind;

		snprintf(expected, sizeof(expected), "%s%s",
			kinds[kind].expected,
			fields->nullable ? " or null" : "");
		if (fields->nullable && is_null(&value)) {
			if (kind == FIELD_NUMBER)
				memcpy((char *)into + fields->at, &none,
					sizeof(none));
		} else if (expect(&value, kinds[kind].types, expected)) {
			read_value(&value, fields, into);
		}
		if (!field_is_object(fields) ||
			json_object_size(value.value) == 0)
			json_object_del(node->value, fields->key);
	}
}

/* Keep the unknown keys that are left of an object. */
static void keep_rest(const struct node *node, json_t **extra)
{
	check_flaw(node, true);
	if (!failed(node) && json_object_size(node->value) > 0)
		*extra = json_incref(node->value);
}

static void check_format(const struct node *root)
{
	struct node format = member(root, "format");
	struct node version = member(root, "version");
	json_int_t number = json_integer_value(version.value);
	struct quote quote;
	const char *name;

	if (!expect(&format, STRING, "the string \"" RESULT_FORMAT "\""))
		return;
	name = json_string_value(format.value);
	if (strcmp(name, RESULT_FORMAT) != 0)
		fail(&format, "found %s, expected '" RESULT_FORMAT "'",
			reader_quote(&quote, name, strlen(name)));
	if (!expect(&version, INTEGER, "a whole number"))
		return;
	if (number > RESULT_VERSION)
		fail(&version,
			"found %" JSON_INTEGER_FORMAT
			", expected at most %d: a newer c2c wrote this file, "
			"update c2c to read it",
			number, RESULT_VERSION);
	else if (number < 1)
		fail(&version,
			"found %" JSON_INTEGER_FORMAT ", expected 1 or more",
			number);
	json_object_del(root->value, "format");
	json_object_del(root->value, "version");
}

/* Sizes that other commands compare, resume and show. */
static void check_sizes(const struct node *root)
{
	static const char *const sizes[] = {"chunk_bytes", "chunks",
		"line_bytes", "lines", "size_bytes", "slice_bytes"};
	struct node options = member(root, "options");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct node size = member(&options, sizes[i]);

		if (!is_null(&size))
			expect(&size, INTEGER, "a whole number or null");
	}
}

static void check_symmetric(const struct node *values,
	const struct matrix *matrix, const struct result *result)
{
	const struct cpu_list *members = result_members(result);
	const char *word = result_is_of_nodes(result) ? "node" : "CPU";
	size_t n = members->n;

	for (size_t i = 0; i < n && !failed(values); i++) {
		for (size_t j = 0; j < i; j++) {
			double a = matrix->values[i * n + j];
			double b = matrix->values[j * n + i];

			if (a == b || (isnan(a) && isnan(b)))
				continue;
			fail(values,
				"found %.9g from %s %u to %s %u and %.9g "
				"back, expected equal values in a matrix that "
				"says it is symmetric",
				a, word, members->cpus[i], word,
				members->cpus[j], b);
		}
	}
}

/* The numbers of nodes along an axis of a matrix. */
static void read_axis(const struct node *axis, struct cpu_list *nodes)
{
	struct node kind = member(axis, "kind"), ids = member(axis, "ids");
	static const char *const kinds[] = {"node", "node", NULL};

	if (!expect(axis, OBJECT, "an object") ||
		!expect(&kind, STRING, "the string \"node\""))
		return;
	read_word(&kind, kinds);
	if (expect(&ids, ARRAY, "an array of node numbers"))
		read_members(&ids, nodes, "node", RESULT_MAX_NODES);
	if (!failed(&ids) && nodes->n == 0)
		fail(&ids, "found no node, expected one or more");
}

static bool same_nodes(const struct cpu_list *a, const struct cpu_list *b)
{
	return a->n == b->n &&
	       (a->n == 0 ||
		       memcmp(a->cpus, b->cpus, a->n * sizeof(*a->cpus)) == 0);
}

/*
 * Read what a matrix has rows and columns of, if that is nodes: the same for
 * all matrices. False after any failure.
 */
static bool read_nodes(const struct node *node, struct result *result)
{
	struct node rows = member(node, "rows");
	struct node columns = member(node, "columns");
	struct cpu_list list[2] = {{.n = 0}, {.n = 0}};

	if (!is_null(&rows) || !is_null(&columns)) {
		read_axis(&rows, &list[0]);
		read_axis(&columns, &list[1]);
	}
	if (!failed(node) && result->n_matrices == 0 && list[0].n > 0 &&
		!result_set_nodes(result, &list[0], &list[1]))
		fail_memory(node);
	if (!failed(node) &&
		!(same_nodes(&list[0], &result->nodes.rows) &&
			same_nodes(&list[1], &result->nodes.columns)))
		fail(node, "found other rows or columns than in matrices[0], "
			   "expected the same in all matrices");
	cpu_list_release(&list[0]);
	cpu_list_release(&list[1]);
	json_object_del(node->value, "rows");
	json_object_del(node->value, "columns");
	return !failed(node);
}

/* Put the rows and columns of nodes into their places among all nodes. */
static void place_nodes(const double *values, const struct result_nodes *nodes,
	struct matrix *matrix)
{
	size_t columns = nodes->columns.n;

	for (size_t k = 0; k < nodes->rows.n * columns; k++) {
		unsigned row = nodes->rows.cpus[k / columns];
		unsigned column = nodes->columns.cpus[k % columns];
		size_t i = (size_t)cpu_list_find(&nodes->all, row);
		size_t j = (size_t)cpu_list_find(&nodes->all, column);

		matrix->values[i * nodes->all.n + j] = values[k];
	}
}

static void read_cells(const struct node *rows, const struct result *result,
	struct matrix *matrix)
{
	size_t n = result->nodes.columns.n;
	double *values;

	if (!result_is_of_nodes(result)) {
		read_rows(rows, result->cpus.n, matrix->values);
		return;
	}
	values = curve_new_missing(result->nodes.rows.n * n);
	if (!values) {
		fail_memory(rows);
		return;
	}
	read_rows(rows, n, values);
	place_nodes(values, &result->nodes, matrix);
	free(values);
}

static void read_matrix(const struct node *node, struct result *result)
{
	struct node values = member(node, "values");
	const char *word;
	struct matrix *matrix;
	size_t rows, columns;

	if (!read_nodes(node, result))
		return;
	word = result_is_of_nodes(result) ? "node" : "CPU";
	rows = result_is_of_nodes(result) ? result->nodes.rows.n
					  : result->cpus.n;
	columns = result_is_of_nodes(result) ? result->nodes.columns.n
					     : result->cpus.n;
	if (!has_shape(&values, rows, columns, word, word))
		return;
	matrix = result_add_matrix(result, NULL, NULL, NULL, NULL, 0, 0);
	if (!matrix) {
		fail_memory(node);
		return;
	}
	read_fields(node, fields_of_matrix, matrix);
	read_cells(&values, result, matrix);
	if (matrix->symmetric)
		check_symmetric(&values, matrix, result);
	json_object_del(node->value, "values");
	keep_rest(node, &matrix->extra);
}

/* In older records only the unit tells the kind. */
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

/* Older records have units of x that are not units. */
static bool drop_unit(struct curve_facts *is)
{
	char *unit = (char *)is->x_unit, *name = (char *)is->x_name;

	if (!unit)
		return true;
	if (strncmp(unit, "per ", 4) == 0)
		is->x_name = text_format("%s %s", name, unit);
	else if (strcmp(unit, "number") != 0)
		return true;
	is->x_unit = NULL;
	free(unit);
	if (is->x_name != name)
		free(name);
	return is->x_name;
}

static void read_curve(const struct node *node, struct result *result)
{
	static const struct curve_facts nothing = {.test = NULL};
	struct node x = member(node, "x"), y = member(node, "y");
	struct node x_kind = member(&x, "kind"), y_kind = member(&y, "kind");
	bool old_x = is_null(&x_kind), old_y = is_null(&y_kind);
	struct node values = member(&x, "values");
	struct curve *curve;

	if (!expect(&x, OBJECT, "an object") ||
		!expect(&values, ARRAY, "an array") ||
		!has_at_most(&values, RESULT_MAX_POINTS, "points"))
		return;
	curve = result_add_curve(result, &nothing, size_of(&values));
	if (!curve) {
		fail_memory(node);
		return;
	}
	read_fields(node, fields_of_curve, curve);
	if (old_x)
		curve->is.x_axis = axis_of_unit(curve->is.x_unit);
	if (old_y)
		curve->is.y_axis = axis_of_unit(curve->is.y_unit);
	if (old_x && !failed(node) && !drop_unit(&curve->is))
		fail_memory(node);
	keep_rest(node, &curve->extra);
}

/* Finds pairs by CPU number; there may be as many as a matrix has cells. */
struct pair_index {
	size_t n;	     /* CPUs */
	unsigned end;	     /* above every CPU number */
	uint32_t *places;    /* [end], from 1; 0: not in cpus */
	unsigned char *seen; /* a bit for each of n * n pairs */
};

/* The place of a CPU by its number. */
static uint32_t find_place(
	const struct node *node, const struct pair_index *index)
{
	json_int_t cpu = json_integer_value(node->value);
	uint32_t place;

	if (!expect(node, INTEGER,
		    is(node, NUMBER) ? "a whole number" : "a CPU number"))
		return 0;
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
		fail_memory(pairs);
		return;
	}
	for (size_t i = 0; i < cpus->n; i++)
		index.places[cpus->cpus[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < size_of(pairs) && !failed(pairs); i++) {
		struct node pair = item(pairs, i);

		read_pair(&pair, &index, &into[i]);
	}
	free(index.places);
	free(index.seen);
}

static void check_interval(const struct node *node, double least, double most)
{
	if (least > most)
		fail(node,
			"found least_bytes %.9g above most_bytes %.9g, "
			"expected an interval",
			least, most);
}

static void read_cache(const struct node *node, struct result *result)
{
	struct cache_level *level;

	level = result_add_cache(result, "");
	if (!level) {
		fail_memory(node);
		return;
	}
	free(level->name);
	level->name = NULL;
	read_fields(node, fields_of_cache, level);
	check_interval(node, level->least_bytes, level->most_bytes);
	keep_rest(node, &level->extra);
}

static void read_tlb(const struct node *node, struct result *result)
{
	struct cache_tlb *tlb;

	tlb = result_add_tlb(result);
	if (!tlb) {
		fail_memory(node);
		return;
	}
	read_fields(node, fields_of_tlb, tlb);
	check_interval(node, tlb->least_bytes, tlb->most_bytes);
	keep_rest(node, &tlb->extra);
}

static void read_passes(const struct node *node, struct result *result)
{
	struct node pairs = member(node, "pairs");
	struct node start_s = member(node, "start_s");
	struct node values = member(node, "values");
	struct passes *passes;

	if (!expect(&pairs, ARRAY, "an array") ||
		(!grid_of(&values) && !expect(&values, ARRAY, "an array")) ||
		!has_items(&start_s, rows_of(&values), "times", "pass") ||
		!has_shape(&values, rows_of(&values), size_of(&pairs), "pass",
			"pair"))
		return;
	passes = result_add_passes(
		result, NULL, NULL, size_of(&pairs), rows_of(&values));
	if (!passes) {
		fail_memory(node);
		return;
	}
	read_fields(node, fields_of_passes, passes);
	read_pairs(&pairs, &result->cpus, passes->pairs);
	read_numbers(&start_s, passes->start_s);
	read_rows(&values, passes->n_pairs, passes->values);
	json_object_del(node->value, "pairs");
	json_object_del(node->value, "start_s");
	json_object_del(node->value, "values");
	keep_rest(node, &passes->extra);
}

/* Read the objects of a list, which may be absent. */
static void read_list(const struct node *root, const char *key, size_t most,
	void (*read)(const struct node *node, struct result *result),
	struct result *result)
{
	struct node list = member(root, key);

	if (list.value && (!expect(&list, ARRAY, "an array") ||
				  !has_at_most(&list, most, key)))
		return;
	for (size_t i = 0; i < size_of(&list) && !failed(root); i++) {
		struct node node = item(&list, i);

		if (expect(&node, OBJECT, "an object"))
			read(&node, result);
	}
	json_object_del(root->value, key);
}

static void read_result(const struct node *root, struct result *result);

/* Runs are read behind the record's own CPUs and command. */
static void read_run(const struct node *node, struct result *result)
{
	struct node runs = member(node, "runs");
	struct result *run;

	if (runs.value) {
		fail(&runs, "found runs inside a run, expected none");
		return;
	}
	run = result_add_run(result);
	if (!run) {
		fail_memory(node);
		return;
	}
	read_result(node, run);
	if (!failed(node) && !cpu_list_same(&run->cpus, &result->cpus))
		fail(node, "found other CPUs than the record has");
	if (!failed(node) && !result_same_nodes(run, result))
		fail(node, "found matrices of other NUMA nodes than the record "
			   "has");
	if (!failed(node) && strcmp(run->command, result->command) != 0)
		fail(node, "found another command than the record has");
}

static void read_result(const struct node *root, struct result *result)
{
	static const struct field topology[] = {
		{"topology", FIELD_INNER, .nullable = true,
			.fields = fields_of_topology},
		{0},
	};
	struct node matrices = member(root, "matrices");
	struct node series = member(root, "series");
	struct node rest = {root->in, root, "an unknown key", 0, root->value};

	if (!expect(root, OBJECT, "an object: the result of c2c"))
		return;
	if (!old_names_replace(root->value))
		fail_memory(root);
	check_format(root);
	check_sizes(root);
	read_fields(root, fields_of_result, result);
	if (series.value)
		fail(&series,
			"found curves as c2c wrote them before November 2026, "
			"expected \"curves\": measure again");
	/* Either may be absent, but not both. */
	if (!matrices.value && !json_object_get(root->value, "curves"))
		expect(&matrices, ARRAY, "an array");
	read_list(root, "matrices", RESULT_MAX_MATRICES, read_matrix, result);
	read_list(root, "curves", RESULT_MAX_CURVES, read_curve, result);
	read_list(root, "caches", CACHE_MOST_LEVELS, read_cache, result);
	read_list(root, "tlbs", CACHE_MOST_LEVELS, read_tlb, result);
	read_list(root, "passes", RESULT_MAX_MATRICES, read_passes, result);
	read_list(root, "runs", RUNS_MAX, read_run, result);
	read_fields(root, topology, result);
	keep_rest(&rest, &result->extra);
}

static size_t read_bytes(void *buffer, size_t room, void *reader)
{
	return reader_read(reader, buffer, room);
}

/* The words of jansson, which may quote bytes of the file. */
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

bool format_read_grids(struct result *result, const char *text, size_t n)
{
	struct grids grids;
	struct input in = {.grids = &grids};
	struct node root = {.in = &in};
	bool read;

	if (n == 0 || *text != '{' || !grids_take(&grids, text, n))
		return false;
	root.value = json_loadb(
		grids.rest, grids.rest_bytes, JSON_REJECT_DUPLICATES, NULL);
	if (root.value)
		read_result(&root, result);
	read = root.value && in.rc == 0;
	json_decref(root.value);
	grids_release(&grids);
	return read;
}
