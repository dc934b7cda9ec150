/*
 * A ratio of latencies alone does not tell a cache from a package: two clusters
 * of a desktop processor may be 96 and 194 ns apart, two packages 50 and 136.
 * So each kind that a level may be gets odds, which every argument below
 * multiplies by how many times likelier it makes that kind. Whether CPUs are
 * siblings is one question; what they share if they are none is the next.
 *
 * The weights are rough: they come from what is known of processors in general,
 * and no rule knows a name. They are in ns from one CPU to the other, as c2c
 * measures it. Other tools differ by up to a factor of two, so no single limit
 * decides alone.
 */
#include "analyze/kinds.h"

#include <math.h>
#include <string.h>

#include "util/text.h"

/* The kinds in question; classes are found in another way. */
#define N_KINDS (ANALYSIS_PACKAGE + 1)

/*
 * A kind is named from this confidence on, and comes into question from that.
 */
#define NAMED_CONFIDENCE    0.7
#define POSSIBLE_CONFIDENCE 0.03

/* There may be a processor that none of the arguments knows. */
#define MOST_CONFIDENCE 0.98

/* No core has more threads. */
#define MOST_THREADS 8

/* Rows that differ may still come from what runs beside a CPU. */
#define CLASS_CONFIDENCE 0.9

/* What the arguments look at. Unknown latencies are NaN: no limit holds. */
struct level_view {
	double inside, between; /* ns, one way */
	double ratio;
	size_t n_groups; /* of two CPUs and more */
	size_t largest;	 /* CPUs of the largest */
	size_t cores;	 /* of that group */
	bool innermost, outermost;
	bool first;	 /* nothing but siblings is within */
	bool is_virtual; /* some CPUs of a larger machine, maybe disguised */
	bool one_package, no_smt; /* the system knows, on real hardware */
	bool known_packages;	  /* another level is known to be packages */
	const char *arch;	  /* or NULL */
};

/*
 * The levels that nest, while they are looked at from the innermost outwards.
 */
struct level_walk {
	const struct analysis *analysis;
	const struct facts *machine;
	struct arena *arena;
	const struct analysis_level *within; /* the level before, or NULL */
	const uint32_t *core;		     /* of each CPU; NULL: itself */
	bool first;
};

/* How many groups of the core level are in group g, which has size CPUs. */
static size_t count_cores(const struct level_walk *walk, const uint32_t *group,
	uint32_t g, size_t size)
{
	size_t n = walk->analysis->cpus.n, cores = 0;
	bool *seen;

	if (!walk->core)
		return size;
	seen = arena_alloc(walk->arena, n, sizeof(*seen));
	for (size_t i = 0; i < n; i++) {
		if (group[i] != g || seen[walk->core[i]])
			continue;
		seen[walk->core[i]] = true;
		cores++;
	}
	return cores;
}

static void view_groups(const struct level_walk *walk,
	const struct analysis_level *level, struct level_view *view)
{
	size_t *sizes =
		arena_alloc(walk->arena, level->n_groups, sizeof(*sizes));
	uint32_t largest = 0;

	for (size_t i = 0; i < walk->analysis->cpus.n; i++)
		sizes[level->group[i]]++;
	for (uint32_t g = 0; g < level->n_groups; g++) {
		view->n_groups += sizes[g] > 1;
		if (sizes[g] > sizes[largest])
			largest = g;
	}
	view->largest = sizes[largest];
	view->cores = count_cores(walk, level->group, largest, view->largest);
}

static void view_system(const struct level_walk *walk, struct level_view *view)
{
	const struct facts *machine = walk->machine;

	view->arch = facts_text(machine, "arch");
	view->is_virtual = facts_text(machine, "hypervisor");
	if (view->is_virtual)
		return;
	view->one_package = facts_number(machine, "packages") == 1;
	view->no_smt = fact_is_known(facts_find(machine, "smt")) &&
		       !facts_flag(machine, "smt");
}

static struct level_view view_level(
	const struct level_walk *walk, const struct analysis_level *level)
{
	const struct analysis *analysis = walk->analysis;
	double ns = level->to_ns > 0 ? level->to_ns : NAN;
	struct level_view view = {
		.inside = level->inside * ns,
		.between = level->between * ns,
		.ratio = level->of_rates ? NAN : level->between / level->inside,
		.innermost = !walk->within,
		.outermost = true,
		.first = walk->first,
	};

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *other = &analysis->levels[k];

		view.outermost &= other <= level || !other->nested;
		view.known_packages |= other->evidence != ANALYSIS_NUMBERS &&
				       other->kind == ANALYSIS_PACKAGE;
	}
	view_groups(walk, level, &view);
	view_system(walk, &view);
	return view;
}

