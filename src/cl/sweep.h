/*
 * A sweep measures a curve over strides, sizes, work-items, ... The sweep
 * prepares, times and checks each point, compares it with a ceiling, and puts
 * it into the curve. Private to src/cl.
 *
 * A test fills a struct sweep and calls sweep_run(). A test with other needs
 * calls the steps below.
 */
#ifndef C2C_SWEEP_H
#define C2C_SWEEP_H

#include "cl/ceiling.h"
#include "cl/cl_verdict.h"
#include "cl/timing.h"

#define SWEEP_MOST TEST_MOST_SIZES

/* Group size of the paper's tests that state no size. */
#define ARTICLE_GROUP 32

/* Largest number of sweeps that run together. */
#define SWEEP_TOGETHER 8

/* Accesses in a turn of the loop of many kernels, as in the paper. */
#define SWEEP_UNROLLED 16

/* Smallest number of bytes per CPU of a ceiling. */
#define SWEEP_LEAST_BYTES_A_CPU 4096

/* Shortest time of a run, if the test chooses the number of turns. */
#define SWEEP_LEAST_S 1e-3

/* The x axis of curves over sizes, in struct curve_facts. */
#define SWEEP_SIZES .x_name = "size", .x_unit = "B", .x_axis = CURVE_BYTES

/* Formula of y from a point's time and amount of work. */
enum sweep_shows {
	SHOWS_RATE, /* GiB/s; the amount is bytes */
	SHOWS_GIGA, /* 10^9 operations or calls per second */
	SHOWS_STEP, /* ns per step; the amount is the number of steps */
	SHOWS_TIME, /* ms */
};

/*
 * The bound of a rate: ceilings that the test measures, or, if bytes is set, a
 * ceiling that the sweep measures and shows. A sweep need not have a bound.
 */
struct sweep_bound {
	struct ceiling *ceiling, *other; /* a rate may exceed either */
	bool both;			 /* a rate may exceed neither ceiling */
	/* Native loop of the ceiling; with sweep.write NATIVE_WRITE. */
	enum native_what what;
	size_t bytes;	      /* bytes of the loop; prepare() may set it */
	bool shared;	      /* each CPU reads all bytes */
	double counted;	      /* times that y counts a byte; 0 means 1 */
	const char *panel;    /* name of the line in the panel */
	double ceiling_per_y; /* factor from y to the ceiling's unit; 0 means 1
			       */
	struct ceiling own[SWEEP_MOST]; /* [n_own] one for each size */
	size_t n_own;
	size_t own_at[SWEEP_MOST]; /* [point] index of the ceiling */
	struct sweep *of; /* other sweep with shared memory and ceilings */
	bool lenient;	  /* do not reject points above a ceiling yet */
};

struct sweep {
	struct session *session;
	const char *name;	  /* name in messages; NULL: "FAMILY, MEMBER" */
	struct curve_facts facts; /* y_unit NULL: chosen by shows */
	enum sweep_shows shows;
	double x[SWEEP_MOST];
	size_t n;
	/* Set by sweep_begin(). */
	bool begun;
	size_t at; /* index of the curve in the result */

	/*
	 * For each point: call prepare(), choose the turns, call expect(), and
	 * time() or launch_time(). Each function may be NULL.
	 */
	void (*prepare)(struct sweep *sweep, size_t i);
	void (*expect)(struct sweep *sweep, size_t i);
	struct timing (*time)(struct sweep *sweep, size_t i);
	void *context; /* for these functions, like write and kind */
	bool write;
	unsigned kind;

	struct launch launch;
	/*
	 * most 0: no turns. Otherwise the point x = 1 decides the turns of all
	 * points; with turns_vary, the first visit of each point decides its
	 * turns. prepare() may set loop. If prepare() chooses turns itself, it
	 * does so only if not `again`. launch.rounds is set at each visit.
	 */
	struct kernel_loop loop;
	bool turns_vary;
	bool odd_turns; /* because pairs of turns cancel out by XOR */
	cl_uint turns;
	bool again;    /* a later visit, with the launch of the first visit */
	double a_turn; /* work of a work-item's turn; 0: see amount */
	double amount; /* amount of work of a run */
	double work;   /* share of the sweep in the progress; 0 means 1 */
	double once_s; /* extra time of the first visit */
	struct expected_words expected; /* results of a run */
	struct sweep_bound bound;

	/* Values of x to compare with x = beside; 0: with 1, as times. */
	const unsigned *compared;
	size_t n_compared;
	double beside;

	struct pool *pools; /* [n], during sweep_run() */
};

/* Add a value of x, n values, or values from least to most. */
void sweep_add(struct sweep *sweep, double x);
void sweep_over(struct sweep *sweep, const unsigned *values, size_t n);
void sweep_up_to(struct sweep *sweep, size_t least, size_t most, size_t factor);
void sweep_step_to(struct sweep *sweep, size_t least, size_t most, size_t step);

/*
 * Add the sizes of --sizes from least to most in ascending order: multiples of
 * unit, with the user's number of sizes in each doubling.
 */
