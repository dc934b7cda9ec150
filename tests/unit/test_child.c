/*
 * A child process whatever happens to it: stopped, killed, deaf, too talkative,
 * not there, and where kill() is refused. The children are functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/array.h"
#include "util/child.h"

/* Longer than any child needs. */
#define LONG_S 100.0

/* A child that hears ends much sooner. */
#define GRACE_S 5.0

/* In each child standard output is the pipe. */
static const struct child_file files[] = {{CHILD_PIPE, STDOUT_FILENO}};

static struct child child_of(
	void (*function)(void *context), char *text, size_t text_bytes)
{
	return (struct child){.function = function,
		.files = files,
		.n_files = 1,
		.limit_s = LONG_S,
		.text = text,
		.text_bytes = text_bytes};
}

static void be_endless(void *context)
{
	(void)context;
	for (;;)
		pause();
}

static void be_deaf(void *context)
{
	signal(SIGTERM, SIG_IGN);
	be_endless(context);
}

static void be_stopped(void *context)
{
	raise(SIGSTOP);
	be_endless(context);
}

static void say_much(void *context)
{
	(void)context;
	for (int i = 0; i < 10000; i++)
		dprintf(STDOUT_FILENO, "%d,", i);
}

static void say_lines(void *context)
{
	char *line = context;

	memset(line, 'x', 3000);
	dprintf(STDOUT_FILENO, "one\n\n%.3000s\nno end", line);
}

static void take_memory(void *context)
{
	size_t *bytes = context;
	char *memory = malloc(*bytes);

	for (size_t i = 0; memory && i < *bytes; i += 4096)
		((volatile char *)memory)[i] = 1;
}

static void the_first_bytes_of_a_child_are_kept(void **state)
{
	char text[16] = "";
	struct child child = child_of(say_much, text, sizeof(text));
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(&child, &end), 0);
	assert_string_equal(text, "0,1,2,3,4,5,6,7");
	assert_true(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0);
	assert_false(end.stopped || end.timed_out || end.remains);
}

struct told_lines {
	char first[8];
	size_t n, longest;
	char room[3000];
};

static void take_line(void *context, const char *line)
{
	struct told_lines *told = context;

	if (told->n++ == 0)
		snprintf(told->first, sizeof(told->first), "%s", line);
	if (strlen(line) > told->longest)
		told->longest = strlen(line);
}

static void whole_lines_are_told_and_long_ones_cut(void **state)
{
	struct told_lines told = {.n = 0};
	struct child child = child_of(say_lines, NULL, 0);
	struct child_end end;

	(void)state;
	child.on_line = take_line;
	child.context = &told;
	assert_int_equal(child_run(&child, &end), 0);
	assert_int_equal(told.n, 3);
	assert_string_equal(told.first, "one");
	assert_in_range(told.longest, 100, 1000);
}

static void what_does_not_execute_says_why(void **state)
{
	char *argv[] = {"./no-such-program", NULL}, text[8] = "";
	struct child child = child_of(NULL, text, sizeof(text));
	const struct child_file closed = {1000000, STDOUT_FILENO};
	struct child_end end;

	(void)state;
	child.argv = argv;
	assert_int_equal(child_run(&child, &end), ENOENT);
	child.file = "/";
	assert_int_equal(child_run(&child, &end), EACCES);
	child.files = &closed;
	assert_int_equal(child_run(&child, &end), EBADF);
}

static void time_and_memory_are_told(void **state)
{
	size_t bytes = (size_t)64 << 20;
	char text[8] = "";
	struct child child = child_of(take_memory, text, sizeof(text));
	struct child_end end;

	(void)state;
	child.context = &bytes;
	assert_int_equal(child_run(&child, &end), 0);
	assert_true(end.peak_bytes >= bytes);
	assert_true(end.elapsed_s > 0 && end.elapsed_s < LONG_S);
}

static void take_signal(int number)
{
	(void)number;
}

