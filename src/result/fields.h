/*
 * Tables that map the members of a struct to keys in JSON, for writing and for
 * reading. Private to src/result.
 */
#ifndef C2C_FIELDS_H
#define C2C_FIELDS_H

#include "result/format.h"

enum field_kind {
	FIELD_TEXT,   /* char * */
	FIELD_FLAG,   /* bool; with words: which of the two */
	FIELD_NUMBER, /* double, NaN for null */
	FIELD_COUNT,  /* unsigned */
	FIELD_INT64,  /* int64_t, -1 for null; only run.c reads it */
	FIELD_SWITCH, /* int: 0, 1, or -1 for null; only run.c reads it */
	FIELD_WORD,   /* an enum: which of the words */
	FIELD_CPUS,   /* struct cpu_list */
	FIELD_FACTS,  /* struct facts */
	FIELD_RUN,    /* struct run_facts */
	FIELD_TRIPLE, /* double [3] */
	FIELD_VALUES, /* double *: a value for each x of a struct curve */
	FIELD_INNER,  /* an object; its fields are in the same struct */
	FIELD_BEHIND, /* an object; its fields are behind a pointer */
};

struct json_field {
	const char *key; /* NULL ends a table */
	enum field_kind kind;
	size_t at;     /* FIELD_INNER: of a pointer that is NULL for null */
	bool nullable; /* or absent */
	bool line;     /* written on a line of its own */
	bool lines;    /* a text that may have several */
	double most;   /* a number is within 0 and this; 0: any number */
	const char *const *words; /* NULL ends them */
	const struct json_field *fields;
	size_t bytes; /* of the struct behind the pointer */
};

/* Without "format" and "version". */
extern const struct json_field fields_of_result[];
extern const struct json_field fields_of_topology[];

/* Without "values", "pairs" and "start_s" of matrices and passes. */
extern const struct json_field fields_of_matrix[];
extern const struct json_field fields_of_passes[];
extern const struct json_field fields_of_curve[];
extern const struct json_field fields_of_cache[];
extern const struct json_field fields_of_tlb[];

static inline bool field_is_object(const struct json_field *field)
{
	return field->kind == FIELD_INNER || field->kind == FIELD_BEHIND;
}

/* The value of a field, unless it is FIELD_VALUES or an object. */
json_t *field_pack(const struct json_field *field, const void *from);

#endif
