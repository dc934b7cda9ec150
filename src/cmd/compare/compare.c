/*
 * c2c compare: what changed between results, beyond noise.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include "result/runs.h"
#include "stat/stat.h"
#include "util/progress.h"
#include "util/text.h"

struct compare_arguments {
	struct inputs inputs;
	struct outputs outputs;
	struct unit_choice unit;
	double threshold_pct; /* NaN: none */
	bool by_level, strict, json;
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
		.help = "Print the comparison as JSON instead of the report "
			"(as -o - does)"},
	{.kind = OPTION_HEADING, .group = 2, .help = "What to compare:"},
	{"threshold", OPTION_NUMBER, "PCT", AT(threshold_pct),
		.help = "Exit with status 3 if the median of a level got worse "
			"by more "
			"than PCT per cent, and by more than noise",
		.within = {0, 1e6}},
	{"strict", OPTION_FLAG, NULL, AT(strict),
		.help = "With --threshold: exit with status 4 if no level is "
			"known to be worse, but c2c cannot tell it of every "
			"level"},
	{"by-level", OPTION_FLAG, NULL, AT(by_level),
		.help = "Compare levels by their kinds rather than pairs, so "
			"that "
			"machines, CPUs and methods may differ"},
};

/* The files of a side: those between commas, unless one has that name. */
struct side_names {
	char **texts;
	size_t n;
};

static void side_names_release(struct side_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->texts[i]);
	free(names->texts);
	*names = (struct side_names){NULL, 0};
}

static int side_names_of(
	const char *path, struct side_names *names, struct error *err)
{
	bool whole = access(path, F_OK) == 0;
	const char *at = path;

	*names = (struct side_names){
		calloc(strlen(path) + 1, sizeof(char *)), 0};
	while (names->texts) {
		size_t bytes = whole ? strlen(at) : strcspn(at, ",");

		names->texts[names->n] = strndup(at, bytes);
		if (!names->texts[names->n])
			break;
		names->n++;
		if (!at[bytes])
			return 0;
		at += bytes + 1;
	}
	side_names_release(names);
	return error_no_memory(err, "the names of files");
}

/* No output may be one of the files of a side. */
static int spare_inputs(const struct inputs *inputs,
	const struct outputs *outputs, struct error *err)
{
	int rc = inputs_check(inputs, outputs, err);

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		struct side_names names;

		rc = side_names_of(inputs->paths[i], &names, err);
		for (size_t k = 0; rc == 0 && k < names.n; k++)
			rc = outputs_spare(outputs, "-o", names.texts[k], err);
		side_names_release(&names);
	}
	return rc;
}

static int check_arguments(void *into, struct error *err)
{
	struct compare_arguments *arguments = into;
	const struct outputs *outputs = &arguments->outputs;

	arguments->json |= outputs->json;
	if (arguments->inputs.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s: name a reference and a file to compare with it",
			arguments->inputs.n ? "only one FILE" : "no FILE");
	if (arguments->strict && isnan(arguments->threshold_pct))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--strict: there is no --threshold that could hold");
	if (spare_inputs(&arguments->inputs, outputs, err) < 0)
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

/* The levels, and cells of nodes, that have no verdict. */
static size_t count_untold(const struct comparison *comparison)
{
	size_t n = 0;

	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *matrix = &comparison->matrices[i];

		if (comparison->of_nodes)
			n += matrix->n_pairs - matrix->n_tested;
		for (size_t k = 0; k < matrix->n_levels; k++)
			n += !matrix->levels[k].tested;
	}
	for (size_t i = 0; i < comparison->n_curves; i++) {
		const struct compare_curve *curve = &comparison->curves[i];

		for (size_t k = 0; k < curve->n_stretches; k++)
			n += !curve->stretches[k].tested;
	}
	return n;
}

/*
 * Without a verdict nothing exceeds a threshold. Whoever asks only for the
 * exit status must not take that for "no change". Returns whether all is told.
 */
static bool tell_undecided(const struct compared *file)
{
	const struct comparison *comparison = &file->comparison;
	size_t n = file->reason ? 0 : count_untold(comparison);
	const char *s = n == 1 ? "" : "s";

	if (comparison->undecided)
		cli_warn("compare", "--threshold: '%s': %s", file->side.source,
			comparison->undecided);
	else if (n > 0 && comparison->needs_turns)
		cli_warn("compare",
			"--threshold: '%s': %zu level%s changed, or the "
			"machine drifted: all runs of one side came first. "
			"Measure again in turns",
			file->side.source, n, s);
	else if (n > 0)
		cli_warn("compare", "--threshold: '%s': %zu level%s not tested",
			file->side.source, n, n == 1 ? " was" : "s were");
	return !comparison->undecided && n == 0;
}

