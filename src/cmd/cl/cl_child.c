/*
 * The pipe has lines, the part that is done: "0.2500". A file in memory, which
 * outlives the child, has what it found out: a line "E" and a record if it
 * failed; then "D" and a record of the devices, "R" and a result, or "K" and
 * the result of a test that is not over.
 */
#include "cmd/cl/cl_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/wait_notice.h"
#include "result/file.h"
#include "util/child.h"
#include "util/text.h"

/* A message has this much of what an implementation said before it ended. */
#define STDERR_TEXT_BYTES 300

struct cl_running_child {
	const struct cl_child_hooks *hooks;
	char line[16]; /* of the pipe, so far */
	size_t n;
	int stderr_fd;	/* a file in memory: its standard error */
	int outcome_fd; /* likewise: what it found out */
	struct child_end end;
};

/* Tell the progress of each whole line. */
static bool cl_child_on_output(void *context, const char *bytes, size_t n)
{
	struct cl_running_child *child = context;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (child->n < sizeof(child->line) - 1)
				child->line[child->n++] = bytes[i];
			continue;
		}
		child->line[child->n] = '\0';
		child->n = 0;
		if (child->hooks->progress)
			child->hooks->progress(child->hooks->context,
				strtod(child->line, NULL));
	}
	return true;
}

static void cl_child_on_stop(void *context)
{
	const struct cl_running_child *child = context;

	child->hooks->on_stop(child->hooks->context);
}

/* The last bytes of a file, at most most, for free(); NULL: no memory. */
static char *read_end(int fd, off_t most)
{
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > most ? size - most : 0;
	char *text = calloc(1, (size_t)(size - from) + 1);

	if (text && pread(fd, text, (size_t)(size - from), from) < 0)
		*text = '\0';
	/* What a program says may have NULs. */
	for (off_t i = 0; text && i < size - from; i++)
		text[i] = (char)(text[i] ? text[i] : ' ');
	return text;
}

/* c2c ended it, or somebody else. */
static int report_why_ended(
	const struct cl_running_child *child, struct error *err)
{
	if (child->end.stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	if (child->end.timed_out)
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"did not end within %.10g s (--limit)",
			child->hooks->limit_s);
	return error_set(err, ERROR_FAILURE, ECHILD,
		"its process was told to end, by a signal from elsewhere");
}

static bool was_ended(const struct cl_running_child *child)
{
	return child->end.stopped || child->end.timed_out;
}

/* It left no word: tell how it ended, and what it said last. */
static int report_child_end(
	const struct cl_running_child *child, struct error *err)
{
	int status = child->end.status, rc = -ECHILD;
	char *stderr_text = read_end(child->stderr_fd, STDERR_TEXT_BYTES), *how;

	if (was_ended(child)) {
		rc = report_why_ended(child, err);
		how = text_format(
			"%s%s", child->end.stopped ? "was " : "", err->text);
	} else if (WIFSIGNALED(status)) {
		how = text_format("was ended by signal %d (%s)%s",
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			WTERMSIG(status) == SIGKILL
				? ": did memory run out? See 'dmesg'"
				: "");
	} else {
		how = text_format("exited with status %d", WEXITSTATUS(status));
	}
	if (stderr_text) {
		text_one_line(stderr_text);
		text_make_utf8(stderr_text);
	}
	error_set(err, ERROR_FAILURE, -rc,
		"the process that called OpenCL %s%s%s", how ? how : "ended",
		stderr_text && *stderr_text ? "; it said: " : "",
		stderr_text ? stderr_text : "");
	free(stderr_text);
	free(how);
	return rc;
}

static int read_error(const struct cl_running_child *child, const char *text,
	struct error *err)
{
	struct record record = {0};
	const char *words;
	int rc;

	if (was_ended(child))
		return report_why_ended(child, err);
	if (record_read(&record, text, strcspn(text, "\n")) < 0)
		return report_child_end(child, err);
	words = facts_text(&record.facts, "text");
	rc = error_set(err,
		(enum error_class)facts_number(&record.facts, "class"),
		(int)facts_number(&record.facts, "code"), "%s",
		words ? words : "no reason");
	record_release(&record);
	return rc;
}

static void read_child_result(
	struct cl_outcome *outcome, char *text, bool whole)
{
	FILE *stream = fmemopen(text, strlen(text), "r");

