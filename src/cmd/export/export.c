/*
 * c2c export: what was measured, where other programs read it: a topology for
 * hwloc, CPUs for threads, another format of the same.
 */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/agree.h"
#include "analyze/analysis.h"
#include "cmd/cli.h"
#include "cmd/epoch.h"
#include "cmd/export/export.h"
#include "cmd/outputs.h"
#include "cmd/topology.h"
#include "commands.h"
#include "result/file.h"
#include "util/parse.h"

/* As much memory as a guest may have: 1 EiB. */
#define MEMORY_MAX ((uint64_t)1 << 60)

enum {
	KEY_HWLOC = 0x500,
	KEY_PLACEMENT,
	KEY_CSV,
	KEY_DAT,
	KEY_JSON,
	KEY_TOPOLOGY,
	KEY_LEVEL,
	KEY_THREADS,
	KEY_PACK,
	KEY_SPREAD,
	KEY_MEMORY,
};

struct export_arguments {
	const char *input;
	struct epoch_choice epoch;
	struct unit_choice unit;
	struct outputs outputs;
	struct outputs hwloc; /* one or none */
	bool print_hwloc;
	const char *printed; /* what goes to standard output, or NULL */
	int (*print)(const struct result *, FILE *, struct error *);
	const char *topology;
	struct export_placement placement;
	const char *only_placement; /* an option that it alone knows */
	bool pack;
	int verbosity;
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Output:", 1},
	{"hwloc", KEY_HWLOC, "OUT", 0,
		"Write the topology, with what was measured in it, as XML of "
		"hwloc; - is standard output",
		1},
	{"placement", KEY_PLACEMENT, "taskset|numactl|slurm|libvirt|qemu", 0,
		"Print which CPUs threads should run on, in the words of one "
		"of these programs",
		1},
	{"output", 'o', "OUT", 0,
		"Write FILE in another format, by extension: .json .dat .csv; "
		"may be given more than once",
		1},
	{"csv", KEY_CSV, NULL, 0, "Print FILE as CSV", 1},
	{"dat", KEY_DAT, NULL, 0, "Print FILE as a table for gnuplot", 1},
	{"json", KEY_JSON, NULL, 0, "Print FILE as JSON", 1},
	{NULL, 0, NULL, 0, "Where threads go:", 2},
	{"level", KEY_LEVEL, "smt|llc|node|package|group|N", 0,
		"The measured level whose groups are filled or shared out, by "
		"its kind or its number in c2c analyze, 1 the innermost "
		"(default: the outermost)",
		2},
	{"threads", KEY_THREADS, "N", 0,
		"How many threads (default: one for each CPU in FILE)", 2},
	{"pack", KEY_PACK, NULL, 0,
		"As many threads as fit in one group (the default)", 2},
	{"spread", KEY_SPREAD, NULL, 0,
		"Each thread in a group of its own while there are groups", 2},
	{"memory", KEY_MEMORY, "SIZE", 0,
		"Memory of a guest, for libvirt and qemu (default: 1G for each "
		"thread)",
		2},
	{NULL, 0, NULL, 0, "What it is put into:", 3},
	{"topology", KEY_TOPOLOGY, "XML", 0,
		"The topology in this file, which lstopo wrote (default: the "
		"one inside FILE)",
		3},
	{0},
};

static int parse_output(
	struct export_arguments *arguments, const char *text, struct error *err)
{
	const char *dot = strrchr(text, '.');

