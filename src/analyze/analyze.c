/*
 * Analyses each matrix of several results separately, and merges the levels.
 *
 * The levels of the main result have priority. Rates and latencies show
 * different levels: a shared cache affects the rate of a queue more than the
 * latency of a line. A level of another matrix is added if it nests with all
 * levels found before. A level that contradicts an earlier level is left out.
 */
#include "analyze/analyze.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/caches/sharing.h"
#include "analyze/epochs/epochs.h"
#include "analyze/kinds.h"
#include "analyze/levels/groups.h"
#include "analyze/nearest.h"
#include "util/text.h"

const char *analysis_placement_doubt(enum analysis_placement placement)
{
	static const char *const doubts[] = {
		[ANALYSIS_DRIFTING] = "CPUs moved during the run",
		[ANALYSIS_MOVING_ASLEEP] =
			"the host moves these vCPUs when they sleep",
		[ANALYSIS_CANNOT_TELL] = "CPUs may have moved during the run",
		[ANALYSIS_TOO_FEW] =
			"there are too few CPUs to tell whether they moved",
	};

	return doubts[placement];
}

struct analysis_build {
	struct analysis *analysis;
	struct arena *arena; /* memory that the analysis keeps */
	struct arena *scratch;
};

size_t analysis_main_index(const struct result *results, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct matrix *matrix =
			result_find_matrix(&results[i], NULL, NULL);

		if (matrix && !matrix_near_is_high(matrix))
			return i;
	}
	for (size_t i = 0; i < n; i++) {
		if (!sharing_has_slowdowns(&results[i]))
			return i;
	}
	return 0;
}

int analysis_check_same_machine(const struct compare_side *a,
	const struct compare_side *b, const char *const keys[2],
	const char *advice, struct error *err)
{
	for (size_t i = 0; i < 2; i++) {
		const char *old = facts_text(&a->result->machine, keys[i]);
		const char *new = facts_text(&b->result->machine, keys[i]);

		if (old && new &&strcmp(old, new) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' was measured on %s, '%s' on %s: %s",
				a->source, old, b->source, new, advice);
	}
	return 0;
}

int analysis_check_same_cpus(const struct compare_side *a,
	const struct compare_side *b, const char *const keys[2],
	const char *advice, struct error *err)
{
	const struct compare_side *sides[] = {a, b};

	if (analysis_check_same_machine(a, b, keys, advice, err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < 2; i++) {
		const struct cpu_list *has = &sides[i]->result->cpus;
		const struct cpu_list *lacks = &sides[!i]->result->cpus;

		for (size_t k = 0; k < has->n; k++) {
			if (cpu_list_find(lacks, has->cpus[k]) >= 0)
				continue;
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has CPU %u and '%s' does not: %s",
				sides[i]->source, has->cpus[k],
				sides[!i]->source, advice);
		}
	}
	return 0;
}

static void find_matrix_groups(const struct analysis_build *build,
	const struct result *result, const struct matrix *matrix,
	struct groups *groups)
{
	const struct cpu_list *cpus = &build->analysis->cpus;
	const struct matrix *low =
		result_find_matrix(result, matrix->name, "ci_low");
	const struct matrix *high =
		result_find_matrix(result, matrix->name, "ci_high");
	size_t *order = arena_alloc(build->scratch, cpus->n, sizeof(*order));
	struct groups_input input = {
		.n = cpus->n,
		.order = order,
		.values = matrix->values,
		.ci_low = low ? low->values : NULL,
		.ci_high = high ? high->values : NULL,
		.near_is_high = matrix_near_is_high(matrix),
		.is_virtual = facts_text(&result->machine, "hypervisor"),
	};

	for (size_t i = 0; i < cpus->n; i++)
		order[i] = (size_t)cpu_list_find(&result->cpus, cpus->cpus[i]);
	groups_find(&input, groups, build->scratch);
}

/*
 * Return the index at which to add a level of another matrix; set *known if the
 * index has an equal level. Return more than the number of levels if the level
 * contradicts a known level. scratch[n].
 */
