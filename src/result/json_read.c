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
#include "result/format.h"
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

struct json_input {
	struct error *err;
	int rc;
	/* what was taken out of the text, or NULL */
	struct record_grids *grids;
};

/* A value of the file: the root, a member or an item of another. */
struct json_node {
	struct json_input *in;
	const struct json_node *up;
	const char *key; /* NULL: an item */
	size_t index;
	json_t *value; /* borrowed; NULL: nothing */
};

static struct json_node node_member(const struct json_node *up, const char *key)
{
	return (struct json_node){
		up->in, up, key, 0, json_object_get(up->value, key)};
}

static struct json_node node_item(const struct json_node *up, size_t i)
{
	return (struct json_node){
		up->in, up, NULL, i, json_array_get(up->value, i)};
}

static bool node_has_failed(const struct json_node *node)
{
	return node->in->rc < 0;
}

/* The path, "matrices[2].values[3]", before a text. */
static char *node_path_before(const struct json_node *node, const char *text)
{
	char *behind, *whole;

	if (!node->up)
		return strdup(text);
	behind = node->key ? text_format("%s%s%s", node->up->up ? "." : "",
				     node->key, text)
			   : text_format("[%zu]%s", node->index, text);
	whole = behind ? node_path_before(node->up, behind) : NULL;
	free(behind);
	return whole;
}

__attribute__((format(printf, 2, 3))) static void node_fail(
	const struct json_node *node, const char *format, ...)
{
	char *path = node_path_before(node, node->up ? ": " : "");
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!node_has_failed(node))
		node->in->rc = error_set(node->in->err, ERROR_FAILURE, EINVAL,
			"%s%s", path ? path : "", text);
	free(path);
}

static void node_fail_memory(const struct json_node *node)
{
	if (!node_has_failed(node))
		node->in->rc =
			error_no_memory(node->in->err, "what the file holds");
}

static bool node_is_of_types(const struct json_node *node, unsigned types)
{
	return node->value && (types >> json_typeof(node->value) & 1);
}

static bool node_is_null(const struct json_node *node)
{
	return !node->value || json_is_null(node->value);
}

/* Check the type of a value; false after any failure. */
static bool node_expect_type(
	const struct json_node *node, unsigned types, const char *expected)
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

	if (!node_is_of_types(node, types))
		node_fail(node, "found %s, expected %s",
			node->value ? names[json_typeof(node->value)]
				    : "nothing",
			expected);
	return !node_has_failed(node);
}

/* The text_flaw() of any text or key in a value. */
static const char *find_text_flaw(const json_t *value, bool lines)
{
	const char *flaw = NULL, *key;
	const json_t *item;
	size_t i;

	if (json_is_string(value))
		return text_flaw(json_string_value(value), lines);
	for (i = 0; !flaw && i < json_array_size(value); i++)
		flaw = find_text_flaw(json_array_get(value, i), lines);
	json_object_foreach((json_t *)value, key, item)
	{
		flaw = flaw ? flaw : text_flaw(key, lines);
		flaw = flaw ? flaw : find_text_flaw(item, lines);
	}
	return flaw;
}

static void node_check_flaw(const struct json_node *node, bool lines)
{
	const char *flaw = find_text_flaw(node->value, lines);

	if (flaw)
		node_fail(node,
			"found %s, expected text without control characters",
			flaw);
}

static size_t node_array_size(const struct json_node *node)
{
	return json_array_size(node->value);
}

/*
 * Work on some items grows faster than their number. False after any failure.
 */
static bool has_at_most(
	const struct json_node *node, size_t most, const char *items)
{
	if (node_array_size(node) > most)
		node_fail(node, "found %zu %s, expected at most %zu",
			node_array_size(node), items, most);
	return !node_has_failed(node);
}

/* Check that it is an array of n items; false after any failure. */
static bool has_items(const struct json_node *node, size_t n, const char *items,
	const char *per)
{
	if (node_expect_type(node, ARRAY, "an array") &&
		node_array_size(node) != n)
		node_fail(node, "found %zu %s, expected %zu, one per %s",
			node_array_size(node), items, n, per);
	return !node_has_failed(node);
}

