/*
 * Which hosts of a fleet stand out, and why.
 *
 * Hosts are judged against each other, level by level, and the first one is one
 * of them: it chooses the levels, and not what is normal. A host has one value
 * of a level, the median over its pairs. Values are compared as logarithms of
 * their ratio to the first host's, by their median and median absolute
 * deviation, which a few bad hosts do not change. A deviation counts as half a
 * per cent at least, since no run repeats better. stat_outlier_limit() says how
 * many deviations are too many, for all levels together: in at most one of
 * twenty fleets where nothing is wrong is any host an outlier. Files of one
 * host count once.
 *
 * Facts are judged by what most hosts have, if more than half have one value.
 */
#ifndef C2C_FLEET_OUTLIERS_H
#define C2C_FLEET_OUTLIERS_H

#include "result/fleet.h"

/*
 * Add a kind whose first host is this one; alone says why the reference cannot
 * be compared with it, NULL of the reference. Everything goes into the arena.
 */
void fleet_add_kind(struct fleet *fleet, const struct compare_side *first,
	const char *alone, struct arena *arena);

/*
 * Add a host to a kind by its comparison with the first host, whose side this
 * is.
 */
void fleet_add_host(struct fleet_kind *kind, const struct compare_side *first,
	const struct compare_side *side, const struct comparison *comparison,
	struct arena *arena);

/* Name a file that could not be read. */
void fleet_add_unread(struct fleet *fleet, const char *source,
	const char *reason, struct arena *arena);

/* Judge all hosts, when the last one is there. */
void fleet_judge(struct fleet *fleet, struct arena *arena);

#endif
