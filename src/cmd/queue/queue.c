/*
 * c2c queue: what rate does a queue of small chunks between CPUs sustain?
 */
#include "cmd/queue/queue.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cmd/cli.h"
#include "commands.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "util/parse.h"

#define CHUNK_BYTES 512
#define CHUNKS	    8192
#define CHUNKS_MAX  (UINT64_C(1) << 24)

/* Fewer chunks than this are no queue, however large they are. */
#define SWEEP_CHUNKS_MIN 16

/* The slowest machine that is waited for; flushing is the most of it. */
#define PATIENCE_BYTES_PER_S (10.0 * (1 << 20))

enum {
	KEY_CHUNK = 0x200,
	KEY_CHUNKS,
	KEY_COLD,
	KEY_WARM,
	KEY_HOME,
	KEY_PAGES,
	KEY_READERS,
	KEY_SWEEP,
	KEY_ORDER_CHECK,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Method:", 2},
	{"chunk", KEY_CHUNK, "BYTES", 0,
		"Data in a chunk, a multiple of the cache line, up to 64K "
		"(default 512)",
		2},
	{"chunks", KEY_CHUNKS, "N", 0,
		"Chunks in the queue, each written and read once a trial "
		"(default 8192)",
		2},
	{"cold", KEY_COLD, NULL, 0,
		"Before each trial the writer stores to every line and "
		"flushes it from all caches (the default)",
		2},
	{"warm", KEY_WARM, NULL, 0,
		"Leave the queue where an untimed trial of the same CPUs did",
		2},
	{"home", KEY_HOME, "first|second|node:N|interleave", 0,
		"NUMA node that the queue lies on: that of the writer "
		"(default), of the reader, node N, or all in turn",
		2},
	{"pages", KEY_PAGES, "auto|4k|thp|hugetlb", 0,
		"Pages of the queue: hugetlb if reserved, else transparent, "
		"else base pages (auto, the default), or those named",
		2},
	{"readers", KEY_READERS, "LIST|llc|node|all", 0,
		"1, 2, ... of these readers of what one CPU writes (--from, or "
		"the first): CPUs as for --cpus, or those in the writer's "
		"last-level cache or node, or all",
		2},
	{"sweep", KEY_SWEEP, "MIN:MAX", 0,
		"Chunks from MIN bytes, doubling, to MAX, for --pair or for a "
		"pair of each kind of distance: SMT siblings, same last-level "
		"cache, same package, other package",
		2},
	{"order-check", KEY_ORDER_CHECK, NULL, 0,
		"Time nothing: compare every byte that a reader sees with "
		"what was published, and exit with status 3 when one differs",
		2},
	{0},
};

static void parse_home(
	struct argp_state *state, const char *text, struct queue_options *out)
{
	struct error err;

	out->home_text = text;
	if (lines_home_parse(text, &out->home, &out->home_node, &err) < 0)
		argp_error(state, "--home: %s", err.text);
}

static int parse_sweep(
	const char *text, struct queue_options *options, struct error *err)
{
	const char *colon = strchr(text, ':');
	char *first = colon ? strndup(text, (size_t)(colon - text)) : NULL;
	int rc;

	if (!colon)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is no MIN:MAX, as 64:64K", text);
	if (!first)
		return error_no_memory(err, "--sweep");
	rc = parse_bytes(first, 1, QUEUE_CHUNK_MAX, &options->sweep_min, err);
	free(first);
	if (rc == 0)
		rc = parse_bytes(colon + 1, 1, QUEUE_CHUNK_MAX,
			&options->sweep_max, err);
	if (rc == 0 && options->sweep_max < options->sweep_min)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has a MAX below its MIN", text);
	return rc;
}

static void check_together(
	struct argp_state *state, const struct queue_options *options)
{
	const struct measure_options *measure = &options->measure;

