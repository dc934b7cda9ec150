/*
 * A sweep makes a curve over anything (strides, sizes, work-items, ...). It
 * prepares, times and checks each point, compares it with a ceiling, and puts
 * it into the curve. Private to src/cl.
 *
 * A test fills a struct sweep and calls sweep_run(). A test that makes its
 * points differently calls the steps below.
 */
#ifndef C2C_SWEEP_H
#define C2C_SWEEP_H

#include "cl/ceiling.h"
#include "cl/cl_verdict.h"
#include "cl/timing.h"

#define SWEEP_MOST TEST_MOST_SIZES

/* Group size of the article's tests that state none. */
#define ARTICLE_GROUP 32

/* Most sweeps that run together. */
#define SWEEP_TOGETHER 8

/* Accesses in a turn of many kernels' loops, as in the paper. */
#define SWEEP_UNROLLED 16

/* Smallest number of bytes of a ceiling for each CPU. */
#define SWEEP_LEAST_BYTES_A_CPU 4096

/* Shortest time of a run, if the turns can be chosen. */
#define SWEEP_LEAST_S 1e-3

/* How y follows from the time of a point and its amount of work. */
enum sweep_shows {
	SHOWS_RATE, /* GiB/s; the amount is bytes */
	SHOWS_GIGA, /* 10^9 operations or calls a second */
	SHOWS_STEP, /* ns of a step; the amount is their number */
	SHOWS_TIME, /* ms */
};

/*
 * The bound of a rate: ceilings that the test measures, or, if bytes is set,
 * one that the sweep measures and shows. There may be none.
 */
struct sweep_bound {
	struct ceiling *ceiling, *other; /* a rate may exceed one of two */
	bool both; /* a rate may exceed neither; each has its own bytes */
	enum native_what what; /* native loop of the ceiling */
	size_t bytes;	       /* bytes that they use; prepare() may set it */
	bool shared;	       /* each CPU accesses all of it */
	double counted;	       /* how often y counts each byte; 0 means 1 */
	const char *panel;     /* name of the line in the panel */
	double ceiling_per_y;  /* factor from y to the ceiling's unit; 0 is 1 */
	struct ceiling own[SWEEP_MOST]; /* [n_own], each for other bytes */
	size_t n_own;
	size_t own_at[SWEEP_MOST]; /* index of each point's ceiling */
	struct sweep *of; /* sweep whose memory and ceilings it shares */
	bool lenient;	  /* do not reject points above yet */
};

struct sweep {
	struct session *session;
	const char *name;	  /* in messages; NULL: "FAMILY, MEMBER" */
	struct curve_facts facts; /* y_unit NULL: chosen by shows */
	enum sweep_shows shows;
	double x[SWEEP_MOST];
	size_t n;
	/* Set by sweep_begin(). */
	bool begun;
	size_t at; /* index of the curve in the result */

	/* For each point: prepare() if set, then time() or launch_time(). */
	void (*prepare)(struct sweep *sweep, size_t i);
	struct timing (*time)(struct sweep *sweep, size_t i);
	void *context; /* for prepare and time, as are write and kind */
	bool write;
	unsigned kind;

	struct launch launch;
	struct kernel_loop
		loop;	 /* most 0: none; else x = 1 decides the turns */
	bool turns_vary; /* on a GPU each point decides its turns */
	cl_uint turns;
	double a_turn; /* amount of a work-item's turn; 0: see amount */
	double amount; /* amount of a run */
	double work;   /* share of the sweep in the progress; 0 means 1 */
	double once_s; /* time that only the first visit needs */
	struct expected_words expected; /* results of a run */
	struct sweep_bound bound;

	/* Values of x to compare with x = beside; 0: with 1, as times. */
	const unsigned *compared;
	size_t n_compared;
	double beside;

	struct pool *pools; /* [n], during sweep_run() */
};

/* Add values of x: n given values; or from least to most, by a factor. */
void sweep_over(struct sweep *sweep, const unsigned *values, size_t n);
void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor);

/*
 * Add the sizes of --sizes from least to most, each a multiple of unit and
 * larger than the one before: the user's number of them in each doubling.
 */
void sweep_each_doubling(
	struct sweep *sweep, size_t least, size_t most, size_t unit);

/*
 * Keep only the sizes of n sweeps that are within --sizes, if given. A sweep
 * may keep none; if no sweep keeps any, the session fails.
 */
void sweep_keep_sizes(struct sweep *sweeps, size_t n);

/* Return "read of 4 MiB, stride 16". */
const char *sweep_place(const struct sweep *sweep, double x);

/*
 * Make a sweep of a rate over strides of 0 to 16 words, as in figures 14 and
 * 15, or over some of these. A work-item accesses 16 words in a turn. `of` is a
 * text like "local memory".
 */
struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some);

/* Add the curve; its points are gaps until they are put. */
int sweep_begin(struct sweep *sweep);

/* Measure and check point i; put it unless it is rejected. */
struct timing sweep_measure(struct sweep *sweep, size_t i);
bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing);

/*
 * Begin n sweeps of equal length, if they are not begun, and measure all points
 * in random order: point i of each sweep, point j of each, ... Then repeat
 * points with wide intervals, in random order, until none is left or the
 * session's budget is spent. Finally repeat points above a ceiling, which may
 * have been disturbed. Reject those that are above it again. Show the sweeps'
 * own ceilings, and compare points.
 */
int sweep_run(struct sweep *sweeps, size_t n);

/* Return all n figures; the figure of point i, or at x; NaN: none. */
void sweep_figures(
	const struct sweep *sweep, struct median_interval figures[SWEEP_MOST]);
struct median_interval sweep_figure(const struct sweep *sweep, size_t i);
struct median_interval sweep_figure_at(const struct sweep *sweep, double x);

/* Return the index of x; n: no point has it. */
size_t sweep_find_x(const struct sweep *sweep, double x);

/* Return the index of the highest or the lowest figure; n: all are gaps. */
size_t sweep_most(const struct sweep *sweep);
size_t sweep_least(const struct sweep *sweep);

/*
 * Return figure_times() of a ratio, or of point i over point k of another
 * sweep, as a text that the session owns.
 */
const char *session_times(
	struct session *session, struct median_interval ratio, const char *as);
const char *sweep_times(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k, const char *as);

/* Append the finding "NAME, X beside NAME, X: 2.00 times as fast (...)". */
void sweep_compare(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k);

/* Warn if two sweeps differ by a quarter at an x where both run the same. */
void sweep_check_same(
	const struct sweep *sweep, const struct sweep *other, double x);

/*
 * Add a curve that is computed from others, over the same x and in the same
 * test. The pointer is valid until the next curve. NULL: failed.
 */
struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis);

/* Return the curve; the pointer is valid until the next curve. */
struct curve *sweep_curve(const struct sweep *sweep);

/* Record how the point at x of a curve was measured. */
void curves_note_point(struct session *session, size_t curve, double x,
	const struct timing *timing);

/* Remove a point: it becomes a gap. */
void curves_forget_point(struct session *session, size_t curve, double x);

/*
 * End the curves of a test. Unless it failed, record the runs and work-groups
 * of each point; after --work-group sweep add curves of the best sizes; report
 * points with few runs or wide intervals.
 */
int curves_end(struct session *session);

/* Count points with a wider interval than this; *all: with any interval. */
size_t curves_count_wide(
	const struct result *result, double precision_pct, size_t *all);

/* Return the median of half intervals of all points, as a share; NaN: none. */
double curves_noise(const struct result *result);

#endif
