/*
 * Measure the rates of the CPUs without OpenCL, by one bound thread on each
 * CPU. It tries two divisions of the work: threads take pieces of the memory,
 * like work-groups, or take turns through their own parts. If kernels share all
 * of the memory, threads also go through all of it, from one place or from
 * different places. The sum of the threads' own rates is a ceiling for kernels:
 * the median over the trials of the fastest way.
 */
#ifndef C2C_NATIVE_H
#define C2C_NATIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "native/native_peak.h"
#include "util/cpu_list.h"
#include "util/error.h"

enum native_what {
	NATIVE_READ,  /* read every byte once */
	NATIVE_WRITE, /* write every byte once */
	NATIVE_COPY,  /* copy to other memory; bytes count once */
	NATIVE_TRIAD, /* a = b + 3 * c in doubles; all three count */
	NATIVE_FLOAT, /* arithmetic on floats, without memory */
	NATIVE_DOUBLE,
};

static inline bool native_computes(enum native_what what)
{
	return what == NATIVE_FLOAT || what == NATIVE_DOUBLE;
}

struct native_work {
	enum native_what what;
	enum arch_operation operation; /* kind of arithmetic */
	size_t bytes; /* bytes of each array, for all CPUs together */
	bool shared;  /* each CPU reads, or writes, all of it */
	bool again;   /* measured before: may take longer */
	/* While it is set, no trial begins or continues; or NULL. */
	const atomic_bool *stop;
};

/*
 * Bytes that a trial moves for each CPU, at least. This takes some tenths of a
 * millisecond, so that small differences in the start of threads hardly matter.
 */
#define NATIVE_BYTES_A_CPU ((size_t)64 << 20)

/* The median of several trials, with its 95 % interval or their range. */
struct native_rate {
	double median, low, high;
};

/*
 * Measure the rate at which these CPUs together do the work in their widest
 * registers: GiB/s of memory, or 10^9 operations a second (a multiplication
 * with an addition counts as two). Memory is accessed by the loops of c2c
 * cache; copies try these loops, non-temporal stores, and the C library. After
 * a stop the rate is that of fewer trials, or NaN.
 */
int native_measure(const struct machine *machine, const struct cpu_list *cpus,
	const struct native_work *work, struct native_rate *rate,
	struct error *err);

/* Operands of c[i] = a[i] + b[i] for n floats. */
struct native_sum {
	const float *a, *b;
	float *c;
	size_t n;
};

/* How threads add. */
struct native_crew {
	size_t n; /* threads; 0: the caller alone, in one loop */
	/* Thread i is bound to cpus[i % n]; NULL: no thread is bound. */
	const struct cpu_list *cpus;
	bool with_creation; /* the time includes creating and joining them */
};

/* Add once, each thread a part; *s is the time in seconds. */
int native_add(const struct native_sum *sum, const struct native_crew *crew,
	double *s, struct error *err);

#endif
