/* c2c compare: find changes between results that exceed noise. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/compare/compare.h"
#include "cmd/check_status.h"
#include "cmd/cli.h"
#include "cmd/compare/cmd_compare.h"
#include "cmd/compare/compare_report.h"
#include "cmd/compare/compare_side.h"
#include "cmd/input_records.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/unit_option.h"
#include "commands.h"
#include "render/plot.h"
#include "result/file.h"
#include "result/sections.h"
#include "stat/stat.h"
#include "util/array.h"
#include "util/progress.h"
#include "util/text.h"

#define AT(member) offsetof(struct compare_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Write the comparison (.json), for two files a picture "
			"of the differences (.png .svg .pdf), or for several "
			"FILEs a page (.html) to OUT; may be given more than "
			"once",
		.more = OUTPUTS_NAME
		" OUT cannot be an input file. The picture is a heatmap of the "
		"changes of pairs, or the curves before and after. For a "
		"single NUMA node the picture has only the curves. In the "
		"heatmap white means no change, purple means better and orange "
		"means worse. The colour scale is symmetric and ends at the 99 "
		"% quantile of the changes. The palette is PuOr of "
		"ColorBrewer, which is safe for colour-blind readers. If there "
		"is no verdict, or the files are hard to compare, a line below "
		"the colours says so, in the picture and on a terminal. A PNG "
		"and a PDF need gnuplot(1).",
		.letter = 'o', .choice = OUTPUT_JSON | OUTPUTS_DRAWN},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the comparison as JSON instead of the report "
			"(as -o - does)"},
	{.kind = OPTION_HEADING, .group = 2, .help = "What to compare:"},
	{"threshold", OPTION_NUMBER, "PCT", AT(threshold.pct),
		.help = "Exit with status 3 if the median of a level got worse "
			"by more than PCT %, and by more than noise",
		.more = "Worse means a higher latency, a lower rate or a "
			"smaller cache. All pairs together, or all points of a "
			"curve, count as an additional level. Among several "
			"files, a file that c2c cannot compare counts as "
			"worse. c2c names the levels on standard error, except "
			"with -q. A level that is worse relative to the rest "
			"counts only if it also got worse, and by more than "
			"the rest changed. If there are too few runs for a "
			"verdict, or a level was not tested, the status is 0, "
			"and c2c says so on standard error, even with -q.",
		.within = {0, 1e6}},
	{"strict", OPTION_FLAG, NULL, AT(threshold.strict),
		.help = "With --threshold: exit with status 4 if no level got "
			"worse but some levels have no verdict"},
	{"by-level", OPTION_FLAG, NULL, AT(by_level),
		.help = "Compare levels by kind instead of pairs, so that "
			"machines, CPUs and methods may differ",
		.more = "With --by-level c2c analyses each file separately, "
			"compares levels of the same kind, and lists the "
			"levels without a counterpart."},
	{"verbose", OPTION_NOTE,
		.more = "With several files, c2c also prints the report of "
			"each file."},
};

/* Refuse an output that is an input file. */
static int refuse_inputs_as_outputs(const struct inputs *inputs,
	const struct outputs *outputs, struct error *err)
{
	int rc = inputs_check(inputs, outputs, err);

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		struct compare_side_names names;

		rc = compare_side_split_names(inputs->paths[i], &names, err);
		for (size_t k = 0; rc == 0 && k < names.n; k++)
			rc = outputs_check_not_input(
				outputs, "-o", names.texts[k], err);
		compare_side_names_release(&names);
	}
	return rc;
}

/* Refuse a run that is on both sides, as it would hide a change. */
static int check_two_sides(
	const char *reference, const char *path, struct error *err)
{
	struct compare_side_names before = {NULL, 0}, names;
	int rc = compare_side_split_names(path, &names, err);

	if (rc == 0)
		rc = compare_side_split_names(reference, &before, err);
	for (size_t k = 0; rc == 0 && k < before.n * names.n; k++) {
		const char *name = names.texts[k / before.n];

		if (file_same(before.texts[k % before.n], name))
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is on both sides: leave it out of one "
				"side",
				name);
	}
	compare_side_names_release(&names);
	compare_side_names_release(&before);
	return rc;
}

