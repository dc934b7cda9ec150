/*
 * Finds the step of a coarse clock. All values are near multiples of the step,
 * like the teeth of a comb. To test a step q, map each value v to the angle 2
 * pi v / q and take the length of the mean vector: 1 if each value is a
 * multiple, near 0 if values are uniform (Rayleigh's test). The step of the
 * clock is the widest step that fits. A step with one tooth for each level also
 * fits, so many teeth with values must have a neighbour with values.
 */
#include "analyze/levels/steps.h"

#include <math.h>

#include "stat/stat.h"

/* c2c examines at most so many cells and distinct values. */
#define CELLS_MAX  65536
#define VALUES_MAX 512

/* Ratio of each tried step to the next step. */
#define FINENESS 1.001

/* Largest relative difference of equal values, and of exact multiples. */
#define EXACT_SHARE 1e-6

struct value_comb {
	const struct level_constants *constants;
	double *values; /* distinct, increasing */
	size_t n, cells;
};

/* Find the distinct values, except disturbed cells, which are far higher. */
static void find_distinct(
	struct value_comb *comb, const double *values, size_t n)
{
	size_t stride = n * n / CELLS_MAX + 1, count = 0;
	double *out = comb->values;

	for (size_t k = 0; k < n * n; k += stride)
		if (k / n != k % n && isfinite(values[k]) && values[k] > 0)
			out[count++] = values[k];
	stat_sort(out, count);
	comb->cells =
		(size_t)((1 - comb->constants->bad_share) * (double)count);
	for (size_t k = 0; k < comb->cells; k++)
		if (comb->n == 0 ||
			out[k] > out[comb->n - 1] * (1 + EXACT_SHARE))
			out[comb->n++] = out[k];
}

static double comb_fit_length(const struct value_comb *comb, double step)
{
	double x = 0, y = 0, sum = 0;

	for (size_t k = 0; k < comb->n; k += comb->n / VALUES_MAX + 1) {
		double angle = 2 * M_PI * (comb->values[k] / step);

		x += cos(angle);
		y += sin(angle);
		sum++;
	}
	return sqrt(x * x + y * y) / sum;
}

/* Search from a step that fits down to the narrowest; return the best step. */
static double best_step_near(const struct value_comb *comb, double step)
{
	double near = step, best = step, most = 0;
	double length = comb_fit_length(comb, near);

	while (length >= comb->constants->comb_fit) {
		if (length > most) {
			most = length;
			best = near;
		}
		near /= FINENESS;
		length = comb_fit_length(comb, near);
	}
	return best;
}

/* Whether enough adjacent teeth have values. */
static bool is_comb(const struct value_comb *comb, double step, double least)
{
	size_t teeth = 1, next = 0;
	bool before = false;

	for (size_t k = 1; k < comb->n; k++) {
		double gap = comb->values[k] - comb->values[k - 1];

		if (gap < step / 2)
			continue;
		next += !before && gap < 1.5 * step;
		before = gap < 1.5 * step;
		next += before;
		teeth++;
	}
	return (double)teeth >= least &&
	       (double)next >= comb->constants->comb_next * (double)teeth;
}

/* Join the groups of i and j; a group is named by its first member. */
static void join_chain_groups(uint32_t *first, size_t n, size_t i, size_t j)
{
	uint32_t from = first[i], to = first[j];

	for (size_t k = 0; k < n && from != to; k++)
		if (first[k] == from)
			first[k] = to;
}

/* Find each CPU's group by single linkage: cells up to `limit` join CPUs. */
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
 * Whether CPUs that cells up to some value join (single linkage) also have many
 * cells above this value. Levels without noise have no cells above this value.
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
		if ((double)above > comb->constants->bad_share * (double)known)
			return true;
	}
	return false;
}

/* Return how many teeth a comb needs: one fewer if cells are noisy. */
static double least_teeth(const struct value_comb *comb, const double *values,
	size_t n, struct arena *arena)
{
	double most = comb->constants->comb_teeth;

	return (double)comb->n == most - 1 && has_noise(comb, values, n, arena)
		       ? most - 1
		       : most;
}

/*
 * A latency of 0 is shorter than a clock step. If the values contain 0, return
 * the lowest other value as the step. Else return 0.
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

/* Return the greatest common divisor of two numbers. */
static double common_step(double a, double b, double off)
{
	while (b > off) {
		double rest = fabs(a - round(a / b) * b);

		a = b;
		b = rest;
	}
	return a;
}

/* Return the largest power of ten that divides all values (increasing). */
static double common_decimal_unit(const double *values, size_t n)
{
	double unit = pow(10, floor(log10(values[0])));

	for (size_t k = 0; k < n; k++)
		while (unit > EXACT_SHARE &&
			fabs(values[k] - round(values[k] / unit) * unit) >
				EXACT_SHARE * values[k])
			unit /= 10;
	return unit;
}

/*
 * Return the step if all values are its exact multiples. Return 0 if no step
 * exists, or if rounding to a decimal place explains the step.
 */
static double exact_step(const struct value_comb *comb)
{
	const double *values = comb->values;
	double step = 0, odds;

	/* The first value fits any step. The other values may fit by chance. */
	if (comb->n < 2)
		return 0;
	for (size_t k = 0; k < comb->n; k++)
		step = common_step(
			values[k], step, EXACT_SHARE * values[comb->n - 1]);
	odds = pow(common_decimal_unit(values, comb->n) / step,
		(double)comb->n - 1);
	return step < comb->constants->comb_step * values[comb->n / 2] ||
			       odds > comb->constants->comb_odds
		       ? 0
		       : step;
}

double granularity_find_step(const double *values, size_t n,
	const struct level_constants *constants, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t room = n * n / (n * n / CELLS_MAX + 1) + 1;
	struct value_comb comb = {.constants = constants,
		.values = arena_alloc(arena, room, sizeof(double))};
	double step = 0, teeth, least, most;

	find_distinct(&comb, values, n);
	teeth = least_teeth(&comb, values, n, arena);
	if ((double)comb.n >= teeth &&
		(double)comb.n <= constants->odd_share * (double)comb.cells) {
		least = most = comb.values[comb.n - 1] - comb.values[0];
		for (size_t k = 1; k < comb.n; k++)
			least = fmin(
				least, comb.values[k] - comb.values[k - 1]);
		least = fmax(
			least, comb.values[comb.n / 2] * constants->comb_step);
		step = most / (teeth - 1) * FINENESS;
		while (step >= least / FINENESS &&
			(!(comb_fit_length(&comb, step) >=
				 constants->comb_fit) ||
				!is_comb(&comb, step, teeth)))
			step /= FINENESS;
		step = step >= least / FINENESS ? best_step_near(&comb, step)
						: 0;
	}
	/* Few values, or missing teeth: look for an exact step. */
	if (step <= 0)
		step = least_step(values, n);
	if (step <= 0)
		step = exact_step(&comb);
	arena_rewind(arena, mark);
	return step;
}