/* A number within the limits of results, or null, which is NaN. */
static double read_number(const struct json_node *node)
{
	double value;

	if (node_is_null(node) ||
		!node_expect_type(node, NUMBER, "a number or null"))
		return NAN;
	value = json_number_value(node->value);
	if (fabs(value) > RESULT_MOST)
		node_fail(node, "found %.9g, expected a number from %g to %g",
			value, -RESULT_MOST, RESULT_MOST);
	return fabs(value) < RESULT_LEAST ? 0 : value;
}

static void read_numbers(const struct json_node *node, double *values)
{
	for (size_t i = 0; i < node_array_size(node) && !node_has_failed(node);
		i++) {
		struct json_node number = node_item(node, i);

		values[i] = read_number(&number);
	}
}

/* Check that rows have n items, before n * n numbers take memory. */
static bool check_row_widths(
	const struct json_node *rows, size_t n, const char *per)
{
	for (size_t i = 0; i < node_array_size(rows) && !node_has_failed(rows);
		i++) {
		struct json_node row = node_item(rows, i);

		has_items(&row, n, "columns", per);
	}
	return !node_has_failed(rows);
}

/*
 * The grid that this number stands for, or NULL. Each is read once, so that a
 * file which itself has a number there leaves another place without a grid.
 */
static struct number_grid *find_node_grid(const struct json_node *node)
{
	const struct record_grids *grids = node->in->grids;
	json_int_t at = json_integer_value(node->value);

	if (!grids || !node_is_of_types(node, INTEGER) || at < 0 ||
		(size_t)at >= grids->n)
		return NULL;
	return grids->grids[at].values ? &grids->grids[at] : NULL;
}

static size_t count_node_rows(const struct json_node *rows)
{
	const struct number_grid *grid = find_node_grid(rows);

	return grid ? grid->rows : node_array_size(rows);
}

/* Check both sides of an array of arrays. */
static bool has_shape(const struct json_node *rows, size_t n, size_t columns,
	const char *per_row, const char *per_column)
{
	const struct number_grid *grid = find_node_grid(rows);

	if (!grid)
		return has_items(rows, n, "rows", per_row) &&
		       check_row_widths(rows, columns, per_column);
	if (grid->rows != n || grid->columns != columns)
		node_fail(rows, "found another number of rows or columns");
	return !node_has_failed(rows);
}

static void read_taken_grid(struct number_grid *grid, double *values)
{
	memcpy(values, grid->values,
		grid->rows * grid->columns * sizeof(*values));
	free(grid->values);
	grid->values = NULL;
}

/* Measurements between CPUs are not negative. */
static void read_rows(const struct json_node *rows, size_t n, double *values)
{
	struct number_grid *grid = find_node_grid(rows);

	if (grid) {
		read_taken_grid(grid, values);
		return;
	}
	for (size_t i = 0; i < node_array_size(rows) && !node_has_failed(rows);
		i++) {
		struct json_node row = node_item(rows, i);

		read_numbers(&row, values + i * n);
		for (size_t j = 0; j < n; j++) {
			struct json_node number = node_item(&row, j);

			if (values[i * n + j] < 0)
				node_fail(&number,
					"found %.9g, expected a number that is "
					"not negative",
					values[i * n + j]);
		}
	}
}

/* A number of these types from 0 to most: NaN after a failure. */
static double read_bounded_number(
	const struct json_node *node, unsigned types, double most)
{
	const char *what = types == INTEGER ? "a whole number" : "a number";
	double value = json_number_value(node->value);
	char expected[64];

	snprintf(expected, sizeof(expected), "%s from 0 to %.9g", what, most);
	if (node_is_of_types(node, NUMBER) &&
		(!node_is_of_types(node, types) || value < 0 || value > most))
		node_fail(node, "found %.15g, expected %s", value, expected);
	return node_expect_type(node, types, expected) ? value : NAN;
}

