/* c2c memcpy: how fast one CPU copies what another CPU wrote. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure.h"
#include "cmd/slices.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe_memcpy.h"
#include "probe/undisturbed.h"
#include "util/array.h"

#define SIZE_MAX_PIB (UINT64_C(1) << 50)

/* The lowest rate that c2c waits for, and the least size of a trial copy. */
#define PATIENCE_BYTES_PER_S (20.0 * (1 << 20))
#define TRIAL_BYTES	     ((size_t)32 << 20)
#define TRIAL_TIMES_LLC	     2

/* Slices of this size fit into any memory. */
#define SLICE_FIT_BYTES (UINT64_C(1) << 20)

/* Least memory of a destination: a huge page of most machines. */
#define DEST_LEAST_BYTES ((size_t)2 << 20)

/* Six passes may take this multiple of the time that a trial copy predicts. */
#define SIX_PASSES	 6
#define SIX_PASSES_SLACK 2

struct memcpy_options {
	struct measure_options measure;
	uint64_t bytes; /* 0: chosen by c2c */
	uint64_t slice; /* 0: chosen, or no slices */
	int copy, dest; /* index of the word in the option, from 0 */
	enum memory_pages pages;
	const char *vector; /* registers for the copy */
};

#define AT(member) offsetof(struct memcpy_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"size", OPTION_BYTES, "BYTES", AT(bytes),
		.help = "Copy whole regions of this size, such as 256M or 4G "
			"(default: copy slices of a region that is at least "
			"four times the largest last-level cache)",
		.more = "The size is a multiple of 4 KiB; K, M, G and T are "
			"powers of 1,024.",
		.within = {MEMCPY_GRAIN, SIZE_MAX_PIB},
		.multiple = MEMCPY_GRAIN, .record = "size_bytes", .same = true},
	{"slice", OPTION_BYTES, "BYTES", AT(slice),
		.help = "Size of the slices: each copy takes a new one, which "
			"no cache holds (default 64M to 8M, less with more "
			"CPUs)",
		.more = "By default, the slices of a row total at most "
			"256 MiB, but no slice is smaller than 8 MiB. If "
			"regions do not fit into memory, slices are smaller, "
			"down to 1 MiB.",
		.within = {MEMCPY_GRAIN, SIZE_MAX_PIB},
		.multiple = MEMCPY_GRAIN, .record = "slice_bytes",
		.same = true},
	{"copy", OPTION_WORD, "libc|stream", AT(copy),
		.help = "Copy with the C library's memcpy (libc, the default "
			"with --size) or with non-temporal stores of the "
			"widest vectors (stream, the default without --size)",
		.record = "method", .same = true},
	{"dest", OPTION_WORD, "prefaulted|fresh", AT(dest),
		.help = "Copy to memory that is faulted in (prefaulted, the "
			"default), or to new memory each time, which includes "
			"page faults (fresh)",
		.more = "A program that copies into memory it has just "
			"allocated sees the fresh rate: the kernel finds and "
			"clears each page during the timed copy. With `fresh` "
			"the record says \"rate with page faults\".",
		.record = "dest", .same = true},
	MEASURE_PAGES_ROW(AT(pages), "the regions"),
	{NULL, OPTION_TEXT, NULL, AT(vector), .record = "vector", .same = true},
	{"all-pairs", OPTION_NOTE,
		.more = "c2c measures both directions, and each CPU with "
			"itself."},
	{"cpus", OPTION_NOTE,
		.more = "A single CPU is allowed: it copies its own data."},
	{"from", OPTION_NOTE,
		.more = "All CPUs, including A, copy A's data: one row."},
	{"pair", OPTION_NOTE,
		.more = "c2c measures both directions, and each CPU with "
			"itself: four values."},
	{"per", OPTION_NOTE,
		.more = "The time grows with the square of the number of CPUs: "
			"all pairs of 256 CPUs take a quarter of an hour in "
			"slices and many hours with 4 GiB. One CPU of each "
			"node is enough to compare the memory of the nodes."},
	{"resume", OPTION_NOTE,
		.more = "Also give --size if its default may have "
			"changed.\n\nA missing pair is a pair without any "
			"value. A run that was interrupted after its first "
			"pass has all pairs."},
	{"pages", OPTION_NOTE,
		.more = "With thp or hugetlb, a region that is not entirely "
			"in these pages ends the run."},
	{"budget", OPTION_NOTE,
		.more = "With slices, six passes may take 30 s or twice the "
			"estimated time, whichever is more."},
	{"jobs", OPTION_NOTE, .more = "c2c memcpy accepts only --jobs=1."},
	{"quiet", OPTION_NOTE,
		.more = "With --quiet c2c also omits the estimate of the "
			"time."},
};

static const struct option_rule rules[] = {
	{"jobs!1", .flaw = ": c2c measures copies one at a time, because they "
			   "share the memory"},
	{"slice", "size",
		.flaw = ": with --size, each copy takes all of the region"},
	{.given = NULL},
};

