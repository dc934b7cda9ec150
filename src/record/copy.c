#include "record/copy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/pack.h"

/* The items of a field: in the struct, or behind a pointer in the struct. */
struct field_items {
	char *items; /* NULL if the field is empty */
	size_t n, bytes;
	bool behind, grows;		/* grows: array_grow() may add items */
	const struct record_type *type; /* type of structs, or NULL */
};

static const struct record_field text_rows[] = {
	{.key = "", .kind = FIELD_TEXT}, {0}};

static const struct record_type text_type = {
	.fields = text_rows, .bytes = sizeof(char *)};

static struct facts *facts_of_field(
	const struct record_field *field, const void *from)
{
	return field->kind == FIELD_FACTS || field->kind == FIELD_REST
		       ? (struct facts *)((char *)from + field->at)
		       : NULL;
}

static struct field_items find_field_items(
	const struct record_field *field, const void *from)
{
	static const struct {
		size_t bytes;
		bool behind, grows;
	} kinds[] = {
		[FIELD_TEXT] = {1, true, false},
		[FIELD_FLAG] = {sizeof(bool), false, false},
		[FIELD_NUMBER] = {sizeof(double), false, false},
		[FIELD_COUNT] = {sizeof(unsigned), false, false},
		[FIELD_SIZE] = {sizeof(size_t), false, false},
		[FIELD_INT] = {sizeof(int), false, false},
		[FIELD_INT64] = {sizeof(int64_t), false, false},
		[FIELD_SWITCH] = {sizeof(int), false, false},
		[FIELD_WORD] = {sizeof(unsigned), false, false},
		[FIELD_CPUS] = {sizeof(unsigned), true, true},
		[FIELD_TRIPLE] = {sizeof(double), false, false},
		[FIELD_PAIR] = {sizeof(double), false, false},
		[FIELD_VALUES] = {sizeof(double), true, false},
		[FIELD_GRID] = {sizeof(double), true, false},
		[FIELD_TEXTS] = {sizeof(char *), true, true},
		[FIELD_LIST] = {0, true, true},
		[FIELD_BEHIND] = {0, true, false},
		[FIELD_MADE] = {0, false, false},
	};
	char *at = (char *)from + field->at;
	struct field_items has = {.items = at, .n = 1, .type = field->type};

	if (field->kind < sizeof(kinds) / sizeof(*kinds)) {
		has.bytes = kinds[field->kind].bytes;
		has.behind = kinds[field->kind].behind;
		has.grows = kinds[field->kind].grows;
	}
	if (field->kind == FIELD_MADE) {
		has.bytes = field->item_bytes;
		has.behind = has.bytes > 0;
	}
	/* The type of facts and of made fields only lists the known keys. */
	if (field->kind == FIELD_MADE || facts_of_field(field, from))
		has.type = NULL;
	if (has.behind)
		has.items = *(char **)at;
	if (field->kind == FIELD_TEXT)
		has.n = has.items ? strlen(has.items) + 1 : 0;
	else if (field->kind == FIELD_CPUS)
		has.n = ((const struct cpu_list *)at)->n;
	else if (field->kind == FIELD_TRIPLE || field->kind == FIELD_PAIR)
		has.n = field->kind == FIELD_PAIR ? 2 : 3;
	else if (field->kind == FIELD_INNER)
		has.items = (char *)from;
	else if (field->count && has.behind)
		has.n = field_count(field, from);
	if (field->kind == FIELD_GRID)
		has.n *= *(const size_t *)((const char *)from + field->columns);
	if (field->kind == FIELD_TEXTS)
		has.type = &text_type;
	if (has.type)
		has.bytes = has.type->bytes;
	return has;
}

static bool is_of_numbers(enum field_kind kind)
{
	return kind == FIELD_NUMBER || kind == FIELD_PAIR ||
	       kind == FIELD_TRIPLE || kind == FIELD_VALUES ||
	       kind == FIELD_GRID;
}