static size_t find_level_position(const struct analysis *analysis,
	const struct analysis_level *level, size_t *scratch, bool *known)
{
	size_t n = analysis->cpus.n, place = 0;

	*known = false;
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *other = &analysis->levels[k];
		bool finer = other->n_groups > level->n_groups;

		if (other->nested != level->nested)
			continue;
		if (groups_same(other->group, level->group, n)) {
			*known = true;
			return k;
		}
		/* Classes do not nest, and one level of classes is enough. */
		if (!level->nested ||
			!groups_within(finer ? other->group : level->group,
				finer ? level->group : other->group, n, NULL,
				scratch))
			return analysis->n_levels + 1;
		if (finer)
			place = k + 1;
	}
	return level->nested ? place : analysis->n_levels;
}

/*
 * Return the factor that converts a value to one-way latency in ns; 0 if the
 * values are not times.
 */
static double matrix_ns_factor(const struct matrix *matrix)
{
	bool both = text_same(matrix->quantity, "round-trip");

	if (text_same(matrix->unit, "us"))
		return both ? 500 : 1000;
	if (text_same(matrix->unit, "ns"))
		return both ? 0.5 : 1;
	return 0;
}

/* List each group once, represented by its first inferred CPU. */
static const char *explain_inferred(
	const struct analysis_build *build, const struct analysis_level *level)
{
	size_t n = build->analysis->cpus.n;
	uint32_t *group = arena_alloc(build->scratch, n, sizeof(*group));

	for (size_t i = 0; i < n; i++) {
		size_t first = level->inferred[i] ? 0 : i;

		while (first < i &&
			!(level->inferred[first] &&
				level->group[first] == level->group[i]))
			first++;
		group[i] = (uint32_t)first;
	}
	return arena_format(build->arena,
		"%s were not measured; their distances to other CPUs suggest "
		"these groups%s%s",
		analysis_list_groups(build->analysis, group, build->scratch),
		level->doubt ? "; " : "", level->doubt ? level->doubt : "");
}

/* Copy a level into memory that the analysis keeps. */
static void keep_level(const struct analysis_build *build,
	struct analysis_level *level, const struct matrix *matrix)
{
	size_t n = build->analysis->cpus.n;

	if (!level->unit)
		level->unit = arena_strdup(build->arena, matrix->unit);
	level->group = arena_copy(
		build->arena, level->group, n, sizeof(*level->group));
	if (!level->inferred)
		return;
	level->inferred = arena_copy(
		build->arena, level->inferred, n, sizeof(*level->inferred));
	level->doubt = explain_inferred(build, level);
}

static void add_analysis_level(const struct analysis_build *build,
	const struct analysis_level *level, const struct matrix *matrix)
{
	struct analysis *analysis = build->analysis;
	size_t n = analysis->cpus.n, rest;
	struct analysis_level *own;
	bool known;
	size_t place = find_level_position(analysis, level,
		arena_alloc(build->scratch, n, sizeof(size_t)), &known);

	if (place > analysis->n_levels) {
		analysis->n_left_out += level->nested;
		return;
	}
	if (known) {
		own = &analysis->levels[place];
		if (level->confidence <= own->confidence)
			return;
		own->confidence = level->confidence;
		own->doubt = level->doubt;
		own->inferred = level->inferred;
		keep_level(build, own, matrix);
		return;
	}
	analysis->levels = arena_grow(build->arena, analysis->levels,
		analysis->n_levels, sizeof(*own));
	own = &analysis->levels[place];
	rest = analysis->n_levels++ - place;
	memmove(own + 1, own, rest * sizeof(*own));
	*own = *level;
	own->of_rates = matrix_near_is_high(matrix);
	own->to_ns = matrix_ns_factor(matrix);
	keep_level(build, own, matrix);
}

static void add_perhaps_level(const struct analysis_build *build,
	const struct analysis_level *level, const struct matrix *matrix)
{
	struct analysis *analysis = build->analysis;

	analysis->perhaps = arena_grow(build->arena, analysis->perhaps,
		analysis->n_perhaps, sizeof(*analysis->perhaps));
	analysis->perhaps[analysis->n_perhaps] = *level;
	keep_level(build, &analysis->perhaps[analysis->n_perhaps++], matrix);
}

static char *explain_outlier(const struct groups *groups,
	const struct groups_outlier *outlier, struct arena *arena)
{
	if (outlier->why == GROUPS_WHY_UNMEASURED)
		return arena_strdup(arena,
			"almost no usable values, so the CPU is in no group");
	if (outlier->why == GROUPS_WHY_MISFIT)
		return arena_format(arena,
			"the CPU does not fit the level of %zu groups: it is "
			"as near to other groups as to its own",
			groups->levels[outlier->level].n_groups);
	return arena_format(arena, "%.0f %% %s all CPUs than similar CPUs",
		fabs(outlier->ratio - 1) * 100,
		outlier->why == GROUPS_WHY_SLOW ? "farther from" : "nearer to");
}

