/* Finds the matrix in a table, and the CPUs in its labels. */
#ifndef C2C_SHAPE_H
#define C2C_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "result/table.h"
#include "util/cpu_list.h"
#include "util/error.h"

enum matrix_shape {
	SHAPE_SQUARE,
	SHAPE_LOWER, /* triangle with the diagonal */
	SHAPE_UPPER,
	SHAPE_LOWER_OPEN, /* triangle without the diagonal */
	SHAPE_UPPER_OPEN,
	SHAPE_HOLLOW, /* square without the diagonal */
	SHAPES,
};

/* An interpretation of a table. */
struct table_reading {
	bool heading; /* the first row has the CPU of each column */
	bool corner;  /* the heading begins in the second cell */
	bool labels; /* the first column has the CPU of each row, or is empty */
	bool rising; /* the labels of a triangle increase */
	bool down;   /* the first row of the matrix has no cells */
	enum matrix_shape shape;
	size_t n; /* CPUs */
};

/*
 * Find the only possible reading of a table, and drop summary rows and columns.
 * The error describes the bad cell, or two possible readings.
 */
int shape_find(struct text_table *table, struct table_reading *reading,
	struct error *err);

/*
 * Return whether the matrix is implausible: it has a latency of 0 between two
 * CPUs, or numbers on the diagonal of a triangle.
 */
bool shape_is_absurd(
	const struct text_table *table, const struct table_reading *reading);

bool shape_has_diagonal(
	const struct text_table *table, const struct table_reading *reading);

bool shape_has_names(
	const struct text_table *table, const struct table_reading *reading);

/* Append the CPUs in the table, or 0, 1, 2... without CPU numbers. */
int shape_cpus(const struct text_table *table,
	const struct table_reading *reading, struct cpu_list *cpus,
	struct error *err);

/* Fill values[n * n], which are NaN before the call. */
void shape_fill(const struct text_table *table,
	const struct table_reading *reading, double *values);

#endif
