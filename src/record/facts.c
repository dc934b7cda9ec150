#include "record/facts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/pack.h"
#include "util/text.h"

void facts_release(struct facts *facts)
{
	json_decref(facts->object);
	*facts = (struct facts){.object = NULL};
}

/* Return the value under a key of n bytes, without allocating memory. */
static json_t *find_value_under(json_t *object, const char *key, size_t n)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		if (strlen(name) == n && memcmp(name, key, n) == 0)
			return value;
	}
	return NULL;
}

/* Add an inner object under a key of n bytes. Return NULL if out of memory. */
static json_t *add_inner_object(json_t *object, const char *key, size_t n)
{
	char *outer = strndup(key, n);
	json_t *inner = outer ? json_object() : NULL;
	int rc = outer ? json_object_set_new(object, outer, inner) : -1;

	free(outer);
	return rc < 0 ? NULL : inner;
}

/*
 * Return the object that contains a key, and set *key to the key in this
 * object. A key with a dot belongs to an existing inner object. If make is
 * true, create a missing inner object, and return NULL if out of memory.
 */
static json_t *find_holding_object(
	const struct facts *facts, const char **key, bool make)
{
	const char *dot = strchr(*key, '.');
	size_t n = dot ? (size_t)(dot - *key) : 0;
	json_t *inner = dot ? find_value_under(facts->object, *key, n) : NULL;

	if (dot && make && !json_is_object(inner)) {
		inner = add_inner_object(facts->object, *key, n);
		if (!inner)
			return NULL;
	}
	if (!json_is_object(inner))
		return facts->object;
	*key = dot + 1;
	return inner;
}

json_t *facts_value(const struct facts *facts, const char *key)
{
	json_t *in = find_holding_object(facts, &key, false);

	return json_object_get(in, key);
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
	return (const struct fact *)facts_value(facts, key);
}

static const json_t *fact_json_value(const struct fact *fact)
{
	return (const json_t *)fact;
}

void facts_set_json(struct facts *facts, const char *key, json_t *value)
{
	json_t *in;

	if (!facts->object)
		facts->object = json_object();
	in = find_holding_object(facts, &key, true);
	if (json_object_set_new(in, key, value) < 0)
		facts->failed = true;
	facts->n = json_object_size(facts->object);
}

void facts_set_unknown(struct facts *facts, const char *key)
{
	facts_set_json(facts, key, json_null());
}

void facts_set_text(struct facts *facts, const char *key, const char *text)
{
	facts_set_json(facts, key,
		text && !text_flaw(text, false) ? json_string(text)
						: json_null());
}

void facts_set_count(struct facts *facts, const char *key, int64_t count)
{
	facts_set_json(facts, key, json_integer(count));
}

void facts_set_number(struct facts *facts, const char *key, double number)
{
	facts_set_json(facts, key, format_real(number));
}

void facts_set_flag(struct facts *facts, const char *key, bool flag)
{
	facts_set_json(facts, key, json_boolean(flag));
}

void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		bool whole = values[i] == rint(values[i]) &&
			     fabs(values[i]) < 0x1p63;

		if (json_array_append_new(
			    list, whole ? json_integer((json_int_t)values[i])
					: format_real(values[i])) < 0)
			facts->failed = true;
	}
	facts_set_json(facts, key, list);
}

void facts_set_struct(
	struct facts *facts, const struct record_type *type, const void *from)
{
	json_t *object = record_to_json(type, from, 0);

	facts_release(facts);
	facts->failed = !object;
	facts_unpack(facts, object);
	json_decref(object);
}

void facts_drop(struct facts *facts, const char *key)
{
	const char *within = key;
	json_t *in = find_holding_object(facts, &within, false);
	char *outer;

	json_object_del(in, within);
	if (in != facts->object && json_object_size(in) == 0) {
		outer = strndup(key, (size_t)(within - key) - 1);
		json_object_del(facts->object, outer);
		free(outer);
	}
	facts->n = json_object_size(facts->object);
}

void facts_append(struct facts *facts, const struct facts *more)
{
	const char *key;
	json_t *value;

	facts->failed |= more->failed;
	if (!facts->object)
		facts->object = json_object();
	json_object_foreach(more->object, key, value)
	{
		json_t *old = json_object_get(facts->object, key);
		json_t *copy = json_deep_copy(value);

		/* A dot in a key of a file does not name an inner object. */
		if (json_object_size(old) == 0 || !json_is_object(copy)) {
			facts->failed |= json_object_set_new(
						 facts->object, key, copy) < 0;
			continue;
		}
		facts->failed |= json_object_update(old, copy) < 0;
		json_decref(copy);
	}
	facts->n = json_object_size(facts->object);
}

