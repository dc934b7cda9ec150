/*
 * Running kernels, how long they take, and whether their results are right.
 * Private to src/cl.
 */
#ifndef C2C_TIMING_H
#define C2C_TIMING_H

#include "cl/session.h"

/* The median of some runs, with its 95 % interval (NaN: too few runs). */
struct timing {
	double median_s, low_s, high_s, min_s;
	size_t group;  /* work-items in a group of the kernel; 0: no kernel */
	unsigned runs; /* how many the median is of */
	int64_t checksum; /* of the last run's results; -1: none */
	unsigned visits;  /* that the runs come from */
};

/* No time: all of it is NaN. */
struct timing timing_none(void);

/* The statistics of n times, which it sorts. */
struct timing timing_of(double *s, size_t n);

/* The same of a point's runs, which session->pool gets too. */
struct timing timing_of_runs(struct session *session, double *s, size_t n);

/* The first with the least median; timing_none() if none has a median. */
struct timing timing_best(const struct timing *all, size_t n);

/* The checksum: the sum of these words modulo 2^32. */
void timing_sum(struct timing *timing, const void *words, size_t bytes);

/* Whether n runs of a point, which took s in all, are enough; false for NaN. */
bool timing_is_enough(unsigned n, double s);

/*
 * What once() says, which takes a time in seconds: --discard times, then
 * --repeat times or until they are enough. timing.group is 0.
 */
struct timing timing_repeat(
	struct session *session, double (*once)(void *context), void *context);

/* A kernel and how it runs. */
struct launch {
	cl_kernel kernel;
	size_t items, group;
	bool fixed;    /* not with groups of other sizes either */
	size_t width;  /* of items in two dimensions; 0: in one */
	size_t rounds; /* the same items so often, in one dimension; 0: once */
};

/* That many work-items, each a group. */
static inline struct launch launch_singly(cl_kernel kernel, size_t items)
{
	return (struct launch){
		.kernel = kernel, .items = items, .group = 1, .fixed = true};
}

/*
 * Set the number of work-items, in groups of session_group(). Fails if these do
 * not divide the work-items.
 */
void launch_resize(
	struct session *session, struct launch *launch, size_t items);

/* A kernel of a program, with that many work-items. */
struct launch launch_of(struct session *session, cl_program program,
	const char *name, size_t items);

/* The time of one run; host: by the host's clock. NaN: it failed. */
double launch_once(
	struct session *session, const struct launch *launch, bool host);

/*
 * Run a kernel --discard times, then --repeat times timed. With --work-group
 * sweep, do so with groups of each size, and return the best.
 */
struct timing launch_time(struct session *session, const struct launch *launch);

/*
 * Run it once with groups of each size that launch_time() would try, because an
 * implementation compiles a kernel anew for each size.
 */
void launch_warm_up(struct session *session, const struct launch *launch);

/* The argument of a kernel that sets the turns of its loop. */
struct kernel_loop {
	cl_uint argument, least, most;
	double least_s; /* that a run should take */
};

/* Set it to least, double it until a run takes long enough, and return it. */
cl_uint launch_loop(struct session *session, const struct launch *launch,
	const struct kernel_loop *loop);

/*
 * Have the same items do their work again and again, as other items: double the
 * rounds until a run takes least_s or there would be more work-items than an
 * int holds.
 */
void launch_in_rounds(
	struct session *session, struct launch *launch, double least_s);

/*
 * Compare a buffer with its right words and put their sum into the timing. If
 * one is wrong, session_wrong() with what.
 */
void session_check(struct session *session, const struct expected_words *words,
	struct timing *timing, const char *what);

/*
 * Compare the device's events with the host's clock, choose
 * session->by_events, and record both and the time of an empty launch.
 */
void timing_choose_clock(struct session *session);

/* Find out which threads of a CPU device work, and bind them. */
void timing_find_workers(struct session *session);

#endif
