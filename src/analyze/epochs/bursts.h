/*
 * Keeps the latest bursts of an endless run, and detects when CPUs moved. A
 * burst counts as a pass: a pair's value is the median over the burst's passes.
 *
 * Each search divides the last BURSTS_KEPT bursts by epochs_find(), which tests
 * all rows and pairs at all times and widths together against the maximum in
 * shuffled noise. A division is an event only if
 *
 * - the medians of BURSTS_SIDE bursts on each side differ by a tenth in a fifth
 *   of a row's pairs, or by a half in a single pair, as epochs_find() requires;
 * - the change lasts: the quarters of the BURSTS_STAY bursts after it differ by
 *   less than half of the change. A change that decays or alternates is a
 *   disturbance;
 * - the BURSTS_STAY bursts before the change are equally steady, because the
 *   end of a disturbance looks like a change. After an event, BURSTS_SIDE
 *   bursts are enough;
 * - the change is three times the usual change, because slow drift is no event.
 *   The usual change is the median of the last BURSTS_USUAL changes between
 *   consecutive blocks of BURSTS_SIDE bursts. An event needs BURSTS_LEARN known
 *   changes;
 * - two consecutive searches found the division at most one burst apart.
 *
 * The caller discards the bursts before an event, so that it counts once.
 *
 * Only one thread at a time may use a struct bursts.
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

/* Fewest bursts before an event: the first block has no previous block. */
#define BURSTS_MIN ((BURSTS_LEARN + 1) * BURSTS_SIDE)

struct bursts {
	size_t n; /* CPUs */
	struct passes passes;
	bool starts_at_event; /* the first burst begins an event */
	double candidate_s;   /* start of the last division found, or NaN */

	/* Usual changes between blocks, as logs of ratios. */
	size_t block;	/* bursts since the last block of BURSTS_SIDE */
	size_t n_usual; /* known changes from block to block */
	float *last;	/* [n_pairs] medians of the previous block, or NaN */
	float *pairs, *rows; /* [BURSTS_USUAL] of a pair or a CPU */
	double *scratch;     /* [n] */
};

/* Initialise for all pairs of n CPUs, i < j, in row order. */
int bursts_init(struct bursts *bursts, size_t n, struct error *err);
void bursts_release(struct bursts *bursts);

/*
 * Return memory for the values of one more burst, [n_pairs]. Drop the oldest
 * burst if the buffer is full. Fill the values, and call bursts_learn_usual().
 */
double *bursts_add(struct bursts *bursts, double start_s);
void bursts_learn_usual(struct bursts *bursts);

/*
 * Return the first burst of a new epoch, if the epoch is an event; else 0.
 * *moves are the moves at this burst, in the arena.
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
 * Return Spearman's correlation over pairs between the medians of even and odd
 * bursts; NaN with fewer than three pairs or four bursts.
 */
double bursts_agreement(const struct bursts *bursts);

/* Return the index of the pair of two CPUs. */
size_t bursts_pair_index(const struct bursts *bursts, size_t a, size_t b);

#endif
