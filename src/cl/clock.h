/*
 * The clock of a device's cores while a test runs. Private to src/cl.
 *
 * The clock is measured right after the timed runs of each point, before the
 * core changes it, so that no timed run shares a CPU with it: on a CPU device
 * on one of the CPUs in turn, on an NVIDIA GPU by a kernel, if the compiler
 * accepts it. Other devices report their clock.
 */
#ifndef C2C_CLOCK_H
#define C2C_CLOCK_H

#include <stddef.h>
#include <stdint.h>

struct session;

/* Clocks measured during a test, in GHz. */
struct device_clock {
	double *ghz; /* [n] */
	size_t n;
	/* Kernel and buffer of the session; NULL: no kernel measures. */
	void *kernel, *out;
};

/* Prepare clock_measure(), if the clock can be measured. */
void clock_open(struct session *session);

/* Return clocks per ns, in GHz; NaN: no device has that clock. */
double clock_ghz(uint64_t clocks, uint64_t ns);

/*
 * Measure the clock once more, if the session did not fail. Return GHz, or NaN.
 */
double clock_measure(struct session *session);

/* Return the median so far, or what the device reports; NaN: unknown. */
double clock_median_ghz(const struct session *session);

/*
 * Record core_clock: least_ghz and median_ghz (if known), and by: "c2c" or
 * "device".
 */
void clock_record(struct session *session);

/* Free what was measured. */
void clock_release(struct device_clock *clock);

#endif