/* Handlers of c2c itself would hear it before there is another program. */
static void a_request_that_comes_first_is_heard(void **state)
{
	char text[8] = "";
	struct child child = child_of(be_endless, text, sizeof(text));
	void (*before)(int) = signal(SIGTERM, take_signal);
	atomic_bool stop = true;
	struct child_end end;

	(void)state;
	child.stop = &stop;
	child.grace_s = GRACE_S;
	assert_int_equal(child_run(&child, &end), 0);
	signal(SIGTERM, before);
	assert_true(end.stopped);
	assert_int_equal(end.status, SIGTERM);
}

static void count_halts(void *context, pid_t pid)
{
	pid_t *halted = context;

	*halted = pid;
}

static void a_stopped_child_is_told_and_ends_at_the_limit(void **state)
{
	char text[8] = "";
	struct child child = child_of(be_stopped, text, sizeof(text));
	struct child_end end;
	pid_t halted = 0;

	(void)state;
	child.limit_s = 0.3;
	child.grace_s = GRACE_S;
	child.on_halted = count_halts;
	child.context = &halted;
	assert_int_equal(child_run(&child, &end), 0);
	assert_true(halted > 0);
	assert_true(end.timed_out);
	assert_int_equal(end.status, SIGTERM);
}

static void a_deaf_child_is_killed(void **state)
{
	char text[8] = "";
	struct child child = child_of(be_deaf, text, sizeof(text));
	struct child_end end;

	(void)state;
	child.limit_s = 0.1;
	child.grace_s = 0.1;
	assert_int_equal(child_run(&child, &end), 0);
	assert_true(end.timed_out);
	assert_int_equal(end.status, SIGKILL);
}

/* A place that this process shares with all that it starts. */
static pid_t *shared_pid(void)
{
	pid_t *pid = mmap(NULL, sizeof(*pid), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(pid != MAP_FAILED);
	*pid = 0;
	return pid;
}

static void tell_pid_and_be_deaf(void *context)
{
	*(volatile pid_t *)context = getpid();
	be_deaf(context);
}

/* Whether it ends soon; nobody may ask how it did. */
static bool ends_soon(pid_t pid)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	for (int i = 0; i < 1000; i++) {
		FILE *file = fopen(path, "re");
		const char *at = NULL;

		if (!file)
			return true;
		if (fgets(line, sizeof(line), file))
			at = strrchr(line, ')');
		fclose(file);
		if (!at || at[2] == 'Z' || at[2] == 'X')
			return true;
		usleep(10000);
	}
	return false;
}

static void a_child_ends_when_c2c_is_killed(void **state)
{
	volatile pid_t *child_pid = shared_pid();
	struct child child = child_of(tell_pid_and_be_deaf, NULL, 0);
	struct child_end end;
	pid_t c2c = fork();
	int status;

	(void)state;
	child.on_line = take_line;
	child.context = (void *)child_pid;
	if (c2c == 0)
		_exit(child_run(&child, &end));
	while (*child_pid == 0)
		usleep(1000);
	kill(c2c, SIGKILL);
	assert_int_equal(waitpid(c2c, &status, 0), c2c);
	assert_true(ends_soon(*child_pid));
}

static int refuse_to_begin(void *context)
{
	(void)context;
	return EACCES;
}

static void a_program_may_refuse_to_begin(void **state)
{
	char *argv[] = {"true", NULL};
	const struct child child = {.argv = argv,
		.before = refuse_to_begin,
		.limit_s = LONG_S,
		.grace_s = GRACE_S};
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(&child, &end), EACCES);
}

static void count_look(void *context, pid_t pid)
{
	size_t *looks = context;

	assert_true(pid > 0);
	(*looks)++;
}

