/*
 * Get latencies for other commands: from a file, or from c2c latency as a child
 * process.
 */
#ifndef C2C_LATENCIES_H
#define C2C_LATENCIES_H

#include "result/result.h"
#include "util/error.h"

#define LATENCIES_ARGUMENTS 11

/*
 * Run c2c latency with these arguments and a final NULL. Return 0 with *result
 * for result_release(), even if the run ended early; -EINTR if the user stopped
 * it.
 */
int latencies_measure(
	char *const *arguments, struct result *result, struct error *err);

/*
 * Load the first record of a file that has latencies. Return 0 with *result for
 * result_release().
 */
int latencies_load(const char *path, struct result *result, struct error *err);

#endif
