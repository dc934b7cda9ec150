/*
 * The knee of a curve of latency over bandwidth. Pure.
 */
#ifndef C2C_NUMA_KNEE_H
#define C2C_NUMA_KNEE_H

#include <stddef.h>

/* The knee of a curve; NaN: the curve does not show the value. */
struct numa_knee {
	double idle_ns;
	double peak_gib_per_s;	  /* highest rate of any point */
	double doubles_gib_per_s; /* rate at twice the idle latency */
	double knee_gib_per_s, knee_ns;
	/* Range of points that may be the knee too. */
	double knee_least_gib_per_s, knee_most_gib_per_s;
};

/* Bytes for "74.7 GiB/s, 167 ns", or for a range "46.4 to 74.7 GiB/s". */
#define NUMA_KNEE_BYTES 64
const char *numa_knee_text(
	const struct numa_knee *knee, int digits, char text[NUMA_KNEE_BYTES]);

/*
 * Find the knee of n points, from idle to the highest load. Skip points without
 * a value.
 */
struct numa_knee numa_find_knee(
	const double *gib_per_s, const double *ns, size_t n);

#endif
