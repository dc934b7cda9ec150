#include "analyze/caches/cache_plateaus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * A plateau: the least ratio of its largest to its smallest working set, and
 * the usual scatter of its latencies, as a share of their mean.
 */
#define LEAST_SPAN	1.9
#define LATENCY_SCATTER 0.08

/*
 * Costs in the fit of a curve: of each plateau, and of each point on no
 * plateau. The cost of a point on a plateau is the square of its distance from
 * the mean, in units of LATENCY_SCATTER.
 */
#define PLATEAU_COST 2.0
#define RAMP_COST    1.0

/*
 * Adjacent levels differ at least by these factors: in latency, in latency if
 * other CPUs may have slowed one level down, and in size.
 */
#define LEAST_RATIO	1.5
#define LEAST_DISTURBED 2.5
#define LEAST_SIZES	2

/*
 * If memory is at least HIDDEN_RATIO times as slow as the last cache found, a
 * cache without a plateau may exist between them. It exists if loads take less
 * than HIDDEN_SHARE of the time that loads without this cache take.
 */
#define HIDDEN_RATIO 6
#define HIDDEN_SHARE 0.65

/*
 * Shares of loads that miss a cache if the working set equals the cache: in the
 * median over passes, and in the fastest pass, which a neighbour may still have
 * slowed down. The share is computed as if the next level were at most
 * FAR_LATENCY_RATIO times as slow, because even a few loads from memory are
 * visible. A fast point that is more than NEARBY_RATIO times the size found
 * before does not count.
 */
#define FEW_MISSES	  0.15
#define MANY_MISSES	  0.4
#define FAR_LATENCY_RATIO 4
#define NEARBY_RATIO	  1.7

/*
 * A point below both adjacent points, but above this share of their latency, is
 * a clock error.
 */
#define DIP_SHARE 0.8

/* A point is disturbed if median / fastest pass exceeds this ratio. */
#define DISTURBED_RATIO 1.25

/* Largest ratio of page-by-page latencies within one cache. */
#define PAGES_FLAT 1.12

/*
 * TLB misses raise the latency at least by a factor of TLB_RISE in random
 * order, and at most by a factor of PAGES_RISE page by page. Sizes up to
 * BEHIND_RAMP times a plateau's first size may belong to the ramp before it.
 */
#define TLB_RISE    1.09
#define PAGES_RISE  1.03
#define BEHIND_RAMP 1.5

/*
 * A TLB needs TLB_POINTS points, and a fit whose error is at most TLB_FIT, as a
 * share of the latency. A reach fits equally well if its error exceeds the
 * least error by at most TLB_AS_GOOD. c2c tries REACH_STEPS reaches per
 * doubling.
 */
#define TLB_POINTS  5
#define TLB_FIT	    0.03
#define TLB_AS_GOOD 0.002
#define REACH_STEPS 16

/* Nearly all loads miss with so many more lines than ways. */
#define WAYS_RAMP 3

/* Two misses take at least so many times as long as a miss and a hit. */
#define LINE_RATIO 1.2

struct plateau_point {
	size_t index; /* index in the curve */
	double bytes;
	double fast, median; /* ns: fastest pass, median over passes */
	double raw;	     /* fast, before make_monotonic() */
};

struct plateau_points {
	const struct cache_curve *curve;
	struct plateau_point *at; /* [n] */
	size_t n;
	struct curve_segment *segments; /* [n + 1] */
};

/* The fit of all points before a point that has the least cost. */
struct curve_segment {
	double cost;
	size_t from; /* first point of the last segment */
	bool flat;   /* the last segment is a plateau, not a point of a ramp */
};

/*
 * Noise only adds to a latency, and a larger working set is never faster. So
 * set each point to the minimum of itself and all larger sizes.
 */
static void make_monotonic(struct plateau_points *points)
{
	double fast = INFINITY, median = INFINITY;

	for (size_t i = points->n; i-- > 0;) {
		struct plateau_point *at = &points->at[i];

		at->fast = fast = fmin(fast, at->fast);
		at->median = median = fmin(median, at->median);
	}
}

/* A clock that changes during a pass may make the pass seem too fast. */
static void fill_dips(struct plateau_points *points)
{
	for (size_t i = 1; i + 1 < points->n; i++) {
		struct plateau_point *at = &points->at[i];
		double around = fmin(at[-1].fast, at[1].fast);

		if (at->fast < around && at->fast > DIP_SHARE * around)
			at->fast = around;
	}
}

