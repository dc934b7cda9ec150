#include "record/schema.h"

#include <string.h>

#include "record/pack.h"

/* The number in the name changes when the version of a format changes. */
#define SCHEMA_ID "urn:c2c:schema:1"

#define TYPES "#/$defs/"

static const char about_all[] =
	"JSON of c2c: records of the measuring commands, events of c2c watch, "
	"and the output of c2c info, analyze, compare and cl list. An unknown "
	"value is null. Within a version of a format, no key changes its "
	"meaning, its unit or the type of its values, and no required key "
	"disappears. New keys, words and statistics may appear. Readers should "
	"ignore unknown keys and words, and refuse a higher version, as c2c "
	"does. This schema is strict: it refuses keys that this version "
	"neither writes nor reads.";

#define PATTERN_OF_TIME "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$"

static json_t *schema_of(
	json_t *types, const struct record_field *field, enum field_kind kind);

static json_t *reference(json_t *types, const struct record_type *type);

static json_t *simple(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static json_t *whole_number(void)
{
	return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
}

/* Make the schema of a list with n items, or any number if n is 0. */
static json_t *list_of(json_t *items, int n)
{
	return n ? json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items",
			   items, "minItems", n, "maxItems", n)
		 : json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *or_null(json_t *schema)
{
	json_t *type = json_object_get(schema, "type");
	json_t *words = json_object_get(schema, "enum");

	if (words)
		json_array_append_new(words, json_null());
	else if (json_is_string(type))
		json_object_set_new(
			schema, "type", json_pack("[O, s]", type, "null"));
	else if (!type)
		schema = json_pack(
			"{s:[o, {s:s}]}", "anyOf", schema, "type", "null");
	return schema;
}

static json_t *one_of(const char *const *words)
{
	json_t *list = json_array();

	for (; *words; words++) {
		if (**words)
			pack_add(&list, json_string(*words));
	}
	return json_pack("{s:o}", "enum", list);
}

static json_t *number(double most)
{
	return most > 0 ? json_pack("{s:s, s:i, s:f}", "type", "number",
				  "minimum", 0, "maximum", most)
			: simple("number");
}

static json_t *schema_of(
	json_t *types, const struct record_field *field, enum field_kind kind)
{
	switch (kind) {
	case FIELD_TEXT:
		if (field->words)
			return one_of(field->words);
		return field->utc ? json_pack("{s:s, s:s}", "type", "string",
					    "pattern", PATTERN_OF_TIME)
				  : simple("string");
	case FIELD_FLAG:
	case FIELD_WORD:
		return field->words ? one_of(field->words) : simple("boolean");
	case FIELD_NUMBER:
		return number(field->most);
	case FIELD_COUNT:
	case FIELD_SIZE:
	case FIELD_INT:
	case FIELD_INT64:
		return whole_number();
	case FIELD_SWITCH:
		return simple("boolean");
	case FIELD_CPUS:
		return list_of(whole_number(), 0);
	case FIELD_PAIR:
		return list_of(or_null(simple("number")), 2);
	case FIELD_TRIPLE:
		return list_of(or_null(simple("number")), 3);
	case FIELD_VALUES:
		return list_of(or_null(simple("number")), 0);
	case FIELD_TEXTS:
		return list_of(field->bytes ? or_null(simple("string"))
					    : simple("string"),
			0);
	case FIELD_LIST:
		return list_of(reference(types, field->type), 0);
	case FIELD_GRID:
		return list_of(list_of(or_null(simple("number")), 0), 0);
	case FIELD_FACTS:
	case FIELD_INNER:
	case FIELD_WITHIN:
	case FIELD_BEHIND:
		return field->type ? reference(types, field->type)
				   : simple("object");
	case FIELD_SCALAR:
		return json_pack("{s:[s, s, s, s]}", "type", "boolean",
			"number", "string", "null");
	case FIELD_REST:
	case FIELD_MADE:
		break;
	}
	return NULL;
}

static json_t *describe_field(const struct record_field *field)
{
	const char *when = field->former ? "In older records: " : "";

	return field->unit ? json_sprintf("%s%s [%s]", when, field->about,
				     field->unit)
			   : json_sprintf("%s%s", when, field->about);
}

/* Return whether c2c may write null for a field. c2c omits optional fields. */
static bool may_be_null(const struct record_field *field)
{
	bool nullable = field->nullable || field->kind == FIELD_WITHIN;

	if (field->kind == FIELD_WORD || field->kind == FIELD_FLAG ||
		field->kind == FIELD_COUNT)
		nullable = false;
	for (size_t i = 0; field->words && field->words[i]; i++)
		nullable |= !*field->words[i];
	return nullable && (!field->optional || field->wanted);
}

static json_t *schema_of_field(json_t *types, const struct record_field *field)
{
	bool made = field->kind == FIELD_MADE;
	enum field_kind kind = made ? field->is : field->kind;
	json_t *schema = schema_of(types, field, kind);

	/* The array is not null, but its values may be null. */
	if (made && field->depth != FIELD_ONE ? field->nullable
					      : may_be_null(field))
		schema = or_null(schema);
	for (int i = FIELD_ONE; made && i < (int)field->depth; i++)
		schema = list_of(schema, 0);
	if (field->about)
		json_object_set_new(
			schema, "description", describe_field(field));
	return schema;
}

static json_t *empty_object(const char *about)
{
	json_t *object = simple("object");

	if (about)
		json_object_set_new(object, "description", json_string(about));
	json_object_set_new(object, "properties", json_object());
	json_object_set_new(object, "required", json_array());
	json_object_set_new(object, "additionalProperties", json_false());
	return object;
}

/* Return the schema of the inner object, which may be a type of its own. */
static json_t *inner_schema(
	json_t *types, json_t *object, const char *key, size_t n)
{
	json_t *all = json_object_get(object, "properties");
	char *name = strndup(key, n);
	json_t *inner = name ? json_object_get(all, name) : NULL;
	const char *type;

	if (name && !inner) {
		inner = empty_object(NULL);
		json_object_set_new(all, name, inner);
	}
	type = json_string_value(json_object_get(inner, "$ref"));
	free(name);
	return type ? json_object_get(types, type + strlen(TYPES)) : inner;
}

static void set_schema(json_t *object, const char *key, json_t *schema)
{
	const char *star = strchr(key, '*');
	json_t *patterns = json_object_get(object, "patternProperties");
	json_t *pattern;

	if (star == key) {
		json_object_set_new(object, "additionalProperties", schema);
		return;
	}
	if (!star) {
		json_object_set_new(
			json_object_get(object, "properties"), key, schema);
		return;
	}
	if (!patterns) {
		patterns = json_object();
		json_object_set_new(object, "patternProperties", patterns);
	}
	pattern = json_sprintf("^%.*s[A-Za-z0-9_]+$", (int)(star - key), key);
	json_object_set_new(patterns, json_string_value(pattern), schema);
	json_decref(pattern);
}

static bool is_required(const struct record_field *field)
{
	return !field->optional && !field->some && !field->later &&
	       !field->former && !field->old && !strchr(field->key, '*');
}

static void require(json_t *object, const char *key, size_t n)
{
	json_t *all = json_object_get(object, "required"), *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(one);

		if (strncmp(name, key, n) == 0 && name[n] == '\0')
			return;
	}
	json_array_append_new(all, json_stringn(key, n));
}

