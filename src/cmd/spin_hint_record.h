/*
 * Record and describe the trial of the waiting loops (engine/spin_hint.h). In
 * the block "run" each tried distance is an object, "spin_hint_core" and so on.
 */
#ifndef C2C_SPIN_HINT_RECORD_H
#define C2C_SPIN_HINT_RECORD_H

#include <stdio.h>

#include "engine/spin_hint.h"
#include "result/comparison.h"
#include "result/result.h"
#include "util/arena.h"

/* Record a trial. Values are multiplied by factor, as in the matrices. */
void spin_hint_record_trial(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	double factor, struct facts *run);

/* Copy the trial of another run of the same matrix, if there was one. */
void spin_hint_copy_trial(const struct facts *from, struct facts *run);

/*
 * Set *spin_hint, an enum measure_spin_hint, to the loop of a record, if known.
 */
void spin_hint_recall_choice(const struct result *result, int *spin_hint);

/* Return whether c2c chose the loop of this record by a trial. */
bool spin_hint_was_tried(const struct result *result);

/* Print a line if the loops of a trial differ by more than 10 %. */
void spin_hint_print_trial(FILE *out, const struct result *result);

/*
 * Return a caveat, in the arena, on two results with different waiting loops.
 * Return NULL if the loops are equal or unknown.
 */
const char *spin_hint_caveat(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena);

#endif