static int check_sides(const struct inputs *inputs, struct error *err)
{
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < inputs->n; i++)
		rc = check_two_sides(inputs->paths[0], inputs->paths[i], err);
	return rc;
}

/* Check all files of all sides together: a pipe can be read only once. */
static int check_pipes(const struct inputs *inputs, struct error *err)
{
	struct compare_side_names all = {NULL, 0}, names;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		rc = compare_side_split_names(inputs->paths[i], &names, err);
		for (size_t k = 0; rc == 0 && k < names.n; k++) {
			char *text = names.texts[k];

			if (!array_grow(&all.texts, all.n, sizeof(text))) {
				rc = error_no_memory(err, "the names of files");
				break;
			}
			all.texts[all.n++] = text;
			names.texts[k] = NULL;
		}
		compare_side_names_release(&names);
	}
	if (rc == 0)
		rc = sections_check_pipes(
			(const char *const *)all.texts, all.n, err);
	compare_side_names_release(&all);
	return rc;
}

static const struct option_rule rules[] = {
	{"strict", .without = "threshold", .flaw = " needs --threshold"},
	{.given = NULL},
};

static int compare_check_arguments(void *into, struct error *err)
{
	struct compare_arguments *arguments = into;
	const struct outputs *outputs = &arguments->outputs;

	arguments->json |= outputs->json;
	if (arguments->inputs.n == 1 && arguments->inputs.duplicate)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is given twice", arguments->inputs.duplicate);
	if (arguments->inputs.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s: name a reference and a file to compare with it",
			arguments->inputs.n ? "only one FILE" : "no FILE");
	if (refuse_inputs_as_outputs(&arguments->inputs, outputs, err) < 0 ||
		check_sides(&arguments->inputs, err) < 0 ||
		check_pipes(&arguments->inputs, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < outputs->n; i++) {
		if (page_has_extension(outputs->paths[i]) &&
			arguments->inputs.n < 3)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: the page '%s' needs a fleet: a reference "
				"and two or more files. For two files, write a "
				"picture (.png, .svg or .pdf), or make a page "
				"with c2c plot",
				outputs->paths[i]);
		if (!plot_picture_kind(outputs->paths[i]))
			continue;
		if (arguments->inputs.n > 2)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' can show the difference of two files "
				"only; c2c plot draws more on one chart",
				outputs->paths[i]);
		if (arguments->by_level)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' shows pairs, which --by-level does "
				"not compare",
				outputs->paths[i]);
	}
	return 0;
}

void compare_warn_of_reference(const struct compare_task *task, bool decided)
{
	const struct compare_side *side = &task->files[0].side;

	if (!side->result->complete)
		cli_warn("compare", "'%s' is incomplete: its run was stopped",
			side->source);
	if (side->analysis && side->analysis->placement != ANALYSIS_STABLE)
		cli_warn("compare", "'%s': %s, so its levels may be wrong",
			side->source,
			analysis_placement_doubt(side->analysis->placement));
	/* Several runs show moves. The report mentions a missing verdict. */
	if (!task->arguments->by_level && side->n_runs < 2 && decided &&
		facts_text(&side->result->machine, "hypervisor"))
		cli_warn("compare", "'%s' was measured on virtual CPUs, %s",
			side->source,
			result_find_matrix(side->result, NULL, NULL)
				? "which the host may move between runs: a "
				  "changed pair may only have moved"
				: "which may share caches and memory with "
				  "other guests: a change may come from their "
				  "load");
}

/*
 * Return the limit of the colours for both signs: the 99th percentile of the
 * changes, or the largest change if that is 0.
 */
