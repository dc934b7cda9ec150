/* c2c states: the cost of accessing a cache line that another CPU holds. */
#include "cmd/states/cmd_states.h"

#include <stddef.h>
#include <stdio.h>

#include "cmd/cli.h"
#include "commands.h"
#include "util/array.h"

#define AT(member) offsetof(struct states_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"operation", OPTION_LIST, "LIST", AT(operations),
		.help = "Operations of the reader on each line: load, add "
			"(atomic fetch-add), store (and wait until it is "
			"done), flush (and wait); default all",
		.more = "Without store and flush, some checks do not apply.",
		.words = "load|add|store|flush",
		.standard = "load,add,store,flush", .record = "operation",
		.same = true},
	MEASURE_HOME_ROW(AT(home),
		"NUMA node of the lines: that of the reader (first, the "
		"default), of the CPU that holds them (second), a node "
		"(node:N), or each node in turn (interleave)"),
	MEASURE_PAGES_ROW(AT(pages), "the lines"),
	{NULL, OPTION_COUNT, NULL, AT(lines), .record = "lines"},
	{"pair", OPTION_NOTE,
		.more = "A reads the lines that B holds. A third CPU shares "
			"lines with B; c2c times three CPUs and chooses one of "
			"them."},
	{"passes", OPTION_NOTE,
		.more = "The default of c2c states is 30 passes. The second "
			"half of the passes is the second block."},
};

static const struct option_rule rules[] = {
	{"from all-pairs resume keep-passes",
		.flaw = ": c2c states measures levels, not all pairs"},
	{"jobs!1", .flaw = ": c2c states measures one pair at a time"},
	{.given = NULL},
};

static void states_choose(struct measure_plan *plan)
{
	struct states_plan *own = plan->context;
	struct measure_options *options = &own->options->measure;

	if (!option_given(&options->given, "passes") &&
		!option_given(&options->given, "budget"))
		options->passes =
			(struct option_range){STATES_ROUNDS, STATES_ROUNDS};
}

static int print_states(struct arena *arena, void *context, struct error *err)
{
	struct prose prose = {
		.out = stdout, .arena = arena, .columns = STATES_COLUMNS};

	(void)err;
	states_print_prose(&prose, context);
	return 0;
}

static void states_print(const struct result *result)
{
	struct arena arena = {.last = NULL};
	struct error err;

	if (arena_run(&arena, print_states, (void *)result, "the report",
		    &err) < 0)
		cli_fail("states", &err);
	arena_release(&arena);
}

static int states_run(int argc, char **argv)
{
	struct states_options options = {.lines = 0};
	struct states_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "states",
		.doc = "Measure the cost of a cache line that another CPU "
		       "holds modified, exclusive or shared.\vc2c first times "
		       "all pairs of these CPUs, and takes a pair of each "
		       "level. A third CPU makes lines shared. c2c prints "
		       "states separately only if their costs differ, and "
		       "checks that the lines were in these states. If a check "
		       "fails, c2c prints no costs and exits with 4.",
		.often = "output cpus pair operation pages passes runs help",
		.examples = "c2c states -o states.json\ta pair of each level\n"
			    "c2c states --pair 0,1 --operation load\tlines of "
			    "CPU 1, read by CPU 0\n",
		.campaign = {.probe = &probe_states,
			.params = {.round_trips = 1,
				.samples = 1,
				.context = &own.context},
			.may_drop = true},
		.labels = {.unit = "ns",
			.quantity = "time of a line",
			.factor = 1,
			.noun = "point",
			.curves = true},
		.home = &options.home,
		.diagonal = true,
		.choose = states_choose,
		.select = states_select,
		.prepare = states_prepare,
		.finish = states_finish,
		.release = states_plan_release,
		.print = states_print,
		.print_all = true,
		.why_empty =
			"other programs took a CPU in every visit, or the host "
			"moved the vCPUs; try again on a quieter machine",
		.refused = "all-pairs from resume jobs keep-passes",
		.options = {rows, N_OF(rows), &options, NULL, rules},
		.context = &own,
	};

	return measure_command(&plan, &options.measure, argc, argv);
}

const struct command cmd_states = {
	.name = "states",
	.summary = "Cost of a line that another CPU holds",
	.run = states_run,
};
