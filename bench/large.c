/*
 * Does a default run of c2c latency on many CPUs end in time?
 *
 * The CPUs are simulated: each has a thread, which is not bound. A visit
 * measures nothing, and sleeps as long as a real visit takes. From a few pairs,
 * the program estimates the time of a pass with one pair at a time. It prints
 * this time, the number of simultaneous pairs that the run chose, and the time
 * of the whole run with its matrices.
 *
 * Usage: large [CPUS]   (default 512)
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/campaign.h"
#include "engine/summary.h"
#include "machine/timebase.h"

/* The kernel adds 50 us, so a visit takes 85 us. */
#define SLEEP_NS 35000

static void die(const struct error *err)
{
	fprintf(stderr, "large: %s\n", err->text);
	exit(err->class);
}

static bool half(const struct probe_visit *visit, int64_t *ticks)
{
	const struct timespec time = {.tv_nsec = SLEEP_NS};

	nanosleep(&time, NULL);
	for (uint32_t s = 0; s < visit->params->samples; s++)
		ticks[s] = 5000 + visit->first_cpu + visit->second_cpu +
			   visit->pass % 7;
	return true;
}

static void abandon(void *slot)
{
	(void)slot;
}

static const struct probe sleeping_probe = {
	.name = "sleep",
	.summary = "waits as long as a visit takes",
	.first_cell = PROBE_BOTH,
	.first = half,
	.second = half,
	.abandon = abandon,
	.scale = probe_scale_round_trips,
};

/* Return the default options of c2c latency. */
static struct campaign_options defaults(
	const struct cpu_list *cpus, const atomic_bool *stop)
{
	return (struct campaign_options){
		.cpus = cpus,
		.probe = &sleeping_probe,
		.params = {.round_trips = 50,
			.samples = 9,
			.warm_up = 4,
			.ns_per_tick = 1},
		.jobs = 0,
		.idle = CREW_PARK,
		.lines = 1024,
		.seed = 1,
		.passes_min = 6,
		.passes_max = 100000,
		.precision = 0.02,
		.budget_s = 2,
		.most_s = 8,
		.least_s = 1,
		.patience_s = 5,
		.stop = stop,
	};
}

int main(int argc, char **argv)
{
	static atomic_bool stop;
	static const struct summary_labels labels = {.name = {"latency", NULL},
		.unit = "ns",
		.factor = 1,
		.noun = "pair"};
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 512;
	struct cpu_list cpus = {NULL, 0};
	struct campaign_options options = defaults(&cpus, &stop);
	struct campaign campaign;
	struct summary_agreement agreement;
	struct result result;
	struct error err;
	double start_s = timebase_raw_s();

	result_init(&result);
	for (unsigned cpu = 0; cpu < n; cpu++) {
		if (cpu_list_add(&cpus, cpu, &err) < 0 ||
			cpu_list_add(&result.cpus, cpu, &err) < 0)
			die(&err);
	}
	if (campaign_run(&campaign, &options, &err) < 0 ||
		summary_agree(&campaign, &agreement, &err) < 0 ||
		summary_matrices(&campaign, &labels, &result, &err) < 0)
		die(&err);
	printf("%u CPUs, %zu pairs: %zu pairs together (bias %+.1f %%), %zu "
	       "passes in %.2f s, in all %.2f s\n",
		n, campaign.schedule.n_pairs, campaign.jobs,
		100 * campaign.jobs_bias, campaign.n_complete,
		campaign.elapsed_s, timebase_raw_s() - start_s);
	campaign_release(&campaign);
	result_release(&result);
	cpu_list_release(&cpus);
	return 0;
}
