#include "analyze/levels/level_constants.h"

#include <string.h>

#include "util/array.h"

#define ROW(name, value, meaning, machine)                                     \
	{                                                                      \
#name, offsetof(struct level_constants, name), value, meaning, \
			machine                                                \
	}

static const struct level_constant rows[] = {
	/* Proposals. */
	ROW(cuts, 20, "cuts of the tree that are tried, by their step",
		"six nested levels, hybrids"),
	ROW(spike, 16, "times the median is the most that a cost counts as",
		"spikes of a thousand times"),
	/* Limits of several steps. */
	ROW(odd_share, 0.25,
		"the most that may be odd: torn pairs, "
		"groups that are hardly nearer, near cells between groups, "
		"cells of a cold CPU that do not show it, sizes of group, "
		"nearest others, cells far too near, values of a comb",
		"spikes, missing cells, rings, threads that moved"),
	ROW(bad_share, 0.065,
		"the most that may be wrong: groups, cells, CPUs, rows, values",
		"spikes"),
	ROW(sigmas, 2.5, "so many times the usual is noise", "noise"),
	ROW(least_margin, 0.1,
		"log of far to near that counts, after noise; a cold CPU or an "
		"outlier by as much",
		"meshes, slopes, first slow"),
	/* Evidence. */
	ROW(ridge, 1.5, "a row counts as so many cells more that say 0",
		"two lone CPUs, tiny noise"),
	ROW(noise_floor, 0.01,
		"costs are not better known: the least noise of logs, and a "
		"cost of 0 is that share of the median",
		"numbers rounded to a decimal, a clock that reads 0"),
	ROW(torn_cost, 20,
		"nats that a torn pair costs, and that groups of one size are "
		"worth among rivals",
		"spikes"),
	ROW(least_evidence, 2, "nats that a level needs", "tiny noise"),
	ROW(alone_evidence, 3, "nats more if units are alone",
		"threads that moved"),
	/* Cells and CPUs that count. */
	ROW(widest, 2, "times as high as low is an interval that says nothing",
		"short runs"),
	ROW(least_cells, 0.1, "of its cells that a CPU needs to have a place",
		"CPUs that hardly ran"),
	ROW(cold_nearest, 3, "CPUs nearest to one that may be cold",
		"first slow"),
	ROW(moved_cpus, 8, "of fewer nobody knows whether threads moved",
		"parts"),
	/* The raw rule. */
	ROW(edge, 0.7,
		"where groups end, between typical inside and nearest outside",
		"hybrids, two lone CPUs"),
	ROW(far, 0.02, "no group is above this quantile of cells between",
		"parts, two lone CPUs"),
	ROW(parts, 0.15,
		"of the gain, what lies between halves of a group and others",
		"modules side by side"),
	ROW(known_rows, 6,
		"units of each group, so that rows may be taken off first, and "
		"cores, so that rows show classes",
		"halves of a GPU, one of them dearer; parts"),
	/* One group among single units. */
	ROW(one_margin, 0.3,
		"the margin that it needs, and a cell that no level explains",
		"home of the lines, threads that moved"),
	ROW(one_share, 0.5, "the most units in it", "home of the lines"),
	/* Confidence. */
	ROW(doubt_nats, 4, "nats that make a doubt e times smaller", "all"),
	ROW(odds, 0.7, "how often chance may make these pairs",
		"threads that moved"),
	ROW(apart, 1.9, "deviations that rows of units alone lie apart",
		"threads that moved"),
	ROW(bare_units, 4, "units of a family without groups that is odd",
		"one slow cache"),
	ROW(alone_cap, 0.89,
		"the most if units are alone, or one group, or rows show "
		"classes",
		"one slow cache, threads that moved"),
	ROW(inferred_cap, 0.8,
		"the most if a member is inferred, or was not measured at all, "
		"and of the kind of classes",
		"siblings whose cell is missing, runs that ended early"),
	ROW(doubt_cap, 0.45, "the most if it is as likely something else",
		"one noisy cache, home of the lines"),
	/* Classes of cores. */
	ROW(class_single, 3, "cores without a sibling that may be a kind",
		"two CPUs of a core whose cell is bad"),
	ROW(class_gap, 0.02, "of the median cost that kinds differ by",
		"equal cores"),
	ROW(class_rows, 15,
		"times the widths of clusters, over the cores: their gap",
		"noise between few cores"),
	ROW(class_share, 0.2, "the least of the cores that a class has",
		"single fast or slow CPUs"),
	ROW(class_clear, 2,
		"times nearer to the other kind: its sibling is elsewhere",
		"parts of hybrids"),
	ROW(class_span, 1.75, "the most that the costs inside classes differ",
		"one home of all lines"),
	ROW(class_step, 1.25, "classes that differ by less may be caches",
		"home of the lines"),
	ROW(class_kinds, 2, "if they are more than so many",
		"home of the lines"),
	ROW(deviations, 5,
		"typical deviations that another kind or an outlier is off",
		"noise, slopes"),
	/* Kinds. */
	ROW(argument, 3, "times as likely is a kind by a step of an argument",
		"all"),
	ROW(named, 0.7, "the least that a kind is named at", "all"),
	ROW(possible, 0.03, "the least that one may be", "all"),
	ROW(named_cap, 0.98, "the most: there may be other processors", "all"),
	ROW(kinds_cap, 0.9, "the most of classes that siblings show",
		"hybrids whose threads run beside others"),
	ROW(siblings_ns, 15, "ns that siblings have, if none takes a turn",
		"second-level caches of pairs"),
	ROW(cluster_ns, 40, "ns that siblings and cores of a cluster have",
		"siblings that wait, clusters"),
	ROW(link, 1.5, "times as far, at least, is another package",
		"two caches of a desktop"),
	ROW(members, 8, "the most threads of a core, cores of a cluster",
		"wide SMT, packages"),
	ROW(packages, 4, "the most that boards have", "servers of many caches"),
	/* The step of a coarse clock. */
	ROW(steps, 2, "of a clock that medians are apart, or an outlier off",
		"a coarse clock"),
	ROW(comb_teeth, 4, "steps with a value; fewer may be levels",
		"a clock of two CPUs' steps"),
	ROW(comb_fit, 0.9, "mean of the values as angles: 1 if all are steps",
		"noise, values that a tool rounded"),
	ROW(comb_next, 0.6, "of the steps with a value, whose next has one",
		"nested levels without noise"),
	ROW(comb_step, 0.03, "of the typical value: a finer step hides nothing",
		"values of one decimal place"),
	ROW(comb_odds, 0.0001,
		"how often chosen numbers are multiples of a step",
		"rounded levels without noise"),
	/* Cells within their intervals. */
	ROW(draws, 5, "searches that each level must come back in",
		"short runs"),
	ROW(drawn_cpus, 256, "CPUs whose cells show the noise, without draws",
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
