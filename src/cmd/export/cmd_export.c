/*
 * c2c export: convert a result for other programs, to a topology for hwloc, a
 * placement of threads, or another format.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/analyze.h"
#include "analyze/recorded_links.h"
#include "cmd/cli.h"
#include "cmd/epoch_option.h"
#include "cmd/export/cmd_export.h"
#include "cmd/export/export_formats.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/topology_option.h"
#include "commands.h"
#include "render/plot.h"
#include "result/anonymous.h"
#include "result/file.h"
#include "result/old_names.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/text.h"

/* The most memory of a guest: 1 EiB. */
#define MEMORY_MAX ((uint64_t)1 << 60)

/* Outputs for standard output; only one of them may go there. */
enum export_printed {
	PRINT_CSV,
	PRINT_DAT,
	PRINT_JSON,
	PRINT_FORMATS,
	PRINT_HWLOC = PRINT_FORMATS,
	PRINT_PLACEMENT,
	PRINT_NEAREST,
	PRINT_KINDS
};

static const char *const print_options[] = {
	[PRINT_CSV] = "--csv",
	[PRINT_DAT] = "--dat",
	[PRINT_JSON] = "--json (or -o -)",
	[PRINT_HWLOC] = "--hwloc=-",
	[PRINT_PLACEMENT] = "--placement",
	[PRINT_NEAREST] = "--nearest",
};

static int (*const printers[PRINT_FORMATS])(
	const struct result *, FILE *, struct error *) = {
	[PRINT_CSV] = result_write_csv,
	[PRINT_DAT] = result_write_dat,
	[PRINT_JSON] = result_write_json,
};

struct export_arguments {
	struct inputs inputs;
	struct options_given given;
	uint64_t epoch;
	struct unit_choice unit;
	const char *matrix, *statistic; /* NULL: all of them */
	struct outputs outputs;
	struct outputs hwloc; /* at most one file */
	bool printed[PRINT_KINDS];
	bool anonymous;
	const char *topology;
	struct export_placement placement;
	int per;
	int verbosity;
};

