#include "result/known_facts.h"

#include <stddef.h>

static const struct record_field tool_rows[] = {
	FACT(TEXT, "version", "Version of c2c"),
	FACT(TEXT, "compiler", "What compiled it"),
	FACT(TEXT, "cflags", "Flags that its user built it with"),
	{0},
};

FACTS_TYPE(tool, "The c2c that measured");

static const struct record_field options_rows[] = {
	FACT(VALUES, "sweep", "Sizes", .former = true),
	FACT(SCALAR, "*",
		"An option of the command by its name, with _ for -, as its "
		"manual page explains it; the ends of a range have _min and "
		"_max, and a unit ends the name; null is not given"),
	{0},
};

FACTS_TYPE(options, "Every option of the command with the value that it had");

static const struct record_field spin_hint_rows[] = {
	FACT(INT64, "turns", "Pairs of visits that counted"),
	FACT_OR_NULL(NUMBER, "none", "Median without the hint",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "pause", "Median with it",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "ratio", "Median of pause / none of a turn"),
	FACT_OR_NULL(NUMBER, "ci_low", "Low end of its 95 % interval"),
	FACT_OR_NULL(NUMBER, "ci_high", "High end of its 95 % interval"),
	{0},
};

static FACTS_TYPE(spin_hint, "Both waiting loops at one distance");

static const struct record_field watch_rows[] = {
	FACT(INT64, "bursts", "Bursts that were measured"),
	FACT(INT64, "passes", "Passes that were measured"),
	FACT(INT64, "events", "Changes that were reported"),
	FACT_OR_NULL(NUMBER, "duty_pct",
		"Share of the CPUs' time that c2c used", .unit = "%"),
	{0},
};

static FACTS_TYPE(watch,
	"What c2c watch did in all, where the record has the last passes");

static const struct record_field kept_epoch_rows[] = {
	FACT(INT64, "number", "Which of the epochs it is, from 1"),
	FACT(INT64, "count", "How many epochs there were"),
	FACT(NUMBER, "start_s", "Its start since that of the run", .unit = "s"),
	FACT(NUMBER, "end_s", "Its end since the start of the run",
		.unit = "s"),
	FACT(INT64, "of_passes", "Passes of the whole run"),
	{0},
};

static FACTS_TYPE(kept_epoch,
	"The epoch without a move that has the most passes: all values are of "
	"it");

static const struct record_field again_rows[] = {
	FACT(INT64, "pairs", "How many pairs"),
	FACT(INT64, "passes", "Passes over these alone, behind the others"),
	{0},
};

static FACTS_TYPE(again,
	"Pairs that were measured again, since their first values contradicted "
	"their neighbours: their statistics are of all of their passes");

static const struct record_field rest_rows[] = {
	FACT(NUMBER, "s", "How long the CPUs slept", .unit = "s"),
	FACT(INT64, "passes", "Passes after it"),
	FACT_OR_NULL(NUMBER, "limit",
		"Near pairs are below it; null if none is near",
		.unit = "unit of the matrices"),
	FACT(INT64, "near", "Pairs that were near in the last passes"),
	FACT(INT64, "lasted", "Those that were near after the sleep"),
	FACT(INT64, "always",
		"Pairs near in the first, middle and last passes"),
	FACT(INT64, "sometimes", "Pairs near in one or two of these"),
	{0},
};

static FACTS_TYPE(rest, "Passes after all CPUs slept");

static const char *const users[] = {"c2c", "user", NULL};

static const struct record_field variable_rows[] = {
	FACT(TEXT, "name", "Its name"),
	FACT(TEXT, "value", "Its value"),
	FACT(TEXT, "by", "Who set it", .words = users),
	{0},
};

static FACTS_TYPE(
	variable, "A variable of the environment for OpenCL implementations");

static const char *const firmware[] = {"agrees", "differs", NULL};

#define FIRMWARE(key, what)                                                    \
	FACT_OR_NULL(TEXT, key,                                                \
		"Whether the " what                                            \
		" of the firmware agrees with what was measured; null if "     \
		"nothing decides",                                             \
		.words = firmware, .some = true)
#define KNEES(key, what)                                                       \
	FACT(VALUES, key, "For each curve of the test loaded: " what,          \
		.unit = "GiB/s", .some = true)

static const struct record_field cl_ahead_rows[] = {
	FACT(INT64, "processes", "Processes that compiled"),
	FACT_OR_NULL(NUMBER, "elapsed_s", "How long they took", .unit = "s"),
	{0},
};

static FACTS_TYPE(
	cl_ahead, "Kernels that were compiled before they were measured");

