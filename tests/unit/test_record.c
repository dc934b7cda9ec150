/* Tables: every kind of field is written, read, copied, compared, released. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "record/copy.h"
#include "record/print.h"
#include "record/unpack.h"
#include "result/fields.h"
#include "result/runs.h"
#include "sample.h"

struct thing {
	char *text, *no_text;
	bool flag, better;
	double number, limited;
	unsigned count, word, low_word;
	size_t size;
	int64_t big, no_big;
	int on;
	struct cpu_list cpus;
	struct facts facts;
	double triple[3], pair[2];
	double *values, *grid;
	size_t n_values;
	char **texts;
	size_t n_texts;
	struct item {
		char *name;
		struct facts rest;
	} * items, *behind, within;
	size_t n_items;
	char *inner_text;
	char *secret;
	struct facts rest;
};

static const char *const words[] = {"low", "high", "", NULL};

static const struct record_field item_rows[] = {
	ROW(item, TEXT, name, "name", "Its name"),
	ROW_REST(item, rest),
	{0},
};

static RECORD_TYPE(item, item, "A thing within");

static const struct record_field inner_rows[] = {
	ROW(thing, TEXT, inner_text, "text", "A text"),
	{0},
};

static const struct record_type inner_type = {
	.name = "inner", .fields = inner_rows};

/* A file has as many values as its "count" says. */
static void begin_thing(const struct record_node *node, void *into)
{
	struct record_node count = node_member(node, "n_values");
	struct thing *thing = into;

	thing->n_values = (size_t)json_integer_value(count.value);
	thing->grid = calloc(
		thing->n_values * thing->n_values + 1, sizeof(*thing->grid));
}

static const struct record_field thing_rows[] = {
	ROW(thing, TEXT, text, "text", "A text"),
	ROW_OR_NULL(thing, TEXT, no_text, "no_text", "A missing text"),
	ROW(thing, FLAG, flag, "flag", "A flag"),
	ROW(thing, FLAG, better, "better", "One of two", .words = words),
	ROW_OR_NULL(thing, NUMBER, number, "number", "A number"),
	ROW(thing, NUMBER, limited, "limited", "Of two decimals", .most = 10,
		.parts = 100),
	ROW(thing, COUNT, count, "count", "A count", .most = 100),
	ROW(thing, WORD, word, "word", "A word", .words = words),
	ROW_OR_NULL(
		thing, WORD, low_word, "low_word", "No word", .words = words),
	ROW_OR_NULL(thing, SIZE, size, "size", "A size"),
	ROW_OR_NULL(thing, INT64, big, "big", "A large number"),
	ROW_OR_NULL(thing, INT64, no_big, "no_big", "A missing one"),
	ROW_OR_NULL(thing, SWITCH, on, "on", "A switch"),
	ROW(thing, CPUS, cpus, "cpus", "CPUs", .most = 3),
	ROW_OR_NULL(thing, FACTS, facts, "facts", "Facts"),
	ROW(thing, TRIPLE, triple, "triple", "Three numbers"),
	ROW(thing, PAIR, pair, "pair", "Two numbers"),
	ROW(thing, SIZE, n_values, "n_values", "How many values"),
	ROW_VALUES(thing, n_values, values, "values", "Values"),
	ROW(thing, GRID, grid, "grid", "Rows of values",
		.count = offsetof(struct thing, n_values),
		.columns = offsetof(struct thing, n_values)),
	ROW(thing, TEXTS, texts, "texts", "Texts",
		.count = offsetof(struct thing, n_texts)),
	ROW_LIST(thing, item_type, items, "items", "Things", .most = 2),
	ROW_OR_NULL(
		thing, BEHIND, behind, "behind", "A thing", .type = &item_type),
	ROW(thing, WITHIN, within, "within", "A thing", .type = &item_type),
	ROW_INNER(inner_type, "inner", "A part"),
	ROW(thing, TEXT, secret, "", NULL, .hidden = true),
	ROW_REST(thing, rest),
	{0},
};

static RECORD_TYPE(thing, thing, "a thing", .format = "c2c-thing", .version = 2,
	.begin = begin_thing);

