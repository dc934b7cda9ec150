/*
 * Find the groups of CPUs in records of one machine, and compare them with the
 * topology inside the records: for pages and for c2c report.
 */
#ifndef C2C_RECORD_GROUPS_H
#define C2C_RECORD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/analyze.h"
#include "cmd/page/page.h"

struct record_groups {
	bool found; /* analysis has the groups; else why is the reason */
	struct analysis analysis;
	const struct result *first; /* the main result */
	char *why;
	bool compared; /* analysis was compared with the topology */
	bool borrowed; /* the input owns the groups */
};

/*
 * Analyse results together, within arena_run(); release with
 * record_groups_release(). If a single input already has its groups, borrow
 * them: an analysis of 1,024 CPUs takes seconds.
 */
void record_groups_init(const struct page_input *inputs, size_t n,
	struct arena *arena, struct record_groups *groups);
void record_groups_release(struct record_groups *groups);

#endif
