/*
 * Finds the shape of a table, a square or a half, and the CPUs that it names.
 */
#ifndef C2C_SHAPE_H
#define C2C_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "result/table.h"
#include "util/cpu_list.h"
#include "util/error.h"

enum matrix_shape {
	SHAPE_SQUARE,
	SHAPE_LOWER, /* half with the diagonal */
	SHAPE_UPPER,
	SHAPE_LOWER_OPEN, /* half without the diagonal */
	SHAPE_UPPER_OPEN,
	SHAPE_HOLLOW, /* a square without its diagonal */
	SHAPES,
};

/* How the cells of a table are read. */
struct table_reading {
	bool heading; /* the first row names the CPU of each column */
	bool corner;  /* the heading begins in its second cell */
	bool labels;  /* first column names each row's CPU, or is empty */
	bool rising;  /* increasing labels other than 0, 1, 2... (half only) */
	bool down;    /* the first row has no cells */
	enum matrix_shape shape;
	size_t n; /* CPUs */
};

/*
 * Find the only possible reading of a table, and drop its summary row and
 * column. An error names the bad cell, or the two possible readings.
 */
int shape_find(struct text_table *table, struct table_reading *reading,
	struct error *err);

/*
 * Whether the matrix is no plausible measurement: it has a latency of 0 between
 * two CPUs, or numbers on the diagonal of a half.
 */
bool shape_is_absurd(
	const struct text_table *table, const struct table_reading *reading);

/* Whether a square has numbers on its diagonal. */
bool shape_has_diagonal(
	const struct text_table *table, const struct table_reading *reading);

/* Whether the table names its CPUs. */
bool shape_has_names(
	const struct text_table *table, const struct table_reading *reading);

/* Append the CPUs that the table names, or else CPUs from 0 on. */
int shape_cpus(const struct text_table *table,
	const struct table_reading *reading, struct cpu_list *cpus,
	struct error *err);

/* Fill values[n * n], which must be NaN before. */
void shape_fill(const struct text_table *table,
	const struct table_reading *reading, double *values);

#endif
