/*
 * What the CPUs do without OpenCL: threads that are bound, one to a CPU. They
 * divide the work in three ways, in turn: each has its own part; they take
 * pieces of the memory as these come, like the work-groups of kernels; or they
 * take turns, each through its own part. Where kernels share all of the memory,
 * threads also go through all of it, from one place or from different ones: one
 * may find in a cache what another has brought there. The fastest of several
 * trials is a ceiling for kernels.
 */
#ifndef C2C_NATIVE_H
#define C2C_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "native/native_peak.h"
#include "util/cpu_list.h"
#include "util/error.h"

enum native_what {
	NATIVE_READ,  /* every byte once */
	NATIVE_WRITE, /* every byte once */
	NATIVE_COPY,  /* to as much memory beside it; counted once */
	NATIVE_TRIAD, /* a = b + 3 * c in doubles; each of the three counts */
	NATIVE_FLOAT, /* arithmetic on floats, without memory */
	NATIVE_DOUBLE,
};

static inline bool native_computes(enum native_what what)
{
	return what == NATIVE_FLOAT || what == NATIVE_DOUBLE;
}

struct native_work {
	enum native_what what;
	enum arch_operation operation; /* of arithmetic */
	size_t bytes;		       /* of each array, all CPUs together */
	bool shared; /* or each CPU accesses all of it: a read or a write */
	bool again;  /* it was measured before, and may take longer */
};

/*
 * What a trial moves for each CPU, at least: some tenths of a millisecond, so
 * that it hardly matters when each thread begins: they spin until all are
 * there.
 */
#define NATIVE_BYTES_A_CPU ((size_t)64 << 20)

/*
 * The rate at which these CPUs together do the work in their widest registers:
 * GiB/s of memory, or 10^9 operations a second, where a multiplication with an
 * addition counts as two. Memory is accessed by the loops of c2c cache; copies
 * take turns between these, also with stores that bypass the caches, and the C
 * library's.
 */
int native_measure(const struct machine *machine, const struct cpu_list *cpus,
	const struct native_work *work, double *rate, struct error *err);

/* c[i] = a[i] + b[i] for n floats. */
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
	bool with_creation; /* the time has their creation and end in it */
};

/* Add once, each thread a part; *s is the time. */
int native_add(const struct native_sum *sum, const struct native_crew *crew,
	double *s, struct error *err);

#endif
