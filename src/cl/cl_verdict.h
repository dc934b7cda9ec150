/*
 * What figures with intervals allow to say: pure functions. Private to src/cl.
 */
#ifndef C2C_CL_VERDICT_H
#define C2C_CL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/curve.h"

/*
 * A median with its interval, in any unit. NaN: median, there is no result
 * (never reached, or rejected); low and high, too few runs to know.
 */
struct median_interval {
	double median, low, high;
};

/* Point i of a curve. */
struct median_interval figure_at(const struct curve *curve, size_t i);

/* Half of its interval over the median; NaN: it has none. */
double figure_noise(struct median_interval figure);

/* A quotient; its interval is from low / high to high / low. */
struct median_interval figure_over(
	struct median_interval figure, struct median_interval other);

/* Whether their intervals are apart; false if one has none. */
bool figure_differs(
	struct median_interval figure, struct median_interval other);

/* The places of the greatest and the least of n medians; n: all are NaN. */
size_t figure_most(const struct median_interval *figures, size_t n);
size_t figure_least(const struct median_interval *figures, size_t n);

/*
 * The first of n rates from which all stay below this share of the greatest
 * rate before, and their intervals, if any, do not overlap with its; 0: there
 * is none. Gaps do not count.
 */
size_t figure_find_drop(
	const struct median_interval *rates, size_t n, double share);

/*
 * Where a step that begins at point first ends: the first point behind it that
 * differs from it by more than this share, or is a gap; n: there is none.
 */
size_t figure_plateau_end(const struct median_interval *figures, size_t n,
	size_t first, double share);

/* "95 to 97 %", or "96 %" without an interval. */
#define FIGURE_BYTES 64
const char *figure_percent(
	struct median_interval share, char text[FIGURE_BYTES]);

/*
 * "31.9 times as long (31.7 to 32.1)", "no difference shows (0.9 to 1.1 times
 * as long)", "too few runs to compare", "no result"; "fast" in place of "long".
 */
const char *figure_times(
	struct median_interval ratio, const char *as, char text[FIGURE_BYTES]);

/* Whether n figures differ; gaps do not count. */
enum spread_verdict {
	SPREAD_UNKNOWN, /* too few runs, or fewer than two results */
	SPREAD_NONE,
	SPREAD_SEEN, /* the extremes differ by a tenth, and their intervals */
};
enum spread_verdict judge_spread(
	const struct median_interval *figures, size_t n);

/*
 * How a device treats work-items whose neighbours take other paths, by the time
 * of n paths where neighbours differ over that of the same kernel where they
 * agree.
 */
enum paths_verdict {
	PATHS_UNKNOWN, /* too noisy, or too few runs */
	PATHS_FREE,
	PATHS_IN_PART, /* some of them one after the other */
	PATHS_IN_TURN, /* all of them, or nearly */
};

enum paths_verdict judge_paths(struct median_interval ratio, unsigned n);

/*
 * Whether a map moves what is mapped, by the time of a map and unmap of a page
 * and of much. A map that moves takes a good part of the time of a copy of as
 * much; NaN: the copy has no result.
 */
enum map_verdict {
	MAP_UNKNOWN,   /* too unsteady, or too few runs */
	MAP_NO_COPY,   /* to compare with */
	MAP_NEAR_PAGE, /* a copy takes hardly longer than the map of a page */
	MAP_TOO_SMALL, /* for any verdict; only the caller knows */
	MAP_MOVES,
	MAP_STAYS,
};

enum map_verdict judge_map(struct median_interval map,
	struct median_interval page, struct median_interval copy);

/* How a mad is computed, by the latencies of a chain of each. */
enum mad_verdict {
	MAD_UNKNOWN,
	MAD_FUSED,    /* shorter than a multiplication, then an addition */
	MAD_SEPARATE, /* nearer to both of these than to one, or longer */
};

enum mad_verdict judge_mad(struct median_interval mad,
	struct median_interval mul, struct median_interval add);

/*
 * Two things that took turns. The share of a machine that others leave changes
 * all the time: compare only what was measured in the same round.
 */
#define INTERLEAVED_ROUNDS	 5
#define INTERLEAVED_QUICK_ROUNDS 3

struct interleaved_ratio {
	double one, other;	 /* medians of the rounds */
	double ratio, low, high; /* one over other within a round; its range */
};

/* Of n rounds, at most INTERLEAVED_ROUNDS; sorts both arrays. */
struct interleaved_ratio compare_interleaved(
	double *one, double *other, size_t n);

#endif
