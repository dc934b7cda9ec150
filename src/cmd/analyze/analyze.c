/*
 * c2c analyze: which groups of CPUs a matrix reveals, and whether the operating
 * system agrees.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/agree.h"
#include "analyze/analysis.h"
#include "cmd/analyze/report.h"
#include "cmd/cli.h"
#include "cmd/epoch.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/topology.h"
#include "commands.h"
#include "machine/machine.h"
#include "plot/plot.h"
#include "result/file.h"
#include "util/array.h"

/* Thin lines around pairs would cover a heatmap of more CPUs than this. */
#define PAIRS_DRAWN_CPUS 64

struct names {
	const char **items;
	size_t n;
};

struct analyze_arguments {
	struct names inputs;
	struct outputs outputs;
	const char *topology;
	bool live, json, audit;
	struct epoch_choice epoch;
	struct unit_choice unit;
	int verbosity;
};

static int parse_output(void *at, const char *text, struct error *err)
{
	return outputs_add(at, text, OUTPUT_JSON | OUTPUT_PICTURE, err);
}

#define AT(member) offsetof(struct analyze_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"output", OPTION_OWN, "OUT", AT(outputs),
		.help = "Write the analysis (.json) or the heatmap with the "
			"groups "
			"outlined (.png .svg .pdf) to OUT; may be given more "
			"than once",
		.letter = 'o', .parse = parse_output},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the analysis as JSON instead of the report"},
	{.kind = OPTION_HEADING, .group = 2, .help = "What to compare with:"},
	{"topology", OPTION_TEXT, "XML", AT(topology),
		.help = "The topology in this file, which lstopo wrote "
			"(default: the "
			"one inside FILE)"},
	{"live", OPTION_FLAG, NULL, AT(live),
		.help = "The topology of the machine at hand, as it is now"},
	{"audit", OPTION_FLAG, NULL, AT(audit),
		.help = "Exit with status 3 if the topology and the numbers "
			"disagree"},
};

static int take_input(void *into, const char *path, struct error *err)
{
	struct names *names = &((struct analyze_arguments *)into)->inputs;

	for (size_t i = 0; i < names->n; i++) {
		if (file_same(names->items[i], path))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
	}
	if (!array_grow(&names->items, names->n, sizeof(path)))
		return error_no_memory(err, "the names of files");
	names->items[names->n++] = path;
	return 0;
}

static int check_arguments(void *into, struct error *err)
{
	const struct analyze_arguments *arguments = into;
	const struct names *inputs = &arguments->inputs;
	int rc = 0;

	if (inputs->n == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no FILE: name a .json or .csv, or - for "
			"standard input");
	if (arguments->topology && arguments->live)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--topology and --live: expected one");
	if (arguments->epoch.made && inputs->n > 1)
		return error_set(
			err, ERROR_USAGE, EINVAL, "--epoch: expected one FILE");
	for (size_t i = 0; rc == 0 && i < inputs->n; i++)
		rc = outputs_spare(&arguments->outputs, inputs->items[i], err);
	if (rc == 0 && arguments->topology)
		rc = outputs_spare(
			&arguments->outputs, arguments->topology, err);
	if (rc < 0)
		error_prefix(err, "-o");
	return rc;
}

/* What to compare with, and what to call it. */
struct reference {
	struct machine *machine; /* NULL: nothing */
	const char *name;
};

/* The place of the first result with a topology inside, or n. */
static size_t find_topology(const struct result *results, size_t n)
{
	size_t i = 0;

	while (i < n && !results[i].hwloc_xml)
		i++;
	return i;
}

static int find_reference(const struct analyze_arguments *arguments,
	const struct result *results, struct reference *reference,
	struct error *err)
{
	size_t n = arguments->inputs.n;
	const struct result *first = &results[analysis_main(results, n)];
	size_t at = find_topology(results, n);
	int rc = 0;

	if (arguments->live) {
		reference->name = "the topology of this machine";
		rc = machine_new(&reference->machine, err);
	} else if (arguments->topology) {
		reference->name = arguments->topology;
		rc = topology_load(
			arguments->topology, &reference->machine, err);
	} else if (at < n) {
		reference->name = "the topology in the file";
		rc = machine_new_xml(&reference->machine, results[at].hwloc_xml,
			strlen(results[at].hwloc_xml), err);
		if (rc < 0)
			error_prefix(err, "'%s': the topology in it",
				arguments->inputs.items[at]);
	} else if (arguments->audit) {
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--audit: no file holds a topology (only .json files "
			"of c2c do); name one with --topology or --live");
	}
	if (rc == 0 && reference->machine && arguments->verbosity >= 0)
		topology_warn_of_host("analyze", first, reference->machine);
	return rc;
}

/*
 * Lines before CPUs: thick ones where groups of the outermost level begin,
 * thin ones for those inside. Pairs get none where they would cover the rest.
 */
static void find_borders(const struct analysis *analysis,
	const struct cpu_list *order, enum plot_border *borders)
{
	enum plot_border border = PLOT_BORDER_MAJOR;
	size_t n = order->n;

	for (size_t k = analysis->n_levels; k-- > 0;) {
		const struct analysis_level *level = &analysis->levels[k];
		long before = -1;

		if (!level->nested)
			continue;
		if (level->n_groups * 4 > n && n > PAIRS_DRAWN_CPUS)
			break;
		/* A level of pairs alone is fine work too. */
		if (level->kind == ANALYSIS_SMT)
			border = PLOT_BORDER_MINOR;
		for (size_t i = 0; i < n; i++) {
			long at =
				cpu_list_find(&analysis->cpus, order->cpus[i]);

			if (i > 0 && level->group[at] != level->group[before] &&
				borders[i] < border)
				borders[i] = border;
			before = at;
		}
		border = PLOT_BORDER_MINOR;
	}
}

