/* The tables of a record: keys, descriptions and struct members. */
#include "result/fields.h"

#include "result/known_facts.h"
#include "result/record.h"
#include "result/result.h"
#include "result/runs.h"
#include "result/sections.h"

/* Limit for bytes, ways, ns, clocks and GiB/s of a cache: 2^60. */
#define MOST_OF_CACHES 1152921504606846976.0

/* Limit for seconds of a run. Larger doubles lose whole seconds. */
#define ELAPSED_MAX_S 1e12

/* A row for a number of a cache or a TLB, or null. */
#define CACHE_NUMBER(of, member, key, ...)                                     \
	ROW_OR_NULL(                                                           \
		of, NUMBER, member, key, __VA_ARGS__, .most = MOST_OF_CACHES)

/*
 * Rows for facts of a run. c2c omits an unknown value, but writes null for an
 * unknown RUN_OF_PAIRS if it measured pairs.
 */
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
		"Spearman's correlation of even with odd passes, over pairs"),
	RUN_OF_PAIRS(halves, "halves",
		"Spearman's correlation of the first half of the passes with "
		"the second, over pairs"),
	RUN_ROW(WORD, verdict, "verdict", "Verdict of the correlations",
		.words = run_verdicts),
	{0},
};

static PART_TYPE(
	agreement, "Correlations of the passes of the run", .lenient = true);

static const struct record_field resumed_rows[] = {
	RUN_ROW(TEXT, resumed_started, "started",
		"Start of the earlier run, in UTC"),
	RUN_ROW(NUMBER, resumed_elapsed_s, "elapsed_s",
		"Duration of the earlier run", .unit = "s"),
	{0},
};

static PART_TYPE(
	resumed, "The earlier run that --resume continued", .lenient = true);

static const struct record_field test_rows[] = {
	ROW_REST(record, facts, .type = &cl_test_type),
	{0},
};

RECORD_TYPE(test, record, "A test of c2c cl");

static const struct record_field run_rows[] = {
	RUN_ROW(INT64, pairs, "pairs", "Number of measured pairs"),
	RUN_ROW(INT64, passes, "passes", "Number of visits of each pair"),
	RUN_ROW(INT64, runs, "runs", "Number of runs in the record"),
	RUN_ROW(TEXT, interval, "interval",
		"Kind of the interval: range or 95 % (over runs), or passes"),
	RUN_ROW(INT64, jobs, "jobs",
		"Number of pairs that c2c measured at the same time"),
	RUN_OF_PAIRS(jobs_bias, "jobs_bias",
		"Share by which a value changes if pairs are measured at the "
		"same time"),
	RUN_ROW(SWITCH, jobs_chosen, "jobs_chosen",
		"Whether c2c, not the user, chose the number of jobs"),
	RUN_OF_PAIRS(at_once, "cpus_at_once",
		"Number of CPUs that the host runs at the same time"),
	RUN_ROW(SWITCH, memory_bound, "memory_bound",
		"Whether the measured memory was on the chosen NUMA node"),
	RUN_ROW(TEXT, pages, "pages",
		"The smallest kind of page in the measured memory"),
	RUN_ROW(NUMBER, huge_share, "huge_share",
		"Share of the measured memory that was in huge pages"),
	ROW_INNER(agreement_type, "agreement",
		"Correlations of the passes of the run", .optional = true),
	RUN_ROW(NUMBER, most_wrong_bytes, "most_wrong_bytes",
		"Largest number of wrong bytes in one order check",
		.unit = "bytes"),
	ROW_INNER(resumed_type, "resumed",
		"The earlier run that --resume continued", .optional = true),
	RUN_ROW(TEXTS, warnings, "warnings",
		"Sentences about possible causes of a wrong result",
		.count = offsetof(struct run_facts, n_warnings),
		.wanted = run_is_known),
	ROW_REST(run_facts, other, .type = &run_known_type),
	ROW_LIST(run_facts, test_type, tests, "tests", "The tests of c2c cl",
		.optional = true),
	{0},
};

