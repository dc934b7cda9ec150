/*
 * Finds what changed between two results of one command: in pairs, levels,
 * curves and machine facts.
 *
 * Pairs: if both files contain all passes, the passes of each pair are grouped
 * into at most 20 blocks by time, and the Wilcoxon-Mann-Whitney test compares
 * the medians of the blocks. Blocks are less correlated than consecutive
 * passes. Benjamini and Hochberg's procedure keeps the false discovery rate of
 * each matrix at 5 %. If a side has no passes, or too few for any p below 5 %
 * (three and three), a pair has changed if its two 95 % intervals do not
 * overlap. Disjoint intervals are stricter than a test at 5 % (Schenker and
 * Gentleman, The American Statistician 55, 2001), but control no false
 * discovery rate. Pairs without passes and intervals get no verdict.
 *
 * Levels: pairs are divided by the levels of the reference's analysis, from
 * pairs inside its innermost groups to pairs between its outermost groups.
 * Pairs that share a CPU are not independent. So c2c assigns each pair to one
 * of its two CPUs. The value of a CPU is the median change of its pairs.
 * Wilcoxon's signed-rank test compares these values, and controls the false
 * discovery rate as for pairs. The test needs six values; with fewer, all pairs
 * must have changed in the same direction.
 *
 * Curves: a point has changed if its two intervals do not overlap. Points whose
 * working sets fit a cache level in both records, but no smaller level, are
 * judged together. Most of them must have changed in one direction, and their
 * median by more than 3 %, because runs differ by more than passes of one run.
 * A cache size is an interval. It has changed if the intervals of both records
 * do not overlap, and if most latencies of the working sets between the
 * intervals have changed in the same direction.
 *
 * Several runs per side: the spread between runs is the noise. Each pair, level
 * and point has one value per run. stat_permute() tests all of them together by
 * permuting whole runs: if nothing changed, 1 of 20 comparisons reports a
 * change. Drift and clock frequency shift all pairs of a run together. So a
 * level is also judged relative to the other pairs of the same run: each pair
 * is divided by its mean over all runs, and the level's median by the median of
 * the other pairs. If the sides were interleaved, a linear drift over time is
 * subtracted. If a machine may drift, and all runs of one side were first, only
 * a change relative to the other pairs has a verdict, if it exceeds the
 * possible drift of a level. The caller finds the levels from the runs of both
 * sides, because the levels of one side would bias the comparison.
 *
 * One run per side: c2c gives no verdict on a virtual machine, or if CPUs
 * moved. The host may place vCPUs differently between runs, which changes
 * values by more than any interval within a run. On other machines two runs are
 * compared as above, and variation between runs counts as a change.
 *
 * The functions are pure. A comparison owns all that it points to. Only one
 * thread at a time may use a comparison.
 */
#ifndef C2C_COMPARE_H
#define C2C_COMPARE_H

#include <stdbool.h>

#include "analyze/analyze.h"
#include "result/comparison.h"

/*
 * Compare b with the reference a. Return -EINVAL (ERROR_USAGE) with the reason
 * if commands, quantities or units differ, if a side has neither matrix nor
 * curve, or, unless by_level, if CPU models, CPUs or methods differ.
 * b->analysis may be NULL unless by_level. The caller releases *comparison
 * after success only.
 */
int compare_make(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct comparison *comparison, struct error *err);

/* Check that two results can be runs of one side; else return -EINVAL. */
int compare_check_one_side(const struct compare_side *a,
	const struct compare_side *b, struct error *err);

/* Return the per cent by which a value got worse; negative if better. */
double compare_worse_pct(bool higher_is_better, double before, double change);

/* Return the least possible decrease of a size, in per cent, or 0. */
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
