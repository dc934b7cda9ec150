/*
 * Order statistics, rank correlation, random order: pure functions over
 * arrays of doubles. Units are the caller's. No function prints, allocates
 * unless it says so, or keeps state; any thread may call them. (Above 32
 * values sorting is qsort(), which may borrow memory but does without.)
 */
#ifndef C2C_STAT_H
#define C2C_STAT_H

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/* Sort values[n] in increasing order, in place; NaNs last. */
void stat_sort(double *values, size_t n);

/* The number of leading values of a sorted array that are not NaN. */
size_t stat_count_numbers(const double *sorted, size_t n);

/*
 * The median of values[n], which is reordered, but not sorted: with many values
 * that is some times as fast. Values that are sorted stay so. NaN when n is 0.
 * No NaN may be among the values. The mean of the middle two when n is even.
 */
double stat_median(double *values, size_t n);

/*
 * The mean of values[n] without an eighth of them, at least one, on either
 * side; of one or two, of both. Before, those above three times a positive
 * median are left out, which are interruptions. values[n] is sorted then;
 * without NaNs. NaN when n is 0.
 */
double stat_trimmed_mean(double *values, size_t n);

/*
 * The q-quantile (0 <= q <= 1) of sorted[n] by linear interpolation between
 * order statistics (type 7 of Hyndman and Fan, The American Statistician 50,
 * 1996). NaN when n is 0.
 */
double stat_quantile(const double *sorted, size_t n, double q);

/* Fewer values have no 95 % interval of their median. */
#define STAT_CI95_LEAST 6

/*
 * The distribution-free 95 % confidence interval of the median of sorted[n]:
 * the order statistics whose binomial coverage is at least 0.95 (Hoefler and
 * Belli, SC'15, section 3.1.3; David and Nagaraja, Order Statistics, 2003).
 * The ranks lie symmetrically, so that either side errs by at most 2.5 %;
 * for n of 6 to 20 the coverage steps between 0.95 and 0.992. The exact
 * binomial for n up to 1,000, its normal approximation above. Returns 0 and
 * fills *low and *high, or -EDOM when n is under 6, where no interval
 * exists.
 */
int stat_median_ci95(const double *sorted, size_t n, double *low, double *high);

/*
 * Replace values[n], no NaN among them, by their ranks from 1; equal ones get
 * the mean of theirs. -ENOMEM. Allocates O(n).
 */
int stat_ranks(double *values, size_t n);

/*
 * Spearman's rank correlation of x[n] and y[n], ties at their mean rank;
 * places where either is NaN are left out. *rho in [-1, 1]. -EDOM when under
 * three places are left or one side is constant; -ENOMEM. Allocates O(n).
 */
int stat_spearman(const double *x, const double *y, size_t n, double *rho);

/*
 * The probability that x[n] and y[m], drawn from one distribution, differ in
 * their rank sums at least as much as they do, in either direction (Wilcoxon,
 * Biometrics Bulletin 1, 1945; Mann and Whitney, Annals of Mathematical
 * Statistics 18, 1947). Up to n + m of 40 it is the exact permutation
 * distribution of the ranks, with ties (Streitberg and Roehmel, Statistical
 * Software Newsletter 12, 1986), above that the normal approximation with
 * corrections for ties and continuity. No NaN among them. In (0, 1]; NaN when n
 * or m is 0.
 */
double stat_rank_sum(const double *x, size_t n, const double *y, size_t m,
	struct arena *arena);

/* In how many ways n can be chosen. */
double stat_binomial(size_t n, size_t of);

/* The least possible value of stat_rank_sum(), without ties. */
double stat_rank_sum_least(size_t n, size_t m);

/*
 * The same for differences d[n], if they were symmetric about zero (Wilcoxon's
 * signed ranks, the same article). Zeros are left out. Exact up to 40 of them.
 * 1 when all are zero, NaN when n is 0.
 */
double stat_signed_rank(const double *d, size_t n, struct arena *arena);

/*
 * Replace p[n] by the least false discovery rate at which each would be called
 * a discovery (Benjamini and Hochberg, Journal of the Royal Statistical Society
 * B 57, 1995). NaNs stay and are not counted.
 */
void stat_false_discovery(double *p, size_t n, struct arena *arena);

/* p90 minus p10 of a normal distribution, in standard deviations. */
#define STAT_P10_TO_P90 2.5631