RECORD_TYPE(run, run_facts, "Facts about the run, and warnings",
	.lenient = true, .end = end_run);

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
		"Name of the measured quantity, such as latency"),
	ROW(matrix, TEXT, statistic, "statistic",
		"Statistic of the matrix: median, min, p10, p90, ci_low, "
		"ci_high, passes, after_rest, sd_runs or reported"),
	ROW(matrix, TEXT, unit, "unit", "Unit of the matrix"),
	ROW_OR_NULL(matrix, TEXT, quantity, "quantity",
		"Kind of quantity: one-way, round-trip or rate"),
	ROW(matrix, FLAG, higher_is_better, "better",
		"Whether lower or higher values are better", .words = better),
	ROW(matrix, FLAG, symmetric, "symmetric",
		"Whether both directions of a pair have the same value"),
	MATRIX_AXIS("rows", "The NUMA nodes of the rows"),
	MATRIX_AXIS("columns", "The NUMA nodes of the columns"),
	ROW(matrix, GRID, values, "values",
		"Values of the pairs; the first CPU is a row, the second a "
		"column",
		.count = offsetof(struct matrix, n),
		.columns = offsetof(struct matrix, n),
		.members = matrix_members, .line = true),
	ROW_REST(matrix, extra),
	{0},
};

RECORD_TYPE(matrix, matrix,
	"A matrix; the first CPU of a pair is a row, the second a column",
	.begin = begin_matrix, .end = end_matrix);

static const struct record_field passes_rows[] = {
	ROW(passes, TEXT, name, "name",
		"Name of the matrices; the suffix _again marks passes over "
		"repeated pairs only"),
	ROW(passes, TEXT, unit, "unit", "Unit of the values"),
	ROW(passes, MADE, pairs, "pairs", "The two CPUs of each pair",
		.count = offsetof(struct passes, n_pairs),
		.item_bytes = sizeof(struct cpu_pair),
		.print = print_pass_pairs, .read = read_pairs,
		.is = FIELD_COUNT, .depth = FIELD_ROWS, .line = true),
	ROW_VALUES(passes, n_passes, start_s, "start_s",
		"Time from the start of the run to the start of each pass",
		.unit = "s"),
	ROW(passes, GRID, values, "values",
		"Values with a row for each pass and a column for each pair",
		.count = offsetof(struct passes, n_passes),
		.columns = offsetof(struct passes, n_pairs), .line = true),
	ROW_REST(passes, extra),
	{0},
};

RECORD_TYPE(passes, passes,
	"The values of a matrix in every pass (--keep-passes)",
	.begin = begin_passes);

static const char *const statistics[] = {
	"median", "mean", "ceiling", "theory", NULL};
static const char *const axes[] = {"amounts", "ratios", "counts", "bytes",
	"working_sets", "measured", NULL};

static const struct record_field mark_rows[] = {
	ROW_OR_NULL(
		curve, NUMBER, mark_x, "x", "Value of x at the marked point"),
	ROW(curve, TEXT, mark, "text", "Text beside the marked point"),
	{0},
};

static PART_TYPE(mark, "A marked point of a curve");

static const struct record_field fit_rows[] = {
	ROW(curve_fit, TRIPLE, overhead_ns, "overhead_ns",
		"Overhead of every access: estimate, and low and high end of "
		"its interval",
		.unit = "ns"),
	ROW(curve_fit, TRIPLE, rate_gib_per_s, "rate_gib_per_s",
		"Rate without the overhead: estimate, and low and high end of "
		"its interval",
		.unit = "GiB/s"),
	ROW_OR_NULL(curve_fit, NUMBER, half_rate_bytes, "half_rate_bytes",
		"Value of x at half of the rate", .unit = "bytes"),
	ROW_OR_NULL(curve_fit, NUMBER, worst_error, "worst_error",
		"Largest relative distance of a point from the line"),
	{0},
};

static RECORD_TYPE(
	fit, curve_fit, "A line fitted to a curve: time = overhead + x / rate");

static const struct record_field axis_x_rows[] = {
	ROW(curve, TEXT, facts.x_name, "name", "Name of x"),
	ROW_OR_NULL(curve, TEXT, facts.x_unit, "unit", "Unit of x"),
	ROW_OR_NULL(curve, WORD, facts.x_axis, "kind",
		"Kind of the x axis in a picture", .words = axes,
		.later = true),
	ROW(curve, VALUES, x, "values", "Value of x at each point of the curve",
		.count = offsetof(struct curve, n)),
	ROW(curve, TEXTS, x_names, "names",
		"Name of each point on the x axis, if the points have names",
		.count = offsetof(struct curve, n_x_names), .optional = true),
	{0},
};

