/*
 * c2c cache: the sizes, latencies and rates of the caches of a CPU.
 *
 * cache_latency*.c, cache_bandwidth*.c and cache_shared.c plan the points and
 * make curves and lists. analyze/caches/hierarchy.c infers levels from the
 * curves, cache_report.c prints them.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/caches/hierarchy.h"
#include "cmd/cache/cmd_cache.h"
#include "commands.h"
#include "util/array.h"
#include "util/text.h"

#define SIZE_MIN_DEFAULT 1024
#define SIZE_MAX_LEAST	 (UINT64_C(256) << 20)
#define SIZE_MAX_MOST	 (UINT64_C(1) << 30)
#define SIZE_LIMIT	 (UINT64_C(1) << 37)

/* Longest stride of --order. */
#define STRIDE_MOST (UINT64_C(1) << 30)

#define STEPS_DEFAULT 4

#define QUICK_STEPS 1

/* Default MAX of --sizes in LLCs, which hold only a small part of this set. */
#define TIMES_LLC 4

/* Share of the available memory that c2c may use; caches need no more. */
#define SHARE_OF_MEMORY 0.5

#define SAMPLES 3

/* Extra time limit for each GiB, because the first use of pages takes long. */
#define PATIENCE_S_PER_GIB 4.0

#define AT(member) offsetof(struct cache_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Parts and sizes:"},
	{"latency", OPTION_FLAG, NULL, AT(latency),
		.help = "Measure latency only, not rates", .record = "latency",
		.same = true},
	{"bandwidth", OPTION_FLAG, NULL, AT(bandwidth),
		.help = "Measure rates only, not latency",
		.record = "bandwidth", .same = true},
	{"sizes", OPTION_SIZES, "MIN[:MAX]", AT(sizes),
		.help = "Working sets from MIN to MAX bytes (default 1K to "
			"four times the last-level cache, at least 256M, at "
			"most 1G or half of the free memory)",
		.more = "K, M, G and T are powers of 1,024. MIN alone is a "
			"single working set. For bandwidth, a working set is "
			"the sum over all CPUs.",
		.within = {CHASE_LINE_BYTES, SIZE_LIMIT}, .record = "sizes",
		.same = true},
	{"steps", OPTION_COUNT, "N", AT(steps),
		.help = "Number of working sets in each doubling, for latency "
			"(default 4; 1 for rates)",
		.more = "More steps give more precise cache sizes but longer "
			"passes.",
		.within = {1, CACHE_MOST_STEPS}, .record = "steps",
		.same = true},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "A shorter run, under five seconds: one working set in "
			"each doubling, and a budget of 1.5 seconds",
		.record = "quick", .same = true},
	{"pages", OPTION_WORD, "KIND", AT(pages),
		.help = "Pages of the memory: base pages (4k), transparent "
			"huge pages (thp), hugetlb, the largest of these that "
			"is free (auto, the default), or a latency curve for "
			"each kind (all)",
		.more = MEASURE_BASE_PAGES
		" With all, the levels come from the largest pages "
		"that the machine has.",
		.words = "auto|4k|thp|hugetlb|all", .record = "pages",
		.same = true},
	{"no-infer", OPTION_FLAG, NULL, AT(no_infer),
		.help = "Only measure the curves: infer no levels, line sizes, "
			"ways or TLBs",
		.record = "no_infer", .same = true},
	{.kind = OPTION_HEADING, .group = 3, .help = "Latency:"},
	{"order", OPTION_LIST, "LIST", AT(orders),
		.help = "Orders of the lines, a curve for each: random (the "
			"default), page (all lines of a page before the next "
			"page), stride:BYTES",
		.more = "A stride is a multiple of 64 bytes. Prefetchers "
			"recognise strides, so the curve shows how much they "
			"help.",
		.words = "random|page|stride:BYTES", .is = OPTION_BYTES,
		.within = {CHASE_LINE_BYTES, STRIDE_MOST},
		.multiple = CHASE_LINE_BYTES, .standard = "random",
		.record = "order", .same = true},
	{"chains", OPTION_LIST, "LIST", AT(chains),
		.help = "Numbers of independent chains of loads, a curve for "
			"each: a list of numbers up to 32 (1,2,4), or MIN:MAX "
			"in doublings (1:32); default 1",
		.more = "With n chains, n loads run simultaneously. The "
			"latency is the time of one step of all chains, "
			"divided by n. The number of chains at which the "
			"latency stops falling is the number of simultaneous "
			"misses that the CPU supports.",
		.is = OPTION_COUNTS, .within = {1, CHASE_MOST_CHAINS},
		.standard = "1", .record = "chains", .same = true},
	{"dirty", OPTION_FLAG, NULL, AT(dirty),
		.help = "Add a curve of loads that also store to each line",
		.more = "A cache has to write these lines back when it evicts "
			"them.",
		.record = "dirty", .same = true},
	{.kind = OPTION_HEADING, .group = 4, .help = "Bandwidth:"},
	{"access", OPTION_LIST, "LIST", AT(accesses),
		.help = "Memory accesses, a curve for each: "
			"read,write,copy,triad,nt-write,nt-copy (default all "
			"but nt-copy); nt is non-temporal stores, which bypass "
			"the caches",
		.more = "Rates count the bytes that the program asks for, like "
			"likwid-bench: a copy counts two arrays, and a triad "
			"three arrays. Lines that a cache reads before a store "
			"(write-allocate) do not count. The default of the "
			"largest working set is 512M for each last-level "
			"cache.",
		.words = WORDS_BARS(ARCH_ACCESS_WORDS),
		.standard = "read,write,copy,triad,nt-write",
		.record = "access", .same = true},
	{"width", OPTION_WORD, WORDS_BARS(BANDWIDTH_WIDTHS), AT(width),
		.help = "Width of the registers: the widest of this CPU "
			"(default), the given width, or a curve for each width "
			"of this CPU (all)",
		.record = "width", .same = true},
	{"threads", OPTION_LIST, "LIST", AT(threads),
		.help = "Numbers of CPUs that work simultaneously, a curve for "
			"each: 1, llc (the CPUs that share the last-level "
			"cache of the first CPU), all, or a number (default "
			"1,llc,all)",
		.words = "llc|all|N", .choice = (int)BANDWIDTH_LLC,
		.is = OPTION_COUNT, .within = {1, BANDWIDTH_MOST_CPUS},
		.standard = "1,llc,all", .record = "threads", .same = true},
	{"memory", OPTION_WORD, WORDS_BARS(BANDWIDTH_MEMORY), AT(memory),
		.help = "Memory of several CPUs: each has its part of the "
			"working set, on its own NUMA node (own, the default), "
			"or all work on one array, on the node of the first "
			"CPU (shared)",
		.record = "memory", .same = true},
	{.kind = OPTION_HEADING, .group = 5, .help = "Sharing:"},
	{"shared", OPTION_TEXT, "LEVEL|BYTES", AT(shared),
		.help = "Measure which CPUs share a cache of this level (L1, "
			"L2, L3) or size: a matrix of how much a load slows "
			"down while another CPU loads too",
		.more = "A cell is a slowdown: the load time while the other "
			"CPU uses 60 % of the cache, divided by the load time "
			"while it uses 2 KiB. A cell is the mean over both "
			"directions. The memory of both CPUs fits the cache "
			"only if each CPU has its own cache: CPUs that share a "
			"cache become 1.5 to 4 times as slow, others 1.00 to "
			"1.03 times. A slowdown of less than 1.4 proves "
			"nothing, because a cache that many CPUs share is "
			"slower under any load.\n\nA line below the matrix "
			"says which CPUs share the cache, or that no CPUs "
			"share it. Measure each level into a separate record; "
			"c2c-analyze(1) analyses these records together with "
			"latencies, or with a record of the levels. If the "
			"system reports no size, or more than 128 MiB, give "
			"the size in bytes, from 16K to 512M. The given size "
			"should be smaller than the size that `c2c cache` "
			"finds without --shared. All CPUs together may use "
			"half of the free memory. Pairs that --jobs measures "
			"simultaneously disturb each other if they share the "
			"cache.",
		.record = "shared", .same = true},
	{NULL, OPTION_BYTES, NULL, AT(shared_bytes), .within = {1, 0},
		.record = "shared_bytes"},
	{"all-pairs", OPTION_NOTE,
		.more = "Only runs with --shared accept --all-pairs, --from, "
			"--pair and --resume."},
	{"cpus", OPTION_NOTE,
		.more = "c2c measures the latency and the rate of one CPU on "
			"the first CPU, and the rates of several CPUs on all "
			"CPUs of the list."},
	{"runs", OPTION_NOTE,
		.more = "Levels and TLBs come from the first complete run; the "
			"size, latency and rates of a cache come from all runs "
			"that found the same number of levels."},
	{"keep-passes", OPTION_NOTE, .more = "Only with --shared."},
};

