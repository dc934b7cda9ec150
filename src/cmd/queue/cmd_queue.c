/*
 * c2c queue: the rate that a queue of small chunks between two CPUs sustains.
 */
#include "cmd/queue/cmd_queue.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "arch/arch.h"
#include "commands.h"
#include "machine/machine.h"
#include "util/array.h"

/* Least number of chunks in a queue of a sweep. */
#define SWEEP_CHUNKS_MIN 16

/* The lowest rate that c2c waits for; flushing is slow. */
#define PATIENCE_BYTES_PER_S (10.0 * (1 << 20))

#define AT(member) offsetof(struct queue_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"chunk", OPTION_BYTES, "BYTES", AT(chunk_bytes),
		.help = "Bytes of data in a chunk, a multiple of the cache "
			"line, up to 64K (default 512)",
		.within = {1, QUEUE_CHUNK_MAX}, .record = "chunk_bytes",
		.same = true},
	{"chunks", OPTION_COUNT, "N", AT(chunks),
		.help = "Number of chunks in the queue; every trial writes and "
			"reads each chunk once (default 8192)",
		.within = {1, QUEUE_CHUNKS_MAX}, .record = "chunks",
		.same = true},
	/* If the user gives --cold and --warm, the later option counts. */
	{"cold", OPTION_CHOICE, NULL, AT(warm),
		.help = "Before each trial the writer stores to every line and "
			"flushes it from all caches (the default)",
		.choice = 0},
	{"warm", OPTION_CHOICE, NULL, AT(warm),
		.help = "Run an untimed trial first, so that the queue is in "
			"the caches",
		.choice = 1},
	MEASURE_HOME_ROW(AT(home),
		"NUMA node of the queue: the writer's node (the default), the "
		"reader's node, node N, or all nodes in turn"),
	MEASURE_PAGES_ROW(AT(pages), "the queue"),
	{"readers", OPTION_TEXT, "LIST|llc|node|all", AT(readers),
		.help = "One writer (--from, or the first CPU) and 1, 2, ... "
			"of these readers: a list as for --cpus, the CPUs of "
			"the writer's last-level cache or node, or all CPUs",
		.more = "A list keeps its order; `llc`, `node` and `all` take "
			"the CPUs under test in the order of the topology.",
		.record = "readers"},
	{"sweep", OPTION_SIZES, "MIN:MAX", AT(sweep),
		.help = "Chunks of MIN bytes, doubled up to MAX, for --pair or "
			"for a pair of each kind of distance: SMT siblings, "
			"same last-level cache, same package, other package",
		.more = "MAX must be at least four times MIN.",
		.within = {1, QUEUE_CHUNK_MAX}, .record = "sweep"},
	{"sweep-chunks", OPTION_COUNTS, "MIN:MAX", AT(sweep_chunks),
		.help = "Numbers of chunks from MIN, doubled up to MAX, for "
			"the pairs of --sweep; each chunk has --chunk bytes",
		.more = "MAX must be at least twice MIN. Not with --chunks.",
		.within = {1, QUEUE_CHUNKS_MAX}, .record = "sweep_chunks"},
	{"order-check", OPTION_FLAG, NULL, AT(order_check),
		.help = "Time nothing: compare every byte that a reader loads "
			"with the byte that the writer published, and exit "
			"with status 3 if one differs",
		.record = "order_check", .same = true},
	/* Values in the record, from the options above and the machine. */
	{NULL, OPTION_FLAG, NULL, AT(cold), .record = "cold", .same = true},
	{NULL, OPTION_WORD, "cold|warm", AT(warm), .record = "method"},
	{NULL, OPTION_COUNT, NULL, AT(warm_up), .record = "warm_up"},
	{NULL, OPTION_TEXT, NULL, AT(vector), .record = "vector", .same = true},
	{NULL, OPTION_COUNT, NULL, AT(line_bytes), .record = "line_bytes",
		.same = true},
	{NULL, OPTION_BYTES, NULL, AT(queue_bytes), .record = "queue_bytes",
		.within = {1, 0}},
	{"all-pairs", OPTION_NOTE,
		.more = "c2c measures each pair in both directions."},
	{"from", OPTION_NOTE, .more = "CPU A writes."},
	{"pair", OPTION_NOTE,
		.more = "c2c measures both directions, but with --sweep or "
			"--sweep-chunks only A writes."},
	{"resume", OPTION_NOTE,
		.more = "--resume excludes --readers, --sweep and "
			"--sweep-chunks."},
	{"home", OPTION_NOTE,
		.more = "With --readers, `second` is the node of the first "
			"reader."},
	{"jobs", OPTION_NOTE,
		.more = "Parallel queues share memory and caches, so expect "
			"more bias than for latencies. With --readers and "
			"--sweep, N must be 1."},
	{"keep-passes", OPTION_NOTE,
		.more = "--keep-passes excludes --readers, --sweep and "
			"--sweep-chunks, which make no matrix."},
};

