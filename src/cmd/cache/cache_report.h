/*
 * The table of c2c cache, for all commands that read its records.
 */
#ifndef C2C_CACHE_REPORT_H
#define C2C_CACHE_REPORT_H

#include <stdio.h>

#include "result/result.h"

/* The variant of the curve of chases that go round alone. */
#define CACHE_ALONE "alone"

/* That of the slowest of several CPUs, beside the curve of their sum. */
#define CACHE_SLOWEST "slowest CPU"

/*
 * Print the levels and TLBs of a result on standard output, and under them why
 * values are missing. Then tell the second state of large sets, and the slowest
 * of several CPUs. Prints nothing of what the result has not.
 */
void cache_print(const struct result *result);

/* The same on any stream. */
void cache_report(FILE *out, const struct result *result);

#endif
