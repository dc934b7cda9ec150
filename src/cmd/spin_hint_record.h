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
void relax_record(const struct relax_figure figures[RELAX_DISTANCES],
	double factor, struct facts *run);

/* Add the trial of another run of the same matrix, if there was one. */
void relax_keep(const struct facts *from, struct facts *run);

/* Set *relax, an enum measure_relax, to the loop of a record, if it says. */
void relax_recall(const struct result *result, int *relax);

/* Whether c2c chose the loop of a record itself, by a trial. */
bool relax_was_tried(const struct result *result);

/* A line if the loops of a trial differ by over 10 %. */
void relax_print(FILE *out, const struct result *result);

/*
 * What to know of two results whose waiting loops differ, in the arena; NULL if
 * both have one loop, or either does not say.
 */
const char *relax_doubt(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena);

#endif
