/*
 * Latencies for commands that judge by them: of a file, or of this machine, by
 * c2c latency in a process of its own, as a part of c2c measure has it.
 */
#ifndef C2C_LATENCIES_H
#define C2C_LATENCIES_H

#include "result/result.h"
#include "util/error.h"

/* So many arguments at most. */
#define LATENCIES_ARGUMENTS 11

/*
 * Measure with these arguments of c2c latency; NULL ends them. Return 0 with
 * *result for result_release(), even if the run ended early. Return -EINTR if
 * the user stopped it.
 */
int latencies_measure(
	char *const *arguments, struct result *result, struct error *err);

/*
 * Load the first record with latencies of a file: 0 with *result for
 * result_release().
 */
int latencies_load(const char *path, struct result *result, struct error *err);

#endif
