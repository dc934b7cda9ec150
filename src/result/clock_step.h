/*
 * The effect of a coarse clock on latencies: the clock cannot distinguish
 * readings within one step. The step of a fine clock is the time of a reading,
 * and is ignored.
 *
 * cmd/latency/cmd_latency.c takes more round trips if the clock is coarse.
 */
#ifndef C2C_CLOCK_STEP_H
#define C2C_CLOCK_STEP_H

#include "result/result.h"

/* In ns; a smaller step is the time of a reading. */
#define CLOCK_STEP_READING_NS 60

/*
 * Return the clock step in the unit of a matrix, divided by the round trips of
 * a sample. 0 for rates, and if unknown.
 */
double clock_step_of(const struct result *result, const struct matrix *matrix);

/*
 * Extend each interval of this name to a step on each side of its median.
 * Return the largest ratio of a step to a median; 0 without a coarse clock.
 */
double clock_step_widen(struct result *result, const char *name);

#endif
