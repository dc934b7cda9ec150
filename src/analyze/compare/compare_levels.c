/*
 * Compares levels: sorts the pairs of a matrix by the groups that contain or
 * separate their CPUs.
 */
#include <stdio.h>
#include <string.h>

#include "analyze/compare/compare_parts.h"
#include "stat/stat.h"

/* Fewest values for which a signed-rank test can reach 5 %. */
#define VALUES_MIN 6

/* Pairs inside groups but not inside inner groups, or pairs between groups. */
struct pair_set {
	struct compare_level level; /* name: kind and pairs */
	const uint32_t *group;	    /* NULL: every pair */
	const uint32_t *inner;	    /* NULL: no inner groups */
};

struct pair_sets {
	struct pair_set *items;
	size_t n;
};

/*
 * List the sets of pairs: one per level, one between groups, and one of all
 * pairs.
 */
static struct pair_sets list_pair_sets(
	const struct analysis *analysis, struct arena *arena)
{
	size_t n_levels = analysis ? analysis->n_levels : 0;
	const struct analysis_level *outermost = NULL;
	struct pair_set *items =
		arena_alloc(arena, 2 * n_levels + 2, sizeof(*items));
	size_t n = 0;

	for (size_t k = 0; k < n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		struct pair_set *set = &items[n++];

		set->level.kind = level->kind;
		set->group = level->group;
		if (level->nested) {
			set->inner = outermost ? outermost->group : NULL;
			outermost = level;
			continue;
		}
		items[n] = *set;
		items[n++].level.pairs = COMPARE_BETWEEN;
	}
	if (outermost) {
		items[n].level.kind = outermost->kind;
		items[n].level.pairs = COMPARE_BETWEEN;
		items[n++].group = outermost->group;
	}
	items[n].level.kind = ANALYSIS_GROUP;
	items[n++].level.pairs = COMPARE_ALL;
	return (struct pair_sets){items, n};
}

static bool pair_set_contains(const struct pair_set *set, size_t i, size_t j)
{
	const uint32_t *group = set->group, *inner = set->inner;

	if (i == j)
		return false;
	if (!group)
		return true;
	if (set->level.pairs == COMPARE_BETWEEN)
		return group[i] != group[j];
	return group[i] == group[j] && !(inner && inner[i] == inner[j]);
}

/*
 * Return the CPU that a pair is assigned to. In a symmetric matrix, each CPU
 * gets half of its pairs, because a pair counts once.
 */
static size_t pair_owner_cpu(
	const struct compare_matrix *matrix, size_t i, size_t j)
{
	return matrix->symmetric && (i + j) % 2 ? j : i;
}

/* The values of the pairs of a set. */
struct pair_sample {
	double *of_pairs; /* [n_pairs] */
	double *of_cpus;  /* [n_cpus] median over each CPU's own pairs */
	size_t n_pairs, n_cpus;
};

/* Collect the values of the pairs of a set, without NaNs. */
static struct pair_sample pair_sample_of(const struct compare_matrix *matrix,
	const struct pair_set *set, const double *values, size_t n,
	struct arena *arena)
{
	double *own = arena_alloc(arena, n, sizeof(*own));
	struct pair_sample sample = {
		.of_pairs = arena_alloc(arena, n * n, sizeof(double)),
		.of_cpus = arena_alloc(arena, n, sizeof(double)),
	};

