/*
 * How the points of curves came about. Private to src/cl.
 */
#ifndef C2C_CL_CURVES_H
#define C2C_CL_CURVES_H

#include "cl/timing.h"

/* A point at x was put into the curve at that place. */
void curves_note(struct session *session, size_t curve, double x,
	const struct timing *timing);

/*
 * The test is at an end: unless it failed, record for each point its runs and
 * the size of its work-groups; of a sweep add, for each curve of kernels, one
 * of these sizes; find where runs were few and intervals wide.
 */
int curves_end(struct session *session);

/*
 * Half of an interval as a share of its median, by the median of all points
 * that have one; NaN: none has.
 */
double curves_noise(const struct result *result);

#endif
