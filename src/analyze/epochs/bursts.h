/*
 * Keeps the latest bursts of an endless run, and detects when CPUs moved. A
 * burst counts as a pass: a pair's value is the median over the burst's passes.
 *
 * Rule for events. Each look divides the last BURSTS_KEPT bursts by
 * epochs_find(), which tests all rows and pairs at all times and widths
 * together against the maximum in shuffled noise. A division counts only if
 *
 * - the medians of BURSTS_SIDE bursts on each side differ by the effect that
 *   epochs_find() requires: a tenth in a fifth of a row's pairs, or a half in a
 *   single pair;
 * - the change lasts: the quarters of the BURSTS_STAY bursts after it differ by
 *   less than half of the change. A change that decays or alternates is a
 *   disturbance;
 * - the BURSTS_STAY bursts before it are as steady, because the end of a
 *   disturbance looks like a change. After an event, BURSTS_SIDE are enough;
 * - the change is three times the usual change, because slow drift is no event.
 *   The usual change is the median of the last BURSTS_USUAL changes between
 *   consecutive blocks of BURSTS_SIDE bursts. Events need BURSTS_LEARN known
 *   changes;
 * - two looks in a row found it at the same burst or one burst away.
 *
 * The bursts before a division are forgotten, so that it counts once.
 *
 * Pure except for memory allocation; one thread at a time may use it.
 */
#ifndef C2C_BURSTS_H
#define C2C_BURSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/epochs/epochs.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

#define BURSTS_KEPT  80
#define BURSTS_SIDE  16
#define BURSTS_STAY  32
#define BURSTS_USUAL 9
#define BURSTS_LEARN 3

/* Fewest bursts before an event: the first block has no usual change. */
#define BURSTS_MIN ((BURSTS_LEARN + 1) * BURSTS_SIDE)

struct bursts {
	size_t n; /* CPUs */
	struct passes passes;
	bool starts_at_event; /* the first burst begins an event */
	double candidate_s;   /* start of what the last look found; NaN: none */

	/* Usual changes, as logs of ratios. */
	size_t block;	/* bursts since the last block of BURSTS_SIDE */
	size_t n_usual; /* changes from block to block so far */
	float *last;	/* [n_pairs] medians of the previous block; NaN: none */
	float *pairs, *rows; /* [BURSTS_USUAL] by pair, by CPU */
	double *scratch;     /* [n] */
};

/* Initialise for all pairs of n CPUs, first < second, in row order. */
int bursts_init(struct bursts *bursts, size_t n, struct error *err);
void bursts_release(struct bursts *bursts);

/*
 * Return room for the values of one more burst, [n_pairs]; the oldest burst is
 * dropped if the buffer is full. After filling it, call bursts_learn_usual().
 */
double *bursts_add(struct bursts *bursts, double start_s);
void bursts_learn_usual(struct bursts *bursts);

/*
 * Return the burst that begins a new epoch, if the epoch is an event; else 0.
 * The moves at its start are in the arena.
 */
size_t bursts_find_event(struct bursts *bursts, struct epoch_move **moves,
	size_t *n_moves, struct arena *arena);

/* Forget the bursts before a reported event. */
void bursts_discard_before(struct bursts *bursts, size_t first);

/*
 * Return the median of a pair over bursts first to last - 1; NaN without
 * values. scratch[BURSTS_KEPT].
 */
double bursts_median(const struct bursts *bursts, size_t pair, size_t first,
	size_t last, double *scratch);

/*
 * Return how well the medians of even and odd bursts agree over the pairs
 * (Spearman's correlation); NaN with under three pairs or four bursts.
 */
double bursts_agreement(const struct bursts *bursts);

/* Return the index of the pair of two CPUs. */
size_t bursts_pair_index(const struct bursts *bursts, size_t a, size_t b);

#endif
