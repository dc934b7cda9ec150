/*
 * The clock of a core, by a chain of additions that take one clock each.
 */
#ifndef C2C_PROBE_CLOCK_H
#define C2C_PROBE_CLOCK_H

#include <math.h>

#include "machine/timebase.h"
#include "probe/probe.h"

/*
 * Ticks per clock of the calling thread's core, the mean of this many clocks: a
 * multiple of ARCH_CLOCKS. NaN if the instruction set has no such chain.
 */
static inline double probe_clock_ticks(
	const struct probe_params *params, uint32_t clocks)
{
	uint64_t sum = 1, begin;

	if (!ARCH_CLOCKS)
		return NAN;
	begin = timebase_begin(params->counter);
	for (uint32_t i = 0; i < clocks; i += ARCH_CLOCKS)
		sum = arch_clocks(sum);
	return (double)(timebase_end(params->counter) - begin) / clocks;
}

#endif
