/*
 * c2c cl: the same machine through OpenCL. Options, and the parent's part: a
 * process for each test, and what comes of all of them.
 */
#include "cmd/cl.h"

#include <argp.h>
#include <errno.h>
#include <float.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cl_child.h"
#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "machine/timebase.h"
#include "plot/plot.h"
#include "result/describe.h"
#include "result/file.h"
#include "util/parse.h"

/* Longer than any test should take. */
#define LIMIT_S 600.0

/* Runs of --quick, unless --repeat and --discard say others. */
#define QUICK_REPEAT  6
#define QUICK_DISCARD 1

#define MOST_ARGUMENTS 16

enum {
	KEY_DEVICE = 0x500,
	KEY_CPUS,
	KEY_WORK_GROUP,
	KEY_WORK_ITEMS,
	KEY_SIZE,
	KEY_REPEAT,
	KEY_DISCARD,
	KEY_QUICK,
	KEY_LIMIT,
	KEY_JSON,
	KEY_CHILD,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "What to measure:", 1},
	{"device", KEY_DEVICE, "cpu|gpu|INDEX|NAME", 0,
		"The first CPU device (the default) or GPU, the one with that "
		"number in 'c2c cl list', or the first whose name has NAME in "
		"it",
		1},
	{"cpus", KEY_CPUS, "LIST", 0,
		"Run a CPU device on these CPUs only: numbers and ranges "
		"(0-3,8) or hwloc objects (core:0-3, numa:0)",
		1},
	{"work-group", KEY_WORK_GROUP, "N|auto", 0,
		"Work-items in a group; auto (the default) is the paper's "
		"rule: half of them below 256, else 256",
		1},
	{"work-items", KEY_WORK_ITEMS, "N", 0,
		"Only this number of work-items (scale, stride, local, "
		"constant, math, branch)",
		1},
	{"size", KEY_SIZE, "BYTES", 0,
		"One array of that size in place of the usual ones (rowcol, "
		"stride, local, constant)",
		1},
	{NULL, 0, NULL, 0, "How long and how:", 2},
	{"repeat", KEY_REPEAT, "N", 0,
		"Timed runs of each point (default 10; from 6 on there are "
		"intervals)",
		2},
	{"discard", KEY_DISCARD, "N", 0,
		"Runs before these that do not count (default 3)", 2},
	{"quick", KEY_QUICK, NULL, 0,
		"Fewer points, sizes and runs: for a first look", 2},
	{"limit", KEY_LIMIT, "SECONDS", 0,
		"End a test that takes longer (default 600)", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'o', "FILE", 0,
		"Write FILE, by extension: .json .dat, or a picture .png .svg "
		".pdf; may be given more than once",
		3},
	{"json", KEY_JSON, NULL, 0,
		"Print the complete record as JSON, or the list of devices", 3},
	{"child", KEY_CHILD, NULL, OPTION_HIDDEN, NULL, 0},
	{0},
};

static int parse_group(
	struct cl_arguments *arguments, const char *text, struct error *err)
{
	if (strcmp(text, "auto") == 0)
		return 0;
	return parse_u64(
		text, 1, UINT32_MAX, &arguments->options.work_group, err);
}

static int parse_runs(const char *text, uint64_t least, unsigned *runs,
	bool *given, struct error *err)
{
	uint64_t value = 0;
	int rc = parse_u64(text, least, 10000, &value, err);

	*runs = (unsigned)value;
	*given = true;
	return rc;
}

/* The names of all tests: "rowcol, scale". */
static void list_tests(char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; cl_tests[i] && used < bytes; i++) {
		int n = snprintf(text + used, bytes - used, "%s%s",
			i ? ", " : "", cl_tests[i]->name);

		used += n > 0 ? (size_t)n : 0;
	}
}

