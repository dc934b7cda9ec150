#include "record/copy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/pack.h"
#include "util/text.h"

/* The items behind a pointer of a field. */
struct field_block {
	size_t n, item_bytes; /* item_bytes 0: the field has no pointer */
	bool grows;	      /* by array_grow(): room for a power of two */
};

static struct field_block find_field_block(
	const struct record_field *field, const void *from)
{
	const void *at = (const char *)from + field->at;
	size_t n = field_count(field, from);
	const char *text;

	switch (field->kind) {
	case FIELD_TEXT:
		text = *(char *const *)at;
		return (struct field_block){
			text ? strlen(text) + 1 : 0, 1, false};
	case FIELD_CPUS:
		n = ((const struct cpu_list *)at)->n;
		return (struct field_block){n, sizeof(unsigned), true};
	case FIELD_GRID:
		n *= *(const size_t *)((const char *)from + field->columns);
		return (struct field_block){n, sizeof(double), false};
	case FIELD_VALUES:
		return (struct field_block){n, sizeof(double), false};
	case FIELD_TEXTS:
		return (struct field_block){n, sizeof(char *), true};
	case FIELD_LIST:
		return (struct field_block){n, field->type->bytes, true};
	case FIELD_BEHIND:
		return (struct field_block){1, field->type->bytes, false};
	case FIELD_MADE:
		return (struct field_block){n, field->item_bytes, false};
	default:
		return (struct field_block){0};
	}
}

/* How many numbers a field has; *at: where they are. */
static size_t find_numbers(
	const struct record_field *field, const void *from, const double **at)
{
	*at = (const double *)((const char *)from + field->at);
	switch (field->kind) {
	case FIELD_NUMBER:
		return 1;
	case FIELD_PAIR:
		return 2;
	case FIELD_TRIPLE:
		return 3;
	case FIELD_VALUES:
	case FIELD_GRID:
		*at = *(double *const *)*at;
		return *at ? find_field_block(field, from).n : 0;
	default:
		return 0;
	}
}

static void set_defaults(const struct record_type *type, void *into)
{
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		void *at = (char *)into + field->at;
		const double *numbers;
		size_t n = find_numbers(field, into, &numbers);

		for (size_t i = 0; i < n; i++)
			((double *)at)[i] = NAN;
		if (field->kind == FIELD_INT64)
			*(int64_t *)at = -1;
		else if (field->kind == FIELD_SWITCH)
			*(int *)at = -1;
		else if (field->kind == FIELD_INNER)
			set_defaults(field->type, into);
		else if (field->kind == FIELD_WITHIN)
			set_defaults(field->type, at);
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
		struct field_block block = find_field_block(field, from);
		char *at = (char *)from + field->at;
		void *items = block.item_bytes ? *(void **)at : NULL;

		for (size_t i = 0; items && i < block.n; i++) {
			if (field->kind == FIELD_TEXTS)
				free(((char **)items)[i]);
			else if (field->kind == FIELD_LIST ||
				 field->kind == FIELD_BEHIND)
				release_fields(field->type,
					(char *)items + i * block.item_bytes);
		}
		free(items);
		if (field->kind == FIELD_INNER)
			release_fields(field->type, from);
		else if (field->kind == FIELD_WITHIN)
			release_fields(field->type, at);
		else if (field->kind == FIELD_FACTS ||
			 field->kind == FIELD_REST)
			facts_release((struct facts *)at);
	}
}

void struct_release(const struct record_type *type, void *from)
{
	release_fields(type, from);
	struct_init(type, from);
}

static void *copy_items(const void *items, const struct field_block *block)
{
	size_t room = block->grows ? 1 : block->n;
	void *copy;

	while (room < block->n)
		room *= 2;
	copy = reallocarray(NULL, room ? room : 1, block->item_bytes);
	if (copy && block->n > 0)
		memcpy(copy, items, block->n * block->item_bytes);
	return copy;
}

static bool copy_fields(
	const struct record_type *type, void *to, const void *from);

