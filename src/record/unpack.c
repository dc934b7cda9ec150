#include "record/unpack.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/copy.h"
#include "record/grids.h"
#include "util/array.h"
#include "util/text.h"

struct record_input {
	struct error *err;
	int rc;
	/* grids that grids_take() read, or NULL */
	struct record_grids *grids;
};

struct record_node node_member(const struct record_node *up, const char *key)
{
	return (struct record_node){
		up->in, up, key, 0, json_object_get(up->value, key), NULL};
}

struct record_node node_item(const struct record_node *up, size_t i)
{
	return (struct record_node){
		up->in, up, NULL, i, json_array_get(up->value, i), NULL};
}

void *node_around(const struct record_node *node)
{
	do
		node = node->up;
	while (node && !node->into);
	return node ? node->into : NULL;
}

bool node_has_failed(const struct record_node *node)
{
	return node->in->rc < 0;
}

/* Return the path of a value, as in "matrices[2].values[3]", and a text. */
static char *node_path_before(const struct record_node *node, const char *text)
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

void node_fail(const struct record_node *node, const char *format, ...)
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

void node_fail_memory(const struct record_node *node)
{
	if (!node_has_failed(node))
		node->in->rc =
			error_no_memory(node->in->err, "what the file holds");
}

bool node_is_of_types(const struct record_node *node, unsigned types)
{
	return node->value && (types >> json_typeof(node->value) & 1);
}

bool node_is_null(const struct record_node *node)
{
	return !node->value || json_is_null(node->value);
}

bool node_expect_type(
	const struct record_node *node, unsigned types, const char *expected)
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

/* Return the first text_flaw() of a text or key in a value, or NULL. */
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

static void node_check_flaw(const struct record_node *node, bool lines)
{
	const char *flaw = find_text_flaw(node->value, lines);

	if (flaw)
		node_fail(node,
			"found %s, expected text without control characters",
			flaw);
}

size_t node_array_size(const struct record_node *node)
{
	return json_array_size(node->value);
}

/* Check the number of items. Return false after a failure. */
bool node_has_at_most(
	const struct record_node *node, size_t most, const char *items)
{
	if (node_array_size(node) > most)
		node_fail(node, "found %zu %s, expected at most %zu",
			node_array_size(node), items, most);
	return !node_has_failed(node);
}

bool node_has_items(const struct record_node *node, size_t n, const char *items,
	const char *per)
{
	if (node_expect_type(node, NODE_ARRAY, "an array") &&
		node_array_size(node) != n)
		node_fail(node, "found %zu %s, expected %zu, one per %s",
			node_array_size(node), items, n, per);
	return !node_has_failed(node);
}

/* Read a number within RESULT_MOST, or NaN for null. */
static double read_number(const struct record_node *node)
{
	double value;

	if (node_is_null(node) ||
		!node_expect_type(node, NODE_NUMBER, "a number or null"))
		return NAN;
	value = json_number_value(node->value);
	if (fabs(value) > RESULT_MOST)
		node_fail(node, "found %.9g, expected a number from %g to %g",
			value, -RESULT_MOST, RESULT_MOST);
	return fabs(value) < RESULT_LEAST ? 0 : value;
}

static void read_numbers(const struct record_node *node, double *values)
{
	for (size_t i = 0; i < node_array_size(node) && !node_has_failed(node);
		i++) {
		struct record_node number = node_item(node, i);

		values[i] = read_number(&number);
	}
}

static bool check_row_widths(
	const struct record_node *rows, size_t n, const char *per)
{
	for (size_t i = 0; i < node_array_size(rows) && !node_has_failed(rows);
		i++) {
		struct record_node row = node_item(rows, i);

		node_has_items(&row, n, "columns", per);
	}
	return !node_has_failed(rows);
}

/*
 * Return the grid whose index is in the node, or NULL. Each grid belongs to one
 * node. If the file itself has a number here, a later node has no grid.
 */
static struct number_grid *find_node_grid(const struct record_node *node)
{
	const struct record_grids *grids = node->in->grids;
	json_int_t at = json_integer_value(node->value);

	if (!grids || !node_is_of_types(node, NODE_INTEGER) || at < 0 ||
		(size_t)at >= grids->n)
		return NULL;
	return grids->grids[at].values ? &grids->grids[at] : NULL;
}

bool node_is_taken(const struct record_node *rows)
{
	return find_node_grid(rows);
}

size_t node_count_rows(const struct record_node *rows)
{
	const struct number_grid *grid = find_node_grid(rows);

	return grid ? grid->rows : node_array_size(rows);
}

