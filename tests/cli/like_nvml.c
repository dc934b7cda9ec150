/*
 * Stands in for NVIDIA's management library where one device is on a bus. It
 * takes 400 W, and its counter of energy moves each 50 ms. With NO_ENERGY it
 * has no counter, and says that it takes 123 W. Its chip has 66 degrees
 * Celsius.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLACE "0000:3b:03.0"

/* Of nvmlReturn_t. */
#define NOT_SUPPORTED 3
#define NOT_FOUND     6

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *place, void **device);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *place, void **device)
{
	static char one;

	if (strcmp(place, PLACE) != 0)
		return NOT_FOUND;
	*device = &one;
	return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
	struct timespec now;

	(void)device;
	if (getenv("NO_ENERGY"))
		return NOT_SUPPORTED;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	*mj = ((unsigned long long)now.tv_sec * 20 +
		      (unsigned long long)now.tv_nsec / 50000000) *
	      20000;
	return 0;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
	(void)device;
	*mw = 123000;
	return 0;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
	(void)device;
	*celsius = sensor == 0 ? 66 : 99;
	return 0;
}