static void check_arguments(struct argp_state *state)
{
	struct cl_arguments *arguments = state->input;
	char known[256];

	if (!arguments->test) {
		argp_error(state,
			"no TEST: name one, or list (the devices) or all");
		return;
	}
	if (cl_available(NULL) == 0 && strcmp(arguments->test, "list") != 0 &&
		strcmp(arguments->test, "all") != 0 &&
		!cl_test_find(arguments->test)) {
		list_tests(known, sizeof(known));
		argp_error(state,
			"'%s' is no test; expected list, all or one of: %s",
			arguments->test, known);
	}
	if (strcmp(arguments->test, "list") == 0 && arguments->outputs.n > 0)
		argp_error(state, "-o: list measures nothing; --json prints "
				  "all of it");
	if (arguments->options.quick && !arguments->repeat_given)
		arguments->options.repeat = QUICK_REPEAT;
	if (arguments->options.quick && !arguments->discard_given)
		arguments->options.discard = QUICK_DISCARD;
}

static void take_test(struct argp_state *state, const char *test)
{
	struct cl_arguments *arguments = state->input;

	if (arguments->test)
		argp_error(state, "'%s' and '%s': expected one TEST",
			arguments->test, test);
	arguments->test = test;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct cl_arguments *arguments = state->input;
	struct cl_options *options = &arguments->options;
	const char *name = NULL;
	struct error err;
	int rc = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->verbosity;
		return 0;
	case KEY_DEVICE:
		arguments->device = text;
		return 0;
	case KEY_CPUS:
		arguments->cpus_text = text;
		return 0;
	case KEY_WORK_GROUP:
		name = "--work-group";
		rc = parse_group(arguments, text, &err);
		break;
	case KEY_WORK_ITEMS:
		name = "--work-items";
		rc = parse_u64(text, 1, UINT32_MAX, &options->work_items, &err);
		break;
	case KEY_SIZE:
		name = "--size";
		rc = parse_bytes(
			text, 1, UINT64_C(1) << 40, &options->size_bytes, &err);
		break;
	case KEY_REPEAT:
		name = "--repeat";
		rc = parse_runs(text, 1, &options->repeat,
			&arguments->repeat_given, &err);
		break;
	case KEY_DISCARD:
		name = "--discard";
		rc = parse_runs(text, 0, &options->discard,
			&arguments->discard_given, &err);
		break;
	case KEY_QUICK:
		options->quick = true;
		return 0;
	case KEY_LIMIT:
		name = "--limit";
		rc = parse_double(
			text, 0.001, DBL_MAX, &arguments->limit_s, &err);
		break;
	case 'o':
		name = "-o";
		rc = outputs_add(&arguments->outputs, text,
			OUTPUT_RESULT | OUTPUT_PICTURE, &err);
		break;
	case KEY_JSON:
		arguments->json = true;
		return 0;
	case KEY_CHILD:
		arguments->child = true;
		return 0;
	case ARGP_KEY_ARG:
		take_test(state, text);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc < 0)
		argp_error(state, "%s: %s", name, err.text);
	return 0;
}

static const struct argp_child children[] = {
	{&cli_verbosity_argp, 0, NULL, 0},
	{0},
};

static const struct argp argp = {option_table, parse_option, "TEST",
	"Measure this machine through OpenCL. TEST is list (which devices are "
	"there), rowcol (an array by rows and by columns), scale (an addition "
	"over the number of work-items, beside threads), stride (global memory "
	"of which neighbours access words apart), local (local memory "
	"likewise), "
	"constant (chains through constant memory), image (images read and "
	"written), math (arithmetic and built-in functions), branch "
	"(work-items "
	"that take different paths) or all.",
	children, NULL, NULL};

/* A run of the command. */
struct cl_state {
	const struct cl_arguments *arguments;
	struct machine *machine;
	struct timebase timebase;
	struct cpu_list cpus;
	char *cpus_text;
	char folder[4096]; /* of kernels; empty: not made */
	json_t *environment, *devices;
	unsigned device;
	bool device_is_cpu;
	json_t *tests; /* of the block "run"; borrowed */
	struct result result;
	const atomic_bool *stop;
	const struct cl_test *test; /* that runs */
	bool show_progress;
};

static void show_progress(void *context, double fraction)
{
	const struct cl_state *state = context;
	int filled = (int)(fraction * 24 + 0.5);

	if (!state->show_progress)
		return;
	filled = filled < 0 ? 0 : filled > 24 ? 24 : filled;
	fprintf(stderr, "\r\033[K[%.*s%.*s] %s", filled,
		"########################", 24 - filled,
		"........................", state->test->name);
	fflush(stderr);
}

