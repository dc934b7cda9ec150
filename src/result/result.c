/*
 * A finished measurement in memory: its life, lookup and order of CPUs.
 */
#include "result/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void result_init(struct result *result)
{
	memset(result, 0, sizeof(*result));
	result->elapsed_s = NAN;
	run_facts_init(&result->run);
}

static void matrix_release(struct matrix *matrix)
{
	free(matrix->name);
	free(matrix->statistic);
	free(matrix->unit);
	free(matrix->quantity);
	free(matrix->values);
	json_decref(matrix->extra);
}

static void series_release(struct series *series)
{
	free(series->name);
	free(series->x_name);
	free(series->x_unit);
	free(series->y_name);
	free(series->y_unit);
	free(series->y_statistic);
	free(series->x);
	free(series->y);
	json_decref(series->extra);
}

static void passes_release(struct passes *passes)
{
	free(passes->name);
	free(passes->unit);
	free(passes->pairs);
	free(passes->start_s);
	free(passes->values);
	json_decref(passes->extra);
}

void result_release(struct result *result)
{
	for (size_t i = 0; i < result->n_matrices; i++)
		matrix_release(&result->matrices[i]);
	for (size_t i = 0; i < result->n_series; i++)
		series_release(&result->series[i]);
	for (size_t i = 0; i < result->n_kept; i++)
		passes_release(&result->kept[i]);
	free(result->matrices);
	free(result->series);
	free(result->kept);
	free(result->command);
	free(result->started);
	free(result->hwloc_xml);
	cpu_list_release(&result->cpus);
	facts_release(&result->tool);
	facts_release(&result->machine);
	facts_release(&result->options);
	run_facts_release(&result->run);
	json_decref(result->extra);
	result_init(result);
}

/* n NaNs for free(), or NULL without memory. */
static double *new_missing(size_t rows, size_t columns)
{
	size_t n = rows * columns;
	double *values;

	if (rows && n / rows != columns)
		return NULL;
	values = reallocarray(NULL, n ? n : 1, sizeof(*values));
	for (size_t i = 0; values && i < n; i++)
		values[i] = NAN;
	return values;
}

/* Set *copy to a copy of text unless text is NULL. */
static bool copy_text(char **copy, const char *text)
{
	if (!text)
		return true;
	*copy = strdup(text);
	return *copy;
}

struct matrix *result_add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, const char *quantity,
	bool higher_is_better, bool symmetric)
{
	struct matrix *matrices = reallocarray(
		result->matrices, result->n_matrices + 1, sizeof(*matrices));
	struct matrix *matrix;

	if (!matrices)
		return NULL;
	result->matrices = matrices;
	matrix = &matrices[result->n_matrices];
	memset(matrix, 0, sizeof(*matrix));
	matrix->higher_is_better = higher_is_better;
	matrix->symmetric = symmetric;
	matrix->values = new_missing(result->cpus.n, result->cpus.n);
	if (!matrix->values || !copy_text(&matrix->name, name) ||
		!copy_text(&matrix->statistic, statistic) ||
		!copy_text(&matrix->unit, unit) ||
		!copy_text(&matrix->quantity, quantity)) {
		matrix_release(matrix);
		return NULL;
	}
	result->n_matrices++;
	return matrix;
}

struct series *result_add_series(struct result *result, const char *name,
	const char *x_name, const char *x_unit, const char *y_name,
	const char *y_unit, const char *y_statistic, size_t n)
{
	struct series *all = reallocarray(
		result->series, result->n_series + 1, sizeof(*all));
	struct series *series;

	if (!all)
		return NULL;
	result->series = all;
	series = &all[result->n_series];
	memset(series, 0, sizeof(*series));
	series->n = n;
	series->x = new_missing(n, 1);
	series->y = new_missing(n, 1);
	if (!series->x || !series->y || !copy_text(&series->name, name) ||
		!copy_text(&series->x_name, x_name) ||
		!copy_text(&series->x_unit, x_unit) ||
		!copy_text(&series->y_name, y_name) ||
		!copy_text(&series->y_unit, y_unit) ||
		!copy_text(&series->y_statistic, y_statistic)) {
		series_release(series);
		return NULL;
	}
	result->n_series++;
	return series;
}

struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes)
{
	struct passes *kept =
		reallocarray(result->kept, result->n_kept + 1, sizeof(*kept));
	struct passes *passes;

	if (!kept)
		return NULL;
	result->kept = kept;
	passes = &kept[result->n_kept];
	memset(passes, 0, sizeof(*passes));
	passes->n_pairs = n_pairs;
	passes->n_passes = n_passes;
	passes->pairs = calloc(n_pairs ? n_pairs : 1, sizeof(*passes->pairs));
	passes->start_s = new_missing(n_passes, 1);
	passes->values = new_missing(n_passes, n_pairs);
	if (!passes->pairs || !passes->start_s || !passes->values ||
		!copy_text(&passes->name, name) ||
		!copy_text(&passes->unit, unit)) {
		passes_release(passes);
		return NULL;
	}
	result->n_kept++;
	return passes;
}

const struct matrix *result_find_matrix(
	const struct result *result, const char *name, const char *statistic)
{
	const struct matrix *first = NULL;

	if (!name && result->n_matrices > 0)
		name = result->matrices[0].name;
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (strcmp(matrix->name, name) != 0)
			continue;
		if (strcmp(matrix->statistic,
			    statistic ? statistic : "median") == 0)
			return matrix;
		if (!first)
			first = matrix;
	}
	return statistic ? NULL : first;
}

const struct passes *result_find_passes(
	const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->n_kept; i++) {
		if (strcmp(result->kept[i].name, name) == 0)
			return &result->kept[i];
	}
	return NULL;
}

/*
 * Where each of cpus stands in result->cpus: from[n] for free(), or NULL with
 * *rc when cpus is no permutation or memory is out.
 */
static size_t *find_places(const struct result *result,
	const struct cpu_list *cpus, int *rc, struct error *err)
{
	size_t n = result->cpus.n;
	size_t *from;

	if (cpus->n != n) {
		*rc = error_set(err, ERROR_FAILURE, EINVAL,
			"an order of %zu CPUs does not fit a result of %zu",
			cpus->n, n);
		return NULL;
	}
	from = calloc(n ? n : 1, sizeof(*from));
	if (!from) {
		*rc = error_no_memory(err, "an order of CPUs");
		return NULL;
	}
	/* A list holds no CPU twice: n found CPUs are a permutation. */
	for (size_t i = 0; i < n; i++) {
		long place = cpu_list_find(&result->cpus, cpus->cpus[i]);

		if (place < 0) {
			*rc = error_set(err, ERROR_FAILURE, EINVAL,
				"CPU %u is not in the result", cpus->cpus[i]);
			free(from);
			return NULL;
		}
		from[i] = (size_t)place;
	}
	*rc = 0;
	return from;
}

/* to[from[i]] becomes i: where what stood at a place stands now. */
static void move_pairs(
	struct result *result, const size_t *from, uint32_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[from[i]] = (uint32_t)i;
	for (size_t k = 0; k < result->n_kept; k++) {
		struct passes *passes = &result->kept[k];

		for (size_t p = 0; p < passes->n_pairs; p++) {
			struct cpu_pair *pair = &passes->pairs[p];

			pair->first = to[pair->first];
			pair->second = to[pair->second];
		}
	}
}

int result_reorder(
	struct result *result, const struct cpu_list *cpus, struct error *err)
{
	size_t n = result->cpus.n;
	double *values;
	uint32_t *to;
	size_t *from;
	int rc;

	from = find_places(result, cpus, &rc, err);
	if (!from)
		return rc;
	/* All memory is at hand before the first matrix changes. */
	values = new_missing(n, n);
	to = calloc(n ? n : 1, sizeof(*to));
	if (!values || !to) {
		free(values);
		free(to);
		free(from);
		return error_no_memory(err, "a matrix in another order");
	}
	for (size_t m = 0; m < result->n_matrices; m++) {
		double *old = result->matrices[m].values;

		for (size_t i = 0; i < n; i++) {
			for (size_t j = 0; j < n; j++)
				values[i * n + j] = old[from[i] * n + from[j]];
		}
		/* The old array is the next matrix's scratch. */
		result->matrices[m].values = values;
		values = old;
	}
	move_pairs(result, from, to, n);
	if (n > 0)
		memmove(result->cpus.cpus, cpus->cpus, n * sizeof(*cpus->cpus));
	free(values);
	free(to);
	free(from);
	return 0;
}
