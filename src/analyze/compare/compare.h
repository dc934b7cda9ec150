/*
 * Finds what changed between two results of one command: pair by pair, level by
 * level, curve by curve, and around them.
 *
 * Pairs: if both files hold every pass, the passes of each pair form at most 20
 * blocks in the order of time, and the Wilcoxon-Mann-Whitney test compares the
 * medians of the blocks: neighbouring passes are alike, blocks less so.
 * Benjamini and Hochberg's procedure keeps the false discovery rate of each
 * matrix at 5 %. Without passes, or with too few for any p below 5 % (three and
 * three), a pair has changed if its two 95 % intervals do not overlap. Disjoint
 * intervals are stricter than a test at 5 % (Schenker and Gentleman, The
 * American Statistician 55, 2001), but control no rate. With neither passes nor
 * intervals there is no verdict on pairs.
 *
 * Levels: pairs are divided by the levels of the reference's analysis, from
 * those inside its innermost groups to those between its outermost. Pairs that
 * share a CPU are not independent. So each pair counts for one of its two CPUs,
 * every CPU gives one value, the median change of its pairs, and Wilcoxon's
 * signed-rank test compares these values, again with control of the rate. Fewer
 * than six values cannot be tested: then every pair must have changed, in the
 * same direction.
 *
 * Curves: a point has changed if its two intervals do not overlap. The points
 * that fit one level of the caches (in both records, and no smaller level) are
 * judged together: most of them must have changed in one direction, and their
 * median by more than 3 %, since runs differ by more than passes of one run.
 * Sizes of caches are intervals: a size has changed if its two intervals do not
 * overlap, and most latencies of working sets between them have changed
 * accordingly.
 *
 * Several runs a side: the spread between runs is the noise. Every pair, level
 * and point has a value of each run, and stat_permute() tests all of them
 * together by whole runs: if the sides are alike, one comparison in twenty
 * finds a change. Drift and clock move all pairs of a run together. So a level
 * is also judged relative to the other pairs of the same run: each pair is
 * divided by its mean over all runs, and the level's median by that of the
 * others. If the sides took turns, drift is taken out as a line over time. If
 * one side came first on a machine that may drift, only a change relative to
 * the rest has a verdict, if it is more than the levels themselves may drift
 * by. The caller finds the levels from the runs of both sides: those of one
 * side alone would be chosen to differ.
 *
 * One run a side of a virtual machine, or of one whose CPUs moved, has no
 * verdict: the host's placement of vCPUs differs between runs by more than any
 * interval within a run. On other machines two runs are compared as above, and
 * what differs from run to run counts as a change like any other.
 *
 * Pure functions; a comparison owns all it points to. Not for two threads.
 */
#ifndef C2C_COMPARE_H
#define C2C_COMPARE_H

#include <stdbool.h>

#include "analyze/analyze.h"
#include "result/comparison.h"

/*
 * Compare b with the reference a. -EINVAL (ERROR_USAGE) with the reason if
 * commands, quantities or units differ, if either has neither matrix nor curve,
 * or, unless by_level, if CPU models, CPUs or methods differ. b's analysis may
 * be NULL unless by_level. The caller releases *comparison after success only.
 */
int compare_make(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct comparison *comparison, struct error *err);

/* Check that two results can be one side; -EINVAL with the reason if not. */
int compare_check_one_side(const struct compare_side *a,
	const struct compare_side *b, struct error *err);

/* Return how much worse a value got, in per cent; negative if better. */
double compare_worse_pct(bool higher_is_better, double before, double change);

/* Return how much smaller a size got at least, in per cent; 0 if it did not. */
double compare_smaller_pct(const struct compare_size *size);

/* Write a level's name, at most 31 bytes: "smt, inside", "all pairs". */
void compare_level_name(const struct compare_level *level, char name[32]);

/*
 * Return the difference as a result: a matrix of changes for each matrix, and
 * each curve before and after. The result borrows from both arguments and from
 * the arena; do not release it.
 */
struct result compare_result(const struct comparison *comparison,
	const struct compare_side *reference, struct arena *arena);

#endif
