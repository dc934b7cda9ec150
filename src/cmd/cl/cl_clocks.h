/*
 * Convert rates and latencies of a test to clocks of the device's cores: GiB/s
 * to bytes per clock and compute unit, ns to clocks. Private to cmd/cl.
 */
#ifndef C2C_CL_CLOCKS_H
#define C2C_CL_CLOCKS_H

#include "result/record.h"
#include "result/result.h"

/*
 * Append to a result the curve in clocks, computed with the median clock in its
 * test's record. Append nothing if the record has no clock, if the test runs no
 * kernels, or if the curve is neither a rate nor a latency.
 */
int cl_clocks_add_curve(const struct curve *curve, const struct record *test,
	struct result *into, struct error *err);

#endif