static double find_change_range(
	const struct result *result, struct arena *arena)
{
	size_t n = result->cpus.n, kept = 0;
	double *sizes =
		arena_alloc(arena, result->n_matrices * n * n, sizeof(*sizes));
	double most;

	for (size_t m = 0; m < result->n_matrices; m++) {
		for (size_t k = 0; k < n * n; k++) {
			double size = fabs(result->matrices[m].values[k]);

			if (!isnan(size))
				sizes[kept++] = size;
		}
	}
	stat_sort(sizes, kept);
	most = stat_quantile(sizes, kept, 0.99);
	if (most > 0)
		return most;
	return kept > 0 && sizes[kept - 1] > 0 ? sizes[kept - 1] : 1;
}

/* A single cell is drawn only if there are no curves. */
static bool is_one_cell(const struct result *difference)
{
	return difference->n_curves > 0 && difference->cpus.n == 1;
}

/* Return why the colours do not prove a change, or NULL. */
static const char *format_change_doubt(
	const struct comparison *comparison, struct arena *arena)
{
	struct text_list text = {0};

	if (!comparison->doubt && !comparison->undecided)
		return NULL;
	if (comparison->doubt)
		text_list_add(&text, " ", "In doubt: %s.", comparison->doubt);
	if (comparison->undecided)
		text_list_add(&text, " ", "c2c %s.", comparison->undecided);
	return arena_adopt(arena, text_list_end(&text));
}

/* Return how to draw the difference of two files. */
static struct plot_options compare_plot_options(const struct compare_task *task,
	const struct result *difference, struct arena *arena)
{
	struct plot_options options;

	plot_options_init(&options);
	if (difference->n_matrices > 0 && !is_one_cell(difference)) {
		options.statistic = "change";
		options.difference = true;
		options.range_max = find_change_range(difference, arena);
		options.range_min = -options.range_max;
	}
	options.title = arena_format(arena, "%s against %s",
		file_base(task->files[1].side.source),
		file_base(task->files[0].side.source));
	options.doubt = format_change_doubt(&task->files[1].comparison, arena);
	return options;
}

/* Write files first, in case standard output fails. */
static int show_comparison(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	struct output_contents contents = {
		.command = "compare",
		.option = "-o",
		.verbosity = arguments->verbosity,
	};
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct result difference;

	if (!arguments->by_level) {
		difference = compare_result(&task->files[1].comparison,
			&task->files[0].side, arena);
		contents.drawn = &difference;
		contents.plot = compare_plot_options(task, &difference, arena);
	}
	if (arguments->json || outputs_have_data(&arguments->outputs))
		contents.json = arena_adopt(
			arena, compare_text(task->files, task->n, NULL));
	if (!outputs_finish(&arguments->outputs, &contents, arguments->json,
		    &task->status))
		return 0;
	compare_report(stdout, &task->files[0].side, &task->files[1],
		arguments->verbosity > 0);
	/* Draw only on a terminal. Describe curves in words. */
	if (!contents.drawn || contents.drawn->n_matrices == 0 ||
		is_one_cell(contents.drawn) ||
		(!terminal.colour && !isatty(STDOUT_FILENO)))
		return 0;
	return plot_text(PLOT_RECORD(contents.drawn), &contents.plot, &terminal,
		stdout, err);
}

/* Compare files[1], already open, with files[0]; print and judge. */
static int finish_comparison(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	struct compared_file *files = task->files;
	enum check_answer answer;
	int rc = compare_side_with_reference(&files[0], &files[1],
		arguments->by_level,
		arguments->verbosity >= 0 && progress_can_be_drawn(stderr),
		err);

	if (rc < 0)
		return rc;
	if (arguments->verbosity >= 0)
		compare_warn_of_reference(task, !files[1].comparison.undecided);
	rc = show_comparison(task, arena, err);
	if (rc < 0 || isnan(arguments->threshold.pct))
		return rc;
	answer = threshold_warn(&arguments->threshold, &files[1], arena);
	if (task->status == STATUS_DONE)
		task->status =
			check_status(answer, arguments->threshold.strict);
	return 0;
}

