/*
 * The schema says of each row what its kind is, whether it may be null, and
 * whether it is always there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "record/schema.h"

struct sample {
	char *name;
	double rate;
	unsigned count;
	double pair[2];
};

static const char *const words[] = {"near", "", "far", NULL};

static const struct record_field inner_rows[] = {
	FACT(FLAG, "set", "Whether it is set"),
	{0},
};

static FACTS_TYPE(inner, "What is within");

static const struct record_field sample_rows[] = {
	ROW(sample, TEXT, name, "name", "Its name"),
	ROW_OR_NULL(sample, NUMBER, rate, "rate", "Its rate", .unit = "GiB/s"),
	ROW(sample, COUNT, count, "count", "How many", .optional = true),
	ROW(sample, PAIR, pair, "pair", "Both ends", .later = true),
	FACT(TEXT, "place", "Where", .words = words),
	FACT(TEXT, "today", "A name", .old = "once"),
	FACT_OBJECT(inner_type, "inner", "An object"),
	FACT_OBJECT(inner_type, "some_*", "Objects"),
	FACT(NUMBER, "agreement.halves", "Of halves"),
	FACT_OR_NULL(TEXT, "agreement.why", "Why", .some = true),
	FACT_OR_NULL(TEXT, "never_null", "Absent then", .optional = true),
	FACT(FLAG, "was", "A flag", .former = true),
	{0},
};

static const struct record_type sample_type = {
	.name = "sample",
	.about = "A sample",
	.format = "c2c-sample",
	.version = 3,
	.fields = sample_rows,
	.bytes = sizeof(struct sample),
};

/* The schema has this under a key. */
static void assert_part(json_t *schema, const char *key, const char *expected)
{
	json_t *part = json_object_get(schema, key);
	json_t *wanted = json_loads(expected, JSON_DECODE_ANY, NULL);

	assert_non_null(wanted);
	if (!json_equal(part, wanted)) {
		char *found = json_dumps(part, JSON_ENCODE_ANY);

		fail_msg("%s: %s", key, found);
	}
	json_decref(wanted);
}

static json_t *load_schema(const struct record_type *const *types)
{
	char *text = record_schema(types);
	json_t *schema = json_loads(text, 0, NULL);

	free(text);
	assert_non_null(schema);
	return schema;
}

static void each_row_becomes_a_property(void **state)
{
	const struct record_type *const types[] = {&sample_type, NULL};
	json_t *schema = load_schema(types), *sample, *keys;

	(void)state;
	sample = json_object_get(json_object_get(schema, "$defs"), "sample");
	keys = json_object_get(sample, "properties");
	assert_part(sample, "additionalProperties", "false");
	assert_part(sample, "required",
		"[\"format\", \"version\", \"name\", \"rate\", \"place\", "
		"\"inner\", \"agreement\"]");
	assert_part(keys, "format", "{\"const\": \"c2c-sample\"}");
	assert_part(keys, "version", "{\"const\": 3}");
	assert_part(keys, "name",
		"{\"type\": \"string\", \"description\": \"Its name\"}");
	assert_part(keys, "rate",
		"{\"type\": [\"number\", \"null\"],"
		" \"description\": \"Its rate [GiB/s]\"}");
	assert_part(keys, "count",
		"{\"type\": \"integer\", \"minimum\": 0,"
		" \"description\": \"How many\"}");
	assert_part(keys, "pair",
		"{\"type\": \"array\", \"items\": {\"type\": [\"number\","
		" \"null\"]}, \"minItems\": 2, \"maxItems\": 2,"
		" \"description\": \"Both ends\"}");
	assert_part(keys, "place",
		"{\"enum\": [\"near\", \"far\", null],"
		" \"description\": \"Where\"}");
	assert_part(keys, "once",
		"{\"type\": \"string\","
		" \"description\": \"In older records: today\"}");
	assert_part(keys, "inner",
		"{\"$ref\": \"#/$defs/inner\", \"description\": \"An "
		"object\"}");
	assert_part(sample, "patternProperties",
		"{\"^some_[A-Za-z0-9_]+$\": {\"$ref\": \"#/$defs/inner\","
		" \"description\": \"Objects\"}}");
	assert_part(json_object_get(
			    json_object_get(keys, "agreement"), "properties"),
		"halves",
		"{\"type\": \"number\", \"description\": \"Of halves\"}");
	assert_part(
		json_object_get(keys, "agreement"), "required", "[\"halves\"]");
	assert_part(json_object_get(
			    json_object_get(keys, "agreement"), "properties"),
		"why",
		"{\"type\": [\"string\", \"null\"],"
		" \"description\": \"Why\"}");
	assert_part(keys, "never_null",
		"{\"type\": \"string\","
		" \"description\": \"Absent then\"}");
	assert_part(keys, "was",
		"{\"type\": \"boolean\","
		" \"description\": \"In older records: A flag\"}");
	json_decref(schema);
}

static void a_document_is_judged_by_its_format(void **state)
{
	const struct record_type *const types[] = {
		&sample_type, &inner_type, NULL};
	json_t *schema = load_schema(types);

	(void)state;
	assert_part(schema, "allOf",
		"[{\"if\": {\"type\": \"object\", \"properties\": {\"format\":"
		" {\"const\": \"c2c-sample\"}}, \"required\": [\"format\"]},"
		" \"then\": {\"$ref\": \"#/$defs/sample\"}},"
		" {\"if\": {\"type\": \"array\"}, \"then\": {\"type\":"
		" \"array\", \"items\": {\"$ref\": \"#/$defs/inner\"}}}]");
	json_decref(schema);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_row_becomes_a_property),
	cmocka_unit_test(a_document_is_judged_by_its_format),
};

CASE_GROUP(cases);
