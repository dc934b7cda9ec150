/*
 * Two CPUs share an object if a group contains both, and its level is of the
 * requested kind or of an inner kind. They do not share the object if a level
 * of the requested kind or of an outer kind divides them. A level of unknown
 * kind counts for all its possible kinds.
 *
 * If no level decides:
 * - CPUs are not SMT siblings if they are far apart, if three CPUs are
 *   requested and cores have two threads, or if no level divides a set of CPUs
 *   that is larger than a core.
 * - A pair whose kind is unknown because of a coarse clock is a pair of
 *   siblings if it is as near as siblings.
 * - CPUs share a cache and a package if they are as near as CPUs that share a
 *   cache. All pairs of the record that no level divides and that are about as
 *   near or nearer must also be this near.
 * - On bare metal, the topology decides unless latencies contradict it. A
 *   hypervisor may report any topology.
 *
 * A pair without a value is undecided. If the record has a second measurement
 * after a rest, CPUs must share the object in both measurements.
 */
#include "analyze/cpus_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kinds.h"
#include "analyze/levels/level_constants.h"
#include "analyze/nearest.h"
#include "stat/stat.h"
#include "util/text.h"

/* CPUs share a cache up to this multiple of the median of sharing pairs. */
#define CACHE_SPREAD 1.5

/* Fewest CPUs that may be all alike, and the largest ratio of their values. */
#define ALIKE_CPUS  4
#define ALIKE_RATIO 2

static const char *const share_names[] = {
	[ANALYSIS_SMT] = "share core",
	[ANALYSIS_LLC] = "share llc",
	[ANALYSIS_NODE] = "share node",
	[ANALYSIS_PACKAGE] = "share package",
};

const char *const share_nouns[] = {
	[ANALYSIS_SMT] = "a core",
	[ANALYSIS_LLC] = "a last-level cache",
	[ANALYSIS_NODE] = "a NUMA node",
	[ANALYSIS_PACKAGE] = "a package",
};

/* How c2c judged a pair. */
enum share_basis {
	BASIS_NOTHING,
	BASIS_LEVEL,
	BASIS_LATENCY,
	BASIS_SYSTEM,
};

struct share_pair {
	size_t a, b; /* rows */
	enum check_answer answer;
	enum share_basis basis;
	double ns;
	double limit_ns; /* largest ns of sharing, or NaN */
	const struct analysis_level *doubted; /* decides if certain */
};

struct share_judge {
	const struct share_question *question;
	const struct matrix *matrix;
	double factor; /* factor to convert values to one-way ns */
	struct level_constants constants;
	bool is_virtual;
	struct share_pair *pairs; /* [n_pairs] */
	size_t n_pairs;
};

bool share_has_latencies(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);

	return matrix && !result_is_of_nodes(result) &&
	       !result_is_of_units(result) && text_same(matrix->unit, "ns") &&
	       !matrix->higher_is_better;
}

/* Find the innermost and the outermost kind that a level may be. */
static void list_possible_kinds(const struct analysis_level *level,
	enum analysis_kind *inner, enum analysis_kind *outer)
{
	*inner = *outer = level->kind;
	if (level->kind != ANALYSIS_GROUP)
		return;
	*inner = level->n_may_be ? level->may_be[0] : ANALYSIS_SMT;
	/* A level of any possible kind proves no sharing. */
	*outer = level->n_may_be ? level->may_be[0] : ANALYSIS_GROUP;
	for (size_t k = 1; k < level->n_may_be; k++) {
		if (level->may_be[k] < *inner)
			*inner = level->may_be[k];
		if (level->may_be[k] > *outer)
			*outer = level->may_be[k];
	}
}

/* Judge a pair by levels. */
static void ask_levels(const struct share_judge *judge, struct share_pair *pair)
{
	const struct analysis *analysis = judge->question->analysis;
	enum analysis_kind kind = judge->question->kind;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		bool same = level->group[pair->a] == level->group[pair->b];
		double middle =
			(level->inside + level->between) / 2 * level->to_ns;
		enum analysis_kind inner, outer;

		if (!level->nested)
			continue;
		list_possible_kinds(level, &inner, &outer);
		if (same ? kind < outer : kind > inner)
			continue;
		/* A divided pair below the midpoint contradicts the level. */
		if (level->confidence < ANALYSIS_CERTAIN ||
			(!same && pair->ns < middle)) {
			pair->doubted = level;
			continue;
		}
		pair->answer = same ? CHECK_HOLDS : CHECK_FAILS;
		pair->basis = BASIS_LEVEL;
		pair->limit_ns = middle;
		return;
	}
}