/* At most so many numbers of CPUs or nodes, all different. */
static void read_members(const struct json_node *node, struct cpu_list *members,
	const char *word, size_t most)
{
	char words[16];

	snprintf(words, sizeof(words), "%ss", word);
	has_at_most(node, most, words);
	for (size_t i = 0; i < node_array_size(node) && !node_has_failed(node);
		i++) {
		struct json_node number = node_item(node, i);
		double member =
			read_bounded_number(&number, INTEGER, CPU_LIST_MAX_CPU);

		if (isnan(member))
			return;
		if (cpu_list_add(members, (unsigned)member, NULL) < 0)
			node_fail_memory(node);
		else if (members->n == i)
			node_fail(&number,
				"found %s %.0f for the second time, expected "
				"every %s once",
				word, member, word);
	}
}

static void read_cpu_numbers(
	const struct json_node *node, struct cpu_list *cpus)
{
	read_members(node, cpus, "CPU", RESULT_MAX_CPUS);
}

/* The place of a text among words. */
static unsigned read_word_index(
	const struct json_node *node, const char *const *words)
{
	const char *text = json_string_value(node->value);
	struct quoted_text quote;
	const char *found;
	unsigned i = 0;

	assert(words);
	while (words[i] && strcmp(words[i], text) != 0)
		i++;
	if (words[i])
		return i;
	found = reader_quote(&quote, text, strlen(text));
	if (words[2])
		node_fail(node, "found %s, expected a word like '%s'", found,
			words[0]);
	else
		node_fail(node, "found %s, expected '%s' or '%s'", found,
			words[0], words[1]);
	return 0;
}

static void read_text_field(
	const struct json_node *node, bool lines, char **text)
{
	node_check_flaw(node, lines);
	free(*text);
	*text = strdup(json_string_value(node->value));
	if (!*text)
		node_fail_memory(node);
}

static void read_x_values(
	const struct json_node *node, size_t n, double **values)
{
	if (!has_items(node, n, "values", "value of x"))
		return;
	if (!*values)
		*values = calloc(n + 1, sizeof(**values));
	if (*values)
		read_numbers(node, *values);
	else
		node_fail_memory(node);
}

static void read_object_fields(const struct json_node *node,
	const struct record_field *fields, void *into);

static void read_pointed_object(const struct json_node *node,
	const struct record_field *field, void **behind)
{
	*behind = calloc(1, field->type->bytes);
	if (*behind)
		read_object_fields(node, field->type->fields, *behind);
	else
		node_fail_memory(node);
}

static void read_field_value(const struct json_node *node,
	const struct record_field *field, void *into)
{
	void *at = (char *)into + field->at;

	switch (field->kind) {
	case FIELD_TEXT:
		read_text_field(node, field->lines, at);
		break;
	case FIELD_FLAG:
		*(bool *)at = field->words ? read_word_index(node, field->words)
					   : json_is_true(node->value);
		break;
	case FIELD_NUMBER:
		*(double *)at = field->most ? read_bounded_number(
						      node, NUMBER, field->most)
					    : read_number(node);
		break;
	case FIELD_COUNT:
		if (read_bounded_number(node, INTEGER, field->most) > 0)
			*(unsigned *)at =
				(unsigned)json_integer_value(node->value);
		break;
	case FIELD_WORD:
		*(unsigned *)at = read_word_index(node, field->words);
		break;
	case FIELD_CPUS:
		read_cpu_numbers(node, at);
		break;
	case FIELD_FACTS:
		node_check_flaw(node, false);
		facts_unpack(at, node->value);
		break;
	case FIELD_MADE:
		node_check_flaw(node, false);
		if (field->take && field->take(into, node->value) < 0)
			node_fail_memory(node);
		break;
	case FIELD_TRIPLE:
		if (node_array_size(node) != 3)
			node_fail(node,
				"found %zu values, expected 3: middle, low and "
				"high",
				node_array_size(node));
		else
			read_numbers(node, at);
		break;
	case FIELD_VALUES:
		read_x_values(node, ((struct curve *)into)->n, at);
		break;
	case FIELD_INNER:
		read_object_fields(node, field->type->fields, into);
		break;
	case FIELD_BEHIND:
		read_pointed_object(node, field, at);
		break;
	default:
		break;
	}
}

