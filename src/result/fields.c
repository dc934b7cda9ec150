/* The tables of a record: its keys, their meaning, and their struct members. */
#include "result/fields.h"

#include "result/known_facts.h"
#include "result/record.h"
#include "result/result.h"
#include "result/runs.h"
#include "result/sections.h"

/* Largest number of bytes, ways, ns, clocks or GiB/s of a cache: 2^60. */
#define MOST_OF_CACHES 1152921504606846976.0

/* Most seconds of a run (30,000 years); larger doubles lose whole seconds. */
#define ELAPSED_MAX_S 1e12

/* A row for a number of a cache or a TLB, which may be missing. */
#define CACHE_NUMBER(of, member, key, ...)                                     \
	ROW_OR_NULL(                                                           \
		of, NUMBER, member, key, __VA_ARGS__, .most = MOST_OF_CACHES)

/* Rows of run facts: not written if unknown, or null if pairs were measured. */
#define RUN_ROW(kind, member, key, ...)                                        \
	ROW(run_facts, kind, member, key, __VA_ARGS__, .optional = true)
#define RUN_OF_PAIRS(member, key, ...)                                         \
	RUN_ROW(NUMBER, member, key, __VA_ARGS__, .nullable = true,            \
		.wanted = run_has_pairs)

static bool run_has_pairs(const void *run)
{
	return ((const struct run_facts *)run)->pairs >= 0;
}

static bool run_is_known(const void *run)
{
	return ((const struct run_facts *)run)->known;
}

static const char *const run_verdicts[] = {
	"", "agrees", "drifted", "scattered", NULL};

static const struct record_field agreement_rows[] = {
	RUN_OF_PAIRS(even_odd, "even_odd",
		"Spearman's correlation over pairs of even with odd passes"),
	RUN_OF_PAIRS(halves, "halves",
		"Spearman's correlation of the first with the second half of "
		"the passes"),
	RUN_ROW(WORD, verdict, "verdict", "What the correlations show",
		.words = run_verdicts),
	{0},
};

static PART_TYPE(
	agreement, "Correlations of the run with itself", .lenient = true);

static const struct record_field resumed_rows[] = {
	RUN_ROW(TEXT, resumed_started, "started",
		"Start of the resumed run, in UTC"),
	RUN_ROW(NUMBER, resumed_elapsed_s, "elapsed_s",
		"Duration of the resumed run", .unit = "s"),
	{0},
};

static PART_TYPE(resumed, "The run that this one resumed", .lenient = true);

static const struct record_field test_rows[] = {
	ROW_REST(record, facts, .type = &cl_test_type),
	{0},
};

RECORD_TYPE(test, record, "What a test of c2c cl found");

static const struct record_field run_rows[] = {
	RUN_ROW(INT64, pairs, "pairs", "Number of pairs that were measured"),
	RUN_ROW(INT64, passes, "passes", "Number of visits of each pair"),
	RUN_ROW(INT64, runs, "runs", "Number of runs in the record"),
	RUN_ROW(TEXT, interval, "interval",
		"Kind of the interval over runs: their range, 95 %, or passes"),
	RUN_ROW(INT64, jobs, "jobs", "Pairs measured at the same time"),
	RUN_OF_PAIRS(jobs_bias, "jobs_bias",
		"Bias of pairs that run at the same time (jobs), as a share"),
	RUN_ROW(SWITCH, jobs_chosen, "jobs_chosen", "Whether c2c chose jobs"),
	RUN_OF_PAIRS(at_once, "cpus_at_once",
		"Number of CPUs that the host runs at the same time"),
	RUN_ROW(SWITCH, memory_bound, "memory_bound",
		"Whether the memory was on the chosen NUMA node"),
	RUN_ROW(TEXT, pages, "pages",
		"The smallest kind of page in the memory"),
	RUN_ROW(NUMBER, huge_share, "huge_share",
		"Share of the memory in huge pages"),
	ROW_INNER(agreement_type, "agreement",
		"Correlations of the run with itself", .optional = true),
	RUN_ROW(NUMBER, most_wrong_bytes, "most_wrong_bytes",
		"The most wrong bytes that an order check found",
		.unit = "bytes"),
	ROW_INNER(resumed_type, "resumed", "The run that this one resumed",
		.optional = true),
	RUN_ROW(TEXTS, warnings, "warnings",
		"What makes the run doubtful, in sentences",
		.count = offsetof(struct run_facts, n_warnings),
		.wanted = run_is_known),
	ROW_REST(run_facts, other, .type = &run_known_type),
	ROW_LIST(run_facts, test_type, tests, "tests", "The tests of c2c cl",
		.optional = true),
	{0},
};

