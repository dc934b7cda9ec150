#include "analyze/levels/constants.h"

#include <string.h>

#include "util/array.h"

#define ROW(name, value, meaning, machine)                                     \
	{                                                                      \
#name, offsetof(struct level_constants, name), value, meaning, \
			machine                                                \
	}

static const struct level_constant rows[] = {
	/* A CPU that was cold. */
	ROW(cold, 0.16, "what its cells cost more than those of its like",
		"first slow, cold"),
	/* What is proposed. */
	ROW(cuts, 20, "cuts of the tree that are tried, by their step",
		"six nested levels, hybrids"),
	ROW(odd_share, 0.25,
		"the most CPUs in groups of an odd size, to join these",
		"spikes, missing cells"),
	ROW(zero_share, 0.02,
		"a cost of 0 counts as this share of the median cost",
		"a coarse clock that reads 0 between siblings"),
	ROW(alike, 3, "rows so many times as unlike as usual are still alike",
		"siblings whose cell is missing"),
	ROW(known_pairs, 3, "pairs that must be known to infer another",
		"siblings whose cell is missing"),
	/* Evidence. */
	ROW(ridge, 1.5, "a row counts as so many cells more that say 0",
		"two lone CPUs, tiny noise"),
	ROW(noise_floor, 0.01, "the least standard deviation of logs of costs",
		"numbers rounded to a decimal"),
	ROW(torn_cost, 20, "nats that a torn pair costs", "spikes"),
	ROW(least_evidence, 2, "nats that a level needs", "tiny noise"),
	ROW(alone_evidence, 3, "nats more if units are alone",
		"threads that moved"),
	/* The raw rule. */
	ROW(edge, 0.7,
		"where groups end, between typical inside and nearest outside",
		"hybrids, two lone CPUs"),
	ROW(quartile, 0.25, "the quantile of the nearest others that counts",
		"two nodes of many"),
	ROW(far, 0.02, "no group is above this quantile of cells between",
		"parts, two lone CPUs"),
	ROW(bad_share, 0.065, "groups that may fail, of all", "spikes"),
	ROW(torn, 0.2, "pairs that may be torn, of all", "spikes"),
	ROW(lack, 0.03, "pairs that missing cells may hide, of all",
		"missing cells"),
	ROW(bad_cells, 0.065, "cells inside that may be beyond the edge",
		"spikes"),
	ROW(stray, 0.25, "near cells between groups, of those inside",
		"rings, threads that moved"),
	ROW(parts, 0.15,
		"of the gain, what lies between halves of a group and others",
		"modules side by side"),
	ROW(known_rows, 8,
		"units of each group, so that rows may be taken off first",
		"halves of a GPU, one of them dearer"),
	/* The margin. */
	ROW(least_margin, 0.1,
		"log of nearest other to own that is left after noise",
		"meshes, slopes"),
	ROW(thin_share, 0.2, "groups without that margin, of all",
		"siblings hardly nearer than cores"),
	ROW(sigmas, 2.5, "standard deviations of noise taken off the margin",
		"noise"),
	ROW(clock_noise, 0.29, "standard deviation of a clock's step, in steps",
		"a coarse clock"),
	/* One group among single units. */
	ROW(one_units, 6, "units that must be there", "tiny noise"),
	ROW(one_margin, 0.3, "the margin that it needs", "home of the lines"),
	ROW(one_share, 0.5, "the most units in it", "home of the lines"),
	/* Rivals and confidence. */
	ROW(equal, 20, "nats for groups of one size among rivals", "spikes"),
	ROW(doubt_nats, 4, "nats that make a doubt e times smaller", "all"),
	ROW(alone_cap, 0.89, "the most if units are alone, or one group",
		"one slow cache, threads that moved"),
	ROW(odds, 0.7, "how often chance may make such pairs",
		"threads that moved"),
	ROW(apart, 1.9, "deviations that rows of units alone lie apart",
		"threads that moved"),
	ROW(bare_units, 4, "units of a family without groups that is odd",
		"one slow cache"),
	ROW(hidden, 3, "deviations of noise in which a group would hide",
		"one noisy cache"),
	ROW(hidden_cap, 0.45, "the most if noise may hide groups",
		"one noisy cache"),
	ROW(home_cap, 0.45, "the most if one group joins groups",
		"home of the lines"),
	ROW(inferred_cap, 0.8, "the most if a member is inferred",
		"siblings whose cell is missing"),
};

const struct level_constant *level_constants_row(size_t k)
{
	return k < N_OF(rows) ? &rows[k] : NULL;
}

static void store(struct level_constants *constants,
	const struct level_constant *row, double value)
{
	memcpy((char *)constants + row->offset, &value, sizeof(value));
}

void level_constants_init(struct level_constants *constants)
{
	for (size_t k = 0; k < N_OF(rows); k++)
		store(constants, &rows[k], rows[k].value);
}

bool level_constants_set(
	struct level_constants *constants, const char *name, double value)
{
	for (size_t k = 0; k < N_OF(rows); k++)
		if (strcmp(rows[k].name, name) == 0) {
			store(constants, &rows[k], value);
			return true;
		}
	return false;
}
