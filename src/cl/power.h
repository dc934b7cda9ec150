/*
 * The power of a GPU of NVIDIA while it repeats a kernel. Private to src/cl.
 *
 * NVIDIA's management library (NVML) tells it. c2c loads that library at run
 * time, where the driver installed it, and finds the device by its place on the
 * bus. Without it nothing is missing but the power.
 */
#ifndef C2C_POWER_H
#define C2C_POWER_H

#include "cl/timing.h"

/* Where nobody tells the power, device is NULL. */
struct power_meter {
	void *library, *device; /* of dlopen(), of NVML */
	/* NVML's calls, which return 0 if they succeed. */
	int (*energy)(void *device, unsigned long long *mj);
	int (*usage)(void *device, unsigned *mw);
	int (*shutdown)(void);
};

/* power_close() closes it, also where nobody tells the power. */
struct power_meter power_open(const struct session *session);
void power_close(struct power_meter *power);

/*
 * Launch a kernel again and again, for 0.3 s or more; the power meanwhile, in
 * W. NaN: it is not known, and no later call asks again. The session may fail.
 */
double power_measure(struct power_meter *power, struct session *session,
	const struct launch *launch);

#endif
