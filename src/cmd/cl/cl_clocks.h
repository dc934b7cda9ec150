/*
 * Rates and latencies of a test in clocks of the device's cores: GiB/s become
 * bytes a clock and compute unit, ns become clocks. Private to cmd/cl.
 */
#ifndef C2C_CL_CLOCKS_H
#define C2C_CL_CLOCKS_H

#include "result/record.h"
#include "result/result.h"

/*
 * Append the curve in clocks to a result, by the median clock in the record of
 * its test. Append nothing if the record has no clock, if the test runs no
 * kernels, or if the curve is neither a rate nor a latency.
 */
int cl_clocks_add_curve(const struct curve *curve, const struct record *test,
	struct result *into, struct error *err);

#endif
