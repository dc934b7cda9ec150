/*
 * Run the program of c2c try under a placement, and sample on which CPUs its
 * threads are. The time of a run is from the fork to the exit of the process.
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
 * Samples of a run. The other values are times between samples, in ms: in the
 * first run, and the least and the most in later runs.
 */
#define LOOKS	   4
#define FIRST_LOOK 5
#define LEAST_LOOK 1
#define MOST_LOOK  200

/* Most threads that a sample has. */
#define THREADS_MAX 1024

/*
 * With --each: the time between two looks for new threads, in ms, or this many
 * times as long as a look takes.
 */
#define EACH_LOOK 1
#define EACH_REST 20

/* A thread is busy if it runs for this share of the time. */
#define BUSY_SHARE 0.1

/* A message quotes this many bytes from the end of the output. */
#define QUOTED_BYTES 300

/* A thread that --each has bound. */
struct bound_thread {
	pid_t tid;
	unsigned cpu;
};

struct watched {
	struct try_task *task;
	double limit_s;
	pid_t server;		     /* the process to sample; 0: the program */
	const struct cpu_list *cpus; /* the mask */
	bool bound;
	const struct cpu_list *memory_nodes; /* or empty */
	struct process_thread *threads;	     /* [THREADS_MAX] */
	struct bound_thread *each; /* [n_each] of THREADS_MAX; NULL: a mask */
	size_t n_each;
	double begin_s;
	double look_s, sample_s; /* with --each: when the next ones are due */
	double sample_ms;
	size_t looks, stacked_looks;
	struct try_run *run;
};

/* Runs in the child. */
static int bind_program(void *context)
{
	const struct watched *watched = context;
	struct error err;
	int code = watched->memory_nodes->n
			   ? memory_bind_thread(watched->memory_nodes)
			   : 0;

	if (code || !watched->bound)
		return code;
	return -machine_set_affinity(
		0, watched->cpus->cpus, watched->cpus->n, &err);
}

/* Whether two running threads share a CPU while one of the mask is free. */
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

/*
 * Bind a thread that c2c has not seen before to the next CPU. Return its CPU;
 * NULL: it has ended, or there are too many threads.
 */
static unsigned *bind_thread(struct watched *watched, pid_t tid)
{
	struct bound_thread *bound = watched->each;
	size_t i = 0;
	struct error err;

	while (i < watched->n_each && bound[i].tid != tid)
		i++;
	if (i < watched->n_each)
		return &bound[i].cpu;
	if (i == THREADS_MAX)
		return NULL;
	bound += i;
	*bound = (struct bound_thread){
		.tid = tid, .cpu = watched->cpus->cpus[i % watched->cpus->n]};
	if (machine_set_affinity(tid, &bound->cpu, 1, &err) < 0)
		return NULL;
	watched->n_each++;
	return &bound->cpu;
}

/* Whether a thread has bound itself; with --each, bind it. */
static bool has_bound_itself(struct watched *watched, pid_t tid)
{
	struct cpu_list given = *watched->cpus, mask = {NULL, 0};
	bool other;

	if (watched->each) {
		given.cpus = bind_thread(watched, tid);
		given.n = 1;
	}
	other = given.cpus && machine_affinity(tid, &mask) &&
		(watched->each ? !cpu_list_same(&mask, &given)
			       : mask.n < given.n);
	cpu_list_release(&mask);
	return other;
}

static void sample_program(struct watched *watched, size_t n, double elapsed_s)
{
	struct try_run *run = watched->run;
	size_t busy = 0, running = 0;

	for (size_t i = 0; i < n; i++) {
		busy += watched->threads[i].run_s >= BUSY_SHARE * elapsed_s;
		running += watched->threads[i].runs;
	}
	run->busy = busy > run->busy ? busy : run->busy;
	if (running < 2)
		return;
	watched->looks++;
	watched->stacked_looks += are_stacked(watched, watched->threads, n);
}

static void look_at_program(void *context, pid_t pid)
{
	struct watched *watched = context;
	double now_s = timebase_raw_s();
	size_t n;

	if (now_s < watched->look_s)
		return;
	n = process_threads_read(watched->server ? watched->server : pid,
		watched->threads, THREADS_MAX);
	for (size_t i = 0; i < n; i++)
		watched->run->binds_itself |=
			has_bound_itself(watched, watched->threads[i].tid);
	if (now_s >= watched->sample_s)
		sample_program(watched, n, now_s - watched->begin_s);
	if (!watched->each)
		return;
	if (now_s >= watched->sample_s)
		watched->sample_s = now_s + watched->sample_ms * 1e-3;
	watched->look_s = now_s + EACH_REST * (timebase_raw_s() - now_s);
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

/* Read the number of the first match in a line; false: there is none. */
static bool find_in_line(const regex_t *regex, char *line, double *value)
{
	regmatch_t match[2];
	const regmatch_t *here = &match[regex->re_nsub > 0];
	char *at, *end;

	if (regexec(regex, line, 2, match, 0) != 0)
		return false;
	if (here->rm_so < 0)
		here = match;
	/* Digits after the match do not belong to the number. */
	line[here->rm_eo] = '\0';
	at = line + here->rm_so;
	at += regex->re_nsub ? 0 : strcspn(at, "0123456789");
	*value = strtod(at, &end);
	return end != at;
}

/* Return the number of the last line that matches; NaN: no line does. */
static double find_metric(const regex_t *regex, char *text)
{
	char *line = text + strlen(text);
	double value = NAN;

	for (;;) {
		*line = '\0';
		/* Progress bars rewrite their line after a carriage return. */
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
	if (run->value > 0)
		return 0;
	return error_set(err, ERROR_FAILURE, ENODATA,
		"--metric: found no number above 0 by '%s' in the output of "
		"'%s'",
		task->arguments->metric, task->program[0]);
}

static int judge_end(const struct try_task *task, const struct child_end *end,
	int output, struct try_run *run, struct error *err)
{
	if (end->stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	run->timed_out = end->timed_out;
	/* The true time is longer; without a value, others look better. */
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

/* Run the program until it exits; server 0: there is no server. */
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
		rc = error_of_call(err, code, "execve", "'%s' cannot be run%s",
			task->program[0],
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
		.memory_nodes = &placement->memory_nodes,
		.sample_ms = fmin(fmax(look_ms, LEAST_LOOK), MOST_LOOK),
		.run = run,
	};
	const struct try_client client = {.before = bind_program,
		.run = run_beside_server,
		.context = &watched};
	int rc;

	*run = (struct try_run){.value = NAN};
	watched.threads =
		arena_alloc(task->arena, THREADS_MAX, sizeof(*watched.threads));
	if (watched.bound && task->arguments->each)
		watched.each = arena_alloc(
			task->arena, THREADS_MAX, sizeof(*watched.each));
	watched.begin_s = timebase_raw_s();
	rc = task->arguments->setup ? try_server_run(task, &client, err)
				    : run_beside_server(&watched, 0, err);
	run->stacked =
		watched.looks > 1 && 2 * watched.stacked_looks > watched.looks;
	arena_rewind(task->arena, mark);
	return rc;
}
