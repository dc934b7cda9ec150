/*
 * Compares the curves of two records, point by point and level by level, and
 * the caches in the records.
 */
#include <string.h>

#include "analyze/compare/compare_parts.h"
#include "stat/stat.h"
#include "util/text.h"

/*
 * Whether a curve can be compared. A ceiling is a line for comparison in its
 * panel. A curve with measured x repeats the values of another curve.
 */
static bool is_comparable_curve(const struct curve *curve)
{
	return !curve_is_bound(curve) &&
	       curve->facts.x_axis != CURVE_MEASURED && curve_has_values(curve);
}

bool compare_has_curves(const struct result *result)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		if (is_comparable_curve(&result->curves[i]))
			return true;
	}
	return false;
}

/* Points of a curve that have a value and no counterpart yet. */
struct free_points {
	const struct curve *curve;
	bool *taken;
	size_t first;
};

static struct free_points free_points_of(
	const struct curve *curve, struct arena *arena)
{
	struct free_points points = {
		curve, arena_alloc(arena, curve->n, sizeof(bool)), 0};

	for (size_t i = 0; i < curve->n; i++)
		points.taken[i] = isnan(curve->median[i]);
	return points;
}

/* Take the first free point with this x or name; return its index, or -1. */
static ssize_t take_point(
	struct free_points *points, double x, const char *name)
{
	const struct curve *curve = points->curve;

	while (points->first < curve->n && points->taken[points->first])
		points->first++;
	for (size_t i = points->first; i < curve->n; i++) {
		if (points->taken[i] || !curve_is_point(curve, i, x, name))
			continue;
		points->taken[i] = true;
		return (ssize_t)i;
	}
	return -1;
}

/*
 * Test point i of a against point j of b as point k: the points differ if both
 * have intervals that do not overlap.
 */
static void test_point(struct compare_curve *compared, size_t k,
	const struct curve *a, size_t i, const struct curve *b, size_t j)
{
	if (isnan(a->low[i]) || isnan(a->high[i]) || isnan(b->low[j]) ||
		isnan(b->high[j]))
		return;
	compared->test = COMPARE_INTERVALS;
	compared->tested[k] = true;
	compared->n_tested++;
	compared->significant[k] =
		(a->high[i] < b->low[j] || b->high[j] < a->low[i]) &&
		b->median[j] != a->median[i];
}

static void compare_curve_points(struct compare_curve *compared,
	const struct curve *a, const struct curve *b, struct arena *arena)
{
	struct free_points candidates = free_points_of(b, arena);

	compared->x = arena_alloc(arena, a->n, sizeof(double));
	compared->x_names = arena_alloc(arena, a->n, sizeof(char *));
	compared->before = arena_alloc(arena, a->n, sizeof(double));
	compared->change = arena_alloc(arena, a->n, sizeof(double));
	compared->tested = arena_alloc(arena, a->n, sizeof(bool));
	compared->significant = arena_alloc(arena, a->n, sizeof(bool));
	for (size_t i = 0; i < a->n; i++) {
		size_t k = compared->n;
		const char *name;
		ssize_t j;

		if (isnan(a->median[i]))
			continue;
		name = curve_x_name(a, a->x[i]);
		j = take_point(&candidates, a->x[i], name);
		if (j < 0) {
			compared->n_alone++;
			continue;
		}
		compared->x[k] = a->x[i];
		compared->x_names[k] = arena_strdup(arena, name);
		compared->before[k] = a->median[i];
		compared->change[k] = b->median[j] - a->median[i];
		test_point(compared, k, a, i, b, (size_t)j);
		compared->n++;
		if (!compared->significant[k])
			continue;
		if (compare_is_worse(
			    compared->higher_is_better, compared->change[k]))
			compared->n_worse++;
		else
			compared->n_better++;
	}
	for (size_t j = 0; j < b->n; j++)
		compared->n_alone += !candidates.taken[j];
}

