/*
 * c2c measure: several commands one after the other, each in a process of its
 * own, into one record with a section for each. The process of a part prints
 * its report and draws the progress of all; this one has the budget and the
 * files.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cl/cl.h"
#include "cmd/cli.h"
#include "cmd/measure/measure.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/wait_notice.h"
#include "commands.h"
#include "job/job.h"
#include "result/describe.h"
#include "result/file.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/text.h"

/* With --quick, of a command that has no --quick. */
#define BUDGET_FOR_QUICK_S 1.0

/*
 * A part that is asked to end hands over its record within this time; it may
 * itself wait for processes.
 */
#define GRACE_S 20.0

/* What may be a part. */
static const struct {
	const char *command;
	double quick_s; /* the longest --budget with --quick */
	bool has_quick;
} measurable[] = {
	{"latency", BUDGET_FOR_QUICK_S, false},
	{"memcpy", BUDGET_FOR_QUICK_S, false},
	{"queue", BUDGET_FOR_QUICK_S, false},
	{"cache", MEASURE_QUICK_BUDGET_S, true},
	{"contend", MEASURE_QUICK_BUDGET_S, true},
	{"states", BUDGET_FOR_QUICK_S, false},
	{"numa", MEASURE_QUICK_BUDGET_S, true},
	{"cl", TEST_QUICK_BUDGET_S, true},
};

static char *const usual_parts[] = {
	"latency", "+", "cache", "+", "queue", "+", "numa", "+", "contend"};

struct measured_part {
	size_t place;	    /* of its command in measurable */
	char *const *words; /* [n_words] behind the command, borrowed */
	size_t n_words;
	char *text; /* "queue --chunk 512" */
	/* As the check of its options found them; see outputs_pass_check(). */
	double budget_s, repeats;
};

struct measure_arguments {
	double budget_s;
	bool quick, json;
	struct outputs outputs;
	int verbosity;
	struct options_given given;
};

/* All parts, and what came of those that ended. */
struct measured_parts {
	const struct measure_arguments *arguments;
	struct measured_part *parts; /* [n] */
	size_t n;
	struct result result;
	const atomic_bool *stop;
	double begin_s;
	bool complete, interrupted;
	size_t n_lacking; /* parts that the machine cannot do */
	int status;	  /* of the first part that failed */
};

#define AT(member) offsetof(struct measure_arguments, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 1, .help = "How long:"},
	{"budget", OPTION_TIME, "TIME", AT(budget_s),
		.help = "Stop all commands after about this time; each gets an "
			"equal share of what is left (default: each has its "
			"own)",
		.more = "A command with a --budget of its own keeps that, and "
			"the others share the rest. The runs of --runs and the "
			"tests of `cl all` share that of their command. The "
			"first pass of a command always finishes.",
		.within = {0, OPTION_TIME_MAX_S}, .record = "budget_s"},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "A first look: cache, contend, numa and cl with "
			"--quick, the others with a --budget of 1",
		.more = "A --budget for all makes it no longer.",
		.record = "quick"},
	{.kind = OPTION_HEADING, .group = 2, .help = "Output:"},
	{"output", OPTION_OUTPUT, "FILE", AT(outputs),
		.help = "Write FILE, by extension: .json .json.gz .json.zst, "
			"or a page .html; may be given more than once",
		.more = OUTPUTS_NAME, .letter = 'o',
		.choice = OUTPUT_JSON | OUTPUT_PAGE},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON instead of the "
			"reports (as -o - does)"},
};

static int refuse_part(const char *command, struct error *err)
{
	struct text_list list = {.text = NULL};
	char *names;

	for (size_t i = 0; i < N_OF(measurable); i++)
		text_list_add(&list, ", ", "%s", measurable[i].command);
	names = text_list_end(&list);
	error_set(err, ERROR_USAGE, EINVAL,
		command ? "'%s' is no command that measures and ends; expected "
			  "one of %s"
			: "a command is missing before or after a +%.0s; "
			  "expected one of %s",
		command ? command : "", names ? names : "?");
	free(names);
	return -EINVAL;
}