/* It has no pipe: only its process tells that it ended. */
static void a_program_is_looked_at_and_what_it_leaves_ends(void **state)
{
	char *argv[] = {"sh", "-c",
		"sleep 1000 & i=0; while [ $i -lt 30000 ]; "
		"do i=$((i + 1)); done",
		NULL};
	size_t looks = 0;
	const struct child child = {.argv = argv,
		.limit_s = LONG_S,
		.grace_s = GRACE_S,
		.on_look = count_look,
		.look_ms = 1,
		.context = &looks};
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(&child, &end), 0);
	assert_int_equal(end.status, 0);
	assert_true(looks > 0);
	assert_true(end.left);
	assert_true(end.cpu_s > 0);
	assert_true(end.run_s > 0 && end.run_s <= end.elapsed_s);
}

/* Every call that this process makes from now on fails with ENOSYS. */
static int refuse_call(unsigned number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {N_OF(filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* As on a kernel that is too old for pidfd_open(). */
static void the_end_is_seen_without_a_pidfd(void **state)
{
	char *argv[] = {"true", NULL};
	size_t looks = 0;
	const struct child child = {.argv = argv,
		.limit_s = LONG_S,
		.grace_s = GRACE_S,
		.on_look = count_look,
		.context = &looks};
	struct child_end end = {.run_s = NAN};
	pid_t c2c = fork();
	int status = 0;

	(void)state;
	if (c2c == 0) {
		if (refuse_call(SYS_pidfd_open) != 0)
			_exit(77);
		child_run(&child, &end);
		_exit(end.run_s > 0 && end.run_s <= end.elapsed_s ? 0 : 1);
	}
	assert_int_equal(waitpid(c2c, &status, 0), c2c);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message(
			"skip: filters of system calls are not permitted\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_program_does_not_ignore_what_c2c_does(void **state)
{
	char *argv[] = {"sh", "-c", "kill -PIPE $$", NULL};
	const struct child child = {
		.argv = argv, .limit_s = LONG_S, .grace_s = GRACE_S};
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct child_end end;

	(void)state;
	assert_int_equal(child_run(&child, &end), 0);
	signal(SIGPIPE, before);
	assert_int_equal(end.status, SIGPIPE);
	before = signal(SIGXFSZ, SIG_IGN);
	argv[2] = "ulimit -c 0; kill -XFSZ $$";
	assert_int_equal(child_run(&child, &end), 0);
	signal(SIGXFSZ, before);
	assert_int_equal(end.status, SIGXFSZ);
}

static void leave_zombie(void *context)
{
	siginfo_t info;
	pid_t pid = fork();

	(void)context;
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

/* This process is the init process, and reads no status. */
static void zombies_are_not_left(void **state)
{
	struct child child = child_of(leave_zombie, NULL, 0);
	struct told_lines told = {.n = 0};
	struct child_end end;

	(void)state;
	child.on_line = take_line;
	child.context = &told;
	child.grace_s = GRACE_S;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	assert_int_equal(child_run(&child, &end), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	assert_int_equal(end.status, 0);
	assert_true(waitpid(-1, NULL, 0) > 0);
	assert_false(end.left);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_program_may_refuse_to_begin),
	cmocka_unit_test(a_program_is_looked_at_and_what_it_leaves_ends),
	cmocka_unit_test(the_end_is_seen_without_a_pidfd),
	cmocka_unit_test(a_program_does_not_ignore_what_c2c_does),
	cmocka_unit_test(zombies_are_not_left),
	cmocka_unit_test(the_first_bytes_of_a_child_are_kept),
	cmocka_unit_test(whole_lines_are_told_and_long_ones_cut),
	cmocka_unit_test(what_does_not_execute_says_why),
	cmocka_unit_test(time_and_memory_are_told),
	cmocka_unit_test(a_request_that_comes_first_is_heard),
	cmocka_unit_test(a_stopped_child_is_told_and_ends_at_the_limit),
	cmocka_unit_test(a_deaf_child_is_killed),
	cmocka_unit_test(a_child_ends_when_c2c_is_killed),
};

CASE_GROUP(cases);