/* The unbiased variance of a sample; NaN of fewer than two values. */
double stat_variance(const double *values, size_t n);

/*
 * The variance that groups add to values, in a one-way analysis of variance
 * with random effects and groups of any sizes (Searle, Casella and McCulloch,
 * Variance Components, 1992, section 3.6). groups[n] are below n_groups. NaN
 * with fewer than two groups, or too few values in each. scratch[2 * n_groups]
 * has the sums of the groups then, and their sizes.
 */
double stat_random_effect(const double *values, const uint32_t *groups,
	size_t n, size_t n_groups, double *scratch);

struct stat_progress {
	void (*report)(void *context, double fraction);
	void *context;
};

/*
 * Many values of runs in two groups, n runs and m. values has n_values rows of
 * n + m numbers, those of the first group first.
 */
struct stat_runs {
	const double *values;
	size_t n_values, n, m;
	/*
	 * [n_values]: kinds of values that vary otherwise; NULL: all are one.
	 */
	const unsigned char *kinds;
	/*
	 * [n + m]: the places of the runs in time. stat_detrend() has then gone
	 * over each row. NULL: time does not count.
	 */
	const double *when;
	/* told which share is done, or NULL */
	const struct stat_progress *watch;
};

/*
 * Which of several values of runs differ between the two groups? A permutation
 * test by whole runs: if nothing but chance divided the runs, every division of
 * them is as likely. p[n_values] are adjusted for the number of values, so that
 * at p <= 0.05 a false one is among them in one of twenty comparisons
 * (step-down by the largest statistic: Westfall and Young, Resampling-Based
 * Multiple Testing, 1993). All divisions count, or of many some thousands at
 * random, always the same ones: the fewer, the more values there are. NaN for a
 * value that a run lacks. With "when", the statistic is that of a regression on
 * the group and a line over time.
 */
void stat_permute(const struct stat_runs *runs, double *p, struct arena *arena);

/* Take the line over when[n] out of values[n], and leave their mean. */
void stat_detrend(double *values, const double *when, size_t n);

/*
 * The share of the variance of when[n + m] that lies between the first n and
 * the others: 1: nobody can tell the groups from time; 0: time is as early in
 * both.
 */
double stat_apart_in_time(const double *when, size_t n, size_t m);

/* The least possible p: 2 of 252 divisions for five runs and five. */
double stat_permute_least(size_t n, size_t m);

/*
 * How many scaled median absolute deviations (STAT_MAD_TO_SIGMA) from the
 * median of n values one of them must be before it is an outlier, if so many
 * sets of values are tested together. Where nothing is wrong, any is one in at
 * most one of twenty cases. "Nothing is wrong" means Student's t with ten
 * degrees of freedom, whose tails are heavier than those of a normal
 * distribution. Few values tell little of their spread: the limit is high then.
 * NaN of fewer than four values.
 */
double stat_outlier_limit(size_t n, size_t tests, struct arena *arena);

/* From a median absolute deviation to the standard deviation of a normal. */
#define STAT_MAD_TO_SIGMA 1.4826

/*
 * The line intercept + slope * x nearest to y[n] by least squares with weights
 * w[n] > 0. -EDOM when n is under 2, all x are one, or a number is not finite.
 */
int stat_fit_line(const double *x, const double *y, const double *w, size_t n,
	double *intercept, double *slope);

/*
 * How evenly x[n] >= 0 are shared: 1 when all are equal, 1 / n when one has all
 * (Jain, Chiu and Hawe, DEC Research Report TR-301, 1984). NaN if all are 0.
 */
double stat_jain_fairness(const double *x, size_t n);

/* The smallest of x[n] >= 0 over the largest. NaN if all are 0. */
double stat_least_over_most(const double *x, size_t n);

/*
 * A small seeded generator (xoshiro256**, Blackman and Vigna 2018, seeded
 * through splitmix64): the same seed gives the same order everywhere.
 */
struct stat_random {
	uint64_t state[4];
};

void stat_random_init(struct stat_random *random, uint64_t seed);
uint64_t stat_random_next(struct stat_random *random);

/*
 * Uniform in [0, bound), bound > 0, without modulo bias: numbers beyond the
 * last multiple of bound are drawn again.
 */
uint64_t stat_random_below(struct stat_random *random, uint64_t bound);

/* A random permutation of 0..n-1 (Fisher and Yates) into order[n]. */
void stat_shuffle(struct stat_random *random, uint32_t *order, size_t n);

#endif
