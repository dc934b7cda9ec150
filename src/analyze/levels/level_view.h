/*
 * What a level is judged by: the logarithms of the costs between units, which
 * are the groups of the next finer level, or CPUs, in so far as both are in one
 * group of the next coarser level, their family. What rows say is fitted once,
 * whatever groups are tried. Pure.
 */
#ifndef C2C_LEVEL_VIEW_H
#define C2C_LEVEL_VIEW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

/* The units of a level. */
struct level_units {
	size_t n;
	const uint32_t *unit_of;	 /* [CPUs]; NULL: each is one */
	const struct cost_matrix *costs; /* medians of blocks */
	const float *log;		 /* [n * n] NaN where missing */
};

struct unit_view {
	const struct level_units *units;
	struct partition families; /* of the units */
	const struct group_members *members;
	bool *holes;	    /* [families] whether cells are missing */
	uint32_t *known;    /* [units] how many cells it has in its family */
	double cells;	    /* in all families */
	double rows;	    /* how many cells the fit of rows uses up */
	double *row;	    /* [units] row[u] + row[v] is the log of a cell */
	double *rests;	    /* [units] the sum of what is left of its cells */
	double squares;	    /* of what is left, over all cells */
	uint32_t *nearest;  /* [units] who is nearest, UINT32_MAX: nobody */
	float *near, *next; /* [units] log of that cell, and the next nearest */
};

/* Fill *units with the CPUs, or the groups of finer. */
void level_units_init(struct level_units *units,
	const struct cost_matrix *matrix, const struct partition *finer,
	const struct level_constants *constants, struct arena *arena);

/* Coarser: a partition of the CPUs, or NULL: all are one family. */
void level_view_init(struct unit_view *view, const struct level_units *units,
	const struct partition *coarser,
	const struct level_constants *constants, struct arena *arena);

/* The partition of CPUs as one of the units. */
struct partition level_view_partition(const struct unit_view *view,
	const struct partition *cpus, struct arena *arena);

/*
 * Least squares of some value of each cell on rows, if sums[u] is its sum over
 * the cells of unit u: row[u] + row[v] fits the cell of u and v. A row counts
 * as a few cells more that are like all others of the family.
 */
void level_view_fit_rows(const struct unit_view *view, const double *sums,
	double ridge, double *row);

static inline float level_view_log(
	const struct unit_view *view, size_t u, size_t v)
{
	return view->units->log[u * view->units->n + v];
}

/* What the rows leave of a cell. */
static inline double level_view_rest(
	const struct unit_view *view, size_t u, size_t v)
{
	return (double)level_view_log(view, u, v) - view->row[u] - view->row[v];
}

#endif
