/*
 * The clock is the upper quartile of some chains of additions. An interruption
 * makes a chain long, and on a busy machine or a virtual CPU over half may have
 * one. The fastest does not count, because the clock of a virtual machine may
 * jump. The two readings of the clock take under a hundredth of a chain.
 */
#include "machine/frequency.h"

#include "stat/stat.h"

#define SAMPLES 15
#define CLOCKS	32768

double frequency_ghz(void)
{
	double ghz[SAMPLES];

	/* Ticks of the system's clock are ns. */
	for (int i = 0; i < SAMPLES; i++)
		ghz[i] = 1 / frequency_ticks(false, CLOCKS);
	stat_sort(ghz, SAMPLES);
	return stat_quantile(ghz, SAMPLES, 0.75);
}
