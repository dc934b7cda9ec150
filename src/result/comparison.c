/* Releases comparisons, and makes their JSON. */
#include "result/comparison.h"

#include "record/pack.h"
#include "result/fields.h"
#include "result/fleet.h"

void compare_release(struct comparison *comparison)
{
	arena_release(&comparison->memory);
	*comparison = (struct comparison){0};
}

const char *const compare_better[] = {"lower", "higher", NULL};
const char *const compare_pairs_words[] = {"inside", "between", "all", NULL};

static const char *const tests[] = {
	[COMPARE_NONE] = "none",
	[COMPARE_INTERVALS] = "intervals",
	[COMPARE_PASSES] = "passes",
	[COMPARE_RUNS] = "runs",
	NULL,
};

/* Make a percentage from `at` / `beside`, or from the share in `at`. */
static json_t *pack_percent(
	const void *from, const struct pack_context *context)
{
	const double *change = field_at(context, from);
	const double *before = field_beside(context, from);

	return pack_rounded(
		100 * *change / (context->field->beside ? fabs(*before) : 1),
		context->digits);
}

static json_t *pack_verdict(bool tested, bool significant)
{
	return tested ? json_boolean(significant) : json_null();
}

static json_t *pack_significance(
	const void *from, const struct pack_context *context)
{
	const bool *significant = field_at(context, from);
	const bool *tested = field_beside(context, from);

	return pack_verdict(*tested, *significant);
}

/* Make n numbers or verdicts from the arrays in `at` and `beside`. */
static json_t *pack_cells(const void *from, const struct pack_context *context,
	size_t first, size_t n)
{
	const struct record_field *field = context->field;
	const void *const *one = field_at(context, from);
	const void *const *two = field_beside(context, from);
	const double *numbers = *one, *before = *two;
	const bool *significant = *one, *tested = *two;
	json_t *cells = json_array();

	for (size_t i = first; i < first + n; i++)
		pack_add(&cells,
			field->is == FIELD_SWITCH
				? pack_verdict(tested[i], significant[i])
				: pack_rounded(field->beside
						       ? 100 * numbers[i] /
								 fabs(before[i])
						       : numbers[i],
					  context->digits));
	return cells;
}

static json_t *pack_points(const void *from, const struct pack_context *context)
{
	const struct compare_curve *curve = from;

	return pack_cells(from, context, 0, curve->n);
}

static json_t *pack_square(const void *from, const struct pack_context *context)
{
	const struct compare_matrix *matrix = from;
	const struct compared_file *file = context->up->from;
	size_t n = file->comparison.cpus.n;
	json_t *rows;

	if (!matrix->change || file->brief)
		return json_null();
	rows = json_array();
	for (size_t i = 0; i < n; i++)
		pack_add(&rows, pack_cells(from, context, i * n, n));
	return rows;
}

#define ROW_PERCENT(of, member, key_, ...)                                     \
	ROW_MADE(of, pack_percent, NUMBER, member, key_, __VA_ARGS__,          \
		.unit = "%", .nullable = true)
#define ROW_VERDICT(of, significant, tested, key_, ...)                        \
	ROW_MADE(of, pack_significance, SWITCH, significant, key_,             \
		__VA_ARGS__, .beside = offsetof(struct of, tested),            \
		.nullable = true)
#define ROW_SQUARE(member, key_, is_, ...)                                     \
	ROW_MADE(compare_matrix, pack_square, is_, member, key_, __VA_ARGS__,  \
		.depth = FIELD_ROWS, .nullable = true, .optional = true)

static json_t *pack_level_kind(
	const void *from, const struct pack_context *context)
{
	const struct compare_level *level = from;

	(void)context;
	return level->pairs == COMPARE_ALL
		       ? json_null()
		       : json_string(analysis_kinds[level->kind]);
}