/* The files of a call: files[0] is the reference. */
struct task {
	const struct compare_arguments *arguments;
	struct compared *files;
	size_t n;
	int status;
};

/* Name the kinds of levels after the objects of the topology. */
static int name_levels(struct analysis *analysis, const struct result *result,
	const char *path, struct error *err)
{
	struct machine *machine;
	int rc;

	if (!result->hwloc_xml)
		return 0;
	rc = topology_inside(result, path, &machine, err);
	if (rc < 0)
		return rc;
	rc = agree(analysis, result, machine, err);
	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", path);
	machine_free(machine);
	return rc;
}

/* The runs of the files of a side: of a record that has some, those. */
static int take_runs(
	struct compared *file, const struct result *files, size_t n)
{
	size_t room = 0;

	for (size_t i = 0; i < n; i++)
		room += files[i].n_runs ? files[i].n_runs : 1;
	file->runs = calloc(room, sizeof(void *));
	if (!file->runs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (files[i].n_runs == 0)
			file->runs[file->side.n_runs++] = &files[i];
		for (size_t r = 0; r < files[i].n_runs; r++)
			file->runs[file->side.n_runs++] = &files[i].runs[r];
	}
	file->side.runs = file->runs;
	return 0;
}

/* Files of one side are of one machine and one measurement. */
static int check_part(const struct compared *file, size_t i,
	const char *const names[], struct error *err)
{
	const struct compare_side first = {
		.result = &file->parts[0], .source = names[0]};
	const struct compare_side other = {
		.result = &file->parts[i], .source = names[i]};
	const struct cpu_list *a = &first.result->cpus;
	const struct cpu_list *b = &other.result->cpus;
	int rc = compare_alike(&first, &other, err);

	if (rc == 0 && memcmp(a->cpus, b->cpus, a->n * sizeof(*a->cpus)) != 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' have their CPUs in different orders",
			names[0], names[i]);
	return rc;
}

/* Load the files of a side, and make one result of their runs. */
static int load_parts(struct compared *file, const struct unit_choice *unit,
	const struct side_names *names, struct error *err)
{
	const struct result *first;
	int rc = 0;

	file->parts = calloc(names->n, sizeof(*file->parts));
	if (!file->parts)
		return error_no_memory(err, "the files of a side");
	for (size_t i = 0; rc == 0 && i < names->n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (file_same(names->texts[k], names->texts[i]))
				return error_set(err, ERROR_USAGE, EINVAL,
					"'%s' is given twice, and is one run",
					names->texts[i]);
		}
		rc = unit_load(unit, names->texts[i], &file->parts[i], err);
		if (rc < 0)
			break;
		file->n_parts++;
		if (i > 0)
			rc = check_part(file, i,
				(const char *const *)names->texts, err);
	}
	if (rc < 0)
		return rc;
	if (take_runs(file, file->parts, file->n_parts) < 0)
		return error_no_memory(err, "the files of a side");
	rc = runs_merge(&file->result, file->runs, file->side.n_runs, err);
	first = file->parts;
	if (rc == 0 && !file->result.hwloc_xml && first->hwloc_xml) {
		file->result.hwloc_xml = strdup(first->hwloc_xml);
		if (!file->result.hwloc_xml)
			rc = error_no_memory(err, "the topology");
	}
	return rc;
}

static int load_side(struct compared *file, const struct unit_choice *unit,
	const char *path, struct error *err)
{
	struct side_names names;
	int rc;

	result_init(&file->result);
	result_init(&file->pooled_result);
	if (side_names_of(path, &names, err) < 0)
		return -ENOMEM;
	if (names.n > 1) {
		rc = load_parts(file, unit, &names, err);
	} else {
		rc = unit_load(unit, path, &file->result, err);
		if (rc < 0)
			result_init(&file->result);
		else if (take_runs(file, &file->result, 1) < 0)
			rc = error_no_memory(err, "the runs");
	}
	side_names_release(&names);
	return rc;
}

/* Runs may be too far apart to show levels: all pairs are one, then. */
static int do_without_levels(struct compared *file, struct error *err)
{
	char *why = strdup(err->text);

	if (!why)
		return error_no_memory(err, "the levels");
	free(file->no_levels);
	file->no_levels = why;
	return 0;
}

/* Find the levels of a side that has been loaded, if asked for. */
static int find_levels(
	struct compared *file, const char *path, bool levels, struct error *err)
{
	int rc;

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
	if (rc == -EINVAL && file->side.n_runs > 1)
		return do_without_levels(file, err);
	if (rc < 0)
		return rc;
	file->side.analysis = &file->analysis;
	return name_levels(&file->analysis, &file->result, path, err);
}

