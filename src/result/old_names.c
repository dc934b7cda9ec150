#include "result/old_names.h"

#include <string.h>

#include "record/pack.h"
#include "util/array.h"

static const struct {
	const char *in;	 /* key of an object, or of a list of objects */
	const char *key; /* key of the renamed text; NULL for a renamed key */
	const char *old, *today; /* NULL: dropped */
} names[] = {
	{"options", NULL, "relax", "spin_hint"},
	{"run", NULL, "relax_core", "spin_hint_core"},
	{"run", NULL, "relax_llc", "spin_hint_llc"},
	{"run", NULL, "relax_package", "spin_hint_package"},
	{"run", NULL, "relax_machine", "spin_hint_machine"},
	{"curves", "variant", "relax", "spin hint"},
	{"curves", NULL, "place", NULL},
	{"curves", NULL, "drawn", NULL},
	{"curves", NULL, "part", NULL},
	{"caches", NULL, "told", "reported"},
	{"matrices", "name", "told-distance", "reported-distance"},
	{"matrices", "name", "told-latency", "reported-latency"},
	{"matrices", "name", "told-bandwidth", "reported-bandwidth"},
	{"matrices", "statistic", "told", "reported"},
};

/* Rename a key without moving it, or drop the key. */
static bool replace_key(json_t *object, const char *old, const char *today)
{
	json_t *copy, *value;
	const char *key;
	bool done = true;

	if (!today)
		json_object_del(object, old);
	if (!json_object_get(object, old) || json_object_get(object, today))
		return true;
	copy = json_object();
	json_object_foreach(object, key, value)
	{
		done &= json_object_set(copy,
				strcmp(key, old) == 0 ? today : key,
				value) == 0;
	}
	done = done && json_object_clear(object) == 0 &&
	       json_object_update(object, copy) == 0;
	json_decref(copy);
	return done;
}

static bool replace_text(
	json_t *object, const char *key, const char *old, const char *today)
{
	json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);

	return !text || strcmp(text, old) != 0 ||
	       json_string_set(value, today) == 0;
}

static bool replace_in(json_t *object, size_t i)
{
	return names[i].key ? replace_text(object, names[i].key, names[i].old,
				      names[i].today)
			    : replace_key(object, names[i].old, names[i].today);
}

bool old_names_replace(json_t *record)
{
	bool done = true;

	for (size_t i = 0; done && i < N_OF(names); i++) {
		json_t *in = json_object_get(record, names[i].in);

		if (json_is_object(in))
			done = replace_in(in, i);
		for (size_t k = 0; done && k < json_array_size(in); k++)
			done = replace_in(json_array_get(in, k), i);
	}
	return done;
}

const char *old_names_today(const char *key, const char *text)
{
	for (size_t i = 0; text && i < N_OF(names); i++) {
		if (names[i].key && strcmp(names[i].in, "matrices") == 0 &&
			strcmp(names[i].key, key) == 0 &&
			strcmp(names[i].old, text) == 0)
			return names[i].today;
	}
	return text;
}