static const struct record_field compared_level_rows[] = {
	ROW_MADE(compare_level, pack_level_kind, WORD, kind, "kind",
		"Kind of the groups; null if the reference has no levels",
		.words = analysis_kinds, .nullable = true),
	ROW(compare_level, WORD, pairs, "pairs",
		"Whether the pairs are inside groups or between groups",
		.words = compare_pairs_words),
	ROW(compare_level, SIZE, n_pairs, "count",
		"Number of compared pairs in the reference"),
	ROW_OR_NULL(compare_level, NUMBER, before, "before",
		"Median in the reference"),
	ROW_OR_NULL(
		compare_level, NUMBER, after, "after", "Median in the file"),
	ROW_OR_NULL(compare_level, NUMBER, change, "change",
		"Change of the median"),
	ROW_PERCENT(compare_level, change, "change_pct",
		"Change of the median in per cent",
		.beside = offsetof(struct compare_level, before)),
	ROW_OR_NULL(compare_level, NUMBER, p, "p",
		"Adjusted p value of the change; null without a test"),
	ROW_VERDICT(compare_level, significant, tested, "significant",
		"Whether the level changed; null without a test"),
	ROW_PERCENT(compare_level, rest_change, "rest_change_pct",
		"Change relative to all other pairs in the same runs"),
	ROW_OR_NULL(compare_level, NUMBER, rest_p, "rest_p",
		"Adjusted p value of the relative change; null without a test"),
	ROW_VERDICT(compare_level, rest_significant, rest_tested,
		"rest_significant",
		"Whether the level changed relative to the other pairs; null "
		"without a test"),
	{0},
};

static RECORD_TYPE(compared_level, compare_level, "Change of a level");

static const struct record_field matrix_pairs_rows[] = {
	ROW(compare_matrix, SIZE, n_pairs, "compared",
		"Pairs that both files have"),
	ROW(compare_matrix, SIZE, n_tested, "tested",
		"Compared pairs that c2c tested"),
	ROW(compare_matrix, SIZE, n_better, "better", "Pairs that got better"),
	ROW(compare_matrix, SIZE, n_worse, "worse", "Pairs that got worse"),
	{0},
};

static RECORD_TYPE(matrix_pairs, compare_matrix, "Numbers of pairs");

/* Make the test of pairs, or null if c2c compares only levels. */
static json_t *pack_test(const void *from, const struct pack_context *context)
{
	const struct compare_matrix *matrix = from;

	return matrix->change ? json_string(context->field->words[matrix->test])
			      : json_null();
}

static const struct record_field compared_matrix_rows[] = {
	ROW(compare_matrix, TEXT, name, "name", "Name of the matrix"),
	ROW(compare_matrix, TEXT, unit, "unit", "Unit of the values"),
	ROW_OR_NULL(compare_matrix, TEXT, quantity, "quantity",
		"Kind of quantity: one-way, round-trip or rate"),
	ROW(compare_matrix, FLAG, higher_is_better, "better",
		"Whether lower or higher values are better",
		.words = compare_better),
	ROW_LIST(compare_matrix, compared_level_type, levels, "levels",
		"Change of each level of the reference"),
	ROW_MADE(compare_matrix, pack_test, WORD, test, "test",
		"Method that decides whether a pair changed", .words = tests,
		.optional = true),
	{.key = "pairs",
		.kind = FIELD_INNER,
		.at = offsetof(struct compare_matrix, change),
		.type = &matrix_pairs_type,
		.about = "Numbers of pairs",
		.nullable = true,
		.optional = true},
	ROW_SQUARE(change, "change", NUMBER, "Change of each pair"),
	ROW_SQUARE(change, "change_pct", NUMBER,
		"Change of each pair in per cent",
		.beside = offsetof(struct compare_matrix, before), .unit = "%"),
	ROW_SQUARE(p, "p", NUMBER,
		"Adjusted p value of each pair's change; null without a test"),
	ROW_SQUARE(significant, "significant", SWITCH,
		"Whether each pair changed; null without a test",
		.beside = offsetof(struct compare_matrix, tested)),
	{0},
};

static RECORD_TYPE(compared_matrix, compare_matrix, "Changes of a matrix");

