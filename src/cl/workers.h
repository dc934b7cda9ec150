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
	uint64_t ran_ns; /* time on any CPU when it was noted */
};

struct workers {
	struct worker *all; /* [n], by tid */
	size_t n;
};

/* Note the threads of this process and how long each has run so far. */
int workers_note(struct workers *workers, struct error *err);

/*
 * Note the threads that worked since before was noted, except those that only
 * woke up, and except the calling thread if it only waited.
 */
int workers_find(const struct workers *before, struct workers *workers,
	struct error *err);

void workers_release(struct workers *workers);

/* Bind worker i to CPU i, or, if numbers differ, all workers to all CPUs. */
int workers_bind(const struct workers *workers, const struct cpu_list *cpus,
	struct error *err);

/* Return whether each worker is bound to its own CPU, by whomever. */
bool workers_are_bound(const struct workers *workers);

/* Set ns[n]: how long each worker has run on any CPU. */
void workers_times(const struct workers *workers, uint64_t *ns);

/*
 * Record where the workers ran in the list "threads": tid, cpus, last_cpu, and
 * ran_s since they were found. Return whether each may run on these CPUs only
 * and last ran there.
 */
bool workers_describe(const struct workers *workers,
	const struct cpu_list *cpus, struct record *record);

#endif
