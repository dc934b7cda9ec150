/*
 * Finds outliers among the hosts of a fleet, with reasons.
 *
 * Hosts are compared with each other, level by level. The first host defines
 * the levels, but not the normal values. A host has one value per level, the
 * median over its pairs. Values are compared as logs of their ratio to the
 * first host's value, by the median and the median absolute deviation, which a
 * few bad hosts do not change. The deviation is at least half a per cent,
 * because no run repeats better. stat_outlier_limit() returns the limit in
 * deviations, for all levels together: at most 1 of 20 healthy fleets has an
 * outlier. Files of one host count once.
 *
 * A host's fact is an outlier if more than half of the hosts have another
 * value.
 */
#ifndef C2C_FLEET_OUTLIERS_H
#define C2C_FLEET_OUTLIERS_H

#include "result/fleet.h"

/*
 * Add a kind with its first host, in the arena. `alone` is the reason why the
 * host cannot be compared with the reference; NULL for the reference.
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

/* Find the outliers, after the last host was added. */
void fleet_judge(struct fleet *fleet, struct arena *arena);

/*
 * Return the median width of the intervals of the main matrix, relative to its
 * values; NaN without intervals.
 */
double fleet_interval_width(const struct result *result, struct arena *arena);

#endif
