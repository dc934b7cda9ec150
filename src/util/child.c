#include "util/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Interval of checks for the child's end, a signal and the limit, in ms. */
#define LOOK_MS 20

/* Interval of checks of a program with on_look() but without a pidfd, in ms. */
#define LOOK_BLIND_MS 1

/* Time for a killed process to end, in s. */
#define KILLED_S 1.0

/* on_slow() is called after this many seconds. */
#define SLOW_S 0.7

/* First file descriptor above all descriptors of a child. */
#define FIRST_FD 10

/* Longest line from the pipe; the stack may be small (ulimit -s). */
#define LINE_BYTES 256

/* Largest number of children, with adopted children, that c2c examines. */
#define OWN_CHILDREN 256

struct own_children {
	pid_t pids[OWN_CHILDREN];
	size_t n;
};

struct running_child {
	const struct child *child;
	struct child_end *end;
	int *refused; /* shared memory: errno of exec, or 0 */
	pid_t pid, keeper;
	int pipe; /* read end */
	double begin_s;
	struct own_children before; /* with child->adopts */
	int guard[2]; /* the keeper kills the group when c2c's end closes */
	bool end_requested;
	char line[LINE_BYTES];
	size_t n; /* bytes in line or text */
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Move a descriptor above the descriptors of the child. */
static int move_fd_up(int low)
{
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, FIRST_FD);

	if (low >= 0)
		close(low);
	/* The limit of descriptors may be FIRST_FD or lower. */
	if (fd < 0 && errno == EINVAL)
		errno = EMFILE;
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

static bool open_child_files(const struct child *child, int pipe_end)
{
	int null = move_fd_up(open("/dev/null", O_RDWR | O_CLOEXEC));
	bool opened = dup2(null, STDIN_FILENO) >= 0;

	for (size_t i = 0; opened && i < child->n_files; i++) {
		int fd = child->files[i].fd;

		if (fd < 0)
			fd = fd == CHILD_NULL ? null : pipe_end;
		opened = dup2(fd, child->files[i].number) >= 0;
	}
	return opened;
}

/* Run the child, with all signals blocked; never return. */
static void run_child(const struct running_child *running, int pipe_end,
	pid_t parent, const sigset_t *signals)
{
	const struct child *child = running->child;
	struct sigaction action;
	pid_t group = getpid();

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	/* Send the group to the keeper before the group has processes. */
	if (running->keeper >= 0 &&
		write(running->guard[1], &group, sizeof(group)) < 0) {
		*running->refused = errno;
		_exit(0);
	}
	/* Reset handlers first, because c2c's handlers may lose a signal. */
	for (int i = 1; i < NSIG; i++) {
		if (sigaction(i, NULL, &action) == 0 &&
			action.sa_handler != SIG_IGN)
			signal(i, SIG_DFL);
	}
	/* c2c ignores these signals, but a program expects them. */
	if (!child->function) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
	}
	pthread_sigmask(SIG_SETMASK, signals, NULL);
	errno = child->before ? child->before(child->context) : 0;
	if (errno == 0 && open_child_files(child, pipe_end)) {
		if (child->function) {
			child->function(child->context);
			_exit(0);
		}
		if (child->file)
			execv(child->file, child->argv);
		else
			execvp(child->argv[0], child->argv);
	}
	*running->refused = errno;
	_exit(0);
}

/* Wait for a process, at most this long; return whether the process ended. */
static bool wait_for_process(
	pid_t pid, double limit_s, int *status, struct rusage *usage)
{
	double end_s = now_s() + limit_s;

	for (;;) {
		pid_t ended = wait4(pid, status, WNOHANG, usage);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return true;
		if (now_s() >= end_s)
			return false;
		poll(NULL, 0, 1);
	}
}

/* Return whether a process in /proc is in this group and is no zombie. */
static bool runs_in_group(const char *pid, pid_t group)
{
	char path[64], text[512], state = 'Z';
	const char *at;
	long its_group = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%.32s/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
	fclose(in);
	/* A name may have blanks and parentheses. */
	at = strrchr(text, ')');
	return at && sscanf(at + 1, " %c %*d %ld", &state, &its_group) == 2 &&
	       its_group == group && state != 'Z' && state != 'X';
}

