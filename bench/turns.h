/*
 * The code that queue.c and memcpy.c share: it runs a probe of c2c and a bare
 * loop alternately, on the same two threads, CPUs and memory. A turn is one
 * visit of the probe and one visit of the loop, in random order. Slow changes,
 * for example of the places of vCPUs, do not affect the ratio of the two
 * visits.
 */
#ifndef C2C_BENCH_TURNS_H
#define C2C_BENCH_TURNS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "machine/machine.h"
#include "probe/probe.h"

/* The kind of a visit, stored in visit->pass. */
enum turns_kind {
	TURNS_C2C,
	TURNS_BARE,
	TURNS_KINDS
};

/* ticks[kind][half] are the ticks of the first and of the second half. */
struct turn {
	double ticks[TURNS_KINDS][2];
};

struct comparison {
	double rate[TURNS_KINDS]; /* medians, GiB/s */
	double ratio;		  /* median of the turns' c2c / bare */
	double ci_low, ci_high;	  /* 95 % interval of the ratio */
	double p25, p75;	  /* quartiles of the ratios */
};

/* Every function here ends the program when it fails. */

struct machine *turns_machine(struct probe_params *params);

/* Read two CPU numbers, "A,B". */
void turns_parse_pair(const char *text, unsigned cpus[2]);

/* Measure between the two CPUs of `options`, and fill turns[n]. */
void turns_measure(const struct crew_options *options, uint32_t variant,
	void *slots, struct turn *turns, size_t n);

/* Compare the rates of one half, which moves `bytes` bytes in a visit. */
struct comparison turns_compare(const struct turn *turns, size_t n, int half,
	double bytes, double ns_per_tick);

void turns_print_head(void);
void turns_print(const struct comparison *comparison);

_Noreturn void turns_die(const char *what);

#endif