static void add_outliers(
	const struct analysis_build *build, const struct groups *groups)
{
	struct analysis *analysis = build->analysis;
	size_t n = groups->n_outliers;

	analysis->outliers =
		arena_alloc(build->arena, n, sizeof(*analysis->outliers));
	analysis->n_outliers = n;
	for (size_t k = 0; k < n; k++) {
		const struct groups_outlier *outlier = &groups->outliers[k];
		bool of_level = outlier->why == GROUPS_WHY_MISFIT;
		bool misfit = of_level || outlier->why == GROUPS_WHY_UNMEASURED;

		analysis->outliers[k] = (struct analysis_outlier){
			.cpu = analysis->cpus.cpus[outlier->cpu],
			.misfit = misfit,
			.why = explain_outlier(groups, outlier, build->arena),
			.n_groups = of_level ? groups->levels[outlier->level]
						       .n_groups
					     : 0,
			.change = misfit ? 0 : outlier->ratio - 1,
		};
	}
}

/* Find the shortest time between two CPUs, and the ratio longest / shortest. */
static void find_value_range(
	struct analysis *analysis, const struct matrix *matrix)
{
	size_t n = analysis->cpus.n;
	double least = NAN, most = NAN;

	for (size_t k = 0; k < n * n; k++) {
		double value = matrix->values[k];

		if (k / n == k % n || isnan(value))
			continue;
		least = least <= value ? least : value;
		most = most >= value ? most : value;
	}
	analysis->least_ns = matrix_ns_factor(matrix) > 0
				     ? least * matrix_ns_factor(matrix)
				     : NAN;
	analysis->ratio = least > 0 ? most / least : NAN;
}

/* Add the levels of a matrix. Add the main matrix first. */
static void add_matrix_levels(const struct analysis_build *build,
	const struct result *result, const struct matrix *matrix, bool first)
{
	struct analysis *analysis = build->analysis;
	struct groups groups;

	if (first) {
		analysis->missing = arena_alloc(build->arena, ANALYSIS_NAMED,
			sizeof(*analysis->missing));
		nearest_fill_missing(result, analysis->missing, ANALYSIS_NAMED);
		find_value_range(analysis, matrix);
	}
	if (matrix_is_slowdown(matrix))
		sharing_find(result, &analysis->cpus, &groups, build->scratch);
	else
		find_matrix_groups(build, result, matrix, &groups);
	if (first) {
		analysis->placement = groups.placement;
		analysis->n_missing = groups.n_missing;
		analysis->resolution = groups.step;
		if (groups.step > 0)
			analysis->resolution_unit =
				arena_strdup(build->arena, matrix->unit);
		analysis->is_round_trip =
			text_same(matrix->quantity, "round-trip");
		add_outliers(build, &groups);
	}
	for (size_t k = 0; k < groups.n_levels; k++) {
		if (groups.levels[k].confidence >= ANALYSIS_LEAST)
			add_analysis_level(build, &groups.levels[k], matrix);
		else if (first &&
			 groups.levels[k].confidence >= ANALYSIS_PERHAPS)
			add_perhaps_level(build, &groups.levels[k], matrix);
	}
	arena_release(build->scratch);
}

/* Add the levels of each matrix (its main statistic): the main one first. */
static void add_result_levels(const struct analysis_build *build,
	const struct result *result, bool first)
{
	const struct matrix *main = nearest_matrix(result);

	add_matrix_levels(build, result, main, first);
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (matrix != main && matrix == result_find_matrix(result,
							matrix->name, NULL))
			add_matrix_levels(build, result, matrix, false);
	}
}

static struct analysis_level *find_classes(struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].kind == ANALYSIS_CLASS)
			return &analysis->levels[k];
	}
	return NULL;
}

/*
 * A move does not change the type of a core. If classes differ between epochs,
 * or no epoch confirms them, they are CPUs with busy neighbours.
 */
