/* The place of a curve in a figure, and its style, by test and family. */
#ifndef C2C_CURVE_PLACES_H
#define C2C_CURVE_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "result/curve.h"

enum curve_page {
	CURVE_MAIN,
	CURVE_DETAIL, /* only on the page of its own test */
	CURVE_STRIP,  /* best value, next to others of the test */
	/* as CURVE_MAIN; with several devices, bars of the best values */
	CURVE_BAR,
};

enum curve_drawn {
	CURVE_LINE,
	CURVE_ROW,  /* a row of its panel's table; each x is a column */
	CURVE_GRID, /* a table with CURVE_GRID_COLUMNS x per row */
};

#define CURVE_GRID_COLUMNS 16

struct curve_place {
	enum curve_page page; /* with several tests */
	enum curve_drawn drawn;
	unsigned part; /* panels of one part are adjacent */
};

/* Return the place of curve i of the n curves of a record; static. */
const struct curve_place *curve_place_of(
	const struct curve *curves, size_t n, size_t i);

/* Whether a page with several tests has a panel for a curve. */
bool curve_place_is_main(const struct curve_place *place);

#endif
