/* Print records with many numbers as text, without a tree of JSON. */
#ifndef C2C_PRINT_H
#define C2C_PRINT_H

#include "record/pack.h"

/*
 * Print a struct whose type has a format, without the end of its last line.
 * Return a negative errno if a text is not UTF-8, or without memory.
 */
int print_struct(const struct record_type *type, const void *from, FILE *out);

/*
 * Print "# KEY: VALUE" for each value before the first list, and "# KEY.KEY:
 * VALUE" for values in an object. Skip unknown values, and the keys in others
 * (NULL ends these), which would look like another line. Return like
 * print_struct().
 */
int print_fact_lines(const struct record_type *type, const void *from,
	const char *const *others, FILE *out);

/* Print numbers of up to six digits as an array; NaN is null. */
void print_numbers(FILE *out, const double *values, size_t n);

#endif