static bool classes_are_confirmed(struct analysis *analysis)
{
	const struct analysis_level *first = find_classes(analysis);
	size_t n = analysis->cpus.n;

	if (analysis->placement == ANALYSIS_STABLE)
		return true;
	for (size_t k = 0; first && k < analysis->n_epochs; k++) {
		const struct analysis_level *level =
			find_classes(analysis->epochs[k].found);

		if (!level || !groups_same(level->group, first->group, n))
			return false;
	}
	return first && analysis->n_epochs > 1;
}

static void drop_classes(struct analysis *analysis)
{
	if (find_classes(analysis))
		analysis->n_levels--;
}

/*
 * Return the passes of the main matrix; NULL if the record has none, or if the
 * run resumed an earlier run: the host may have moved vCPUs between the two
 * runs, and the times of their passes overlap.
 */
static const struct passes *find_passes(const struct result *result)
{
	const struct passes *found = NULL;

	for (size_t i = 0; i < result->n_kept; i++) {
		if (strcmp(result->kept[i].name,
			    nearest_matrix(result)->name) != 0)
			continue;
		if (found)
			return NULL;
		found = &result->kept[i];
	}
	return found;
}

/* Analyse each epoch separately, from its passes. */
static void add_epochs(
	struct analysis_build *build, const struct result *result)
{
	struct analysis *analysis = build->analysis;
	const struct passes *passes = find_passes(result);

	if (!passes)
		return;
	analysis->n_epochs = epochs_find(passes, result->cpus.n,
		result->elapsed_s, &analysis->epochs, build->arena);
	if (analysis->n_epochs > 1)
		analysis->placement = ANALYSIS_DRIFTING;
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		struct analysis_epoch *epoch = &analysis->epochs[k];
		struct analysis_build alone = *build;
		struct result numbers;

		epoch->found = alone.analysis =
			arena_alloc(build->arena, 1, sizeof(*epoch->found));
		epoch->found->cpus = analysis->cpus;
		epoch->found->member = analysis->member;
		if (epoch_result(result, passes, epoch, &numbers, NULL) < 0)
			arena_fail(build->arena);
		add_result_levels(&alone, &numbers, true);
		kinds_infer(epoch->found, &result->machine, build->scratch);
		result_release(&numbers);
	}
	/* One epoch equals the whole run. */
	if (analysis->n_epochs == 1)
		analysis->epochs[0].found->placement = analysis->placement;
}

/* The requested epoch. */
struct epoch_request {
	const struct result *result;
	uint64_t number;
	struct result *out;
};

static int choose_epoch(struct arena *arena, void *context, struct error *err)
{
	const struct epoch_request *choice = context;
	const struct result *result = choice->result;
	const struct passes *passes =
		result->n_matrices ? find_passes(result) : NULL;
	struct analysis_epoch *epochs;
	size_t n;

	if (result->n_kept == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: the file has no passes (measure with "
			"--keep-passes)");
	if (!passes)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: the run resumed another run, and CPUs may "
			"have moved between the runs");
	n = epochs_find(
		passes, result->cpus.n, result->elapsed_s, &epochs, arena);
	if (n == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: epochs need %d complete passes over at "
			"least two CPUs, and the file has %zu passes (measure "
			"with --passes %d:)",
			EPOCHS_PASSES_MIN, passes->n_passes, EPOCHS_PASSES_MIN);
	if (choice->number > n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no epoch %" PRIu64 ": there %s %zu", choice->number,
			n == 1 ? "is" : "are", n);
	return epoch_result(result, passes,
		&epochs[(choice->number ? choice->number : n) - 1], choice->out,
		err);
}

int analysis_extract_epoch(const struct result *result, uint64_t number,
	struct result *out, struct error *err)
{
	struct epoch_request choice = {result, number, out};
	struct arena arena = {0};
	int rc = arena_run(&arena, choose_epoch, &choice, "the epochs", err);

	arena_release(&arena);
	return rc;
}

static bool analysis_has_level(
	const struct analysis *analysis, const struct analysis_level *level)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *other = &analysis->levels[k];

		if (other->nested == level->nested &&
			groups_same(
				other->group, level->group, analysis->cpus.n))
			return true;
	}
	return false;
}

/* Drop uncertain levels that another matrix confirmed, or if CPUs moved. */
static void filter_perhaps_levels(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		if (analysis->placement == ANALYSIS_STABLE &&
			!analysis_has_level(analysis, &analysis->perhaps[k]))
			analysis->perhaps[kept++] = analysis->perhaps[k];
	}
	analysis->n_perhaps = kept;
}

