/*
 * Results as levels: every matrix of every result is analysed by itself, then
 * what they show is put together.
 *
 * The main result decides. Rates show other levels than latencies do (a cache
 * that two CPUs share shows in what a queue carries before it shows in how far
 * a line travels), so a level that only another matrix shows is added, but
 * only where it nests with all there are: two matrices that contradict each
 * other make no third opinion.
 */
#include "analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/square.h"
#include "stat/stat.h"

/*
 * Siblings are this much nearer than the nearest others, at least: they share
 * a core's own cache, of two to five nanoseconds, the others a cache of ten.
 */
#define SMT_SHARE 0.6

/* Half a machine of more CPUs than this is a package, not a cluster. */
#define CLUSTER_CPUS 16

/*
 * As in the warnings of a run (c2c-latency(1), DIAGNOSTICS): halves that agree
 * less than this, although even and odd passes do agree, show a move.
 */
#define LOW_EVEN_ODD 0.9
#define LOW_HALVES   0.8

/* A matrix of a result, with its CPUs in the order of the analysis. */
struct source {
	const struct matrix *matrix;
	const double *values; /* the matrix's own, or owned */
	double *owned;
};

struct work {
	struct analysis *analysis;
	struct source *sources;
	size_t n_sources;
};

const char *analysis_kind_name(enum groups_kind kind)
{
	switch (kind) {
	case GROUPS_SMT:
		return "smt";
	case GROUPS_LLC:
		return "llc";
	case GROUPS_NODE:
		return "node";
	case GROUPS_PACKAGE:
		return "package";
	case GROUPS_CLASS:
		return "class";
	case GROUPS_GROUP:
		break;
	}
	return "group";
}

const char *analysis_placement_name(enum analysis_placement placement)
{
	switch (placement) {
	case ANALYSIS_STABLE:
		return "stable";
	case ANALYSIS_DRIFTING:
		return "drifting";
	case ANALYSIS_CANNOT_TELL:
		break;
	}
	return "unknown";
}

const char *analysis_what_name(enum analysis_what what)
{
	return what == ANALYSIS_HIDDEN ? "hidden-level" : "contradicted-level";
}

void analysis_release(struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		free(analysis->levels[k].group);
		free(analysis->levels[k].unit);
		free(analysis->levels[k].advertised);
	}
	for (size_t k = 0; k < analysis->n_outliers; k++)
		free(analysis->outliers[k].why);
	for (size_t k = 0; k < analysis->n_disagreements; k++)
		free(analysis->disagreements[k].text);
	for (size_t k = 0; k < analysis->n_unseen; k++)
		free(analysis->unseen[k]);
	free(analysis->levels);
	free(analysis->outliers);
	free(analysis->disagreements);
	free(analysis->unseen);
	free(analysis->source);
	cpu_list_release(&analysis->cpus);
	*analysis = (struct analysis){0};
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

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Whether two results can be of one machine: -EINVAL with the reason. */
static int check_alike(const struct result *first, const char *first_source,
	const struct result *other, const char *source, struct error *err)
{
	static const char *const keys[] = {"hostname", "cpu_model"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = text_of(first->machine, keys[i]);
		const char *b = text_of(other->machine, keys[i]);

		if (a && b && strcmp(a, b) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is of %s, '%s' of %s: files that are "
				"analysed together must be of one machine",
				first_source, a, source, b);
	}
	for (size_t i = 0; i < other->cpus.n; i++) {
		if (cpu_list_find(&first->cpus, other->cpus.cpus[i]) < 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has CPU %u, '%s' has not: files that are "
				"analysed together must be of the same CPUs",
				source, other->cpus.cpus[i], first_source);
	}
	if (other->cpus.n < first->cpus.n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has %zu CPUs, '%s' %zu: files that are analysed "
			"together must be of the same CPUs",
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
	const struct result *result, const struct source *source,
	struct groups *groups, struct error *err)
{
	static const char *const statistics[] = {"ci_low", "ci_high"};
	const double *ends[2] = {NULL, NULL};
	double *owned[2] = {NULL, NULL};
	struct groups_input input;
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		const struct matrix *matrix = result_find_matrix(
			result, source->matrix->name, statistics[i]);

		if (!matrix)
			continue;
		ends[i] = in_order(analysis, result, matrix, &owned[i]);
		if (!ends[i])
			rc = error_no_memory(err, "the intervals");
	}
	input = (struct groups_input){
		.n = analysis->cpus.n,
		.values = source->values,
		.ci_low = ends[1] ? ends[0] : NULL,
		.ci_high = ends[0] ? ends[1] : NULL,
		.higher_is_better = source->matrix->higher_is_better,
	};
	if (rc == 0)
		rc = groups_find(&input, groups, err);
	free(owned[0]);
	free(owned[1]);
	return rc;
}

