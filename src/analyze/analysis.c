/*
 * From results to levels: each matrix is analysed separately, then their levels
 * are put together.
 *
 * The main result decides. Rates show other levels than latencies: a shared
 * cache shows in the rate of a queue before it shows in the latency of a line.
 * So a level of another matrix is added if it nests with all levels so far. If
 * it contradicts one, it is left out.
 */
#include "analyze/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/epochs.h"
#include "analyze/groups.h"
#include "util/text.h"

/* Half a machine of more CPUs than this is a package, not a cluster. */
#define CLUSTER_CPUS 16

const char *analysis_placement_doubt(enum analysis_placement placement)
{
	static const char *const doubts[] = {
		[ANALYSIS_DRIFTING] = "CPUs moved during the run",
		[ANALYSIS_CANNOT_TELL] = "CPUs may have moved during the run",
		[ANALYSIS_TOO_FEW] =
			"there are too few CPUs to tell whether they moved",
	};

	return doubts[placement];
}

static void level_release(struct analysis_level *level)
{
	free(level->group);
	free(level->unit);
	free(level->advertised);
}

int analysis_disagree(struct analysis *analysis, enum analysis_what what,
	struct error *err, const char *format, ...)
{
	struct analysis_disagreement *items =
		reallocarray(analysis->disagreements,
			analysis->n_disagreements + 1, sizeof(*items));
	char *text = NULL;
	va_list args;

	if (!items)
		return error_no_memory(err, "the disagreements");
	analysis->disagreements = items;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (!text)
		return error_no_memory(err, "the disagreements");
	items[analysis->n_disagreements++] =
		(struct analysis_disagreement){what, text};
	return 0;
}

static bool is_latency(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);

	return matrix && !matrix->higher_is_better;
}

size_t analysis_main(const struct result *results, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (is_latency(&results[i]))
			return i;
	}
	return 0;
}

/* Whether two results can be of one machine: -EINVAL with the reason. */
static int check_alike(const struct result *first, const char *first_source,
	const struct result *other, const char *source, struct error *err)
{
	static const char *const keys[] = {"hostname", "cpu_model"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = facts_text(&first->machine, keys[i]);
		const char *b = facts_text(&other->machine, keys[i]);

		if (a && b && strcmp(a, b) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' was measured on %s, '%s' on %s: analyse "
				"only files of one machine together",
				first_source, a, source, b);
	}
	for (size_t i = 0; i < other->cpus.n; i++) {
		if (cpu_list_find(&first->cpus, other->cpus.cpus[i]) < 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has CPU %u and '%s' does not: analyse "
				"only files of the same CPUs together",
				source, other->cpus.cpus[i], first_source);
	}
	if (other->cpus.n < first->cpus.n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has %zu CPUs, '%s' has %zu: analyse only files "
			"of the same CPUs together",
			first_source, first->cpus.n, source, other->cpus.n);
	return 0;
}

static bool same_order(const struct cpu_list *a, const struct cpu_list *b)
{
	return a->n == b->n &&
	       memcmp(a->cpus, b->cpus, a->n * sizeof(*a->cpus)) == 0;
}

/*
 * The values of a matrix in the analysis' order: its own where that is the
 * order they have, otherwise a copy, which is also *owned.
 */
static const double *in_order(const struct analysis *analysis,
	const struct result *result, const struct matrix *matrix,
	double **owned)
{
	size_t n = analysis->cpus.n;
	size_t *from;

	*owned = NULL;
	if (same_order(&analysis->cpus, &result->cpus))
		return matrix->values;
	from = calloc(n + 1, sizeof(*from));
	*owned = calloc(n * n + 1, sizeof(**owned));
	for (size_t i = 0; from && i < n; i++)
		from[i] = (size_t)cpu_list_find(
			&result->cpus, analysis->cpus.cpus[i]);
	for (size_t i = 0; from && *owned && i < n * n; i++)
		(*owned)[i] = matrix->values[from[i / n] * n + from[i % n]];
	if (!from) {
		free(*owned);
		*owned = NULL;
	}
	free(from);
	return *owned;
}

static int find_groups(const struct analysis *analysis,
	const struct result *result, const struct matrix *matrix,
	struct groups *groups, struct error *err)
{
	/* The values, and the ends of their intervals if they have some. */
	const struct matrix *matrices[3] = {matrix,
		result_find_matrix(result, matrix->name, "ci_low"),
		result_find_matrix(result, matrix->name, "ci_high")};
	const double *values[3] = {NULL, NULL, NULL};
	double *owned[3] = {NULL, NULL, NULL};
	struct groups_input input;
	int rc = 0;