static PART_TYPE(axis_x, "The x axis and its values");

static const struct record_field axis_y_rows[] = {
	ROW(curve, TEXT, facts.y_name, "name", "Name of y"),
	ROW(curve, TEXT, facts.y_unit, "unit", "Unit of y"),
	ROW_OR_NULL(curve, WORD, facts.y_axis, "kind",
		"Kind of the y axis in a picture", .words = axes,
		.later = true),
	{0},
};

static PART_TYPE(axis_y, "The y axis");

static const struct record_field curve_rows[] = {
	ROW_OR_NULL(curve, TEXT, facts.test, "test",
		"Test that measured the curve"),
	ROW(curve, TEXT, facts.family, "family",
		"Title of the panel that shows the curve"),
	ROW(curve, TEXT, facts.member, "member",
		"Name of the curve in the panel"),
	ROW_OR_NULL(curve, TEXT, facts.variant, "variant",
		"Variant of the curve; null if the curve is no variant"),
	ROW_OR_NULL(curve, TEXT, facts.device, "device",
		"OpenCL device of the curve"),
	ROW_OR_NULL(curve, CPUS, cpus, "cpus", "The measured CPUs",
		.most = RESULT_MAX_CPUS),
	ROW_OR_NULL(curve, WORD, facts.statistic, "statistic",
		"Statistic of the points", .words = statistics),
	ROW_INNER(mark_type, "mark", "A marked point of the curve, with a text",
		.at = offsetof(struct curve, mark), .nullable = true),
	ROW_OR_NULL(curve, BEHIND, fit, "fit", "A line fitted to the points",
		.type = &fit_type),
	ROW_INNER(axis_x_type, "x", "The x axis and its values", .line = true),
	ROW_INNER(axis_y_type, "y", "The y axis", .line = true),
	ROW_VALUES(curve, n, median, "median", "Value of y at each point"),
	ROW_VALUES(
		curve, n, low, "low", "Low end of the interval at each point"),
	ROW_VALUES(curve, n, high, "high",
		"High end of the interval at each point"),
	ROW_VALUES(curve, n, ceiling, "ceiling",
		"Highest possible value at each point", .nullable = true),
	ROW_REST(curve, extra),
	{0},
};

RECORD_TYPE(curve, curve, "A curve of y over x, with an interval at each point",
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

static PART_TYPE(cache_reported, "A cache, as the system reports it");

/* The index i is an enum arch_access. */
#define CACHE_RATE(i, key, about)                                              \
	CACHE_NUMBER(cache_level, rates[i], key, about, .unit = "GiB/s")

static const struct record_field cache_rates_rows[] = {
	CACHE_RATE(0, "read", "Rate of loads"),
	CACHE_RATE(1, "write", "Rate of stores"),
	CACHE_RATE(2, "copy", "Rate of a copy: a = b"),
	CACHE_RATE(3, "triad", "Rate of a triad: a = b + 3 * c"),
	CACHE_RATE(4, "nt_write", "Rate of stores that bypass the caches"),
	CACHE_RATE(5, "nt_copy", "Rate of a copy that bypasses the caches"),
	{0},
};

static PART_TYPE(cache_rates, "Rates of one CPU with this cache");

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
	ROW(cache_level, TEXT, name, "name", "Name: L1d, L2, L3 or memory"),
	ROW(cache_level, COUNT, level, "level",
		"Number of the level, from 1 for the nearest", .most = 100),
	ROW(cache_level, FLAG, memory, "memory",
		"Whether the level is the memory"),
	ROW_OR_NULL(cache_level, CPUS, cpus, "cpus",
		"CPUs that share the cache, as c2c measured",
		.most = RESULT_MAX_CPUS),
	ROW_OR_NULL(cache_level, TEXT, cpus_why, "cpus_why",
		"Why c2c does not know the CPUs that share the cache",
		.later = true),
	CACHE_NUMBER(cache_level, least_bytes, "least_bytes",
		"Smallest size that the cache may have", .unit = "bytes"),
	CACHE_NUMBER(cache_level, most_bytes, "most_bytes",
		"Largest size that the cache may have", .unit = "bytes"),
	CACHE_NUMBER(cache_level, line_bytes, "line_bytes",
		"Size of a cache line", .unit = "bytes"),
	CACHE_NUMBER(cache_level, ways, "ways", "Associativity of the cache"),
	CACHE_NUMBER(cache_level, ns, "ns",
		"Median latency of a load over passes", .unit = "ns"),
	CACHE_NUMBER(cache_level, clocks, "clocks",
		"Median latency of a load over passes", .unit = "clocks"),
	CACHE_NUMBER(cache_level, fastest_clocks, "fastest_clocks",
		"Latency of a load in the fastest pass", .unit = "clocks"),
	ROW_INNER(cache_rates_type, "gib_per_s",
		"Rates of one CPU with this cache", .line = true),
	ROW_INNER(cache_reported_type, "reported",
		"The cache, as the system reports it", .line = true,
		.old = "told"),
	ROW_INNER(cache_verdicts_type, "verdicts",
		"Comparison of measured with reported values", .line = true),
	ROW_OR_NULL(cache_level, TEXT, why, "why",
		"Why values of the level are missing", .line = true),
	ROW_REST(cache_level, extra),
	{0},
};