static int export_parse_output(void *at, const char *text, struct error *err)
{
	const char *dot = strrchr(text, '.');

	if (dot && strcasecmp(dot, ".xml") == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s': --hwloc writes a topology", text);
	if (plot_picture_kind(text))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s': 'c2c plot' draws pictures", text);
	return outputs_add(at, text, OUTPUT_RESULT, err);
}

static int parse_hwloc(void *at, const char *text, struct error *err)
{
	struct export_arguments *arguments = at;

	if (arguments->printed[PRINT_HWLOC] || arguments->hwloc.n > 0)
		return error_set(err, ERROR_USAGE, EINVAL, "given twice");
	arguments->printed[PRINT_HWLOC] = strcmp(text, "-") == 0;
	if (arguments->printed[PRINT_HWLOC])
		return 0;
	return outputs_add(&arguments->hwloc, text, OUTPUT_TEXT, err);
}

static bool wants_hwloc(const struct export_arguments *arguments)
{
	return arguments->printed[PRINT_HWLOC] || arguments->hwloc.n > 0;
}

/* Return whether the request needs pairs of CPUs. */
static bool wants_placement(const struct export_arguments *arguments)
{
	return arguments->printed[PRINT_PLACEMENT] ||
	       arguments->printed[PRINT_NEAREST];
}

#define AT(member) offsetof(struct export_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"hwloc", OPTION_OWN, "OUT", 0,
		.help = "Write the topology with the measured groups as hwloc "
			"XML; - is standard output",
		.more = "`%h` and `%%` mean the same as for -o. See [The "
			"topology].",
		.parse = parse_hwloc},
	{"placement", OPTION_WORD, "FORMAT", AT(placement.format),
		.words = &("" EXPORT_FORMATS(EXPORT_FORMAT_BAR))[1],
		.help = "Print the CPUs on which to run threads, in the format "
			"of one of:" EXPORT_FORMATS(EXPORT_FORMAT_WORD),
		.more = "See [Placements]. FORMAT is one of:\n"
			".Bl -tag -width rankfile\n" EXPORT_FORMATS(
				EXPORT_FORMAT_NOTE) ".El"},
	{"nearest", OPTION_COUNT, "N", AT(placement.nearest),
		.help = "Print the N nearest pairs of CPUs and their intervals",
		.more = "A line is `3,17: 15.45 ns (15.2 to 15.7)`, without "
			"the interval if the file has none. c2c leaves out "
			"pairs whose interval is wider than a factor of two.",
		.within = {1, (uint64_t)RESULT_MAX_CPUS *RESULT_MAX_CPUS}},
	{"output", OPTION_OWN, "OUT", AT(outputs),
		.help = "Write FILE in another format, by extension: .json "
			".json.gz .json.zst .dat .csv .tsv; may be given more "
			"than once",
		.more = OUTPUTS_NAME
		" OUT cannot be an input file. For the content of each format "
		"see c2c-latency(1). The file appears once it is complete.",
		.letter = 'o', .parse = export_parse_output},
	{"csv", OPTION_FLAG, NULL, AT(printed[PRINT_CSV]),
		.help = "Print FILE as CSV"},
	{"dat", OPTION_FLAG, NULL, AT(printed[PRINT_DAT]),
		.help = "Print FILE as a table for gnuplot"},
	{"json", OPTION_FLAG, NULL, AT(printed[PRINT_JSON]),
		.help = "Print FILE as JSON (as -o - does)"},
	{"anonymous", OPTION_FLAG, NULL, AT(anonymous),
		.help = "Remove all that identifies the machine or its owner "
			"from all outputs",
		.more = "c2c keeps the names of matrices and curves, the "
			"options, the times, the models of CPUs and OpenCL "
			"devices, versions, microcode and hypervisor. In the "
			"remaining texts a dash replaces host names, the "
			"release of the kernel, paths, file names, addresses "
			"of users and networks, and words with 12 or more "
			"hexadecimal digits, for example a UUID. c2c keeps the "
			"names and the version numbers of the kernel and the "
			"compiler. c2c keeps all numbers of the record. c2c "
			"removes all other texts: command arguments, "
			"environment variables, compiler flags, all sentences, "
			"and keys that this version does not know.\n\nFrom the "
			"topology c2c removes control groups, serial numbers, "
			"addresses, device names and everything else that does "
			"not describe a processor, a cache or memory.\n\nc2c "
			"keeps a name that is only a word, for example the "
			"name of a matrix from another tool, and a host name "
			"that is a word of c2c, for example latency."},
	{.kind = OPTION_HEADING, .group = 2, .help = "Where threads go:"},
	{"level", OPTION_TEXT, "smt|llc|node|package|domain|group|N",
		AT(placement.level),
		.help = "Place threads by the groups of this measured level: "
			"its kind, or its number in c2c analyze, where 1 is "
			"the innermost (default without --pack and --spread: "
			"the nearest CPUs, pair by pair)",
		.more = "If several levels have this kind, c2c uses the "
			"innermost. Classes of cores also have a number, but "
			"they do not nest, so they cannot place threads. A "
			"domain has the CPUs that share a link to memory; see "
			"c2c-numa(1)."},
	{"threads", OPTION_COUNT, "N", AT(placement.threads),
		.help = "Number of threads (default: one for each CPU in FILE)",
		.within = {1, RESULT_MAX_CPUS}},
	{"per", OPTION_WORD, "core", AT(per),
		.help = "Use at most one CPU of each core, with --nearest or a "
			"placement pair by pair",
		.more = "Cores come from the level of SMT siblings or, if "
			"there is none, from the topology. With --nearest, "
			"each pair of cores has one pair of CPUs. Without "
			"--threads, the placement has one thread for each "
			"core."},
	{"pack", OPTION_FLAG, NULL, AT(placement.pack),
		.help = "Put as many threads as fit into one group (of the "
			"outermost level, unless --level names another)"},
	{"spread", OPTION_FLAG, NULL, AT(placement.spread),
		.help = "Spread threads over as many groups as possible"},
	{"memory", OPTION_BYTES, "SIZE", AT(placement.memory_bytes),
		.help = "Memory of a guest, for libvirt and qemu (default: 1G "
			"for each thread)",
		.within = {1, MEMORY_MAX}},
	{.kind = OPTION_HEADING, .group = 3, .help = "Topology:"},
	{"topology", OPTION_TEXT, "XML", AT(topology),
		.help = "Use the topology in this XML file of lstopo (default: "
			"the topology in FILE)",
		.more = "Use --topology with --hwloc, --placement and "
			"--nearest. A table without CPU numbers has CPUs 0, 1, "
			"2 and so on; c2c rejects it if the topology has a "
			"different number of CPUs.",
		.once = true},
	{.kind = OPTION_HEADING, .group = 4, .help = "Which matrix:"},
	{"matrix", OPTION_TEXT, "NAME", AT(matrix),
		.help = "Only the matrix of this name, for example reader "
			"(default: all matrices; for .csv, the first)"},
	{"statistic", OPTION_TEXT, "S", AT(statistic),
		.help = "Only the matrix of this statistic, for example p90 "
			"(default: all matrices; for .csv, the median)"},
	{"epoch", OPTION_NOTE,
		.more = "For epochs see c2c-analyze(1). If CPUs moved during "
			"the run, only its epochs have groups; a record of "
			"`c2c latency` without passes has the groups of its "
			"longest epoch. With --epoch a file in another format "
			"has only the medians and intervals of epoch N."},
};