/* Append a part. Its first word is its command. */
static int add_measured_part(struct measured_parts *parts, char *const *words,
	size_t n, struct error *err)
{
	struct measured_part part = {.words = words + 1,
		.n_words = n - 1,
		.budget_s = NAN,
		.repeats = 1};
	struct text_list text = {.text = NULL};

	if (n == 0)
		return refuse_part(NULL, err);
	while (part.place < N_OF(measurable) &&
		strcmp(measurable[part.place].command, *words) != 0)
		part.place++;
	if (part.place == N_OF(measurable))
		return refuse_part(*words, err);
	if (parts->n == SECTIONS_MAX)
		return error_set(err, ERROR_USAGE, EINVAL,
			"more than %d commands", SECTIONS_MAX);
	for (size_t i = 0; i < n; i++)
		text_list_add(&text, " ", "%s", words[i]);
	part.text = text_list_end(&text);
	if (!part.text || !array_grow(&parts->parts, parts->n, sizeof(part))) {
		free(part.text);
		return error_no_memory(err, "the commands");
	}
	parts->parts[parts->n++] = part;
	return 0;
}

static int split_parts(struct measured_parts *parts, char *const *words,
	size_t n, struct error *err)
{
	size_t first = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i <= n; i++) {
		if (i < n && strcmp(words[i], "+") != 0)
			continue;
		rc = add_measured_part(parts, words + first, i - first, err);
		first = i + 1;
	}
	return rc;
}

/* What this part may take of the budget, with those behind it in mind. */
static double share_budget_s(const struct measured_parts *parts, size_t at)
{
	double left_s = parts->arguments->budget_s -
			(timebase_raw_s() - parts->begin_s);
	size_t sharing = 0;

	for (size_t i = at; i < parts->n; i++) {
		const struct measured_part *part = &parts->parts[i];

		if (isnan(part->budget_s))
			sharing++;
		else
			left_s -= part->budget_s * part->repeats;
	}
	return fmax(left_s / (double)sharing, 0) / parts->parts[at].repeats;
}

/* The --budget that a part gets, or NaN. */
static double choose_budget_s(const struct measured_parts *parts, size_t at)
{
	const struct measure_arguments *arguments = parts->arguments;
	const struct measured_part *part = &parts->parts[at];
	double quick_s =
		arguments->quick ? measurable[part->place].quick_s : NAN;

	if (!isnan(part->budget_s))
		return NAN;
	if (option_given(&arguments->given, "budget"))
		return fmin(share_budget_s(parts, at), quick_s);
	return measurable[part->place].has_quick ? NAN : quick_s;
}

/* Run a part, or only check its options; as job_run(). */
static int run_part(const struct measured_parts *parts, size_t at, bool check,
	struct job_outcome *outcome, struct error *err)
{
	const struct measure_arguments *arguments = parts->arguments;
	const struct measured_part *part = &parts->parts[at];
	double budget_s = check ? NAN : choose_budget_s(parts, at);
	char **argv = calloc(part->n_words + 7, sizeof(*argv));
	char section[60], budget[60], nothing[1];
	const struct job job = {
		.child = {.argv = argv,
			.limit_s = INFINITY,
			.grace_s = GRACE_S,
			.stop = parts->stop,
			.text = nothing, /* it writes none */
			.text_bytes = sizeof(nothing),
			.on_halted = wait_notice_on_stopped},
		.who = "it",
		.voice = check		   ? JOB_IS_SILENT
			 : arguments->json ? JOB_SPEAKS
					   : JOB_PRINTS,
	};
	size_t n = 0;
	int rc;

