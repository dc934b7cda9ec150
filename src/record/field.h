/*
 * A table describes the fields of a struct: each one's key in JSON, offset, and
 * meaning. The writer, the reader, the deep copy, the release, the schema
 * (schema/c2c.schema.json) and the keys in c2c-record(5) come from the table.
 *
 * Only src/record prints or parses JSON.
 */
#ifndef C2C_FIELD_H
#define C2C_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Limits of magnitude. Larger numbers are rejected; smaller ones are rounding
 * errors of 0. With values in between, squares and quotients stay finite, so
 * that pictures can be drawn.
 */
#define RESULT_MOST  1e15
#define RESULT_LEAST 1e-15

struct cpu_list;
struct json_t;

enum field_kind {
	FIELD_TEXT,   /* char *; NULL is null */
	FIELD_FLAG,   /* bool; with words: one of the two; "" is null */
	FIELD_NUMBER, /* double; not finite is null */
	FIELD_COUNT,  /* unsigned */
	FIELD_SIZE,   /* size_t; SIZE_MAX is null */
	FIELD_INT,    /* int; negative is null */
	FIELD_INT64,  /* int64_t; negative is null */
	FIELD_SWITCH, /* int: 0, 1, or negative for null */
	FIELD_WORD,   /* an enum, the index of a word; "" is null */
	FIELD_CPUS,   /* struct cpu_list */
	FIELD_FACTS,  /* struct facts; type, if any, has the known keys */
	FIELD_TRIPLE, /* double [3] */
	FIELD_PAIR,   /* double [2] */
	FIELD_VALUES, /* double *, as many as count says */
	FIELD_GRID,   /* double *, count rows of them; print_struct() only */
	FIELD_TEXTS,  /* char **, as many as count says */
	FIELD_LIST,   /* structs of type behind a pointer, as many as count */
	FIELD_INNER,  /* an object of type whose fields are in this struct */
	FIELD_WITHIN, /* an object of type, a struct here; null if empty */
	FIELD_BEHIND, /* an object of type behind a pointer; NULL is null */
	FIELD_SCALAR, /* a fact: a number, a text, a flag or null */
	/* struct facts: the keys without another row; type: the known ones. */
	FIELD_REST,
	FIELD_MADE, /* made by make() or print(), read by read() */
};

/* The shape of a made field in JSON. */
enum field_depth {
	FIELD_ONE,  /* one value of the kind */
	FIELD_ROW,  /* an array of values */
	FIELD_ROWS, /* an array of arrays of values */
};

struct record_type;
struct record_node;
struct pack_context;

/* The rows and columns that a file has of a grid over all members. */
struct grid_members {
	const struct cpu_list *rows, *columns, *all; /* NULL: the whole grid */
};

struct record_field {
	/*
	 * NULL ends a table. "x.unit" is the key "unit" of the inner object
	 * "x"; for facts, "spin_hint_*" is each key with this beginning.
	 */
	const char *key;
	enum field_kind kind;
	size_t at;	/* offset; FIELD_INNER: of a pointer, NULL is null */
	size_t count;	/* offset of a size_t */
	size_t beside;	/* offset of another member for make(); or 0 */
	size_t columns; /* FIELD_GRID: offset of a size_t */
	const struct record_type *type;
	const char *const *words; /* NULL ends them */
	/*
	 * A sentence without its full stop, for the schema and the manual; and
	 * the unit, "ns", "bytes", or NULL.
	 */
	const char *about, *unit;
	const char *old; /* key in older records, or NULL */
	bool nullable;	 /* null if unknown; a file may lack it, too */
	bool optional;	 /* not written if null, false or empty */
	bool some;	 /* for facts: some objects lack it */
	bool later;	 /* records of older versions lack it */
	bool former;	 /* only records of older versions have it */
	bool hidden;	 /* copied and released, but not in files */
	bool line;	 /* written on its own line */
	bool lines;	 /* a text that may have several lines */
	bool bytes;	 /* a text of any bytes: null if it is not UTF-8 */
	bool utc;	 /* a text that is a time: 2026-11-24T14:02:07Z */
	double most;	 /* a number from 0 to this; 0: any number */
	double parts;	 /* a number is rounded to 1 / parts; 0: any number */
	/* Return whether to write an optional field anyway; or NULL. */
	bool (*wanted)(const void *from);
	/* Return a new reference; NULL if out of memory. */
	struct json_t *(*make)(
		const void *from, const struct pack_context *context);
	/* Print instead of make(), if a tree of JSON would be large. */
	void (*print)(FILE *out, const void *from,
		const struct pack_context *context);
	/* Read the value. NULL: readers ignore it. */
	void (*read)(const struct record_node *node, void *into);
	/* FIELD_GRID: the part in a file, from the struct around; or NULL. */
	struct grid_members (*members)(const void *around);
	size_t item_bytes; /* FIELD_MADE: bytes of an item */
	enum field_kind is;
	enum field_depth depth; /* if nullable, its values may be null */
};