	for (size_t cpu = 0; cpu < n; cpu++) {
		size_t kept = 0;

		for (size_t other = 0; other < n; other++) {
			bool first = compare_counts_cell(matrix, cpu, other);
			size_t i = first ? cpu : other;
			size_t j = first ? other : cpu;
			double value = values[i * n + j];

			if (!pair_set_contains(set, i, j) || isnan(value) ||
				pair_owner_cpu(matrix, i, j) != cpu)
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

/* Whether all pairs of a set changed significantly in one direction. */
static bool all_changed(const struct compare_matrix *matrix,
	const struct pair_set *set, size_t n)
{
	size_t up = 0, down = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double change = matrix->change[i * n + j];

			if (!pair_set_contains(set, i, j) || isnan(change))
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
	const struct pair_set *set, size_t n)
{
	for (size_t k = 0; k < n * n; k++) {
		if (pair_set_contains(set, k / n, k % n) &&
			!isnan(matrix->change[k]) && !matrix->tested[k])
			return false;
	}
	return true;
}

static void correct_level_tests(
	struct compare_matrix *matrix, struct arena *arena)
{
	double *p = arena_alloc(arena, matrix->n_levels, sizeof(*p));

	for (size_t k = 0; k < matrix->n_levels; k++)
		p[k] = matrix->levels[k].p;
	stat_false_discovery(p, matrix->n_levels, arena);
	for (size_t k = 0; k < matrix->n_levels; k++) {
		struct compare_level *level = &matrix->levels[k];

		level->p = p[k];
		/* `significant` is only set if the directions agree. */
		if (!isnan(p[k]))
			level->significant &= p[k] <= COMPARE_RATE;
		level->tested |= !isnan(p[k]);
	}
}

/*
 * Add a level to a matrix. middle is the median change of its CPUs; the level
 * is significant only if its medians changed in the same direction.
 */
static void add_compared_level(struct compare_matrix *matrix,
	struct compare_level level, struct pair_sample *olds,
	struct pair_sample *news, double middle)
{
	level.before = stat_median(olds->of_pairs, olds->n_pairs);
	level.after = stat_median(news->of_pairs, news->n_pairs);
	level.change = level.after - level.before;
	level.rest_change = NAN;
	level.rest_p = NAN;
	level.significant |= middle * level.change > 0;
	matrix->levels[matrix->n_levels++] = level;
}

/* Compare one set of pairs on both sides by a paired test (same CPUs). */
static void compare_pair_set(struct compare_matrix *matrix,
	const struct pair_set *set, const double *values[2], size_t n,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct compare_level level = set->level;
	struct pair_sample changes =
		pair_sample_of(matrix, set, matrix->change, n, arena);
	struct pair_sample olds =
		pair_sample_of(matrix, set, values[0], n, arena);
	struct pair_sample news =
		pair_sample_of(matrix, set, values[1], n, arena);
	double middle = 0;

	level.n_pairs = changes.n_pairs;
	level.p = NAN;
	if (changes.n_cpus < VALUES_MIN) {
		level.tested = all_tested(matrix, set, n);
		level.significant = all_changed(matrix, set, n);
	} else {
		level.p = stat_signed_rank(
			changes.of_cpus, changes.n_cpus, arena);
		middle = stat_median(changes.of_cpus, changes.n_cpus);
	}
	if (level.n_pairs > 0)
		add_compared_level(matrix, level, &olds, &news, middle);
	arena_rewind(arena, mark);
}

void compare_levels(struct compare_matrix *matrix,
	const struct compare_side *side, struct arena *arena)
{
	size_t n = side->result->cpus.n;
	struct pair_sets sets = list_pair_sets(side->analysis, arena);
	const struct arena_block *mark;
	double *before, *after;

	matrix->levels = arena_alloc(arena, sets.n, sizeof(*matrix->levels));
	mark = arena->last;
	before = arena_alloc(arena, n * n, sizeof(*before));
	after = arena_alloc(arena, n * n, sizeof(*after));
	/* Use only the pairs that both sides have. */
	for (size_t i = 0; i < n * n; i++) {
		before[i] = isnan(matrix->change[i]) ? NAN : matrix->before[i];
		after[i] = matrix->before[i] + matrix->change[i];
	}
	for (size_t k = 0; k < sets.n; k++)
		compare_pair_set(matrix, &sets.items[k],
			(const double *[]){before, after}, n, arena);
	correct_level_tests(matrix, arena);
	arena_rewind(arena, mark);
}

/* Compare two sets of pairs by a two-sample test (different CPUs). */
static void compare_two_samples(struct compare_matrix *matrix,
	const struct compare_level *names, struct pair_sample *olds,
	struct pair_sample *news, struct arena *arena)
{
	struct compare_level level = *names;

	if (olds->n_pairs == 0 || news->n_pairs == 0)
		return;
	level.n_pairs = olds->n_pairs;
	level.p = stat_rank_sum(olds->of_cpus, olds->n_cpus, news->of_cpus,
		news->n_cpus, arena);
	add_compared_level(matrix, level, olds, news,
		stat_median(news->of_cpus, news->n_cpus) -
			stat_median(olds->of_cpus, olds->n_cpus));
}

/* Take the first free set with these names, or return NULL. */
static struct pair_set *take_same_pair_set(
	struct pair_sets *sets, bool *taken, const struct pair_set *of)
{
	for (size_t k = 0; k < sets->n; k++) {
		struct pair_set *set = &sets->items[k];

		if (taken[k] || set->level.kind != of->level.kind ||
			set->level.pairs != of->level.pairs)
			continue;
		taken[k] = true;
		return set;
	}
	return NULL;
}

void compare_level_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells, size_t n,
	double *values, struct arena *arena)
{
	struct pair_sets sets = list_pair_sets(analysis, arena);
	bool *taken = arena_alloc(arena, sets.n, sizeof(*taken));

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct pair_set names = {.level = matrix->levels[k]};
		const struct pair_set *set =
			take_same_pair_set(&sets, taken, &names);
		struct pair_sample sample;

		values[k] = NAN;
		if (!set || !cells)
			continue;
		sample = pair_sample_of(matrix, set, cells, n, arena);
		values[k] = stat_median(sample.of_pairs, sample.n_pairs);
	}
}

void compare_rest_values(const struct compare_matrix *matrix,
	const struct analysis *analysis, const double *cells,
	const double *usual, size_t n, double *values, struct arena *arena)
{
	struct pair_sets sets = list_pair_sets(analysis, arena);
	bool *taken = arena_alloc(arena, sets.n, sizeof(*taken));
	double *own = arena_alloc(arena, n * n, sizeof(*own));
	double *rest = arena_alloc(arena, n * n, sizeof(*rest));

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct pair_set names = {.level = matrix->levels[k]};
		const struct pair_set *set =
			take_same_pair_set(&sets, taken, &names);
		size_t n_own = 0, n_rest = 0;

		for (size_t at = 0; set && cells && at < n * n; at++) {
			double share = cells[at] / usual[at];

			if (at / n == at % n || isnan(share) ||
				!compare_counts_cell(matrix, at / n, at % n))
				continue;
			if (pair_set_contains(set, at / n, at % n))
				own[n_own++] = share;
			else
				rest[n_rest++] = share;
		}
		values[k] = stat_median(own, n_own) / stat_median(rest, n_rest);
	}
}