RECORD_TYPE(run, run_facts, "Facts about the run, and doubts", .lenient = true,
	.end = end_run);

static const char *const better[] = {"lower", "higher", NULL};

static const char *const axis_kinds[] = {"cpu", "node", "unit", NULL};

static const struct record_field matrix_axis_rows[] = {
	FACT(TEXT, "kind", "Kind of the rows or columns", .words = axis_kinds),
	FACT(CPUS, "ids", "Numbers of the CPUs, nodes or units"),
	{0},
};

static FACTS_TYPE(matrix_axis, "The rows or the columns of a matrix");

#define MATRIX_AXIS(key, ...)                                                  \
	{                                                                      \
		key, FIELD_MADE, .is = FIELD_FACTS, .optional = true,          \
				 .make = pack_node_axis,                       \
				 .type = &matrix_axis_type,                    \
				 .about = __VA_ARGS__                          \
	}

static const struct record_field matrix_rows[] = {
	ROW(matrix, TEXT, name, "name",
		"Name of the quantity, such as latency"),
	ROW(matrix, TEXT, statistic, "statistic",
		"Statistic of the values: median, min, p10, p90, ci_low, "
		"ci_high, passes, after_rest, sd_runs, reported"),
	ROW(matrix, TEXT, unit, "unit", "The unit of the values"),
	ROW_OR_NULL(matrix, TEXT, quantity, "quantity",
		"Kind of the values: one-way, round-trip, rate"),
	ROW(matrix, FLAG, higher_is_better, "better", "Which values are better",
		.words = better),
	ROW(matrix, FLAG, symmetric, "symmetric",
		"Whether both directions of a pair have the same value"),
	MATRIX_AXIS("rows", "The NUMA nodes of the rows"),
	MATRIX_AXIS("columns", "The NUMA nodes of the columns"),
	ROW(matrix, GRID, values, "values",
		"A row for each first CPU of a pair, a column for each second",
		.count = offsetof(struct matrix, n),
		.columns = offsetof(struct matrix, n),
		.members = matrix_members, .line = true),
	ROW_REST(matrix, extra),
	{0},
};

RECORD_TYPE(matrix, matrix,
	"Rows are the first CPUs of pairs, columns the second",
	.begin = begin_matrix, .end = end_matrix);

static const struct record_field passes_rows[] = {
	ROW(passes, TEXT, name, "name",
		"Name of the matrices; with the suffix _again, only the pairs "
		"that were measured again"),
	ROW(passes, TEXT, unit, "unit", "Unit of the values"),
	ROW(passes, MADE, pairs, "pairs", "The CPUs of each pair",
		.count = offsetof(struct passes, n_pairs),
		.item_bytes = sizeof(struct cpu_pair),
		.print = print_pass_pairs, .read = read_pairs,
		.is = FIELD_COUNT, .depth = FIELD_ROWS, .line = true),
	ROW_VALUES(passes, n_passes, start_s, "start_s",
		"Start of each pass since the start of the run", .unit = "s"),
	ROW(passes, GRID, values, "values",
		"A row for each pass, a value for each pair",
		.count = offsetof(struct passes, n_passes),
		.columns = offsetof(struct passes, n_pairs), .line = true),
	ROW_REST(passes, extra),
	{0},
};

RECORD_TYPE(passes, passes, "Every pass of a matrix (--keep-passes)",
	.begin = begin_passes);

static const char *const statistics[] = {
	"median", "mean", "ceiling", "theory", NULL};