/* How many times likelier than anything else siblings are, for pairs. */
static double sibling_pair_odds(const struct level_view *view)
{
	double odds = 1;

	/*
	 * A line from another core comes through two second-level caches and
	 * what is between them, which takes more than 13 ns. Up to 25 hardly
	 * any two cores come near. Siblings that take each other's share of the
	 * core while they wait have more: up to 40 if other cores are two to
	 * four times as far, and any number if these are hardly farther. Two
	 * cores that share a second-level cache have 36 to 60.
	 */
	if (view->inside <= 13)
		odds *= 50;
	else if (view->inside <= 25)
		odds *= 10;
	else if (view->inside <= 40)
		odds *= view->ratio >= 2.2 && view->ratio <= 4.2 ? 4 : 0.5;
	else if (view->inside > 40 && view->ratio >= 1.5)
		odds /= 30;
	/* Where two cores have a cache of their own, there are few of them. */
	if (view->n_groups > 4)
		odds *= 3;
	/* And they do not lie in larger groups. */
	if (!view->outermost)
		odds *= 3;
	return odds;
}

/* The same for groups of three and more. */
static double sibling_group_odds(const struct level_view *view)
{
	double odds = 1;

	/* Without SMT the cores of a cluster are from 16 ns on apart. */
	if (view->inside <= 13)
		odds *= 2;
	else if (view->inside <= 25)
		odds /= 10;
	else if (view->inside > 25)
		odds /= 50;
	/* Cores have two, four or eight threads. */
	if (view->largest != 4 && view->largest != 8)
		odds /= 50;
	/* Of these architectures hardly a core has more than two. */
	if (view->arch && (strcmp(view->arch, "x86_64") == 0 ||
				  strcmp(view->arch, "aarch64") == 0))
		odds /= 5;
	else if (view->arch)
		odds *= 20;
	return odds;
}

static double siblings_odds(const struct level_view *view)
{
	if (!view->innermost || view->largest > MOST_THREADS || view->no_smt)
		return 0;
	return view->largest == 2 ? sibling_pair_odds(view)
				  : sibling_group_odds(view);
}

/* The first groups of cores: do they share a cache or a package? */
static void weigh_first_groups(
	const struct level_view *view, double odds[N_KINDS])
{
	odds[ANALYSIS_NODE] *= 0.1;
	/*
	 * A package is one ring or mesh at least as large as a cluster, so its
	 * cores are farther apart: from 35 ns on in all but the smallest.
	 */
	if (view->inside <= 30)
		odds[ANALYSIS_LLC] *= 20;
	else if (view->inside <= 40)
		odds[ANALYSIS_LLC] *= 3;
	else if (view->inside <= 60)
		odds[ANALYSIS_PACKAGE] *= 1.5;
	else if (view->inside > 60)
		odds[ANALYSIS_PACKAGE] *= 2;
	/*
	 * A way through a link between packages costs two to three times one
	 * within. More needs a very fast cluster. Less is no other package.
	 */
	if (view->ratio >= 4)
		odds[ANALYSIS_LLC] *= 3;
	else if (view->ratio >= 1.8 && view->ratio <= 3.2)
		odds[ANALYSIS_PACKAGE] *= 2;
	else if (view->ratio < 1.5) {
		odds[ANALYSIS_PACKAGE] *= 0.3;
		odds[ANALYSIS_NODE] *= 5;
	}
	/* Beyond it there is something larger, and nothing beyond a package. */
	if (!view->outermost) {
		odds[ANALYSIS_PACKAGE] *= 0.05;
		odds[ANALYSIS_NODE] *= 0.5;
	}
}

/* How many there are, and of how many cores each. */
static void weigh_group_sizes(
	const struct level_view *view, double odds[N_KINDS])
{
	/* Clusters have up to eight cores, rarely 16; most packages more. */
	if (view->cores > 16) {
		odds[ANALYSIS_PACKAGE] *= 6;
		odds[ANALYSIS_NODE] *= 3;
	} else if (view->cores > 8) {
		odds[ANALYSIS_PACKAGE] *= 3;
		odds[ANALYSIS_NODE] *= 2;
	}
	/* A virtual machine has any part of a package. */
	else if (view->cores > 4 && !view->is_virtual)
		odds[ANALYSIS_LLC] *= 1.5;
	else if (!view->is_virtual)
		odds[ANALYSIS_LLC] *= 5;
	if (view->cores <= 2)
		odds[ANALYSIS_LLC] *= 3;
	/* Boards have two or four packages, rarely eight. */
	if (view->n_groups > 4)
		odds[ANALYSIS_LLC] *= 5;
	if (view->n_groups != 2 && view->n_groups != 4 && view->n_groups != 8)
		odds[ANALYSIS_LLC] *= 5;
}

