/* c2c plot: draw a result as a picture, or as text in the terminal. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "cl/cl.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cli.h"
#include "cmd/input_records.h"
#include "cmd/outputs.h"
#include "cmd/run_doubts.h"
#include "cmd/unit_option.h"
#include "commands.h"
#include "record/field.h"
#include "render/plot.h"
#include "result/file.h"
#include "result/old_names.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/parse.h"
#include "util/text.h"

struct plot_arguments {
	struct inputs inputs;
	struct options_given given;
	struct outputs outputs;
	struct unit_choice unit;
	bool term;
	int group; /* an enum test_group; GROUPS: both groups */
	int palette, theme;
	int verbosity;
	struct plot_options plot;
};

struct plot_drawing {
	const struct plot_arguments *arguments;
	const struct result *result;
	const char *name;
	struct plot_options plot;
	struct analysis analysis; /* for --order groups */
	struct arena arena;
};

/* The files of the command line. */
struct plot_task {
	struct plot_arguments *arguments;
	struct input_records records;
	struct page_input *pages;  /* [records.n] */
	struct plot_drawing first; /* the first record, if there is one */
};

static int parse_end(const char *text, double *end, struct error *err)
{
	int rc = parse_double(text, -RESULT_MOST, RESULT_MOST, end, err);

	if (rc == 0 && fabs(*end) < RESULT_LEAST)
		*end = 0;
	return rc;
}

static int parse_plot_range(void *at, const char *text, struct error *err)
{
	struct plot_options *plot = at;
	const char *colon = strchr(text, ':');
	double low = 0, high = 0;
	char *first;
	int rc;

	if (!colon)
		return error_set(err, ERROR_USAGE, EINVAL,
			"found '%s', expected MIN:MAX, as in 20:300", text);
	first = strndup(text, (size_t)(colon - text));
	if (!first)
		return error_no_memory(err, "a number");
	rc = parse_end(first, &low, err);
	free(first);
	if (rc == 0)
		rc = parse_end(colon + 1, &high, err);
	if (rc < 0)
		return rc;
	if (high - low < RESULT_LEAST)
		return error_set(err, ERROR_USAGE, EINVAL,
			"found '%s', expected MIN at least %g below MAX", text,
			RESULT_LEAST);
	plot->range_min = low;
	plot->range_max = high;
	return 0;
}