static void drop_misfit_outliers(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t k = 0; k < analysis->n_outliers; k++) {
		if (!analysis->outliers[k].misfit)
			analysis->outliers[kept++] = analysis->outliers[k];
	}
	analysis->n_outliers = kept;
}

/*
 * If CPUs moved, the confidence of a level for the whole run is limited by the
 * share of epochs that have it; without epochs its confidence is 0.
 */
static void keep_lasting_levels(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];
		size_t lasted = 0;
		double share;

		for (size_t e = 0; e < analysis->n_epochs; e++)
			lasted += analysis_has_level(
				analysis->epochs[e].found, level);
		share = analysis->n_epochs
				? (double)lasted / (double)analysis->n_epochs
				: 0;
		if (share < 1 && (share < level->confidence || !level->doubt))
			level->doubt = "not every epoch has these groups";
		level->confidence *= share;
		if (level->confidence >= ANALYSIS_LEAST)
			analysis->levels[kept++] = *level;
	}
	analysis->n_levels = kept;
	if (kept == 0)
		drop_misfit_outliers(analysis);
}

/*
 * Check that results are from one machine and, except for witnesses that only
 * confirm the main result, have the same CPUs.
 */
static int check_analysed_together(const struct result *results,
	const char *const *sources, size_t main, size_t i, struct error *err)
{
	static const char *const keys[] = {"hostname", "cpu_model"};
	const struct compare_side sides[] = {
		{.result = results + main, .source = sources[main]},
		{.result = results + i, .source = sources[i]}};
	bool evidence = sharing_has_slowdowns(sides[1].result) &&
			!sharing_has_slowdowns(sides[0].result);

	return (evidence ? analysis_check_same_machine
			 : analysis_check_same_cpus)(&sides[0], &sides[1], keys,
		"analyse only files of one machine and the same CPUs together",
		err);
}

static int check_results(const struct result *results,
	const char *const *sources, size_t n, struct error *err)
{
	size_t main = analysis_main_index(results, n);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (results[i].n_matrices == 0)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' holds no matrix to analyse%s", sources[i],
				results[i].n_curves ? ", only curves" : "");
		else if (result_is_of_nodes(&results[i]))
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has matrices of NUMA nodes, but groups "
				"consist of CPUs: measure with 'c2c latency'",
				sources[i]);
		else if (results[i].cpus.n < 2)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has only one CPU; groups need two or "
				"more",
				sources[i]);
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i != main)
			rc = check_analysed_together(
				results, sources, main, i, err);
	}
	return rc;
}

/* Whether the main matrix has numbers. Unusable numbers are too uncertain. */
static bool has_uncertain_values(const struct result *main, size_t n)
{
	const struct matrix *matrix = nearest_matrix(main);

	for (size_t i = 0; i < n * n && !matrix_is_slowdown(matrix); i++) {
		if (i % (n + 1) && isfinite(matrix->values[i]) &&
			matrix->values[i] > 0)
			return true;
	}
	return false;
}

static int check_usable_numbers(const struct analysis *analysis,
	const struct result *main, const char *source, struct error *err)
{
	size_t n = analysis->cpus.n;

	if (analysis->n_missing < n * (n - 1) / 2)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' has no usable number for any pair of CPUs in its first "
		"matrix%s",
		source,
		has_uncertain_values(main, n)
			? ": the intervals are wider than a factor of two, "
			  "because passes or runs differ so much; measure "
			  "again with more passes or runs, or on a quieter "
			  "machine"
			: "");
}

struct analysis_task {
	const struct result *results;
	const char *const *sources;
	size_t n, main; /* number of results; index of the main result */
	struct analysis *analysis;
	struct arena scratch;
};

/* Whether result i has slowdowns and the main result does not. */
static bool is_sharing_evidence(const struct analysis_task *task, size_t i)
{
	return sharing_has_slowdowns(&task->results[i]) &&
	       !sharing_has_slowdowns(&task->results[task->main]);
}

bool analysis_has_moved(const struct result *result, struct arena *arena)
{
	const struct passes *passes = find_passes(result);
	const struct arena_block *mark = arena->last;
	struct analysis_epoch *epochs;
	size_t n = 0;

	if (passes)
		n = epochs_find(passes, result->cpus.n, result->elapsed_s,
			&epochs, arena);
	arena_rewind(arena, mark);
	return n > 1 || run_epochs(&result->run) ||
	       result->run.verdict == RUN_DRIFTED;
}

