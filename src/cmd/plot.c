/*
 * c2c plot: a result as a picture, or as text in the terminal.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "cmd/unit.h"
#include "commands.h"
#include "plot/plot.h"
#include "result/file.h"
#include "util/parse.h"

enum {
	KEY_TERM = 0x300,
	KEY_ORDER,
	KEY_STATISTIC,
	KEY_MATRIX,
	KEY_SERIES,
	KEY_TEST,
	KEY_RANGE,
	KEY_TITLE,
};

struct plot_arguments {
	const char *input;
	struct outputs outputs;
	struct unit_choice unit;
	bool term;
	int verbosity;
	struct plot_options plot;
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Output:", 1},
	{"output", 'o', "OUT", 0,
		"Draw the picture OUT, by extension: .png .svg .pdf; may be "
		"given more than once",
		1},
	{"term", KEY_TERM, NULL, 0,
		"Draw in the terminal, without gnuplot (the default without "
		"-o)",
		1},
	{NULL, 0, NULL, 0, "What to draw:", 2},
	{"matrix", KEY_MATRIX, "NAME", 0,
		"The matrix of that name alone (default: all that one scale "
		"serves, side by side)",
		2},
	{"series", KEY_SERIES, NULL, 0,
		"The curves, though FILE has matrices too (the default when it "
		"has none)",
		2},
	{"statistic", KEY_STATISTIC, "S", 0,
		"Which statistic: median (the default), min, p10, p90, ci_low, "
		"ci_high, passes, of curves also fit and ceiling, as FILE "
		"has them",
		2},
	{"test", KEY_TEST, "NAME", 0,
		"Of the tests of 'c2c cl all' this one, with all its curves "
		"(default: the main ones of each)",
		2},
	{"order", KEY_ORDER, "os|topology", 0,
		"CPUs of matrices as they stand in FILE (os, the default), or "
		"so that "
		"those which share a core, a cache, a node, a package are side "
		"by side (topology)",
		2},
	{NULL, 0, NULL, 0, "How it looks:", 3},
	{"range", KEY_RANGE, "MIN:MAX", 0,
		"Values at the ends of the colours (default: from the data, "
		"without the few that are far from all others) or of the y "
		"axis",
		3},
	{"title", KEY_TITLE, "T", 0,
		"First line above the picture (default: CPU model, host, "
		"hypervisor)",
		3},
	{0},
};

static int parse_order(
	struct plot_options *plot, const char *text, struct error *err)
{
	if (strcmp(text, "os") == 0)
		plot->order = PLOT_ORDER_OS;
	else if (strcmp(text, "topology") == 0)
		plot->order = PLOT_ORDER_TOPOLOGY;
	else
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is neither os nor topology", text);
	return 0;
}

static int parse_end(const char *text, double *end, struct error *err)
{
	int rc = parse_double(text, -PLOT_MOST, PLOT_MOST, end, err);

	if (rc == 0 && fabs(*end) < PLOT_LEAST)
		*end = 0;
	return rc;
}

static int parse_range(
	struct plot_options *plot, const char *text, struct error *err)
{
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
	if (high - low < PLOT_LEAST)
		return error_set(err, ERROR_USAGE, EINVAL,
			"found '%s', expected MIN below MAX, by %g or more",
			text, PLOT_LEAST);
	plot->range_min = low;
	plot->range_max = high;
	return 0;
}

static void take_input(struct argp_state *state, const char *path)
{
	struct plot_arguments *arguments = state->input;

	if (arguments->input)
		argp_error(state, "'%s' and '%s': expected one FILE",
			arguments->input, path);
	arguments->input = path;
}

static void check_complete(struct argp_state *state)
{
	struct plot_arguments *arguments = state->input;
	struct error err;

	if (!arguments->input)
		argp_error(state, "no FILE: name a .json or .csv, or - for "
				  "standard input");
	if (outputs_spare(&arguments->outputs, arguments->input, &err) < 0)
		argp_error(state, "-o: %s", err.text);
	if (arguments->plot.series && arguments->plot.name)
		argp_error(state, "--series and --matrix: expected one");
	if (arguments->plot.test && arguments->plot.name)
		argp_error(state, "--test and --matrix: expected one");
	if (arguments->outputs.n == 0)
		arguments->term = true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct plot_arguments *arguments = state->input;
	const char *name = NULL;
	struct error err;
	int rc = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->unit;
		state->child_inputs[1] = &arguments->verbosity;
		return 0;
	case 'o':
		name = "-o";
		rc = outputs_add(
			&arguments->outputs, text, OUTPUT_PICTURE, &err);
		break;
	case KEY_TERM:
		arguments->term = true;
		return 0;
	case KEY_ORDER:
		name = "--order";
		rc = parse_order(&arguments->plot, text, &err);
		break;
	case KEY_STATISTIC:
		arguments->plot.statistic = text;
		return 0;
	case KEY_MATRIX:
		arguments->plot.name = text;
		return 0;
	case KEY_SERIES:
		arguments->plot.series = true;
		return 0;
	case KEY_TEST:
		arguments->plot.test = text;
		return 0;
	case KEY_RANGE:
		name = "--range";
		rc = parse_range(&arguments->plot, text, &err);
		break;
	case KEY_TITLE:
		arguments->plot.title = text;
		return 0;
	case ARGP_KEY_ARG:
		take_input(state, text);
		return 0;
	case ARGP_KEY_END:
		check_complete(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc < 0)
		argp_error(state, "%s: %s", name, err.text);
	return 0;
}

/* What says nothing of its machine is called by its file's name. */
static void name_input(
	struct plot_arguments *arguments, const struct result *result)
{
	if (arguments->plot.title || result->machine.n ||
		strcmp(arguments->input, "-") == 0)
		return;
	arguments->plot.title = file_base(arguments->input);
}