	*outcome = (struct job_outcome){0};
	if (!argv)
		return error_no_memory(err, "the arguments of a part");
	snprintf(section, sizeof(section), "--child-section=%zu:%zu",
		check ? 0 : at + 1, parts->n);
	argv[n++] = "c2c";
	argv[n++] = (char *)measurable[part->place].command;
	/* Behind the section these would be the user's. */
	if (check || arguments->verbosity < 0)
		argv[n++] = "-q";
	else if (arguments->verbosity > 0)
		argv[n++] = "-v";
	/* What the user typed overrides what stands before it. */
	argv[n++] = section;
	if (arguments->quick && measurable[part->place].has_quick)
		argv[n++] = "--quick";
	if (!isnan(budget_s)) {
		snprintf(budget, sizeof(budget), "--budget=%.6f", budget_s);
		argv[n++] = budget;
	}
	memcpy(argv + n, part->words, part->n_words * sizeof(*argv));
	/* Its messages come between ours. */
	fflush(NULL);
	rc = job_run(&job, outcome, err);
	free(argv);
	return rc;
}

/* Whether all parts take their options, before the first is run. */
static int check_parts(struct measured_parts *parts, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < parts->n; i++) {
		struct measured_part *part = &parts->parts[i];
		struct job_outcome outcome;
		struct error why;
		int ended = run_part(parts, i, true, &outcome, &why);
		int status = job_exit_status(&outcome);

		if (ended == 0) {
			const struct facts *found = &outcome.found.facts;

			part->budget_s = facts_number(found, "budget_s");
			part->repeats = facts_number(found, "repeats");
		} else if (outcome.end.stopped) {
			rc = error_set(err, ERROR_FAILURE, EINTR,
				"interrupted before anything was measured; "
				"nothing was written");
		} else if (ended == -ECHILD && status == STATUS_DONE) {
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"%s: with these options it only prints help",
				part->text);
		} else if (status == STATUS_DONE) {
			/* It was not started. */
			*err = why;
			rc = ended;
		} else if (status == STATUS_USAGE) {
			char *text = job_find_failure(&outcome, &why);

			rc = error_set(err, ERROR_USAGE, EINVAL, "%s: %s",
				part->text, text ? text : why.text);
			free(text);
		}
		job_outcome_release(&outcome);
	}
	return rc;
}

/* Save what there is: kill -9 of c2c then loses only the part that runs. */
static void save_so_far(struct measured_parts *parts)
{
	const struct outputs *outputs = &parts->arguments->outputs;
	struct stat status;

	parts->result.elapsed_s = timebase_raw_s() - parts->begin_s;
	parts->result.complete = false;
	for (size_t i = 0; i < outputs->n; i++) {
		const char *path = outputs->paths[i];
		bool there = stat(path, &status) == 0;

		/*
		 * A FIFO or a device takes one record. If none can be written,
		 * that is told in the end.
		 */
		if (output_is_json(path) &&
			(there ? S_ISREG(status.st_mode) : errno == ENOENT))
			result_save(&parts->result, path, NULL);
	}
}

static int skip_part(struct measured_parts *parts, size_t at,
	const char *reason, struct error *err)
{
	const struct measured_part *part = &parts->parts[at];

	return sections_skip(&parts->result, measurable[part->place].command,
		       part->words, part->n_words, reason)
		       ? 0
		       : error_no_memory(err, "the reason of a part");
}

/* Put what came of a part into the record. */
static int take_part(struct measured_parts *parts, size_t at,
	struct job_outcome *outcome, const struct error *why, struct error *err)
{
	int rc = 0, status = job_exit_status(outcome);
	struct result *result = &outcome->result;

	parts->interrupted |= outcome->end.stopped;
	if (outcome->measured) {
		parts->complete &= result->complete;
		for (size_t i = 0; rc == 0 && i < result->cpus.n; i++)
			rc = cpu_list_add(
				&parts->result.cpus, result->cpus.cpus[i], err);
		if (rc == 0 && !sections_add(&parts->result, result))
			rc = error_no_memory(err, "the record of a part");
	} else {
		rc = skip_part(parts, at, why->text, err);
		/* Unless it said so itself, or the user stopped it. */
		if (why->code != ECANCELED && why->code != EINTR)
			cli_notify("measure", "%s: %s", parts->parts[at].text,
				why->text);
		parts->complete &= status == STATUS_UNAVAILABLE;
		/* Status 2 says that nothing was measured. */
		if (status == STATUS_DONE || status == STATUS_USAGE)
			status = STATUS_FAILED;
	}
	/* What a machine lacks is no failure among several. */
	if (status == STATUS_UNAVAILABLE)
		parts->n_lacking++;
	else if (parts->status == STATUS_DONE)
		parts->status = status;
	return rc;
}

