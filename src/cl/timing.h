/*
 * Which clock times the kernels. Private to src/cl.
 */
#ifndef C2C_CL_TIMING_H
#define C2C_CL_TIMING_H

#include "cl/session.h"

/*
 * Compare the times of the device's events with the host's clock around a
 * finished queue, choose session->by_events, and record both, with what a
 * launch of nothing costs.
 */
int timing_check(struct cl_session *session, struct error *err);

/* Whether n runs of a point, which took s in all, are enough; false of NaN. */
bool timing_is_enough(unsigned n, double s);

#endif
