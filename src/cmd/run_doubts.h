/*
 * What a record itself says against it.
 */
#ifndef C2C_RUN_DOUBTS_H
#define C2C_RUN_DOUBTS_H

#include "plot/plot.h"
#include "result/result.h"

/*
 * Hand over each warning of the run, of its tests only of those that are drawn.
 * A text lives until tell() returns.
 */
void run_doubts(const struct result *result, const struct plot_options *drawn,
	void (*tell)(void *context, const char *text), void *context);

#endif