static void add_unmatched_level(struct comparison *comparison,
	const struct pair_set *set, const char *source)
{
	size_t bytes = strlen(source) + 64;
	char name[32], *text = arena_alloc(&comparison->memory, bytes, 1);

	compare_level_name(&set->level, name);
	snprintf(text, bytes, "%s: only in %s", name, source);
	comparison->unmatched[comparison->n_unmatched++] = text;
}

void compare_levels_by_name(struct comparison *comparison,
	struct compare_matrix *matrix, const struct compare_side *a,
	const struct compare_side *b)
{
	struct arena *arena = &comparison->memory;
	const struct matrix *before =
		result_find_matrix(a->result, matrix->name, NULL);
	const struct matrix *after =
		result_find_matrix(b->result, matrix->name, NULL);
	struct pair_sets olds = list_pair_sets(a->analysis, arena);
	struct pair_sets news = list_pair_sets(b->analysis, arena);
	bool *taken = arena_alloc(arena, news.n, sizeof(*taken));
	bool first = !comparison->unmatched;

	if (first)
		comparison->unmatched =
			arena_alloc(arena, olds.n + news.n, sizeof(char *));
	matrix->levels = arena_alloc(arena, olds.n, sizeof(*matrix->levels));
	for (size_t k = 0; k < olds.n; k++) {
		const struct pair_set *old = &olds.items[k];
		const struct pair_set *new =
			take_same_pair_set(&news, taken, old);
		struct pair_sample samples[2];

		if (!new) {
			if (first)
				add_unmatched_level(comparison, old, a->source);
			continue;
		}
		samples[0] = pair_sample_of(
			matrix, old, before->values, a->result->cpus.n, arena);
		samples[1] = pair_sample_of(
			matrix, new, after->values, b->result->cpus.n, arena);
		compare_two_samples(
			matrix, &old->level, &samples[0], &samples[1], arena);
	}
	for (size_t k = 0; first && k < news.n; k++) {
		if (!taken[k])
			add_unmatched_level(
				comparison, &news.items[k], b->source);
	}
	correct_level_tests(matrix, arena);
}

void compare_level_name(const struct compare_level *level, char name[32])
{
	if (level->pairs == COMPARE_ALL)
		snprintf(name, 32, "all pairs");
	else
		snprintf(name, 32, "%s, %s", analysis_kinds[level->kind],
			compare_pairs_words[level->pairs]);
}

double compare_worse_pct(bool higher_is_better, double before, double change)
{
	double pct = 100 * change / fabs(before);

	return higher_is_better ? -pct : pct;
}