#define AT(member) offsetof(struct plot_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Draw the picture OUT, by extension: .png .svg .pdf, a "
			"script for gnuplot .gp, tables in Markdown .md, or a "
			"page for a browser .html; may be given more than once",
		.more = OUTPUTS_NAME
		" OUT cannot be an input file. The picture appears "
		"once it is complete.",
		.letter = 'o', .choice = OUTPUTS_DRAWN},
	{"term", OPTION_FLAG, NULL, AT(term),
		.help = "Draw in the terminal, without gnuplot (the default "
			"without -o)",
		.more = "c2c draws one matrix after the other. On a terminal a "
			"matrix is coloured numbers if these fit the width, "
			"otherwise a heatmap of half blocks. If there are more "
			"CPUs than cells, a cell shows the nearest value "
			"(lowest latency, highest rate) of 2 by 2, 4 by 4 and "
			"so on. If a heatmap is higher than the terminal, "
			"less(1) shows all of it:\n\n.Dl $ CLICOLOR_FORCE=1 "
			"c2c plot lat.json | less \\-R\n\nWithout colours, for "
			"example in a pipe, all numbers appear.\n\nCurves are "
			"a table with a row for each x and a column for each "
			"curve. A curve without values, or with one value "
			"while others have more, is a line below the table. On "
			"a terminal a table that is too wide continues below, "
			"and leaves out single CPUs if there is a curve of "
			"their mean. On a terminal, curves over working sets "
			"are a chart: a row for each doubling, with a number "
			"and a logarithmic bar for the first curve of each "
			"panel."},
	{.kind = OPTION_HEADING, .group = 2, .help = "What to draw:"},
	{"matrix", OPTION_TEXT, "NAME", AT(plot.name),
		.help = "Only the matrix of this name (default: all matrices "
			"with the same scale, side by side)"},
	{"series", OPTION_FLAG, NULL, AT(plot.series),
		.help = "Draw the curves, even if FILE has matrices (the "
			"default if FILE has no matrices)"},
	{"statistic", OPTION_TEXT, "S", AT(plot.statistic),
		.help = "Statistic to draw: median (the default), min, p10, "
			"p90, ci_low, ci_high, passes, and for curves also fit "
			"and ceiling; not every record has all of these",
		.more = "The curves of c2c-cache(1) have median, ci_low and "
			"ci_high."},
	{"test", OPTION_TEXT, "NAME", AT(plot.test),
		.help = "Only this test of 'c2c cl all', 'c2c cache', "
			"'c2c contend' or 'c2c numa', with all its curves "
			"(default: the main curves of each test)",
		.more = "The tests of c2c-cache(1) are latency, bandwidth, "
			"line and ways; those of c2c-contend(1) are sum, "
			"sharing, latency, p99, jain, fairness and cpus; those "
			"of c2c-numa(1) are loaded, delay, load and scaling; "
			"those of c2c latency --by-line are rank and offset. "
			"Without --test the terminal shows all curves of all "
			"tests. --test hides the warnings of other tests. The "
			"record of a single test has only that test."},
	{"group", OPTION_WORD, "suite|memory|both", AT(group),
		.help = "Tests of 'c2c cl all': the tests of the article "
			"(suite), the tests that measure memory (memory), or "
			"both (the default)",
		.more = "A picture of both groups is longer than a page."},
	{"order", OPTION_WORD, "os|topology|groups", AT(plot.order),
		.help = "CPUs of matrices in the order of FILE (os, the "
			"default), with CPUs that share a core, a cache, a "
			"node or a package side by side (topology), or by the "
			"groups that c2c analyze finds (groups)",
		.more = "A file has CPUs in the order of their numbers, unless "
			"--cpus chose another order. The topology comes from "
			"the record; only `.json` files have one. Thin lines "
			"separate last-level caches and NUMA nodes, thick "
			"lines packages.\n\nThe groups come from the record "
			"alone, in the order and with the lines of `c2c "
			"analyze -o`. If there are no groups, CPUs keep the "
			"order of FILE, and a note says so.\n\nCurves ignore "
			"--order."},
	{.kind = OPTION_HEADING, .group = 3, .help = "How it looks:"},
	{"range", OPTION_OWN, "MIN:MAX", AT(plot),
		.help = "Minimum and maximum of the colour scale or of the y "
			"axis (default: the range of the data, without extreme "
			"outliers)",
		.more = "Give two pictures the same range to compare them. The "
			"ends of a range are between `-1e15` and `1e15`, and "
			"at least `1e-15` apart. Only --term draws larger "
			"numbers. A range does not apply to curves of "
			"c2c-cl(1) in several units.",
		.parse = parse_plot_range},
	{"palette", OPTION_WORD, "viridis|cividis|magma", AT(palette),
		.help = "Colours of matrices and tables, from dark to bright "
			"(default: viridis)",
		.more = "All palettes are safe for colour-blind readers and "
			"work in grey print. Pictures of changes have a "
			"different palette. A page uses viridis."},
	{"theme", OPTION_WORD, "light|dark", AT(theme),
		.help = "Colours of a picture: dark letters on white (light, "
			"the default), or light letters on nearly black "
			"(dark)"},
	{"width", OPTION_COUNT, "N", AT(plot.width),
		.help = "Scale a picture to this width: pixels of a PNG or "
			"SVG, points of a PDF (default: the width that it "
			"needs)",
		.more = "For a `.gp`, N is the width of its PNG in pixels.",
		.within = {100, 20000}},
	{"relative", OPTION_FLAG, NULL, AT(plot.relative),
		.help = "Draw ratios to the first FILE or device",
		.more = "c2c divides a value of a curve by that of the first "
			"curve at the same x, and a cell of a matrix by the "
			"same cell of the first matrix, so the matrices need "
			"the same CPUs. A page has no ratios, so c2c rejects a "
			"page with --relative."},
	{"in", OPTION_TEXT, "UNIT", AT(plot.unit),
		.help = "Convert values to this unit: ns, us, ms, s, clk, or "
			"GiB/s, GB/s, MiB/s, MB/s, TB/s, B/clk, B/clk/unit "
			"(default: the unit of the first FILE)",
		.more = "clk is a clock cycle of the cores; unit is a compute "
			"unit of an OpenCL device. The units of operations are "
			"GFLOP/s, FLOP/clk and FLOP/clk/unit. Only curves have "
			"units with clk, and only if the record has the clock "
			"of the cores: records of `c2c cl` have it for tests "
			"that run kernels. Curves of other quantities keep "
			"their unit. If no value can have this unit, c2c "
			"rejects it. c2c also rejects a page with --in, "
			"because a page keeps the units of the records."},
	{"title", OPTION_TEXT, "T", AT(plot.title),
		.help = "First line above the picture (default: CPU model, "
			"host, hypervisor)"},
};

