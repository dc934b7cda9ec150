#include "result/known_facts.h"

#include <stddef.h>

static const struct record_field tool_rows[] = {
	FACT(TEXT, "version", "Version of c2c"),
	FACT(TEXT, "compiler", "Compiler that built c2c"),
	FACT(TEXT, "cflags", "Compiler flags from whoever built c2c"),
	{0},
};

FACTS_TYPE(tool, "The c2c that measured");

static const struct record_field options_rows[] = {
	FACT(VALUES, "sweep", "MIN and MAX of --sweep", .former = true),
	FACT(SCALAR, "*",
		"An option of the command, by its name with _ for -, as in its "
		"manual page; a range has keys with _min and _max, and a unit "
		"ends the key; null: not given"),
	{0},
};

FACTS_TYPE(options, "Every option of the command with the value that it had");

static const struct record_field spin_hint_rows[] = {
	FACT(INT64, "turns",
		"Pairs of visits that counted, with and without the hint"),
	FACT_OR_NULL(NUMBER, "none", "Median without the hint",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "pause", "Median with the hint",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "ratio",
		"Median of pause / none over the pairs of visits"),
	FACT_OR_NULL(
		NUMBER, "ci_low", "Low end of the 95 % interval of the ratio"),
	FACT_OR_NULL(NUMBER, "ci_high",
		"High end of the 95 % interval of the ratio"),
	{0},
};

static FACTS_TYPE(spin_hint, "A trial of both waiting loops at one distance");

static const struct record_field watch_rows[] = {
	FACT(INT64, "bursts", "Bursts that were measured"),
	FACT(INT64, "passes", "Passes that were measured"),
	FACT(INT64, "events", "Changes that were reported"),
	FACT_OR_NULL(NUMBER, "duty_pct",
		"Share of the CPUs' time that c2c used", .unit = "%"),
	{0},
};

static FACTS_TYPE(
	watch, "All that c2c watch did; the record itself has the last passes");

static const struct record_field kept_epoch_rows[] = {
	FACT(INT64, "number", "Number of the epoch, from 1"),
	FACT(INT64, "count", "How many epochs there were"),
	FACT(NUMBER, "start_s", "Start of the epoch since the start of the run",
		.unit = "s"),
	FACT(NUMBER, "end_s", "End of the epoch since the start of the run",
		.unit = "s"),
	FACT(INT64, "of_passes", "Passes of the whole run"),
	{0},
};

static FACTS_TYPE(kept_epoch,
	"The epoch with the most passes: all values are from this epoch");

static const struct record_field again_rows[] = {
	FACT(INT64, "pairs", "How many pairs were measured again"),
	FACT(INT64, "passes",
		"Passes over these pairs only, after the other passes"),
	{0},
};

static FACTS_TYPE(again, "Pairs that were measured again, because their first "
			 "values contradicted their neighbours; their "
			 "statistics cover all of their passes");

static const struct record_field rest_rows[] = {
	FACT(NUMBER, "s", "How long the CPUs slept", .unit = "s"),
	FACT(INT64, "passes", "Passes after the sleep"),
	FACT_OR_NULL(NUMBER, "limit",
		"Limit below which a pair is near; null if no pair is near",
		.unit = "unit of the matrices"),
	FACT(INT64, "near", "Pairs that were near in the last passes"),
	FACT(INT64, "lasted",
		"Pairs of near that were near after the sleep, too"),
	FACT(INT64, "always",
		"Pairs near in the first, middle and last passes"),
	FACT(INT64, "sometimes",
		"Pairs near in only one or two of the first, middle and last "
		"passes"),
	{0},
};

static FACTS_TYPE(rest, "Passes after all CPUs slept");

static const char *const users[] = {"c2c", "user", NULL};

static const struct record_field variable_rows[] = {
	FACT(TEXT, "name", "Name of the variable"),
	FACT(TEXT, "value", "Value of the variable"),
	FACT(TEXT, "by", "Who set it", .words = users),
	{0},
};

static FACTS_TYPE(
	variable, "A variable of the environment for OpenCL implementations");

static const char *const firmware[] = {"agrees", "differs", NULL};

