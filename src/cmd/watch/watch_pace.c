#include "cmd/watch/watch_pace.h"

#include <math.h>

/* The weight of the latest burst in what bursts take, if it took less. */
#define LATEST 0.2

/* A few passes that no other program disturbed do not stand for many. */
#define GROWTH 2.0

void pace_init(struct pace *pace, double share, size_t n_cpus, double now_s)
{
	*pace = (struct pace){
		.cpus_s = share * (double)n_cpus, .start_s = now_s};
}

/* What may come next: who expects the most seldom uses more than allowed. */
static double expect(double old, double latest)
{
	return latest > old ? latest : old + LATEST * (latest - old);
}

void pace_note(struct pace *pace, size_t passes, double burst_s, double used_s)
{
	double beside_s = used_s - pace->used_s - burst_s;

	/* The second burst, which tells what a pass takes, is of the start. */
	if (pace->pass_s == 0)
		pace->begin_s = used_s;
	/* The first burst comes with trials that do not come again. */
	if (pace->used_s > 0) {
		pace->beside_s = expect(pace->beside_s, fmax(beside_s, 0));
		pace->pass_s = expect(pace->pass_s, burst_s / (double)passes);
	}
	pace->used_s = used_s;
	pace->passes = passes;
}

size_t pace_passes(const struct pace *pace)
{
	double left_s = pace->cpus_s * PACE_PERIOD_S - pace->beside_s;
	double passes = pace->pass_s > 0 ? left_s / pace->pass_s : 1;

	passes = fmin(passes, GROWTH * (double)pace->passes);
	return (size_t)fmin(fmax(passes, 1), PACE_PASSES);
}

double pace_held_s(const struct pace *pace)
{
	return pace->begin_s / pace->cpus_s;
}

double pace_next_s(const struct pace *pace, double began_s, double used_s)
{
	double burst_s = pace->pass_s * (double)pace_passes(pace);

	return fmax(began_s + PACE_PERIOD_S,
		pace->start_s +
			(used_s + burst_s + pace->beside_s) / pace->cpus_s);
}

double pace_duty(
	const struct pace *pace, size_t n_cpus, double used_s, double now_s)
{
	double passed_s = now_s - pace->start_s;

	return passed_s > 0 ? used_s / passed_s / (double)n_cpus : 0;
}
