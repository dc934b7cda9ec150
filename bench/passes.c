/*
 * How long does a pass take, and does a run agree with itself?
 *
 * For each way to wait (spin, park) and each number of simultaneous pairs (1,
 * max), the program measures all pairs of the CPUs that it may use. It prints
 * the time of a pass with all overhead, in total and per pair. It also prints
 * the agreement of even with odd passes and of the first with the second half,
 * and the bias of max against 1, as --jobs measures it. The last line is the
 * memory that the process used.
 *
 * Usage: passes [SECONDS]   (of measuring for each line; default 2)
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/campaign.h"
#include "engine/summary.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "stat/stat.h"

static void die(const struct error *err)
{
	fprintf(stderr, "passes: %s\n", err->text);
	exit(err->class);
}

/* Return the mean time of a pass, with all overhead. */
static double pass_s(const struct campaign *campaign)
{
	double first = campaign->pass_start_s[0];

	return (campaign->elapsed_s - first) / (double)campaign->n_complete;
}

int main(int argc, char **argv)
{
	static atomic_bool stop;
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	struct machine *machine;
	struct timebase timebase;
	struct error err;
	struct cpu_list cpus = {NULL, 0};
	struct rusage usage;

	if (machine_new(&machine, &err) < 0 ||
		machine_select(machine, NULL, false, &cpus, &err) < 0 ||
		timebase_init(&timebase, &err) < 0)
		die(&err);
	printf("%zu CPUs, %zu pairs; 9 samples of 50 round trips\n", cpus.n,
		cpus.n * (cpus.n - 1) / 2);
	printf("%-5s %5s %7s %10s %10s %9s %8s %8s %9s\n", "idle", "jobs",
		"passes", "ms/pass", "us/pair", "median ns", "even/odd",
		"halves", "bias");
	for (int idle = CREW_SPIN; idle >= CREW_PARK; idle--) {
		for (int together = 0; together < 2; together++) {
			struct campaign_options options = {
				.machine = machine,
				.cpus = &cpus,
				.probe = &probe_line,
				.params = {.round_trips = 50,
					.samples = 9,
					.warm_up = 4,
					.counter = timebase.counter,
					.ns_per_tick = 1e9 / timebase.hz},
				.jobs = together ? SIZE_MAX : 1,
				.idle = (enum crew_idle)idle,
				.lines = 1024,
				.seed = 1,
				.passes_min = 4,
				.passes_max = 100000,
				.precision = 0,
				.budget_s = seconds,
				.patience_s = 5,
				.stop = &stop,
			};
			struct campaign campaign;
			struct summary_agreement agreement;
			double *values;
			size_t n = 0;

			if (campaign_run(&campaign, &options, &err) < 0 ||
				summary_agree(&campaign, &agreement, &err) < 0)
				die(&err);
			values = calloc(
				campaign.n_passes * campaign.schedule.n_pairs,
				sizeof(*values));
			for (size_t p = 0;
				values && p < campaign.schedule.n_pairs; p++)
				n += campaign_gather(&campaign, p, 0, 0,
					campaign.n_passes, 1, values + n);
			printf("%-5s %5zu %7zu %10.3f %10.1f %9.1f %8.2f "
			       "%8.2f %+8.1f%%\n",
				idle == CREW_SPIN ? "spin" : "park",
				campaign.jobs, campaign.n_complete,
				1e3 * pass_s(&campaign),
				1e6 * pass_s(&campaign) /
					(double)campaign.schedule.n_pairs,
				stat_median(values, n), agreement.even_odd,
				agreement.halves, 100 * campaign.jobs_bias);
			free(values);
			campaign_release(&campaign);
		}
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %.1f MiB\n", (double)usage.ru_maxrss / 1024);
	cpu_list_release(&cpus);
	machine_free(machine);
	return 0;
}