static const struct record_field compared_stretch_rows[] = {
	ROW_OR_NULL(compare_stretch, TEXT, level, "level",
		"Cache that holds the working sets of the points, or name of "
		"the point; null for all points"),
	ROW(compare_stretch, SIZE, n_points, "count", "Number of points"),
	ROW(compare_stretch, SIZE, n_changed, "changed",
		"Number of points that changed in the same direction"),
	ROW_OR_NULL(compare_stretch, NUMBER, before, "before",
		"Median in the reference"),
	ROW_OR_NULL(
		compare_stretch, NUMBER, after, "after", "Median in the file"),
	ROW_OR_NULL(compare_stretch, NUMBER, change, "change",
		"Change of the median"),
	ROW_PERCENT(compare_stretch, change, "change_pct",
		"Change of the median in per cent",
		.beside = offsetof(struct compare_stretch, before)),
	ROW_VERDICT(compare_stretch, significant, tested, "significant",
		"Whether most of the points changed; null without a test"),
	{0},
};

static RECORD_TYPE(compared_stretch, compare_stretch,
	"The points of a curve whose working sets fit into one cache");

static const struct record_field compared_curve_rows[] = {
	ROW_OR_NULL(compare_curve, TEXT, facts.test, "test",
		"Test that measured the curve"),
	ROW(compare_curve, TEXT, facts.family, "family",
		"Title of the panel that shows the curve"),
	ROW(compare_curve, TEXT, facts.member, "member",
		"Name of the curve in the panel"),
	ROW_OR_NULL(compare_curve, TEXT, facts.variant, "variant",
		"Variant of the curve; null if the curve is no variant"),
	ROW_OR_NULL(compare_curve, TEXT, facts.device, "device",
		"OpenCL device of the curve; null if it is the only device"),
	ROW(compare_curve, CPUS, cpus, "cpus", "CPUs that the curve measures"),
	ROW(compare_curve, TEXT, facts.x_name, "x.name", "Name of x"),
	ROW_OR_NULL(compare_curve, TEXT, facts.x_unit, "x.unit", "Unit of x"),
	ROW(compare_curve, VALUES, x, "x.values",
		"Values of x that both files have",
		.count = offsetof(struct compare_curve, n)),
	ROW(compare_curve, TEXT, facts.y_name, "y.name", "Name of y"),
	ROW(compare_curve, TEXT, facts.y_unit, "y.unit", "Unit of y"),
	ROW(compare_curve, FLAG, higher_is_better, "better",
		"Whether lower or higher values are better",
		.words = compare_better),
	ROW(compare_curve, WORD, test, "judged_by",
		"Method that decides whether a point changed", .words = tests),
	ROW(compare_curve, SIZE, n, "points.compared",
		"Number of points that both files have"),
	ROW(compare_curve, SIZE, n_alone, "points.alone",
		"Number of points that only one file has"),
	ROW(compare_curve, SIZE, n_tested, "points.tested",
		"Number of compared points that c2c tested"),
	ROW(compare_curve, SIZE, n_better, "points.better",
		"Number of points that got better"),
	ROW(compare_curve, SIZE, n_worse, "points.worse",
		"Number of points that got worse"),
	ROW(compare_curve, VALUES, before, "before",
		"Value of each point in the reference",
		.count = offsetof(struct compare_curve, n)),
	ROW(compare_curve, VALUES, change, "change", "Change of each point",
		.count = offsetof(struct compare_curve, n)),
	ROW_MADE(compare_curve, pack_points, NUMBER, change, "change_pct",
		"Change of each point in per cent", .depth = FIELD_ROW,
		.beside = offsetof(struct compare_curve, before), .unit = "%",
		.nullable = true),
	ROW_MADE(compare_curve, pack_points, SWITCH, significant, "significant",
		"Whether each point changed; null without a test",
		.depth = FIELD_ROW,
		.beside = offsetof(struct compare_curve, tested),
		.nullable = true),
	ROW_LIST(compare_curve, compared_stretch_type, stretches, "levels",
		"Changes of the points in each cache"),
	{0},
};

static RECORD_TYPE(compared_curve, compare_curve, "Changes of a curve");

static const char *const size_units[] = {"", "B", NULL};

