/*
 * The clock that times samples: the CPU's invariant counter, calibrated
 * against CLOCK_MONOTONIC_RAW, or that clock itself where the counter is not
 * fit. Constant after timebase_init(), so any thread may read it.
 */
#ifndef C2C_TIMEBASE_H
#define C2C_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "arch/arch.h"
#include "util/error.h"

/* Counter and clock at one moment. */
struct timebase_instant {
	uint64_t ticks, ns;
};

struct timebase {
	const char *source; /* "tsc", "cntvct", "clock_monotonic_raw" */
	double hz;	    /* ticks per second */
	bool invariant;	    /* constant rate in every power state */
	bool counter;	    /* ticks come from arch_counter_*() */
	/*
	 * The smallest step between two readings: what takes no longer cannot
	 * be timed. That of a fine clock is what a reading takes.
	 */
	double step_ns;

	/* The start of the calibration: timebase_drift() compares with it. */
	struct timebase_instant start;
};

/*
 * Choose and calibrate; takes 3 to 30 ms. Without a counter that is fit the
 * clock remains. The environment variable C2C_CLOCK=clock forces that, for
 * tests and for comparison. -ENOTSUP (ERROR_UNAVAILABLE) when the clock stands
 * still or runs backwards.
 */
int timebase_init(struct timebase *timebase, struct error *err);

/*
 * The counter's rate since timebase_init() over the calibrated one, minus 1:
 * 1e-6 is a clock that is one part in a million fast. Meaningful after a
 * tenth of a second and more.
 */
double timebase_drift(const struct timebase *timebase);

static inline uint64_t timebase_raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same in seconds. */
static inline double timebase_raw_s(void)
{
	return (double)timebase_raw_ns() * 1e-9;
}

/* Ticks before and after a timed region; ordered against its loads. */
static inline uint64_t timebase_begin(bool counter)
{
	return counter ? arch_counter_begin() : timebase_raw_ns();
}

static inline uint64_t timebase_end(bool counter)
{
	return counter ? arch_counter_end() : timebase_raw_ns();
}

#endif
