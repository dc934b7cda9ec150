/*
 * Find the threads of a CPU implementation of OpenCL, bind each to its own CPU,
 * and record where they ran. Workers are the threads of this process that
 * worked while a kernel ran. Private to src/cl.
 */
#ifndef C2C_WORKERS_H
#define C2C_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "result/record.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct worker {
	pid_t tid;
	uint64_t ran_ns; /* run time when the thread was noted */
};

struct workers {
	struct worker *all; /* [n], by tid */
	size_t n;
};

/* Note the threads of this process and the run time of each thread. */
int workers_note(struct workers *workers, struct error *err);

/*
 * Note the threads that worked since `before`, except threads that only woke
 * up, and except the calling thread if it only waited.
 */
int workers_find(const struct workers *before, struct workers *workers,
	struct error *err);

void workers_release(struct workers *workers);

/* Bind worker i to CPU i; if their numbers differ, bind all to all CPUs. */
int workers_bind(const struct workers *workers, const struct cpu_list *cpus,
	struct error *err);

/* Return whether each worker is bound to its own CPU, by c2c or not. */
bool workers_are_bound(const struct workers *workers);

/* Set ns[n] to the run time of each worker on any CPU. */
void workers_times(const struct workers *workers, uint64_t *ns);

/*
 * Record where the workers ran in the list "threads": tid, cpus, last_cpu, and
 * ran_s since the threads were found. Return whether each worker may run only
 * on these CPUs and last ran there.
 */
bool workers_describe(const struct workers *workers,
	const struct cpu_list *cpus, struct record *record);

#endif