static const char *const axes[] = {"amounts", "ratios", "counts", "bytes",
	"working_sets", "measured", NULL};

static const struct record_field mark_rows[] = {
	ROW_OR_NULL(curve, NUMBER, mark_x, "x", "x of the point"),
	ROW(curve, TEXT, mark, "text", "Text beside the point"),
	{0},
};

static PART_TYPE(mark, "A point with a text");

static const struct record_field fit_rows[] = {
	ROW(curve_fit, TRIPLE, overhead_ns, "overhead_ns",
		"Overhead of every access: estimate, low and high end of its "
		"interval",
		.unit = "ns"),
	ROW(curve_fit, TRIPLE, rate_gib_per_s, "rate_gib_per_s",
		"Rate besides the overhead: estimate, low and high end of its "
		"interval",
		.unit = "GiB/s"),
	ROW_OR_NULL(curve_fit, NUMBER, half_rate_bytes, "half_rate_bytes",
		"x at which half of the rate is reached", .unit = "bytes"),
	ROW_OR_NULL(curve_fit, NUMBER, worst_error, "worst_error",
		"Largest distance of the line from a point, as a share"),
	{0},
};

static RECORD_TYPE(
	fit, curve_fit, "A line through a curve: time = overhead + x / rate");

static const struct record_field axis_x_rows[] = {
	ROW(curve, TEXT, facts.x_name, "name", "Name of x"),
	ROW_OR_NULL(curve, TEXT, facts.x_unit, "unit", "Unit of x"),
	ROW_OR_NULL(curve, WORD, facts.x_axis, "kind", "How x is drawn",
		.words = axes, .later = true),
	ROW(curve, VALUES, x, "values", "Value of x at each point",
		.count = offsetof(struct curve, n)),
	ROW(curve, TEXTS, x_names, "names",
		"Name of x at each point, if x has names",
		.count = offsetof(struct curve, n_x_names), .optional = true),
	{0},
};

static PART_TYPE(axis_x, "Axis of x, and the points");

static const struct record_field axis_y_rows[] = {
	ROW(curve, TEXT, facts.y_name, "name", "Name of y"),
	ROW(curve, TEXT, facts.y_unit, "unit", "Unit of y"),
	ROW_OR_NULL(curve, WORD, facts.y_axis, "kind", "How y is drawn",
		.words = axes, .later = true),
	{0},
};

static PART_TYPE(axis_y, "Axis of y");

static const struct record_field curve_rows[] = {
	ROW_OR_NULL(curve, TEXT, facts.test, "test",
		"Test that measured the curve"),
	ROW(curve, TEXT, facts.family, "family", "Title of the curve's panel"),
	ROW(curve, TEXT, facts.member, "member",
		"Name of the curve in the panel"),
	ROW_OR_NULL(curve, TEXT, facts.variant, "variant",
		"Variant of the curve; null for the plain one"),
	ROW_OR_NULL(curve, TEXT, facts.device, "device", "OpenCL device"),
	ROW_OR_NULL(curve, CPUS, cpus, "cpus", "The CPUs measured",
		.most = RESULT_MAX_CPUS),
	ROW_OR_NULL(curve, WORD, facts.statistic, "statistic",
		"Statistic of the values", .words = statistics),
	ROW_INNER(mark_type, "mark", "A point with a text beside it",
		.at = offsetof(struct curve, mark), .nullable = true),
	ROW_OR_NULL(curve, BEHIND, fit, "fit", "A line through the points",
		.type = &fit_type),
	ROW_INNER(axis_x_type, "x", "Axis of x, and the points", .line = true),
	ROW_INNER(axis_y_type, "y", "Axis of y", .line = true),
	ROW_VALUES(curve, n, median, "median", "Value of each point"),
	ROW_VALUES(
		curve, n, low, "low", "Low end of the interval of each point"),
	ROW_VALUES(curve, n, high, "high",
		"High end of the interval of each point"),
	ROW_VALUES(curve, n, ceiling, "ceiling", "Upper limit of each value",
		.nullable = true),
	ROW_REST(curve, extra),
	{0},
};