static const struct record_field run_known_rows[] = {
	FACT_OBJECT(spin_hint_type, "spin_hint_*",
		"The trial of both waiting loops on pairs that share a core, a "
		"last-level cache, a package, or only the machine",
		.old = "relax_*"),
	FACT_OBJECT(
		watch_type, "watch", "What c2c watch did in all", .some = true),
	FACT_OBJECT(kept_epoch_type, "epoch",
		"The epoch that the values are of", .some = true),
	FACT_OBJECT(again_type, "again", "Pairs that were measured again",
		.some = true),
	FACT_OBJECT(
		rest_type, "rest", "Passes after all CPUs slept", .some = true),
	FACT_OR_NULL(NUMBER, "core_clock_ghz",
		"Clock of the cores during the run", .unit = "GHz",
		.some = true),
	FACT_OR_NULL(NUMBER, "pass_alone_s",
		"How long a pass took with one pair at a time", .unit = "s",
		.former = true),
	FACT(TEXT, "agreement.statistic", "What was correlated",
		.former = true),
	FACT_LIST(variable_type, "environment",
		"Variables of OpenCL implementations", .some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Kernels of all tests, compiled before the first",
		.some = true),
	FACT(TEXT, "device", "The OpenCL device, if there was one",
		.some = true),
	FACT(TEXT, "device_type", "Its type", .some = true),
	FACT(TEXT, "platform", "Its implementation", .some = true),
	FACT(TEXT, "states_refused",
		"Why c2c states has no costs: the check that fails",
		.some = true),
	FIRMWARE("firmware_distance", "distance"),
	FIRMWARE("firmware_latency", "latency"),
	FIRMWARE("firmware_bandwidth", "bandwidth"),
	KNEES("loaded_peak_gib_per_s", "its peak"),
	KNEES("loaded_doubles_gib_per_s", "the rate at "
					  "which its latency doubles"),
	KNEES("loaded_knee_gib_per_s", "its knee, null if it has none"),
	{0},
};

FACTS_TYPE(run_known, "What only some commands say of a run");

#define DEVICE(kind, key, ...)                                                 \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_device_rows[] = {
	FACT(INT64, "index", "Its number for --device"),
	FACT(TEXT, "type", "cpu, gpu or another type"),
	FACT(TEXT, "name", "Its name"),
	DEVICE(TEXT, "platform", "Name of the implementation"),
	DEVICE(TEXT, "platform_version", "Version of the implementation"),
	DEVICE(TEXT, "version", "Version of OpenCL"),
	DEVICE(TEXT, "driver", "Version of the driver"),
	DEVICE(SWITCH, "images", "Whether it has images"),
	DEVICE(SWITCH, "double", "Whether it computes with double"),
	DEVICE(INT64, "compute_units", "Its compute units"),
	DEVICE(INT64, "clock_mhz", "Its highest clock", .unit = "MHz"),
	DEVICE(INT64, "global_bytes", "Its memory", .unit = "bytes"),
	DEVICE(INT64, "largest_buffer_bytes", "Its largest buffer",
		.unit = "bytes"),
	DEVICE(INT64, "local_bytes", "Local memory of a work-group",
		.unit = "bytes"),
	DEVICE(INT64, "constant_bytes", "Constant memory", .unit = "bytes"),
	DEVICE(INT64, "cache_bytes", "Its cache", .unit = "bytes"),
	DEVICE(INT64, "cache_line_bytes", "A line of that cache",
		.unit = "bytes"),
	DEVICE(INT64, "work_group_max", "Work-items of the largest work-group"),
	{0},
};

FACTS_TYPE(cl_device, "An OpenCL device as it describes itself");

#define MAY_HAVE(kind, key, ...) FACT(kind, key, __VA_ARGS__, .some = true)
#define MAY_BE_NULL(kind, key, ...)                                            \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_timing_rows[] = {
	MAY_HAVE(TEXT, "clock", "What timed the kernels: event or host"),
	MAY_HAVE(TEXT, "clock_reason", "Why, if the test decides that"),
	MAY_BE_NULL(NUMBER, "event_share_of_host",
		"Time of the events over that of the host's clock"),
	MAY_BE_NULL(NUMBER, "launch_us",
		"Time of a launch of an empty kernel; absent if no kernel runs",
		.unit = "us"),
	{0},
};

static FACTS_TYPE(cl_timing, "How a test was timed");

static const struct record_field cl_core_clock_rows[] = {
	MAY_BE_NULL(
		NUMBER, "least_ghz", "The least of all points", .unit = "GHz"),
	MAY_BE_NULL(NUMBER, "median_ghz", "The median of all points",
		.unit = "GHz"),
	MAY_HAVE(TEXT, "by", "Who says so: c2c, which measured it, or device"),
	{0},
};

