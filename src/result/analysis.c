/*
 * Analyses and comparisons: their memory, their names, their JSON.
 */
#include "result/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/compare_pack.h"
#include "result/comparison.h"
#include "result/format.h"
#include "util/text.h"

#define ANALYSIS_FORMAT "c2c-analysis"

/* Odds below this are no doubt. */
#define LEAST_ODDS 0.005

const char *analysis_kind_name(enum analysis_kind kind)
{
	static const char *const names[] = {
		[ANALYSIS_SMT] = "smt",
		[ANALYSIS_LLC] = "llc",
		[ANALYSIS_NODE] = "node",
		[ANALYSIS_PACKAGE] = "package",
		[ANALYSIS_CLASS] = "class",
		[ANALYSIS_GROUP] = "group",
	};

	return names[kind];
}

double analysis_confidence(double confidence)
{
	/* 0.29 * 100 is a little less than 29. */
	return floor(confidence * 100 + 1e-9) / 100;
}

void analysis_release(struct analysis *analysis)
{
	arena_release(&analysis->memory);
	*analysis = (struct analysis){0};
}

void compare_release(struct comparison *comparison)
{
	arena_release(&comparison->memory);
	*comparison = (struct comparison){0};
}

static json_t *pack_level_groups(
	const struct analysis *analysis, const struct analysis_level *level)
{
	json_t *groups = json_array();

	for (size_t g = 0; g < level->n_groups; g++)
		pack_add(&groups, json_array());
	for (size_t i = 0; i < analysis->cpus.n; i++) {
		json_t *group = json_array_get(groups, level->group[i]);

		if (json_array_append_new(
			    group, json_integer(analysis->cpus.cpus[i])) < 0)
			pack_add(&groups, NULL);
	}
	return groups;
}

static json_t *pack_analysis_level(
	const struct analysis *analysis, const struct analysis_level *level)
{
	json_t *may_be = json_array();

	for (size_t i = 0; i < level->n_may_be; i++)
		pack_add(&may_be,
			json_string(analysis_kind_name(level->may_be[i])));
	return json_pack("{s:s, s:o, s:o, s:b, s:o, s:{s:o, s:s}, "
			 "s:{s:o, s:o, s:o, s:s}, s:o, s:s?, s:o}",
		"kind", analysis_kind_name(level->kind), "kind_confidence",
		json_real(analysis_confidence(level->kind_confidence)),
		"may_be", may_be, "nested", level->nested, "groups",
		pack_level_groups(analysis, level), "within", "median",
		pack_number(level->inside), "unit", level->unit, "between",
		"median", pack_number(level->between), "p5",
		pack_number(level->between_low), "p95",
		pack_number(level->between_high), "unit", level->unit,
		"confidence", json_real(analysis_confidence(level->confidence)),
		"reported", level->reported, "agrees",
		level->agrees == ANALYSIS_UNKNOWN
			? json_null()
			: json_boolean(level->agrees == ANALYSIS_AGREES));
}

static json_t *pack_levels(const struct analysis *analysis)
{
	json_t *levels = json_array();

	for (size_t k = 0; k < analysis->n_levels; k++)
		pack_add(&levels,
			pack_analysis_level(analysis, &analysis->levels[k]));
	return levels;
}

/* whole: of a run whose passes say nothing of moves. */
static const char *placement_name(const struct analysis *analysis, bool whole)
{
	static const char *const names[] = {
		[ANALYSIS_STABLE] = "stable",
		[ANALYSIS_DRIFTING] = "drifting",
		[ANALYSIS_MOVING_ASLEEP] = "drifting",
		[ANALYSIS_CANNOT_TELL] = "unknown",
		[ANALYSIS_TOO_FEW] = "unknown",
	};

	/* A single pair looks the same wherever its threads run. */
	if (analysis->cpus.n == 2 && whole &&
		analysis->placement == ANALYSIS_STABLE)
		return names[ANALYSIS_TOO_FEW];
	return names[analysis->placement];
}