static int measure_parts(struct measured_parts *parts, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < parts->n; i++) {
		struct job_outcome outcome;
		struct error why;

		if (atomic_load_explicit(parts->stop, memory_order_relaxed)) {
			parts->interrupted = true;
			parts->complete = false;
			rc = skip_part(parts, i,
				"not run: the interrupt came first", err);
			continue;
		}
		if (!parts->arguments->json)
			printf("%s== %s (%zu of %zu)\n", i ? "\n" : "",
				parts->parts[i].text, i + 1, parts->n);
		run_part(parts, i, false, &outcome, &why);
		rc = take_part(parts, i, &outcome, &why, err);
		job_outcome_release(&outcome);
		if (rc == 0 && parts->result.n_sections > 0 && i + 1 < parts->n)
			save_so_far(parts);
	}
	return rc;
}

/* The record in files; without memory a page fails, and JSON needs none. */
static int save_sections(struct measured_parts *parts)
{
	struct result *result = &parts->result;
	size_t n = result->n_sections, n_skipped = result->n_skipped;
	struct result *whole = calloc(n, sizeof(*whole));
	struct page_input *pages = calloc(n, sizeof(*pages));
	char **skipped = calloc(n_skipped + 1, sizeof(*skipped));
	struct output_contents contents = {.command = "measure",
		.option = "-o",
		.verbosity = parts->arguments->verbosity,
		.result = result,
		.measured = true,
		.interrupted = parts->interrupted,
		.drawn = result,
		.pages = pages};
	int saved;

	plot_options_init(&contents.plot);
	contents.n_pages = whole && pages && skipped ? n : 0;
	for (size_t i = 0; i < contents.n_pages; i++) {
		whole[i] = result->sections[i];
		whole[i].hwloc_xml = result->hwloc_xml;
		pages[i] = (struct page_input){.result = &whole[i],
			.name = section_name(result, i),
			.whole = result};
	}
	for (size_t i = 0; contents.n_pages && i < n_skipped; i++) {
		skipped[i] = text_format("%s: %s", result->skipped[i].command,
			result->skipped[i].reason);
		if (!skipped[i])
			break;
		pages->skipped = skipped;
		pages->n_skipped = i + 1;
	}
	saved = outputs_save(&parts->arguments->outputs, &contents);
	for (size_t i = 0; i < contents.n_pages; i++)
		free((char *)pages[i].name);
	for (size_t i = 0; skipped && i < n_skipped; i++)
		free(skipped[i]);
	free(skipped);
	free(whole);
	free(pages);
	return saved;
}

static int conclude_parts(struct measured_parts *parts, struct error *err)
{
	struct result *result = &parts->result;
	int saved, status = parts->interrupted		   ? STATUS_INTERRUPTED
			    : parts->n_lacking == parts->n ? STATUS_UNAVAILABLE
							   : parts->status;

	if (result->n_sections == 0) {
		cli_notify("measure", "%s; nothing was written",
			parts->interrupted
				? "interrupted before anything was measured"
				: "no command measured anything");
		return status;
	}
	result->run.known = true;
	result->elapsed_s = timebase_raw_s() - parts->begin_s;
	result->complete = parts->complete;
	if (parts->interrupted) {
		static const char warning[] =
			"interrupted: what was measured is kept, marked "
			"incomplete";

		/* Without memory it is said all the same. */
		if (!run_facts_warn(&result->run, warning) ||
			parts->arguments->verbosity >= 0)
			cli_warn("measure", "%s", warning);
	}
	saved = save_sections(parts);
	if (parts->arguments->json &&
		result_write_json(result, stdout, err) < 0)
		saved = cli_fail_output("measure", err);
	/* What was lost counts more than how a part ended. */
	return saved == STATUS_FAILED || status == STATUS_DONE ? saved : status;
}

