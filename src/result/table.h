/*
 * Finds the table in a text: the longest sequence of lines with cells, and the
 * longest list of pairs. Any text may surround the table.
 *
 * cell.h reads a cell, pair_line.h reads a pair, and shape.h finds the matrix.
 * For a new form of table, add a case to test_csv.c, and extend TABLES in
 * c2c(1).
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
	size_t first, n;  /* the first cell, and the number of cells */
};

struct table_line {
	size_t number; /* line in the file, from 1 */
	char *text;    /* owned; without colours */
};

/*
 * A table. The caller zeros a table before table_read(), and releases the table
 * even after an error.
 */
struct text_table {
	double *values;	      /* [n_cells] numbers and labels, or NaN */
	unsigned char *kinds; /* [n_cells]: enum cell_kind */
	size_t n_cells;
	struct table_row *rows;
	size_t n;
	size_t differs;		/* next line with another separator, or 0 */
	struct pair_list pairs; /* longest list */
	struct cell_dialect dialect;
	bool below_blank;      /* an empty line is above the first row */
	bool of_nodes;	       /* labels are NUMA nodes */
	const char *unit;      /* unit in the text, static; or NULL */
	const char *cell_unit; /* unit in a cell, static; or NULL */
	char *corner;	       /* word in the first cell, or NULL */
	struct table_line *lines;
	size_t n_lines;
};

int table_read(
	struct text_table *table, struct reader *reader, struct error *err);
/* Release the lines and the text of rows. */
void table_drop_lines(struct text_table *table);
void table_release(struct text_table *table);

/* Refuse a list of pairs if one of the lines is not a pair. */
int table_refuse_odd_pair(const struct text_table *table, struct error *err);

/* Quote the text of a cell for a message. Return quote->text. */
const char *table_quote(const struct text_table *table,
	const struct table_row *row, size_t column, struct quoted_text *quote);

#endif
