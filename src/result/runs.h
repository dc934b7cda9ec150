/*
 * One record made of several runs of one measurement, each in a process of its
 * own.
 *
 * A value of a run is the median over its passes. The record has the median
 * over runs and the interval of the runs: the order statistics whose coverage
 * is 95 %, which six runs have, or with fewer the range of the runs. The range
 * of five covers the median with 94 %, of three with 75 %. A single run, as an
 * interrupt leaves it, has the interval of its passes.
 *
 * Pure functions over results; not for two threads at once.
 *
 * cmd/measure/measure_runs.c starts the runs, runs_spread.c there prints what
 * they say of each other, job/job.c puts them together, and
 * analyze/compare/compare_runs.c judges them.
 */
#ifndef C2C_RUNS_H
#define C2C_RUNS_H

#include "result/result.h"
#include "util/error.h"

/* Key of the block "run": the clock of the cores during a run, in GHz. */
#define RUNS_CLOCK "core_clock_ghz"

/* Most runs of a record. */
#define RUNS_MAX 1000

/* Fewest runs that have a 95 % interval. */
#define RUNS_INTERVAL 6

/* Copy a result without its runs. The caller releases it after success only. */
int result_copy(
	struct result *copy, const struct result *from, struct error *err);

/*
 * Make the record of runs[n], n > 0, of the same CPUs. Machine, options and
 * topology are those of the first run that is complete. The record has neither
 * the runs themselves nor their passes. -EINVAL if they are of different NUMA
 * nodes. The caller releases it after success only.
 */
int runs_merge(struct result *merged, const struct result *const runs[],
	size_t n, struct error *err);

/*
 * Append to a record of runs, for each matrix of medians, standard deviations
 * of each pair: "sd_runs", between runs beyond what their passes explain;
 * "sd_passes", between the passes of one run (from p10 and p90, as if normal);
 * "sd_median", what is left of that in the median of a run. If three runs know
 * their clock, append "sd_clock": its deviation between runs, times the slope
 * of the values over it, of all pairs together and in logarithms. No latency
 * follows the clock by more than a slope of -1, so none beyond counts.
 */
int runs_add_deviations(struct result *merged,
	const struct result *const runs[], size_t n, struct error *err);

/*
 * The spread of a record's runs at the points of its curves: half of the widest
 * interval over its median, and where; the standard deviation between runs
 * beyond what the intervals within runs explain, and what these leave in a
 * run's median, as shares, medians over points. NaN: unknown.
 */
struct runs_points {
	double widest_half;
	size_t curve, point;
	double sd_runs, sd_median;
};

struct runs_points runs_points_of(const struct result *merged);

/* Return half of the widest interval over its median or NaN; *widest: cell. */
double runs_widest_half(const struct result *merged, size_t *widest);

#endif
