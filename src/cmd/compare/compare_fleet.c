/*
 * c2c compare of more than two files: a fleet. Each file is read, compared with
 * the first of its kind, and released, so that a thousand need no more memory
 * than what the report says of them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/fleet_outliers.h"
#include "cmd/cli.h"
#include "cmd/compare/cmd_compare.h"
#include "cmd/compare/compare_report.h"
#include "cmd/compare/compare_side.h"
#include "commands.h"
#include "plot/plot.h"
#include "util/progress.h"
#include "util/text.h"

/* The fleet while it is read. */
struct reading {
	struct compare_task *task;
	struct fleet fleet;
	struct compared **firsts; /* [fleet.n] the first file of each kind */
	struct arena *arena;
	bool watched; /* draw how far it is */
	struct threshold_found found;
	bool any_decided;
	const char *doubt; /* of the first file that has one */
	size_t n_doubtful;
	const char *undecided; /* why the first has no verdict */
	size_t n_undecided;
};

/* A name with a typing error ends c2c before it has read a thousand files. */
static int check_readable(const struct compare_task *task, struct error *err)
{
	const struct inputs *inputs = &task->arguments->inputs;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < inputs->n; i++) {
		struct side_names names;

		if (strcmp(inputs->paths[i], "-") == 0)
			continue;
		rc = side_names_of(inputs->paths[i], &names, err);
		for (size_t k = 0; rc == 0 && k < names.n; k++) {
			if (access(names.texts[k], R_OK) != 0)
				rc = error_set(err, ERROR_FAILURE, errno,
					"'%s' cannot be read: %s",
					names.texts[k], strerror(errno));
		}
		side_names_release(&names);
	}
	return rc;
}

static void show(const struct reading *reading, size_t done)
{
	const struct compare_task *task = reading->task;

	if (reading->watched)
		progress_draw(stderr, plot_terminal_of(stderr).columns,
			(double)done / (double)task->n, "reading the fleet");
}

static void begin_kind(struct reading *reading, struct compared *file)
{
	struct fleet *fleet = &reading->fleet;

	reading->firsts = arena_grow(reading->arena, reading->firsts, fleet->n,
		sizeof(struct compared *));
	reading->firsts[fleet->n] = file;
	fleet_add_kind(fleet, &file->side, file->reason, reading->arena);
}

/* Whether an error says that two files are not of one thing, no more. */
static bool is_other_kind(const struct error *err)
{
	return err->class == ERROR_USAGE;
}

/*
 * Compare a file with the first of each kind until one fits, and add it there.
 * If none does, it begins a kind.
 */
static int find_kind(
	struct reading *reading, struct compared *file, struct error *err)
{
	const struct compare_task *task = reading->task;
	struct fleet *fleet = &reading->fleet;
	int rc = 0;

	for (size_t k = 0; k < fleet->n; k++) {
		rc = side_compare(reading->firsts[k], file,
			task->arguments->by_level, reading->watched, err);

		if (rc == 0) {
			fleet_add_host(&fleet->kinds[k],
				&reading->firsts[k]->side, &file->side,
				&file->comparison, reading->arena);
			return 0;
		}
		if (!is_other_kind(err))
			return rc;
		/* Why it cannot be compared with the reference. */
		if (k == 0)
			file->reason = arena_text(reading->arena, err->text);
	}
	rc = 0;
	if (!task->arguments->by_level)
		rc = side_find_levels(file, err);
	if (rc == 0)
		begin_kind(reading, file);
	return rc;
}

/* What is said of a file beside its place in the fleet. */
static int tell_file(
	struct reading *reading, struct compared *file, struct error *err)
{
	const struct compare_arguments *arguments = reading->task->arguments;
	const struct compared *reference = &reading->task->files[0];
	const char *why = file->reason ? NULL : file->comparison.undecided;
	const char *doubt;

	if (!isnan(arguments->threshold.pct)) {
		if (reading->watched)
			progress_clear(stderr);
		threshold_judge(&arguments->threshold, file, &reading->found);
	}
	if (why && !reading->undecided)
		reading->undecided = arena_text(reading->arena, why);
	reading->n_undecided += why != NULL;
	reading->any_decided |= !file->reason && !why;
	doubt = file->reason ? NULL : file->comparison.doubt;
	if (doubt && !reading->doubt)
		reading->doubt = arena_text(reading->arena, doubt);
	reading->n_doubtful += doubt != NULL;
	if (arguments->verbosity > 0 && !file->reason) {
		size_t bytes;
		FILE *out = open_memstream(&file->report, &bytes);

		if (!out)
			return error_no_memory(err, "the report of a file");
		compare_report(out, &reference->side, file, true);
		if (fclose(out) != 0)
			return error_no_memory(err, "the report of a file");
	}
	file->packed = compare_pack(file, false);
	return file->packed ? 0 : error_no_memory(err, "the comparison");
}

static bool begins_kind(
	const struct reading *reading, const struct compared *file)
{
	return reading->fleet.n > 0 &&
	       reading->firsts[reading->fleet.n - 1] == file;
}