RECORD_TYPE(cache, cache_level, "A level of the caches, or the memory",
	.end = end_cache);

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
	ROW(line_profile, CPUS, cpus, "cpus", "The two CPUs of the pair",
		.most = RESULT_MAX_CPUS),
	ROW(line_profile, COUNT, lines, "lines",
		"Number of measured cache lines", .most = RESULT_MAX_POINTS),
	ROW(line_profile, COUNT, visits, "visits",
		"Number of visits of each cache line in a block",
		.most = RESULT_MAX_POINTS),
	ROW_OR_NULL(line_profile, WORD, verdict, "verdict",
		"Whether the latency depends on the cache line",
		.words = line_verdicts),
	LINE_NUMBER(mean_ns, "mean_ns", "Mean over cache lines", .unit = "ns"),
	LINE_NUMBER(nearest_ns, "nearest_ns",
		"Median latency of the nearest cache line in the first block",
		.unit = "ns"),
	LINE_NUMBER(farthest_ns, "farthest_ns",
		"Median latency of the farthest cache line in the first block",
		.unit = "ns"),
	LINE_NUMBER(lines_iqr_ns, "lines_iqr_ns",
		"Interquartile range of the medians of all cache lines",
		.unit = "ns"),
	LINE_NUMBER(even_odd, "even_odd",
		"Spearman's correlation of even with odd visits, over lines"),
	LINE_NUMBER(blocks, "blocks",
		"Spearman's correlation of the two blocks, over cache lines"),
	ROW_OR_NULL(line_profile, SWITCH, repeats, "repeats",
		"Whether the same cache lines are near in the second block; "
		"null if lines do not differ or the second block is missing"),
	ROW(line_profile, COUNT, near_lines, "near_lines",
		"Number of cache lines in the near group, or 0",
		.most = RESULT_MAX_POINTS),
	ROW(line_profile, COUNT, far_lines, "far_lines",
		"Number of cache lines in the far group",
		.most = RESULT_MAX_POINTS),
	LINE_NUMBER(near_ns, "near_ns", "Mean of the near group of lines",
		.unit = "ns"),
	LINE_NUMBER(far_ns, "far_ns", "Mean of the far group of lines",
		.unit = "ns"),
	LINE_NUMBER(nearest_offset_bytes, "nearest_offset_bytes",
		"Offset of the nearest cache line in its page (--keep-lines)",
		.unit = "bytes", .optional = true),
	LINE_NUMBER(farthest_offset_bytes, "farthest_offset_bytes",
		"Offset of the farthest cache line in its page (--keep-lines)",
		.unit = "bytes", .optional = true),
	ROW_REST(line_profile, extra),
	{0},
};

RECORD_TYPE(line_profile, line_profile,
	"Latency of a pair on different cache lines", .end = end_line_profile);

static const struct record_field topology_rows[] = {
	ROW_OR_NULL(result, TEXT, hwloc_xml, "hwloc_xml",
		"Topology in the XML of hwloc, as for lstopo -i",
		.lines = true),
	{0},
};

