/*
 * Run several commands (the parts), each in a child process. The process of a
 * part prints the part's report, unless there is a common report, and draws the
 * progress. This process manages the budget and the files.
 */
#include "cmd/measure/measure_several.h"

#include <errno.h>
#include <inttypes.h>
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
#include "util/progress.h"
#include "util/text.h"

/* Budget with --quick for a command without this option. */
#define BUDGET_FOR_QUICK_S 1.0

/*
 * Time for an interrupted part, which may wait for child processes, to pass its
 * record to this process.
 */
#define GRACE_S 20.0

/* Share of a part's time limit for its end. */
#define GRACE_SHARE 0.2

/* Share of the remaining time for a part, unless it is the last part. */
#define LIMIT_SHARE 0.75

/* The commands that c2c measure can run. */
static const struct {
	const char *command;
	double quick_s; /* largest --budget with --quick */
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

struct measured_part {
	size_t place;	    /* index of the command in measurable */
	char *const *words; /* [n_words] after the command, borrowed */
	size_t n_words;
	char *text; /* "queue --chunk 512" */
	/* Set by the check of options; see outputs_pass_check(). */
	double budget_s, repeats;
};

/* All parts, and the results of finished parts. */
struct measured_parts {
	const struct several_options *options;
	struct measured_part *parts; /* [n] */
	size_t n;
	struct result result;
	const atomic_bool *stop;
	double begin_s;
	bool complete, interrupted;
	size_t n_lacking; /* parts that this machine cannot run */
	int status;	  /* status of the first part that failed */
};

static size_t find_measurable(const char *command)
{
	size_t i = 0;

	while (i < N_OF(measurable) &&
		strcmp(measurable[i].command, command) != 0)
		i++;
	return i;
}

static int refuse_part(const char *command, struct error *err)
{
	struct text_list list = {.text = NULL};
	char *names;

	for (size_t i = 0; i < N_OF(measurable); i++)
		text_list_add(&list, ", ", "%s", measurable[i].command);
	names = text_list_end(&list);
	error_set(err, ERROR_USAGE, EINVAL,
		command ? "'%s' is not a command for c2c measure; expected one "
			  "of %s"
			: "a command is missing before or after a +%.0s; "
			  "expected one of %s",
		command ? command : "", names ? names : "?");
	free(names);
	return -EINVAL;
}

/* Append a part; its first word is the command. */
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
	part.place = find_measurable(*words);
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

/* Return the share of the remaining budget for this part. */
static double share_budget_s(const struct measured_parts *parts, size_t at)
{
	double left_s =
		parts->options->budget_s - (timebase_raw_s() - parts->begin_s);
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

/* Return the value of --budget for a part, or NaN: none. */
static double choose_budget_s(const struct measured_parts *parts, size_t at)
{
	const struct several_options *options = parts->options;
	const struct measured_part *part = &parts->parts[at];
	double quick_s = options->quick ? measurable[part->place].quick_s : NAN;

	if (!isnan(part->budget_s))
		return NAN;
	if (!isnan(options->budget_s))
		return fmin(share_budget_s(parts, at), quick_s);
	return measurable[part->place].has_quick ? NAN : quick_s;
}

/* Return the time limit of a part; the last part gets all remaining time. */
static double share_limit_s(const struct measured_parts *parts, size_t at)
{
	double limit_s = parts->options->limit_s;
	double left_s = limit_s - (timebase_raw_s() - parts->begin_s);

	if (limit_s == 0)
		return INFINITY;
	return fmax(at + 1 < parts->n ? LIMIT_SHARE * left_s : left_s, 0);
}

/* Return whether each part prints its report. */
static bool prints_of_parts(const struct several_options *options)
{
	return !options->json && !options->report;
}

/* Run a part like job_run(), or only check its options. */
static int run_part(const struct measured_parts *parts, size_t at, bool check,
	struct job_outcome *outcome, struct error *err)
{
	const struct several_options *options = parts->options;
	const struct measured_part *part = &parts->parts[at];
	double budget_s = check ? NAN : choose_budget_s(parts, at);
	double share_s = check ? INFINITY : share_limit_s(parts, at);
	double grace_s = fmin(GRACE_SHARE * share_s, GRACE_S);
	char **argv = calloc(part->n_words + 7, sizeof(*argv));
	char section[60], budget[60], nothing[1];
	const struct job job = {
		.child = {.argv = argv,
			.limit_s = share_s - grace_s,
			.grace_s = grace_s,
			.stop = parts->stop,
			.text = nothing, /* a part writes no text */
			.text_bytes = sizeof(nothing),
			.on_halted = wait_notice_on_stopped},
		.who = "it",
		.voice = check || options->report   ? JOB_IS_SILENT
			 : prints_of_parts(options) ? JOB_PRINTS
						    : JOB_SPEAKS,
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
	/* Only options after --child-section count as options of the user. */
	if (check || options->verbosity < 0 || options->report)
		argv[n++] = "-q";
	else if (options->verbosity > 0)
		argv[n++] = "-v";
	/* Words of the user override earlier options. */
	argv[n++] = section;
	if (options->quick && measurable[part->place].has_quick)
		argv[n++] = "--quick";
	if (!isnan(budget_s)) {
		snprintf(budget, sizeof(budget), "--budget=%.6f", budget_s);
		argv[n++] = budget;
	}
	memcpy(argv + n, part->words, part->n_words * sizeof(*argv));
	/* Flush, because the part prints messages too. */
	fflush(NULL);
	rc = job_run(&job, outcome, err);
	free(argv);
	return rc;
}

/* Before the first part runs, check that all parts accept their options. */
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
			/* c2c could not start the child process. */
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

/* Save the parts so far: kill -9 of c2c then loses only the current part. */
static void save_so_far(struct measured_parts *parts)
{
	const struct outputs *outputs = &parts->options->outputs;
	struct stat status;

	parts->result.elapsed_s = timebase_raw_s() - parts->begin_s;
	parts->result.complete = false;
	for (size_t i = 0; i < outputs->n; i++) {
		const char *path = outputs->paths[i];
		bool there = stat(path, &status) == 0;

		/*
		 * A FIFO or a device takes only one record. c2c reports
		 * failures at the end.
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

/* Put the result of a part into the record. */
static int take_part(struct measured_parts *parts, size_t at,
	struct job_outcome *outcome, const struct error *why, struct error *err)
{
	int rc = 0, status = job_exit_status(outcome);
	struct result *result = &outcome->result;
	bool late = outcome->end.timed_out;
	char text[64];

	parts->interrupted |= outcome->end.stopped;
	if (outcome->measured) {
		parts->complete &= result->complete;
		for (size_t i = 0; rc == 0 && i < result->cpus.n; i++)
			rc = cpu_list_add(
				&parts->result.cpus, result->cpus.cpus[i], err);
		if (rc == 0 && !sections_add(&parts->result, result))
			rc = error_no_memory(err, "the record of a part");
	} else if (late) {
		snprintf(text, sizeof(text), "no time was left; run c2c %s",
			measurable[parts->parts[at].place].command);
		rc = skip_part(parts, at, text, err);
		parts->complete = false;
	} else {
		rc = skip_part(parts, at, why->text, err);
		/* Print the reason, unless the part has printed it. */
		if (!parts->options->report && why->code != ECANCELED &&
			why->code != EINTR)
			cli_notify(parts->options->command, "%s: %s",
				parts->parts[at].text, why->text);
		parts->complete &= status == STATUS_UNAVAILABLE;
		/* For the user, status 2 would be a usage error. */
		if (status == STATUS_DONE || status == STATUS_USAGE)
			status = STATUS_FAILED;
	}
	/* A late or undecided part is no failure of c2c report. */
	if (late || (parts->options->report && status == STATUS_UNDECIDED))
		status = STATUS_DONE;
	/* A missing feature fails only a run without other parts. */
	if (status == STATUS_UNAVAILABLE)
		parts->n_lacking++;
	else if (parts->status == STATUS_DONE)
		parts->status = status;
	return rc;
}

static void print_part_heading(const struct measured_parts *parts, size_t at)
{
	if (prints_of_parts(parts->options))
		printf("%s== %s (%zu of %zu)\n", at ? "\n" : "",
			parts->parts[at].text, at + 1, parts->n);
}

/* Draw the progress of parts that print no report. */
static void draw_part_progress(const struct measured_parts *parts, size_t at)
{
	const char *command = measurable[parts->parts[at].place].command;
	char *text;

	if (!parts->options->report || parts->options->verbosity < 0 ||
		!progress_can_be_drawn(stderr))
		return;
	text = text_format("%zu of %zu: %s", at + 1, parts->n, command);
	cli_draw_progress((double)at / (double)parts->n, text ? text : command);
	free(text);
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
				"not run, because c2c was interrupted", err);
			continue;
		}
		print_part_heading(parts, i);
		draw_part_progress(parts, i);
		run_part(parts, i, false, &outcome, &why);
		rc = take_part(parts, i, &outcome, &why, err);
		job_outcome_release(&outcome);
		if (rc == 0 && parts->result.n_sections > 0 && i + 1 < parts->n)
			save_so_far(parts);
	}
	return rc;
}

/* Return "FILE:NAME" for section i of a written record, for free(), or NULL. */
static char *name_written_section(const struct several_options *options,
	const struct result *result, size_t i)
{
	const struct outputs *outputs = &options->outputs;
	size_t k = 0;
	char *name, *text;

	while (k < outputs->n && !output_is_json(outputs->paths[k]))
		k++;
	if (k == outputs->n)
		return NULL;
	name = section_name(result, i);
	text = name ? text_format("%s:%s", outputs->paths[k], name) : NULL;
	free(name);
	return text;
}

/*
 * Write the record to files, and print the common report. If memory is out,
 * pages fail.
 */
static int save_sections(struct measured_parts *parts)
{
	const struct several_options *options = parts->options;
	struct result *result = &parts->result;
	size_t n = result->n_sections, n_skipped = result->n_skipped;
	struct result *whole = calloc(n, sizeof(*whole));
	struct page_input *pages = calloc(n, sizeof(*pages));
	char **skipped = calloc(n_skipped + 1, sizeof(*skipped));
	struct output_contents contents = {.command = parts->options->command,
		.option = "-o",
		.verbosity = parts->options->verbosity,
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
			.argument = name_written_section(options, result, i),
			.whole = result,
			.has_answers = parts->options->report};
	}
	for (size_t i = 0; contents.n_pages && i < n_skipped; i++) {
		skipped[i] = text_format("%s: %s", result->skipped[i].command,
			result->skipped[i].reason);
		if (!skipped[i])
			break;
		pages->skipped = skipped;
		pages->n_skipped = i + 1;
	}
	saved = options->report ? options->report(options, &contents, pages)
				: outputs_save(&options->outputs, &contents);
	for (size_t i = 0; i < contents.n_pages; i++) {
		free((char *)pages[i].name);
		free((char *)pages[i].argument);
	}
	for (size_t i = 0; skipped && i < n_skipped; i++)
		free(skipped[i]);
	free(skipped);
	free(whole);
	free(pages);
	return saved;
}

static int output_sections(struct measured_parts *parts, struct error *err)
{
	int saved = save_sections(parts);

	if (parts->options->json &&
		result_write_json(&parts->result, stdout, err) < 0)
		return cli_fail_output(parts->options->command, err);
	return saved;
}

/* Print why a part measured nothing. Skip a repeated reason. */
static void notify_of_skipped(const struct measured_parts *parts, size_t i)
{
	const struct skipped_section *part = &parts->result.skipped[i];

	if (i == 0 || strcmp(part[-1].command, part->command) != 0 ||
		strcmp(part[-1].reason, part->reason) != 0)
		cli_notify(parts->options->command, "%s: %s", part->command,
			part->reason);
}

static int conclude_parts(struct measured_parts *parts, struct error *err)
{
	struct result *result = &parts->result;
	int saved, status = parts->interrupted		   ? STATUS_INTERRUPTED
			    : parts->n_lacking == parts->n ? STATUS_UNAVAILABLE
							   : parts->status;

	if (result->n_sections == 0) {
		/* Parts of a report do not print their reasons. */
		for (size_t i = 0; parts->options->report &&
				   !parts->interrupted && i < result->n_skipped;
			i++)
			notify_of_skipped(parts, i);
		cli_notify(parts->options->command, "%s; nothing was written",
			parts->interrupted
				? "interrupted before anything was measured"
				: "no command measured anything");
		return status == STATUS_DONE ? STATUS_FAILED : status;
	}
	result->run.known = true;
	result->elapsed_s = timebase_raw_s() - parts->begin_s;
	result->complete = parts->complete;
	if (parts->interrupted) {
		static const char warning[] =
			"interrupted: c2c kept the measured values, marked "
			"incomplete";

		/* If memory is out, print the warning. */
		if (!run_facts_warn(&result->run, warning) ||
			parts->options->verbosity >= 0)
			cli_warn(parts->options->command, "%s", warning);
	}
	if (parts->options->report && parts->options->verbosity >= 0 &&
		progress_can_be_drawn(stderr))
		progress_clear(stderr);
	saved = output_sections(parts, err);
	/* A failure to save results matters more than the end of a part. */
	return saved == STATUS_FAILED || status == STATUS_DONE ? saved : status;
}

/* Begin the record that gets the sections. */
static int begin_parts(struct measured_parts *parts, struct error *err)
{
	const struct cpu_list none = {.n = 0};
	struct machine *machine = NULL;
	struct timebase timebase;
	int rc = outputs_check_writable(&parts->options->outputs, "-o", err);

	parts->stop = cli_catch_signals();
	/* The words of c2c report are not from the user. */
	if (rc == 0 && !parts->options->report)
		rc = check_parts(parts, err);
	if (rc == 0)
		rc = machine_new(&machine, err);
	if (rc == 0)
		rc = timebase_init(&timebase, err);
	if (rc == 0)
		rc = describe_result(&parts->result, parts->options->command,
			&none, machine, &timebase, err);
	if (rc == 0) {
		options_record(parts->options->table, &parts->result.options);
		if (facts_find(&parts->result.options, "budget_s") &&
			isnan(parts->options->budget_s))
			facts_set_unknown(&parts->result.options, "budget_s");
	}
	machine_free(machine);
	return rc;
}

int measure_several(
	const struct several_options *options, char *const *words, size_t n)
{
	struct measured_parts parts = {.options = options,
		.begin_s = timebase_raw_s(),
		.complete = true};
	struct error err;
	int status, rc;

	result_init(&parts.result);
	rc = split_parts(&parts, words, n, &err);
	if (rc == 0)
		rc = begin_parts(&parts, &err);
	if (rc == 0)
		rc = measure_parts(&parts, &err);
	status = rc == 0	? conclude_parts(&parts, &err)
		 : rc == -EINTR ? STATUS_INTERRUPTED
				: STATUS_DONE;
	if (rc < 0) {
		int class = cli_fail(options->command, &err);

		status = status == STATUS_DONE ? class : status;
	}
	for (size_t i = 0; i < parts.n; i++)
		free(parts.parts[i].text);
	free(parts.parts);
	result_release(&parts.result);
	return status;
}

void several_list_parts(struct text_list *list)
{
	for (size_t i = 0; i < N_OF(measurable); i++)
		text_list_add(list, "\n", "  %-9s %s", measurable[i].command,
			command_find(measurable[i].command)->summary);
}
