/*
 * The groups of CPUs that records of one machine reveal, compared with the
 * topology inside them: for pages and for c2c report.
 */
#ifndef C2C_RECORD_GROUPS_H
#define C2C_RECORD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/analyze.h"
#include "cmd/page/page.h"

struct record_groups {
	bool found; /* analysis holds them; else why says what prevents it */
	struct analysis analysis;
	const struct result *first; /* the main result */
	char *why;
	bool compared; /* with the topology inside the results */
};

/* Analyse results together, within an arena_run(); release the groups. */
void record_groups_init(const struct page_input *inputs, size_t n,
	struct arena *arena, struct record_groups *groups);
void record_groups_release(struct record_groups *groups);

#endif