#define FIRMWARE(key, what)                                                    \
	FACT_OR_NULL(TEXT, key,                                                \
		"Whether the firmware's " what                                 \
		" agrees with the measurement; null: no decision",             \
		.words = firmware, .some = true)
#define KNEES(key, what)                                                       \
	FACT(VALUES, key, what " of each curve of the test loaded",            \
		.unit = "GiB/s", .some = true)

static const struct record_field cl_ahead_rows[] = {
	FACT(INT64, "processes", "Processes that compiled"),
	FACT_OR_NULL(
		NUMBER, "elapsed_s", "How long they compiled", .unit = "s"),
	{0},
};

static FACTS_TYPE(cl_ahead, "Processes that compiled kernels before the tests");

static const struct record_field run_known_rows[] = {
	FACT_OBJECT(spin_hint_type, "spin_hint_*",
		"The trial of both waiting loops, for pairs that share a core, "
		"a last-level cache, a package, or only the machine",
		.old = "relax_*"),
	FACT_OBJECT(
		watch_type, "watch", "All that c2c watch did", .some = true),
	FACT_OBJECT(kept_epoch_type, "epoch", "The epoch of the values",
		.some = true),
	FACT_OBJECT(again_type, "again", "Pairs that were measured again",
		.some = true),
	FACT_OBJECT(
		rest_type, "rest", "Passes after all CPUs slept", .some = true),
	FACT_OR_NULL(NUMBER, "core_clock_ghz",
		"Clock of the cores during the run", .unit = "GHz",
		.some = true),
	FACT_OR_NULL(NUMBER, "pass_alone_s",
		"Time of a pass with one pair at a time", .unit = "s",
		.former = true),
	FACT(TEXT, "agreement.statistic", "The statistic that was correlated",
		.former = true),
	FACT_LIST(variable_type, "environment",
		"Variables of OpenCL implementations", .some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Processes that compiled the kernels of all tests before the "
		"first test",
		.some = true),
	FACT(TEXT, "device", "The OpenCL device, if there was one",
		.some = true),
	FACT(TEXT, "device_type", "Type of the OpenCL device", .some = true),
	FACT(TEXT, "platform", "OpenCL implementation of the device",
		.some = true),
	FACT(TEXT, "states_refused",
		"The failed check, which is why c2c states reports no costs",
		.some = true),
	FIRMWARE("firmware_distance", "distance"),
	FIRMWARE("firmware_latency", "latency"),
	FIRMWARE("firmware_bandwidth", "bandwidth"),
	KNEES("loaded_peak_gib_per_s", "Peak"),
	KNEES("loaded_doubles_gib_per_s", "Rate at double latency"),
	KNEES("loaded_knee_gib_per_s", "Knee, or null,"),
	FACT(VALUES, "llc_rates_gib_per_s",
		"Read rates of the CPUs of last-level caches, a row and a "
		"column for each cache: on the diagonal of one cache alone, "
		"right of it of two caches together, left of it null",
		.unit = "GiB/s", .some = true),
	FACT(VALUES, "llc_links",
		"Number of the link to memory of each last-level cache; caches "
		"that share a link have the same number",
		.some = true),
	FACT(SWITCH, "llc_links_join",
		"Whether these links lead into one link that any two of their "
		"caches fill",
		.some = true),
	FACT(TEXT, "llc_links_doubt",
		"Why c2c cannot decide which last-level caches share a link",
		.some = true),
	{0},
};

FACTS_TYPE(run_known, "Keys of a run from some commands only");

