#include "analyze/levels/level_constants.h"

#include <string.h>

#include "util/array.h"

#define ROW(name, value, meaning, machine)                                     \
	{                                                                      \
#name, offsetof(struct level_constants, name), value, meaning, \
			machine                                                \
	}

static const struct level_constant rows[] = {
	/* Candidates. */
	ROW(cuts, 20, "most cuts of the tree to try, largest steps first",
		"six nested levels, hybrids"),
	ROW(spike, 16, "costs are capped at this multiple of the median",
		"spikes of a thousand times"),
	/* Limits for several steps. */
	ROW(odd_share, 0.25,
		"tolerated share of odd items: pairs that noise split, groups "
		"with a small margin, near cells between groups, cells of a "
		"cold CPU that are not slow, group sizes, nearest other "
		"groups, values off a comb",
		"spikes, missing cells, rings"),
	ROW(bad_share, 0.065,
		"tolerated share of bad groups, cells, CPUs, rows or values, "
		"and of CPUs with a cell that is far too near",
		"spikes, threads that moved"),
	ROW(sigmas, 2.5, "standard deviations that count as noise", "noise"),
	ROW(least_margin, 0.1,
		"least log ratio of far to near cells, noise subtracted, and "
		"least excess of a cold CPU or an outlier",
		"meshes, slopes, a slow first CPU"),
	/* Evidence. */
	ROW(ridge, 1.5, "cells of value 0 that the ridge penalty adds to a row",
		"two lone CPUs, tiny noise"),
	ROW(noise_floor, 0.01,
		"least noise of log costs, and share of the median that "
		"replaces a cost of 0",
		"values rounded to a decimal, a clock that reads 0"),
	ROW(torn_cost, 20,
		"penalty for a pair that noise split, and bonus for groups of "
		"one size, in nats",
		"spikes"),
	ROW(least_evidence, 2, "least nats of a level", "tiny noise"),
	ROW(alone_evidence, 3, "more nats needed if units are alone",
		"threads that moved"),
	/* Usable cells and CPUs. */
	ROW(sample, 262144, "sample of cells that is enough for a quantile",
		"more than 700 CPUs, where a full sort takes seconds"),
	ROW(widest, 2, "largest ratio of the ends of a usable interval",
		"short runs"),
	ROW(least_cells, 0.1,
		"least share of known cells of a CPU that c2c assigns to "
		"groups",
		"CPUs that hardly ran"),
	ROW(cold_nearest, 3,
		"number of nearest CPUs to compare a cold CPU with",
		"a slow first CPU"),
	ROW(moved_cpus, 8, "fewest CPUs to detect moved threads",
		"parts of machines"),
	/* The raw rule. */
	ROW(edge, 0.7,
		"position of the edge from the typical inside cell (0) to the "
		"nearest outside cell (1)",
		"hybrids, two lone CPUs"),
	ROW(far, 0.02, "quantile of cells between groups, the limit of a group",
		"parts of machines, two CPUs far from all others"),
	ROW(parts, 0.15,
		"least margin between a group's halves, as a share of the gain",
		"modules side by side"),
	ROW(known_rows, 6,
		"fewest units per group to subtract rows, and fewest cores for "
		"classes",
		"GPUs with a slower half, parts of machines"),
	/* A single group among single units. */
	ROW(one_margin, 0.3,
		"least margin of a single group or of an unexplained cell",
		"home node of the lines, threads that moved"),
	ROW(one_share, 0.5, "largest share of units in a single group",
		"home node of the lines"),
	/* Confidence. */
	ROW(doubt_nats, 4, "nats that reduce doubt by a factor of e", "all"),
	ROW(odds, 0.7, "largest probability that a level's pairs are chance",
		"threads that moved"),
	ROW(apart, 1.9,
		"standard deviations between rows of single and of grouped "
		"units that are different",
		"threads that moved"),
	ROW(bare_units, 4, "fewest units of a family that should have groups",
		"one slow cache"),
	ROW(alone_cap, 0.89,
		"confidence limit for levels with single units or one group, "
		"and for classes by rows",
		"one slow cache, threads that moved"),
	ROW(inferred_cap, 0.8,
		"confidence limit for groups with inferred or unmeasured "
		"members, and for classes by siblings",
		"siblings without a cell, runs that ended early"),
	ROW(doubt_cap, 0.45,
		"confidence limit if another explanation is equally likely",
		"one noisy cache, home node of the lines"),
	/* Classes of cores. */
	ROW(class_single, 3, "fewest single-thread cores of a class",
		"a bad cell of two siblings"),
	ROW(class_gap, 0.02,
		"least difference of classes, as a share of the median cost",
		"equal cores"),
	ROW(class_rows, 15,
		"least gap between clusters, divided by the widest cluster, "
		"times the number of cores",
		"noise between few cores"),
	ROW(class_share, 0.2, "least share of the cores in a class",
		"single fast or slow CPUs"),
	ROW(class_clear, 2,
		"a core without a sibling has an unmeasured sibling if its row "
		"is so many times nearer to cores with siblings",
		"parts of hybrids"),
	ROW(class_span, 1.75, "largest ratio of the costs inside two classes",
		"one home node of all lines"),
	ROW(class_step, 1.25,
		"largest ratio of costs inside classes that may be caches",
		"home node of the lines"),
	ROW(class_kinds, 2, "largest number of classes that cannot be caches",
		"home node of the lines"),
	ROW(deviations, 5,
		"typical deviations between classes, or of an outlier",
		"noise, slopes"),
	/* Kinds. */
	ROW(argument, 3, "factor on the odds of a kind per step of an argument",
		"all"),
	ROW(named, 0.7, "least probability of a kind that is named", "all"),
	ROW(possible, 0.03, "least probability of a kind that is listed",
		"all"),
	ROW(named_cap, 0.98,
		"confidence limit of kinds, because unknown processors exist",
		"all"),
	ROW(kinds_cap, 0.9, "confidence limit of classes by SMT siblings",
		"hybrids whose threads share a core with other threads"),
	ROW(siblings_ns, 15,
		"largest ns between SMT siblings that do not alternate",
		"L2 caches that two CPUs share"),
	ROW(cluster_ns, 40,
		"largest ns between siblings that alternate, or cores of a "
		"cluster",
		"siblings that wait, clusters"),
	ROW(link, 1.5, "least latency between packages / latency inside them",
		"desktops with two caches"),
	ROW(members, 8,
		"largest number of threads of a core, or of cores of a cluster",
		"wide SMT, packages"),
	ROW(packages, 4, "most packages of a board",
		"servers with many caches"),
	/* The step of a coarse clock. */
	ROW(steps, 2,
		"least distance of medians, or of an outlier from other CPUs, "
		"in clock steps",
		"a coarse clock"),
	ROW(comb_teeth, 4,
		"fewest clock steps with values, because fewer may be levels",
		"clocks with different steps on two CPUs"),
	ROW(comb_fit, 0.9,
		"least length of the mean vector, where 1 means that all "
		"values are on steps",
		"noise, values that a tool rounded"),
	ROW(comb_next, 0.6, "least share of used steps whose next step is used",
		"nested levels without noise"),
	ROW(comb_step, 0.03, "least step as a share of the typical value",
		"values of one decimal place"),
	ROW(comb_odds, 0.0001,
		"largest probability that all values are multiples of a step "
		"by chance",
		"rounded levels without noise"),
	/* Repeated searches within intervals. */
	ROW(draws, 5, "number of repeated searches within intervals",
		"short runs"),
	ROW(drawn_cpus, 256, "CPUs whose cells show the noise without searches",
		"large machines"),
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