struct record_type {
	const char *name;   /* in the definitions of the schema */
	const char *about;  /* a sentence without its full stop */
	const char *format; /* "c2c-analysis" at the top of a file, or NULL */
	int version;	    /* highest version of that format */
	/* Return the version of a struct, if not all have the highest. */
	int (*version_of)(const void *from);
	const char *about_version; /* which struct has which version */
	const struct record_field *fields;
	size_t bytes; /* size of the struct */
	/* Values of the wrong kind are no errors: they stay as unknown keys. */
	bool lenient;
	/* Called before and after reading the fields of an object. */
	void (*begin)(const struct record_node *node, void *into);
	void (*end)(const struct record_node *node, void *into);
};

/* Context that make() may need besides the struct. */
struct pack_context {
	const void *root;	       /* the outermost struct */
	const void *from;	       /* the struct whose field is made */
	const struct pack_context *up; /* for the struct around; NULL: none */
	const struct record_field *field; /* the row that is made */
	int digits;			  /* digits of numbers; 0: all */
};

/*
 * Rows for struct "of": a member of a kind; one that may be null; structs and
 * their n_MEMBER; an object whose fields are in the same struct; a member that
 * make_ converts. The last arguments are the sentence and further members of
 * the row.
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
/* A row for unknown keys. The last arguments name the known facts. */
#define ROW_REST(of, member, ...)                                              \
	{                                                                      \
		.key = "", .kind = FIELD_REST,                                 \
		.at = offsetof(struct of, member), __VA_ARGS__                 \
	}

/* Rows for facts: a key; one that may be null; an object; a list of objects. */
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

/* The type of facts with the rows STEM_rows. */
#define FACTS_TYPE(stem, ...)                                                  \
	const struct record_type stem##_type = {                               \
		.name = #stem, .fields = stem##_rows, .about = __VA_ARGS__}

/* The type of struct "of" with the rows STEM_rows. */
#define RECORD_TYPE(stem, of, ...)                                             \
	const struct record_type stem##_type = {                               \
		.name = #stem,                                                 \
		.fields = stem##_rows,                                         \
		.bytes = sizeof(struct of),                                    \
		.about = __VA_ARGS__,                                          \
	}

/* The type of an object whose fields are in the struct around it. */
#define PART_TYPE(stem, ...)                                                   \
	const struct record_type stem##_type = {                               \
		.name = #stem, .fields = stem##_rows, .about = __VA_ARGS__}

/* Return the members from which a hook makes its field: at, and beside. */
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

/* Return the version of the format that a struct is written in. */
static inline int type_version(const struct record_type *type, const void *from)
{
	return type->version_of ? type->version_of(from) : type->version;
}

/* Return the row of unknown keys, or NULL. */
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

/* Return how many items or rows a field has; 0 if it has no count. */
static inline size_t field_count(
	const struct record_field *field, const void *from)
{
	return field->count
		       ? *(const size_t *)((const char *)from + field->count)
		       : 0;
}

#endif