/* Files first: whatever becomes of standard output, they are there. */
static int draw(const struct plot_arguments *arguments,
	const struct result *result, int *status, struct error *err)
{
	const struct output_contents contents = {
		.command = "plot",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.drawn = result,
		.plot = arguments->plot,
	};
	struct plot_terminal terminal = plot_terminal_of(stdout);
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc < 0)
		return rc;
	*status = outputs_save(&arguments->outputs, &contents);
	if (!arguments->term || *status == STATUS_INTERRUPTED)
		return 0;
	return plot_text(result, &arguments->plot, &terminal, stdout, err);
}

static const struct argp_child children[] = {
	{&unit_argp, 0, NULL, 0},
	{&cli_verbosity_argp, 0, NULL, 0},
	{0},
};

static const struct argp argp = {option_table, parse_option, "FILE",
	"Draw what c2c measured, matrices as heatmaps, and curves: "
	"FILE is a .json or .csv of c2c, a .csv of another tool, or - "
	"for standard input.",
	children, NULL, NULL};

/* Whether it is among what the tests of c2c cl say. */
static bool is_of_test(const json_t *tests, const char *warning)
{
	const json_t *row, *note;
	size_t i, j;

	json_array_foreach(tests, i, row)
	{
		json_array_foreach(json_object_get(row, "notes"), j, note)
		{
			const char *text = json_string_value(note);

			if (text && strcmp(text, warning) == 0)
				return true;
		}
	}
	return false;
}

/* What each test says, or the one that is drawn. */
static void warn_of_tests(const json_t *tests, const char *drawn)
{
	const json_t *row, *note;
	size_t i, j;

	json_array_foreach(tests, i, row)
	{
		const char *test =
			json_string_value(json_object_get(row, "test"));

		if (!test || (drawn && strcmp(test, drawn) != 0))
			continue;
		json_array_foreach(json_object_get(row, "notes"), j, note)
		{
			if (json_is_string(note))
				cli_warn("plot", "of this run: %s: %s", test,
					json_string_value(note));
		}
	}
}

/* What the measurement said of itself belongs beside its picture. */
static void warn_of_run(const struct result *result, const char *test)
{
	const struct run_facts *run = &result->run;

	warn_of_tests(run->tests, test);
	for (size_t i = 0; i < run->n_warnings; i++) {
		if (!is_of_test(run->tests, run->warnings[i]))
			cli_warn("plot", "of this run: %s", run->warnings[i]);
	}
	if (!result->complete)
		cli_warn("plot", "this run was ended before it was complete");
}

static int run_plot(int argc, char **argv)
{
	struct plot_arguments arguments = {0};
	int status = STATUS_DONE;
	struct result result;
	struct error err;

	plot_options_init(&arguments.plot);
	status = cli_parse("plot", &argp, argc, argv, &arguments);
	if (status != STATUS_DONE)
		return status;
	if (unit_load(&arguments.unit, arguments.input, &result, &err) < 0) {
		status = cli_fail("plot", &err);
	} else {
		name_input(&arguments, &result);
		if (arguments.verbosity >= 0)
			warn_of_run(&result, arguments.plot.test);
		if (draw(&arguments, &result, &status, &err) < 0)
			status = cli_fail("plot", &err);
		result_release(&result);
	}
	outputs_release(&arguments.outputs);
	return status;
}

extern const struct command cmd_plot;
const struct command cmd_plot = {
	.name = "plot",
	.summary = "A result as PNG, SVG, PDF or in the terminal",
	.run = run_plot,
};