/* Whether no level may be the level of cores. */
static bool has_no_cores(const struct analysis *analysis)
{
	const struct analysis_level *first = analysis->levels;

	if (analysis->n_levels == 0 && analysis->n_perhaps == 0 &&
		analysis->cpus.n >= ALIKE_CPUS &&
		analysis->ratio <= ALIKE_RATIO)
		return true;
	return analysis->n_levels > 0 && first->nested &&
	       first->kind != ANALYSIS_GROUP && first->kind != ANALYSIS_SMT &&
	       first->confidence >= ANALYSIS_CERTAIN;
}

/* Whether the first level has only pairs and an unknown kind. */
static bool is_of_pairs(const struct analysis *analysis)
{
	const struct analysis_level *first = analysis->levels;

	return analysis->n_levels > 0 && first->nested &&
	       first->n_may_be == 0 && first->confidence >= ANALYSIS_CERTAIN &&
	       2 * first->n_groups == analysis->cpus.n;
}

/* Judge by latencies alone whether two CPUs are SMT siblings. */
static void ask_distance(
	const struct share_judge *judge, struct share_pair *pair)
{
	const struct share_question *question = judge->question;
	const struct analysis *analysis = question->analysis;
	const char *arch = facts_text(&question->result->machine, "arch");
	bool two_threads = kinds_have_two_threads(arch);
	double siblings_ns = judge->constants.siblings_ns;
	double limit_ns = has_no_cores(analysis) ? siblings_ns
						 : judge->constants.cluster_ns;

	if (question->kind != ANALYSIS_SMT)
		return;
	if (pair->ns >= limit_ns || (two_threads && question->n > 2)) {
		pair->answer = CHECK_FAILS;
		pair->limit_ns = limit_ns;
	} else if (is_of_pairs(analysis) && pair->ns < siblings_ns &&
		   analysis->levels->group[pair->a] ==
			   analysis->levels->group[pair->b]) {
		pair->answer = CHECK_HOLDS;
		pair->limit_ns = siblings_ns;
	} else {
		return;
	}
	pair->basis = BASIS_LATENCY;
}

/* Judge a pair by the topology (bare metal). */
static void ask_system(const struct share_judge *judge, struct share_pair *pair)
{
	const struct share_question *question = judge->question;
	const struct machine *machine = question->machine;
	const unsigned *cpus = question->result->cpus.cpus;
	unsigned a = cpus[pair->a], b = cpus[pair->b];
	const char *shared;
	bool same = false;

	if (!machine || judge->is_virtual ||
		question->analysis->verdict == ANALYSIS_VERDICT_DISAGREES)
		return;
	shared = machine_shared_by(machine, a, b);
	if (!shared)
		return;
	if (question->kind == ANALYSIS_LLC && !machine_has_llcs(machine, a, b))
		return;
	if (question->kind == ANALYSIS_SMT)
		same = strcmp(shared, "Core") == 0;
	else if (question->kind == ANALYSIS_LLC)
		same = machine_share_llc(machine, a, b);
	else if (question->kind == ANALYSIS_NODE)
		same = machine_own_node_of(machine, a) ==
		       machine_own_node_of(machine, b);
	else
		same = machine_share_package(machine, a, b);
	pair->answer = same ? CHECK_HOLDS : CHECK_FAILS;
	pair->basis = BASIS_SYSTEM;
}

/* Return a pair, judged by levels. */
static struct share_pair find_measured_pair(
	const struct share_judge *judge, size_t a, size_t b)
{
	struct share_pair pair = {
		.a = a, .b = b, .answer = CHECK_UNKNOWN, .limit_ns = NAN};

	pair.ns =
		judge->factor * nearest_matrix_value(judge->matrix,
					judge->question->result->cpus.n, a, b);
	if (!isnan(pair.ns))
		ask_levels(judge, &pair);
	return pair;
}

static bool is_undivided(const struct share_pair *pair)
{
	return pair->answer == CHECK_UNKNOWN && !pair->doubted &&
	       !isnan(pair->ns);
}

