/*
 * Measure the clock of a core by a chain of additions that take one clock each.
 * The counter of a CPU has another rate, which virtual machines often report as
 * the clock.
 */
#ifndef C2C_FREQUENCY_H
#define C2C_FREQUENCY_H

#include <math.h>

#include "machine/timebase.h"

/*
 * Return the mean ticks per clock of the calling thread's core over this many
 * clocks, a multiple of ARCH_CLOCKS; NaN if ARCH_CLOCKS is 0.
 */
static inline double frequency_ticks(bool counter, uint32_t clocks)
{
	uint64_t sum = 1, begin;

	if (!ARCH_CLOCKS)
		return NAN;
	begin = timebase_begin(counter);
	for (uint32_t i = 0; i < clocks; i += ARCH_CLOCKS)
		sum = arch_clocks(sum);
	return (double)(timebase_end(counter) - begin) / clocks;
}

/*
 * Return the clock of the calling thread's core in GHz; NaN if ARCH_CLOCKS is
 * 0. Takes about 0.1 ms, and needs no calibrated counter.
 */
double frequency_ghz(void);

#endif
