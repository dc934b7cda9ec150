/*
 * c2c compare: what changed between results, beyond noise.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "analyze/analysis.h"
#include "cmd/cli.h"
#include "cmd/compare/report.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/relax.h"
#include "cmd/topology.h"
#include "cmd/unit.h"
#include "commands.h"
#include "plot/plot.h"
#include "result/file.h"
#include "stat/stat.h"

struct compare_arguments {
	struct inputs inputs;
	struct outputs outputs;
	struct unit_choice unit;
	double threshold_pct; /* NaN: none */
	bool by_level, json;
	int verbosity;
};

static int parse_output(void *at, const char *text, struct error *err)
{
	return outputs_add(at, text, OUTPUT_JSON | OUTPUT_PICTURE, err);
}

#define AT(member) offsetof(struct compare_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"output", OPTION_OWN, "OUT", AT(outputs),
		.help = "Write the comparison (.json) or, of two files, a "
			"picture of the differences (.png .svg .pdf) to OUT; "
			"may be given more than once",
		.letter = 'o', .parse = parse_output},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the comparison as JSON instead of the report"},
	{.kind = OPTION_HEADING, .group = 2, .help = "What to compare:"},
	{"threshold", OPTION_NUMBER, "PCT", AT(threshold_pct),
		.help = "Exit with status 3 if the median of a level got worse "
			"by more "
			"than PCT per cent, and by more than noise",
		.within = {0, 1e6}},
	{"by-level", OPTION_FLAG, NULL, AT(by_level),
		.help = "Compare levels by their kinds rather than pairs, so "
			"that "
			"machines, CPUs and methods may differ"},
};

static int check_arguments(void *into, struct error *err)
{
	const struct compare_arguments *arguments = into;
	const struct outputs *outputs = &arguments->outputs;

	if (arguments->inputs.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s: name a reference and a file to compare with it",
			arguments->inputs.n ? "only one FILE" : "no FILE");
	if (inputs_check(&arguments->inputs, outputs, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < outputs->n; i++) {
		if (!plot_picture_kind(outputs->paths[i]))
			continue;
		if (arguments->inputs.n > 2)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' can show the difference of two files "
				"only",
				outputs->paths[i]);
		if (arguments->by_level)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' shows pairs, which --by-level does "
				"not compare",
				outputs->paths[i]);
	}
	return 0;
}

/* The files of a call: files[0] is the reference. */
struct task {
	const struct compare_arguments *arguments;
	struct compared *files;
	size_t n;
	int status;
};

/* Name the kinds of levels after the objects of the topology. */
static int name_levels(struct compared *file, struct error *err)
{
	const char *path = file->side.source;
	struct machine *machine;
	int rc;

	if (!file->result.hwloc_xml)
		return 0;
	rc = topology_inside(&file->result, path, &machine, err);
	if (rc < 0)
		return rc;
	rc = agree(&file->analysis, &file->result, machine, err);
	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", path);
	machine_free(machine);
	return rc;
}