static void read_object_fields(const struct json_node *node,
	const struct record_field *fields, void *into)
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
		[FIELD_MADE] = {OBJECT, "an object"},
		[FIELD_INNER] = {OBJECT, "an object"},
		[FIELD_BEHIND] = {OBJECT, "an object"},
	};
	const double none = NAN;
	char expected[64];

	for (; fields->key && !node_has_failed(node); fields++) {
		struct json_node value = node_member(node, fields->key);
		enum field_kind kind =
			fields->words ? FIELD_WORD : fields->kind;

		snprintf(expected, sizeof(expected), "%s%s",
			kinds[kind].expected,
			fields->nullable ? " or null" : "");
		if (fields->nullable && node_is_null(&value)) {
			if (kind == FIELD_NUMBER)
				memcpy((char *)into + fields->at, &none,
					sizeof(none));
		} else if (node_expect_type(
				   &value, kinds[kind].types, expected)) {
			read_field_value(&value, fields, into);
		}
		if (!field_is_object(fields) ||
			json_object_size(value.value) == 0)
			json_object_del(node->value, fields->key);
	}
}

/* Keep the unknown keys that are left of an object. */
static void keep_unknown_keys(const struct json_node *node, json_t **extra)
{
	node_check_flaw(node, true);
	if (!node_has_failed(node) && json_object_size(node->value) > 0)
		*extra = json_incref(node->value);
}

static void check_format(const struct json_node *root)
{
	struct json_node format = node_member(root, "format");
	struct json_node version = node_member(root, "version");
	json_int_t number = json_integer_value(version.value);
	struct quoted_text quote;
	const char *name;

	if (!node_expect_type(
		    &format, STRING, "the string \"" RESULT_FORMAT "\""))
		return;
	name = json_string_value(format.value);
	if (strcmp(name, RESULT_FORMAT) != 0)
		node_fail(&format, "found %s, expected '" RESULT_FORMAT "'",
			reader_quote(&quote, name, strlen(name)));
	if (!node_expect_type(&version, INTEGER, "a whole number"))
		return;
	if (number > RESULT_VERSION)
		node_fail(&version,
			"found %" JSON_INTEGER_FORMAT
			", expected at most %d: a newer c2c wrote this file, "
			"update c2c to read it",
			number, RESULT_VERSION);
	else if (number < 1)
		node_fail(&version,
			"found %" JSON_INTEGER_FORMAT ", expected 1 or more",
			number);
	json_object_del(root->value, "format");
	json_object_del(root->value, "version");
}

/* Sizes that other commands compare, resume and show. */
static void check_option_sizes(const struct json_node *root)
{
	static const char *const sizes[] = {"chunk_bytes", "chunks",
		"line_bytes", "lines", "size_bytes", "slice_bytes"};
	struct json_node options = node_member(root, "options");

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct json_node size = node_member(&options, sizes[i]);

		if (!node_is_null(&size))
			node_expect_type(
				&size, INTEGER, "a whole number or null");
	}
}

static void check_symmetric(const struct json_node *values,
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
				"found %.9g from %s %u to %s %u and %.9g "
				"back, expected equal values in a matrix that "
				"says it is symmetric",
				a, word, members->cpus[i], word,
				members->cpus[j], b);
		}
	}
}

/* The numbers of nodes along an axis of a matrix. */
static void read_node_axis(const struct json_node *axis, struct cpu_list *nodes)
{
	struct json_node kind = node_member(axis, "kind"),
			 ids = node_member(axis, "ids");
	static const char *const kinds[] = {"node", "node", NULL};

	if (!node_expect_type(axis, OBJECT, "an object") ||
		!node_expect_type(&kind, STRING, "the string \"node\""))
		return;
	read_word_index(&kind, kinds);
	if (node_expect_type(&ids, ARRAY, "an array of node numbers"))
		read_members(&ids, nodes, "node", RESULT_MAX_NODES);
	if (!node_has_failed(&ids) && nodes->n == 0)
		node_fail(&ids, "found no node, expected one or more");
}

