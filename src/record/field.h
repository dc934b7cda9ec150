/*
 * A table describes the fields of a struct: key in JSON, offset and meaning.
 * c2c uses the table to write, read, copy and release a struct. The schema
 * (schema/c2c.schema.json) and the keys in c2c-record(5) come from the tables.
 */
#ifndef C2C_FIELD_H
#define C2C_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Limits for the magnitude of a number in a file. Larger numbers are errors,
 * and smaller numbers count as 0. Within the limits, squares and quotients are
 * finite.
 */
#define RESULT_MOST  1e15
#define RESULT_LEAST 1e-15

struct cpu_list;
struct json_t;

enum field_kind {
	FIELD_TEXT,   /* char *; NULL is null in JSON */
	FIELD_FLAG,   /* bool, or one of two words; the word "" is null */
	FIELD_NUMBER, /* double; null if it is not finite */
	FIELD_COUNT,  /* unsigned */
	FIELD_SIZE,   /* size_t; null if it is SIZE_MAX */
	FIELD_INT,    /* int; null if it is negative */
	FIELD_INT64,  /* int64_t; null if it is negative */
	FIELD_SWITCH, /* int: 0 and 1 are flags, -1 is null */
	FIELD_WORD,   /* an enum as the index of a word; the word "" is null */
	FIELD_CPUS,   /* struct cpu_list */
	FIELD_FACTS,  /* struct facts; type, if given, lists the known keys */
	FIELD_TRIPLE, /* double [3] */
	FIELD_PAIR,   /* double [2] */
	FIELD_VALUES, /* double *, an array of count numbers */
	FIELD_GRID,   /* double *, count rows; only for print_struct() */
	FIELD_TEXTS,  /* char **, an array of count texts */
	FIELD_LIST,   /* pointer to an array of count structs of type */
	FIELD_INNER,  /* an object of type with members of this struct */
	FIELD_WITHIN, /* an object of type, an inner struct; null if empty */
	FIELD_BEHIND, /* an object of type behind a pointer; NULL is null */
	FIELD_SCALAR, /* a fact: a number, a text, a flag or null */
	/* struct facts: the keys without a row; type lists known keys. */
	FIELD_REST,
	FIELD_MADE, /* a field with functions: make() or print(), and read() */
};

/* The shape of a made field in JSON. */
enum field_depth {
	FIELD_ONE,  /* a single value */
	FIELD_ROW,  /* an array of values */
	FIELD_ROWS, /* an array of arrays of values */
};

struct record_type;
struct record_node;
struct pack_context;

/* Members of a matrix: rows and columns in a file, and all in memory. */
struct grid_members {
	const struct cpu_list *rows, *columns, *all; /* NULL: whole matrix */
};

struct record_field {
	/*
	 * A row with key NULL ends a table. "x.unit" is the key "unit" of the
	 * inner object "x". In facts, "spin_hint_*" matches all keys that begin
	 * with "spin_hint_".
	 */
	const char *key;
	enum field_kind kind;
	size_t at;	/* offset; in FIELD_INNER of a pointer, or 0 */
	size_t count;	/* offset of a size_t with the number of items */
	size_t beside;	/* offset of a second member for make(), or 0 */
	size_t columns; /* FIELD_GRID: offset of a size_t */
	const struct record_type *type;
	const char *const *words; /* NULL ends them */
	/*
	 * Description for the schema and the manual, without a full stop, and a
	 * unit such as "ns", or NULL.
	 */
	const char *about, *unit;
	const char *old; /* key in older records, or NULL */
	bool nullable;	 /* the value may be null or missing */
	bool optional;	 /* c2c omits a null, false or empty value */
	bool some;	 /* some objects of facts have no such key */
	bool later;	 /* records of older versions have no such key */
	bool former;	 /* only records of older versions have the key */
	bool hidden;	 /* a member that is not in files */
	bool line;	 /* c2c prints the field on a line of its own */
	bool lines;	 /* the text may have several lines */
	bool bytes;	 /* the text is null in JSON if it is not UTF-8 */
	bool utc;	 /* the text is a time: 2026-11-24T14:02:07Z */
	double most;	 /* largest number (least: 0), or 0 */
	double parts;	 /* c2c rounds to 1 / parts; or 0 */
	/* Return whether to write an empty optional field; or NULL. */
	bool (*wanted)(const void *from);
	/* Return a new reference, or NULL if out of memory. */
	struct json_t *(*make)(
		const void *from, const struct pack_context *context);
	/* Print a large field without JSON objects, in place of make(). */
	void (*print)(FILE *out, const void *from,
		const struct pack_context *context);
	/* Read the value. NULL: readers ignore the value. */
	void (*read)(const struct record_node *node, void *into);
	/* FIELD_GRID: return the rows and columns in a file; or NULL. */
	struct grid_members (*members)(const void *around);
	size_t item_bytes; /* FIELD_MADE: size of an item in bytes */
	enum field_kind is;
	enum field_depth depth; /* if nullable, values in arrays may be null */
};

