/*
 * The step of a coarse clock shows in the values: they lie on a comb. How
 * well a comb of step q fits is the length of the mean of all values turned
 * into angles, 2 pi v / q: 1 if every value is at a tooth, near 0 if they lie
 * anywhere (Rayleigh's test). The coarsest comb that fits is the clock's.
 *
 * Levels lie apart, and a comb with a tooth for each would fit them too. So
 * many values must have a neighbour on the next tooth.
 */
#include "analyze/levels/steps.h"

#include <math.h>

#include "stat/stat.h"

/* So many cells say enough. */
#define CELLS_MAX 65536

/* More distinct values than this share of the cells are no comb. */
#define DISTINCT_SHARE 0.25
#define DISTINCT_MAX   512

/* A value that disturbed cells have is rare: more cells count as so many. */
#define COUNTED_MAX 12

/*
 * Fewer teeth with a value fit any comb. Three do too, unless the cells are
 * noisy, and more than so many CPUs have more teeth.
 */
#define LEAST_TEETH 4
#define FEW_TEETH   3
#define FEW_CPUS    64

/* The share of cells of a group that lie beyond its value: noise. */
#define LEAST_NOISE 0.1

#define LEAST_LENGTH 0.9

/* The share of teeth with a value whose next tooth has one, too. */
#define LEAST_NEXT 0.6

/* From one step that is tried to the next: finer than 1 / (8 * teeth). */
#define FINENESS  1.001
#define TEETH_MAX 100

/* A comb that nearly fits may be so many times as wide as the right one. */
#define NEAR_RATIO 1.5

/* A step below this share of the typical value hides nothing. */
#define COARSE_SHARE 0.03

/* Multiples are exact up to this share; fewer cells than this one are rare. */
#define EXACT_SHARE 1e-6
#define RARE_SHARE  0.01

/*
 * Decimal places make multiples of a step by accident; less often than this.
 * Numbers that somebody chose may be rounded to so much.
 */
#define ACCIDENT_ODDS 1e-4
#define MOST_DECIMAL  1000
#define LEAST_COMMON  2

/* The share of cells that count: disturbed ones lie far above. */
#define USUAL_SHARE 0.95

struct value_comb {
	double *values; /* distinct ones in increasing order */
	double *weight;
	size_t *has; /* how many cells have the value */
	size_t n, cells;
};

/*
 * The distinct values, each with how many cells have it, COUNTED_MAX at most.
 */
static void find_distinct(
	struct value_comb *comb, const double *values, size_t n)
{
	size_t stride = n * n / CELLS_MAX + 1, count = 0, kept = 0;
	double *out = comb->values;

	for (size_t k = 0; k < n * n; k += stride)
		if (k / n != k % n && isfinite(values[k]) && values[k] > 0)
			out[count++] = values[k];
	stat_sort(out, count);
	count = (size_t)(USUAL_SHARE * (double)count);
	for (size_t k = 0; k < count; k++) {
		if (kept == 0 || out[k] > out[kept - 1] * (1 + 1e-9)) {
			comb->weight[kept] = 0;
			comb->has[kept] = 0;
			out[kept++] = out[k];
		}
		comb->has[kept - 1]++;
		if (comb->weight[kept - 1] < COUNTED_MAX)
			comb->weight[kept - 1]++;
	}
	comb->cells = count;
	comb->n = kept;
}

static double comb_fit_length(const struct value_comb *comb, double step)
{
	double x = 0, y = 0, sum = 0;

	for (size_t k = 0; k < comb->n; k++) {
		double angle = 2 * M_PI * (comb->values[k] / step);

		x += comb->weight[k] * cos(angle);
		y += comb->weight[k] * sin(angle);
		sum += comb->weight[k];
	}
	return sqrt(x * x + y * y) / sum;
}

/* The step near this one where the comb fits best; not yet half of it. */
static double best_step_near(const struct value_comb *comb, double step)
{
	double near = step, best = step, most = 0;

	while (near > step / NEAR_RATIO) {
		double length = comb_fit_length(comb, near);

		if (length > most) {
			most = length;
			best = near;
		}
		near /= FINENESS;
	}
	return best;
}

/* Whether the values sit on enough teeth side by side. */
static bool is_comb(const struct value_comb *comb, double step, size_t least)
{
	size_t teeth = 1, next = 0;
	bool before = false;

	for (size_t k = 1; k < comb->n; k++) {
		double gap = comb->values[k] - comb->values[k - 1];

		if (gap < step / 2)
			continue;
		/* A tooth counts once, whichever side its neighbour is on. */
		next += !before && gap < 1.5 * step;
		before = gap < 1.5 * step;
		next += before;
		teeth++;
	}
	return teeth >= least && (double)next >= LEAST_NEXT * (double)teeth;
}

/* Join the group of i with that of j, each named by its first member. */
static void join_chain_groups(uint32_t *first, size_t n, size_t i, size_t j)
{
	uint32_t from = first[i], to = first[j];

	for (size_t k = 0; k < n && from != to; k++)
		if (first[k] == from)
			first[k] = to;
}

/* Name the group of each CPU: those that cells up to limit join, in a chain. */
static void find_chains(
	const double *values, size_t n, double limit, uint32_t *first)
{
	for (size_t i = 0; i < n; i++)
		first[i] = (uint32_t)i;
	for (size_t k = 0; k < n * n; k++)
		if (k / n != k % n && values[k] <= limit)
			join_chain_groups(first, n, k / n, k % n);
}

