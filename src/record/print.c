/*
 * Prints records. jansson prints most values. This file prints the numbers of
 * matrices and curves, with one row on each line, and without JSON objects.
 */
#include "record/print.h"

#include <string.h>

#include "util/text.h"

static json_t *find_unknown_keys(
	const struct record_type *type, const void *from)
{
	const struct record_field *row = type_rest(type);

	return row ? ((const struct facts *)((const char *)from + row->at))
			       ->object
		   : NULL;
}

/* Indent lines from jansson, which escapes line feeds inside strings. */
static int print_indented(const char *text, size_t n, void *stream)
{
	for (size_t i = 0; i < n; i++) {
		putc(text[i], stream);
		if (text[i] == '\n')
			fputs("  ", stream);
	}
	return 0;
}

/* Print and release value. With lines, print each member on its own line. */
static int print_value(FILE *out, json_t *value, bool lines)
{
	int rc = lines ? json_dump_callback(value, print_indented, out,
				 FORMAT_JSON_FLAGS | JSON_INDENT(2))
		       : json_dumpf(value, out, FORMAT_JSON_FLAGS);

	json_decref(value);
	return rc;
}

void print_numbers(FILE *out, const double *values, size_t n)
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

/* Print a row of a matrix: all columns, or only the columns of the file. */
static void print_grid_row(
	FILE *out, const double *row, size_t n, const struct grid_members *of)
{
	struct number_text number;

	if (!of->all) {
		print_numbers(out, row, n);
		return;
	}
	for (size_t j = 0; j < of->columns->n; j++) {
		long at = cpu_list_find(of->all, of->columns->cpus[j]);

		fprintf(out, "%s%s", j > 0 ? ", " : "[",
			format_number(&number, row[at], "null"));
	}
	putc(']', out);
}

static void print_grid(FILE *out, const struct record_field *field,
	const void *from, const struct pack_context *context)
{
	const double *values =
		*(double *const *)((const char *)from + field->at);
	size_t columns = *(const size_t *)((const char *)from + field->columns);
	struct grid_members of = {NULL, NULL, NULL};
	size_t rows;

	if (field->members)
		of = field->members(context->up->from);
	rows = of.all ? of.rows->n : field_count(field, from);
	putc('[', out);
	for (size_t i = 0; i < rows; i++) {
		size_t at =
			of.all ? (size_t)cpu_list_find(of.all, of.rows->cpus[i])
			       : i;

		fputs(i > 0 ? ",\n      " : "\n      ", out);
		print_grid_row(out, values + at * columns, columns, &of);
	}
	fputs(rows > 0 ? "\n     ]" : "]", out);
}

static int print_members(FILE *out, const struct record_type *type,
	const void *from, json_t *unknown, const struct pack_context *up,
	bool top);

static int print_record(FILE *out, const struct record_type *type,
	const void *from, const struct pack_context *up)
{
	int rc;

	fprintf(out, "{\n  \"format\": \"%s\",\n  \"version\": %d",
		type->format, type_version(type, from));
	rc = print_members(out, type, from, NULL, up, true);
	fputs("\n}", out);
	return rc;
}

static int print_object(FILE *out, const struct record_type *type,
	const void *from, json_t *unknown, const struct pack_context *up)
{
	int rc;

	putc('{', out);
	rc = print_members(out, type, from, unknown, up, false);
	putc('}', out);
	return rc;
}

/* Print a list, one line for each struct. */
static int print_list(FILE *out, const struct record_field *field,
	const void *from, const struct pack_context *context)
{
	const char *items = *(char *const *)((const char *)from + field->at);
	const struct record_type *type = field->type;
	size_t n = field_count(field, from);
	int rc = 0;

	putc('[', out);
	for (size_t i = 0; i < n; i++) {
		const char *item = items + i * type->bytes;

		fputs(i > 0 ? ",\n" : "\n", out);
		fputs(type->format ? "" : "    ", out);
		rc |= type->format
			      ? print_record(out, type, item, context)
			      : print_object(out, type, item, NULL, context);
	}
	fputs(n == 0 || type->format ? "]" : "\n  ]", out);
	return rc;
}

/* Return whether print_here(), not jansson, prints the field. */
static bool is_printed_here(
	const struct record_field *field, const void *from, bool top)
{
	void *const *at = (void *const *)((const char *)from + field->at);

	switch (field->kind) {
	case FIELD_LIST:
		return true;
	case FIELD_VALUES:
	case FIELD_GRID:
		return *at;
	case FIELD_INNER:
		return !top && !(field->nullable && !*at);
	case FIELD_BEHIND:
		return !top && *at;
	default:
		return field->print;
	}
}