/*
 * Return whether processes of the group remain. Zombies do not count: in a
 * container, the init process may never reap them.
 */
static bool group_is_left(pid_t group)
{
	const struct dirent *entry;
	bool found = false;
	DIR *folder;

	if (kill(-group, 0) != 0)
		return false;
	folder = opendir("/proc");
	if (!folder)
		return true;
	while (!found && (entry = readdir(folder))) {
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			found = runs_in_group(entry->d_name, group);
	}
	closedir(folder);
	return found;
}

/* Kill the group, because processes of the child may outlive the child. */
static void kill_child_group(pid_t group)
{
	double end_s = now_s() + KILLED_S;

	while (kill(-group, SIGKILL) == 0 && group_is_left(group) &&
		now_s() < end_s)
		poll(NULL, 0, 5);
}

/* Kill the group after c2c has ended; never return. */
static void run_keeper(const struct running_child *running)
{
	pid_t group = 0, message;
	ssize_t n;

	/* Leave c2c's group, whose signals must not reach the keeper. */
	setpgid(0, 0);
	close(running->guard[1]);
	while ((n = read(running->guard[0], &message, sizeof(message))) != 0) {
		if (n == sizeof(message))
			group = message;
		else if (n > 0 || errno != EINTR)
			break;
	}
	if (n == 0) {
		if (group > 0)
			kill_child_group(group);
		if (running->child->folder)
			child_remove_folder(running->child->folder);
	}
	_exit(0);
}

/*
 * Start the keeper before the child, because c2c may be killed as soon as the
 * child runs. Without a keeper, processes remain if c2c is killed. A child that
 * runs a function gets no keeper: each start of c2c loads the topology in such
 * a child, and another fork would take 3 ms.
 */
static void start_keeper(struct running_child *running)
{
	running->keeper = -1;
	if (running->child->function || pipe2(running->guard, O_CLOEXEC) != 0)
		return;
	running->keeper = fork();
	if (running->keeper == 0)
		run_keeper(running);
	if (running->keeper < 0) {
		close(running->guard[0]);
		close(running->guard[1]);
	}
}

/* Stop the keeper with a byte, because kill() may be refused. */
static void end_keeper(const struct running_child *running)
{
	if (running->keeper < 0)
		return;
	/* Both ends are open here, so the write cannot fail. */
	if (write(running->guard[1], "", 1) == 1 &&
		!wait_for_process(running->keeper, KILLED_S, NULL, NULL)) {
		kill(running->keeper, SIGKILL);
		wait_for_process(running->keeper, KILLED_S, NULL, NULL);
	}
	close(running->guard[0]);
	close(running->guard[1]);
}

static int spawn_child(struct running_child *running)
{
	pid_t parent = getpid();
	sigset_t all, before;
	int ends[2], code;

	start_keeper(running);
	if (pipe2(ends, O_CLOEXEC) != 0) {
		code = errno;
		end_keeper(running);
		return code;
	}
	ends[1] = move_fd_up(ends[1]);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	running->begin_s = now_s();
	running->pid = ends[1] < 0 ? -1 : fork();
	code = errno;
	if (running->pid == 0)
		run_child(running, ends[1], parent, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ends[1] >= 0)
		close(ends[1]);
	running->pipe = ends[0];
	if (running->pid < 0) {
		close(ends[0]);
		end_keeper(running);
		return code;
	}
	/* Both c2c and the child set the group: it must exist before a kill. */
	setpgid(running->pid, running->pid);
	return 0;
}

/* Return whether the child has ended. Its children may keep the pipe open. */
static bool child_has_ended(const struct running_child *running)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)running->pid, &info,
		       WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == running->pid;
}

/* Store the time at which c2c first sees the child's end. */
static void note_end(struct running_child *running)
{
	if (isnan(running->end->run_s))
		running->end->run_s = now_s() - running->begin_s;
}

