/*
 * Compile the kernels of tests before measuring, in parallel processes. An
 * OpenCL implementation compiles one kernel at a time in a process, and stores
 * the results in a folder that all processes share. If it stores nothing or a
 * process fails, the test itself compiles the missing kernels.
 *
 * One process starts all other processes and waits for them. Each process opens
 * the device, compiles its part, and writes its progress to a pipe.
 *
 * A rehearsal compiles a test: the test itself runs, but each kernel runs only
 * once, on little memory (session->rehearses).
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/timing.h"
#include "machine/machine.h"
#include "util/array.h"
#include "util/child.h"
#include "util/size.h"

/*
 * More processes would need much memory and save little time, because each
 * loads a compiler. Two processes on two CPUs compile the test math in 124 s
 * instead of 279 s.
 */
#define MOST_PROCESSES 16

/* File descriptor of the progress pipe in each process. */
#define AHEAD_FD 3

/* What a process compiles: a whole test, or programs that it takes. */
struct ahead_part {
	const struct test_to_compile *of;
	unsigned parts; /* processes that take programs; 0: a whole test */
	atomic_size_t
		*next; /* next program that they take; NULL with parts 0 */
	double done;   /* part's share of the progress */
};

struct ahead_compilation {
	const struct test_options *options;
	const struct machine *machine;
	struct ahead_part *all; /* [n] in the order of their starts */
	size_t n, at;		/* at: index of this process's part */
	size_t processes;	/* largest number of processes at a time */
};

static void ahead_send_progress(void *context, double fraction)
{
	const struct ahead_compilation *ahead = context;

	dprintf(AHEAD_FD, "%zu %.4f\n", ahead->at, fraction);
}

/* A test that crashes here crashes later too, in a process that reports why. */
static void ahead_compile_part(struct ahead_compilation *ahead, unsigned cpu)
{
	const struct ahead_part *part = &ahead->all[ahead->at];
	struct test_options options = part->of->options;
	struct record record = {0};
	struct result result;
	struct error err = {0};
	struct session session = {.options = &options,
		.machine = ahead->machine,
		.result = &result,
		.record = &record,
		.err = &err,
		.rehearses = true,
		.shares = part->of->test->shares,
		.parts = part->parts,
		.next_program = part->next};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	result_init(&result);
	stat_random_init(&session.random, ahead->at);
	test_fit_options(part->of->test, &options, NULL);
	options.progress = ahead_send_progress;
	options.progress_context = ahead;
	options.stop = NULL;
	options.repeat = 1;
	options.discard = 0;
	options.budget_s = 0;
	session.rc = machine_set_affinity(0, &cpu, 1, &err);
	/* Only processes of whole tests compile the kernels of sessions. */
	if (session_ok(&session) && session_open(&session) == 0 &&
		part->parts == 0)
		timing_choose_clock(&session);
	if (session_ok(&session))
		part->of->test->run(&session);
	/* A rehearsal may not have reported all of its progress. */
	ahead_send_progress(ahead, 1);
	_exit(0);
}

/* Each process has one CPU. When a process ends, the next takes its CPU. */
static void ahead_compile_parts(void *context)
{
	struct ahead_compilation *ahead = context;
	const struct cpu_list *cpus = ahead->options->cpus;
	pid_t pids[MOST_PROCESSES] = {0};

	for (; ahead->at < ahead->n; ahead->at++) {
		pid_t ended = ahead->at < ahead->processes ? 0 : wait(NULL);
		size_t slot = 0;

		while (slot + 1 < ahead->processes && pids[slot] != ended)
			slot++;
		pids[slot] = fork();
		if (pids[slot] == 0)
			ahead_compile_part(ahead, cpus->cpus[slot]);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static void ahead_read_progress(void *context, const char *line)
{
	struct ahead_compilation *ahead = context;
	const struct test_options *options = ahead->options;
	double fraction, sum = 0;
	size_t at;

	if (sscanf(line, "%zu %lf", &at, &fraction) != 2 || at >= ahead->n)
		return;
	/* A process may compile more programs than its equal share. */
	ahead->all[at].done = fmin(fraction, 1);
	for (size_t i = 0; i < ahead->n; i++)
		sum += ahead->all[i].done / (double)ahead->n;
	if (options->progress)
		options->progress(options->progress_context, sum);
}

/* Append the parts of a test, which share `next`; false: out of memory. */
static bool ahead_add_test(struct ahead_compilation *ahead,
	const struct test_to_compile *test, atomic_size_t *next)
{
	struct ahead_part part = {.of = test};

	if (test->test->compiles_long) {
		part.parts = (unsigned)ahead->processes;
		part.next = next;
	}
	for (unsigned i = 0; i < (part.parts ? part.parts : 1); i++) {
		if (!array_grow(&ahead->all, ahead->n, sizeof(*ahead->all)))
			return false;
		ahead->all[ahead->n++] = part;
	}
	return true;
}

void tests_compile(const struct test_to_compile *tests, size_t n,
	const struct test_options *options, const struct machine *machine,
	struct record *found)
{
	static const struct child_file files[] = {{CHILD_PIPE, AHEAD_FD}};
	struct ahead_compilation ahead = {.options = options,
		.machine = machine,
		.processes = min_size(options->cpus->n, MOST_PROCESSES)};
	const struct child child = {.function = ahead_compile_parts,
		.files = files,
		.n_files = 1,
		.limit_s = INFINITY,
		.stop = options->stop,
		.on_line = ahead_read_progress,
		.context = &ahead};
	size_t bytes = (n + 1) * sizeof(atomic_size_t);
	atomic_size_t *next = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct child_end end;

	if (next == MAP_FAILED)
		return;
	/* The last tests start first: their kernels take longest to compile. */
	while (n > 0 && ahead_add_test(&ahead, &tests[n - 1], &next[n - 1]))
		n--;
	ahead.processes = min_size(ahead.processes, ahead.n);
	if (ahead.n > 0 && child_run(&child, &end) == 0 && !end.stopped) {
		facts_set_count(&found->facts, "compiled_ahead.processes",
			(int64_t)ahead.processes);
		facts_set_number(&found->facts, "compiled_ahead.elapsed_s",
			end.elapsed_s);
	}
	free(ahead.all);
	munmap(next, bytes);
}
