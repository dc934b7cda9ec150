/*
 * Merges several runs of one measurement, each from its own process, into a
 * record.
 *
 * A run's value is the median over its passes. The record has the median over
 * runs and its interval: the order statistics with 95 % coverage (six runs or
 * more), or with fewer runs their range. The range of five runs covers the
 * median with 94 % probability, of three with 75 %. A single run (after an
 * interrupt) has the interval of its passes.
 *
 * Pure functions over results; one thread at a time.
 *
 * cmd/measure/measure_runs.c starts the runs, cmd/measure/runs_spread.c prints
 * their spread, job/job.c collects them, and analyze/compare/compare_runs.c
 * judges them.
 */
#ifndef C2C_RUNS_H
#define C2C_RUNS_H

#include "result/result.h"
#include "util/error.h"

/* Key of the block "run": the core clock during a run, in GHz. */
#define RUNS_CLOCK "core_clock_ghz"

/* Largest number of runs in a record. */
#define RUNS_MAX 1000

/* Fewest runs that have a 95 % interval. */
#define RUNS_INTERVAL 6

/* Copy a result without its runs. The caller releases it after success only. */
int result_copy(
	struct result *copy, const struct result *from, struct error *err);

/*
 * Merge runs[n], n > 0, of the same CPUs into a record. Machine, options and
 * topology are from the first complete run. The record does not contain the
 * runs and their passes. -EINVAL if the runs have different NUMA nodes. The
 * caller releases *merged after success only.
 */
int runs_merge(struct result *merged, const struct result *const runs[],
	size_t n, struct error *err);

/*
 * For each matrix of medians in a record of runs, append matrices with standard
 * deviations of each pair:
 *
 * - "sd_runs": between runs, without the part that passes explain;
 * - "sd_passes": between the passes of one run (from p10 and p90, assuming a
 *   normal distribution);
 * - "sd_median": the error of a run's median;
 * - "sd_clock", if three runs have a known clock: the part that the clock
 *   explains. It is the deviation of log clocks between runs, multiplied by the
 *   slope of log values over log clocks. One slope is fitted to all pairs, and
 *   limited to -1, since no latency can depend more on the clock.
 */
int runs_add_deviations(struct result *merged,
	const struct result *const runs[], size_t n, struct error *err);

/*
 * The spread of a record's runs at the points of its curves, as shares of the
 * points' medians. NaN: unknown.
 */
struct runs_points {
	double widest_half;  /* half of the widest interval */
	size_t curve, point; /* the point with this interval */
	/*
	 * Medians over points: the standard deviation between runs, without the
	 * part that intervals explain, and the error of a run's median.
	 */
	double sd_runs, sd_median;
};

struct runs_points runs_points_of(const struct result *merged);

/*
 * Find the pair whose interval is widest relative to its median. Return half of
 * this width, as a share; NaN: none. *widest is the pair's cell in its matrix.
 */
double runs_widest_half(const struct result *merged, size_t *widest);

#endif