	if (!stream)
		return;
	outcome->measured = result_read(&outcome->result, stream, NULL) == 0;
	if (outcome->measured && !whole)
		outcome->result.complete = false;
	fclose(stream);
}

static int parse_child_outcome(const struct cl_running_child *child, char *text,
	struct cl_outcome *outcome, struct error *err)
{
	int rc = 0;

	if (*text == 'E') {
		rc = read_error(child, text + 1, err);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (*text == 'D' &&
		record_read(&outcome->found, text + 1, strlen(text + 1)) == 0)
		return rc;
	if (*text == 'R' || *text == 'K')
		read_child_result(outcome, text + 1, *text == 'R');
	if (rc)
		return rc;
	if (*text != 'R' || !outcome->measured)
		return report_child_end(child, err);
	/* A part of it: who ended the test? */
	return outcome->result.complete ? 0 : report_why_ended(child, err);
}

int cl_child_run(char *const argv[], const struct cl_child_hooks *hooks,
	struct cl_outcome *outcome, struct error *err)
{
	struct cl_running_child running = {
		.hooks = hooks,
		.stderr_fd = child_memory_file("said"),
		.outcome_fd = child_memory_file("kept"),
	};
	const struct child_file files[] = {
		{CHILD_NULL, STDOUT_FILENO},
		{running.stderr_fd, STDERR_FILENO},
		{CHILD_PIPE, CL_CHILD_FD},
		{running.outcome_fd, CL_CHILD_OUTCOME_FD},
	};
	const struct child child = {
		.argv = argv,
		.file = "/proc/self/exe",
		.files = files,
		.n_files = sizeof(files) / sizeof(*files),
		.folder = hooks->folder,
		.limit_s = hooks->limit_s,
		.grace_s = CL_CHILD_GRACE_S,
		.stop = hooks->stop,
		.on_output = cl_child_on_output,
		.on_halted = wait_notice_on_stopped,
		.on_stop = hooks->on_stop ? cl_child_on_stop : NULL,
		.context = &running,
	};
	int code = running.stderr_fd < 0 || running.outcome_fd < 0 ? errno : 0,
	    rc;
	char *text = NULL;

	*outcome = (struct cl_outcome){0};
	if (code == 0)
		code = child_run(&child, &running.end);
	if (code == 0)
		text = read_end(running.outcome_fd, INT64_MAX);
	if (code)
		rc = error_of_call(err, code, "memfd_create, clone and execve",
			"c2c cannot start itself for a test");
	else
		rc = text ? parse_child_outcome(&running, text, outcome, err)
			  : error_no_memory(err, "a test's result");
	if (running.stderr_fd >= 0)
		close(running.stderr_fd);
	if (running.outcome_fd >= 0)
		close(running.outcome_fd);
	free(text);
	return rc;
}

void cl_outcome_release(struct cl_outcome *outcome)
{
	record_release(&outcome->found);
	if (outcome->measured)
		result_release(&outcome->result);
	*outcome = (struct cl_outcome){0};
}

FILE *cl_child_open(struct error *err)
{
	FILE *pipe;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What an implementation starts must not keep the pipe open. */
	fcntl(CL_CHILD_FD, F_SETFD, FD_CLOEXEC);
	fcntl(CL_CHILD_OUTCOME_FD, F_SETFD, FD_CLOEXEC);
	pipe = fdopen(CL_CHILD_FD, "w");
	if (!pipe)
		error_set(err, ERROR_USAGE, errno,
			"--child is for c2c's own use: %s", strerror(errno));
	return pipe;
}

void cl_child_progress(FILE *pipe, double fraction)
{
	fprintf(pipe, "%.4f\n", fraction);
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

int cl_child_store_report(const struct cl_child_report *report)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool kept;

	if (!out)
		return -EIO;
	kept = !report->why || write_error(report->why, out) == 0;
	if (report->devices || report->result)
		putc(report->devices	      ? 'D'
			: report->is_complete ? 'R'
					      : 'K',
			out);
	kept = kept &&
	       (!report->devices || record_write(report->devices, out) == 0) &&
	       (!report->result ||
		       result_write_json(report->result, out, NULL) == 0) &&
	       fflush(out) == 0 &&
	       pwrite(CL_CHILD_OUTCOME_FD, text, bytes, 0) == (ssize_t)bytes &&
	       ftruncate(CL_CHILD_OUTCOME_FD, (off_t)bytes) == 0;
	fclose(out);
	free(text);
	return kept ? 0 : -EIO;
}
