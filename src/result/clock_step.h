/*
 * The effect of a coarse clock on latencies: readings within one step are
 * equal. c2c ignores the step of a fine clock, which is the time of a reading.
 */
#ifndef C2C_CLOCK_STEP_H
#define C2C_CLOCK_STEP_H

#include "result/result.h"

/* A clock with a smaller step, in ns, is not coarse. */
#define CLOCK_STEP_READING_NS 60

/*
 * Return the clock step, divided by the round trips of a sample, in the unit of
 * a matrix. Return 0 for rates, or if the step is unknown.
 */
double clock_step_of(const struct result *result, const struct matrix *matrix);

/*
 * Widen each interval of the matrix `name` to at least a step on each side of
 * the median. Return the largest step / median, or 0 for a fine clock.
 */
double clock_step_widen(struct result *result, const char *name);

#endif
