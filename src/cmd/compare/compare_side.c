/* See compare_side.h. */
#include "cmd/compare/compare_side.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/compare/compare.h"
#include "cmd/cli.h"
#include "cmd/spin_hint_record.h"
#include "cmd/topology_option.h"
#include "result/file.h"
#include "result/runs.h"
#include "result/sections.h"
#include "stat/stat.h"
#include "util/progress.h"
#include "util/text.h"

void compare_side_names_release(struct compare_side_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->texts[i]);
	free(names->texts);
	*names = (struct compare_side_names){NULL, 0};
}

int compare_side_split_names(
	const char *path, struct compare_side_names *names, struct error *err)
{
	const char *at = path, *section;
	char *file = section_file(path, &section);
	/* If a file has this name, its commas do not separate names. */
	bool whole = file && access(file, F_OK) == 0;

	*names = (struct compare_side_names){
		calloc(strlen(path) + 1, sizeof(char *)), 0};
	free(file);
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
	compare_side_names_release(names);
	return error_no_memory(err, "the names of files");
}

/* Name the kinds of levels after objects of the topology. */
static int name_levels(struct analysis *analysis, const struct result *result,
	const char *path, struct error *err)
{
	struct machine *machine;
	int rc;

	if (!result->hwloc_xml)
		return 0;
	rc = topology_load_embedded(result, path, &machine, err);
	if (rc < 0)
		return rc;
	rc = analysis_compare_topology(analysis, result, machine, err);
	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", path);
	machine_free(machine);
	return rc;
}

/* Collect the runs of a side; a record may have several runs. */
static int collect_side_runs(
	struct compared_file *file, const struct result *files, size_t n)
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

/* Check that the files of a side are from one machine and one measurement. */
static int check_side_file(const struct compared_file *file, size_t i,
	const char *const names[], struct error *err)
{
	const struct compare_side first = {
		.result = &file->parts[0], .source = names[0]};
	const struct compare_side other = {
		.result = &file->parts[i], .source = names[i]};
	const struct cpu_list *a = &first.result->cpus;
	const struct cpu_list *b = &other.result->cpus;
	int rc = compare_check_one_side(&first, &other, err);

	if (rc == 0 && memcmp(a->cpus, b->cpus, a->n * sizeof(*a->cpus)) != 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' have their CPUs in different orders",
			names[0], names[i]);
	return rc;
}

/* Load the files of a side, and combine their runs into one result. */
static int load_parts(struct compared_file *file,
	const struct unit_choice *unit, const struct compare_side_names *names,
	struct error *err)
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
					"'%s' is given twice, but is one run",
					names->texts[i]);
		}
		rc = unit_option_load_result(
			unit, names->texts[i], &file->parts[i], err);
		if (rc < 0)
			break;
		file->n_parts++;
		if (i > 0)
			rc = check_side_file(file, i,
				(const char *const *)names->texts, err);
	}
	if (rc < 0)
		return rc;
	if (collect_side_runs(file, file->parts, file->n_parts) < 0)
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

static int load_side(struct compared_file *file, const struct unit_choice *unit,
	const char *path, struct error *err)
{
	struct compare_side_names names;
	int rc;

	result_init(&file->result);
	result_init(&file->pooled_result);
	if (compare_side_split_names(path, &names, err) < 0)
		return -ENOMEM;
	if (names.n > 1) {
		rc = load_parts(file, unit, &names, err);
	} else {
		rc = unit_option_load_result(unit, path, &file->result, err);
		if (rc < 0)
			result_init(&file->result);
		else if (collect_side_runs(file, &file->result, 1) < 0)
			rc = error_no_memory(err, "the runs");
	}
	compare_side_names_release(&names);
	return rc;
}

/* If runs differ too much for levels, treat all pairs as one level. */
static int do_without_levels(struct compared_file *file, struct error *err)
{
	char *why = strdup(err->text);

	if (!why)
		return error_no_memory(err, "the levels");
	free(file->no_levels);
	file->no_levels = why;
	return 0;
}