/* Return the ns of all undivided pairs, nearest first. */
static double *list_undivided_ns(
	const struct share_judge *judge, size_t *n, struct arena *arena)
{
	size_t n_cpus = judge->question->result->cpus.n;
	double *ns = arena_alloc(arena, n_cpus * n_cpus, sizeof(*ns));

	*n = 0;
	for (size_t i = 0; i < n_cpus; i++) {
		for (size_t j = i + 1; j < n_cpus; j++) {
			const struct share_pair pair =
				find_measured_pair(judge, i, j);

			if (is_undivided(&pair))
				ns[(*n)++] = pair.ns;
		}
	}
	stat_sort(ns, *n);
	return ns;
}

/* Return the median of the values of sorted ns[n] up to `most`. */
static double find_median_within(const double *ns, size_t n, double most)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ns[middle] <= most)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? ns[(low - 1) / 2] : NAN;
}

/* Judge by distance whether these CPUs share a cache. */
static void ask_nearness(struct share_judge *judge, struct arena *arena)
{
	enum analysis_kind kind = judge->question->kind;
	const double *ns;
	size_t n;

	if (kind != ANALYSIS_LLC && kind != ANALYSIS_PACKAGE)
		return;
	ns = list_undivided_ns(judge, &n, arena);
	for (size_t k = 0; k < judge->n_pairs; k++) {
		struct share_pair *pair = &judge->pairs[k];
		double middle =
			find_median_within(ns, n, CACHE_SPREAD * pair->ns);

		if (!is_undivided(pair) || middle > ANALYSIS_CACHE_NS ||
			pair->ns > CACHE_SPREAD * middle)
			continue;
		pair->answer = CHECK_HOLDS;
		pair->basis = BASIS_LATENCY;
		/* largest latency after a rest */
		pair->limit_ns =
			fmax(ANALYSIS_CACHE_NS, CACHE_SPREAD * pair->ns);
	}
}

static void judge_pairs(struct share_judge *judge, struct arena *arena)
{
	const struct share_question *question = judge->question;

	judge->pairs = arena_alloc(arena, question->n * (question->n - 1) / 2,
		sizeof(*judge->pairs));
	for (size_t i = 0; i < question->n; i++) {
		for (size_t j = i + 1; j < question->n; j++) {
			struct share_pair *pair =
				&judge->pairs[judge->n_pairs++];

			*pair = find_measured_pair(
				judge, question->rows[i], question->rows[j]);
			if (pair->answer == CHECK_UNKNOWN && !isnan(pair->ns))
				ask_distance(judge, pair);
		}
	}
	ask_nearness(judge, arena);
	for (size_t k = 0; k < judge->n_pairs; k++) {
		struct share_pair *pair = &judge->pairs[k];

		if (pair->answer == CHECK_UNKNOWN && !isnan(pair->ns))
			ask_system(judge, pair);
	}
}

static const char *list_rows(const struct share_judge *judge,
	const size_t *rows, size_t n, unsigned *cpus, struct arena *arena)
{
	struct cpu_list list = {cpus, n};

	for (size_t i = 0; i < n; i++)
		cpus[i] = judge->question->result->cpus.cpus[rows[i]];
	cpu_list_sort(&list);
	return arena_adopt(arena, cpu_list_format(&list));
}

static const struct share_pair *find_share_pair(
	const struct share_judge *judge, size_t a, size_t b)
{
	const struct share_pair *pair = judge->pairs;

	while (!((pair->a == a && pair->b == b) ||
		 (pair->a == b && pair->b == a)))
		pair++;
	return pair;
}

/* Add a finding about CPUs that share with no other requested CPU. */
static void add_apart(const struct share_judge *judge,
	struct machine_check *check, struct arena *arena)
{
	const struct share_question *question = judge->question;
	size_t n = question->n, n_near = 0, n_far = 0, n_ns = 0, first = 0;
	size_t *near = arena_alloc(arena, n, sizeof(*near));
	size_t *far = arena_alloc(arena, n, sizeof(*far));
	unsigned *cpus = arena_alloc(arena, n, sizeof(*cpus));
	double *ns = arena_alloc(arena, n * n, sizeof(*ns));
	bool by_system = true;
	const char *ones, *others;
	struct check_finding *finding;
	char middle[TEXT_NUMBER_BYTES];