/* Groups of groups of cores: a part of a package or all of it? */
static void weigh_outer_groups(
	const struct level_view *view, double odds[N_KINDS])
{
	/* Second-level caches of clusters lie within a last-level one. */
	odds[ANALYSIS_LLC] *= 0.15;
	/* Between parts of a package there is no link through a board. */
	if (view->ratio >= 1.5)
		odds[ANALYSIS_PACKAGE] *= 2.5;
	else if (view->ratio < 1.25)
		odds[ANALYSIS_PACKAGE] *= 0.5;
	if (view->between >= 150)
		odds[ANALYSIS_PACKAGE] *= 2.5;
	else if (view->between <= 110)
		odds[ANALYSIS_NODE] *= 3;
	if (view->cores > 32)
		odds[ANALYSIS_PACKAGE] *= 1.5;
	if (view->n_groups != 2 && view->n_groups != 4 && view->n_groups != 8)
		odds[ANALYSIS_PACKAGE] *= 0.2;
	/* Nothing is beyond a package. */
	if (!view->outermost)
		odds[ANALYSIS_PACKAGE] *= 0.05;
}

/* The probability of each kind. */
static void find_kind_probabilities(
	const struct level_view *view, bool shares_cache, double p[N_KINDS])
{
	double siblings = siblings_odds(view), rest;

	for (size_t kind = 0; kind < N_KINDS; kind++)
		p[kind] = kind != ANALYSIS_SMT;
	if (view->first) {
		weigh_first_groups(view, p);
		weigh_group_sizes(view, p);
	} else {
		weigh_outer_groups(view, p);
	}
	if (view->one_package || view->known_packages || shares_cache)
		p[ANALYSIS_PACKAGE] = 0;
	if (shares_cache)
		p[ANALYSIS_NODE] = 0;
	rest = p[ANALYSIS_LLC] + p[ANALYSIS_NODE] + p[ANALYSIS_PACKAGE];
	for (size_t kind = 0; kind < N_KINDS; kind++)
		p[kind] /= rest * (1 + siblings);
	p[ANALYSIS_SMT] = siblings / (1 + siblings);
}

/* List the kinds that are possible, the likeliest first, and name the level. */
static void name_likeliest_kind(
	struct analysis_level *level, const double p[N_KINDS])
{
	size_t n = 0;

	for (size_t kind = 0; kind < N_KINDS; kind++) {
		size_t at = n;

		if (p[kind] < POSSIBLE_CONFIDENCE)
			continue;
		for (; at > 0 && p[level->may_be[at - 1]] < p[kind]; at--)
			level->may_be[at] = level->may_be[at - 1];
		level->may_be[at] = (enum analysis_kind)kind;
		n++;
	}
	level->n_may_be = n;
	level->kind = level->may_be[0];
	/* Siblings share a cache too. */
	if (level->shares_cache && p[level->kind] < NAMED_CONFIDENCE)
		level->kind = ANALYSIS_LLC;
	level->kind_confidence = fmin(p[level->kind], MOST_CONFIDENCE);
	if (level->shares_cache)
		return;
	/* Nothing in a latency is typical of a die or a node. */
	if (level->kind_confidence >= NAMED_CONFIDENCE &&
		level->kind != ANALYSIS_NODE)
		return;
	level->kind = ANALYSIS_GROUP;
	level->kind_confidence = 0;
}

/* Whether a median inside groups is within two steps of a coarse clock. */
static bool is_within_clock_steps(
	const struct analysis *analysis, const struct analysis_level *level)
{
	return analysis->resolution > 0 && !level->shares_cache &&
	       text_same(level->unit, analysis->resolution_unit) &&
	       level->inside < 2 * analysis->resolution;
}

static void infer_level_kind(
	const struct level_walk *walk, struct analysis_level *level)
{
	const struct level_view view = view_level(walk, level);
	double p[N_KINDS];

	if (level->of_rates && !level->shares_cache) {
		level->kind = ANALYSIS_GROUP;
		return;
	}
	find_kind_probabilities(&view, level->shares_cache, p);
	name_likeliest_kind(level, p);
	if (is_within_clock_steps(walk->analysis, level)) {
		level->kind = ANALYSIS_GROUP;
		level->kind_confidence = 0;
		level->n_may_be = 0;
	}
}

void kinds_set_known(struct analysis_level *level, enum analysis_kind kind,
	double confidence, enum analysis_evidence evidence)
{
	level->kind = level->may_be[0] = kind;
	level->n_may_be = 1;
	level->kind_confidence = confidence;
	level->evidence = evidence;
}

void kinds_infer(struct analysis *analysis, const struct facts *machine,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct level_walk walk = {.analysis = analysis,
		.machine = machine,
		.arena = arena,
		.first = true};

	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];

		if (!level->nested) {
			if (level->evidence == ANALYSIS_NUMBERS)
				kinds_set_known(level, ANALYSIS_CLASS,
					CLASS_CONFIDENCE, ANALYSIS_NUMBERS);
			continue;
		}
		if (level->evidence == ANALYSIS_NUMBERS)
			infer_level_kind(&walk, level);
		if (!walk.within && level->n_may_be > 0 &&
			level->may_be[0] == ANALYSIS_SMT)
			walk.core = level->group;
		else
			walk.first = false;
		walk.within = level;
	}
	arena_rewind(arena, mark);
}
