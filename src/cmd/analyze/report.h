/*
 * The report of c2c analyze. Private to it.
 */
#ifndef C2C_CMD_ANALYZE_REPORT_H
#define C2C_CMD_ANALYZE_REPORT_H

#include "analyze/analysis.h"

/*
 * Print the report on standard output. compared_with names the topology that
 * the analysis was compared with (NULL: none). shared says who shares a cache
 * (NULL: the analysis is of something else). all lists groups however many
 * they are.
 */
void analyze_report(const struct analysis *analysis, const char *compared_with,
	const char *shared, bool all, struct arena *arena);

#endif
