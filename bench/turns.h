/*
 * A probe of c2c and a bare loop in turns, on the same two threads, CPUs and
 * memory: what queue.c and memcpy.c have in common. A turn is a visit of
 * each, one right after the other, in an order drawn anew; the ratio of the
 * two leaves out whatever moves slowly, such as virtual CPUs.
 */
#ifndef C2C_BENCH_TURNS_H
#define C2C_BENCH_TURNS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "machine/machine.h"
#include "probe/probe.h"

/* In visit->pass, for the halves. */
enum turns_kind {
	TURNS_C2C,
	TURNS_BARE,
	TURNS_KINDS
};

/* ticks[kind][half], the first half's and the second's. */
struct turn {
	double ticks[TURNS_KINDS][2];
};

struct comparison {
	double rate[TURNS_KINDS]; /* medians, GiB/s */
	double ratio;		  /* median of c2c / bare of a turn */
	double ci_low, ci_high;	  /* its 95 % interval */
	double p25, p75;	  /* of the turns' ratios */
};

/* Every function here ends the program when it fails. */

struct machine *turns_machine(struct probe_params *params);

/* "A,B" */
void turns_parse_pair(const char *text, unsigned cpus[2]);

/* Between the CPUs of options, which has two; turns[n] is filled. */
void turns_measure(const struct crew_options *options, uint32_t variant,
	void *slots, struct turn *turns, size_t n);

/* Rates of one half, which moves so many bytes in a visit. */
struct comparison turns_compare(const struct turn *turns, size_t n, int half,
	double bytes, double ns_per_tick);

void turns_print_head(void);
void turns_print(const struct comparison *comparison);

_Noreturn void turns_die(const char *what);

#endif
