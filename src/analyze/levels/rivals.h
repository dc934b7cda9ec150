/* Chooses a compatible set of candidates as levels. Pure. */
#ifndef C2C_RIVALS_H
#define C2C_RIVALS_H

#include "analyze/levels/candidates.h"
#include "analyze/levels/level_test.h"

#define CHOSEN_MAX 12

/* A chosen level, and its test between the next finer and coarser level. */
struct level_choice {
	const struct level_candidate *candidate;
	struct unit_view *view;
	struct partition groups; /* groups of the view's units */
	struct level_test test;
};

struct level_choices {
	struct level_choice all[CHOSEN_MAX]; /* innermost first */
	size_t n;
};

void rivals_choose(const struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct level_choices *choices, struct arena *arena);

#endif