/* Check that all input and output files are different. */
static int export_check_paths(
	const struct export_arguments *arguments, struct error *err)
{
	const struct outputs *outputs = &arguments->outputs;
	const struct outputs *hwloc = &arguments->hwloc;
	const char *topology = arguments->topology;
	int rc = outputs_check_not_input(
		hwloc, "--hwloc", arguments->inputs.paths[0], err);

	if (rc == 0 && topology)
		rc = outputs_check_not_input(outputs, "-o", topology, err);
	if (rc == 0 && topology)
		rc = outputs_check_not_input(hwloc, "--hwloc", topology, err);
	for (size_t i = 0; rc == 0 && hwloc->n > 0 && i < outputs->n; i++) {
		if (file_same(hwloc->paths[0], outputs->paths[i]))
			return error_set(err, ERROR_USAGE, EINVAL,
				"--hwloc and -o: '%s' is given twice",
				hwloc->paths[0]);
	}
	return rc;
}

/* Only one output can go to standard output. */
static int check_printed(
	const struct export_arguments *arguments, struct error *err)
{
	const char *first = NULL;

	for (int i = 0; i < PRINT_KINDS; i++) {
		if (!arguments->printed[i])
			continue;
		if (first)
			return error_set(err, ERROR_USAGE, EINVAL,
				"%s and %s: expected one of them", first,
				print_options[i]);
		first = print_options[i];
	}
	if (!first && !wants_hwloc(arguments) && arguments->outputs.n == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"nothing to export: name --hwloc, --placement, "
			"--nearest, -o, --csv, --dat or --json");
	return 0;
}

#define PER_IS_FOR                                                             \
	" needs --nearest, or --placement without --level, --pack and "        \
	"--spread"

static const struct option_rule rules[] = {
	{"topology", .without = "hwloc placement nearest",
		.flaw = " needs --hwloc, --placement or --nearest"},
	{"anonymous", "topology",
		.flaw = " covers the topology in FILE, but not --topology"},
	{"per", .without = "nearest placement", .flaw = PER_IS_FOR},
	{"per", "level pack spread", "nearest", PER_IS_FOR},
	{"pack", "spread", .flaw = " and --spread: expected one of them"},
	{"level threads pack spread memory", .without = "placement",
		.flaw = " needs --placement"},
	{"level threads per pack spread", "placement=nfd",
		.flaw = ": nfd labels the machine and places no threads"},
	{"memory", "placement!libvirt", "placement=qemu",
		" needs --placement=libvirt or --placement=qemu"},
	{.given = NULL},
};

static int export_check_arguments(void *into, struct error *err)
{
	struct export_arguments *arguments = into;
	const struct options_given *given = &arguments->given;

	arguments->placement.per_core = option_given(given, "per");
	arguments->printed[PRINT_PLACEMENT] = option_given(given, "placement");
	arguments->printed[PRINT_NEAREST] = option_given(given, "nearest");
	arguments->printed[PRINT_JSON] |= arguments->outputs.json;
	if (inputs_check(&arguments->inputs, &arguments->outputs, err) < 0 ||
		check_printed(arguments, err) < 0)
		return -EINVAL;
	return export_check_paths(arguments, err);
}