void sweep_each_doubling(
	struct sweep *sweep, size_t least, size_t most, size_t unit);

/*
 * Keep only the sizes of n sweeps that are within --sizes, if given. The
 * session fails if no sweep has a size left.
 */
void sweep_keep_sizes(struct sweep *sweeps, size_t n);

/*
 * Return x as "16" or "4 MiB"; with its name, as "stride 16" or, without a
 * unit, "16 paths"; and with the sweep's name, as "read of 4 MiB, stride 16".
 */
const char *sweep_text_x(const struct sweep *sweep, double x);
const char *sweep_name_x(const struct sweep *sweep, double x);
const char *sweep_place(const struct sweep *sweep, double x);

/* Return whether the best point is the highest one. */
static inline bool sweep_is_rate(const struct sweep *sweep)
{
	return sweep->shows == SHOWS_RATE || sweep->shows == SHOWS_GIGA;
}

/*
 * Make a sweep of a rate over all or some strides of 0 to 16 words, as in
 * figures 14 and 15. A work-item accesses 16 words in a turn. `of` is a text
 * like "local memory".
 */
struct sweep sweep_of_strides(
	struct session *session, bool write, const char *of, bool some);

/* Add the curve; its points are gaps until they are measured. */
int sweep_begin(struct sweep *sweep);

/* Prepare point i. A later visit has the same work-items, group and turns. */
void sweep_prepare(struct sweep *sweep, size_t i);

/* Measure and check point i; set it unless it is rejected. */
struct timing sweep_measure(struct sweep *sweep, size_t i);
bool sweep_put(struct sweep *sweep, size_t i, const struct timing *timing);

/*
 * Begin n sweeps of equal length, unless begun already, and measure all points
 * in random order: point i of each sweep, point j of each sweep, ... Next
 * repeat points with wide intervals, in random order, until all intervals are
 * narrow or the session's budget is spent. Last, repeat points above a ceiling,
 * which may have been disturbed. Reject points that are above their ceiling
 * again. Add the sweeps' ceilings to the picture, and compare points.
 */
int sweep_run(struct sweep *sweeps, size_t n);

/* Return all n figures, or the figure of point i, or at x; NaN: no figure. */
void sweep_figures(
	const struct sweep *sweep, struct median_interval figures[SWEEP_MOST]);
struct median_interval sweep_figure(const struct sweep *sweep, size_t i);
struct median_interval sweep_figure_at(const struct sweep *sweep, double x);

/* Return the index of x; n: no point has this x. */
size_t sweep_find_x(const struct sweep *sweep, double x);

/*
 * Return the index of the best or the worst figure, which of rates is the
 * highest or the lowest; n: all points are gaps.
 */
size_t sweep_best(const struct sweep *sweep);
size_t sweep_worst(const struct sweep *sweep);

/*
 * Append the finding "NAME, X beside NAME, X: 2.00 times as fast (...)", or
 * nothing if a figure is missing.
 */
void sweep_compare(const struct sweep *sweep, size_t i,
	const struct sweep *other, size_t k);

/* Append "NAME beside stride 1: stride 2, 2.00 times as long; ...". */
void sweep_report_compared(const struct sweep *sweep);

/*
 * Append "NAME: at best 60 GiB/s, 20 bytes per clock and unit, 95 % of its
 * ceiling, at stride 8; at least 90 % of that at stride 2", as far as each part
 * is known. reached: the last part's share; 0: without that part.
 */
void sweep_report_best(const struct sweep *sweep, double reached);

/*
 * Append "NAME: falls by at least 25 % at 1 MiB, 32 MiB" if it does, and return
 * the x of the first fall, or 0. A rate falls where it stays below this share
 * of its best so far.
 */
double sweep_report_falls(const struct sweep *sweep, double share);

/* Warn if two sweeps differ by a quarter at an x with the same kernel. */
void sweep_check_same(
	const struct sweep *sweep, const struct sweep *other, double x);

/*
 * Add a curve that is computed from other curves of the test, over the same x.
 * The pointer is valid until the next curve is added. NULL: failed.
 */
struct curve *sweep_derive(const struct sweep *sweep, const char *member,
	const char *family, const char *y_unit, enum curve_axis y_axis);

/* Return the curve; the pointer is valid until the next curve is added. */
struct curve *sweep_curve(const struct sweep *sweep);

/* Record facts about the measurement of the point at x of a curve. */
void curves_note_point(struct session *session, size_t curve, double x,
	const struct timing *timing);

/* Remove a point: it becomes a gap. */
void curves_forget_point(struct session *session, size_t curve, double x);

/*
 * Finish the curves of a test. Unless the test failed, record the runs and
 * work-groups of each point; after --work-group sweep add curves of the best
 * sizes; report points with few runs or wide intervals.
 */
int curves_end(struct session *session);

/* Count points with wider intervals; *all: points with any interval. */
size_t curves_count_wide(
	const struct result *result, double precision_pct, size_t *all);

/* Return the median of all points' half intervals / medians, or NaN. */
double curves_noise(const struct result *result);

#endif