static void set_defaults(const struct record_type *type, void *into)
{
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		struct field_items has = find_field_items(field, into);

		for (size_t i = 0;
			is_of_numbers(field->kind) && !has.behind && i < has.n;
			i++)
			((double *)(void *)has.items)[i] = NAN;
		if (field->kind == FIELD_INT64)
			*(int64_t *)has.items = -1;
		else if (field->kind == FIELD_SWITCH ||
			 field->kind == FIELD_INT)
			*(int *)has.items = -1;
		else if (has.type && !has.behind)
			set_defaults(has.type, has.items);
	}
}

void struct_init(const struct record_type *type, void *into)
{
	memset(into, 0, type->bytes);
	set_defaults(type, into);
}

static void release_fields(const struct record_type *type, void *from)
{
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		struct field_items has = find_field_items(field, from);
		struct facts *facts = facts_of_field(field, from);

		for (size_t i = 0; has.type && has.items && i < has.n; i++)
			release_fields(has.type, has.items + i * has.bytes);
		if (has.behind)
			free(has.items);
		if (facts)
			facts_release(facts);
	}
}

void struct_release(const struct record_type *type, void *from)
{
	release_fields(type, from);
	struct_init(type, from);
}

static void *copy_items(const struct field_items *of)
{
	size_t room = of->grows ? 1 : of->n;
	void *copy;

	while (room < of->n)
		room *= 2;
	copy = reallocarray(NULL, room ? room : 1, of->bytes);
	if (copy && of->n > 0)
		memcpy(copy, of->items, of->n * of->bytes);
	return copy;
}

/*
 * Copy the data behind the pointers of a struct. The struct "to" is a shallow
 * copy. A pointer becomes NULL if c2c cannot allocate its copy.
 */
static bool copy_fields(
	const struct record_type *type, void *to, const void *from)
{
	bool whole = true;

	for (const struct record_field *field = type->fields; field->key;
		field++) {
		struct field_items of = find_field_items(field, from);
		struct facts *facts = facts_of_field(field, to);
		char *items = field->kind == FIELD_INNER
				      ? to
				      : (char *)to + field->at;

		if (facts && facts->object) {
			facts->object = json_deep_copy(facts->object);
			whole &= facts->object != NULL;
		}
		if (!of.items)
			continue;
		if (of.behind) {
			*(char **)items = copy_items(&of);
			items = *(char **)items;
			whole &= items != NULL;
		}
		for (size_t i = 0; items && of.type && i < of.n; i++)
			whole &= copy_fields(of.type, items + i * of.bytes,
				of.items + i * of.bytes);
	}
	return whole;
}

bool struct_copy(const struct record_type *type, void *to, const void *from)
{
	memcpy(to, from, type->bytes);
	if (copy_fields(type, to, from))
		return true;
	struct_release(type, to);
	return false;
}

static bool same_field(
	const struct record_field *field, const void *a, const void *b)
{
	struct field_items has = find_field_items(field, a);
	struct field_items other = find_field_items(field, b);
	const struct facts *facts = facts_of_field(field, a);
	bool same = has.n == other.n && !has.items == !other.items;

	if (facts)
		return facts->n == 0
			       ? facts_of_field(field, b)->n == 0
			       : json_equal(facts->object,
					 facts_of_field(field, b)->object);
	for (size_t i = 0; same && has.items && i < has.n; i++) {
		const void *one = has.items + i * has.bytes;
		const void *two = other.items + i * has.bytes;

		if (has.type)
			same = struct_same(has.type, one, two);
		else if (is_of_numbers(field->kind))
			same = *(const double *)one == *(const double *)two ||
			       (isnan(*(const double *)one) &&
				       isnan(*(const double *)two));
		else
			same = memcmp(one, two, has.bytes) == 0;
	}
	return same;
}

bool struct_same(const struct record_type *type, const void *a, const void *b)
{
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		if (!same_field(field, a, b))
			return false;
	}
	return true;
}
