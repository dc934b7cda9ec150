/*
 * Rounds of programs that were run before, for the verdict of c2c try.
 *
 * A file has {SERIES: {PROGRAM: {"higher": 1, "rounds": [{"v": {NAME:
 * VALUE}}]}}}. "higher" is 1 if higher values are better. The first round is
 * the warm-up. A second block, if there is one, is "rounds2", without a
 * warm-up. U1 and U2 are the control, "randN" is random anew each round. "one",
 * "all" and what begins with U have other numbers of CPUs; all else has as many
 * as "randN".
 */
#ifndef C2C_TESTS_REPLAYED_ROUNDS_H
#define C2C_TESTS_REPLAYED_ROUNDS_H

#include "result/program_trial.h"

/* Call visit() with each program, judged. 0, or 1 after a message. */
int replay_rounds(const char *path,
	void (*visit)(void *context, const char *series, const char *name,
		struct program_trial *trial),
	void *context);

/* Judge it, again. */
void replay_judge(struct program_trial *trial);

/* The placement that is ahead, with its gain, or NULL. */
const struct tried_placement *replay_leader(
	const struct program_trial *trial, double *gain_pct);

#endif