	for (int i = 0; rc == 0 && i < 3; i++) {
		if (!matrices[i])
			continue;
		values[i] = in_order(analysis, result, matrices[i], &owned[i]);
		if (!values[i])
			rc = error_no_memory(err, "a matrix");
	}
	input = (struct groups_input){
		.n = analysis->cpus.n,
		.values = values[0],
		.ci_low = values[2] ? values[1] : NULL,
		.ci_high = values[1] ? values[2] : NULL,
		.higher_is_better = matrix->higher_is_better,
		.is_virtual = facts_text(&result->machine, "hypervisor"),
	};
	if (rc == 0)
		rc = groups_find(&input, groups, err);
	for (int i = 0; i < 3; i++)
		free(owned[i]);
	return rc;
}

/*
 * Where a level that another matrix shows belongs among the levels, with *known
 * when it is one of them already; a place behind the last when it contradicts
 * one. scratch[n].
 */
static size_t find_place(const struct analysis *analysis,
	const struct groups_level *level, size_t *scratch, bool *known)
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
		/* Classes are in no order, and one of them is enough. */
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

static const enum analysis_kind kinds[] = {
	[GROUPS_SMT] = ANALYSIS_SMT,
	[GROUPS_LLC] = ANALYSIS_LLC,
	[GROUPS_CLASS] = ANALYSIS_CLASS,
	[GROUPS_GROUP] = ANALYSIS_GROUP,
};

/* Add a level that a matrix shows, or make the known one surer. */
static int add_level(struct analysis *analysis,
	const struct groups_level *level, const struct matrix *matrix,
	struct error *err)
{
	size_t *scratch = calloc(analysis->cpus.n + 1, sizeof(*scratch));
	struct analysis_level *levels, *fresh;
	size_t place, bytes = analysis->cpus.n * sizeof(*level->group);
	bool known;

	if (!scratch)
		return error_no_memory(err, "the levels");
	place = find_place(analysis, level, scratch, &known);
	free(scratch);
	if (known) {
		levels = &analysis->levels[place];
		levels->confidence =
			fmax(levels->confidence, level->confidence);
		return 0;
	}
	if (place > analysis->n_levels) {
		analysis->n_left_out += level->nested;
		return 0;
	}
	levels = reallocarray(
		analysis->levels, analysis->n_levels + 1, sizeof(*levels));
	if (!levels)
		return error_no_memory(err, "the levels");
	analysis->levels = levels;
	memmove(&levels[place + 1], &levels[place],
		(analysis->n_levels - place) * sizeof(*levels));
	analysis->n_levels++;
	fresh = &levels[place];
	*fresh = (struct analysis_level){
		.kind = kinds[level->kind],
		.inferred = true,
		.nested = level->nested,
		.of_rates = matrix->higher_is_better,
		.n_groups = level->n_groups,
		.group = malloc(bytes),
		.unit = strdup(matrix->unit),
		.inside = level->inside,
		.between = level->between,
		.confidence = level->confidence,
	};
	if (!fresh->unit || !fresh->group)
		return error_no_memory(err, "the levels");
	memcpy(fresh->group, level->group, bytes);
	return 0;
}

static char *explain(
	const struct groups *groups, const struct groups_outlier *outlier)
{
	if (outlier->why == GROUPS_WHY_UNMEASURED)
		return strdup("it has almost no usable numbers, so it is in "
			      "no group");
	if (outlier->why == GROUPS_WHY_MISFIT)
		return text_format(
			"it does not fit the level of %zu groups: it is as "
			"near to others as to its own group, or as far from "
			"its own as from others",
			groups->levels[outlier->level].n_groups);
	return text_format("it is %.0f %% %s all CPUs than its peers are",
		fabs(outlier->ratio - 1) * 100,
		outlier->why == GROUPS_WHY_SLOW ? "farther from" : "nearer to");
}

static int add_outliers(struct analysis *analysis, const struct groups *groups,
	struct error *err)
{
	size_t n = groups->n_outliers;

