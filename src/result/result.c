/* Creates and releases results, and finds matrices and passes. */
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/copy.h"
#include "result/fields.h"
#include "util/array.h"
#include "util/text.h"

void result_init(struct result *result)
{
	struct_init(&result_type, result);
}

void result_release(struct result *result)
{
	struct_release(&result_type, result);
}

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

/* Sort nodes->all, because the nodes of a machine are sorted. */
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

/* Append a copy to items[*n]. Return the copy, or NULL if out of memory. */
static void *result_add_copy(void *items, size_t *n,
	const struct record_type *type, const void *from)
{
	char *at;

	if (!array_grow(items, *n, type->bytes))
		return NULL;
	at = *(char **)items + *n * type->bytes;
	if (!struct_copy(type, at, from))
		return NULL;
	++*n;
	return at;
}

bool matrix_make_room(struct matrix *matrix, size_t n)
{
	matrix->n = n;
	matrix->values = new_missing(n, n);
	return matrix->values;
}

bool passes_make_room(struct passes *passes, size_t n_pairs, size_t n_passes)
{
	passes->n_pairs = n_pairs;
	passes->n_passes = n_passes;
	passes->pairs = calloc(n_pairs ? n_pairs : 1, sizeof(*passes->pairs));
	passes->start_s = new_missing(n_passes, 1);
	passes->values = new_missing(n_passes, n_pairs);
	return passes->pairs && passes->start_s && passes->values;
}

struct matrix *result_add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, const char *quantity,
	bool higher_is_better, bool symmetric)
{
	const struct matrix borrowed = {.name = (char *)name,
		.statistic = (char *)statistic,
		.unit = (char *)unit,
		.quantity = (char *)quantity,
		.higher_is_better = higher_is_better,
		.symmetric = symmetric};
	struct matrix *matrix = result_add_copy(&result->matrices,
		&result->n_matrices, &matrix_type, &borrowed);

	if (!matrix || matrix_make_room(matrix, result_members(result)->n))
		return matrix;
	struct_release(&matrix_type, matrix);
	result->n_matrices--;
	return NULL;
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
	struct cache_level level;

	struct_init(&cache_type, &level);
	level.name = (char *)name;
	return result_add_copy(
		&result->caches, &result->n_caches, &cache_type, &level);
}

struct cache_tlb *result_add_tlb(struct result *result)
{
	struct cache_tlb tlb;

	struct_init(&tlb_type, &tlb);
	return result_add_copy(&result->tlbs, &result->n_tlbs, &tlb_type, &tlb);
}

struct line_profile *result_add_line_profile(
	struct result *result, const struct line_profile *profile)
{
	return result_add_copy(&result->line_profiles, &result->n_line_profiles,
		&line_profile_type, profile);
}

struct result *result_add_run(struct result *result)
{
	struct result run;

	result_init(&run);
	return result_add_copy(
		&result->runs, &result->n_runs, &result_type, &run);
}

struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes)
{
	const struct passes borrowed = {
		.name = (char *)name, .unit = (char *)unit};
	struct passes *passes = result_add_copy(
		&result->kept, &result->n_kept, &passes_type, &borrowed);

	if (!passes || passes_make_room(passes, n_pairs, n_passes))
		return passes;
	struct_release(&passes_type, passes);
	result->n_kept--;
	return NULL;
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
			struct_release(&matrix_type, &result->matrices[i]);
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

const struct passes *result_find_passes_again(
	const struct result *result, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < result->n_kept; i++) {
		const char *kept = result->kept[i].name;

		if (strncmp(kept, name, length) == 0 &&
			strcmp(kept + length, "_again") == 0)
			return &result->kept[i];
	}
	return NULL;
}

size_t passes_take_pair(
	const struct passes *passes, struct cpu_pair pair, double *out)
{
	size_t n = 0, p = 0;

	while (passes && p < passes->n_pairs &&
		(passes->pairs[p].first != pair.first ||
			passes->pairs[p].second != pair.second))
		p++;
	for (size_t t = 0;
		passes && p < passes->n_pairs && t < passes->n_passes; t++) {
		double value = passes->values[t * passes->n_pairs + p];

		if (isfinite(value))
			out[n++] = value;
	}
	return n;
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
