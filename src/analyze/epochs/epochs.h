/*
 * Finds when CPUs moved during a run, and divides its passes into epochs
 * without moves. Pure functions; any thread may call them.
 */
#ifndef C2C_EPOCHS_H
#define C2C_EPOCHS_H

#include <stddef.h>

#include "result/analysis.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

/* Fewest passes that can show two epochs. */
#define EPOCHS_PASSES_MIN 13

/*
 * Find the epochs of passes over n CPUs, in order. An epoch has the moves at
 * its start, clearest first. The last pass ended at end_s; NaN: use its start.
 * Return the number of epochs; 0: too few passes.
 */
size_t epochs_find(const struct passes *passes, size_t n, double end_s,
	struct analysis_epoch **epochs, struct arena *arena);

/*
 * Make a result as if the run had been only this epoch: medians and intervals
 * of its passes, with machine, options and topology. Release *out with
 * result_release() after success only. -ENOMEM with *err filled.
 */
int epoch_result(const struct result *result, const struct passes *passes,
	const struct analysis_epoch *epoch, struct result *out,
	struct error *err);

#endif
