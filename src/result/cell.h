/* One cell of a table that somebody posted: see table.h. */
#ifndef C2C_CELL_H
#define C2C_CELL_H

#include <stdbool.h>
#include <stddef.h>

enum cell_kind {
	CELL_GAP,     /* empty, or a sign for that: nan, x, -, *, N/A */
	CELL_NUMBER,  /* finite; a unit and a deviation may follow it */
	CELL_LABEL,   /* a number with a word for its CPU: CPU0, "core 0", 0: */
	CELL_SUMMARY, /* average, min, max... */
	CELL_WORD,    /* anything else */
};

struct text_cell {
	const char *text; /* [n], without blanks and quotes around it */
	size_t n;
	enum cell_kind kind;
	double value;	  /* of a number or a label, else NaN */
	bool of_node;	  /* the label is that of a NUMA node */
	const char *unit; /* behind a number, or NULL: static */
};

/* How the cells of a line stand. */
struct cell_dialect {
	char separator;	    /* ' ': any number of blanks */
	bool decimal_comma; /* 53,1 is a number */
};

/*
 * The next cell of a line, from *at on, which moves behind it. False at the end
 * of the line; an empty line has one cell, except between blanks.
 */
bool cell_next(const char **at, const struct cell_dialect *dialect,
	struct text_cell *cell);

/*
 * The separator of a line: the first of | & ; , tab that it has, else blanks.
 */
char cell_separator(const char *line);

/* Whether a number may name a CPU. */
bool cell_is_cpu(double value);

/* Whether a word is one for a CPU, or, if *node, for a NUMA node. */
bool cell_is_place(const char *text, size_t n, bool *node);

/* The unit that a word is, static; NULL: none. */
const char *cell_unit(const char *text, size_t n);

#endif
