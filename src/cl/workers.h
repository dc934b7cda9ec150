/*
 * The threads of a CPU implementation of OpenCL: which they are, putting each
 * on a CPU of its own, and seeing where they ran. They are those threads of
 * this process that worked when a kernel did. Private to src/cl.
 */
#ifndef C2C_CL_WORKERS_H
#define C2C_CL_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "result/record.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct worker {
	pid_t tid;
	uint64_t ran_ns; /* on any CPU, when it was last looked at */
};

struct workers {
	struct worker *all; /* [n], by tid */
	size_t n;
};

/* Note the threads of this process and how long each has run. */
int workers_note(struct workers *workers, struct error *err);

/*
 * Of the threads there are now, keep those that ran since before was noted, for
 * a share of the longest of them that is no mere wake-up.
 */
int workers_find(const struct workers *before, struct workers *workers,
	struct error *err);

void workers_release(struct workers *workers);

/*
 * Bind the i-th worker to cpus[i], where there are as many of these as of
 * those; otherwise all to all of them.
 */
int workers_bind(const struct workers *workers, const struct cpu_list *cpus,
	struct error *err);

/* Whether each may run on one CPU, which no other may, whoever bound it. */
bool workers_are_bound(const struct workers *workers);

/* How long each of the n workers has run on any CPU, into ns[n]. */
void workers_times(const struct workers *workers, uint64_t *ns);

/*
 * Where they ran, into the list "threads": tid, cpus, last_cpu, ran_s since the
 * workers were found. Returns whether each may run on these CPUs alone and was
 * last seen there.
 */
bool workers_describe(const struct workers *workers,
	const struct cpu_list *cpus, struct record *record);

#endif
