/*
 * c2c compare of more than two files: a fleet. c2c reads each file, compares it
 * with the first of its kind, and frees it. c2c keeps only the part of each
 * file that the report needs.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/compare/fleet_outliers.h"
#include "cmd/check_status.h"
#include "cmd/cli.h"
#include "cmd/compare/cmd_compare.h"
#include "cmd/compare/compare_report.h"
#include "cmd/compare/compare_side.h"
#include "commands.h"
#include "result/sections.h"
#include "util/progress.h"
#include "util/text.h"

struct fleet_reader {
	struct compare_task *task;
	struct fleet fleet;
	struct compared_file *
		*firsts; /* [fleet.n] the first file of each kind */
	struct arena *arena;
	bool shows_progress;
	enum check_answer worst; /* the worst answer to --threshold */
	bool any_decided;
	const char *doubt; /* the first doubt about any file */
	size_t n_doubtful;
	const char *undecided; /* the first reason for no verdict */
	size_t n_undecided;
};

/* Check all names first, before c2c has read a thousand files. */
static int check_readable(const struct compare_task *task, struct error *err)
{
	const struct inputs *inputs = &task->arguments->inputs;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		struct compare_side_names names;

		if (strcmp(inputs->paths[i], "-") == 0)
			continue;
		rc = compare_side_split_names(inputs->paths[i], &names, err);
		for (size_t k = 0; rc == 0 && k < names.n; k++) {
			const char *section;
			char *file = section_file(names.texts[k], &section);

			if (file && access(file, R_OK) != 0)
				rc = error_set(err, ERROR_FAILURE, errno,
					"'%s' cannot be read: %s", file,
					strerror(errno));
			free(file);
		}
		compare_side_names_release(&names);
	}
	return rc;
}

static void begin_fleet_kind(
	struct fleet_reader *reader, struct compared_file *file)
{
	struct fleet *fleet = &reader->fleet;

	reader->firsts = arena_grow(reader->arena, reader->firsts, fleet->n,
		sizeof(struct compared_file *));
	reader->firsts[fleet->n] = file;
	fleet_add_kind(fleet, &file->side, file->reason, reader->arena);
}

/* Return whether an error only says that the measurements differ. */
static bool is_other_kind(const struct error *err)
{
	return err->class == ERROR_USAGE;
}

/*
 * Compare a file with the first file of each kind until one fits, and add it to
 * that kind. If none fits, begin a new kind.
 */
static int find_kind(struct fleet_reader *reader, struct compared_file *file,
	struct error *err)
{
	const struct compare_task *task = reader->task;
	struct fleet *fleet = &reader->fleet;
	int rc = 0;

	for (size_t k = 0; k < fleet->n; k++) {
		rc = compare_side_with_reference(reader->firsts[k], file,
			task->arguments->by_level, reader->shows_progress, err);

		if (rc == 0) {
			fleet_add_host(&fleet->kinds[k],
				&reader->firsts[k]->side, &file->side,
				&file->comparison, reader->arena);
			return 0;
		}
		if (!is_other_kind(err))
			return rc;
		/* Keep the reason why the reference is of another kind. */
		if (k == 0)
			file->reason = arena_strdup(reader->arena, err->text);
	}
	rc = 0;
	if (!task->arguments->by_level)
		rc = compare_side_find_levels(file, err);
	if (rc == 0)
		begin_fleet_kind(reader, file);
	return rc;
}

/* Collect the notes on a file: threshold, doubt, missing verdict. */
static int collect_file_notes(struct fleet_reader *reader,
	struct compared_file *file, struct error *err)
{
	const struct compare_arguments *arguments = reader->task->arguments;
	const struct compared_file *reference = &reader->task->files[0];
	const char *why = file->reason ? NULL : file->comparison.undecided;
	enum check_answer answer;
	const char *doubt;

	if (!isnan(arguments->threshold.pct)) {
		if (reader->shows_progress)
			progress_clear(stderr);
		answer = threshold_warn(
			&arguments->threshold, file, reader->arena);
		if (answer > reader->worst)
			reader->worst = answer;
	}
	if (why && !reader->undecided)
		reader->undecided = arena_strdup(reader->arena, why);
	reader->n_undecided += why != NULL;
	reader->any_decided |= !file->reason && !why;
	doubt = file->reason ? NULL : file->comparison.doubt;
	if (doubt && !reader->doubt)
		reader->doubt = arena_strdup(reader->arena, doubt);
	reader->n_doubtful += doubt != NULL;
	if (arguments->verbosity > 0 && !file->reason) {
		size_t bytes;
		FILE *out = open_memstream(&file->report, &bytes);

		if (!out)
			return error_no_memory(err, "the report of a file");
		compare_report(out, &reference->side, file, true);
		if (fclose(out) != 0)
			return error_no_memory(err, "the report of a file");
	}
	file->brief = true;
	file->packed = compare_pack(file);
	return file->packed ? 0 : error_no_memory(err, "the comparison");
}

static bool is_first_of_kind(
	const struct fleet_reader *reader, const struct compared_file *file)
{
	return reader->fleet.n > 0 &&
	       reader->firsts[reader->fleet.n - 1] == file;
}

