/*
 * For pages and c2c report: find the groups of CPUs in records of one machine,
 * and compare them with the topology of the records.
 */
#ifndef C2C_RECORD_GROUPS_H
#define C2C_RECORD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/analyze.h"
#include "cmd/page/page.h"

struct record_groups {
	bool found; /* analysis is valid; else see why */
	struct analysis analysis;
	const struct result *first; /* the main result */
	char *why;
	bool compared; /* analysis has a verdict on the topology */
	bool borrowed; /* an input owns the analysis */
};

/*
 * Analyse results together, within an arena_run(). Call record_groups_release()
 * afterwards. If there is one input with groups, borrow these: an analysis of
 * 1,024 CPUs takes seconds.
 */
void record_groups_init(const struct page_input *inputs, size_t n,
	struct arena *arena, struct record_groups *groups);
void record_groups_release(struct record_groups *groups);

#endif
