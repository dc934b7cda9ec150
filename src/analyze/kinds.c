/*
 * Finds what the CPUs of a group share: a core, a cache or a package. The ratio
 * of latencies inside and between groups is not enough: it is 96 to 194 ns for
 * two clusters of a desktop processor, and 50 to 136 ns for two packages. So
 * c2c applies a table of arguments to each level. Each argument that is true
 * makes kinds more or less likely, by whole steps. The probabilities of all
 * possible kinds add up to 1.
 *
 * The steps are rough: they come from general knowledge of processors, and no
 * rule is for a named processor. level_constants.c has the limits, which apply
 * to the one-way latencies of c2c, in ns. No limit decides alone, because the
 * latencies of other tools differ by up to a factor of two.
 */
#include "analyze/kinds.h"

#include <math.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* Number of kinds without ANALYSIS_CLASS, which classes.c infers. */
#define N_KINDS (ANALYSIS_PACKAGE + 1)

/* Inputs of the arguments: numbers, or 1 for true. NaN fits no argument. */
struct kind_view {
	/*
	 * A line from another core crosses two L2 caches and the path between
	 * them, which takes more than siblings_ns. SMT siblings that alternate
	 * while they wait take up to cluster_ns, and so do cores of a cluster.
	 * Cores that share a ring or mesh take longer.
	 */
	double longer;	    /* number of limits reached: 0 to 2 */
	double link;	    /* 1: between is far above inside */
	double groups;	    /* groups with two CPUs or more */
	double many_groups; /* 1: more groups than packages */
	double size;	    /* CPUs of the largest group */
	double many_cores;  /* 1: more cores than members; NaN: unknown */
	double first;	    /* 1: no inner level except siblings */
	double within;	    /* 1: an outer level exists */
	double two_threads, many_threads; /* 1: this architecture has so many */
	bool innermost;
	bool one_package, no_smt; /* on real hardware */
	bool known_packages;	  /* another level is known to be packages */
};

#define VIEW(field) offsetof(struct kind_view, field)

/* Steps for each kind if the input is at least `low` and below `high`. */
static const struct kind_argument {
	size_t offset; /* offset in struct kind_view */
	double low, high;
	int smt, llc, node, package;
} arguments[] = {
	{VIEW(longer), 0, 2, 3, 0, 0, 0},
	{VIEW(longer), 1, 2, 0, 2, 0, 0},
	{VIEW(longer), 2, 3, -3, 0, 0, 0},
	{VIEW(link), 0, 1, 0, 0, 1, -2},
	{VIEW(link), 1, 2, 0, 0, 0, 1},
	/* A group of two CPUs is often a core, and rarely a package. */
	{VIEW(size), 2, 3, 1, 0, 0, -2},
	{VIEW(size), 3, INFINITY, -2, 0, 0, 0},
	{VIEW(two_threads), 1, 2, -2, 0, 0, 0},
	{VIEW(many_threads), 1, 2, 2, 0, 0, 0},
	{VIEW(many_cores), 0, 1, 0, 1, 0, 0},
	{VIEW(many_cores), 1, 2, 0, 0, 1, 1},
	{VIEW(many_groups), 1, 2, 0, 0, 0, -2},
	/* No level contains a package. */
	{VIEW(within), 1, 2, 0, 0, 1, -3},
	/* The first level above cores is a cache. */
	{VIEW(first), 1, 2, 0, 0, -2, 0},
	{VIEW(first), 0, 1, 0, -3, 0, 0},
};

/* The nested levels, from the innermost outwards. */
struct level_walk {
	const struct analysis *analysis;
	const struct facts *machine;
	const struct level_constants *constants;
	struct arena *arena;
	const struct analysis_level *within; /* previous level, or NULL */
	const uint32_t *core; /* [n] core of each CPU; NULL: cores unknown */
	bool first;
};

