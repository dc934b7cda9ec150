/*
 * Compare levels: sort the pairs of a matrix by the groups that they lie inside
 * or between.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_parts.h"
#include "stat/stat.h"

/* With fewer values no signed-rank test can reach 5 %. */
#define VALUES_MIN 6

/*
 * Pairs of one kind: inside groups but not inside inner ones, or between
 * groups.
 */
struct stratum {
	struct compare_level level; /* its names */
	const uint32_t *group;	    /* NULL: every pair */
	const uint32_t *inner;	    /* NULL: no groups within */
};

struct strata {
	struct stratum *items;
	size_t n;
};

/* A stratum for each level, one between groups, and one of all pairs. */
static struct strata strata_of(
	const struct analysis *analysis, struct arena *arena)
{
	size_t n_levels = analysis ? analysis->n_levels : 0;
	const struct analysis_level *outermost = NULL;
	struct stratum *items =
		arena_take(arena, 2 * n_levels + 2, sizeof(*items));
	size_t n = 0;

	for (size_t k = 0; k < n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		struct stratum *stratum = &items[n++];

		stratum->level.kind = level->kind;
		stratum->group = level->group;
		if (level->nested) {
			stratum->inner = outermost ? outermost->group : NULL;
			outermost = level;
			continue;
		}
		items[n] = *stratum;
		items[n++].level.between = true;
	}
	if (outermost) {
		items[n].level.kind = outermost->kind;
		items[n].level.between = true;
		items[n++].group = outermost->group;
	}
	items[n].level.kind = ANALYSIS_GROUP;
	items[n++].level.all = true;
	return (struct strata){items, n};
}

static bool holds(const struct stratum *stratum, size_t i, size_t j)
{
	const uint32_t *group = stratum->group, *inner = stratum->inner;

	if (i == j)
		return false;
	if (!group)
		return true;
	if (stratum->level.between)
		return group[i] != group[j];
	return group[i] == group[j] && !(inner && inner[i] == inner[j]);
}

/*
 * The CPU that a pair counts for. In a symmetric matrix, either CPU gets half
 * of its pairs, so that no pair counts twice.
 */
static size_t owner_of(const struct compare_matrix *matrix, size_t i, size_t j)
{
	return matrix->symmetric && (i + j) % 2 ? j : i;
}

/* The values of a stratum's pairs. */
struct sample {
	double *of_pairs; /* [n_pairs] */
	double *of_cpus;  /* [n_cpus] medians of the pairs that count for it */
	size_t n_pairs, n_cpus;
};

/* The sample of a stratum, without NaNs. */
static struct sample sample_of(const struct compare_matrix *matrix,
	const struct stratum *stratum, const double *values, size_t n,
	struct arena *arena)
{
	double *own = arena_take(arena, n, sizeof(*own));
	struct sample sample = {
		.of_pairs = arena_take(arena, n * n, sizeof(double)),
		.of_cpus = arena_take(arena, n, sizeof(double)),
	};

	for (size_t cpu = 0; cpu < n; cpu++) {
		size_t kept = 0;

		for (size_t other = 0; other < n; other++) {
			bool first = compare_counts(matrix, cpu, other);
			size_t i = first ? cpu : other;
			size_t j = first ? other : cpu;
			double value = values[i * n + j];

			if (!holds(stratum, i, j) || isnan(value) ||
				owner_of(matrix, i, j) != cpu)
				continue;
			own[kept++] = value;
			sample.of_pairs[sample.n_pairs++] = value;
		}
		if (kept > 0)
			sample.of_cpus[sample.n_cpus++] =
				stat_median(own, kept);
	}
	return sample;
}

/*
 * Whether every pair of a stratum changed significantly, all in one direction.
 */
static bool all_changed(const struct compare_matrix *matrix,
	const struct stratum *stratum, size_t n)
{
	size_t up = 0, down = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double change = matrix->change[i * n + j];

			if (!holds(stratum, i, j) || isnan(change))
				continue;
			if (!matrix->significant[i * n + j])
				return false;
			up += change > 0;
			down += change < 0;
		}
	}
	return (up > 0) != (down > 0);
}

static bool all_tested(const struct compare_matrix *matrix,
	const struct stratum *stratum, size_t n)
{
	for (size_t k = 0; k < n * n; k++) {
		if (holds(stratum, k / n, k % n) && !isnan(matrix->change[k]) &&
			!matrix->tested[k])
			return false;
	}
	return true;
}