static json_t *pack_epoch(
	const struct analysis *analysis, const struct analysis_epoch *epoch)
{
	json_t *moved = json_array(), *moves = json_array();

	for (size_t k = 0; k < epoch->n_moves; k++) {
		const struct epoch_move *move = &epoch->moves[k];
		unsigned ends[] = {analysis->cpus.cpus[move->cpu],
			analysis->cpus.cpus[move->other]};
		struct cpu_list cpus = {ends, ends[0] == ends[1] ? 1 : 2};

		for (size_t i = 0; i < cpus.n; i++)
			pack_add(&moved, json_integer(ends[i]));
		pack_add(&moves, json_pack("{s:o, s:i, s:i, s:o}", "one_of",
					 format_pack_cpus(&cpus), "pairs",
					 (int)move->n_pairs, "changed",
					 (int)move->n_changed, "change",
					 pack_number(move->change)));
	}
	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:s}", "start_s",
		pack_number(epoch->start_s), "end_s", pack_number(epoch->end_s),
		"passes", (int)(epoch->last - epoch->first + 1), "moved", moved,
		"moves", moves, "levels", pack_levels(epoch->found),
		"placement", placement_name(epoch->found, false));
}

static json_t *pack_sharing(const struct analysis_sharing *sharing)
{
	return json_pack("{s:o, s:s?, s:o, s:o, s:I, s:I, s:I, s:I, s:s}",
		"source",
		sharing->source ? pack_any_text(sharing->source) : json_null(),
		"cache", sharing->cache, "level",
		sharing->level == SIZE_MAX
			? json_null()
			: json_integer((json_int_t)sharing->level),
		"agrees",
		sharing->agrees == ANALYSIS_UNKNOWN
			? json_null()
			: json_boolean(sharing->agrees == ANALYSIS_AGREES),
		"pairs", (json_int_t)sharing->n_pairs, "shared",
		(json_int_t)sharing->n_shared, "outside",
		(json_int_t)sharing->n_outside, "unknown",
		(json_int_t)sharing->n_unknown, "text", sharing->text);
}

void analysis_doubt(
	const struct analysis_level *perhaps, char text[ANALYSIS_DOUBT])
{
	double odds = 1 - perhaps->confidence;

	if (!perhaps->nested)
		snprintf(text, ANALYSIS_DOUBT,
			"cores of two kinds, or equal cores at other distances "
			"from the home of the lines: they differ by some per "
			"cent, in runs of neighbours");
	else if (perhaps->partial)
		snprintf(text, ANALYSIS_DOUBT,
			"some of the CPUs show it clearly, others do not");
	else if (odds < LEAST_ODDS)
		snprintf(text, ANALYSIS_DOUBT,
			"the numbers between its groups are far apart, but it "
			"does not pass every test of a level");
	else
		snprintf(text, ANALYSIS_DOUBT,
			"it joins so few groups that chance joins them like "
			"this one time in %.0f",
			1 / odds);
}

static json_t *pack_perhaps(const struct analysis *analysis)
{
	json_t *all = json_array();

	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		const struct analysis_level *level = &analysis->perhaps[k];
		char text[ANALYSIS_DOUBT];

		analysis_doubt(level, text);
		pack_add(&all,
			json_pack("{s:o, s:{s:o, s:s}, s:{s:o, s:s}, "
				  "s:s, s:s?}",
				"groups", pack_level_groups(analysis, level),
				"within", "median", pack_number(level->inside),
				"unit", level->unit, "between", "median",
				pack_number(level->between), "unit",
				level->unit, "doubt", text, "reported",
				level->reported));
	}
	return all;
}

static json_t *pack_pairs(const struct analysis *analysis,
	const struct analysis_pair *pairs, size_t n)
{
	json_t *all = json_array();

	for (size_t k = 0; k < n; k++)
		pack_add(&all, json_pack("{s:[i, i], s:o, s:o, s:o, s:s}",
				       "cpus", (int)pairs[k].a, (int)pairs[k].b,
				       "value", pack_number(pairs[k].value),
				       "ci_low", pack_number(pairs[k].low),
				       "ci_high", pack_number(pairs[k].high),
				       "unit", analysis->nearest_unit));
	return all;
}

static void pack_nearest(json_t *json, const struct analysis *analysis)
{
	if (analysis->n_nearest > 0)
		json_object_set_new(json, "nearest",
			pack_pairs(analysis, analysis->nearest,
				analysis->n_nearest));
	if (analysis->n_nearest_cores > 0)
		json_object_set_new(json, "nearest_cores",
			pack_pairs(analysis, analysis->nearest_cores,
				analysis->n_nearest_cores));
}