	if (options->readers && options->sweep_min)
		argp_error(state, "--readers and --sweep exclude each other");
	if (options->order_check && measure->resume)
		argp_error(
			state, "--order-check begins anew: leave --resume out");
	if (options->order_check && (options->readers || options->sweep_min))
		argp_error(state,
			"--order-check goes without --readers and --sweep");
	if (options->readers && measure->pairs == MEASURE_PAIR)
		argp_error(state,
			"--readers: name the writer with --from, not a --pair");
	if (options->sweep_min && measure->pairs == MEASURE_FROM)
		argp_error(state,
			"--sweep: name the two CPUs with --pair, not --from");
	if ((options->readers || options->sweep_min) && measure->jobs != 1)
		argp_error(state,
			"--jobs: --readers and --sweep are measured one queue "
			"at a time");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct queue_options *options = state->input;
	struct error err;
	const char *name = NULL;
	int rc = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->measure;
		return 0;
	case KEY_CHUNK:
		name = "--chunk";
		rc = parse_bytes(argument, 1, QUEUE_CHUNK_MAX,
			&options->chunk_bytes, &err);
		break;
	case KEY_CHUNKS:
		name = "--chunks";
		rc = parse_u64(argument, 1, CHUNKS_MAX, &options->chunks, &err);
		break;
	case KEY_COLD:
		options->warm = false;
		return 0;
	case KEY_WARM:
		options->warm = true;
		return 0;
	case KEY_HOME:
		parse_home(state, argument, options);
		return 0;
	case KEY_PAGES:
		name = "--pages";
		rc = memory_pages_parse(argument, &options->pages, &err);
		break;
	case KEY_READERS:
		options->readers = argument;
		return 0;
	case KEY_SWEEP:
		name = "--sweep";
		rc = parse_sweep(argument, options, &err);
		break;
	case KEY_ORDER_CHECK:
		options->order_check = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument '%s'", argument);
		return 0;
	case ARGP_KEY_END:
		check_together(state, options);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc < 0)
		argp_error(state, "%s: %s", name, err.text);
	return 0;
}

/* A line of this machine; vectors work on 64 bytes and multiples of them. */
static unsigned line_bytes_of(const struct machine_facts *facts)
{
	return facts->line_bytes < 64 ? 64 : facts->line_bytes;
}

static int check_chunk(const char *option, uint64_t bytes, unsigned line_bytes,
	struct error *err)
{
	if (bytes % line_bytes == 0)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"%s: %" PRIu64 " bytes are no multiple of a cache line of %u",
		option, bytes, line_bytes);
}

/* The queues of the run: one, or one for each size of the sweep. */
static int make_shapes(struct queue_plan *own, struct error *err)
{
	const struct queue_options *options = own->options;
	unsigned line_bytes = own->context.line_bytes;
	uint64_t bytes = options->sweep_min;
	/* Of one length, so that no cache holds some of them only. */
	uint64_t all_bytes =
		options->chunks * (line_bytes + options->chunk_bytes);
	int rc = check_chunk("--chunk", options->chunk_bytes, line_bytes, err);

	if (!options->sweep_min) {
		own->shapes[0].chunk_bytes = (uint32_t)options->chunk_bytes;
		own->shapes[0].chunks = (uint32_t)options->chunks;
		own->n_shapes = 1;
		return rc;
	}
	if (rc == 0)
		rc = check_chunk(
			"--sweep", options->sweep_min, line_bytes, err);
	for (; rc == 0 && bytes <= options->sweep_max; bytes *= 2) {
		char *text = own->shape_texts[own->n_shapes];
		struct queue_shape *shape = &own->shapes[own->n_shapes];

		snprintf(text, sizeof(own->shape_texts[0]),
			", %" PRIu64 " B chunks", bytes);
		own->shape_names[own->n_shapes++] = text;
		uint64_t chunks = all_bytes / (line_bytes + bytes);

		shape->chunk_bytes = (uint32_t)bytes;
		shape->chunks = chunks < SWEEP_CHUNKS_MIN ? SWEEP_CHUNKS_MIN
							  : (uint32_t)chunks;
	}
	if (rc == 0 && own->n_shapes < 3)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--sweep: MAX must be four times MIN or more: a line "
			"is fitted to three sizes and more");
	return rc;
}

