/*
 * The report file of a child has a line "E" and a record if the child failed. A
 * complete report has a line "D" and a record of the devices, a line "R" and a
 * result, or a line "K" and a partial result.
 */
#include "job/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/file.h"
#include "result/runs.h"
#include "util/text.h"

/* File descriptors of a child, for its progress and its report. */
#define PIPE_FD	  3
#define REPORT_FD 4

/* Largest number of kept bytes from the end of a child's standard error. */
#define SAID_BYTES 4096

/* Largest number of these bytes in a message. */
#define TOLD_BYTES 300

/* Return the last bytes of a file, for free(); NULL: no memory. */
static char *read_last_words(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > SAID_BYTES ? size - SAID_BYTES : 0;
	char *text = calloc(1, SAID_BYTES + 1);
	ssize_t n = text ? pread(fd, text, SAID_BYTES, from) : 0;

	/* Replace NULs in the output of the child. */
	for (ssize_t i = 0; i < n; i++)
		text[i] = (char)(text[i] ? text[i] : ' ');
	return text;
}

static bool was_ended(const struct child_end *end)
{
	return end->stopped || end->timed_out;
}

/* Explain who ended the child: c2c or another program. */
static int report_why_ended(const struct job *job,
	const struct job_outcome *outcome, struct error *err)
{
	if (outcome->end.stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	if (outcome->end.timed_out)
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"did not end within %.10g s (--limit)",
			job->child.limit_s);
	return error_set(err, ERROR_FAILURE, ECHILD,
		"another process ended it by a signal");
}

/* Report how a child without a report ended, and its last output. */
static int report_job_end(const struct job *job,
	const struct job_outcome *outcome, struct error *err)
{
	int status = outcome->end.status, rc = -ECHILD;
	size_t n = outcome->said ? strlen(outcome->said) : 0;
	char *said = n ? strdup(outcome->said +
				 (n > TOLD_BYTES ? n - TOLD_BYTES : 0))
		       : NULL,
	     *how;

	if (was_ended(&outcome->end)) {
		rc = report_why_ended(job, outcome, err);
		how = text_format(
			"%s%s", outcome->end.stopped ? "was " : "", err->text);
	} else if (WIFSIGNALED(status)) {
		how = text_format("was ended by signal %d (%s)%s",
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			WTERMSIG(status) == SIGKILL
				? ": did memory run out? See 'dmesg'"
				: "");
	} else {
		how = text_format("exited with status %d", WEXITSTATUS(status));
	}
	if (said) {
		text_one_line(said);
		text_make_utf8(said);
	}
	error_set(err, ERROR_FAILURE, -rc, "%s %s%s%s%s", job->who,
		how ? how : "ended",
		outcome->end.remains ? "; it cannot be killed" : "",
		said && *said ? "; it said: " : "", said ? said : "");
	free(said);
	free(how);
	return rc;
}

/* Return whether the report is complete. err->code: the child's error. */
static bool read_job_report(
	FILE *in, struct job_outcome *outcome, struct error *err)
{
	struct record record = {0};
	size_t size = 0;
	const char *words;
	char *line = NULL;
	int letter = getc(in);

	if (letter == 'E' && getline(&line, &size, in) > 0) {
		if (record_read(&record, line, strlen(line)) == 0) {
			words = facts_text(&record.facts, "text");
			error_set(err,
				(enum error_class)facts_number(
					&record.facts, "class"),
				(int)facts_number(&record.facts, "code"), "%s",
				words ? words : "no reason");
		}
		record_release(&record);
		letter = getc(in);
	}
	if (letter == 'R' || letter == 'K') {
		outcome->measured =
			result_read(&outcome->result, in, NULL) == 0;
		if (outcome->measured && letter == 'K')
			outcome->result.complete = false;
	} else if (letter == 'D' && getline(&line, &size, in) > 0 &&
		   record_read(&outcome->found, line, strlen(line)) == 0) {
		free(line);
		return true;
	}
	free(line);
	return letter == 'R' && outcome->measured;
}

/* Start the child with these files; a positive errno if it does not start. */
static int run_with_files(const struct job *job, int said_fd, int report_fd,
	struct child_end *end)
{
	const struct child_file files[] = {
		{job->voice < JOB_PRINTS ? CHILD_NULL : STDOUT_FILENO,
			STDOUT_FILENO},
		{job->voice < JOB_SPEAKS ? said_fd : STDERR_FILENO,
			STDERR_FILENO},
		{CHILD_PIPE, PIPE_FD},
		{report_fd, REPORT_FD},
	};
	struct child child = job->child;

	if (said_fd < 0 || report_fd < 0)
		return errno;
	child.file = "/proc/self/exe";
	child.files = files;
	child.n_files = sizeof(files) / sizeof(*files);
	return child_run(&child, end);
}

static int judge_job(const struct job *job, struct job_outcome *outcome,
	FILE *report, struct error *err)
{
	bool whole;

	rewind(report);
	err->code = 0;
	whole = read_job_report(report, outcome, err);
	if (err->code)
		return was_ended(&outcome->end)
			       ? report_why_ended(job, outcome, err)
			       : -err->code;
	if (!whole)
		return report_job_end(job, outcome, err);
	/* The result is partial, so report who ended the child. */
	return outcome->measured && !outcome->result.complete
		       ? report_why_ended(job, outcome, err)
		       : 0;
}

