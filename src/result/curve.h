/*
 * A curve: values over x with intervals, and facts that describe the curve.
 *
 * Names are for people: c2c uses their words only to choose a figure of c2c cl
 * for a summary, and the place of a curve in a figure. Curves share a panel if
 * test, device, family and units are the same, and a colour if member is the
 * same.
 */
#ifndef C2C_CURVE_H
#define C2C_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* The statistic of each point's middle value. */
enum curve_statistic {
	CURVE_MEDIAN,
	CURVE_MEAN,    /* over CPUs; each CPU may also have a curve */
	CURVE_CEILING, /* no values: the curve is the ceiling of its panel */
	CURVE_THEORY,  /* a ceiling from documents: values may be above */
};

/* The kind of values along an axis, which decides how they are drawn. */
enum curve_axis {
	CURVE_AMOUNTS, /* amounts in the unit, from 0 */
	CURVE_RATIOS,  /* compared by factors; a log axis if they differ much */
	CURVE_COUNTS,  /* ratios in whole numbers and powers of two */
	CURVE_BYTES,   /* sizes, written as "4 KiB" */
	CURVE_SETS,    /* sizes of working sets, summed over CPUs */
	/* measured amounts: no two runs share an x */
	CURVE_MEASURED,
	CURVE_AXES, /* not known yet, while a record is read */
};

static inline bool curve_axis_is_bytes(enum curve_axis kind)
{
	return kind == CURVE_BYTES || kind == CURVE_SETS;
}

/* The facts of a curve; a missing text is NULL. */
struct curve_facts {
	const char *test;    /* "stride"; NULL: the command has no tests */
	const char *family;  /* the title of its panel */
	const char *member;  /* the curve within the panel */
	const char *variant; /* "padded"; NULL: none */
	const char *device;  /* NULL: the only one */
	const char *x_name, *x_unit; /* x_unit NULL: none */
	const char *y_name, *y_unit; /* y_name NULL: the family */
	enum curve_axis x_axis, y_axis;
	enum curve_statistic statistic;
};

/* A fit: x takes overhead_ns + x / rate. Each is {value, low, high}. */
struct curve_fit {
	double overhead_ns[3];
	double rate_gib_per_s[3];
	double half_rate_bytes; /* x at which half of the rate is reached */
	double worst_error;	/* largest of any point, as a share */
};

/* A curve; NaN is a missing value. */
struct curve {
	struct curve_facts facts; /* owned */
	struct cpu_list cpus;	  /* measured CPUs; may be empty */
	size_t n;
	double *x, *median, *low, *high;
	char **x_names;	  /* [n_x_names] names of x, shown for its numbers */
	size_t n_x_names; /* n; 0: x has no names */
	double *ceiling;  /* NULL: none is known */
	struct curve_fit *fit; /* NULL: none */
	double mark_x;	       /* x of a point with a text next to it */
	char *mark;	       /* text of the point; NULL: none */
	struct facts extra;    /* keys this version does not know */
	/* of a copy in a figure: figure/curve_places.h; else NULL */
	const struct curve_place *place;
};

/* Return n NaNs for free(), or NULL without memory. */
double *curve_new_missing(size_t n);

/* Initialise with copies of the facts; points are missing. False: no memory. */
bool curve_init(struct curve *curve, const struct curve_facts *facts, size_t n);
void curve_release(struct curve *curve);

/* Allocate missing ceilings, if there are none. False: no memory. */
bool curve_add_ceiling(struct curve *curve);

/* Set point i; y is {middle, low, high}. */
void curve_set(struct curve *curve, size_t i, double x, const double y[3]);

/* Name each x of a curve: names[n]. False: no memory. */
bool curve_name_x(struct curve *curve, const char *const *names);
void curve_drop_x_names(struct curve *curve);

/* Return the name of x, borrowed; NULL: none. */
const char *curve_x_name(const struct curve *curve, double x);

/*
 * Whether point i has this x. If both have names, only the names count. A
 * number at the end of a name, as in "same LLC (34 ns)", may differ by a
 * quarter.
 */
bool curve_is_point(
	const struct curve *curve, size_t i, double x, const char *name);

/* Return the median at x; NaN without such a point, or without a curve. */
double curve_value_at(const struct curve *curve, double x);

/* Largest error of a useful fit, as a share. */
#define CURVE_FIT_WORST 0.2

/* Return the fit of a curve, borrowed; NULL if it is missing or poor. */
const struct curve_fit *curve_good_fit(const struct curve *curve);

/* Return the rate at x bytes according to the fit. */
double curve_fit_at(const struct curve_fit *fit, double x);

/*
 * Write the name of a curve: "row, padded", "reader, mean", "reader CPU 5",
 * "writer, same LLC (CPUs 0 and 2)". Tests have the CPUs of the whole run.
 */
#define CURVE_NAME_BYTES 160
const char *curve_name(const struct curve *curve, char name[CURVE_NAME_BYTES]);

/* Return "reads only" for "1:0", a mix of c2c numa; else mix. */
const char *curve_mix_words(const char *mix);

/* Write a curve's panel title: "stride: global memory, device 0 (A CPU)". */
#define CURVE_TITLE_BYTES 320
const char *curve_title(
	const struct curve *curve, char title[CURVE_TITLE_BYTES]);

/* Whether both curves belong to one panel. */
bool curve_same_panel(const struct curve *a, const struct curve *b);

/* Whether both curves measured the same thing. */
bool curve_same(const struct curve *a, const struct curve *b);

/* Whether a curve is one CPU's, and all[n] has the mean curve over CPUs. */
bool curve_is_behind_mean(
	const struct curve *curve, const struct curve *all, size_t n);

/* The unit of shares (0 to 1); higher is fairer. */
#define CURVE_SHARE_UNIT "share"

/* The unit of speeds relative to another one; higher is better. */
#define CURVE_SPEED_UNIT "ratio"

/*
 * Return the quantity of y, borrowed. If y_name only repeats the family, the
 * quantity of a rate is "bandwidth" or "throughput", and that of nanoseconds
 * "latency" or "time".
 */
const char *curve_quantity(const struct curve_facts *facts);

bool curve_higher_is_better(const struct curve_facts *facts);

/* Whether a curve has only a ceiling. */
static inline bool curve_is_bound(const struct curve *curve)
{
	return curve->facts.statistic == CURVE_CEILING ||
	       curve->facts.statistic == CURVE_THEORY;
}

bool curve_has_values(const struct curve *curve);

#endif
