/*
 * Comparisons as text.
 */
#ifndef C2C_COMPARE_REPORT_H
#define C2C_COMPARE_REPORT_H

#include <stdio.h>

#include "analyze/compare/compare.h"
#include "result/fleet.h"

/* Print one comparison; all levels of curves, or those that changed. */
void compare_report(FILE *out, const struct compare_side *reference,
	const struct compared_file *file, bool all);

/*
 * cmd_compare.c: compare two results as c2c compare does, by level where their
 * machines differ, and print that. names are those of their files.
 */
int compare_two(FILE *out, const struct result *const results[2],
	const char *const names[2], struct error *err);

/*
 * Print the hosts of a fleet on standard output: each kind by its distance from
 * its first host, who stands out and why, who cannot be compared, and what
 * could not be read.
 */
void compare_report_fleet(const struct fleet *fleet);

#endif
