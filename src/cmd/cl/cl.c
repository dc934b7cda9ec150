/*
 * c2c cl: the same machine through OpenCL. Options, and the parent's part: a
 * process for each test, and what comes of all of them.
 */
#include "cmd/cl/cl.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cmd/cl/child.h"
#include "cmd/cl/run.h"
#include "cmd/cli.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "result/file.h"
#include "util/child.h"
#include "util/parse.h"
#include "util/progress.h"
#include "util/text.h"

/* Longer than any test should take; what a user may choose, up to a week. */
#define LIMIT_S	      600.0
#define LIST_LIMIT_S  20.0
#define LEAST_LIMIT_S 0.001
#define MOST_LIMIT_S  604800.0

/* Runs of --quick, unless --repeat and --discard say others. */
#define QUICK_REPEAT  6
#define QUICK_DISCARD 1

#define MOST_ARGUMENTS 16

/* A folder with less room holds no compiled kernel. */
#define FOLDER_BYTES (1 << 20)

#define AT(member) offsetof(struct cl_arguments, member)

static int parse_group(void *at, const char *text, struct error *err)
{
	struct test_options *options = at;
	int rc;

	options->work_group = 0;
	options->sweep_groups = strcmp(text, "sweep") == 0;
	if (options->sweep_groups || strcmp(text, "auto") == 0)
		return 0;
	rc = parse_u64(text, 1, UINT32_MAX, &options->work_group, err);
	if (rc < 0)
		error_set(err, err->class, err->code,
			"%s; expected a number of work-items, auto or sweep",
			err->text);
	return rc;
}

static int add_output(void *at, const char *text, struct error *err)
{
	return outputs_add(at, text, OUTPUT_RESULT | OUTPUT_PICTURE, err);
}

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "What to measure:"},
	{"device", OPTION_TEXT, "cpu|gpu|all|INDEX|NAME", AT(device),
		.help = "The first CPU device (the default) or GPU, all "
			"devices one after the other, the one with that "
			"number in 'c2c cl list', or the first whose name "
			"contains NAME",
		.given = AT(device_given)},
	{"cpus", OPTION_TEXT, "LIST", AT(cpus_text),
		.help = "Run a CPU device on these CPUs only: numbers and "
			"ranges (0-3,8) or hwloc objects (core:0-3, numa:0)"},
	{"work-group", OPTION_OWN, "N|auto|sweep", AT(options),
		.help = "Work-items in a work-group (rowcol, scale, stride, "
			"local, constant, image, math, branch); auto (the "
			"default) follows the paper: half of the work-items "
			"below 256, else 256; sweep tries all sizes at each "
			"point and keeps the best (rowcol, scale, stride, "
			"constant, image, branch)",
		.given = AT(group_given), .parse = parse_group},
	{"work-items", OPTION_COUNT, "N", AT(options.work_items),
		.help = "Only this number of work-items (scale, stride, local, "
			"constant, math, branch)",
		.within = {1, UINT32_MAX}},
	{"size", OPTION_BYTES, "BYTES", AT(options.size_bytes),
		.help = "One array of that size in place of the usual ones "
			"(rowcol, stride, local, constant, bus)",
		.within = {1, 1099511627776.0}},
	{.kind = OPTION_HEADING, .group = 2, .help = "How long and how:"},
	{"repeat", OPTION_COUNT, "N", AT(repeat),
		.help = "Timed runs of each point (default 10; from 6 on there "
			"are intervals)",
		.within = {1, 10000}, .given = AT(repeat_given)},
	{"discard", OPTION_COUNT, "N", AT(discard),
		.help = "Untimed runs before these (default 3)",
		.within = {0, 10000}, .given = AT(discard_given)},
	{"quick", OPTION_FLAG, NULL, AT(options.quick),
		.help = "Fewer points, sizes and runs: for a first look"},
	{"limit", OPTION_NUMBER, "SECONDS", AT(limit_s),
		.help = "Time limit of a test (default 600) or of the list of "
			"devices (default 20)",
		.within = {LEAST_LIMIT_S, MOST_LIMIT_S},
		.given = AT(limit_given)},
	{.kind = OPTION_HEADING, .group = 3, .help = "Output:"},
	{"output", OPTION_OWN, "FILE", AT(outputs),
		.help = "Write FILE, by extension: .json .dat, or a picture "
			".png .svg .pdf; may be given more than once",
		.letter = 'o', .parse = add_output},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON, or the list of "
			"devices"},
	{"child", OPTION_FLAG, NULL, AT(child), .help = NULL},
};