/* Without a topology there is none. */
static void pack_verdict(json_t *json, const struct analysis *analysis)
{
	static const char *const names[] = {
		[ANALYSIS_VERDICT_AGREES] = "agrees",
		[ANALYSIS_VERDICT_DISAGREES] = "disagrees",
		[ANALYSIS_VERDICT_CANNOT_TELL] = "cannot-tell",
	};

	if (analysis->verdict == ANALYSIS_VERDICT_NONE)
		return;
	json_object_set_new(
		json, "verdict", json_string(names[analysis->verdict]));
	if (analysis->unknown_reason)
		json_object_set_new(json, "undecided",
			json_string(analysis->unknown_reason));
}

json_t *analysis_to_json(const struct analysis *analysis)
{
	static const char *const whats[] = {
		[ANALYSIS_HIDDEN] = "hidden-level",
		[ANALYSIS_CONTRADICTED] = "contradicted-level",
	};
	json_t *epochs = json_array(), *outliers = json_array();
	json_t *disagreements = json_array(), *sharing = json_array();
	json_t *json;

	for (size_t k = 0; k < analysis->n_outliers; k++)
		pack_add(&outliers, json_pack("{s:i, s:s}", "cpu",
					    (int)analysis->outliers[k].cpu,
					    "why", analysis->outliers[k].why));
	for (size_t k = 0; k < analysis->n_disagreements; k++)
		pack_add(&disagreements,
			json_pack("{s:s, s:s}", "what",
				whats[analysis->disagreements[k].what], "text",
				analysis->disagreements[k].text));
	for (size_t k = 0; k < analysis->n_epochs; k++)
		pack_add(&epochs, pack_epoch(analysis, &analysis->epochs[k]));
	for (size_t k = 0; k < analysis->n_sharing; k++)
		pack_add(&sharing, pack_sharing(&analysis->sharing[k]));
	json = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}",
		"format", ANALYSIS_FORMAT, "version", FORMAT_VERSION, "source",
		pack_any_text(analysis->source), "cpus",
		format_pack_cpus(&analysis->cpus), "levels",
		pack_levels(analysis), "outliers", outliers, "disagreements",
		disagreements, "sharing", sharing, "placement",
		placement_name(analysis, analysis->n_epochs == 0), "epochs",
		epochs);
	if (analysis->n_perhaps > 0)
		json_object_set_new(json, "perhaps", pack_perhaps(analysis));
	pack_nearest(json, analysis);
	pack_verdict(json, analysis);
	if (analysis->resolution > 0)
		json_object_set_new(json, "resolution",
			json_pack("{s:o, s:s}", "value",
				pack_number(analysis->resolution), "unit",
				analysis->resolution_unit));
	/* Where no passes were kept, there is nothing to say of epochs. */
	if (analysis->n_epochs == 0)
		json_object_del(json, "epochs");
	/* And without a witness nothing of sharing. */
	if (analysis->n_sharing == 0)
		json_object_del(json, "sharing");
	return json;
}

static double change_percent(double change, double before)
{
	return 100 * change / fabs(before);
}

/* null: not tested. */
static json_t *pack_tested_verdict(bool tested, bool significant)
{
	return tested ? json_boolean(significant) : json_null();
}

/* What a comparison says of one cell of a matrix. */
typedef json_t *cell_packer(const struct compare_matrix *matrix, size_t at);

static json_t *pack_change(const struct compare_matrix *matrix, size_t at)
{
	return pack_number(matrix->change[at]);
}

static json_t *pack_percent(const struct compare_matrix *matrix, size_t at)
{
	return pack_number(
		change_percent(matrix->change[at], matrix->before[at]));
}

static json_t *pack_p(const struct compare_matrix *matrix, size_t at)
{
	return pack_number(matrix->p[at]);
}

static json_t *pack_significant(const struct compare_matrix *matrix, size_t at)
{
	return pack_tested_verdict(matrix->tested[at], matrix->significant[at]);
}

static json_t *pack_matrix_rows(
	const struct compare_matrix *matrix, size_t n, cell_packer *pack)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *row = json_array();

		for (size_t j = 0; j < n; j++)
			pack_add(&row, pack(matrix, i * n + j));
		pack_add(&rows, row);
	}
	return rows;
}

