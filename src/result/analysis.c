/* Releases analyses, and makes their JSON. */
#include "result/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/pack.h"

const char *const analysis_kinds[] = {
	[ANALYSIS_SMT] = "smt",
	[ANALYSIS_LLC] = "llc",
	[ANALYSIS_NODE] = "node",
	[ANALYSIS_PACKAGE] = "package",
	[ANALYSIS_CLASS] = "class",
	[ANALYSIS_GROUP] = "group",
	[ANALYSIS_DOMAIN] = "domain",
	NULL,
};

double analysis_confidence(double confidence)
{
	/* 0.29 * 100 is slightly below 29, so add 1e-9. */
	return floor(confidence * 100 + 1e-9) / 100;
}

const char *analysis_level_doubt(const struct analysis_level *level)
{
	return analysis_confidence(level->confidence) < ANALYSIS_PROMISED
		       ? level->doubt
		       : NULL;
}

void analysis_release(struct analysis *analysis)
{
	arena_release(&analysis->memory);
	*analysis = (struct analysis){0};
}

static json_t *pack_level_doubt(
	const void *from, const struct pack_context *context)
{
	const char *doubt = analysis_level_doubt(from);

	(void)context;
	return doubt ? json_string(doubt) : json_null();
}

/* Make a list of CPUs for each group. An epoch has all CPUs of the run. */
static json_t *pack_groups(const void *from, const struct pack_context *context)
{
	const struct analysis_level *level = from;
	const struct analysis *analysis = context->root;
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

static json_t *pack_may_be(const void *from, const struct pack_context *context)
{
	const struct analysis_level *level = from;
	json_t *kinds = json_array();

	(void)context;
	for (size_t i = 0; i < level->n_may_be; i++)
		pack_add(&kinds, json_string(analysis_kinds[level->may_be[i]]));
	return kinds;
}

static json_t *pack_inferred(
	const void *from, const struct pack_context *context)
{
	const struct analysis_level *level = from;
	const struct analysis *analysis = context->root;
	json_t *cpus = json_array();

	for (size_t i = 0; level->inferred && i < analysis->cpus.n; i++)
		if (level->inferred[i])
			pack_add(&cpus, json_integer(analysis->cpus.cpus[i]));
	return cpus;
}

static json_t *pack_confidence(
	const void *from, const struct pack_context *context)
{
	const double *at = field_at(context, from);

	return json_real(analysis_confidence(*at));
}

static json_t *pack_agreement(
	const void *from, const struct pack_context *context)
{
	const enum analysis_agreement *at = field_at(context, from);

	return *at == ANALYSIS_UNKNOWN ? json_null()
				       : json_boolean(*at == ANALYSIS_AGREES);
}

#define GROUPS_ROW                                                             \
	ROW_MADE(analysis_level, pack_groups, CPUS, group, "groups",           \
		"The CPUs of each group", .depth = FIELD_ROW)
#define MEDIAN_ROWS(member, key_, about_)                                      \
	ROW_OR_NULL(analysis_level, NUMBER, member, key_ ".median", about_),   \
		ROW(analysis_level, TEXT, unit, key_ ".unit",                  \
			"Unit of the median")
#define REPORTED_ROW                                                           \
	ROW_OR_NULL(analysis_level, TEXT, reported, "reported",                \
		"Topology objects with the same CPUs, such as Core")

static const struct record_field level_rows[] = {
	ROW(analysis_level, WORD, kind, "kind",
		"Kind of the groups; \"group\" if c2c does not know the kind",
		.words = analysis_kinds),
	ROW_MADE(analysis_level, pack_confidence, NUMBER, kind_confidence,
		"kind_confidence", "Probability that the kind is true",
		.most = 1),
	ROW_MADE(analysis_level, pack_may_be, WORD, may_be, "may_be",
		"Possible kinds, from the most likely; empty for any kind",
		.depth = FIELD_ROW, .words = analysis_kinds),
	ROW(analysis_level, FLAG, nested, "nested",
		"Whether groups are unions of groups of the inner level"),
	GROUPS_ROW,
	MEDIAN_ROWS(inside, "within",
		"Median of the pairs inside a group, except pairs inside a "
		"group of an inner level"),
	ROW_OR_NULL(analysis_level, NUMBER, between, "between.median",
		"Median of the pairs between groups that the next outer level "
		"unites"),
	ROW_OR_NULL(analysis_level, NUMBER, between_low, "between.p5",
		"5th percentile of the values of pairs between groups"),
	ROW_OR_NULL(analysis_level, NUMBER, between_high, "between.p95",
		"95th percentile of the values of pairs between groups"),
	ROW(analysis_level, TEXT, unit, "between.unit",
		"Unit of the median and the percentiles"),
	ROW_MADE(analysis_level, pack_confidence, NUMBER, confidence,
		"confidence", "Probability that the level is real", .most = 1),
	ROW_MADE(analysis_level, pack_level_doubt, TEXT, doubt, "doubt",
		"Why the confidence is below 0.9", .optional = true),
	ROW_MADE(analysis_level, pack_inferred, CPUS, inferred, "inferred",
		"CPUs whose group c2c inferred from pairs outside the group",
		.optional = true),
	REPORTED_ROW,
	ROW_MADE(analysis_level, pack_agreement, SWITCH, agrees, "agrees",
		"Whether the topology agrees; null if the topology is missing "
		"or the level is too uncertain",
		.nullable = true),
	{0},
};

static RECORD_TYPE(level, analysis_level, "A division of the CPUs into groups");

static const struct record_field perhaps_rows[] = {
	GROUPS_ROW,
	MEDIAN_ROWS(inside, "within", "Median of the pairs inside groups"),
	MEDIAN_ROWS(between, "between", "Median of the pairs between groups"),
	ROW_MADE(analysis_level, pack_confidence, NUMBER, confidence,
		"confidence", "Probability, below 0.5", .most = 1),
	ROW(analysis_level, TEXT, doubt, "doubt", "Why the level is uncertain"),
	REPORTED_ROW,
	{0},
};

static RECORD_TYPE(perhaps, analysis_level, "A level that may exist");

static const struct record_field outlier_rows[] = {
	ROW(analysis_outlier, COUNT, cpu, "cpu", "Number of the CPU"),
	ROW(analysis_outlier, TEXT, why, "why", "What is unusual"),
	{0},
};

static RECORD_TYPE(
	outlier, analysis_outlier, "A CPU that differs from the others");

static const char *const disagreement_words[] = {
	[ANALYSIS_HIDDEN] = "hidden-level",
	[ANALYSIS_CONTRADICTED] = "contradicted-level",
	NULL,
};

static const struct record_field disagreement_rows[] = {
	ROW(analysis_disagreement, WORD, what, "what",
		"A measured level that the topology does not report, or a "
		"reported level that the values contradict",
		.words = disagreement_words),
	ROW(analysis_disagreement, TEXT, text, "text",
		"Sentence that describes the disagreement"),
	{0},
};

static RECORD_TYPE(disagreement, analysis_disagreement,
	"A disagreement between the values and the topology");

static const struct record_field sharing_rows[] = {
	ROW_OR_NULL(analysis_sharing, TEXT, source, "source",
		"File with the measured slowdowns", .bytes = true),
	ROW_OR_NULL(analysis_sharing, TEXT, cache, "cache",
		"L1, or the size of a larger cache"),
	ROW_OR_NULL(analysis_sharing, SIZE, level, "level",
		"Index of the level in the array levels, or null"),
	ROW_MADE(analysis_sharing, pack_agreement, SWITCH, agrees, "agrees",
		"Whether the slowdowns agree with the level; null if undecided",
		.nullable = true),
	ROW(analysis_sharing, SIZE, n_pairs, "pairs",
		"Number of pairs inside groups of the level"),
	ROW(analysis_sharing, SIZE, n_shared, "shared",
		"Number of pairs inside groups whose CPUs share the cache"),
	ROW(analysis_sharing, SIZE, n_outside, "outside",
		"Number of pairs between groups whose CPUs share the cache"),
	ROW(analysis_sharing, SIZE, n_unknown, "unknown",
		"Number of undecided pairs inside groups"),
	ROW(analysis_sharing, TEXT, text, "text", "Sentence about the sharing"),
	{0},
};

static RECORD_TYPE(sharing, analysis_sharing,
	"Comparison of a level with the slowdowns in a cache");

static json_t *pack_pair_cpus(
	const void *from, const struct pack_context *context)
{
	const struct analysis_pair *pair = from;

	(void)context;
	return json_pack("[i, i]", (int)pair->a, (int)pair->b);
}

static const struct record_field pair_rows[] = {
	ROW_MADE(analysis_pair, pack_pair_cpus, CPUS, a, "cpus",
		"The two CPUs of the pair"),
	ROW(analysis_pair, NUMBER, value, "value",
		"Latency or rate of the pair"),
	ROW_OR_NULL(analysis_pair, NUMBER, low, "ci_low",
		"Low end of the 95 % interval of the value"),
	ROW_OR_NULL(analysis_pair, NUMBER, high, "ci_high",
		"High end of the 95 % interval of the value"),
	ROW(analysis_pair, TEXT, unit, "unit",
		"Unit of the value and the interval"),
	{0},
};

static RECORD_TYPE(
	pair, analysis_pair, "A pair of CPUs, with its latency or rate");

/* Add the CPU that moved, or two CPUs if one of them moved. */
static void add_moved_cpus(json_t **cpus, const struct epoch_move *move,
	const struct analysis *analysis)
{
	pack_add(cpus, json_integer(analysis->cpus.cpus[move->cpu]));
	if (move->other != move->cpu)
		pack_add(cpus, json_integer(analysis->cpus.cpus[move->other]));
}

static json_t *pack_one_of(const void *from, const struct pack_context *context)
{
	json_t *cpus = json_array();

	add_moved_cpus(&cpus, from, context->root);
	return cpus;
}

static const struct record_field move_rows[] = {
	ROW_MADE(epoch_move, pack_one_of, CPUS, cpu, "one_of",
		"The CPU that moved, or two CPUs if one of them moved"),
	ROW(epoch_move, SIZE, n_pairs, "pairs",
		"Number of pairs that only this move can explain"),
	ROW(epoch_move, SIZE, n_changed, "changed",
		"Number of changed pairs that only this move can explain"),
	ROW_OR_NULL(epoch_move, NUMBER, change, "change",
		"Median absolute change of the pairs, as a share: 0.2 is 20 %"),
	{0},
};

static RECORD_TYPE(move, epoch_move, "The move of a CPU");

static json_t *pack_moved(const void *from, const struct pack_context *context)
{
	const struct analysis_epoch *epoch = from;
	json_t *cpus = json_array();

	for (size_t k = 0; k < epoch->n_moves; k++)
		add_moved_cpus(&cpus, &epoch->moves[k], context->root);
	return cpus;
}

/* Make the value of a row from the row with the same key in analysis_type. */
static json_t *pack_found(const void *from, const struct pack_context *context)
{
	const struct analysis_epoch *epoch = from;
	const struct record_field *row = analysis_type.fields;

	while (strcmp(row->key, context->field->key) != 0)
		row++;
	return field_pack(row, epoch->found, context);
}

static const char *const placements[] = {"stable", "drifting", "unknown", NULL};

static json_t *pack_placement(
	const void *from, const struct pack_context *context)
{
	const struct analysis *analysis = from;
	bool stable = analysis->placement == ANALYSIS_STABLE;
	/* A single pair looks the same wherever its threads run. */
	bool single = stable && from == context->root &&
		      analysis->cpus.n == 2 && analysis->n_epochs == 0;

	return json_string(
		placements[single || analysis->placement >= ANALYSIS_CANNOT_TELL
				   ? 2
				   : !stable]);
}

static const struct record_field epoch_rows[] = {
	ROW_OR_NULL(analysis_epoch, NUMBER, start_s, "start_s",
		"Time from the start of the run to the start of the epoch",
		.unit = "s"),
	ROW_OR_NULL(analysis_epoch, NUMBER, end_s, "end_s",
		"Time from the start of the run to the end of the epoch",
		.unit = "s"),
	ROW(analysis_epoch, SIZE, n_passes, "passes",
		"Number of passes in the epoch"),
	ROW_MADE(analysis_epoch, pack_moved, CPUS, moves, "moved",
		"CPUs that moved at the start of the epoch"),
	ROW_LIST(analysis_epoch, move_type, moves, "moves",
		"Evidence of the moves at the start of the epoch"),
	ROW_MADE(analysis_epoch, pack_found, LIST, found, "levels",
		"Levels from the passes of the epoch only",
		.type = &level_type),
	ROW_MADE(analysis_epoch, pack_found, WORD, found, "placement",
		"Whether CPUs moved during the epoch", .words = placements),
	{0},
};

static RECORD_TYPE(epoch, analysis_epoch, "Passes between moves of CPUs");

static const struct record_field resolution_rows[] = {
	ROW_OR_NULL(analysis, NUMBER, resolution, "value", "Step of the clock"),
	ROW(analysis, TEXT, resolution_unit, "unit", "Unit of the step"),
	{0},
};

static RECORD_TYPE(resolution, analysis,
	"Step of a coarse clock; all values are multiples of the step");

static const char *const verdicts[] = {
	[ANALYSIS_VERDICT_NONE] = "",
	[ANALYSIS_VERDICT_AGREES] = "agrees",
	[ANALYSIS_VERDICT_DISAGREES] = "disagrees",
	[ANALYSIS_VERDICT_CANNOT_TELL] = "cannot-tell",
	NULL,
};

static const struct record_field analysis_rows[] = {
	ROW_OR_NULL(analysis, TEXT, source, "source",
		"Names of the files, separated by commas", .bytes = true),
	ROW(analysis, CPUS, cpus, "cpus", "CPUs of the analyzed matrix"),
	ROW_LIST(analysis, level_type, levels, "levels",
		"Levels from the values, from the innermost"),
	ROW_LIST(analysis, outlier_type, outliers, "outliers",
		"CPUs that differ from the others"),
	ROW_LIST(analysis, disagreement_type, disagreements, "disagreements",
		"Disagreements between the values and the topology"),
	ROW_LIST(analysis, sharing_type, sharing, "sharing",
		"Comparisons of the levels with slowdowns in caches",
		.optional = true),
	ROW_MADE(analysis, pack_placement, WORD, placement, "placement",
		"Whether CPUs moved during the run", .words = placements),
	ROW_LIST(analysis, epoch_type, epochs, "epochs",
		"Epochs of the run, if the record has passes",
		.optional = true),
	ROW_LIST(analysis, perhaps_type, perhaps, "perhaps",
		"Levels that may exist", .optional = true),
	ROW_LIST(analysis, pair_type, nearest, "nearest",
		"The nearest pairs of CPUs, in order of distance",
		.optional = true),
	ROW_LIST(analysis, pair_type, nearest_cores, "nearest_cores",
		"The nearest pairs of CPUs on different cores",
		.optional = true),
	ROW(analysis, WORD, verdict, "verdict",
		"Whether all values agree with the topology", .words = verdicts,
		.optional = true),
	ROW(analysis, TEXT, unknown_reason, "undecided",
		"Reason why c2c has no verdict", .optional = true),
	{.key = "resolution",
		.kind = FIELD_INNER,
		.at = offsetof(struct analysis, resolution_unit),
		.type = &resolution_type,
		.about = "Step of a coarse clock",
		.nullable = true,
		.optional = true},
	{0},
};

RECORD_TYPE(analysis, analysis,
	"The structure of a machine, from c2c analyze --json",
	.format = "c2c-analysis", .version = 1);

char *analysis_text(const struct analysis *analysis)
{
	return record_to_text(&analysis_type, analysis, ANALYSIS_DIGITS);
}
