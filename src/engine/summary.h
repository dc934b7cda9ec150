/*
 * From a campaign's passes to matrices and to what the user must know of
 * them. A pair's value is the median over passes of the pass's value.
 *
 * The warnings about a run are here, too. DIAGNOSTICS in c2c-latency(1) has
 * each of them (tests/meta/man.sh compares).
 */
#ifndef C2C_SUMMARY_H
#define C2C_SUMMARY_H

#include "engine/campaign.h"
#include "result/result.h"
#include "util/error.h"

/* The names of a campaign's values in the result. */
struct summary_labels {
	/* Matrix of value k; NULL: that of value 0, and then no matrix. */
	const char *name[2];
	const char *unit;
	const char *quantity;
	bool higher_is_better;
	double factor;	  /* on every value: 2 for round trips */
	const char *noun; /* what a pair of the schedule is: "pair" */
	bool curves;	  /* pairs are points, which the command doubts */
	const char *const *variants; /* ", 64 B chunks" of each; or NULL */
};

/* A value's median over passes, its 95 % interval and what goes with them. */
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

/* The statistics of values[n], which it sorts; NaN where there is none. */
void summary_of(double *values, size_t n, double out[SUMMARY_STATISTICS]);

/* The same of value k of a pair. */
void summary_of_pair(const struct campaign *campaign, size_t pair, size_t k,
	double out[SUMMARY_STATISTICS]);

/* Make the median and its interval point i of a curve. */
void summary_set_point(struct curve *curve, size_t i, double x,
	const double out[SUMMARY_STATISTICS]);

/* A curve of n points, of these CPUs; NULL with *err. */
struct curve *summary_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err);

/* Where value k of a pair stands in a matrix, and to put it there. */
enum probe_cell summary_cell_of(const struct campaign *campaign, size_t k);
void summary_put(struct matrix *matrix, size_t n, struct schedule_pair pair,
	enum probe_cell cell, double value);

/*
 * The sum of the n values of a pair behind the first one, of several CPUs that
 * work together. If few of many CPUs have no value, each counts as the mean of
 * the others, else the sum is NaN. In each pass: into values[n_passes], without
 * NaNs; returns how many.
 */
double summary_sum(
	const struct campaign *campaign, size_t pass, size_t pair, size_t n);
size_t summary_gather_sums(
	const struct campaign *campaign, size_t pair, size_t n, double *values);

/* Add a matrix of each statistic, without values. */
int summary_add_matrices(const struct summary_labels *labels, const char *name,
	bool symmetric, struct result *result, struct error *err);

/*
 * Append the matrices median, min, p10, p90, ci_low, ci_high (95 %) and
 * passes of the campaign to result, whose cpus are the campaign's.
 */
int summary_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

/*
 * Append every pass of the campaign to result, whose cpus are the campaign's:
 * an entry for each name of the matrices. Where the halves of a visit measure
 * its directions, these are two pairs.
 */
int summary_passes(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

/*
 * How far the run agrees with itself: Spearman's correlation over all pairs
 * of the medians of even passes with those of odd ones, and of the first half
 * of the passes with the second. Where a visit leaves several values, the one
 * that agrees least. NaN where under three pairs or four passes leave nothing
 * to correlate, and no verdict on few pairs.
 */
struct summary_agreement {
	double even_odd;
	double halves;
	enum run_verdict verdict;
};

int summary_agree(const struct campaign *campaign,
	struct summary_agreement *agreement, struct error *err);

/*
 * The passes that a report counts: the complete ones, or as many values as a
 * pair has if that is fewer, or if no pass is complete.
 */
size_t summary_counted_passes(const struct campaign *campaign);

/*
 * Add what the values themselves give reason to suspect to the campaign's
 * warnings: passes that do not agree, pairs that vary,
 * intervals that never narrowed. unit as in the labels.
 */
void summary_add_warnings(struct campaign *campaign,
	const struct summary_agreement *agreement,
	const struct summary_labels *labels);

#endif
