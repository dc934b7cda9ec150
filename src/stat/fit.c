#include <errno.h>
#include <math.h>

#include "stat/stat.h"

int stat_fit_line(const double *x, const double *y, const double *w, size_t n,
	double *intercept, double *slope)
{
	double sum = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		sum += w[i];
		mean_x += w[i] * x[i];
		mean_y += w[i] * y[i];
	}
	mean_x /= sum;
	mean_y /= sum;
	/* Subtract the means, because large x would lose digits. */
	for (size_t i = 0; i < n; i++) {
		xx += w[i] * (x[i] - mean_x) * (x[i] - mean_x);
		xy += w[i] * (x[i] - mean_x) * (y[i] - mean_y);
	}
	*slope = xy / xx;
	*intercept = mean_y - *slope * mean_x;
	/* If all x are equal, the intercept is not finite. */
	return isfinite(*intercept) ? 0 : -EDOM;
}
