/* Print comparisons as text. */
#ifndef C2C_COMPARE_REPORT_H
#define C2C_COMPARE_REPORT_H

#include <stdio.h>

#include "analyze/compare/compare.h"
#include "result/fleet.h"

/* Print one comparison; all: even levels of curves that did not change. */
void compare_report(FILE *out, const struct compare_side *reference,
	const struct compared_file *file, bool all);

/*
 * cmd_compare.c: compare two results, by level if their machines differ, and
 * print the comparison. names are the file names.
 */
int compare_two(FILE *out, const struct result *const results[2],
	const char *const names[2], struct error *err);

/*
 * Print a fleet on standard output: the hosts of each kind, sorted by distance
 * from the first host of that kind; the outliers and why; and the files that
 * c2c cannot read or compare.
 */
void compare_report_fleet(const struct fleet *fleet);

#endif