static void take_plateau_points(struct plateau_points *points)
{
	const struct cache_curve *curve = points->curve;

	for (size_t i = 0; i < curve->n; i++) {
		if (curve->least_ns[i] > 0 && curve->ns[i] > 0 &&
			isfinite(curve->least_ns[i]) && isfinite(curve->ns[i]))
			points->at[points->n++] =
				(struct plateau_point){i, curve->bytes[i],
					fmin(curve->least_ns[i], curve->ns[i]),
					curve->ns[i], NAN};
	}
	fill_dips(points);
	for (size_t i = 0; i < points->n; i++)
		points->at[i].raw = points->at[i].fast;
	make_monotonic(points);
}

/*
 * Find the fit of all points with the least cost, by dynamic programming. The
 * cost of a plateau follows from running sums: the sum of (y - mean)^2 is
 * sum(y^2) - sum(y)^2 / n.
 */
static void segment_curve(const struct plateau_points *points)
{
	struct curve_segment *best = points->segments;
	const struct plateau_point *at = points->at;

	best[0] = (struct curve_segment){0};
	for (size_t end = 1; end <= points->n; end++) {
		double sum = 0, squares = 0;

		best[end] = (struct curve_segment){
			best[end - 1].cost + RAMP_COST, end - 1, false};
		for (size_t from = end; from-- > 0;) {
			double y = log(at[from].fast / at[end - 1].fast);
			double count = (double)(end - from), cost;

			sum += y;
			squares += y * y;
			cost = best[from].cost + PLATEAU_COST +
			       (squares - sum * sum / count) /
				       (LATENCY_SCATTER * LATENCY_SCATTER);
			if (at[end - 1].bytes >= LEAST_SPAN * at[from].bytes &&
				cost < best[end].cost)
				best[end] = (struct curve_segment){
					cost, from, true};
		}
	}
}

/* Return the latency of a plateau: the median of its sorted points. */
static double plateau_latency(
	const struct plateau_points *points, size_t first, size_t n)
{
	return (points->at[first + (n - 1) / 2].fast +
		       points->at[first + n / 2].fast) /
	       2;
}

/* Whether the medians are undisturbed over a doubling of the working set. */
static bool is_clean(
	const struct plateau_points *points, size_t first, size_t n)
{
	double from = NAN;

	for (size_t i = first; i < first + n; i++) {
		const struct plateau_point *at = &points->at[i];

		if (at->median > DISTURBED_RATIO * at->fast)
			from = NAN;
		else if (isnan(from))
			from = at->bytes;
		if (at->bytes >= LEAST_SPAN * from)
			return true;
	}
	return false;
}

static void list_plateaus(
	const struct plateau_points *points, struct cache_findings *found)
{
	size_t n = 0, k;

	segment_curve(points);
	for (size_t end = points->n; end > 0; end = points->segments[end].from)
		n += points->segments[end].flat;
	/* Drop the farthest levels above CACHE_LEVELS_MAX. */
	found->n = n < CACHE_LEVELS_MAX ? n : CACHE_LEVELS_MAX;
	k = n;
	for (size_t end = points->n; end > 0;
		end = points->segments[end].from) {
		size_t first = points->segments[end].from;

		if (!points->segments[end].flat || k-- > found->n)
			continue;
		found->levels[k] = (struct cache_plateau){
			.first = first,
			.n = end - first,
			.ns = plateau_latency(points, first, end - first),
			.least_bytes = NAN,
			.most_bytes = NAN,
			.clean = is_clean(points, first, end - first),
		};
	}
}

/* Return the least page-by-page latency on a plateau; INFINITY if none. */
static double least_page_latency(
	const struct plateau_points *points, const struct cache_plateau *level)
{
	const struct cache_curve *curve = points->curve;
	double least = INFINITY;

	for (size_t i = 0; i < curve->n_pages; i++) {
		if (curve->page_bytes[i] >= points->at[level->first].bytes &&
			curve->page_bytes[i] <=
				points->at[level->first + level->n - 1].bytes)
			least = fmin(least, curve->page_ns[i]);
	}
	return least;
}

/*
 * Whether a plateau belongs to the level of the previous plateau, whose
 * page-by-page latency is before_by_page.
 */
