/*
 * Compares a pair in two records of c2c latency --by-line.
 *
 * Each run has other cache lines. The value of the pair in the matrix is the
 * mean over lines. The mean changed if the value changed by more than the
 * choice of lines explains. The nearest and the farthest line are not tested.
 * Whether lines matter changed if the verdicts differ, and the correlations of
 * even with odd visits differ by more than noise.
 */
#include <math.h>

#include "analyze/compare/compare_parts.h"

/* The 97.5 % quantile of the normal distribution. */
#define NORMAL_QUANTILE 1.96

/*
 * Variance of Fisher's z of Spearman's correlation of n values, times n - 3
 * (Fieller, Hartley and Pearson, Biometrika 44, 1957).
 */
#define VARIANCE_OF_Z 1.06

/* Interquartile range of a normal distribution, in standard deviations. */
#define NORMAL_IQR 1.349

double compare_lines_noise(const struct line_profile *profile)
{
	double deviation = profile->lines_iqr_ns / NORMAL_IQR;

	return profile->lines > 0 && deviation >= 0
		       ? NORMAL_QUANTILE * deviation /
				 sqrt((double)profile->lines)
		       : 0;
}

static bool correlations_differ(
	const struct line_profile *a, const struct line_profile *b)
{
	double variance = VARIANCE_OF_Z / ((double)a->lines - 3) +
			  VARIANCE_OF_Z / ((double)b->lines - 3);

	return fabs(atanh(a->even_odd) - atanh(b->even_odd)) >
	       NORMAL_QUANTILE * sqrt(variance);
}

static bool has_verdict(const struct line_profile *profile)
{
	return profile->verdict != LINE_PROFILE_UNKNOWN && profile->lines > 3 &&
	       fabs(profile->even_odd) <= 1;
}

static void judge_lines(
	const struct comparison *comparison, struct compare_lines *lines)
{
	const struct compare_matrix *matrix = comparison->matrices;
	const struct cpu_list *cpus = &comparison->cpus;
	long i = cpu_list_find(cpus, lines->before.cpus.cpus[0]);
	long j = cpu_list_find(cpus, lines->before.cpus.cpus[1]);
	size_t at = (size_t)i * cpus->n + (size_t)j;

	if (comparison->undecided || comparison->n_matrices == 0 || i < 0 ||
		j < 0)
		return;
	lines->mean_tested = matrix->tested[at];
	lines->mean_changed = matrix->significant[at];
	lines->verdict_tested =
		has_verdict(&lines->before) && has_verdict(&lines->after);
	lines->verdict_changed =
		lines->verdict_tested &&
		line_profile_differs(&lines->before) !=
			line_profile_differs(&lines->after) &&
		correlations_differ(&lines->before, &lines->after);
}

static struct line_profile copy_profile(
	const struct line_profile *from, struct arena *arena)
{
	struct line_profile profile = *from;

	profile.cpus.cpus = arena_copy(
		arena, from->cpus.cpus, from->cpus.n, sizeof(unsigned));
	profile.extra = (struct facts){0};
	return profile;
}

static void add_lines(struct comparison *comparison,
	const struct line_profile *before, const struct line_profile *after)
{
	struct arena *arena = &comparison->memory;
	struct compare_lines *lines;

	comparison->lines = arena_grow(
		arena, comparison->lines, comparison->n_lines, sizeof(*lines));
	lines = &comparison->lines[comparison->n_lines++];
	*lines = (struct compare_lines){
		.before = copy_profile(before, arena),
		.after = copy_profile(after, arena),
	};
	judge_lines(comparison, lines);
}

static bool same_pair(
	const struct line_profile *a, const struct line_profile *b)
{
	const unsigned *old = a->cpus.cpus, *new = b->cpus.cpus;

	return (old[0] == new[0] && old[1] == new[1]) ||
	       (old[0] == new[1] && old[1] == new[0]);
}

static void add_lines_alone(
	struct comparison *comparison, size_t n, const char *source)
{
	if (n > 0)
		compare_add_unmatched(comparison,
			arena_format(&comparison->memory,
				"cache lines of %zu pair%s: only in %s", n,
				n == 1 ? "" : "s", source));
}

void compare_lines(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b)
{
	const struct result *old = a->result, *new = b->result;
	size_t n = new->n_line_profiles, next = 0;

	for (size_t i = 0; i < old->n_line_profiles; i++) {
		/* Most records have their pairs in the same order. */
		for (size_t k = 0; k < n; k++) {
			size_t at = (next + k) % n;

			if (!same_pair(&old->line_profiles[i],
				    &new->line_profiles[at]))
				continue;
			add_lines(comparison, &old->line_profiles[i],
				&new->line_profiles[at]);
			next = at + 1;
			break;
		}
	}
	add_lines_alone(comparison, old->n_line_profiles - comparison->n_lines,
		a->source);
	add_lines_alone(comparison,
		n > comparison->n_lines ? n - comparison->n_lines : 0,
		b->source);
}