#define THING                                                                  \
	"{\n"                                                                  \
	"  \"format\": \"c2c-thing\",\n"                                       \
	"  \"version\": 2,\n"                                                  \
	"  \"text\": \"a\",\n"                                                 \
	"  \"no_text\": null,\n"                                               \
	"  \"flag\": true,\n"                                                  \
	"  \"better\": \"high\",\n"                                            \
	"  \"number\": -2.5,\n"                                                \
	"  \"limited\": 1.25,\n"                                               \
	"  \"count\": 7,\n"                                                    \
	"  \"word\": \"high\",\n"                                              \
	"  \"low_word\": \"low\",\n"                                           \
	"  \"size\": 1099511627776,\n"                                         \
	"  \"big\": 4611686018427387904,\n"                                    \
	"  \"no_big\": null,\n"                                                \
	"  \"on\": true,\n"                                                    \
	"  \"cpus\": [3, 1, 2],\n"                                             \
	"  \"facts\": {\n    \"hz\": 5\n  },\n"                                \
	"  \"triple\": [\n    1.5,\n    null,\n    2.5\n  ],\n"                \
	"  \"pair\": [\n    0.5,\n    0.75\n  ],\n"                            \
	"  \"n_values\": 2,\n"                                                 \
	"  \"values\": [1, null],\n"                                           \
	"  \"grid\": [\n      [1, 2],\n      [3, 4]\n     ],\n"                \
	"  \"texts\": [\n    \"b\",\n    \"c\",\n    \"d\"\n  ],\n"            \
	"  \"items\": [\n"                                                     \
	"    {\"name\": \"e\"},\n"                                             \
	"    {\"name\": \"f\", \"new\": [1]}\n"                                \
	"  ],\n"                                                               \
	"  \"behind\": {\n    \"name\": \"g\",\n    \"other\": 1\n  },\n"      \
	"  \"within\": {\n    \"name\": \"h\"\n  },\n"                         \
	"  \"inner\": {\n    \"text\": \"i\",\n    \"more\": 2\n  },\n"        \
	"  \"unknown\": {\n    \"x\": 1\n  }\n"                                \
	"}"

static size_t read_file(void *buffer, size_t room, void *in)
{
	return fread(buffer, 1, room, in);
}

static int read_thing(struct thing *thing, const char *text, struct error *err)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int rc;

	struct_init(&thing_type, thing);
	rc = unpack_stream(&thing_type, thing, read_file, in, err);
	fclose(in);
	return rc;
}

