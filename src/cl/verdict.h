/*
 * What may be said of figures that have intervals: pure functions. Private to
 * src/cl.
 */
#ifndef C2C_CL_VERDICT_H
#define C2C_CL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

/*
 * A median with its interval, in any unit. NaN: median, there is no result
 * (never reached, or rejected); low and high, too few runs to know.
 */
struct figure {
	double median, low, high;
};

/* Point i of a curve. */
struct figure figure_at(const struct curve *curve, size_t i);

/* A quotient, as far as one's low is from the other's high. */
struct figure figure_over(struct figure figure, struct figure other);

/* Whether their intervals are apart; false where one has none. */
bool figure_differs(struct figure figure, struct figure other);

/* Places of the greatest and of the least of n medians; n: all are NaN. */
size_t figure_most(const struct figure *figures, size_t n);
size_t figure_least(const struct figure *figures, size_t n);

/*
 * Where n rates fall and stay low: the first i from which all are below this
 * share of the greatest rate before, with intervals that do not overlap if they
 * have any; 0: nowhere. Gaps do not count.
 */
size_t figure_falls(const struct figure *rates, size_t n, double share);

/* "95 to 97 %" of a share with its interval, "96 %" of one without. */
#define FIGURE_BYTES 64
const char *figure_percent(struct figure share, char text[FIGURE_BYTES]);

/*
 * "31.9 times as long (31.7 to 32.1)", "no difference shows (0.9 to 1.1 times
 * as long)", "too few runs to compare", "no result"; "fast" in place of "long".
 */
const char *figure_times(
	struct figure ratio, const char *as, char text[FIGURE_BYTES]);

/* Whether all of some figures are one. */
enum spread_verdict {
	SPREAD_UNKNOWN, /* too few runs, or under two results */
	SPREAD_NONE,
	SPREAD_SEEN, /* intervals of the extremes are apart, by a tenth */
};

/* Of n figures; gaps do not count. */
enum spread_verdict judge_spread(const struct figure *figures, size_t n);

/* How a device treats work-items whose neighbours take other paths. */
enum paths_verdict {
	PATHS_UNKNOWN, /* too noisy, or too few runs */
	PATHS_FREE,
	PATHS_IN_PART, /* some of them one after the other */
	PATHS_IN_TURN, /* all of them, or nearly */
};

/*
 * By the time of n paths where neighbours differ over that of the same kernel
 * where they agree.
 */
enum paths_verdict judge_paths(struct figure ratio, unsigned n);

/* Whether a map moves what is mapped. */
enum map_verdict {
	MAP_UNKNOWN,   /* too unsteady, or too few runs */
	MAP_NO_COPY,   /* beside which to judge */
	MAP_NEAR_PAGE, /* a copy takes hardly longer than the map of a page */
	MAP_TOO_SMALL, /* for any verdict, as the caller knows */
	MAP_MOVES,
	MAP_STAYS,
};

/*
 * By the time of a map and unmap, of a page and of much, beside that of a copy
 * of as much: a map that moves takes a good part of it. The copy is NaN where
 * there is no result.
 */
enum map_verdict judge_map(
	struct figure map, struct figure page, struct figure copy);

/* What a mad is computed by. */
enum mad_verdict {
	MAD_UNKNOWN,
	MAD_FUSED,    /* shorter than a multiplication, then an addition */
	MAD_SEPARATE, /* nearer to both of these than to one, or longer */
};

/* By the latencies of a chain of each. */
enum mad_verdict judge_mad(
	struct figure mad, struct figure mul, struct figure add);

#endif