static const struct record_field compared_size_rows[] = {
	ROW(compare_size, TEXT, name, "what", "Name of the compared property"),
	ROW_OR_NULL(compare_size, FLAG, bytes, "unit",
		"B for bytes; null for numbers", .words = size_units),
	ROW(compare_size, PAIR, before, "before",
		"Low and high end of the property in the reference"),
	ROW(compare_size, PAIR, after, "after",
		"Low and high end of the property in the file"),
	ROW(compare_size, FLAG, apart, "apart",
		"Whether the intervals of the two files do not overlap"),
	ROW(compare_size, FLAG, changed, "changed",
		"Whether the property changed: the intervals do not overlap, "
		"and the curves do not contradict a change"),
	{0},
};

static RECORD_TYPE(compared_size, compare_size,
	"A property of the caches, as an interval");

static const struct record_field compared_lines_rows[] = {
	ROW(compare_lines, WITHIN, before, "before",
		"Cache lines of the pair in the reference",
		.type = &line_profile_type),
	ROW(compare_lines, WITHIN, after, "after",
		"Cache lines of the pair in the file",
		.type = &line_profile_type),
	ROW_VERDICT(compare_lines, mean_changed, mean_tested, "mean_changed",
		"Whether the mean over lines changed; null without a test"),
	ROW_VERDICT(compare_lines, verdict_changed, verdict_tested,
		"verdict_changed",
		"Whether cache lines differ by more than noise in only one of "
		"the files; null without a test"),
	{0},
};

static RECORD_TYPE(
	compared_lines, compare_lines, "Changes of a pair's cache lines");

static const struct record_field compared_fact_rows[] = {
	ROW(compare_fact, TEXT, what, "what",
		"Key of the fact, such as machine.kernel"),
	ROW(compare_fact, TEXT, before, "before",
		"Value of the fact in the reference"),
	ROW(compare_fact, TEXT, after, "after",
		"Value of the fact in the file"),
	{0},
};

static RECORD_TYPE(compared_fact, compare_fact, "A fact that changed");

/* Rows that describe a file. */
#define SIDE_ROWS                                                              \
	ROW_OR_NULL(compared_file, TEXT, side.source, "source",                \
		"Name of the file", .bytes = true),                            \
		ROW_OR_NULL(compared_file, TEXT, side.hostname, "hostname",    \
			"Host on which the file was measured"),                \
		ROW_OR_NULL(compared_file, TEXT, result.started, "started",    \
			"Start of the measurement, in UTC")

static const struct record_field reference_rows[] = {SIDE_ROWS, {0}};

static RECORD_TYPE(reference, compared_file,
	"The reference: the file with which c2c compares the others");

static const struct record_field left_out_rows[] = {
	SIDE_ROWS,
	ROW(compared_file, TEXT, reason, "reason",
		"Reason why c2c cannot compare the file", .bytes = true),
	{0},
};

static RECORD_TYPE(left_out, compared_file, "A file that c2c cannot compare");

static json_t *pack_run_counts(
	const void *from, const struct pack_context *context)
{
	const size_t *n = field_at(context, from);

	return json_pack("[I, I]", (json_int_t)n[0], (json_int_t)n[1]);
}

