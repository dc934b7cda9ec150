/*
 * Measure the rates of the CPUs without OpenCL, by one bound thread on each
 * CPU. Threads take pieces of the memory, like work-groups, or go through their
 * own parts repeatedly. If all kernels read the whole memory, all threads do
 * so, from the same place or from different places. The rate of a trial is the
 * sum of the threads' rates. The ceiling for kernels is the median over the
 * trials of the fastest way.
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
	NATIVE_READ,  /* read all bytes */
	NATIVE_WRITE, /* write all bytes */
	NATIVE_COPY,  /* copy; copied bytes count once */
	NATIVE_TRIAD, /* a = b + 3 * c in doubles */
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
	bool shared;  /* each CPU reads all of it; only for reads */
	bool again;   /* measured before: may take longer */
	/* While it is set, no trial begins or continues; or NULL. */
	const atomic_bool *stop;
};

/*
 * Least number of bytes that a trial moves for each CPU, in some tenths of a
 * millisecond, so that late threads hardly matter.
 */
#define NATIVE_BYTES_A_CPU ((size_t)64 << 20)

/* The median of several trials, with its 95 % interval or their range. */
struct native_rate {
	double median, low, high;
};

/*
 * Measure the total rate of these CPUs for the work, with their widest
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
	size_t n; /* number of threads; 0: only the caller */
	/* Thread i is bound to cpus[i % n]; NULL: not bound. */
	const struct cpu_list *cpus;
	bool with_creation; /* the time includes creating and joining them */
};

/* Add once, with a part for each thread, in *s seconds. */
int native_add(const struct native_sum *sum, const struct native_crew *crew,
	double *s, struct error *err);

#endif