/* Return the number of cores in group g, which has `size` CPUs. */
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
	const struct analysis_level *level, struct kind_view *view)
{
	size_t *sizes =
		arena_alloc(walk->arena, level->n_groups, sizeof(*sizes));
	uint32_t largest = 0;

	for (size_t i = 0; i < walk->analysis->cpus.n; i++)
		sizes[level->group[i]]++;
	for (uint32_t g = 0; g < level->n_groups; g++) {
		view->groups += sizes[g] > 1;
		if (sizes[g] > sizes[largest])
			largest = g;
	}
	view->size = (double)sizes[largest];
	view->many_groups = view->groups > walk->constants->packages;
	view->many_cores = (double)count_cores(walk, level->group, largest,
				   sizes[largest]) > walk->constants->members;
}

static void view_system(const struct level_walk *walk, struct kind_view *view)
{
	const struct facts *machine = walk->machine;
	const char *arch = facts_text(machine, "arch");

	if (arch && view->size > 2) {
		view->two_threads = kinds_have_two_threads(arch);
		view->many_threads = !view->two_threads;
	}
	if (facts_text(machine, "hypervisor")) {
		/* A guest has any part of a package, maybe of another model. */
		if (view->many_cores == 0 && view->size > 2)
			view->many_cores = NAN;
		return;
	}
	view->one_package = facts_number(machine, "packages") == 1;
	view->no_smt = fact_is_known(facts_find(machine, "smt")) &&
		       !facts_flag(machine, "smt");
}

static struct kind_view view_level(
	const struct level_walk *walk, const struct analysis_level *level)
{
	const struct analysis *analysis = walk->analysis;
	const struct level_constants *constants = walk->constants;
	double ns = level->inside * level->to_ns;
	int longer =
		(ns >= constants->siblings_ns) + (ns >= constants->cluster_ns);
	int is_link = level->between >= constants->link * level->inside;
	struct kind_view view = {
		.longer = level->to_ns > 0 ? (double)longer : NAN,
		.link = level->of_rates ? NAN : (double)is_link,
		.innermost = !walk->within,
		.first = walk->first,
	};

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *other = &analysis->levels[k];

		if (other > level && other->nested)
			view.within = 1;
		view.known_packages |= other->evidence != ANALYSIS_NUMBERS &&
				       other->kind == ANALYSIS_PACKAGE;
	}
	view_groups(walk, level, &view);
	view_system(walk, &view);
	return view;
}

/* Find the probability of each kind. */
static void find_kind_probabilities(const struct kind_view *view,
	bool shares_cache, const struct level_constants *constants,
	double p[N_KINDS])
{
	int steps[N_KINDS] = {0};
	double sum = 0;

	for (size_t k = 0; k < N_OF(arguments); k++) {
		const struct kind_argument *argument = &arguments[k];
		double value;

		memcpy(&value, (const char *)view + argument->offset,
			sizeof(value));
		if (!(value >= argument->low && value < argument->high))
			continue;
		steps[ANALYSIS_SMT] += argument->smt;
		steps[ANALYSIS_LLC] += argument->llc;
		steps[ANALYSIS_NODE] += argument->node;
		steps[ANALYSIS_PACKAGE] += argument->package;
	}
	for (size_t kind = 0; kind < N_KINDS; kind++)
		p[kind] = pow(constants->argument, steps[kind]);
	if (!view->innermost || view->size > constants->members || view->no_smt)
		p[ANALYSIS_SMT] = 0;
	if (view->one_package || view->known_packages || shares_cache)
		p[ANALYSIS_PACKAGE] = 0;
	if (shares_cache)
		p[ANALYSIS_NODE] = 0;
	for (size_t kind = 0; kind < N_KINDS; kind++)
		sum += p[kind];
	for (size_t kind = 0; kind < N_KINDS; kind++)
		p[kind] /= sum;
}

static void leave_unnamed(struct analysis_level *level)
{
	level->kind = ANALYSIS_GROUP;
	level->kind_confidence = 0;
}

