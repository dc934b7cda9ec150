/*
 * Small results and their plots as text, for the tests of src/figure and
 * src/render.
 */
#ifndef C2C_TESTS_UNIT_PLOT_SAMPLE_H
#define C2C_TESTS_UNIT_PLOT_SAMPLE_H

#include "render/plot.h"
#include "result/result.h"

/*
 * A latency result over cpus ("0-3") whose one symmetric matrix, one-way
 * latency in ns, holds values[n * n].
 */
void plot_sample(struct result *result, const char *cpus, const double *values);

/* Give it a machine, a method, passes and a date. */
void plot_sample_describe(struct result *result);

/*
 * What plot_text() prints with default options for so many columns and rows,
 * or with *options: a string for free(). Asserts success.
 */
char *plot_sample_text(const struct result *result,
	const struct plot_options *options, unsigned columns, unsigned rows,
	enum plot_colour colour);

#endif
