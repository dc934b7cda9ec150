/*
 * Running kernels, how long they take, and whether what they leave is right.
 * Private to src/cl.
 */
#ifndef C2C_CL_TIMING_H
#define C2C_CL_TIMING_H

#include "cl/session.h"

/* The median of some runs, with its 95 % interval (NaN: too few runs). */
struct timing {
	double median_s, low_s, high_s, min_s;
	size_t group;  /* work-items in a group of the kernel; 0: no kernel */
	unsigned runs; /* that these figures are of */
	int64_t checksum; /* of what the last run left; -1: none */
};

/* No time: all of it is NaN. */
struct timing timing_none(void);

/* The statistics of n times, which are put in order. */
struct timing timing_of(double *s, size_t n);

/* The checksum: the sum of these words modulo 2^32. */
void timing_sum(struct timing *timing, const void *words, size_t bytes);

/* Whether n runs of a point, which took s in all, are enough; false of NaN. */
bool timing_is_enough(unsigned n, double s);

/* A kernel and how it is to run. */
struct launch {
	cl_kernel kernel;
	size_t items, group;
};

/*
 * A kernel of a program, in groups as session_group() has them, which the items
 * must be a multiple of.
 */
struct launch launch_of(struct session *session, cl_program program,
	const char *name, size_t items);

/* How long one run takes; host: by the host's clock. NaN: it failed. */
double launch_once(
	struct session *session, const struct launch *launch, bool host);

/*
 * Run a kernel: first the runs that are discarded, then those that are timed.
 * Where groups are swept, do so in groups of each size, and take the best.
 */
struct timing launch_time(struct session *session, const struct launch *launch);

/*
 * Run it once in groups of each size that launch_time() would try: an
 * implementation compiles a kernel anew for each.
 */
void launch_warm_up(struct session *session, const struct launch *launch);

/* The kernel's argument that says how often its loop turns. */
struct loop {
	cl_uint argument, least, most;
	double least_s; /* that a run should take */
};

/* Set it to least, doubled until a run takes long enough; returns that. */
cl_uint launch_loop(struct session *session, const struct launch *launch,
	const struct loop *loop);

/*
 * Whether each word of a buffer is right; their sum is the timing's checksum.
 * Where one is not, the session fails with "FORMAT: what the device computes is
 * not what the host computes".
 */
int session_check(struct session *session, const struct words *words,
	struct timing *timing, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Compare the times of the device's events with the host's clock around a
 * finished queue, choose session->by_events, and record both, with what a
 * launch of nothing costs.
 */
int timing_choose_clock(struct session *session);

/* See which threads of a CPU device work, and bind them. */
int timing_find_workers(struct session *session);

#endif
