/*
 * Run the program of c2c try under a placement, and sample the CPUs of its
 * threads. The time of a run is from the fork to the exit of the process.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "cmd/wait_notice.h"
#include "machine/memory.h"
#include "machine/process_threads.h"
#include "machine/timebase.h"
#include "util/child.h"

/*
 * Number of samples in a run, and times between samples in ms: in the first
 * run, and limits for later runs.
 */
#define LOOKS	   4
#define FIRST_LOOK 5
#define LEAST_LOOK 1
#define MOST_LOOK  200

/* Largest number of threads in a sample. */
#define THREADS_MAX 1024

/*
 * With --each: time between two searches for new threads, in ms, and as a
 * multiple of the time of a search.
 */
#define EACH_LOOK 1
#define EACH_REST 20

/* A thread is busy if it runs for this share of the time between two samples.
 */
#define BUSY_SHARE 0.1

/* Bytes from the end of the output for a message. */
#define QUOTED_BYTES 300

/* The first sample of a thread. */
struct seen_thread {
	pid_t tid;
	double at_s, run_s;
	unsigned cpu;
	bool bound; /* bound to this CPU, by --each */
};

struct watched {
	struct try_task *task;
	double limit_s;
	pid_t server;		     /* sampled process; 0: the program */
	const struct cpu_list *cpus; /* the mask */
	bool bound;
	const struct cpu_list *memory_nodes; /* or empty */
	struct process_thread *threads;	     /* [THREADS_MAX] */
	struct seen_thread *seen;	     /* [n_seen] of THREADS_MAX */
	size_t n_seen, n_ever;		     /* threads: running, ever */
	bool each;
	double look_s, sample_s; /* with --each: times of the next */
	double sample_ms;
	size_t looks, stacked_looks;
	struct try_run *run;
};

/*
 * Runs in the child. With --each bind the first thread to its own CPU at once:
 * c2c may have done so already, and all CPUs would undo that.
 */
static int bind_program(void *context)
{
	const struct watched *watched = context;
	struct error err;
	int code = watched->memory_nodes->n
			   ? memory_bind_thread(watched->memory_nodes)
			   : 0;

	if (code || !watched->bound)
		return code;
	return -machine_set_affinity(0, watched->cpus->cpus,
		watched->each ? 1 : watched->cpus->n, &err);
}

/* Return the system calls that the child process makes, for a message. */
static const char *calls_to_start(const struct watched *watched, bool binds)
{
	return !binds ? "execve"
	       : watched->memory_nodes->n
		       ? "set_mempolicy and sched_setaffinity"
		       : "sched_setaffinity";
}

/* Return whether running threads share a CPU while another is free. */
static bool are_stacked(const struct watched *watched,
	const struct process_thread *threads, size_t n)
{
	size_t used = 0, running = 0;

	for (size_t c = 0; c < watched->cpus->n; c++) {
		size_t here = 0;

		for (size_t i = 0; i < n; i++)
			here += threads[i].runs &&
				threads[i].cpu == watched->cpus->cpus[c];
		used += here > 0;
		running += here;
	}
	return running > used && used < watched->cpus->n;
}

/* Add a new thread; with --each, bind it to the next CPU. */
static void add_seen_thread(struct watched *watched,
	const struct process_thread *thread, double now_s)
{
	size_t i = watched->n_seen;
	struct seen_thread *seen = &watched->seen[i];
	struct error err;

	*seen = (struct seen_thread){
		.tid = thread->tid,
		.at_s = now_s,
		.run_s = thread->run_s,
		.cpu = watched->cpus->cpus[watched->n_ever % watched->cpus->n],
	};
	watched->n_seen++;
	watched->n_ever++;
	if (watched->each && watched->bound)
		seen->bound = machine_set_affinity(
				      thread->tid, &seen->cpu, 1, &err) == 0;
}

/*
 * Return the first sample of a thread, new or known. likely is its index if no
 * thread ended. There is room, because c2c forgets ended threads.
 */
static const struct seen_thread *find_seen_thread(struct watched *watched,
	const struct process_thread *thread, size_t likely, double now_s)
{
	const struct seen_thread *seen = watched->seen;
	size_t i = 0;

	if (likely < watched->n_seen && seen[likely].tid == thread->tid)
		return &seen[likely];
	while (i < watched->n_seen && seen[i].tid != thread->tid)
		i++;
	if (i == watched->n_seen)
		add_seen_thread(watched, thread, now_s);
	return &seen[i];
}

/* Forget all threads except the n running ones. */
static void forget_ended_threads(struct watched *watched, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < watched->n_seen; i++) {
		size_t k = 0;

		while (k < n && watched->threads[k].tid != watched->seen[i].tid)
			k++;
		if (k < n)
			watched->seen[left++] = watched->seen[i];
	}
	watched->n_seen = left;
}