static uint64_t largest_llc(const struct machine_facts *facts)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		if (facts->caches[i].bytes > largest)
			largest = facts->caches[i].bytes;
	}
	return largest;
}

/* Seconds for each byte, to estimate the time of a run; NaN: unknown. */
struct copy_pace {
	double touch, copy;
};

/* Return the size of a trial copy: twice the LLC, but at most --size. */
static size_t trial_size(
	const struct memcpy_options *options, const struct machine_facts *facts)
{
	size_t bytes = TRIAL_TIMES_LLC * (size_t)largest_llc(facts);

	if (bytes < TRIAL_BYTES || !memory_fit(MEMORY_PAGES_BASE, bytes, 2))
		bytes = TRIAL_BYTES;
	return options->bytes && options->bytes < bytes ? options->bytes
							: bytes;
}

static struct copy_pace measure_copy_pace(size_t bytes)
{
	char *from = malloc(bytes), *to = malloc(bytes);
	struct copy_pace pace = {NAN, NAN};

	if (from && to) {
		uint64_t begin = timebase_raw_ns(), touched, copied;

		memset(from, 1, bytes);
		memset(to, 2, bytes);
		touched = timebase_raw_ns();
		memcpy(to, from, bytes);
		/* Keep the compiler from removing the copy as useless. */
		__asm__ volatile("" : : "r"(to) : "memory");
		copied = timebase_raw_ns();
		pace.touch =
			(double)(touched - begin) * 1e-9 / 2 / (double)bytes;
		pace.copy = (double)(copied - touched) * 1e-9 / (double)bytes;
	}
	free(from);
	free(to);
	return pace;
}

/* A pair copies and compares. Rows are written once, regions touched once. */
static struct slices_run memcpy_describe_run(
	const struct measure_selection *selection,
	const struct memcpy_context *context, struct copy_pace pace)
{
	return (struct slices_run){.copiers = selection->cpus.n,
		.rows = measure_count_rows(selection),
		.pairs = selection->n_pairs,
		/* Each node has a source and a destination. */
		.regions = 2 * context->n_nodes,
		.llc_bytes = largest_llc(machine_facts(context->machine)),
		.tries = context->tries,
		.write_s = pace.copy,
		.pair_s = 2 * pace.copy + (context->fresh ? pace.touch : 0),
		.touch_s = pace.touch};
}

/* Return the size of a default slice: at least a page, for mapping. */
static uint64_t default_slice(
	const struct memcpy_context *context, const struct slices_run *run)
{
	uint64_t bytes = slices_size(run->copiers);
	long long page = machine_facts(context->machine)->hugetlb_bytes;

	if (context->pages == MEMORY_PAGES_HUGETLB && page > (long long)bytes)
		bytes = (uint64_t)page;
	return bytes;
}

/* Return the slices that the options request, with defaults for the rest. */
static struct slices divide_into_slices(const struct memcpy_options *options,
	const struct memcpy_context *context, const struct slices_run *run)
{
	struct slices slices = {
		.slice_bytes = options->bytes, .region_bytes = options->bytes};
	uint64_t slice = options->slice;

	if (options->bytes)
		return slices;
	if (!slice)
		slice = default_slice(context, run);
	slices = slices_divide_region(run, slice);
	while (!options->slice && slice > SLICE_FIT_BYTES &&
		!memory_fit(context->pages, slices.region_bytes, run->regions))
		slices = slices_divide_region(run, slice /= 2);
	return slices;
}

static void estimate_copy_times(struct measure_plan *plan,
	const struct slices_run *run, const struct slices *slices)
{
	if (isnan(run->touch_s))
		return;
	plan->pair_s = (double)slices->slice_bytes * run->pair_s;
	plan->row_s = slices_row_s(run, slices);
	plan->first_s = slices_first_s(run, slices);
	plan->shorter_by = "a smaller --size, or --per node,";
	/* With --size, the run only waits for the first pass. */
	if (slices->n > 0)
		plan->six_passes_s =
			SIX_PASSES_SLACK *
			(plan->first_s +
				SIX_PASSES * slices_pass_s(run, slices));
}

/* The command's own part of a plan. */
struct memcpy_plan {
	struct memcpy_options *options;
	struct memcpy_context context;
};

