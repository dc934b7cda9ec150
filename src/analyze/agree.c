/*
 * Compares measured levels with the divisions of the topology, as partitions of
 * the measured CPUs. CPUs that fit no group do not count.
 *
 * A level agrees with the topology if a division has the same groups. It also
 * agrees if each group is one object of any kind: the cores of a hybrid machine
 * share caches of different levels.
 *
 * Any other level is a disagreement:
 * - contradicted, if a measured group and an object overlap, and neither has
 *   all CPUs of the other, because only one can be right;
 * - hidden otherwise.
 *
 * A division that no level shows is no disagreement, because a real cache or
 * node need not affect latency. A division into cores is an exception: SMT
 * siblings share the L1 and cannot be farther from each other than from other
 * CPUs. If siblings are no nearer than random CPUs, the latencies contradict
 * the division into cores.
 *
 * If CPUs moved, the values of the whole run mix several placements. Therefore
 * c2c compares the levels of each epoch instead. A disagreement in several
 * epochs counts once.
 */
#include "analyze/analyze.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "analyze/kinds.h"
#include "analyze/levels/groups.h"
#include "analyze/nearest.h"
#include "analyze/topology_verdict.h"
#include "machine/division.h"
#include "util/text.h"

/*
 * The latencies contradict the reported cores if half of the pairs of siblings
 * have at least this share of the other CPUs nearer than the sibling. Of random
 * pairs, 3 of 4 would.
 */
#define NEARER_SHARE 0.25

/* Fewest cores for a check; with fewer cores, chance explains any share. */
#define FEWEST_CORES 4

/*
 * Confidence that a level has the kind that the topology reports for its
 * groups. The confidence is lower for packages of a hypervisor, which may be
 * invented.
 */
#define TOPOLOGY_CONFIDENCE   0.99
#define HYPERVISOR_CONFIDENCE 0.95

/* A comparison of levels with divisions, and the CPUs that count in it. */
struct division_comparison {
	struct analysis *analysis;
	const struct machine_divisions *divisions;
	struct arena *arena; /* memory that the analysis keeps */
	size_t n;	     /* number of CPUs */
	bool *counts;	     /* [n] whether the CPU fits a group */
	size_t *overlap;     /* [n * 3] scratch memory to count CPUs */
	bool *seen;	     /* [divisions.n] shown or crossed by a level */
	bool *denied;	     /* [divisions.n] contradicted by an inner level */
};

/*
 * Names of topology objects, and the kind of a level with the same groups. If
 * several objects divide the CPUs equally, c2c uses the first name of this
 * list.
 */
static const struct object_kind {
	const char *name;
	enum analysis_kind kind;
} object_kinds[] = {{"Core", ANALYSIS_SMT}, {"Package", ANALYSIS_PACKAGE},
	{"L3", ANALYSIS_LLC}, {"L4", ANALYSIS_LLC}, {"L2", ANALYSIS_LLC},
	{"Die", ANALYSIS_GROUP}, {"NUMANode", ANALYSIS_NODE},
	{"CPUKind", ANALYSIS_CLASS}};

#define N_OBJECT_KINDS (sizeof(object_kinds) / sizeof(object_kinds[0]))

static size_t object_name_rank(const char *name)
{
	size_t i = 0;

	while (i < N_OBJECT_KINDS && strcmp(object_kinds[i].name, name) != 0)
		i++;
	return i;
}

/* Whether two partitions divide the CPUs that count in the same way. */
static bool are_same_division(const struct division_comparison *comparison,
	const uint32_t *a, const uint32_t *b)
{
	size_t n = comparison->n, *scratch = comparison->overlap;

	return groups_within(a, b, n, comparison->counts, scratch) &&
	       groups_within(b, a, n, comparison->counts, scratch);
}

/*
 * Return the first CPU whose group crosses an object (neither contains the
 * other), or SIZE_MAX. Count the CPUs that each group shares with each object.
 */
