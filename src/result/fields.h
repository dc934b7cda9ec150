/*
 * Which member of a struct is which member of an object in JSON: one table for
 * writing and reading. Private to src/result.
 */
#ifndef C2C_RESULT_FIELDS_H
#define C2C_RESULT_FIELDS_H

#include "result/format.h"

enum field_kind {
	FIELD_TEXT,   /* char * */
	FIELD_FLAG,   /* bool; with words: which of the two */
	FIELD_NUMBER, /* double, NaN for null */
	FIELD_COUNT,  /* unsigned */
	FIELD_INT64,  /* int64_t, -1 for null; to be written only */
	FIELD_SWITCH, /* int: 0, 1, or -1 for null; to be written only */
	FIELD_WORD,   /* an enum: which of the words */
	FIELD_CPUS,   /* struct cpu_list */
	FIELD_FACTS,  /* struct facts */
	FIELD_RUN,    /* struct run_facts */
	FIELD_TRIPLE, /* double [3] */
	FIELD_VALUES, /* double *, of a struct curve, as many as it has x */
	FIELD_INNER,  /* an object whose fields are in the same struct */
	FIELD_BEHIND, /* an object whose fields are behind a pointer */
};

struct field {
	const char *key; /* NULL ends a table */
	enum field_kind kind;
	size_t at; /* of FIELD_INNER: of the pointer that null leaves NULL */
	bool nullable; /* or absent */
	bool line;     /* written on a line of its own */
	bool lines;    /* a text that may have several */
	double most;   /* of a number, 0 is the least; 0: any number */
	const char *const *words; /* NULL ends them */
	const struct field *fields;
	size_t bytes; /* of the struct behind the pointer */
};

/* Without "format" and "version". */
extern const struct field fields_of_result[];
extern const struct field fields_of_topology[];

/* Without what is written in rows: "values" and "pairs". */
extern const struct field fields_of_matrix[];
extern const struct field fields_of_passes[];
extern const struct field fields_of_curve[];

static inline bool field_is_object(const struct field *field)
{
	return field->kind == FIELD_INNER || field->kind == FIELD_BEHIND;
}

/* What the field has in a struct, but of FIELD_VALUES and of objects. */
json_t *field_pack(const struct field *field, const void *from);

#endif
