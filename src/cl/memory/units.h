/*
 * The latency between every two compute units of a device: c2c cl latency
 * --units. Private to src/cl.
 */
#ifndef C2C_UNITS_H
#define C2C_UNITS_H

#include "cl/session.h"

/*
 * Measure all pairs, and add matrices to session->result, over its units as its
 * CPUs. ENOTSUP (ERROR_UNAVAILABLE) where there is one unit only, or where the
 * groups of a kernel do not run at the same time.
 */
void units_measure(struct session *session);

#endif
