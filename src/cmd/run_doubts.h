/*
 * What a record itself says against it.
 */
#ifndef C2C_RUN_DOUBTS_H
#define C2C_RUN_DOUBTS_H

#include "plot/plot.h"
#include "result/result.h"

/*
 * Hand over each warning of the run, of its tests only of those that are drawn.
 * A text lives until report() returns.
 */
void run_doubts_report(const struct result *result,
	const struct plot_options *drawn,
	void (*report)(void *context, const char *text), void *context);

#endif
