/*
 * c2c analyze: find the groups of CPUs in a matrix, and compare them with the
 * topology of the operating system.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "analyze/caches/sharers.h"
#include "analyze/caches/sharing.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cache/cache_report.h"
#include "cmd/check_status.h"
#include "cmd/cli.h"
#include "cmd/epoch_option.h"
#include "cmd/input_records.h"
#include "cmd/latency/by_line.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/states/cmd_states.h"
#include "cmd/topology_option.h"
#include "commands.h"
#include "figure/view.h"
#include "machine/machine.h"
#include "render/plot.h"
#include "result/file.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/text.h"

struct analyze_arguments {
	struct inputs inputs;
	struct options_given given;
	struct outputs outputs;
	const char *topology;
	bool live, json, audit, strict;
	uint64_t epoch;
	struct unit_choice unit;
	int verbosity;
};

#define AT(member) offsetof(struct analyze_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "Output:"},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Write the analysis (.json), the heatmap with the "
			"groups outlined (.png .svg .pdf) or a page of all "
			"FILEs (.html) to OUT; may be given more than once",
		.more = OUTPUTS_NAME
		" OUT cannot be an input file. Thick lines separate the groups "
		"of the outermost level; thin lines separate the groups "
		"inside. A PNG and a PDF need gnuplot(1).",
		.letter = 'o', .choice = OUTPUT_JSON | OUTPUTS_DRAWN},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the analysis as JSON instead of the report (as "
			"-o - does)"},
	{.kind = OPTION_HEADING, .group = 2, .help = "Reference:"},
	{"topology", OPTION_TEXT, "XML", AT(topology),
		.help = "Use the topology in this XML file of lstopo (default: "
			"the topology in FILE)"},
	{"live", OPTION_FLAG, NULL, AT(live),
		.help = "Compare with the topology of this machine, as it is "
			"now"},
	{"audit", OPTION_FLAG, NULL, AT(audit),
		.help = "Exit with status 3 if the numbers disagree with the "
			"topology or with each other",
		.more = "A FILE without a topology is a usage error, unless it "
			"is a record of caches, which has the values that the "
			"system reports. Numbers disagree with each other if "
			"latencies and slowdowns show different CPUs that "
			"share a cache; see [Sharing]."},
	{"strict", OPTION_FLAG, NULL, AT(strict),
		.help = "With --audit: exit with status 4 if there is no "
			"verdict",
		.more = "See [Agreement]."},
	{"epoch", OPTION_NOTE,
		.more = "The report, picture, JSON and audit cover only epoch "
			"N; see [Epochs]."},
	{"unit", OPTION_NOTE,
		.more = "Without --unit c2c takes rates for latencies, swaps "
			"near and far, and finds no groups."},
	{"verbose", OPTION_NOTE,
		.more = "With -v the report lists all groups, even of very "
			"long levels."},
};

static const struct option_rule rules[] = {
	{"topology", "live", .flaw = " and --live: expected one"},
	{"strict", .without = "audit", .flaw = " needs --audit"},
	{.given = NULL},
};

static int analyze_check_arguments(void *into, struct error *err)
{
	struct analyze_arguments *arguments = into;
	int rc = inputs_check(&arguments->inputs, &arguments->outputs, err);

	arguments->json |= arguments->outputs.json;
	if (rc == 0)
		rc = sections_check_pipes(
			arguments->inputs.paths, arguments->inputs.n, err);
	if (rc < 0)
		return rc;
	if (arguments->epoch && arguments->inputs.n > 1)
		return error_set(
			err, ERROR_USAGE, EINVAL, "--epoch: expected one FILE");
	return arguments->topology
		       ? outputs_check_not_input(&arguments->outputs, "-o",
				 arguments->topology, err)
		       : 0;
}

/* The files of the command line, and their analyses. */
struct analyze_task {
	const struct analyze_arguments *arguments;
	struct input_records records; /* all of them */
	/* Records analysed together; `records` has the results. */
	struct result *results;
	const char **names;
	size_t n;
	const struct result *first; /* the main one */
	struct analysis analysis;
	struct machine *machine; /* topology to compare with, or NULL */
	const char *compared_with;
	bool behind_text;    /* no empty line after the last output */
	bool several_caches; /* the report has several records of caches */
	int status;
};

