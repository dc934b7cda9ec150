/*
 * c2c memcpy: how fast does one CPU copy what another has written?
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/memcpy.h"
#include "probe/undisturbed.h"

/* The default, unless the machine has less than four times as much memory. */
#define SIZE_DEFAULT (UINT64_C(4) << 30)
#define SIZE_MAX_PIB (UINT64_C(1) << 50)

/* Caches hold part of a smaller region, which then says less about memory. */
#define TIMES_LLC 4

/* The slowest memory to wait for, and the size of a trial copy. */
#define PATIENCE_BYTES_PER_S (20.0 * (1 << 20))
#define TRIAL_BYTES	     ((size_t)32 << 20)
#define TRIAL_TIMES_LLC	     2

struct memcpy_options {
	struct measure_options measure;
	uint64_t bytes; /* 0: by the machine */
	int copy, dest; /* as the rows have them, from 0 */
	enum memory_pages pages;
	const char *vector; /* that is copied with */
};

#define AT(member) offsetof(struct memcpy_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"size", OPTION_BYTES, "BYTES", AT(bytes),
		.help = "Size of the region, as 256M or 4G (default 4G, or "
			"the largest power of two up to a quarter of the "
			"memory; less if the regions do not fit into free "
			"memory, but at least four times the largest "
			"last-level cache)",
		.within = {MEMCPY_GRAIN, SIZE_MAX_PIB},
		.multiple = MEMCPY_GRAIN, .record = "size_bytes", .same = true},
	{"copy", OPTION_WORD, "libc|stream", AT(copy),
		.help = "Copy with the C library's memcpy (libc, the default) "
			"or with non-temporal stores of the widest vectors "
			"(stream)",
		.record = "method", .same = true},
	{"dest", OPTION_WORD, "prefaulted|fresh", AT(dest),
		.help = "Copy to memory that is faulted in (prefaulted, the "
			"default), or to fresh memory each time, so that page "
			"faults count (fresh)",
		.record = "dest", .same = true},
	MEASURE_PAGES_ROW(AT(pages), "the regions"),
	{NULL, OPTION_TEXT, NULL, AT(vector), .record = "vector", .same = true},
};

static int check_together(void *into, struct error *err)
{
	const struct memcpy_options *options = into;

	if (options->measure.jobs != 1)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--jobs: c2c measures copies one at a time, because "
			"they share the memory");
	return 0;
}

static uint64_t largest_llc(const struct machine_facts *facts)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		if (facts->caches[i].bytes > largest)
			largest = facts->caches[i].bytes;
	}
	return largest;
}

/* The size for who names none. */
static uint64_t default_size(
	const struct machine_facts *facts, const struct memcpy_context *context)
{
	uint64_t memory = facts->memory_bytes, available = memory_available();
	uint64_t least = TIMES_LLC * largest_llc(facts);
	uint64_t bytes = SIZE_DEFAULT;
	/* A source and a destination on each node. */
	size_t n = 2 * context->n_nodes;

	/* On virtual machines that grow, nodes report too little memory. */
	if (memory < available)
		memory = available;
	while ((bytes > memory / 4 || !memory_fit(context->pages, bytes, n)) &&
		bytes > MEMCPY_GRAIN)
		bytes /= 2;
	if (bytes < least)
		bytes = (least + MEMCPY_GRAIN - 1) / MEMCPY_GRAIN *
			MEMCPY_GRAIN;
	return bytes;
}

/* Seconds a byte, to guess how long all will take: NaN without memory. */
struct pace {
	double touch, copy;
};

/* Larger than the caches, but never more than what will be copied. */
static size_t trial_size(const struct memcpy_context *context)
{
	size_t bytes = TRIAL_TIMES_LLC *
		       (size_t)largest_llc(machine_facts(context->machine));

	if (bytes < TRIAL_BYTES || !memory_fit(MEMORY_PAGES_BASE, bytes, 2))
		bytes = TRIAL_BYTES;
	return bytes < context->bytes ? bytes : context->bytes;
}

static struct pace try_pace(size_t bytes)
{
	char *from = malloc(bytes), *to = malloc(bytes);
	struct pace pace = {NAN, NAN};

