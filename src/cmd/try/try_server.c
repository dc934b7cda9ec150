/*
 * c2c try --setup: start the server under a placement, wait until it is ready,
 * run the program, and stop the process group of the server.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "cmd/wait_notice.h"
#include "machine/timebase.h"
#include "util/child.h"

/* Time between two checks of the server's readiness, in ms. */
#define READY_LOOK 5

struct served {
	const struct try_task *task;
	const struct try_client *client;
	struct stat before; /* file of --ready before the start */
	bool had_file;
	int output;
	double begin_s;
	pid_t pid;
	atomic_bool over; /* the server must stop */
	int rc;
	struct error *err;
};

static bool can_connect(int family, const void *address, socklen_t bytes)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool connected = fd >= 0 && connect(fd, address, bytes) == 0;

	if (fd >= 0)
		close(fd);
	return connected;
}

static bool is_port_open(uint16_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return can_connect(AF_INET, &address, sizeof(address));
}

static bool is_socket_open(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return true;
	memcpy(address.sun_path, path, strlen(path) + 1);
	return can_connect(AF_UNIX, &address, sizeof(address));
}

/* Return whether the file was created or written since the start. */
static bool is_file_new(const struct served *served, const char *path)
{
	const struct stat *before = &served->before;
	struct stat now;

	if (stat(path, &now) != 0)
		return false;
	if (S_ISSOCK(now.st_mode))
		return is_socket_open(path);
	return !served->had_file || now.st_ino != before->st_ino ||
	       now.st_dev != before->st_dev ||
	       now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
	       now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static bool has_said(const struct served *served)
{
	char *text = try_read_output(served->output, TRY_OUTPUT_BYTES);
	bool found = text &&
		     regexec(&served->task->ready_regex, text, 0, NULL, 0) == 0;

	free(text);
	return found;
}

static bool is_ready(const struct served *served)
{
	const char *ready = served->task->arguments->ready;

	switch (served->task->ready) {
	case TRY_READY_PORT:
		return is_port_open(served->task->ready_port);
	case TRY_READY_FILE:
		return is_file_new(served, ready);
	case TRY_READY_OUTPUT:
		return has_said(served);
	}
	return true;
}

/* Runs in the child. */
static int before_server(void *context)
{
	const struct served *served = context;

	return served->client->before(served->client->context);
}

static void end_server(struct served *served, int rc)
{
	served->rc = rc;
	atomic_store_explicit(&served->over, true, memory_order_relaxed);
}

/* Run the program once the server is ready. */
static void look_at_server(void *context, pid_t pid)
{
	struct served *served = context;
	const struct try_client *client = served->client;
	const struct try_arguments *arguments = served->task->arguments;
	siginfo_t info = {.si_pid = 0};
	int rc;

	served->pid = pid;
	if (atomic_load_explicit(&served->over, memory_order_relaxed))
		return;
	if (atomic_load_explicit(cli_catch_signals(), memory_order_relaxed)) {
		end_server(served, error_set(served->err, ERROR_FAILURE, EINTR,
					   "interrupted"));
		return;
	}
	if (!is_ready(served)) {
		if (timebase_raw_s() - served->begin_s > arguments->limit_s)
			end_server(served,
				error_set(served->err, ERROR_FAILURE, ETIMEDOUT,
					"the server '%s' was not ready (%s) "
					"within --limit, %.10g s",
					arguments->setup, arguments->ready,
					arguments->limit_s));
		return;
	}
	rc = client->run(client->context, pid, served->err);
	if (rc == 0 &&
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
			0 &&
		info.si_pid == pid)
		rc = error_set(served->err, ERROR_FAILURE, ECHILD,
			"the server '%s' ended while '%s' ran",
			arguments->setup, served->task->program[0]);
	end_server(served, rc);
}

/* Signal the whole group, because the shell does not forward signals. */
static void ask_group_to_end(void *context)
{
	const struct served *served = context;

	kill(-served->pid, SIGTERM);
}

int try_server_run(const struct try_task *task, const struct try_client *client,
	struct error *err)
{
	const struct try_arguments *arguments = task->arguments;
	char *const argv[] = {"/bin/sh", "-c",
		arena_format(task->arena, "trap : TERM\n%s", arguments->setup),
		NULL};
	struct served served = {
		.task = task,
		.client = client,
		.output = child_memory_file("output of the server"),
		.err = err,
	};
	const struct child_file files[] = {
		{served.output, STDOUT_FILENO},
		{served.output, STDERR_FILENO},
	};
	const struct child child = {
		.argv = argv,
		.before = before_server,
		.files = files,
		.n_files = 2,
		.limit_s = INFINITY,
		.grace_s = TRY_GRACE_S,
		.stop = &served.over,
		.on_stop = ask_group_to_end,
		.on_halted = wait_notice_on_stopped,
		.adopts = true,
		.on_look = look_at_server,
		.look_ms = READY_LOOK,
		.context = &served,
	};
	struct child_end end;
	int code;

	if (served.output < 0)
		return error_of_call(
			err, errno, "memfd_create", "the output of a server");
	if (task->ready == TRY_READY_FILE)
		served.had_file = stat(arguments->ready, &served.before) == 0;
	if (task->ready == TRY_READY_PORT && is_port_open(task->ready_port)) {
		close(served.output);
		return error_set(err, ERROR_FAILURE, EADDRINUSE,
			"port %u answers before '%s' starts: stop the process "
			"that listens on it",
			task->ready_port, arguments->setup);
	}
	served.begin_s = timebase_raw_s();
	fflush(NULL);
	code = child_run(&child, &end);
	if (code) {
		served.rc = error_of_call(err, code, client->calls,
			"the server '%s' cannot be run", arguments->setup);
	} else if (!atomic_load_explicit(&served.over, memory_order_relaxed)) {
		served.rc = try_report_end(
			arguments->setup, &end, served.output, err);
		error_prefix(err, "the server ended before it was ready");
	}
	close(served.output);
	return served.rc;
}