/* What all drawings of one analysis share. */
struct drawing {
	struct plot_options options;
	struct cpu_list order;
	enum plot_border *borders;
};

static void drawing_release(struct drawing *drawing)
{
	cpu_list_release(&drawing->order);
	free(drawing->borders);
}

static int drawing_init(struct drawing *drawing,
	const struct analysis *analysis, const struct result *result,
	struct error *err)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	int rc;

	*drawing = (struct drawing){0};
	plot_options_init(&drawing->options);
	drawing->borders =
		calloc(analysis->cpus.n + 1, sizeof(*drawing->borders));
	if (!drawing->borders)
		return error_no_memory(err, "the borders of groups");
	rc = analysis_order(analysis, &drawing->order, err);
	if (rc < 0)
		return rc;
	find_borders(analysis, &drawing->order, drawing->borders);
	drawing->options.order = PLOT_ORDER_GIVEN;
	drawing->options.cpus = &drawing->order;
	drawing->options.borders = drawing->borders;
	drawing->options.statistic = matrix->statistic;
	/* What says nothing of its machine is called by its file's name. */
	if (!result->machine.n)
		drawing->options.title = file_base(analysis->source);
	return 0;
}

/* The heatmap is for eyes; a pipe gets what words can say. */
static int draw_in_terminal(const struct result *result,
	const struct drawing *drawing, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);

	if (!isatty(STDOUT_FILENO))
		return 0;
	putchar('\n');
	return plot_text(result, &drawing->options, &terminal, stdout, err);
}

/* Files first: whatever becomes of standard output, they are there. */
static int show_analysis(const struct analyze_arguments *arguments,
	const struct analysis *analysis, const struct result *result,
	const char *compared_with, int *status, struct error *err)
{
	struct output_contents contents = {
		.command = "analyze",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.drawn = result,
	};
	char *json = analysis_text(analysis);
	struct drawing drawing;
	int rc = drawing_init(&drawing, analysis, result, err);

	if (rc == 0 && !json)
		rc = error_no_memory(err, "the JSON");
	if (rc == 0) {
		contents.json = json;
		contents.plot = drawing.options;
		*status = outputs_save(&arguments->outputs, &contents);
	}
	if (rc == 0 && *status != STATUS_INTERRUPTED) {
		/* A failure of standard output is noticed at exit. */
		if (arguments->json)
			fputs(json, stdout);
		else
			rc = analyze_report(analysis, compared_with,
				arguments->verbosity > 0, err);
		if (rc == 0 && !arguments->json)
			rc = draw_in_terminal(result, &drawing, err);
	}
	drawing_release(&drawing);
	free(json);
	return rc;
}

static int analyze(const struct analyze_arguments *arguments,
	const struct result *results, int *status, struct error *err)
{
	size_t n = arguments->inputs.n;
	const struct result *first = &results[analysis_main(results, n)];
	struct reference reference = {0};
	struct analysis analysis = {0};
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc == 0)
		rc = find_reference(arguments, results, &reference, err);
	if (rc == 0)
		rc = analysis_make(
			results, arguments->inputs.items, n, &analysis, err);
	if (rc == 0 && reference.machine)
		rc = agree(&analysis, first, reference.machine, err);
	if (rc == 0)
		rc = show_analysis(arguments, &analysis, first,
			reference.machine ? reference.name : NULL, status, err);
	if (rc == 0 && *status == STATUS_DONE && arguments->audit &&
		analysis.n_disagreements > 0)
		*status = STATUS_DOES_NOT_HOLD;
	/* Also with --quiet: silence would be taken for agreement. */
	if (rc == 0 && arguments->audit && !analysis.compared)
		cli_warn("analyze",
			"%s, so nothing was compared with the topology",
			analysis_placement_doubt(analysis.placement));
	analysis_release(&analysis);
	machine_free(reference.machine);
	return rc;
}

static int run_analyze(int argc, char **argv)
{
	struct analyze_arguments arguments = {0};
	const struct option_table tables[] = {
		{rows, sizeof(rows) / sizeof(*rows), &arguments,
			check_arguments},
		epoch_table(&arguments.epoch),
		unit_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "analyze",
		.doc = "Find the groups of CPUs that a measurement reveals, "
		       "and say how certain they are and whether the "
		       "topology agrees. FILE is a .json or .csv of c2c, a "
		       ".csv of another tool, or - for standard input. "
		       "Several FILEs of one machine are analysed together.",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.arguments = "FILE...",
		.take = take_input,
	};
	int status, rc = 0;
	struct result *results;
	struct error err;
	size_t n = 0;

	status = options_parse(&command, argc, argv);
	if (status != STATUS_DONE)
		return status;
	results = calloc(arguments.inputs.n, sizeof(*results));
	if (!results)
		rc = error_no_memory(&err, "the results");
	for (; rc == 0 && n < arguments.inputs.n; n++) {
		rc = epoch_load(&arguments.epoch, &arguments.unit,
			arguments.inputs.items[n], &results[n], &err);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = analyze(&arguments, results, &status, &err);
	if (rc < 0)
		status = cli_fail("analyze", &err);
	for (size_t i = 0; i < n; i++)
		result_release(&results[i]);
	free(results);
	free(arguments.inputs.items);
	outputs_release(&arguments.outputs);
	return status;
}

const struct command cmd_analyze = {
	.name = "analyze",
	.summary = "Which groups of CPUs a result reveals, and does the "
		   "topology agree",
	.run = run_analyze,
};
