/* Run kernels, time them, and check their results. Private to src/cl. */
#ifndef C2C_TIMING_H
#define C2C_TIMING_H

#include "cl/session.h"

/* The median of runs, with its 95 % interval (NaN: too few runs). */
struct timing {
	double median_s, low_s, high_s;
	size_t group;	  /* work-items in a group; 0: no kernel ran */
	unsigned runs;	  /* runs of the median */
	int64_t checksum; /* checksum of the last run's results; -1: none */
	unsigned visits;  /* visits with these runs */
};

/* Return a timing without runs: all times are NaN. */
struct timing timing_none(void);

/* Return the statistics of n times, and sort them. */
struct timing timing_of(double *s, size_t n);

/* Like timing_of() for the runs of a point, which session->pool also gets. */
struct timing timing_of_runs(struct session *session, double *s, size_t n);

/* Return the first timing with the shortest median, or timing_none(). */
struct timing timing_best(const struct timing *all, size_t n);

/* Set the checksum: the sum of these words modulo 2^32. */
void timing_sum(struct timing *timing, const void *words, size_t bytes);

/* Return whether n runs of a point in s seconds are enough. NaN: no. */
bool timing_is_enough(unsigned n, double s);

/*
 * Call once(), which returns a time in seconds: --discard times untimed, and
 * --repeat times or until the runs are enough. timing.group is 0.
 */
struct timing timing_repeat(
	struct session *session, double (*once)(void *context), void *context);

/* A kernel and its launch parameters. */
struct launch {
	cl_kernel kernel;
	size_t items, group;
	bool fixed;    /* --work-group sweep tries no other groups */
	size_t width;  /* items in a row of two dimensions; 0: one dimension */
	size_t rounds; /* repeats of the items in one dimension; 0 means 1 */
	/*
	 * On CPUs a group for each unit runs, and does shares of these
	 * work-items, or repeats its own; see shares.cl. The kernel has the
	 * parameter TAKEN.
	 */
	enum {
		RUNS_ALL,
		TAKES_SHARES,
		REPEATS_OWN,
	} shares;
};

/* Return a launch with groups of one work-item. */
static inline struct launch launch_singly(cl_kernel kernel, size_t items)
{
	return (struct launch){
		.kernel = kernel, .items = items, .group = 1, .fixed = true};
}

/*
 * Set the number of work-items, in groups of session_group(). Fail if the
 * groups do not divide the work-items.
 */
void launch_resize(
	struct session *session, struct launch *launch, size_t items);

/* Return a launch of a program's kernel with that many work-items. */
struct launch launch_of(struct session *session, cl_program program,
	const char *name, size_t items);

/* Run once and return the time; host: by the host's clock. NaN: it failed. */
double launch_once(
	struct session *session, const struct launch *launch, bool host);

/*
 * Run a kernel --discard times, then --repeat times timed. With --work-group
 * sweep try each group size, and return the best timing.
 */
struct timing launch_time(struct session *session, const struct launch *launch);

/*
 * Run a kernel once with each group size of launch_time(), because an
 * implementation may compile a kernel for each size.
 */
void launch_warm_up(struct session *session, const struct launch *launch);

/* A kernel's argument with the number of turns of its loop. */
struct kernel_loop {
	cl_uint argument, least, most;
	double least_s; /* shortest time of a run */
};

/*
 * Double the turns from least until a run takes long enough. If groups repeat
 * their own work, divide the turns into shares, which multiplies launch->items.
 * Return the turns.
 */
cl_uint launch_loop(struct session *session, struct launch *launch,
	const struct kernel_loop *loop);

/*
 * Repeat the work with more work-items: double the rounds until a run takes
 * least_s or the work-items would exceed an int. Return the rounds.
 */
cl_uint launch_in_rounds(
	struct session *session, struct launch *launch, double least_s);

/*
 * Compare a buffer with the expected words and put their sum into the timing.
 * If a word is wrong, call session_wrong() with `what`.
 */
void session_check(struct session *session, struct expected_words *words,
	struct timing *timing, const char *what);

/*
 * Compare the device's events with the host's clock, choose
 * session->by_events, and record both and the time of an empty launch.
 */
void timing_choose_clock(struct session *session);

/* Find the threads of a CPU device that work, and bind them. */
void timing_find_workers(struct session *session);

#endif
