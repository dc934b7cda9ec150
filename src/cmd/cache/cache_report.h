/*
 * The table of c2c cache, for all commands that read its records.
 */
#ifndef C2C_CACHE_REPORT_H
#define C2C_CACHE_REPORT_H

#include <stdio.h>

#include "result/result.h"

/* Variant of the curve of chases that go round alone. */
#define CACHE_ALONE "alone"

/* Variant of the slowest of several CPUs, beside the curve of their sum. */
#define CACHE_SLOWEST "slowest CPU"

/*
 * Print the levels and TLBs of a result on standard output, and below them why
 * values are missing. Then print the second state of large sets, and the
 * slowest of several CPUs. Parts that the result lacks are left out.
 */
void cache_print(const struct result *result);

/* cache_print() on any stream. */
void cache_report(FILE *out, const struct result *result);

#endif
