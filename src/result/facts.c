#include "result/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/format.h"
#include "util/array.h"
#include "util/text.h"

static void fact_release(struct fact *fact)
{
	free(fact->key);
	free(fact->text);
}

void facts_release(struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		fact_release(&facts->items[i]);
	free(facts->items);
	*facts = (struct facts){.n = 0};
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
	for (size_t i = 0; i < facts->n; i++) {
		if (strcmp(facts->items[i].key, key) == 0)
			return &facts->items[i];
	}
	return NULL;
}

/* Take over value, whose text is owned, as the last fact. */
static void append(struct facts *facts, const char *key, struct fact value)
{
	value.key = strdup(key);
	if (value.key && array_grow(&facts->items, facts->n, sizeof(value))) {
		facts->items[facts->n++] = value;
		return;
	}
	facts->failed = true;
	fact_release(&value);
}

/* The same in place of what is under the key. */
static void put(struct facts *facts, const char *key, struct fact value)
{
	struct fact *old = (struct fact *)facts_find(facts, key);

	if (!old) {
		append(facts, key, value);
		return;
	}
	free(old->text);
	value.key = old->key;
	*old = value;
}

/* The text of a fact, copied; *failed without memory. */
static struct fact text_fact(
	enum fact_kind kind, const char *text, bool *failed)
{
	struct fact fact = {.kind = kind, .text = strdup(text)};

	if (!fact.text) {
		fact.kind = FACT_UNKNOWN;
		*failed = true;
	}
	return fact;
}

static struct fact number_fact(double number)
{
	return (struct fact){
		.kind = isfinite(number) ? FACT_NUMBER : FACT_UNKNOWN,
		.number = number};
}

static struct fact count_fact(int64_t count)
{
	return (struct fact){
		.kind = FACT_COUNT, .count = count, .number = (double)count};
}

void facts_set_unknown(struct facts *facts, const char *key)
{
	put(facts, key, (struct fact){.kind = FACT_UNKNOWN});
}

void facts_set_text(struct facts *facts, const char *key, const char *text)
{
	if (text && !text_flaw(text, false))
		put(facts, key, text_fact(FACT_TEXT, text, &facts->failed));
	else
		facts_set_unknown(facts, key);
}

void facts_set_count(struct facts *facts, const char *key, int64_t count)
{
	put(facts, key, count_fact(count));
}

void facts_set_number(struct facts *facts, const char *key, double number)
{
	put(facts, key, number_fact(number));
}

void facts_set_flag(struct facts *facts, const char *key, bool flag)
{
	put(facts, key, (struct fact){.kind = FACT_FLAG, .flag = flag});
}

static struct fact json_fact(const json_t *value, bool *failed)
{
	char *text = json_dumps(value, FORMAT_JSON_FLAGS | JSON_COMPACT);
	struct fact fact = text_fact(FACT_JSON, text ? text : "", failed);

	*failed |= !text;
	free(text);
	return fact;
}

void facts_set_json(struct facts *facts, const char *key, const json_t *value)
{
	put(facts, key, json_fact(value, &facts->failed));
}

/* Append item, which is taken over, to the list under the key. */
static void add_item(struct facts *facts, const char *key, json_t *item)
{
	const struct fact *old = facts_find(facts, key);
	json_t *list = old && old->kind == FACT_JSON
			       ? json_loads(old->text, 0, NULL)
			       : NULL;

	if (!json_is_array(list)) {
		json_decref(list);
		list = json_array();
	}
	if (json_array_append_new(list, item) == 0)
		facts_set_json(facts, key, list);
	else
		facts->failed = true;
	json_decref(list);
}

void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *value = json_null();

		if (isfinite(values[i]))
			value = values[i] == rint(values[i])
					? json_integer((json_int_t)values[i])
					: json_real(values[i]);
		if (json_array_append_new(list, value) < 0)
			facts->failed = true;
	}
	facts_set_json(facts, key, list);
	json_decref(list);
}

void facts_set_empty(struct facts *facts, const char *key)
{
	put(facts, key, text_fact(FACT_JSON, "[]", &facts->failed));
}

void facts_add_row(
	struct facts *facts, const char *key, const struct facts *row)
{
	add_item(facts, key, facts_pack(row));
}

void facts_add_text(struct facts *facts, const char *key, const char *text)
{
	add_item(facts, key, json_string(text));
}

void facts_drop(struct facts *facts, const char *key)
{
	struct fact *fact = (struct fact *)facts_find(facts, key);

	if (!fact)
		return;
	fact_release(fact);
	facts->n--;
	memmove(fact, fact + 1,
		(size_t)(facts->items + facts->n - fact) * sizeof(*fact));
}

void facts_append(
	struct facts *facts, const char *prefix, const struct facts *more)
{
	facts->failed |= more->failed;
	for (size_t i = 0; i < more->n; i++) {
		struct fact fact = more->items[i];
		char *key;

		if (fact.text)
			fact = text_fact(fact.kind, fact.text, &facts->failed);
		fact.whole = more->items[i].whole;
		if (asprintf(&key, "%s%s", prefix ? prefix : "",
			    more->items[i].key) < 0) {
			fact_release(&fact);
			facts->failed = true;
			continue;
		}
		append(facts, key, fact);
		free(key);
	}
}