static int find_reference(struct analyze_task *task, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;
	const char *const *paths = task->names;
	size_t at = 0;
	int rc = 0;

	while (at < task->n && !task->results[at].hwloc_xml)
		at++;
	if ((arguments->live || arguments->topology) &&
		result_is_of_units(task->results))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--%s: '%s' has the compute units of a device, but a "
			"topology has CPUs",
			arguments->live ? "live" : "topology", paths[0]);
	if (arguments->live) {
		task->compared_with = "the topology of this machine";
		rc = machine_new(&task->machine, err);
	} else if (arguments->topology) {
		task->compared_with = arguments->topology;
		rc = topology_load(arguments->topology, &task->machine, err);
	} else if (at < task->n) {
		task->compared_with = "the topology in the file";
		rc = topology_load_embedded(
			&task->results[at], paths[at], &task->machine, err);
	} else if (arguments->audit) {
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--audit: no file has a topology (only .json files of "
			"c2c have one); name one with --topology or --live");
	}
	/* Fewer CPUs: another machine, which c2c reports later. */
	if (rc == 0 && task->machine &&
		machine_facts(task->machine)->online.n > task->first->cpus.n)
		rc = topology_check_cpu_count(task->machine,
			arguments->live ? "--live" : "--topology",
			task->compared_with, task->first, paths[0], err);
	if (rc == 0 && task->machine && arguments->verbosity >= 0)
		topology_warn_of_host("analyze", task->first, task->machine);
	return rc;
}

/* Options for the heatmap of the main matrix, with the groups outlined. */
static struct plot_options analyze_plot_options(
	const struct analyze_task *task, struct arena *arena)
{
	struct plot_options options;
	bool matrices;

	plot_options_init(&options);
	analyze_order_drawing(&task->analysis, &options, arena);
	options.statistic =
		result_find_matrix(task->first, NULL, NULL)->statistic;
	matrices = plot_draws_matrices(task->first, &options);
	/* Curves of cache lines have no order of CPUs. */
	if (!matrices) {
		options.order = PLOT_ORDER_OS;
		options.cpus = NULL;
		options.borders = NULL;
		options.statistic = NULL;
	}
	/* The caption of a picture has only the first doubt. */
	if (matrices && task->first->run.verdict != RUN_SCATTERED &&
		task->first->run.verdict != RUN_DRIFTED)
		options.doubt =
			analyze_describe_left_out(&task->analysis, arena);
	/* Without a machine in the record, the title is the file name. */
	if (!task->first->machine.n)
		options.title = file_base(task->analysis.source);
	return options;
}

/* Describe all files for a page. */
static const struct page_input *list_page_inputs(
	const struct analyze_task *task, struct arena *arena)
{
	const struct input_records *records = &task->records;
	struct page_input *pages =
		arena_alloc(arena, records->n, sizeof(*pages));

	for (size_t i = 0; i < records->n; i++)
		pages[i] = input_records_page(records, i);
	return pages;
}

/* Write files before standard output, which may fail. */
static int show_analysis(
	struct analyze_task *task, struct arena *arena, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;
	const struct output_contents contents = {
		.command = "analyze",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.json = arena_adopt(arena, analysis_text(&task->analysis)),
		.drawn = task->first,
		.plot = analyze_plot_options(task, arena),
		.pages = list_page_inputs(task, arena),
		.n_pages = task->records.n,
	};
	struct plot_terminal terminal = plot_terminal_of(stdout);

	if (!outputs_finish(&arguments->outputs, &contents, arguments->json,
		    &task->status))
		return 0;
	analyze_report(&task->analysis, task->first, task->compared_with,
		sharing_has_slowdowns(task->first)
			? sharing_verdict(task->first, arena)
			: NULL,
		arguments->verbosity > 0, arena);
	task->behind_text =
		task->analysis.compared ||
		task->analysis.verdict == ANALYSIS_VERDICT_CANNOT_TELL;
	/* Write only text to a pipe. */
	if (!terminal.colour && !isatty(STDOUT_FILENO))
		return 0;
	putchar('\n');
	task->behind_text = true;
	return plot_text(PLOT_RECORD(task->first), &contents.plot, &terminal,
		stdout, err);
}

