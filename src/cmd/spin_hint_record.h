/*
 * The trial of the waiting loops (engine/spin_hint.h) in a record and in words.
 * In the block "run" each distance that was tried is an object,
 * "spin_hint_core" and so on.
 */
#ifndef C2C_SPIN_HINT_RECORD_H
#define C2C_SPIN_HINT_RECORD_H

#include <stdio.h>

#include "engine/spin_hint.h"
#include "result/comparison.h"
#include "result/result.h"
#include "util/arena.h"

/* Values are times factor, as in the matrices. */
void spin_hint_record_trial(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	double factor, struct facts *run);

/* Add the trial of another run of the same matrix, if there was one. */
void spin_hint_copy_trial(const struct facts *from, struct facts *run);

/* Set *spin_hint, an enum measure_spin_hint, to the loop of a record, if any.
 */
void spin_hint_recall_choice(const struct result *result, int *spin_hint);

/* Whether c2c chose the loop of a record itself, by a trial. */
bool spin_hint_was_tried(const struct result *result);

/* A line if the loops of a trial differ by over 10 %. */
void spin_hint_print_trial(FILE *out, const struct result *result);

/*
 * What to know of two results whose waiting loops differ, in the arena; NULL if
 * both have one loop, or either does not say.
 */
const char *spin_hint_caveat(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena);

#endif
