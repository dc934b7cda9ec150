/*
 * What the tests of strides share: a curve over strides of which each point is
 * held against a ceiling. Private to src/cl.
 */
#ifndef C2C_CL_STRIDES_H
#define C2C_CL_STRIDES_H

#include "cl/curves.h"
#include "cl/verdict.h"

#define STRIDES_MOST 17

/* Accesses in a turn of a kernel's loop, as in the paper. */
#define STRIDES_PER_TURN 16

struct strides {
	struct cl_session *session;
	char name[64];		      /* in messages: "read of 4 MiB" */
	unsigned words[STRIDES_MOST]; /* the strides, ascending */
	size_t n;
	size_t at; /* of the curve */
	struct ceiling ceiling;
	size_t first, last; /* points it is for */
};

/* Strides of 0 to 16 words, as in figures 14 and 15, or some of them. */
void strides_to_16(struct strides *strides, bool some);

/* Add the curve; its points are gaps until they are put. */
int strides_begin(struct strides *strides, const char *curve,
	const struct curve_facts *facts, struct error *err);

/*
 * Take what the CPUs do natively with so many bytes as the ceiling of point i,
 * and put that of the points before, if it was another, into the record. 4 KiB
 * a CPU at least, which stays in L1 and is enough of a loop to be as fast as L1
 * is.
 */
int strides_set_ceiling(struct strides *strides, size_t i,
	enum native_what what, size_t bytes, struct error *err);

/* Point i: so many bytes in that time, unless this is above the ceiling. */
int strides_put(struct strides *strides, size_t i, double bytes,
	const struct cl_timing *timing, struct error *err);

/* Put the last ceiling into the record. */
int strides_end(struct strides *strides, struct error *err);

/* How many times as long an access takes as with stride 1. */
struct figure strides_over_1(const struct strides *strides, unsigned stride);

/*
 * Add to the findings what may be said of n strides: "NAME beside stride 1:
 * stride 2, 2.00 times as long (1.90 to 2.10); stride 3, no difference shows
 * (...)".
 */
int strides_find(const struct strides *strides, const unsigned *words, size_t n,
	struct error *err);

/*
 * The number of turns that makes a kernel last, doubled from least until most;
 * it is set as the kernel's argument of that number.
 */
int strides_turns(const struct cl_session *session, cl_kernel kernel,
	cl_uint argument, size_t items, size_t group, cl_uint least,
	cl_uint most, cl_uint *turns, struct error *err);

/* What check() of a test does that takes arrays of a power of two. */
int strides_check_options(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err);

/* What the kernel computes or leaves is wrong. */
int strides_wrong(const struct strides *strides, size_t i, struct error *err);

#endif
