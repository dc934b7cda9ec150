/* Report the warnings and notes in a record. */
#ifndef C2C_RUN_DOUBTS_H
#define C2C_RUN_DOUBTS_H

#include "render/plot.h"
#include "result/result.h"

/*
 * Call report() for each warning of the run and of the drawn tests. The text is
 * valid until report() returns.
 */
void run_doubts_report(const struct result *result,
	const struct plot_options *drawn,
	void (*report)(void *context, const char *text), void *context);

#endif