RECORD_TYPE(curve, curve, "y over x, with an interval from low to high",
	.begin = begin_curve, .end = end_curve);

static const char *const verdicts[] = {
	"unknown", "same", "less", "differs", "hidden", NULL};

static const struct record_field cache_reported_rows[] = {
	CACHE_NUMBER(cache_level, reported_bytes, "bytes", "Size of the cache",
		.unit = "bytes"),
	CACHE_NUMBER(cache_level, reported_line_bytes, "line_bytes",
		"Size of a cache line", .unit = "bytes"),
	CACHE_NUMBER(cache_level, reported_ways, "ways",
		"Associativity of the cache"),
	ROW_OR_NULL(cache_level, CPUS, reported_cpus, "cpus",
		"CPUs that share the cache", .most = RESULT_MAX_CPUS),
	{0},
};

static PART_TYPE(cache_reported, "A cache as the system reports it");

/* Rates in the order of enum arch_access. */
#define CACHE_RATE(i, key, about)                                              \
	CACHE_NUMBER(cache_level, rates[i], key, about, .unit = "GiB/s")

static const struct record_field cache_rates_rows[] = {
	CACHE_RATE(0, "read", "Loads"),
	CACHE_RATE(1, "write", "Stores"),
	CACHE_RATE(2, "copy", "a = b"),
	CACHE_RATE(3, "triad", "a = b + 3 * c"),
	CACHE_RATE(4, "nt_write", "Stores that bypass the caches"),
	CACHE_RATE(5, "nt_copy", "a = b with stores that bypass the caches"),
	{0},
};

static PART_TYPE(cache_rates, "Rates of one CPU");

static const struct record_field cache_verdicts_rows[] = {
	ROW(cache_level, WORD, size_verdict, "size",
		"Whether the size is as reported", .words = verdicts),
	ROW(cache_level, WORD, line_verdict, "line",
		"Whether the cache line is as reported", .words = verdicts),
	ROW(cache_level, WORD, ways_verdict, "ways",
		"Whether the associativity is as reported", .words = verdicts),
	{0},
};

static PART_TYPE(cache_verdicts, "Comparison of measured with reported values");

static const struct record_field cache_rows[] = {
	ROW(cache_level, TEXT, name, "name", "L1d, L2, L3, or memory"),
	ROW(cache_level, COUNT, level, "level",
		"Number of the level; 1 is the nearest", .most = 100),
	ROW(cache_level, FLAG, memory, "memory", "Whether the level is memory"),
	ROW_OR_NULL(cache_level, CPUS, cpus, "cpus",
		"CPUs that share the cache, as measured",
		.most = RESULT_MAX_CPUS),
	ROW_OR_NULL(cache_level, TEXT, cpus_why, "cpus_why", "Why cpus is null",
		.later = true),
	CACHE_NUMBER(cache_level, least_bytes, "least_bytes",
		"Smallest size that the cache may have", .unit = "bytes"),
	CACHE_NUMBER(cache_level, most_bytes, "most_bytes",
		"Largest size that the cache may have", .unit = "bytes"),
	CACHE_NUMBER(cache_level, line_bytes, "line_bytes",
		"Size of a cache line", .unit = "bytes"),
	CACHE_NUMBER(cache_level, ways, "ways", "Associativity of the cache"),
	CACHE_NUMBER(cache_level, ns, "ns",
		"Latency of a load, the median over passes", .unit = "ns"),
	CACHE_NUMBER(cache_level, clocks, "clocks",
		"Latency of a load in clocks, the median over passes",
		.unit = "clocks"),
	CACHE_NUMBER(cache_level, fastest_clocks, "fastest_clocks",
		"Latency of a load in the fastest pass", .unit = "clocks"),
	ROW_INNER(cache_rates_type, "gib_per_s", "Rates of one CPU",
		.line = true),
	ROW_INNER(cache_reported_type, "reported",
		"The cache as the system reports it", .line = true,
		.old = "told"),
	ROW_INNER(cache_verdicts_type, "verdicts",
		"Comparison of measured with reported values", .line = true),
	ROW_OR_NULL(cache_level, TEXT, why, "why", "Why values are missing",
		.line = true),
	ROW_REST(cache_level, extra),
	{0},
};