static const struct option_rule rules[] = {
	{"readers", .with = "sweep sweep-chunks"},
	{"sweep chunks", .with = "sweep-chunks"},
	{"order-check", "resume",
		.flaw = " cannot resume a run: leave out --resume"},
	{"order-check", "readers sweep sweep-chunks",
		.flaw = " excludes --readers, --sweep and --sweep-chunks"},
	{"readers", "pair",
		.flaw = ": name the writer with --from, instead of a --pair"},
	{"sweep sweep-chunks", "from",
		.flaw = "--sweep and --sweep-chunks: name the two CPUs with "
			"--pair, not --from"},
	{"jobs!1", "readers sweep sweep-chunks",
		.flaw = ": with --readers, --sweep and --sweep-chunks c2c "
			"measures one queue at a time"},
	{.given = NULL},
};

static int check_chunk(const char *option, uint64_t bytes, unsigned line_bytes,
	struct error *err)
{
	if (bytes % line_bytes == 0)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"%s: %" PRIu64 " bytes are not a multiple of the cache line, "
		"%u bytes",
		option, bytes, line_bytes);
}

const struct option_range *queue_sweep(const struct queue_options *options)
{
	if (options->sweep.min)
		return &options->sweep;
	return options->sweep_chunks.min ? &options->sweep_chunks : NULL;
}

/* Add the queue of point x of the sweep. */
static void add_queue_shape(struct queue_plan *own, uint64_t x)
{
	const struct queue_options *options = own->options;
	char *text = own->shape_texts[own->n_shapes];
	struct queue_shape *shape = &own->shapes[own->n_shapes];
	unsigned line_bytes = own->context.line_bytes;
	/* All queues have the same size, so that caches hold all or none. */
	uint64_t all_bytes =
		options->chunks * (line_bytes + options->chunk_bytes);
	uint64_t chunks = all_bytes / (line_bytes + x);

	if (options->sweep.min) {
		shape->chunk_bytes = (uint32_t)x;
		shape->chunks = chunks < SWEEP_CHUNKS_MIN ? SWEEP_CHUNKS_MIN
							  : (uint32_t)chunks;
	} else {
		shape->chunk_bytes = (uint32_t)options->chunk_bytes;
		shape->chunks = (uint32_t)x;
	}
	snprintf(text, sizeof(own->shape_texts[0]), ", %" PRIu64 "%s chunks", x,
		options->sweep.min ? " B" : "");
	own->shape_names[own->n_shapes++] = text;
}

/* Make the queues of the run: one, or one for each point of the sweep. */
static int make_shapes(struct queue_plan *own, struct error *err)
{
	const struct queue_options *options = own->options;
	const struct option_range *sweep = queue_sweep(options);
	unsigned line_bytes = own->context.line_bytes;
	int rc = check_chunk("--chunk", options->chunk_bytes, line_bytes, err);

	if (!sweep) {
		own->shapes[0].chunk_bytes = (uint32_t)options->chunk_bytes;
		own->shapes[0].chunks = (uint32_t)options->chunks;
		own->n_shapes = 1;
		return rc;
	}
	if (rc == 0 && options->sweep.min)
		rc = check_chunk("--sweep", sweep->min, line_bytes, err);
	for (uint64_t x = sweep->min; rc == 0 && x <= sweep->max; x *= 2)
		add_queue_shape(own, x);
	if (rc == 0 && options->sweep.min && own->n_shapes < 3)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--sweep: MAX must be at least four times MIN: the "
			"fit needs three sizes");
	if (rc == 0 && own->n_shapes < 2)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--sweep-chunks: MAX must be at least twice MIN");
	return rc;
}

static int queue_check_memory(const struct measure_plan *plan,
	const struct measure_selection *selection,
	const struct measure_options *options, struct error *err)
{
	const struct queue_plan *own = plan->context;
	const struct campaign_options *campaign = &plan->campaign;
	size_t together = selection->pairs ? 1 : selection->cpus.n / 2;
	size_t nodes = machine_facts(selection->machine)->memory_nodes.n;
	/* Count the queue pools: one on each node, or one for --home=N. */
	size_t pools = nodes && plan->home->home != LINES_HOME_NODE ? nodes : 1;
	size_t pool_bytes;

	if (options->jobs && options->jobs < together)
		together = (size_t)options->jobs;
	pool_bytes = campaign->block_bytes * together;
	return measure_check_memory(campaign->pages, pool_bytes, pools,
		pools == 1 ? "set of queues" : "sets of queues",
		own->options->sweep_chunks.min
			? "a smaller MAX of --sweep-chunks or a smaller --chunk"
			: "fewer --chunks, a smaller --chunk, or fewer --jobs",
		err);
}

