/* See compare_threshold.h. */
#include "cmd/compare/compare_threshold.h"

#include <math.h>

#include "analyze/compare/compare.h"
#include "cmd/cli.h"
#include "commands.h"

/* The levels, and cells of nodes, that have no verdict. */
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
 * Without a verdict nothing exceeds a threshold. Whoever asks only for the
 * exit status must not take that for "no change". Returns whether all is told.
 */
static bool warn_of_undecided(const struct compared_file *file)
{
	const struct comparison *comparison = &file->comparison;
	size_t n = count_untested_levels(comparison);
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

/* Whether a curve got worse at one of the levels; warns about each. */
static bool curves_exceed(
	const struct threshold *limit, const struct compared_file *file)
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

			if (!stretch->significant || !(worse > limit->pct))
				continue;
			any = true;
			if (!limit->quiet)
				cli_warn("compare",
					"'%s': %s, %s, %s: worse by %.1f %%",
					file->side.source, curve->facts.family,
					curve->facts.member,
					stretch->level ? stretch->level
						       : "all points",
					worse);
		}
	}
	return any;
}

/* Whether a cache got smaller; warns about each. */
static bool sizes_exceed(
	const struct threshold *limit, const struct compared_file *file)
{
	bool any = false;

	for (size_t i = 0; i < file->comparison.n_sizes; i++) {
		const struct compare_size *size = &file->comparison.sizes[i];
		double smaller = compare_smaller_pct(size);

		if (!(smaller > limit->pct))
			continue;
		any = true;
		if (!limit->quiet)
			cli_warn("compare", "'%s': %s: smaller by %.1f %%",
				file->side.source, size->name, smaller);
	}
	return any;
}

/* Whether a cell of NUMA nodes, which have no levels, got worse by more. */
static bool cells_exceed(const struct threshold *limit,
	const struct compared_file *file, const struct compare_matrix *matrix)
{
	const struct cpu_list *nodes = &file->comparison.cpus;
	size_t n = nodes->n;
	bool any = false;

	if (!result_is_of_nodes(file->side.result) || !matrix->change)
		return false;
	for (size_t k = 0; k < n * n; k++) {
		double worse = compare_worse_pct(matrix->higher_is_better,
			matrix->before[k], matrix->change[k]);

		if (!matrix->significant[k] || !(worse > limit->pct))
			continue;
		any = true;
		if (!limit->quiet)
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
	const struct threshold *limit, const struct compared_file *file)
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
				!compare_moved(level) || !(worse > limit->pct))
				continue;
			any = true;
			compare_level_name(level, name);
			if (!limit->quiet)
				cli_warn("compare",
					"'%s': %s, %s: worse by %.1f %% "
					"relative to the rest",
					file->side.source, matrix->name, name,
					worse);
		}
	}
	return any;
}

/* Whether a level got worse by more. */
static bool file_exceeds_threshold(
	const struct threshold *limit, const struct compared_file *file)
{
	const struct comparison *comparison = &file->comparison;
	bool any = curves_exceed(limit, file);

	any |= sizes_exceed(limit, file);
	any |= rest_exceeds(limit, file);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *matrix = &comparison->matrices[i];

		any |= cells_exceed(limit, file, matrix);
		for (size_t k = 0; k < matrix->n_levels; k++) {
			const struct compare_level *level = &matrix->levels[k];
			double worse =
				compare_worse_pct(matrix->higher_is_better,
					level->before, level->change);
			char name[32];

			if (!level->significant || !(worse > limit->pct))
				continue;
			any = true;
			compare_level_name(level, name);
			if (!limit->quiet)
				cli_warn("compare",
					"'%s': %s, %s: worse by %.1f %%",
					file->side.source, matrix->name, name,
					worse);
		}
	}
	return any;
}

void threshold_judge(const struct threshold *limit,
	const struct compared_file *file, struct threshold_outcome *found)
{
	/* If it has a comparison, that is with another host. */
	if (file->reason) {
		if (!limit->quiet)
			cli_warn("compare", "'%s' cannot be compared",
				file->side.source);
		found->worse = true;
		return;
	}
	found->undecided |= !warn_of_undecided(file);
	found->worse |= file_exceeds_threshold(limit, file);
}

int threshold_status(
	const struct threshold *limit, const struct threshold_outcome *found)
{
	if (found->worse)
		return STATUS_DOES_NOT_HOLD;
	return limit->strict && found->undecided ? STATUS_UNDECIDED
						 : STATUS_DONE;
}