static json_t *pack_strata(const struct compare_matrix *matrix)
{
	json_t *levels = json_array();

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];

		pack_add(&levels,
			json_pack("{s:s?, s:s, s:I, s:o, s:o, s:o, s:o, s:o, "
				  "s:o, s:o, s:o, s:o}",
				"kind",
				level->all ? NULL
					   : analysis_kind_name(level->kind),
				"pairs",
				level->all	 ? "all"
				: level->between ? "between"
						 : "inside",
				"count", (json_int_t)level->n_pairs, "before",
				pack_number(level->before), "after",
				pack_number(level->after), "change",
				pack_number(level->change), "change_pct",
				pack_number(change_percent(
					level->change, level->before)),
				"p", pack_number(level->p), "significant",
				pack_tested_verdict(
					level->tested, level->significant),
				"rest_change_pct",
				pack_number(100 * level->rest_change), "rest_p",
				pack_number(level->rest_p), "rest_significant",
				pack_tested_verdict(level->rest_tested,
					level->rest_significant)));
	}
	return levels;
}

static json_t *pack_compare_matrix(
	const struct compare_matrix *matrix, size_t n, bool pairs)
{
	static const char *const tests[] = {
		[COMPARE_NONE] = "none",
		[COMPARE_INTERVALS] = "intervals",
		[COMPARE_PASSES] = "passes",
		[COMPARE_RUNS] = "runs",
	};
	json_t *json =
		json_pack("{s:s, s:s, s:s?, s:s, s:o}", "name", matrix->name,
			"unit", matrix->unit, "quantity", matrix->quantity,
			"better", matrix->higher_is_better ? "higher" : "lower",
			"levels", pack_strata(matrix));

	if (!matrix->change)
		return json;
	json = pack_join(json, json_pack("{s:s, s:{s:I, s:I, s:I, s:I}}",
				       "test", tests[matrix->test], "pairs",
				       "compared", (json_int_t)matrix->n_pairs,
				       "tested", (json_int_t)matrix->n_tested,
				       "better", (json_int_t)matrix->n_better,
				       "worse", (json_int_t)matrix->n_worse));
	if (!pairs)
		return json;
	return pack_join(json,
		json_pack("{s:o, s:o, s:o, s:o}", "change",
			pack_matrix_rows(matrix, n, pack_change), "change_pct",
			pack_matrix_rows(matrix, n, pack_percent), "p",
			pack_matrix_rows(matrix, n, pack_p), "significant",
			pack_matrix_rows(matrix, n, pack_significant)));
}

static json_t *pack_stretches(const struct compare_curve *curve)
{
	json_t *levels = json_array();

	for (size_t k = 0; k < curve->n_stretches; k++) {
		const struct compare_stretch *stretch = &curve->stretches[k];

		pack_add(&levels,
			json_pack("{s:s?, s:I, s:I, s:o, s:o, s:o, s:o, s:o}",
				"level", stretch->level, "count",
				(json_int_t)stretch->n_points, "changed",
				(json_int_t)stretch->n_changed, "before",
				pack_number(stretch->before), "after",
				pack_number(stretch->after), "change",
				pack_number(stretch->change), "change_pct",
				pack_number(change_percent(
					stretch->change, stretch->before)),
				"significant",
				pack_tested_verdict(stretch->tested,
					stretch->significant)));
	}
	return levels;
}

static json_t *pack_compare_curve(const struct compare_curve *curve)
{
	const struct curve_facts *facts = &curve->facts;
	json_t *x = json_array(), *before = json_array();
	json_t *change = json_array(), *pct = json_array();
	json_t *significant = json_array();

	for (size_t k = 0; k < curve->n; k++) {
		pack_add(&x, pack_number(curve->x[k]));
		pack_add(&before, pack_number(curve->before[k]));
		pack_add(&change, pack_number(curve->change[k]));
		pack_add(&pct, pack_number(change_percent(
				       curve->change[k], curve->before[k])));
		pack_add(&significant, pack_tested_verdict(curve->tested[k],
					       curve->significant[k]));
	}
	return json_pack("{s:s?, s:s, s:s, s:s?, s:s?, s:o, s:{s:s, s:s?, s:o},"
			 " s:{s:s, s:s}, s:s, s:s, s:{s:I, s:I, s:I, s:I, s:I},"
			 " s:o, s:o, s:o, s:o, s:o}",
		"test", facts->test, "family", facts->family, "member",
		facts->member, "variant", facts->variant, "device",
		facts->device, "cpus", format_pack_cpus(&curve->cpus), "x",
		"name", facts->x_name, "unit", facts->x_unit, "values", x, "y",
		"name", facts->y_name, "unit", facts->y_unit, "better",
		curve->higher_is_better ? "higher" : "lower", "judged_by",
		curve->test == COMPARE_RUNS	   ? "runs"
		: curve->test == COMPARE_INTERVALS ? "intervals"
						   : "none",
		"points", "compared", (json_int_t)curve->n, "alone",
		(json_int_t)curve->n_alone, "tested",
		(json_int_t)curve->n_tested, "better",
		(json_int_t)curve->n_better, "worse",
		(json_int_t)curve->n_worse, "before", before, "change", change,
		"change_pct", pct, "significant", significant, "levels",
		pack_stretches(curve));
}