	while (judge->pairs[first].answer != CHECK_FAILS)
		first++;
	for (size_t i = 0; i < n; i++) {
		size_t row = question->rows[i], lead = judge->pairs[first].a;

		if (row != lead && find_share_pair(judge, lead, row)->answer ==
					   CHECK_FAILS)
			far[n_far++] = row;
		else
			near[n_near++] = row;
	}
	for (size_t i = 0; i < n_near; i++) {
		for (size_t j = 0; j < n_far; j++) {
			const struct share_pair *pair =
				find_share_pair(judge, near[i], far[j]);

			by_system &= pair->basis == BASIS_SYSTEM;
			if (!isnan(pair->ns))
				ns[n_ns++] = pair->ns;
		}
	}
	ones = list_rows(judge, near, n_near, cpus, arena);
	others = list_rows(judge, far, n_far, cpus, arena);
	finding = check_add(check, arena, CHECK_FAILS, "apart",
		"CPU%s %s %s not share %s with CPU%s %s", n_far > 1 ? "s" : "",
		others, n_far > 1 ? "do" : "does", share_nouns[question->kind],
		n_near > 1 ? "s" : "", ones);
	check_name_cpus(finding, cpus, n_far, arena);
	finding->value = stat_median(ns, n_ns);
	finding->limit = judge->pairs[first].limit_ns;
	finding->unit = "ns";
	text_number(finding->value, middle);
	finding->text = arena_format(arena, "%s%s%s%s%s", finding->text,
		n_ns > 0 || by_system ? ": " : "",
		by_system
			? "the topology says so, and no latency contradicts it"
			: "",
		n_ns == 0   ? ""
		: by_system ? " ("
			    : "",
		n_ns == 0 ? ""
			  : arena_format(arena, "%s ns apart%s", middle,
				    by_system ? ")" : ""));
}

/* Return why a pair is undecided. */
static const char *explain_unknown(const struct share_judge *judge,
	const struct share_pair *pair, struct arena *arena)
{
	const struct share_question *question = judge->question;
	const struct analysis *analysis = question->analysis;

	if (pair->doubted && pair->doubted->confidence >= ANALYSIS_CERTAIN)
		return arena_format(arena,
			"a level divides the pair, but its groups also have "
			"%.3g ns inside",
			pair->ns);
	if (pair->doubted)
		return arena_format(arena,
			"the decisive level of %zu groups is doubtful "
			"(confidence %.2f)",
			pair->doubted->n_groups,
			analysis_confidence(pair->doubted->confidence));
	if (isnan(pair->ns))
		return "a pair of these CPUs has no value";
	if (analysis->placement == ANALYSIS_DRIFTING)
		return "CPUs moved during the run";
	if (analysis->resolution > 0 && analysis->n_levels > 0 &&
		analysis->levels->n_may_be == 0)
		return arena_format(arena,
			"the clock has steps of %.3g %s, which hide the kind "
			"of their group",
			analysis->resolution, analysis->resolution_unit);
	if (analysis->cpus.n == 2)
		return arena_format(arena,
			"the CPUs are %.3g ns apart, and no other pair exists "
			"for comparison",
			pair->ns);
	if (!judge->is_virtual && !question->machine)
		return "no level of the latencies decides, and no topology is "
		       "available";
	if (judge->is_virtual)
		return "no level of the latencies decides, and a hypervisor "
		       "may report any topology";
	if (analysis->verdict == ANALYSIS_VERDICT_DISAGREES)
		return "no level of the latencies decides, and the latencies "
		       "contradict the topology";
	return "neither a level of the latencies nor the topology decides";
}

static void add_unknown(const struct share_judge *judge,
	const struct share_pair *pair, const char *all,
	struct machine_check *check, struct arena *arena)
{
	const unsigned *cpus = judge->question->result->cpus.cpus;
	const unsigned both[] = {cpus[pair->a], cpus[pair->b]};
	struct check_finding *finding = check_add(check, arena, CHECK_UNKNOWN,
		"unknown", "CPUs %s may or may not share %s: %s", all,
		share_nouns[judge->question->kind],
		explain_unknown(judge, pair, arena));

	check_name_cpus(finding, both, 2, arena);
	finding->value = pair->ns;
	finding->unit = "ns";
}

/* Return a pair's latency after the rest if it exceeds the limit; else NaN. */
static double find_lost_ns(
	const struct share_judge *judge, const struct share_pair *pair)
{
	const struct result *result = judge->question->result;
	double ns =
		judge->factor *
		nearest_matrix_value(result_find_matrix(result,
					     judge->matrix->name, "after_rest"),
			result->cpus.n, pair->a, pair->b);

	return ns > pair->limit_ns ? ns : NAN;
}

