/*
 * Order statistics, rank correlation, random order: functions on arrays of
 * doubles, in any unit. No function prints or keeps state; functions that
 * allocate memory are marked. Any thread may call these functions. (Sorting
 * more than 32 values uses qsort(), which may allocate memory but does not need
 * to.)
 */
#ifndef C2C_STAT_H
#define C2C_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/* Sort values[n] in increasing order, in place; NaNs last. */
void stat_sort(double *values, size_t n);

/* Return the number of values before the NaNs of a sorted array. */
size_t stat_count_numbers(const double *sorted, size_t n);

/*
 * Return the median of values[n], which must have no NaN: the mean of the
 * middle two if n is even, NaN if n is 0. Reorder values by selection, which is
 * several times faster than sorting many values. Sorted values stay sorted.
 */
double stat_median(double *values, size_t n);

/*
 * Return the mean of values[n] without the lowest and the highest eighth (at
 * least one value on each side), or the mean of all values if n is 1 or 2.
 * Values above three times a positive median are interruptions and are removed
 * first. Return NaN if n is 0. Sort values, which must have no NaN.
 */
double stat_trimmed_mean(double *values, size_t n);

/*
 * Return the q-quantile (0 <= q <= 1) of sorted[n] by linear interpolation
 * between order statistics (type 7 of Hyndman and Fan, The American
 * Statistician 50, 1996). NaN if n is 0.
 */
double stat_quantile(const double *sorted, size_t n, double q);

/* Fewest values whose median has a 95 % interval. */
#define STAT_CI95_LEAST 6

/*
 * Compute the distribution-free 95 % confidence interval of the median of
 * sorted[n]: the order statistics whose binomial coverage is at least 0.95
 * (Hoefler and Belli, SC'15, section 3.1.3; David and Nagaraja, Order
 * Statistics, 2003). The ranks are symmetric, so that each end has an error
 * rate of at most 2.5 %. For n from 6 to 20 the coverage is between 0.95 and
 * 0.992. The binomial distribution is exact for n up to 1,000, and approximated
 * for larger n. Return 0 with *low and *high, or -EDOM if n is under 6.
 */
int stat_median_ci95(const double *sorted, size_t n, double *low, double *high);

/*
 * Replace values[n], which must have no NaN, by their ranks from 1; ties get
 * their mean rank. -ENOMEM. Allocates O(n).
 */
int stat_ranks(double *values, size_t n);

/*
 * Compute Spearman's rank correlation of x[n] and y[n], with mean ranks for
 * ties. Ignore indexes at which x or y is NaN. Return 0 with *rho in [-1, 1],
 * -EDOM if fewer than three indexes remain or x or y is constant, or -ENOMEM.
 * Allocates O(n).
 */
int stat_spearman(const double *x, const double *y, size_t n, double *rho);

/*
 * Return the two-sided p of the rank-sum test that x[n] and y[m] are drawn from
 * one distribution (Wilcoxon, Biometrics Bulletin 1, 1945; Mann and Whitney,
 * Annals of Mathematical Statistics 18, 1947). For n + m up to 40, p is from
 * the exact permutation distribution of the ranks, with ties (Streitberg and
 * Roehmel, Statistical Software Newsletter 12, 1986). For larger n + m, p is
 * from the normal approximation with corrections for ties and continuity. x and
 * y must have no NaN. p is in (0, 1]; NaN if n or m is 0.
 */
double stat_rank_sum(const double *x, size_t n, const double *y, size_t m,
	struct arena *arena);

double stat_binomial(size_t n, size_t of);

/* Return the smallest possible value of stat_rank_sum() without ties. */
double stat_rank_sum_least(size_t n, size_t m);

/*
 * Return the two-sided p of the signed-rank test that differences d[n] are
 * symmetric about zero (Wilcoxon, Biometrics Bulletin 1, 1945). Zeros are
 * ignored. p is exact up to n = 40, 1 if all differences are zero, and NaN if n
 * is 0.
 */
double stat_signed_rank(const double *d, size_t n, struct arena *arena);

struct stat_centre {
	double middle, low, high; /* centre, 95 % interval */
};

/*
 * Estimate the centre of symmetry of differences d[n]: the median of the means
 * of all pairs (Hodges and Lehmann, Annals of Mathematical Statistics 34,
 * 1963), and the interval of all centres that stat_signed_rank() does not
 * reject (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods,
 * 2014, section 3.3). The interval is exact up to n = 40. Return -EDOM and NaNs
 * if n is under STAT_CI95_LEAST. d must have no NaN.
 */
int stat_centre(const double *d, size_t n, struct stat_centre *centre,
	struct arena *arena);

/*
 * Sign-flip test: find the columns of differences values[n * columns], n > 0,
 * that are not symmetric about zero. Under the null hypothesis, all signs of
 * rows are equally likely. A sign flips a whole row, so that columns may be
 * correlated. p[columns] are adjusted for the number of columns: with p < 0.05,
 * 1 of 20 tests reports false differences (step-down by the largest |t|:
 * Westfall and Young, Resampling-Based Multiple Testing, 1993). Up to 14 rows
 * use all sign patterns. More rows use several thousand random patterns from a
 * fixed seed. A NaN does not count in its column. The p of a column with fewer
 * than STAT_CI95_LEAST known values is 1. Return the 95 % quantile of the
 * largest |t| under the null hypothesis.
 */