const char *facts_text(const struct facts *facts, const char *key)
{
	const struct fact *fact = facts_find(facts, key);

	return fact && fact->kind == FACT_TEXT ? fact->text : NULL;
}

static bool is_number(const struct fact *fact)
{
	return fact->kind == FACT_COUNT || fact->kind == FACT_NUMBER;
}

double facts_number(const struct facts *facts, const char *key)
{
	const struct fact *fact = facts_find(facts, key);

	return fact && is_number(fact) ? fact->number : NAN;
}

bool fact_is_known(const struct fact *fact)
{
	return fact && fact->kind != FACT_UNKNOWN;
}

bool fact_same(const struct fact *a, const struct fact *b)
{
	if (!fact_is_known(a) || !fact_is_known(b))
		return fact_is_known(a) == fact_is_known(b);
	if (is_number(a) && is_number(b))
		return a->number == b->number;
	if (a->kind != b->kind)
		return false;
	return a->kind == FACT_FLAG ? a->flag == b->flag
				    : strcmp(a->text, b->text) == 0;
}

char *fact_words(const struct fact *fact)
{
	char number[32];

	if (!fact)
		return strdup("not recorded");
	switch (fact->kind) {
	case FACT_UNKNOWN:
		return strdup("unknown");
	case FACT_FLAG:
		return strdup(fact->flag ? "true" : "false");
	case FACT_COUNT:
		snprintf(
			number, sizeof(number), "%lld", (long long)fact->count);
		return strdup(number);
	case FACT_NUMBER:
		snprintf(number, sizeof(number), "%.6g", fact->number);
		return strdup(number);
	default:
		return strdup(fact->text);
	}
}

static json_t *pack_fact(const struct fact *fact)
{
	switch (fact->kind) {
	case FACT_FLAG:
		return json_boolean(fact->flag);
	case FACT_COUNT:
		return json_integer(fact->count);
	case FACT_NUMBER:
		return json_real(fact->number);
	case FACT_TEXT:
		return json_string(fact->text);
	case FACT_JSON:
		return json_loads(fact->text, JSON_DECODE_ANY, NULL);
	default:
		return json_null();
	}
}

/* The object that a fact belongs into: that of its first key, or object. */
static json_t *inner(json_t *object, const struct fact *fact, const char **key)
{
	const char *dot = fact->whole ? NULL : strchr(fact->key, '.');
	char *outer =
		dot ? strndup(fact->key, (size_t)(dot - fact->key)) : NULL;
	json_t *within;

	*key = fact->key;
	if (!outer)
		return object;
	*key = dot + 1;
	within = json_object_get(object, outer);
	/* An object goes before what else has that name. */
	if (!json_is_object(within)) {
		within = json_object();
		json_object_set_new(object, outer, within);
	}
	free(outer);
	return within;
}

json_t *facts_pack(const struct facts *facts)
{
	json_t *object = facts->n ? json_object() : json_null();
	int rc = facts->failed ? -1 : 0;

	for (size_t i = 0; rc == 0 && i < facts->n; i++) {
		const char *key;
		json_t *into = inner(object, &facts->items[i], &key);

		rc = json_object_set_new(
			into, key, pack_fact(&facts->items[i]));
	}
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

static void take_member(
	struct facts *facts, const char *key, bool whole, const json_t *value)
{
	struct fact fact = {.kind = FACT_UNKNOWN};

	if (json_is_array(value) || json_is_object(value))
		fact = json_fact(value, &facts->failed);
	else if (json_is_string(value))
		fact = text_fact(
			FACT_TEXT, json_string_value(value), &facts->failed);
	else if (json_is_integer(value))
		fact = count_fact(json_integer_value(value));
	else if (json_is_real(value))
		fact = number_fact(json_real_value(value));
	else if (json_is_boolean(value))
		fact = (struct fact){
			.kind = FACT_FLAG, .flag = json_is_true(value)};
	fact.whole = whole;
	append(facts, key, fact);
}

/* Whether the members of an inner object can be under both keys. */
static bool can_join(const char *outer, const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (strchr(key, '.'))
			return false;
	}
	return json_object_size(object) > 0 && !strchr(outer, '.');
}

int facts_unpack(struct facts *facts, const json_t *object, struct error *err)
{
	const char *key, *inner_key;
	json_t *value, *inner_value;
	char *path;

	json_object_foreach((json_t *)object, key, value)
	{
		if (!json_is_object(value) || !can_join(key, value)) {
			take_member(facts, key, strchr(key, '.'), value);
			continue;
		}
		json_object_foreach(value, inner_key, inner_value)
		{
			if (asprintf(&path, "%s.%s", key, inner_key) < 0)
				return error_no_memory(err, "a fact");
			take_member(facts, path, false, inner_value);
			free(path);
		}
	}
	return facts->failed ? error_no_memory(err, "the facts of the file")
			     : 0;
}
