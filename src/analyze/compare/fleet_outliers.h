/*
 * Judges which hosts of a fleet stand out, and why.
 *
 * Hosts are judged against each other, level by level. The first host is one of
 * them: it chooses the levels, but not what is normal. A host has one value of
 * a level, the median over its pairs. Values are compared as logarithms of
 * their ratio to the first host's, by their median and median absolute
 * deviation, which a few bad hosts do not change. A deviation counts as half a
 * per cent at least, since no run repeats better. stat_outlier_limit() returns
 * how many deviations are too many, for all levels together: if nothing is
 * wrong, at most one fleet in twenty has an outlier. Files of one host count
 * once.
 *
 * Facts are judged by what most hosts have, if more than half have one value.
 */
#ifndef C2C_FLEET_OUTLIERS_H
#define C2C_FLEET_OUTLIERS_H

#include "result/fleet.h"

/*
 * Add a kind with its first host, in the arena. alone says why this host cannot
 * be compared with the reference; NULL for the reference.
 */
void fleet_add_kind(struct fleet *fleet, const struct compare_side *first,
	const char *alone, struct arena *arena);

/* Add a host to a kind, by its comparison with the kind's first host. */
void fleet_add_host(struct fleet_kind *kind, const struct compare_side *first,
	const struct compare_side *side, const struct comparison *comparison,
	struct arena *arena);

/* Add a file that could not be read, with the reason. */
void fleet_add_unread(struct fleet *fleet, const char *source,
	const char *reason, struct arena *arena);

/* Judge all hosts, after the last one was added. */
void fleet_judge(struct fleet *fleet, struct arena *arena);

/*
 * Return the median width of the intervals of the main matrix, as a part of its
 * values; NaN without intervals.
 */
double fleet_interval_width(const struct result *result, struct arena *arena);

#endif
