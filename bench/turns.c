#include "turns.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine/timebase.h"
#include "stat/stat.h"

#define PATIENCE_S 20

void turns_die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

struct machine *turns_machine(struct probe_params *params)
{
	struct machine *machine;
	struct timebase timebase;
	struct error err;

	if (machine_new(&machine, &err) < 0 ||
		timebase_init(&timebase, &err) < 0)
		turns_die(err.text);
	params->samples = 1;
	params->counter = timebase.counter;
	params->ns_per_tick = 1e9 / timebase.hz;
	return machine;
}

void turns_parse_pair(const char *text, unsigned cpus[2])
{
	if (sscanf(text, "%u,%u", &cpus[0], &cpus[1]) != 2 ||
		cpus[0] == cpus[1])
		turns_die("a pair is two CPUs: A,B");
}

static void run(struct crew *crew, struct crew_visit *visits, size_t n)
{
	size_t *ends = calloc(n, sizeof(*ends));
	struct crew_program program = {visits, ends, n, n};
	struct crew_report outcome;

	if (!ends)
		abort();
	for (size_t i = 0; i < n; i++)
		ends[i] = i + 1;
	switch (crew_run(crew, &program, &outcome)) {
	case CREW_DONE:
		break;
	case CREW_FAILED:
		turns_die(outcome.error.text);
	default:
		turns_die("a CPU did not do its part");
	}
	free(ends);
}

void turns_measure(const struct crew_options *options, uint32_t variant,
	void *slots, struct turn *turns, size_t n)
{
	static atomic_bool stop;
	struct crew_options spinning = *options;
	struct crew_visit *visits = calloc(2 * n, sizeof(*visits));
	struct stat_random random;
	struct error err;
	struct crew *crew;

	if (!visits)
		abort();
	spinning.idle = CREW_SPIN;
	spinning.patience_s = PATIENCE_S;
	spinning.stop = &stop;
	if (crew_new(&crew, &spinning, &err) < 0)
		turns_die(err.text);
	stat_random_init(&random, 1);
	for (size_t i = 0; i < 2 * n; i++) {
		uint32_t kind = i % 2 ? TURNS_BARE - visits[i - 1].pass
				      : (uint32_t)stat_random_below(&random, 2);

		visits[i] = (struct crew_visit){.first = 0,
			.second = 1,
			.pass = kind,
			.variant = variant,
			.slots = slots};
	}
	/* This additional visit prepares the memory, and does not count. */
	run(crew,
		&(struct crew_visit){.second = 1,
			.variant = variant,
			.pass = TURNS_C2C,
			.slots = slots},
		1);
	run(crew, visits, 2 * n);
	for (size_t i = 0; i < 2 * n; i++) {
		double *ticks = turns[i / 2].ticks[visits[i].pass];

		ticks[0] = visits[i].ticks[0];
		ticks[1] = visits[i].ticks[1];
	}
	crew_free(crew);
	free(visits);
}

struct comparison turns_compare(const struct turn *turns, size_t n, int half,
	double bytes, double ns_per_tick)
{
	const double gib_per_s = bytes / (1 << 30) / (ns_per_tick * 1e-9);
	double *values = calloc(n, sizeof(*values));
	struct comparison out = {.ratio = 0};

	if (!values)
		abort();
	for (int kind = 0; kind < TURNS_KINDS; kind++) {
		for (size_t i = 0; i < n; i++)
			values[i] = gib_per_s / turns[i].ticks[kind][half];
		out.rate[kind] = stat_median(values, n);
	}
	for (size_t i = 0; i < n; i++)
		values[i] = turns[i].ticks[TURNS_BARE][half] /
			    turns[i].ticks[TURNS_C2C][half];
	stat_sort(values, n);
	out.ratio = stat_quantile(values, n, 0.5);
	out.p25 = stat_quantile(values, n, 0.25);
	out.p75 = stat_quantile(values, n, 0.75);
	if (stat_median_ci95(values, n, &out.ci_low, &out.ci_high) < 0)
		turns_die("six turns or more make an interval");
	free(values);
	return out;
}

void turns_print_head(void)
{
	printf("%9s%9s%8s%17s%17s\n", "c2c", "bare", "ratio", "95 %",
		"p25, p75");
}

void turns_print(const struct comparison *comparison)
{
	printf("%9.2f%9.2f%8.3f%9.3f,%7.3f%9.3f,%7.3f\n",
		comparison->rate[TURNS_C2C], comparison->rate[TURNS_BARE],
		comparison->ratio, comparison->ci_low, comparison->ci_high,
		comparison->p25, comparison->p75);
}