static bool belongs_to_level(const struct plateau_points *points,
	const struct cache_plateau *before, double before_by_page,
	const struct cache_plateau *level)
{
	const struct plateau_point *at = points->at;

	if (level->ns <
		(level->clean ? LEAST_RATIO : LEAST_DISTURBED) * before->ns)
		return true;
	if (level->ns < LEAST_DISTURBED * before->ns &&
		least_page_latency(points, level) < PAGES_FLAT * before_by_page)
		return true;
	if (!before->clean)
		return !level->clean;
	return at[level->first + level->n - 1].bytes <
	       LEAST_SIZES * at[before->first + before->n - 1].bytes;
}

static void join_plateaus(
	const struct plateau_points *points, struct cache_findings *found)
{
	double pages[CACHE_LEVELS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct cache_plateau level = found->levels[i];
		struct cache_plateau *before = n ? &found->levels[n - 1] : NULL;

		if (before && belongs_to_level(
				      points, before, pages[n - 1], &level)) {
			before->n = level.first + level.n - before->first;
			continue;
		}
		pages[n] = least_page_latency(points, &level);
		found->levels[n++] = level;
	}
	found->n = n;
}

/* A TLB that may explain a rise of the latency on a plateau. */
struct tlb_fit {
	double base, miss;  /* ns of a load on a hit; ns that a miss adds */
	double error;	    /* root mean square */
	double reach;	    /* best reach, in bytes */
	double least, most; /* bounds of equally good reaches */
	bool one_point;	    /* only the last point exceeds the reach */
};

/* Return the share of loads that miss a TLB. */
static double tlb_misses(double bytes, double reach)
{
	return bytes > reach ? 1 - reach / bytes : 0;
}

/* Fit a TLB of this reach to the points, by least squares. */
static void fit_tlb(const struct plateau_point *at, size_t n, double reach,
	struct tlb_fit *fit)
{
	double x = 0, y = 0, xx = 0, xy = 0, squares = 0;

	fit->reach = reach;
	for (size_t i = 0; i < n; i++) {
		double misses = tlb_misses(at[i].bytes, reach);

		x += misses / (double)n;
		y += at[i].fast / (double)n;
		xx += misses * misses / (double)n;
		xy += misses * at[i].fast / (double)n;
	}
	fit->miss = (xy - x * y) / (xx - x * x);
	fit->base = y - fit->miss * x;
	for (size_t i = 0; i < n; i++) {
		double off = at[i].fast - fit->base -
			     fit->miss * tlb_misses(at[i].bytes, reach);

		squares += off * off;
	}
	fit->error = sqrt(squares / (double)n);
}

/*
 * Find the sizes of a plateau where the page-by-page latency is flat. A cache
 * cannot cause a rise in random order at these sizes. Return false if no size
 * is flat.
 */
static bool flat_pages(const struct plateau_points *points,
	const struct cache_plateau *level, double *from, double *to)
{
	const struct cache_curve *curve = points->curve;
	double base = NAN;

	*from = points->at[level->first].bytes * BEHIND_RAMP;
	*to = 0;
	for (size_t i = 0; i < curve->n_pages; i++) {
		if (curve->page_bytes[i] < *from || isnan(curve->page_ns[i]))
			continue;
		if (isnan(base))
			base = curve->page_ns[i];
		if (curve->page_ns[i] > PAGES_RISE * base)
			break;
		*to = curve->page_bytes[i];
	}
	return *to > *from;
}

/* Return the k-th reach to try, beginning at the size of the second point. */
static double reach_at(const struct plateau_point *at, unsigned k)
{
	return at[1].bytes * exp2((double)k / REACH_STEPS);
}

/*
 * Find a TLB from its misses on a plateau. Its reach is at least the second
 * point, but below the last one.
 */
