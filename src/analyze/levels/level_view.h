/*
 * Input for the test of a level: the logs of the costs between units inside
 * families. A unit is a CPU or a group of the next finer level; a family is a
 * group of the next coarser level. Pure.
 */
#ifndef C2C_LEVEL_VIEW_H
#define C2C_LEVEL_VIEW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

/* The units of a level. */
struct level_units {
	size_t n;
	const uint32_t *unit_of;	 /* [CPUs]; NULL: each CPU is a unit */
	const struct cost_matrix *costs; /* medians of blocks */
	const float *log;		 /* [n * n] NaN if missing */
};

struct unit_view {
	const struct level_units *units;
	struct partition families; /* groups of the units */
	const struct group_members *members;
	bool *holes; /* [families] whether cells are missing */
	/* [units] units of the family without a cell to this unit */
	struct group_members *missing;
	uint32_t *known;    /* [units] known cells in the unit's family */
	double cells;	    /* number of known cells in all families */
	double rows;	    /* degrees of freedom that the row fit uses */
	double *row;	    /* [units] row[u] + row[v] fits the log of a cell */
	double *rests;	    /* [units] sum of residuals of the unit's cells */
	double squares;	    /* sum of squared residuals over all cells */
	uint32_t *nearest;  /* [units] nearest unit; UINT32_MAX: none */
	float *near, *next; /* [units] logs of the two lowest cells */
};

/* Fill *units with the groups of `finer`, or with the CPUs if it is NULL. */
void level_units_init(struct level_units *units,
	const struct cost_matrix *matrix, const struct partition *finer,
	const struct level_constants *constants, struct arena *arena);

/* Fill *view. coarser is a partition of the CPUs; NULL: one family. */
void level_view_init(struct unit_view *view, const struct level_units *units,
	const struct partition *coarser,
	const struct level_constants *constants, struct arena *arena);

/* Convert a partition of CPUs to a partition of units. */
struct partition level_view_partition(const struct unit_view *view,
	const struct partition *cpus, struct arena *arena);

/*
 * Fit row[u] + row[v] to the value of each cell (u, v) by ridge regression,
 * which adds a few cells with the family's mean to each row. sums[u] is the sum
 * of the values of unit u.
 */
void level_view_fit_rows(const struct unit_view *view, const double *sums,
	double ridge, double *row);

static inline float level_view_log(
	const struct unit_view *view, size_t u, size_t v)
{
	return view->units->log[u * view->units->n + v];
}

/* Return the residual of a cell. */
static inline double level_view_rest(
	const struct unit_view *view, size_t u, size_t v)
{
	return (double)level_view_log(view, u, v) - view->row[u] - view->row[v];
}

#endif