/*
 * Whether CPUs that a chain of cells up to some value joins have many cells
 * above it. Levels without noise have none.
 */
static bool has_noise(const struct value_comb *comb, const double *values,
	size_t n, struct arena *arena)
{
	uint32_t *first = arena_alloc(arena, n, sizeof(*first));

	for (size_t t = 0; t + 1 < comb->n; t++) {
		double limit = (comb->values[t] + comb->values[t + 1]) / 2;
		size_t above = 0, known = 0;

		find_chains(values, n, limit, first);
		for (size_t k = 0; k < n * n; k++)
			if (k / n != k % n && first[k / n] == first[k % n] &&
				isfinite(values[k])) {
				known++;
				above += values[k] > limit;
			}
		if ((double)above > LEAST_NOISE * (double)known)
			return true;
	}
	return false;
}

/* How many teeth a comb must have; fewer may be chance. */
static size_t least_teeth(const struct value_comb *comb, const double *values,
	size_t n, struct arena *arena)
{
	if (comb->n == FEW_TEETH && n <= FEW_CPUS &&
		has_noise(comb, values, n, arena))
		return FEW_TEETH;
	return LEAST_TEETH;
}

/*
 * No latency is zero. A clock that reads zero has a step of at least the next
 * value, however few values there are. 0 without a zero.
 */
static double least_step(const double *values, size_t n)
{
	double next = INFINITY;
	bool zero = false;

	for (size_t k = 0; k < n * n; k++) {
		if (k / n == k % n || !isfinite(values[k]))
			continue;
		if (values[k] > 0)
			next = fmin(next, values[k]);
		else
			zero |= values[k] == 0;
	}
	return zero && isfinite(next) ? next : 0;
}

/* What two numbers are multiples of. */
static double common_step(double a, double b, double off)
{
	while (b > off) {
		double rest = fabs(a - round(a / b) * b);

		a = b;
		b = rest;
	}
	return a;
}

/* The power of ten that all values are multiples of. */
static double common_decimal_unit(const double *values, size_t n)
{
	double unit = MOST_DECIMAL;

	for (size_t k = 0; k < n; k++)
		while (unit > EXACT_SHARE &&
			fabs(values[k] - round(values[k] / unit) * unit) >
				EXACT_SHARE * values[k])
			unit /= 10;
	return unit;
}

/*
 * The values that many cells have are exact multiples of one step, which is
 * no accident of rounding to a decimal place. 0 if they are not.
 */
static double exact_step(const struct value_comb *comb, struct arena *arena)
{
	double *common = arena_alloc(arena, comb->n, sizeof(*common));
	double step = 0, odds;
	size_t count = 0;

	for (size_t t = 0; t < comb->n; t++)
		if (comb->has[t] >= 2 &&
			(double)comb->has[t] > RARE_SHARE * (double)comb->cells)
			common[count++] = comb->values[t];
	if (count < LEAST_COMMON || comb->n > DISTINCT_MAX)
		return 0;
	for (size_t k = 0; k < count; k++)
		step = common_step(
			common[k], step, EXACT_SHARE * common[count - 1]);
	/* One value fits any step; each other one must by accident. */
	odds = pow(
		common_decimal_unit(common, count) / step, (double)count - 1);
	return step < COARSE_SHARE * common[count / 2] || odds > ACCIDENT_ODDS
		       ? 0
		       : step;
}

/* The step of few values, or of a comb with gaps. */
static double other_step(const struct value_comb *comb, const double *values,
	size_t n, struct arena *arena)
{
	double step = least_step(values, n);

	return step > 0 ? step : exact_step(comb, arena);
}

double granularity_find_step(
	const double *values, size_t n, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t room = n * n / (n * n / CELLS_MAX + 1) + 1, teeth;
	struct value_comb comb = {arena_alloc(arena, room, sizeof(double)),
		arena_alloc(arena, room, sizeof(double)),
		arena_alloc(arena, room, sizeof(size_t)), 0, 0};
	double step = 0, least, most;

	find_distinct(&comb, values, n);
	teeth = least_teeth(&comb, values, n, arena);
	if (comb.n < teeth || comb.n > DISTINCT_MAX ||
		(double)comb.n > DISTINCT_SHARE * (double)comb.cells) {
		step = other_step(&comb, values, n, arena);
		arena_rewind(arena, mark);
		return step;
	}
	least = most = comb.values[comb.n - 1] - comb.values[0];
	for (size_t k = 1; k < comb.n; k++)
		least = fmin(least, comb.values[k] - comb.values[k - 1]);
	least = fmax(least, most / TEETH_MAX);
	least = fmax(least, comb.values[comb.n / 2] * COARSE_SHARE);
	step = most / (double)(teeth - 1) * FINENESS;
	while (step >= least / FINENESS &&
		(!(comb_fit_length(&comb, step) >= LEAST_LENGTH) ||
			!is_comb(&comb, step, teeth)))
		step /= FINENESS;
	step = step >= least / FINENESS ? best_step_near(&comb, step)
					: other_step(&comb, values, n, arena);
	arena_rewind(arena, mark);
	return step;
}
