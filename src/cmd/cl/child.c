/*
 * The pipe has lines: ". 0.25" is how far the child is, "E" and a record what
 * it failed of, "D" and a record the devices. "R" begins the result, up to the
 * end. What it has measured so far is in a file in memory, for when no more
 * comes.
 */
#include "cmd/cl/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/file.h"
#include "util/child.h"
#include "util/text.h"

/* What an implementation said before it ended that goes into a message. */
#define SAID_BYTES 300

/* A child on its way, and what came from it. */
struct child_words {
	const struct cl_watch *watch;
	int said; /* a file in memory: its standard error */
	int kept; /* likewise: its result so far */
	char *text;
	size_t bytes;
	struct child_end end;
};

/* Lines on progress are taken out of what has come so far. */
static void take_progress(
	struct child_words *child, const struct cl_watch *watch)
{
	char *end;

	while (child->bytes > 0 && child->text[0] == '.' &&
		(end = memchr(child->text, '\n', child->bytes))) {
		size_t line = (size_t)(end + 1 - child->text);

		if (watch->progress)
			watch->progress(
				watch->context, strtod(child->text + 1, NULL));
		child->bytes -= line;
		memmove(child->text, end + 1, child->bytes);
	}
}

/* Take what the pipe had; false without memory. */
static bool hear(void *context, const char *bytes, size_t n)
{
	struct child_words *child = context;
	/* One more, so that a string ends. */
	char *longer = realloc(child->text, child->bytes + n + 1);

	if (!longer)
		return false;
	memcpy(longer + child->bytes, bytes, n);
	child->text = longer;
	child->bytes += n;
	longer[child->bytes] = '\0';
	take_progress(child, child->watch);
	return true;
}

static void stopping(void *context)
{
	const struct child_words *child = context;

	child->watch->stopping(child->watch->context);
}

static int start_failed(int code, struct error *err)
{
	return error_set(err, ERROR_FAILURE, code,
		"c2c cannot start itself for a test: %s", strerror(code));
}

/* The end of what the implementation said, on one line. */
static void what_it_said(
	const struct child_words *child, char said[SAID_BYTES + 1])
{
	off_t size = lseek(child->said, 0, SEEK_END);
	off_t from = size > SAID_BYTES ? size - SAID_BYTES : 0;
	ssize_t n = pread(child->said, said, SAID_BYTES, from);

	for (ssize_t i = 0; i < n; i++) {
		if (!said[i])
			said[i] = ' ';
	}
	said[n > 0 ? n : 0] = '\0';
	text_one_line(said);
	text_make_utf8(said);
}

/* Before it was through: for whose sake? */
static int tell_why(const struct child_words *child, struct error *err)
{
	if (child->end.stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	if (child->end.timed_out)
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"did not end within %.10g s (--limit)",
			child->watch->limit_s);
	return error_set(err, ERROR_FAILURE, ECHILD,
		"its process was told to end, by a signal from elsewhere");
}

static bool was_ended(const struct child_words *child)
{
	return child->end.stopped || child->end.timed_out;
}

/* No word came from it: how did it end? */
static int tell_end(const struct child_words *child, struct error *err)
{
	int status = child->end.status;
	char said[SAID_BYTES + 1];
	char how[sizeof(err->text)];
	int rc = -ECHILD;

	what_it_said(child, said);
	if (was_ended(child)) {
		rc = tell_why(child, err);
		snprintf(how, sizeof(how), "%s", err->text);
	} else if (WIFSIGNALED(status)) {
		snprintf(how, sizeof(how), "was ended by signal %d (%s)%s",
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			WTERMSIG(status) == SIGKILL
				? ": did memory run out? See 'dmesg'"
				: "");
	} else {
		snprintf(how, sizeof(how), "exited with status %d",
			WEXITSTATUS(status));
	}
	return error_set(err, ERROR_FAILURE, -rc,
		"the process that called OpenCL %s%s%s", how,
		*said ? "; it said: " : "", said);
}

static int read_error(const struct child_words *child, const char *text,
	size_t bytes, struct error *err)
{
	struct record record = {0};
	const char *words;
	int rc;

	if (was_ended(child))
		return tell_why(child, err);
	if (record_read(&record, text, bytes) < 0)
		return tell_end(child, err);
	words = facts_text(&record.facts, "text");
	rc = error_set(err,
		(enum error_class)facts_number(&record.facts, "class"),
		(int)facts_number(&record.facts, "code"), "%s",
		words ? words : "no reason");
	record_release(&record);
	return rc;
}

/* What came, or how the child ended. */
static int understand(const struct child_words *child,
	struct cl_outcome *outcome, struct error *err)
{
	const char *text = child->text, *end;
	size_t bytes = child->bytes, line;
	FILE *stream;
	int rc = 0;

