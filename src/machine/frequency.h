/*
 * The clock of a core, by a chain of additions that take one clock each. The
 * counter of a CPU runs at another rate, and what a system says of a virtual
 * machine's clock is often that rate.
 */
#ifndef C2C_FREQUENCY_H
#define C2C_FREQUENCY_H

#include <math.h>

#include "machine/timebase.h"

/*
 * Ticks per clock of the calling thread's core, the mean of this many clocks: a
 * multiple of ARCH_CLOCKS. NaN if the instruction set has no such chain.
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
 * The clock of the calling thread's core in GHz, in about 0.1 ms; NaN as above.
 * It needs no calibrated counter.
 */
double frequency_ghz(void);

#endif