static bool same_groups(const uint32_t *a, const uint32_t *b, size_t n)
{
	return memcmp(a, b, n * sizeof(*a)) == 0;
}

/* Whether every group of fine lies within one of coarse; 1, 0 or -ENOMEM. */
static int lies_within(const uint32_t *fine, size_t n_fine,
	const uint32_t *coarse, size_t n, struct error *err)
{
	uint32_t *at = malloc((n_fine + 1) * sizeof(*at));
	int within = 1;

	if (!at)
		return error_no_memory(err, "the levels");
	for (size_t g = 0; g < n_fine; g++)
		at[g] = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		uint32_t *group = &at[fine[i]];

		if (*group != UINT32_MAX && *group != coarse[i])
			within = 0;
		*group = coarse[i];
	}
	free(at);
	return within;
}

/*
 * Where a level that another matrix shows belongs among the levels: *place,
 * with *known when it is one of them already; a place behind the last when it
 * contradicts one.
 */
static int find_place(const struct analysis *analysis,
	const struct groups_level *level, size_t *place, bool *known,
	struct error *err)
{
	size_t n = analysis->cpus.n;

	*known = false;
	*place = 0;
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *other = &analysis->levels[k];
		bool finer = other->n_groups > level->n_groups;
		int rc;

		if (other->nested != level->nested)
			continue;
		if (same_groups(other->group, level->group, n)) {
			*known = true;
			*place = k;
			return 0;
		}
		rc = lies_within(finer ? other->group : level->group,
			finer ? other->n_groups : level->n_groups,
			finer ? level->group : other->group, n, err);
		if (rc < 0)
			return rc;
		/* Classes are in no order, and one of them is enough. */
		if (rc == 0 || !level->nested) {
			*place = analysis->n_levels + 1;
			return 0;
		}
		if (finer)
			*place = k + 1;
	}
	if (!level->nested)
		*place = analysis->n_levels;
	return 0;
}

/* Append level k of what source showed, or make the known one surer. */
static int add_level(struct work *work, struct groups_level *level,
	size_t source, struct error *err)
{
	struct analysis *analysis = work->analysis;
	struct analysis_level *levels, *fresh;
	size_t place;
	bool known;
	int rc = find_place(analysis, level, &place, &known, err);

	if (rc < 0)
		return rc;
	if (known) {
		levels = &analysis->levels[place];
		levels->confidence =
			fmax(levels->confidence, level->confidence);
		return 0;
	}
	if (place > analysis->n_levels)
		return 0;
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
		.kind = level->nested ? GROUPS_GROUP : GROUPS_CLASS,
		.inferred = true,
		.nested = level->nested,
		.n_groups = level->n_groups,
		.group = level->group,
		.unit = strdup(work->sources[source].matrix->unit),
		.inside = NAN,
		.between = NAN,
		.confidence = level->confidence,
		.matrix = source,
	};
	level->group = NULL;
	return fresh->unit ? 0 : error_no_memory(err, "the levels");
}

/* The median of row i, of numbers only; NaN without any. */
static double row_median(const double *values, size_t n, size_t i, double *row)
{
	size_t count = 0;

	for (size_t j = 0; j < n; j++) {
		if (j != i && !isnan(values[i * n + j]))
			row[count++] = values[i * n + j];
	}
	return stat_median(row, count);
}

static int add_outlier(
	struct analysis *analysis, unsigned cpu, char *why, struct error *err)
{
	struct analysis_outlier *outliers =
		why ? reallocarray(analysis->outliers, analysis->n_outliers + 1,
			      sizeof(*outliers))
		    : NULL;

	if (!outliers) {
		free(why);
		return error_no_memory(err, "the CPUs that do not fit");
	}
	analysis->outliers = outliers;
	outliers[analysis->n_outliers++] = (struct analysis_outlier){cpu, why};
	return 0;
}

