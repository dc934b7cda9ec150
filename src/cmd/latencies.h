/*
 * Get latencies for commands that judge by them: from a file, or by c2c latency
 * in its own process, as for a part of c2c measure.
 */
#ifndef C2C_LATENCIES_H
#define C2C_LATENCIES_H

#include "result/result.h"
#include "util/error.h"

/* Largest number of arguments. */
#define LATENCIES_ARGUMENTS 11

/*
 * Measure with these arguments of c2c latency; NULL ends them. Return 0 with
 * *result for result_release(), even if the run ended early; -EINTR if the user
 * stopped it.
 */
int latencies_measure(
	char *const *arguments, struct result *result, struct error *err);

/*
 * Load the first record of a file that has latencies. Return 0 with *result for
 * result_release().
 */
int latencies_load(const char *path, struct result *result, struct error *err);

#endif
