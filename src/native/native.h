/*
 * What the same CPUs do without OpenCL: threads that are bound, one to a CPU,
 * each with its part of the work, or, in every other trial, with pieces of it
 * for whoever asks next, as the groups of kernels are given away. The fastest
 * of several trials is a ceiling for kernels. Private to src/cl.
 */
#ifndef C2C_CL_NATIVE_H
#define C2C_CL_NATIVE_H

#include <stddef.h>

#include "machine/machine.h"
#include "native/peak.h"
#include "util/cpu_list.h"
#include "util/error.h"

enum native_what {
	NATIVE_READ,  /* every byte once */
	NATIVE_WRITE, /* every byte once */
	NATIVE_COPY,  /* from there to as much memory beside it */
	NATIVE_FLOAT, /* arithmetic of floats, without memory */
	NATIVE_DOUBLE,
};

/*
 * What a trial moves for each CPU, at least: some tenths of a millisecond, so
 * that threads which begin one after the other cost it little, however many.
 */
#define NATIVE_BYTES_A_CPU ((size_t)64 << 20)

/*
 * The rate at which these CPUs together read, write or copy bytes in the widest
 * registers they have, in GiB/s: the best of several trials. A copy is done by
 * the C library and by stores that bypass the caches, in turn.
 */
int native_rate(const struct machine *machine, const struct cpu_list *cpus,
	enum native_what what, size_t bytes, double *gib_per_s,
	struct error *err);

/*
 * The operations of that kind which these CPUs together do on numbers of the
 * type of what, in 10^9 a second, a multiplication and addition being two:
 * likewise.
 */
int native_peak(const struct machine *machine, const struct cpu_list *cpus,
	enum native_what what, enum arch_operation operation,
	double *gflop_per_s, struct error *err);

/* c[i] = a[i] + b[i] for n floats. */
struct native_sum {
	const float *a, *b;
	float *c;
	size_t n;
};

/*
 * That sum in n_threads parts, once. cpus: the i-th thread is bound to the
 * i-th of them, around; NULL: none is bound. with_creation: the time has the
 * creation of the threads and their end in it, else it begins when all are
 * there.
 */
int native_add(const struct native_sum *sum, size_t n_threads,
	const struct cpu_list *cpus, bool with_creation, double *s,
	struct error *err);

/* The same by the calling thread, in one loop. */
double native_add_alone(const struct native_sum *sum);

#endif
