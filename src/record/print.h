/* Prints records with many numbers, without JSON objects for the numbers. */
#ifndef C2C_PRINT_H
#define C2C_PRINT_H

#include "record/pack.h"

/*
 * Print a struct whose type has a format, without the last line feed. Return a
 * negative errno if a text is not UTF-8, or if out of memory.
 */
int print_struct(const struct record_type *type, const void *from, FILE *out);

/*
 * Print "# KEY: VALUE" for each value before the first list, and "# KEY.KEY:
 * VALUE" for values of objects. Skip unknown values, and the keys in others, an
 * array that NULL ends. Return a result like print_struct().
 */
int print_fact_lines(const struct record_type *type, const void *from,
	const char *const *others, FILE *out);

/* Print an array of numbers with up to six digits. NaN becomes null. */
void print_numbers(FILE *out, const double *values, size_t n);

#endif