static FACTS_TYPE(
	cl_core_clock, "The clock of the device's cores during the test");

static const struct record_field cl_memory_rows[] = {
	MAY_HAVE(INT64, "bytes", "Memory that c2c mapped", .unit = "bytes"),
	MAY_HAVE(INT64, "huge_bytes",
		"Those of them in huge pages when the test ended",
		.unit = "bytes"),
	{0},
};

static FACTS_TYPE(cl_memory, "The memory of buffers and of the host's arrays");

static const struct record_field cl_spent_rows[] = {
	FACT(NUMBER, "building_s",
		"Compiling, but for compilers that work at the first launch",
		.unit = "s"),
	FACT(NUMBER, "filling_s", "Filling buffers before kernels ran",
		.unit = "s"),
	FACT(NUMBER, "checking_s", "Checking what kernels left", .unit = "s"),
	MAY_HAVE(NUMBER, "ceilings_s",
		"Measuring the rates of the CPUs natively", .unit = "s"),
	FACT(NUMBER, "repeating_s", "Repeating points, of --budget",
		.unit = "s"),
	{0},
};

static FACTS_TYPE(cl_spent, "Where time went that no figure comes from");

static const struct record_field cl_thread_rows[] = {
	FACT(INT64, "tid", "Its number"),
	FACT(TEXT, "cpus", "The CPUs that it may run on"),
	FACT(NUMBER, "last_cpu", "Where it last ran; negative if unknown"),
	FACT_OR_NULL(NUMBER, "ran_s", "The CPU time that it used", .unit = "s"),
	{0},
};

static FACTS_TYPE(cl_thread, "A thread of the implementation");

static const struct record_field cl_point_rows[] = {
	FACT(TEXT, "name", "The curve"),
	FACT(TEXT, "y", "Title of its panel without test and device"),
	FACT(VALUES, "x", "The x of each point"),
	MAY_HAVE(VALUES, "runs", "Runs of each point"),
	MAY_HAVE(VALUES, "visits", "Visits over which these runs spread"),
	MAY_HAVE(VALUES, "work_group",
		"Work-items of a work-group; null if no kernel ran"),
	MAY_HAVE(VALUES, "checksum",
		"Sum modulo 2^32 of the words that the last run left and the "
		"host computed again"),
	{0},
};

static FACTS_TYPE(cl_point, "How each point of a curve was measured");

static const struct record_field cl_ceiling_rows[] = {
	FACT(TEXT, "name", "What it bounds"),
	FACT(TEXT, "what", "The native work"),
	MAY_HAVE(INT64, "bytes", "Its amount of memory; 0 for arithmetic",
		.unit = "bytes"),
	MAY_BE_NULL(NUMBER, "gib_per_s",
		"Its rate; null for devices other than CPUs", .unit = "GiB/s"),
	MAY_BE_NULL(NUMBER, "gflop_per_s",
		"Its rate; null for devices other than CPUs",
		.unit = "GFLOP/s"),
	{0},
};

static FACTS_TYPE(cl_ceiling, "What the CPUs reach natively");

static const struct record_field cl_theory_rows[] = {
	FACT(TEXT, "name", "Title of the panel"),
	MAY_BE_NULL(NUMBER, "gib_per_s", "The rate", .unit = "GiB/s"),
	MAY_BE_NULL(NUMBER, "gflop_per_s", "The rate", .unit = "GFLOP/s"),
	MAY_BE_NULL(NUMBER, "each_clock_and_unit",
		"Bytes or operations of a compute unit in a clock; null if the "
		"rate has no clock"),
	FACT(TEXT, "source", "The document that says so"),
	MAY_BE_NULL(NUMBER, "best_share",
		"The highest figure of the panel over the rate"),
	{0},
};

static FACTS_TYPE(cl_theory, "What the maker promises");

static const struct record_field cl_levels_rows[] = {
	FACT_OR_NULL(INT64, "L*", "The number for this cache, such as L2"),
	{0},
};

static FACTS_TYPE(cl_levels, "A number for each level of the caches");

static const struct record_field cl_fall_rows[] = {
	FACT(TEXT, "array", "Shape of the array"),
	FACT(TEXT, "access", "read or write"),
	FACT(FLAG, "padded", "Whether rows are padded"),
	FACT(INT64, "pitch_bytes", "Bytes from row to row", .unit = "bytes"),
	FACT_OBJECT(cl_levels_type, "lines_held",
		"How many lines a row apart a cache holds"),
	FACT_OBJECT(cl_levels_type, "held_for_cpus",
		"How many CPUs share that cache"),
	FACT_OBJECT(cl_levels_type, "exceeded_at",
		"The first number of elements that a CPU's part of it does not "
		"hold; null if it holds all"),
	FACT_OR_NULL(INT64, "falls_at",
		"From how many elements on columns stay below 0.7 of their "
		"earlier best; null if they do not fall"),
	{0},
};