/* Correct for the number of levels tested. */
static void decide(struct compare_matrix *matrix, struct arena *arena)
{
	double *p = arena_take(arena, matrix->n_levels, sizeof(*p));

	for (size_t k = 0; k < matrix->n_levels; k++)
		p[k] = matrix->levels[k].p;
	stat_false_discovery(p, matrix->n_levels, arena);
	for (size_t k = 0; k < matrix->n_levels; k++) {
		struct compare_level *level = &matrix->levels[k];

		level->p = p[k];
		/* It is set if the change goes the way that was tested. */
		if (!isnan(p[k]))
			level->significant &= p[k] <= COMPARE_RATE;
		level->tested |= !isnan(p[k]);
	}
}

/*
 * Add a level to a matrix. Its CPUs changed by middle; it is significant only
 * if its medians changed the same way.
 */
static void add_level(struct compare_matrix *matrix, struct compare_level level,
	struct sample *olds, struct sample *news, double middle)
{
	level.before = stat_median(olds->of_pairs, olds->n_pairs);
	level.after = stat_median(news->of_pairs, news->n_pairs);
	level.change = level.after - level.before;
	level.rest_change = NAN;
	level.rest_p = NAN;
	level.significant |= middle * level.change > 0;
	matrix->levels[matrix->n_levels++] = level;
}

/* The same CPUs before and after: test differences. */
static void compare_stratum(struct compare_matrix *matrix,
	const struct stratum *stratum, const double *values[2], size_t n,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct compare_level level = stratum->level;
	struct sample changes =
		sample_of(matrix, stratum, matrix->change, n, arena);
	struct sample olds = sample_of(matrix, stratum, values[0], n, arena);
	struct sample news = sample_of(matrix, stratum, values[1], n, arena);
	double middle = 0;

	level.n_pairs = changes.n_pairs;
	level.p = NAN;
	if (changes.n_cpus < VALUES_MIN) {
		level.tested = all_tested(matrix, stratum, n);
		level.significant = all_changed(matrix, stratum, n);
	} else {
		level.p = stat_signed_rank(
			changes.of_cpus, changes.n_cpus, arena);
		middle = stat_median(changes.of_cpus, changes.n_cpus);
	}
	if (level.n_pairs > 0)
		add_level(matrix, level, &olds, &news, middle);
	arena_back(arena, mark);
}

void compare_levels(struct compare_matrix *matrix,
	const struct compare_side *side, struct arena *arena)
{
	size_t n = side->result->cpus.n;
	struct strata strata = strata_of(side->analysis, arena);
	const struct arena_block *mark;
	double *before, *after;

	matrix->levels = arena_take(arena, strata.n, sizeof(*matrix->levels));
	mark = arena->last;
	before = arena_take(arena, n * n, sizeof(*before));
	after = arena_take(arena, n * n, sizeof(*after));
	/* Use only the pairs that both sides have. */
	for (size_t i = 0; i < n * n; i++) {
		before[i] = isnan(matrix->change[i]) ? NAN : matrix->before[i];
		after[i] = matrix->before[i] + matrix->change[i];
	}
	for (size_t k = 0; k < strata.n; k++)
		compare_stratum(matrix, &strata.items[k],
			(const double *[]){before, after}, n, arena);
	decide(matrix, arena);
	arena_back(arena, mark);
}

/* Other CPUs before than after: test two samples. */
static void compare_apart(struct compare_matrix *matrix,
	const struct compare_level *names, struct sample *olds,
	struct sample *news, struct arena *arena)
{
	struct compare_level level = *names;

	if (olds->n_pairs == 0 || news->n_pairs == 0)
		return;
	level.n_pairs = olds->n_pairs;
	level.p = stat_rank_sum(olds->of_cpus, olds->n_cpus, news->of_cpus,
		news->n_cpus, arena);
	add_level(matrix, level, olds, news,
		stat_median(news->of_cpus, news->n_cpus) -
			stat_median(olds->of_cpus, olds->n_cpus));
}

