/*
 * Measure the clock of a device's cores during a test. Private to src/cl.
 *
 * c2c measures the clock right after the timed runs of each point, before the
 * core changes its clock. No timed run shares a CPU with this measurement. On a
 * CPU device, c2c measures the clocks of the CPUs one after the other. On an
 * NVIDIA GPU, a kernel measures the clock, if the compiler accepts the kernel.
 * For other devices c2c takes the clock that they report.
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
	/* Kernel and buffer of the session; NULL: not measured by a kernel. */
	void *kernel, *out;
};

void clock_open(struct session *session);

/* Return clocks per ns, that is GHz; NaN if no device has that clock. */
double clock_ghz(uint64_t clocks, uint64_t ns);

/* Measure the clock, unless the session failed. Return GHz, or NaN. */
double clock_measure(struct session *session);

/* Return the median so far, or the device's own figure; NaN: unknown. */
double clock_median_ghz(const struct session *session);

/*
 * Record core_clock: least_ghz and median_ghz (if known), and by ("c2c" or
 * "device").
 */
void clock_record(struct session *session);

/* Free all measurements. */
void clock_release(struct device_clock *clock);

#endif