static void add_field(
	json_t *types, json_t *object, const struct record_field *field)
{
	const char *key = field->key, *dot = strchr(key, '.');
	json_t *schema = schema_of_field(types, field), *old;

	if (dot) {
		size_t n = (size_t)(dot - key);

		if (is_required(field))
			require(object, key, n);
		object = inner_schema(types, object, key, n);
		key = dot + 1;
	}
	set_schema(object, key, schema);
	if (is_required(field))
		require(object, key, strlen(key));
	if (!field->old)
		return;
	old = json_copy(schema);
	json_object_set_new(
		old, "description", json_sprintf("In older records: %s", key));
	set_schema(object, field->old, old);
}

static void add_fields(
	json_t *types, json_t *object, const struct record_field *field)
{
	for (; field && field->key; field++) {
		if (field->kind == FIELD_REST && field->type)
			add_fields(types, object, field->type->fields);
		else if (field->kind != FIELD_REST && !field->hidden)
			add_field(types, object, field);
	}
}

static void define(json_t *types, const struct record_type *type)
{
	json_t *object;

	if (json_object_get(types, type->name))
		return;
	object = empty_object(type->about);
	json_object_set_new(types, type->name, object);
	if (type->format) {
		json_t *all = json_object_get(object, "properties");

		json_object_set_new(all, "format",
			json_pack("{s:s}", "const", type->format));
		json_object_set_new(all, "version",
			type->version_of
				? json_pack("{s:s, s:i, s:i, s:s}", "type",
					  "integer", "minimum", 1, "maximum",
					  type->version, "description",
					  type->about_version)
				: json_pack("{s:i}", "const", type->version));
		json_object_set_new(object, "required",
			json_pack("[s, s]", "format", "version"));
	}
	add_fields(types, object, type->fields);
}

static json_t *reference(json_t *types, const struct record_type *type)
{
	define(types, type);
	return json_pack("{s:s+}", "$ref", TYPES, type->name);
}

/* Make the schema of a document whose outer object has this type. */
static json_t *case_of(json_t *types, const struct record_type *type)
{
	json_t *schema = reference(types, type);

	if (!type->format)
		return json_pack("{s:{s:s}, s:o}", "if", "type", "array",
			"then", list_of(schema, 0));
	return json_pack("{s:{s:s, s:{s:{s:s}}, s:[s]}, s:o}", "if", "type",
		"object", "properties", "format", "const", type->format,
		"required", "format", "then", schema);
}

char *record_schema(const struct record_type *const *types)
{
	json_t *defined = json_object(), *cases = json_array();
	json_t *formats = json_array();

	for (; *types; types++) {
		json_array_append_new(cases, case_of(defined, *types));
		if ((*types)->format)
			json_array_append_new(
				formats, json_string((*types)->format));
	}
	return pack_dump(json_pack(
		"{s:s, s:s, s:s, s:s, s:[s, s], s:{s:s}, s:{s:[s], "
		"s:{s:{s:o}}}, s:o, s:o}",
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"$id", SCHEMA_ID, "title", "JSON of c2c", "description",
		about_all, "type", "object", "array", "if", "type", "object",
		"then", "required", "format", "properties", "format", "enum",
		formats, "allOf", cases, "$defs", defined));
}
