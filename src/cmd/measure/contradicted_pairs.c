/*
 * After the passes, measure again all pairs whose values contradict their
 * neighbours. With few passes, a single disturbance makes a value wrong, and
 * one wrong value hides a pair of SMT siblings.
 */
#include <stdlib.h>

#include "analyze/contradicted_cells.h"
#include "cmd/measure/measure_run.h"
#include "util/arena.h"

struct contradicted_search {
	const struct campaign *campaign;
	bool *chosen; /* [pairs] */
	size_t found;
};

static int mark_contradicted(
	struct arena *arena, void *context, struct error *err)
{
	struct contradicted_search *search = context;
	const struct campaign *campaign = search->campaign;
	const struct schedule *schedule = &campaign->schedule;
	size_t n = schedule->n_members, n_values = campaign->n_values;
	struct matrix medians = {
		.values = arena_alloc(arena, n * n, sizeof(double))};
	bool *contradicted = arena_alloc(arena, n * n, sizeof(*contradicted));

	(void)err;
	for (size_t k = 0; k < n * n; k++)
		medians.values[k] = NAN;
	for (size_t p = 0; p < schedule->n_pairs; p++)
		for (size_t k = 0; k < n_values; k++) {
			double out[SUMMARY_STATISTICS];

			summary_of_pair(campaign, p, k, out);
			summary_put(&medians, n, schedule->pairs[p],
				summary_cell_of(campaign, k),
				out[SUMMARY_MEDIAN]);
		}
	contradicted_cells_find(medians.values, n, contradicted, arena);
	for (size_t p = 0; p < schedule->n_pairs; p++) {
		const struct schedule_pair *pair = &schedule->pairs[p];

		search->chosen[p] =
			contradicted[pair->first * n + pair->second];
		search->found += search->chosen[p];
	}
	return 0;
}

size_t measure_find_contradicted(
	void *context, const struct campaign *campaign, bool *chosen)
{
	struct measure_state *run = context;
	struct contradicted_search search = {campaign, chosen, 0};
	struct arena arena = {.exit = NULL};

	measure_find_epoch(run);
	/* If memory is out, choose no pairs. */
	if (!run->epoch.number && arena_run(&arena, mark_contradicted, &search,
					  "the pairs", NULL) < 0)
		search.found = 0;
	arena_release(&arena);
	return search.found;
}