/* A file that is no record costs no other one. */
static int leave_out(struct reading *reading, struct compared *file,
	const char *path, struct error *err)
{
	if (err->code == ENOMEM)
		return -ENOMEM;
	file->unread = true;
	fleet_add_unread(&reading->fleet, path, err->text, reading->arena);
	side_close(file);
	if (reading->watched)
		progress_clear(stderr);
	cli_fail("compare", err);
	reading->task->status = STATUS_FAILED;
	return 0;
}

static int read_file(struct reading *reading, size_t at, struct error *err)
{
	const struct compare_task *task = reading->task;
	const struct compare_arguments *arguments = task->arguments;
	struct compared *file = &task->files[at];
	const char *path = arguments->inputs.paths[at];
	int rc = side_open(
		file, &arguments->unit, path, arguments->by_level, err);

	if (rc == 0)
		rc = find_kind(reading, file, err);
	if (rc < 0 && file->side.result && !file->result.bare &&
		is_other_kind(err)) {
		/* A record that has no levels, or one CPU. */
		file->reason = arena_text(reading->arena, err->text);
		begin_kind(reading, file);
		rc = 0;
	}
	if (rc < 0)
		return leave_out(reading, file, path, err);
	rc = tell_file(reading, file, err);
	if (!begins_kind(reading, file))
		side_close(file);
	return rc;
}

static int read_all(struct reading *reading, struct error *err)
{
	struct compare_task *task = reading->task;
	const struct compare_arguments *arguments = task->arguments;
	int rc = side_open(&task->files[0], &arguments->unit,
		arguments->inputs.paths[0], true, err);

	if (rc == 0)
		begin_kind(reading, &task->files[0]);
	for (size_t i = 1; rc == 0 && i < task->n; i++) {
		show(reading, i);
		rc = read_file(reading, i, err);
	}
	if (reading->watched)
		progress_clear(stderr);
	return rc;
}

/* Not one of the files can be compared with the reference. */
static int refuse(const struct reading *reading, struct error *err)
{
	const struct compare_task *task = reading->task;

	for (size_t i = 1; i < task->n; i++) {
		if (task->files[i].reason)
			return error_set(err, ERROR_USAGE, EINVAL, "%s",
				task->files[i].reason);
	}
	return error_set(err, ERROR_FAILURE, EINVAL,
		"no file is left to compare with '%s'",
		task->files[0].side.source);
}

static void warn(const struct reading *reading)
{
	if (reading->task->arguments->verbosity < 0)
		return;
	compare_warn_of_reference(reading->task, reading->any_decided);
	for (size_t i = 0; i < reading->fleet.n; i++) {
		const struct fleet_kind *kind = &reading->fleet.kinds[i];

		for (size_t k = 0; k < kind->n; k++) {
			if (kind->hosts[k].again)
				cli_warn("compare",
					"'%s' is of host '%s' too, which "
					"counts once",
					kind->hosts[k].source,
					kind->hosts[k].shown);
		}
	}
}

/* Write files first, in case standard output fails. */
static void show_fleet(struct reading *reading)
{
	struct compare_task *task = reading->task;
	const struct compare_arguments *arguments = task->arguments;
	struct output_contents contents = {
		.command = "compare",
		.option = "-o",
		.verbosity = arguments->verbosity,
	};
	int status;

	if (arguments->json || arguments->outputs.n > 0)
		contents.json = arena_adopt(reading->arena,
			fleet_text(&reading->fleet, task->files, task->n));
	contents.fleet = contents.json;
	if (!outputs_finish(
		    &arguments->outputs, &contents, arguments->json, &status)) {
		task->status = status == STATUS_DONE ? task->status : status;
		return;
	}
	if (task->status == STATUS_DONE)
		task->status = status;
	compare_report_fleet(&reading->fleet);
	if (reading->n_undecided)
		printf("Without a verdict, %zu of %zu: a change %s.\n",
			reading->n_undecided, task->n - 1, reading->undecided);
	if (reading->n_doubtful)
		printf("In doubt, %zu of %zu%s: %s.\n", reading->n_doubtful,
			task->n - 1,
			reading->n_doubtful > 1 ? ", the first" : "",
			reading->doubt);
	for (size_t i = 1; i < task->n; i++) {
		if (task->files[i].report)
			printf("\n%s", task->files[i].report);
	}
}

int compare_fleet(
	struct compare_task *task, struct arena *arena, struct error *err)
{
	struct reading reading = {
		.task = task,
		.arena = arena,
		.watched = task->arguments->verbosity >= 0 &&
			   progress_can_be_drawn(stderr),
	};
	int rc = check_readable(task, err);

	if (rc == 0)
		rc = read_all(&reading, err);
	if (rc == 0 && reading.fleet.kinds[0].n < 2)
		rc = refuse(&reading, err);
	if (rc < 0)
		return rc;
	fleet_judge(&reading.fleet, arena);
	warn(&reading);
	show_fleet(&reading);
	if (task->status == STATUS_DONE)
		task->status = threshold_status(
			&task->arguments->threshold, &reading.found);
	return 0;
}