	if (from && to) {
		uint64_t begin = timebase_raw_ns(), touched, copied;

		memset(from, 1, bytes);
		memset(to, 2, bytes);
		touched = timebase_raw_ns();
		memcpy(to, from, bytes);
		/* The copy must not be left out as useless. */
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

/* A pair copies and compares, a row is written once, each region touched. */
static void estimate(
	struct measure_plan *plan, const struct memcpy_context *context)
{
	struct pace pace = try_pace(trial_size(context));
	double bytes = (double)context->bytes;

	if (isnan(pace.copy))
		return;
	plan->pair_s =
		bytes * (2 * pace.copy + (context->fresh ? pace.touch : 0));
	plan->row_s = bytes * pace.copy;
	plan->first_s = bytes * pace.touch * 2 * (double)context->n_nodes;
	plan->less = "a smaller --size, or --per node,";
}

/* The command's own part of a plan. */
struct memcpy_plan {
	struct memcpy_options *options;
	struct memcpy_context context;
};

static int memcpy_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct memcpy_plan *own = plan->context;
	struct memcpy_options *options = own->options;
	const struct machine_facts *facts = machine_facts(selection->machine);
	struct memcpy_context *context = &own->context;
	int rc;

	context->machine = selection->machine;
	context->stream = options->copy;
	context->fresh = options->dest;
	context->tries = PROBE_TRIES;
	context->pages = options->pages;
	context->vector = arch_vector_widest();
	rc = memcpy_context_init(context, &selection->cpus, err);
	context->bytes = (size_t)options->bytes;
	if (rc == 0 && !options->bytes)
		context->bytes = (size_t)default_size(facts, context);
	if (rc == 0)
		rc = measure_check_memory(context->pages, context->bytes,
			2 * context->n_nodes, "regions",
			"a smaller --size, or fewer nodes with --cpus: each "
			"needs two regions",
			err);
	if (rc < 0)
		return rc;
	options->bytes = context->bytes;
	options->vector = context->stream ? context->vector->name : "libc";
	plan->campaign.patience_s =
		(double)context->bytes / PATIENCE_BYTES_PER_S;
	estimate(plan, context);
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
	/* The regions count here, not the word that two CPUs meet at. */
	free(result->run.pages);
	result->run.pages = pages;
	result->run.memory_bound = context->bound && campaign->memory_bound;
	result->run.huge_share = share;
	measure_warn_memory(campaign, context->pages, context->pages_had, share,
		context->bound || !campaign->memory_bound);
	if (context->disturbed)
		campaign_warn(campaign,
			"%zu of %zu copies lost their CPU to another program "
			"each time they were tried: the fastest of %d tries "
			"counts, and may be too slow. Try a smaller --size or "
			"a quieter machine",
			context->disturbed, context->copies, context->tries);
	if (context->bytes < TIMES_LLC * largest_llc(facts))
		campaign_warn(campaign,
			"the region is smaller than %d times the largest "
			"last-level cache (%.4g MiB): caches held part of what "
			"was copied",
			TIMES_LLC, (double)largest_llc(facts) / (1 << 20));
	return 0;
}

static int memcpy_run(int argc, char **argv)
{
	struct memcpy_options options = {.bytes = 0};
	struct memcpy_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "memcpy",
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
		.prepare = memcpy_prepare,
		.finish = memcpy_finish,
		.options = {rows, sizeof(rows) / sizeof(*rows), &options,
			check_together},
		.context = &own,
	};
	int status = measure_parse(&plan,
		"Measure how fast one CPU copies a large region that another "
		"has allocated and written.\v"
		"Memory: two regions on each NUMA node of the CPUs.",
		&options.measure, argc, argv);

	if (status != STATUS_DONE)
		return status;
	if (options.dest)
		plan.labels.quantity = "rate with page faults";
	status = measure_run(&options.measure, &plan);
	/* A lost thread may still write there. */
	if (!plan.lost)
		memcpy_context_release(&own.context);
	measure_options_release(&options.measure);
	return status;
}

const struct command cmd_memcpy = {
	.name = "memcpy",
	.summary = "Rate at which each CPU copies what another wrote",
	.run = memcpy_run,
};
