/*
 * Order statistics: sorting, medians, quantiles and the interval of a median.
 */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * Use insertion sort up to this many values, because it is faster than qsort()
 * for the nine samples of a visit.
 */
#define INSERTION_MAX 32

/*
 * Sum the binomial distribution exactly up to this many values, because 2^-1000
 * is still a normal double. For more values, the normal approximation results
 * in the same rank, or a rank that is wider by one.
 */
#define EXACT_MAX 1000

/*
 * Samples above this multiple of the median are interruptions: cache lines of
 * one pair differ by less.
 */
#define FAR 3

/* The 97.5 % quantile of the standard normal distribution. */
#define NORMAL_Q975 1.959963984540054

/* Whether a sorts before b, in increasing order with NaNs last. */
static int sorts_before(double a, double b)
{
	return isnan(b) ? !isnan(a) : a < b;
}

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return sorts_before(y, x) - sorts_before(x, y);
}

void stat_sort(double *values, size_t n)
{
	if (n > INSERTION_MAX) {
		qsort(values, n, sizeof(*values), compare_values);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double value = values[i];
		size_t j = i;

		for (; j > 0 && sorts_before(value, values[j - 1]); j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

size_t stat_count_numbers(const double *sorted, size_t n)
{
	while (n > 0 && isnan(sorted[n - 1]))
		n--;
	return n;
}

/*
 * Move the value of rank k of values[n] to index k, smaller values before it
 * and larger values after it (Hoare, Communications of the ACM 4, 1961).
 */
static void select_order_statistic(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = values[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			double value = values[i];

			values[i++] = values[j];
			values[j--] = value;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
}

double stat_median(double *values, size_t n)
{
	double below;

	if (n == 0)
		return NAN;
	if (n <= INSERTION_MAX)
		stat_sort(values, n);
	else
		select_order_statistic(values, n, n / 2);
	if (n % 2)
		return values[n / 2];
	below = values[0];
	for (size_t i = 1; i < n / 2; i++)
		below = values[i] > below ? values[i] : below;
	return (below + values[n / 2]) / 2;
}

double stat_trimmed_mean(double *values, size_t n)
{
	double sum = 0, median;
	size_t left_out;

	stat_sort(values, n);
	median = stat_quantile(values, n, 0.5);
	while (median > 0 && values[n - 1] > FAR * median)
		n--;
	left_out = n < 3 ? 0 : n < 8 ? 1 : n / 8;
	for (size_t i = left_out; i < n - left_out; i++)
		sum += values[i];
	return n ? sum / (double)(n - 2 * left_out) : NAN;
}

double stat_quantile(const double *sorted, size_t n, double q)
{
	double place;
	size_t i;

	if (n == 0)
		return NAN;
	place = q * (double)(n - 1);
	i = (size_t)place;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i]);
}

/*
 * Return the largest rank k, counted from 1: with a probability of at most 2.5
 * %, fewer than k of n values are below the median. Return 0 if n is too small
 * for any rank. The number of values below the median is binomial with
 * probability 1/2. The interval from rank k to the mirrored rank covers the
 * median with a probability of at least 95 %.
 */
static size_t lower_ci_rank(size_t n)
{
	double term, below = 0;
	size_t k = 0;

	/* Le Boudec, Performance Evaluation (2010), appendix A. */
	if (n > EXACT_MAX)
		return (size_t)floor(
			((double)n - NORMAL_Q975 * sqrt((double)n)) / 2);
	term = ldexp(1, -(int)n);
	while (below + term <= 0.025) {
		below += term;
		k++;
		term *= (double)(n - k + 1) / (double)k;
	}
	return k;
}

int stat_median_ci95(const double *sorted, size_t n, double *low, double *high)
{
	size_t rank = lower_ci_rank(n);

	if (rank == 0)
		return -EDOM;
	*low = sorted[rank - 1];
	*high = sorted[n - rank];
	return 0;
}