static int print_here(FILE *out, const struct record_field *field,
	const void *from, json_t *unknown, const struct pack_context *context)
{
	const void *at = (const char *)from + field->at;

	switch (field->kind) {
	case FIELD_LIST:
		return print_list(out, field, from, context);
	case FIELD_VALUES:
		print_numbers(
			out, *(double *const *)at, field_count(field, from));
		return 0;
	case FIELD_GRID:
		print_grid(out, field, from, context);
		return 0;
	case FIELD_INNER:
		return print_object(out, field->type, from, unknown, context);
	case FIELD_BEHIND:
		return print_object(
			out, field->type, *(void *const *)at, unknown, context);
	default:
		field->print(out, from, context);
		return 0;
	}
}

/* Print the separator `between`, and a field with its unknown keys. */
static int print_field(FILE *out, const struct record_field *field,
	const void *from, json_t *unknown, const struct pack_context *context,
	const char *between)
{
	bool top = *between == ',' && between[1] == '\n';
	bool here = is_printed_here(field, from, top);
	json_t *value = here ? NULL : field_pack(field, from, context);
	int rc = 0;

	if (here ? field->optional && field->count &&
				field_count(field, from) == 0
		 : value && field_is_left_out(field, from, value)) {
		json_decref(value);
		return 0;
	}
	fprintf(out, "%s\"%s\": ", field->line && !top ? ",\n     " : between,
		field->key);
	if (here)
		return print_here(out, field, from, unknown, context);
	if (value && unknown)
		rc = pack_unknown_keys(value, unknown);
	/* Print all CPU numbers on one line. */
	return rc | print_value(out, value, top && field->kind != FIELD_CPUS);
}

static int print_unknown_keys(FILE *out, json_t *unknown, bool top)
{
	json_t *value;
	const char *key;
	int rc = 0;

	json_object_foreach(unknown, key, value)
	{
		fputs(top ? ",\n  " : ", ", out);
		rc |= print_value(out, json_string(key), false);
		fputs(": ", out);
		rc |= print_value(out, json_incref(value), top);
	}
	json_decref(unknown);
	return rc;
}

/* Print members, and unknown keys if the type has no row for them. */
static int print_members(FILE *out, const struct record_type *type,
	const void *from, json_t *unknown, const struct pack_context *up,
	bool top)
{
	struct pack_context context = {
		.root = up ? up->root : from, .up = up, .from = from};
	const char *between = top ? ",\n  " : "";
	json_t *rest = find_unknown_keys(type, from);
	json_t *left = json_copy(rest ? rest : unknown);
	int rc = 0;

	for (const struct record_field *field = type->fields; field->key;
		field++) {
		if (field->hidden || field->kind == FIELD_REST)
			continue;
		context.field = field;
		rc |= print_field(out, field, from,
			json_object_get(left, field->key), &context, between);
		json_object_del(left, field->key);
		between = top ? between : ", ";
	}
	return rc | print_unknown_keys(out, left, top);
}

int print_struct(const struct record_type *type, const void *from, FILE *out)
{
	return print_record(out, type, from, NULL);
}

/* Return whether a key cannot be mistaken for another line. */
static bool is_plain_key(const char *key, const char *const *others)
{
	for (; *others; others++) {
		if (strcmp(key, *others) == 0)
			return false;
	}
	return *key && !strpbrk(key, ":.") && !text_flaw(key, false);
}

/* Print "# outer.key: value". Skip an unknown value. */
static int print_fact_line(FILE *out, const char *outer, const char *key,
	json_t *value, const char *const *others)
{
	const char *text = json_string_value(value);
	int rc = 0;

	if (json_is_null(value) || !is_plain_key(key, others))
		return 0;
	fprintf(out, "# %s%s%s: ", outer, *outer ? "." : "", key);
	if (text && *text && !text_flaw(text, false))
		fputs(text, out);
	else
		rc = print_value(out, json_incref(value), false);
	putc('\n', out);
	return rc;
}

/* Print a line for each member of an object and of its inner objects. */
static int print_object_lines(
	FILE *out, json_t *object, const char *const *others)
{
	json_t *value, *member;
	const char *key, *name;
	int rc = 0;

	json_object_foreach(object, key, value)
	{
		if (!json_is_object(value))
			rc |= print_fact_line(out, "", key, value, others);
		json_object_foreach(value, name, member)
		{
			rc |= print_fact_line(out, key, name, member, others);
		}
	}
	return rc;
}

int print_fact_lines(const struct record_type *type, const void *from,
	const char *const *others, FILE *out)
{
	struct pack_context context = {.root = from, .from = from};
	json_t *object = json_pack("{s:s, s:i}", "format", type->format,
		"version", type_version(type, from));
	json_t *left = json_copy(find_unknown_keys(type, from));
	bool ahead = true;
	int rc = 0;

	for (const struct record_field *field = type->fields; field->key;
		field++) {
		ahead = ahead && field->kind != FIELD_LIST;
		if (ahead && !field->hidden)
			rc |= json_object_set_new(object, field->key,
				field_pack(field, from, &context));
		json_object_del(left, field->key);
	}
	rc |= print_object_lines(out, object, others) |
	      print_object_lines(out, left, others);
	json_decref(object);
	json_decref(left);
	return rc;
}
