/*
 * The table of c2c cache, for all commands that read records of caches.
 */
#ifndef C2C_CACHE_REPORT_H
#define C2C_CACHE_REPORT_H

#include <stdio.h>

#include "result/result.h"

/* Variant of the curve whose chases run alone. */
#define CACHE_ALONE "alone"

/* Variant of the curve of the slowest of several CPUs. */
#define CACHE_SLOWEST "slowest CPU"

/*
 * Print on standard output the levels and TLBs of a result, why values are
 * missing, the second state of large sets, and the slowest of several CPUs.
 * Skip what the result lacks.
 */
void cache_print(const struct result *result);

/* Print like cache_print(), on any stream. */
void cache_report(FILE *out, const struct result *result);

#endif
