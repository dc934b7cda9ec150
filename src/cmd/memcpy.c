/*
 * c2c memcpy: how fast does one CPU copy what another has written?
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/measure.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/memcpy.h"
#include "util/parse.h"

/* Unless the machine has less than four times that: the seed's size. */
#define SIZE_DEFAULT (UINT64_C(4) << 30)
#define SIZE_MAX_PIB (UINT64_C(1) << 50)

/* A region that caches hold in part says less of memory. */
#define TIMES_LLC 4

/* The slowest memory that is waited for, and a rate to guess from. */
#define PATIENCE_BYTES_PER_S (20.0 * (1 << 20))
#define TRIAL_BYTES	     ((size_t)32 << 20)
#define TRIAL_TIMES_LLC	     2

struct memcpy_options {
	struct measure_options measure;
	uint64_t bytes; /* 0: by the machine */
	bool stream, fresh;
	enum memory_pages pages;
};

enum {
	KEY_SIZE = 0x200,
	KEY_DEST,
	KEY_COPY,
	KEY_PAGES,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Method:", 2},
	{"size", KEY_SIZE, "BYTES", 0,
		"Size of the region, as 256M or 4G (default 4G; where memory "
		"is less than four times that, the largest power of two that "
		"it is four times of, and less where the regions do not fit "
		"into what is free, but at least four times the largest "
		"last-level cache)",
		2},
	{"copy", KEY_COPY, "libc|stream", 0,
		"Copy with the C library's memcpy (libc, the default) or with "
		"non-temporal stores of the widest vectors (stream)",
		2},
	{"dest", KEY_DEST, "prefaulted|fresh", 0,
		"Copy to memory that is faulted in (prefaulted, the default), "
		"or to fresh memory each time, whose page faults then count "
		"(fresh)",
		2},
	{"pages", KEY_PAGES, "auto|4k|thp|hugetlb", 0,
		"Pages of the regions: hugetlb if reserved, else transparent, "
		"else base pages (auto, the default), or those named",
		2},
	{0},
};

static void parse_choice(struct argp_state *state, const char *option,
	const char *text, const char *no, const char *yes, bool *value)
{
	if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
		argp_error(state, "%s: '%s' is none of %s, %s", option, text,
			no, yes);
	*value = strcmp(text, yes) == 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct memcpy_options *options = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->measure;
		return 0;
	case KEY_SIZE:
		if (parse_bytes(argument, MEMCPY_GRAIN, SIZE_MAX_PIB,
			    &options->bytes, &err) < 0)
			argp_error(state, "--size: %s", err.text);
		if (options->bytes % MEMCPY_GRAIN)
			argp_error(state,
				"--size: '%s' is no multiple of %zu bytes",
				argument, MEMCPY_GRAIN);
		return 0;
	case KEY_DEST:
		parse_choice(state, "--dest", argument, "prefaulted", "fresh",
			&options->fresh);
		return 0;
	case KEY_COPY:
		parse_choice(state, "--copy", argument, "libc", "stream",
			&options->stream);
		return 0;
	case KEY_PAGES:
		if (memory_pages_parse(argument, &options->pages, &err) < 0)
			argp_error(state, "--pages: %s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", argument);
		return 0;
	case ARGP_KEY_END:
		if (options->measure.jobs != 1)
			argp_error(state,
				"--jobs: copies are measured one at a time, "
				"since they share the memory that they "
				"measure");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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

/* A source and a destination on each node. */
static bool regions_fit(const struct memcpy_context *context, uint64_t bytes)
{
	return memory_fit(context->pages, bytes, 2 * context->n_nodes);
}

/* The size for who names none. */
static uint64_t default_size(
	const struct machine_facts *facts, const struct memcpy_context *context)
{
	uint64_t memory = facts->memory_bytes, available = memory_available();
	uint64_t least = TIMES_LLC * largest_llc(facts);
	uint64_t bytes = SIZE_DEFAULT;

	/* Nodes of virtual machines that grow tell less than there is. */
	if (memory < available)
		memory = available;
	while ((bytes > memory / 4 || !regions_fit(context, bytes)) &&
		bytes > MEMCPY_GRAIN)
		bytes /= 2;
	if (bytes < least)
		bytes = (least + MEMCPY_GRAIN - 1) / MEMCPY_GRAIN *
			MEMCPY_GRAIN;
	return bytes;
}

static double gib(double bytes)
{
	return bytes / (1 << 30);
}

static int check_memory(const struct memcpy_context *context, struct error *err)
{
	/* Which hugetlb pages are missing is said when they are mapped. */
	if (context->pages == MEMORY_PAGES_HUGETLB ||
		regions_fit(context, context->bytes))
		return 0;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"not enough memory: %zu regions of %.3g GiB are needed, two on "
		"each NUMA node, and of %.3g GiB that are free %.0f %% may be "
		"used; give a smaller --size, or fewer nodes with --cpus",
		2 * context->n_nodes, gib((double)context->bytes),
		gib((double)memory_available()), 100 * MEMORY_SHARE);
}

