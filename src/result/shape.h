/* What matrix a table is: a square or a half, with the CPUs that it names. */
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
	bool labels;  /* the first column names each row's CPU, or is empty */
	bool rising;  /* labels of a half need not be 0, 1, 2... */
	bool down;    /* a row without cells comes first */
	enum matrix_shape shape;
	size_t n; /* CPUs */
};

/*
 * Find the only way to read a table, and drop its row and column of summaries.
 * An error names the cell, or the two ways.
 */
int shape_find(struct text_table *table, struct table_reading *reading,
	struct error *err);

/*
 * Whether nobody would have measured the matrix: it has a latency of 0 between
 * two CPUs, or numbers on the diagonal of a half.
 */
bool shape_is_absurd(
	const struct text_table *table, const struct table_reading *reading);

/* Whether a square has numbers for CPUs with themselves. */
bool shape_has_diagonal(
	const struct text_table *table, const struct table_reading *reading);

/* Whether the table names its CPUs. */
bool shape_has_names(
	const struct text_table *table, const struct table_reading *reading);

/* Append the CPUs: those that the table names, or from 0 on. */
int shape_cpus(const struct text_table *table,
	const struct table_reading *reading, struct cpu_list *cpus,
	struct error *err);

/* Fill values[n * n], NaN before. */
void shape_fill(const struct text_table *table,
	const struct table_reading *reading, double *values);

#endif