	if (dot && strcasecmp(dot, ".xml") == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s': a topology is written by --hwloc", text);
	return outputs_add(&arguments->outputs, text, OUTPUT_RESULT, err);
}

/* Standard output has room for one thing. */
static void take_printed(struct argp_state *state, const char *option)
{
	struct export_arguments *arguments = state->input;

	if (arguments->printed)
		argp_error(state, "%s and %s: expected one of them",
			arguments->printed, option);
	arguments->printed = option;
}

static void take_conversion(struct argp_state *state, const char *option,
	int (*print)(const struct result *, FILE *, struct error *))
{
	struct export_arguments *arguments = state->input;

	take_printed(state, option);
	arguments->print = print;
}

static void take_hwloc(struct argp_state *state, const char *text)
{
	struct export_arguments *arguments = state->input;
	struct error err;

	if (arguments->print_hwloc || arguments->hwloc.n > 0)
		argp_error(state, "--hwloc is given twice");
	arguments->print_hwloc = strcmp(text, "-") == 0;
	if (arguments->print_hwloc)
		take_printed(state, "--hwloc=-");
	else if (outputs_add(&arguments->hwloc, text, OUTPUT_TEXT, &err) < 0)
		argp_error(state, "--hwloc: %s", err.text);
}

static bool wants_hwloc(const struct export_arguments *arguments)
{
	return arguments->print_hwloc || arguments->hwloc.n > 0;
}

static void take_format(struct argp_state *state, const char *text)
{
	struct export_arguments *arguments = state->input;

	if (!export_placement_is_format(text))
		argp_error(state,
			"--placement: found '%s', expected taskset, numactl, "
			"slurm, libvirt or qemu",
			text);
	take_printed(state, "--placement");
	arguments->placement.format = text;
}

static void take_level(struct argp_state *state, const char *text)
{
	struct export_arguments *arguments = state->input;

	if (!export_placement_is_level(text))
		argp_error(state,
			"--level: found '%s', expected smt, llc, node, "
			"package, group or a number from 1",
			text);
	arguments->placement.level = text;
}

static void take_topology(struct argp_state *state, const char *path)
{
	struct export_arguments *arguments = state->input;

	if (arguments->topology)
		argp_error(state, "--topology is given twice");
	arguments->topology = path;
}

static void take_input(struct argp_state *state, const char *path)
{
	struct export_arguments *arguments = state->input;

	if (arguments->input)
		argp_error(state, "'%s' and '%s': expected one FILE",
			arguments->input, path);
	arguments->input = path;
}

/* No two names are of one file, read or written. */
static void check_names(struct argp_state *state)
{
	const struct export_arguments *arguments = state->input;
	const struct outputs *hwloc = &arguments->hwloc;
	const char *const read[] = {arguments->input, arguments->topology};
	struct error err;

	for (size_t i = 0; i < 2 && read[i]; i++) {
		if (outputs_spare(&arguments->outputs, read[i], &err) < 0)
			argp_error(state, "-o: %s", err.text);
		if (outputs_spare(hwloc, read[i], &err) < 0)
			argp_error(state, "--hwloc: %s", err.text);
	}
	for (size_t i = 0; hwloc->n > 0 && i < arguments->outputs.n; i++) {
		if (file_same(hwloc->paths[0], arguments->outputs.paths[i]))
			argp_error(state, "--hwloc and -o: '%s' is given twice",
				hwloc->paths[0]);
	}
}

static void check_complete(struct argp_state *state)
{
	const struct export_arguments *arguments = state->input;
	const struct export_placement *placement = &arguments->placement;

	if (!arguments->input)
		argp_error(state, "no FILE: name a .json or .csv, or - for "
				  "standard input");
	if (!arguments->printed && !wants_hwloc(arguments) &&
		arguments->outputs.n == 0)
		argp_error(state,
			"nothing to export: name --hwloc, --placement, -o, "
			"--csv, --dat or --json");
	if (arguments->topology && !wants_hwloc(arguments) &&
		!placement->format)
		argp_error(state, "--topology is for --hwloc and --placement");
	if (arguments->pack && placement->spread)
		argp_error(state, "--pack and --spread: expected one of them");
	if (arguments->only_placement && !placement->format)
		argp_error(state, "%s is for --placement",
			arguments->only_placement);
	if (placement->memory_bytes &&
		!export_placement_is_guest(placement->format))
		argp_error(state,
			"--memory is for --placement=libvirt and "
			"--placement=qemu, not for %s",
			placement->format);
	check_names(state);
}

/* Options of a placement: 0, or what argp is to do. */
static error_t parse_placement(int key, char *text, struct argp_state *state,
	const char **name, struct error *err)
{
	struct export_arguments *arguments = state->input;

	switch (key) {
	case KEY_LEVEL:
		arguments->only_placement = "--level";
		take_level(state, text);
		return 0;
	case KEY_THREADS:
		arguments->only_placement = *name = "--threads";
		return parse_u64(text, 1, RESULT_MAX_CPUS,
			&arguments->placement.threads, err);
	case KEY_PACK:
		arguments->only_placement = "--pack";
		arguments->pack = true;
		return 0;
	case KEY_SPREAD:
		arguments->only_placement = "--spread";
		arguments->placement.spread = true;
		return 0;
	case KEY_MEMORY:
		arguments->only_placement = *name = "--memory";
		return parse_bytes(text, 1, MEMORY_MAX,
			&arguments->placement.memory_bytes, err);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct export_arguments *arguments = state->input;
	const char *name = "-o";
	struct error err;
	int rc = 0;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->epoch;
		state->child_inputs[1] = &arguments->unit;
		state->child_inputs[2] = &arguments->verbosity;
		return 0;
	case KEY_HWLOC:
		take_hwloc(state, text);
		return 0;
	case KEY_PLACEMENT:
		take_format(state, text);
		return 0;
	case 'o':
		rc = parse_output(arguments, text, &err);
		break;
	case KEY_CSV:
		take_conversion(state, "--csv", result_write_csv);
		return 0;
	case KEY_DAT:
		take_conversion(state, "--dat", plot_write_dat);
		return 0;
	case KEY_JSON:
		take_conversion(state, "--json", result_write_json);
		return 0;
	case KEY_TOPOLOGY:
		take_topology(state, text);
		return 0;
	case ARGP_KEY_ARG:
		take_input(state, text);
		return 0;
	case ARGP_KEY_END:
		check_complete(state);
		return 0;
	default:
		rc = parse_placement(key, text, state, &name, &err);
		break;
	}
	if (rc < 0)
		argp_error(state, "%s: %s", name, err.text);
	return rc;
}

static const struct argp_child children[] = {
	{&epoch_argp, 0, NULL, 0},
	{&unit_argp, 0, NULL, 0},
	{&cli_verbosity_argp, 0, NULL, 0},
	{0},
};

static const struct argp argp = {option_table, parse_option, "FILE",
	"Put what was measured where other programs read it: FILE is a .json, "
	"or .csv of c2c, a .csv of another tool, or - for standard "
	"input.",
	children, NULL, NULL};

/* That all can be written is known before the first is. */
static int check_outputs(
	const struct export_arguments *arguments, struct error *err)
{
	int rc = outputs_check_writable(&arguments->outputs, "-o", err);

	if (rc == 0)
		rc = outputs_check_writable(&arguments->hwloc, "--hwloc", err);
	return rc;
}

/*
 * What says nothing of its machine and has its CPUs from 0 on may be numbered
 * by rows alone. Those are the CPUs of a topology if it has as many.
 */
static int check_count(const struct export_source *source,
	const struct machine *machine, const char *path, struct error *err)
{
	const struct cpu_list *cpus = &source->result->cpus;
	size_t online = machine_facts(machine)->online.n;

	if (source->result->machine || online == cpus->n)
		return 0;
	for (size_t i = 0; i < cpus->n; i++) {
		if (cpus->cpus[i] != i)
			return 0;
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"--topology: '%s' has %zu CPUs, '%s' has %zu and does not say "
		"which of them",
		path, online, source->path, cpus->n);
}

/* The topology that is asked for, else the one in the file, if any. */
static int find_topology(
	struct export_source *source, const char *path, struct error *err)
{
	const struct result *result = source->result;
	int rc;

