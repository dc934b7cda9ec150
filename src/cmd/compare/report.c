/* A comparison as text: facts, pairs, levels; and many files by distance. */
#include "cmd/compare/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *compare_host(const struct compare_side *side)
{
	const char *host = facts_text(&side->result->machine, "hostname");

	return host ? host : side->source;
}

static void print_facts(const struct compare_side *reference,
	const struct compare_side *side, const struct comparison *comparison)
{
	const struct compare_side *silent = !reference->result->machine.n
						    ? reference
					    : !side->result->machine.n ? side
								       : NULL;

	if (silent)
		printf("%s does not describe its machine, so machines were not "
		       "compared.\n\n",
			silent->source);
	if (silent && comparison->n_facts == 0)
		return;
	if (comparison->n_facts == 0) {
		puts("Compared machine, tool and options: no difference.\n");
		return;
	}
	puts("Different in machine, tool, options or topology:");
	for (size_t i = 0; i < comparison->n_facts; i++)
		printf("  %-28s %s -> %s\n", comparison->facts[i].what,
			comparison->facts[i].before,
			comparison->facts[i].after);
	putchar('\n');
}

static void print_pairs(const struct compare_matrix *matrix)
{
	static const char *const how[] = {
		[COMPARE_NONE] =
			"without intervals or passes no pair can be tested",
		[COMPARE_INTERVALS] = "their 95 % intervals do not overlap",
		[COMPARE_PASSES] = "rank test of passes, 5 % false discoveries",
	};

	const char *few =
		matrix->few_passes ? "too few passes for a rank test; " : "";

	printf("%s%s%s, medians in %s: ",
		matrix->quantity ? matrix->quantity : "",
		matrix->quantity ? " " : "", matrix->name, matrix->unit);
	if (!matrix->change)
		puts("by level");
	else if (matrix->test == COMPARE_NONE)
		printf("%zu pairs; %s%s\n", matrix->n_pairs, few,
			how[matrix->test]);
	else
		printf("%zu of %zu pairs changed\n"
		       "  %zu better, %zu worse (%s%s)\n",
			matrix->n_better + matrix->n_worse, matrix->n_pairs,
			matrix->n_better, matrix->n_worse, few,
			how[matrix->test]);
}

static const char *verdict(
	const struct compare_matrix *matrix, const struct compare_level *level)
{
	if (!level->significant)
		return "no more than noise";
	return compare_is_worse(matrix, level->change) ? "worse" : "better";
}

static void print_levels(const struct compare_matrix *matrix)
{
	printf("  %-18s %8s %9s %9s %9s %8s\n", "Level", "Pairs", "Before",
		"After", "Change", "%");
	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];
		char name[32];

		compare_level_name(level, name);
		printf("  %-18s %8zu %9.4g %9.4g %+9.3g %+8.1f  %s\n", name,
			level->n_pairs, level->before, level->after,
			level->change,
			100 * level->change / fabs(level->before),
			verdict(matrix, level));
	}
	putchar('\n');
}

void compare_report(
	const struct compare_side *reference, const struct compared *file)
{
	const struct comparison *comparison = &file->comparison;

	printf("%s against %s: %zu CPUs\n\n", file->side.source,
		reference->source, file->side.result->cpus.n);
	print_facts(reference, &file->side, comparison);
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		print_pairs(&comparison->matrices[i]);
		print_levels(&comparison->matrices[i]);
	}
	for (size_t i = 0; i < comparison->n_unmatched; i++)
		printf("  %s\n", comparison->unmatched[i]);
}

static int compare_distances(const void *a, const void *b)
{
	double x =
		(*(const struct compared *const *)a)->comparison.distance_pct;
	double y =
		(*(const struct compared *const *)b)->comparison.distance_pct;

	/* Files without a distance come last. */
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

static void print_not_compared(const struct compared *files, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!files[i].reason)
			continue;
		if (!any)
			puts("\nCannot be compared:");
		any = true;
		printf("  %-24s %s\n", compare_host(&files[i].side),
			files[i].reason);
	}
}

void compare_rank(const struct compared *files, size_t n, struct arena *arena)
{
	const struct compare_side *reference = &files[0].side;
	const struct compared **order = arena_take(arena, n, sizeof(void *));
	bool any = false;
	size_t ranked = 0;

	for (size_t i = 1; i < n; i++) {
		if (!files[i].reason)
			order[ranked++] = &files[i];
	}
	qsort(order, ranked, sizeof(void *), compare_distances);
	printf("Distance from %s (%s), the nearest first:\n",
		compare_host(reference), reference->source);
	printf("  %9s %9s  %-24s %s\n", "Distance", "Change", "Host", "File");
	for (size_t i = 0; i < ranked; i++) {
		const struct comparison *comparison = &order[i]->comparison;

		printf("  %7.1f %% %+7.1f %%  %-24s %s%s\n",
			comparison->distance_pct, comparison->change_pct,
			compare_host(&order[i]->side), order[i]->side.source,
			order[i]->outlier ? "  outlier" : "");
		any |= order[i]->outlier;
	}
	puts(any ? "\nOutliers are farther away than the spread of the "
		   "others explains."
		: ranked < 4 ? "\nFewer than four hosts besides the reference: "
			       "none can be called an outlier."
			     : "\nNo outliers.");
	print_not_compared(files + 1, n - 1);
}
