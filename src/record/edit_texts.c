#include "record/edit_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/pack.h"

/* Known keys of an object: all rows of a type, or only keys after "inner.". */
struct known_keys {
	const struct record_type *type;
	const char *inner; /* beginning of keys, or NULL */
	size_t n;	   /* bytes of inner */
};

static int edit_object(json_t *object, const struct known_keys *known,
	const struct text_editor *editor);

/* Return whether the pattern "*" matches a key, as it matches option names. */
static bool is_option_key(const char *key)
{
	return !key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

/* Return the row whose pattern matches a key, or NULL. */
static const struct record_field *find_known_field(
	const struct known_keys *known, const char *key)
{
	for (const struct record_field *field = known->type->fields; field->key;
		field++) {
		const char *pattern = field->key;
		size_t n;

		if (known->inner) {
			if (strncmp(pattern, known->inner, known->n) != 0 ||
				pattern[known->n] != '.')
				continue;
			pattern += known->n + 1;
		}
		n = strcspn(pattern, ".*");
		if (!*pattern || strncmp(pattern, key, n) != 0)
			continue;
		if (pattern[n] == '*' ? is_option_key(key + n) : !key[n])
			return field;
	}
	return NULL;
}

static json_t *edit_json_text(
	const json_t *value, const char *key, const struct text_editor *editor)
{
	char *text = strdup(json_string_value(value));
	json_t *edited = NULL;

	if (text) {
		editor->edit(key, text, editor->context);
		edited = json_string(text);
	}
	free(text);
	return edited;
}

/* Edit the objects in a list, and in its inner lists. Texts become null. */
static int edit_array(json_t *array, const struct record_type *type,
	const struct text_editor *editor)
{
	const struct known_keys known = {.type = type};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < json_array_size(array); i++) {
		json_t *item = json_array_get(array, i);

		if (json_is_string(item))
			rc = json_array_set_new(array, i, json_null());
		else if (json_is_array(item))
			rc = edit_array(item, type, editor);
		else if (json_is_object(item))
			rc = type ? edit_object(item, &known, editor)
				  : json_object_clear(item);
	}
	return rc;
}

static bool is_in_words(const char *const *words, const char *text)
{
	while (*words && strcmp(*words, text) != 0)
		words++;
	return *words;
}

/*
 * Return whether to keep a value under a known key. A text stays only in a
 * field for texts. If the field has words, the text has to be one of the words.
 */
static bool is_kept_value(const struct record_type *type,
	const struct record_field *field, const json_t *value,
	const struct text_editor *editor)
{
	const char *text = json_string_value(value);

	switch (field->kind) {
	case FIELD_TEXT:
	case FIELD_SCALAR:
		if (text && field->words)
			return is_in_words(field->words, text);
		return json_is_object(value) ||
		       (!json_is_array(value) &&
			       (!text || editor->keep(type, field->key)));
	case FIELD_TEXTS:
		return false;
	case FIELD_LIST:
		return !text && editor->keep(type, field->key);
	default:
		return !text;
	}
}

/* Return an empty list in place of a list, else null or an empty string. */
static json_t *empty_value(const struct record_field *field, const json_t *old)
{
	if (json_is_array(old))
		return json_array();
	return field->nullable ? json_null() : json_string("");
}

/* Return whether a row is a member of the object that this key has. */
static bool is_inner(const struct record_field *field, const char *key)
{
	size_t n = strlen(key);

	return strncmp(field->key, key, n) == 0 && field->key[n] == '.';
}

static int edit_kept_value(json_t *object, const char *key, json_t *value,
	const struct record_type *type, const struct record_field *field,
	const struct text_editor *editor)
{
	struct known_keys known = {.type = field->type};

	if (json_is_string(value))
		return json_object_set_new(
			object, key, edit_json_text(value, key, editor));
	if (json_is_object(value)) {
		if (is_inner(field, key))
			known = (struct known_keys){type, key, strlen(key)};
		if (!known.type)
			return json_object_del(object, key);
		return edit_object(value, &known, editor);
	}
	if (json_is_array(value))
		return edit_array(value, known.type, editor);
	return 0;
}

static int edit_object(json_t *object, const struct known_keys *known,
	const struct text_editor *editor)
{
	const char *key;
	json_t *value;
	void *next;
	int rc = 0;

	json_object_foreach_safe(object, next, key, value)
	{
		const struct record_type *type = known->type;
		const struct record_field *field = find_known_field(known, key);
		bool goes = field && !is_kept_value(type, field, value, editor);

		if (!field || (goes && field->some))
			rc = json_object_del(object, key);
		else if (goes)
			rc = json_object_set_new(
				object, key, empty_value(field, value));
		else
			rc = edit_kept_value(
				object, key, value, type, field, editor);
		if (rc < 0)
			return -ENOMEM;
	}
	return 0;
}

static int edit_facts(struct facts *facts, const struct record_type *type,
	const struct text_editor *editor)
{
	const struct known_keys known = {.type = type};
	int rc = 0;

	if (!type)
		facts_release(facts);
	else if (facts->object)
		rc = edit_object(facts->object, &known, editor);
	facts->n = json_object_size(facts->object);
	return rc;
}

static void drop_texts(char **texts, size_t *n)
{
	for (size_t i = 0; i < *n; i++)
		free(texts[i]);
	*n = 0;
}

static int edit_field(const struct record_type *type,
	const struct record_field *field, void *in,
	const struct text_editor *editor)
{
	void *at = (char *)in + field->at;
	size_t n = field_count(field, in);
	bool keep = editor->keep(type, field->key);
	int rc = 0;

	switch (field->kind) {
	case FIELD_TEXT:
		if (!*(char **)at)
			break;
		if (keep)
			editor->edit(field->key, *(char **)at, editor->context);
		else
			**(char **)at = '\0';
		if (!keep && field->nullable) {
			free(*(char **)at);
			*(char **)at = NULL;
		}
		break;
	case FIELD_TEXTS:
		for (size_t i = 0; keep && i < n; i++)
			editor->edit(field->key, (*(char ***)at)[i],
				editor->context);
		if (!keep)
			drop_texts(*(char ***)at,
				(size_t *)((char *)in + field->count));
		break;
	case FIELD_FACTS:
	case FIELD_REST:
		return edit_facts(at, field->type, editor);
	case FIELD_INNER:
		return record_edit_texts(field->type, in, editor);
	case FIELD_WITHIN:
		return record_edit_texts(field->type, at, editor);
	case FIELD_BEHIND:
		return *(void **)at ? record_edit_texts(
					      field->type, *(void **)at, editor)
				    : 0;
	case FIELD_LIST:
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = record_edit_texts(field->type,
				*(char **)at + i * field->type->bytes, editor);
		break;
	default:
		break;
	}
	return rc;
}

int record_edit_texts(const struct record_type *type, void *in,
	const struct text_editor *editor)
{
	int rc = 0;

	for (const struct record_field *field = type->fields;
		rc == 0 && field->key; field++)
		rc = edit_field(type, field, in, editor);
	return rc;
}
