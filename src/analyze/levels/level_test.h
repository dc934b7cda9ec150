/*
 * The test of a level: what each step finds out about a partition of the units
 * of a view. The steps, in order: raw rule, evidence and margin, parts. Pure.
 */
#ifndef C2C_LEVEL_TEST_H
#define C2C_LEVEL_TEST_H

#include "analyze/levels/level_view.h"

/* All costs are logarithms. */
struct level_test {
	const char *fails; /* the rule that the level fails; NULL: none */

	/* raw_rule.c */
	size_t judged;	/* groups with a cell inside */
	size_t joining; /* groups of two units and more */
	size_t alone;	/* units that are a group of their own */
	size_t torn;	/* pairs of these that may belong together */
	double typical; /* the median group: the mean of its cells */
	bool by_rests;	/* all this of what rows leave of cells */
	double least;	/* the least of nearest other group to own, any group */
	double *inside; /* [groups] the mean of its cells; NaN: none */
	double *outside; /* [groups] to the nearest other; NaN: no other */
	uint32_t *cells; /* [groups] how many are inside */

	/* evidence.c */
	double gain;   /* by how much cells inside are nearer, without rows */
	double noise;  /* standard deviation of a cell within its block */
	double stray;  /* near cells between groups, of those inside */
	double hidden; /* noise of a cell between units that are alone */
	double t;      /* of the gain */
	double shapes; /* log of the number of partitions like this */
	double nats;   /* log of the odds for the level */
};

struct level_subject {
	const struct unit_view *view;
	struct partition groups; /* of the units of the view */
	const struct group_members *members;
	bool equal;    /* the level's groups have one size, in CPUs */
	bool inferred; /* some are in groups by no cell of their own */
};

/*
 * raw_rule.c: each group is nearer than what lies around it, by its cells as
 * they are. Fills its part of *test, and fails.
 */
void raw_rule_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

/*
 * evidence.c: how much likelier the cells are with the level than without, and
 * whether the margin of each group is more than noise. Fills its part of *test,
 * and fails. After raw_rule_test().
 */
void evidence_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

/*
 * group_parts.c: no half of a group is as near to another group as to the other
 * half. After evidence_test().
 */
void group_parts_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

#endif