/* Choose the sizes of regions and copies, and store them in the options. */
static int choose_slices(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct memcpy_plan *own = plan->context;
	struct memcpy_options *options = own->options;
	struct memcpy_context *context = &own->context;
	struct slices_run run = memcpy_describe_run(selection, context,
		measure_copy_pace(
			trial_size(options, machine_facts(context->machine))));
	struct slices slices = divide_into_slices(options, context, &run);

	options->bytes = slices.region_bytes;
	options->slice = slices.slice_bytes;
	context->bytes = (size_t)slices.region_bytes;
	context->slice_bytes = (size_t)slices.slice_bytes;
	context->n_slices = slices.n;
	/*
	 * Above a size, which depends on the machine, memcpy() copies
	 * differently, so c2c does not use memcpy() by default.
	 */
	if (slices.n > 0 && !option_given(&options->measure.given, "copy"))
		options->copy = 1;
	context->stream = options->copy;
	/* Each destination is a mapping, which takes at least a whole page. */
	context->n_dests =
		context->bytes / (context->slice_bytes > DEST_LEAST_BYTES
						 ? context->slice_bytes
						 : DEST_LEAST_BYTES);
	if (context->n_dests == 0)
		context->n_dests = 1;
	estimate_copy_times(plan, &run, &slices);
	return measure_check_memory(context->pages, context->bytes, run.regions,
		"regions",
		"a smaller --size, or fewer nodes with --cpus: each needs two "
		"regions",
		err);
}

static int memcpy_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct memcpy_plan *own = plan->context;
	struct memcpy_options *options = own->options;
	struct memcpy_context *context = &own->context;
	int rc;

	context->machine = selection->machine;
	context->fresh = options->dest;
	context->tries = PROBE_TRIES;
	context->pages = options->pages;
	context->vector = arch_vector_widest();
	rc = memcpy_context_init(context, &selection->cpus, err);
	if (rc == 0)
		rc = choose_slices(plan, selection, err);
	if (rc < 0)
		return rc;
	options->vector = context->stream ? context->vector->name : "libc";
	plan->campaign.patience_s =
		(double)context->bytes / PATIENCE_BYTES_PER_S;
	return 0;
}

static int memcpy_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct memcpy_plan *own = plan->context;
	const struct memcpy_context *context = &own->context;
	const struct machine_facts *facts = machine_facts(context->machine);
	double share = context->bytes_had ? (double)context->huge_bytes /
						    (double)context->bytes_had
					  : 0;
	char *pages = strdup(memory_pages_name(context->pages_had));

	if (!pages)
		return error_no_memory(err, "the result");
	/* Record the pages of the regions, not of the waiting word. */
	free(result->run.pages);
	result->run.pages = pages;
	result->run.memory_bound = context->bound && campaign->memory_bound;
	result->run.huge_share = share;
	measure_warn_memory(campaign, context->pages, context->pages_had, share,
		context->bound || !campaign->memory_bound);
	if (context->disturbed)
		campaign_warn(campaign,
			"%zu of %zu copies were disturbed by another program "
			"in every try: the value is the fastest of %d tries, "
			"and may be too low. Try a smaller --size or a quieter "
			"machine",
			context->disturbed, context->copies, context->tries);
	if (context->bytes < SLICES_TIMES_LLC * largest_llc(facts))
		campaign_warn(campaign,
			"the region is smaller than %d times the largest "
			"last-level cache (%.4g MiB): caches held part of the "
			"data",
			SLICES_TIMES_LLC,
			(double)largest_llc(facts) / (1 << 20));
	return 0;
}

static void memcpy_choose(struct measure_plan *plan)
{
	const struct memcpy_plan *own = plan->context;

	if (own->options->dest)
		plan->labels.quantity = "rate with page faults";
}

static void memcpy_release(void *context)
{
	struct memcpy_plan *own = context;

	memcpy_context_release(&own->context);
}

static int memcpy_run(int argc, char **argv)
{
	struct memcpy_options options = {.bytes = 0};
	struct memcpy_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "memcpy",
		.doc = "Measure how fast a CPU copies a large region that "
		       "another CPU allocated and wrote.\vMemory: two regions "
		       "on each NUMA node of the CPUs.",
		.often = "output copy size cores cpus from pair jobs budget "
			 "precision runs help",
		.examples = "c2c memcpy -o copy.json\tall pairs of CPUs\n"
			    "c2c memcpy --pair 0,1 --size 256M\tone pair, "
			    "whole regions\n",
		.campaign = {.probe = &probe_memcpy,
			.params = {.round_trips = 1,
				.samples = 1,
				.context = &own.context},
			.block_bytes = PROBE_SLOT_BYTES,
			.pages = MEMORY_PAGES_BASE,
			.both_ways = true,
			.order = SCHEDULE_BY_ROW},
		.labels = {.name = {"copy", NULL},
			.unit = "GiB/s",
			.quantity = "rate",
			.higher_is_better = true,
			.factor = 1,
			.noun = "pair"},
		.diagonal = true,
		.maps_memory = true,
		.choose = memcpy_choose,
		.prepare = memcpy_prepare,
		.finish = memcpy_finish,
		.release = memcpy_release,
		.options = {rows, N_OF(rows), &options, NULL, rules},
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_memcpy = {
	.name = "memcpy",
	.summary = "Rate at which a CPU copies what another CPU wrote",
	.run = memcpy_run,
};