/* List the possible kinds, most likely first, and name the level. */
static void name_likeliest_kind(struct analysis_level *level,
	const struct level_constants *constants, const double p[N_KINDS])
{
	size_t n = 0;

	for (size_t kind = 0; kind < N_KINDS; kind++) {
		size_t at = n;

		if (p[kind] < constants->possible)
			continue;
		for (; at > 0 && p[level->may_be[at - 1]] < p[kind]; at--)
			level->may_be[at] = level->may_be[at - 1];
		level->may_be[at] = (enum analysis_kind)kind;
		n++;
	}
	level->n_may_be = n;
	level->kind = level->may_be[0];
	/* SMT siblings also share a cache. */
	if (level->shares_cache && p[level->kind] < constants->named)
		level->kind = ANALYSIS_LLC;
	level->kind_confidence = fmin(p[level->kind], constants->named_cap);
	/* Latencies do not distinguish dies and NUMA nodes. */
	if (!level->shares_cache &&
		(level->kind_confidence < constants->named ||
			level->kind == ANALYSIS_NODE))
		leave_unnamed(level);
}

/* Whether the medians are within a few steps of a coarse clock, or of zero. */
static bool is_within_clock_steps(
	const struct level_walk *walk, const struct analysis_level *level)
{
	const struct analysis *analysis = walk->analysis;

	return analysis->resolution > 0 && !level->shares_cache &&
	       text_same(level->unit, analysis->resolution_unit) &&
	       fmin(level->inside, level->between - level->inside) <
		       walk->constants->steps * analysis->resolution;
}

static void infer_level_kind(
	const struct level_walk *walk, struct analysis_level *level)
{
	const struct kind_view view = view_level(walk, level);
	double p[N_KINDS];

	if (level->of_rates && !level->shares_cache) {
		level->kind = ANALYSIS_GROUP;
		return;
	}
	find_kind_probabilities(&view, level->shares_cache, walk->constants, p);
	name_likeliest_kind(level, walk->constants, p);
	/* A group of one pair depends on a single cell, which may be wrong. */
	if (view.groups <= 1 && view.size <= 2)
		leave_unnamed(level);
	if (is_within_clock_steps(walk, level)) {
		leave_unnamed(level);
		level->n_may_be = 0;
	}
}

/* Whether one class has siblings for all CPUs, and the other for none. */
static bool differs_by_siblings(
	const struct level_walk *walk, const struct analysis_level *classes)
{
	size_t n = walk->analysis->cpus.n, with = 0, without = 0;
	bool *has = arena_alloc(walk->arena, n, sizeof(*has));

	for (size_t i = 0; i < n && walk->core; i++)
		for (size_t j = 0; j < i; j++)
			if (walk->core[i] == walk->core[j])
				has[i] = has[j] = true;
	for (size_t i = 0; i < n; i++) {
		with += has[i];
		without += !has[i];
		for (size_t j = 0; j < i; j++)
			if (classes->group[i] == classes->group[j] &&
				has[i] != has[j])
				return false;
	}
	return with > 0 && without > 0;
}

bool kinds_have_two_threads(const char *arch)
{
	return text_same(arch, "x86_64") || text_same(arch, "aarch64");
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
	struct level_constants constants = {0};

	level_constants_init(&constants);
	kinds_infer_by(analysis, machine, &constants, arena);
}

void kinds_infer_by(struct analysis *analysis, const struct facts *machine,
	const struct level_constants *constants, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct level_walk walk = {.analysis = analysis,
		.machine = machine,
		.constants = constants,
		.arena = arena,
		.first = true};

	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];

		if (!level->nested) {
			if (level->evidence == ANALYSIS_NUMBERS)
				kinds_set_known(level, ANALYSIS_CLASS,
					differs_by_siblings(&walk, level)
						? walk.constants->kinds_cap
						: walk.constants->inferred_cap,
					ANALYSIS_NUMBERS);
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
