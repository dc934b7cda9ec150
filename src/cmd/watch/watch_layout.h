/*
 * Where everything stands on the screen of c2c watch. Pure.
 */
#ifndef C2C_WATCH_LAYOUT_H
#define C2C_WATCH_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct watch_layout {
	bool fits;	/* else the window is too small for anything */
	size_t fold;	/* CPUs of a cell, in either direction */
	size_t cells;	/* of a row, and rows */
	size_t label;	/* columns of the numbers on the left */
	size_t width;	/* columns of a cell */
	bool numbers;	/* cells have room for numbers */
	size_t heading; /* the line of the columns' numbers, */
	size_t matrix;	/* the first of the matrix, */
	size_t scale;	/* that of the colours, */
	size_t events;	/* and the first of the events */
	size_t n_events;
};

/*
 * As few CPUs in a cell as the window allows, and cells as wide as it allows.
 * most is the largest CPU number.
 */
struct watch_layout watch_layout_fit(
	size_t lines, size_t columns, size_t n, unsigned most);

#endif
