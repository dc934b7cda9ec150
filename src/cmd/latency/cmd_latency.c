/*
 * c2c latency: the latency of a cache line between all pairs of CPUs.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "cmd/latency/by_line.h"
#include "cmd/measure/measure.h"
#include "cmd/near_pairs_lasted.h"
#include "commands.h"
#include "machine/memory.h"
#include "result/clock_step.h"
#include "util/array.h"

#define WARM_UP 4

/*
 * vCPUs move, so the halves of a longer run agree less: on 32 vCPUs, halves
 * correlate at 0.6 to 0.94 in runs of 2 s, and at 0.2 in runs of 8 s.
 */
#define BUDGET_S 2.0

/* Sleep that is long enough for the host to move vCPUs that are not pinned. */
#define REST_S 1.0

/* Largest number of round trips of a visit, which take tens of seconds. */
#define VISIT_MAX 100000000

/* Typical round trip between CPUs that share a cache. */
#define NEAR_ROUND_TRIP_NS 40

/* Largest number of round trips of a sample that c2c chooses. */
#define LONG_SAMPLE 50000

struct latency_options {
	struct measure_options measure;
	int method; /* in latency_probes */
	int spin_hint, sample_statistic;
	uint64_t round_trips, samples, lines, warm_up;
	struct measure_home home;
	double rest_s;
	bool round_trip, both_ways;
	bool by_line;
	struct by_line_plan lines_apart; /* for by_line */
	struct probe apart; /* for both_ways: method with two values */
};

#define AT(member) offsetof(struct latency_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"method", OPTION_WORD, "line|cas|two-line|one-way", AT(method),
		.help = "How a message travels: one word in one line, by loads "
			"and stores (line, the default) or by compare-and-swap "
			"(cas); a line for each direction (two-line); "
			"time-stamped messages, each direction reported "
			"separately (one-way)",
		.record = "method", .same = true},
	{"round-trips", OPTION_COUNT, "N", AT(round_trips),
		.help = "Number of round trips in a sample (default 50, or "
			"more with a coarse clock)",
		.more = "A clock is coarse if its steps are longer than 60 ns. "
			"c2c then doubles the round trips until a step is at "
			"most 1 % of a sample between CPUs that share a cache, "
			"up to 50,000. Each end of an interval is then at "
			"least one step, divided by the round trips of a "
			"sample, from the median. `c2c compare` reports no "
			"smaller difference.",
		.within = {1, 1000000}, .record = "round_trips", .same = true},
	{"samples", OPTION_COUNT, "N", AT(samples),
		.help = "Number of samples of a pair in a pass; c2c uses their "
			"trimmed mean (default 9)",
		.within = {1, 10000}, .record = "samples", .same = true},
	MEASURE_HOME_ROW(AT(home),
		"NUMA node of the cache lines: the node of the pair's first "
		"CPU (the default) or second CPU, node N, or all nodes in "
		"turn"),
	{"lines", OPTION_COUNT, "N", AT(lines),
		.help = "Number of cache lines on each node; samples use them "
			"in turn (default 1024)",
		.more = "c2c rounds N to whole visits. Pairs that are measured "
			"together do not share lines. With --jobs=N, or "
			"without --lines, c2c takes more lines if the pairs "
			"need them, and warns if it exceeds --lines. With "
			"--lines and without --jobs=N, the lines limit the "
			"number of pairs that are measured together.",
		.within = {1, 1 << 20}, .record = "lines", .same = true},
	{"spin-hint", OPTION_WORD, "none|pause|auto", AT(spin_hint),
		.old = "relax",
		.help = "How a CPU waits for its partner: in a bare loop "
			"(none), with the CPU's spin-wait hint (pause), or as "
			"a short trial decides (auto, the default): with the "
			"hint, unless the bare loop is 5 % faster",
		.more = "See [Waiting loops]. With --resume, `auto` takes the "
			"loop of the record.",
		.record = "spin_hint", .same = true},
	{"round-trip", OPTION_FLAG, NULL, AT(round_trip),
		.help = "Report round-trip latencies instead of one-way "
			"latencies",
		.more = "Not with --method=one-way.", .record = "round_trip",
		.same = true},
	{"both-ways", OPTION_FLAG, NULL, AT(both_ways),
		.help = "Measure each pair twice, once with each CPU first, "
			"and report both figures",
		.more = "Without --both-ways c2c measures each pair once and "
			"writes the figure into both cells. If the two cells "
			"of a pair differ, the cause is the line's home, the "
			"timing CPU or noise. Neither figure is the time of "
			"one direction, which --method=one-way measures. "
			"--method=one-way and --from exclude --both-ways.",
		.record = "both_ways", .same = true},
	{"by-line", OPTION_FLAG, NULL, AT(by_line),
		.help = "Measure 64 cache lines of one huge page one by one, "
			"and report whether latency depends on the line; "
			"without --pair, --from or --all-pairs, use a pair of "
			"each level",
		.more = "See [Single lines].", .record = "by_line",
		.same = true},
	{"keep-lines", OPTION_FLAG, NULL, AT(lines_apart.keep_lines),
		.help = "With --by-line, record the time of each line and its "
			"offset in the page",
		.record = "keep_lines"},
	{"rest", OPTION_TIME, "TIME", AT(rest_s),
		.help = "After the last pass, let all CPUs sleep this long, "
			"then check which near pairs are still near (default "
			"1s on a virtual machine with several pairs, else 0)",
		.more = "See [Lasting near pairs].",
		.within = {0, OPTION_TIME_MAX_S}},
	{NULL, OPTION_COUNT, NULL, AT(warm_up), .record = "warm_up",
		.same = true},
	{NULL, OPTION_WORD, "trimmed_mean", AT(sample_statistic),
		.record = "sample_statistic", .same = true},
	{"home", OPTION_NOTE,
		.more = "The first CPU of a pair, the row, comes first in the "
			"list."},
};

