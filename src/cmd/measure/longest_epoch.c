/*
 * Where CPUs moved during a run, its values are those of the longest time
 * without a move.
 */
#include <math.h>

#include "analyze/epochs.h"
#include "cmd/measure/run.h"
#include "result/facts.h"
#include "util/arena.h"

/* Find the epochs of a run, and let the longest be the one that counts. */
static int find_longest(struct arena *arena, void *context, struct error *err)
{
	struct measure_state *run = context;
	struct campaign *campaign = &run->campaign;
	const struct analysis_epoch *longest;
	struct analysis_epoch *epochs;
	struct result result;
	size_t n = 0;
	int rc;

	result_init(&result);
	rc = summary_passes(campaign, &run->plan->labels, &result, err);
	if (rc == 0)
		n = epochs_find(&result.kept[0], run->selection.cpus.n,
			campaign->elapsed_s, &epochs, arena);
	result_release(&result);
	if (n < 2)
		return rc;
	longest = &epochs[0];
	for (size_t k = 1; k < n; k++) {
		if (epochs[k].last - epochs[k].first >
			longest->last - longest->first)
			longest = &epochs[k];
	}
	campaign->counted_first = longest->first;
	campaign->counted_end = longest->last + 1;
	run->epoch = (struct run_epoch){
		.number = longest - epochs + 1,
		.count = (int64_t)n,
		.start_s = longest->start_s,
		.end_s = longest->end_s,
		.of_passes = (int64_t)campaign->n_passes,
	};
	return 0;
}

int measure_find_epoch(struct measure_state *run, struct error *err)
{
	struct arena arena = {.exit = NULL};
	int rc;

	run->epoch = (struct run_epoch){0};
	run->campaign.counted_first = run->campaign.counted_end = 0;
	/* Passes with holes, or of some pairs only, hide moves. */
	if (!run->plan->epochs || run->campaign.overcommitted ||
		run->options->resume)
		return 0;
	rc = arena_run(&arena, find_longest, run, "the epochs", err);
	arena_release(&arena);
	return rc;
}
