#include "record/pack.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

const char *format_number(
	struct number_text *number, double value, const char *missing)
{
	double size = fabs(value);
	/*
	 * A double holds every whole number below 10^15. "%.6g" would print
	 * numbers from 10^6 with an exponent, but the same number without one
	 * in a copy of the record.
	 */
	bool whole = size < 1e15 - 0.5 &&
		     (value == trunc(value) || size >= 1e6 - 0.5);

	if (!isfinite(value))
		return missing;
	/* Add 0, because -0 + 0 is 0. */
	snprintf(number->text, sizeof(number->text), whole ? "%.0f" : "%.6g",
		value + 0.0);
	return number->text;
}

json_t *format_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *pack_rounded(double value, int digits)
{
	char text[32];

	if (!isfinite(value) || digits == 0)
		return format_real(value);
	snprintf(text, sizeof(text), "%.*g", digits, value);
	return json_real(strtod(text, NULL));
}

json_t *pack_any_text(const char *text)
{
	json_t *string = json_string(text);

	return string ? string : json_null();
}

json_t *pack_shown_text(const char *text)
{
	char *shown = text ? text_show_bytes(text) : NULL;
	json_t *string = text ? json_string(shown) : json_null();

	free(shown);
	return string;
}

void pack_add(json_t **array, json_t *item)
{
	if (json_array_append_new(*array, item) == 0)
		return;
	json_decref(*array);
	*array = NULL;
}

json_t *format_pack_cpus(const struct cpu_list *cpus)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cpus->n; i++)
		pack_add(&array, json_integer(cpus->cpus[i]));
	return array;
}

static json_t *pack_values(
	const double *values, size_t n, const struct pack_context *context)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		pack_add(&array, pack_rounded(values[i], context->digits));
	return array;
}

static json_t *pack_text(const struct record_field *field, const char *text)
{
	if (!text)
		return json_null();
	return field->bytes ? pack_any_text(text) : json_string(text);
}

static json_t *pack_texts(
	const struct record_field *field, char *const *texts, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		pack_add(&array, pack_text(field, texts[i]));
	return array;
}

static json_t *pack_list(const struct record_field *field, const char *items,
	size_t n, const struct pack_context *context)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		pack_add(&array,
			pack_struct(field->type, items + i * field->type->bytes,
				context));
	return array;
}

/* Make an object from an inner struct, or null if the struct is empty. */
static json_t *pack_within(const struct record_field *field, const void *from,
	const struct pack_context *context)
{
	json_t *object = pack_struct(
		field->type, (const char *)from + field->at, context);

	if (!field->nullable || !object || json_object_size(object) > 0)
		return object;
	json_decref(object);
	return json_null();
}

/* Make an object from members of the same struct, or behind a pointer. */
static json_t *pack_object(const struct record_field *field, const void *from,
	const struct pack_context *context)
{
	const void *behind = *(void *const *)((const char *)from + field->at);

	if (field->nullable && !behind)
		return json_null();
	return pack_struct(field->type,
		field->kind == FIELD_BEHIND ? behind : from, context);
}

static json_t *pack_word(const char *word)
{
	return *word ? json_string(word) : json_null();
}

json_t *field_pack(const struct record_field *field, const void *from,
	const struct pack_context *context)
{
	const void *at = (const char *)from + field->at;
	const char *const *words = field->words;
	size_t n = field_count(field, from);
	double number;
	int64_t count;
	int state;

	switch (field->kind) {
	case FIELD_TEXT:
		return pack_text(field, *(char *const *)at);
	case FIELD_FLAG:
		return words ? pack_word(words[*(const bool *)at])
			     : json_boolean(*(const bool *)at);
	case FIELD_NUMBER:
		number = *(const double *)at;
		if (field->parts)
			number = round(number * field->parts) / field->parts;
		return pack_rounded(number, context->digits);
	case FIELD_COUNT:
		return json_integer(*(const unsigned *)at);
	case FIELD_SIZE:
		return *(const size_t *)at == SIZE_MAX
			       ? json_null()
			       : json_integer(
					 (json_int_t) * (const size_t *)at);
	case FIELD_INT:
		state = *(const int *)at;
		return state < 0 ? json_null() : json_integer(state);
	case FIELD_INT64:
		count = *(const int64_t *)at;
		return count < 0 ? json_null() : json_integer(count);
	case FIELD_SWITCH:
		state = *(const int *)at;
		return state < 0 ? json_null() : json_boolean(state);
	case FIELD_WORD:
		return pack_word(words[*(const unsigned *)at]);
	case FIELD_CPUS:
		return format_pack_cpus(at);
	case FIELD_FACTS:
	case FIELD_REST:
		return facts_pack(at);
	case FIELD_TRIPLE:
		return pack_values(at, 3, context);
	case FIELD_PAIR:
		return pack_values(at, 2, context);
	case FIELD_VALUES:
		if (field->nullable && !*(double *const *)at)
			return json_null();
		return pack_values(*(double *const *)at, n, context);
	case FIELD_TEXTS:
		return pack_texts(field, *(char *const *const *)at, n);
	case FIELD_LIST:
		return pack_list(field, *(const char *const *)at, n, context);
	case FIELD_INNER:
	case FIELD_BEHIND:
		return pack_object(field, from, context);
	case FIELD_WITHIN:
		return pack_within(field, from, context);
	case FIELD_MADE:
		return field->make(from, context);
	case FIELD_GRID:
	case FIELD_SCALAR:
		break;
	}
	return NULL;
}