	if (bytes < 2)
		return tell_end(child, err);
	if (text[0] == 'D')
		return record_read(&outcome->found, text + 2, bytes - 2) < 0
			       ? tell_end(child, err)
			       : 0;
	if (text[0] == 'E') {
		end = memchr(text, '\n', bytes);
		line = end ? (size_t)(end + 1 - text) : bytes;
		rc = read_error(child, text + 2, line - 2, err);
		text += line;
		bytes -= line;
	}
	if (bytes < 2 || text[0] != 'R')
		return rc ? rc : tell_end(child, err);
	stream = fmemopen((char *)text + 2, bytes - 2, "r");
	if (!stream)
		return error_no_memory(err, "a test's result");
	if (result_read(&outcome->result, stream, rc ? NULL : err) == 0)
		outcome->measured = true;
	fclose(stream);
	if (rc)
		return rc;
	if (!outcome->measured)
		return tell_end(child, err);
	/* A part of it: who ended the test? */
	return outcome->result.complete ? 0 : tell_why(child, err);
}

/* It said no more: what it had measured by then, if that is whole. */
static void take_kept(
	const struct child_words *child, struct cl_outcome *outcome)
{
	FILE *stream;
	int fd;

	if (lseek(child->kept, 0, SEEK_END) <= 0)
		return;
	lseek(child->kept, 0, SEEK_SET);
	fd = fcntl(child->kept, F_DUPFD_CLOEXEC, 0);
	stream = fd < 0 ? NULL : fdopen(fd, "r");
	if (!stream)
		return;
	if (result_read(&outcome->result, stream, NULL) == 0) {
		outcome->measured = true;
		outcome->result.complete = false;
	}
	fclose(stream);
}

int cl_child_run(char *const argv[], const struct cl_watch *watch,
	struct cl_outcome *outcome, struct error *err)
{
	struct child_words words = {
		.watch = watch,
		.said = child_memory_file("said"),
		.kept = child_memory_file("kept"),
	};
	const struct child_file files[] = {
		{CHILD_NULL, STDOUT_FILENO},
		{words.said, STDERR_FILENO},
		{CHILD_PIPE, CL_CHILD_FD},
		{words.kept, CL_CHILD_KEPT_FD},
	};
	const struct child child = {
		.argv = argv,
		.file = "/proc/self/exe",
		.files = files,
		.n_files = sizeof(files) / sizeof(*files),
		.folder = watch->folder,
		.limit_s = watch->limit_s,
		.grace_s = CL_CHILD_GRACE_S,
		.stop = watch->stop,
		.hear = hear,
		.stopping = watch->stopping ? stopping : NULL,
		.context = &words,
	};
	int code = words.said < 0 || words.kept < 0 ? errno : 0, rc;

	*outcome = (struct cl_outcome){0};
	if (code == 0)
		code = child_run(&child, &words.end);
	rc = code ? start_failed(code, err) : understand(&words, outcome, err);
	if (code == 0 && rc < 0 && !outcome->measured)
		take_kept(&words, outcome);
	if (words.said >= 0)
		close(words.said);
	if (words.kept >= 0)
		close(words.kept);
	free(words.text);
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
	fcntl(CL_CHILD_KEPT_FD, F_SETFD, FD_CLOEXEC);
	pipe = fdopen(CL_CHILD_FD, "w");
	if (!pipe)
		error_set(err, ERROR_USAGE, errno,
			"--child is for c2c's own use: %s", strerror(errno));
	return pipe;
}

void cl_child_progress(FILE *pipe, double fraction)
{
	fprintf(pipe, ". %.4f\n", fraction);
	fflush(pipe);
}

bool cl_child_keep(const struct result *result)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	bool kept;

	if (!stream)
		return false;
	kept = result_write_json(result, stream, NULL) == 0 &&
	       fflush(stream) == 0 &&
	       pwrite(CL_CHILD_KEPT_FD, text, bytes, 0) == (ssize_t)bytes &&
	       ftruncate(CL_CHILD_KEPT_FD, (off_t)bytes) == 0;
	fclose(stream);
	free(text);
	return kept;
}

static int flush(FILE *pipe)
{
	return fflush(pipe) == 0 && !ferror(pipe) ? 0 : -EIO;
}

int cl_child_send_devices(FILE *pipe, const struct record *found)
{
	fputs("D ", pipe);
	return record_write(found, pipe) < 0 ? -EIO : flush(pipe);
}

int cl_child_send_error(FILE *pipe, const struct error *err)
{
	struct record record = {0};
	char text[sizeof(err->text)];
	int rc;

	memcpy(text, err->text, sizeof(text));
	text_make_utf8(text);
	facts_set_count(&record.facts, "class", err->class);
	facts_set_count(&record.facts, "code", err->code);
	facts_set_text(&record.facts, "text", text);
	fputs("E ", pipe);
	rc = record_write(&record, pipe);
	record_release(&record);
	return rc < 0 ? -EIO : flush(pipe);
}

int cl_child_send_result(
	FILE *pipe, const struct result *result, const struct error *why)
{
	struct error err;

	if (why)
		cl_child_send_error(pipe, why);
	fputs("R\n", pipe);
	return result_write_json(result, pipe, &err) < 0 ? -EIO : flush(pipe);
}
