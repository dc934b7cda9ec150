/* One cell of a table from another tool: see table.h. */
#ifndef C2C_CELL_H
#define C2C_CELL_H

#include <stdbool.h>
#include <stddef.h>

enum cell_kind {
	CELL_GAP,     /* empty, or a word such as nan, x, -, *, N/A */
	CELL_NUMBER,  /* finite number, with or without unit and deviation */
	CELL_LABEL,   /* number of a CPU: CPU0, "core 0", 0: */
	CELL_SUMMARY, /* word for a statistic: average, min, max... */
	CELL_WORD,    /* anything else */
};

struct text_cell {
	const char *text; /* [n], without blanks and quotes around the text */
	size_t n;
	enum cell_kind kind;
	double value;	  /* number in the cell, or NaN */
	bool of_node;	  /* label of a NUMA node */
	const char *unit; /* unit after a number, static; or NULL */
};

/* Separator and decimal sign of a line. */
struct cell_dialect {
	char separator;	    /* ' ' stands for one or more blanks */
	bool decimal_comma; /* 53,1 is one number */
};

/*
 * Read the next cell at *at, and move *at after the cell. Return false at the
 * end of the line. An empty line has one cell, or no cell if blanks separate
 * cells.
 */
bool cell_next(const char **at, const struct cell_dialect *dialect,
	struct text_cell *cell);

/*
 * Return the separator of a line: the first of | & ; , tab in the line, else '
 * '.
 */
char cell_separator(const char *line);

bool cell_is_cpu(double value);

/*
 * Return whether a word is a label of a CPU or, if *node becomes true, of a
 * NUMA node.
 */
bool cell_is_place(const char *text, size_t n, bool *node);

/* Return the unit of c2c for a word, static, or NULL. */
const char *cell_unit(const char *text, size_t n);

#endif