static bool draws_only_pages(const struct plot_arguments *arguments)
{
	const struct outputs *outputs = &arguments->outputs;
	bool pages = outputs->n > 0 && !arguments->term;

	for (size_t i = 0; i < outputs->n; i++)
		pages &= page_has_extension(outputs->paths[i]);
	return pages;
}

static const struct option_rule rules[] = {
	{"series test", "matrix", .flaw = " and --matrix: expected one"},
	{"matrix", "group!both", .flaw = "--group and --matrix: expected one"},
	{"test", "group!both", .flaw = "--group and --test: expected one"},
	{.given = NULL},
};

static int check_plot_arguments(void *into, struct error *err)
{
	struct plot_arguments *arguments = into;

	if (inputs_check(&arguments->inputs, &arguments->outputs, err) < 0 ||
		sections_check_pipes(
			arguments->inputs.paths, arguments->inputs.n, err) < 0)
		return -EINVAL;
	arguments->plot.name = old_names_today("name", arguments->plot.name);
	arguments->plot.statistic =
		old_names_today("statistic", arguments->plot.statistic);
	for (size_t i = 0; i < arguments->outputs.n; i++) {
		const char *path = arguments->outputs.paths[i];

		if (page_has_extension(path) &&
			(arguments->plot.relative || arguments->plot.unit))
			return error_set(err, ERROR_USAGE, EINVAL,
				"%s: the page '%s' shows the values of the "
				"records unchanged",
				arguments->plot.relative ? "--relative"
							 : "--in",
				path);
	}
	if (arguments->outputs.n == 0)
		arguments->term = true;
	arguments->plot.palette = (enum palette_kind)arguments->palette;
	arguments->plot.dark = arguments->theme == 1;
	return 0;
}

static bool is_of_suite(const char *name)
{
	const struct test *test = test_find(name);

	return test && test->set == GROUP_SUITE;
}

static bool measures_memory(const char *name)
{
	const struct test *test = test_find(name);

	return test && test->set == GROUP_MEMORY;
}

static int choose_group(struct plot_arguments *arguments,
	const struct result *result, struct error *err)
{
	static bool (*const groups[GROUPS])(const char *) = {
		[GROUP_SUITE] = is_of_suite, [GROUP_MEMORY] = measures_memory};

	if (arguments->group == GROUPS)
		return 0;
	if (!text_same(result->command, "cl"))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--group is for records of 'c2c cl all'");
	arguments->plot.group = test_group_names[arguments->group];
	arguments->plot.in_group = groups[arguments->group];
	return opencl_available(err);
}

/* Order CPUs by groups as c2c analyze does. Pages find groups themselves. */
static int order_by_groups(
	struct arena *arena, void *context, struct error *err)
{
	struct plot_drawing *drawing = context;
	int rc = analysis_make(
		drawing->result, &drawing->name, 1, &drawing->analysis, err);

	if (rc < 0)
		return rc;
	if (drawing->analysis.n_levels > 0) {
		analyze_order_drawing(
			&drawing->analysis, &drawing->plot, arena);
		return 0;
	}
	drawing->plot.order = PLOT_ORDER_OS;
	if (drawing->arguments->verbosity >= 0)
		cli_notify("plot",
			"note: c2c found no groups, so CPUs are in the order "
			"of the file");
	return 0;
}

