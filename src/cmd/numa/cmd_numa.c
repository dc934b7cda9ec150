/*
 * c2c numa: latency and bandwidth of the memory of each node from the CPUs of
 * each node, idle and under load.
 */
#include "cmd/numa/cmd_numa.h"

#include <stddef.h>

#include "commands.h"
#include "util/array.h"

/* Longest time of a visit, whose CPUs wait for each other. */
#define PATIENCE_S 2.0

#define SAMPLES 3

#define SIZE_LEAST ((uint64_t)1 << 20)
#define SIZE_MOST  ((uint64_t)1 << 37)

#define AT(member) offsetof(struct numa_options, member)

const char *const numa_mix_names[NUMA_MIX_COUNT] = {NUMA_MIXES(WORDS_LIST)};

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Parts:"},
	{"latency", OPTION_FLAG, NULL, AT(latency),
		.help = "Measure the latency of idle memory (default: "
			"--latency, --bandwidth and --loaded)",
		.record = "latency", .same = true},
	{"bandwidth", OPTION_FLAG, NULL, AT(bandwidth),
		.help = "Measure the bandwidth of all CPUs of a node",
		.record = "bandwidth", .same = true},
	{"loaded", OPTION_FLAG, NULL, AT(loaded),
		.help = "Measure the latency of one CPU while the other CPUs "
			"of its node increase the load",
		.record = "loaded", .same = true},
	{"scaling", OPTION_FLAG, NULL, AT(scaling),
		.help = "Measure the read bandwidth of 1, 2, 3 and more CPUs, "
			"and which last-level caches share a link to memory",
		.more = "c2c numa makes this measurement only with --scaling.",
		.record = "scaling", .same = true},
	{"llcs", OPTION_TEXT, "FILE", AT(llcs),
		.help = "With --scaling: take the last-level caches from the "
			"groups in this record of latencies (default: from the "
			"topology)",
		.more = "See [Scaling].", .record = "llcs", .same = true},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "A shorter run: a budget of 1.5 seconds, and less "
			"memory",
		.more = "The minimum memory is 64 MiB instead of 256 MiB.",
		.record = "quick", .same = true},
	{.kind = OPTION_HEADING, .group = 3, .help = "Memory:"},
	{"mix", OPTION_LIST, "LIST", AT(mixes),
		.help = "Mixes of accesses, each with a matrix and a curve: "
			"reads only (1:0, the default); R reads for each "
			"write in place (3:1, 2:1, 1:1); triad; a copy by "
			"non-temporal stores (nt)",
		.words = WORDS_BARS(NUMA_MIXES), .standard = "1:0",
		.record = "mix", .same = true},
	{"size", OPTION_BYTES, "BYTES", AT(size_bytes),
		.help = "Memory of each node for the latency, and as much "
			"again for the load (default four times the last-level "
			"caches, at least 256M, at most 1G or half of the free "
			"memory)",
		.more = "c2c refuses a size if twice the size on every node is "
			"more than 90 % of the free memory. A single node with "
			"too little memory gets half of the size, a quarter "
			"and so on.",
		.within = {SIZE_LEAST, SIZE_MOST}},
	MEASURE_PAGES_ROW(AT(pages), "the memory"),
	{NULL, OPTION_COUNT, NULL, AT(ring_bytes), .record = "ring_bytes"},
	{NULL, OPTION_COUNT, NULL, AT(array_bytes), .record = "array_bytes"},
	{"precision", OPTION_NOTE,
		.more = "The interval of every latency and of every rate "
			"counts, so most runs take the whole budget."},
	{"runs", OPTION_NOTE,
		.more = "A point of a curve under load has the median rate "
			"and the median latency of the runs. On a virtual "
			"machine c2c-compare(1) gives no verdict on records "
			"of one run each."},
	{"output", OPTION_NOTE,
		.more = "A `.csv` holds only the matrix of latencies."},
};

static const struct option_rule rules[] = {
	{"pair from all-pairs",
		.flaw = ": c2c numa measures no pairs of CPUs; name the CPUs "
			"with --cpus"},
	{"resume", .flaw = ": c2c numa measures no pairs of CPUs to add to a "
			   "record"},
	{"jobs!1", .flaw = ": c2c numa measures one node at a time"},
	{"mix", "latency", "bandwidth loaded",
		" applies to bandwidth and load, not to --latency"},
	{"mix", "scaling", "bandwidth loaded",
		" applies to bandwidth and load, but --scaling only reads"},
	{"llcs", .without = "scaling", .flaw = " is for --scaling"},
	{.given = NULL},
};

static void numa_choose(struct measure_plan *plan)
{
	const struct numa_plan *own = plan->context;
	struct numa_options *options = own->options;

	if (!options->latency && !options->bandwidth && !options->loaded &&
		!options->scaling)
		options->latency = options->bandwidth = options->loaded = true;
}

static int numa_run(int argc, char **argv)
{
	struct numa_options options = {.pages = MEMORY_PAGES_AUTO};
	struct numa_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "numa",
		.doc = "Measure the memory of every NUMA node from the CPUs of "
		       "every node: latency, bandwidth, latency under load, "
		       "and the rate over the number of CPUs.\vRates count "
		       "reads and writes: with 2:1, two "
		       "lines read and one line written count as three "
		       "lines.\nMemory: twice --size on each node that has "
		       "memory.",
		.often = "output latency bandwidth loaded scaling mix size "
			 "quick cpus "
			 "budget runs help",
		.examples = "c2c numa\tlatency, bandwidth, under load\n"
			    "c2c numa --bandwidth --mix 1:0,2:1\treads, and "
			    "two reads a write\n"
			    "c2c numa --scaling\tover the number of CPUs\n",
		.campaign = {.probe = &probe_numa,
			.params = {.round_trips = 1,
				.samples = SAMPLES,
				.context = &own.context},
			.both_ways = true,
			.may_drop = true,
			.patience_s = PATIENCE_S,
			.block_bytes = PROBE_SLOT_BYTES,
			.pages = MEMORY_PAGES_BASE},
		.labels = {.unit = "ns",
			.quantity = "memory by node",
			.factor = 1,
			.noun = "point",
			.curves = true},
		.diagonal = true,
		.quick_budget_s = MEASURE_QUICK_BUDGET_S,
		.maps_memory = true,
		.choose = numa_choose,
		.select = numa_select,
		.prepare = numa_prepare,
		.finish = numa_finish,
		.release = numa_plan_release,
		.merged = numa_finish_merged,
		.print = numa_print,
		.print_all = true,
		.why_empty = "other programs took a CPU in every visit, or c2c "
			     "could not bind memory to a node; wait until the "
			     "programs end, or choose other CPUs",
		.refused = MEASURE_OF_PAIRS,
		.options = {rows, N_OF(rows), &options, NULL, rules},
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_numa = {
	.name = "numa",
	.summary = "Memory of each NUMA node: latency, bandwidth, under load",
	.run = numa_run,
};