RECORD_TYPE(cache, cache_level, "A level of the caches", .end = end_cache);

static const struct record_field tlb_rows[] = {
	CACHE_NUMBER(cache_tlb, page_bytes, "page_bytes", "Size of a page",
		.unit = "bytes"),
	CACHE_NUMBER(cache_tlb, least_bytes, "least_bytes",
		"Smallest reach that the TLB may have", .unit = "bytes"),
	CACHE_NUMBER(cache_tlb, most_bytes, "most_bytes",
		"Largest reach that the TLB may have", .unit = "bytes"),
	CACHE_NUMBER(cache_tlb, miss_ns, "miss_ns",
		"Time that a TLB miss adds to a load", .unit = "ns"),
	CACHE_NUMBER(cache_tlb, miss_clocks, "miss_clocks",
		"Clocks that a TLB miss adds to a load", .unit = "clocks"),
	ROW_REST(cache_tlb, extra),
	{0},
};

RECORD_TYPE(tlb, cache_tlb, "A TLB", .end = end_tlb);

static const char *const line_verdicts[] = {
	"", "alike", "differs", "groups", NULL};

#define LINE_NUMBER(member, key, ...)                                          \
	ROW_OR_NULL(line_profile, NUMBER, member, key, __VA_ARGS__)

static const struct record_field line_profile_rows[] = {
	ROW(line_profile, CPUS, cpus, "cpus", "The two CPUs",
		.most = RESULT_MAX_CPUS),
	ROW(line_profile, COUNT, lines, "lines", "How many lines",
		.most = RESULT_MAX_POINTS),
	ROW(line_profile, COUNT, visits, "visits",
		"Visits of each line in a block", .most = RESULT_MAX_POINTS),
	ROW_OR_NULL(line_profile, WORD, verdict, "verdict",
		"Whether lines differ", .words = line_verdicts),
	LINE_NUMBER(mean_ns, "mean_ns", "The mean over lines", .unit = "ns"),
	LINE_NUMBER(nearest_ns, "nearest_ns",
		"The median of the nearest line in the first block",
		.unit = "ns"),
	LINE_NUMBER(farthest_ns, "farthest_ns", "That of the farthest line",
		.unit = "ns"),
	LINE_NUMBER(lines_iqr_ns, "lines_iqr_ns",
		"The interquartile range of the lines' medians", .unit = "ns"),
	LINE_NUMBER(even_odd, "even_odd",
		"Spearman's correlation over lines of even with odd visits"),
	LINE_NUMBER(blocks, "blocks",
		"Spearman's correlation, over lines, of the two blocks with "
		"each other"),
	ROW_OR_NULL(line_profile, SWITCH, repeats, "repeats",
		"Whether the same lines are near in the second block; null if "
		"lines do not differ or there is no second block"),
	ROW(line_profile, COUNT, near_lines, "near_lines",
		"Lines of the near group; 0 if there are no groups",
		.most = RESULT_MAX_POINTS),
	ROW(line_profile, COUNT, far_lines, "far_lines",
		"Lines of the far group", .most = RESULT_MAX_POINTS),
	LINE_NUMBER(
		near_ns, "near_ns", "The mean of the near group", .unit = "ns"),
	LINE_NUMBER(
		far_ns, "far_ns", "The mean of the far group", .unit = "ns"),
	LINE_NUMBER(nearest_offset_bytes, "nearest_offset_bytes",
		"Where the nearest line is in the page (--keep-lines)",
		.unit = "bytes", .optional = true),
	LINE_NUMBER(farthest_offset_bytes, "farthest_offset_bytes",
		"Where the farthest line is in it (--keep-lines)",
		.unit = "bytes", .optional = true),
	ROW_REST(line_profile, extra),
	{0},
};

RECORD_TYPE(line_profile, line_profile,
	"How the time of a pair differs from line to line",
	.end = end_line_profile);

static const struct record_field topology_rows[] = {
	ROW_OR_NULL(result, TEXT, hwloc_xml, "hwloc_xml",
		"XML for lstopo -i and other programs of hwloc", .lines = true),
	{0},
};