static const struct option_rule rules[] = {
	{"shared", .with = "latency bandwidth quick no-infer pages=all sizes "
			   "steps "
			   "order chains dirty access width threads memory"},
	{"pair from", .without = "shared",
		.flaw = ": only --shared measures pairs; choose the CPUs for "
			"latency (the first) and rates with --cpus"},
	{"all-pairs", .without = "shared",
		.flaw = ": only --shared measures pairs"},
	{"resume", .without = "shared",
		.flaw = ": only the matrix of --shared can be resumed"},
	{"jobs!1", .without = "shared",
		.flaw = ": only --shared measures pairs; c2c measures working "
			"sets one at a time"},
	{"latency", "bandwidth",
		.flaw = "--latency and --bandwidth exclude each other; "
			"without them c2c measures both"},
	{"bandwidth", "order chains dirty",
		.flaw = "--order, --chains and --dirty are for latency, which "
			"--bandwidth does not measure"},
	{"steps pages=all", "bandwidth",
		.flaw = " is for latency, which --bandwidth does not measure"},
	{"latency", "access width threads memory",
		.flaw = "--access, --width, --threads and --memory are for "
			"rates, which --latency does not measure"},
	{.given = NULL},
};

struct option_table cache_options_table(struct cache_options *options)
{
	return (struct option_table){rows, N_OF(rows), options, NULL, rules};
}