static size_t find_crossing_cpu(const struct division_comparison *comparison,
	const uint32_t *level, size_t n_groups, const uint32_t *division)
{
	size_t n = comparison->n;
	size_t *level_size = comparison->overlap;
	size_t *object_size = level_size + n;
	size_t *both = object_size + n;

	memset(level_size, 0, 3 * n * sizeof(*level_size));
	for (size_t i = 0; i < n; i++) {
		if (!comparison->counts[i])
			continue;
		level_size[level[i]]++;
		object_size[division[i]]++;
	}
	for (size_t g = 0; g < n_groups; g++) {
		for (size_t i = 0; i < n; i++)
			both[division[i]] +=
				comparison->counts[i] && level[i] == g;
		for (size_t i = 0; i < n; i++) {
			size_t shared = both[division[i]];

			if (comparison->counts[i] && level[i] == g &&
				shared < level_size[g] &&
				shared < object_size[division[i]])
				return i;
		}
		memset(both, 0, n * sizeof(*both));
	}
	return SIZE_MAX;
}

/* Return the CPUs of CPU i's group: "0,8". */
static char *format_group_of_cpu(const struct division_comparison *comparison,
	const uint32_t *group, size_t i)
{
	return analysis_list_cpus(
		comparison->analysis, group, group[i], comparison->arena);
}

/* Return the names of the divisions equal to division k: "L3, Package". */
static char *format_division_names(
	const struct division_comparison *comparison, size_t k)
{
	const struct machine_divisions *divisions = comparison->divisions;
	struct text_list list = {0};

	for (size_t i = 0; i < divisions->n; i++) {
		if (are_same_division(comparison, divisions->items[i].group,
			    divisions->items[k].group))
			text_list_add(
				&list, ", ", "%s", divisions->items[i].name);
	}
	return arena_adopt(comparison->arena, text_list_end(&list));
}