/*
 * Set the exit status of --audit. Print why_unknown even with --quiet, because
 * no output would look like agreement.
 */
static void set_audit_status(
	struct analyze_task *task, bool disagrees, const char *why_unknown)
{
	const struct analyze_arguments *arguments = task->arguments;
	enum check_answer answer = disagrees	 ? CHECK_FAILS
				   : why_unknown ? CHECK_UNKNOWN
						 : CHECK_HOLDS;

	if (!arguments->audit)
		return;
	if (answer == CHECK_UNKNOWN)
		cli_warn("analyze", "cannot tell whether %s is right: %s",
			task->compared_with, why_unknown);
	/* A failed audit of caches counts even if the groups are undecided. */
	if (task->status == STATUS_DONE ||
		(answer == CHECK_FAILS && task->status == STATUS_UNDECIDED))
		task->status = check_status(answer, arguments->strict);
}

/* Return whether the record has inferred caches: c2c cache made it. */
static bool is_of_caches(const struct result *result)
{
	return result->n_matrices == 0 && result->n_caches > 0;
}

/*
 * Return the index of the record of caches if all other files are slowdowns of
 * its levels; n if there is none.
 */
static int find_cache_record(
	const struct analyze_task *task, size_t *found, struct error *err)
{
	const char *const *paths = task->names;

	*found = task->n;
	for (size_t i = 0; i < task->n; i++) {
		if (!is_of_caches(&task->results[i]))
			continue;
		if (*found < task->n)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' and '%s' are both records of caches: "
				"expected one ('c2c compare' compares two)",
				paths[*found], paths[i]);
		*found = i;
	}
	for (size_t i = 0; i < task->n && *found < task->n; i++) {
		if (i != *found && !sharing_has_slowdowns(&task->results[i]))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is a record of caches, which c2c "
				"analyzes only with records of 'c2c cache "
				"--shared LEVEL'; '%s' is another record",
				paths[*found], paths[i]);
	}
	return 0;
}

static int check_cache_record_options(
	const struct analyze_task *task, const char *path, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;

	bool reference = arguments->topology || arguments->live;
	bool section = strcmp(path, "-") != 0 && access(path, F_OK) != 0;

	if (task->n > 1 && reference)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a record of c2c cache, which contains the "
			"system's report; leave out --topology and --live",
			path);
	if (task->n == 1 &&
		(reference || arguments->json || arguments->outputs.n > 0))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a record of c2c cache, which contains its "
			"levels and the system's report; leave out -o, --json, "
			"--topology and --live ('%s%s%s' prints them as JSON, "
			"'c2c plot' draws them)",
			path, section ? "c2c export --json " : "jq .caches ",
			path, section ? " | jq .caches" : "");
	return 0;
}

/* Write the record of caches with the CPUs that share each level. */
static int save_caches(struct analyze_task *task, const struct result *result,
	struct arena *arena, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;
	struct output_contents contents = {
		.command = "analyze",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.result = result,
		.drawn = result,
		.pages = list_page_inputs(task, arena),
		.n_pages = task->records.n,
	};

	plot_options_init(&contents.plot);
	task->status = outputs_save(&arguments->outputs, &contents);
	if (!arguments->json || task->status == STATUS_INTERRUPTED)
		return 0;
	if (result_write_json(result, stdout, err) < 0)
		task->status = cli_fail_output("analyze", err);
	return 0;
}

/* Return whether a level has a measured size and a size from the system. */
static bool caches_are_comparable(const struct result *result)
{
	bool comparable = false;

	for (size_t i = 0; i < result->n_caches; i++) {
		enum cache_verdict verdict = result->caches[i].size_verdict;

		comparable |= verdict == CACHE_SAME || verdict == CACHE_LESS;
	}
	return comparable;
}

