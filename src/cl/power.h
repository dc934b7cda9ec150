/*
 * The power and temperature of an NVIDIA GPU that repeats a kernel. Private to
 * src/cl.
 *
 * NVIDIA's management library (NVML) reports both. c2c loads the library at run
 * time, if the driver installed it, and finds the device by its PCI address.
 * Results without the library lack only power and temperature.
 */
#ifndef C2C_POWER_H
#define C2C_POWER_H

#include "cl/timing.h"

/* device is NULL if the power is unknown. */
struct power_meter {
	void *library, *device; /* from dlopen(), from NVML */
	/* functions of NVML, which return 0 for success */
	int (*energy)(void *device, unsigned long long *mj);
	int (*usage)(void *device, unsigned *mw);
	int (*heat)(void *device, int sensor, unsigned *celsius);
	int (*shutdown)(void);
};

/* Open the meter; call power_close() even if the power is unknown. */
struct power_meter power_open(const struct session *session);
void power_close(struct power_meter *power);

/*
 * Launch a kernel repeatedly for at least 0.3 s, and return the power in W.
 * NaN: unknown, and later calls do not try again. The call may set an error in
 * the session.
 */
double power_measure(struct power_meter *power, struct session *session,
	const struct launch *launch);

/* Return the temperature of the chip now, in degrees Celsius; NaN: unknown. */
double power_temperature(const struct power_meter *power);

#endif