/* Add the CPUs that stopped sharing during the rest; false: none. */
static bool add_moved(const struct share_judge *judge,
	struct machine_check *check, struct arena *arena)
{
	const struct share_question *question = judge->question;
	const unsigned *cpus = question->result->cpus.cpus;
	struct check_finding *finding;

	for (size_t k = 0; k < judge->n_pairs; k++) {
		const struct share_pair *pair = &judge->pairs[k];
		const unsigned both[] = {cpus[pair->a], cpus[pair->b]};
		double ns = find_lost_ns(judge, pair);
		/* A level of the whole run needs no check of epochs. */
		bool drifted =
			question->analysis->placement == ANALYSIS_DRIFTING &&
			pair->basis != BASIS_LEVEL;

		if (isnan(ns) && !drifted)
			continue;
		if (drifted)
			finding = check_add(check, arena, CHECK_UNKNOWN,
				"moved",
				"CPUs moved during the run, so CPUs %u and %u "
				"may not share %s for long",
				both[0], both[1], share_nouns[question->kind]);
		else
			finding = check_add(check, arena, CHECK_UNKNOWN,
				"moved",
				"CPUs %u and %u shared %s, but not after all "
				"CPUs had slept: %.3g ns before, %.3g ns after",
				both[0], both[1], share_nouns[question->kind],
				pair->ns, ns);
		check_name_cpus(finding, both, 2, arena);
		finding->value = drifted ? pair->ns : ns;
		finding->limit = pair->limit_ns;
		finding->unit = "ns";
		return true;
	}
	return false;
}

static void add_shared(const struct share_judge *judge, const char *all,
	unsigned *cpus, struct machine_check *check, struct arena *arena)
{
	double least = INFINITY, most = 0;
	bool by_system = true;
	struct check_finding *finding;
	char low[TEXT_NUMBER_BYTES], high[TEXT_NUMBER_BYTES];

	for (size_t k = 0; k < judge->n_pairs; k++) {
		least = fmin(least, judge->pairs[k].ns);
		most = fmax(most, judge->pairs[k].ns);
		by_system &= judge->pairs[k].basis == BASIS_SYSTEM;
	}
	text_number(least, low);
	text_number(most, high);
	finding = check_add(check, arena, CHECK_HOLDS, "shared",
		"CPUs %s share %s: %s%s%s%s ns apart%s", all,
		share_nouns[judge->question->kind],
		by_system ? "the topology says so, and no latency contradicts "
			    "it ("
			  : "",
		low, strcmp(low, high) == 0 ? "" : " to ",
		strcmp(low, high) == 0 ? "" : high, by_system ? ")" : "");
	check_name_cpus(finding, cpus, judge->question->n, arena);
	finding->value = most;
	finding->limit = judge->pairs[0].limit_ns;
	finding->unit = "ns";
}

static void judge_sharing(const struct share_question *question,
	struct machine_check *check, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(question->result);
	struct share_judge judge = {
		.question = question,
		.matrix = matrix,
		.factor = text_same(matrix->quantity, "round-trip") ? 0.5 : 1,
		.is_virtual =
			facts_text(&question->result->machine, "hypervisor"),
	};
	unsigned *cpus = arena_alloc(arena, question->n, sizeof(*cpus));
	const char *all =
		list_rows(&judge, question->rows, question->n, cpus, arena);
	const struct share_pair *unknown = NULL;

	level_constants_init(&judge.constants);
	judge_pairs(&judge, arena);
	for (size_t k = 0; k < judge.n_pairs; k++) {
		if (judge.pairs[k].answer == CHECK_FAILS) {
			add_apart(&judge, check, arena);
			return;
		}
		if (judge.pairs[k].answer == CHECK_UNKNOWN && !unknown)
			unknown = &judge.pairs[k];
	}
	if (unknown)
		add_unknown(&judge, unknown, all, check, arena);
	else if (!add_moved(&judge, check, arena))
		add_shared(&judge, all, cpus, check, arena);
}

void cpus_share_judge(const struct share_question *question,
	struct machine_check *check, struct arena *arena)
{
	judge_sharing(question, check, arena);
	check->findings[check->n - 1].name = share_names[question->kind];
}
