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

#include "analyze/agree.h"
#include "cmd/cli.h"
#include "cmd/compare/report.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/unit.h"
#include "commands.h"
#include "plot/plot.h"
#include "result/file.h"
#include "stat/stat.h"
#include "util/array.h"

struct compare_arguments {
	const char **inputs;
	size_t n_inputs;
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
			"heatmap of the differences (.png .svg .pdf) to OUT; "
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

static int take_input(void *into, const char *path, struct error *err)
{
	struct compare_arguments *arguments = into;
	for (size_t i = 0; i < arguments->n_inputs; i++) {
		if (file_same(arguments->inputs[i], path))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
	}
	if (!array_grow(&arguments->inputs, arguments->n_inputs, sizeof(path)))
		return error_no_memory(err, "the names of files");
	arguments->inputs[arguments->n_inputs++] = path;
	return 0;
}

static int check_arguments(void *into, struct error *err)
{
	const struct compare_arguments *arguments = into;
	const struct outputs *outputs = &arguments->outputs;

	if (arguments->n_inputs < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s: name a reference and a file to compare with it",
			arguments->n_inputs ? "only one FILE" : "no FILE");
	for (size_t i = 0; i < arguments->n_inputs; i++) {
		if (outputs_spare(outputs, arguments->inputs[i], err) < 0) {
			error_prefix(err, "-o");
			return -EINVAL;
		}
	}
	for (size_t i = 0; i < outputs->n; i++) {
		if (!plot_picture_kind(outputs->paths[i]))
			continue;
		if (arguments->n_inputs > 2)
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

/* Load a file and, when levels are asked for, find its levels. */
static int open_side(struct compared *file, const struct unit_choice *unit,
	const char *path, bool levels, struct error *err)
{
	struct machine *machine = NULL;
	int rc = unit_load(unit, path, &file->result, err);

	if (rc < 0) {
		result_init(&file->result);
		return rc;
	}
	file->side.result = &file->result;
	file->side.source = path;
	if (!result_find_matrix(&file->result, NULL, NULL))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' holds no matrix to compare%s", path,
			file->result.n_curves
				? ", only curves: draw both with 'c2c plot' "
				  "and see whether their intervals "
				  "overlap"
				: "");
	if (file->result.cpus.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has only one CPU, and compare needs pairs", path);
	if (!levels)
		return 0;
	rc = analysis_make(&file->result, &path, 1, &file->analysis, err);
	if (rc < 0)
		return rc;
	file->side.analysis = &file->analysis;
	/* Names kinds by what the topology calls them. */
	if (file->result.hwloc_xml) {
		rc = machine_new_xml(&machine, file->result.hwloc_xml,
			strlen(file->result.hwloc_xml), err);
		if (rc == 0)
			rc = agree(
				&file->analysis, &file->result, machine, err);
		if (rc < 0)
			error_prefix(err, "'%s': the topology in it", path);
		machine_free(machine);
	}
	return rc;
}

static void close_side(struct compared *file)
{
	free(file->reason);
	compare_release(&file->comparison);
	analysis_release(&file->analysis);
	result_release(&file->result);
}

/* Standing changes of pairs may be virtual CPUs that lie elsewhere. */
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
		cli_warn("compare",
			"'%s' was measured on virtual CPUs, which the host "
			"places anew for every run: a changed pair may only "
			"have moved",
			side->source);
}

static int find_outliers(struct compared *files, size_t n, struct error *err)
{
	double *distances = calloc(n + 1, sizeof(*distances));
	bool *outlier = calloc(n + 1, sizeof(*outlier));
	int rc = distances && outlier ? 0 : error_no_memory(err, "the ranks");

	for (size_t i = 0; rc == 0 && i < n; i++)
		distances[i] = files[i].reason
				       ? NAN
				       : files[i].comparison.distance_pct;
	if (rc == 0)
		rc = compare_outliers(distances, n, outlier, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		files[i].outlier = outlier[i];
	free(distances);
	free(outlier);
	return rc;
}

/* The difference of two files, and how it is drawn. */
struct drawing {
	struct result result;
	struct plot_options options;
	char *title;
};

/* Colours reach as far to either side: up to the few largest changes. */
static int find_range(struct drawing *drawing, struct error *err)
{
	const struct result *result = &drawing->result;
	size_t n = result->cpus.n, kept = 0;
	double *sizes = calloc(result->n_matrices * n * n + 1, sizeof(*sizes));
	double most;

	if (!sizes)
		return error_no_memory(err, "the differences");
	for (size_t m = 0; m < result->n_matrices; m++) {
		for (size_t k = 0; k < n * n; k++) {
			double size = fabs(result->matrices[m].values[k]);

			if (!isnan(size))
				sizes[kept++] = size;
		}
	}
	stat_sort(sizes, kept);
	most = stat_quantile(sizes, kept, 0.99);
	if (!(most > 0))
		most = kept > 0 && sizes[kept - 1] > 0 ? sizes[kept - 1] : 1;
	drawing->options.range_min = -most;
	drawing->options.range_max = most;
	free(sizes);
	return 0;
}

static int drawing_init(struct drawing *drawing,
	const struct compare_side *reference, const struct compared *file,
	struct error *err)
{
	int rc = compare_to_result(
		&file->comparison, reference, &drawing->result, err);

	drawing->title = NULL;
	if (rc < 0)
		return rc;
	plot_options_init(&drawing->options);
	drawing->options.statistic = "change";
	drawing->options.difference = true;
	rc = find_range(drawing, err);
	if (rc == 0 && asprintf(&drawing->title, "%s against %s",
			       file_base(file->side.source),
			       file_base(reference->source)) < 0) {
		drawing->title = NULL;
		rc = error_no_memory(err, "the title");
	}
	drawing->options.title = drawing->title;
	if (rc < 0)
		result_release(&drawing->result);
	return rc;
}

static void drawing_release(struct drawing *drawing)
{
	result_release(&drawing->result);
	free(drawing->title);
}

static void print_reports(
	const struct compare_arguments *arguments, const struct compared *files)
{
	size_t n = arguments->n_inputs;

	for (size_t i = 1; i < n; i++) {
		if (n > 2 && arguments->verbosity <= 0)
			break;
		if (files[i].reason)
			continue;
		if (n > 2)
			putchar('\n');
		compare_report(&files[0].side, &files[i]);
	}
}

/* The heatmap is for eyes: a pipe gets what words can say. */
static int print_comparison(const struct compare_arguments *arguments,
	const struct compared *files, const struct drawing *drawing,
	struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	size_t n = arguments->n_inputs;
	int rc = 0;

	if (n > 2)
		rc = compare_rank(&files[0].side, files + 1, n - 1, err);
	print_reports(arguments, files);
	if (rc == 0 && drawing && isatty(STDOUT_FILENO))
		rc = plot_text(&drawing->result, &drawing->options, &terminal,
			stdout, err);
	return rc;
}

/* Files first: whatever becomes of standard output, they are there. */
static int show_comparison(const struct compare_arguments *arguments,
	const struct compared *files, const struct drawing *drawing,
	int *status, struct error *err)
{
	struct output_contents contents = {
		.command = "compare",
		.option = "-o",
		.verbosity = arguments->verbosity,
	};
	char *json = NULL;
	int rc = 0;

	if (drawing) {
		contents.drawn = &drawing->result;
		contents.plot = drawing->options;
	}
	if (arguments->json || outputs_have_data(&arguments->outputs)) {
		json = compare_text(files, arguments->n_inputs);
		if (!json)
			return error_no_memory(err, "the JSON");
		contents.json = json;
	}
	*status = outputs_save(&arguments->outputs, &contents);
	if (*status != STATUS_INTERRUPTED) {
		/* A failure of standard output is noticed at exit. */
		if (arguments->json)
			fputs(json, stdout);
		else
			rc = print_comparison(arguments, files, drawing, err);
	}
	free(json);
	return rc;
}

/* Two files have a picture of their pairs. */
static int draw_and_show(const struct compare_arguments *arguments,
	const struct compared *files, int *status, struct error *err)
{
	struct drawing drawing;
	int rc;

	if (arguments->n_inputs > 2 || arguments->by_level)
		return show_comparison(arguments, files, NULL, status, err);
	rc = drawing_init(&drawing, &files[0].side, &files[1], err);
	if (rc < 0)
		return rc;
	rc = show_comparison(arguments, files, &drawing, status, err);
	drawing_release(&drawing);
	return rc;
}

/*
 * Whether a level got worse by more than the threshold, or cannot be compared
 * at all; says which.
 */
static bool exceeds(
	const struct compare_arguments *arguments, const struct compared *file)
{
	const struct comparison *comparison = &file->comparison;
	bool any = file->reason;

	if (any && arguments->verbosity >= 0)
		cli_warn("compare", "'%s' cannot be compared",
			file->side.source);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *matrix = &comparison->matrices[i];

		for (size_t k = 0; k < matrix->n_levels; k++) {
			const struct compare_level *level = &matrix->levels[k];
			double worse = compare_worse_pct(matrix, level);
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
 * Compare a file with the reference. One of a fleet that cannot be is what one
 * looks for rather than an error, as long as others can.
 */
static int compare_file(const struct compare_arguments *arguments,
	const struct compared *reference, struct compared *file,
	const char *path, struct error *err)
{
	int rc = open_side(
		file, &arguments->unit, path, arguments->by_level, err);

	if (rc == 0)
		rc = compare_make(&reference->side, &file->side,
			arguments->by_level, &file->comparison, err);
	if (rc == 0 || arguments->n_inputs < 3 || !file->side.result ||
		err->class != ERROR_USAGE)
		return rc;
	file->reason = strdup(err->text);
	return file->reason ? 0 : error_no_memory(err, "the reason");
}

static int compare_files(const struct compare_arguments *arguments,
	struct compared *files, struct error *err)
{
	size_t n = arguments->n_inputs;
	bool any = false;
	int rc = open_side(
		&files[0], &arguments->unit, arguments->inputs[0], true, err);

	for (size_t i = 1; rc == 0 && i < n; i++) {
		rc = compare_file(arguments, &files[0], &files[i],
			arguments->inputs[i], err);
		any |= !files[i].reason;
	}
	if (rc == 0 && !any)
		rc = error_set(err, ERROR_USAGE, EINVAL, "%s", files[1].reason);
	return rc;
}

static int compare_all(const struct compare_arguments *arguments,
	struct compared *files, int *status, struct error *err)
{
	size_t n = arguments->n_inputs;
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc == 0)
		rc = compare_files(arguments, files, err);
	if (rc == 0)
		rc = find_outliers(files + 1, n - 1, err);
	/* Of the reference alone: a fleet would say the same of each. */
	if (rc == 0 && arguments->verbosity >= 0)
		warn_of_side(&files[0].side, arguments);
	if (rc == 0)
		rc = draw_and_show(arguments, files, status, err);
	for (size_t i = 1; rc == 0 && i < n; i++) {
		if (!isnan(arguments->threshold_pct) &&
			exceeds(arguments, &files[i]) && *status == STATUS_DONE)
			*status = STATUS_DOES_NOT_HOLD;
	}
	return rc;
}

static int run_compare(int argc, char **argv)
{
	struct compare_arguments arguments = {.threshold_pct = NAN};
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
		.take = take_input,
	};
	int status, rc;
	struct compared *files;
	struct error err;

	status = options_parse(&command, argc, argv);
	if (status != STATUS_DONE)
		return status;
	files = calloc(arguments.n_inputs, sizeof(*files));
	rc = files ? compare_all(&arguments, files, &status, &err)
		   : error_no_memory(&err, "the results");
	if (rc < 0)
		status = cli_fail("compare", &err);
	for (size_t i = 0; files && i < arguments.n_inputs; i++)
		close_side(&files[i]);
	free(files);
	outputs_release(&arguments.outputs);
	free(arguments.inputs);
	return status;
}

const struct command cmd_compare = {
	.name = "compare",
	.summary = "What changed between results, beyond noise",
	.run = run_compare,
};