static bool caches_differ(const struct result *result)
{
	bool found = false;

	for (size_t i = 0; i < result->n_caches; i++)
		found |= cache_level_differs(&result->caches[i]);
	return found;
}

static void audit_caches(struct analyze_task *task, const struct result *result)
{
	task->compared_with = "the system's report of the caches";
	set_audit_status(task, caches_differ(result),
		caches_are_comparable(result) ? NULL
					      : "c2c could not measure the "
						"size of any cache");
}

/* Print several records of caches, each below its name. */
static void print_named_caches(struct analyze_task *task, size_t i)
{
	if (task->behind_text)
		putchar('\n');
	if (task->several_caches) {
		fputs("== ", stdout);
		text_print_safe(stdout, task->names[i]);
		putchar('\n');
	}
	cache_print(&task->results[i]);
	task->behind_text = true;
}

/*
 * Print the cache levels beside the values that the system reported, and the
 * CPUs that share each level if other files contain them.
 */
static int report_caches(struct analyze_task *task, size_t at,
	struct arena *arena, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;
	const struct result *result = &task->results[at];
	int rc = check_cache_record_options(task, task->names[at], err);

	if (rc == 0)
		rc = outputs_check_writable(&arguments->outputs, "-o", err);
	if (rc == 0 && task->n > 1)
		rc = sharers_fill(
			task->results, task->names, task->n, at, arena, err);
	if (rc == 0)
		rc = save_caches(task, result, arena, err);
	if (rc < 0 || task->status == STATUS_INTERRUPTED)
		return rc;
	if (arguments->verbosity >= 0 && !arguments->json)
		print_named_caches(task, at);
	audit_caches(task, result);
	return 0;
}

static int report_groups(
	struct analyze_task *task, struct arena *arena, struct error *err)
{
	int rc;

	task->first =
		&task->results[analysis_main_index(task->results, task->n)];
	rc = outputs_check_writable(&task->arguments->outputs, "-o", err);
	if (rc == 0)
		rc = find_reference(task, err);
	if (rc == 0)
		rc = analysis_make(task->results, task->names, task->n,
			&task->analysis, err);
	if (rc == 0 && task->machine)
		rc = analysis_compare_topology(
			&task->analysis, task->first, task->machine, err);
	if (rc == 0)
		rc = show_analysis(task, arena, err);
	if (rc == 0)
		set_audit_status(task,
			task->analysis.verdict == ANALYSIS_VERDICT_DISAGREES,
			task->analysis.unknown_reason);
	return rc;
}

/* Print the costs of a record of c2c states, which has no groups. */
static int report_states(
	struct analyze_task *task, struct arena *arena, struct error *err)
{
	const struct analyze_arguments *arguments = task->arguments;
	struct prose prose = {
		.out = stdout, .arena = arena, .columns = STATES_COLUMNS};

	if (arguments->json || arguments->outputs.n > 0 || arguments->audit ||
		arguments->topology || arguments->live)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a record of c2c states, which has no groups "
			"of CPUs; leave out -o, --json, --audit, --topology "
			"and --live ('c2c plot' draws its costs)",
			task->names[0]);
	states_print_prose(&prose, task->results);
	return 0;
}

enum record_use {
	USE_NONE,
	USE_GROUPS,
	USE_CACHES,
	USE_LINES, /* a section about cache lines */
};

/* A file must have groups or caches, but a section may lack both. */
static enum record_use find_use(const struct input_records *records, size_t i)
{
	const struct result *result = &records->results[i];

	if (is_of_caches(result))
		return USE_CACHES;
	if (!records->sections[i])
		return USE_GROUPS;
	if (result->n_line_profiles > 0)
		return USE_LINES;
	return result->n_matrices > 0 && result->cpus.n > 1 &&
			       !result_is_of_nodes(result) &&
			       !result_is_of_units(result)
		       ? USE_GROUPS
		       : USE_NONE;
}

static void choose_record(struct analyze_task *task, size_t i)
{
	task->results[task->n] = task->records.results[i];
	task->names[task->n++] = task->records.names[i];
}

