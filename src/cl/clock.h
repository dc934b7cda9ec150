/*
 * The clock of a device's cores while a test runs. Private to src/cl.
 *
 * On CPU devices it is measured right after the timed runs of each point, on
 * one of the CPUs in turn, so that no timed run shares a CPU with it and the
 * core has no time to change its clock. Other devices are believed.
 */
#ifndef C2C_CL_CLOCK_H
#define C2C_CL_CLOCK_H

#include <stddef.h>

struct session;

/* What was measured in a test, in GHz. */
struct clock {
	double *ghz; /* [n] */
	size_t n;
};

/* Measure it once more, if the session did not fail and it can be measured. */
void clock_measure(struct session *session);

/*
 * Record core_clock: least_ghz and median_ghz, unknown if nobody knows, and by,
 * which is "c2c" or "device".
 */
void clock_record(struct session *session);

/* Forget what was measured. */
void clock_release(struct clock *clock);

#endif
