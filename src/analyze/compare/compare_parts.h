/*
 * Functions that compare parts of two results. Private to src/analyze/compare.
 */
#ifndef C2C_COMPARE_PARTS_H
#define C2C_COMPARE_PARTS_H

#include "analyze/compare/compare.h"
#include "machine/division.h"

/*
 * compare_facts.c: return 0 if a and b can be compared, else -EINVAL with the
 * reason.
 */
int compare_check(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct error *err);

/* compare_facts.c: divide the CPUs by the topology of a side's result. */
int compare_divide_topology(const struct compare_side *side,
	const struct cpu_list *cpus, struct machine_divisions *divisions,
	struct error *err);

/*
 * compare_facts.c: append the differences of machine, tool and options, and of
 * the two topologies if they are filled.
 */
void compare_facts(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b,
	const struct machine_divisions topologies[2]);

/* compare_levels.c: add the levels of a matrix whose pairs were compared. */
void compare_levels(struct compare_matrix *matrix,
	const struct compare_side *side, struct arena *arena);

/*
 * compare_levels.c: compare the levels that both analyses have. For the first
 * matrix, list the other levels as unmatched.
 */
void compare_levels_by_name(struct comparison *comparison,
	struct compare_matrix *matrix, const struct compare_side *a,
	const struct compare_side *b);

/* compare_curves.c: list an item that is not compared. */
void compare_add_unmatched(struct comparison *comparison, char *text);

/* compare_curves.c: whether any curve has values. */
bool compare_has_curves(const struct result *result);

/*
 * compare_curves.c: compare the curves and caches that both sides have, and
 * list other curves and caches as unmatched.
 */
void compare_curves(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b);
void compare_caches(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b);

/*
 * compare_lines.c: compare the cache lines of the pairs that both sides have,
 * and list other pairs as unmatched. Call after the pairs of the matrix are
 * judged.
 */
void compare_lines(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b);

/*
 * compare_lines.c: return the largest change of the mean over cache lines that
 * another choice of lines explains, at 95 %.
 */
double compare_lines_noise(const struct line_profile *profile);

/*
 * compare_levels.c: fill values with the median of each level in cells over n
 * CPUs, or with NaN. All are NaN if cells is NULL.
 */
void compare_level_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells, size_t n,
	double *values, struct arena *arena);

/*
 * compare_levels.c: divide each cell by usual[n * n], and fill values with the
 * median of each level, divided by the median of all other pairs. The level of
 * all pairs gets NaN.
 */
void compare_rest_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells,
	const double *usual, size_t n, double *values, struct arena *arena);

/*
 * Smaller changes of a level count as noise if the spread between runs is
 * unknown, because runs differ by more than the passes of one run.
 */
#define COMPARE_RUN_NOISE 0.03

/* compare.c: fill the other half of a symmetric matrix, and count changes. */
void compare_finish_pairs(struct compare_matrix *matrix, size_t n);

/*
 * compare_runs.c: choose the tests that the number of runs allows, and replace
 * the verdicts by theirs. Keep the verdicts if each side has one run and the
 * host cannot move vCPUs between them.
 */
void compare_choose_judge(struct comparison *comparison,
	const struct compare_side *a, const struct compare_side *b,
	bool by_level);
void compare_runs(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b, bool by_level);

/* Whether the cell (i, j) counts: a symmetric matrix has each pair twice. */
static inline bool compare_counts_cell(
	const struct compare_matrix *matrix, size_t i, size_t j)
{
	return i < j || !matrix->symmetric;
}

#endif
