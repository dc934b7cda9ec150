/* Find and print the main figures of c2c cl all. Private to cmd/cl. */
#ifndef C2C_CL_SUMMARY_H
#define C2C_CL_SUMMARY_H

#include <stdio.h>

#include "cmd/cl/cmd_cl.h"
#include "result/curve.h"
#include "result/record.h"

/*
 * A test's figure. value is NaN without a figure; share is NaN without a
 * ceiling and theory.
 */
struct cl_summary_figure {
	/* Borrowed texts. of: the measured size or ""; unit NULL: no value. */
	const char *what, *of, *unit;
	double value, share;
};

/* Return the text with that key, or "unknown". */
const char *fact_or_unknown(const struct facts *facts, const char *key);

struct cl_summary_figure cl_summary_find_figure(
	const struct curve *curves, size_t n, const struct test *test);

/*
 * Write "ok", "ok, 3 wide" (intervals), "2 rejected" (points), "timed out",
 * "failed, 1 rejected". bound: threads must run on the chosen CPUs.
 */
#define CL_SUMMARY_VERDICT_BYTES 64
void cl_summary_verdict(const struct record *test, bool bound,
	char verdict[CL_SUMMARY_VERDICT_BYTES]);

/*
 * Return the main figure of the record's last test, for free(): "sin of float:
 * 3 GFLOP/s, 90 % of its ceiling; ok". NULL: no memory.
 */
char *cl_summary_text(const struct result *result, const struct cl_part *part,
	const struct test *test, bool bound);

/*
 * Print the devices of a record of "c2c cl all", with a line for each test, and
 * the meaning of the share. Ignore other records.
 */
void cl_summary_print(FILE *out, const struct result *result, bool bound);

#endif