/* Load the topology that the user names, or the one in the file. */
static int find_topology(
	struct export_source *source, const char *path, struct error *err)
{
	const struct result *result = source->result;

	if (!path && !result->hwloc_xml)
		return 0;
	if (!path)
		return topology_load_embedded(
			result, source->path, &source->machine, err);
	if (topology_load(path, &source->machine, err) < 0)
		return -EINVAL;
	if (source->verbosity >= 0)
		topology_warn_of_host("export", result, source->machine);
	return topology_check_cpu_count(
		source->machine, "--topology", path, result, source->path, err);
}

/* Make levels from links to memory, for a record without pairs. */
static int add_link_levels(struct export_source *source, struct error *err)
{
	struct recorded_links links;
	int rc = recorded_links_read(source->result, &links, err);

	if (rc < 0)
		return rc;
	if (source->needs_pairs)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has no matrix of CPUs, and --nearest needs one: "
			"measure with 'c2c latency'",
			source->path);
	else if (source->needs_placement && links.n == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has neither a matrix of CPUs nor links to "
			"memory, which a placement needs: run 'c2c latency' or "
			"'c2c numa --scaling'",
			source->path);
	else if (source->needs_placement && links.doubt)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' does not say which last-level caches share a "
			"link to memory: %s",
			source->path, links.doubt);
	else
		rc = recorded_links_add_levels(&links, &source->analysis, err);
	if (links.doubt && rc == 0 && source->verbosity >= 0)
		cli_warn("export", "c2c leaves out the links to memory: %s",
			links.doubt);
	recorded_links_release(&links);
	return rc;
}

/* Find levels and topology of a record of caches, nodes or links. */
static int export_source_without_pairs(
	struct export_source *source, const char *topology, struct error *err)
{
	const struct cpu_list *cpus = &source->result->cpus;

	source->analysis.cpus = (struct cpu_list){
		arena_copy(&source->analysis.memory, cpus->cpus, cpus->n,
			sizeof(unsigned)),
		cpus->n};
	if (!source->analysis.cpus.cpus)
		return error_no_memory(err, "the CPUs");
	if (add_link_levels(source, err) < 0)
		return -err->code;
	return find_topology(source, topology, err);
}

static bool has_links(const struct result *result)
{
	return facts_find(&result->run.other, LINKS_KEY) != NULL;
}

/* Analyse the result, and compare the groups with the topology. */
static int export_source_init(
	struct export_source *source, const char *topology, struct error *err)
{
	const struct result *result = source->result;
	int rc;

	if (result->cpus.n > 0 &&
		((result->n_matrices == 0 &&
			 (result->n_caches > 0 || has_links(result))) ||
			result_is_of_nodes(result)))
		return export_source_without_pairs(source, topology, err);
	if (result->cpus.n == 0 && result_is_of_nodes(result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a table of %zu NUMA node%s without CPUs: a "
			"topology or a placement needs CPUs; other formats "
			"(-o, --csv, --dat, --json) do not",
			source->path, result_members(result)->n,
			result_members(result)->n == 1 ? "" : "s");
	if (result->cpus.n < 2)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has only one CPU: a topology or a placement "
			"needs two or more CPUs; other formats (-o, --csv, "
			"--dat, --json) do not",
			source->path);
	if (result_is_of_units(result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has the compute units of a device, which have no "
			"topology or placement; use another format (-o, --csv, "
			"--dat, --json)",
			source->path);
	rc = analysis_make(result, &source->path, 1, &source->analysis, err);
	if (rc < 0)
		return rc;
	if (source->verbosity >= 0 &&
		source->analysis.placement != ANALYSIS_STABLE)
		cli_warn("export", "%s, so %s",
			analysis_placement_doubt(source->analysis.placement),
			source->analysis.placement == ANALYSIS_MOVING_ASLEEP
				? "a placement by nearness cannot help"
				: "the groups and the nearest pairs may be "
				  "wrong");
	rc = find_topology(source, topology, err);
	if (rc < 0 || !source->machine)
		return rc;
	rc = analysis_compare_topology(
		&source->analysis, result, source->machine, err);
	if (rc < 0 && topology)
		error_prefix(err, "--topology: '%s'", topology);
	else if (rc < 0)
		error_prefix(err, "'%s': the topology in it", source->path);
	return rc;
}

/* Write the topology to its file or to standard output. */
static int write_hwloc_output(const struct export_arguments *arguments,
	const struct export_source *source, int *status, struct error *err)
{
	struct output_contents contents = {
		.command = "export",
		.option = "--hwloc",
		.verbosity = arguments->verbosity,
	};
	char *xml = NULL;

	if (export_hwloc(source, &xml, err) < 0)
		return -err->code;
	contents.text = arena_adopt(source->arena, xml);
	*status = outputs_save(&arguments->hwloc, &contents);
	/* c2c reports a failure of standard output at exit. */
	if (arguments->printed[PRINT_HWLOC])
		fputs(contents.text, stdout);
	return 0;
}

/* The source and the kind of an export. */
struct export_task {
	const struct export_arguments *arguments;
	struct export_source source;
	int status;
};

static int export_analyzed_outputs(
	struct arena *arena, void *context, struct error *err)
{
	struct export_task *task = context;
	const struct export_arguments *arguments = task->arguments;
	int rc;