static char *explain(const struct source *source, enum groups_why why,
	double own, double typical)
{
	char *text;

	if (why == GROUPS_WHY_MISFIT)
		return strdup("it is as near to other groups as to its own, "
			      "so it may belong to one of them or to none");
	if (asprintf(&text,
		    "it is %s all others than its like: %.4g %s in the "
		    "median, where they have %.4g",
		    why == GROUPS_WHY_SLOW ? "farther from" : "nearer to", own,
		    source->matrix->unit, typical) < 0)
		return NULL;
	return text;
}

static int add_outliers(struct analysis *analysis, const struct groups *groups,
	const struct source *source, struct error *err)
{
	size_t n = analysis->cpus.n;
	double *rows, *scratch, typical;
	int rc = 0;

	if (groups->n_outliers == 0)
		return 0;
	rows = calloc(n + 1, sizeof(*rows));
	scratch = calloc(n + 1, sizeof(*scratch));
	if (!rows || !scratch)
		rc = error_no_memory(err, "the CPUs that do not fit");
	for (size_t i = 0; rc == 0 && i < n; i++)
		rows[i] = row_median(source->values, n, i, scratch);
	if (rc == 0) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++) {
			if (!isnan(rows[i]))
				scratch[count++] = rows[i];
		}
		typical = stat_median(scratch, count);
	}
	for (size_t k = 0; rc == 0 && k < groups->n_outliers; k++) {
		size_t i = groups->outliers[k].cpu;

		rc = add_outlier(analysis, analysis->cpus.cpus[i],
			explain(source, groups->outliers[k].why, rows[i],
				typical),
			err);
	}
	free(scratch);
	free(rows);
	return rc;
}

/* What one matrix shows, added to the analysis; the main one comes first. */
static int add_source(struct work *work, const struct result *result,
	const struct matrix *matrix, struct error *err)
{
	struct analysis *analysis = work->analysis;
	size_t at = work->n_sources;
	struct source *source = &work->sources[at];
	struct groups groups = {0};
	int rc;

	source->matrix = matrix;
	source->values = in_order(analysis, result, matrix, &source->owned);
	if (!source->values)
		return error_no_memory(err, "a matrix");
	work->n_sources++;
	rc = find_groups(analysis, result, source, &groups, err);
	if (rc < 0)
		return rc;
	if (at == 0)
		analysis->placement =
			groups.placement == GROUPS_PLACEMENT_STABLE
				? ANALYSIS_STABLE
				: ANALYSIS_CANNOT_TELL;
	if (at == 0)
		rc = add_outliers(analysis, &groups, source, err);
	for (size_t k = 0; rc == 0 && k < groups.n_levels; k++)
		rc = add_level(work, &groups.levels[k], at, err);
	groups_release(&groups);
	return rc;
}

/* The main statistic of each name, in the order of the result. */
static int add_result(
	struct work *work, const struct result *result, struct error *err)
{
	struct source *sources = reallocarray(work->sources,
		work->n_sources + result->n_matrices, sizeof(*sources));
	int rc = 0;

	if (!sources)
		return error_no_memory(err, "the matrices");
	work->sources = sources;
	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (matrix == result_find_matrix(result, matrix->name, NULL))
			rc = add_source(work, result, matrix, err);
	}
	return rc;
}

/*
 * Medians of the cells that a level itself parts and joins: inside its groups
 * but not inside those of the level before, between its groups but not between
 * those of the level behind. inner and outer are NULL where there is none.
 */
static int find_medians(struct analysis_level *level,
	const struct analysis_level *inner, const struct analysis_level *outer,
	const struct source *source, size_t n, struct error *err)
{
	float *cells = malloc((n * n + 1) * sizeof(*cells));
	size_t low = 0, high = n * n;

	if (!cells)
		return error_no_memory(err, "the medians of a level");
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double value = source->values[i * n + j];

			if (i == j || isnan(value))
				continue;
			if (level->group[i] == level->group[j]) {
				if (!inner ||
					inner->group[i] != inner->group[j])
					cells[low++] = (float)value;
			} else if (!outer ||
				   outer->group[i] == outer->group[j]) {
				cells[--high] = (float)value;
			}
		}
	}
	level->inside = (double)median_of(cells, low);
	level->between = (double)median_of(cells + high, n * n - high);
	free(cells);
	return 0;
}