/* Whether a result alone has the same innermost groups as the analysis. */
static bool shows_same_groups(
	const struct analysis_build *build, const struct result *result)
{
	const struct analysis *analysis = build->analysis;
	struct groups groups;
	const struct analysis_level *level = NULL;
	bool same;

	find_matrix_groups(
		build, result, result_find_matrix(result, NULL, NULL), &groups);
	if (groups.n_levels > 0 && groups.levels[0].nested &&
		groups.levels[0].confidence >= ANALYSIS_LEAST)
		level = &groups.levels[0];
	if (level && analysis->n_levels > 0)
		same = groups_same(level->group, analysis->levels[0].group,
			analysis->cpus.n);
	else
		same = !level && analysis->n_levels == 0;
	arena_release(build->scratch);
	return same;
}

/*
 * Return why vCPUs may have moved between runs. Another latency run can prove a
 * move, but not its absence.
 */
static const char *find_host_caveat(
	const struct analysis_build *build, const struct analysis_task *task)
{
	for (size_t i = 0; i < task->n; i++) {
		const struct matrix *matrix =
			result_find_matrix(&task->results[i], NULL, NULL);

		if (i == task->main || matrix_near_is_high(matrix))
			continue;
		if (!shows_same_groups(build, &task->results[i]))
			return arena_format(build->arena,
				"%s and %s show different groups: the host "
				"moved vCPUs between the runs",
				task->sources[task->main], task->sources[i]);
	}
	if (!facts_text(&task->results[task->main].machine, "hypervisor"))
		return NULL;
	return "the host may have moved vCPUs between the runs";
}

/*
 * Return why a difference between the main result and a witness proves nothing,
 * or NULL.
 */
static const char *find_evidence_caveat(const struct analysis_build *build,
	const struct analysis_task *task, size_t i)
{
	const struct result *main = &task->results[task->main];
	const struct result *evidence = &task->results[i];
	const char *before = facts_text(&main->machine, "kernel");
	const char *after = facts_text(&evidence->machine, "kernel");

	if (build->analysis->placement != ANALYSIS_STABLE)
		return arena_format(build->arena, "%s of %s",
			analysis_placement_doubt(build->analysis->placement),
			task->sources[task->main]);
	if (analysis_has_moved(evidence, build->scratch))
		return arena_format(build->arena,
			"CPUs moved during the run of %s", task->sources[i]);
	if (before && after && strcmp(before, after) != 0)
		return arena_format(build->arena,
			"the machine booted another kernel between the runs "
			"(%s and %s)",
			before, after);
	return find_host_caveat(build, task);
}

static void add_sharing_evidence(
	const struct analysis_build *build, const struct analysis_task *task)
{
	struct sharing_evidence *evidence_list =
		arena_alloc(build->arena, task->n, sizeof(*evidence_list));
	size_t n = 0;

	for (size_t i = 0; i < task->n; i++) {
		if (is_sharing_evidence(task, i))
			evidence_list[n++] = (struct sharing_evidence){
				&task->results[i], task->sources[i],
				find_evidence_caveat(build, task, i)};
	}
	sharing_check_levels(build->analysis, evidence_list, n, build->arena);
	kinds_infer(build->analysis, &task->results[task->main].machine,
		build->scratch);
}

