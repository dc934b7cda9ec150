#include "result/known_facts.h"

#include <stddef.h>

static const struct record_field tool_rows[] = {
	FACT(TEXT, "version", "Version of c2c"),
	FACT(TEXT, "compiler", "Compiler that built c2c"),
	FACT(TEXT, "cflags", "Compiler flags from the user who built c2c"),
	{0},
};

FACTS_TYPE(tool, "The program c2c that measured");

static const struct record_field options_rows[] = {
	FACT(VALUES, "sweep", "MIN and MAX of --sweep", .former = true),
	FACT(SCALAR, "*",
		"An option of the command. The key is its name with _ for -, "
		"and ends with the unit. A range has two keys, with _min and "
		"_max. Null if the option was not given"),
	{0},
};

FACTS_TYPE(options, "All options of the command with their values");

static const struct record_field spin_hint_rows[] = {
	FACT(INT64, "turns",
		"Number of pairs of visits, with and without the hint"),
	FACT_OR_NULL(NUMBER, "none", "Median without the spin-wait hint",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "pause", "Median with the spin-wait hint",
		.unit = "unit of the matrices"),
	FACT_OR_NULL(NUMBER, "ratio",
		"Median over the pairs of visits: value with the hint, divided "
		"by the value without"),
	FACT_OR_NULL(
		NUMBER, "ci_low", "Low end of the 95 % interval of the ratio"),
	FACT_OR_NULL(NUMBER, "ci_high",
		"High end of the 95 % interval of the ratio"),
	{0},
};

static FACTS_TYPE(spin_hint, "A trial of the spin-wait hint");

static const struct record_field watch_rows[] = {
	FACT(INT64, "bursts", "Number of measured bursts"),
	FACT(INT64, "passes", "Number of measured passes"),
	FACT(INT64, "events", "Number of reported changes"),
	FACT_OR_NULL(NUMBER, "duty_pct",
		"Share of the CPUs' time that c2c used", .unit = "%"),
	{0},
};

static FACTS_TYPE(watch, "The whole run of c2c watch; the values of the record "
			 "come from the last passes");

static const struct record_field kept_epoch_rows[] = {
	FACT(INT64, "number", "Index of the epoch, from 1"),
	FACT(INT64, "count", "Number of epochs in the run"),
	FACT(NUMBER, "start_s",
		"Time from the start of the run to the start of the epoch",
		.unit = "s"),
	FACT(NUMBER, "end_s",
		"Time from the start of the run to the end of the epoch",
		.unit = "s"),
	FACT(INT64, "of_passes", "Number of passes of the whole run"),
	{0},
};

static FACTS_TYPE(kept_epoch, "The epoch with the most passes, from which all "
			      "values of the record come");

static const struct record_field again_rows[] = {
	FACT(INT64, "pairs", "Number of pairs that were measured again"),
	FACT(INT64, "passes",
		"Number of extra passes over the contradicted pairs only"),
	{0},
};

static FACTS_TYPE(again,
	"Extra passes over pairs whose first values contradicted their "
	"neighbours. The statistics of a pair cover all its passes");

static const struct record_field rest_rows[] = {
	FACT(NUMBER, "s", "Time that the CPUs slept", .unit = "s"),
	FACT(INT64, "passes", "Number of passes after the CPUs slept"),
	FACT_OR_NULL(NUMBER, "limit",
		"Limit for the values of near pairs; null if no pair is near",
		.unit = "unit of the matrices"),
	FACT(INT64, "near", "Number of pairs that were near before the sleep"),
	FACT(INT64, "lasted",
		"Number of pairs that were near before and after the sleep"),
	FACT(INT64, "always",
		"Number of pairs that were near in the first, middle and last "
		"passes"),
	FACT(INT64, "sometimes",
		"Number of pairs that were near in only one or two of the "
		"first, middle and last passes"),
	{0},
};

static FACTS_TYPE(rest, "Passes after all CPUs slept");

static const char *const users[] = {"c2c", "user", NULL};

static const struct record_field variable_rows[] = {
	FACT(TEXT, "name", "Name of the environment variable"),
	FACT(TEXT, "value", "Value of the environment variable"),
	FACT(TEXT, "by", "Who set the environment variable", .words = users),
	{0},
};

