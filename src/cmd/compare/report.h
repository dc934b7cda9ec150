/*
 * Comparisons as text on standard output.
 */
#ifndef C2C_CMD_COMPARE_REPORT_H
#define C2C_CMD_COMPARE_REPORT_H

#include "analyze/compare.h"

/* The host, or the file's name where it does not say. Borrowed. */
const char *compare_host(const struct compare_side *side);

/* All of one comparison. */
void compare_report(
	const struct compare_side *reference, const struct compared *file);

/* Files by their distance from the reference, then those without. -ENOMEM. */
int compare_rank(const struct compare_side *reference,
	const struct compared *files, size_t n, struct error *err);

#endif
