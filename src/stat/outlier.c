/* outlier.c: the distance from other values at which a value is an outlier. */
#include "stat/stat.h"

#include <math.h>

/* Share of sets without outliers with a false outlier. */
#define FALSE_RATE 0.05

/* Degrees of freedom of Student's t. The number must be even. */
#define DEGREES 10

/* Median of abs(t), in standard deviations of a normal distribution. */
#define MEDIAN_OF_SIZE 0.69981

/* Of at least MANY values, the median and the deviation are nearly exact. */
#define MANY 100

/* Number of random sets, for the distribution of the largest deviation. */
#define DRAWS 10000

/* Number of the largest draws, from which c2c extrapolates the tail. */
#define TAIL 200

#define VALUES_MIN 4

static const double pi = 3.14159265358979323846;

/* Draw a number from the uniform distribution on (0, 1). */
static double draw_uniform(struct stat_random *random)
{
	return ((double)(stat_random_next(random) >> 11) + 0.5) / 0x1p53;
}

/* Draw Student's t: polar method (Bailey, Mathematics of Computation 62). */
static double draw_student_t(struct stat_random *random)
{
	double size = pow(draw_uniform(random), -2.0 / DEGREES) - 1;

	return sqrt(DEGREES * size) * cos(2 * pi * draw_uniform(random));
}

/* Return the largest deviation among n random values, in scaled MADs. */
static double draw_farthest_deviation(
	struct stat_random *random, double *values, size_t n)
{
	double middle, farthest = 0;

	for (size_t i = 0; i < n; i++)
		values[i] = draw_student_t(random);
	middle = stat_median(values, n);
	for (size_t i = 0; i < n; i++) {
		values[i] = fabs(values[i] - middle);
		farthest = fmax(farthest, values[i]);
	}
	return farthest / (STAT_MAD_TO_SIGMA * stat_median(values, n));
}

/* Return the probability of abs(t) > x: Abramowitz and Stegun, 26.7.4. */
static double two_sided_tail(double x)
{
	double angle = atan(x / sqrt(DEGREES));
	double square = cos(angle) * cos(angle), term = 1, sum = 1;

	for (int k = 1; k < DEGREES / 2; k++) {
		term *= square * (2 * k - 1) / (2 * k);
		sum += term;
	}
	return 1 - sin(angle) * sum;
}

/* Return the x that abs(t) exceeds with this probability. */
static double two_sided_quantile(double share)
{
	double low = 0, high = 1000;

	for (int k = 0; k < 60; k++) {
		double middle = (low + high) / 2;

		if (two_sided_tail(middle) > share)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * Return the value that a share of the draws exceeds. If the share is too
 * small, extrapolate the tail as a power law with an exponent estimated from
 * the largest draws (Hill, Annals of Statistics 3, 1975; Weissman, JASA 73,
 * 1978).
 */
static double extrapolate_quantile(const double *sorted, double rate)
{
	const double *tail = sorted + DRAWS - TAIL;
	double slope = 0;

	if (rate * DRAWS >= TAIL)
		return stat_quantile(sorted, DRAWS, 1 - rate);
	for (size_t i = 0; i < TAIL; i++)
		slope += log(tail[i] / tail[-1]) / TAIL;
	return tail[-1] * pow(TAIL / (rate * DRAWS), slope);
}

double stat_outlier_limit(size_t n, size_t tests, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	double rate = FALSE_RATE / (double)(tests ? tests : 1), limit;
	double *values, *farthest;
	struct stat_random random;

	if (n < VALUES_MIN)
		return NAN;
	if (n >= MANY)
		return two_sided_quantile(rate / (double)n) /
		       (STAT_MAD_TO_SIGMA * MEDIAN_OF_SIZE);
	values = arena_alloc(arena, n, sizeof(*values));
	farthest = arena_alloc(arena, DRAWS, sizeof(*farthest));
	/* Fixed seed: the limit must always be the same. */
	stat_random_init(&random, n);
	for (size_t i = 0; i < DRAWS; i++)
		farthest[i] = draw_farthest_deviation(&random, values, n);
	stat_sort(farthest, DRAWS);
	limit = extrapolate_quantile(farthest, rate);
	arena_rewind(arena, mark);
	return limit;
}