	task->source.arena = arena;
	task->source.needs_placement = wants_placement(arguments);
	task->source.needs_pairs = arguments->printed[PRINT_NEAREST];
	rc = export_source_init(&task->source, arguments->topology, err);
	if (rc == 0 && wants_hwloc(arguments))
		rc = write_hwloc_output(
			arguments, &task->source, &task->status, err);
	if (rc == 0 && task->status != STATUS_INTERRUPTED &&
		arguments->printed[PRINT_PLACEMENT])
		rc = export_placement_print(
			&task->source, &arguments->placement, err);
	if (rc == 0 && arguments->printed[PRINT_NEAREST])
		rc = export_nearest_print(
			&task->source, &arguments->placement, err);
	return rc;
}

/* Write files first, in case standard output fails. */
static int export_result_outputs(
	const struct export_arguments *arguments, const struct result *result)
{
	const struct output_contents contents = {
		.command = "export",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.result = result,
	};
	struct export_task task = {
		.arguments = arguments,
		.source = {.path = arguments->inputs.paths[0],
			.result = result,
			.verbosity = arguments->verbosity},
		.status = STATUS_DONE,
	};
	struct arena arena = {0};
	struct error err;
	int saved;

	if (outputs_check_writable(&arguments->outputs, "-o", &err) < 0 ||
		outputs_check_writable(&arguments->hwloc, "--hwloc", &err) < 0)
		return cli_fail("export", &err);
	if (!result->complete && arguments->verbosity >= 0)
		cli_warn("export",
			"the record is incomplete: its run was stopped");
	saved = outputs_save(&arguments->outputs, &contents);
	if (saved == STATUS_INTERRUPTED)
		return saved;
	if ((wants_hwloc(arguments) || wants_placement(arguments)) &&
		arena_run(&arena, export_analyzed_outputs, &task,
			"the analysis", &err) < 0)
		task.status = cli_fail("export", &err);
	machine_free(task.source.machine);
	analysis_release(&task.source.analysis);
	arena_release(&arena);
	for (int i = 0; i < PRINT_FORMATS; i++) {
		if (task.status != STATUS_INTERRUPTED &&
			arguments->printed[i] &&
			printers[i](result, stdout, &err) < 0)
			task.status = cli_fail("export", &err);
	}
	return task.status != STATUS_DONE ? task.status : saved;
}

/* Return the names of matrices, or the statistics of one, for free(). */
static char *list_matrices(const struct result *result, const char *name)
{
	struct text_list list = {0};
	const char *last = "";

	for (size_t m = 0; m < result->n_matrices; m++) {
		const struct matrix *matrix = &result->matrices[m];

		if (name && strcmp(matrix->name, name) == 0)
			text_list_add(&list, ", ", "%s", matrix->statistic);
		else if (!name && strcmp(matrix->name, last) != 0)
			text_list_add(&list, ", ", "%s", matrix->name);
		last = matrix->name;
	}
	return text_list_end(&list);
}

static bool writes_csv(const struct export_arguments *arguments)
{
	bool csv = arguments->printed[PRINT_CSV];

	for (size_t i = 0; i < arguments->outputs.n; i++)
		csv |= output_is_csv(arguments->outputs.paths[i]);
	return csv;
}

/* If a matrix is requested, keep only this one. */
static int choose_matrix(const struct export_arguments *arguments,
	struct result *result, struct error *err)
{
	const char *name = old_names_today("name", arguments->matrix);
	const char *statistic =
		old_names_today("statistic", arguments->statistic);
	const struct matrix *found = result_find_matrix(result, name, NULL);
	char *there;