static FACTS_TYPE(cl_fall, "Where columns fall behind rows");

static const struct record_field cl_map_rows[] = {
	FACT(TEXT, "direction", "read or write"),
	FACT(INT64, "bytes", "What is mapped", .unit = "bytes"),
	MAY_BE_NULL(NUMBER, "ms", "Time of map and unmap", .unit = "ms"),
	MAY_BE_NULL(NUMBER, "page_ms", "That of one page", .unit = "ms"),
	MAY_HAVE(FLAG, "same_address",
		"Whether the address was the same each time"),
	MAY_BE_NULL(SWITCH, "moves_bytes", "Whether bytes moved"),
	{0},
};

static FACTS_TYPE(cl_map, "What a map does");

#define LAUNCH                                                                 \
	FACT(TEXT, "type", "Type of the numbers"),                             \
		MAY_HAVE(INT64, "vector", "Width of the vectors"),             \
		MAY_HAVE(INT64, "work_items", "Work-items"),                   \
		MAY_HAVE(INT64, "work_group", "Work-items of a work-group")

static const struct record_field cl_best_rows[] = {
	FACT(TEXT, "operation", "What is computed"),
	LAUNCH,
	{0},
};

static FACTS_TYPE(cl_best, "The best launch of an operation");

static const struct record_field cl_call_rows[] = {
	FACT(TEXT, "function", "Its name"),
	LAUNCH,
	MAY_HAVE(INT64, "calls", "How many calls a run made"),
	MAY_BE_NULL(NUMBER, "off_ulp", "The largest error seen", .unit = "ulp"),
	MAY_BE_NULL(NUMBER, "bound_ulp",
		"The largest error that the standard allows", .unit = "ulp"),
	{0},
};

static FACTS_TYPE(cl_call, "A built-in function");

static const struct record_field cl_test_rows[] = {
	FACT(TEXT, "test", "Its name"),
	MAY_HAVE(TEXT, "section",
		"Section of the article, or the program whose method it has"),
	FACT(TEXT, "status",
		"done, failed, unavailable, timed out, interrupted or not run"),
	MAY_HAVE(TEXT, "reason", "Why it is not done"),
	MAY_BE_NULL(NUMBER, "elapsed_s",
		"Time of its process from start to end", .unit = "s"),
	FACT_OBJECT(cl_device_type, "device", "The device", .some = true),
	FACT_OBJECT(cl_timing_type, "timing", "How it was timed", .some = true),
	FACT_OBJECT(cl_core_clock_type, "core_clock",
		"The clock of the device's cores", .some = true),
	FACT_OBJECT(cl_memory_type, "memory", "Memory that c2c mapped",
		.some = true),
	MAY_HAVE(INT64, "wide",
		"Points whose interval is wider than --precision"),
	MAY_HAVE(INT64, "left_out",
		"Points that --quick left out because the test was late"),
	MAY_HAVE(TEXTS, "notes", "What was left out, and what disturbed"),
	MAY_HAVE(TEXTS, "findings", "Sentences below the tables"),
	MAY_HAVE(TEXTS, "rejected",
		"A sentence for each figure above its ceiling, or with a wrong "
		"result; it is null in its curve"),
	MAY_HAVE(FLAG, "threads_where_asked",
		"Whether all threads ran on the CPUs that were asked for"),
	MAY_HAVE(FLAG, "threads_bound",
		"Whether each thread was bound to its own CPU"),
	FACT_OBJECT(cl_spent_type, "spent",
		"Where time went that no figure comes from", .some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Kernels that were compiled before it", .some = true),
	FACT_LIST(cl_thread_type, "threads", "Threads of a CPU device",
		.some = true),
	FACT_LIST(cl_point_type, "points",
		"How each point of the curves was measured", .some = true),
	FACT_LIST(cl_ceiling_type, "ceilings", "What the CPUs reach natively",
		.some = true),
	FACT_LIST(cl_theory_type, "theory", "What the maker promises",
		.some = true),
	FACT_LIST(cl_fall_type, "columns_fall",
		"Test rowcol on CPUs: where columns fall behind rows",
		.some = true),
	FACT_LIST(cl_map_type, "maps", "Test bus: what each map did",
		.some = true),
	FACT_LIST(cl_best_type, "best",
		"Test math: the best launch of each operation", .some = true),
	FACT_LIST(cl_call_type, "calls",
		"Test math: built-in functions and their errors", .some = true),
	{0},
};

FACTS_TYPE(cl_test, "A test of c2c cl");