static void choose_groups(
	struct analyze_task *task, const enum record_use *uses)
{
	task->n = 0;
	for (size_t i = 0; i < task->records.n; i++) {
		if (uses[i] == USE_GROUPS)
			choose_record(task, i);
	}
}

/*
 * Sections may have other CPUs than the main record, and in one file even
 * another machine. Slowdowns may have other CPUs too.
 */
static void leave_out_others(
	struct analyze_task *task, enum record_use *uses, struct arena *arena)
{
	static const char *const keys[] = {"hostname", "cpu_model"};
	const struct input_records *records = &task->records;
	size_t main = analysis_main_index(task->results, task->n);
	const struct compare_side first = {
		.result = &task->results[main], .source = task->names[main]};
	size_t at = 0;

	while (records->names[at] != first.source)
		at++;
	for (size_t i = 0; i < records->n; i++) {
		const struct compare_side side = {
			.result = &records->results[i],
			.source = records->names[i]};
		const char *advice =
			arena_format(arena, "'%s' is left out", side.source);
		bool other_machine;
		struct error err;

		if (uses[i] != USE_GROUPS || !records->sections[i])
			continue;
		other_machine = analysis_check_same_machine(
					&first, &side, keys, advice, &err) < 0;
		if (other_machine && !input_records_same_file(records, at, i))
			continue;
		if (!other_machine &&
			(sharing_has_slowdowns(side.result) ||
				analysis_check_same_cpus(&first, &side, keys,
					advice, &err) == 0))
			continue;
		uses[i] = USE_NONE;
		if (task->arguments->verbosity >= 0)
			cli_notify("analyze", "note: %s", err.text);
	}
}

/* Print the caches of record i, with the CPUs that share them. */
static void report_caches_beside(struct analyze_task *task, size_t i,
	const enum record_use *uses, struct arena *arena)
{
	struct error err;

	task->n = 0;
	choose_record(task, i);
	for (size_t k = 0; k < task->records.n; k++) {
		if (uses[k] == USE_GROUPS &&
			sharing_has_slowdowns(&task->records.results[k]))
			choose_record(task, k);
	}
	if (task->n > 1 &&
		sharers_fill(task->results, task->names, task->n, 0, arena,
			&err) < 0 &&
		task->arguments->verbosity >= 0)
		cli_notify("analyze",
			"note: c2c cannot find which CPUs share caches: %s",
			err.text);
	if (!task->arguments->json)
		print_named_caches(task, 0);
	audit_caches(task, &task->results[0]);
}

/* Print whether the cache lines of pairs differ, below the section's name. */
static void report_lines(
	struct analyze_task *task, size_t i, struct arena *arena)
{
	struct prose prose = {.out = stdout, .arena = arena};

	if (task->arguments->json)
		return;
	if (task->behind_text)
		putchar('\n');
	fputs("== ", stdout);
	text_print_safe(stdout, task->records.names[i]);
	putchar('\n');
	by_line_print_prose(&prose, &task->records.results[i]);
	task->behind_text = true;
}

/*
 * Analyse the sections with groups together, then each section with caches or
 * lines.
 */
static int analyze_sections(
	struct analyze_task *task, struct arena *arena, struct error *err)
{
	const struct input_records *records = &task->records;
	enum record_use *uses = arena_alloc(arena, records->n, sizeof(*uses));
	size_t n_caches = 0;
	bool groups, lines = false;
	int rc = 0;

	for (size_t i = 0; i < records->n; i++) {
		uses[i] = find_use(records, i);
		lines |= uses[i] == USE_LINES;
		n_caches += uses[i] == USE_CACHES;
	}
	task->several_caches = n_caches > 1;
	choose_groups(task, uses);
	groups = task->n > 0;
	if (groups) {
		leave_out_others(task, uses, arena);
		choose_groups(task, uses);
		rc = report_groups(task, arena, err);
	}
	for (size_t i = 0;
		rc == 0 && i < records->n && task->status != STATUS_INTERRUPTED;
		i++) {
		if (uses[i] == USE_LINES)
			report_lines(task, i, arena);
		if (uses[i] != USE_CACHES)
			continue;
		if (groups) {
			report_caches_beside(task, i, uses, arena);
			continue;
		}
		task->n = 0;
		choose_record(task, i);
		rc = report_caches(task, 0, arena, err);
	}
	/* The verdict on cache lines is only text. */
	lines &= !task->arguments->json && task->arguments->outputs.n == 0;
	if (task->n == 0 && !lines)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s': no section has pairs of CPUs or caches: measure "
			"with 'c2c latency'",
			task->arguments->inputs.paths[0]);
	return rc;
}