static PART_TYPE(topology, "The topology that hwloc found");

static const struct record_field skipped_rows[] = {
	ROW(skipped_section, TEXT, command, "command", "Name of the command"),
	ROW(skipped_section, TEXTS, arguments, "arguments",
		"Arguments of the command",
		.count = offsetof(struct skipped_section, n_arguments)),
	ROW(skipped_section, TEXT, reason, "reason",
		"Why the command measured nothing"),
	ROW_REST(skipped_section, extra),
	{0},
};

RECORD_TYPE(skipped, skipped_section, "A command without a result");

static const struct record_field result_rows[] = {
	ROW(result, TEXT, command, "command",
		"Command that measured: latency, watch, memcpy, queue, cache, "
		"contend, states, numa, cl; measure, if there are sections; or "
		"the name of another program"),
	ROW_OR_NULL(result, TEXT, started, "started",
		"When the run began, in UTC", .utc = true),
	ROW_OR_NULL(result, NUMBER, elapsed_s, "elapsed_s",
		"Duration of the run", .unit = "s", .most = ELAPSED_MAX_S,
		.parts = 1e6),
	ROW(result, FLAG, complete, "complete",
		"false: the run was interrupted, or parts are missing"),
	ROW_OR_NULL(result, FACTS, tool, "tool", "The program that measured",
		.type = &tool_type),
	ROW_OR_NULL(result, FACTS, machine, "machine",
		"The machine that it measured", .type = &machine_type),
	ROW_OR_NULL(result, FACTS, options, "options",
		"Options from the user, and choices of c2c",
		.type = &options_type),
	ROW_OR_NULL(result, WITHIN, run, "run",
		"Facts about the run, and doubts", .type = &run_type),
	ROW(result, CPUS, cpus, "cpus", "The CPUs measured",
		.most = RESULT_MAX_CPUS),
	ROW_LIST(result, matrix_type, matrices, "matrices", "Values of pairs",
		.later = true, .most = RESULT_MAX_MATRICES),
	ROW_LIST(result, curve_type, curves, "curves", "Values over x",
		.optional = true, .most = RESULT_MAX_CURVES),
	ROW_LIST(result, cache_type, caches, "caches",
		"Levels of the caches and memory, the nearest first",
		.optional = true, .most = CACHE_MOST_LEVELS),
	ROW_LIST(result, tlb_type, tlbs, "tlbs", "The TLBs", .optional = true,
		.most = CACHE_MOST_LEVELS),
	ROW_LIST(result, line_profile_type, line_profiles, "lines",
		"What c2c latency --by-line found, pair by pair",
		.optional = true, .most = RESULT_MAX_POINTS),
	ROW(result, LIST, kept, "passes", "Every pass (--keep-passes)",
		.count = offsetof(struct result, n_kept), .type = &passes_type,
		.optional = true, .most = RESULT_MAX_MATRICES),
	ROW_LIST(result, result_type, runs, "runs", "The records of --runs",
		.optional = true, .most = RUNS_MAX),
	ROW_LIST(result, result_type, sections, "sections",
		"The records of c2c measure, in its order", .optional = true,
		.most = SECTIONS_MAX),
	ROW_LIST(result, skipped_type, skipped, "skipped",
		"Commands of c2c measure without a result", .optional = true,
		.most = SECTIONS_MAX),
	{"topology", FIELD_WITHIN, .type = &topology_type, .nullable = true,
		.about = "The topology that hwloc found"},
	ROW_REST(result, extra),
	ROW(result, CPUS, nodes.rows, "", NULL, .hidden = true),
	ROW(result, CPUS, nodes.columns, "", NULL, .hidden = true),
	ROW(result, CPUS, nodes.all, "", NULL, .hidden = true),
	{0},
};

RECORD_TYPE(result, result, "the record of a measurement",
	.format = RESULT_FORMAT, .version = RESULT_VERSION,
	.version_of = result_version,
	.about_version = "2 if there are sections, else 1",
	.begin = begin_result, .end = end_result);
