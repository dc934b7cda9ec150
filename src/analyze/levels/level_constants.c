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
	ROW(cuts, 20, "largest number of tree cuts to try, by step",
		"six nested levels, hybrids"),
	ROW(spike, 16, "costs are capped at this multiple of the median",
		"spikes of a thousand times"),
	/* Limits for several steps. */
	ROW(odd_share, 0.25,
		"tolerated share of odd items: torn pairs, groups hardly "
		"nearer, near cells between groups, cells of a cold CPU that "
		"are not slow, group sizes, nearest other groups, values off "
		"a comb",
		"spikes, missing cells, rings"),
	ROW(bad_share, 0.065,
		"tolerated share of bad groups, cells, CPUs, rows, values; of "
		"cells far too near, per CPU",
		"spikes, threads that moved"),
	ROW(sigmas, 2.5, "standard deviations that count as noise", "noise"),
	ROW(least_margin, 0.1,
		"least log ratio of far to near, after noise; least excess of "
		"a cold CPU or an outlier",
		"meshes, slopes, a slow first CPU"),
	/* Evidence. */
	ROW(ridge, 1.5, "cells of value 0 that the ridge adds to each row",
		"two lone CPUs, tiny noise"),
	ROW(noise_floor, 0.01,
		"least noise of log costs; share of the median instead of a "
		"cost of 0",
		"numbers rounded to a decimal, a clock that reads 0"),
	ROW(torn_cost, 20,
		"nats that a torn pair costs; bonus for groups of one size",
		"spikes"),
	ROW(least_evidence, 2, "least nats of a level", "tiny noise"),
	ROW(alone_evidence, 3, "more nats needed if units are alone",
		"threads that moved"),
	/* Usable cells and CPUs. */
	ROW(sample, 262144, "cells from which a quantile is known",
		"more than 700 CPUs: a full sort takes seconds"),
	ROW(widest, 2, "largest usable ratio of an interval's ends",
		"short runs"),
	ROW(least_cells, 0.1,
		"least share of its cells that a CPU needs to be placed",
		"CPUs that hardly ran"),
	ROW(cold_nearest, 3,
		"nearest CPUs to compare with a CPU that may be cold",
		"a slow first CPU"),
	ROW(moved_cpus, 8, "with fewer CPUs, moved threads are not detected",
		"parts of machines"),
	/* The raw rule. */
	ROW(edge, 0.7,
		"position of the edge: 0 typical inside, 1 nearest outside",
		"hybrids, two lone CPUs"),
	ROW(far, 0.02, "quantile of cells between that no group may exceed",
		"parts of machines, two lone CPUs"),
	ROW(parts, 0.15,
		"least margin between a group's halves, as a share of the "
		"gain",
		"modules side by side"),
	ROW(known_rows, 6,
		"least units per group to subtract rows; least cores for "
		"classes",
		"halves of a GPU, one of them slower; parts of machines"),
	/* A single group among lone units. */
	ROW(one_margin, 0.3,
		"least margin of a single group, or of an unexplained cell",
		"home node of the lines, threads that moved"),
	ROW(one_share, 0.5, "largest share of units in a single group",
		"home node of the lines"),
	/* Confidence. */
	ROW(doubt_nats, 4, "nats that reduce doubt by a factor of e", "all"),
	ROW(odds, 0.7, "largest probability that these pairs are chance",
		"threads that moved"),
	ROW(apart, 1.9,
		"deviations that separate rows of lone and grouped units",
		"threads that moved"),
	ROW(bare_units, 4, "units from which a family without groups is odd",
		"one slow cache"),
	ROW(alone_cap, 0.89,
		"confidence limit for lone units, one group, classes by rows",
		"one slow cache, threads that moved"),
	ROW(inferred_cap, 0.8,
		"confidence limit for inferred or unmeasured members, and for "
		"the kind of classes",
		"siblings whose cell is missing, runs that ended early"),
	ROW(doubt_cap, 0.45,
		"confidence limit if another explanation is equally likely",
		"one noisy cache, home node of the lines"),
	/* Classes of cores. */
	ROW(class_single, 3, "least cores without a sibling that may be a kind",
		"two CPUs of a core whose cell is bad"),
	ROW(class_gap, 0.02,
		"least difference of kinds, as a share of the median cost",
		"equal cores"),
	ROW(class_rows, 15,
		"least gap between clusters: this / cores * widest cluster",
		"noise between few cores"),
	ROW(class_share, 0.2, "least share of the cores in a class",
		"single fast or slow CPUs"),
	ROW(class_clear, 2,
		"times nearer to the other kind: the sibling is elsewhere",
		"parts of hybrids"),
	ROW(class_span, 1.75, "largest ratio of costs inside classes",
		"one home node of all lines"),
	ROW(class_step, 1.25, "classes with a lower ratio may be caches",
		"home node of the lines"),
	ROW(class_kinds, 2, "more classes than this may be caches",
		"home node of the lines"),
	ROW(deviations, 5, "typical deviations between kinds, or of an outlier",
		"noise, slopes"),
	/* Kinds. */
	ROW(argument, 3, "factor on the odds of a kind per step of an argument",
		"all"),
	ROW(named, 0.7, "least probability of a kind that is named", "all"),
	ROW(possible, 0.03, "least probability of a kind that is listed",
		"all"),
	ROW(named_cap, 0.98,
		"confidence limit of kinds: there are other processors", "all"),
	ROW(kinds_cap, 0.9,
		"confidence limit of classes that SMT siblings show",
		"hybrids whose threads run next to others"),
	ROW(siblings_ns, 15,
		"largest ns between SMT siblings that do not alternate",
		"L2 caches of pairs"),
	ROW(cluster_ns, 40,
		"largest ns between alternating siblings, cores of a cluster",
		"siblings that wait, clusters"),
	ROW(link, 1.5,
		"packages: least latency between groups, divided by the "
		"latency inside",
		"two caches of a desktop"),
	ROW(members, 8, "most threads of a core, most cores of a cluster",
		"wide SMT, packages"),
	ROW(packages, 4, "most packages of a board", "servers of many caches"),
	/* The step of a coarse clock. */
	ROW(steps, 2,
		"clock steps that separate medians, or an outlier from the "
		"rest",
		"a coarse clock"),
	ROW(comb_teeth, 4,
		"least clock steps with a value; fewer may be levels",
		"a clock of two CPUs' steps"),
	ROW(comb_fit, 0.9,
		"least length of the mean vector; 1: all are on steps",
		"noise, values that a tool rounded"),
	ROW(comb_next, 0.6, "least share of used steps whose next step is used",
		"nested levels without noise"),
	ROW(comb_step, 0.03, "least step as a share of the typical value",
		"values of one decimal place"),
	ROW(comb_odds, 0.0001,
		"largest chance that all values are multiples of a step",
		"rounded levels without noise"),
	/* Repeated searches within intervals. */
	ROW(draws, 5, "repeated searches that must find a level again",
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
