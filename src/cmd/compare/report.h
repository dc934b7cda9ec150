/*
 * Comparisons as text on standard output.
 */
#ifndef C2C_CMD_COMPARE_REPORT_H
#define C2C_CMD_COMPARE_REPORT_H

#include "analyze/compare.h"

/* Print one comparison; all levels of curves, or those that changed. */
void compare_report(const struct compare_side *reference,
	const struct compared *file, bool all);

/*
 * Print files[n] by their distance from the first one, then those that could
 * not be compared.
 */
void compare_rank(const struct compared *files, size_t n, struct arena *arena);

#endif
