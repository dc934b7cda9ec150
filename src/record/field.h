/*
 * A struct as a table of its fields: the key of each in JSON, where it lies,
 * what it means. From the table come the writer, the reader, the deep copy, the
 * release, the schema (schema/c2c.schema.json) and the keys of c2c-record(5).
 *
 * Only src/record prints or parses JSON.
 */
#ifndef C2C_FIELD_H
#define C2C_FIELD_H

#include <stdbool.h>
#include <stddef.h>

struct json_t;

enum field_kind {
	FIELD_TEXT,   /* char *; NULL is null */
	FIELD_FLAG,   /* bool; with words: which of the two; "" is null */
	FIELD_NUMBER, /* double; not finite is null */
	FIELD_COUNT,  /* unsigned */
	FIELD_SIZE,   /* size_t; SIZE_MAX is null */
	FIELD_INT64,  /* int64_t; negative is null */
	FIELD_SWITCH, /* int: 0, 1, or negative for null */
	FIELD_WORD,   /* an enum: which of the words; "" is null */
	FIELD_CPUS,   /* struct cpu_list */
	FIELD_FACTS,  /* struct facts; type, if any, has the known keys */
	FIELD_TRIPLE, /* double [3] */
	FIELD_PAIR,   /* double [2] */
	FIELD_VALUES, /* double *, as many as count says */
	FIELD_TEXTS,  /* char **, as many as count says */
	FIELD_LIST,   /* structs of type behind a pointer, as many as count */
	FIELD_INNER,  /* an object of type whose fields are in this struct */
	FIELD_BEHIND, /* an object of type behind a pointer; NULL is null */
	FIELD_MADE,   /* made by make(), read by take(), of the kind "is" */
};

/* What a field that is made looks like in JSON. */
enum field_depth {
	FIELD_ONE,  /* one value of the kind */
	FIELD_ROW,  /* an array of them */
	FIELD_ROWS, /* an array of arrays of them */
};

struct record_type;
struct pack_context;

struct record_field {
	const char *key; /* NULL ends a table */
	enum field_kind kind;
	size_t at;    /* FIELD_INNER: of a pointer that is NULL for null */
	size_t count; /* of a size_t; or of what make() needs beside at */
	const struct record_type *type;
	const char *const *words; /* NULL ends them */
	/*
	 * A sentence without its full stop, for the schema and the manual, and
	 * the unit: "ns", "bytes"; NULL where there is none.
	 */
	const char *about, *unit;
	bool nullable; /* null where unknown; a reader takes its absence, too */
	bool optional; /* not written where null, false or empty */
	bool line;     /* written on a line of its own */
	bool lines;    /* a text that may have several */
	bool bytes;    /* a text of any bytes: null if it is not UTF-8 */
	double most;   /* a number is within 0 and this; 0: any number */
	/* A new reference; NULL without memory. */
	struct json_t *(*make)(
		const void *from, const struct pack_context *context);
	/* Negative without memory. NULL: a reader leaves it out. */
	int (*take)(void *into, struct json_t *value);
	enum field_kind is;
	enum field_depth depth;
};

struct record_type {
	const char *name;   /* among the definitions of the schema */
	const char *about;  /* a sentence without its full stop */
	const char *format; /* "c2c-analysis" at the top of a file, or NULL */
	int version;	    /* of that format */
	const struct record_field *fields;
	size_t bytes; /* of the struct */
	size_t extra; /* place of the json_t * of unknown keys; 0: none */
	/* Set what is not zero in an empty struct; or NULL. */
	void (*init)(void *into);
};

/* What make() may need beside the struct. */
struct pack_context {
	const void *root;	       /* the outermost struct */
	const void *from;	       /* the struct whose field is made */
	const struct pack_context *up; /* up->from holds that; NULL: nothing */
	const struct record_field *field; /* the row that is made */
	int digits;			  /* that numbers keep; 0: all */
};

/*
 * Rows of struct "of": a member of a kind; one that may be null; structs and
 * their n_MEMBER; an object whose fields are in the same struct; what make_
 * makes of a member. The last arguments are the sentence, and what else the row
 * says.
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

/* The type of struct "of" with the rows STEM_rows. */
#define RECORD_TYPE(stem, of, ...)                                             \
	const struct record_type stem##_type = {                               \
		.name = #stem,                                                 \
		.fields = stem##_rows,                                         \
		.bytes = sizeof(struct of),                                    \
		.about = __VA_ARGS__,                                          \
	}

static inline bool field_is_object(const struct record_field *field)
{
	return field->kind == FIELD_INNER || field->kind == FIELD_BEHIND;
}

#endif