static int make_analysis(struct arena *arena, void *context, struct error *err)
{
	struct analysis_task *task = context;
	struct analysis *analysis = task->analysis;
	struct analysis_build build = {analysis, arena, &task->scratch};
	const struct result *main = &task->results[task->main];
	struct text_list list = {0};

	task->scratch.exit = arena->exit;
	analysis->cpus.n = main->cpus.n;
	analysis->member = result_member_word(main);
	analysis->cpus.cpus = arena_copy(
		arena, main->cpus.cpus, main->cpus.n, sizeof(unsigned));
	for (size_t i = 0; i < task->n; i++)
		text_list_add(&list, ", ", "%s", task->sources[i]);
	analysis->source = arena_adopt(arena, text_list_end(&list));
	analysis->repeats = main->run.verdict == RUN_AGREES;
	analysis->of_longest = run_epochs(&main->run) > 1;
	add_result_levels(&build, main, true);
	if (check_usable_numbers(
		    analysis, main, task->sources[task->main], err) < 0)
		return -EINVAL;
	for (size_t i = 0; i < task->n; i++) {
		if (i != task->main && !is_sharing_evidence(task, i))
			add_result_levels(&build, &task->results[i], false);
	}
	if (analysis->placement == ANALYSIS_STABLE &&
		(main->run.verdict == RUN_DRIFTED || analysis->of_longest))
		analysis->placement = ANALYSIS_DRIFTING;
	if (analysis->placement == ANALYSIS_STABLE &&
		run_lost_near_pairs(&main->run) &&
		facts_text(&main->machine, "hypervisor"))
		analysis->placement = ANALYSIS_MOVING_ASLEEP;
	add_epochs(&build, main);
	if (!classes_are_confirmed(analysis)) {
		drop_classes(analysis);
		for (size_t k = 0; k < analysis->n_epochs; k++)
			drop_classes(analysis->epochs[k].found);
	}
	/* Without passes, the levels are from the longest epoch. */
	if (analysis->placement == ANALYSIS_DRIFTING &&
		(analysis->n_epochs || !analysis->of_longest))
		keep_lasting_levels(analysis);
	filter_perhaps_levels(analysis);
	kinds_infer(analysis, &main->machine, &task->scratch);
	add_sharing_evidence(&build, task);
	nearest_fill(analysis, main, NULL, arena);
	return 0;
}

int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err)
{
	struct analysis_task task = {results, sources, n,
		analysis_main_index(results, n), analysis, {0}};
	int rc = check_results(results, sources, n, err);

	*analysis = (struct analysis){0};
	if (rc == 0)
		rc = arena_run(&analysis->memory, make_analysis, &task,
			"the analysis", err);
	arena_release(&task.scratch);
	if (rc < 0)
		analysis_release(analysis);
	return rc;
}

char *analysis_list_cpus(const struct analysis *analysis, const uint32_t *group,
	uint32_t g, struct arena *arena)
{
	size_t n = analysis->cpus.n;
	struct cpu_list cpus = {
		.cpus = arena_alloc(arena, n, sizeof(*cpus.cpus))};

	for (size_t i = 0; i < n; i++) {
		if (group[i] == g)
			cpus.cpus[cpus.n++] = analysis->cpus.cpus[i];
	}
	cpu_list_sort(&cpus);
	return arena_adopt(arena, cpu_list_format(&cpus));
}

char *analysis_list_groups(const struct analysis *analysis,
	const uint32_t *group, struct arena *arena)
{
	size_t n = analysis->cpus.n, groups = 0, shown = 0;
	size_t *sizes = arena_alloc(arena, n, sizeof(*sizes));
	struct text_list list = {0};

	for (size_t i = 0; i < n; i++)
		groups += ++sizes[group[i]] == 2;
	for (size_t i = 0; i < n && shown < ANALYSIS_GROUPS_SHOWN; i++) {
		/* List each group once, at its first CPU. */
		if (sizes[group[i]] < 2)
			continue;
		sizes[group[i]] = 0;
		text_list_add(&list, " and ", "%s",
			analysis_list_cpus(analysis, group, group[i], arena));
		shown++;
	}
	if (groups > shown)
		text_list_add(&list, " and ", "%zu more", groups - shown);
	return arena_adopt(arena, text_list_end(&list));
}

/*
 * Sort by each level, innermost first. A stable sort keeps inner groups
 * together, because levels nest.
 */
size_t *analysis_cpu_order(const struct analysis *analysis, struct arena *arena)
{
	size_t n = analysis->cpus.n;
	size_t *at = arena_alloc(arena, n, sizeof(*at));
	size_t *next = arena_alloc(arena, n, sizeof(*next));

	for (size_t i = 0; i < n; i++)
		at[i] = i;
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		size_t groups = level->nested ? level->n_groups : 0, used = 0;

		for (size_t g = 0; g < 2 * groups; g++) {
			size_t members = 0;

			for (size_t i = 0; i < n; i++)
				members += level->group[i] == g % groups;
			for (size_t i = 0; i < n; i++) {
				if (level->group[at[i]] == g % groups &&
					(members == 1) == (g >= groups))
					next[used++] = at[i];
			}
		}
		if (used == n)
			memcpy(at, next, n * sizeof(*at));
	}
	return at;
}