/* Return the memory of a run whose largest working set has that size. */
static uint64_t cache_bytes_needed(const struct cache_options *options,
	const struct machine_facts *facts, uint64_t most)
{
	uint64_t bytes = 0;

	if (options->latency)
		bytes += cache_latency_bytes_needed(options, most);
	/* One CPU needs `most`; all CPUs need `most` for each cache. */
	if (options->bandwidth)
		bytes += (1 + facts->n_caches) * most;
	return bytes;
}

uint64_t cache_default_max(
	const struct cache_plan *own, const struct machine_facts *facts)
{
	const struct cache_options *options = own->options;
	uint64_t most = SIZE_MAX_LEAST;

	for (size_t i = 0; i < facts->n_caches && !options->quick; i++) {
		if (TIMES_LLC * facts->caches[i].bytes > most)
			most = TIMES_LLC * facts->caches[i].bytes;
	}
	if (most > SIZE_MAX_MOST)
		most = SIZE_MAX_MOST;
	while (own->memory_most && most > options->sizes.min &&
		cache_bytes_needed(options, facts, most) > own->memory_most)
		most /= 2;
	return most > options->sizes.min ? most : options->sizes.min;
}

int cache_check_memory(
	const struct cache_plan *own, uint64_t bytes, struct error *err)
{
	char needed[TEXT_SIZE_BYTES], left[TEXT_SIZE_BYTES];
	uint64_t sum = own->latency.bytes + bytes;

	if (!own->memory_most || sum <= own->memory_most)
		return 0;
	return error_set(err, ERROR_UNAVAILABLE, ENOMEM,
		"not enough memory: these working sets need %s, and c2c may "
		"use %s, half of what is free; choose a smaller MAX of "
		"--sizes, fewer --threads, --order or --pages, or --no-infer",
		text_size(sum, needed), text_size(own->memory_most, left));
}