/* Report each time that a signal, for example SIGSTOP, stops the child. */
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

/* Report once that the child is slow. */
static void report_slow_child(const struct child *child, double *slow_s)
{
	if (!child->on_slow || now_s() <= *slow_s)
		return;
	child->on_slow(child->context);
	*slow_s = INFINITY;
}

/* Add a byte of the pipe to the text, or to a line. */
static void take_child_byte(struct running_child *running, char byte)
{
	const struct child *child = running->child;
	char *text = child->text ? child->text : running->line;
	size_t size = child->text ? child->text_bytes : LINE_BYTES;
	bool told = !child->text && byte == '\n';

	if (!told && running->n < size - 1)
		text[running->n++] = byte;
	text[running->n] = '\0';
	if (!told)
		return;
	running->n = 0;
	child->on_line(child->context, text);
}

/* Read the available bytes of the pipe; return false at its end. */
static bool read_child_output(struct running_child *running)
{
	const struct child *child = running->child;
	char buffer[4096];
	ssize_t n = read(running->pipe, buffer, sizeof(buffer));

	if (n > 0 && child->on_output)
		return child->on_output(child->context, buffer, (size_t)n);
	for (ssize_t i = 0; i < n; i++)
		take_child_byte(running, buffer[i]);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* Ask the child to end, so that it can report its results. */
static void request_child_end(struct running_child *running)
{
	/* Do not signal the group: a kernel fails without its compiler. */
	kill(running->pid, SIGTERM);
	/* A stopped child does not receive SIGTERM. */
	kill(running->pid, SIGCONT);
	running->end_requested = true;
	if (running->end->stopped && running->child->on_stop)
		running->child->on_stop(running->child->context);
}

/* Return a descriptor that is readable after the process has ended, or -1. */
static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Return whether the child may write to the pipe. */
static bool child_has_pipe(const struct child *child)
{
	for (size_t i = 0; i < child->n_files; i++) {
		if (child->files[i].fd == CHILD_PIPE)
			return true;
	}
	return false;
}

struct child_watch {
	struct pollfd ready[2]; /* the pipe and the pidfd */
	double end_s, look_s;
	bool over, gone; /* end_s has passed; child has ended */
	bool blind;	 /* wait LOOK_BLIND_MS */
};

/* Wait for output, the end or the next check; return whether to continue. */
static bool look_at_child(
	struct running_child *running, struct child_watch *watch)
{
	const struct child *child = running->child;
	struct pollfd *ready = watch->ready;
	int look_ms = child->look_ms ? child->look_ms : LOOK_MS;
	int n = poll(ready, 2, watch->blind ? LOOK_BLIND_MS : look_ms);

	watch->over = now_s() > watch->end_s;
	if (n > 0 && ready[1].revents) {
		note_end(running);
		ready[1].fd = -1;
	}
	if (n > 0 && ready[0].revents && !read_child_output(running)) {
		if (child->grace_s > 0)
			return false;
		ready[0].fd = -1;
	} else if (n == 0 && watch->gone) {
		return false;
	}
	if (watch->gone && watch->over)
		return false;
	watch->gone = child_has_ended(running);
	if (watch->gone)
		note_end(running);
	if (watch->gone && ready[0].fd < 0)
		return false;
	if (n == 0 && child->on_look && now_s() >= watch->look_s) {
		child->on_look(child->context, running->pid);
		if (watch->blind)
			watch->look_s = now_s() + look_ms * 1e-3;
	}
	return true;
}

/* If the child must end, ask it to end; return whether to wait for it. */
static bool judge_child(
	struct running_child *running, struct child_watch *watch)
{
	const struct child *child = running->child;
	struct child_end *end = running->end;

	if (running->end_requested)
		return !watch->over;
	end->timed_out = watch->over && !watch->gone;
	end->stopped = child->stop &&
		       atomic_load_explicit(child->stop, memory_order_relaxed);
	if (!end->timed_out && !end->stopped)
		return true;
	if (child->grace_s <= 0)
		return false;
	request_child_end(running);
	watch->end_s = now_s() + child->grace_s;
	return true;
}

/* Read the pipe until the child ends or must end. */
static void watch_child(struct running_child *running, int pidfd)
{
	const struct child *child = running->child;
	struct child_watch watch = {
		.ready = {{.fd = child_has_pipe(child) ? running->pipe : -1,
				  .events = POLLIN},
			{.fd = pidfd, .events = POLLIN}},
		.end_s = now_s() + child->limit_s,
		.blind = pidfd < 0 && child->on_look,
	};
	double slow_s = now_s() + SLOW_S;

	while (look_at_child(running, &watch)) {
		report_halted_child(running);
		report_slow_child(child, &slow_s);
		if (!judge_child(running, &watch))
			return;
	}
}

size_t child_add_pids(pid_t pid, pid_t tid, pid_t *pids, size_t n, size_t most)
{
	char path[96];
	FILE *in;
	long child;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)pid,
		(long)tid);
	in = fopen(path, "re");
	while (in && n < most && fscanf(in, "%ld", &child) == 1)
		pids[n++] = (pid_t)child;
	if (in)
		fclose(in);
	return n;
}