struct record_type {
	const char *name;   /* name of the type in the schema */
	const char *about;  /* description without a full stop */
	const char *format; /* such as "c2c-analysis", or NULL */
	int version;	    /* highest version of the format */
	/* Return the version of a struct. NULL: the highest version. */
	int (*version_of)(const void *from);
	const char *about_version; /* text about the versions */
	const struct record_field *fields;
	size_t bytes; /* size of the struct */
	/* A lenient reader keeps values of the wrong type as unknown keys. */
	bool lenient;
	/* The reader calls begin() before, and end() after the fields. */
	void (*begin)(const struct record_node *node, void *into);
	void (*end)(const struct record_node *node, void *into);
};

/* Context for make(). */
struct pack_context {
	const void *root;	       /* the outermost struct */
	const void *from;	       /* the struct that contains the field */
	const struct pack_context *up; /* context of the outer struct */
	const struct record_field *field; /* the row of the field */
	int digits; /* significant digits of numbers; 0: all digits */
};

/*
 * Rows for struct "of". ROW_OR_NULL: the value may be null. ROW_LIST: an array
 * with n_MEMBER structs. ROW_INNER: an object whose members are in the same
 * struct. ROW_MADE: make_ converts the member. The last arguments are the
 * description and more members of the row.
 */
#define ROW(of, kind_, member, key_, ...)                                      \
	{                                                                      \
		.key = (key_), .kind = FIELD_##kind_,                          \
		.at = offsetof(struct of, member), .about = __VA_ARGS__        \
	}
#define ROW_OR_NULL(of, kind_, member, key_, ...)                              \
	ROW(of, kind_, member, key_, __VA_ARGS__, .nullable = true)
#define ROW_LIST(of, type_, member, key_, ...)                                 \
	ROW(of, LIST, member, key_, __VA_ARGS__,                               \
		.count = offsetof(struct of, n_##member), .type = &(type_))
#define ROW_INNER(type_, key_, ...)                                            \
	{                                                                      \
		.key = (key_), .kind = FIELD_INNER, .type = &(type_),          \
		.about = __VA_ARGS__                                           \
	}
#define ROW_MADE(of, make_, is_, member, key_, ...)                            \
	ROW(of, MADE, member, key_, __VA_ARGS__, .make = make_,                \
		.is = FIELD_##is_)

#define ROW_VALUES(of, n, member, key_, ...)                                   \
	ROW(of, VALUES, member, key_, __VA_ARGS__,                             \
		.count = offsetof(struct of, n), .line = true)
/* A row for unknown keys. The last arguments may set the type. */
#define ROW_REST(of, member, ...)                                              \
	{                                                                      \
		.key = "", .kind = FIELD_REST,                                 \
		.at = offsetof(struct of, member), __VA_ARGS__                 \
	}

/* Rows for facts: a value, a value or null, an object, a list of objects. */
#define FACT(kind_, key_, ...)                                                 \
	{                                                                      \
		.key = (key_), .kind = FIELD_##kind_, .about = __VA_ARGS__     \
	}
#define FACT_OR_NULL(kind_, key_, ...)                                         \
	FACT(kind_, key_, __VA_ARGS__, .nullable = true)
#define FACT_OBJECT(type_, key_, ...)                                          \
	FACT(FACTS, key_, __VA_ARGS__, .type = &(type_))
#define FACT_LIST(type_, key_, ...)                                            \
	FACT(LIST, key_, __VA_ARGS__, .type = &(type_))

/* Defines STEM_type for facts with the rows STEM_rows. */
#define FACTS_TYPE(stem, ...)                                                  \
	const struct record_type stem##_type = {                               \
		.name = #stem, .fields = stem##_rows, .about = __VA_ARGS__}

/* Defines STEM_type for struct "of" with the rows STEM_rows. */
#define RECORD_TYPE(stem, of, ...)                                             \
	const struct record_type stem##_type = {                               \
		.name = #stem,                                                 \
		.fields = stem##_rows,                                         \
		.bytes = sizeof(struct of),                                    \
		.about = __VA_ARGS__,                                          \
	}

/* Defines STEM_type for an object whose members are in the outer struct. */
#define PART_TYPE(stem, ...)                                                   \
	const struct record_type stem##_type = {                               \
		.name = #stem, .fields = stem##_rows, .about = __VA_ARGS__}

/* Return the member of `from` at the offset in the row: at or beside. */
static inline const void *field_at(
	const struct pack_context *context, const void *from)
{
	return (const char *)from + context->field->at;
}

static inline const void *field_beside(
	const struct pack_context *context, const void *from)
{
	return (const char *)from + context->field->beside;
}

static inline int type_version(const struct record_type *type, const void *from)
{
	return type->version_of ? type->version_of(from) : type->version;
}

static inline const struct record_field *type_rest(
	const struct record_type *type)
{
	for (const struct record_field *field = type->fields; field->key;
		field++) {
		if (field->kind == FIELD_REST)
			return field;
	}
	return NULL;
}

/* Return the number of items or rows in a field, or 0 without a count. */
static inline size_t field_count(
	const struct record_field *field, const void *from)
{
	return field->count
		       ? *(const size_t *)((const char *)from + field->count)
		       : 0;
}

#endif
