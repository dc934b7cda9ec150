/*
 * Comparing levels: the pairs of a matrix by the groups that they are inside
 * of or between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_parts.h"
#include "stat/stat.h"

/* The fewest values of which a signed-rank test can say anything at 5 %. */
#define VALUES_MIN 6

/* Some pairs: inside groups, without the groups within them; or between. */
struct stratum {
	struct compare_level level; /* its names */
	const uint32_t *group;	    /* NULL: every pair */
	const uint32_t *inner;	    /* NULL: no groups within */
};

struct strata {
	struct stratum *items;
	size_t n;
};

/* Room for a stratum inside each level, one between, and that of all pairs. */
static int strata_init(struct strata *strata, const struct analysis *analysis,
	struct error *err)
{
	size_t n_levels = analysis ? analysis->n_levels : 0;
	const struct analysis_level *outermost = NULL;

	*strata = (struct strata){0};
	strata->items = calloc(2 * n_levels + 2, sizeof(*strata->items));
	if (!strata->items)
		return error_no_memory(err, "the levels");
	for (size_t k = 0; k < n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		struct stratum *stratum = &strata->items[strata->n++];

		stratum->level.kind = level->kind;
		stratum->group = level->group;
		if (level->nested) {
			stratum->inner = outermost ? outermost->group : NULL;
			outermost = level;
			continue;
		}
		strata->items[strata->n] = *stratum;
		strata->items[strata->n++].level.between = true;
	}
	if (outermost) {
		strata->items[strata->n].level.kind = outermost->kind;
		strata->items[strata->n].level.between = true;
		strata->items[strata->n++].group = outermost->group;
	}
	strata->items[strata->n].level.kind = ANALYSIS_GROUP;
	strata->items[strata->n++].level.all = true;
	return 0;
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
 * Which of its CPUs a pair counts for: each of a symmetric matrix for either
 * equally often, so that no pair counts twice.
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

static void sample_release(struct sample *sample)
{
	free(sample->of_pairs);
	free(sample->of_cpus);
}

/* Take values[n * n] where they are; NaNs are left out. */
static int sample_init(struct sample *sample,
	const struct compare_matrix *matrix, const struct stratum *stratum,
	const double *values, size_t n, struct error *err)
{
	double *own = calloc(n + 1, sizeof(*own));

	*sample = (struct sample){0};
	sample->of_pairs = calloc(n * n + 1, sizeof(*sample->of_pairs));
	sample->of_cpus = calloc(n + 1, sizeof(*sample->of_cpus));
	if (!own || !sample->of_pairs || !sample->of_cpus) {
		free(own);
		return error_no_memory(err, "the pairs of a level");
	}
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
			sample->of_pairs[sample->n_pairs++] = value;
		}
		if (kept > 0)
			sample->of_cpus[sample->n_cpus++] =
				stat_median(own, kept);
	}
	free(own);
	return 0;
}

/* Whether every pair of a stratum changed for certain, to one side. */
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

/* Levels are few tests, but more than one. */
static int decide(struct compare_matrix *matrix, struct error *err)
{
	double *p = calloc(matrix->n_levels + 1, sizeof(*p));

	if (!p)
		return error_no_memory(err, "the levels");
	for (size_t k = 0; k < matrix->n_levels; k++)
		p[k] = matrix->levels[k].p;
	if (stat_false_discovery(p, matrix->n_levels) < 0) {
		free(p);
		return error_no_memory(err, "the levels");
	}
	for (size_t k = 0; k < matrix->n_levels; k++) {
		struct compare_level *level = &matrix->levels[k];

		level->p = p[k];
		/* Set already: the change goes the way that was tested. */
		if (!isnan(p[k]))
			level->significant &= p[k] <= COMPARE_RATE;
	}
	free(p);
	return 0;
}

static int start_levels(
	struct compare_matrix *matrix, size_t n, struct error *err)
{
	matrix->levels = calloc(n + 1, sizeof(*matrix->levels));
	return matrix->levels ? 0 : error_no_memory(err, "the levels");
}

/*
 * Add a level to a matrix, whose CPUs changed by middle: significant as far as
 * its change goes the same way.
 */
static void add_level(struct compare_matrix *matrix, struct compare_level level,
	struct sample *olds, struct sample *news, double middle)
{
	level.before = stat_median(olds->of_pairs, olds->n_pairs);
	level.after = stat_median(news->of_pairs, news->n_pairs);
	level.change = level.after - level.before;
	level.significant |= middle * level.change > 0;
	matrix->levels[matrix->n_levels++] = level;
}

/* The same CPUs before and after. */
static int compare_stratum(struct compare_matrix *matrix,
	const struct stratum *stratum, const double *after, size_t n,
	struct error *err)
{
	struct compare_level level = stratum->level;
	struct sample olds = {0}, news = {0}, changes = {0};
	double middle = 0;
	int rc;