	analysis->outliers = calloc(n + 1, sizeof(*analysis->outliers));
	for (size_t k = 0; analysis->outliers && k < n; k++) {
		const struct groups_outlier *outlier = &groups->outliers[k];
		struct analysis_outlier *fresh =
			&analysis->outliers[analysis->n_outliers++];

		fresh->cpu = analysis->cpus.cpus[outlier->cpu];
		fresh->misfit = outlier->why == GROUPS_WHY_MISFIT ||
				outlier->why == GROUPS_WHY_UNMEASURED;
		fresh->why = explain(groups, outlier);
		if (!fresh->why)
			return error_no_memory(err, "an outlier");
	}
	return analysis->outliers ? 0 : error_no_memory(err, "the outliers");
}

/* The largest value between two CPUs to the smallest, or NaN. */
static double ratio_of(const struct matrix *matrix, size_t n)
{
	double least = NAN, most = NAN;

	for (size_t k = 0; k < n * n; k++) {
		if (k / n == k % n)
			continue;
		least = fmin(least, matrix->values[k]);
		most = fmax(most, matrix->values[k]);
	}
	return least > 0 ? most / least : NAN;
}

static const enum analysis_placement placements[] = {
	[GROUPS_PLACEMENT_STABLE] = ANALYSIS_STABLE,
	[GROUPS_PLACEMENT_UNKNOWN] = ANALYSIS_CANNOT_TELL,
	[GROUPS_PLACEMENT_TOO_FEW] = ANALYSIS_TOO_FEW,
};

/* What one matrix shows, added to the analysis; the main one comes first. */
static int add_matrix(struct analysis *analysis, const struct result *result,
	const struct matrix *matrix, bool first, struct error *err)
{
	struct groups groups = {0};
	int rc = find_groups(analysis, result, matrix, &groups, err);

	if (rc < 0)
		return rc;
	if (first)
		analysis->placement = placements[groups.placement];
	if (first) {
		analysis->n_missing = groups.n_missing;
		analysis->ratio = ratio_of(matrix, analysis->cpus.n);
		rc = add_outliers(analysis, &groups, err);
	}
	for (size_t k = 0; rc == 0 && k < groups.n_levels; k++) {
		if (groups.levels[k].confidence >= ANALYSIS_LEAST)
			rc = add_level(
				analysis, &groups.levels[k], matrix, err);
	}
	groups_release(&groups);
	return rc;
}

/*
 * The name whose matrix says most of distance: of a queue the reader's, since
 * the writer stores near itself whoever reads; else the first.
 */
static const char *main_name(const struct result *result)
{
	const struct matrix *reader =
		result_find_matrix(result, "reader", NULL);

	return reader ? reader->name : result->matrices[0].name;
}

/* The main statistic of each name: the main one, then the others in order. */
static int add_result(struct analysis *analysis, const struct result *result,
	bool first, struct error *err)
{
	const struct matrix *main =
		result_find_matrix(result, main_name(result), NULL);
	int rc = add_matrix(analysis, result, main, first, err);

	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (matrix != main && matrix == result_find_matrix(result,
							matrix->name, NULL))
			rc = add_matrix(analysis, result, matrix, false, err);
	}
	return rc;
}

/*
 * Two halves of a machine, outside of all else, are packages if they are more
 * than what shares a cache could be.
 */
static void infer_packages(struct analysis *analysis)
{
	struct analysis_level *last = NULL;
	size_t sizes[2] = {0, 0}, nested = 0;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (!analysis->levels[k].nested)
			continue;
		last = &analysis->levels[k];
		nested += last->kind != ANALYSIS_SMT;
	}
	if (!last || last->n_groups != 2 || last->kind == ANALYSIS_SMT ||
		last->of_rates)
		return;
	for (size_t i = 0; i < analysis->cpus.n; i++)
		sizes[last->group[i]]++;
	if (nested > 1 || (sizes[0] > CLUSTER_CPUS && sizes[1] > CLUSTER_CPUS))
		last->kind = ANALYSIS_PACKAGE;
}

/* The level of classes, if there is one. */
static struct analysis_level *find_classes(struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].kind == ANALYSIS_CLASS)
			return &analysis->levels[k];
	}
	return NULL;
}

/*
 * A core is of the same kind whatever moves: classes that are not the same in
 * every epoch, or may not be since nothing is known of epochs, are CPUs with
 * busy neighbours.
 */
static bool classes_hold(struct analysis *analysis)
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
	struct analysis_level *level = find_classes(analysis);

	if (!level)
		return;
	level_release(level);
	/* Classes come last; nothing is behind them. */
	analysis->n_levels--;
}

/*
 * The passes of the main matrix. NULL when none were kept, or when a run
 * resumed another: host and placement may have changed between the two, and
 * their times overlap.
 */
