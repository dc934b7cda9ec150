/* See compare_threshold.h. */
#include "cmd/compare/compare_threshold.h"

#include <stdarg.h>

#include "analyze/compare/compare.h"
#include "cmd/cli.h"

struct threshold_task {
	double pct;
	bool by_medians;
	const struct compared_file *file;
	struct machine_check *check;
	struct arena *arena;
};

/* Count the levels, and the cells of nodes, without a verdict. */
static size_t count_untested_levels(const struct comparison *comparison)
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
 * Add a finding if there is no verdict: a caller that sees only the exit status
 * must not take a missing verdict for "no change".
 */
static void add_undecided(const struct threshold_task *task)
{
	const struct comparison *comparison = &task->file->comparison;
	size_t n = count_untested_levels(comparison);

	if (comparison->undecided)
		check_add(task->check, task->arena, CHECK_UNKNOWN, "undecided",
			"%s", comparison->undecided);
	else if (n > 0 && comparison->needs_turns)
		check_add(task->check, task->arena, CHECK_UNKNOWN, "drift",
			"%zu level%s changed, or the machine drifted: all runs "
			"of one side came first. Measure again with "
			"interleaved runs",
			n, n == 1 ? "" : "s");
	else if (n > 0)
		check_add(task->check, task->arena, CHECK_UNKNOWN, "untested",
			"%zu level%s not tested", n,
			n == 1 ? " was" : "s were");
}

/* Add a finding that something got worse; the caller sets the details. */
static struct check_finding *add_worse(const struct threshold_task *task,
	double worse, const char *more, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static struct check_finding *add_worse(const struct threshold_task *task,
	double worse, const char *more, const char *format, ...)
{
	struct check_finding *finding;
	const char *what;
	va_list args;

	va_start(args, format);
	what = arena_vformat(task->arena, format, args);
	va_end(args);
	finding = check_add(task->check, task->arena, CHECK_FAILS, "worse",
		"%s: worse by %.1f %%%s", what, worse, more);
	finding->name = arena_format(task->arena, "speed: %s", what);
	finding->value = worse;
	finding->limit = task->pct;
	finding->unit = "%";
	return finding;
}

/* Judge the levels of curves that got worse. */
static void judge_curves(const struct threshold_task *task)
{
	const struct comparison *comparison = &task->file->comparison;

	for (size_t i = 0; i < comparison->n_curves; i++) {
		const struct compare_curve *curve = &comparison->curves[i];

		for (size_t k = 0; k < curve->n_stretches; k++) {
			const struct compare_stretch *stretch =
				&curve->stretches[k];
			double worse =
				compare_worse_pct(curve->higher_is_better,
					stretch->before, stretch->change);

			if (stretch->significant && worse > task->pct)
				add_worse(task, worse, "", "%s, %s, %s",
					curve->facts.family,
					curve->facts.member,
					stretch->level ? stretch->level
						       : "all points");
		}
	}
}

/* Judge the caches that got smaller. */
static void judge_sizes(const struct threshold_task *task)
{
	const struct comparison *comparison = &task->file->comparison;

	for (size_t i = 0; i < comparison->n_sizes; i++) {
		const struct compare_size *size = &comparison->sizes[i];
		double smaller = compare_smaller_pct(size);
		struct check_finding *finding;

		if (!(smaller > task->pct))
			continue;
		finding = check_add(task->check, task->arena, CHECK_FAILS,
			"smaller", "%s: smaller by %.1f %%", size->name,
			smaller);
		finding->value = smaller;
		finding->limit = task->pct;
		finding->unit = "%";
	}
}

/* Judge the cells of NUMA nodes that got worse; these have no levels. */
static void judge_node_cells(
	const struct threshold_task *task, const struct compare_matrix *matrix)
{
	const struct cpu_list *nodes = &task->file->comparison.cpus;
	size_t n = nodes->n;

	if (!result_is_of_nodes(task->file->side.result) || !matrix->change)
		return;
	for (size_t k = 0; k < n * n; k++) {
		double worse = compare_worse_pct(matrix->higher_is_better,
			matrix->before[k], matrix->change[k]);

		if (matrix->significant[k] && worse > task->pct)
			add_worse(task, worse, "",
				"%s, CPUs of node %u, memory of node %u",
				matrix->name, nodes->cpus[k / n],
				nodes->cpus[k % n]);
	}
}

/* Judge the levels that got worse relative to the rest of the machine. */
static void judge_beside_rest(
	const struct threshold_task *task, const struct compare_matrix *matrix)
{
	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];
		double worse = compare_worse_pct(
			matrix->higher_is_better, 1, level->rest_change);
		char name[32];

		if (level->significant || !level->rest_significant ||
			!compare_moved(level) || !(worse > task->pct))
			continue;
		compare_level_name(level, name);
		add_worse(task, worse, " relative to the rest", "%s, %s",
			matrix->name, name);
	}
}

/*
 * Judge the levels that got worse. By medians, a level with a single pair gets
 * no verdict: its value depends on where the host placed two vCPUs.
 */
static void judge_level_changes(
	const struct threshold_task *task, const struct compare_matrix *matrix)
{
	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];
		double worse = compare_worse_pct(
			matrix->higher_is_better, level->before, level->change);
		struct check_finding *finding;
		char name[32];

		if (!(task->by_medians || level->significant) ||
			!(worse > task->pct))
			continue;
		compare_level_name(level, name);
		finding = add_worse(
			task, worse, "", "%s, %s", matrix->name, name);
		if (task->by_medians && level->n_pairs < 2)
			finding->answer = CHECK_UNKNOWN;
	}
}

void threshold_judge(double pct, bool by_medians,
	const struct compared_file *file, struct machine_check *check,
	struct arena *arena)
{
	const struct threshold_task task = {
		pct, by_medians, file, check, arena};
	const struct comparison *comparison = &file->comparison;

	/* The file may have a comparison, but not with the reference. */
	if (file->reason) {
		check_add(check, arena, CHECK_FAILS, "incomparable",
			"cannot be compared");
		return;
	}
	if (!by_medians)
		add_undecided(&task);
	judge_curves(&task);
	judge_sizes(&task);
	for (size_t i = 0; i < comparison->n_matrices; i++)
		judge_beside_rest(&task, &comparison->matrices[i]);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		judge_node_cells(&task, &comparison->matrices[i]);
		judge_level_changes(&task, &comparison->matrices[i]);
	}
}

enum check_answer threshold_warn(const struct threshold *limit,
	const struct compared_file *file, struct arena *arena)
{
	struct machine_check check = {.n = 0};

	threshold_judge(limit->pct, false, file, &check, arena);
	for (size_t i = 0; i < check.n; i++) {
		const struct check_finding *finding = &check.findings[i];

		if (finding->answer == CHECK_UNKNOWN)
			cli_warn("compare", "--threshold: '%s': %s",
				file->side.source, finding->text);
		else if (!limit->quiet)
			cli_warn("compare", "'%s'%s %s", file->side.source,
				file->reason ? "" : ":", finding->text);
	}
	return check_conclude(&check);
}