/* The record around the sections, before there are any. */
static int begin_parts(struct measured_parts *parts, struct error *err)
{
	const struct option_table table = {
		rows, N_OF(rows), (void *)parts->arguments, NULL, NULL};
	const struct cpu_list none = {.n = 0};
	struct machine *machine = NULL;
	struct timebase timebase;
	int rc = outputs_check_writable(&parts->arguments->outputs, "-o", err);

	parts->stop = cli_catch_signals();
	if (rc == 0)
		rc = check_parts(parts, err);
	if (rc == 0)
		rc = machine_new(&machine, err);
	if (rc == 0)
		rc = timebase_init(&timebase, err);
	if (rc == 0)
		rc = describe_result(&parts->result, "measure", &none, machine,
			&timebase, err);
	if (rc == 0) {
		options_record(&table, &parts->result.options);
		if (!option_given(&parts->arguments->given, "budget"))
			facts_set_unknown(&parts->result.options, "budget_s");
	}
	machine_free(machine);
	return rc;
}

static int measure_several(
	const struct measure_arguments *arguments, char *const *words, size_t n)
{
	struct measured_parts parts = {
		.arguments = arguments, .complete = true};
	struct error err;
	int status, rc;

	result_init(&parts.result);
	rc = split_parts(&parts, n ? words : usual_parts,
		n ? n : N_OF(usual_parts), &err);
	if (rc == 0)
		rc = begin_parts(&parts, &err);
	parts.begin_s = timebase_raw_s();
	if (rc == 0)
		rc = measure_parts(&parts, &err);
	status = rc == 0	? conclude_parts(&parts, &err)
		 : rc == -EINTR ? STATUS_INTERRUPTED
				: STATUS_DONE;
	if (rc < 0) {
		int class = cli_fail("measure", &err);

		status = status == STATUS_DONE ? class : status;
	}
	for (size_t i = 0; i < parts.n; i++)
		free(parts.parts[i].text);
	free(parts.parts);
	result_release(&parts.result);
	return status;
}

/* The head of the help, with what may be a part. NULL without memory. */
static char *describe_parts(void)
{
	struct text_list list = {.text = NULL};

	text_list_add(&list, "",
		"Measure with several commands into one record; a + stands "
		"between them. Without a COMMAND: latency, cache, queue, numa "
		"and contend. COMMAND is one of:");
	for (size_t i = 0; i < N_OF(measurable); i++)
		text_list_add(&list, "\n", "  %-9s %s", measurable[i].command,
			command_find(measurable[i].command)->summary);
	return text_list_end(&list);
}

static int run_measure(int argc, char **argv)
{
	struct measure_arguments arguments = {.verbosity = 0};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, NULL, NULL};
	char *doc = describe_parts();
	int first = argc;
	const struct option_command command = {
		.name = "measure",
		.doc = doc ? doc : "Measure with several commands.",
		.often = "output budget quick help",
		.examples = "c2c measure -o all.json\twithout COMMAND, five of "
			    "them\n"
			    "c2c measure -o two.html latency + numa\ttwo "
			    "commands, one page\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "[COMMAND [OPTION...] [+ COMMAND...]...]",
		.first = &first,
	};
	int status = options_parse(&command, argc, argv);

	arguments.json |= arguments.outputs.json;
	if (status == STATUS_DONE)
		status = measure_several(
			&arguments, argv + first, (size_t)(argc - first));
	outputs_release(&arguments.outputs);
	free(doc);
	return status;
}

const struct command cmd_measure = {
	.name = "measure",
	.summary = "Several measurements into one record",
	.run = run_measure,
};
