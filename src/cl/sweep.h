/*
 * A curve over anything (strides, sizes, work-items, ...), from its facts to
 * its findings: each point is prepared, timed, checked, held against a ceiling,
 * and put. Private to src/cl.
 *
 * A test fills a struct sweep and calls sweep_run(). A test that makes its
 * points in another way calls the steps below.
 */
#ifndef C2C_SWEEP_H
#define C2C_SWEEP_H

#include "cl/ceiling.h"
#include "cl/cl_verdict.h"
#include "cl/timing.h"

#define SWEEP_MOST 128

/* Of sweeps that run together. */
#define SWEEP_TOGETHER 8

/* Accesses in a turn of many kernels' loops, as in the paper. */
#define SWEEP_UNROLLED 16

/* The ceilings have this much for each CPU at least. */
#define SWEEP_LEAST_BYTES_A_CPU 4096

/* A run should take this long, if the turns can be chosen. */
#define SWEEP_LEAST_S 1e-3

/* What y is, from the time of a point and the amount of work in it. */
enum sweep_shows {
	SHOWS_RATE, /* GiB/s; the amount is bytes */
	SHOWS_GIGA, /* 10^9 of something a second */
	SHOWS_STEP, /* ns for each of that many steps */
	SHOWS_TIME, /* ms */
};

/*
 * What bounds a rate: ceilings that the test measures, or, with bytes set, one
 * that the sweep measures and shows; or nothing.
 */
struct sweep_bound {
	struct ceiling *ceiling, *other; /* a rate may exceed one of two, */
	bool both;	       /* or none: each is for its own bytes */
	enum native_what what; /* what the CPUs do natively */
	size_t bytes;	       /* with this memory; prepare() may set it */
	bool shared;	       /* each CPU accesses all of it */
	double counted;	       /* how often y has each byte; 0 is 1 */
	const char *panel;     /* show it for the panel, under this name */
	double ceiling_per_y;  /* ceiling's units for one of y; 0 is 1 */
	struct ceiling own[SWEEP_MOST]; /* [n_own], each of other bytes */
	size_t n_own;
	size_t own_at[SWEEP_MOST]; /* which of them each point has */
	struct sweep *of;	   /* it has the same memory and ceilings */
	bool lenient;		   /* what is above is in doubt, not rejected */
};

struct sweep {
	struct session *session;
	const char *name;	  /* in messages; NULL: "FAMILY, MEMBER" */
	struct curve_facts facts; /* y_unit NULL: as shows has it */
	enum sweep_shows shows;
	double x[SWEEP_MOST];
	size_t n;
	/* sweep_begin() sets both. */
	bool begun;
	size_t at; /* the curve's place in the result */

	/* Each point: prepare, if any, then time, else launch_time(). */
	void (*prepare)(struct sweep *sweep, size_t i);
	struct timing (*time)(struct sweep *sweep, size_t i);
	void *context; /* for these two, as are write and kind */
	bool write;
	unsigned kind;

	struct launch launch;
	struct kernel_loop
		loop; /* most 0: none; else x = 1 decides the turns */
	cl_uint turns;
	double a_turn; /* the amount of a work-item's turn; or 0, */
	double amount; /* and this is the amount of a run */
	double work;   /* share of the progress of a point; 0 is 1 */
	double once_s; /* spent on what another visit does not repeat */
	struct expected_words expected; /* what a run leaves */
	struct sweep_bound bound;

	/* Points to compare with the one at x = 1. */
	const unsigned *compared;
	size_t n_compared;

	struct pool *pools; /* [n], during sweep_run() */
};

/* The values of x: n of these; or from least to most, by a factor. */
void sweep_over(struct sweep *sweep, const unsigned *values, size_t n);
void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor);

/*
 * Of the sizes of n sweeps keep those within --sizes, if these were given. A
 * sweep may keep none; if none keeps any, the session fails.
 */
void sweep_keep_sizes(struct sweep *sweeps, size_t n);

/* "read of 4 MiB, stride 16" */
const char *sweep_place(const struct sweep *sweep, double x);

/*
 * A rate over strides of 0 to 16 words, as in figures 14 and 15, or over some
 * of them. A work-item accesses 16 words a turn. of: "local memory".
 */
struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some);

/* What sweep_strides() measures: reads, then writes. */
struct stride_sweeps {
	struct session *session;
	const char *of;
	cl_program program;
	const char *kernels[2]; /* read, write */
	size_t items;
	bool some;
	double work;			       /* progress of each */
	void (*complete)(struct sweep *sweep); /* sets loop, right, ... */
	void (*prepare)(struct sweep *sweep, size_t i);
	void *context;
};

void sweep_strides(const struct stride_sweeps *strides);

/* Add the curve; its points are gaps until they are put. */
int sweep_begin(struct sweep *sweep);

/* Measure and check point i; then put it, unless it is rejected. */
struct timing sweep_measure(struct sweep *sweep, size_t i);
bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing);

/*
 * Begin n sweeps of as many points, if they are not, and measure all, in random
 * order: point i of each, point j of each, ... Then repeat those with wide
 * intervals, in random order too, until none is left or the budget of the
 * session is spent. At last repeat what was above a ceiling, which may have
 * been disturbed then, and reject what is above it again. Show their own
 * ceilings, and compare.
 */
int sweep_run(struct sweep *sweeps, size_t n);

/* Its figures, n of them; that of point i or at x, NaN if there is none. */
void sweep_figures(
	const struct sweep *sweep, struct median_interval figures[SWEEP_MOST]);
struct median_interval sweep_figure(const struct sweep *sweep, size_t i);
struct median_interval sweep_figure_at(const struct sweep *sweep, double x);

/* Index of the point with the most and with the least; n: all are gaps. */
size_t sweep_most(const struct sweep *sweep);
size_t sweep_least(const struct sweep *sweep);

/*
 * figure_times() of a ratio, or of point i over point k of another sweep, as
 * texts that the session owns.
 */
const char *session_times(
	struct session *session, struct median_interval ratio, const char *as);
const char *sweep_times(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k, const char *as);

/*
 * Add a curve that is computed from others, over the same x and of the same
 * panels' test. The pointer is good until the next curve. NULL: failed.
 */
struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis);

/* The curve, good until the next one is added. */
struct curve *sweep_curve(const struct sweep *sweep);

/* Record how the point at x of the curve at that place was measured. */
void curves_note_point(struct session *session, size_t curve, double x,
	const struct timing *timing);

/* The point is a gap after all. */
void curves_forget_point(struct session *session, size_t curve, double x);

/*
 * At the end of a test: unless it failed, record the runs and work-groups of
 * each point; after --work-group sweep add curves of the best sizes; tell where
 * runs are few and intervals wide.
 */
int curves_end(struct session *session);

/* How many points of *all that have an interval reach farther than this. */
size_t curves_count_wide(
	const struct result *result, double precision_pct, size_t *all);

/* The median half interval of all points, as a share; NaN: none has one. */
double curves_noise(const struct result *result);

#endif