/* Return whether a thread has bound itself to other CPUs. */
static bool has_bound_itself(
	const struct watched *watched, const struct seen_thread *seen)
{
	struct cpu_list mask = {NULL, 0};
	bool other =
		machine_affinity(seen->tid, &mask) &&
		(seen->bound ? mask.n != 1 || mask.cpus[0] != seen->cpu
			     : !watched->each && mask.n < watched->cpus->n);

	cpu_list_release(&mask);
	return other;
}

static bool is_busy(const struct process_thread *thread,
	const struct seen_thread *seen, double now_s)
{
	return now_s > seen->at_s &&
	       thread->run_s - seen->run_s >= BUSY_SHARE * (now_s - seen->at_s);
}

static void look_at_program(void *context, pid_t pid)
{
	struct watched *watched = context;
	struct try_run *run = watched->run;
	double now_s = timebase_raw_s();
	size_t n, busy = 0, running = 0;

	if (now_s < watched->look_s)
		return;
	n = process_threads_read(watched->server ? watched->server : pid,
		watched->threads, THREADS_MAX);
	forget_ended_threads(watched, n);
	for (size_t i = 0; i < n; i++) {
		const struct process_thread *thread = &watched->threads[i];
		const struct seen_thread *seen =
			find_seen_thread(watched, thread, i, now_s);

		running += thread->runs;
		busy += is_busy(thread, seen, now_s);
		run->binds_itself |= has_bound_itself(watched, seen);
	}
	if (watched->each)
		watched->look_s =
			now_s + EACH_REST * (timebase_raw_s() - now_s);
	if (now_s < watched->sample_s)
		return;
	if (watched->each)
		watched->sample_s = now_s + watched->sample_ms * 1e-3;
	run->busy = busy > run->busy ? busy : run->busy;
	if (running < 2)
		return;
	watched->looks++;
	watched->stacked_looks += are_stacked(watched, watched->threads, n);
}

char *try_read_output(int fd, size_t most)
{
	struct stat status = {.st_size = 0};
	off_t from;
	char *text;
	ssize_t n = 0;

	fstat(fd, &status);
	from = status.st_size > (off_t)most ? status.st_size - (off_t)most : 0;
	text = calloc(1, (size_t)(status.st_size - from) + 1);
	if (text)
		n = pread(fd, text, (size_t)(status.st_size - from), from);
	for (ssize_t i = 0; i < n; i++)
		text[i] = (char)(text[i] ? text[i] : ' ');
	return text;
}

/* Read the number of the first match in a line, or return false. */
static bool find_in_line(const regex_t *regex, char *line, double *value)
{
	regmatch_t match[2];
	const regmatch_t *here = &match[regex->re_nsub > 0];
	char *at, *end;

	if (regexec(regex, line, 2, match, 0) != 0)
		return false;
	if (here->rm_so < 0)
		here = match;
	/* Exclude digits after the match. */
	line[here->rm_eo] = '\0';
	at = line + here->rm_so;
	at += regex->re_nsub ? 0 : strcspn(at, "0123456789");
	*value = strtod(at, &end);
	return end != at;
}

/* Return the number in the last line that matches; NaN: none. */
static double find_metric(const regex_t *regex, char *text)
{
	char *line = text + strlen(text);
	double value = NAN;

	for (;;) {
		*line = '\0';
		/* A carriage return ends a line too, as in progress bars. */
		while (line > text && line[-1] != '\n' && line[-1] != '\r')
			line--;
		if ((*line && find_in_line(regex, line, &value)) ||
			line == text)
			return value;
		line--;
	}
}

int try_report_end(const char *name, const struct child_end *end, int output,
	struct error *err)
{
	char *said = try_read_output(output, QUOTED_BYTES);

	if (said) {
		text_one_line(said);
		text_make_utf8(said);
	}
	if (WIFSIGNALED(end->status))
		error_set(err, ERROR_FAILURE, ECHILD,
			"'%s' was ended by signal %d (%s)", name,
			WTERMSIG(end->status),
			strsignal(WTERMSIG(end->status)));
	else
		error_set(err, ERROR_FAILURE, ECHILD,
			"'%s' exited with status %d%s%s", name,
			WEXITSTATUS(end->status),
			said && *said ? "; it said: " : "", said ? said : "");
	free(said);
	return -ECHILD;
}

