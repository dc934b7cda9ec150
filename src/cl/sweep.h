/*
 * A curve over anything (strides, sizes, work-items, ...), from what it is
 * called to what is found in it: each point is prepared, timed, checked, held
 * against a ceiling, and put. Private to src/cl.
 *
 * A test fills a struct sweep and calls sweep_run(). A test that makes its
 * points in another way calls the steps below.
 */
#ifndef C2C_CL_SWEEP_H
#define C2C_CL_SWEEP_H

#include "cl/ceiling.h"
#include "cl/curves.h"
#include "cl/timing.h"
#include "cl/verdict.h"

#define SWEEP_MOST 40

/* Accesses in a turn of many a kernel's loop, as in the paper. */
#define SWEEP_UNROLLED 16

/* A run lasts so long, where turns allow. */
#define SWEEP_LEAST_S 1e-3

/* What y is, by the time of a point and the amount that was done in it. */
enum sweep_shows {
	SHOWS_RATE, /* GiB/s; the amount is bytes */
	SHOWS_GIGA, /* 10^9 of something a second */
	SHOWS_STEP, /* ns for each of so many steps */
	SHOWS_TIME, /* ms */
};

struct sweep {
	struct session *session;

	/* What it is. */
	char name[80];	     /* in messages: "read of 4 MiB" */
	char family[64];     /* curves that are drawn together */
	const char *member;  /* which of them: "read" */
	const char *variant; /* "padded", or NULL */
	enum curve_place place;
	unsigned part;		     /* of a page */
	const char *x_name, *x_unit; /* x_unit NULL: the name says all */
	enum curve_axis x_axis, y_axis;
	enum sweep_shows shows;
	const char *y_name; /* NULL: the family */
	const char *y_unit; /* NULL: as what it shows has it */
	double x[SWEEP_MOST];
	size_t n;

	/* How a point comes about. */
	void (*prepare)(struct sweep *sweep, size_t i); /* or NULL */
	struct timing (*time)(struct sweep *sweep, size_t i);
	struct launch launch; /* that is timed, where time is NULL */
	struct loop loop;     /* whose turns are chosen first, by point 1 */
	cl_uint turns;
	double a_turn; /* what a work-item does in it, if that is the amount */
	double amount; /* of one run; see enum sweep_shows */
	struct words right; /* what it leaves; at NULL: checked elsewhere */
	bool spoiled;	    /* these words are, before */
	double work;	    /* of progress, for a point; 0 counts as 1 */
	void *context;	    /* of these functions */

	/*
	 * What bounds a rate: what the CPUs do natively with so many bytes,
	 * which prepare() may change from point to point; or one of these two,
	 * and either one is enough; or nothing.
	 */
	bool write; /* and this one are for the test's own use */
	unsigned kind;
	enum native_what what;
	size_t bytes;
	struct ceiling *ceiling, *other;
	double held; /* of the ceiling's unit for one of y's; 0 counts as 1 */

	/* What is found: these points beside the one at x = 1. */
	const unsigned *compared;
	size_t n_compared;

	/* Its own. */
	size_t at; /* of the curve */
	struct ceiling of_points;
	size_t first, last; /* points it is for */
};

/* The values of x: n of these; doublings, or by a factor, up to most. */
void sweep_over(struct sweep *sweep, const unsigned *values, size_t n);
void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor);

/*
 * A rate over strides of 0 to 16 words, as in figures 14 and 15, or over some
 * of them. A work-item accesses 16 words a turn. of: "local memory".
 */
struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some);

/* What sweep_strides() measures: reads, then writes. */
struct strides {
	struct session *session;
	const char *of;
	cl_program program;
	const char *kernels[2]; /* read, write */
	size_t items;
	bool some;
	double work;			       /* of progress, of either */
	void (*complete)(struct sweep *sweep); /* loop, right, ... */
	void (*prepare)(struct sweep *sweep, size_t i);
	void *context;
};

/* Measure both. */
void sweep_strides(const struct strides *strides);

/* Add the curve; its points are gaps until they are put. */
int sweep_begin(struct sweep *sweep);

/* One point: measure and check it; then put it, unless it is rejected. */
struct timing sweep_measure(struct sweep *sweep, size_t i);
bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing);

/* Point i of each of n sweeps: measured, put, and told as progress. */
void sweep_point(struct sweep *sweeps, size_t n, size_t i);

/*
 * Begin n sweeps, measure all points, the first of each, the second, ..., and
 * find what is to be compared.
 */
int sweep_run(struct sweep *sweeps, size_t n);

/* The figure of point i; of the point at x, no result where there is none. */
struct figure sweep_figure(const struct sweep *sweep, size_t i);
struct figure sweep_figure_at(const struct sweep *sweep, double x);

/*
 * A curve that is made of others, of the same panel's test and over the same x:
 * good until the next is added. NULL: no memory.
 */
struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis);

/* The curve itself, or another at its place: good until the next is added. */
struct curve *sweep_curve(const struct sweep *sweep);
struct curve *session_curve(const struct session *session, size_t at);

#endif