	rc = sample_init(&changes, matrix, stratum, matrix->change, n, err);
	if (rc == 0)
		rc = sample_init(
			&olds, matrix, stratum, matrix->before, n, err);
	if (rc == 0)
		rc = sample_init(&news, matrix, stratum, after, n, err);
	level.n_pairs = changes.n_pairs;
	level.p = NAN;
	if (rc == 0 && changes.n_cpus < VALUES_MIN) {
		level.significant = all_changed(matrix, stratum, n);
	} else if (rc == 0) {
		rc = stat_signed_rank(
			changes.of_cpus, changes.n_cpus, &level.p);
		middle = stat_median(changes.of_cpus, changes.n_cpus);
		if (rc < 0)
			rc = error_no_memory(err, "the test of a level");
	}
	if (rc == 0 && level.n_pairs > 0)
		add_level(matrix, level, &olds, &news, middle);
	sample_release(&news);
	sample_release(&olds);
	sample_release(&changes);
	return rc;
}

int compare_levels(struct compare_matrix *matrix,
	const struct compare_side *side, struct error *err)
{
	size_t n = side->result->cpus.n;
	double *after = calloc(n * n + 1, sizeof(*after));
	double *before = matrix->before;
	double *both = calloc(n * n + 1, sizeof(*both));
	struct strata strata = {0};
	int rc = after && both ? 0 : error_no_memory(err, "the levels");

	/* Medians are of the pairs that both sides have. */
	for (size_t i = 0; rc == 0 && i < n * n; i++) {
		both[i] = isnan(matrix->change[i]) ? NAN : before[i];
		after[i] = before[i] + matrix->change[i];
	}
	if (rc == 0)
		rc = strata_init(&strata, side->analysis, err);
	if (rc == 0)
		rc = start_levels(matrix, strata.n, err);
	matrix->before = both;
	for (size_t k = 0; rc == 0 && k < strata.n; k++)
		rc = compare_stratum(matrix, &strata.items[k], after, n, err);
	matrix->before = before;
	if (rc == 0)
		rc = decide(matrix, err);
	free(strata.items);
	free(both);
	free(after);
	return rc;
}

/* Other CPUs before than after: two samples. */
static int compare_apart(struct compare_matrix *matrix,
	const struct stratum *old, const struct stratum *new,
	const struct compare_side *a, const struct compare_side *b,
	struct error *err)
{
	const struct matrix *before =
		result_find_matrix(a->result, matrix->name, NULL);
	const struct matrix *after =
		result_find_matrix(b->result, matrix->name, NULL);
	struct compare_level level = old->level;
	struct sample olds = {0}, news = {0};
	int rc;

	rc = sample_init(
		&olds, matrix, old, before->values, a->result->cpus.n, err);
	if (rc == 0)
		rc = sample_init(&news, matrix, new, after->values,
			b->result->cpus.n, err);
	if (rc == 0 && olds.n_pairs > 0 && news.n_pairs > 0) {
		level.n_pairs = olds.n_pairs;
		if (stat_rank_sum(olds.of_cpus, olds.n_cpus, news.of_cpus,
			    news.n_cpus, &level.p) < 0)
			rc = error_no_memory(err, "the test of a level");
		add_level(matrix, level, &olds, &news,
			stat_median(news.of_cpus, news.n_cpus) -
				stat_median(olds.of_cpus, olds.n_cpus));
	}
	sample_release(&olds);
	sample_release(&news);
	return rc;
}

/* The stratum of the same names that is not taken yet, or NULL. */
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

static int add_unmatched(struct comparison *comparison,
	const struct stratum *stratum, const char *source, struct error *err)
{
	char **items = reallocarray(comparison->unmatched,
		comparison->n_unmatched + 1, sizeof(*items));
	char name[32], *text;

	if (!items)
		return error_no_memory(err, "the levels");
	comparison->unmatched = items;
	compare_level_name(&stratum->level, name);
	if (asprintf(&text, "%s: only in %s", name, source) < 0)
		return error_no_memory(err, "the levels");
	items[comparison->n_unmatched++] = text;
	return 0;
}

int compare_levels_apart(struct comparison *comparison,
	struct compare_matrix *matrix, const struct compare_side *a,
	const struct compare_side *b, bool first, struct error *err)
{
	struct strata olds, news = {0};
	bool *taken = NULL;
	int rc = strata_init(&olds, a->analysis, err);

	if (rc == 0)
		rc = strata_init(&news, b->analysis, err);
	if (rc == 0)
		rc = start_levels(matrix, olds.n, err);
	if (rc == 0 && !(taken = calloc(news.n, sizeof(*taken))))
		rc = error_no_memory(err, "the levels");
	for (size_t k = 0; rc == 0 && k < olds.n; k++) {
		const struct stratum *other =
			counterpart(&news, taken, &olds.items[k]);

		if (other)
			rc = compare_apart(
				matrix, &olds.items[k], other, a, b, err);
		else if (first)
			rc = add_unmatched(
				comparison, &olds.items[k], a->source, err);
	}
	for (size_t k = 0; rc == 0 && first && k < news.n; k++) {
		if (!taken[k])
			rc = add_unmatched(
				comparison, &news.items[k], b->source, err);
	}
	if (rc == 0)
		rc = decide(matrix, err);
	free(taken);
	free(olds.items);
	free(news.items);
	return rc;
}

void compare_level_name(const struct compare_level *level, char name[32])
{
	if (level->all)
		snprintf(name, 32, "all pairs");
	else
		snprintf(name, 32, "%s, %s", analysis_kind_name(level->kind),
			level->between ? "between" : "inside");
}

double compare_worse_pct(
	const struct compare_matrix *matrix, const struct compare_level *level)
{
	double pct = 100 * level->change / fabs(level->before);

	return matrix->higher_is_better ? -pct : pct;
}