/* Check a loaded side, and find its levels if requested. */
static int begin_side(struct compared_file *file, const char *name, bool levels,
	struct error *err)
{
	file->side.result = &file->result;
	file->side.source = name;
	file->side.hostname = facts_text(&file->result.machine, "hostname");
	file->side.topology = &file->topology;
	/* compare_make() checks all requirements for both sides. */
	if (!result_find_matrix(&file->result, NULL, NULL))
		return 0;
	if (file->result.cpus.n < 2 && !result_is_of_nodes(&file->result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has one CPU, and compare needs pairs", name);
	return levels ? compare_side_find_levels(file, err) : 0;
}

int compare_side_open(struct compared_file *file,
	const struct unit_choice *unit, const char *path, bool levels,
	struct error *err)
{
	int rc = load_side(file, unit, path, err);

	return rc < 0 ? rc : begin_side(file, path, levels, err);
}

int compare_side_borrow(struct compared_file *file, const struct result *result,
	const char *name, bool levels, struct error *err)
{
	result_init(&file->pooled_result);
	file->result = *result;
	if (collect_side_runs(file, &file->result, 1) < 0)
		return error_no_memory(err, "the runs");
	return begin_side(file, name, levels, err);
}

int compare_side_adopt(struct compared_file *file, struct result *result,
	const char *name, bool levels, struct error *err)
{
	int rc = compare_side_borrow(file, result, name, levels, err);

	result_init(result);
	return rc;
}

void compare_side_return(struct compared_file *file)
{
	result_init(&file->result);
	compare_side_close(file);
}

int compare_side_find_levels(struct compared_file *file, struct error *err)
{
	const char *path = file->side.source;
	int rc;

	if (!result_find_matrix(&file->result, NULL, NULL) ||
		result_is_of_nodes(&file->result))
		return 0;
	rc = analysis_make(&file->result, &path, 1, &file->analysis, err);
	if (rc == -EINVAL && file->side.n_runs > 1)
		return do_without_levels(file, err);
	if (rc < 0)
		return rc;
	file->side.analysis = &file->analysis;
	return name_levels(&file->analysis, &file->result, path, err);
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

/* Find the levels in the runs of both sides together. */
static int pool_levels(const struct compare_side *reference,
	struct compared_file *file, struct error *err)
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
	/* Intervals over both sides contain the change: drop them. */
	drop_intervals(pooled);
	if (!pooled->hwloc_xml && reference->result->hwloc_xml)
		pooled->hwloc_xml = strdup(reference->result->hwloc_xml);
	rc = analysis_make(pooled, &path, 1, &file->pooled, err);
	if (rc == -EINVAL)
		return do_without_levels(file, err);
	return rc < 0 ? rc : name_levels(&file->pooled, pooled, path, err);
}

/* Show the progress of a test of runs, which takes seconds with many CPUs. */
static void show_test(void *context, double fraction)
{
	(void)context;
	cli_draw_progress(fraction, "testing by whole runs");
}

/* Both sides of a comparison. */
struct reference_and_file {
	const struct compare_side *reference;
	struct compared_file *file;
};

/*
 * core-to-core-latency writes tables without CPU numbers, measured by
 * compare-and-swap. Return NULL if no side is such a table, or both sides used
 * compare-and-swap.
 */
static const char *method_doubt(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena)
{
	const struct compare_side *table = a->result->counted ? a : b;
	const struct compare_side *record = table == a ? b : a;
	const char *method = facts_text(&record->result->options, "method");

	if (!table->result->counted || !table->result->bare || !method ||
		strcmp(method, "cas") == 0)
		return NULL;
	return arena_format(arena,
		"'%s' does not state its method, and '%s' is by %s; "
		"core-to-core-latency writes this kind of table, by "
		"compare-and-swap without a spin-wait hint: to compare, "
		"measure with --method cas --spin-hint none",
		table->source, record->source,
		strcmp(method, "line") == 0 ? "loads and stores" : method);
}

static int find_comparison_doubt(
	struct arena *memory, void *context, struct error *err)
{
	const struct reference_and_file *sides = context;

	(void)err;
	sides->file->comparison.doubt =
		spin_hint_caveat(sides->reference, &sides->file->side, memory);
	if (!sides->file->comparison.doubt)
		sides->file->comparison.doubt = method_doubt(
			sides->reference, &sides->file->side, memory);
	return 0;
}

/* Compare a side with the reference, by levels that both machines have. */
int compare_side_with_reference(const struct compared_file *to,
	struct compared_file *file, bool by_level, bool show_progress,
	struct error *err)
{
	static const struct stat_progress watch = {show_test, NULL};
	struct compare_side reference = to->side;
	struct reference_and_file sides = {&reference, file};
	int rc = 0;

	if (!by_level)
		reference.no_levels = to->no_levels;
	if (!by_level && reference.analysis && file->side.n_runs > 1 &&
		reference.n_runs > 1 &&
		compare_check_one_side(&reference, &file->side, NULL) == 0 &&
		memcmp(reference.result->cpus.cpus, file->result.cpus.cpus,
			file->result.cpus.n * sizeof(unsigned)) == 0) {
		rc = pool_levels(&reference, file, err);
		reference.analysis = file->no_levels ? NULL : &file->pooled;
		reference.no_levels = file->no_levels;
	}
	reference.watch = show_progress ? &watch : NULL;
	if (rc == 0)
		rc = compare_make(&reference, &file->side, by_level,
			&file->comparison, err);
	if (rc == 0)
		rc = arena_run(&file->comparison.memory, find_comparison_doubt,
			&sides, "a comparison", err);
	if (rc < 0 && !by_level) {
		/* Drop the pooled levels: they depend on the reference. */
		analysis_release(&file->pooled);
		result_release(&file->pooled_result);
		result_init(&file->pooled_result);
		free(file->no_levels);
		file->no_levels = NULL;
	}
	if (show_progress)
		progress_clear(stderr);
	return rc;
}

void compare_side_close(struct compared_file *file)
{
	compare_release(&file->comparison);
	analysis_release(&file->analysis);
	analysis_release(&file->pooled);
	machine_divisions_release(&file->topology.divisions);
	result_release(&file->pooled_result);
	result_release(&file->result);
	for (size_t i = 0; i < file->n_parts; i++)
		result_release(&file->parts[i]);
	free(file->parts);
	free(file->runs);
	free(file->no_levels);
	*file = (struct compared_file){
		.outlier = file->outlier,
		.reason = file->reason,
		.unread = file->unread,
		.packed = file->packed,
		.report = file->report,
	};
}