bool node_has_shape(const struct record_node *rows, size_t n, size_t columns,
	const char *per_row, const char *per_column)
{
	const struct number_grid *grid = find_node_grid(rows);

	if (!grid)
		return node_has_items(rows, n, "rows", per_row) &&
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

static void read_rows(const struct record_node *rows, size_t n, double *values)
{
	struct number_grid *grid = find_node_grid(rows);

	if (grid) {
		read_taken_grid(grid, values);
		return;
	}
	for (size_t i = 0; i < node_array_size(rows) && !node_has_failed(rows);
		i++) {
		struct record_node row = node_item(rows, i);

		read_numbers(&row, values + i * n);
		for (size_t j = 0; j < n; j++) {
			struct record_node number = node_item(&row, j);

			if (values[i * n + j] < 0)
				node_fail(&number,
					"found %.9g, expected a number that is "
					"not negative",
					values[i * n + j]);
		}
	}
}

/* Read a number from 0 to most. Return NaN after a failure. */
static double read_bounded_number(
	const struct record_node *node, unsigned types, double most)
{
	const char *what =
		types == NODE_INTEGER ? "a whole number" : "a number";
	double value = json_number_value(node->value);
	char expected[64];

	snprintf(expected, sizeof(expected), "%s from 0 to %.9g", what, most);
	if (node_is_of_types(node, NODE_NUMBER) &&
		(!node_is_of_types(node, types) || value < 0 || value > most))
		node_fail(node, "found %.15g, expected %s", value, expected);
	return node_expect_type(node, types, expected) ? value : NAN;
}

void node_read_members(const struct record_node *node, struct cpu_list *members,
	const char *word, size_t most)
{
	char words[16];

	snprintf(words, sizeof(words), "%ss", word);
	node_has_at_most(node, most, words);
	for (size_t i = 0; i < node_array_size(node) && !node_has_failed(node);
		i++) {
		struct record_node number = node_item(node, i);
		double member = read_bounded_number(
			&number, NODE_INTEGER, CPU_LIST_MAX_CPU);

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

unsigned node_read_word(
	const struct record_node *node, const char *const *words)
{
	const char *text = json_string_value(node->value);
	struct quoted_text quote;
	const char *found;
	unsigned i = 0;

	assert(words);
	while (words[i] && (!*words[i] || strcmp(words[i], text) != 0))
		i++;
	if (words[i])
		return i;
	found = text_excerpt(&quote, text, strlen(text));
	if (words[2])
		node_fail(node, "found %s, expected a word like '%s'", found,
			words[0]);
	else
		node_fail(node, "found %s, expected '%s' or '%s'", found,
			words[0], words[1]);
	return 0;
}

static void read_text_field(
	const struct record_node *node, bool lines, char **text)
{
	node_check_flaw(node, lines);
	free(*text);
	*text = strdup(json_string_value(node->value));
	if (!*text)
		node_fail_memory(node);
}

static void read_texts(const struct record_node *node, char ***texts, size_t *n)
{
	for (size_t i = 0; i < node_array_size(node) && !node_has_failed(node);
		i++) {
		struct record_node text = node_item(node, i);

		if (!node_expect_type(&text, NODE_STRING, "a string"))
			return;
		if (!array_grow(texts, *n, sizeof(**texts))) {
			node_fail_memory(node);
			return;
		}
		(*texts)[*n] = NULL;
		read_text_field(&text, true, &(*texts)[(*n)++]);
	}
}

static void read_x_values(
	const struct record_node *node, size_t n, double **values)
{
	if (!node_has_items(node, n, "values", "value of x"))
		return;
	if (!*values)
		*values = calloc(n + 1, sizeof(**values));
	if (*values)
		read_numbers(node, *values);
	else
		node_fail_memory(node);
}

static void read_few_numbers(const struct record_node *node, size_t n,
	const char *what, double *values)
{
	if (node_array_size(node) == n)
		read_numbers(node, values);
	else
		node_fail(node, "found %zu values, expected %zu: %s",
			node_array_size(node), n, what);
}

static void unpack_fields(const struct record_node *node,
	const struct record_type *type, void *into);

static void unpack_object(
	struct record_node *node, const struct record_type *type, void *into);

static void read_list(const struct record_node *list,
	const struct record_field *field, void *into)
{
	char **items = (char **)((char *)into + field->at);
	size_t *n = (size_t *)((char *)into + field->count);
	size_t bytes = field->type->bytes;

	if (field->most > 0)
		node_has_at_most(list, (size_t)field->most, field->key);
	for (size_t i = 0; i < node_array_size(list) && !node_has_failed(list);
		i++) {
		struct record_node node = node_item(list, i);

		if (!node_expect_type(&node, NODE_OBJECT, "an object"))
			return;
		if (!array_grow(items, *n, bytes)) {
			node_fail_memory(list);
			return;
		}
		struct_init(field->type, *items + *n * bytes);
		(*n)++;
		unpack_object(&node, field->type, *items + (*n - 1) * bytes);
	}
}

/* Read the rows and columns of a file with only some of the NUMA nodes. */
static void read_some_rows(const struct record_node *rows,
	const struct grid_members *of, double *values)
{
	size_t n = of->columns->n;
	double *read = calloc(of->rows->n * n + 1, sizeof(*read));

	if (!read) {
		node_fail_memory(rows);
		return;
	}
	read_rows(rows, n, read);
	for (size_t k = 0; k < of->rows->n * n; k++) {
		unsigned row = of->rows->cpus[k / n];
		unsigned column = of->columns->cpus[k % n];
		size_t i = (size_t)cpu_list_find(of->all, row);
		size_t j = (size_t)cpu_list_find(of->all, column);

		values[i * of->all->n + j] = read[k];
	}
	free(read);
}

static void read_grid(const struct record_node *node,
	const struct record_field *field, void *into)
{
	double *values = *(double **)((char *)into + field->at);
	struct grid_members of = {NULL, NULL, NULL};

	if (field->members)
		of = field->members(node_around(node->up));
	if (of.all)
		read_some_rows(node, &of, values);
	else
		read_rows(node, *(size_t *)((char *)into + field->columns),
			values);
}

static void read_behind(const struct record_node *node,
	const struct record_type *type, void **behind)
{
	*behind = calloc(1, type->bytes);
	if (!*behind) {
		node_fail_memory(node);
		return;
	}
	struct_init(type, *behind);
	unpack_fields(node, type, *behind);
}

static size_t read_whole_number(
	const struct record_node *node, double most, double most_of_kind)
{
	double value = read_bounded_number(
		node, NODE_INTEGER, most > 0 ? most : most_of_kind);

	return value > 0 ? (size_t)json_integer_value(node->value) : 0;
}

static void read_field_value(struct record_node *node,
	const struct record_field *field, bool lenient, void *into)
{
	void *at = (char *)into + field->at;

	switch (field->kind) {
	case FIELD_TEXT:
		read_text_field(node, field->lines, at);
		break;
	case FIELD_FLAG:
		*(bool *)at = field->words ? node_read_word(node, field->words)
					   : json_is_true(node->value);
		break;
	case FIELD_NUMBER:
		if (lenient)
			*(double *)at = json_number_value(node->value);
		else
			*(double *)at =
				field->most > 0
					? read_bounded_number(node, NODE_NUMBER,
						  field->most)
					: read_number(node);
		break;
	case FIELD_COUNT:
		*(unsigned *)at = (unsigned)read_whole_number(
			node, field->most, UINT_MAX);
		break;
	case FIELD_SIZE:
		*(size_t *)at =
			read_whole_number(node, field->most, (double)INT64_MAX);
		break;
	case FIELD_INT:
		*(int *)at = (int)read_whole_number(node, field->most, INT_MAX);
		break;
	case FIELD_INT64:
		*(int64_t *)at = (int64_t)read_whole_number(
			node, field->most, (double)INT64_MAX);
		break;
	case FIELD_SWITCH:
		*(int *)at = json_is_true(node->value);
		break;
	case FIELD_WORD:
		*(unsigned *)at = node_read_word(node, field->words);
		break;
	case FIELD_CPUS:
		node_read_members(node, at, "CPU",
			field->most > 0 ? (size_t)field->most : SIZE_MAX);
		break;
	case FIELD_FACTS:
		node_check_flaw(node, false);
		facts_unpack(at, node->value);
		break;
	case FIELD_TRIPLE:
		read_few_numbers(node, 3, "middle, low and high", at);
		break;
	case FIELD_PAIR:
		read_few_numbers(node, 2, "low and high", at);
		break;
	case FIELD_VALUES:
		read_x_values(node, field_count(field, into), at);
		break;
	case FIELD_GRID:
		read_grid(node, field, into);
		break;
	case FIELD_TEXTS:
		read_texts(node, at, (size_t *)((char *)into + field->count));
		break;
	case FIELD_LIST:
		read_list(node, field, into);
		break;
	case FIELD_INNER:
		unpack_fields(node, field->type, into);
		break;
	case FIELD_WITHIN:
		unpack_object(node, field->type, at);
		break;
	case FIELD_BEHIND:
		read_behind(node, field->type, at);
		break;
	case FIELD_MADE:
		if (field->read)
			field->read(node, into);
		break;
	case FIELD_SCALAR:
	case FIELD_REST:
		break;
	}
}

/* The permitted JSON types for each kind of field. */
static const struct kind_of_value {
	unsigned types, items; /* items: array length, or 0 for any */
	const char *expected;
} kinds[] = {
	[FIELD_TEXT] = {NODE_STRING, 0, "a string"},
	[FIELD_WORD] = {NODE_STRING, 0, "a string"},
	[FIELD_FLAG] = {NODE_BOOLEAN, 0, "true or false"},
	[FIELD_SWITCH] = {NODE_BOOLEAN, 0, "true or false"},
	[FIELD_NUMBER] = {NODE_NUMBER, 0, "a number"},
	[FIELD_COUNT] = {NODE_NUMBER, 0, "a whole number"},
	[FIELD_SIZE] = {NODE_NUMBER, 0, "a whole number"},
	[FIELD_INT] = {NODE_NUMBER, 0, "a whole number"},
	[FIELD_INT64] = {NODE_NUMBER, 0, "a whole number"},
	[FIELD_CPUS] = {NODE_ARRAY, 0, "an array of CPU numbers"},
	[FIELD_PAIR] = {NODE_ARRAY, 0, "an array"},
	[FIELD_TRIPLE] = {NODE_ARRAY, 0, "an array"},
	[FIELD_VALUES] = {NODE_ARRAY, 0, "an array"},
	[FIELD_GRID] = {NODE_ARRAY, 0, "an array"},
	[FIELD_TEXTS] = {NODE_ARRAY, NODE_STRING, "an array"},
	[FIELD_LIST] = {NODE_ARRAY, NODE_OBJECT, "an array"},
	[FIELD_FACTS] = {NODE_OBJECT, 0, "an object"},
	[FIELD_INNER] = {NODE_OBJECT, 0, "an object"},
	[FIELD_WITHIN] = {NODE_OBJECT, 0, "an object"},
	[FIELD_BEHIND] = {NODE_OBJECT, 0, "an object"},
	[FIELD_MADE] = {NODE_ARRAY, 0, "an array"},
};

static enum field_kind kind_in_json(const struct record_field *field)
{
	if (field->words)
		return FIELD_WORD;
	return field->kind == FIELD_MADE && field->depth == FIELD_ONE
		       ? field->is
		       : field->kind;
}

/* Return whether a value has the type of a field, and is one of its words. */
static bool is_of_kind(
	const struct record_node *node, const struct record_field *field)
{
	const struct kind_of_value *kind = &kinds[kind_in_json(field)];
	const char *const *word = field->words;

	if (field->kind == FIELD_NUMBER && json_is_null(node->value))
		return true;
	if (!node_is_of_types(node, kind->types))
		return false;
	for (size_t i = 0; kind->items && i < node_array_size(node); i++) {
		struct record_node item = node_item(node, i);

		if (!node_is_of_types(&item, kind->items))
			return false;
	}
	while (word && *word &&
		!(**word && strcmp(*word, json_string_value(node->value)) == 0))
		word++;
	if (field->kind == FIELD_INT64)
		return json_is_integer(node->value) &&
		       json_integer_value(node->value) >= 0;
	return !word || *word;
}

/* Return whether unknown keys stay in the object under the field's key. */
static bool keeps_unknown_keys(
	const struct record_field *field, const json_t *value)
{
	return (field->kind == FIELD_INNER || field->kind == FIELD_BEHIND ||
		       (field->kind == FIELD_WITHIN &&
			       !type_rest(field->type))) &&
	       json_object_size(value) > 0;
}

static void unpack_field(const struct record_node *node,
	const struct record_field *field, bool lenient, void *into)
{
	struct record_node value = node_member(node, field->key);
	enum field_kind kind = kind_in_json(field);
	void *at = (char *)into + field->at;
	bool grid = kind == FIELD_GRID && node_is_taken(&value);
	char expected[64];

	if (lenient && !is_of_kind(&value, field))
		return;
	snprintf(expected, sizeof(expected), "%s%s", kinds[kind].expected,
		field->nullable ? " or null" : "");
	if (!value.value ? field->nullable || field->optional || field->later
			 : json_is_null(value.value) &&
				   (field->nullable || lenient)) {
		if (field->kind == FIELD_NUMBER)
			*(double *)at = NAN;
		else if (field->kind == FIELD_SIZE)
			*(size_t *)at = SIZE_MAX;
	} else if (grid ||
		   node_expect_type(&value, kinds[kind].types, expected)) {
		read_field_value(&value, field, lenient, into);
	}
	if (!keeps_unknown_keys(field, value.value))
		json_object_del(node->value, field->key);
}

static void unpack_fields(const struct record_node *node,
	const struct record_type *type, void *into)
{
	for (const struct record_field *field = type->fields;
		field->key && !node_has_failed(node); field++) {
		if (!field->hidden && field->kind != FIELD_REST)
			unpack_field(node, field, type->lenient, into);
	}
}

/* Move the remaining, unknown keys of an object to facts. */
static void keep_rest(const struct record_node *node,
	const struct record_field *field, void *into)
{
	node_check_flaw(node, true);
	if (!node_has_failed(node) && json_object_size(node->value) > 0)
		facts_unpack((struct facts *)((char *)into + field->at),
			node->value);
}

static void check_format(
	const struct record_node *node, const struct record_type *type)
{
	struct record_node format = node_member(node, "format");
	struct record_node version = node_member(node, "version");
	json_int_t number = json_integer_value(version.value);
	struct quoted_text quote;
	char expected[64];
	const char *name;

	snprintf(expected, sizeof(expected), "the string \"%s\"", type->format);
	if (!node_expect_type(&format, NODE_STRING, expected))
		return;
	name = json_string_value(format.value);
	if (strcmp(name, type->format) != 0)
		node_fail(&format, "found %s, expected '%s'",
			text_excerpt(&quote, name, strlen(name)), type->format);
	if (!node_expect_type(&version, NODE_INTEGER, "a whole number"))
		return;
	if (number > type->version)
		node_fail(&version,
			"found %" JSON_INTEGER_FORMAT
			", expected at most %d: a newer c2c wrote this file, "
			"update c2c to read it",
			number, type->version);
	else if (number < 1)
		node_fail(&version,
			"found %" JSON_INTEGER_FORMAT ", expected 1 or more",
			number);
	json_object_del(node->value, "format");
	json_object_del(node->value, "version");
}

static void unpack_object(
	struct record_node *node, const struct record_type *type, void *into)
{
	const struct record_field *rest = type_rest(type);
	struct record_node unknown = {
		node->in, node, "an unknown key", 0, node->value, NULL};

	node->into = into;
	if (type->lenient)
		node_check_flaw(node, false);
	if (type->format)
		check_format(node, type);
	if (type->begin && !node_has_failed(node))
		type->begin(node, into);
	unpack_fields(node, type, into);
	if (type->end && !node_has_failed(node))
		type->end(node, into);
	if (rest && !node_has_failed(node))
		keep_rest(type->format ? &unknown : node, rest, into);
}

/* Report invalid JSON. jansson's message may contain text of the file. */
static int report_not_json(json_error_t *problem, struct error *err)
{
	if (json_error_code(problem) == json_error_out_of_memory)
		return error_no_memory(err, "the file");
	for (char *c = problem->text; *c; c++) {
		if (text_is_control(*c))
			*c = ' ';
	}
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %d, column %d: found invalid JSON: %s", problem->line,
		problem->column, problem->text);
}

int unpack_stream(const struct record_type *type, void *into,
	json_load_callback_t read, void *stream, struct error *err)
{
	json_error_t problem;
	json_t *value = json_load_callback(
		read, stream, JSON_REJECT_DUPLICATES, &problem);
	struct record_input in = {.err = err};
	struct record_node root = {.in = &in, .value = value};
	char expected[64];

	snprintf(expected, sizeof(expected), "an object: %s", type->about);
	if (!value)
		in.rc = report_not_json(&problem, err);
	else if (node_expect_type(&root, NODE_OBJECT, expected))
		unpack_object(&root, type, into);
	json_decref(value);
	return in.rc;
}

bool unpack_text(
	const struct record_type *type, void *into, const char *text, size_t n)
{
	struct record_grids grids;
	struct record_input in = {.grids = &grids};
	struct record_node root = {.in = &in};
	bool read;

	if (n == 0 || *text != '{' || !grids_take(&grids, text, n))
		return false;
	root.value = json_loadb(
		grids.rest, grids.rest_bytes, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(root.value))
		unpack_object(&root, type, into);
	read = json_is_object(root.value) && in.rc == 0;
	json_decref(root.value);
	grids_release(&grids);
	return read;
}