static json_t *pack_size(const struct compare_size *size)
{
	return json_pack("{s:s, s:s?, s:[o, o], s:[o, o], s:b, s:b}", "what",
		size->name, "unit", size->bytes ? "B" : NULL, "before",
		pack_number(size->before[0]), pack_number(size->before[1]),
		"after", pack_number(size->after[0]),
		pack_number(size->after[1]), "apart", size->apart, "changed",
		size->changed);
}

json_t *compare_to_json(const struct comparison *comparison, bool pairs)
{
	json_t *matrices = json_array(), *facts = json_array();
	json_t *unmatched = json_array(), *curves = json_array();
	json_t *sizes = json_array();

	for (size_t i = 0; i < comparison->n_curves; i++)
		pack_add(&curves, pack_compare_curve(&comparison->curves[i]));
	for (size_t i = 0; i < comparison->n_sizes; i++)
		pack_add(&sizes, pack_size(&comparison->sizes[i]));
	for (size_t i = 0; i < comparison->n_matrices; i++)
		pack_add(
			&matrices, pack_compare_matrix(&comparison->matrices[i],
					   comparison->cpus.n, pairs));
	for (size_t i = 0; i < comparison->n_facts; i++)
		pack_add(&facts, json_pack("{s:s, s:s, s:s}", "what",
					 comparison->facts[i].what, "before",
					 comparison->facts[i].before, "after",
					 comparison->facts[i].after));
	for (size_t i = 0; i < comparison->n_unmatched; i++)
		pack_add(&unmatched, json_string(comparison->unmatched[i]));
	return json_pack("{s:s?, s:s?, s:[I, I], s:b, s:b, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o, s:o}",
		"undecided", comparison->undecided, "doubt", comparison->doubt,
		"runs", (json_int_t)comparison->n_runs[0],
		(json_int_t)comparison->n_runs[1], "in_a_row",
		comparison->in_a_row, "needs_turns", comparison->needs_turns,
		"least_p", pack_number(comparison->least_p), "distance_pct",
		pack_number(comparison->distance_pct), "change_pct",
		pack_number(comparison->change_pct), "changed", facts,
		"unmatched", unmatched, "matrices", matrices, "curves", curves,
		"sizes", sizes);
}

json_t *compare_pack_side(const struct compare_side *side)
{
	return json_pack("{s:o, s:s?, s:s?}", "source",
		pack_any_text(side->source), "hostname",
		facts_text(&side->result->machine, "hostname"), "started",
		side->result->started);
}

json_t *compare_pack(const struct compared_file *file, bool pairs)
{
	json_t *object = compare_pack_side(&file->side);
	json_t *rest;

	if (file->reason)
		rest = json_pack(
			"{s:o}", "reason", pack_any_text(file->reason));
	else
		rest = pack_join(json_pack("{s:b}", "outlier", file->outlier),
			compare_to_json(&file->comparison, pairs));
	return pack_join(object, rest);
}

void compare_drop_packed(struct compared_file *file)
{
	json_decref(file->packed);
	file->packed = NULL;
}

char *analysis_text(const struct analysis *analysis)
{
	return pack_dump(analysis_to_json(analysis));
}

char *compare_text(const struct compared_file *files, size_t n)
{
	json_t *others = json_array(), *left_out = json_array();

	for (size_t i = 1; i < n; i++)
		pack_add(files[i].reason ? &left_out : &others,
			compare_pack(&files[i], true));
	return pack_dump(json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "format",
		COMPARISON_FORMAT, "version", FORMAT_VERSION, "reference",
		compare_pack_side(&files[0].side),
		result_is_of_nodes(&files[0].result) ? "nodes" : "cpus",
		format_pack_cpus(result_members(&files[0].result)), "files",
		others, "not_compared", left_out));
}
