/* permute.c: tests which of many values differ between two groups of runs. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/size.h"

/*
 * If the runs have more divisions, try up to SPLITS_MOST random divisions. Try
 * fewer for many values, so that a comparison takes seconds. The standard error
 * of a p of 0.05 is 0.003 with the most divisions, and 0.007 with the fewest.
 */
#define SPLITS_MOST  5000
#define SPLITS_LEAST 1000
#define WORK_MOST    ((size_t)1 << 28)

/* Number of divisions between two progress reports. */
#define REPORT_EVERY 16

/* Smallest deviation of runs, as a share of the value. */
#define LEAST_DEVIATION 0.001

/* Values with a smaller relative difference are ties. */
#define TIE 1e-9

/* The values of one item in all runs. */
struct run_series {
	const double *values; /* [n] */
	double sum, squares;  /* squares: sum of squared deviations */
	double floor;	      /* addend to the deviation */
	double t;	      /* statistic of the real division */
	size_t at, exceeded;  /* index in p; divisions with a larger t */
	unsigned char kind;
};

struct run_permutation {
	struct run_series *series; /* [n_series], by increasing t */
	size_t n_series, n_a, n_b, n_splits;
	double n_planned;   /* divisions to try */
	const double *when; /* [n_a + n_b] times, minus their mean; or NULL */
	double when_squares;
	const struct stat_progress *watch;
};

double stat_binomial(size_t n, size_t of)
{
	double product = 1;

	for (size_t k = 1; k <= n; k++)
		product *= (double)(of - n + k) / (double)k;
	return round(product);
}

double stat_permute_least(size_t n, size_t m)
{
	/* Each division has an equal one if both groups have the same size. */
	return n == 0 || m == 0
		       ? 1
		       : fmin((n == m ? 2 : 1) / stat_binomial(n, n + m), 1);
}

/*
 * Return the weight of a division: the sum of squared deviations of its
 * indicator, minus the part that a line over time explains.
 */
static double split_weight(
	const struct run_permutation *all, const uint32_t *chosen)
{
	double a = (double)all->n_a, b = (double)all->n_b, sum = 0;

	for (size_t i = 0; all->when && i < all->n_a; i++)
		sum += all->when[chosen[i]];
	return a * b / (a + b) -
	       (all->when_squares > 0 ? sum * sum / all->when_squares : 0);
}

/* Return the difference between groups, in deviations within groups. */
static double series_t_statistic(const struct run_permutation *all,
	const struct run_series *series, const uint32_t *chosen, double weight)
{
	double a = (double)all->n_a, n = a + (double)all->n_b, sum = 0;
	double apart, within;

	if (weight <= TIE)
		return 0;
	for (size_t i = 0; i < all->n_a; i++)
		sum += series->values[chosen[i]];
	apart = fabs(sum - a / n * series->sum) / weight;
	within = series->squares - weight * apart * apart;
	within = sqrt(fmax(within, 0) / fmax(n - (all->when ? 3 : 2), 1));
	return apart > 0 ? sqrt(weight) * apart / (within + series->floor) : 0;
}

/*
 * Count a division by Westfall and Young's step-down: compare the t of a value
 * with the largest t of all values whose real t is not larger.
 */
static void count_split(struct run_permutation *all, const uint32_t *chosen)
{
	double most = 0, weight = split_weight(all, chosen);

	for (size_t k = 0; k < all->n_series; k++) {
		struct run_series *series = &all->series[k];

		most = fmax(
			most, series_t_statistic(all, series, chosen, weight));
		series->exceeded += most >= series->t * (1 - TIE);
	}
	all->n_splits++;
	if (all->watch && all->n_splits % REPORT_EVERY == 0)
		all->watch->report(all->watch->context,
			(double)all->n_splits / all->n_planned);
}

/* Set chosen[n] to the next combination of `of` numbers; 0: no more. */
static int next_combination(uint32_t *chosen, size_t n, size_t of)
{
	size_t i = n;

	while (i > 0 && chosen[i - 1] == of - n + i - 1)
		i--;
	if (i == 0)
		return 0;
	chosen[i - 1]++;
	for (; i < n; i++)
		chosen[i] = chosen[i - 1] + 1;
	return 1;
}

static void prepare_run_series(
	struct run_permutation *all, const struct stat_runs *runs, double *p)
{
	size_t n = all->n_a + all->n_b, kept = 0;

	for (size_t k = 0; k < all->n_series; k++) {
		struct run_series *series = &all->series[kept];
		double mean;

		*series = (struct run_series){.values = runs->values + k * n,
			.at = k,
			.kind = runs->kinds ? runs->kinds[k] : 0};
		for (size_t i = 0; i < n; i++)
			series->sum += series->values[i];
		p[k] = NAN;
		if (isnan(series->sum))
			continue;
		mean = series->sum / (double)n;
		for (size_t i = 0; i < n; i++)
			series->squares += (series->values[i] - mean) *
					   (series->values[i] - mean);
		series->floor = fabs(mean);
		kept++;
	}
	all->n_series = kept;
}

/* Return the median deviation of values of a kind, as a share of the mean. */
static double kind_deviation_floor(
	const struct run_permutation *all, unsigned char kind, double *shares)
{
	double n = (double)(all->n_a + all->n_b);
	size_t kept = 0;

	for (size_t k = 0; k < all->n_series; k++) {
		const struct run_series *series = &all->series[k];

		if (series->kind == kind && series->floor > 0)
			shares[kept++] =
				sqrt(series->squares / (n - 1)) / series->floor;
	}
	return fmax(stat_median(shares, kept), LEAST_DEVIATION);
}

