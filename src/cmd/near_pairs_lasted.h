/*
 * Records and describes whether near pairs stay near (engine/near_pairs.h).
 *
 * The block "run" of a record has the object "rest":
 *
 *	s		time that the CPUs slept after the last pass
 *	passes		passes after the sleep; the matrix "after_rest" has
 *			their medians
 *	limit		value below which a pair is near, in the unit of the
 *			matrix; null if no pair is nearer than others
 *	near		number of pairs that were near in the last passes
 *	lasted		number of these pairs that were near after the sleep
 *	always		pairs that were near in the first, the middle and the
 *			last passes
 *	sometimes	pairs that were near in only one or two of these parts
 */
#ifndef C2C_NEAR_PAIRS_LASTED_H
#define C2C_NEAR_PAIRS_LASTED_H

#include <stdio.h>

#include "engine/campaign.h"
#include "engine/summary.h"
#include "result/analysis.h"
#include "result/result.h"
#include "util/error.h"

/* Least number of pairs; with fewer, c2c calls no pair near. */
#define LASTED_PAIRS 3

/* If the campaign measured after a sleep, add "rest" and the matrix. */
int near_pairs_record_lasted(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

/*
 * Return "5 of 6 near pairs (below 40 ns) lasted 1 s of sleep", with reasons if
 * why, for free(). Return NULL if there was no sleep, or without memory.
 */
char *near_pairs_describe_rest(const struct result *result, bool why);

/* Return whether the run measured again after its CPUs slept. */
bool near_pairs_looked_again(const struct result *result);

/*
 * Count the pairs that were near after the sleep but hardly ever before.
 * *nearest gets the nearest of the counted pairs.
 */
size_t near_pairs_count_new(
	const struct result *result, struct analysis_pair *nearest);

/* Print how many near pairs lasted the sleep, and how many lasted the run. */
void near_pairs_print_lasted(FILE *out, const struct result *result);

#endif
