#include "result/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"
#include "util/array.h"

static void list_release(struct record_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		facts_release(&list->rows[i]);
	free(list->rows);
	free(list->key);
}

void record_release(struct record *record)
{
	for (size_t i = 0; i < record->n_lists; i++)
		list_release(&record->lists[i]);
	free(record->lists);
	facts_release(&record->facts);
	*record = (struct record){0};
}

const struct record_list *record_find(
	const struct record *record, const char *key)
{
	static const struct record_list none;

	for (size_t i = 0; record && i < record->n_lists; i++) {
		if (strcmp(record->lists[i].key, key) == 0)
			return &record->lists[i];
	}
	return &none;
}

const char *record_text(const struct record_list *list, size_t i)
{
	const char *text = facts_text(&list->rows[i], "");

	return text ? text : "?";
}

/* The list under a key, made where there is none; NULL: no memory. */
static struct record_list *need_list(
	struct record *record, const char *key, bool of_texts)
{
	struct record_list *lists =
		(struct record_list *)record_find(record, key);
	char *copy;

	if (lists->key)
		return lists;
	lists = reallocarray(
		record->lists, record->n_lists + 1, sizeof(*lists));
	copy = strdup(key);
	if (lists)
		record->lists = lists;
	if (!lists || !copy) {
		free(copy);
		record->facts.failed = true;
		return NULL;
	}
	lists += record->n_lists++;
	*lists = (struct record_list){.key = copy, .of_texts = of_texts};
	return lists;
}

static void add(
	struct record *record, const char *key, struct facts *row, bool is_text)
{
	struct record_list *list = need_list(record, key, is_text);
	bool room = list && array_grow(&list->rows, list->n, sizeof(*row));

	record->facts.failed |= row->failed || !room;
	if (room) {
		list->rows[list->n++] = *row;
	} else {
		facts_release(row);
	}
	*row = (struct facts){0};
}

void record_add(struct record *record, const char *key, struct facts *row)
{
	add(record, key, row, false);
}

void record_say(struct record *record, const char *key, const char *text)
{
	struct facts row = {0};

	facts_set_text(&row, "", text);
	add(record, key, &row, true);
}

void record_add_list(struct record *record, const char *key)
{
	need_list(record, key, true);
}

void record_nest(
	struct record *record, const char *key, const struct facts *facts)
{
	if (facts->n)
		facts_set_json(
			&record->facts, key, json_deep_copy(facts->object));
}

bool run_facts_add_test(struct run_facts *run, struct record *test)
{
	if (!array_grow(&run->tests, run->n_tests, sizeof(*test)))
		return false;
	run->tests[run->n_tests++] = *test;
	*test = (struct record){0};
	return true;
}

static json_t *pack_list(const struct record_list *list)
{
	json_t *array = json_array();
	int rc = array ? 0 : -1;

	for (size_t i = 0; i < list->n && rc == 0; i++)
		rc = json_array_append_new(array,
			list->of_texts ? json_string(record_text(list, i))
				       : facts_pack(&list->rows[i]));
	if (rc == 0)
		return array;
	json_decref(array);
	return NULL;
}

json_t *record_pack(const struct record *record)
{
	json_t *object = record->facts.object ? json_copy(record->facts.object)
					      : json_object();
	int rc = record->facts.failed ? -1 : 0;

	for (size_t i = 0; i < record->n_lists && rc == 0; i++)
		rc = json_object_set_new(object, record->lists[i].key,
			pack_list(&record->lists[i]));
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

/* Whether all items are sentences, or all are objects. */
static bool is_list(const json_t *value)
{
	const json_t *item;
	size_t i, texts = 0, objects = 0;

	json_array_foreach(value, i, item)
	{
		texts += json_is_string(item);
		objects += json_is_object(item);
	}
	return json_is_array(value) && (texts == i || objects == i);
}

static void take_list(struct record *record, const char *key, json_t *value)
{
	json_t *item;
	size_t i;

	if (json_array_size(value) == 0)
		record_add_list(record, key);
	json_array_foreach(value, i, item)
	{
		struct facts row = {0};

		if (json_is_string(item)) {
			record_say(record, key, json_string_value(item));
			continue;
		}
		facts_unpack(&row, item);
		record_add(record, key, &row);
	}
}

int record_unpack(struct record *record, json_t *object)
{
	json_t *rest = json_copy(object);
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		if (is_list(value)) {
			take_list(record, key, value);
			json_object_del(rest, key);
		}
	}
	facts_unpack(&record->facts, rest);
	json_decref(rest);
	return record->facts.failed ? -ENOMEM : 0;
}

int record_write(const struct record *record, FILE *out)
{
	json_t *object = record_pack(record);
	int rc = object ? json_dumpf(
				  object, out, JSON_COMPACT | FORMAT_JSON_FLAGS)
			: -1;

	json_decref(object);
	return rc == 0 && putc('\n', out) != EOF ? 0 : -EIO;
}

int record_read(struct record *record, const char *text, size_t bytes)
{
	json_t *object = json_loadb(text, bytes, 0, NULL);
	int rc = json_is_object(object) ? record_unpack(record, object)
					: -EINVAL;

	json_decref(object);
	return rc;
}

int record_print_list(
	const struct record_list *list, FILE *out, struct error *err)
{
	json_t *array = pack_list(list);
	int rc = format_print(array, out, err);

	json_decref(array);
	return rc;
}
