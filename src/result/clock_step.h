/*
 * What a step of a coarse clock makes of a latency: two readings that the clock
 * cannot tell apart. The step of a fine clock is what a reading takes, and
 * counts as none.
 *
 * cmd/cmd_latency.c takes more round trips where the clock is coarse.
 */
#ifndef C2C_CLOCK_STEP_H
#define C2C_CLOCK_STEP_H

#include "result/result.h"

/* A smaller step, in ns, is what a reading takes. */
#define CLOCK_STEP_READING_NS 60

/*
 * A step of the clock in the unit of a matrix of the result: the step over the
 * round trips of a sample. 0 of rates, and where the record does not say.
 */
double clock_step_of(const struct result *result, const struct matrix *matrix);

/*
 * Let every interval of that name reach a step to either side of its median.
 * Returns the largest step over a median; 0 without a coarse clock.
 */
double clock_step_widen(struct result *result, const char *name);

#endif