static const struct passes *find_passes(const struct result *result)
{
	const struct passes *found = NULL;

	for (size_t i = 0; i < result->n_kept; i++) {
		if (strcmp(result->kept[i].name, main_name(result)) != 0)
			continue;
		if (found)
			return NULL;
		found = &result->kept[i];
	}
	return found;
}

static int copy_cpus(struct analysis *analysis, const struct result *result,
	struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < result->cpus.n; i++)
		rc = cpu_list_add(&analysis->cpus, result->cpus.cpus[i], err);
	return rc;
}

/* What the passes of one epoch show by themselves. */
static int add_epoch(struct analysis *analysis, const struct result *result,
	const struct passes *passes, const struct epoch *epoch,
	struct error *err)
{
	struct analysis_epoch *fresh = &analysis->epochs[analysis->n_epochs++];
	struct result alone;
	int rc;

	*fresh = (struct analysis_epoch){
		.start_s = epoch->start_s,
		.end_s = epoch->end_s,
		.n_passes = epoch->last - epoch->first + 1,
		.moves = calloc(epoch->n_moves + 1, sizeof(*fresh->moves)),
		.n_moves = epoch->n_moves,
		.found = calloc(1, sizeof(*fresh->found)),
	};
	if (!fresh->found || !fresh->moves)
		return error_no_memory(err, "the epochs");
	for (size_t k = 0; k < epoch->n_moves; k++)
		fresh->moves[k] = epoch->moves[k];
	rc = epoch_result(result, passes, epoch, &alone, err);
	if (rc < 0)
		return rc;
	rc = copy_cpus(fresh->found, &alone, err);
	if (rc == 0)
		rc = add_result(fresh->found, &alone, true, err);
	infer_packages(fresh->found);
	result_release(&alone);
	return rc;
}

static int add_epochs(struct analysis *analysis, const struct result *result,
	struct error *err)
{
	const struct passes *passes = find_passes(result);
	struct epochs epochs;
	int rc;

	if (!passes)
		return 0;
	rc = epochs_find(
		passes, result->cpus.n, result->elapsed_s, &epochs, err);
	if (rc < 0)
		return rc;
	if (epochs.n > 1)
		analysis->placement = ANALYSIS_DRIFTING;
	analysis->epochs = calloc(epochs.n + 1, sizeof(*analysis->epochs));
	if (!analysis->epochs)
		rc = error_no_memory(err, "the epochs");
	for (size_t k = 0; rc == 0 && k < epochs.n; k++)
		rc = add_epoch(analysis, result, passes, &epochs.items[k], err);
	epochs_release(&epochs);
	return rc;
}

int analysis_epoch(const struct result *result, uint64_t number,
	struct result *out, struct error *err)
{
	const struct passes *passes =
		result->n_matrices ? find_passes(result) : NULL;
	struct epochs epochs = {0};
	int rc = 0;

	if (passes)
		rc = epochs_find(passes, result->cpus.n, result->elapsed_s,
			&epochs, err);
	if (rc < 0)
		return rc;
	if (result->n_kept == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: the file has no passes (measure with "
			"--keep-passes)");
	else if (!passes)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: the run resumed another, and CPUs may have "
			"moved in between");
	else if (epochs.n == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"no epochs: they need %d complete passes over two "
			"CPUs or more, and the file has %zu (measure with "
			"--passes %d:)",
			EPOCHS_PASSES_MIN, passes->n_passes, EPOCHS_PASSES_MIN);
	else if (number > epochs.n)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"no epoch %" PRIu64 ": there %s %zu", number,
			epochs.n == 1 ? "is" : "are", epochs.n);
	else
		rc = epoch_result(result, passes,
			&epochs.items[(number ? number : epochs.n) - 1], out,
			err);
	epochs_release(&epochs);
	return rc;
}

static bool has_level(
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

/* Without levels there is nothing that a CPU does not fit. */
static void forget_misfits(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t k = 0; k < analysis->n_outliers; k++) {
		if (analysis->outliers[k].misfit)
			free(analysis->outliers[k].why);
		else
			analysis->outliers[kept++] = analysis->outliers[k];
	}
	analysis->n_outliers = kept;
}

/*
 * If CPUs moved, a level counts for the whole run as far as its epochs have it;
 * without epochs none does.
 */
