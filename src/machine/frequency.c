/*
 * The clock is the upper quartile of the rates of several chains of additions.
 * An interruption makes a chain slow, and on a busy machine or a virtual CPU
 * more than half of the chains may be interrupted. The fastest chain may be
 * wrong, because the clock of a virtual machine may jump. Reading the clock
 * takes less than a hundredth of a chain.
 */
#include "machine/frequency.h"

#include "stat/stat.h"

#define SAMPLES 15
#define CLOCKS	32768

double frequency_ghz(void)
{
	double ghz[SAMPLES];

	/* One tick of the system clock is 1 ns. */
	for (int i = 0; i < SAMPLES; i++)
		ghz[i] = 1 / frequency_ticks(false, CLOCKS);
	stat_sort(ghz, SAMPLES);
	return stat_quantile(ghz, SAMPLES, 0.75);
}