static int measure_levels(struct work *work, struct error *err)
{
	struct analysis *analysis = work->analysis;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];
		const struct analysis_level *inner = NULL, *outer = NULL;

		if (level->nested && k > 0 && level[-1].nested)
			inner = &level[-1];
		if (level->nested && k + 1 < analysis->n_levels &&
			level[1].nested)
			outer = &level[1];
		rc = find_medians(level, inner, outer,
			&work->sources[level->matrix], analysis->cpus.n, err);
	}
	return rc;
}

/* The size of the smallest and of the largest group. */
static int find_sizes(const struct analysis_level *level, size_t n,
	size_t *least, size_t *most, struct error *err)
{
	size_t *sizes = calloc(level->n_groups + 1, sizeof(*sizes));

	*least = n;
	*most = 0;
	if (!sizes)
		return error_no_memory(err, "the sizes of groups");
	for (size_t i = 0; i < n; i++)
		sizes[level->group[i]]++;
	for (size_t g = 0; g < level->n_groups; g++) {
		*least = sizes[g] < *least ? sizes[g] : *least;
		*most = sizes[g] > *most ? sizes[g] : *most;
	}
	free(sizes);
	return 0;
}

/*
 * What a level may be, from the numbers alone. Whether a group of cores shares
 * a cache, a memory controller or a package, latencies do not say; the
 * topology may, later.
 */
static int infer_kinds(struct work *work, struct error *err)
{
	struct analysis *analysis = work->analysis;
	size_t n = analysis->cpus.n;
	size_t last = 0, cores = 0;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].nested)
			last = k;
	}
	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_level *level = &analysis->levels[k];
		bool rate =
			work->sources[level->matrix].matrix->higher_is_better;
		double near = rate ? level->between : level->inside;
		double far = rate ? level->inside : level->between;
		size_t least, most;
		int rc;

		if (!level->nested)
			continue;
		rc = find_sizes(level, n, &least, &most, err);
		if (rc < 0)
			return rc;
		if (k == 0 && most == 2 && near <= SMT_SHARE * far) {
			level->kind = GROUPS_SMT;
			cores = 1;
		} else if (k == last && level->n_groups == 2 &&
			   (k > cores || least > CLUSTER_CPUS)) {
			level->kind = GROUPS_PACKAGE;
		} else if (k == cores && level->n_groups > 2 &&
			   least > 1 + cores) {
			level->kind = GROUPS_LLC;
		}
	}
	return 0;
}

/* A run that noticed a move while it measured says so in its agreement. */
static bool has_drifted(const struct result *result)
{
	const json_t *agreement = json_object_get(result->run, "agreement");
	const json_t *even_odd = json_object_get(agreement, "even_odd");
	const json_t *halves = json_object_get(agreement, "halves");

	return json_is_number(even_odd) && json_is_number(halves) &&
	       json_number_value(even_odd) >= LOW_EVEN_ODD &&
	       json_number_value(halves) < LOW_HALVES;
}

static int name_sources(struct analysis *analysis, const char *const *sources,
	size_t n, struct error *err)
{
	size_t bytes = 0;
	FILE *out = open_memstream(&analysis->source, &bytes);

	if (!out)
		return error_no_memory(err, "the names of the files");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? ", " : "", sources[i]);
	if (fclose(out) != 0) {
		free(analysis->source);
		analysis->source = NULL;
		return error_no_memory(err, "the names of the files");
	}
	return 0;
}

static int check_results(const struct result *results,
	const char *const *sources, size_t n, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (results[i].n_matrices == 0)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' holds no matrix to analyse%s", sources[i],
				results[i].n_series ? ", only curves" : "");
		else if (results[i].cpus.n < 2)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is of one CPU; groups need two or more",
				sources[i]);
		else if (i > 0)
			rc = check_alike(&results[0], sources[0], &results[i],
				sources[i], err);
	}
	return rc;
}

