/*
 * An analysis for other programs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/analysis.h"

json_t *analysis_number(double value)
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
		"median", analysis_number(level->inside), "unit", level->unit,
		"between", "median", analysis_number(level->between), "unit",
		level->unit, "confidence",
		json_real(analysis_confidence(level)), "advertised",
		level->advertised, "agrees",
		level->agrees == ANALYSIS_UNKNOWN
			? json_null()
			: json_boolean(level->agrees == ANALYSIS_AGREES));
}

bool analysis_append(json_t *array, json_t *item)
{
	return item && json_array_append_new(array, item) == 0;
}

static json_t *move_json(
	const struct analysis *analysis, const struct epoch_move *move)
{
	json_t *cpus = json_pack("[i]", (int)analysis->cpus.cpus[move->cpu]);

	if (cpus && move->other != move->cpu &&
		!analysis_append(
			cpus, json_integer(analysis->cpus.cpus[move->other]))) {
		json_decref(cpus);
		cpus = NULL;
	}
	return json_pack("{s:o, s:i, s:i, s:o}", "one_of", cpus, "pairs",
		(int)move->n_pairs, "changed", (int)move->n_changed, "change",
		analysis_number(move->change));
}

static json_t *levels_json(const struct analysis *analysis)
{
	json_t *levels = json_array();
	bool good = levels;

	for (size_t k = 0; good && k < analysis->n_levels; k++)
		good = analysis_append(
			levels, level_json(analysis, &analysis->levels[k]));
	if (good)
		return levels;
	json_decref(levels);
	return NULL;
}

static json_t *epoch_json(
	const struct analysis *analysis, const struct analysis_epoch *epoch)
{
	json_t *moved = json_array(), *moves = json_array();
	bool good = moved && moves;

	for (size_t k = 0; good && k < epoch->n_moves; k++) {
		const struct epoch_move *move = &epoch->moves[k];
		unsigned cpu = analysis->cpus.cpus[move->cpu];
		unsigned other = analysis->cpus.cpus[move->other];

		good = analysis_append(moves, move_json(analysis, move)) &&
		       analysis_append(moved, json_integer(cpu)) &&
		       (other == cpu ||
			       analysis_append(moved, json_integer(other)));
	}
	if (!good) {
		json_decref(moved);
		json_decref(moves);
		return NULL;
	}
	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:s}", "start_s",
		analysis_number(epoch->start_s), "end_s",
		analysis_number(epoch->end_s), "passes", (int)epoch->n_passes,
		"moved", moved, "moves", moves, "levels",
		levels_json(epoch->found), "placement",
		analysis_placement_name(epoch->found->placement));
}

json_t *analysis_to_json(const struct analysis *analysis)
{
	json_t *cpus = json_array(), *levels = levels_json(analysis);
	json_t *epochs = json_array();
	json_t *outliers = json_array(), *disagreements = json_array();
	bool good = cpus && levels && outliers && disagreements && epochs;
	json_t *source, *json;

	for (size_t i = 0; good && i < analysis->cpus.n; i++)
		good = analysis_append(
			cpus, json_integer(analysis->cpus.cpus[i]));
	for (size_t k = 0; good && k < analysis->n_outliers; k++)
		good = analysis_append(
			outliers, json_pack("{s:i, s:s}", "cpu",
					  (int)analysis->outliers[k].cpu, "why",
					  analysis->outliers[k].why));
	for (size_t k = 0; good && k < analysis->n_disagreements; k++)
		good = analysis_append(disagreements,
			json_pack("{s:s, s:s}", "what",
				analysis_what_name(
					analysis->disagreements[k].what),
				"text", analysis->disagreements[k].text));
	for (size_t k = 0; good && k < analysis->n_epochs; k++)
		good = analysis_append(
			epochs, epoch_json(analysis, &analysis->epochs[k]));
	if (!good) {
		json_decref(cpus);
		json_decref(epochs);
		json_decref(levels);
		json_decref(outliers);
		json_decref(disagreements);
		return NULL;
	}
	/* A file's name may be any bytes, JSON's strings are UTF-8. */
	source = json_string(analysis->source);
	json = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:s}", "format",
		ANALYSIS_FORMAT, "version", ANALYSIS_VERSION, "source",
		source ? source : json_null(), "cpus", cpus, "levels", levels,
		"outliers", outliers, "disagreements", disagreements,
		"placement", analysis_placement_name(analysis->placement));
	/* Where no passes were kept, there is nothing to say of epochs. */
	if (analysis->n_epochs == 0)
		json_decref(epochs);
	else if (json_object_set_new(json, "epochs", epochs) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}
