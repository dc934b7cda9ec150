/*
 * The clock of a device's cores while a test runs. Private to src/cl.
 *
 * On CPU devices it is measured right after the timed runs of each point, on
 * one of the CPUs in turn, so that no timed run shares a CPU with it and the
 * core has no time to change its clock. On GPUs of NVIDIA a kernel measures it
 * there, if their compiler takes it. Other devices are believed.
 */
#ifndef C2C_CLOCK_H
#define C2C_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct session;

/* What was measured in a test, in GHz. */
struct device_clock {
	double *ghz; /* [n] */
	size_t n;
	/* OpenCL's, of the session; NULL: no kernel measures it. */
	void *kernel, *out;
};

/* Make what clock_measure() needs, where it can be had. */
void clock_open(struct session *session);

/* So many clocks in so many ns, in GHz; NaN: no device has that clock. */
double clock_ghz(uint64_t clocks, uint64_t ns);

/*
 * Measure it once more, if the session did not fail and it can be measured; in
 * GHz, or NaN.
 */
double clock_measure(struct session *session);

/* The median by now, or what the device says; NaN: nobody knows. */
double clock_median_ghz(const struct session *session);

/*
 * Record core_clock: least_ghz and median_ghz, unknown if nobody knows, and by,
 * which is "c2c" or "device".
 */
void clock_record(struct session *session);

/* Forget what was measured. */
void clock_release(struct device_clock *clock);

#endif