static int check_outputs(const struct outputs *outputs, struct error *err)
{
	for (size_t i = 0; i < outputs->n; i++) {
		enum file_format format;

		if (file_format_of(outputs->paths[i], &format, NULL) == 0 &&
			format == FILE_CSV)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' would be a matrix, and these are "
				"curves; take .json or .dat",
				outputs->paths[i]);
	}
	return outputs_check_writable(outputs, err);
}

/* A folder for the kernels that are compiled, which goes when all is done. */
static int make_folder(struct cl_state *state, struct error *err)
{
	const char *folder = getenv("TMPDIR");
	char path[sizeof(state->folder)];

	snprintf(path, sizeof(path), "%s/c2c-cl-XXXXXX",
		folder && *folder ? folder : "/tmp");
	if (!mkdtemp(path))
		return error_set(err, ERROR_FAILURE, errno,
			"no folder for compiled kernels, '%s': %s (TMPDIR "
			"chooses another)",
			path, strerror(errno));
	memcpy(state->folder, path, sizeof(path));
	return 0;
}

static int remove_entry(
	const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

static int start_child(struct cl_state *state, const char *test,
	struct cl_outcome *outcome, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	const struct cl_options *options = &arguments->options;
	const struct cl_watch watch = {
		.stop = state->stop,
		.limit_s = arguments->limit_s,
		.progress = show_progress,
		.context = state,
	};
	char *argv[MOST_ARGUMENTS] = {"c2c", "cl", (char *)test, "--child"};
	size_t n = 4, fixed = n;
	int rc;

	rc = asprintf(&argv[n], "--cpus=%s", state->cpus_text) < 0 ? -1 : 0;
	if (rc == 0)
		rc = asprintf(&argv[++n], "--device=%u", state->device);
	if (rc >= 0)
		rc = asprintf(&argv[++n], "--repeat=%u", options->repeat);
	if (rc >= 0)
		rc = asprintf(&argv[++n], "--discard=%u", options->discard);
	if (rc >= 0 && options->work_group)
		rc = asprintf(&argv[++n], "--work-group=%llu",
			(unsigned long long)options->work_group);
	if (rc >= 0 && options->work_items)
		rc = asprintf(&argv[++n], "--work-items=%llu",
			(unsigned long long)options->work_items);
	if (rc >= 0 && options->size_bytes)
		rc = asprintf(&argv[++n], "--size=%llu",
			(unsigned long long)options->size_bytes);
	if (rc >= 0 && options->quick)
		rc = asprintf(&argv[++n], "--quick");
	if (rc < 0) {
		argv[n] = NULL;
		rc = error_no_memory(err, "the arguments of a test");
	} else {
		rc = cl_child_run(argv, &watch, outcome, err);
	}
	for (size_t i = fixed; i < MOST_ARGUMENTS; i++)
		free(argv[i]);
	return rc;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "?";
}

static bool is_device(const json_t *device, const char *wanted)
{
	uint64_t index;

	if (parse_u64(wanted, 0, UINT32_MAX, &index, NULL) == 0)
		return (uint64_t)json_integer_value(
			       json_object_get(device, "index")) == index;
	if (strcmp(wanted, "cpu") == 0 || strcmp(wanted, "gpu") == 0)
		return strcmp(text_of(device, "type"), wanted) == 0;
	return strcasestr(text_of(device, "name"), wanted);
}

/* The device that --device asks for. */
static int choose_device(struct cl_state *state, struct error *err)
{
	const char *wanted = state->arguments->device;
	char known[512] = "";
	size_t i, used = 0;
	json_t *device;
	/* A kind that is not here is the machine's lack, a name the user's. */
	bool kind = strcmp(wanted, "cpu") == 0 || strcmp(wanted, "gpu") == 0;

	json_array_foreach(state->devices, i, device)
	{
		int n;

		if (is_device(device, wanted)) {
			state->device = (unsigned)i;
			state->device_is_cpu =
				strcmp(text_of(device, "type"), "cpu") == 0;
			return 0;
		}
		n = snprintf(known + used, sizeof(known) - used, "%s%zu (%s)",
			i ? ", " : "", i, text_of(device, "name"));
		used += n > 0 ? (size_t)n : 0;
		used = used < sizeof(known) ? used : sizeof(known) - 1;
	}
	return error_set(err, kind ? ERROR_UNAVAILABLE : ERROR_USAGE,
		kind ? ENODEV : EINVAL,
		"--device: there is no %s%s%s here; there are: %s%s",
		kind ? "" : "device '", wanted, kind ? " device" : "'", known,
		kind ? " (pocl-opencl-icd on Debian makes the CPU a device)"
		     : "");
}

/* The environment, the devices, the CPUs: all before the first test. */
static int prepare(struct cl_state *state, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	struct cl_outcome outcome = {0};
	int rc = cl_available(err);

	if (rc == 0)
		rc = check_outputs(&arguments->outputs, err);
	if (rc == 0)
		rc = machine_new(&state->machine, err);
	if (rc == 0)
		rc = machine_select(state->machine, arguments->cpus_text,
			MACHINE_PER_PU, &state->cpus, err);
	if (rc < 0)
		return rc;
	state->cpus_text = cpu_list_format(&state->cpus);
	if (!state->cpus_text)
		return error_no_memory(err, "the CPUs");
	rc = make_folder(state, err);
	if (rc == 0)
		rc = cl_set_environment(
			&state->cpus, state->folder, &state->environment, err);
	if (rc == 0)
		rc = start_child(state, "list", &outcome, err);
	if (rc < 0)
		return rc;
	state->devices = json_incref(outcome.devices);
	cl_outcome_release(&outcome);
	return 0;
}

static void release(struct cl_state *state)
{
	if (state->folder[0])
		nftw(state->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	json_decref(state->environment);
	json_decref(state->devices);
	result_release(&state->result);
	free(state->cpus_text);
	cpu_list_release(&state->cpus);
	machine_free(state->machine);
}

/* Among the curves of other tests: what they show begins with the test. */
static int name_test(
	const struct cl_test *test, struct result *result, struct error *err)
{
	for (size_t i = 0; i < result->n_series; i++) {
		struct series *series = &result->series[i];
		char *name;

		if (asprintf(&name, "%s: %s", test->name, series->y_name) < 0)
			return error_no_memory(err, "the name of a curve");
		free(series->y_name);
		series->y_name = name;
	}
	return 0;
}

/* Move the curves of a test, and what it recorded, into the whole result. */
static int merge(struct cl_state *state, struct result *from, struct error *err)
{
	struct result *into = &state->result;
	json_t *row = json_array_get(json_object_get(from->run, "tests"), 0);
	struct series *series = reallocarray(into->series,
		into->n_series + from->n_series + 1, sizeof(*series));

	if (!series)
		return error_no_memory(err, "the curves");
	into->series = series;
	memcpy(series + into->n_series, from->series,
		from->n_series * sizeof(*series));
	into->n_series += from->n_series;
	from->n_series = 0;
	into->complete = into->complete && from->complete;
	json_object_set_new(row, "status",
		json_string(from->complete ? "done" : "interrupted"));
	if (json_array_append(state->tests, row))
		return error_no_memory(err, "the record");
	return 0;
}

/* A test that gave nothing: a gap, with its reason. */
static int note_gap(struct cl_state *state, const struct cl_test *test,
	const struct error *why, struct error *err)
{
	if (json_array_append_new(state->tests,
		    json_pack("{s:s, s:s, s:s, s:s}", "test", test->name,
			    "section", test->section, "status",
			    why->class == ERROR_UNAVAILABLE ? "unavailable"
			    : why->code == ETIMEDOUT	    ? "timed out"
							    : "failed",
			    "reason", why->text)))
		return error_no_memory(err, "the record");
	return 0;
}

/* Negative when nothing more can be done, with *status in any case. */
static int run_test(struct cl_state *state, const struct cl_test *test,
	int *status, struct error *err)
{
	struct cl_outcome outcome;
	struct error why;
	int rc;

	state->test = test;
	rc = start_child(state, test->name, &outcome, &why);
	if (state->show_progress)
		fputs("\r\033[K", stderr);
	if (rc == 0) {
		if (strcmp(state->arguments->test, "all") == 0)
			rc = name_test(test, &outcome.result, err);
		if (rc == 0)
			rc = merge(state, &outcome.result, err);
		cl_outcome_release(&outcome);
		return rc;
	}
	if (rc == -EINTR) {
		state->result.complete = false;
		return 0;
	}
	error_prefix(&why, "%s", test->name);
	cli_fail("cl", &why);
	/* Of all tests, those that this device cannot do are no failure. */
	if (why.class != ERROR_UNAVAILABLE ||
		strcmp(state->arguments->test, "all") != 0)
		*status = (int)why.class;
	return note_gap(state, test, &why, err);
}

static json_t *describe_options(const struct cl_state *state)
{
	const struct cl_arguments *arguments = state->arguments;
	const struct cl_options *options = &arguments->options;
	json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:f}",
		"method", arguments->test, "device", arguments->device, "cpus",
		state->cpus_text, "repeat", (int)options->repeat, "discard",
		(int)options->discard, "quick", options->quick, "limit_s",
		arguments->limit_s);

	json_object_set_new(object, "work_group",
		options->work_group
			? json_integer((json_int_t)options->work_group)
			: json_string("auto"));
	if (options->work_items)
		json_object_set_new(object, "work_items",
			json_integer((json_int_t)options->work_items));
	if (options->size_bytes)
		json_object_set_new(object, "size_bytes",
			json_integer((json_int_t)options->size_bytes));
	return object;
}

