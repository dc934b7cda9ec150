/*
 * Power is energy over time. NVML counts the energy since the driver was
 * loaded, and updates the counter only every 20 to 100 ms. c2c therefore
 * measures from one update to a later update, and runs kernels in between. c2c
 * reads the counter only every few milliseconds, because the device is idle
 * during a reading. GPUs before Volta count no energy. For older GPUs c2c reads
 * the power, which the driver averages over up to a second.
 *
 * Source of the functions and their numbers: NVML API Reference Guide (NVIDIA).
 */
#include "cl/power.h"

#include <dlfcn.h>
#include <math.h>

#include "machine/timebase.h"

#define LIBRARY "libnvidia-ml.so.1"

/* NVML_TEMPERATURE_GPU, the sensor of the chip. */
#define CHIP_SENSOR 0

/* Shortest time of all runs, and of the runs between two readings. */
#define LEAST_S	  0.3
#define BETWEEN_S 0.005

/* Longest pause between updates, and time over which the driver averages. */
#define PATIENCE_S 1.0
#define AVERAGED_S 1.0

typedef int nvml_open(void);
typedef int nvml_find(const char *place, void **device);

static void power_find_device(struct power_meter *power, const char *place)
{
	nvml_open *open = (nvml_open *)dlsym(power->library, "nvmlInit_v2");
	nvml_find *find = (nvml_find *)dlsym(
		power->library, "nvmlDeviceGetHandleByPciBusId_v2");
	int (*close)(void) =
		(int (*)(void))dlsym(power->library, "nvmlShutdown");

	if (!open || !find || !close || open() != 0)
		return;
	power->shutdown = close;
	power->energy = (int (*)(void *, unsigned long long *))dlsym(
		power->library, "nvmlDeviceGetTotalEnergyConsumption");
	power->usage = (int (*)(void *, unsigned *))dlsym(
		power->library, "nvmlDeviceGetPowerUsage");
	power->heat = (int (*)(void *, int, unsigned *))dlsym(
		power->library, "nvmlDeviceGetTemperature");
	if (find(place, &power->device) != 0)
		power->device = NULL;
}

struct power_meter power_open(const struct session *session)
{
	struct power_meter power = {0};
	struct link_place place;
	char name[LINK_NAME_BYTES];

	if (session->rc || session->theory.vendor != THEORY_NVIDIA)
		return power;
	place = device_link(session->device);
	if (!place.is_known)
		return power;
	power.library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (power.library)
		power_find_device(&power, link_name(&place, name));
	return power;
}

void power_close(struct power_meter *power)
{
	if (power->shutdown)
		power->shutdown();
	if (power->library)
		dlclose(power->library);
	*power = (struct power_meter){0};
}

/* Launch a kernel repeatedly for BETWEEN_S; return the time at the end. */
static double power_keep_busy(
	struct session *session, const struct launch *launch)
{
	double end_s = timebase_raw_s() + BETWEEN_S;

	do
		launch_once(session, launch, false);
	while (session_stopped(session) == 0 && timebase_raw_s() < end_s);
	return timebase_raw_s();
}

/* Measure between two updates of the counter; NaN: no updates. */
static double power_by_energy(const struct power_meter *power,
	struct session *session, const struct launch *launch)
{
	double begin_s = NAN, update_s = timebase_raw_s();
	unsigned long long begin_mj = 0, last_mj, now_mj;

	if (power->energy(power->device, &last_mj) != 0)
		return NAN;
	for (;;) {
		double now_s = power_keep_busy(session, launch);

		if (session->rc || power->energy(power->device, &now_mj) != 0)
			return NAN;
		if (now_mj == last_mj && now_s - update_s > PATIENCE_S)
			return NAN;
		if (now_mj == last_mj)
			continue;
		if (now_s - begin_s >= LEAST_S)
			return (double)(now_mj - begin_mj) * 1e-3 /
			       (now_s - begin_s);
		update_s = now_s;
		last_mj = now_mj;
		if (isnan(begin_s)) {
			begin_s = now_s;
			begin_mj = now_mj;
		}
	}
}

/* Return the power that the driver reports after the runs. */
static double power_by_usage(const struct power_meter *power,
	struct session *session, const struct launch *launch)
{
	double end_s = timebase_raw_s() + AVERAGED_S;
	unsigned mw;

	while (power_keep_busy(session, launch) < end_s && session_ok(session))
		;
	if (session->rc || power->usage(power->device, &mw) != 0)
		return NAN;
	return mw * 1e-3;
}

double power_measure(struct power_meter *power, struct session *session,
	const struct launch *launch)
{
	unsigned long long mj;
	double w = NAN;

	if (!power->device || session->rc)
		return NAN;
	if (power->energy && power->energy(power->device, &mj) == 0)
		w = power_by_energy(power, session, launch);
	else if (power->usage)
		w = power_by_usage(power, session, launch);
	if (isnan(w))
		power->device = NULL;
	return w;
}

double power_temperature(const struct power_meter *power)
{
	unsigned celsius;

	if (!power->device || !power->heat ||
		power->heat(power->device, CHIP_SENSOR, &celsius) != 0)
		return NAN;
	return celsius;
}