/* How many nodes have a pool of queues. */
static int count_pools(const struct measure_plan *plan,
	const struct machine *machine, size_t *n, struct error *err)
{
	struct cpu_list nodes = {NULL, 0};
	int rc = machine_nodes(machine, &nodes, err);

	*n = nodes.n && plan->home != LINES_HOME_NODE ? nodes.n : 1;
	cpu_list_release(&nodes);
	return rc;
}

static int check_memory(const struct measure_plan *plan,
	const struct measure_selection *selection,
	const struct measure_options *options, struct error *err)
{
	size_t together = selection->pairs ? 1 : selection->cpus.n / 2;
	size_t pools, pool_bytes;
	int rc = count_pools(plan, selection->machine, &pools, err);

	if (options->jobs && options->jobs < together)
		together = (size_t)options->jobs;
	pool_bytes = plan->block_bytes * together;
	/* Which hugetlb pages are missing is said when they are mapped. */
	if (rc < 0 || plan->pages == MEMORY_PAGES_HUGETLB ||
		memory_fit(plan->pages, pool_bytes, pools))
		return rc;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"not enough memory: queues of %.0f MiB are needed, and of "
		"%.0f MiB that are free %.0f %% may be used; give fewer "
		"--chunks, a smaller --chunk, or fewer --jobs",
		(double)pool_bytes * (double)pools / (1 << 20),
		(double)memory_available() / (1 << 20), 100 * MEMORY_SHARE);
}

static json_t *describe_options(const struct queue_plan *own)
{
	const struct queue_options *options = own->options;
	json_t *object = json_pack("{s:s, s:b, s:I, s:s, s:s, s:s, s:I}",
		"method", own->context.cold ? "cold" : "warm", "cold",
		own->context.cold, "warm_up", (json_int_t)options->warm, "home",
		options->home_text, "pages", memory_pages_name(options->pages),
		"vector", own->context.vector->name, "line_bytes",
		(json_int_t)own->context.line_bytes);
	uint64_t queue_bytes = options->chunks *
			       (own->context.line_bytes + options->chunk_bytes);
	json_t *rest;

	if (options->sweep_min)
		rest = json_pack("{s:[I, I], s:I}", "sweep",
			(json_int_t)options->sweep_min,
			(json_int_t)options->sweep_max, "queue_bytes",
			(json_int_t)queue_bytes);
	else
		rest = json_pack("{s:I, s:I, s:s?, s:b}", "chunk_bytes",
			(json_int_t)options->chunk_bytes, "chunks",
			(json_int_t)options->chunks, "readers",
			options->readers, "order_check", options->order_check);
	if (object && rest)
		json_object_update(object, rest);
	json_decref(rest);
	return object;
}

static int queue_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct queue_plan *own = plan->context;
	const struct machine_facts *facts = machine_facts(selection->machine);
	int rc;

	own->context.vector = arch_vector_widest();
	own->context.line_bytes = line_bytes_of(facts);
	own->context.cold = !own->options->warm;
	own->context.shapes = own->shapes;
	if (own->context.cold && !arch_flush_works())
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"programs cannot flush caches on this CPU; use --warm");
	rc = make_shapes(own, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < own->n_shapes; i++) {
		size_t bytes = queue_block_bytes(
			own->context.line_bytes, &own->shapes[i]);

		if (bytes > plan->block_bytes)
			plan->block_bytes = bytes;
	}
	plan->patience_s = (double)plan->block_bytes / PATIENCE_BYTES_PER_S;
	plan->options = describe_options(own);
	if (!plan->options)
		return error_no_memory(err, "the options");
	return check_memory(plan, selection, &own->options->measure, err);
}

struct curve *queue_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err)
{
	struct curve_facts is = *facts;
	struct curve *curve;

	is.family = "rate";
	is.y_unit = "GiB/s";
	curve = result_add_curve(result, &is, n);
	if (!curve) {
		error_no_memory(err, "a curve");
		return NULL;
	}
	for (size_t i = 0; i < n_cpus; i++) {
		if (cpu_list_add(&curve->cpus, cpus[i], err) < 0)
			return NULL;
	}
	return curve;
}

void queue_put_point(struct curve *curve, size_t i, double x,
	const double out[SUMMARY_STATISTICS])
{
	const double y[3] = {
		out[SUMMARY_MEDIAN], out[SUMMARY_CI_LOW], out[SUMMARY_CI_HIGH]};

	curve_set(curve, i, x, y);
}