#define ROW_COMPARED(type_, member, key_, ...)                                 \
	ROW(compared_file, LIST, comparison.member, key_, __VA_ARGS__,         \
		.type = &(type_),                                              \
		.count =                                                       \
			offsetof(struct compared_file, comparison.n_##member))

static const struct record_field compared_rows[] = {
	SIDE_ROWS,
	ROW(compared_file, FLAG, outlier, "outlier",
		"Whether the host of the file is an outlier"),
	ROW_OR_NULL(compared_file, TEXT, comparison.undecided, "undecided",
		"Reason why c2c has no verdict"),
	ROW_OR_NULL(compared_file, TEXT, comparison.doubt, "doubt",
		"Other possible cause of a change, such as waiting loops"),
	ROW_MADE(compared_file, pack_run_counts, SIZE, comparison.n_runs,
		"runs", "Numbers of runs of the reference and of the file",
		.depth = FIELD_ROW),
	ROW(compared_file, FLAG, comparison.in_a_row, "in_a_row",
		"Whether all runs of one side began before all runs of the "
		"other side"),
	ROW(compared_file, FLAG, comparison.needs_turns, "needs_turns",
		"Whether a verdict needs interleaved runs, because the machine "
		"may drift"),
	ROW_OR_NULL(compared_file, NUMBER, comparison.least_p, "least_p",
		"Smallest possible p value with these numbers of runs"),
	ROW_OR_NULL(compared_file, NUMBER, comparison.distance_pct,
		"distance_pct", "Median absolute change over pairs or points",
		.unit = "%"),
	ROW_OR_NULL(compared_file, NUMBER, comparison.change_pct, "change_pct",
		"Median change over pairs or points", .unit = "%"),
	ROW_COMPARED(compared_fact_type, facts, "changed",
		"Facts with different values in the two files"),
	ROW(compared_file, TEXTS, comparison.unmatched, "unmatched",
		"Names of results that only one of the two files has",
		.count =
			offsetof(struct compared_file, comparison.n_unmatched)),
	ROW_COMPARED(compared_matrix_type, matrices, "matrices",
		"Changes of matrices that both files have"),
	ROW_COMPARED(compared_curve_type, curves, "curves",
		"Changes of curves that both files have"),
	ROW_COMPARED(compared_size_type, sizes, "sizes",
		"Changes of caches that both files have"),
	ROW_COMPARED(compared_lines_type, lines, "lines",
		"Changes of a pair's cache lines, if both files have them (c2c "
		"latency --by-line)",
		.optional = true),
	{0},
};

RECORD_TYPE(compared, compared_file, "Changes from the reference to a file");

json_t *compare_pack(const struct compared_file *file)
{
	return record_to_json(file->reason ? &left_out_type : &compared_type,
		file, ANALYSIS_DIGITS);
}

void compare_drop_packed(struct compared_file *file)
{
	json_decref(file->packed);
	file->packed = NULL;
}

/* A comparison of files. */
struct compare_document {
	const struct compared_file *files; /* [n]; the reference is first */
	size_t n;
	struct cpu_list cpus, nodes; /* one is empty; borrowed */
	const struct fleet *fleet;   /* or NULL */
};

static json_t *pack_files(const void *from, const struct pack_context *context)
{
	const struct compare_document *document = from;
	bool left_out = context->field->type == &left_out_type;
	json_t *files = json_array();
	size_t at = 1;

	for (size_t i = 1; i < document->n; i++) {
		const struct compared_file *file = &document->files[i];
		json_t *packed;

		if (file->unread || (file->reason != NULL) != left_out)
			continue;
		packed = file->packed ? json_incref(file->packed)
				      : compare_pack(file);
		/* c2c finds outliers after it has read all files. */
		if (document->fleet && !left_out)
			json_object_set_new(packed, "outlier",
				json_boolean(document->fleet->kinds[0]
						     .hosts[at++]
						     .outlier));
		pack_add(&files, packed);
	}
	return files;
}

static const struct record_field document_rows[] = {
	ROW(compare_document, BEHIND, files, "reference",
		"The reference: the file with which c2c compares the others",
		.type = &reference_type),
	ROW(compare_document, CPUS, cpus, "cpus",
		"CPUs of the reference, in the order of the matrices",
		.optional = true),
	ROW(compare_document, CPUS, nodes, "nodes",
		"NUMA nodes of the reference, if the pairs consist of nodes",
		.optional = true),
	ROW(compare_document, BEHIND, fleet, "fleet",
		"Outliers among several files", .type = &fleet_type,
		.nullable = true, .optional = true),
	ROW_MADE(compare_document, pack_files, LIST, files, "files",
		"Comparison of each file with the reference",
		.type = &compared_type),
	ROW_MADE(compare_document, pack_files, LIST, files, "not_compared",
		"Files that c2c cannot compare", .type = &left_out_type),
	{0},
};

const struct record_type comparison_type = {
	.name = "comparison",
	.about = "A comparison of files, from c2c compare --json",
	.format = "c2c-comparison",
	.version = 1,
	.fields = document_rows,
	.bytes = sizeof(struct compare_document),
};

char *compare_text(
	const struct compared_file *files, size_t n, const struct fleet *fleet)
{
	struct compare_document document = {files, n, .fleet = fleet};
	const struct result *reference = &files[0].result;

	*(result_is_of_nodes(reference) ? &document.nodes : &document.cpus) =
		*result_members(reference);
	return record_to_text(&comparison_type, &document, ANALYSIS_DIGITS);
}