int cache_attribute_pages_error(
	const struct cache_options *options, int rc, struct error *err)
{
	if (rc < 0 && err && err->class == ERROR_UNAVAILABLE &&
		options->pages == MEMORY_PAGES_HUGETLB)
		error_prefix(err, "--pages");
	return rc;
}

static int cache_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct cache_plan *own = plan->context;
	struct cache_options *sizes = own->options;
	int rc = measure_select_cpus(options, selection, err);

	if (rc < 0)
		return rc;
	own->memory_most =
		(uint64_t)(SHARE_OF_MEMORY * (double)memory_available());
	own->rates.exact = sizes->sizes.max != 0;
	if (!own->rates.exact)
		sizes->sizes.max = cache_default_max(
			own, machine_facts(selection->machine));
	plan->campaign.patience_s +=
		PATIENCE_S_PER_GIB * (double)sizes->sizes.max / (1 << 30);
	if (sizes->latency)
		rc = cache_select_latency(own, selection, err);
	if (rc == 0 && sizes->bandwidth)
		rc = cache_select_bandwidth(own, selection, err);
	return rc;
}

static int cache_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct cache_plan *own = plan->context;
	int rc = 0;

	if (own->rates.n_points)
		rc = cache_check_memory(
			own, stream_bytes(&own->context.stream), err);
	if (rc == 0 && own->latency.n_points)
		rc = cache_prepare_latency(own, selection, err);
	if (rc == 0 && own->rates.n_points)
		rc = cache_prepare_bandwidth(own, selection, err);
	return rc;
}

static int cache_record_memory(const struct cache_plan *own,
	struct campaign *campaign, struct result *result, struct error *err)
{
	const struct stream_context *stream = &own->context.stream;
	struct cache_account account;

	cache_account_init(&account);
	if (own->latency.memory)
		cache_account_add(&account, &own->latency.memory->chase.memory);
	for (size_t k = 0; stream->memory && k < stream_regions(stream); k++)
		cache_account_add(&account, &stream->memory[k]);
	return cache_account_record(
		&account, cache_pages(own->options), campaign, result, err);
}

/* Return the curve with this number from 1; NULL if the number is 0. */
static const struct curve *curve_at(const struct result *result, size_t at)
{
	return at ? &result->curves[at - 1] : NULL;
}

/*
 * Infer the caches from the curves in own->curve_numbers, and compare them with
 * the caches that the system reports.
 */
static int cache_infer(
	const struct cache_plan *own, struct result *result, struct error *err)
{
	const struct cache_curve_numbers *at = &own->curve_numbers;
	struct hierarchy_curves curves = {
		.ns = curve_at(result, at->ns),
		.clocks = curve_at(result, at->clocks),
		.fastest = curve_at(result, at->fastest),
		.small_random = curve_at(result, at->tlb_random),
		.small_by_page = curve_at(result, at->tlb_pages),
		.line = curve_at(result, at->line),
		.ways = {curve_at(result, at->ways[0]),
			curve_at(result, at->ways[1])},
		.small_bytes = LATENCY_TLB_PAGE_BYTES,
	};
	struct machine *machine = NULL;
	const char *xml = result->hwloc_xml;
	int rc;

	if (own->latency.memory)
		curves.page_bytes =
			(double)own->latency.memory->chase.memory.page_bytes;
	for (int access = 0; access < ARCH_ACCESSES; access++)
		curves.rates[access] = curve_at(result, at->rates[access]);
	if (xml && machine_new_xml(&machine, xml, strlen(xml), NULL) < 0)
		machine = NULL;
	rc = hierarchy_infer(&curves, machine, result, err);
	machine_free(machine);
	return rc;
}

