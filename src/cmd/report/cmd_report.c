/*
 * c2c report: measure this machine as c2c measure does, and report which CPUs
 * are near each other and where to run threads.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/cpus_share.h"
#include "cmd/cli.h"
#include "cmd/input_records.h"
#include "cmd/measure/measure_several.h"
#include "cmd/record_groups.h"
#include "cmd/report/report_answers.h"
#include "commands.h"
#include "util/array.h"

/* Time limits: a minute, or 15 s, less the time to write the report. */
#define LIMIT_S	      55.0
#define QUICK_LIMIT_S 13.0

struct report_arguments {
	struct inputs inputs;
	struct several_options several;
};

/* 30 passes of c2c states take about a second. */
static char *const parts[] = {"latency", "--all-pairs", "+", "latency",
	"--by-line", "+", "states", "--passes", "30:30", "+", "cache", "+",
	"numa"};

/* Only measurements for the text; others are only figures of a page. */
static char *const quick_parts[] = {"latency", "--all-pairs", "+", "cache",
	"--latency", "+", "numa", "--latency", "--bandwidth"};

#define AT(member) offsetof(struct report_arguments, several.member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "How long:"},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "Measure for about 10 seconds, not up to a minute",
		.more = "A quick run has wider intervals, and may not find "
			"every cache or level. c2c does not measure single "
			"cache lines, the cost of lines by state, rates over "
			"the size of the working set or latency under load.",
		.record = "quick"},
	{"limit", OPTION_TIME, "TIME", AT(limit_s),
		.help = "End all measurements after this time (default 55s, "
			"with --quick 13s)",
		.more = "Each command may take three quarters of the remaining "
			"time, and the last command all of it. When this time "
			"ends, the report has the values measured so far, or "
			"says that the command had no time.",
		.within = {0.001, OPTION_TIME_MAX_S}, .record = "limit_s"},
	{.kind = OPTION_HEADING, .group = 2, .help = "Output:"},
	{"output", OPTION_OUTPUT, "OUT", AT(outputs),
		.help = "Write OUT, by extension: a page .html with the "
			"answers and all figures, or the record .json .json.gz "
			".json.zst; may be given more than once",
		.more = OUTPUTS_NAME " With FILE, OUT must be a page.",
		.letter = 'o', .choice = OUTPUT_JSON | OUTPUT_PAGE},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON instead of the "
			"report (as -o - does)"},
};

static int check_report_arguments(void *into, struct error *err)
{
	struct report_arguments *arguments = into;
	struct several_options *several = &arguments->several;

	several->json |= several->outputs.json;
	if (arguments->inputs.n == 0) {
		if (several->limit_s == 0)
			several->limit_s =
				several->quick ? QUICK_LIMIT_S : LIMIT_S;
		return 0;
	}
	if (several->quick || several->limit_s > 0 || several->json ||
		outputs_have_data(&several->outputs))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a record, so c2c measures nothing: leave out "
			"--quick, --limit, --json and any -o except a page "
			".html",
			arguments->inputs.paths[0]);
	return inputs_check(&arguments->inputs, &several->outputs, err);
}

struct shown_records {
	struct page_input *records; /* [n] */
	size_t n;
	struct record_groups groups; /* groups of the latencies */
};

static int find_groups(struct arena *arena, void *context, struct error *err)
{
	struct shown_records *shown = context;
	struct page_input *record = shown->records;
	size_t i = 0;

	(void)err;
	while (i < shown->n && !share_has_latencies(record[i].result))
		i++;
	if (i < shown->n) {
		record_groups_init(&record[i], 1, arena, &shown->groups);
		record[i].groups = &shown->groups;
	}
	return 0;
}

static int print_answers(struct arena *arena, void *context, struct error *err)
{
	const struct shown_records *shown = context;
	struct prose prose = {.out = stdout, .arena = arena, .columns = 11};

	(void)err;
	report_print_answers(&prose, shown->records, shown->n);
	return 0;
}

/* Analyse the latencies once, write the outputs and print the report. */
static int show_records(const struct several_options *several,
	const struct output_contents *contents, struct page_input *records)
{
	struct shown_records shown = {records, contents->n_pages, {0}};
	struct arena arena = {0};
	struct error err;
	int saved, rc = 0;

	/* If memory is out here, each output repeats the analysis, or fails. */
	if (!several->json || several->outputs.n > 0)
		arena_run(&arena, find_groups, &shown, "the groups", &err);
	saved = outputs_save(&several->outputs, contents);
	if (!several->json && saved != STATUS_INTERRUPTED)
		rc = shown.n ? arena_run(&arena, print_answers, &shown,
				       "the report", &err)
			     : error_no_memory(&err, "the report");
	if (rc < 0)
		rc = cli_fail("report", &err);
	record_groups_release(&shown.groups);
	arena_release(&arena);
	return saved == STATUS_DONE ? rc : saved;
}

static int report_file(const struct report_arguments *arguments)
{
	static const struct unit_choice unit = {.unit = NULL};
	const struct several_options *several = &arguments->several;
	struct output_contents contents = {.command = "report",
		.option = "-o",
		.verbosity = several->verbosity};
	struct input_records records = {.n = 0};
	struct page_input *pages = NULL;
	struct error err;
	int status, rc = outputs_check_writable(&several->outputs, "-o", &err);

	if (rc == 0)
		rc = input_records_load(
			&records, &unit, arguments->inputs.paths[0], &err);
	if (rc == 0) {
		pages = calloc(records.n, sizeof(*pages));
		if (!pages)
			rc = error_no_memory(&err, "the report");
	}
	for (size_t i = 0; rc == 0 && i < records.n; i++) {
		pages[i] = input_records_page(&records, i);
		pages[i].has_answers = true;
	}
	plot_options_init(&contents.plot);
	contents.drawn = records.results;
	contents.pages = pages;
	contents.n_pages = records.n;
	status = rc != 0 ? cli_fail("report", &err)
			 : show_records(several, &contents, pages);
	free(pages);
	input_records_release(&records);
	return status;
}

static int run_report(int argc, char **argv)
{
	struct report_arguments arguments = {.several = {.command = "report",
						     .budget_s = NAN,
						     .report = show_records}};
	struct options_given given = {0};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, check_report_arguments, NULL};
	const struct option_command command = {
		.name = "report",
		.doc = "Measure this machine and report where to run threads, "
		       "which CPUs are near each other and whether they stay "
		       "near, the cost of a line of another CPU, the caches, "
		       "the memory, and oddities. With FILE, the record of an "
		       "earlier report, c2c prints that report.",
		.often = "output quick json help",
		.examples = "c2c report\tup to a minute\n"
			    "c2c report --quick -o machine.html\ta page, too\n"
			    "c2c report machine.json\tprint a record again\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.several.verbosity,
		.given = &given,
		.arguments = "[FILE]",
		.take = inputs_add,
	};
	int status = options_parse(&command, argc, argv);

	arguments.several.table = &table;
	if (status == STATUS_DONE)
		status = arguments.inputs.n ? report_file(&arguments)
			 : arguments.several.quick
				 ? measure_several(&arguments.several,
					   quick_parts, N_OF(quick_parts))
				 : measure_several(&arguments.several, parts,
					   N_OF(parts));
	inputs_release(&arguments.inputs);
	outputs_release(&arguments.several.outputs);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "This machine, and where to run threads (start here)",
	.run = run_report,
};
