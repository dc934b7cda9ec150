/*
 * A finished measurement in memory: its life and lookup.
 */
#include "result/result.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

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

static void passes_release(struct passes *passes)
{
	free(passes->name);
	free(passes->unit);
	free(passes->pairs);
	free(passes->start_s);
	free(passes->values);
	json_decref(passes->extra);
}

/* Runs have no runs, so this goes down once. */
void result_release(struct result *result)
{
	for (size_t i = 0; i < result->n_matrices; i++)
		matrix_release(&result->matrices[i]);
	for (size_t i = 0; i < result->n_curves; i++)
		curve_release(&result->curves[i]);
	for (size_t i = 0; i < result->n_caches; i++)
		cache_level_release(&result->caches[i]);
	for (size_t i = 0; i < result->n_tlbs; i++)
		json_decref(result->tlbs[i].extra);
	for (size_t i = 0; i < result->n_kept; i++)
		passes_release(&result->kept[i]);
	for (size_t i = 0; i < result->n_runs; i++)
		result_release(&result->runs[i]);
	free(result->runs);
	free(result->matrices);
	free(result->curves);
	free(result->caches);
	free(result->tlbs);
	free(result->kept);
	free(result->command);
	free(result->started);
	free(result->hwloc_xml);
	cpu_list_release(&result->cpus);
	cpu_list_release(&result->nodes.rows);
	cpu_list_release(&result->nodes.columns);
	cpu_list_release(&result->nodes.all);
	facts_release(&result->tool);
	facts_release(&result->machine);
	facts_release(&result->options);
	run_facts_release(&result->run);
	json_decref(result->extra);
	result_init(result);
}

/* Rows of NaNs for free(), or NULL without memory. */
static double *new_missing(size_t rows, size_t columns)
{
	size_t n;

	return __builtin_mul_overflow(rows, columns, &n) ? NULL
							 : curve_new_missing(n);
}

static bool copy_nodes(struct cpu_list *to, const struct cpu_list *from)
{
	for (size_t i = 0; i < from->n; i++) {
		if (cpu_list_add(to, from->cpus[i], NULL) < 0)
			return false;
	}
	return true;
}

/* Nodes of all are increasing: those of a machine lie in this order. */
bool result_set_nodes(struct result *result, const struct cpu_list *rows,
	const struct cpu_list *columns)
{
	struct result_nodes *nodes = &result->nodes;

	if (!copy_nodes(&nodes->rows, rows) ||
		!copy_nodes(&nodes->columns, columns) ||
		!copy_nodes(&nodes->all, rows) ||
		!copy_nodes(&nodes->all, columns))
		return false;
	cpu_list_sort(&nodes->all);
	return true;
}

bool result_is_of_nodes(const struct result *result)
{
	return result->nodes.all.n > 0;
}

bool result_same_nodes(const struct result *a, const struct result *b)
{
	return cpu_list_same(&a->nodes.rows, &b->nodes.rows) &&
	       cpu_list_same(&a->nodes.columns, &b->nodes.columns);
}

const struct cpu_list *result_members(const struct result *result)
{
	return result_is_of_nodes(result) ? &result->nodes.all : &result->cpus;
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
	size_t n = result_members(result)->n;
	struct matrix *matrix;

	if (!array_grow(&result->matrices, result->n_matrices, sizeof(*matrix)))
		return NULL;
	matrix = &result->matrices[result->n_matrices];
	memset(matrix, 0, sizeof(*matrix));
	matrix->higher_is_better = higher_is_better;
	matrix->symmetric = symmetric;
	matrix->values = new_missing(n, n);
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

struct curve *result_add_curve(
	struct result *result, const struct curve_facts *facts, size_t n)
{
	if (!array_grow(&result->curves, result->n_curves,
		    sizeof(*result->curves)) ||
		!curve_init(&result->curves[result->n_curves], facts, n))
		return NULL;
	return &result->curves[result->n_curves++];
}

struct cache_level *result_add_cache(struct result *result, const char *name)
{
	if (!array_grow(&result->caches, result->n_caches,
		    sizeof(*result->caches)) ||
		!cache_level_init(&result->caches[result->n_caches], name))
		return NULL;
	return &result->caches[result->n_caches++];
}

struct cache_tlb *result_add_tlb(struct result *result)
{
	if (!array_grow(&result->tlbs, result->n_tlbs, sizeof(*result->tlbs)))
		return NULL;
	result->tlbs[result->n_tlbs] =
		(struct cache_tlb){NAN, NAN, NAN, NAN, NAN, NULL};
	return &result->tlbs[result->n_tlbs++];
}

struct result *result_add_run(struct result *result)
{
	struct result *run;

	if (!array_grow(&result->runs, result->n_runs, sizeof(*run)))
		return NULL;
	run = &result->runs[result->n_runs++];
	result_init(run);
	return run;
}

struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes)
{
	struct passes *passes;

	if (!array_grow(&result->kept, result->n_kept, sizeof(*passes)))
		return NULL;
	passes = &result->kept[result->n_kept];
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

bool result_keep_matrix(
	struct result *result, const char *name, const char *statistic)
{
	const struct matrix *found =
		result_find_matrix(result, name, statistic);
	struct matrix kept;

	if (!found)
		return false;
	kept = *found;
	for (size_t i = 0; i < result->n_matrices; i++) {
		if (&result->matrices[i] != found)
			matrix_release(&result->matrices[i]);
	}
	result->matrices[0] = kept;
	result->n_matrices = 1;
	return true;
}

bool result_is_of_units(const struct result *result)
{
	return text_same(result->command, "cl") && result->n_matrices > 0;
}

const char *result_member_word(const struct result *result)
{
	if (result_is_of_nodes(result))
		return "node";
	return result_is_of_units(result) ? "unit" : "CPU";
}

bool matrix_is_slowdown(const struct matrix *matrix)
{
	return text_same(matrix->unit, "times");
}

bool matrix_near_is_high(const struct matrix *matrix)
{
	return matrix->higher_is_better || matrix_is_slowdown(matrix);
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