	if ((!name && !statistic) ||
		result_keep_matrix(result, name, statistic))
		return 0;
	there = list_matrices(result, found ? found->name : NULL);
	error_set(err, ERROR_USAGE, EINVAL,
		"%s: '%s' is not in '%s', which has %s",
		found ? "--statistic" : "--matrix", found ? statistic : name,
		arguments->inputs.paths[0], there && *there ? there : "none");
	free(there);
	return -EINVAL;
}

/* Make the record anonymous if requested; print what it still contains. */
static int hide_origin(const struct export_arguments *arguments,
	struct result *result, struct error *err)
{
	if (!arguments->anonymous)
		return 0;
	if (arguments->verbosity >= 0)
		cli_notify("export",
			"the anonymous record still has numbers, names of "
			"measurements, options, times, models, versions and "
			"the hypervisor; read the file before you publish it");
	return result_make_anonymous(result, err);
}

/*
 * Return whether to copy the record with all sections, which only an anonymous
 * copy as JSON has. Otherwise the user must name a section.
 */
static bool is_whole_copy(const struct export_arguments *arguments)
{
	const struct outputs *outputs = &arguments->outputs;
	enum file_format format = FILE_JSON;
	const char *name = NULL;

	free(section_file(arguments->inputs.paths[0], &name));
	for (size_t i = 0; i < outputs->n && format == FILE_JSON; i++)
		file_format_of(outputs->paths[i], &format, NULL);
	return arguments->anonymous && format == FILE_JSON && !name &&
	       !arguments->epoch && !arguments->unit.unit &&
	       !arguments->matrix && !arguments->statistic &&
	       !wants_hwloc(arguments) && !wants_placement(arguments) &&
	       !arguments->printed[PRINT_CSV] && !arguments->printed[PRINT_DAT];
}

static int run_export(int argc, char **argv)
{
	struct export_arguments arguments = {0};
	const struct option_table tables[] = {
		{rows, N_OF(rows), &arguments, export_check_arguments, rules},
		epoch_option_table(&arguments.epoch),
		unit_option_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "export",
		.doc = "Convert a result to formats that other programs read. "
		       "FILE is a .json or .csv of c2c, a .csv of another "
		       "tool, or - for standard input.",
		.often = "output csv hwloc nearest per placement threads pack "
			 "spread level help",
		.examples = "c2c export lat.json --nearest 10 --per core\tnear "
			    "CPUs of different cores\n"
			    "c2c export lat.json --placement taskset\twhere to "
			    "run threads\n"
			    "c2c export lat.json --hwloc measured.xml\tthe "
			    "measured topology\n",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "FILE",
		.take = inputs_add,
	};
	int status;
	struct result result;
	struct error err;
	int rc;

	status = options_parse(&command, argc, argv);
	if (status != STATUS_DONE)
		return status;
	arguments.unit.warn_command = arguments.verbosity < 0 ? NULL : "export";
	rc = is_whole_copy(&arguments)
		     ? result_load_whole(&result, *arguments.inputs.paths, &err)
		     : epoch_option_load_result(arguments.epoch,
			       &arguments.unit, *arguments.inputs.paths,
			       &result, &err);
	if (rc < 0) {
		status = cli_fail("export", &err);
	} else {
		status = choose_matrix(&arguments, &result, &err) < 0 ||
					 hide_origin(
						 &arguments, &result, &err) < 0
				 ? cli_fail("export", &err)
				 : export_result_outputs(&arguments, &result);
		if (status == STATUS_DONE && writes_csv(&arguments) &&
			!arguments.matrix && arguments.verbosity >= 0)
			outputs_note_csv("export", &result);
		result_release(&result);
	}
	inputs_release(&arguments.inputs);
	outputs_release(&arguments.outputs);
	outputs_release(&arguments.hwloc);
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "Convert a result: topology, placement, CSV, table",
	.run = run_export,
};