/* An option that says how to measure; NULL: none is given. */
static const char *find_measuring(const struct cl_arguments *arguments)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{arguments->device_given, "--device"},
		{arguments->group_given, "--work-group"},
		{arguments->options.work_items, "--work-items"},
		{arguments->options.size_bytes, "--size"},
		{arguments->repeat_given, "--repeat"},
		{arguments->discard_given, "--discard"},
		{arguments->options.quick, "--quick"},
		{arguments->outputs.n, "-o"},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (options[i].given)
			return options[i].name;
	}
	return NULL;
}

static int check_test(const struct cl_arguments *arguments, struct error *err)
{
	const char *test = arguments->test;
	const char *measuring = find_measuring(arguments);
	bool list = test && strcmp(test, "list") == 0;
	char known[256];

	if (!test)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no TEST: name one, or list (the devices) or all");
	if (opencl_available(NULL) == 0 && !list && strcmp(test, "all") != 0 &&
		!test_find(test)) {
		test_list(0, known, sizeof(known));
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is no test; expected list, all or one of: %s",
			test, known);
	}
	if (list && measuring && !arguments->child)
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s: list measures nothing; use --json for the "
			"complete list",
			measuring);
	return 0;
}

static int check_arguments(void *into, struct error *err)
{
	struct cl_arguments *arguments = into;
	struct test_options *options = &arguments->options;

	if (arguments->limit_given)
		arguments->list_limit_s = arguments->limit_s;
	options->repeat = options->quick && !arguments->repeat_given
				  ? QUICK_REPEAT
				  : (unsigned)arguments->repeat;
	options->discard = options->quick && !arguments->discard_given
				   ? QUICK_DISCARD
				   : (unsigned)arguments->discard;
	return check_test(arguments, err);
}

static int take_test(void *into, const char *test, struct error *err)
{
	struct cl_arguments *arguments = into;

	if (arguments->test)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s': expected one TEST", arguments->test,
			test);
	arguments->test = test;
	return 0;
}

static void show_progress(void *context, double fraction)
{
	const struct cl_state *state = context;
	size_t at = 0, n = 0;
	char text[64];

	if (!state->show_progress)
		return;
	for (; test_table[n]; n++)
		at = test_table[n] == state->test ? n : at;
	if (strcmp(state->arguments->test, "all") == 0)
		snprintf(text, sizeof(text), "%s, %zu of %zu",
			state->test->name, at + 1, n);
	else
		snprintf(text, sizeof(text), "%s", state->test->name);
	progress_draw(stderr, plot_terminal_of(stderr).columns, fraction, text);
}

static int check_outputs(const struct outputs *outputs, struct error *err)
{
	for (size_t i = 0; i < outputs->n; i++) {
		enum file_format format;

		if (file_format_of(outputs->paths[i], &format, NULL) == 0 &&
			format == FILE_CSV)
			return error_set(err, ERROR_USAGE, EINVAL,
				"-o: '%s' can hold only a matrix, and these "
				"are curves; use .json or .dat",
				outputs->paths[i]);
	}
	return outputs_check_writable(outputs, "-o", err);
}

static void tell_stopping(void *context)
{
	const struct cl_state *state = context;

	if (state->show_progress)
		progress_clear(stderr);
	if (state->test && state->arguments->verbosity >= 0)
		fprintf(stderr,
			"c2c cl: %s has %.0f s to hand over what it measured; "
			"another interrupt ends c2c at once\n",
			state->test->name, CL_CHILD_GRACE_S);
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
			"cannot use the folder for compiled kernels, '%s': %s "
			"(set TMPDIR to another)",
			path, strerror(errno));
	memcpy(state->folder, path, sizeof(path));
	return 0;
}

