/*
 * The view that a level is judged in: the logarithms of the costs between
 * units, which are CPUs or the groups of the next finer level, inside families,
 * which are the groups of the next coarser level. Rows are fitted once,
 * whatever groups are tried. Pure.
 */
#ifndef C2C_LEVEL_VIEW_H
#define C2C_LEVEL_VIEW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

/* The units of a level. */
struct level_units {
	size_t n;
	const uint32_t *unit_of;	 /* [CPUs]; NULL: each CPU is one */
	const struct cost_matrix *costs; /* medians of blocks */
	const float *log;		 /* [n * n] NaN if missing */
};

struct unit_view {
	const struct level_units *units;
	struct partition families; /* groups of the units */
	const struct group_members *members;
	bool *holes;	    /* [families] whether cells are missing */
	uint32_t *known;    /* [units] number of known cells in its family */
	double cells;	    /* number in all families */
	double rows;	    /* how many cells the fit of rows uses up */
	double *row;	    /* [units] row[u] + row[v] fits the log of a cell */
	double *rests;	    /* [units] sum of what rows leave of its cells */
	double squares;	    /* sum of squares of that, over all cells */
	uint32_t *nearest;  /* [units] nearest unit; UINT32_MAX: none */
	float *near, *next; /* [units] log of that cell, and the next nearest */
};

/* Fill *units with the CPUs, or with the groups of finer. */
void level_units_init(struct level_units *units,
	const struct cost_matrix *matrix, const struct partition *finer,
	const struct level_constants *constants, struct arena *arena);

/* Fill *view. coarser is a partition of the CPUs; NULL: one family. */
void level_view_init(struct unit_view *view, const struct level_units *units,
	const struct partition *coarser,
	const struct level_constants *constants, struct arena *arena);

/* Return a partition of CPUs as one of the units. */
struct partition level_view_partition(const struct unit_view *view,
	const struct partition *cpus, struct arena *arena);

/*
 * Fit some value of each cell to rows by least squares: row[u] + row[v] fits
 * the cell of u and v. sums[u] is the sum of the values of unit u. A row counts
 * as a few cells more that are like all others of the family.
 */
void level_view_fit_rows(const struct unit_view *view, const double *sums,
	double ridge, double *row);

static inline float level_view_log(
	const struct unit_view *view, size_t u, size_t v)
{
	return view->units->log[u * view->units->n + v];
}

/* Return what the rows leave of a cell. */
static inline double level_view_rest(
	const struct unit_view *view, size_t u, size_t v)
{
	return (double)level_view_log(view, u, v) - view->row[u] - view->row[v];
}

#endif