/* Load a side and, if asked for, find its levels. */
static int open_side(struct compared *file, const struct unit_choice *unit,
	const char *path, bool levels, struct error *err)
{
	int rc = load_side(file, unit, path, err);

	return rc < 0 ? rc : find_levels(file, path, levels, err);
}

static void drop_intervals(struct result *result)
{
	size_t n = result_members(result)->n;

	for (size_t k = 0; k < result->n_matrices; k++) {
		struct matrix *matrix = &result->matrices[k];

		for (size_t i = 0; i < n * n; i++) {
			if (text_same(matrix->statistic, "ci_low") ||
				text_same(matrix->statistic, "ci_high"))
				matrix->values[i] = NAN;
		}
	}
}

/* The levels of the runs of both sides: neither of them chooses. */
static int pool_levels(const struct compare_side *reference,
	struct compared *file, struct error *err)
{
	size_t n = reference->n_runs, m = file->side.n_runs;
	const struct result **runs = calloc(n + m, sizeof(void *));
	const char *path = reference->source;
	struct result *pooled = &file->pooled_result;
	int rc;

	if (!runs)
		return error_no_memory(err, "the runs");
	memcpy(runs, reference->runs, n * sizeof(void *));
	memcpy(runs + n, file->side.runs, m * sizeof(void *));
	rc = runs_merge(pooled, runs, n + m, err);
	free(runs);
	if (rc < 0) {
		result_init(pooled);
		return rc;
	}
	/* They span the change, which is no doubt about a value. */
	drop_intervals(pooled);
	if (!pooled->hwloc_xml && reference->result->hwloc_xml)
		pooled->hwloc_xml = strdup(reference->result->hwloc_xml);
	rc = analysis_make(pooled, &path, 1, &file->pooled, err);
	if (rc == -EINVAL)
		return do_without_levels(file, err);
	return rc < 0 ? rc : name_levels(&file->pooled, pooled, path, err);
}

/* Show how far a test of runs is, which takes seconds with many CPUs. */
static void show_test(void *context, double fraction)
{
	(void)context;
	progress_draw(stderr, plot_terminal_of(stderr).columns, fraction,
		"testing by whole runs");
}

/* Compare a side with the reference, by the levels that fit. */
static int compare_side(
	const struct task *task, struct compared *file, struct error *err)
{
	static const struct stat_watch watch = {show_test, NULL};
	struct compare_side reference = task->files[0].side;
	bool watched = task->arguments->verbosity >= 0 &&
		       progress_can_be_drawn(stderr);
	bool by_level = task->arguments->by_level;
	int rc = 0;

	if (!by_level)
		reference.no_levels = task->files[0].no_levels;
	if (!by_level && reference.analysis && file->side.n_runs > 1 &&
		reference.n_runs > 1 &&
		compare_alike(&reference, &file->side, NULL) == 0 &&
		memcmp(reference.result->cpus.cpus, file->result.cpus.cpus,
			file->result.cpus.n * sizeof(unsigned)) == 0) {
		rc = pool_levels(&reference, file, err);
		reference.analysis = file->no_levels ? NULL : &file->pooled;
		reference.no_levels = file->no_levels;
	}
	reference.watch = watched ? &watch : NULL;
	if (rc == 0)
		rc = compare_make(&reference, &file->side, by_level,
			&file->comparison, err);
	if (watched)
		progress_clear(stderr);
	return rc;
}

static void close_side(struct compared *file)
{
	compare_release(&file->comparison);
	analysis_release(&file->analysis);
	analysis_release(&file->pooled);
	result_release(&file->pooled_result);
	result_release(&file->result);
	for (size_t i = 0; i < file->n_parts; i++)
		result_release(&file->parts[i]);
	free(file->parts);
	free(file->runs);
	free(file->no_levels);
}

int compare_two(FILE *out, const struct result *const results[2],
	const char *const names[2], struct error *err)
{
	struct compare_arguments arguments = {.verbosity = -1};
	struct compared files[2] = {0};
	struct task task = {.arguments = &arguments, .files = files, .n = 2};
	const struct compare_side sides[2] = {
		{.result = results[0], .source = names[0]},
		{.result = results[1], .source = names[1]}};
	int rc = 0;

	arguments.by_level = compare_alike(&sides[0], &sides[1], NULL) < 0;
	for (int i = 0; rc == 0 && i < 2; i++) {
		result_init(&files[i].pooled_result);
		files[i].result = *results[i];
		if (take_runs(&files[i], &files[i].result, 1) < 0)
			rc = error_no_memory(err, "the runs");
		else
			rc = find_levels(&files[i], names[i],
				i == 0 || arguments.by_level, err);
	}
	if (rc == 0)
		rc = compare_side(&task, &files[1], err);
	if (rc == 0)
		compare_report(out, &files[0].side, &files[1], false);
	for (int i = 0; i < 2; i++) {
		/* The caller's. */
		result_init(&files[i].result);
		close_side(&files[i]);
	}
	return rc;
}

