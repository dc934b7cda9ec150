/*
 * c2c measure: run several commands, each with its report, and store the
 * results in one record.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/measure/measure_several.h"
#include "commands.h"
#include "util/array.h"

static char *const usual_parts[] = {
	"latency", "+", "cache", "+", "queue", "+", "numa", "+", "contend"};

#define AT(member) offsetof(struct several_options, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "How long:"},
	{"budget", OPTION_TIME, "TIME", AT(budget_s),
		.help = "Stop all commands after about this time; each command "
			"gets an equal share of the remaining time (default: "
			"each command has its own budget)",
		.more = "A command with its own --budget keeps that budget, "
			"and the other commands share the rest. The runs of "
			"--runs and the tests of `cl all` share the budget of "
			"their command. The first pass of a command always "
			"completes.",
		.within = {0, OPTION_TIME_MAX_S}, .record = "budget_s"},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "A first look: cache, contend, numa and cl with "
			"--quick, the others with a --budget of 1s",
		.more = "A longer --budget for all commands does not lengthen "
			"a quick run.",
		.record = "quick"},
	{.kind = OPTION_HEADING, .group = 2, .help = "Output:"},
	{"output", OPTION_OUTPUT, "FILE", AT(outputs),
		.help = "Write FILE, by extension: .json .json.gz .json.zst, "
			"or a page .html; may be given more than once",
		.more = OUTPUTS_NAME, .letter = 'o',
		.choice = OUTPUT_JSON | OUTPUT_PAGE},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON instead of the "
			"reports (as -o - does)"},
};

/* Return the first text of the help with all commands; NULL without memory. */
static char *describe_parts(void)
{
	struct text_list list = {.text = NULL};

	text_list_add(&list, "",
		"Run several commands, separated by +, into one record. "
		"Without a COMMAND: latency, cache, queue, numa and contend. "
		"COMMAND is one of:");
	several_list_parts(&list);
	return text_list_end(&list);
}

static int run_measure(int argc, char **argv)
{
	struct several_options arguments = {
		.command = "measure", .budget_s = NAN};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, NULL, NULL};
	struct options_given given = {0};
	size_t n;
	char *doc = describe_parts();
	int first = argc;
	const struct option_command command = {
		.name = "measure",
		.doc = doc ? doc : "Measure with several commands.",
		.often = "output budget quick help",
		.examples = "c2c measure -o all.json\tthe five default "
			    "commands\nc2c measure -o two.html latency + "
			    "numa\ttwo commands, one page\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.given = &given,
		.arguments = "[COMMAND [OPTION...] [+ COMMAND...]...]",
		.first = &first,
	};
	int status = options_parse(&command, argc, argv);

	arguments.json |= arguments.outputs.json;
	arguments.table = &table;
	n = (size_t)(argc - first);
	if (status == STATUS_DONE)
		status = measure_several(&arguments,
			n ? argv + first : usual_parts,
			n ? n : N_OF(usual_parts));
	outputs_release(&arguments.outputs);
	free(doc);
	return status;
}

const struct command cmd_measure = {
	.name = "measure",
	.summary = "Run several measurements into one record",
	.run = run_measure,
};