int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err)
{
	struct work work = {.analysis = analysis};
	size_t first = analysis_main(results, n);
	int rc = check_results(results, sources, n, err);

	*analysis = (struct analysis){0};
	for (size_t i = 0; rc == 0 && i < results[first].cpus.n; i++)
		rc = cpu_list_add(
			&analysis->cpus, results[first].cpus.cpus[i], err);
	if (rc == 0)
		rc = name_sources(analysis, sources, n, err);
	if (rc == 0)
		rc = add_result(&work, &results[first], err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (i != first)
			rc = add_result(&work, &results[i], err);
	}
	if (rc == 0)
		rc = measure_levels(&work, err);
	if (rc == 0)
		rc = infer_kinds(&work, err);
	if (rc == 0 && analysis->placement == ANALYSIS_STABLE &&
		has_drifted(&results[first]))
		analysis->placement = ANALYSIS_DRIFTING;
	for (size_t i = 0; i < work.n_sources; i++)
		free(work.sources[i].owned);
	free(work.sources);
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

/* As many digits as a measurement has. */
static json_t *number_json(double value)
{
	char text[32];

	if (!isfinite(value))
		return json_null();
	snprintf(text, sizeof(text), "%.6g", value);
	return json_real(strtod(text, NULL));
}

static json_t *groups_json(
	const struct analysis *analysis, const struct analysis_level *level)
{
	json_t *groups = json_array();

	for (size_t g = 0; groups && g < level->n_groups; g++) {
		if (json_array_append_new(groups, json_array()) < 0)
			goto fail;
	}
	for (size_t i = 0; groups && i < analysis->cpus.n; i++) {
		json_t *group = json_array_get(groups, level->group[i]);

		if (json_array_append_new(
			    group, json_integer(analysis->cpus.cpus[i])) < 0)
			goto fail;
	}
	return groups;
fail:
	json_decref(groups);
	return NULL;
}

static json_t *level_json(
	const struct analysis *analysis, const struct analysis_level *level)
{
	return json_pack("{s:s, s:b, s:o, s:{s:o, s:s}, s:{s:o, s:s}, s:o, "
			 "s:s?, s:o}",
		"kind", analysis_kind_name(level->kind), "nested",
		level->nested, "groups", groups_json(analysis, level), "within",
		"median", number_json(level->inside), "unit", level->unit,
		"between", "median", number_json(level->between), "unit",
		level->unit, "confidence",
		json_real(round(level->confidence * 1000) / 1000), "advertised",
		level->advertised, "agrees",
		level->agrees == ANALYSIS_UNKNOWN
			? json_null()
			: json_boolean(level->agrees == ANALYSIS_AGREES));
}

/* Append to an array; false without memory. Takes item, which may be NULL. */
static bool append(json_t *array, json_t *item)
{
	return item && json_array_append_new(array, item) == 0;
}

json_t *analysis_to_json(const struct analysis *analysis)
{
	json_t *cpus = json_array(), *levels = json_array();
	json_t *outliers = json_array(), *disagreements = json_array();
	bool good = cpus && levels && outliers && disagreements;
	json_t *source;

	for (size_t i = 0; good && i < analysis->cpus.n; i++)
		good = append(cpus, json_integer(analysis->cpus.cpus[i]));
	for (size_t k = 0; good && k < analysis->n_levels; k++)
		good = append(
			levels, level_json(analysis, &analysis->levels[k]));
	for (size_t k = 0; good && k < analysis->n_outliers; k++)
		good = append(
			outliers, json_pack("{s:i, s:s}", "cpu",
					  (int)analysis->outliers[k].cpu, "why",
					  analysis->outliers[k].why));
	for (size_t k = 0; good && k < analysis->n_disagreements; k++)
		good = append(disagreements,
			json_pack("{s:s, s:s}", "what",
				analysis_what_name(
					analysis->disagreements[k].what),
				"text", analysis->disagreements[k].text));
	if (!good) {
		json_decref(cpus);
		json_decref(levels);
		json_decref(outliers);
		json_decref(disagreements);
		return NULL;
	}
	/* A file's name may be any bytes, JSON's strings are UTF-8. */
	source = json_string(analysis->source);
	return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:s}", "format",
		ANALYSIS_FORMAT, "version", ANALYSIS_VERSION, "source",
		source ? source : json_null(), "cpus", cpus, "levels", levels,
		"outliers", outliers, "disagreements", disagreements,
		"placement", analysis_placement_name(analysis->placement));
}
