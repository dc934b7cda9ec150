/*
 * Turn a campaign's passes into matrices and warnings. A pair's value is its
 * median over passes.
 *
 * DIAGNOSTICS in c2c-latency(1) has each warning (tests/meta/man.sh compares).
 */
#ifndef C2C_SUMMARY_H
#define C2C_SUMMARY_H

#include "engine/campaign.h"
#include "result/result.h"
#include "util/error.h"

/* The names of a campaign's values in the result. */
struct summary_labels {
	/* NULL if value 1 is in the matrix of value 0 */
	const char *name[2];
	const char *unit;
	const char *quantity;
	bool higher_is_better;
	double factor;	  /* multiplies every value: 2 for round trips */
	const char *noun; /* name of a pair: "pair" */
	bool curves;	  /* pairs are points of curves */
	const char *const *variants; /* names like ", 64 B chunks", or NULL */
};

/* Statistics of a value over passes. */
enum summary_statistic {
	SUMMARY_MEDIAN,
	SUMMARY_MIN,
	SUMMARY_P10,
	SUMMARY_P90,
	SUMMARY_CI_LOW,
	SUMMARY_CI_HIGH,
	SUMMARY_PASSES,
	SUMMARY_STATISTICS,
};

extern const char *const summary_statistic_names[SUMMARY_STATISTICS];

/* Sort values[n] and compute its statistics; NaN if n is too small. */
void summary_of(double *values, size_t n, double out[SUMMARY_STATISTICS]);

/* Compute the statistics of value k of a pair. */
void summary_of_pair(const struct campaign *campaign, size_t pair, size_t k,
	double out[SUMMARY_STATISTICS]);

/* Set point i of a curve to the median and its interval. */
void summary_set_point(struct curve *curve, size_t i, double x,
	const double out[SUMMARY_STATISTICS]);

/* Add a curve of n points on these CPUs; return NULL with *err on failure. */
struct curve *summary_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err);

/* Return the cell of value k of a pair, and store the value in a matrix. */
enum probe_cell summary_cell_of(const struct campaign *campaign, size_t k);
void summary_put(struct matrix *matrix, size_t n, struct schedule_pair pair,
	enum probe_cell cell, double value);

/*
 * Sum n values of a pair, without its first value. If few of many values are
 * missing, use the mean for each missing value; otherwise return NaN.
 * summary_gather_sums() writes the sums of all passes without NaNs to
 * values[n_passes] and returns how many.
 */
double summary_sum(
	const struct campaign *campaign, size_t pass, size_t pair, size_t n);
size_t summary_gather_sums(
	const struct campaign *campaign, size_t pair, size_t n, double *values);

/* Add an empty matrix for each statistic. */
int summary_add_matrices(const struct summary_labels *labels, const char *name,
	bool symmetric, struct result *result, struct error *err);

/*
 * Append the matrices of all statistics of the campaign to result, whose cpus
 * are the campaign's.
 */
int summary_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

/*
 * Append every pass of the campaign to result, whose cpus are the campaign's:
 * one entry for each matrix name. If the halves of a visit measure the two
 * directions, these count as two pairs.
 */
int summary_passes(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

/*
 * Consistency of a run. The agreement of two parts of the passes is Spearman's
 * correlation over all pairs of the medians in both parts. If a visit has
 * several values, the lowest agreement counts. NaN with fewer than three pairs
 * or four passes.
 */
struct summary_agreement {
	double even_odd; /* even and odd passes */
	double halves;	 /* first and second half */
	enum run_verdict verdict;
};

int summary_agree(const struct campaign *campaign,
	struct summary_agreement *agreement, struct error *err);

/*
 * Return the number of passes for a report: the largest number of values of a
 * pair, but at most the number of complete passes, if there are any.
 */
size_t summary_counted_passes(const struct campaign *campaign);

/* Warn of doubtful values: low agreement, pairs that vary, wide intervals. */
void summary_add_warnings(struct campaign *campaign,
	const struct summary_agreement *agreement,
	const struct summary_labels *labels);

#endif