static void add_disagreement(const struct division_comparison *comparison,
	enum analysis_what what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add_disagreement(const struct division_comparison *comparison,
	enum analysis_what what, const char *format, ...)
{
	struct analysis *analysis = comparison->analysis;
	va_list args;

	va_start(args, format);
	analysis->disagreements[analysis->n_disagreements++] =
		(struct analysis_disagreement){
			what, arena_vformat(comparison->arena, format, args)};
	va_end(args);
}

/*
 * Return the division with the groups of a level, or -1. If several divisions
 * are equal, return the one whose name is first in object_kinds.
 */
static long find_equal_division(const struct division_comparison *comparison,
	const struct analysis_level *level)
{
	const struct machine_divisions *divisions = comparison->divisions;
	long best = -1;

	for (size_t k = 0; k < divisions->n; k++) {
		const struct machine_division *division = &divisions->items[k];

		if (!are_same_division(
			    comparison, level->group, division->group))
			continue;
		comparison->seen[k] = true;
		if (best < 0 ||
			object_name_rank(division->name) <
				object_name_rank(divisions->items[best].name))
			best = (long)k;
	}
	return best;
}

/* Whether the group of CPU i is exactly one object of a division. */
static bool is_object(const struct division_comparison *comparison,
	const uint32_t *level, const uint32_t *division, size_t i)
{
	for (size_t j = 0; j < comparison->n; j++) {
		if (comparison->counts[j] &&
			(level[j] == level[i]) != (division[j] == division[i]))
			return false;
	}
	return true;
}

/*
 * If every group of a level is an object of some division, return the division
 * that has the most of these groups; else return -1.
 */
static long find_mixed_division(const struct division_comparison *comparison,
	const struct analysis_level *level)
{
	const struct machine_divisions *divisions = comparison->divisions;
	size_t n = comparison->n, best_count = 0;
	size_t *counts =
		arena_alloc(comparison->arena, divisions->n, sizeof(*counts));
	long best = -1;

	for (size_t i = 0; i < n; i++) {
		bool first = comparison->counts[i], found = false;

		for (size_t j = 0; first && j < i; j++)
			first = !comparison->counts[j] ||
				level->group[j] != level->group[i];
		if (!first)
			continue;
		for (size_t k = 0; k < divisions->n; k++) {
			if (!is_object(comparison, level->group,
				    divisions->items[k].group, i))
				continue;
			found = true;
			counts[k]++;
		}
		if (!found)
			return -1;
	}
	for (size_t k = 0; k < divisions->n; k++) {
		comparison->seen[k] |= counts[k] > 0;
		if (counts[k] > best_count) {
			best_count = counts[k];
			best = (long)k;
		}
	}
	return best;
}

/*
 * Return the division that a level crosses, or -1. *cpu is a CPU of the two
 * groups that overlap. If the level crosses several divisions, return the one
 * whose number of groups is nearest to the level's.
 */
static long find_crossed_division(const struct division_comparison *comparison,
	const struct analysis_level *level, size_t *cpu)
{
	const struct machine_divisions *divisions = comparison->divisions;
	double best_distance = INFINITY;
	long best = -1;

	/* Only nested levels depend on distance. */
	for (size_t k = 0; level->nested && k < divisions->n; k++) {
		const struct machine_division *division = &divisions->items[k];
		double distance = fabs(log(
			(double)division->n_groups / (double)level->n_groups));
		size_t at;

		if (comparison->denied[k] ||
			strcmp(division->name, "CPUKind") == 0)
			continue;
		at = find_crossing_cpu(comparison, level->group,
			level->n_groups, division->group);
		if (at == SIZE_MAX)
			continue;
		comparison->seen[k] = true;
		if (distance < best_distance) {
			best_distance = distance;
			best = (long)k;
			*cpu = at;
		}
	}
	return best;
}

static const char *hidden_level_words(enum analysis_kind kind)
{
	static const char *const words[] = {
		[ANALYSIS_SMT] = "SMT siblings appear as separate cores",
		[ANALYSIS_PACKAGE] = "several packages appear as one",
		[ANALYSIS_CLASS] = "all classes of cores appear as one",
		[ANALYSIS_GROUP] = NULL,
	};

	return words[kind] ? words[kind] : "a level is missing";
}

static void add_hidden_level(const struct division_comparison *comparison,
	const struct analysis_level *level)
{
	add_disagreement(comparison, ANALYSIS_HIDDEN,
		"%s %s (%.4g %s inside, %.4g between), but the topology has no "
		"objects with exactly these CPUs: %s",
		analysis_list_groups(
			comparison->analysis, level->group, comparison->arena),
		level->nested ? "are groups" : "differ in kind", level->inside,
		level->unit, level->between, hidden_level_words(level->kind));
}

static void add_contradicted_level(const struct division_comparison *comparison,
	const struct analysis_level *level, size_t k, size_t cpu)
{
	const struct machine_divisions *divisions = comparison->divisions;
	const uint32_t *division = divisions->items[k].group;

	add_disagreement(comparison, ANALYSIS_CONTRADICTED,
		"%s: the topology groups CPUs %s, the values group CPUs %s "
		"(%.4g %s inside, %.4g between); only one can be right",
		format_division_names(comparison, k),
		format_group_of_cpu(comparison, division, cpu),
		format_group_of_cpu(comparison, level->group, cpu),
		level->inside, level->unit, level->between);
	/* A wrong division contradicts outer levels too: report it once. */
	for (size_t i = 0; i < divisions->n; i++)
		comparison->denied[i] |= are_same_division(
			comparison, divisions->items[i].group, division);
}

static void name_level_by_division(const struct division_comparison *comparison,
	struct analysis_level *level, const struct facts *machine)
{
	long at = find_equal_division(comparison, level);
	enum analysis_kind kind = ANALYSIS_GROUP;
	const char *name;
	size_t rank;

	if (at < 0)
		at = find_mixed_division(comparison, level);
	if (at < 0)
		return;
	name = comparison->divisions->items[at].name;
	rank = object_name_rank(name);
	if (rank < N_OBJECT_KINDS)
		kind = object_kinds[rank].kind;
	level->agrees = ANALYSIS_AGREES;
	level->reported = arena_strdup(comparison->arena, name);
	/* A class stays a class, even if an object has the same CPUs. */
	if (level->nested || kind == ANALYSIS_CLASS)
		kinds_set_known(level, kind,
			facts_text(machine, "hypervisor")
				? HYPERVISOR_CONFIDENCE
				: TOPOLOGY_CONFIDENCE,
			ANALYSIS_TOPOLOGY);
}

/* Add the disagreement of a level that no object equals. */
static void check_level_agrees(const struct division_comparison *comparison,
	struct analysis_level *level)
{
	size_t cpu = 0;
	long at;

	if (level->agrees == ANALYSIS_AGREES ||
		level->confidence < ANALYSIS_CERTAIN)
		return;
	level->agrees = ANALYSIS_DISAGREES;
	at = find_crossed_division(comparison, level, &cpu);
	if (at >= 0)
		add_contradicted_level(comparison, level, (size_t)at, cpu);
	else
		add_hidden_level(comparison, level);
}

/* Return the cost of a pair: lower is nearer, NaN is unknown. */
static double cost_at(const struct matrix *matrix, size_t n, size_t i, size_t j)
{
	double value = nearest_matrix_value(matrix, n, i, j);

	return matrix_near_is_high(matrix) ? -value : value;
}

/* Return the share of CPUs nearer to CPU i than CPU j; NaN: unknown. */
static double share_nearer(const struct matrix *matrix,
	const uint32_t *division, size_t n, size_t i, size_t j)
{
	double sibling = cost_at(matrix, n, i, j);
	size_t others = 0, nearer = 0;

	for (size_t k = 0; k < n; k++) {
		double cost = cost_at(matrix, n, i, k);

		if (division[k] == division[i] || isnan(cost))
			continue;
		others++;
		nearer += cost < sibling;
	}
	return others && !isnan(sibling) ? (double)nearer / (double)others
					 : NAN;
}

/*
 * Add a disagreement if the latencies contradict the cores of division k: at
 * least half of the sibling pairs are no nearer than random CPUs.
 */
static void check_sibling_distances(
	const struct division_comparison *comparison,
	const struct result *result, size_t k)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	const uint32_t *division = comparison->divisions->items[k].group;
	size_t n = comparison->n, cores = 0, farther = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; comparison->counts[i] && j < i; j++) {
			double share;

			if (!comparison->counts[j] ||
				division[j] != division[i])
				continue;
			share = fmin(share_nearer(matrix, division, n, i, j),
				share_nearer(matrix, division, n, j, i));
			if (isnan(share))
				continue;
			cores++;
			farther += share >= NEARER_SHARE;
		}
	}
	if (cores < FEWEST_CORES || farther * 2 < cores)
		return;
	comparison->seen[k] = true;
	add_disagreement(comparison, ANALYSIS_CONTRADICTED,
		"Core: the topology has %zu pairs of SMT siblings, but %zu of "
		"these are farther from each other than from a quarter of the "
		"other CPUs, like random CPUs",
		cores, farther);
}

