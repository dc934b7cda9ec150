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

struct epoch {
	size_t first, last;    /* passes */
	double start_s, end_s; /* since the start of the run; the next one's */
	struct epoch_move *moves; /* at its start, the clearest first */
	size_t n_moves;
};

struct epochs {
	size_t n; /* 0: too few passes to say */
	struct epoch *items;
	struct arena memory; /* of the items and their moves */
};

/*
 * Fill *epochs from passes over n CPUs. The last pass ended at end_s (NaN: when
 * it began). -ENOMEM with *err filled. Release with epochs_release().
 */
int epochs_find(const struct passes *passes, size_t n, double end_s,
	struct epochs *epochs, struct error *err);
void epochs_release(struct epochs *epochs);

/*
 * The result as it were if there had been this epoch alone: the medians of
 * its passes and their intervals, with machine, options and topology. Release
 * *out with result_release() after success only. -ENOMEM with *err filled.
 */
int epoch_result(const struct result *result, const struct passes *passes,
	const struct epoch *epoch, struct result *out, struct error *err);

#endif