static bool find_tlb(const struct plateau_points *points,
	const struct cache_plateau *level, struct tlb_fit *fit)
{
	const struct plateau_point *at = &points->at[level->first];
	const struct plateau_point *end = &points->at[points->n];
	double from, to;
	struct tlb_fit here;
	size_t n = 0;

	if (!flat_pages(points, level, &from, &to))
		return false;
	while (at->bytes < from)
		at++;
	while (&at[n] < end && at[n].bytes <= to)
		n++;
	if (n < TLB_POINTS || at[n - 1].fast < TLB_RISE * at[0].fast)
		return false;
	*fit = (struct tlb_fit){.error = INFINITY};
	for (unsigned k = 0; reach_at(at, k) < at[n - 1].bytes; k++) {
		fit_tlb(at, n, reach_at(at, k), &here);
		if (here.error < fit->error)
			*fit = here;
	}
	fit->least = fit->most = fit->reach;
	for (unsigned k = 0; reach_at(at, k) < at[n - 1].bytes; k++) {
		fit_tlb(at, n, reach_at(at, k), &here);
		if (here.error > fit->error + TLB_AS_GOOD * fit->base)
			continue;
		fit->least = fmin(fit->least, here.reach);
		fit->most = fmax(fit->most, here.reach);
	}
	/* One point cannot determine both the reach and the cost of a miss. */
	fit->one_point = fit->most >= at[n - 2].bytes;
	if (fit->one_point)
		fit_tlb(at, n, fit->least, fit);
	return fit->error < TLB_FIT * fit->base &&
	       fit->miss > TLB_RISE * fit->base - fit->base;
}

static void add_fitted_tlb(struct plateau_points *points,
	const struct tlb_fit *fit, struct cache_findings *found)
{
	struct tlb_reach *tlb = &found->tlbs[found->n_tlbs++];

	*tlb = (struct tlb_reach){.miss_ns = fit->one_point ? NAN : fit->miss};
	for (size_t i = 0; i < points->n; i++) {
		struct plateau_point *at = &points->at[i];
		double added = fit->miss * tlb_misses(at->bytes, fit->reach);

		if (at->bytes <= fit->least)
			tlb->least_bytes = at->bytes;
		if (at->bytes >= fit->most && !(tlb->most_bytes > 0))
			tlb->most_bytes = at->bytes;
		at->fast = fmax(at->fast - added, at->fast / 2);
		at->median = fmax(at->median - added, at->median / 2);
		at->raw = fmax(at->raw - added, at->raw / 2);
	}
	make_monotonic(points);
}

static void find_plateau_levels(
	const struct plateau_points *points, struct cache_findings *found)
{
	list_plateaus(points, found);
	join_plateaus(points, found);
}

/* Subtract the time of TLB misses, so that every level is a cache. */
static void find_tlbs(
	struct plateau_points *points, struct cache_findings *found)
{
	double reach = 0;
	for (size_t i = 0; i < found->n && found->n_tlbs < TLBS_MAX; i++) {
		const struct cache_plateau *level = &found->levels[i];
		struct tlb_fit fit;

		/* Loads of page tables from memory also make a ramp. */
		if ((i > 1 && i + 1 == found->n) || !level->clean ||
			points->at[level->first].bytes < reach ||
			!find_tlb(points, level, &fit))
			continue;
		reach = fit.reach;
		add_fitted_tlb(points, &fit, found);
		find_plateau_levels(points, found);
	}
}

/* Return the latency if this share of loads misses the level. */
static double latency_at_misses(
	const struct cache_plateau *level, double next_ns, double misses)
{
	double far = fmin(next_ns, FAR_LATENCY_RATIO * level->ns);

	return level->ns + misses * (far - level->ns);
}

/* Bound a cache's size by the median over passes and the fastest pass. */
static void bound_cache_size(const struct plateau_points *points,
	struct cache_plateau *level, double next_ns)
{
	const struct plateau_point *at = points->at;
	double few = latency_at_misses(level, next_ns, FEW_MISSES);
	double many = latency_at_misses(level, next_ns, MANY_MISSES);
	size_t i = level->first;

	while (i + 1 < points->n && at[i + 1].median < few)
		i++;
	level->least_bytes = at[i].bytes;
	/* A fast point at a far larger size is a clock error. */
	for (size_t k = i;
		k < points->n && at[k].bytes <= NEARBY_RATIO * at[i].bytes;
		k++) {
		if (at[k].raw < many && k + 1 < points->n)
			i = k + 1;
	}
	level->most_bytes = at[i].bytes;
}

/*
 * Whether loads are far faster than with this cache and memory alone, even if
 * all lines of the cache belong to the working set.
 */
static bool is_faster_than_memory(const struct plateau_point *point,
	const struct cache_plateau *cache, double memory_ns)
{
	double hits = cache->most_bytes / point->bytes;

	return point->raw <
	       HIDDEN_SHARE * (hits * cache->ns + (1 - hits) * memory_ns);
}

/*
 * Add a cache between the last cache found and memory, if some passes were far
 * faster than possible without it. A cache that other programs use heavily has
 * no plateau.
 */