/* The copy of every item, also behind one that failed: none is shared. */
static bool copy_inner_items(const struct record_field *field,
	const struct field_block *block, char *to, const char *from)
{
	bool whole = true;

	for (size_t i = 0; i < block->n; i++) {
		size_t at = i * block->item_bytes;

		if (field->kind == FIELD_TEXTS) {
			char **text = (char **)(to + at);

			*text = *text ? strdup(*text) : NULL;
			whole &= *text || !((char *const *)from)[i];
		} else {
			whole &= copy_fields(field->type, to + at, from + at);
		}
	}
	return whole;
}

static bool copy_block(
	const struct record_field *field, const void *from, void **at)
{
	struct field_block block = find_field_block(field, from);
	const void *items = *at;

	if (!items)
		return true;
	*at = copy_items(items, &block);
	if (!*at)
		return false;
	return (field->kind != FIELD_TEXTS && field->kind != FIELD_LIST &&
		       field->kind != FIELD_BEHIND) ||
	       copy_inner_items(field, &block, *at, items);
}

/* Of structs whose bytes are the same: what to points to becomes its own. */
static bool copy_fields(
	const struct record_type *type, void *to, const void *from)
{
	bool whole = true;

	for (const struct record_field *field = type->fields; field->key;
		field++) {
		void *at = (char *)to + field->at;
		const void *of = (const char *)from + field->at;
		json_t **object = &((struct facts *)at)->object;

		if (field->kind == FIELD_INNER) {
			whole &= copy_fields(field->type, to, from);
		} else if (field->kind == FIELD_WITHIN) {
			whole &= copy_fields(field->type, at, of);
		} else if (field->kind == FIELD_FACTS ||
			   field->kind == FIELD_REST) {
			*object = json_deep_copy(*object);
			whole &= *object || !((const struct facts *)of)->object;
		} else if (find_field_block(field, from).item_bytes) {
			whole &= copy_block(field, from, at);
		}
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

static bool same_numbers(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
			return false;
	}
	return true;
}

static bool same_blocks(
	const struct record_field *field, const void *a, const void *b)
{
	struct field_block block = find_field_block(field, a);
	const char *one = *(char *const *)((const char *)a + field->at);
	const char *two = *(char *const *)((const char *)b + field->at);
	bool same = block.n == find_field_block(field, b).n;

	if (!one || !two)
		return !one == !two;
	for (size_t i = 0; same && i < block.n; i++) {
		size_t at = i * block.item_bytes;

		if (field->kind == FIELD_TEXTS)
			same = text_same(((char *const *)one)[i],
				((char *const *)two)[i]);
		else if (field->kind == FIELD_LIST ||
			 field->kind == FIELD_BEHIND)
			same = struct_same(field->type, one + at, two + at);
		else
			same = memcmp(one + at, two + at, block.item_bytes) ==
			       0;
	}
	return same;
}

static bool same_field(
	const struct record_field *field, const void *a, const void *b)
{
	static const size_t plain[] = {
		[FIELD_FLAG] = sizeof(bool),
		[FIELD_COUNT] = sizeof(unsigned),
		[FIELD_SIZE] = sizeof(size_t),
		[FIELD_INT64] = sizeof(int64_t),
		[FIELD_SWITCH] = sizeof(int),
		[FIELD_WORD] = sizeof(unsigned),
		[FIELD_MADE] = 0,
	};
	const char *one = (const char *)a + field->at;
	const char *two = (const char *)b + field->at;
	const double *numbers, *others;
	size_t n = find_numbers(field, a, &numbers);

	switch (field->kind) {
	case FIELD_INNER:
		return struct_same(field->type, a, b);
	case FIELD_WITHIN:
		return struct_same(field->type, one, two);
	case FIELD_FACTS:
	case FIELD_REST:
		return ((const struct facts *)one)->n == 0
			       ? ((const struct facts *)two)->n == 0
			       : json_equal(((const struct facts *)one)->object,
					 ((const struct facts *)two)->object);
	default:
		break;
	}
	if (find_numbers(field, b, &others) != n ||
		!same_numbers(numbers, others, n))
		return false;
	if (n > 0)
		return true;
	return find_field_block(field, a).item_bytes
		       ? same_blocks(field, a, b)
		       : memcmp(one, two, plain[field->kind]) == 0;
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