static bool is_same_node_order(
	const struct cpu_list *a, const struct cpu_list *b)
{
	return a->n == b->n &&
	       (a->n == 0 ||
		       memcmp(a->cpus, b->cpus, a->n * sizeof(*a->cpus)) == 0);
}

/*
 * Read what a matrix has rows and columns of, if that is nodes: the same for
 * all matrices. False after any failure.
 */
static bool read_matrix_nodes(
	const struct json_node *node, struct result *result)
{
	struct json_node rows = node_member(node, "rows");
	struct json_node columns = node_member(node, "columns");
	struct cpu_list list[2] = {{.n = 0}, {.n = 0}};

	if (!node_is_null(&rows) || !node_is_null(&columns)) {
		read_node_axis(&rows, &list[0]);
		read_node_axis(&columns, &list[1]);
	}
	if (!node_has_failed(node) && result->n_matrices == 0 &&
		list[0].n > 0 && !result_set_nodes(result, &list[0], &list[1]))
		node_fail_memory(node);
	if (!node_has_failed(node) &&
		!(is_same_node_order(&list[0], &result->nodes.rows) &&
			is_same_node_order(&list[1], &result->nodes.columns)))
		node_fail(node,
			"found other rows or columns than in matrices[0], "
			"expected the same in all matrices");
	cpu_list_release(&list[0]);
	cpu_list_release(&list[1]);
	json_object_del(node->value, "rows");
	json_object_del(node->value, "columns");
	return !node_has_failed(node);
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

static void read_cells(const struct json_node *rows,
	const struct result *result, struct matrix *matrix)
{
	size_t n = result->nodes.columns.n;
	double *values;

	if (!result_is_of_nodes(result)) {
		read_rows(rows, result->cpus.n, matrix->values);
		return;
	}
	values = curve_new_missing(result->nodes.rows.n * n);
	if (!values) {
		node_fail_memory(rows);
		return;
	}
	read_rows(rows, n, values);
	place_nodes(values, &result->nodes, matrix);
	free(values);
}

static void read_matrix(const struct json_node *node, struct result *result)
{
	struct json_node values = node_member(node, "values");
	const char *word;
	struct matrix *matrix;
	size_t rows, columns;

	if (!read_matrix_nodes(node, result))
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
		node_fail_memory(node);
		return;
	}
	read_object_fields(node, fields_of_matrix, matrix);
	read_cells(&values, result, matrix);
	if (matrix->symmetric)
		check_symmetric(&values, matrix, result);
	json_object_del(node->value, "values");
	keep_unknown_keys(node, &matrix->extra);
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

static void read_curve(const struct json_node *node, struct result *result)
{
	static const struct curve_facts nothing = {.test = NULL};
	struct json_node x = node_member(node, "x"), y = node_member(node, "y");
	struct json_node x_kind = node_member(&x, "kind"),
			 y_kind = node_member(&y, "kind");
	bool old_x = node_is_null(&x_kind), old_y = node_is_null(&y_kind);
	struct json_node values = node_member(&x, "values");
	struct curve *curve;

	if (!node_expect_type(&x, OBJECT, "an object") ||
		!node_expect_type(&values, ARRAY, "an array") ||
		!has_at_most(&values, RESULT_MAX_POINTS, "points"))
		return;
	curve = result_add_curve(result, &nothing, node_array_size(&values));
	if (!curve) {
		node_fail_memory(node);
		return;
	}
	read_object_fields(node, fields_of_curve, curve);
	if (old_x)
		curve->facts.x_axis = axis_of_unit(curve->facts.x_unit);
	if (old_y)
		curve->facts.y_axis = axis_of_unit(curve->facts.y_unit);
	if (old_x && !node_has_failed(node) && !drop_unit(&curve->facts))
		node_fail_memory(node);
	keep_unknown_keys(node, &curve->extra);
}

/* Finds pairs by CPU number; there may be as many as a matrix has cells. */
struct pair_index {
	size_t n;	     /* CPUs */
	unsigned end;	     /* above every CPU number */
	uint32_t *places;    /* [end], from 1; 0: not in cpus */
	unsigned char *seen; /* a bit for each of n * n pairs */
};

/* The place of a CPU by its number. */
static uint32_t find_cpu_position(
	const struct json_node *node, const struct pair_index *index)
{
	json_int_t cpu = json_integer_value(node->value);
	uint32_t place;

	if (!node_expect_type(node, INTEGER,
		    node_is_of_types(node, NUMBER) ? "a whole number"
						   : "a CPU number"))
		return 0;
	place = cpu >= 0 && cpu < index->end ? index->places[cpu] : 0;
	if (place)
		return place - 1;
	node_fail(node, "found %" JSON_INTEGER_FORMAT ", expected one of cpus",
		cpu);
	return 0;
}

static void read_pair(const struct json_node *node, struct pair_index *index,
	struct cpu_pair *pair)
{
	struct json_node first = node_item(node, 0),
			 second = node_item(node, 1);
	size_t bit;

	if (!has_items(node, 2, "CPU numbers", "end"))
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

static void read_pairs(const struct json_node *pairs,
	const struct cpu_list *cpus, struct cpu_pair *into)
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
		node_fail_memory(pairs);
		return;
	}
	for (size_t i = 0; i < cpus->n; i++)
		index.places[cpus->cpus[i]] = (uint32_t)i + 1;
	for (size_t i = 0;
		i < node_array_size(pairs) && !node_has_failed(pairs); i++) {
		struct json_node pair = node_item(pairs, i);

		read_pair(&pair, &index, &into[i]);
	}
	free(index.places);
	free(index.seen);
}

