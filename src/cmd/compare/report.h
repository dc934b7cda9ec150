/*
 * Comparisons as text.
 */
#ifndef C2C_CMD_COMPARE_REPORT_H
#define C2C_CMD_COMPARE_REPORT_H

#include <stdio.h>

#include "analyze/compare.h"

/* Print one comparison; all levels of curves, or those that changed. */
void compare_report(FILE *out, const struct compare_side *reference,
	const struct compared *file, bool all);

/*
 * compare.c: compare two results as c2c compare does, by level where their
 * machines differ, and print that. names are those of their files.
 */
int compare_two(FILE *out, const struct result *const results[2],
	const char *const names[2], struct error *err);

/*
 * Print files[n] on standard output, by their distance from the first one, then
 * those that could not be compared.
 */
void compare_rank(const struct compared *files, size_t n, struct arena *arena);

#endif