/* c2c compares both files by the levels of the reference. */
static bool needs_levels(const struct compare_task *task, size_t side)
{
	return side == 0 || task->arguments->by_level;
}

static int open_record(
	struct compare_task *task, size_t side, size_t i, struct error *err)
{
	struct input_records *records = &task->records[side];

	return compare_side_adopt(&task->files[side], &records->results[i],
		records->names[i], needs_levels(task, side), err);
}

/*
 * Load the records of a side. A file without sections, with one record or
 * several runs, is also opened.
 */
static int load_side_records(
	struct compare_task *task, size_t side, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	const char *path = arguments->inputs.paths[side];
	struct input_records *records = &task->records[side];
	struct compare_side_names names;
	int rc = compare_side_split_names(path, &names, err);
	bool several = names.n > 1;

	compare_side_names_release(&names);
	if (rc < 0)
		return rc;
	if (several)
		return compare_side_open(&task->files[side], &arguments->unit,
			path, needs_levels(task, side), err);
	rc = input_records_load(records, &arguments->unit, path, err);
	return rc < 0 || records->sections[0] ? rc
					      : open_record(task, side, 0, err);
}

/* Return the index of the record with this section name; n if there is none. */
static size_t find_section(
	const struct input_records *records, const char *section)
{
	size_t i = 0;

	while (i < records->n && strcmp(records->sections[i], section) != 0)
		i++;
	return i;
}

/* Return the worse status: a failed check is worse than a failed comparison. */
static int worse_status(int a, int b)
{
	static const int order[] = {STATUS_INTERRUPTED, STATUS_DOES_NOT_HOLD,
		STATUS_FAILED, STATUS_UNAVAILABLE, STATUS_UNDECIDED};

	for (size_t i = 0; i < N_OF(order); i++) {
		if (a == order[i] || b == order[i])
			return order[i];
	}
	return STATUS_DONE;
}

static bool are_of_lines(const struct compare_task *task, const size_t at[2])
{
	return task->records[0].results[at[0]].n_line_profiles > 0 &&
	       task->records[1].results[at[1]].n_line_profiles > 0;
}

/* Compare the sections of the same name on both sides. */
static void compare_section(
	struct compare_task *task, const size_t at[2], struct arena *arena)
{
	bool of_lines = are_of_lines(task, at);
	int before = task->status, rc = 0;
	struct error err;

	task->status = STATUS_DONE;
	for (size_t k = 0; rc == 0 && k < 2; k++)
		rc = open_record(task, k, at[k], &err);
	if (rc == 0)
		rc = finish_comparison(task, arena, &err);
	/* Sections of cache lines may have different pairs in each run. */
	of_lines &= rc < 0 && err.class == ERROR_USAGE;
	if (of_lines && task->arguments->verbosity >= 0)
		cli_notify("compare", "note: %s", err.text);
	if (rc < 0 && !of_lines)
		task->status = cli_fail("compare", &err);
	/* Different sections are no usage error. */
	if (task->status == STATUS_USAGE)
		task->status = STATUS_FAILED;
	task->status = worse_status(task->status, before);
	for (size_t k = 0; k < 2; k++) {
		compare_side_close(&task->files[k]);
		compare_drop_packed(&task->files[k]);
		task->files[k] = (struct compared_file){0};
	}
}

/* Print "Only in 'FILE': contend, numa". */
static void print_lonely_sections(const struct input_records *records,
	const struct input_records *others, const char *path)
{
	struct text_list list = {0};
	char *names;

	for (size_t i = 0; i < records->n; i++) {
		if (find_section(others, records->sections[i]) == others->n)
			text_list_add(&list, ", ", "%s", records->sections[i]);
	}
	names = text_list_end(&list);
	if (names && *names)
		printf("Only in '%s': %s.\n", path, names);
	free(names);
}

