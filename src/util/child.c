#include "util/child.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often to look for the child's end, a signal and the limit. */
#define LOOK_MS 20

/* How long the killed group may take to end; perhaps nobody reaps it. */
#define GROUP_END_S 1.0

/* Above all file descriptors of a child. */
#define FIRST_FD 10

/* A running child. */
struct running_child {
	const struct child *child;
	pid_t pid, keeper;
	int pipe;  /* read end */
	int guard; /* when it closes, the keeper ends the group */
	bool end_requested;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Move low to a descriptor above those of the child. */
static int move_fd_up(int low)
{
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);

	if (low >= 0)
		close(low);
	return fd;
}

int child_memory_file(const char *name)
{
	return move_fd_up(memfd_create(name, MFD_CLOEXEC));
}

static int remove_entry(
	const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

void child_remove_folder(const char *folder)
{
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int add_spawn_file(posix_spawn_file_actions_t *actions,
	const struct child_file *file, int pipe_end)
{
	if (file->fd == CHILD_NULL)
		return posix_spawn_file_actions_addopen(
			actions, file->number, "/dev/null", O_WRONLY, 0);
	return posix_spawn_file_actions_adddup2(actions,
		file->fd == CHILD_PIPE ? pipe_end : file->fd, file->number);
}

static int spawn_child(const struct child *child, int pipe_end, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return code;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	code = posix_spawn_file_actions_addopen(
		&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	for (size_t i = 0; code == 0 && i < child->n_files; i++)
		code = add_spawn_file(&actions, &child->files[i], pipe_end);
	if (code == 0)
		code = child->file ? posix_spawn(pid, child->file, &actions,
					     &attributes, child->argv, environ)
				   : posix_spawnp(pid, child->argv[0], &actions,
					     &attributes, child->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return code;
}

/* Processes of the child may outlive it, and still write. */
static void kill_child_group(pid_t group)
{
	double end_s = now_s() + GROUP_END_S;

	while (kill(-group, SIGKILL) == 0 && now_s() < end_s)
		poll(NULL, 0, 5);
}

/* Does not return. */
static void run_keeper(const struct running_child *running, int end)
{
	char byte;

	/* Signals for the group of c2c must not reach it. */
	setpgid(0, 0);
	close(running->guard);
	close(running->pipe);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	kill_child_group(running->pid);
	if (running->child->folder)
		child_remove_folder(running->child->folder);
	_exit(0);
}

/* If it fails, only a killed c2c leaves something behind. */
static void start_keeper(struct running_child *running)
{
	int ends[2];

	running->keeper = -1;
	running->guard = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	running->guard = ends[1];
	running->keeper = fork();
	if (running->keeper == 0)
		run_keeper(running, ends[0]);
	close(ends[0]);
}

static int start_piped_child(struct running_child *running)
{
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	ends[1] = move_fd_up(ends[1]);
	code = ends[1] < 0
		       ? errno
		       : spawn_child(running->child, ends[1], &running->pid);
	if (ends[1] >= 0)
		close(ends[1]);
	running->pipe = ends[0];
	if (code)
		close(ends[0]);
	else
		start_keeper(running);
	return code;
}

/* Its own children may keep the pipe open. */
static bool child_has_ended(const struct running_child *running)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)running->pid, &info,
		       WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == running->pid;
}

/* What takes less long is not told. */
#define SLOW_S 0.7

/* Tell once for each time that the child is stopped, as by SIGSTOP. */
static void report_halted_child(const struct running_child *running)
{
	const struct child *child = running->child;
	siginfo_t info = {.si_pid = 0};

	if (child->on_halted &&
		waitid(P_PID, (id_t)running->pid, &info, WSTOPPED | WNOHANG) ==
			0 &&
		info.si_pid == running->pid)
		child->on_halted(child->context, running->pid);
}

/* Tell once that the child takes long. */
static void report_slow_child(const struct child *child, double *slow_s)
{
	if (!child->on_slow || now_s() <= *slow_s)
		return;
	child->on_slow(child->context);
	*slow_s = INFINITY;
}

/* Read what the pipe has now; false at its end. */
static bool read_child_output(const struct running_child *running)
{
	/* The stack may be small (ulimit -s). */
	char buffer[4096];
	ssize_t n = read(running->pipe, buffer, sizeof(buffer));

	if (n < 0)
		return errno == EINTR;
	return n > 0 && running->child->on_output(
				running->child->context, buffer, (size_t)n);
}

/* Ask it to end, so that it can hand over what it has. */
static void request_child_end(
	struct running_child *running, const struct child_end *end)
{
	/* Not the group: without its compiler a kernel would fail. */
	kill(running->pid, SIGTERM);
	/* One that is stopped would not hear. */
	kill(running->pid, SIGCONT);
	running->end_requested = true;
	if (end->stopped && running->child->on_stop)
		running->child->on_stop(running->child->context);
}

/* Read the pipe until the child ends or has to. */
static void watch_child(struct running_child *running, struct child_end *end)
{
	const struct child *child = running->child;
	struct pollfd ready = {.fd = running->pipe, .events = POLLIN};
	double end_s = now_s() + child->limit_s, slow_s = now_s() + SLOW_S;
	bool gone = false;

	for (;;) {
		int n = poll(&ready, 1, LOOK_MS);
		bool over = now_s() > end_s;

		if (n > 0 && !read_child_output(running)) {
			if (child->grace_s > 0)
				return;
			ready.fd = -1;
		} else if (n == 0 && gone) {
			return;
		}
		if (gone && over)
			return;
		gone = child_has_ended(running);
		report_halted_child(running);
		report_slow_child(child, &slow_s);
		if (running->end_requested) {
			if (over)
				return;
			continue;
		}
		end->timed_out = over && !gone;
		end->stopped = child->stop && atomic_load_explicit(child->stop,
						      memory_order_relaxed);
		if (!end->timed_out && !end->stopped)
			continue;
		if (child->grace_s <= 0)
			return;
		request_child_end(running, end);
		end_s = now_s() + child->grace_s;
	}
}

/* Wait for the child, kill it if it does not end, and return its status. */
static int reap_child(const struct running_child *running, bool now)
{
	double end_s = now_s() + (now ? 0 : running->child->grace_s);
	int status = 0;

	for (;;) {
		pid_t pid = waitpid(running->pid, &status, WNOHANG);

		if (pid == running->pid || (pid < 0 && errno != EINTR))
			break;
		if (now_s() >= end_s) {
			kill(-running->pid, SIGKILL);
			end_s = INFINITY;
		}
		poll(NULL, 0, 5);
	}
	kill_child_group(running->pid);
	return status;
}

int child_run(const struct child *child, struct child_end *end)
{
	struct running_child running = {.child = child};
	int code = start_piped_child(&running);

	*end = (struct child_end){.status = 0};
	if (code)
		return code;
	watch_child(&running, end);
	end->status = reap_child(&running, end->timed_out || end->stopped);
	if (running.keeper > 0)
		kill(running.keeper, SIGKILL);
	/* Where kill() is refused, this ends the keeper. */
	if (running.guard >= 0)
		close(running.guard);
	while (running.keeper > 0 && waitpid(running.keeper, NULL, 0) < 0 &&
		errno == EINTR)
		;
	close(running.pipe);
	return 0;
}