	if (path) {
		rc = topology_load(path, &source->machine, err);
		if (rc < 0)
			return rc;
		if (source->verbosity >= 0)
			topology_warn_of_host(
				"export", result, source->machine);
		return check_count(source, source->machine, path, err);
	}
	if (!result->hwloc_xml)
		return 0;
	rc = machine_new_xml(&source->machine, result->hwloc_xml,
		strlen(result->hwloc_xml), err);
	if (rc < 0)
		error_prefix(err, "'%s': the topology in it", source->path);
	return rc;
}

/* The topology, the analysis, and the names that the one gives the other. */
static int source_init(
	struct export_source *source, const char *topology, struct error *err)
{
	const struct result *result = source->result;
	int rc;

	if (result->cpus.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is of one CPU: a topology or a placement needs "
			"what was measured between two or more; other formats "
			"(-o, --csv, --dat, --json) do not",
			source->path);
	rc = analysis_make(result, &source->path, 1, &source->analysis, err);
	if (rc < 0)
		return rc;
	if (source->verbosity >= 0 &&
		source->analysis.placement != ANALYSIS_STABLE)
		cli_warn("export",
			"%s while they were measured, so nothing is sure about "
			"their groups",
			analysis_placement_doubt(source->analysis.placement));
	rc = find_topology(source, topology, err);
	if (rc < 0 || !source->machine)
		return rc;
	rc = agree(&source->analysis, result, source->machine, err);
	if (rc < 0 && topology)
		error_prefix(err, "--topology: '%s'", topology);
	else if (rc < 0)
		error_prefix(err, "'%s': the topology in it", source->path);
	return rc;
}

/* The topology, into its file or onto standard output. */
static int put_hwloc(const struct export_arguments *arguments,
	const struct export_source *source, int *status, struct error *err)
{
	struct output_contents contents = {
		.command = "export",
		.option = "--hwloc",
		.verbosity = arguments->verbosity,
	};
	char *xml = NULL;
	int rc = export_hwloc(source, &xml, err);

	if (rc == 0) {
		contents.text = xml;
		*status = outputs_save(&arguments->hwloc, &contents);
		/* A failure of standard output is noticed at exit. */
		if (arguments->print_hwloc)
			fputs(xml, stdout);
	}
	free(xml);
	return rc;
}

static int analyze(const struct export_arguments *arguments,
	const struct result *result, int *status, struct error *err)
{
	struct export_source source = {
		.path = arguments->input,
		.result = result,
		.verbosity = arguments->verbosity,
	};
	int rc = source_init(&source, arguments->topology, err);

	if (rc == 0 && wants_hwloc(arguments))
		rc = put_hwloc(arguments, &source, status, err);
	if (rc == 0 && *status != STATUS_INTERRUPTED &&
		arguments->placement.format)
		rc = export_placement_print(
			&source, &arguments->placement, err);
	machine_free(source.machine);
	analysis_release(&source.analysis);
	return rc;
}

/* Files first: whatever becomes of standard output, they are there. */
static int export(
	const struct export_arguments *arguments, const struct result *result)
{
	const struct output_contents contents = {
		.command = "export",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.result = result,
	};
	int saved, status = STATUS_DONE;
	struct error err;

	if (check_outputs(arguments, &err) < 0)
		return cli_fail("export", &err);
	if (!result->complete && arguments->verbosity >= 0)
		cli_warn("export", "this run was ended before it was complete");
	saved = outputs_save(&arguments->outputs, &contents);
	if (saved == STATUS_INTERRUPTED)
		return saved;
	if ((wants_hwloc(arguments) || arguments->placement.format) &&
		analyze(arguments, result, &status, &err) < 0)
		status = cli_fail("export", &err);
	if (status != STATUS_INTERRUPTED && arguments->print &&
		arguments->print(result, stdout, &err) < 0)
		status = cli_fail("export", &err);
	return status != STATUS_DONE ? status : saved;
}

static int run_export(int argc, char **argv)
{
	struct export_arguments arguments = {0};
	int status = STATUS_DONE;
	struct result result;
	struct error err;

	status = cli_parse("export", &argp, argc, argv, &arguments);
	if (status != STATUS_DONE)
		return status;
	if (epoch_load(&arguments.epoch, &arguments.unit, arguments.input,
		    &result, &err) < 0) {
		status = cli_fail("export", &err);
	} else {
		status = export(&arguments, &result);
		result_release(&result);
	}
	outputs_release(&arguments.outputs);
	outputs_release(&arguments.hwloc);
	return status;
}

extern const struct command cmd_export;
const struct command cmd_export = {
	.name = "export",
	.summary = "A result as a topology, a placement or another format",
	.run = run_export,
};