/* Warn of a reference that proves less than it seems to. */
static void warn_of_side(const struct compare_side *side,
	const struct compare_arguments *arguments, bool decided)
{
	if (!side->result->complete)
		cli_warn("compare", "'%s' was ended before it was complete",
			side->source);
	if (side->analysis && side->analysis->placement != ANALYSIS_STABLE)
		cli_warn("compare", "'%s': %s, so its levels may be wrong",
			side->source,
			analysis_placement_doubt(side->analysis->placement));
	/* Runs show what moves; without a verdict the report says it. */
	if (!arguments->by_level && side->n_runs < 2 && decided &&
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

/* The picture of a single cell is that of the curves, if there are any. */
static bool is_one_cell(const struct result *difference)
{
	return difference->n_curves > 0 && difference->cpus.n == 1;
}

/* How to draw the difference of two files. */
static struct plot_options drawing_of(const struct task *task,
	const struct result *difference, struct arena *arena)
{
	struct plot_options options;

	plot_options_init(&options);
	if (difference->n_matrices > 0 && !is_one_cell(difference)) {
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
		compare_report(stdout, &task->files[0].side, &task->files[i],
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
		is_one_cell(contents.drawn) ||
		(!terminal.colour && !isatty(STDOUT_FILENO)))
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

/* Whether a cell of NUMA nodes, which have no levels, got worse by more. */
static bool cells_exceed(const struct compare_arguments *arguments,
	const struct compared *file, const struct compare_matrix *matrix)
{
	const struct cpu_list *nodes = &file->comparison.cpus;
	size_t n = nodes->n;
	bool any = false;

	if (!result_is_of_nodes(file->side.result) || !matrix->change)
		return false;
	for (size_t k = 0; k < n * n; k++) {
		double worse = compare_worse_pct(matrix->higher_is_better,
			matrix->before[k], matrix->change[k]);

		if (!matrix->significant[k] ||
			!(worse > arguments->threshold_pct))
			continue;
		any = true;
		if (arguments->verbosity >= 0)
			cli_warn("compare",
				"'%s': %s, CPUs of node %u, memory of node "
				"%u: worse by %.1f %%",
				file->side.source, matrix->name,
				nodes->cpus[k / n], nodes->cpus[k % n], worse);
	}
	return any;
}

/* Whether a level got worse by more relative to the rest, which moved less. */
static bool rest_exceeds(
	const struct compare_arguments *arguments, const struct compared *file)
{
	bool any = false;

	for (size_t i = 0; i < file->comparison.n_matrices; i++) {
		const struct compare_matrix *matrix =
			&file->comparison.matrices[i];

		for (size_t k = 0; k < matrix->n_levels; k++) {
			const struct compare_level *level = &matrix->levels[k];
			double worse =
				compare_worse_pct(matrix->higher_is_better, 1,
					level->rest_change);
			char name[32];

			if (level->significant || !level->rest_significant ||
				!compare_moved(level) ||
				!(worse > arguments->threshold_pct))
				continue;
			any = true;
			compare_level_name(level, name);
			if (arguments->verbosity >= 0)
				cli_warn("compare",
					"'%s': %s, %s: worse by %.1f %% "
					"relative to the rest",
					file->side.source, matrix->name, name,
					worse);
		}
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
	any |= rest_exceeds(arguments, file);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *matrix = &comparison->matrices[i];

		any |= cells_exceed(arguments, file, matrix);
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
		rc = compare_side(task, file, err);
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

static bool any_decided(const struct task *task)
{
	for (size_t i = 1; i < task->n; i++) {
		if (!task->files[i].reason &&
			!task->files[i].comparison.undecided)
			return true;
	}
	return false;
}

/* The status that --threshold and --strict ask for. */
static void judge_threshold(struct task *task)
{
	bool told = true, worse = false;

	for (size_t i = 1; i < task->n; i++) {
		told &= tell_undecided(&task->files[i]);
		worse |= exceeds(task->arguments, &task->files[i]);
	}
	if (task->status != STATUS_DONE)
		return;
	if (worse)
		task->status = STATUS_DOES_NOT_HOLD;
	else if (!told && task->arguments->strict)
		task->status = STATUS_UNDECIDED;
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
		warn_of_side(
			&task->files[0].side, arguments, any_decided(task));
		warn_of_relax(task, arena);
	}
	rc = show_comparison(task, arena, err);
	if (rc == 0 && !isnan(arguments->threshold_pct))
		judge_threshold(task);
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
		       "of another tool, or - for standard input; or several "
		       "between commas, runs of one machine: then the spread "
		       "between runs is the noise, as with records of --runs.",
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