const char *facts_text(const struct facts *facts, const char *key)
{
	return json_string_value(facts_value(facts, key));
}

double facts_number(const struct facts *facts, const char *key)
{
	const json_t *value = facts_value(facts, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

int64_t facts_count(const struct facts *facts, const char *key)
{
	return json_integer_value(facts_value(facts, key));
}

bool facts_flag(const struct facts *facts, const char *key)
{
	return json_is_true(facts_value(facts, key));
}

size_t facts_numbers(
	const struct facts *facts, const char *key, double *values, size_t most)
{
	const json_t *list = facts_value(facts, key);
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < most; i++) {
		const json_t *item = json_array_get(list, i);

		values[i] =
			json_is_number(item) ? json_number_value(item) : NAN;
	}
	return n;
}

bool fact_is_known(const struct fact *fact)
{
	return fact && !json_is_null(fact_json_value(fact));
}

bool fact_same(const struct fact *a, const struct fact *b)
{
	if (!fact_is_known(a) || !fact_is_known(b))
		return fact_is_known(a) == fact_is_known(b);
	if (json_is_number(fact_json_value(a)) &&
		json_is_number(fact_json_value(b)))
		return json_number_value(fact_json_value(a)) ==
		       json_number_value(fact_json_value(b));
	return json_equal(fact_json_value(a), fact_json_value(b));
}

char *fact_words(const struct fact *fact)
{
	const json_t *value = fact_json_value(fact);

	if (!value)
		return strdup("not recorded");
	if (json_is_null(value))
		return strdup("unknown");
	if (json_is_string(value))
		return strdup(json_string_value(value));
	if (json_is_real(value))
		return text_format("%.6g", json_real_value(value));
	return json_dumps(value, FORMAT_JSON_FLAGS | JSON_COMPACT);
}

/* State of facts_compare(). of_b: the second part, keys that only b has. */
struct facts_difference {
	const struct facts *a, *b;
	bool of_b;
	fact_reporter *report;
	void *context;
};

static int compare_key(
	const struct facts_difference *of, const char *outer, const char *inner)
{
	char *key = text_format("%s%s%s", outer, *inner ? "." : "", inner);
	const struct fact *a, *b;
	int rc = 0;

	if (!key)
		return -ENOMEM;
	a = facts_find(of->a, key);
	b = facts_find(of->b, key);
	/* facts_compare() already compared the keys of an object in a. */
	if (of->of_b && json_object_size(fact_json_value(a)) > 0)
		a = NULL;
	if (!(of->of_b && a) && !fact_same(a, b))
		rc = of->report(of->context, key, a, b);
	free(key);
	return rc;
}

static int compare_keys(const struct facts_difference *of, json_t *object)
{
	const char *key, *inner;
	json_t *value, *rest;
	int rc = 0;

	json_object_foreach(object, key, value)
	{
		if (json_object_size(value) == 0)
			rc = compare_key(of, key, "");
		json_object_foreach(value, inner, rest)
		{
			rc = compare_key(of, key, inner);
			if (rc)
				break;
		}
		if (rc)
			return rc;
	}
	return 0;
}

int facts_compare(const struct facts *a, const struct facts *b,
	fact_reporter *report, void *context)
{
	struct facts_difference of = {a, b, false, report, context};
	int rc = compare_keys(&of, a->object);

	of.of_b = true;
	return rc ? rc : compare_keys(&of, b->object);
}

json_t *facts_pack(const struct facts *facts)
{
	if (facts->failed)
		return NULL;
	return facts->n ? json_incref(facts->object) : json_null();
}

void facts_unpack(struct facts *facts, json_t *object)
{
	facts->object = json_incref(object);
	facts->n = json_object_size(object);
}

int facts_parse(struct facts *facts, const char *text, size_t bytes)
{
	json_t *object = json_loadb(text, bytes, 0, NULL);
	int rc = json_is_object(object) ? 0 : -EINVAL;

	if (rc == 0)
		facts_unpack(facts, object);
	json_decref(object);
	return rc;
}
