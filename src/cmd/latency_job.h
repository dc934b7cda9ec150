/*
 * c2c latency in a process of its own, as a part of c2c measure has it, for
 * commands that need latencies of this machine.
 */
#ifndef C2C_LATENCY_JOB_H
#define C2C_LATENCY_JOB_H

#include "result/result.h"
#include "util/error.h"

/* So many arguments at most. */
#define LATENCY_JOB_ARGUMENTS 11

/*
 * Measure with these arguments of c2c latency, which NULL ends. 0 with *result
 * for result_release(), also of a run that ended early by itself; -EINTR: the
 * user stopped it.
 */
int latency_job_run(
	char *const *arguments, struct result *result, struct error *err);

#endif