#define DEVICE(kind, key, ...)                                                 \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_device_rows[] = {
	FACT(INT64, "index", "Number of the device for --device"),
	FACT(TEXT, "type", "cpu, gpu or another type"),
	FACT(TEXT, "name", "Name of the device"),
	DEVICE(TEXT, "platform", "Name of the implementation"),
	DEVICE(TEXT, "platform_version", "Version of the implementation"),
	DEVICE(TEXT, "version", "OpenCL version of the device"),
	DEVICE(TEXT, "driver", "Version of the driver"),
	DEVICE(SWITCH, "images", "Whether the device has images"),
	DEVICE(SWITCH, "double", "Whether the device computes with double"),
	DEVICE(INT64, "compute_units", "Number of compute units"),
	DEVICE(INT64, "clock_mhz", "Highest clock of the device",
		.unit = "MHz"),
	DEVICE(INT64, "global_bytes", "Global memory of the device",
		.unit = "bytes"),
	DEVICE(INT64, "largest_buffer_bytes", "Largest buffer of the device",
		.unit = "bytes"),
	DEVICE(INT64, "local_bytes", "Local memory of a work-group",
		.unit = "bytes"),
	DEVICE(INT64, "constant_bytes", "Constant memory", .unit = "bytes"),
	DEVICE(INT64, "cache_bytes", "Size of the cache of global memory",
		.unit = "bytes"),
	DEVICE(INT64, "cache_line_bytes", "Line of that cache",
		.unit = "bytes"),
	DEVICE(INT64, "work_group_max", "Work-items of the largest work-group"),
	{0},
};

FACTS_TYPE(cl_device, "An OpenCL device as it describes itself");

#define MAY_HAVE(kind, key, ...) FACT(kind, key, __VA_ARGS__, .some = true)
#define MAY_BE_NULL(kind, key, ...)                                            \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_timing_rows[] = {
	MAY_HAVE(TEXT, "clock",
		"The clock that timed the kernels: event or host"),
	MAY_HAVE(
		TEXT, "clock_reason", "Why this clock, if the test chooses it"),
	MAY_BE_NULL(NUMBER, "event_share_of_host",
		"Time by events divided by time by the host's clock"),
	MAY_BE_NULL(NUMBER, "launch_us",
		"Time of a launch of an empty kernel; absent if no kernel runs",
		.unit = "us"),
	{0},
};

static FACTS_TYPE(cl_timing, "How a test was timed");

static const struct record_field cl_core_clock_rows[] = {
	MAY_BE_NULL(NUMBER, "least_ghz", "The lowest clock of all points",
		.unit = "GHz"),
	MAY_BE_NULL(NUMBER, "median_ghz", "The median clock of all points",
		.unit = "GHz"),
	MAY_HAVE(TEXT, "by",
		"c2c, which measured the clock, or device, which reports it"),
	{0},
};

static FACTS_TYPE(
	cl_core_clock, "The clock of the device's cores during the test");

static const struct record_field cl_memory_rows[] = {
	MAY_HAVE(INT64, "bytes", "Memory that c2c mapped", .unit = "bytes"),
	MAY_HAVE(INT64, "huge_bytes",
		"Bytes of this memory in huge pages at the end of the test",
		.unit = "bytes"),
	{0},
};

static FACTS_TYPE(cl_memory, "The memory of buffers and of the host's arrays");

static const struct record_field cl_spent_rows[] = {
	FACT(NUMBER, "building_s",
		"Compiling kernels, except at the first launch", .unit = "s"),
	FACT(NUMBER, "filling_s", "Filling buffers before kernels ran",
		.unit = "s"),
	FACT(NUMBER, "checking_s", "Checking the results of kernels",
		.unit = "s"),
	MAY_HAVE(NUMBER, "ceilings_s", "Measuring native rates of the CPUs",
		.unit = "s"),
	FACT(NUMBER, "repeating_s", "Repeating points within --budget",
		.unit = "s"),
	{0},
};

static FACTS_TYPE(
	cl_spent, "Time of a test besides the first measurement of its points");

static const struct record_field cl_thread_rows[] = {
	FACT(INT64, "tid", "Thread number (TID)"),
	FACT(TEXT, "cpus", "The CPUs that the thread may run on"),
	FACT(NUMBER, "last_cpu",
		"The CPU that it last ran on; negative if unknown"),
	FACT_OR_NULL(NUMBER, "ran_s", "CPU time of the thread", .unit = "s"),
	{0},
};

static FACTS_TYPE(cl_thread, "A thread of the implementation");

