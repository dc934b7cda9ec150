/*
 * The outputs of a trial: its record, its page, and its picture. The picture
 * has a panel of relative speeds for each block, with a curve over rounds for
 * each placement.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/trial_verdict.h"
#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "result/describe.h"
#include "util/array.h"

/* Add a curve, unless the placement has no value in the block. */
static int add_trial_row(struct result *chart,
	const struct program_trial *trial, size_t block, size_t placement,
	struct error *err)
{
	static const char *const families[TRIAL_BLOCKS] = {
		"first block", "second block"};
	size_t first = block ? trial->rounds[0] : 0;
	const struct curve_facts facts = {
		.family = families[block],
		.member = trial->placements[placement].name,
		.x_name = "round",
		.y_name = "speed relative to unbound",
		.y_unit = CURVE_SPEED_UNIT,
		.y_axis = CURVE_RATIOS,
	};
	struct curve *curve;
	size_t known = 0;

	for (size_t i = 0; i < trial->rounds[block]; i++)
		known += trial->placements[placement].values[first + i] > 0;
	if (known == 0)
		return 0;
	curve = result_add_curve(chart, &facts, trial->rounds[block]);
	if (!curve)
		return error_no_memory(err, "the picture of the trial");
	for (size_t i = 0; i < trial->rounds[block]; i++) {
		double speed =
			trial_relative_speed(trial, placement, first + i);
		const double y[3] = {speed, NAN, NAN};

		curve_set(curve, i, (double)(i + 1), y);
	}
	return 0;
}

/* Make the picture as a result with curves. */
static int make_chart(
	const struct try_task *task, struct result *chart, struct error *err)
{
	const struct program_trial *trial = &task->trial;
	int rc = describe_result(
		chart, "try", task->allowed, task->machine, NULL, err);

	chart->complete = trial->complete;
	for (size_t b = 0; b < TRIAL_BLOCKS && trial->rounds[b]; b++) {
		for (size_t k = 0; rc == 0 && k < trial->n_placements; k++)
			rc = add_trial_row(chart, trial, b, k, err);
	}
	return rc;
}

/* Return the table of a trial as text, for free(); NULL without memory. */
static char *format_table(const struct try_task *task)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	try_print_table(out, &task->trial, task->arena);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int write_outputs(const struct try_task *task,
	const struct result *chart, const char *json, const char *table)
{
	const struct outputs *outputs = &task->arguments->outputs;
	const struct program_trial *trial = &task->trial;
	const char *program = try_show_program(task);
	const char *model = facts_text(&chart->machine, "cpu_model");
	const struct page_input page = {
		.result = chart,
		.name = program,
		.sentences = trial->sentences,
		.n_sentences = trial->n_sentences,
		.table = table,
	};
	struct output_contents contents = {
		.command = "try",
		.option = "-o",
		.verbosity = task->arguments->verbosity,
		.json = json,
		.measured = true,
		.interrupted = !trial->complete,
		.drawn = chart,
		.pages = &page,
		.n_pages = 1,
	};
	int status;

	plot_options_init(&contents.plot);
	contents.plot.title =
		model ? arena_format(task->arena, "%s on %s", program, model)
		      : program;
	if (outputs_finish(outputs, &contents, outputs->json, &status))
		try_print(trial, task->arena);
	return status;
}

int try_save(const struct try_task *task)
{
	char *json = trial_text(&task->trial), *table = format_table(task);
	struct result chart;
	struct error err;
	int rc = json && table ? 0 : error_no_memory(&err, "the trial");
	int status;

	result_init(&chart);
	if (rc == 0)
		rc = make_chart(task, &chart, &err);
	status = rc < 0 ? cli_fail("try", &err)
			: write_outputs(task, &chart, json, table);
	result_release(&chart);
	free(table);
	free(json);
	return status;
}
