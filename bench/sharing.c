/*
 * Do latency and the sharing of the first-level cache find the same SMT
 * siblings while the host moves vCPUs?
 *
 * Two runs of c2c cannot answer this question, because the host moves idle
 * vCPUs between them. So one crew measures both for each pair in the same pass,
 * in random order. For each window of a few passes, the program counts the
 * pairs that are siblings by latency (far nearer than a typical pair), by
 * sharing (slowed down by SHARE_LEAST or more), and by both. It prints the
 * pairs that only latency or only sharing finds, and the sums.
 *
 * Usage: sharing [SECONDS [BYTES [PASSES]]]   (default 10, 48K, 5)
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/campaign.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe_share.h"
#include "stat/stat.h"
#include "util/parse.h"

/* Siblings have a latency below this share of the median. */
#define NEAR_SHARE 0.6

#define SHARE_OF_LEVEL 0.6
#define SAMPLES	       9
#define SHARE_SAMPLES  3

enum {
	LATENCY,
	SHARING,
	VARIANTS
};

static _Noreturn void die(const struct error *err)
{
	fprintf(stderr, "sharing: %s\n", err->text);
	exit(err->class);
}

/* Call calloc(). End the program if there is no memory. */
static void *allocate(size_t n, size_t size)
{
	struct error err;
	void *memory = calloc(n, size);

	if (!memory) {
		error_no_memory(&err, "the pairs");
		die(&err);
	}
	return memory;
}

/* Run the probe of the visit's variant. */
static bool run(const struct probe_visit *visit, bool first, int64_t *ticks)
{
	const struct probe *probe =
		visit->variant == LATENCY ? &probe_line : &probe_share;
	struct probe_params params = *visit->params;
	struct probe_visit own = *visit;
	bool well;

	own.params = &params;
	if (visit->variant == SHARING)
		params.samples = SHARE_SAMPLES;
	well = (first ? probe->first : probe->second)(&own, ticks);
	for (uint32_t s = params.samples; s < SAMPLES; s++)
		ticks[s] = ticks[s % params.samples];
	return well;
}

static bool both_first(const struct probe_visit *visit, int64_t *ticks)
{
	return run(visit, true, ticks);
}

static bool both_second(const struct probe_visit *visit, int64_t *ticks)
{
	return run(visit, false, ticks);
}

/* Each of the two probes waits at another place in the slot, so mark both. */
static void both_abandon(void *slot)
{
	probe_share.abandon(slot);
	probe_line.abandon(slot);
}

static double both_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	return (variant == LATENCY ? &probe_line : &probe_share)
		->scale(params, 0, ticks);
}

static const struct probe both = {
	.name = "both",
	.summary = "a latency and a slowdown",
	.first_cell = PROBE_BOTH,
	.second_cell = PROBE_NOTHING,
	.first = both_first,
	.second = both_second,
	.abandon = both_abandon,
	.scale = both_scale,
};

struct count {
	size_t windows, near, shared, both;
};

static double median_of(const struct campaign *campaign, size_t pair,
	size_t first, size_t end, double *scratch)
{
	size_t n = campaign_gather(campaign, pair, 0, first, end, 1, scratch);

	return n ? stat_median(scratch, n) : NAN;
}

/* Count siblings in the passes from `first` to before `end`. */
static void look(const struct campaign *campaign, size_t first, size_t end,
	struct count *sum)
{
	size_t n = campaign->schedule.n_pairs / VARIANTS, known = 0;
	double *scratch = allocate(campaign->n_passes, sizeof(*scratch));
	double *latency = allocate(n, sizeof(*latency));
	double *sorted = allocate(n, sizeof(*sorted));
	struct count count = {0};
	double typical;

