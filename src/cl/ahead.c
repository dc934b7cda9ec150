/*
 * A process starts them all and waits, so that they end together. Each opens
 * the device anew, compiles its part, and tells how far it is through a pipe.
 */
#include "cl/ahead.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/machine.h"
#include "util/child.h"

/*
 * More would need much memory for little time: each loads a compiler. Two make
 * math on two CPUs take 124 s in place of 279 s.
 */
#define MOST_PROCESSES 8

/* Of the progress of a test. */
#define AHEAD_SHARE 0.4

/* The pipe in the processes. */
#define AHEAD_FD 3

struct ahead_compilation {
	struct session *session;
	const struct test *test;
	unsigned n, part;
	double fractions[MOST_PROCESSES];
};

static void ahead_send_progress(void *context, double fraction)
{
	const struct ahead_compilation *ahead = context;

	dprintf(AHEAD_FD, "%u %.4f\n", ahead->part, fraction);
}

/* It may crash where the test would, which then says why. */
static void ahead_compile_part(struct ahead_compilation *ahead)
{
	const struct session *of = ahead->session;
	struct test_options options = *of->options;
	struct record record = {0};
	struct error err = {0};
	struct session session = {.options = &options,
		.machine = of->machine,
		.record = &record,
		.err = &err};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	options.progress = ahead_send_progress;
	options.progress_context = ahead;
	options.stop = NULL;
	session.rc = machine_set_affinity(
		0, &of->options->cpus->cpus[ahead->part], 1, &err);
	if (session_ok(&session) && session_open(&session) == 0)
		ahead->test->compile(&session, ahead->part, ahead->n);
	_exit(0);
}

static void ahead_compile_parts(void *context)
{
	struct ahead_compilation *ahead = context;

	for (; ahead->part < ahead->n; ahead->part++) {
		if (fork() == 0)
			ahead_compile_part(ahead);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static void ahead_read_progress(void *context, const char *line)
{
	struct ahead_compilation *ahead = context;
	double fraction, sum = 0;
	unsigned part;

	if (sscanf(line, "%u %lf", &part, &fraction) != 2)
		return;
	ahead->fractions[part % ahead->n] = fraction;
	for (unsigned i = 0; i < ahead->n; i++)
		sum += ahead->fractions[i];
	ahead->session->ahead = AHEAD_SHARE * sum / ahead->n;
	session_advance(ahead->session, 0);
}

void ahead_compile(struct session *session, const struct test *test)
{
	static const struct child_file files[] = {{CHILD_PIPE, AHEAD_FD}};
	struct facts *facts = &session->record->facts;
	size_t n = session->options->cpus->n;
	struct ahead_compilation ahead = {.session = session,
		.test = test,
		.n = n < MOST_PROCESSES ? (unsigned)n : MOST_PROCESSES};
	const struct child child = {.function = ahead_compile_parts,
		.files = files,
		.n_files = 1,
		.limit_s = INFINITY,
		.stop = session->options->stop,
		.on_line = ahead_read_progress,
		.context = &ahead};
	struct child_end end;

	/* One process would only do the same earlier. */
	if (!session_ok(session) || !test->compile || n < 2 ||
		child_run(&child, &end) != 0 || session_stopped(session))
		return;
	session->ahead = AHEAD_SHARE;
	facts_set_count(facts, "compiled_ahead.processes", ahead.n);
	facts_set_number(facts, "compiled_ahead.elapsed_s", end.elapsed_s);
}
