/*
 * When CPUs moved while they were measured: the kept passes of a run, parted
 * into epochs in which they hold still.
 *
 * Pure functions: no input or output, no state; any thread may call them.
 */
#ifndef C2C_ANALYZE_EPOCHS_H
#define C2C_ANALYZE_EPOCHS_H

#include <stddef.h>

#include "result/analysis.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

/* Fewer passes than this are two epochs at no time, so nothing can be said. */
#define EPOCHS_PASSES_MIN 13

/*
 * The epochs of passes over n CPUs, from the first on, and what moved at the
 * start of each, the clearest first. The last pass ended at end_s (NaN: when
 * it began). Returns how many: 0 when there are too few passes to say.
 */
size_t epochs_find(const struct passes *passes, size_t n, double end_s,
	struct analysis_epoch **epochs, struct arena *arena);

/*
 * The result as it were if there had been this epoch alone: the medians of
 * its passes and their intervals, with machine, options and topology. Release
 * *out with result_release() after success only. -ENOMEM with *err filled.
 */
int epoch_result(const struct result *result, const struct passes *passes,
	const struct analysis_epoch *epoch, struct result *out,
	struct error *err);

#endif
