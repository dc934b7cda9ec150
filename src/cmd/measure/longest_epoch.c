/*
 * If CPUs moved during a run, use only the values of the epoch with the most
 * passes.
 */
#include "analyze/epochs/epochs.h"
#include "cmd/measure/measure_run.h"
#include "util/arena.h"

struct epoch_search {
	struct measure_state *run;
	struct result result; /* the passes as matrices */
};

/* Find the epochs of a run, and select the longest one. */
static int find_longest_epoch(
	struct arena *arena, void *context, struct error *err)
{
	struct epoch_search *search = context;
	struct measure_state *run = search->run;
	struct campaign *campaign = &run->campaign;
	const struct analysis_epoch *longest;
	struct analysis_epoch *epochs;
	size_t n = 0;
	int rc = summary_passes(
		campaign, &run->plan->labels, &search->result, err);

	if (rc == 0)
		n = epochs_find(&search->result.kept[0], run->selection.cpus.n,
			campaign->elapsed_s, &epochs, arena);
	if (n < 2)
		return rc;
	longest = &epochs[0];
	for (size_t k = 1; k < n; k++) {
		if (epochs[k].n_passes > longest->n_passes)
			longest = &epochs[k];
	}
	campaign->counted_first = longest->first;
	campaign->counted_end = longest->first + longest->n_passes;
	run->epoch = (struct run_epoch){
		.number = longest - epochs + 1,
		.count = (int64_t)n,
		.start_s = longest->start_s,
		.end_s = longest->end_s,
		.of_passes = (int64_t)campaign->n_complete,
	};
	return 0;
}

void measure_find_epoch(struct measure_state *run)
{
	struct epoch_search search = {.run = run};
	struct arena arena = {.exit = NULL};

	run->epoch = (struct run_epoch){0};
	run->campaign.counted_first = run->campaign.counted_end = 0;
	/* c2c cannot find moves if passes lack pairs or values. */
	if (!run->plan->epochs || run->campaign.overcommitted ||
		run->options->resume)
		return;
	result_init(&search.result);
	if (arena_run(&arena, find_longest_epoch, &search, "the epochs", NULL) <
		0)
		campaign_warn(&run->campaign,
			"not enough memory to detect moves of CPUs: all passes "
			"count");
	result_release(&search.result);
	arena_release(&arena);
}