static void assert_thing_prints(const struct thing *thing, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_int_equal(print_struct(&thing_type, thing, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void every_kind_is_read_and_written(void **state)
{
	struct thing thing;
	struct error err = {.text = ""};

	(void)state;
	assert_int_equal(read_thing(&thing, THING, &err), 0);
	assert_string_equal(thing.texts[2], "d");
	assert_true(isnan(thing.triple[1]));
	assert_int_equal(thing.no_big, -1);
	assert_true(thing.big == INT64_C(4611686018427387904));
	assert_int_equal(thing.n_items, 2);
	assert_int_equal(thing.items[0].rest.n, 0);
	assert_int_equal(thing.items[1].rest.n, 1);
	assert_thing_prints(&thing, THING);
	thing.limited = 1.2549;
	assert_thing_prints(&thing, THING);
	struct_release(&thing_type, &thing);
	assert_null(thing.texts);
	assert_true(isnan(thing.number));
}

/* One change to the text each: old, new, message. */
static void what_is_wrong_is_named(void **state)
{
	static const char *const cases[][3] = {
		{THING, "[]", "found an array, expected an object: a thing"},
		{"\"c2c-thing\"", "\"c2c-x\"",
			"format: found 'c2c-x', expected 'c2c-thing'"},
		{"\"version\": 2", "\"version\": 3",
			"version: found 3, expected at most 2: a newer c2c "
			"wrote this file, update c2c to read it"},
		{"\"limited\": 1.25", "\"limited\": 11",
			"limited: found 11, expected a number from 0 to 10"},
		{"\"count\": 7", "\"count\": 7.5",
			"count: found 7.5, expected a whole number from 0 to "
			"100"},
		{"\"on\": true", "\"on\": 1",
			"on: found a number, expected true or false or null"},
		{"[3, 1, 2]", "[3, 1, 2, 4]",
			"cpus: found 4 CPUs, expected at most 3"},
		{"    2.5\n", "    2.5, 1\n",
			"triple: found 4 values, expected 3: middle, low and "
			"high"},
		{"    0.75\n", "    0.75, 1\n",
			"pair: found 3 values, expected 2: low and high"},
		{"\"c\"", "3", "texts[1]: found a number, expected a string"},
		{"{\"name\": \"e\"}", "{\"name\": \"e\"}, {\"name\": \"e\"}",
			"items: found 3 items, expected at most 2"},
		{"\"e\"", "null",
			"items[0].name: found null, expected a string"},
		{"\"g\"", "[]",
			"behind.name: found an array, expected a string"},
		{"\"h\"", "0",
			"within.name: found a number, expected a string"},
		{"\"i\"", "{}",
			"inner.text: found an object, expected a string"},
		{"\"x\": 1", "\"x\\u0007\": 1",
			"an unknown key: found control characters, expected "
			"text without control characters"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = sample_replace(THING, cases[i][0], cases[i][1]);
		struct error err = {.text = ""};
		struct thing thing;

		assert_int_equal(read_thing(&thing, text, &err), -EINVAL);
		assert_string_equal(err.text, cases[i][2]);
		struct_release(&thing_type, &thing);
		free(text);
	}
}

/* Lists of a copy grow as those of the original do. */
static void a_copy_owns_all_it_has(void **state)
{
	struct thing thing, copy;

	(void)state;
	assert_int_equal(read_thing(&thing, THING, NULL), 0);
	thing.secret = strdup("s");
	assert_true(struct_copy(&thing_type, &copy, &thing));
	assert_true(struct_same(&thing_type, &copy, &thing));
	assert_ptr_not_equal(copy.secret, thing.secret);
	facts_set_count(&thing.facts, "hz", 6);
	struct_release(&thing_type, &thing);
	assert_thing_prints(&copy, THING);
	assert_string_equal(copy.secret, "s");
	assert_int_equal(cpu_list_add(&copy.cpus, 9, NULL), 0);
	assert_int_equal(cpu_list_add(&copy.cpus, 8, NULL), 0);
	struct_release(&thing_type, &copy);
}

static void every_difference_is_seen(void **state)
{
	static const char *const changes[][2] = {{"\"a\"", "\"A\""},
		{"\"no_text\": null", "\"no_text\": \"\""},
		{"\"flag\": true", "\"flag\": false"},
		{"\"better\": \"high\"", "\"better\": \"low\""},
		{"-2.5", "null"}, {"1.25", "1.5"}, {"7", "8"},
		{"\"word\": \"high\"", "\"word\": \"low\""},
		{"\"size\": 1099511627776", "\"size\": null"},
		{"4611686018427387904", "4611686018427387903"},
		{"\"on\": true", "\"on\": null"}, {"3, 1, 2", "3, 2, 1"},
		{"\"hz\": 5", "\"hz\": 6"}, {"    1.5", "    1.6"},
		{"0.75", "0.7"}, {"[1, null]", "[1, 2]"}, {"[3, 4]", "[3, 5]"},
		{"\"c\"", "\"C\""}, {"\"e\"", "\"E\""},
		{"\"new\": [1]", "\"new\": [2]"}, {"\"g\"", "\"G\""},
		{"\"h\"", "\"H\""}, {"\"i\"", "\"I\""},
		{"\"more\": 2", "\"more\": 3"}, {"\"x\": 1", "\"x\": 2"}};
	struct thing thing, other;

	(void)state;
	assert_int_equal(read_thing(&thing, THING, NULL), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		char *text =
			sample_replace(THING, changes[i][0], changes[i][1]);

		assert_int_equal(read_thing(&other, text, NULL), 0);
		if (struct_same(&thing_type, &thing, &other))
			fail_msg("%s is the same", changes[i][1]);
		struct_release(&thing_type, &other);
		free(text);
	}
	struct_release(&thing_type, &thing);
}

static int check_record(
	const char *path, const struct stat *st, int type, struct FTW *place)
{
	const char *dot = strrchr(path, '.');
	struct result result, back, copy;
	struct error err;
	char *text, *again;

	(void)st;
	(void)place;
	if (type != FTW_F || !dot || strcmp(dot, ".json") != 0 ||
		result_load_whole(&result, path, &err) < 0)
		return 0;
	text = sample_text(&result, result_write_json);
	if (sample_read(&back, text, &err) < 0)
		fail_msg("%s, written and read: %s", path, err.text);
	again = sample_text(&back, result_write_json);
	if (strcmp(text, again) != 0)
		fail_msg("%s is written in another way again", path);
	result_release(&back);
	free(again);
	assert_true(struct_copy(&result_type, &copy, &result));
	assert_true(struct_same(&result_type, &copy, &result));
	result_release(&result);
	again = sample_text(&copy, result_write_json);
	assert_string_equal(again, text);
	result_release(&copy);
	free(text);
	free(again);
	return 0;
}

/* Of data/ and of the tests. */
static void records_are_written_again_as_they_are(void **state)
{
	static const char *const folders[] = {"data", "tests"};
	const char *srcdir = getenv("srcdir");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", srcdir ? srcdir : ".",
			folders[i]);
		assert_int_equal(nftw(path, check_record, 8, FTW_PHYS), 0);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_kind_is_read_and_written),
	cmocka_unit_test(what_is_wrong_is_named),
	cmocka_unit_test(a_copy_owns_all_it_has),
	cmocka_unit_test(every_difference_is_seen),
	cmocka_unit_test(records_are_written_again_as_they_are),
};

CASE_GROUP(cases);
