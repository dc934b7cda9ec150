#include "result/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/fields.h"
#include "result/file.h"
#include "util/array.h"
#include "util/text.h"

void record_release(struct record *record)
{
	facts_release(&record->facts);
}

struct record_list record_find_list(
	const struct record *record, const char *key)
{
	const json_t *items = facts_value(&record->facts, key);

	return (struct record_list){items, json_array_size(items)};
}

struct facts record_list_row(const struct record_list *list, size_t i)
{
	json_t *item = json_array_get(list->items, i);

	return (struct facts){.object = item, .n = json_object_size(item)};
}

const char *record_list_text(const struct record_list *list, size_t i)
{
	const char *text = json_string_value(json_array_get(list->items, i));

	return text ? text : "?";
}

void record_add_list(struct record *record, const char *key)
{
	if (!json_is_array(facts_value(&record->facts, key)))
		facts_set_json(&record->facts, key, json_array());
}

/* Append item to the list under key. The list owns item. */
static void append_record_item(
	struct record *record, const char *key, json_t *item)
{
	record_add_list(record, key);
	if (json_array_append_new(facts_value(&record->facts, key), item) < 0)
		record->facts.failed = true;
}

void record_add_row(struct record *record, const char *key, struct facts *row)
{
	append_record_item(record, key, facts_pack(row));
	facts_release(row);
}

void record_add_text(struct record *record, const char *key, const char *text)
{
	bool good = text && !text_flaw(text, false);

	record->facts.failed |= !text;
	append_record_item(record, key, json_string(good ? text : "?"));
}

void record_add_object(
	struct record *record, const char *key, const struct facts *facts)
{
	if (facts->n)
		facts_set_json(
			&record->facts, key, json_deep_copy(facts->object));
}

struct facts record_object(const struct record *record, const char *key)
{
	json_t *object = facts_value(&record->facts, key);

	if (!json_is_object(object))
		object = NULL;
	return (struct facts){.object = object, .n = json_object_size(object)};
}

bool run_facts_add_test(struct run_facts *run, struct record *test)
{
	if (!array_grow(&run->tests, run->n_tests, sizeof(*test)))
		return false;
	run->tests[run->n_tests++] = *test;
	*test = (struct record){0};
	return true;
}

int record_write(const struct record *record, FILE *out)
{
	return pack_write_line(record_to_json(&test_type, record, 0), out);
}

int record_read(struct record *record, const char *text, size_t bytes)
{
	return facts_parse(&record->facts, text, bytes);
}

int record_print_list(
	const struct record_list *list, FILE *out, struct error *err)
{
	if (list->items)
		return format_print(list->items, out, err);
	return fputs("[]\n", out) < 0 ? -EIO : 0;
}
