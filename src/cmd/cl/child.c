/*
 * The pipe has lines: ". 0.25" is how far the child is, "D", "R" or "E" begins
 * what came of it, JSON up to the end. What it has measured so far is in a file
 * in memory, for when no more comes.
 */
#include "cmd/cl/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/timebase.h"
#include "result/file.h"
#include "util/text.h"

/* What an implementation said before it ended that goes into a message. */
#define SAID_BYTES 300

/* For what a child has started to end when killed; nobody may reap it. */
#define GROUP_END_S 1.0

/* How often the parent looks up. */
#define LOOK_MS 100

/* Above what a child has, CL_CHILD_KEPT_FD the last. */
#define FIRST_FD 10

/* A running child. */
struct child {
	pid_t pid;
	int pipe; /* what it tells; read end */
	int said; /* a file in memory: its standard error */
	int kept; /* likewise: its result so far */
	char *text;
	size_t bytes;
	bool told;		 /* to come to an end */
	bool timed_out, stopped; /* why */
	bool asked_again;	 /* and the user would not wait */
	double limit_s;
};

static void finish(struct child *child)
{
	const int fds[] = {child->pipe, child->said, child->kept};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free(child->text);
}

static int start_failed(int code, struct error *err)
{
	return error_set(err, ERROR_FAILURE, code,
		"c2c cannot start itself for a test: %s", strerror(code));
}

/* A process group of its own: its compilers are ended with it. */
static int spawn(struct child *child, char *const argv[], int pipe_end)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int code;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	code = posix_spawn_file_actions_addopen(
		&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (code == 0)
		code = posix_spawn_file_actions_addopen(
			&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(
			&actions, child->said, STDERR_FILENO);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(
			&actions, pipe_end, CL_CHILD_FD);
	if (code == 0)
		code = posix_spawn_file_actions_adddup2(
			&actions, child->kept, CL_CHILD_KEPT_FD);
	if (code == 0)
		code = posix_spawn(&child->pid, "/proc/self/exe", &actions,
			&attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return code;
}

/* A file in memory, of a number that is none of those that a child has. */
static int memory_file(const char *name)
{
	int low = memfd_create(name, MFD_CLOEXEC);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);

	if (low >= 0)
		close(low);
	return fd;
}

static int start(struct child *child, char *const argv[], struct error *err)
{
	int ends[2] = {-1, -1}, code = 0;

	child->said = memory_file("said");
	child->kept = memory_file("kept");
	if (child->said < 0 || child->kept < 0 || pipe2(ends, O_CLOEXEC) != 0)
		code = errno;
	if (code == 0) {
		code = spawn(child, argv, ends[1]);
		close(ends[1]);
	}
	child->pipe = ends[0];
	if (code == 0)
		return 0;
	finish(child);
	return start_failed(code, err);
}

/* Lines on progress are taken out of what has come so far. */
static void take_progress(struct child *child, const struct cl_watch *watch)
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

/* What the pipe has now: 1 more may come, 0 the end, or -ENOMEM. */
static int read_some(struct child *child, struct error *err)
{
	char buffer[65536];
	ssize_t n = read(child->pipe, buffer, sizeof(buffer));
	char *longer;

	if (n < 0 && errno == EINTR)
		return 1;
	if (n <= 0)
		return 0;
	/* One more, so that a string ends. */
	longer = realloc(child->text, child->bytes + (size_t)n + 1);
	if (!longer)
		return error_no_memory(err, "what a test tells");
	memcpy(longer + child->bytes, buffer, (size_t)n);
	child->text = longer;
	child->bytes += (size_t)n;
	longer[child->bytes] = '\0';
	return 1;
}

static bool is_stopped(const struct cl_watch *watch)
{
	return watch->stop &&
	       atomic_load_explicit(watch->stop, memory_order_relaxed);
}

/* What it started may keep the pipe open. */
static bool is_gone(const struct child *child)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)child->pid, &info,
		       WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == child->pid;
}

/* All it tells, until it is at an end or is to be ended. */
static int listen(
	struct child *child, const struct cl_watch *watch, struct error *err)
{
	double end_s = timebase_raw_s() + watch->limit_s;
	bool gone = false;