static void add_stretch(struct compare_curve *curve, const char *level,
	double least, double most, struct arena *arena)
{
	struct compare_stretch *stretch = &curve->stretches[curve->n_stretches];
	double *before = arena_alloc(arena, curve->n, sizeof(*before));
	double *after = arena_alloc(arena, curve->n, sizeof(*after));
	size_t n = 0, up = 0, down = 0, tested = 0;

	for (size_t k = 0; k < curve->n; k++) {
		if (!(curve->x[k] > least && curve->x[k] <= most))
			continue;
		tested += curve->tested[k];
		before[n] = curve->before[k];
		after[n++] = curve->before[k] + curve->change[k];
		up += curve->significant[k] && curve->change[k] > 0;
		down += curve->significant[k] && curve->change[k] < 0;
	}
	/* A single working set is not enough to judge a level. */
	if (n < (level && curve->facts.x_axis == CURVE_SETS ? 2 : 1))
		return;
	*stretch = (struct compare_stretch){
		.level = arena_strdup(arena, level),
		.least = least,
		.most = most,
		.p = NAN,
		.n_points = n,
		.tested = 2 * tested > n,
		.before = stat_median(before, n),
		.after = stat_median(after, n),
	};
	stretch->change = stretch->after - stretch->before;
	stretch->n_changed = stretch->change > 0   ? up
			     : stretch->change < 0 ? down
						   : 0;
	stretch->significant =
		fabs(stretch->change) >
			COMPARE_RUN_NOISE * fabs(stretch->before) &&
		2 * stretch->n_changed > n;
	curve->n_stretches++;
}

static const struct cache_level *find_cache_by_name(
	const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		if (strcmp(result->caches[i].name, name) == 0)
			return &result->caches[i];
	}
	return NULL;
}

static bool same_cache_names(const struct result *a, const struct result *b)
{
	if (a->n_caches != b->n_caches)
		return false;
	for (size_t i = 0; i < a->n_caches; i++) {
		if (strcmp(a->caches[i].name, b->caches[i].name) != 0)
			return false;
	}
	return true;
}

/*
 * Return the first cache level that may have this size; NULL: none, or memory.
 */
static const struct cache_level *find_cache_of_size(
	const struct result *result, const struct cache_level *level)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		const struct cache_level *other = &result->caches[i];

		if (level->least_bytes <= other->most_bytes &&
			other->least_bytes <= level->most_bytes)
			return other;
	}
	return NULL;
}

/*
 * Return the level of the other record with the same size, or NULL. Names are
 * unreliable: if one run found an additional level, all later levels have other
 * names. If no size fits, use the level of the same name, unless its size fits
 * another level.
 */
static const struct cache_level *find_cache_counterpart(
	const struct cache_level *level, const struct result *of,
	const struct result *in)
{
	const struct cache_level *other;

	if (same_cache_names(of, in))
		return &in->caches[level - of->caches];
	other = find_cache_of_size(in, level);
	if (other)
		return find_cache_of_size(of, other) == level ? other : NULL;
	other = find_cache_by_name(in, level->name);
	return other && !find_cache_of_size(of, other) ? other : NULL;
}

/* Return the largest working set that may fit the previous level. */
static double bytes_before_level(
	const struct result *result, const struct cache_level *level)
{
	return level == result->caches ? 0 : level[-1].most_bytes;
}

/* Whether a level is memory, or a cache whose size was found. */
static bool has_known_size(const struct cache_level *level)
{
	return level->memory || !isnan(level->least_bytes);
}

/*
 * Add a stretch for each level of both records, for each point with a name, and
 * for all points. A point between two levels is only in the stretch of all
 * points, because its loads go to both levels. The working set of several CPUs
 * is the sum of theirs. It fits the sum of their caches.
 */
static void add_stretches(struct compare_curve *curve, const struct result *a,
	const struct result *b, struct arena *arena)
{
	bool of_sets = curve->facts.x_axis == CURVE_SETS;

	curve->stretches = arena_alloc(
		arena, a->n_caches + curve->n + 1, sizeof(*curve->stretches));
	for (size_t i = 0; of_sets && i < a->n_caches; i++) {
		const struct cache_level *old = &a->caches[i];
		const struct cache_level *new =
			find_cache_counterpart(old, a, b);
		double times, before;

		if (!new || !has_known_size(old) || !has_known_size(new))
			continue;
		times = cache_level_times(old, &curve->cpus);
		before = old == a->caches
				 ? 0
				 : cache_level_times(old - 1, &curve->cpus);
		add_stretch(curve, old->name,
			before * fmax(bytes_before_level(a, old),
					 bytes_before_level(b, new)),
			old->memory || new->memory
				? INFINITY
				: times *fmin(
					  old->least_bytes, new->least_bytes),
			arena);
	}
	for (size_t k = 0; k < curve->n; k++) {
		if (curve->x_names[k])
			add_stretch(curve, curve->x_names[k],
				nextafter(curve->x[k], -INFINITY), curve->x[k],
				arena);
	}
	add_stretch(curve, NULL, -INFINITY, INFINITY, arena);
}