/* Whether a wrong byte was seen between any two CPUs, at any time. */
static int finish_check(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct cpu_list *cpus = &result->cpus;
	double worst = 0;
	struct pair pair = {.first = 0};

	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		for (size_t pass = 0; pass < campaign->n_passes; pass++) {
			double wrong =
				campaign->values
					[pass * campaign->schedule.n_pairs + p];

			if (wrong > worst) {
				worst = wrong;
				pair = campaign->schedule.pairs[p];
			}
		}
	}
	if (json_object_set_new(
		    result->run, "most_wrong_bytes", json_real(worst)))
		return error_no_memory(err, "the result");
	if (worst <= 0)
		return 0;
	plan->status = STATUS_DOES_NOT_HOLD;
	campaign_warn(campaign,
		"CPU %u saw %.0f bytes in one pass that CPU %u had not "
		"published: the order of memory does not hold, or memory is "
		"faulty",
		cpus->cpus[pair.second], worst, cpus->cpus[pair.first]);
	return 0;
}

static void print_check(const struct result *result)
{
	if (json_number_value(
		    json_object_get(result->run, "most_wrong_bytes")) <= 0)
		puts("every byte that was read was as published");
}

static void choose_mode(
	struct measure_plan *plan, const struct queue_options *options)
{
	struct queue_plan *own = plan->context;

	if (options->readers) {
		plan->labels.name[0] = NULL;
		plan->labels.noun = "queue";
		plan->select = queue_select_readers;
		plan->finish = queue_finish_readers;
	} else if (options->sweep_min) {
		plan->labels.name[0] = NULL;
		plan->labels.noun = "queue";
		plan->labels.variants = own->shape_names;
		plan->select = queue_select_sweep;
		plan->finish = queue_finish_sweep;
		plan->print = queue_print_sweep;
	} else if (options->order_check) {
		plan->probe = &probe_queue_check;
		/* One in step, one as fast as both can. */
		plan->params.samples = 2;
		plan->labels = (struct summary_labels){
			.name = {"mismatch", NULL},
			.unit = "bytes",
			.factor = 1,
			.noun = "pair",
		};
		plan->finish = finish_check;
		plan->print = print_check;
	}
}

static int queue_run(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&measure_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {option_table, parse_option, NULL,
		"Measure the rate of a queue of small chunks between every two "
		"CPUs, as its writer and its reader see it.\v"
		"Memory: on each NUMA node a queue of --chunks times --chunk "
		"and a line, 4.5 MiB by default, for each of --jobs. The "
		"queues of a sweep all have that length, but 16 chunks at "
		"least.",
		children, NULL, NULL};
	struct queue_options options = {
		.chunk_bytes = CHUNK_BYTES,
		.chunks = CHUNKS,
		.home = LINES_HOME_FIRST,
		.home_text = "first",
	};
	struct queue_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "queue",
		.probe = &probe_queue,
		.params = {.round_trips = 1,
			.samples = 1,
			.context = &own.context},
		.labels = {.name = {"writer", "reader"},
			.unit = "GiB/s",
			.quantity = "rate",
			.higher_is_better = true,
			.factor = 1,
			.noun = "pair"},
		.both_ways = true,
		.prepare = queue_prepare,
		.context = &own,
	};
	int status;

	measure_options_init(&options.measure);
	status = cli_parse("queue", &argp, argc, argv, &options);
	if (status != STATUS_DONE)
		return status;
	choose_mode(&plan, &options);
	plan.home = options.home;
	plan.home_node = (int)options.home_node;
	plan.pages = options.pages;
	/* A queue is warm when it was used by the same pair. */
	plan.params.warm_up = options.warm;
	status = measure_run(&options.measure, &plan);
	json_decref(plan.options);
	measure_options_release(&options.measure);
	return status;
}

extern const struct command cmd_queue;
const struct command cmd_queue = {
	.name = "queue",
	.summary = "Rate of a queue of small chunks between every two CPUs",
	.run = queue_run,
};
