/*
 * Calibrate the counter. At both ends of a pause, c2c reads the clock, the
 * counter, and the clock again. c2c makes TRIES tries, and uses the try with
 * the shortest time between the two readings of the clock. The error of the
 * midpoint is at most half of this time, or half of a step of the clock: about
 * 20 ns. So the rate is accurate to about 1 in 100,000. CLOCK_MONOTONIC_RAW is
 * the reference, because NTP does not adjust it.
 */
#include "machine/timebase.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_NAME "clock_monotonic_raw"

/* Length of the pause in steps of the clock, and its limits in ns. */
#define PAUSE_STEPS    100000
#define PAUSE_LEAST_NS 3000000
#define PAUSE_MOST_NS  30000000
#define TRIES	       100

/* Calibrate again if the rate differs more from the CPU's stated rate. */
#define STATED_TOLERANCE 0.01

/* If two calibrations differ by less, ignore the CPU's stated rate. */
#define REPEAT_TOLERANCE 1e-4

/* Longer steps of a clock are over a thousandth of the longest pause. */
#define CALIBRATION_STEP_NS 30000

/* Number of observed changes of the clock; the smallest is its step. */
#define STEPS 100

/* A clock that does not change in this many readings has stopped. */
#define READINGS 20000000

/*
 * Return the smallest step between two readings, in ticks; 0 if the clock has
 * stopped, -1 if it runs backwards.
 */
static double smallest_step(bool counter)
{
	uint64_t last = timebase_end(counter), smallest = UINT64_MAX;
	unsigned steps = 0;

	for (unsigned i = 0; i < READINGS && steps < STEPS; i++) {
		uint64_t now = timebase_end(counter);

		if (now < last)
			return -1;
		if (now == last)
			continue;
		if (now - last < smallest)
			smallest = now - last;
		last = now;
		steps++;
	}
	return steps ? (double)smallest : 0;
}

static struct timebase_instant read_instant(void)
{
	struct timebase_instant best = {0, 0};
	uint64_t tightest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = timebase_raw_ns();
		uint64_t ticks = arch_counter_begin();
		uint64_t after = timebase_raw_ns();

		if (after - before < tightest) {
			tightest = after - before;
			best.ticks = ticks;
			best.ns = before + tightest / 2;
		}
	}
	return best;
}

static double rate_hz(struct timebase_instant from, struct timebase_instant to)
{
	if (to.ns <= from.ns || to.ticks <= from.ticks)
		return 0;
	return (double)(to.ticks - from.ticks) * 1e9 /
	       (double)(to.ns - from.ns);
}

static double calibrate_hz(double step_ns, struct timebase_instant *start)
{
	const struct timespec pause = {
		.tv_nsec =
			(long)fmin(fmax(PAUSE_STEPS * step_ns, PAUSE_LEAST_NS),
				PAUSE_MOST_NS)};

	*start = read_instant();
	nanosleep(&pause, NULL);
	return rate_hz(*start, read_instant());
}

static bool close_to(double a, double b, double tolerance)
{
	return fabs(a / b - 1) <= tolerance;
}

/* Calibrate the counter; return false if its rate is unreliable. */
static bool counter_init(struct timebase *timebase, double step_ns)
{
	double stated_hz = arch_counter_hz();
	struct timebase_instant start;
	double step_ticks = smallest_step(true);
	double hz = calibrate_hz(step_ns, &start);

	if (hz <= 0 || step_ticks <= 0)
		return false;
	if (stated_hz > 0 && !close_to(hz, stated_hz, STATED_TOLERANCE)) {
		double again_hz = calibrate_hz(step_ns, &start);

		if (again_hz <= 0 || !close_to(again_hz, hz, REPEAT_TOLERANCE))
			return false;
		hz = again_hz;
	}
	*timebase = (struct timebase){
		.source = ARCH_COUNTER_NAME,
		.hz = hz,
		.step_ns = step_ticks * 1e9 / hz,
		.invariant = true,
		.counter = true,
		.start = start,
	};
	return true;
}

int timebase_init(struct timebase *timebase, struct error *err)
{
	const char *forced = getenv("C2C_CLOCK");
	bool clock_only = forced && strcmp(forced, "clock") == 0;
	double step_ns = smallest_step(false);

	if (step_ns <= 0)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the system's clock " CLOCK_NAME
			" %s, so c2c cannot measure times "
			"(/sys/devices/system/clocksource lists other clocks)",
			step_ns < 0 ? "runs backwards" : "stands still");
	if (!clock_only && step_ns <= CALIBRATION_STEP_NS &&
		ARCH_COUNTER_NAME && arch_counter_invariant() &&
		counter_init(timebase, step_ns))
		return 0;
	*timebase = (struct timebase){
		.source = CLOCK_NAME,
		.hz = 1e9,
		.step_ns = step_ns,
		.invariant = true,
	};
	return 0;
}

double timebase_drift(const struct timebase *timebase)
{
	if (!timebase->counter)
		return 0;
	return rate_hz(timebase->start, read_instant()) / timebase->hz - 1;
}
