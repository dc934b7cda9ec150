/*
 * From values to shares of a colour scale, and to short text. Pure but for
 * the one allocation that plot_scale_init() says.
 */
#ifndef C2C_PLOT_SCALE_H
#define C2C_PLOT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/palette.h"
#include "plot/plot.h"
#include "result/result.h"
#include "util/arena.h"

struct plot_view;

/* All in the unit of the matrix. */
struct plot_scale {
	size_t n_values;    /* that are there; 0: the rest means nothing */
	double low, high;   /* ends of the colours, low < high */
	double least, most; /* of the values */
	double median;
	size_t n_beyond;   /* values below low or above high */
	bool below, above; /* whether there are any */
	bool whole;	   /* all values are whole numbers */
	bool constant;	   /* all values are one: low and high are around it */
	bool reversed;	   /* higher is better: bright is low */
	enum palette_kind palette;
	double noise; /* as plot_scale_init() was told */
	bool noisy;   /* differences are few times as large */
	bool flat;    /* one colour: differences may be noise */
};

/*
 * Make the scale that all drawn matrices share. The options may fix its ends.
 * Otherwise it spans the values, without a few outliers that would flatten it:
 * up to 1 % of the values (or one pair) at the bad end and 0.1 % at the good
 * end if they are more than three times as far away as the rest, and all values
 * above ten times the median. Slowdowns have a scale from 1 to at least 2.
 *
 * The noise of the view is the width of a value's interval, or NaN where files
 * do not tell it; INFINITY: too few passes to know it. All values have one
 * colour then, or if they differ by no more than equal values would, unless the
 * options fix the ends.
 */
void plot_scale_init(struct plot_scale *scale, const struct plot_view *view,
	const struct plot_options *options, struct arena *memory);

/* Set noisy and flat by noise, which may be NaN, and by least and most. */
void plot_scale_judge_noise(struct plot_scale *scale);

/* Where value stands from dark (0) to bright (1). */
double plot_scale_share(const struct plot_scale *scale, double value);
struct palette_colour plot_scale_colour(
	const struct plot_scale *scale, double value);

/* Digits after the point that keep about three figures of a span. */
int plot_decimals(double span);

/* A sentence on the values beyond the colours; NULL if there are none. */
char *plot_scale_note(
	const struct plot_scale *scale, const char *unit, struct arena *memory);

/* A sentence on noise that is nearly as large, or not known; else NULL. */
char *plot_scale_doubt(
	const struct plot_scale *scale, const char *unit, struct arena *memory);

#define PLOT_NUMBER_BYTES 32

/* A value with this many decimals; zero has no sign. */
void plot_format_fixed(
	char text[PLOT_NUMBER_BYTES], double value, int decimals);

/* About three figures of it. */
const char *plot_format_figures(char text[PLOT_NUMBER_BYTES], double value);

/* The same, but short from ten thousand on: "12k", "3M". */
void plot_format_short(
	char text[PLOT_NUMBER_BYTES], double value, int decimals);

/*
 * Length of the longest number of all matrices, as plot_format_short() or not.
 */
size_t plot_longest_number(
	const struct plot_view *view, bool brief, int decimals);

/* A size of memory: "64 B", "1 KiB". */
void plot_format_bytes(char text[PLOT_NUMBER_BYTES], double bytes);

#endif
