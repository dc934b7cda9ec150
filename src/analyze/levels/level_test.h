/*
 * Tests whether a partition of the units of a view is a level. The test has
 * three steps: the raw rule, evidence and margin, parts. Pure.
 */
#ifndef C2C_LEVEL_TEST_H
#define C2C_LEVEL_TEST_H

#include "analyze/levels/level_view.h"

/* The results of all steps. Costs are logarithms. */
struct level_test {
	const char *fails; /* rule that the level violates, or NULL */

	/* raw_rule.c */
	size_t judged;	 /* groups with a cell inside */
	size_t joining;	 /* groups of at least two units */
	size_t alone;	 /* units in no group */
	size_t torn;	 /* pairs of single units that may be a group */
	bool unseen;	 /* two groups without a cell between them may be one */
	bool by_rests;	 /* cells are residuals of the row fit */
	double least;	 /* least margin of a group to the nearest group */
	double *inside;	 /* [groups] mean of cells inside; NaN: none */
	double *outside; /* [groups] mean to the nearest group; NaN: none */
	uint32_t *cells; /* [groups] number of cells inside */

	/* evidence.c */
	double gain;   /* log cost by which inside cells are lower */
	double noise;  /* standard deviation of a cell within its block */
	double stray;  /* near cells between groups / inside cells */
	double hidden; /* noise of a cell between two single units */
	double nats;   /* log of the odds for the level */
};

struct level_subject {
	const struct unit_view *view;
	struct partition groups; /* groups of the units of the view */
	const struct group_members *members;
	bool equal;    /* the level's groups have one size, in CPUs */
	bool inferred; /* no cell shows the group of some units */
};

/*
 * raw_rule.c: test that the cells inside each group are lower than the cells to
 * its surroundings. Fill `fails`, and the fields of *test for this step.
 */
void raw_rule_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena);

/*
 * evidence.c: compute how much more likely the cells are with the level than
 * without, and test whether the margin of each group exceeds noise. Fill this
 * step's fields of *test, and fails. Call after raw_rule_test().
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