static const struct option_rule rules[] = {
	{"round-trip", "method=one-way",
		.flaw = ": method one-way reports each direction separately"},
	{"both-ways", "method=one-way",
		.flaw = ": method one-way measures both directions in each "
			"visit"},
	{"both-ways", "from",
		.flaw = ": with --from all pairs have the same first CPU; "
			"leave --from out, or name two CPUs with --pair"},
	{"by-line", .with = "method=one-way both-ways samples lines"},
	{"by-line", "home=interleave",
		.flaw = " measures the same lines in all passes, but --home "
			"interleave changes the lines"},
	{"by-line", "jobs!1", .flaw = " measures one pair at a time"},
	{"by-line", "runs!1",
		.flaw = " measures different lines in each run, so runs have "
			"no common values: run c2c several times with --pair, "
			"and compare the records with c2c compare"},
	{"by-line", .with = "rest resume keep-passes"},
	{"keep-lines", .without = "by-line",
		.flaw = ": only --by-line measures single lines"},
	{.given = NULL},
};

static int latency_check_options(void *into, struct error *err)
{
	const struct latency_options *options = into;

	if (options->round_trips * options->samples > VISIT_MAX)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--round-trips times --samples is more than %d",
			VISIT_MAX);
	if (options->by_line &&
		option_given(&options->measure.given, "passes") &&
		options->measure.passes.min > BY_LINE_PASSES_MOST)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--passes: with --by-line expected at most %d",
			BY_LINE_PASSES_MOST);
	return 0;
}

/*
 * Lengthen samples until a step of a coarse clock is at most 1 % of a sample
 * between near CPUs, or the limit is reached.
 */
static void lengthen_samples(
	struct latency_options *options, const struct timebase *clock)
{
	double needed = 100 * clock->step_ns / NEAR_ROUND_TRIP_NS;

	if (option_given(&options->measure.given, "round-trips") ||
		clock->step_ns <= CLOCK_STEP_READING_NS)
		return;
	while ((double)options->round_trips < needed &&
		options->round_trips < LONG_SAMPLE)
		options->round_trips *= 2;
}

/* Overhead of a visit, and time of a round trip, on 16 and 32 vCPUs. */
#define VISIT_S	     5e-5
#define ROUND_TRIP_S 2e-7

/* Return the time of a visit divided by the number of parallel pairs. */
static double estimate_pair_s(const struct latency_options *options,
	const struct measure_selection *selection)
{
	double jobs = (double)options->measure.jobs;
	double most = fmax(1, floor((double)selection->cpus.n / 2));

	/* 0: as many jobs as cause no bias. */
	jobs = jobs == 0 ? most : fmin(jobs, most);
	return (VISIT_S + (double)(options->samples * options->round_trips) *
				  ROUND_TRIP_S) /
	       jobs;
}