static PART_TYPE(topology, "The topology that hwloc reported");

static const struct record_field skipped_rows[] = {
	ROW(skipped_section, TEXT, command, "command", "Name of the command"),
	ROW(skipped_section, TEXTS, arguments, "arguments",
		"Arguments of the command of c2c",
		.count = offsetof(struct skipped_section, n_arguments)),
	ROW(skipped_section, TEXT, reason, "reason",
		"Why the command measured nothing"),
	ROW_REST(skipped_section, extra),
	{0},
};

RECORD_TYPE(
	skipped, skipped_section, "A command of c2c measure without a result");

static const struct record_field result_rows[] = {
	ROW(result, TEXT, command, "command",
		"Command that measured: latency, watch, memcpy, queue, cache, "
		"contend, states, numa or cl; measure, if the record has "
		"sections; else the name of another program"),
	ROW_OR_NULL(result, TEXT, started, "started",
		"Start of the run, in UTC", .utc = true),
	ROW_OR_NULL(result, NUMBER, elapsed_s, "elapsed_s",
		"Duration of the run", .unit = "s", .most = ELAPSED_MAX_S,
		.parts = 1e6),
	ROW(result, FLAG, complete, "complete",
		"Whether the run ended normally and no values are missing"),
	ROW_OR_NULL(result, FACTS, tool, "tool", "The program that measured",
		.type = &tool_type),
	ROW_OR_NULL(result, FACTS, machine, "machine", "The measured machine",
		.type = &machine_type),
	ROW_OR_NULL(result, FACTS, options, "options",
		"Options from the user, and options that c2c chose",
		.type = &options_type),
	ROW_OR_NULL(result, WITHIN, run, "run",
		"Facts about the run, and warnings", .type = &run_type),
	ROW(result, CPUS, cpus, "cpus", "The measured CPUs",
		.most = RESULT_MAX_CPUS),
	ROW_LIST(result, matrix_type, matrices, "matrices",
		"Matrices with the values of pairs", .later = true,
		.most = RESULT_MAX_MATRICES),
	ROW_LIST(result, curve_type, curves, "curves", "Measured curves",
		.optional = true, .most = RESULT_MAX_CURVES),
	ROW_LIST(result, cache_type, caches, "caches",
		"Levels of the caches and the memory, from the nearest",
		.optional = true, .most = CACHE_MOST_LEVELS),
	ROW_LIST(result, tlb_type, tlbs, "tlbs", "TLBs of a CPU",
		.optional = true, .most = CACHE_MOST_LEVELS),
	ROW_LIST(result, line_profile_type, line_profiles, "lines",
		"Latency of pairs by cache line (c2c latency --by-line)",
		.optional = true, .most = RESULT_MAX_POINTS),
	ROW(result, LIST, kept, "passes",
		"The values of every pass (--keep-passes)",
		.count = offsetof(struct result, n_kept), .type = &passes_type,
		.optional = true, .most = RESULT_MAX_MATRICES),
	ROW_LIST(result, result_type, runs, "runs",
		"The record of each run of --runs", .optional = true,
		.most = RUNS_MAX),
	ROW_LIST(result, result_type, sections, "sections",
		"Records of the commands that c2c measure ran, in their order",
		.optional = true, .most = SECTIONS_MAX),
	ROW_LIST(result, skipped_type, skipped, "skipped",
		"Commands of c2c measure without a result", .optional = true,
		.most = SECTIONS_MAX),
	{"topology", FIELD_WITHIN, .type = &topology_type, .nullable = true,
		.about = "The topology that hwloc reported"},
	ROW_REST(result, extra),
	ROW(result, CPUS, nodes.rows, "", NULL, .hidden = true),
	ROW(result, CPUS, nodes.columns, "", NULL, .hidden = true),
	ROW(result, CPUS, nodes.all, "", NULL, .hidden = true),
	{0},
};

RECORD_TYPE(result, result, "the record of a measurement",
	.format = RESULT_FORMAT, .version = RESULT_VERSION,
	.version_of = result_version,
	.about_version = "2 if the record has sections, else 1",
	.begin = begin_result, .end = end_result);
