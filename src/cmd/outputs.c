#include "cmd/outputs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/wait_notice.h"
#include "commands.h"
#include "job/job.h"
#include "render/plot.h"
#include "result/file.h"
#include "result/sections.h"
#include "util/array.h"
#include "util/text.h"

bool output_is_json(const char *path)
{
	enum file_format format;

	return file_format_of(path, &format, NULL) == 0 && format == FILE_JSON;
}

bool output_is_picture(const char *path)
{
	return plot_picture_kind(path) || page_has_extension(path);
}

static int check_output_kind(
	const char *path, unsigned kinds, struct error *err)
{
	enum file_format format;
	int rc;

	if (kinds & OUTPUT_TEXT)
		return 0;
	if ((kinds & OUTPUT_PICTURE) && plot_picture_kind(path))
		return 0;
	if ((kinds & OUTPUT_PAGE) && page_has_extension(path))
		return 0;
	if ((kinds & OUTPUT_JSON) && output_is_json(path))
		return 0;
	if (kinds & OUTPUT_RESULT) {
		rc = file_format_of(path, &format, err);
		if (rc < 0 && (kinds & OUTPUT_PICTURE))
			error_set(err, err->class, err->code,
				"%s (.png, .svg or .pdf for a picture, .gp for "
				"its script, .md for tables, .html for a page)",
				err->text);
		return rc;
	}
	if (kinds == OUTPUTS_DRAWN && file_format_of(path, &format, NULL) == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is no picture: 'c2c export' writes this format",
			path);
	if (kinds == (OUTPUT_JSON | OUTPUT_PAGE))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' does not end in .json, .json.gz, .json.zst or "
			".html, which hold several measurements; 'c2c plot "
			"FILE.json:NAME -o FILE.png' draws the measurement of "
			"command NAME, and 'c2c export' writes its tables",
			path);
	if (kinds == OUTPUT_JSON)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' does not end in .json, .json.gz or .json.zst",
			path);
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' does not end in %s.png, .svg, .pdf, .gp%s", path,
		kinds & OUTPUT_JSON ? ".json, .json.gz, .json.zst, " : "",
		kinds & OUTPUT_PAGE ? ", .md or .html" : " or .md");
}

/* Append a path, and take it over on success. */
static int append_output_path(
	struct outputs *outputs, char *path, struct error *err)
{
	for (size_t i = 0; i < outputs->n; i++) {
		if (file_same(outputs->paths[i], path))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
	}
	if (!array_grow(&outputs->paths, outputs->n, sizeof(path)))
		return error_no_memory(err, "the outputs");
	outputs->paths[outputs->n++] = path;
	return 0;
}

/* Write only JSON to standard output: a picture would end on a terminal. */
static int add_standard_output(
	struct outputs *outputs, unsigned kinds, struct error *err)
{
	if (!(kinds & (OUTPUT_JSON | OUTPUT_RESULT)))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'-' is standard output, but a picture needs a file: "
			"name one that ends in .png, .svg, .pdf, .gp%s",
			kinds & OUTPUT_PAGE ? ", .md or .html" : " or .md");
	if (outputs->json)
		return error_set(
			err, ERROR_USAGE, EINVAL, "'-' is given twice");
	outputs->json = true;
	return 0;
}

int outputs_add(struct outputs *outputs, const char *text, unsigned kinds,
	struct error *err)
{
	char *path;
	int rc;

	if (strcmp(text, "-") == 0)
		return add_standard_output(outputs, kinds, err);
	path = cli_output_name(text, err);
	rc = path ? check_output_kind(path, kinds, err) : -EINVAL;

	if (rc == 0)
		rc = append_output_path(outputs, path, err);
	if (rc < 0)
		free(path);
	return rc;
}

void outputs_release(struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++)
		free(outputs->paths[i]);
	free(outputs->paths);
	*outputs = (struct outputs){0};
}

int outputs_begin_section(
	struct outputs *outputs, const char *command, struct error *err)
{
	if (!outputs->section.max)
		return 0;
	if (!job_open_pipe(err))
		return -err->code;
	/* Let a child in another process group print on the terminal. */
	signal(SIGTTOU, SIG_IGN);
	cli_begin_section(command, outputs->section.min, outputs->section.max);
	return 0;
}

bool outputs_are_checked(const struct outputs *outputs)
{
	return outputs->section.max && !outputs->section.min;
}

/* Pass the report to the parent process. Return an enum exit_status. */
static int leave_report(const char *command, const struct job_report *report)
{
	struct error err;

	return job_store_report(report, &err) < 0 ? cli_fail(command, &err)
						  : STATUS_DONE;
}

int outputs_hand_over(const char *command, const struct result *result)
{
	return leave_report(command,
		&(struct job_report){.result = result, .is_complete = true});
}

int outputs_pass_check(const char *command, double budget_s, uint64_t repeats)
{
	struct record found = {0};
	int status;

	if (!isnan(budget_s))
		facts_set_number(&found.facts, "budget_s", budget_s);
	facts_set_number(&found.facts, "repeats", (double)repeats);
	status = leave_report(command, &(struct job_report){.found = &found});
	record_release(&found);
	return status;
}