static void list_unseen_divisions(const struct division_comparison *comparison,
	const struct result *result)
{
	struct analysis *analysis = comparison->analysis;
	const struct machine_divisions *divisions = comparison->divisions;

	analysis->unseen =
		arena_alloc(comparison->arena, divisions->n, sizeof(char *));
	for (size_t k = 0; k < divisions->n; k++) {
		if (!comparison->seen[k] &&
			strcmp(divisions->items[k].name, "Core") == 0)
			check_sibling_distances(comparison, result, k);
	}
	for (size_t k = 0; k < divisions->n; k++) {
		if (comparison->seen[k])
			continue;
		analysis->unseen[analysis->n_unseen++] =
			format_division_names(comparison, k);
		/* The message names all equal divisions. */
		for (size_t i = k; i < divisions->n; i++)
			comparison->seen[i] |= are_same_division(comparison,
				divisions->items[i].group,
				divisions->items[k].group);
	}
}

struct topology_task {
	struct analysis *analysis;
	const struct result *result;
	const struct machine *machine;
	struct machine_divisions divisions;
};

/* Compare an analysis with the divisions. Of an epoch, compare only levels. */
static void compare_with_divisions(const struct topology_task *task,
	struct analysis *analysis, bool epoch, struct arena *arena)
{
	const struct machine_divisions *divisions = &task->divisions;
	const struct facts *machine = &task->result->machine;
	size_t n = analysis->cpus.n;
	struct division_comparison comparison = {
		.analysis = analysis,
		.divisions = divisions,
		.arena = arena,
		.n = n,
		.counts = arena_alloc(arena, n, sizeof(bool)),
		.overlap = arena_alloc(arena, 3 * n, sizeof(size_t)),
		.seen = arena_alloc(arena, divisions->n, sizeof(bool)),
		.denied = arena_alloc(arena, divisions->n, sizeof(bool)),
	};

	/* At most one disagreement for each level and one for the cores. */
	analysis->disagreements =
		arena_alloc(arena, analysis->n_levels + divisions->n,
			sizeof(*analysis->disagreements));
	for (size_t i = 0; i < n; i++)
		comparison.counts[i] = true;
	for (size_t k = 0; k < analysis->n_outliers; k++) {
		long at = cpu_list_find(
			&analysis->cpus, analysis->outliers[k].cpu);

		if (analysis->outliers[k].misfit && at >= 0)
			comparison.counts[at] = false;
	}
	for (size_t k = 0; k < analysis->n_levels; k++)
		name_level_by_division(
			&comparison, &analysis->levels[k], machine);
	for (size_t k = 0; k < analysis->n_perhaps; k++)
		name_level_by_division(
			&comparison, &analysis->perhaps[k], machine);
	kinds_infer(analysis, machine, arena);
	for (size_t k = 0; k < analysis->n_levels; k++)
		check_level_agrees(&comparison, &analysis->levels[k]);
	if (!epoch)
		list_unseen_divisions(&comparison, task->result);
	analysis->compared = true;
}

