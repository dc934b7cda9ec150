/*
 * Measure the latency between all pairs of compute units, for c2c cl latency
 * --units. Private to src/cl.
 */
#ifndef C2C_UNITS_H
#define C2C_UNITS_H

#include "cl/session.h"

/*
 * Measure all pairs, and add matrices to session->result, with units in place
 * of CPUs. ENOTSUP (ERROR_UNAVAILABLE): there is only one unit, or the groups
 * of a kernel do not run at the same time.
 */
void units_measure(struct session *session);

#endif