static void copy_curve_facts(struct compare_curve *compared,
	const struct curve *curve, struct arena *arena)
{
	struct curve_facts *facts = &compared->facts;

	*facts = curve->facts;
	facts->test = arena_strdup(arena, facts->test);
	facts->family = arena_strdup(arena, facts->family);
	facts->member = arena_strdup(arena, facts->member);
	facts->variant = arena_strdup(arena, facts->variant);
	facts->device = arena_strdup(arena, facts->device);
	facts->x_name = arena_strdup(arena, facts->x_name);
	facts->x_unit = arena_strdup(arena, facts->x_unit);
	facts->y_name = arena_strdup(arena, facts->y_name);
	facts->y_unit = arena_strdup(arena, facts->y_unit);
	compared->cpus =
		(struct cpu_list){arena_copy(arena, curve->cpus.cpus,
					  curve->cpus.n, sizeof(unsigned)),
			curve->cpus.n};
	compared->higher_is_better = curve_higher_is_better(facts);
}

void compare_add_unmatched(struct comparison *comparison, char *text)
{
	comparison->unmatched = arena_grow(&comparison->memory,
		comparison->unmatched, comparison->n_unmatched, sizeof(char *));
	comparison->unmatched[comparison->n_unmatched++] = text;
}

static void add_only_in_source(
	struct comparison *comparison, const char *what, const char *source)
{
	compare_add_unmatched(
		comparison, arena_format(&comparison->memory, "%s: only in %s",
				    what, source));
}

static void add_unmatched_curve(struct comparison *comparison,
	const struct curve *curve, const char *source)
{
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	struct arena *arena = &comparison->memory;

	add_only_in_source(comparison,
		arena_format(arena, "%s: %s", curve_title(curve, title),
			curve_name(curve, name)),
		source);
}

static void compare_curve(struct comparison *comparison,
	const struct curve *old, const struct curve *new,
	const struct result *results[2])
{
	struct arena *arena = &comparison->memory;
	struct compare_curve *compared;

	comparison->curves = arena_grow(arena, comparison->curves,
		comparison->n_curves, sizeof(*comparison->curves));
	compared = &comparison->curves[comparison->n_curves++];
	*compared = (struct compare_curve){.n = 0};
	copy_curve_facts(compared, old, arena);
	compare_curve_points(compared, old, new, arena);
	add_stretches(compared, results[0], results[1], arena);
}

void compare_curves(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b)
{
	const struct result *results[2] = {a->result, b->result};
	bool *taken = arena_alloc(
		&comparison->memory, b->result->n_curves, sizeof(*taken));

	for (size_t i = 0; i < a->result->n_curves; i++) {
		const struct curve *old = &a->result->curves[i];
		size_t j = 0;

		if (!is_comparable_curve(old))
			continue;
		while (j < b->result->n_curves &&
			(taken[j] ||
				!is_comparable_curve(&b->result->curves[j]) ||
				!curve_same(old, &b->result->curves[j])))
			j++;
		if (j == b->result->n_curves) {
			add_unmatched_curve(comparison, old, a->source);
			continue;
		}
		taken[j] = true;
		compare_curve(comparison, old, &b->result->curves[j], results);
	}
	for (size_t j = 0; j < b->result->n_curves; j++) {
		if (!taken[j] && is_comparable_curve(&b->result->curves[j]))
			add_unmatched_curve(
				comparison, &b->result->curves[j], b->source);
	}
}

static void add_compared_size(struct comparison *comparison, char *name,
	bool bytes, const double before[2], const double after[2])
{
	struct compare_size *size;

	if (isnan(before[0]) || isnan(before[1]) || isnan(after[0]) ||
		isnan(after[1]))
		return;
	comparison->sizes = arena_grow(&comparison->memory, comparison->sizes,
		comparison->n_sizes, sizeof(*size));
	size = &comparison->sizes[comparison->n_sizes++];
	*size = (struct compare_size){
		.name = name,
		.bytes = bytes,
		.before = {before[0], before[1]},
		.after = {after[0], after[1]},
		.apart = before[1] < after[0] || after[1] < before[0],
	};
	size->changed = size->apart && !comparison->undecided;
}

/*
 * Confirm that a size changed. Working sets between the two sizes fit only the
 * larger cache: most of their latencies must have changed. Sizes of disturbed
 * runs may differ by chance, but most latencies do not.
 */