int job_run(
	const struct job *job, struct job_outcome *outcome, struct error *err)
{
	int said_fd = child_memory_file("said");
	int report_fd = child_memory_file("report"), code, rc;
	FILE *report = report_fd < 0 ? NULL : fdopen(report_fd, "r");

	*outcome = (struct job_outcome){0};
	code = run_with_files(job, said_fd, report_fd, &outcome->end);
	if (code == 0)
		outcome->said = read_last_words(said_fd);
	if (code)
		rc = error_of_call(err, code, "memfd_create, clone and execve",
			"c2c cannot start itself");
	else
		rc = report ? judge_job(job, outcome, report, err)
			    : error_no_memory(err, "what a child found out");
	if (said_fd >= 0)
		close(said_fd);
	if (report)
		fclose(report);
	else if (report_fd >= 0)
		close(report_fd);
	return rc;
}

int job_exit_status(const struct job_outcome *outcome)
{
	int status = outcome->end.status;

	return WIFEXITED(status) ? WEXITSTATUS(status) : (int)ERROR_FAILURE;
}

char *job_find_failure(
	const struct job_outcome *outcome, const struct error *err)
{
	char *text = outcome->said, *colon;

	if (!text || !*text || !WIFEXITED(outcome->end.status))
		return strdup(err->text);
	text[strcspn(text, "\n")] = '\0';
	text_make_utf8(text);
	colon = strncmp(text, "c2c ", 4) == 0 ? strstr(text, ": ") : NULL;
	return strdup(colon ? colon + 2 : text);
}

void job_outcome_release(struct job_outcome *outcome)
{
	free(outcome->said);
	record_release(&outcome->found);
	if (outcome->measured)
		result_release(&outcome->result);
	*outcome = (struct job_outcome){0};
}

static int merge_all(struct result *merged, const struct result *runs, size_t n,
	struct error *err)
{
	const struct result **all = calloc(n, sizeof(void *));
	int rc = 0;

	if (!all)
		return error_no_memory(err, "the runs");
	for (size_t r = 0; rc == 0 && r < n; r++) {
		all[r] = &runs[r];
		if (!cpu_list_same(&runs[r].cpus, &runs->cpus))
			rc = error_set(err, ERROR_FAILURE, EINVAL,
				"run %zu had other CPUs than the first one: "
				"CPUs went on- or offline meanwhile",
				r + 1);
	}
	if (rc == 0)
		rc = runs_merge(merged, all, n, err);
	if (rc < 0)
		result_init(merged);
	else if (n > 1)
		rc = runs_add_deviations(merged, all, n, err);
	free(all);
	return rc;
}

int job_merge_runs(struct result *merged, uint64_t asked, struct error *err)
{
	struct result *runs = merged->runs;
	size_t n = merged->n_runs;
	int rc = merge_all(merged, runs, n, err);

	free(merged->hwloc_xml);
	merged->hwloc_xml = runs->hwloc_xml;
	runs->hwloc_xml = NULL;
	merged->runs = runs;
	merged->n_runs = n;
	facts_set_count(&merged->options, "runs", (int64_t)asked);
	/* If the device cannot run the test, one run is enough. */
	merged->complete &= n == asked ||
			    (merged->n_curves == 0 && merged->n_matrices == 0);
	return rc;
}

FILE *job_open_pipe(struct error *err)
{
	FILE *pipe = NULL;

	/* Only memory files have seals; other files may be open here. */
	if (fcntl(REPORT_FD, F_GET_SEALS) >= 0)
		pipe = fdopen(PIPE_FD, "w");
	if (!pipe) {
		error_set(err, ERROR_USAGE, EBADF,
			"--child and --child-section are for c2c's own use");
		return NULL;
	}
	/* Processes that OpenCL starts must not keep the pipe open. */
	fcntl(PIPE_FD, F_SETFD, FD_CLOEXEC);
	fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
	return pipe;
}

void job_report_progress(FILE *pipe, double fraction, const char *words)
{
	fprintf(pipe, "%.4f%s%s\n", fraction, words ? " " : "",
		words ? words : "");
	fflush(pipe);
}

static int write_error(const struct error *why, FILE *out)
{
	struct record record = {0};
	char text[sizeof(why->text)];
	int rc;

	memcpy(text, why->text, sizeof(text));
	text_make_utf8(text);
	facts_set_count(&record.facts, "class", why->class);
	facts_set_count(&record.facts, "code", why->code);
	facts_set_text(&record.facts, "text", text);
	putc('E', out);
	rc = record_write(&record, out);
	record_release(&record);
	return rc;
}

int job_store_report(const struct job_report *report, struct error *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool kept = out;

	if (kept && report->why)
		kept = write_error(report->why, out) == 0;
	if (kept && report->found)
		kept = putc('D', out) == 'D' &&
		       record_write(report->found, out) == 0;
	if (kept && report->result)
		kept = putc(report->is_complete ? 'R' : 'K', out) != EOF &&
		       result_write_json(report->result, out, NULL) == 0;
	kept = kept && fflush(out) == 0 &&
	       pwrite(REPORT_FD, text, bytes, 0) == (ssize_t)bytes &&
	       ftruncate(REPORT_FD, (off_t)bytes) == 0;
	if (out)
		fclose(out);
	free(text);
	return kept ? 0
		    : error_set(err, ERROR_FAILURE, EIO,
			      "the result was not kept for the parent process");
}

bool job_has_report(void)
{
	return lseek(REPORT_FD, 0, SEEK_END) > 0;
}
