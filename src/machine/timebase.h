/*
 * The clock that times samples: the CPU's invariant counter, calibrated against
 * CLOCK_MONOTONIC_RAW, or CLOCK_MONOTONIC_RAW if the counter is unusable.
 * Constant after timebase_init(), so any thread may read it.
 */
#ifndef C2C_TIMEBASE_H
#define C2C_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "arch/arch.h"
#include "util/error.h"

/* Values of counter and clock at the same time. */
struct timebase_instant {
	uint64_t ticks, ns;
};

struct timebase {
	const char *source; /* "tsc", "cntvct", "clock_monotonic_raw" */
	double hz;	    /* ticks per second */
	bool invariant;	    /* constant rate in every power state */
	bool counter;	    /* ticks come from arch_counter_*() */
	/*
	 * Smallest step between two readings, in ns. Shorter times cannot be
	 * measured. If the clock has a high resolution, this is the time that a
	 * reading takes.
	 */
	double step_ns;

	/* Start of the calibration, for timebase_drift(). */
	struct timebase_instant start;
};

/*
 * Choose and calibrate the clock; takes 3 to 30 ms. Use CLOCK_MONOTONIC_RAW if
 * the counter is unusable, or with C2C_CLOCK=clock in the environment (for
 * tests and comparison). Return -ENOTSUP (ERROR_UNAVAILABLE) if the clock has
 * stopped or runs backwards.
 */
int timebase_init(struct timebase *timebase, struct error *err);

/*
 * Return the relative error of the counter's calibrated rate since
 * timebase_init(): 1e-6 if the counter ran faster by one in a million. Valid
 * 0.1 s or more after timebase_init().
 */
double timebase_drift(const struct timebase *timebase);

static inline uint64_t timebase_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double timebase_raw_s(void)
{
	return (double)timebase_raw_ns() * 1e-9;
}

/* Return the ticks before and after a timed region, in order with its loads. */
static inline uint64_t timebase_begin(bool counter)
{
	return counter ? arch_counter_begin() : timebase_raw_ns();
}

static inline uint64_t timebase_end(bool counter)
{
	return counter ? arch_counter_end() : timebase_raw_ns();
}

#endif
