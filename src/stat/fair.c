#include <math.h>

#include "stat/stat.h"

double stat_jain_fairness(const double *x, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : NAN;
}

double stat_least_over_most(const double *x, size_t n)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < n; i++) {
		least = fmin(least, x[i]);
		most = fmax(most, x[i]);
	}
	return most > 0 ? least / most : NAN;
}