void outputs_end_section(const struct outputs *outputs, int status)
{
	struct error why;

	if (!outputs->section.min || status == STATUS_DONE || job_has_report())
		return;
	error_set(&why,
		status == STATUS_USAGE || status == STATUS_UNAVAILABLE
			? (enum error_class)status
			: ERROR_FAILURE,
		ECANCELED, "%s", cli_last_words());
	job_store_report(&(struct job_report){.why = &why}, NULL);
}

int inputs_add(void *into, const char *path, struct error *err)
{
	struct inputs *inputs = into;
	char *real;

	if (!inputs->several && inputs->n > 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s': expected one FILE", inputs->paths[0],
			path);
	real = file_canonical(path);
	/* file_canonical() fails if the folder does not exist. */
	if (!real)
		real = strdup(path);
	for (size_t i = 0; real && i < inputs->n; i++) {
		if (strcmp(inputs->canonical_paths[i], real) != 0)
			continue;
		free(real);
		if (!inputs->skip_duplicates)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is given twice", path);
		if (!inputs->duplicate)
			inputs->duplicate = path;
		return 0;
	}
	if (!real || !array_grow(&inputs->paths, inputs->n, sizeof(path)) ||
		!array_grow(
			&inputs->canonical_paths, inputs->n, sizeof(real))) {
		free(real);
		return error_no_memory(err, "the names of files");
	}
	inputs->canonical_paths[inputs->n] = real;
	inputs->paths[inputs->n++] = path;
	return 0;
}

void inputs_release(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++)
		free(inputs->canonical_paths[i]);
	free(inputs->canonical_paths);
	free(inputs->paths);
}

int inputs_check(const struct inputs *inputs, const struct outputs *outputs,
	struct error *err)
{
	int rc = 0;

	if (inputs->n == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no FILE: name a .json or .csv, or - for "
			"standard input");
	for (size_t i = 0; rc == 0 && i < inputs->n; i++)
		rc = outputs_check_not_input(
			outputs, "-o", inputs->paths[i], err);
	return rc;
}

int outputs_check_not_input(const struct outputs *outputs, const char *option,
	const char *path, struct error *err)
{
	const char *section;
	char *file = section_file(path, &section);
	int rc = file ? 0 : error_no_memory(err, path);

	for (size_t i = 0; rc == 0 && i < outputs->n; i++) {
		if (strcmp(file, "-") != 0 &&
			file_same(outputs->paths[i], file))
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"%s: '%s' is an input too: the output would "
				"overwrite it",
				option, outputs->paths[i]);
	}
	free(file);
	return rc;
}

int outputs_check_writable(
	const struct outputs *outputs, const char *option, struct error *err)
{
	for (size_t i = 0; i < outputs->n; i++) {
		int rc = file_check_writable(outputs->paths[i], err);

		if (rc < 0) {
			error_prefix(err, "%s", option);
			return rc;
		}
	}
	return 0;
}

bool outputs_have_data(const struct outputs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++) {
		if (!output_is_picture(outputs->paths[i]))
			return true;
	}
	return false;
}

/* Write text that is not a result. */
static int save_text(const char *text, const char *path, struct error *err)
{
	struct file_writer writer;
	int code, rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	errno = 0;
	if (fputs(text, writer.stream) != EOF)
		return file_commit(&writer, err);
	code = errno ? errno : EIO;
	file_abort(&writer);
	return file_refuse(path, code, err);
}

/* Write the result, or another text. */
static int save_data(const struct output_contents *contents, const char *path,
	struct error *err)
{
	if (contents->result)
		return result_save(contents->result, path, err);
	return save_text(
		contents->json ? contents->json : contents->text, path, err);
}

/* Save a measurement in a temporary file if no data file has it. */
static void save_record_to_tmpdir(const struct output_contents *contents)
{
	const char *command = contents->command;
	const char *folder = getenv("TMPDIR");
	struct error err;
	char path[4096];
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	/* All users may write to /tmp, so use a name that nobody can guess. */
	snprintf(path, sizeof(path), "%s/c2c-%s-XXXXXX.json", folder, command);
	fd = mkstemps(path, (int)strlen(".json"));
	if (fd < 0) {
		cli_notify(command,
			"c2c cannot save the record in '%s' either: %s; set "
			"TMPDIR to another folder",
			folder, strerror(errno));
		return;
	}
	close(fd);
	if (save_data(contents, path, &err) == 0) {
		cli_notify(
			command, "the complete record was saved as %s", path);
		return;
	}
	unlink(path);
	cli_fail(command, &err);
}

/* The state of outputs_save(). */
struct outputs_save_state {
	const struct outputs *outputs;
	const struct output_contents *contents;
	const atomic_bool *stop; /* NULL: ignore signals */
	int status;
	bool data_is_saved; /* a file contains the measurement */
};