static int queue_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct queue_plan *own = plan->context;
	const struct machine_facts *facts = machine_facts(selection->machine);
	struct queue_options *options = own->options;
	int rc;

	own->context.vector = arch_vector_widest();
	/* Vectors need multiples of 64 bytes. */
	own->context.line_bytes =
		facts->line_bytes < 64 ? 64 : facts->line_bytes;
	own->context.cold = options->cold;
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

		if (bytes > plan->campaign.block_bytes)
			plan->campaign.block_bytes = bytes;
	}
	plan->campaign.patience_s =
		(double)plan->campaign.block_bytes / PATIENCE_BYTES_PER_S;
	options->vector = own->context.vector->name;
	options->line_bytes = own->context.line_bytes;
	/* --sweep has no single chunk size. */
	if (options->sweep.min) {
		options->queue_bytes =
			options->chunks *
			(options->line_bytes + options->chunk_bytes);
		options->chunk_bytes = 0;
	}
	if (queue_sweep(options))
		options->chunks = 0;
	return queue_check_memory(plan, selection, &own->options->measure, err);
}

struct curve *queue_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err)
{
	struct curve_facts named_facts = *facts;

	named_facts.family = "rate";
	named_facts.y_unit = "GiB/s";
	return summary_add_curve(result, &named_facts, n, cpus, n_cpus, err);
}

/* Fail if a pair read a wrong byte in any pass. */
static int queue_finish_check(struct measure_plan *plan,
	struct campaign *campaign, struct result *result, struct error *err)
{
	const struct cpu_list *cpus = &result->cpus;
	double worst = 0;
	struct schedule_pair pair = {.first = 0};

	(void)err;
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		for (size_t pass = 0; pass < campaign->n_passes; pass++) {
			double wrong = campaign_value(campaign, pass, p, 0);

			if (wrong > worst) {
				worst = wrong;
				pair = campaign->schedule.pairs[p];
			}
		}
	}
	result->run.most_wrong_bytes = worst;
	if (worst <= 0)
		return 0;
	plan->status = STATUS_DOES_NOT_HOLD;
	campaign_warn(campaign,
		"CPU %u read %.0f bytes in one pass that CPU %u had not "
		"published: memory ordering is broken, or memory is faulty",
		cpus->cpus[pair.second], worst, cpus->cpus[pair.first]);
	return 0;
}

static void print_check(const struct result *result)
{
	if (result->run.most_wrong_bytes <= 0)
		puts("every byte arrived as the writer published it");
}

static void queue_choose(struct measure_plan *plan)
{
	struct queue_plan *own = plan->context;
	struct queue_options *options = own->options;

	options->cold = !options->warm;
	options->warm_up = (uint64_t)options->warm;
	plan->campaign.pages = options->pages;
	/* A queue is warm after an untimed trial of the same pair. */
	plan->campaign.params.warm_up = (uint32_t)options->warm_up;
	if (options->readers) {
		plan->labels.name[0] = NULL;
		plan->labels.noun = "queue";
		plan->select = queue_select_readers;
		plan->finish = queue_finish_readers;
	} else if (queue_sweep(options)) {
		plan->labels.name[0] = NULL;
		plan->labels.noun = "queue";
		plan->labels.variants = own->shape_names;
		plan->select = queue_select_sweep;
		plan->finish = queue_finish_sweep;
		plan->print = options->sweep.min ? queue_print_sweep : NULL;
	} else if (options->order_check) {
		plan->campaign.probe = &probe_queue_check;
		/* One sample in lockstep, and one at full speed. */
		plan->campaign.params.samples = 2;
		plan->labels = (struct summary_labels){
			.name = {"mismatch", NULL},
			.unit = "bytes",
			.factor = 1,
			.noun = "pair",
		};
		plan->finish = queue_finish_check;
		plan->print = print_check;
	}
}

static int queue_run(int argc, char **argv)
{
	struct queue_options options = {
		.chunk_bytes = 512,
		.chunks = 8192,
	};
	struct queue_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "queue",
		.doc = "Measure the rate of a queue of small chunks between "
		       "every pair of CPUs, at the writer and at the "
		       "reader.\vEach NUMA node needs memory for --jobs "
		       "queues, 4.5 MiB each by default: --chunks times "
		       "--chunk plus one line. All queues of --sweep have this "
		       "size, but at least 16 chunks. The largest queue of "
		       "--sweep-chunks has MAX chunks.",
		.often = "output chunk cores cpus from pair jobs budget "
			 "precision runs help",
		.examples = "c2c queue --chunk 512 -o queue.json\tall pairs of "
			    "CPUs\n"
			    "c2c queue --pair 0,1\tone pair of CPUs\n",
		.campaign = {.probe = &probe_queue,
			.params = {.round_trips = 1,
				.samples = 1,
				.context = &own.context},
			.both_ways = true},
		.labels = {.name = {"writer", "reader"},
			.unit = "GiB/s",
			.quantity = "rate",
			.higher_is_better = true,
			.factor = 1,
			.noun = "pair"},
		.choose = queue_choose,
		.prepare = queue_prepare,
		.home = &options.home,
		.options = {rows, N_OF(rows), &options, NULL, rules},
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_queue = {
	.name = "queue",
	.summary = "Rate of a queue of small chunks between every pair of CPUs",
	.run = queue_run,
};
