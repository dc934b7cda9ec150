/*
 * Tests whether a partition of the units of a view is a level. The steps, in
 * order: raw rule, evidence and margin, parts. Pure.
 */
#ifndef C2C_LEVEL_TEST_H
#define C2C_LEVEL_TEST_H

#include "analyze/levels/level_view.h"

/* The findings of all steps; costs are logarithms. */
struct level_test {
	const char *fails; /* the rule that the level fails; NULL: none */

	/* raw_rule.c */
	size_t judged;	 /* groups with a cell inside */
	size_t joining;	 /* groups of two units and more */
	size_t alone;	 /* units that are a group of their own */
	size_t torn;	 /* pairs of lone units that may be one group */
	bool unseen;	 /* no cell lies between two groups that may be one */
	bool by_rests;	 /* cells are residuals of the row fit */
	double least;	 /* least margin of a group to the nearest other */
	double *inside;	 /* [groups] mean of its cells; NaN: none */
	double *outside; /* [groups] mean to the nearest other; NaN: none */
	uint32_t *cells; /* [groups] number of cells inside */

	/* evidence.c */
	double gain;   /* cells inside are cheaper by this, rows removed */
	double noise;  /* standard deviation of a cell within its block */
	double stray;  /* near cells between groups, for each inside cell */
	double hidden; /* noise of a cell between two lone units */
	double nats;   /* log of the odds for the level */
};

struct level_subject {
	const struct unit_view *view;
	struct partition groups; /* groups of the units of the view */
	const struct group_members *members;
	bool equal;    /* the level's groups have one size, in CPUs */
	bool inferred; /* some units have no cell that places them */
};

/*
 * raw_rule.c: test by unadjusted cells that each group is nearer inside than to
 * its surroundings. Fill this step's fields of *test, and fails.
 */
void raw_rule_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

/*
 * evidence.c: find the odds of the cells with the level to without it, and test
 * whether the margin of each group exceeds noise. Fill this step's fields of
 * *test, and fails. Call after raw_rule_test().
 */
void evidence_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

/*
 * group_parts.c: test that the halves of each group are nearer to each other
 * than to another group. Call after evidence_test().
 */
void group_parts_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

#endif