/* The first stratum with the same names that is not taken, or NULL. */
static struct stratum *counterpart(
	struct strata *strata, bool *taken, const struct stratum *of)
{
	for (size_t k = 0; k < strata->n; k++) {
		struct stratum *stratum = &strata->items[k];

		if (taken[k] || stratum->level.kind != of->level.kind ||
			stratum->level.all != of->level.all ||
			stratum->level.between != of->level.between)
			continue;
		taken[k] = true;
		return stratum;
	}
	return NULL;
}

void compare_level_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells, size_t n,
	double *values, struct arena *arena)
{
	struct strata strata = strata_of(analysis, arena);
	bool *taken = arena_take(arena, strata.n, sizeof(*taken));

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct stratum names = {.level = matrix->levels[k]};
		const struct stratum *stratum =
			counterpart(&strata, taken, &names);
		struct sample sample;

		values[k] = NAN;
		if (!stratum || !cells)
			continue;
		sample = sample_of(matrix, stratum, cells, n, arena);
		values[k] = stat_median(sample.of_pairs, sample.n_pairs);
	}
}

void compare_rest_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells,
	const double *usual, size_t n, double *values, struct arena *arena)
{
	struct strata strata = strata_of(analysis, arena);
	bool *taken = arena_take(arena, strata.n, sizeof(*taken));
	double *own = arena_take(arena, n * n, sizeof(*own));
	double *rest = arena_take(arena, n * n, sizeof(*rest));

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct stratum names = {.level = matrix->levels[k]};
		const struct stratum *stratum =
			counterpart(&strata, taken, &names);
		size_t n_own = 0, n_rest = 0;

		for (size_t at = 0; stratum && cells && at < n * n; at++) {
			double share = cells[at] / usual[at];

			if (at / n == at % n || isnan(share) ||
				!compare_counts(matrix, at / n, at % n))
				continue;
			if (holds(stratum, at / n, at % n))
				own[n_own++] = share;
			else
				rest[n_rest++] = share;
		}
		values[k] = stat_median(own, n_own) / stat_median(rest, n_rest);
	}
}

static void add_unmatched(struct comparison *comparison,
	const struct stratum *stratum, const char *source)
{
	size_t bytes = strlen(source) + 64;
	char name[32], *text = arena_take(&comparison->memory, bytes, 1);

	compare_level_name(&stratum->level, name);
	snprintf(text, bytes, "%s: only in %s", name, source);
	comparison->unmatched[comparison->n_unmatched++] = text;
}

void compare_levels_apart(struct comparison *comparison,
	struct compare_matrix *matrix, const struct compare_side *a,
	const struct compare_side *b)
{
	struct arena *arena = &comparison->memory;
	const struct matrix *before =
		result_find_matrix(a->result, matrix->name, NULL);
	const struct matrix *after =
		result_find_matrix(b->result, matrix->name, NULL);
	struct strata olds = strata_of(a->analysis, arena);
	struct strata news = strata_of(b->analysis, arena);
	bool *taken = arena_take(arena, news.n, sizeof(*taken));
	bool first = !comparison->unmatched;

	if (first)
		comparison->unmatched =
			arena_take(arena, olds.n + news.n, sizeof(char *));
	matrix->levels = arena_take(arena, olds.n, sizeof(*matrix->levels));
	for (size_t k = 0; k < olds.n; k++) {
		const struct stratum *old = &olds.items[k];
		const struct stratum *new = counterpart(&news, taken, old);
		struct sample samples[2];

		if (!new) {
			if (first)
				add_unmatched(comparison, old, a->source);
			continue;
		}
		samples[0] = sample_of(
			matrix, old, before->values, a->result->cpus.n, arena);
		samples[1] = sample_of(
			matrix, new, after->values, b->result->cpus.n, arena);
		compare_apart(
			matrix, &old->level, &samples[0], &samples[1], arena);
	}
	for (size_t k = 0; first && k < news.n; k++) {
		if (!taken[k])
			add_unmatched(comparison, &news.items[k], b->source);
	}
	decide(matrix, arena);
}

void compare_level_name(const struct compare_level *level, char name[32])
{
	if (level->all)
		snprintf(name, 32, "all pairs");
	else
		snprintf(name, 32, "%s, %s", analysis_kind_name(level->kind),
			level->between ? "between" : "inside");
}

double compare_worse_pct(bool higher_is_better, double before, double change)
{
	double pct = 100 * change / fabs(before);

	return higher_is_better ? -pct : pct;
}
