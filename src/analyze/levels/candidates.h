/*
 * Partitions that may be levels. Each step proposes some and judges none. Pure.
 */
#ifndef C2C_CANDIDATES_H
#define C2C_CANDIDATES_H

#include "analyze/levels/level_view.h"

#define CANDIDATES_MAX 256

struct level_candidate {
	struct partition partition; /* groups of the CPUs */
	bool equal;		    /* all groups are of one size */
	bool even;	/* nearly all CPUs are in groups of about one size */
	bool *inferred; /* [CPUs] no cell of the CPU places it; or NULL */
};

struct level_candidates {
	const struct level_constants *constants;
	struct level_candidate all[CANDIDATES_MAX];
	size_t n;
};

/* candidates.c: add a partition, unless it is known or trivial. */
void candidates_add(struct level_candidates *candidates,
	struct partition *partition, bool *inferred, struct arena *arena);

/*
 * tree_cuts.c: build a tree by average linkage, and cut it at its largest
 * steps. If half of the CPUs are one group, propose both halves.
 */
void tree_cuts_propose(struct level_candidates *candidates,
	const struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena);

/*
 * hidden_siblings.c: SMT siblings whose cell is missing look alone. For each
 * candidate of pairs, add a candidate that also pairs CPUs with similar rows.
 */
void hidden_siblings_propose(struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct arena *arena);

#endif
