/* One cell of a table from another tool: see table.h. */
#ifndef C2C_CELL_H
#define C2C_CELL_H

#include <stdbool.h>
#include <stddef.h>

enum cell_kind {
	CELL_GAP,     /* empty, or a word for no value: nan, x, -, *, N/A */
	CELL_NUMBER,  /* finite; a unit and a deviation may follow it */
	CELL_LABEL,   /* a number marked as a CPU: CPU0, "core 0", 0: */
	CELL_SUMMARY, /* average, min, max... */
	CELL_WORD,    /* anything else */
};

struct text_cell {
	const char *text; /* [n], without blanks and quotes around it */
	size_t n;
	enum cell_kind kind;
	double value;	  /* value of a number or a label, else NaN */
	bool of_node;	  /* the label names a NUMA node */
	const char *unit; /* static, after a number; or NULL */
};

/* How a line separates its cells. */
struct cell_dialect {
	char separator;	    /* ' ': any number of blanks */
	bool decimal_comma; /* 53,1 is a number */
};

/*
 * Read the next cell of a line from *at, and move *at past it. False at the end
 * of the line; an empty line has one cell, unless blanks separate cells.
 */
bool cell_next(const char **at, const struct cell_dialect *dialect,
	struct text_cell *cell);

/*
 * Return a line's separator: the first of | & ; , tab that it contains, else '
 * '.
 */
char cell_separator(const char *line);

/* Whether a number may name a CPU. */
bool cell_is_cpu(double value);

/* Whether a word names a CPU, or, if *node, a NUMA node. */
bool cell_is_place(const char *text, size_t n, bool *node);

/* Return the unit that a word means, static; NULL if none. */
const char *cell_unit(const char *text, size_t n);

#endif
