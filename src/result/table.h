/*
 * A table in a text: the longest run of lines that looks like rows of cells,
 * whatever text surrounds it and whatever separates its cells; and the longest
 * list of pairs.
 *
 * cell.h reads a cell, shape.h finds the matrix in a table, pair_line.h reads a
 * line with a pair. For a new form of table, add a case to test_csv.c, and
 * extend TABLES in c2c(1).
 */
#ifndef C2C_TABLE_H
#define C2C_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "result/cell.h"
#include "result/pair_list.h"
#include "result/reader.h"
#include "util/error.h"
#include "util/text.h"

struct table_row {
	size_t line;	  /* line in the file, from 1 */
	const char *text; /* the line */
	size_t first, n;  /* cells of the row */
};

/* A line of the text. */
struct table_line {
	size_t number; /* line in the file, from 1 */
	char *text;    /* owned, without colours */
};

/* A table: zero it before table_read(); release it after, even on failure. */
struct text_table {
	double *values;	      /* [n_cells] of numbers and labels, else NaN */
	unsigned char *kinds; /* [n_cells]: enum cell_kind */
	size_t n_cells;
	struct table_row *rows;
	size_t n;
	size_t differs; /* adjacent line with other separators; 0: none */
	struct pair_list pairs; /* longest list */
	struct cell_dialect dialect;
	bool below_blank;      /* the line above the first row is empty */
	bool of_nodes;	       /* labels are NUMA nodes */
	const char *unit;      /* unit that the file names, static; or NULL */
	const char *cell_unit; /* unit in a cell, static; or NULL */
	char *corner;	       /* the first cell, if it is a word; or NULL */
	struct table_line *lines;
	size_t n_lines;
};

int table_read(
	struct text_table *table, struct reader *reader, struct error *err);
/* Release the lines; the numbers of the rows remain, but not their text. */
void table_drop_lines(struct text_table *table);
void table_release(struct text_table *table);

/* Refuse the list if a line among the pairs is no pair. */
int table_refuse_odd_pair(const struct text_table *table, struct error *err);

/* Write a cell's text in quotes, for a message. Return quote->text. */
const char *table_quote(const struct text_table *table,
	const struct table_row *row, size_t column, struct quoted_text *quote);

#endif
