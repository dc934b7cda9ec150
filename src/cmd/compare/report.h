/*
 * Comparisons as text on standard output.
 */
#ifndef C2C_CMD_COMPARE_REPORT_H
#define C2C_CMD_COMPARE_REPORT_H

#include "analyze/compare.h"

/* A file that was compared with the reference. */
struct compared {
	struct result result;
	struct analysis analysis; /* only when compared by level */
	struct compare_side side;
	struct comparison comparison;
	bool outlier;
	char *reason; /* why it cannot be compared; NULL when it was */
};

/* "host", or the file's name where it does not say. Borrowed. */
const char *compare_host(const struct compare_side *side);

/* All of one comparison. */
void compare_report(
	const struct compare_side *reference, const struct compared *file);

/* Files by their distance from the reference, then those without. -ENOMEM. */
int compare_rank(const struct compare_side *reference,
	const struct compared *files, size_t n, struct error *err);

#endif