/* Choose the sleep: vCPUs may move while they sleep. */
static int latency_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct latency_options *options = plan->context;
	const struct measure_options *measure = &options->measure;
	bool given = option_given(&measure->given, "rest");

	(void)err;
	if (!given)
		options->rest_s =
			machine_facts(selection->machine)->hypervisor &&
					selection->n_pairs >= LASTED_PAIRS &&
					!measure->child && !measure->resume &&
					!options->by_line
				? REST_S
				: 0;
	plan->campaign.sleep_s = options->rest_s;
	plan->campaign.after_sleep_min_passes = given ? 1 : 0;
	lengthen_samples(options, plan->clock);
	plan->campaign.params.round_trips = (uint32_t)options->round_trips;
	plan->pair_s = estimate_pair_s(options, selection);
	return 0;
}

/* Warn if c2c did not measure after the sleep of --rest. */
static int latency_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct latency_options *options = plan->context;

	if (options->by_line)
		return by_line_finish(
			&options->lines_apart, campaign, result, err);
	if (!option_given(&options->measure.given, "rest") ||
		!(options->rest_s > 0) || !campaign->complete ||
		!campaign->overcommitted)
		return 0;
	if (!run_facts_warn(&result->run, "--rest: c2c did not measure after a "
					  "sleep, because the host runs too "
					  "few vCPUs at the same time, so "
					  "waiting vCPUs sleep during the run"))
		return error_no_memory(err, "the warnings");
	return 0;
}

static int latency_select(struct measure_plan *plan,
	const struct measure_options *measure,
	struct measure_selection *selection, struct error *err)
{
	struct latency_options *options = plan->context;

	(void)measure;
	return by_line_select(&options->lines_apart, plan, selection, err);
}

static void latency_choose(struct measure_plan *plan)
{
	struct latency_options *options = plan->context;

	if (options->by_line) {
		options->samples = BY_LINE_LINES;
		options->lines = BY_LINE_LINES;
		if (!option_given(&options->measure.given, "round-trips"))
			options->round_trips = BY_LINE_ROUND_TRIPS;
	}
	plan->campaign.probe = latency_probes[options->method];
	if (options->both_ways) {
		options->apart = *plan->campaign.probe;
		options->apart.first_cell = PROBE_FORWARD;
		plan->campaign.probe = &options->apart;
		plan->campaign.both_ways = true;
	}
	plan->campaign.params = (struct probe_params){
		.round_trips = (uint32_t)options->round_trips,
		.samples = (uint32_t)options->samples,
		.warm_up = WARM_UP,
	};
	plan->labels = (struct summary_labels){
		.name = {"latency", NULL},
		.unit = "ns",
		.quantity = options->round_trip ? "round-trip" : "one-way",
		.factor = options->round_trip ? 2 : 1,
		.noun = "pair",
	};
	if (options->by_line) {
		by_line_choose(&options->lines_apart, plan, &options->measure);
		plan->select = latency_select;
	}
}

static void latency_release(void *context)
{
	struct latency_options *options = context;

	by_line_release(&options->lines_apart.context);
}

static int latency_run(int argc, char **argv)
{
	struct latency_options options = {
		.round_trips = 50,
		.samples = 9,
		.lines = 1024,
		.warm_up = WARM_UP,
		.spin_hint = MEASURE_HINT_AUTO,
	};
	struct measure_plan plan = {
		.command = "latency",
		.doc = "Measure how long a cache line takes from one CPU to "
		       "another, for every pair.",
		.often = "output cores cpus from pair method round-trip budget "
			 "precision runs help",
		.examples = "c2c latency\ta matrix of all CPUs\n"
			    "c2c latency --cores -o lat.json -o lat.png\ta CPU "
			    "of every core, in files\n"
			    "c2c latency --pair 0,1 --precision 1\tone pair, "
			    "precisely\n"
			    "c2c latency --by-line\tlines one by one\n",
		.campaign.pages = MEMORY_PAGES_BASE,
		.auto_jobs = true,
		.epochs = true,
		.measure_contradicted = true,
		.budget_s = BUDGET_S,
		.home = &options.home,
		.lines = &options.lines,
		.spin_hint = &options.spin_hint,
		.choose = latency_choose,
		.prepare = latency_prepare,
		.finish = latency_finish,
		.release = latency_release,
		.context = &options,
		.options = {rows, N_OF(rows), &options, latency_check_options,
			rules},
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_latency = {
	.name = "latency",
	.summary = "Latency of a cache line between every pair of CPUs",
	.run = latency_run,
};