static bool is_picture(const struct output_contents *contents, const char *path)
{
	return !contents->text && output_is_picture(path);
}

static int save_page_output(const struct output_contents *contents,
	const struct plot_options *plot, const char *path, struct error *err)
{
	/* A new measurement has no file name. */
	const struct page_input alone = {
		.result = contents->drawn, .name = contents->command};

	if (contents->fleet)
		return page_save_fleet(
			contents->fleet, contents->json, plot, path, err);
	return contents->pages ? page_save(contents->pages, contents->n_pages,
					 plot, path, err)
			       : page_save(&alone, 1, plot, path, err);
}

static int save_one_output(const struct outputs_save_state *saving,
	const char *path, struct error *err)
{
	const struct output_contents *contents = saving->contents;
	struct plot_options plot = contents->plot;
	bool page = is_picture(contents, path) && page_has_extension(path);

	plot.stop = saving->stop;
	plot.on_halted = wait_notice_on_stopped;
	plot.on_slow = wait_notice_on_gnuplot;
	if (is_picture(contents, path) && !page)
		return plot_file(
			&(struct plot_records){contents->drawn, contents->names,
				contents->n_drawn ? contents->n_drawn : 1},
			&plot, path, err);
	/* After a signal, save only data that exists nowhere else. */
	if ((page || !contents->measured) && saving->stop &&
		atomic_load_explicit(saving->stop, memory_order_relaxed))
		return error_set(err, ERROR_FAILURE, EINTR,
			"'%s' was not written: a signal ended c2c", path);
	if (page)
		return save_page_output(contents, &plot, path, err);
	return save_data(contents, path, err);
}

bool output_is_csv(const char *path)
{
	enum file_format format;

	return file_format_of(path, &format, NULL) == 0 && format == FILE_CSV;
}

void outputs_note_csv(const char *command, const struct result *result)
{
	const struct matrix *first = result_find_matrix(result, NULL, NULL);
	struct text_list rest = {0};
	const char *last;
	char *text;

	if (!first)
		return;
	last = first->name;
	for (size_t i = 0; i < result->n_matrices; i++) {
		const char *name = result->matrices[i].name;

		if (strcmp(name, first->name) != 0 && strcmp(name, last) != 0)
			text_list_add(&rest, ", ", "%s", name);
		last = name;
	}
	if (result->n_curves > 0)
		text_list_add(&rest, ", ", "the curves");
	text = text_list_end(&rest);
	if (text && *text)
		cli_notify(command,
			"note: the .csv has only the matrix '%s' (see c2c "
			"export --matrix); a .tsv also has %s",
			first->name, text);
	free(text);
}

/* Write all data files, or all pictures, even if one file fails. */
static void save_outputs_of_kind(
	struct outputs_save_state *saving, bool pictures)
{
	const struct output_contents *contents = saving->contents;

	for (size_t i = 0; i < saving->outputs->n; i++) {
		const char *path = saving->outputs->paths[i];
		struct wait_notice waiting;
		struct error err;
		int rc;

		if (is_picture(contents, path) != pictures)
			continue;
		wait_notice_begin(&waiting, path, true);
		rc = save_one_output(saving, path, &err);
		wait_notice_end(&waiting);
		if (rc == 0) {
			saving->data_is_saved |= !pictures;
			if (contents->verbosity > 0)
				cli_notify(contents->command, "wrote %s", path);
			if (contents->measured && contents->verbosity >= 0 &&
				output_is_csv(path))
				outputs_note_csv(
					contents->command, contents->result);
			continue;
		}
		error_prefix(&err, "%s", contents->option);
		cli_fail(contents->command, &err);
		/* Keep the first failure, unless there is an interrupt. */
		if (err.code == EINTR)
			saving->status = STATUS_INTERRUPTED;
		else if (saving->status == STATUS_DONE)
			saving->status = (int)err.class;
	}
}

int outputs_save(
	const struct outputs *outputs, const struct output_contents *contents)
{
	struct outputs_save_state saving = {
		outputs, contents, NULL, STATUS_DONE, false};

	if (outputs->section.min)
		return outputs_hand_over(contents->command, contents->result);
	if (outputs->n == 0)
		return STATUS_DONE;
	saving.stop = cli_catch_signals();
	if (contents->interrupted)
		saving.stop = NULL;
	/* Write data before pictures, because gnuplot may take long. */
	for (int pictures = 0; pictures < 2; pictures++) {
		save_outputs_of_kind(&saving, pictures);
		if (contents->measured && saving.status != STATUS_DONE &&
			!saving.data_is_saved) {
			save_record_to_tmpdir(contents);
			saving.data_is_saved = true;
		}
	}
	return saving.status;
}

bool outputs_finish(const struct outputs *outputs,
	const struct output_contents *contents, bool print_json, int *status)
{
	*status = outputs_save(outputs, contents);
	if (*status == STATUS_INTERRUPTED)
		return false;
	/* A failure of standard output is reported at exit. */
	if (print_json)
		fputs(contents->json, stdout);
	return !print_json;
}