	for (size_t p = 0; p < n; p++) {
		latency[p] = median_of(
			campaign, VARIANTS * p + LATENCY, first, end, scratch);
		if (!isnan(latency[p]))
			sorted[known++] = latency[p];
	}
	typical = known ? stat_median(sorted, known) : NAN;
	for (size_t p = 0; p < n; p++) {
		double slow = median_of(
			campaign, VARIANTS * p + SHARING, first, end, scratch);
		bool near = latency[p] < NEAR_SHARE * typical;
		bool shared = slow >= SHARE_LEAST;

		count.near += near;
		count.shared += shared;
		count.both += near && shared;
		if (near != shared)
			printf("%7.2f s: pair %zu only by %s: %.1f ns (typical "
			       "%.1f), %.2f times\n",
				campaign->pass_start_s[first], p,
				near ? "latency" : "sharing", latency[p],
				typical, slow);
	}
	if (count.both)
		printf("%7.2f s: %zu pairs by both\n",
			campaign->pass_start_s[first], count.both);
	sum->windows++;
	sum->near += count.near;
	sum->shared += count.shared;
	sum->both += count.both;
	free(scratch);
	free(latency);
	free(sorted);
}

static struct schedule_pair *list_pairs(size_t cpus, size_t *n)
{
	struct schedule_pair *pairs = allocate(cpus * cpus, sizeof(*pairs));

	*n = 0;
	for (uint32_t i = 0; i < cpus; i++) {
		for (uint32_t j = i + 1; j < cpus; j++) {
			for (uint32_t v = 0; v < VARIANTS; v++)
				pairs[(*n)++] = (struct schedule_pair){
					.first = i, .second = j, .variant = v};
		}
	}
	return pairs;
}

static void measure(struct machine *machine, const struct cpu_list *cpus,
	double seconds, uint64_t bytes, struct campaign *campaign)
{
	static atomic_bool stop;
	const struct chase_plan plan = {.seed = 1,
		.request = {.pages = bytes < (1 << 17) ? MEMORY_PAGES_BASE
						       : MEMORY_PAGES_AUTO}};
	struct share_context context = {.cpus = cpus};
	struct timebase timebase;
	struct campaign_options options = {.machine = machine,
		.cpus = cpus,
		.probe = &both,
		.params = {.round_trips = 50,
			.samples = SAMPLES,
			.warm_up = 4,
			.use_spin_hint = true,
			.context = &context},
		.jobs = 1,
		.idle = CREW_SPIN,
		.lines = 1024,
		.seed = 1,
		.passes_min = 4,
		.passes_max = 100000,
		.budget_s = seconds,
		.patience_s = 5,
		.stop = &stop};
	struct error err;

	if (timebase_init(&timebase, &err) < 0 ||
		share_init(&context, machine, &plan,
			(size_t)(SHARE_OF_LEVEL * (double)bytes) /
				CHASE_LINE_BYTES * CHASE_LINE_BYTES,
			&err) < 0)
		die(&err);
	options.params.counter = timebase.counter;
	options.params.ns_per_tick = 1e9 / timebase.hz;
	options.pairs = list_pairs(cpus->n, &options.n_pairs);
	if (campaign_run(campaign, &options, &err) < 0)
		die(&err);
	free((void *)options.pairs);
	share_release(&context);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 10;
	size_t window = argc > 3 ? (size_t)atoi(argv[3]) : 5;
	uint64_t bytes = 48 << 10;
	struct cpu_list cpus = {NULL, 0};
	struct count sum = {0};
	struct campaign campaign;
	struct machine *machine;
	struct error err;

	if ((argc > 2 &&
		    parse_bytes(argv[2], 8 << 10, 1 << 30, &bytes, &err) < 0) ||
		machine_new(&machine, &err) < 0 ||
		machine_select(machine, NULL, false, &cpus, &err) < 0)
		die(&err);
	measure(machine, &cpus, seconds, bytes, &campaign);
	printf("%zu CPUs, %zu pairs, %zu passes in %.1f s\n", cpus.n,
		campaign.schedule.n_pairs / VARIANTS, campaign.n_complete,
		campaign.elapsed_s);
	for (size_t p = 0; window && p + window <= campaign.n_complete;
		p += window)
		look(&campaign, p, p + window, &sum);
	printf("%zu times: by latency %zu pairs, by sharing %zu, by both %zu\n",
		sum.windows, sum.near, sum.shared, sum.both);
	campaign_release(&campaign);
	cpu_list_release(&cpus);
	machine_free(machine);
	return 0;
}