static void check_interval(
	const struct json_node *node, double least, double most)
{
	if (least > most)
		node_fail(node,
			"found least_bytes %.9g above most_bytes %.9g, "
			"expected an interval",
			least, most);
}

static void read_cache(const struct json_node *node, struct result *result)
{
	struct cache_level *level;

	level = result_add_cache(result, "");
	if (!level) {
		node_fail_memory(node);
		return;
	}
	free(level->name);
	level->name = NULL;
	read_object_fields(node, fields_of_cache, level);
	check_interval(node, level->least_bytes, level->most_bytes);
	keep_unknown_keys(node, &level->extra);
}

static void read_tlb(const struct json_node *node, struct result *result)
{
	struct cache_tlb *tlb;

	tlb = result_add_tlb(result);
	if (!tlb) {
		node_fail_memory(node);
		return;
	}
	read_object_fields(node, fields_of_tlb, tlb);
	check_interval(node, tlb->least_bytes, tlb->most_bytes);
	keep_unknown_keys(node, &tlb->extra);
}

static void read_passes(const struct json_node *node, struct result *result)
{
	struct json_node pairs = node_member(node, "pairs");
	struct json_node start_s = node_member(node, "start_s");
	struct json_node values = node_member(node, "values");
	struct passes *passes;

	if (!node_expect_type(&pairs, ARRAY, "an array") ||
		(!find_node_grid(&values) &&
			!node_expect_type(&values, ARRAY, "an array")) ||
		!has_items(
			&start_s, count_node_rows(&values), "times", "pass") ||
		!has_shape(&values, count_node_rows(&values),
			node_array_size(&pairs), "pass", "pair"))
		return;
	passes = result_add_passes(result, NULL, NULL, node_array_size(&pairs),
		count_node_rows(&values));
	if (!passes) {
		node_fail_memory(node);
		return;
	}
	read_object_fields(node, fields_of_passes, passes);
	read_pairs(&pairs, &result->cpus, passes->pairs);
	read_numbers(&start_s, passes->start_s);
	read_rows(&values, passes->n_pairs, passes->values);
	json_object_del(node->value, "pairs");
	json_object_del(node->value, "start_s");
	json_object_del(node->value, "values");
	keep_unknown_keys(node, &passes->extra);
}

/* Read the objects of a list, which may be absent. */
static void read_object_list(const struct json_node *root, const char *key,
	size_t most,
	void (*read)(const struct json_node *node, struct result *result),
	struct result *result)
{
	struct json_node list = node_member(root, key);