static FACTS_TYPE(
	variable, "An environment variable for OpenCL implementations");

static const char *const firmware[] = {"agrees", "differs", NULL};

#define FIRMWARE(key, what)                                                    \
	FACT_OR_NULL(TEXT, key,                                                \
		"Whether the firmware's " what                                 \
		" agrees with the measurement; null if undecided",             \
		.words = firmware, .some = true)
#define KNEES(key, what)                                                       \
	FACT(VALUES, key, what " of each curve of c2c numa --loaded",          \
		.unit = "GiB/s", .some = true)

static const struct record_field cl_ahead_rows[] = {
	FACT(INT64, "processes", "Number of processes that compiled kernels"),
	FACT_OR_NULL(NUMBER, "elapsed_s",
		"Time that the processes compiled kernels, for all devices",
		.unit = "s"),
	{0},
};

static FACTS_TYPE(cl_ahead, "Kernels that processes compiled before the tests");

static const struct record_field run_known_rows[] = {
	FACT_OBJECT(spin_hint_type, "spin_hint_*",
		"Trial of the spin-wait hint for one kind of pair: CPUs that "
		"share a core, a last-level cache, a package, or only the "
		"machine",
		.old = "relax_*"),
	FACT_OBJECT(watch_type, "watch", "The whole run of c2c watch",
		.some = true),
	FACT_OBJECT(kept_epoch_type, "epoch", "The epoch of the values",
		.some = true),
	FACT_OBJECT(
		again_type, "again", "Extra passes over pairs", .some = true),
	FACT_OBJECT(
		rest_type, "rest", "Passes after all CPUs slept", .some = true),
	FACT_OR_NULL(NUMBER, "core_clock_ghz",
		"Clock frequency of the cores during the run", .unit = "GHz",
		.some = true),
	FACT_OR_NULL(NUMBER, "pass_alone_s",
		"Duration of a pass with one pair at a time", .unit = "s",
		.former = true),
	FACT(TEXT, "agreement.statistic", "Statistic of the correlated values",
		.former = true),
	FACT_LIST(variable_type, "environment",
		"Environment variables for OpenCL implementations",
		.some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Kernels that processes compiled before the first test",
		.some = true),
	FACT(TEXT, "device", "Name of the OpenCL device, if there is only one",
		.some = true),
	FACT(TEXT, "device_type", "Type of the OpenCL device", .some = true),
	FACT(TEXT, "platform", "OpenCL implementation with the device",
		.some = true),
	FACT(TEXT, "states_refused",
		"Check that failed, so that c2c states reports no costs",
		.some = true),
	FIRMWARE("firmware_distance", "distance"),
	FIRMWARE("firmware_latency", "latency"),
	FIRMWARE("firmware_bandwidth", "bandwidth"),
	KNEES("loaded_peak_gib_per_s", "Peak rate"),
	KNEES("loaded_doubles_gib_per_s", "Rate at twice the unloaded latency"),
	KNEES("loaded_knee_gib_per_s", "Rate at the knee"),
	FACT(VALUES, "llc_rates_gib_per_s",
		"Read rates, with a row and a column for each last-level "
		"cache: the CPUs of one cache on the diagonal, of two caches "
		"together above it, and null below it",
		.unit = "GiB/s", .some = true),
	FACT(VALUES, "llc_links",
		"Index of the link to memory of each last-level cache; caches "
		"with the same index share a link",
		.some = true),
	FACT(SWITCH, "llc_links_join",
		"Whether the links of all last-level caches join in one link, "
		"which two caches can saturate",
		.some = true),
	FACT(TEXT, "llc_links_doubt",
		"Why c2c cannot decide which last-level caches share a link",
		.some = true),
	{0},
};

FACTS_TYPE(run_known, "Facts about the run of only some commands");