/* Require a common section, and for --json and -o only one. */
static int check_common_sections(
	const struct compare_task *task, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	const char *const *paths = arguments->inputs.paths;
	const struct input_records *sides = task->records;
	struct text_list list = {0};
	size_t common = 0;
	char *names;
	int rc = 0;

	for (size_t i = 0; i < sides[0].n; i++) {
		const char *name = sides[0].sections[i];

		if (find_section(&sides[1], name) == sides[1].n)
			continue;
		text_list_add(&list, ", ", "%s", name);
		common++;
	}
	names = text_list_end(&list);
	if (common == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' have no section of the same name",
			paths[0], paths[1]);
	else if (common > 1 && (arguments->json || arguments->outputs.n > 0))
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' have %zu sections of the same name, and "
			"%s takes one: name one of %s on both sides",
			section_path(paths[0]), section_path(paths[1]), common,
			arguments->json ? "--json" : "-o",
			names ? names : "them");
	free(names);
	return rc;
}

/* Compare the common sections one after the other. */
static int compare_sections(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	const struct input_records *sides = task->records;
	const char *const *paths = task->arguments->inputs.paths;
	bool told = !task->arguments->json;
	int rc = check_common_sections(task, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < sides[0].n; i++) {
		const size_t at[] = {
			i, find_section(&sides[1], sides[0].sections[i])};

		if (at[1] == sides[1].n)
			continue;
		if (told)
			printf("== %s\n", sides[0].sections[i]);
		/* Messages must be below the name of their section. */
		fflush(stdout);
		compare_section(task, at, arena);
	}
	for (size_t k = 0; told && k < 2; k++)
		print_lonely_sections(&sides[k], &sides[!k], paths[k]);
	return 0;
}

/* Open section i of a side, to compare it with a single record. */
static int open_section(
	struct compare_task *task, size_t side, size_t i, struct error *err)
{
	int rc = check_two_sides(task->arguments->inputs.paths[!side],
		task->records[side].names[i], err);

	return rc < 0 ? rc : open_record(task, side, i, err);
}

/* Open the section that has the command of the other record. */
static int open_fitting_section(
	struct compare_task *task, size_t side, struct error *err)
{
	const struct input_records *records = &task->records[side];
	const char *const *paths = task->arguments->inputs.paths;
	const char *command = task->files[!side].side.result->command;
	struct text_list fitting = {0}, all = {0};
	size_t n = 0, at = 0;
	char *names[2];

	for (size_t i = 0; i < records->n; i++) {
		text_list_add(&all, ", ", "%s", records->names[i]);
		if (!text_same(records->results[i].command, command))
			continue;
		text_list_add(&fitting, ", ", "%s", records->names[i]);
		at = i;
		n++;
	}
	names[0] = text_list_end(&all);
	names[1] = text_list_end(&fitting);
	if (n != 1)
		error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has %zu sections, but '%s' is one record: name "
			"one of %s",
			section_path(paths[side]), records->n, paths[!side],
			names[n > 0] ? names[n > 0] : "them");
	free(names[0]);
	free(names[1]);
	return n == 1 ? open_section(task, side, at, err) : -EINVAL;
}

static bool has_sections(const struct input_records *records)
{
	return records->n > 0 && records->sections[0];
}

/* Compare two files. */
static int compare_files(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	const struct input_records *sides = task->records;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < 2; k++)
		rc = load_side_records(task, k, err);
	for (size_t k = 0; rc == 0 && k < 2; k++) {
		if (task->arguments->verbosity >= 0)
			input_records_note_skipped(&sides[k], "compare");
	}
	if (rc == 0 && sides[0].n + sides[1].n > 2 && has_sections(&sides[0]) &&
		has_sections(&sides[1]))
		return compare_sections(task, arena, err);
	for (size_t k = 0; rc == 0 && k < 2; k++) {
		if (has_sections(&sides[k]))
			rc = sides[k].n > 1 ? open_fitting_section(task, k, err)
					    : open_section(task, k, 0, err);
	}
	return rc < 0 ? rc : finish_comparison(task, arena, err);
}