/* The envelope, before there are curves in it. */
static int begin_result(struct cl_state *state, struct error *err)
{
	struct result *result = &state->result;
	time_t now = time(NULL);
	char started[32];
	struct tm utc;
	int rc = 0;

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ",
		gmtime_r(&now, &utc));
	timebase_init(&state->timebase);
	for (size_t i = 0; i < state->cpus.n && rc == 0; i++)
		rc = cpu_list_add(&result->cpus, state->cpus.cpus[i], err);
	if (rc < 0)
		return rc;
	state->tests = json_array();
	result->command = strdup("cl");
	result->started = strdup(started);
	result->complete = true;
	result->tool = describe_tool();
	result->machine = describe_machine(state->machine, &state->timebase);
	result->options = describe_options(state);
	result->run = json_pack("{s:O, s:o, s:[]}", "environment",
		state->environment, "tests", state->tests, "warnings");
	result->hwloc_xml = machine_export_xml(state->machine);
	if (!result->command || !result->started || !result->tool ||
		!result->machine || !result->options || !result->run)
		return error_no_memory(err, "the result");
	return 0;
}

/* What was measured, for whoever draws it: run.device and run.platform. */
static void name_devices(const struct cl_state *state)
{
	static const char *const keys[2][2] = {
		{"device", "name"}, {"platform", "platform"}};
	size_t i;
	json_t *row;

	for (size_t k = 0; k < 2; k++) {
		json_array_foreach(state->tests, i, row)
		{
			json_t *name = json_object_get(
				json_object_get(row, "device"), keys[k][1]);

			if (name)
				json_object_set(
					state->result.run, keys[k][0], name);
		}
	}
}