static int start_child(struct cl_state *state, const char *test,
	struct cl_outcome *outcome, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	struct test_options options = arguments->options;
	const struct cl_watch watch = {
		.stop = state->stop,
		.limit_s = state->test ? arguments->limit_s
				       : arguments->list_limit_s,
		.progress = show_progress,
		.folder = state->folder,
		.stopping = tell_stopping,
		.context = state,
	};
	char words[MOST_ARGUMENTS][TEST_OPTION_BYTES];
	char *argv[MOST_ARGUMENTS + 1] = {"c2c", "cl", (char *)test, "--child"};
	size_t n = 4;
	int rc;

	if (state->test)
		test_fit_options(state->test, &options, NULL);
	if (asprintf(&argv[n], "--cpus=%s", state->cpus_text) < 0)
		return error_no_memory(err, "the arguments of a test");
	snprintf(words[++n], TEST_OPTION_BYTES, "--repeat=%u", options.repeat);
	snprintf(
		words[++n], TEST_OPTION_BYTES, "--discard=%u", options.discard);
	if (state->device)
		snprintf(words[++n], TEST_OPTION_BYTES, "--device=%.0f",
			facts_number(state->device, "index"));
	if (options.quick)
		snprintf(words[++n], TEST_OPTION_BYTES, "--quick");
	for (unsigned takes = 1; takes <= TAKES_SWEEP; takes <<= 1) {
		if (test_options_set(&options) & takes)
			test_option_words(
				&options, (enum takes)takes, words[++n]);
	}
	for (size_t i = 5; i <= n; i++)
		argv[i] = words[i];
	rc = cl_child_run(argv, &watch, outcome, err);
	free(argv[4]);
	return rc;
}

/* None is there: what the user set may be why. */
static void tell_environment(const struct cl_state *state, struct error *err)
{
	const struct record_list set = record_find(&state->set, "environment");

	for (size_t i = 0; i < set.n; i++) {
		const struct facts row = record_row(&set, i);

		if (strcmp(facts_text(&row, "by"), "user") == 0)
			error_set(err, err->class, err->code, "%s; %s is '%s'",
				err->text, facts_text(&row, "name"),
				facts_text(&row, "value"));
	}
}

static int ask_for_devices(struct cl_state *state, struct error *err)
{
	struct cl_outcome outcome = {0};
	struct record_list warnings;
	char there[512];
	int rc = start_child(state, "list", &outcome, err);

	if (rc == -ETIMEDOUT || rc == -ECHILD) {
		opencl_list_implementations(there, sizeof(there));
		error_set(err, err->class, err->code,
			"c2c cannot list the devices: %s; installed: %s; "
			"OCL_ICD_VENDORS=FILE.icd selects one of them",
			err->text, there);
	}
	if (rc == -ENODEV)
		tell_environment(state, err);
	if (rc == 0) {
		state->found = outcome.found;
		outcome.found = (struct record){0};
		warnings = record_find(&state->found, "warnings");
		for (size_t i = 0; i < warnings.n; i++)
			run_facts_warn(
				&state->result.run, record_text(&warnings, i));
		cl_tell_warnings(state);
	}
	cl_outcome_release(&outcome);
	return rc;
}

/* The environment, the devices, the CPUs: all before the first test. */
static int prepare(struct cl_state *state, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	int rc = opencl_available(err);

	if (rc == 0 && strcmp(arguments->test, "list") != 0)
		rc = cl_check_plan(arguments, &state->result.run, err);
	cl_tell_warnings(state);
	if (rc == 0)
		rc = check_outputs(&arguments->outputs, err);
	if (rc == 0)
		rc = machine_new(&state->machine, err);
	if (rc == 0)
		rc = machine_select(state->machine, arguments->cpus_text,
			MACHINE_PER_PU, &state->cpus, err);
	if (rc < 0 && state->machine)
		error_prefix(err, "--cpus");
	if (rc < 0)
		return rc;
	state->cpus_text = cpu_list_format(&state->cpus);
	if (!state->cpus_text)
		return error_no_memory(err, "the CPUs");
	rc = make_folder(state, err);
	if (rc == 0)
		rc = opencl_set_environment(
			&state->cpus, state->folder, &state->set, err);
	facts_append(&state->result.run.other, &state->set.facts);
	return rc < 0 ? rc : ask_for_devices(state, err);
}

