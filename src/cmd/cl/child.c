/*
 * The pipe has lines: ". 0.25" is how far the child is, "D", "R" or "E" begins
 * what came of it, JSON up to the end. What it has measured so far is in a file
 * in memory, for when no more comes.
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
				? ": was memory out? 'dmesg' may say"
				: "");
	} else {
		snprintf(how, sizeof(how), "ended by itself with status %d",
			WEXITSTATUS(status));
	}
	return error_set(err, ERROR_FAILURE, -rc,
		"the process that called OpenCL %s%s%s", how,
		*said ? "; it said: " : "", said);
}

static int read_error(const json_t *object, struct error *err)
{
	const char *text = "no reason";
	int class = ERROR_FAILURE, code = EIO;

	json_unpack((json_t *)object, "{s:i, s:i, s:s}", "class", &class,
		"code", &code, "text", &text);
	return error_set(
		err, (enum error_class) class, code ? code : EIO, "%s", text);
}

/* A result, which may be a part of one: then negative as well, with why. */
static int take_result(const struct child_words *child,
	struct cl_outcome *outcome, struct error *err)
{
	FILE *stream = fmemopen(child->text + 2, child->bytes - 2, "r");
	const json_t *row, *error;
	int rc;

	if (!stream)
		return error_no_memory(err, "a test's result");
	rc = result_read(&outcome->result, stream, err);
	fclose(stream);
	if (rc < 0)
		return tell_end(child, err);
	outcome->measured = true;
	row = json_array_get(outcome->result.run.tests, 0);
	error = json_object_get(row, "error");
	if (outcome->result.complete && !error)
		return 0;
	return error && !was_ended(child) ? read_error(error, err)
					  : tell_why(child, err);
}

/* What came, or how the child ended. */
static int understand(const struct child_words *child,
	struct cl_outcome *outcome, struct error *err)
{
	json_t *object;
	int rc;

	if (child->bytes < 2)
		return tell_end(child, err);
	if (child->text[0] == 'R')
		return take_result(child, outcome, err);
	object = json_loadb(child->text + 2, child->bytes - 2, 0, NULL);
	if (!object)
		return tell_end(child, err);
	if (child->text[0] == 'D') {
		outcome->devices =
			json_incref(json_object_get(object, "devices"));
		outcome->warnings =
			json_incref(json_object_get(object, "warnings"));
		json_decref(object);
		return 0;
	}
	rc = was_ended(child) ? tell_why(child, err) : read_error(object, err);
	json_decref(object);
	return rc;
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
	json_decref(outcome->devices);
	json_decref(outcome->warnings);
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

int cl_child_send_devices(
	FILE *pipe, const json_t *devices, const json_t *warnings)
{
	json_t *object = json_pack(
		"{s:O, s:O}", "devices", devices, "warnings", warnings);

	fputs("D\n", pipe);
	json_dumpf(object, pipe, JSON_COMPACT);
	json_decref(object);
	return flush(pipe);
}

int cl_child_send_result(FILE *pipe, const struct result *result)
{
	struct error err;

	fputs("R\n", pipe);
	return result_write_json(result, pipe, &err) < 0 ? -EIO : flush(pipe);
}

json_t *cl_child_pack_error(const struct error *err)
{
	char text[sizeof(err->text)];

	memcpy(text, err->text, sizeof(text));
	text_make_utf8(text);
	return json_pack("{s:i, s:i, s:s}", "class", (int)err->class, "code",
		err->code, "text", text);
}

int cl_child_send_error(FILE *pipe, const struct error *err)
{
	json_t *object = cl_child_pack_error(err);

	fputs("E\n", pipe);
	json_dumpf(object, pipe, JSON_COMPACT);
	json_decref(object);
	return flush(pipe);
}