/* Skip a file that is not a record, and continue with the others. */
static int skip_unreadable_file(struct fleet_reader *reader,
	struct compared_file *file, const char *path, struct error *err)
{
	if (err->code == ENOMEM)
		return -ENOMEM;
	file->unread = true;
	fleet_add_unread(&reader->fleet, path, err->text, reader->arena);
	compare_side_close(file);
	if (reader->shows_progress)
		progress_clear(stderr);
	cli_fail("compare", err);
	reader->task->status = STATUS_FAILED;
	return 0;
}

static int read_file(struct fleet_reader *reader, size_t at, struct error *err)
{
	const struct compare_task *task = reader->task;
	const struct compare_arguments *arguments = task->arguments;
	struct compared_file *file = &task->files[at];
	const char *path = arguments->inputs.paths[at];
	int rc = compare_side_open(
		file, &arguments->unit, path, arguments->by_level, err);

	if (rc == 0)
		rc = find_kind(reader, file, err);
	if (rc < 0 && file->side.result && !file->result.bare &&
		is_other_kind(err)) {
		/* The record has no levels, or only one CPU. */
		file->reason = arena_strdup(reader->arena, err->text);
		begin_fleet_kind(reader, file);
		rc = 0;
	}
	if (rc < 0)
		return skip_unreadable_file(reader, file, path, err);
	rc = collect_file_notes(reader, file, err);
	if (!is_first_of_kind(reader, file))
		compare_side_close(file);
	return rc;
}

static int read_fleet_files(struct fleet_reader *reader, struct error *err)
{
	struct compare_task *task = reader->task;
	const struct compare_arguments *arguments = task->arguments;
	int rc = compare_side_open(&task->files[0], &arguments->unit,
		arguments->inputs.paths[0], true, err);

	if (rc == 0)
		begin_fleet_kind(reader, &task->files[0]);
	for (size_t i = 1; rc == 0 && i < task->n; i++) {
		if (reader->shows_progress)
			cli_draw_progress((double)i / (double)task->n,
				"reading the fleet");
		rc = read_file(reader, i, err);
	}
	if (reader->shows_progress)
		progress_clear(stderr);
	return rc;
}

/* Report that no file can be compared with the reference. */
static int refuse_incomparable_fleet(
	const struct fleet_reader *reader, struct error *err)
{
	const struct compare_task *task = reader->task;

	for (size_t i = 1; i < task->n; i++) {
		if (task->files[i].reason)
			return error_set(err, ERROR_USAGE, EINVAL, "%s",
				task->files[i].reason);
	}
	return error_set(err, ERROR_FAILURE, EINVAL,
		"c2c can compare no file with '%s'",
		task->files[0].side.source);
}

static void warn_of_fleet(const struct fleet_reader *reader)
{
	if (reader->task->arguments->verbosity < 0)
		return;
	compare_warn_of_reference(reader->task, reader->any_decided);
	for (size_t i = 0; i < reader->fleet.n; i++) {
		const struct fleet_kind *kind = &reader->fleet.kinds[i];

		for (size_t k = 0; k < kind->n; k++) {
			if (kind->hosts[k].again)
				cli_warn("compare",
					"'%s' is another file of host '%s'; "
					"the host counts once",
					kind->hosts[k].source,
					kind->hosts[k].shown);
		}
	}
}

/* Write files first, in case standard output fails. */
static void show_fleet(struct fleet_reader *reader)
{
	struct compare_task *task = reader->task;
	const struct compare_arguments *arguments = task->arguments;
	struct output_contents contents = {
		.command = "compare",
		.option = "-o",
		.verbosity = arguments->verbosity,
		.fleet = &reader->fleet,
	};
	int status;

	if (arguments->json || arguments->outputs.n > 0)
		contents.json = arena_adopt(reader->arena,
			compare_text(task->files, task->n, &reader->fleet));
	if (!outputs_finish(
		    &arguments->outputs, &contents, arguments->json, &status)) {
		task->status = status == STATUS_DONE ? task->status : status;
		return;
	}
	if (task->status == STATUS_DONE)
		task->status = status;
	compare_report_fleet(&reader->fleet);
	if (reader->n_undecided)
		printf("c2c has no verdict for %zu of %zu files: c2c %s.\n",
			reader->n_undecided, task->n - 1, reader->undecided);
	if (reader->n_doubtful)
		printf("In doubt, %zu of %zu%s: %s.\n", reader->n_doubtful,
			task->n - 1,
			reader->n_doubtful > 1 ? ", the first" : "",
			reader->doubt);
	for (size_t i = 1; i < task->n; i++) {
		if (task->files[i].report)
			printf("\n%s", task->files[i].report);
	}
}

int compare_fleet(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	struct fleet_reader reader = {
		.task = task,
		.arena = arena,
		.shows_progress = task->arguments->verbosity >= 0 &&
				  progress_can_be_drawn(stderr),
	};
	int rc = check_readable(task, err);

	if (rc == 0)
		rc = read_fleet_files(&reader, err);
	if (rc == 0 && reader.fleet.kinds[0].n < 2)
		rc = refuse_incomparable_fleet(&reader, err);
	if (rc < 0)
		return rc;
	fleet_judge(&reader.fleet, arena);
	warn_of_fleet(&reader);
	show_fleet(&reader);
	if (task->status == STATUS_DONE)
		task->status = check_status(
			reader.worst, task->arguments->threshold.strict);
	return 0;
}