/*
 * Add the median deviation of its kind, as a share of the mean, to each
 * deviation (like the "fudge factor" of Tusher, Tibshirani and Chu, PNAS 98,
 * 2001). Of hundreds of values in few runs, some have a small deviation by
 * chance. The term does not depend on the division of the runs.
 */
static void add_deviation_floors(struct run_permutation *all,
	const uint32_t *chosen, struct arena *arena)
{
	double *shares = arena_alloc(arena, all->n_series, sizeof(*shares));
	double weight = split_weight(all, chosen);
	double floors[UCHAR_MAX + 1] = {0};

	for (size_t k = 0; k < all->n_series; k++) {
		double *floor = &floors[all->series[k].kind];

		if (*floor == 0)
			*floor = kind_deviation_floor(
				all, all->series[k].kind, shares);
	}
	for (size_t k = 0; k < all->n_series; k++) {
		struct run_series *series = &all->series[k];

		series->floor *= floors[series->kind];
		series->t = series_t_statistic(all, series, chosen, weight);
	}
}

static int compare_t_statistics(const void *a, const void *b)
{
	double x = ((const struct run_series *)a)->t;
	double y = ((const struct run_series *)b)->t;

	return (x > y) - (x < y);
}

/* Sort the series by t, and copy their rows in that order for fast reads. */
static void sort_series(
	struct run_permutation *all, size_t n_runs, struct arena *arena)
{
	double *rows =
		arena_alloc(arena, all->n_series * n_runs, sizeof(*rows));

	qsort(all->series, all->n_series, sizeof(*all->series),
		compare_t_statistics);
	for (size_t k = 0; k < all->n_series; k++, rows += n_runs) {
		memcpy(rows, all->series[k].values, n_runs * sizeof(*rows));
		all->series[k].values = rows;
	}
}

static void count_all_splits(struct run_permutation *all, uint32_t *chosen)
{
	size_t n = all->n_a + all->n_b, most = WORK_MOST / (all->n_series + 1);
	/* Exchanging equally large groups changes no statistic. */
	bool halves = all->n_a == all->n_b;
	double ways = stat_binomial(all->n_a, n) / (halves ? 2 : 1);
	struct stat_random random;

	most = max_size(SPLITS_LEAST, min_size(most, SPLITS_MOST));
	all->n_planned = fmin(ways, (double)most);
	if (ways <= (double)most) {
		do
			count_split(all, chosen);
		while (next_combination(chosen, all->n_a, n) &&
			!(halves && chosen[0] > 0));
		return;
	}
	/* Count the real division too (Phipson and Smyth, 2010). */
	count_split(all, chosen);
	stat_random_init(&random, n);
	while (all->n_splits < most) {
		stat_shuffle(&random, chosen, n);
		count_split(all, chosen);
	}
}

/* Subtract the mean from the times of the runs. */
static void centre_run_times(
	struct run_permutation *all, const double *when, struct arena *arena)
{
	size_t n = all->n_a + all->n_b;
	double *centred, mean = 0;

	if (!when)
		return;
	centred = arena_alloc(arena, n, sizeof(*centred));
	for (size_t i = 0; i < n; i++)
		mean += when[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		centred[i] = when[i] - mean;
		all->when_squares += centred[i] * centred[i];
	}
	all->when = centred;
}

void stat_permute(const struct stat_runs *runs, double *p, struct arena *arena)
{
	size_t n = runs->n, m = runs->m;
	struct run_permutation all = {
		.series =
			arena_alloc(arena, runs->n_values, sizeof(*all.series)),
		.n_series = runs->n_values,
		.n_a = n,
		.n_b = m,
		.watch = runs->watch,
	};
	uint32_t *chosen = arena_alloc(arena, n + m, sizeof(*chosen));
	double least = 0;

	for (size_t i = 0; i < n + m; i++)
		chosen[i] = (uint32_t)i;
	prepare_run_series(&all, runs, p);
	if (n == 0 || m == 0)
		return;
	centre_run_times(&all, runs->when, arena);
	add_deviation_floors(&all, chosen, arena);
	sort_series(&all, n + m, arena);
	count_all_splits(&all, chosen);
	/* Let p never decrease as t decreases. */
	for (size_t k = all.n_series; k-- > 0;) {
		least = fmax(least,
			(double)all.series[k].exceeded / (double)all.n_splits);
		p[all.series[k].at] = least;
	}
}

void stat_detrend(double *values, const double *when, size_t n)
{
	double mean = 0, middle = 0, with = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		mean += values[i] / (double)n;
		middle += when[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		with += (when[i] - middle) * (values[i] - mean);
		squares += (when[i] - middle) * (when[i] - middle);
	}
	for (size_t i = 0; squares > 0 && i < n; i++)
		values[i] -= with / squares * (when[i] - middle);
}

double stat_apart_in_time(const double *when, size_t n, size_t m)
{
	double total = (double)(n + m), first = 0, mean = 0, squares = 0;

	for (size_t i = 0; i < n + m; i++)
		mean += when[i] / total;
	for (size_t i = 0; i < n + m; i++) {
		first += i < n ? when[i] - mean : 0;
		squares += (when[i] - mean) * (when[i] - mean);
	}
	return squares > 0 && n > 0 && m > 0
		       ? first * first * total /
				 ((double)n * (double)m * squares)
		       : 0;
}
