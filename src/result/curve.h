/*
 * A curve has values over x, intervals, and facts that describe the curve.
 *
 * Curves with the same test, device, family and units share a panel. Curves
 * with the same member have the same colour.
 */
#ifndef C2C_CURVE_H
#define C2C_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* Statistic of the points. */
enum curve_statistic {
	CURVE_MEDIAN,
	CURVE_MEAN,    /* mean over CPUs; single CPUs may have curves, too */
	CURVE_CEILING, /* the ceiling of a panel, without values */
	CURVE_THEORY,  /* a theoretical ceiling, which values may exceed */
};

/* Kind of an axis in a picture. */
enum curve_axis {
	CURVE_AMOUNTS, /* linear axis from 0 */
	CURVE_RATIOS,  /* log axis if values differ by a large factor */
	CURVE_COUNTS,  /* whole numbers and powers of two */
	CURVE_BYTES,   /* sizes, such as "4 KiB" */
	CURVE_SETS,    /* total sizes of the working sets of all CPUs */
	/* measured values of x, which differ in each run */
	CURVE_MEASURED,
	CURVE_AXES,   /* unknown until the end of reading */
	CURVE_SHARES, /* only in a figure: per cent, on a linear axis */
};

static inline bool curve_axis_is_bytes(enum curve_axis kind)
{
	return kind == CURVE_BYTES || kind == CURVE_SETS;
}

/* Facts of a curve. A missing text is NULL. */
struct curve_facts {
	const char *test;	     /* "stride"; or NULL */
	const char *family;	     /* title of the panel */
	const char *member;	     /* name of the curve in the panel */
	const char *variant;	     /* "padded"; NULL: none */
	const char *device;	     /* NULL if the machine has one device */
	const char *x_name, *x_unit; /* x_unit NULL: none */
	const char *y_name, *y_unit; /* y_name NULL: family */
	enum curve_axis x_axis, y_axis;
	enum curve_statistic statistic;
};

/* A fitted line: time = overhead + x / rate. Arrays are {value, low, high}. */
struct curve_fit {
	double overhead_ns[3];
	double rate_gib_per_s[3];
	double half_rate_bytes; /* value of x at half of the rate */
	double worst_error;	/* largest relative error of a point */
};

/* A curve. Missing values are NaN. */
struct curve {
	struct curve_facts facts; /* owned */
	struct cpu_list cpus;	  /* measured CPUs, if known */
	size_t n;
	double *x, *median, *low, *high;
	char **x_names;	  /* [n_x_names] names of the points on the x axis */
	size_t n_x_names; /* n or 0 */
	double *ceiling;  /* [n] or NULL */
	struct curve_fit *fit; /* NULL: none */
	double mark_x;	       /* x of the marked point */
	char *mark;	       /* text of the marked point; or NULL */
	struct facts extra;    /* unknown keys */
	/* Place in a figure (see figure/curve_places.h), or NULL. */
	const struct curve_place *place;
	bool of_rates; /* in a figure: y is a ratio of rates */
};

/* Name of x: work-items that a compute unit holds. A figure has per cent. */
#define CURVE_UNIT_ITEMS "work-items a unit"

/* Return an array of n NaNs, or NULL. The caller frees the array. */
double *curve_new_missing(size_t n);

/* Initialise a curve of n NaNs, and copy the facts. False if out of memory. */
bool curve_init(struct curve *curve, const struct curve_facts *facts, size_t n);
void curve_release(struct curve *curve);

/* Allocate ceiling, if it is NULL. Return false if out of memory. */
bool curve_add_ceiling(struct curve *curve);

/* Set point i. y is {median, low, high}. */
void curve_set(struct curve *curve, size_t i, double x, const double y[3]);

/* Set x_names to copies of names[n]. Return false if out of memory. */
bool curve_name_x(struct curve *curve, const char *const *names);
void curve_drop_x_names(struct curve *curve);

/* Return the borrowed name of the point at x, or NULL. */
const char *curve_x_name(const struct curve *curve, double x);

/*
 * Return whether point i has this x, or the same name if both have names. A
 * number at the end of names, as in "same LLC (34 ns)", may differ by a
 * quarter.
 */
bool curve_is_point(
	const struct curve *curve, size_t i, double x, const char *name);

/* Return the median at x, or NaN. curve may be NULL. */
double curve_value_at(const struct curve *curve, double x);

/* Largest worst_error of a useful fit. */
#define CURVE_FIT_WORST 0.2

/* Return the borrowed fit of a curve, or NULL if its error is large. */
const struct curve_fit *curve_good_fit(const struct curve *curve);

double curve_fit_at(const struct curve_fit *fit, double x);

/*
 * Write the name of a curve, such as "row, padded" or "reader CPU 5". Curves of
 * tests have no CPUs in the name.
 */
#define CURVE_NAME_BYTES 160
const char *curve_name(const struct curve *curve, char name[CURVE_NAME_BYTES]);

/* Return "reads only" for the mix 1:0 of c2c numa, else mix. */
const char *curve_mix_words(const char *mix);

/* Write the title of a panel: "stride: global memory, device 0 (A CPU)". */
#define CURVE_TITLE_BYTES 320
const char *curve_title(
	const struct curve *curve, char title[CURVE_TITLE_BYTES]);

bool curve_same_panel(const struct curve *a, const struct curve *b);

/* Return whether two curves have the same facts and CPUs. */
bool curve_same(const struct curve *a, const struct curve *b);

/* Return whether a curve is for one CPU and all[n] has the mean over CPUs. */
bool curve_is_behind_mean(
	const struct curve *curve, const struct curve *all, size_t n);

/* Unit of fairness, from 0 to 1. Higher is better. */
#define CURVE_SHARE_UNIT "share"

/* Unit of a relative speed. Higher is better. */
#define CURVE_SPEED_UNIT "ratio"

/*
 * Return the quantity of y, borrowed. If y_name only repeats the family, the
 * quantity of a rate is "bandwidth" or "throughput", and that of nanoseconds
 * "latency" or "time".
 */
const char *curve_quantity(const struct curve_facts *facts);

bool curve_higher_is_better(const struct curve_facts *facts);

static inline bool curve_is_bound(const struct curve *curve)
{
	return curve->facts.statistic == CURVE_CEILING ||
	       curve->facts.statistic == CURVE_THEORY;
}

bool curve_has_values(const struct curve *curve);

#endif
