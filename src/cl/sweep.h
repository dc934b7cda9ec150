/*
 * What the tests of strides share: a curve over strides of which each point is
 * held against a ceiling. Private to src/cl.
 */
#ifndef C2C_CL_SWEEP_H
#define C2C_CL_SWEEP_H

#include "cl/curves.h"

#define SWEEP_MOST 17

/* Accesses in a turn of a kernel's loop, as in the paper. */
#define SWEEP_PER_TURN 16

struct sweep {
	struct cl_session *session;
	char name[64];		      /* in messages: "read of 4 MiB" */
	unsigned strides[SWEEP_MOST]; /* ascending, in words */
	size_t n;
	size_t at; /* of the curve */
	struct ceiling ceiling;
	size_t first, last;	       /* points it is for */
	double s_per_byte[SWEEP_MOST]; /* NaN: no result */
};

/* Strides of 0 to 16 words, as in figures 14 and 15, or some of them. */
void sweep_to_16(struct sweep *sweep, bool some);

/* Add the curve; its points are gaps until they are put. */
int sweep_begin(struct sweep *sweep, const char *curve,
	const struct curve_axes *axes, struct error *err);

/*
 * Take what the CPUs do natively with so many bytes as the ceiling of point i,
 * and put that of the points before, if it was another, into the record. 4 KiB
 * a CPU at least, which stays in L1 and is enough of a loop to be as fast as L1
 * is.
 */
int sweep_set_ceiling(struct sweep *sweep, size_t i, enum native_what what,
	size_t bytes, struct error *err);

/* Point i: so many bytes in that time, unless this is above the ceiling. */
int sweep_put(struct sweep *sweep, size_t i, double bytes,
	const struct cl_timing *timing, struct error *err);

/* Put the last ceiling into the record. */
int sweep_end(struct sweep *sweep, struct error *err);

/* How much longer an access takes than with stride 1; NaN: unknown. */
double sweep_over_1(const struct sweep *sweep, unsigned stride);

/*
 * The number of turns that makes a kernel last, doubled from least until most;
 * it is set as the kernel's argument of that number.
 */
int sweep_turns(const struct cl_session *session, cl_kernel kernel,
	cl_uint argument, size_t items, size_t group, cl_uint least,
	cl_uint most, cl_uint *turns, struct error *err);

/* -EINVAL: so many work-items cannot be parted into such groups. */
int sweep_check_groups(size_t items, size_t group, struct error *err);

/* What check() of a test does that takes arrays of a power of two. */
int sweep_check_options(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err);

/* "4 MiB", of a power of two */
const char *sweep_size_text(size_t bytes, char text[32]);

/* What word i of an array holds before, as local.cl says too. */
cl_uint sweep_value(size_t i);

/* What the kernel computes or leaves is wrong. */
int sweep_wrong(const struct sweep *sweep, size_t i, struct error *err);

#endif
