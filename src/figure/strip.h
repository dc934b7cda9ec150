/* A strip of values as marks around their median, for the page of a fleet. */
#ifndef C2C_STRIP_H
#define C2C_STRIP_H

#include "figure/canvas.h"

struct figure_strip {
	const double *off; /* [n] percent from the median; NaN: no value */
	const bool *odd;   /* [n] outliers */
	size_t n;
	double low, high; /* range without outliers, in percent; NaN: unknown */
	const char *median;
};

/* Draw the strip, with a spot for each value, as an element of a page. */
void draw_strip(struct canvas *canvas, const struct figure_strip *strip);

#endif
