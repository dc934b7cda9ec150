#include "cmd/watch/watch_pace.h"

#include <math.h>

/* Weight of the latest burst, if it took less than the estimate. */
#define LATEST 0.2

/*
 * Limit for the growth of a burst, because a few fast passes do not predict
 * many.
 */
#define GROWTH 2.0

void watch_pace_init(
	struct watch_pace *pace, double share, size_t n_cpus, double now_s)
{
	*pace = (struct watch_pace){
		.cpus_s = share * (double)n_cpus, .start_s = now_s};
}

/* Estimate a cost; rise at once, so that costs seldom exceed the limit. */
static double smooth_estimate(double old, double latest)
{
	return latest > old ? latest : old + LATEST * (latest - old);
}

void watch_pace_note(
	struct watch_pace *pace, size_t passes, double burst_s, double used_s)
{
	double between_s = used_s - pace->used_s - burst_s;

	/*
	 * The start ends with the second burst, which shows the time of a pass.
	 */
	if (pace->pass_s == 0)
		pace->begin_s = used_s;
	/* The first burst includes trials: skip it. */
	if (pace->used_s > 0) {
		pace->between_s =
			smooth_estimate(pace->between_s, fmax(between_s, 0));
		pace->pass_s =
			smooth_estimate(pace->pass_s, burst_s / (double)passes);
	}
	pace->used_s = used_s;
	pace->passes = passes;
}

size_t watch_pace_passes(const struct watch_pace *pace)
{
	double left_s = pace->cpus_s * PACE_PERIOD_S - pace->between_s;
	double passes = pace->pass_s > 0 ? left_s / pace->pass_s : 1;

	passes = fmin(passes, GROWTH * (double)pace->passes);
	return (size_t)fmin(fmax(passes, 1), PACE_PASSES);
}

double watch_pace_held_s(const struct watch_pace *pace)
{
	return pace->begin_s / pace->cpus_s;
}

double watch_pace_next_s(
	const struct watch_pace *pace, double began_s, double used_s)
{
	double burst_s = pace->pass_s * (double)watch_pace_passes(pace);

	return fmax(began_s + PACE_PERIOD_S,
		pace->start_s +
			(used_s + burst_s + pace->between_s) / pace->cpus_s);
}

double watch_pace_duty(const struct watch_pace *pace, size_t n_cpus,
	double used_s, double now_s)
{
	double passed_s = now_s - pace->start_s;

	return passed_s > 0 ? used_s / passed_s / (double)n_cpus : 0;
}