	for (;;) {
		struct pollfd ready = {.fd = child->pipe, .events = POLLIN};
		int n = poll(&ready, 1, LOOK_MS);
		bool over = timebase_raw_s() > end_s;

		if (n > 0) {
			int rc = read_some(child, err);

			if (rc <= 0)
				return rc;
			take_progress(child, watch);
		} else if (n == 0 && gone) {
			return 0;
		}
		gone = is_gone(child);
		if (over && child->told)
			return 0;
		if (child->stopped && watch->again && watch->again()) {
			child->asked_again = true;
			return 0;
		}
		child->timed_out = child->timed_out || over;
		child->stopped = child->stopped || is_stopped(watch);
		if (!child->told && (child->timed_out || child->stopped)) {
			/*
			 * It hands over what it has, if it still can. Not the
			 * group: a compiler that ends is a kernel that fails.
			 */
			kill(child->pid, SIGTERM);
			child->told = true;
			if (child->stopped && watch->stopping)
				watch->stopping(watch->context);
			end_s = timebase_raw_s() + CL_CHILD_GRACE_S;
		}
	}
}

/* Its status, when it had to be ended too. */
static int reap(const struct child *child, bool now)
{
	double end_s = timebase_raw_s() + (now ? 0 : CL_CHILD_GRACE_S);
	int status = 0;

	for (;;) {
		pid_t pid = waitpid(child->pid, &status, WNOHANG);

		if (pid == child->pid || (pid < 0 && errno != EINTR))
			break;
		if (timebase_raw_s() >= end_s) {
			kill(-child->pid, SIGKILL);
			end_s = INFINITY;
		}
		poll(NULL, 0, 5);
	}
	/* What it started may have outlived it, and write yet. */
	end_s = timebase_raw_s() + GROUP_END_S;
	while (kill(-child->pid, SIGKILL) == 0 && timebase_raw_s() < end_s)
		poll(NULL, 0, 5);
	return status;
}

/* The end of what the implementation said, on one line. */
static void what_it_said(const struct child *child, char said[SAID_BYTES + 1])
{
	off_t size = lseek(child->said, 0, SEEK_END);
	off_t from = size > SAID_BYTES ? size - SAID_BYTES : 0;
	ssize_t n = pread(child->said, said, SAID_BYTES, from);
	size_t used = 0;

	for (ssize_t i = 0; i < n; i++) {
		bool blank = said[i] == '\n' || said[i] == '\t' ||
			     said[i] == ' ' || said[i] == '\0';

		if (!blank)
			said[used++] = said[i];
		else if (used > 0 && said[used - 1] != ' ')
			said[used++] = ' ';
	}
	if (used > 0 && said[used - 1] == ' ')
		used--;
	said[used] = '\0';
	text_make_utf8(said);
}

/* Before it was through: for whose sake? */
static int tell_why(const struct child *child, struct error *err)
{
	if (child->stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "%s",
			child->asked_again ? "interrupted twice"
					   : "interrupted");
	if (child->timed_out)
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"did not end within %.10g s (--limit)", child->limit_s);
	return error_set(err, ERROR_FAILURE, ECHILD,
		"its process was told to end, by a signal from elsewhere");
}

/* No word came from it: how did it end? */
static int tell_end(const struct child *child, int status, struct error *err)
{
	char said[SAID_BYTES + 1];
	char how[sizeof(err->text)];
	int rc = -ECHILD;

	what_it_said(child, said);
	if (child->told) {
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
static int take_result(const struct child *child, int status,
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
		return tell_end(child, status, err);
	outcome->measured = true;
	row = json_array_get(json_object_get(outcome->result.run, "tests"), 0);
	error = json_object_get(row, "error");
	if (outcome->result.complete && !error)
		return 0;
	return error && !child->told ? read_error(error, err)
				     : tell_why(child, err);
}

/* What came, or how the child ended. */
static int understand(const struct child *child, int status,
	struct cl_outcome *outcome, struct error *err)
{
	json_t *object;
	int rc;

	if (child->bytes < 2)
		return tell_end(child, status, err);
	if (child->text[0] == 'R')
		return take_result(child, status, outcome, err);
	object = json_loadb(child->text + 2, child->bytes - 2, 0, NULL);
	if (!object)
		return tell_end(child, status, err);
	if (child->text[0] == 'D') {
		outcome->devices =
			json_incref(json_object_get(object, "devices"));
		outcome->warnings =
			json_incref(json_object_get(object, "warnings"));
		json_decref(object);
		return 0;
	}
	rc = child->told ? tell_why(child, err) : read_error(object, err);
	json_decref(object);
	return rc;
}

/* It said no more: what it had measured by then, if that is whole. */
static void take_kept(const struct child *child, struct cl_outcome *outcome)
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
	struct child child = {.limit_s = watch->limit_s};
	int status, rc;

	*outcome = (struct cl_outcome){0};
	rc = start(&child, argv, err);
	if (rc < 0)
		return rc;
	rc = listen(&child, watch, err);
	status = reap(&child, rc < 0 || child.told);
	if (rc == 0)
		rc = understand(&child, status, outcome, err);
	if (rc < 0 && !outcome->measured)
		take_kept(&child, outcome);
	finish(&child);
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