static const struct record_field cl_point_rows[] = {
	FACT(TEXT, "name", "Name of the curve"),
	FACT(TEXT, "y", "Title of the curve's panel, without test and device"),
	FACT(VALUES, "x", "Values of x, one for each point"),
	MAY_HAVE(VALUES, "runs", "Runs of each point"),
	MAY_HAVE(VALUES, "visits", "Visits that these runs belong to"),
	MAY_HAVE(VALUES, "work_group",
		"Work-items of a work-group; null if no kernel ran"),
	MAY_HAVE(VALUES, "checksum",
		"Sum, modulo 2^32, of the words that the last run wrote; the "
		"host computed the same sum to verify it"),
	{0},
};

static FACTS_TYPE(cl_point, "How the points of a curve were measured");

static const struct record_field cl_ceiling_rows[] = {
	FACT(TEXT, "name", "The panel that it bounds"),
	FACT(TEXT, "what", "The native work"),
	MAY_HAVE(INT64, "bytes",
		"Memory that the native work uses; 0 for arithmetic",
		.unit = "bytes"),
	MAY_BE_NULL(NUMBER, "gib_per_s",
		"Native rate; null for devices other than CPUs",
		.unit = "GiB/s"),
	MAY_BE_NULL(NUMBER, "gflop_per_s",
		"Native rate; null for devices other than CPUs",
		.unit = "GFLOP/s"),
	MAY_HAVE(NUMBER, "ci_low",
		"Low end of the interval of the rate, in its unit"),
	MAY_HAVE(NUMBER, "ci_high",
		"High end of the interval of the rate, in its unit"),
	{0},
};

static FACTS_TYPE(cl_ceiling, "Native rate of the CPUs, which limits a panel");

static const struct record_field cl_theory_rows[] = {
	FACT(TEXT, "name", "Title of the panel"),
	MAY_BE_NULL(NUMBER, "gib_per_s", "Theoretical rate", .unit = "GiB/s"),
	MAY_BE_NULL(
		NUMBER, "gflop_per_s", "Theoretical rate", .unit = "GFLOP/s"),
	MAY_BE_NULL(NUMBER, "each_clock_and_unit",
		"Bytes or operations per clock and compute unit; null if the "
		"rate does not depend on a clock"),
	FACT(TEXT, "source", "Document that has the rate"),
	MAY_BE_NULL(NUMBER, "best_share",
		"Highest figure of the panel as a share of the rate"),
	{0},
};

static FACTS_TYPE(cl_theory, "Theoretical rate from the vendor's documents");

static const struct record_field cl_levels_rows[] = {
	FACT_OR_NULL(INT64, "L*", "Number for this cache, such as L2"),
	{0},
};

static FACTS_TYPE(cl_levels, "A number for each level of the caches");

static const struct record_field cl_fall_rows[] = {
	FACT(TEXT, "array", "Shape of the array"),
	FACT(TEXT, "access", "read or write"),
	FACT(FLAG, "padded", "Whether rows are padded"),
	FACT(INT64, "pitch_bytes", "Bytes from row to row", .unit = "bytes"),
	FACT_OBJECT(cl_levels_type, "lines_held",
		"How many lines of a column fit a cache"),
	FACT_OBJECT(cl_levels_type, "held_for_cpus",
		"How many CPUs share that cache"),
	FACT_OBJECT(cl_levels_type, "exceeded_at",
		"The first number of elements that does not fit a CPU's part "
		"of the cache; null if all fit"),
	FACT_OR_NULL(INT64, "falls_at",
		"Number of elements from which columns stay below 0.7 of their "
		"earlier best; null if they do not"),
	{0},
};

static FACTS_TYPE(cl_fall, "Where columns fall behind rows");

static const struct record_field cl_map_rows[] = {
	FACT(TEXT, "direction", "read or write"),
	FACT(INT64, "bytes", "Bytes that the test maps", .unit = "bytes"),
	MAY_BE_NULL(NUMBER, "ms", "Time of map and unmap", .unit = "ms"),
	MAY_BE_NULL(NUMBER, "page_ms", "Time of map and unmap of one page",
		.unit = "ms"),
	MAY_HAVE(FLAG, "same_address",
		"Whether the address was the same each time"),
	MAY_BE_NULL(SWITCH, "moves_bytes", "Whether bytes moved"),
	{0},
};