bool field_is_left_out(
	const struct record_field *field, const void *from, const json_t *value)
{
	return field->optional && !(field->wanted && field->wanted(from)) &&
	       (json_is_null(value) ||
		       (json_is_false(value) && field->kind != FIELD_SWITCH) ||
		       (json_is_array(value) && json_array_size(value) == 0) ||
		       (json_is_object(value) && json_object_size(value) == 0));
}

int pack_unknown_keys(json_t *object, json_t *unknown)
{
	json_t *value, *known;
	const char *key;
	int rc = 0;

	json_object_foreach(unknown, key, value)
	{
		known = json_object_get(object, key);
		if (json_object_size(known) == 0 || !json_is_object(value)) {
			rc |= json_object_set(object, key, value);
			continue;
		}
		/* Change only a copy, because the facts own the object. */
		known = json_copy(known);
		rc |= json_object_update(known, value);
		rc |= json_object_set_new(object, key, known);
	}
	return rc;
}

static void pack_field(struct facts *out, const struct record_field *field,
	const void *from, const struct pack_context *context)
{
	json_t *value = field_pack(field, from, context);

	if (field->kind == FIELD_REST && value) {
		out->failed |= pack_unknown_keys(out->object, value) < 0;
	} else if (!value || !field_is_left_out(field, from, value)) {
		facts_set_json(out, field->key, value);
		return;
	}
	json_decref(value);
}

json_t *pack_struct(const struct record_type *type, const void *from,
	const struct pack_context *up)
{
	struct pack_context context = {
		.root = up ? up->root : from,
		.up = up,
		.from = from,
		.digits = up ? up->digits : 0,
	};
	struct facts out = {.object = json_object()};

	if (type->format) {
		facts_set_text(&out, "format", type->format);
		facts_set_count(&out, "version", type_version(type, from));
	}
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		context.field = field;
		if (!field->hidden)
			pack_field(&out, field, from, &context);
	}
	if (out.failed)
		facts_release(&out);
	return out.object;
}

json_t *record_to_json(
	const struct record_type *type, const void *from, int digits)
{
	/* This context above the outermost struct only sets the digits. */
	struct pack_context context = {.root = from, .digits = digits};

	return pack_struct(type, from, &context);
}

char *record_to_text(
	const struct record_type *type, const void *from, int digits)
{
	return pack_dump(record_to_json(type, from, digits));
}

static char *dump_with(json_t *json, size_t flags)
{
	char *text = json_dumps(json, flags | FORMAT_JSON_FLAGS);
	char *lines = text ? text_format("%s\n", text) : NULL;

	free(text);
	json_decref(json);
	return lines;
}

char *record_to_line(const struct record_type *type, const void *from)
{
	return dump_with(record_to_json(type, from, 0), JSON_COMPACT);
}

char *pack_dump(json_t *json)
{
	return dump_with(json, JSON_INDENT(2));
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

int pack_write_line(json_t *json, FILE *out)
{
	int rc = json_dumpf(json, out, JSON_COMPACT | FORMAT_JSON_FLAGS);

	json_decref(json);
	return rc == 0 && putc('\n', out) != EOF ? 0 : -EIO;
}