/* Seconds a byte, to guess how long all will take: NaN without memory. */
struct pace {
	double touch, copy;
};

/* Of a copy that no cache holds, unless caches hold the regions. */
static size_t trial_size(const struct memcpy_context *context)
{
	size_t bytes = TRIAL_TIMES_LLC *
		       (size_t)largest_llc(machine_facts(context->machine));

	if (bytes > context->bytes)
		bytes = context->bytes;
	return bytes > TRIAL_BYTES && memory_fit(MEMORY_PAGES_BASE, bytes, 2)
		       ? bytes
		       : TRIAL_BYTES;
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
}

static json_t *describe_options(const struct memcpy_options *options,
	const struct memcpy_context *context)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:s}", "method",
		context->stream ? "stream" : "libc", "size_bytes",
		(json_int_t)context->bytes, "dest",
		context->fresh ? "fresh" : "prefaulted", "pages",
		memory_pages_name(options->pages), "vector",
		context->stream ? context->vector->name : "libc");
}

/* The command's own part of a plan. */
struct memcpy_plan {
	const struct memcpy_options *options;
	struct memcpy_context context;
};

static int memcpy_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct memcpy_plan *own = plan->context;
	const struct memcpy_options *options = own->options;
	const struct machine_facts *facts = machine_facts(selection->machine);
	struct memcpy_context *context = &own->context;
	int rc;

	context->machine = selection->machine;
	context->stream = options->stream;
	context->fresh = options->fresh;
	context->pages = options->pages;
	context->vector = arch_vector_widest();
	rc = memcpy_context_init(context, &selection->cpus, err);
	context->bytes = (size_t)options->bytes;
	if (rc == 0 && !options->bytes)
		context->bytes = (size_t)default_size(facts, context);
	if (rc == 0)
		rc = check_memory(context, err);
	if (rc < 0)
		return rc;
	plan->options = describe_options(options, context);
	if (!plan->options)
		return error_no_memory(err, "the options");
	plan->patience_s = (double)context->bytes / PATIENCE_BYTES_PER_S;
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
	int failed = 0;

	/* The regions count here, not the word that two CPUs meet at. */
	failed |= json_object_set_new(result->run, "memory_bound",
		json_boolean(context->bound && campaign->memory_bound));
	failed |= json_object_set_new(result->run, "pages",
		json_string(memory_pages_name(context->pages_had)));
	failed |= json_object_set_new(
		result->run, "huge_share", json_real(share));
	if (failed)
		return error_no_memory(err, "the result");
	measure_warn_memory(campaign, context->pages, context->pages_had, share,
		context->bound || !campaign->memory_bound);
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
	static const struct argp_child children[] = {
		{&measure_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {option_table, parse_option, NULL,
		"Measure how fast one CPU copies a large region that another "
		"has allocated and written.\v"
		"Memory: two regions on each NUMA node of the CPUs.",
		children, NULL, NULL};
	struct memcpy_options options = {.bytes = 0};
	struct memcpy_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "memcpy",
		.probe = &probe_memcpy,
		.params = {.round_trips = 1,
			.samples = 1,
			.context = &own.context},
		.labels = {.name = {"copy", NULL},
			.unit = "GiB/s",
			.quantity = "rate",
			.higher_is_better = true,
			.factor = 1,
			.noun = "pair"},
		.home = LINES_HOME_FIRST,
		.block_bytes = PROBE_SLOT_BYTES,
		.pages = MEMORY_PAGES_BASE,
		.both_ways = true,
		.diagonal = true,
		.by_row = true,
		.prepare = memcpy_prepare,
		.finish = memcpy_finish,
		.context = &own,
	};
	int status;

	measure_options_init(&options.measure);
	status = cli_parse("memcpy", &argp, argc, argv, &options);
	if (status != STATUS_DONE)
		return status;
	if (options.fresh)
		plan.labels.quantity = "rate with page faults";
	status = measure_run(&options.measure, &plan);
	/* A lost thread may still write there. */
	if (!plan.lost)
		memcpy_context_release(&own.context);
	json_decref(plan.options);
	measure_options_release(&options.measure);
	return status;
}

extern const struct command cmd_memcpy;
const struct command cmd_memcpy = {
	.name = "memcpy",
	.summary = "Rate at which each CPU copies what another wrote",
	.run = memcpy_run,
};
