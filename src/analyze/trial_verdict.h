/*
 * Judges whether a placement of a program's threads pays. Pure functions; any
 * thread may call them.
 *
 * Each round runs every placement once, in random order. The difference of a
 * placement is the logarithm of its speed over the mean (of logarithms) of the
 * round's two unbound runs. A placement pays or costs only if, in each block
 *
 * - the test by joint signs of all placements has an adjusted p below 0.05,
 * - the estimate has the same sign as in the other block, and
 * - it is beyond the bound of the control: the farther end of the 95 % interval
 *   of one unbound run against the other.
 *
 * CPUs that were chosen pay only if they also beat as many random CPUs, by the
 * same rule. There is one look at the rounds, at the end.
 */
#ifndef C2C_TRIAL_VERDICT_H
#define C2C_TRIAL_VERDICT_H

#include <stdbool.h>

#include "result/program_trial.h"
#include "util/arena.h"

/*
 * Fill judged of each placement, control, bound_pct and verdict by the values
 * of the rounds, and apart of each placement. A trial of one block is judged by
 * the rule of a block alone. No verdict if a block has too few rounds
 * (STAT_CI95_LEAST), or if unbound differs from itself: the signed ranks of
 * the control over all rounds have a p below 0.01. Only within arena_run().
 */
void trial_judge(struct program_trial *trial, struct arena *arena);

/* Whether values vary so little that they may be a fixed time: under 1 %. */
bool trial_is_constant(const struct program_trial *trial, struct arena *arena);

#endif