static int take_value(const struct try_task *task, const struct child_end *end,
	int output, struct try_run *run, struct error *err)
{
	char *text;

	run->value = task->metric == TRY_WALL  ? end->run_s
		     : task->metric == TRY_CPU ? end->cpu_s
					       : (double)end->peak_bytes;
	if (task->metric != TRY_OUTPUT)
		return 0;
	text = try_read_output(output, TRY_OUTPUT_BYTES);
	if (!text)
		return error_no_memory(err, "the output of the program");
	run->value = find_metric(&task->regex, text);
	free(text);
	if (run->value > 0 && isfinite(run->value))
		return 0;
	return error_set(err, ERROR_FAILURE, ENODATA,
		"--metric: found no finite number above 0 by '%s' in the "
		"output of "
		"'%s'",
		task->arguments->metric, task->program[0]);
}

static int judge_end(const struct try_task *task, const struct child_end *end,
	int output, struct try_run *run, struct error *err)
{
	if (end->stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	run->timed_out = end->timed_out;
	/* Without this value, the placement would look faster. */
	if (end->timed_out && task->metric == TRY_WALL)
		run->value = end->elapsed_s;
	if (end->timed_out)
		return 0;
	if (end->status != 0)
		return try_report_end(task->program[0], end, output, err);
	run->wall_s = isnan(end->run_s) ? end->elapsed_s : end->run_s;
	run->cpu_s = end->cpu_s;
	run->left_processes = end->left;
	return take_value(task, end, output, run, err);
}

/* Runs in the child. */
static int bind_client(void *context)
{
	const struct watched *watched = context;
	const struct cpu_list *cpus = &watched->task->client_cpus;
	struct error err;

	return cpus->n ? -machine_set_affinity(0, cpus->cpus, cpus->n, &err)
		       : 0;
}

/* Run the program until it exits. server 0: no server. */
static int run_beside_server(void *context, pid_t server, struct error *err)
{
	struct watched *watched = context;
	const struct try_task *task = watched->task;
	int output = child_memory_file("output"), code, rc;
	const struct child_file files[] = {
		{task->metric == TRY_OUTPUT ? output : CHILD_NULL,
			STDOUT_FILENO},
		{output, STDERR_FILENO},
	};
	const struct child child = {
		.argv = task->program,
		.before = server ? bind_client : bind_program,
		.files = files,
		.n_files = 2,
		.limit_s = watched->limit_s,
		.grace_s = TRY_GRACE_S,
		.stop = cli_catch_signals(),
		.on_halted = wait_notice_on_stopped,
		.adopts = true,
		.on_look = look_at_program,
		.look_ms = watched->each ? EACH_LOOK : (int)watched->sample_ms,
		.context = watched,
	};
	struct child_end end;

	if (output < 0)
		return error_of_call(
			err, errno, "memfd_create", "the output of a program");
	watched->server = server;
	fflush(NULL);
	code = child_run(&child, &end);
	if (code)
		rc = error_of_call(err, code,
			calls_to_start(watched, server ? task->client_cpus.n > 0
						       : watched->bound),
			"'%s' cannot be run%s", task->program[0],
			watched->memory_nodes->n
				? " with its memory bound to a NUMA node"
				: "");
	else
		rc = judge_end(task, &end, output, watched->run, err);
	close(output);
	return rc;
}

int try_program_run(struct try_task *task,
	const struct tried_placement *placement, const struct cpu_list *cpus,
	double limit_s, struct try_run *run, struct error *err)
{
	const struct arena_block *mark = task->arena->last;
	double look_ms = task->unbound_s > 0 ? task->unbound_s * 1e3 / LOOKS
					     : FIRST_LOOK;
	struct watched watched = {
		.task = task,
		.limit_s = limit_s,
		.cpus = cpus->n ? cpus : task->allowed,
		.bound = cpus->n,
		/* Sample unbound runs too, to be comparable. */
		.each = task->arguments->each,
		.memory_nodes = &placement->memory_nodes,
		.sample_ms = fmin(fmax(look_ms, LEAST_LOOK), MOST_LOOK),
		.run = run,
	};
	const struct try_client client = {.before = bind_program,
		.calls = calls_to_start(&watched, watched.bound),
		.run = run_beside_server,
		.context = &watched};
	int rc;

	*run = (struct try_run){.value = NAN};
	watched.threads =
		arena_alloc(task->arena, THREADS_MAX, sizeof(*watched.threads));
	watched.seen =
		arena_alloc(task->arena, THREADS_MAX, sizeof(*watched.seen));
	rc = task->arguments->setup ? try_server_run(task, &client, err)
				    : run_beside_server(&watched, 0, err);
	run->stacked =
		watched.looks > 1 && 2 * watched.stacked_looks > watched.looks;
	arena_rewind(task->arena, mark);
	return rc;
}