/* Load a file and, if asked for, find its levels. */
static int open_side(struct compared *file, const struct unit_choice *unit,
	const char *path, bool levels, struct error *err)
{
	int rc = unit_load(unit, path, &file->result, err);

	if (rc < 0) {
		result_init(&file->result);
		return rc;
	}
	file->side.result = &file->result;
	file->side.source = path;
	/* compare_make() checks what both must have. */
	if (!result_find_matrix(&file->result, NULL, NULL))
		return 0;
	if (file->result.cpus.n < 2 && !result_is_of_nodes(&file->result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has only one CPU, and compare needs pairs", path);
	if (!levels || result_is_of_nodes(&file->result))
		return 0;
	rc = analysis_make(&file->result, &path, 1, &file->analysis, err);
	if (rc < 0)
		return rc;
	file->side.analysis = &file->analysis;
	return name_levels(file, err);
}

static void close_side(struct compared *file)
{
	compare_release(&file->comparison);
	analysis_release(&file->analysis);
	result_release(&file->result);
}

/* Warn of a reference that proves less than it seems to. */
static void warn_of_side(const struct compare_side *side,
	const struct compare_arguments *arguments)
{
	if (!side->result->complete)
		cli_warn("compare", "'%s' was ended before it was complete",
			side->source);
	if (side->analysis && side->analysis->placement != ANALYSIS_STABLE)
		cli_warn("compare", "'%s': %s, so its levels may be wrong",
			side->source,
			analysis_placement_doubt(side->analysis->placement));
	if (!arguments->by_level &&
		facts_text(&side->result->machine, "hypervisor"))
		cli_warn("compare", "'%s' was measured on virtual CPUs, %s",
			side->source,
			result_find_matrix(side->result, NULL, NULL)
				? "which the host places anew for every run: a "
				  "changed pair may only have moved"
				: "which may share caches and memory with "
				  "other guests: what they do counts as a "
				  "change");
}

/* Warn of other waiting loops than the reference has: the first, and how many.
 */
static void warn_of_relax(const struct task *task, struct arena *arena)
{
	const char *first = NULL;
	size_t more = 0;

	for (size_t i = 1; i < task->n; i++) {
		const struct compared *file = &task->files[i];
		const char *doubt = file->reason
					    ? NULL
					    : relax_doubt(&task->files[0].side,
						      &file->side, arena);

		if (first && doubt)
			more++;
		else if (doubt)
			first = doubt;
	}
	if (more)
		cli_warn("compare", "%s (and %zu more)", first, more);
	else if (first)
		cli_warn("compare", "%s", first);
}

/*
 * The range of colours, the same on either side: up to the few largest changes.
 */
static double find_range(const struct result *result, struct arena *arena)
{
	size_t n = result->cpus.n, kept = 0;
	double *sizes =
		arena_take(arena, result->n_matrices * n * n, sizeof(*sizes));
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

/* How to draw the difference of two files. */
static struct plot_options drawing_of(const struct task *task,
	const struct result *difference, struct arena *arena)
{
	struct plot_options options;

	plot_options_init(&options);
	if (difference->n_matrices > 0) {
		options.statistic = "change";
		options.difference = true;
		options.range_max = find_range(difference, arena);
		options.range_min = -options.range_max;
	}
	options.title = arena_format(arena, "%s against %s",
		file_base(task->files[1].side.source),
		file_base(task->files[0].side.source));
	return options;
}

static void print_reports(const struct task *task)
{
	for (size_t i = 1; i < task->n; i++) {
		if (task->n > 2 && task->arguments->verbosity <= 0)
			break;
		if (task->files[i].reason)
			continue;
		if (task->n > 2)
			putchar('\n');
		compare_report(&task->files[0].side, &task->files[i],
			task->arguments->verbosity > 0);
	}
}

/* Write files first, in case standard output fails. */
static int show_comparison(
	struct task *task, struct arena *arena, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	struct output_contents contents = {
		.command = "compare",
		.option = "-o",
		.verbosity = arguments->verbosity,
	};
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct result difference;

	if (task->n == 2 && !arguments->by_level) {
		difference = compare_result(&task->files[1].comparison,
			&task->files[0].side, arena);
		contents.drawn = &difference;
		contents.plot = drawing_of(task, &difference, arena);
	}
	if (arguments->json || outputs_have_data(&arguments->outputs))
		contents.json =
			arena_adopt(arena, compare_text(task->files, task->n));
	if (!outputs_finish(&arguments->outputs, &contents, arguments->json,
		    &task->status))
		return 0;
	if (task->n > 2)
		compare_rank(task->files, task->n, arena);
	print_reports(task);
	/* A pipe gets only text; curves are told in words. */
	if (!contents.drawn || contents.drawn->n_matrices == 0 ||
		!isatty(STDOUT_FILENO))
		return 0;
	return plot_text(
		contents.drawn, &contents.plot, &terminal, stdout, err);
}

/* Whether a curve got worse at one of the levels; warns about each. */
static bool curves_exceed(
	const struct compare_arguments *arguments, const struct compared *file)
{
	bool any = false;

	for (size_t i = 0; i < file->comparison.n_curves; i++) {
		const struct compare_curve *curve = &file->comparison.curves[i];

		for (size_t k = 0; k < curve->n_stretches; k++) {
			const struct compare_stretch *stretch =
				&curve->stretches[k];
			double worse =
				compare_worse_pct(curve->higher_is_better,
					stretch->before, stretch->change);

			if (!stretch->significant ||
				!(worse > arguments->threshold_pct))
				continue;
			any = true;
			if (arguments->verbosity >= 0)
				cli_warn("compare",
					"'%s': %s, %s, %s: worse by %.1f %%",
					file->side.source, curve->is.family,
					curve->is.member,
					stretch->level ? stretch->level
						       : "all points",
					worse);
		}
	}
	return any;
}

/* Whether a cache got smaller; warns about each. */
static bool sizes_exceed(
	const struct compare_arguments *arguments, const struct compared *file)
{
	bool any = false;

	for (size_t i = 0; i < file->comparison.n_sizes; i++) {
		const struct compare_size *size = &file->comparison.sizes[i];
		double smaller = compare_smaller_pct(size);

		if (!(smaller > arguments->threshold_pct))
			continue;
		any = true;
		if (arguments->verbosity >= 0)
			cli_warn("compare", "'%s': %s: smaller by %.1f %%",
				file->side.source, size->name, smaller);
	}
	return any;
}

/*
 * Whether a level got worse by more than the threshold, or the file cannot be
 * compared; warns about each.
 */
static bool exceeds(
	const struct compare_arguments *arguments, const struct compared *file)
{
	const struct comparison *comparison = &file->comparison;
	bool any = file->reason;

	if (any && arguments->verbosity >= 0)
		cli_warn("compare", "'%s' cannot be compared",
			file->side.source);
	any |= curves_exceed(arguments, file);
	any |= sizes_exceed(arguments, file);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *matrix = &comparison->matrices[i];

		for (size_t k = 0; k < matrix->n_levels; k++) {
			const struct compare_level *level = &matrix->levels[k];
			double worse =
				compare_worse_pct(matrix->higher_is_better,
					level->before, level->change);
			char name[32];

			if (!level->significant ||
				!(worse > arguments->threshold_pct))
				continue;
			any = true;
			compare_level_name(level, name);
			if (arguments->verbosity >= 0)
				cli_warn("compare",
					"'%s': %s, %s: worse by %.1f %%",
					file->side.source, matrix->name, name,
					worse);
		}
	}
	return any;
}

/*
 * Compare a file with the reference. In a fleet, a file that cannot be compared
 * is a finding, not an error, unless none can.
 */
static int compare_file(const struct task *task, struct compared *file,
	const char *path, struct arena *arena, struct error *err)
{
	const struct compare_arguments *arguments = task->arguments;
	int rc = open_side(
		file, &arguments->unit, path, arguments->by_level, err);

	if (rc == 0)
		rc = compare_make(&task->files[0].side, &file->side,
			arguments->by_level, &file->comparison, err);
	if (rc == 0 || task->n < 3 || !file->side.result ||
		err->class != ERROR_USAGE)
		return rc;
	file->reason = arena_text(arena, err->text);
	return 0;
}

static int compare_files(
	const struct task *task, struct arena *arena, struct error *err)
{
	const char *const *paths = task->arguments->inputs.paths;
	bool any = false;
	int rc = open_side(
		&task->files[0], &task->arguments->unit, paths[0], true, err);

	for (size_t i = 1; rc == 0 && i < task->n; i++) {
		rc = compare_file(task, &task->files[i], paths[i], arena, err);
		any |= !task->files[i].reason;
	}
	if (rc == 0 && !any)
		rc = error_set(
			err, ERROR_USAGE, EINVAL, "%s", task->files[1].reason);
	return rc;
}

static int compare_all(struct arena *arena, void *context, struct error *err)
{
	struct task *task = context;
	const struct compare_arguments *arguments = task->arguments;
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	task->n = arguments->inputs.n;
	task->files = arena_take(arena, task->n, sizeof(*task->files));
	if (rc == 0)
		rc = compare_files(task, arena, err);
	if (rc < 0)
		return rc;
	compare_outliers(task->files + 1, task->n - 1, arena);
	/* For the reference only: a fleet would repeat it for each file. */
	if (arguments->verbosity >= 0) {
		warn_of_side(&task->files[0].side, arguments);
		warn_of_relax(task, arena);
	}
	rc = show_comparison(task, arena, err);
	for (size_t i = 1; rc == 0 && i < task->n; i++) {
		if (!isnan(arguments->threshold_pct) &&
			exceeds(arguments, &task->files[i]) &&
			task->status == STATUS_DONE)
			task->status = STATUS_DOES_NOT_HOLD;
	}
	return rc;
}

static int run_compare(int argc, char **argv)
{
	struct compare_arguments arguments = {
		.inputs.several = true, .threshold_pct = NAN};
	const struct option_table tables[] = {
		{rows, sizeof(rows) / sizeof(*rows), &arguments,
			check_arguments},
		unit_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "compare",
		.doc = "Say what changed from REFERENCE to FILE beyond noise, "
		       "pair by pair and level by level, and what changed "
		       "around it. Several FILEs are ranked by their distance "
		       "from REFERENCE. Each is a .json or .csv of c2c, a .csv "
		       "of another tool, or - for standard input.",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.arguments = "REFERENCE FILE...",
		.take = inputs_take,
	};
	struct task task = {.arguments = &arguments};
	struct arena arena = {0};
	struct error err;

	task.status = options_parse(&command, argc, argv);
	if (task.status != STATUS_DONE)
		return task.status;
	if (arena_run(&arena, compare_all, &task, "the results", &err) < 0)
		task.status = cli_fail("compare", &err);
	for (size_t i = 0; task.files && i < task.n; i++)
		close_side(&task.files[i]);
	arena_release(&arena);
	outputs_release(&arguments.outputs);
	inputs_release(&arguments.inputs);
	return task.status;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "What changed between results, beyond noise",
	.run = run_compare,
};
