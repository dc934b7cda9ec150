/*
 * Verdicts from figures with intervals: pure functions. Private to src/cl.
 */
#ifndef C2C_CL_VERDICT_H
#define C2C_CL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/curve.h"

/*
 * A median with its interval, in any unit. NaN as median: no result (not
 * reached, or rejected); as low and high: too few runs for an interval.
 */
struct median_interval {
	double median, low, high;
};

/* Return point i of a curve. */
struct median_interval figure_at(const struct curve *curve, size_t i);

/* Return half of the interval over the median; NaN: there is no interval. */
double figure_noise(struct median_interval figure);

/* Return a quotient; its interval is from low / high to high / low. */
struct median_interval figure_over(
	struct median_interval figure, struct median_interval other);

/* Return whether the intervals are apart; false if one is missing. */
bool figure_differs(
	struct median_interval figure, struct median_interval other);

/* Index of the greatest or the least of n medians; n if all are NaN. */
size_t figure_most(const struct median_interval *figures, size_t n);
size_t figure_least(const struct median_interval *figures, size_t n);

/*
 * Find where n rates fall for good: return the first rate from which on all are
 * below this share of the greatest earlier rate, and their intervals do not
 * overlap with it; 0: none. Gaps do not count.
 */
size_t figure_find_drop(
	const struct median_interval *rates, size_t n, double share);

/*
 * Return where the step that begins at point first ends: the first later point
 * that differs from it by more than this share, or is a gap; n if there is
 * none.
 */
size_t figure_plateau_end(const struct median_interval *figures, size_t n,
	size_t first, double share);

/* Write "95 to 97 %", or "96 %" without an interval. */
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
	PATHS_IN_PART, /* some paths run one after the other */
	PATHS_IN_TURN, /* all or nearly all paths run one after the other */
};

enum paths_verdict judge_paths(struct median_interval ratio, unsigned n);

/*
 * Whether mapping moves data. The verdict compares the times to map and unmap a
 * page and a large buffer with the times to copy them. NaN: the copy has no
 * result.
 */
enum map_verdict {
	MAP_UNKNOWN,   /* too unsteady, or too few runs */
	MAP_NO_COPY,   /* no copy to compare with */
	MAP_NEAR_PAGE, /* a copy takes hardly longer than a map of a page */
	MAP_TOO_SMALL, /* buffer too small; only the caller sets this */
	MAP_MOVES,
	MAP_STAYS,
};

enum map_verdict judge_map(struct median_interval map,
	struct median_interval page, struct median_interval copy);

/* How the device computes a mad, by latencies of chains of mad, mul and add. */
enum mad_verdict {
	MAD_UNKNOWN,
	MAD_FUSED,    /* shorter than a multiplication and an addition */
	MAD_SEPARATE, /* nearer to their sum than to one of them, or longer */
};

enum mad_verdict judge_mad(struct median_interval mad,
	struct median_interval mul, struct median_interval add);

/*
 * Rounds that alternate two measurements. The load of other programs varies, so
 * only figures of one round are compared.
 */
#define INTERLEAVED_ROUNDS	 5
#define INTERLEAVED_QUICK_ROUNDS 3

struct interleaved_ratio {
	double one, other;	 /* medians of the rounds */
	double ratio, low, high; /* one over other: median, range */
};

/* Compare n rounds, at most INTERLEAVED_ROUNDS; sorts both arrays. */
struct interleaved_ratio compare_interleaved(
	double *one, double *other, size_t n);

#endif
