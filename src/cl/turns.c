#include "cl/turns.h"

#include "stat/stat.h"

struct turns turns_of(double *one, double *other, size_t n)
{
	double ratios[TURNS_ROUNDS];
	struct turns turns;

	for (size_t i = 0; i < n; i++)
		ratios[i] = one[i] / other[i];
	/* These put them in order. */
	turns.one = stat_median(one, n);
	turns.other = stat_median(other, n);
	turns.ratio = stat_median(ratios, n);
	turns.low = ratios[0];
	turns.high = ratios[n - 1];
	return turns;
}