static void remove_folder(struct cl_state *state)
{
	if (state->folder[0])
		child_remove_folder(state->folder);
	state->folder[0] = '\0';
}

static void release(struct cl_state *state)
{
	remove_folder(state);
	record_release(&state->found);
	record_release(&state->set);
	free(state->parts);
	result_release(&state->result);
	free(state->cpus_text);
	cpu_list_release(&state->cpus);
	machine_free(state->machine);
}

/* Compilers do not say so, or not where. */
static void tell_bad_folder(const struct cl_state *state, struct error *why)
{
	const char *folder = getenv("POCL_CACHE_DIR"), *reason = NULL;
	struct statvfs status;

	/* Set by the user, or by opencl_set_environment(). */
	if (!folder)
		return;
	if (access(folder, W_OK | X_OK) != 0)
		reason = "c2c may not write into";
	else if (statvfs(folder, &status) == 0 &&
		 status.f_bavail * status.f_frsize < FOLDER_BYTES)
		reason = "no space is left in";
	if (reason)
		error_set(why, why->class, why->code,
			"%s; %s '%s' (%s chooses another folder for compiled "
			"kernels)",
			why->text, reason, folder,
			strcmp(folder, state->folder) == 0 ? "TMPDIR"
							   : "POCL_CACHE_DIR");
}

static int run_test(struct cl_state *state, const struct test *test,
	int *status, struct error *err)
{
	struct cl_outcome outcome = {0};
	double start_s = timebase_raw_s();
	struct error why;
	size_t n = 0;
	int rc, recorded;

	state->test = test;
	rc = start_child(state, test->name, &outcome, &why);
	state->test_s = timebase_raw_s() - start_s;
	if (state->show_progress)
		progress_clear(stderr);
	if (outcome.measured)
		n = cl_count_points(&outcome.result);
	if (rc < 0 && why.class == ERROR_FAILURE)
		tell_bad_folder(state, &why);
	if (rc < 0 && n > 0)
		error_set(&why, why.class, why.code,
			"%s; what it measured before is kept: %zu point%s",
			why.text, n, n == 1 ? "" : "s");
	/* A path may be anything, and JSON takes no other text. */
	if (rc < 0)
		text_make_utf8(why.text);
	recorded = cl_record_test(state, test,
		outcome.measured ? &outcome.result : NULL, rc < 0 ? &why : NULL,
		err);
	cl_outcome_release(&outcome);
	if (state->arguments->verbosity > 0)
		fprintf(stderr, "c2c cl: %s: %zu points in %.1f s\n",
			test->name, n, state->test_s);
	if (recorded < 0 || rc == 0)
		return recorded;
	cl_prefix(state, state->device, test->name, &why);
	cli_fail("cl", &why);
	if (rc == -EINTR)
		state->interrupted = true;
	/* Of several, what a device cannot do is no failure. */
	else if (why.class != ERROR_UNAVAILABLE ||
		 (strcmp(state->arguments->test, "all") != 0 &&
			 !cl_has_several(state)))
		*status = (int)why.class;
	return 0;
}

/* Of a test that the user's interrupt came before. */
static int skip_test(
	struct cl_state *state, const struct test *test, struct error *err)
{
	struct error why;

	error_set(&why, ERROR_FAILURE, ECANCELED,
		"not run: the interrupt came first");
	state->interrupted = true;
	state->test_s = 0;
	return cl_record_test(state, test, NULL, &why, err);
}