/* Replace the only record by the requested epoch. */
static int extract_epoch(struct analyze_task *task, struct error *err)
{
	struct input_records *records = &task->records;
	uint64_t epoch = task->arguments->epoch;
	int rc = epoch ? input_records_check_one(records, "--epoch", err) : 0;

	return rc < 0 || !epoch ? rc
				: epoch_option_extract(epoch, records->names[0],
					  &records->results[0], err);
}

static int analyze_inputs(struct arena *arena, void *context, struct error *err)
{
	struct analyze_task *task = context;
	const struct inputs *inputs = &task->arguments->inputs;
	struct input_records *records = &task->records;
	bool sections = false;
	size_t at;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < inputs->n; i++)
		rc = input_records_load(
			records, &task->arguments->unit, inputs->paths[i], err);
	if (rc == 0)
		rc = extract_epoch(task, err);
	if (rc < 0)
		return rc;
	if (task->arguments->verbosity >= 0)
		input_records_note_skipped(records, "analyze");
	task->results = arena_alloc(arena, records->n, sizeof(*task->results));
	task->names = arena_alloc(arena, records->n, sizeof(*task->names));
	for (size_t i = 0; i < records->n; i++) {
		choose_record(task, i);
		sections |= records->sections[i] != NULL;
	}
	if (sections && records->n > 1)
		return analyze_sections(task, arena, err);
	if (task->n == 1 && text_same(task->results->command, "states"))
		return report_states(task, arena, err);
	rc = find_cache_record(task, &at, err);
	if (rc < 0)
		return rc;
	return at < task->n ? report_caches(task, at, arena, err)
			    : report_groups(task, arena, err);
}

static int run_analyze(int argc, char **argv)
{
	struct analyze_arguments arguments = {.inputs.several = true};
	const struct option_table tables[] = {
		{rows, N_OF(rows), &arguments, analyze_check_arguments, rules},
		epoch_option_table(&arguments.epoch),
		unit_option_table(&arguments.unit),
	};
	const struct option_command command = {
		.name = "analyze",
		.doc = "Find the groups of CPUs in a measurement, say how "
		       "certain they are, and check the topology against them. "
		       "FILE is a .json or .csv of c2c, a .csv of another "
		       "tool, or - for standard input. Several FILEs must be "
		       "of one machine; c2c analyses them together.",
		.often = "output audit live strict topology epoch help",
		.examples = "c2c analyze lat.json\tgroups of CPUs, and the "
			    "topology\n"
			    "c2c analyze lat.json --audit\tstatus 3 if they "
			    "disagree\n"
			    "c2c analyze lat.json -o groups.png\ta heatmap, "
			    "groups outlined\n",
		.tables = tables,
		.n_tables = sizeof(tables) / sizeof(*tables),
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "FILE...",
		.take = inputs_add,
	};
	struct analyze_task task = {.arguments = &arguments};
	struct arena arena = {0};
	struct error err;

	task.status = options_parse(&command, argc, argv);
	if (task.status != STATUS_DONE)
		return task.status;
	arguments.unit.warn_command =
		arguments.verbosity < 0 ? NULL : "analyze";
	if (arena_run(&arena, analyze_inputs, &task, "the analysis", &err) < 0)
		task.status = cli_fail("analyze", &err);
	analysis_release(&task.analysis);
	machine_free(task.machine);
	input_records_release(&task.records);
	arena_release(&arena);
	inputs_release(&arguments.inputs);
	outputs_release(&arguments.outputs);
	return task.status;
}

const struct command cmd_analyze = {
	.name = "analyze",
	.summary = "Find groups of CPUs; check the topology of a machine or VM",
	.run = run_analyze,
};