/* Choose how to draw record i. Without a machine, its title is the file. */
static int begin_drawing(const struct plot_task *task, size_t i,
	struct plot_drawing *drawing, struct error *err)
{
	const struct plot_arguments *arguments = task->arguments;
	const char *name = task->records.names[i];

	*drawing = (struct plot_drawing){
		.arguments = arguments,
		.result = &task->records.results[i],
		.name = name,
		.plot = arguments->plot,
	};
	if (!drawing->plot.title && !drawing->result->machine.n &&
		strcmp(name, "-") != 0)
		drawing->plot.title = file_base(name);
	if (drawing->plot.order != PLOT_ORDER_GROUPS ||
		draws_only_pages(arguments))
		return 0;
	return arena_run(
		&drawing->arena, order_by_groups, drawing, "the groups", err);
}

static void end_drawing(struct plot_drawing *drawing)
{
	analysis_release(&drawing->analysis);
	arena_release(&drawing->arena);
}

/* Draw a section. If it has no groups, keep the order of its CPUs. */
static int draw_section_as_text(
	const struct plot_task *task, size_t i, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct plot_drawing drawing;
	int rc = begin_drawing(task, i, &drawing, err);

	if (rc < 0 && err->class == ERROR_USAGE) {
		drawing.plot.order = PLOT_ORDER_OS;
		rc = 0;
	}
	if (rc == 0)
		rc = plot_text(PLOT_RECORD(drawing.result), &drawing.plot,
			&terminal, stdout, err);
	if (rc < 0)
		error_prefix(err, "'%s'", drawing.name);
	end_drawing(&drawing);
	return rc;
}

/* Draw all sections, one below the other, even if drawing one fails. */
static int draw_sections_as_text(const struct plot_task *task)
{
	int status = STATUS_DONE;
	struct error err;

	for (size_t i = 0; i < task->records.n; i++) {
		printf("%s== %s\n", i > 0 ? "\n" : "",
			task->records.sections[i]);
		/* Print messages below the name of their section. */
		fflush(stdout);
		if (draw_section_as_text(task, i, &err) < 0)
			status = cli_fail("plot", &err);
	}
	return status;
}

/* Write files first, so that they exist even if the output fails. */
static int draw_plot_outputs(
	const struct plot_task *task, int *status, struct error *err)
{
	const struct plot_arguments *arguments = task->arguments;
	bool alone = task->records.n == 1;
	const char *const *names = (const char *const *)task->records.names;
	const struct plot_records together = {
		task->records.results, names, task->records.n};
	struct plot_terminal terminal = plot_terminal_of(stdout);
	const struct output_contents contents = {
		.command = "plot",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.drawn = task->records.results,
		.names = names,
		.n_drawn = task->records.n,
		.plot = alone ? task->first.plot : arguments->plot,
		.pages = task->pages,
		.n_pages = task->records.n,
	};
	int drawn, rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc < 0)
		return rc;
	*status = outputs_save(&arguments->outputs, &contents);
	if (!arguments->term || *status == STATUS_INTERRUPTED)
		return 0;
	/* Draw several files on one chart, but each section separately. */
	if (task->records.n == 1 || task->arguments->inputs.n > 1)
		return plot_text(
			&together, &contents.plot, &terminal, stdout, err);
	drawn = draw_sections_as_text(task);
	if (*status == STATUS_DONE)
		*status = drawn;
	return 0;
}

/* Print the warnings of the measurement beside its picture. */
static void warn_of_run(void *context, const char *text)
{
	const char *const *whose = context;

	cli_warn("plot", "%s: %s", *whose, text);
}

static void warn_of_plot_inputs(const struct plot_task *task)
{
	const struct input_records *records = &task->records;

	for (size_t i = 0; i < records->n; i++) {
		/* With several records, begin with the name of the record. */
		const char *whose =
			records->n > 1 ? records->names[i] : "of this run";

		run_doubts_report(&records->results[i], &task->arguments->plot,
			warn_of_run, &whose);
		if (!records->results[i].complete)
			cli_warn("plot",
				"%s%sthe run was stopped before it was "
				"complete",
				records->n > 1 ? whose : "",
				records->n > 1 ? ": " : "");
	}
	input_records_note_skipped(records, "plot");
}

/*
 * Draw several sections on a page, or as text one after the other. Some
 * options, and charts of several files, need records without sections.
 */