static FACTS_TYPE(cl_map, "The cost of a map");

#define LAUNCH                                                                 \
	FACT(TEXT, "type", "Type of the numbers"),                             \
		MAY_HAVE(INT64, "vector", "Width of the vectors"),             \
		MAY_HAVE(INT64, "work_items", "Work-items"),                   \
		MAY_HAVE(INT64, "work_group", "Work-items of a work-group")

static const struct record_field cl_best_rows[] = {
	FACT(TEXT, "operation", "The operation"),
	LAUNCH,
	{0},
};

static FACTS_TYPE(cl_best, "The best launch of an operation");

static const struct record_field cl_call_rows[] = {
	FACT(TEXT, "function", "Name of the function"),
	LAUNCH,
	MAY_HAVE(INT64, "calls", "Calls in a run"),
	MAY_BE_NULL(
		NUMBER, "off_ulp", "The largest measured error", .unit = "ulp"),
	MAY_BE_NULL(NUMBER, "bound_ulp",
		"The largest error that the standard allows", .unit = "ulp"),
	{0},
};

static FACTS_TYPE(cl_call, "A built-in function");

static const struct record_field cl_test_rows[] = {
	FACT(TEXT, "test", "Name of the test"),
	MAY_HAVE(TEXT, "section",
		"Section of the article, or the source of the method"),
	MAY_HAVE(TEXT, "as_published",
		"With --as-published, the options of the test's source, which "
		"the test has unless the command line has others"),
	FACT(TEXT, "status",
		"done, failed, unavailable, timed out, interrupted or not run"),
	MAY_HAVE(TEXT, "reason", "Why the status is not done"),
	MAY_BE_NULL(NUMBER, "elapsed_s",
		"Time of the test's process from start to end", .unit = "s"),
	FACT_OBJECT(cl_device_type, "device", "The device", .some = true),
	FACT_OBJECT(cl_timing_type, "timing",
		"The clock, and how long a launch takes", .some = true),
	FACT_OBJECT(cl_core_clock_type, "core_clock",
		"The clock of the device's cores", .some = true),
	FACT_OBJECT(cl_memory_type, "memory", "Memory that c2c mapped",
		.some = true),
	MAY_HAVE(INT64, "wide",
		"Points whose interval is wider than --precision"),
	MAY_HAVE(INT64, "left_out",
		"Points that --quick left out because the test was late"),
	MAY_HAVE(TEXTS, "notes", "Omitted curves, and disturbances"),
	MAY_HAVE(TEXTS, "findings", "Sentences below the tables"),
	MAY_HAVE(TEXTS, "rejected",
		"A sentence for each figure above its ceiling or with a wrong "
		"result, which is null in the curve"),
	MAY_HAVE(FLAG, "threads_where_asked",
		"Whether all threads ran on the CPUs of --cpus"),
	MAY_HAVE(FLAG, "threads_bound",
		"Whether each thread was bound to its own CPU"),
	FACT_OBJECT(cl_spent_type, "spent",
		"Time of a test besides the first measurement of its points",
		.some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Processes that compiled kernels before the test",
		.some = true),
	FACT_LIST(cl_thread_type, "threads", "Threads of a CPU device",
		.some = true),
	FACT_LIST(cl_point_type, "points",
		"How the points of each curve were measured", .some = true),
	FACT_LIST(cl_ceiling_type, "ceilings",
		"Native rate of the CPUs, which limits a panel", .some = true),
	FACT_LIST(cl_theory_type, "theory",
		"Theoretical rate from the vendor's documents", .some = true),
	FACT_LIST(cl_fall_type, "columns_fall",
		"Test rowcol on CPUs: where columns fall behind rows",
		.some = true),
	FACT_LIST(cl_map_type, "maps", "Test bus: the cost of each map",
		.some = true),
	FACT_LIST(cl_best_type, "best",
		"Test math: the best launch of each operation", .some = true),
	FACT_LIST(cl_call_type, "calls",
		"Test math: built-in functions and their errors", .some = true),
	{0},
};

FACTS_TYPE(cl_test, "A test of c2c cl");
