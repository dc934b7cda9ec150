#include <math.h>
#include <string.h>

#include "stat/stat.h"

/* Least degrees of freedom within groups, because with fewer chance decides. */
#define LEAST_WITHIN 10

double stat_variance(const double *values, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n < 2 ? NAN : sum / (double)(n - 1);
}

double stat_random_effect(const double *values, const uint32_t *groups,
	size_t n, size_t n_groups, double *scratch)
{
	double *sums = scratch, *counts = scratch + n_groups;
	double sum = 0, all = 0, between = 0, squares = 0, within, each;
	size_t there = 0;

	memset(scratch, 0, 2 * n_groups * sizeof(*scratch));
	for (size_t i = 0; i < n; i++) {
		sums[groups[i]] += values[i];
		counts[groups[i]]++;
		sum += values[i];
		all += values[i] * values[i];
	}
	for (size_t g = 0; g < n_groups; g++) {
		if (counts[g] == 0)
			continue;
		between += sums[g] * sums[g] / counts[g];
		squares += counts[g] * counts[g];
		there++;
	}
	if (there < 2 || n < there + LEAST_WITHIN)
		return NAN;
	within = fmax(all - between, 0) / (double)(n - there);
	between = (between - sum * sum / (double)n) / (double)(there - 1);
	each = ((double)n - squares / (double)n) / (double)(there - 1);
	return fmax(0, (between - within) / each);
}
