/*
 * A comparison for other programs, and as a result that can be drawn.
 */
#include <math.h>
#include <string.h>

#include "analyze/compare_parts.h"

enum content {
	CHANGE,
	CHANGE_PCT,
	P,
	SIGNIFICANT
};

static json_t *cell(
	const struct compare_matrix *matrix, enum content content, size_t at)
{
	double change = matrix->change[at];

	switch (content) {
	case CHANGE:
		return analysis_number(change);
	case CHANGE_PCT:
		return analysis_number(100 * change / fabs(matrix->before[at]));
	case P:
		return analysis_number(matrix->p[at]);
	case SIGNIFICANT:
		break;
	}
	if (isnan(change) || matrix->test == COMPARE_NONE)
		return json_null();
	return json_boolean(matrix->significant[at]);
}

static json_t *square(
	const struct compare_matrix *matrix, enum content content, size_t n)
{
	json_t *rows = json_array();
	bool good = rows;

	for (size_t i = 0; good && i < n; i++) {
		json_t *row = json_array();

		good = analysis_append(rows, row);
		for (size_t j = 0; good && j < n; j++)
			good = analysis_append(
				row, cell(matrix, content, i * n + j));
	}
	if (good)
		return rows;
	json_decref(rows);
	return NULL;
}

static json_t *levels_of(const struct compare_matrix *matrix)
{
	json_t *levels = json_array();
	bool good = levels;

	for (size_t k = 0; good && k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];

		good = analysis_append(levels,
			json_pack("{s:s?, s:s, s:I, s:o, s:o, s:o, s:o, s:o, "
				  "s:b}",
				"kind",
				level->all ? NULL
					   : analysis_kind_name(level->kind),
				"pairs",
				level->all	 ? "all"
				: level->between ? "between"
						 : "inside",
				"count", (json_int_t)level->n_pairs, "before",
				analysis_number(level->before), "after",
				analysis_number(level->after), "change",
				analysis_number(level->change), "change_pct",
				analysis_number(100 * level->change /
						fabs(level->before)),
				"p", analysis_number(level->p), "significant",
				level->significant));
	}
	if (good)
		return levels;
	json_decref(levels);
	return NULL;
}

static json_t *matrix_json(const struct compare_matrix *matrix, size_t n)
{
	json_t *object =
		json_pack("{s:s, s:s, s:s?, s:s, s:o}", "name", matrix->name,
			"unit", matrix->unit, "quantity", matrix->quantity,
			"better", matrix->higher_is_better ? "higher" : "lower",
			"levels", levels_of(matrix));

	if (!object || !matrix->change)
		return object;
	if (json_object_set_new(object, "test",
		    json_string(compare_test_name(matrix->test))) < 0 ||
		json_object_set_new(object, "pairs",
			json_pack("{s:I, s:I, s:I}", "compared",
				(json_int_t)matrix->n_pairs, "better",
				(json_int_t)matrix->n_better, "worse",
				(json_int_t)matrix->n_worse)) < 0 ||
		json_object_set_new(
			object, "change", square(matrix, CHANGE, n)) < 0 ||
		json_object_set_new(object, "change_pct",
			square(matrix, CHANGE_PCT, n)) < 0 ||
		json_object_set_new(object, "p", square(matrix, P, n)) < 0 ||
		json_object_set_new(object, "significant",
			square(matrix, SIGNIFICANT, n)) < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *compare_to_json(const struct comparison *comparison)
{
	json_t *matrices = json_array(), *facts = json_array();
	json_t *unmatched = json_array();
	bool good = matrices && facts && unmatched;

	for (size_t i = 0; good && i < comparison->n_matrices; i++)
		good = analysis_append(
			matrices, matrix_json(&comparison->matrices[i],
					  comparison->cpus.n));
	for (size_t i = 0; good && i < comparison->n_facts; i++)
		good = analysis_append(
			facts, json_pack("{s:s, s:s, s:s}", "what",
				       comparison->facts[i].what, "before",
				       comparison->facts[i].before, "after",
				       comparison->facts[i].after));
	for (size_t i = 0; good && i < comparison->n_unmatched; i++)
		good = analysis_append(
			unmatched, json_string(comparison->unmatched[i]));
	if (!good) {
		json_decref(matrices);
		json_decref(facts);
		json_decref(unmatched);
		return NULL;
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "distance_pct",
		analysis_number(comparison->distance_pct), "change_pct",
		analysis_number(comparison->change_pct), "changed", facts,
		"unmatched", unmatched, "matrices", matrices);
}

int compare_to_result(const struct comparison *comparison,
	const struct compare_side *reference, struct result *result,
	struct error *err)
{
	size_t n = comparison->cpus.n;
	int rc = 0;

	result_init(result);
	result->complete = true;
	result->command = reference->result->command
				  ? strdup(reference->result->command)
				  : NULL;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = cpu_list_add(&result->cpus, comparison->cpus.cpus[i], err);
	for (size_t i = 0; rc == 0 && i < comparison->n_matrices; i++) {
		const struct compare_matrix *from = &comparison->matrices[i];
		struct matrix *matrix = result_add_matrix(result, from->name,
			"change", from->unit, from->quantity,
			from->higher_is_better, from->symmetric);

		if (!matrix)
			rc = error_no_memory(err, "the difference");
		else
			memcpy(matrix->values, from->change,
				n * n * sizeof(*matrix->values));
	}
	if (rc < 0)
		result_release(result);
	return rc;
}