static int choose_devices(struct cl_state *state, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	const struct record_list devices =
		record_find(&state->found, "devices");
	int rc = cl_choose_devices(&devices, arguments->device, &state->parts,
		&state->n_chosen, err);

	if (rc < 0)
		return rc;
	if (arguments->cpus_text && !cl_has_several(state) &&
		!cl_is_cpu(&state->parts->device))
		return error_set(
			err, ERROR_USAGE, EINVAL, "--cpus is for CPU devices");
	return 0;
}

/* With what a device is measured. */
static void tell_device(const struct cl_state *state)
{
	const struct test_options *options = &state->arguments->options;
	const struct record_list set = record_find(&state->set, "environment");
	char name[CL_NAME_BYTES];

	cl_name_device(state->device, name);
	fprintf(stderr, "c2c cl: %s, CPUs %s; %u runs of a point after %u",
		name, state->cpus_text, options->repeat, options->discard);
	for (size_t i = 0; i < set.n; i++) {
		const struct facts row = record_row(&set, i);

		fprintf(stderr, "; %s=%s", facts_text(&row, "name"),
			facts_text(&row, "value"));
	}
	putc('\n', stderr);
}

/* One or all tests of a device. */
static int measure_device(
	struct cl_state *state, int *status, struct error *err)
{
	const char *wanted = state->arguments->test;
	bool all = strcmp(wanted, "all") == 0;
	int rc = 0;

	state->device = &state->parts[state->n_parts].device;
	state->parts[state->n_parts++].first_curve = state->result.n_curves;
	if (state->arguments->verbosity > 0)
		tell_device(state);
	for (size_t i = 0; rc == 0 && test_table[i]; i++) {
		if (!all && strcmp(test_table[i]->name, wanted) != 0)
			continue;
		rc = atomic_load_explicit(state->stop, memory_order_relaxed)
			     ? skip_test(state, test_table[i], err)
			     : run_test(state, test_table[i], status, err);
	}
	return rc;
}

static int measure(struct cl_state *state)
{
	int status = STATUS_DONE, rc;
	double start_s;
	struct error err;

	rc = choose_devices(state, &err);
	if (rc == 0)
		rc = cl_record_begin(state, &err);
	start_s = timebase_raw_s();
	while (rc == 0 && state->n_parts < state->n_chosen)
		rc = measure_device(state, &status, &err);
	if (rc < 0)
		return cli_fail("cl", &err);
	/* A picture takes its time, and another interrupt ends that. */
	remove_folder(state);
	cl_record_end(state, timebase_raw_s() - start_s);
	return cl_finish(state, status);
}

static int list_devices(const struct cl_state *state)
{
	const struct record_list devices =
		record_find(&state->found, "devices");
	struct error err;

	if (!state->arguments->json)
		cl_print_devices(&devices);
	else if (record_print_list(&devices, stdout, &err) < 0)
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
		.list_limit_s = LIST_LIMIT_S,
		.repeat = TEST_REPEAT,
		.discard = TEST_DISCARD,
	};
	const struct option_table table = {rows, sizeof(rows) / sizeof(*rows),
		&arguments, check_arguments};
	const struct option_command command = {
		.name = "cl",
		.doc = "Measure this machine through OpenCL. TEST is list "
		       "(which devices are there), rowcol (an array by rows "
		       "and by columns), scale (an addition over the number "
		       "of work-items, beside threads), stride (strided "
		       "accesses to global memory), local (strided accesses "
		       "to local memory), constant (chains of reads from "
		       "constant memory), image (images read and written), "
		       "bus (copies and maps between host and device), math "
		       "(arithmetic and built-in functions), branch "
		       "(work-items that take different paths) or all.",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.arguments = "TEST",
		.take = take_test,
	};
	int status = options_parse(&command, argc, argv);

	if (status != STATUS_DONE)
		return status;
	status = arguments.child ? cl_be_child(&arguments)
				 : run_parent(&arguments);
	outputs_release(&arguments.outputs);
	return status;
}

const struct command cmd_cl = {
	.name = "cl",
	.summary = "The same machine through OpenCL",
	.run = run_cl,
};