/* What must not be missed: figures that are none, threads that ran elsewhere.
 */
static int judge(const struct cl_state *state, int status)
{
	json_t *warnings = json_object_get(state->result.run, "warnings");
	size_t i, j;
	const json_t *row, *text;

	json_array_foreach(state->tests, i, row)
	{
		const char *test = text_of(row, "test");
		const json_t *rejected = json_object_get(row, "rejected");
		const json_t *asked =
			json_object_get(row, "threads_where_asked");

		json_array_foreach(rejected, j, text)
		{
			struct error err;

			error_set(&err, ERROR_FAILURE, ERANGE,
				"%s: no result: %s", test,
				json_string_value(text));
			status = cli_fail("cl", &err);
		}
		if (json_is_false(asked) && state->arguments->cpus_text) {
			struct error err;

			error_set(&err, ERROR_FAILURE, EXDEV,
				"%s: --cpus %s: the threads of this "
				"implementation could not be kept there",
				test, state->arguments->cpus_text);
			status = cli_fail("cl", &err);
		}
		json_array_foreach(json_object_get(row, "notes"), j, text)
		{
			json_array_append(warnings, (json_t *)text);
		}
	}
	return status;
}

static int print(struct cl_state *state)
{
	const json_t *warnings = json_object_get(state->result.run, "warnings");
	const json_t *text;
	struct error err;
	size_t i;
	int rc = state->arguments->json
			 ? result_write_json(&state->result, stdout, &err)
			 : cl_print_result(&state->result, &err);

	if (rc < 0)
		return cli_fail("cl", &err);
	if (state->arguments->verbosity < 0)
		return STATUS_DONE;
	json_array_foreach(warnings, i, text)
	{
		cli_warn("cl", "%s", json_string_value(text));
	}
	return STATUS_DONE;
}