/* Return whether a result has pairs of CPUs, which form levels. */
static bool has_levels(const struct result *result)
{
	return result_find_matrix(result, NULL, NULL) &&
	       !result_is_of_nodes(result);
}

int compare_two(FILE *out, const struct result *const results[2],
	const char *const names[2], struct error *err)
{
	struct compared_file files[2] = {0};
	const struct compare_side sides[2] = {
		{.result = results[0], .source = names[0]},
		{.result = results[1], .source = names[1]}};
	int rc = compare_check_one_side(&sides[0], &sides[1], err);
	bool by_level = rc < 0;

	if (by_level && (!has_levels(results[0]) || !has_levels(results[1])))
		return rc;
	rc = compare_side_borrow(&files[0], results[0], names[0], true, err);
	if (rc == 0)
		rc = compare_side_borrow(
			&files[1], results[1], names[1], by_level, err);
	if (rc == 0)
		rc = compare_side_with_reference(
			&files[0], &files[1], by_level, false, err);
	if (rc == 0)
		compare_report(out, &files[0].side, &files[1], false);
	compare_side_return(&files[0]);
	compare_side_return(&files[1]);
	return rc;
}

static int compare_inputs(struct arena *arena, void *context, struct error *err)
{
	struct compare_task *task = context;
	const struct compare_arguments *arguments = task->arguments;
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc < 0)
		return rc;
	task->files =
		arena_alloc(arena, arguments->inputs.n, sizeof(*task->files));
	task->n = arguments->inputs.n;
	return task->n > 2 ? compare_fleet(task, arena, err)
			   : compare_files(task, arena, err);
}

static int run_compare(int argc, char **argv)
{
	struct compare_arguments arguments = {.inputs.several = true,
		.inputs.skip_duplicates = true,
		.threshold.pct = NAN};
	const struct option_table tables[] = {
		{rows, N_OF(rows), &arguments, compare_check_arguments, rules},
		unit_option_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "compare",
		.doc = "Report what changed from REFERENCE to FILE beyond "
		       "noise, by pair and by level, and which settings "
		       "differ. With several FILEs, a fleet, c2c ranks them by "
		       "their distance from REFERENCE and names outliers with "
		       "the reason. Each FILE is a .json or .csv of c2c, a "
		       ".csv of another tool, or - for standard input. "
		       "REFERENCE or FILE may be several runs of one machine, "
		       "with commas between: their spread is the noise, as "
		       "with --runs.",
		.often = "output threshold strict by-level help",
		.examples = "c2c compare before.json after.json\twhat changed "
			    "beyond noise\n"
			    "c2c compare good.json new.json --threshold "
			    "5\tstatus 3 if it is 5 % worse\n",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "REFERENCE FILE...",
		.take = inputs_add,
	};
	struct compare_task task = {.arguments = &arguments};
	struct arena arena = {0};
	struct error err;

	task.status = options_parse(&command, argc, argv);
	if (task.status != STATUS_DONE)
		return task.status;
	arguments.threshold.quiet = arguments.verbosity < 0;
	arguments.unit.warn_command =
		arguments.verbosity < 0 ? NULL : "compare";
	if (arena_run(&arena, compare_inputs, &task, "the results", &err) < 0)
		task.status = cli_fail("compare", &err);
	for (size_t i = 0; task.files && i < task.n; i++) {
		compare_side_close(&task.files[i]);
		compare_drop_packed(&task.files[i]);
		free(task.files[i].report);
	}
	for (size_t k = 0; k < N_OF(task.records); k++)
		input_records_release(&task.records[k]);
	arena_release(&arena);
	outputs_release(&arguments.outputs);
	inputs_release(&arguments.inputs);
	return task.status;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "Changes between results that exceed noise",
	.run = run_compare,
};