/* Equal disagreements of several epochs. */
struct epoch_disagreement {
	const struct analysis_disagreement *first;
	enum analysis_kind kind;
	size_t first_epoch, n_epochs;
};

/* Count a disagreement of epoch k: merge it with an equal one, or append it. */
static void count_epoch_disagreement(struct epoch_disagreement *list, size_t *n,
	size_t k, enum analysis_kind kind,
	const struct analysis_disagreement *item)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].kind == kind && list[i].first->what == item->what) {
			list[i].n_epochs++;
			return;
		}
	}
	list[(*n)++] = (struct epoch_disagreement){item, kind, k, 1};
}

static void merge_epoch_disagreements(
	struct analysis *analysis, struct arena *arena)
{
	const struct division_comparison comparison = {
		.analysis = analysis, .arena = arena};
	struct epoch_disagreement *list;
	size_t most = 0, n = 0, compared = 0;

	for (size_t k = 0; k < analysis->n_epochs; k++) {
		most += analysis->epochs[k].found->n_disagreements;
		compared += analysis->epochs[k].found->compared;
	}
	analysis->compared = compared > 0;
	list = arena_alloc(arena, most, sizeof(*list));
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		const struct analysis *found = analysis->epochs[k].found;
		const struct analysis_disagreement *next = found->disagreements;

		for (size_t i = 0; i < found->n_levels; i++) {
			if (found->levels[i].agrees == ANALYSIS_DISAGREES)
				count_epoch_disagreement(list, &n, k,
					found->levels[i].kind, next++);
		}
	}
	analysis->disagreements =
		arena_alloc(arena, n, sizeof(*analysis->disagreements));
	for (size_t i = 0; i < n; i++)
		add_disagreement(&comparison, list[i].first->what,
			"in %zu of %zu epochs%s epoch %zu: %s",
			list[i].n_epochs, compared,
			list[i].n_epochs > 1 ? "; for example" : ",",
			list[i].first_epoch + 1, list[i].first->text);
}

static void compare_epoch_divisions(
	const struct topology_task *task, struct arena *arena)
{
	struct analysis *analysis = task->analysis;

	for (size_t k = 0; k < analysis->n_epochs; k++) {
		struct analysis *found = analysis->epochs[k].found;

		if (found->placement == ANALYSIS_STABLE)
			compare_with_divisions(task, found, true, arena);
	}
	merge_epoch_disagreements(analysis, arena);
}

/* Return the core of each CPU; NULL if the topology reports no cores. */
static const uint32_t *find_cores(const struct machine_divisions *divisions,
	size_t n, struct arena *arena)
{
	for (size_t k = 0; k < divisions->n; k++) {
		const struct machine_division *division = &divisions->items[k];

		if (strcmp(division->name, "Core") == 0)
			return arena_copy(
				arena, division->group, n, sizeof(uint32_t));
	}
	return NULL;
}

static int compare_with_topology(
	struct arena *arena, void *context, struct error *err)
{
	struct topology_task *task = context;

	(void)err;
	if (task->analysis->placement == ANALYSIS_STABLE)
		compare_with_divisions(task, task->analysis, false, arena);
	else
		compare_epoch_divisions(task, arena);
	nearest_fill(task->analysis, task->result,
		find_cores(&task->divisions, task->analysis->cpus.n, arena),
		arena);
	topology_verdict_find(task->analysis,
		machine_facts(task->machine)->hypervisor ||
			facts_text(&task->result->machine, "hypervisor"),
		arena);
	return 0;
}

int analysis_compare_topology(struct analysis *analysis,
	const struct result *result, const struct machine *machine,
	struct error *err)
{
	struct topology_task task = {
		.analysis = analysis, .result = result, .machine = machine};
	int rc = machine_divide(machine, &analysis->cpus, &task.divisions, err);

	if (rc == 0)
		rc = arena_run(&analysis->memory, compare_with_topology, &task,
			"the comparison with the topology", err);
	machine_divisions_release(&task.divisions);
	return rc;
}