static int measure(struct cl_state *state)
{
	const struct cl_arguments *arguments = state->arguments;
	bool all = strcmp(arguments->test, "all") == 0;
	int status = STATUS_DONE, rc, saved, printed;
	double start_s;
	struct error err;

	rc = choose_device(state, &err);
	if (rc == 0 && !state->device_is_cpu && arguments->cpus_text)
		rc = error_set(
			&err, ERROR_USAGE, EINVAL, "--cpus is for CPU devices");
	if (rc == 0)
		rc = begin_result(state, &err);
	start_s = (double)timebase_raw_ns() * 1e-9;
	for (size_t i = 0; rc == 0 && cl_tests[i] && state->result.complete;
		i++) {
		if (all || strcmp(cl_tests[i]->name, arguments->test) == 0)
			rc = run_test(state, cl_tests[i], &status, &err);
	}
	if (rc < 0)
		return cli_fail("cl", &err);
	state->result.elapsed_s = (double)timebase_raw_ns() * 1e-9 - start_s;
	name_devices(state);
	status = judge(state, status);
	if (state->result.n_series == 0) {
		if (!state->result.complete)
			fputs("c2c cl: ended before anything was measured; "
			      "nothing was written\n",
				stderr);
		return state->result.complete ? status : STATUS_INTERRUPTED;
	}
	saved = outputs_save(&arguments->outputs, "cl", &state->result);
	printed = print(state);
	if (!state->result.complete)
		return STATUS_INTERRUPTED;
	if (status != STATUS_DONE)
		return status;
	return saved != STATUS_DONE ? saved : printed;
}

static int list_devices(const struct cl_state *state)
{
	struct error err;

	if (!state->arguments->json) {
		cl_print_devices(state->devices);
		return STATUS_DONE;
	}
	if (output_json(json_incref(state->devices), NULL, &err) < 0)
		return cli_fail("cl", &err);
	return STATUS_DONE;
}

static int run_parent(const struct cl_arguments *arguments)
{
	struct cl_state state = {.arguments = arguments};
	struct error err;
	int status;

	result_init(&state.result);
	state.show_progress =
		arguments->verbosity >= 0 && isatty(STDERR_FILENO);
	state.stop = cli_catch_signals();
	if (prepare(&state, &err) < 0) {
		status = cli_fail("cl", &err);
		if (err.code == EINTR)
			status = STATUS_INTERRUPTED;
	} else if (strcmp(arguments->test, "list") == 0) {
		status = list_devices(&state);
	} else {
		status = measure(&state);
	}
	release(&state);
	return status;
}

static int run_cl(int argc, char **argv)
{
	struct cl_arguments arguments = {
		.device = "cpu",
		.limit_s = LIMIT_S,
		.options = {.repeat = CL_REPEAT, .discard = CL_DISCARD},
	};
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = arguments.child ? cl_be_child(&arguments)
				 : run_parent(&arguments);
	outputs_release(&arguments.outputs);
	return status;
}

extern const struct command cmd_cl;
const struct command cmd_cl = {
	.name = "cl",
	.summary = "The same machine through OpenCL",
	.run = run_cl,
};