	if (list.value && (!node_expect_type(&list, ARRAY, "an array") ||
				  !has_at_most(&list, most, key)))
		return;
	for (size_t i = 0; i < node_array_size(&list) && !node_has_failed(root);
		i++) {
		struct json_node node = node_item(&list, i);

		if (node_expect_type(&node, OBJECT, "an object"))
			read(&node, result);
	}
	json_object_del(root->value, key);
}

static void read_result_object(
	const struct json_node *root, struct result *result);

/* Runs are read behind the record's own CPUs and command. */
static void read_inner_run(const struct json_node *node, struct result *result)
{
	struct json_node runs = node_member(node, "runs");
	struct result *run;

	if (runs.value) {
		node_fail(&runs, "found runs inside a run, expected none");
		return;
	}
	run = result_add_run(result);
	if (!run) {
		node_fail_memory(node);
		return;
	}
	read_result_object(node, run);
	if (!node_has_failed(node) && !cpu_list_same(&run->cpus, &result->cpus))
		node_fail(node, "found other CPUs than the record has");
	if (!node_has_failed(node) && !result_same_nodes(run, result))
		node_fail(node,
			"found matrices of other NUMA nodes than the record "
			"has");
	if (!node_has_failed(node) &&
		strcmp(run->command, result->command) != 0)
		node_fail(node, "found another command than the record has");
}

static void read_result_object(
	const struct json_node *root, struct result *result)
{
	static const struct record_type topology_type = {
		.name = "topology", .fields = fields_of_topology};
	static const struct record_field topology[] = {
		{"topology", FIELD_INNER, .nullable = true,
			.type = &topology_type},
		{0},
	};
	struct json_node matrices = node_member(root, "matrices");
	struct json_node series = node_member(root, "series");
	struct json_node rest = {
		root->in, root, "an unknown key", 0, root->value};

	if (!node_expect_type(root, OBJECT, "an object: the result of c2c"))
		return;
	if (!old_names_replace(root->value))
		node_fail_memory(root);
	check_format(root);
	check_option_sizes(root);
	read_object_fields(root, fields_of_result, result);
	if (series.value)
		node_fail(&series,
			"found curves as c2c wrote them before November 2026, "
			"expected \"curves\": measure again");
	/* Either may be absent, but not both. */
	if (!matrices.value && !json_object_get(root->value, "curves"))
		node_expect_type(&matrices, ARRAY, "an array");
	read_object_list(
		root, "matrices", RESULT_MAX_MATRICES, read_matrix, result);
	read_object_list(root, "curves", RESULT_MAX_CURVES, read_curve, result);
	read_object_list(root, "caches", CACHE_MOST_LEVELS, read_cache, result);
	read_object_list(root, "tlbs", CACHE_MOST_LEVELS, read_tlb, result);
	read_object_list(
		root, "passes", RESULT_MAX_MATRICES, read_passes, result);
	read_object_list(root, "runs", RUNS_MAX, read_inner_run, result);
	read_object_fields(root, topology, result);
	keep_unknown_keys(&rest, &result->extra);
}

static size_t read_reader_bytes(void *buffer, size_t room, void *reader)
{
	return reader_read(reader, buffer, room);
}

/* The words of jansson, which may quote bytes of the file. */
static int report_not_json(json_error_t *problem, struct error *err)
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
		read_reader_bytes, reader, JSON_REJECT_DUPLICATES, &problem);
	struct json_input in = {.err = err};
	struct json_node root = {.in = &in, .value = value};

	if (reader->failure)
		in.rc = reader_failed(reader, err);
	else if (!value)
		in.rc = report_not_json(&problem, err);
	else
		read_result_object(&root, result);
	json_decref(value);
	return in.rc;
}

bool format_read_grids(struct result *result, const char *text, size_t n)
{
	struct record_grids grids;
	struct json_input in = {.grids = &grids};
	struct json_node root = {.in = &in};
	bool read;

	if (n == 0 || *text != '{' || !grids_take(&grids, text, n))
		return false;
	root.value = json_loadb(
		grids.rest, grids.rest_bytes, JSON_REJECT_DUPLICATES, NULL);
	if (root.value)
		read_result_object(&root, result);
	read = root.value && in.rc == 0;
	json_decref(root.value);
	grids_release(&grids);
	return read;
}