static void keep_lasting(struct analysis *analysis)
{
	size_t kept = 0;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];
		size_t lasted = 0;

		for (size_t e = 0; e < analysis->n_epochs; e++)
			lasted += has_level(analysis->epochs[e].found, level);
		level->confidence *=
			analysis->n_epochs
				? (double)lasted / (double)analysis->n_epochs
				: 0;
		if (level->confidence >= ANALYSIS_LEAST)
			analysis->levels[kept++] = *level;
		else
			level_release(level);
	}
	analysis->n_levels = kept;
	if (kept == 0)
		forget_misfits(analysis);
}

static int name_sources(struct analysis *analysis, const char *const *sources,
	size_t n, struct error *err)
{
	struct text_list list = {0};

	for (size_t i = 0; i < n; i++)
		text_list_add(&list, ", ", "%s", sources[i]);
	analysis->source = text_list_end(&list);
	return analysis->source ? 0
				: error_no_memory(err, "the names of files");
}

static int check_results(const struct result *results,
	const char *const *sources, size_t n, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (results[i].n_matrices == 0)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' holds no matrix to analyse%s", sources[i],
				results[i].n_curves ? ", only curves" : "");
		else if (results[i].cpus.n < 2)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has only one CPU; groups need two or "
				"more",
				sources[i]);
		else if (i > 0)
			rc = check_alike(&results[0], sources[0], &results[i],
				sources[i], err);
	}
	return rc;
}

/* Without a single pair, CPUs would seem to be all alike. */
static int check_numbers(
	const struct analysis *analysis, const char *source, struct error *err)
{
	size_t n = analysis->cpus.n;

	if (analysis->n_missing < n * (n - 1) / 2)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' has no usable number for any pair of CPUs in its first "
		"matrix",
		source);
}

int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err)
{
	size_t first = analysis_main(results, n);
	int rc = check_results(results, sources, n, err);

	*analysis = (struct analysis){0};
	if (rc == 0)
		rc = copy_cpus(analysis, &results[first], err);
	if (rc == 0)
		rc = name_sources(analysis, sources, n, err);
	if (rc == 0)
		rc = add_result(analysis, &results[first], true, err);
	if (rc == 0)
		rc = check_numbers(analysis, sources[first], err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i != first)
			rc = add_result(analysis, &results[i], false, err);
	}
	infer_packages(analysis);
	if (analysis->placement == ANALYSIS_STABLE &&
		results[first].run.verdict == RUN_DRIFTED)
		analysis->placement = ANALYSIS_DRIFTING;
	if (rc == 0)
		rc = add_epochs(analysis, &results[first], err);
	if (rc == 0 && !classes_hold(analysis)) {
		drop_classes(analysis);
		for (size_t k = 0; k < analysis->n_epochs; k++)
			drop_classes(analysis->epochs[k].found);
	}
	if (rc == 0 && analysis->placement == ANALYSIS_DRIFTING)
		keep_lasting(analysis);
	if (rc < 0)
		analysis_release(analysis);
	return rc;
}

int analysis_group(const struct analysis *analysis,
	const struct analysis_level *level, size_t g, struct cpu_list *cpus,
	struct error *err)
{
	int rc = 0;

	*cpus = (struct cpu_list){0};
	for (size_t i = 0; rc == 0 && i < analysis->cpus.n; i++) {
		if (level->group[i] == g)
			rc = cpu_list_add(cpus, analysis->cpus.cpus[i], err);
	}
	return rc;
}

/*
 * Outwards: the CPUs stay in the order they have within each group. Levels
 * nest, so the order by the outermost keeps together what the others did.
 */
int analysis_order(const struct analysis *analysis, struct cpu_list *order,
	struct error *err)
{
	size_t n = analysis->cpus.n;
	size_t *at = calloc(n + 1, sizeof(*at));
	size_t *next = calloc(n + 1, sizeof(*next));
	int rc = at && next ? 0 : error_no_memory(err, "the order of CPUs");

	for (size_t i = 0; rc == 0 && i < n; i++)
		at[i] = i;
	for (size_t k = 0; rc == 0 && k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		size_t *swap = at, used = 0;

		for (size_t g = 0; level->nested && g < level->n_groups; g++) {
			for (size_t i = 0; i < n; i++) {
				if (level->group[at[i]] == g)
					next[used++] = at[i];
			}
		}
		if (!level->nested)
			continue;
		at = next;
		next = swap;
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = cpu_list_add(order, analysis->cpus.cpus[at[i]], err);
	free(next);
	free(at);
	return rc;
}
