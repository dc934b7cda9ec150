/*
 * What a step of a coarse clock does to a latency: the clock cannot distinguish
 * readings within one step. The step of a fine clock is the time of a reading,
 * and counts as none.
 *
 * cmd/cmd_latency.c takes more round trips if the clock is coarse.
 */
#ifndef C2C_CLOCK_STEP_H
#define C2C_CLOCK_STEP_H

#include "result/result.h"

/* ns; a smaller step is the time of a reading. */
#define CLOCK_STEP_READING_NS 60

/*
 * Return a step of the clock in the unit of a matrix: the step over the round
 * trips of a sample. 0 for rates, and if the record does not say.
 */
double clock_step_of(const struct result *result, const struct matrix *matrix);

/*
 * Extend every interval of this name to a step on either side of its median.
 * Return the largest step over a median; 0 without a coarse clock.
 */
double clock_step_widen(struct result *result, const char *name);

#endif
