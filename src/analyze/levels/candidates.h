/*
 * Partitions that may be levels. The functions propose candidates, and do not
 * judge them. Pure.
 */
#ifndef C2C_CANDIDATES_H
#define C2C_CANDIDATES_H

#include "analyze/levels/level_view.h"

#define CANDIDATES_MAX 256

struct level_candidate {
	struct partition partition; /* groups of the CPUs */
	bool equal;		    /* all groups have one size */
	bool even;	/* nearly all CPUs are in groups of about one size */
	bool *inferred; /* [CPUs] no cell shows the CPU's group; or NULL */
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
 * hidden_siblings.c: for each candidate of pairs, add a candidate that also
 * pairs CPUs with similar rows. SMT siblings look alone if their cell is
 * missing.
 */
void hidden_siblings_propose(struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct arena *arena);

#endif