static int cache_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct cache_plan *own = plan->context;
	double *scratch = calloc(campaign->n_passes + 1, sizeof(*scratch));
	int rc = 0;

	if (!scratch)
		return error_no_memory(err, "the curves");
	if (own->latency.n_points)
		rc = cache_add_latency(own, campaign, result, scratch, err);
	if (rc == 0 && own->rates.n_points)
		rc = cache_add_rates(own, campaign, result, scratch, err);
	if (rc == 0)
		rc = cache_record_memory(own, campaign, result, err);
	free(scratch);
	cache_warn_of_points(own, campaign);
	if (rc == 0 && !own->options->no_infer)
		rc = cache_infer(own, result, err);
	return rc;
}

static void plan_parts(struct measure_plan *plan, struct cache_options *options)
{
	if (!options->latency && !options->bandwidth)
		options->latency = options->bandwidth = true;
	plan->campaign.probe = &probe_cache;
	plan->campaign.both_ways = true;
	plan->campaign.may_drop = true;
	plan->labels = (struct summary_labels){
		.unit = "ns",
		.quantity = !options->bandwidth ? "latencies"
			    : !options->latency ? "rates"
						: "latencies and rates",
		.factor = 1,
		.noun = "point",
		.curves = true,
	};
	plan->diagonal = true;
	plan->maps_memory = true;
	plan->select = cache_select;
	plan->prepare = cache_prepare;
	plan->finish = cache_finish;
	plan->print = cache_print;
	plan->print_first = true;
}

static void plan_shared(struct measure_plan *plan)
{
	struct cache_plan *own = plan->context;

	plan->campaign.probe = &probe_share;
	plan->campaign.params.context = &own->share;
	plan->campaign.equal_below = SHARE_LEAST;
	plan->labels = (struct summary_labels){
		.name = {"shared", NULL},
		.unit = "times",
		.quantity = "slowdown",
		.factor = 1,
		.noun = "pair",
	};
	plan->prepare = cache_prepare_shared;
	plan->finish = cache_finish_shared;
	plan->print = cache_print_shared;
}

static void cache_choose(struct measure_plan *plan)
{
	const struct cache_plan *own = plan->context;
	struct cache_options *options = own->options;

	if (options->quick && !option_given(&options->measure.given, "steps"))
		options->steps = QUICK_STEPS;
	if (options->shared)
		plan_shared(plan);
	else
		plan_parts(plan, options);
}

static void cache_release(void *context)
{
	struct cache_plan *own = context;

	if (own->share.chases)
		share_release(&own->share);
	cache_release_latency(own);
	cache_release_bandwidth(own);
}

static int cache_run(int argc, char **argv)
{
	struct cache_options options = {
		.sizes = {SIZE_MIN_DEFAULT, 0},
		.steps = STEPS_DEFAULT,
	};
	struct cache_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "cache",
		.doc = "Measure the caches of a CPU: latency and bandwidth "
		       "over the size of the working set.\vRates count read "
		       "and written bytes: a copy counts two bytes for each "
		       "byte of an array, a triad three. Lines that a cache "
		       "reads before a store (write-allocate) do not count.\n"
		       "Memory: four thirds of the largest working set for "
		       "latency, and as much for each number in --threads.",
		.often = "output cpus shared bandwidth latency sizes quick "
			 "budget runs help",
		.examples = "c2c cache\tlevels, latencies, rates\nc2c cache "
			    "--sizes 4K:1M --latency\tonly the inner "
			    "levels\nc2c cache --shared L3 -o l3.json\twhich "
			    "CPUs share an L3\n",
		.quick_budget_s = MEASURE_QUICK_BUDGET_S,
		.choose = cache_choose,
		.release = cache_release,
		.campaign = {.params = {.round_trips = 1,
				     .samples = SAMPLES,
				     .context = &own.context},
			.block_bytes = PROBE_SLOT_BYTES,
			.pages = MEMORY_PAGES_BASE},
		.why_empty =
			"other programs took a CPU in every visit; wait until "
			"they end, or choose other CPUs or smaller sizes",
		.options = cache_options_table(&options),
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_cache = {
	.name = "cache",
	.summary = "Caches of a CPU: sizes, latencies, rates, sharers",
	.run = cache_run,
};