#define DEVICE(kind, key, ...)                                                 \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_device_rows[] = {
	FACT(INT64, "index", "Index of the device for the option --device"),
	FACT(TEXT, "type", "Type of the device: cpu, gpu or another word"),
	FACT(TEXT, "name", "Name of the device"),
	DEVICE(TEXT, "platform", "Name of the OpenCL implementation"),
	DEVICE(TEXT, "platform_version",
		"Version of the OpenCL implementation"),
	DEVICE(TEXT, "version", "OpenCL version of the device"),
	DEVICE(TEXT, "driver", "Version of the driver"),
	DEVICE(SWITCH, "images", "Whether the device supports images"),
	DEVICE(SWITCH, "double",
		"Whether the device supports double precision"),
	DEVICE(INT64, "compute_units", "Number of compute units"),
	DEVICE(INT64, "unit_items",
		"Largest number of work-items that a compute unit of a GPU "
		"holds at a time, from tables of c2c; absent if unknown"),
	DEVICE(INT64, "clock_mhz", "Highest clock frequency of the device",
		.unit = "MHz"),
	DEVICE(INT64, "global_bytes", "Size of the device's global memory",
		.unit = "bytes"),
	DEVICE(INT64, "largest_buffer_bytes", "Size of the largest buffer",
		.unit = "bytes"),
	DEVICE(INT64, "local_bytes", "Size of the local memory of a work-group",
		.unit = "bytes"),
	DEVICE(INT64, "constant_bytes", "Size of the device's constant memory",
		.unit = "bytes"),
	DEVICE(INT64, "cache_bytes", "Size of the device's cache",
		.unit = "bytes"),
	DEVICE(INT64, "cache_line_bytes", "Line size of the device's cache",
		.unit = "bytes"),
	DEVICE(INT64, "work_group_max", "Size of the largest work-group"),
	{0},
};

FACTS_TYPE(cl_device, "An OpenCL device, as its driver describes it");

#define MAY_HAVE(kind, key, ...) FACT(kind, key, __VA_ARGS__, .some = true)
#define MAY_BE_NULL(kind, key, ...)                                            \
	FACT_OR_NULL(kind, key, __VA_ARGS__, .some = true)

static const struct record_field cl_timing_rows[] = {
	MAY_HAVE(TEXT, "clock",
		"The clock that timed the kernels: event or host"),
	MAY_HAVE(TEXT, "clock_reason", "Why the test chose this clock"),
	MAY_BE_NULL(NUMBER, "event_share_of_host",
		"Time from events / time from the host's clock"),
	MAY_BE_NULL(NUMBER, "launch_us",
		"Time to launch an empty kernel; absent if no kernel runs",
		.unit = "us"),
	{0},
};

static FACTS_TYPE(cl_timing, "How a test was timed");

static const struct record_field cl_core_clock_rows[] = {
	MAY_BE_NULL(NUMBER, "least_ghz", "Lowest clock frequency of all points",
		.unit = "GHz"),
	MAY_BE_NULL(NUMBER, "median_ghz",
		"Median clock frequency of all points", .unit = "GHz"),
	MAY_HAVE(TEXT, "by",
		"Source of the frequency: c2c measured it, or the device "
		"reported it"),
	{0},
};

static FACTS_TYPE(
	cl_core_clock, "Clock frequency of the device's cores during the test");

static const struct record_field cl_memory_rows[] = {
	MAY_HAVE(INT64, "bytes", "Memory that c2c mapped for the test",
		.unit = "bytes"),
	MAY_HAVE(INT64, "huge_bytes",
		"Mapped memory in huge pages at the end of the test",
		.unit = "bytes"),
	{0},
};

static FACTS_TYPE(cl_memory, "Memory for the buffers and arrays of a test");

static const struct record_field cl_spent_rows[] = {
	FACT(NUMBER, "building_s",
		"Time to compile kernels, except at the first launch",
		.unit = "s"),
	FACT(NUMBER, "filling_s", "Time to fill buffers before kernels ran",
		.unit = "s"),
	FACT(NUMBER, "checking_s", "Time to check the results of kernels",
		.unit = "s"),
	MAY_HAVE(NUMBER, "ceilings_s", "Time to measure native rates",
		.unit = "s"),
	FACT(NUMBER, "repeating_s", "Time to repeat measurements", .unit = "s"),
	{0},
};

static FACTS_TYPE(
	cl_spent, "Time of a test, except the first measurement of each point");