static void list_own_children(struct own_children *own)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;

	own->n = 0;
	while (folder && (entry = readdir(folder))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			own->n = child_add_pids(
				getpid(), tid, own->pids, own->n, OWN_CHILDREN);
	}
	if (folder)
		closedir(folder);
}

static bool is_own_child(const struct own_children *own, pid_t pid)
{
	size_t i = 0;

	while (i < own->n && own->pids[i] != pid)
		i++;
	return i < own->n;
}

/*
 * Kill the processes that c2c has adopted since the child began; c2c then
 * adopts their children. Return whether such a process ran.
 */
static bool kill_adopted(const struct running_child *running)
{
	double end_s = now_s() + KILLED_S;
	bool any, ran = false;
	int status;

	do {
		struct own_children own;

		any = false;
		list_own_children(&own);
		for (size_t i = 0; i < own.n; i++) {
			pid_t pid = own.pids[i];

			if (pid == running->keeper || pid == running->pid ||
				is_own_child(&running->before, pid))
				continue;
			any = true;
			if (waitpid(pid, &status, WNOHANG) == pid)
				continue;
			ran = true;
			kill(pid, SIGKILL);
			wait_for_process(pid, KILLED_S, NULL, NULL);
		}
	} while (any && now_s() < end_s);
	return ran;
}

/* Wait for the child, and kill it if it does not end. */
static void reap_child(struct running_child *running)
{
	struct child_end *end = running->end;
	bool now = end->timed_out || end->stopped;
	struct rusage usage = {.ru_maxrss = 0};

	if (!wait_for_process(running->pid, now ? 0 : running->child->grace_s,
		    &end->status, &usage)) {
		kill(-running->pid, SIGKILL);
		end->remains = !wait_for_process(
			running->pid, KILLED_S, &end->status, &usage);
	}
	if (!end->remains)
		note_end(running);
	end->left = !now && !end->remains && group_is_left(running->pid);
	kill_child_group(running->pid);
	if (running->child->adopts && kill_adopted(running) && !now)
		end->left = true;
	if (end->remains)
		end->status = SIGKILL;
	end->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
			     1e-6;
	end->peak_bytes = (size_t)usage.ru_maxrss * 1024;
}

int child_run(const struct child *child, struct child_end *end)
{
	struct running_child running = {.child = child, .end = end};
	double begin_s = now_s();
	int code;

	*end = (struct child_end){.run_s = NAN};
	running.refused = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (running.refused == MAP_FAILED)
		return errno;
	if (child->adopts) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		list_own_children(&running.before);
	}
	code = spawn_child(&running);
	if (code == 0) {
		int pidfd = open_pidfd(running.pid);

		watch_child(&running, pidfd);
		if (pidfd >= 0)
			close(pidfd);
		reap_child(&running);
		end_keeper(&running);
		close(running.pipe);
		code = *running.refused;
		end->elapsed_s = now_s() - begin_s;
	}
	munmap(running.refused, sizeof(int));
	return code;
}
