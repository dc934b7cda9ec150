/* c2c contend: the rate at which many CPUs use one cache line. */
#include "cmd/contend/cmd_contend.h"

#include <stddef.h>

#include "commands.h"
#include "util/array.h"

/* Longest time of a visit, whose CPUs wait for each other. */
#define PATIENCE_S 2.0

#define AT(member) offsetof(struct contend_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"operation", OPTION_LIST, "LIST", AT(operations),
		.help = "Operations, a curve for each: load, store, add "
			"(fetch-add), exchange, cas (load, then "
			"compare-and-swap until it succeeds), lock (a ticket "
			"lock around a counter); default all",
		.words = "load|store|add|exchange|cas|lock",
		.standard = "load,store,add,exchange,cas,lock",
		.record = "operation", .same = true},
	{"share", OPTION_LIST, "LIST", AT(sharings),
		.help = "What the CPUs share, a curve for each: one word "
			"(word); "
			"one line with a word for each CPU, so false sharing "
			"(line); nothing, for comparison (none); default all",
		.more = "`line` and `none` are for operations that store, "
			"except lock, and have no curves with the spin-wait "
			"hint.",
		.words = WORDS_BARS(CONTEND_SHARINGS),
		.standard = "word,line,none", .record = "share", .same = true},
	{"spin-hint", OPTION_WORD, WORDS_BARS(CONTEND_SPIN_HINTS),
		AT(spin_hint), .old = "relax",
		.help = "How cas and lock wait: without the CPU's spin-wait "
			"hint (none), with it (pause), or both (the default)",
		.record = "spin_hint", .same = true},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "A shorter run: one word only, and a budget of 1.5 "
			"seconds",
		.record = "quick", .same = true},
	{NULL, OPTION_COUNT, NULL, AT(line_bytes), .record = "line_bytes"},
	{"precision", OPTION_NOTE,
		.more = "A run is precise only if the rate of every CPU is "
			"precise at every point. Under contention some rates "
			"never become precise, so most runs use the whole "
			"budget."},
	{"verbose", OPTION_NOTE,
		.more = "With -v c2c prints all curves, not only the main "
			"ones."},
};

/* Any number of CPUs may contend for a line. */
static const struct option_rule rules[] = {
	{"pair from all-pairs",
		.flaw = ": c2c contend measures no pairs; name the CPUs with "
			"--cpus"},
	{"jobs!1", .flaw = ": c2c contend measures one line at a time"},
	{.given = NULL},
};

static void contend_choose(struct measure_plan *plan)
{
	const struct contend_plan *own = plan->context;
	struct contend_options *options = own->options;

	if (options->quick && !option_given(&options->measure.given, "share"))
		options->sharings =
			(struct option_list){"word", 1, {CONTEND_WORD}};
}

static int contend_run(int argc, char **argv)
{
	struct contend_options options = {.spin_hint = 0};
	struct contend_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "contend",
		.doc = "Measure throughput, fairness and latency of one cache "
		       "line that 1, 2, 3 and more CPUs use.\vAfter each "
		       "visit c2c checks the contents of the line; a wrong "
		       "value ends the run with status 1.",
		.often = "output cores cpus operation share quick budget runs "
			 "help",
		.examples = "c2c contend --cores -o contend.json\tall curves, "
			    "a CPU of every core\n"
			    "c2c contend --operation add --share word\tone "
			    "shared counter alone\n",
		.campaign = {.probe = &probe_contend,
			.params = {.round_trips = 1,
				.samples = 1,
				.context = &own.context},
			.may_drop = true,
			.patience_s = PATIENCE_S,
			.pages = MEMORY_PAGES_BASE},
		.labels = {.unit = "Mops/s",
			.quantity = "operations a second",
			.factor = 1,
			.noun = "point",
			.curves = true},
		.diagonal = true,
		.quick_budget_s = MEASURE_QUICK_BUDGET_S,
		.choose = contend_choose,
		.select = contend_select,
		.prepare = contend_prepare,
		.finish = contend_finish,
		.release = contend_plan_release,
		.why_empty =
			"other programs took a CPU in every visit; wait until "
			"they end, or choose other CPUs",
		.refused = MEASURE_OF_PAIRS,
		.options = {rows, N_OF(rows), &options, NULL, rules},
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_contend = {
	.name = "contend",
	.summary = "Throughput and fairness of many CPUs on one cache line",
	.run = contend_run,
};