static const struct record_field cl_thread_rows[] = {
	FACT(INT64, "tid", "Thread number (TID)"),
	FACT(TEXT, "cpus", "CPUs that the thread may use"),
	FACT(NUMBER, "last_cpu",
		"CPU that the thread used last; negative if unknown"),
	FACT_OR_NULL(NUMBER, "ran_s", "CPU time of the thread", .unit = "s"),
	{0},
};

static FACTS_TYPE(cl_thread, "A thread of the OpenCL implementation");

static const struct record_field cl_point_rows[] = {
	FACT(TEXT, "name", "Name of the curve"),
	FACT(TEXT, "y", "Title of the curve's panel, without test and device"),
	FACT(VALUES, "x", "Value of x at each point"),
	MAY_HAVE(VALUES, "runs", "Number of timed runs of each point"),
	MAY_HAVE(VALUES, "visits", "Number of visits of each point"),
	MAY_HAVE(VALUES, "work_group",
		"Size of a work-group at each point; null if no kernel ran"),
	MAY_HAVE(VALUES, "checksum",
		"Sum, modulo 2^32, of the words that the last run wrote; the "
		"host verified the sum"),
	{0},
};

static FACTS_TYPE(cl_point, "Measurement of the points of a curve");

static const struct record_field cl_ceiling_rows[] = {
	FACT(TEXT, "name", "Title of the panel"),
	FACT(TEXT, "what", "Description of the native work"),
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

static FACTS_TYPE(cl_ceiling, "Native rate: the ceiling of a panel");

static const struct record_field cl_theory_rows[] = {
	FACT(TEXT, "name", "Title of the panel"),
	MAY_BE_NULL(NUMBER, "gib_per_s", "Theoretical rate", .unit = "GiB/s"),
	MAY_BE_NULL(
		NUMBER, "gflop_per_s", "Theoretical rate", .unit = "GFLOP/s"),
	MAY_BE_NULL(NUMBER, "each_clock_and_unit",
		"Bytes or operations per clock and compute unit; null if the "
		"rate does not depend on a clock"),
	FACT(TEXT, "source", "Document that states the rate"),
	MAY_BE_NULL(NUMBER, "best_share",
		"Highest value in the panel / theoretical rate"),
	{0},
};

static FACTS_TYPE(cl_theory, "Theoretical rate of a panel");

static const struct record_field cl_levels_rows[] = {
	FACT_OR_NULL(
		INT64, "L*", "Number for a level of the caches, such as L2"),
	{0},
};

static FACTS_TYPE(cl_levels, "A number for each level of the caches");

static const struct record_field cl_fall_rows[] = {
	FACT(TEXT, "array", "Shape of the array: rows and columns"),
	FACT(TEXT, "access", "read or write"),
	FACT(FLAG, "padded", "Whether the array has padding"),
	FACT(INT64, "pitch_bytes", "Distance from row to row", .unit = "bytes"),
	FACT_OBJECT(cl_levels_type, "lines_held",
		"Number of cache lines of a column that fit into each cache"),
	FACT_OBJECT(cl_levels_type, "held_for_cpus",
		"Number of CPUs that share each cache"),
	FACT_OBJECT(cl_levels_type, "exceeded_at",
		"Smallest number of elements that exceeds a CPU's part of each "
		"cache, or null"),
	FACT_OR_NULL(INT64, "falls_at",
		"Number of elements from which columns stay below 70 % of "
		"their best rate so far; null if they do not"),
	{0},
};

static FACTS_TYPE(cl_fall, "The size from which access by columns is slow");

static const struct record_field cl_map_rows[] = {
	FACT(TEXT, "direction", "read or write"),
	FACT(INT64, "bytes", "Size of the map", .unit = "bytes"),
	MAY_BE_NULL(
		NUMBER, "ms", "Time to map and unmap the buffer", .unit = "ms"),
	MAY_BE_NULL(NUMBER, "page_ms", "Time to map and unmap one page",
		.unit = "ms"),
	MAY_HAVE(FLAG, "same_address", "Whether each map had the same address"),
	MAY_BE_NULL(SWITCH, "moves_bytes", "Whether the map copied bytes"),
	{0},
};

static FACTS_TYPE(cl_map, "Cost of mapping a buffer");

#define LAUNCH                                                                 \
	FACT(TEXT, "type", "Data type of the numbers"),                        \
		MAY_HAVE(INT64, "vector", "Number of elements in a vector"),   \
		MAY_HAVE(INT64, "work_items", "Number of work-items"),         \
		MAY_HAVE(INT64, "work_group", "Size of a work-group")

static const struct record_field cl_best_rows[] = {
	FACT(TEXT, "operation", "Name of the operation"),
	LAUNCH,
	{0},
};

static FACTS_TYPE(cl_best, "The fastest launch of an operation");

static const struct record_field cl_call_rows[] = {
	FACT(TEXT, "function", "Name of the function"),
	LAUNCH,
	MAY_HAVE(INT64, "calls", "Number of calls in a run"),
	MAY_BE_NULL(NUMBER, "off_ulp", "Largest measured error of the function",
		.unit = "ulp"),
	MAY_BE_NULL(NUMBER, "bound_ulp",
		"Largest error that the OpenCL standard allows", .unit = "ulp"),
	{0},
};

static FACTS_TYPE(cl_call, "A built-in function");

static const struct record_field cl_test_rows[] = {
	FACT(TEXT, "test", "Name of the test"),
	MAY_HAVE(TEXT, "section",
		"Section of the original article, or the source of the method"),
	MAY_HAVE(TEXT, "as_published",
		"Options that --as-published set, without those that the "
		"command line set"),
	FACT(TEXT, "status",
		"Status of the test: done, failed, unavailable, timed out, "
		"interrupted or not run"),
	MAY_HAVE(TEXT, "reason", "Why the test was not done"),
	MAY_BE_NULL(NUMBER, "elapsed_s", "Duration of the test's process",
		.unit = "s"),
	FACT_OBJECT(cl_device_type, "device", "The OpenCL device of the test",
		.some = true),
	FACT_OBJECT(cl_timing_type, "timing",
		"Clock of the test, and time of a launch", .some = true),
	FACT_OBJECT(cl_core_clock_type, "core_clock",
		"Clock frequency of the device's cores", .some = true),
	FACT_OBJECT(cl_memory_type, "memory",
		"Memory that c2c mapped for the test", .some = true),
	MAY_HAVE(INT64, "wide",
		"Number of points whose interval is wider than --precision"),
	MAY_HAVE(INT64, "left_out", "Number of points that --quick left out"),
	MAY_HAVE(TEXTS, "notes", "Omitted curves, and disturbances"),
	MAY_HAVE(TEXTS, "findings",
		"Sentences that the report prints below the tables"),
	MAY_HAVE(TEXTS, "rejected",
		"A sentence for each rejected value, which is above its "
		"ceiling or from a wrong result, and null in the curve"),
	MAY_HAVE(FLAG, "threads_where_asked",
		"Whether all threads ran on the CPUs of --cpus"),
	MAY_HAVE(FLAG, "threads_bound",
		"Whether each thread was bound to its own CPU"),
	FACT_OBJECT(cl_spent_type, "spent",
		"Time of a test, except the first measurement of each point",
		.some = true),
	FACT_OBJECT(cl_ahead_type, "compiled_ahead",
		"Kernels that processes compiled before the test",
		.former = true),
	FACT_LIST(cl_thread_type, "threads", "Threads of a CPU device",
		.some = true),
	FACT_LIST(cl_point_type, "points",
		"Measurement of the points of each curve", .some = true),
	FACT_LIST(cl_ceiling_type, "ceilings",
		"Native rate: the ceiling of a panel", .some = true),
	FACT_LIST(cl_theory_type, "theory", "Theoretical rate of a panel",
		.some = true),
	FACT_LIST(cl_fall_type, "columns_fall",
		"Test rowcol on CPUs: sizes with slow access by columns",
		.some = true),
	FACT_LIST(cl_map_type, "maps", "Test bus: cost of mapping buffers",
		.some = true),
	FACT_LIST(cl_best_type, "best",
		"Test math: fastest launch of each operation", .some = true),
	FACT_LIST(cl_call_type, "calls",
		"Test math: built-in functions and their errors", .some = true),
	{0},
};

FACTS_TYPE(cl_test, "A test of c2c cl");