double stat_flip_signs(const double *values, size_t n, size_t columns,
	double *p, struct arena *arena);

/*
 * Replace each p[n] by the lowest false discovery rate at which it is
 * significant (Benjamini and Hochberg, Journal of the Royal Statistical Society
 * B 57, 1995). NaNs do not count, and remain.
 */
void stat_false_discovery(double *p, size_t n, struct arena *arena);

/*
 * 90th minus 10th percentile of a normal distribution, in standard deviations.
 */
#define STAT_P10_TO_P90 2.5631

/* Return the unbiased variance of a sample; NaN if n is under 2. */
double stat_variance(const double *values, size_t n);

/*
 * Return the variance between groups, by a one-way analysis of variance with
 * random effects and groups of any sizes (Searle, Casella and McCulloch,
 * Variance Components, 1992, section 3.6). groups[n] are below n_groups. Return
 * NaN for fewer than two groups, or too few values per group. scratch[2 *
 * n_groups] gets the sums and sizes of the groups.
 */
double stat_random_effect(const double *values, const uint32_t *groups,
	size_t n, size_t n_groups, double *scratch);

struct stat_progress {
	void (*report)(void *context, double fraction);
	void *context;
};

/*
 * Values of a group of n runs and a group of m runs: n_values rows of n + m
 * numbers, with the first group first.
 */
struct stat_runs {
	const double *values;
	size_t n_values, n, m;
	/* [n_values] values of a kind have similar variance; NULL: one kind. */
	const unsigned char *kinds;
	/*
	 * [n + m] times of the runs; call stat_detrend() for each row first.
	 * NULL: ignore time.
	 */
	const double *when;
	/* Receives the completed share; or NULL. */
	const struct stat_progress *watch;
};

/*
 * Test which values differ between the two groups by permuting whole runs:
 * under the null hypothesis, all divisions of the runs into groups are equally
 * likely. p[n_values] are adjusted for the number of values: with p <= 0.05, 1
 * of 20 comparisons reports false differences (step-down by the largest
 * statistic: Westfall and Young, Resampling-Based Multiple Testing, 1993). The
 * test uses all divisions or, if there are many, several thousand random
 * divisions from a fixed seed. It uses fewer divisions of many values. p is NaN
 * for a value that a run lacks. With `when`, the statistic is from a regression
 * on the group and a line over time.
 */
void stat_permute(const struct stat_runs *runs, double *p, struct arena *arena);

/* Subtract the linear trend over when[n] from values[n]; keep their mean. */
void stat_detrend(double *values, const double *when, size_t n);

/*
 * Return the share of the variance of when[n + m] that is between the first n
 * and the last m times. 1: groups and time cannot be separated; 0: both groups
 * have the same mean time.
 */
double stat_apart_in_time(const double *when, size_t n, size_t m);

/* Return the least possible p: 2 / 252 divisions for five and five runs. */
double stat_permute_least(size_t n, size_t m);

/*
 * Return the limit for outliers among n values: a distance from the median, in
 * scaled median absolute deviations (STAT_MAD_TO_SIGMA). If no value is an
 * outlier, a test of `tests` sets of values together reports an outlier in at
 * most 1 of 20 cases. The model is Student's t with ten degrees of freedom,
 * which has heavier tails than the normal distribution. The limit for few
 * values is high, because their spread is uncertain. Return NaN for fewer than
 * four values.
 */
double stat_outlier_limit(size_t n, size_t tests, struct arena *arena);

/*
 * Standard deviation of a normal distribution, if its median absolute deviation
 * is 1.
 */
#define STAT_MAD_TO_SIGMA 1.4826

/*
 * Fit the line intercept + slope * x to y[n] by least squares with weights w[n]
 * > 0. Return -EDOM if n is under 2, all x are equal, or a number is not
 * finite.
 */
int stat_fit_line(const double *x, const double *y, const double *w, size_t n,
	double *intercept, double *slope);

/*
 * Return Jain's fairness of x[n] >= 0: 1 if all are equal, 1 / n if all but one
 * are 0, NaN if all are 0 (Jain, Chiu, Hawe, DEC Research Report TR-301, 1984).
 */
double stat_jain_fairness(const double *x, size_t n);

/* Return min / max of x[n] >= 0; NaN if all are 0. */
double stat_least_over_most(const double *x, size_t n);

/*
 * A small generator (xoshiro256**, Blackman and Vigna 2018, seeded through
 * splitmix64). Each seed generates the same numbers on all machines.
 */
struct stat_random {
	uint64_t state[4];
};

void stat_random_init(struct stat_random *random, uint64_t seed);
uint64_t stat_random_next(struct stat_random *random);

/* Return a uniform number in [0, bound), bound > 0, without modulo bias. */
uint64_t stat_random_below(struct stat_random *random, uint64_t bound);

/* Write a random permutation of 0..n-1 to order[n] (Fisher and Yates). */
void stat_shuffle(struct stat_random *random, uint32_t *order, size_t n);

#endif
