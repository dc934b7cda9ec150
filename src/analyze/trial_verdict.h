/*
 * Judges whether a placement of a program's threads pays off. The functions are
 * pure; any thread may call them.
 *
 * Each round runs each placement once, in random order. The difference of a
 * placement is the log of its speed, relative to the mean log of the round's
 * two unbound runs. A placement is faster or slower than unbound runs only if,
 * in each block,
 *
 * - the test by joint signs of all placements has an adjusted p below 0.05,
 * - the estimate has the same sign as in the other block, and
 * - the estimate exceeds the bound of the control: the larger absolute end of
 *   the 95 % interval of the difference between the two unbound runs.
 *
 * Chosen CPUs pay off only if they are also faster than equally many random
 * CPUs, by the same rule. The rounds are tested once, at the end.
 */
#ifndef C2C_TRIAL_VERDICT_H
#define C2C_TRIAL_VERDICT_H

#include <stdbool.h>

#include "result/program_trial.h"
#include "util/arena.h"

/*
 * Fill control, bound_pct, verdict, and `judged` and `apart` of each placement,
 * from the values of the rounds. The result of a single block decides. Call
 * within arena_run(). There is no verdict if
 *
 * - a block has fewer than STAT_CI95_LEAST rounds,
 * - the two unbound runs differ: the p of the control over all rounds, by
 *   signed ranks, is below 0.01, or
 * - no placement differs, and the trial is blind.
 */
void trial_judge(struct program_trial *trial, struct arena *arena);

/* Whether no placement was judged, because some placements vary too much. */
bool trial_is_blind(const struct program_trial *trial);

/* Return the median of the unbound runs in the metric's unit; NaN: none. */
double trial_unbound_median(
	const struct program_trial *trial, struct arena *arena);

/*
 * Return the placement with the largest median gain so far, for the progress;
 * NULL if no placement gains. Call within arena_run().
 */
const struct tried_placement *trial_find_leader(
	const struct program_trial *trial, double *gain_pct,
	struct arena *arena);

/*
 * Return the speed of a placement in a round, relative to the mean of the two
 * unbound runs of this round: 2 is twice as fast; NaN: unknown.
 */
double trial_relative_speed(
	const struct program_trial *trial, size_t placement, size_t round);

/*
 * Whether values vary so little (under 1 %) that they may be a constant time.
 */
bool trial_is_constant(const struct program_trial *trial, struct arena *arena);

#endif
