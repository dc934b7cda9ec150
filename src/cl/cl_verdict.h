/* Pure functions that compare figures with intervals. Private to src/cl. */
#ifndef C2C_CL_VERDICT_H
#define C2C_CL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/curve.h"

/*
 * A median with its interval, in any unit. The median is NaN without a result
 * (not reached, or rejected). low and high are NaN if the runs are too few for
 * an interval.
 */
struct median_interval {
	double median, low, high;
};

/* Return point i of a curve. */
struct median_interval figure_at(const struct curve *curve, size_t i);

/* Return half of the interval divided by the median; NaN: no interval. */
double figure_noise(struct median_interval figure);

/* Return a quotient, whose interval is low / high to high / low. */
struct median_interval figure_over(
	struct median_interval figure, struct median_interval other);

/*
 * Return whether the intervals are disjoint; false if an interval is missing.
 */
bool figure_differs(
	struct median_interval figure, struct median_interval other);

/* Index of the greatest or the least of n medians; n if all medians are NaN. */
size_t figure_most(const struct median_interval *figures, size_t n);
size_t figure_least(const struct median_interval *figures, size_t n);

/*
 * Return the index where n rates fall for good: all later rates are below this
 * share of the greatest earlier rate, and their intervals do not overlap with
 * it. 0: no fall. Gaps are ignored.
 */
size_t figure_find_drop(
	const struct median_interval *rates, size_t n, double share);

/*
 * Return the end of the step that begins at point first: the first later point
 * that is a gap or differs by more than this share; else n.
 */
size_t figure_plateau_end(const struct median_interval *figures, size_t n,
	size_t first, double share);

/* Write "95 to 97 %", or "96 %" if there is no interval. */
#define FIGURE_BYTES 64
const char *figure_percent(
	struct median_interval share, char text[FIGURE_BYTES]);

/*
 * Return "31.9 times as long (31.7 to 32.1)", "no difference shows (0.9 to 1.1
 * times as long)", "too few runs to compare" or "no result"; "fast" for "long".
 */
const char *figure_times(
	struct median_interval ratio, const char *as, char text[FIGURE_BYTES]);

/*
 * How a device runs neighbouring work-items that take different paths. The
 * ratio is the time of n paths, divided by the time of one path.
 */
enum paths_verdict {
	PATHS_UNKNOWN, /* too noisy, or too few runs */
	PATHS_FREE,
	PATHS_IN_PART, /* some paths are serialized */
	PATHS_IN_TURN, /* nearly all paths are serialized */
};

enum paths_verdict judge_paths(struct median_interval ratio, unsigned n);

/*
 * Whether mapping moves data. The verdict compares the times to map and unmap a
 * page and a large buffer with the times to copy them. NaN: no result of the
 * copy.
 */
enum map_verdict {
	MAP_UNKNOWN,   /* too unsteady, or too few runs */
	MAP_NO_COPY,   /* no result of a copy */
	MAP_NEAR_PAGE, /* a copy is too fast to judge */
	MAP_TOO_SMALL, /* buffer too small; set by the caller */
	MAP_MOVES,
	MAP_STAYS,
};

enum map_verdict judge_map(struct median_interval map,
	struct median_interval page, struct median_interval copy);

/*
 * How the device computes a mad, inferred from latencies of mad, mul and add.
 */
enum mad_verdict {
	MAD_UNKNOWN,
	MAD_FUSED,    /* mad shorter than mul plus add */
	MAD_SEPARATE, /* mad nearly mul plus add, or longer */
};

enum mad_verdict judge_mad(struct median_interval mad,
	struct median_interval mul, struct median_interval add);

/*
 * Results of rounds that alternate between two measurements. Only figures of
 * the same round are compared, because the load of other programs varies.
 */
#define INTERLEAVED_ROUNDS	 5
#define INTERLEAVED_QUICK_ROUNDS 3

struct interleaved_ratio {
	double one, other;	 /* medians of each measurement's rounds */
	double ratio, low, high; /* ratio one / other: median, range */
};

/* Compare n rounds, at most INTERLEAVED_ROUNDS, and sort both arrays. */
struct interleaved_ratio compare_interleaved(
	double *one, double *other, size_t n);

#endif
