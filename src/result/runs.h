/*
 * Merges several runs of a measurement into a record.
 *
 * The value of a run is the median over passes. The record has the median over
 * runs and an interval. From six runs, the interval is a 95 % interval from
 * order statistics. With fewer runs, the interval is the range, which covers
 * the median with 94 % probability for five runs and 75 % for three. A single
 * run has the interval of its passes.
 *
 * cmd/measure/measure_runs.c starts runs, and job/job.c collects them.
 * cmd/measure/runs_spread.c prints their spread, and
 * analyze/compare/compare_runs.c compares runs.
 */
#ifndef C2C_RUNS_H
#define C2C_RUNS_H

#include "result/result.h"
#include "util/error.h"

/* Key in the object "run": the core clock during a run, in GHz. */
#define RUNS_CLOCK "core_clock_ghz"

/* Largest number of runs in a record. */
#define RUNS_MAX 1000

/* Smallest number of runs with a 95 % interval. */
#define RUNS_INTERVAL 6

/* Copy a result without its runs. The caller releases *copy after success. */
int result_copy(
	struct result *copy, const struct result *from, struct error *err);

/*
 * Merge runs[n] with the same CPUs into a record, n > 0. Machine, options and
 * topology come from the first complete run. The record has no runs and no
 * passes. Return -EINVAL if the runs have different NUMA nodes. The caller
 * releases *merged only after success.
 */
int runs_merge(struct result *merged, const struct result *const runs[],
	size_t n, struct error *err);

/*
 * For each matrix of medians, append matrices with standard deviations:
 *
 * - "sd_runs": between runs, without the part that passes explain;
 * - "sd_passes": between the passes of a run, from p10 and p90 of a normal
 *   distribution;
 * - "sd_median": the standard error of the median of a run;
 * - "sd_clock", for at least three runs with a known clock: the part that the
 *   clock explains. This is the deviation of log clocks, multiplied by the
 *   slope of log values over log clocks. All pairs share the slope, which is at
 *   least -1, because no latency can depend more on the clock.
 */
int runs_add_deviations(struct result *merged,
	const struct result *const runs[], size_t n, struct error *err);

/*
 * Spread between runs at the points of curves, relative to the medians. An
 * unknown value is NaN.
 */
struct runs_points {
	double widest_half;  /* half of the widest relative interval */
	size_t curve, point; /* the point with the widest interval */
	/*
	 * Medians over points: standard deviation between runs, without the
	 * part that intervals explain; and standard error of the median of a
	 * run.
	 */
	double sd_runs, sd_median;
};

struct runs_points runs_points_of(const struct result *merged);

/*
 * Find the pair with the widest interval relative to the median. Return half of
 * the relative width, or NaN. *widest becomes the index of the pair in its
 * matrix.
 */
double runs_widest_half(const struct result *merged, size_t *widest);

#endif
