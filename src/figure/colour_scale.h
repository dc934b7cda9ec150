/*
 * Converts values to positions on a colour scale, from 0 to 1, and to short
 * text. Pure, except that plot_scale_init() allocates memory.
 */
#ifndef C2C_COLOUR_SCALE_H
#define C2C_COLOUR_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "figure/palette.h"
#include "figure/plot_options.h"
#include "result/result.h"
#include "util/arena.h"

struct plot_view;

/* The colour scale; values are in the unit of the matrix. */
struct plot_scale {
	size_t n_values;  /* known values; 0: the other members are undefined */
	double low, high; /* ends of the colours, low < high */
	double least, most; /* smallest and largest value */
	double median;
	size_t n_beyond;   /* values below low or above high */
	bool below, above; /* numbers of values below low, above high */
	bool whole;	   /* all values are whole numbers */
	bool counts;	   /* values are numbers of passes */
	bool constant; /* all values are equal: low and high surround them */
	bool reversed; /* higher is better: bright is low */
	enum palette_kind palette;
	double noise; /* noise of the view, for plot_scale_init() */
	bool noisy;   /* noise is nearly as large as differences of values */
	bool flat;    /* use one colour: differences may be noise */
};

/*
 * Make the scale of all drawn matrices. The options may fix its ends. Otherwise
 * it spans all values except outliers, which would flatten it. All values above
 * ten times the median are outliers. Outliers are also more than three times as
 * far away as the rest: up to 1 % of the values (or one pair) at the bad end,
 * and up to 0.1 % at the good end. For slowdowns the scale is from 1 to at
 * least 2.
 *
 * Unless the options fix the ends, all values have one colour if they differ by
 * no more than equal values would. Noise is the width of a value's interval;
 * NaN: unknown; INFINITY (too few passes for an interval): one colour.
 */
void plot_scale_init(struct plot_scale *scale, const struct plot_view *view,
	const struct plot_options *options, struct arena *memory);

/* Put the ends around a value if they are equal; set the member constant. */
void plot_scale_surround(struct plot_scale *scale);

/* Set the members noisy and flat, by noise (or NaN), least and most. */
void plot_scale_judge_noise(struct plot_scale *scale);

/* Return the position of value from dark (0) to bright (1). */
double plot_scale_share(const struct plot_scale *scale, double value);
struct palette_colour plot_scale_colour(
	const struct plot_scale *scale, double value);

/* Return the number of decimals for about three digits of a span. */
int plot_decimals(double span);

/* Return the number of decimals for about three digits of most values. */
int plot_scale_decimals(const struct plot_scale *scale);

/* Return the number of decimals of the colour bar; 0 for counts. */
int plot_scale_bar_decimals(const struct plot_scale *scale);

/* Return a sentence about outliers of the scale; NULL if there are none. */
char *plot_scale_note(
	const struct plot_scale *scale, const char *unit, struct arena *memory);

/*
 * Return a sentence about the noise if it is unknown or nearly as large as
 * differences; else NULL.
 */
char *plot_scale_doubt(
	const struct plot_scale *scale, const char *unit, struct arena *memory);

#define PLOT_NUMBER_BYTES 32

/* Format a value with this many decimals; zero has no sign. */
void plot_format_fixed(
	char text[PLOT_NUMBER_BYTES], double value, int decimals);

/* Format a value with about three digits. */
const char *plot_format_figures(char text[PLOT_NUMBER_BYTES], double value);

/*
 * Format a value with about three digits, from ten thousand as "12k" or "3M".
 */
void plot_format_short(
	char text[PLOT_NUMBER_BYTES], double value, int decimals);

/*
 * Return the length of the longest number of all matrices, formatted by
 * plot_format_short() or plot_format_fixed().
 */
size_t plot_longest_number(
	const struct plot_view *view, bool brief, int decimals);

/* Format a size of memory: "64 B", "1 KiB". */
void plot_format_bytes(char text[PLOT_NUMBER_BYTES], double bytes);

#endif