static void confirm_by_latencies(
	const struct comparison *comparison, struct compare_size *size)
{
	bool smaller = size->after[1] < size->before[0];
	double least = smaller ? size->after[1] : size->before[1];
	double most = smaller ? size->before[0] : size->after[0];
	size_t n = 0, agreeing = 0;

	for (size_t i = 0; i < comparison->n_curves; i++) {
		const struct compare_curve *curve = &comparison->curves[i];

		if (curve->higher_is_better || curve->test == COMPARE_NONE ||
			!text_same(curve->facts.x_unit, "B"))
			continue;
		for (size_t k = 0; k < curve->n; k++) {
			if (!(curve->x[k] > least && curve->x[k] <= most))
				continue;
			n++;
			agreeing += curve->significant[k] &&
				    (curve->change[k] > 0) == smaller;
		}
	}
	size->changed = 2 * agreeing > n;
}

/* Compare a cache of both records; source is the record with `new`. */
static void compare_cache(struct comparison *comparison,
	const struct cache_level *old, const struct cache_level *new,
	const char *source)
{
	struct arena *arena = &comparison->memory;
	size_t before = comparison->n_sizes;
	const char *name = old->name;

	if (strcmp(name, new->name) != 0)
		name = arena_format(
			arena, "%s (%s in %s)", name, new->name, source);
	add_compared_size(comparison, arena_format(arena, "%s size", name),
		true, (const double[2]){old->least_bytes, old->most_bytes},
		(const double[2]){new->least_bytes, new->most_bytes});
	if (comparison->n_sizes > before && comparison->sizes[before].apart)
		confirm_by_latencies(comparison, &comparison->sizes[before]);
	add_compared_size(comparison, arena_format(arena, "%s line", name),
		true, (const double[2]){old->line_bytes, old->line_bytes},
		(const double[2]){new->line_bytes, new->line_bytes});
	add_compared_size(comparison, arena_format(arena, "%s ways", name),
		false, (const double[2]){old->ways, old->ways},
		(const double[2]){new->ways, new->ways});
}

static void compare_tlbs(struct comparison *comparison, const struct result *a,
	const struct result *b)
{
	struct arena *arena = &comparison->memory;

	/* Both records list the nearest TLB first. */
	for (size_t i = 0; i < a->n_tlbs && i < b->n_tlbs; i++) {
		const struct cache_tlb *old = &a->tlbs[i], *new = &b->tlbs[i];
		char text[TEXT_SIZE_BYTES];

		if (!(old->page_bytes > 0 && old->page_bytes < 1e18) ||
			old->page_bytes != new->page_bytes)
			continue;
		add_compared_size(comparison,
			arena_format(arena, "TLB %zu reach, %s pages", i + 1,
				text_size((uint64_t)old->page_bytes, text)),
			true,
			(const double[2]){old->least_bytes, old->most_bytes},
			(const double[2]){new->least_bytes, new->most_bytes});
	}
}

/* List a cache of one record, with its size if both records have its name. */
static void add_unmatched_cache(struct comparison *comparison,
	const struct cache_level *level, const struct result *other,
	const char *source)
{
	char sizes[TEXT_SIZES_BYTES];
	const char *what = level->name;

	if (find_cache_by_name(other, what))
		what = arena_format(&comparison->memory, "%s of %s", what,
			text_sizes(
				level->least_bytes, level->most_bytes, sizes));
	add_only_in_source(comparison, what, source);
}

void compare_caches(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b)
{
	const struct result *old = a->result, *new = b->result;

	/* Only a run that inferred levels can lack a level. */
	if (old->n_caches == 0 || new->n_caches == 0)
		return;
	for (size_t i = 0; i < old->n_caches; i++) {
		const struct cache_level *level = &old->caches[i];
		const struct cache_level *other =
			find_cache_counterpart(level, old, new);

		if (other)
			compare_cache(comparison, level, other, b->source);
		else
			add_unmatched_cache(comparison, level, new, a->source);
	}
	for (size_t i = 0; i < new->n_caches; i++) {
		const struct cache_level *level = &new->caches[i];

		if (!find_cache_counterpart(level, new, old))
			add_unmatched_cache(comparison, level, old, b->source);
	}
	compare_tlbs(comparison, old, new);
}

double compare_smaller_pct(const struct compare_size *size)
{
	return size->changed && size->after[1] < size->before[0]
		       ? 100 * (1 - size->after[1] / size->before[0])
		       : 0;
}