static void add_hidden_cache(
	const struct plateau_points *points, struct cache_findings *found)
{
	struct cache_plateau *memory = &found->levels[found->n - 1], *before;
	const struct plateau_point *at = points->at;
	size_t first = 0, n = 0;

	if (found->n < 2 || found->n == CACHE_LEVELS_MAX)
		return;
	before = memory - 1;
	bound_cache_size(points, before, memory->ns);
	if (!before->clean || memory->ns < HIDDEN_RATIO * before->ns)
		return;
	while (first < memory->first &&
		(at[first].bytes <= before->most_bytes ||
			!is_faster_than_memory(&at[first], before, memory->ns)))
		first++;
	while (first + n < memory->first &&
		is_faster_than_memory(&at[first + n], before, memory->ns))
		n++;
	if (n == 0 || at[first + n - 1].bytes < LEAST_SPAN * at[first].bytes)
		return;
	memory[1] = *memory;
	*memory = (struct cache_plateau){
		.first = first, .n = n, .least_bytes = NAN, .most_bytes = NAN};
	memory->ns = plateau_latency(points, first, (n + 1) / 2);
	found->n++;
}

static void bound_levels(
	const struct plateau_points *points, struct cache_findings *found)
{
	size_t last = found->n - 1;

	for (size_t i = 0; i + 1 < found->n; i++)
		bound_cache_size(
			points, &found->levels[i], found->levels[i + 1].ns);
	/* The last level has an end if the curve rises beyond it. */
	if (found->n > 0 && points->at[points->n - 1].fast >
				    LEAST_DISTURBED * found->levels[last].ns)
		bound_cache_size(points, &found->levels[last],
			points->at[points->n - 1].fast);
}

/*
 * Convert indexes of points to indexes of the curve, which has missing values.
 */
static void use_curve_indexes(
	const struct plateau_points *points, struct cache_findings *found)
{
	for (size_t i = 0; i < found->n; i++) {
		struct cache_plateau *level = &found->levels[i];
		size_t last = level->first + level->n - 1;

		level->first = points->at[level->first].index;
		level->n = points->at[last].index + 1 - level->first;
	}
}

int cache_plateaus_find(
	const struct cache_curve *curve, struct cache_findings *found)
{
	struct plateau_points points = {
		.curve = curve,
		.at = calloc(curve->n + 1, sizeof(*points.at)),
		.segments = calloc(curve->n + 1, sizeof(*points.segments)),
	};

	bool enough = points.at && points.segments;

	*found = (struct cache_findings){.n = 0};
	if (enough) {
		take_plateau_points(&points);
		find_plateau_levels(&points, found);
		find_tlbs(&points, found);
		if (found->n > 0)
			add_hidden_cache(&points, found);
		bound_levels(&points, found);
		use_curve_indexes(&points, found);
	}
	free(points.at);
	free(points.segments);
	return enough ? 0 : -ENOMEM;
}

double cache_plateaus_line_size(const double *bytes, const double *ns, size_t n)
{
	double least = INFINITY, most = 0, middle, line = NAN;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, ns[i]);
		most = fmax(most, ns[i]);
	}
	if (!(least > 0) || most < LINE_RATIO * least)
		return NAN;
	/* Times are near `least` below the line size, else near `most`. */
	middle = sqrt(least * most);
	for (size_t i = 0; i < n; i++) {
		bool misses = ns[i] > middle;

		if (misses && isnan(line))
			line = bytes[i];
		if (isnan(ns[i]) || misses != !isnan(line))
			return NAN;
	}
	return line > bytes[0] ? line : NAN;
}

double cache_plateaus_ways(const double *lines, const double *ns, size_t n,
	double own_ns, double next_ns)
{
	const struct cache_plateau level = {.ns = own_ns};
	double few = latency_at_misses(&level, next_ns, FEW_MISSES);
	double many = latency_at_misses(&level, next_ns, MANY_MISSES);
	double least = INFINITY, beyond = INFINITY;

	if (!(own_ns > 0) || !(next_ns > own_ns))
		return NAN;
	/* Noise only adds: fewer lines are never slower. */
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, ns[i]);
		if (least > many)
			beyond = lines[i];
		else if (least <= few)
			return beyond <= lines[i] + WAYS_RAMP ? lines[i] : NAN;
	}
	return NAN;
}