static int check_sections(const struct plot_task *task, struct error *err)
{
	static const char *const of_one[] = {
		"matrix", "series", "statistic", "test", "group", "range"};
	const struct plot_arguments *arguments = task->arguments;
	const struct outputs *outputs = &arguments->outputs;
	char what[64];
	int rc = 0;

	if (task->records.n == 1 || draws_only_pages(arguments))
		return 0;
	if (arguments->inputs.n > 1 &&
		arguments->plot.order == PLOT_ORDER_GROUPS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--order groups: found %zu FILEs, expected one",
			arguments->inputs.n);
	if (arguments->inputs.n > 1)
		return input_records_check_one(
			&task->records, "a chart of several FILEs", err);
	for (size_t i = 0; rc == 0 && i < outputs->n; i++) {
		if (plot_picture_kind(outputs->paths[i]))
			rc = input_records_check_one(&task->records,
				"a picture (not a page, .html)", err);
	}
	for (size_t i = 0; rc == 0 && i < N_OF(of_one); i++) {
		snprintf(what, sizeof(what), "--%s", of_one[i]);
		if (option_given(&arguments->given, of_one[i]))
			rc = input_records_check_one(&task->records, what, err);
	}
	return rc;
}

static int load_plot_inputs(struct plot_task *task, struct error *err)
{
	struct plot_arguments *arguments = task->arguments;
	const struct inputs *inputs = &arguments->inputs;
	struct input_records *records = &task->records;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		size_t k = records->n;

		rc = input_records_load(
			records, &arguments->unit, inputs->paths[i], err);
		for (; rc == 0 && k < records->n; k++)
			rc = choose_group(arguments, &records->results[k], err);
	}
	if (rc == 0)
		rc = check_sections(task, err);
	if (rc < 0)
		return rc;
	task->pages = calloc(records->n, sizeof(*task->pages));
	if (!task->pages)
		return error_no_memory(err, "the files");
	for (size_t i = 0; i < records->n; i++)
		task->pages[i] = input_records_page(records, i);
	return records->n == 1 ? begin_drawing(task, 0, &task->first, err) : 0;
}

static int run_plot(int argc, char **argv)
{
	struct plot_arguments arguments = {
		.inputs.several = true, .group = GROUPS};
	const struct option_table tables[] = {
		{rows, N_OF(rows), &arguments, check_plot_arguments, rules},
		unit_option_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "plot",
		.doc = "Draw a result: matrices as heatmaps, and curves. FILE "
		       "is a .json or .csv of c2c, a .csv of another tool, or "
		       "- for standard input. With several FILEs, heatmaps are "
		       "side by side, curves on one chart, or all on one page.",
		.often = "output term matrix test statistic order range title "
			 "help",
		.examples = "c2c plot lat.json\tthe heatmap in the terminal\n"
			    "c2c plot lat.json -o lat.png --order groups\tnear "
			    "CPUs side by side\n"
			    "c2c plot gpu.json cpu.json -o both.svg\tboth on "
			    "one chart\n"
			    "c2c plot lat.json cache.json -o report.html\ta "
			    "page of both\n",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "FILE...",
		.take = inputs_add,
	};
	struct plot_task task = {.arguments = &arguments};
	int status = STATUS_DONE;
	struct error err;

	plot_options_init(&arguments.plot);
	status = options_parse(&command, argc, argv);
	if (status != STATUS_DONE)
		return status;
	arguments.unit.warn_command = arguments.verbosity < 0 ? NULL : "plot";
	if (load_plot_inputs(&task, &err) < 0) {
		status = cli_fail("plot", &err);
	} else {
		if (arguments.verbosity >= 0)
			warn_of_plot_inputs(&task);
		if (draw_plot_outputs(&task, &status, &err) < 0)
			status = cli_fail("plot", &err);
	}
	end_drawing(&task.first);
	input_records_release(&task.records);
	free(task.pages);
	inputs_release(&arguments.inputs);
	outputs_release(&arguments.outputs);
	return status;
}

const struct command cmd_plot = {
	.name = "plot",
	.summary = "Draw a result as PNG, SVG, PDF, page or in the terminal",
	.run = run_plot,
};
