/*
 * Each process opens the device anew, compiles its part, and tells how far it
 * is through a pipe. The pipe ends when the last of them does.
 */
#include "cl/ahead.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/timebase.h"

/* More would need much memory for little time: each loads a compiler. */
#define MOST_PROCESSES 8

/* Of the progress of a test. */
#define AHEAD_SHARE 0.4

/* How often to look whether the user wants an end. */
#define POLL_INTERVAL_MS 50

struct compile_progress {
	unsigned part;
	double fraction;
};

/* What a compiling process tells its progress with. */
struct progress_pipe {
	int pipe;
	unsigned part;
};

struct ahead_compilation {
	struct session *session;
	const struct test *test;
	unsigned n;
	pid_t processes[MOST_PROCESSES];
	double fractions[MOST_PROCESSES];
};

static void ahead_send_progress(void *context, double fraction)
{
	const struct progress_pipe *teller = context;
	const struct compile_progress news = {teller->part, fraction};

	/* Without a reader nobody waits for what is compiled. */
	if (write(teller->pipe, &news, sizeof(news)) < 0)
		_exit(0);
}

/* Does not return. It may crash where the test would, which then says why. */
static void ahead_run_compiler(
	const struct ahead_compilation *ahead, unsigned part, int pipe)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	const struct session *of = ahead->session;
	struct test_options options = *of->options;
	struct progress_pipe teller = {pipe, part};
	struct record record = {0};
	struct error err = {0};
	struct session session = {.options = &options,
		.machine = of->machine,
		.record = &record,
		.err = &err};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], SIG_DFL);
	options.progress = ahead_send_progress;
	options.progress_context = &teller;
	options.stop = NULL;
	session.rc = machine_set_affinity(
		0, &of->options->cpus->cpus[part], 1, &err);
	if (session_ok(&session) && session_open(&session) == 0)
		ahead->test->compile(&session, part, ahead->n);
	_exit(0);
}

static void ahead_start_compilers(
	struct ahead_compilation *ahead, const int ends[2])
{
	for (unsigned part = 0; part < ahead->n; part++) {
		ahead->processes[part] = fork();
		if (ahead->processes[part] == 0) {
			close(ends[0]);
			ahead_run_compiler(ahead, part, ends[1]);
		}
	}
}

/* Tell the user how far they are, until all have ended. */
static void ahead_read_progress(struct ahead_compilation *ahead, int pipe)
{
	struct session *session = ahead->session;
	struct pollfd wait = {.fd = pipe, .events = POLLIN};

	while (session_stopped(session) == 0) {
		double sum = 0;
		struct compile_progress news;

		if (poll(&wait, 1, POLL_INTERVAL_MS) <= 0)
			continue;
		if (read(pipe, &news, sizeof(news)) != sizeof(news))
			break;
		ahead->fractions[news.part % ahead->n] = news.fraction;
		for (unsigned i = 0; i < ahead->n; i++)
			sum += ahead->fractions[i];
		session->ahead = AHEAD_SHARE * sum / ahead->n;
		session_advance(session, 0);
	}
}

static void ahead_end_compilers(const struct ahead_compilation *ahead)
{
	for (unsigned i = 0; i < ahead->n; i++) {
		pid_t process = ahead->processes[i];

		if (process <= 0)
			continue;
		/* It has closed the pipe, or the user wants an end. */
		kill(process, SIGKILL);
		while (waitpid(process, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

int ahead_compile(struct session *session, const struct test *test)
{
	struct facts *facts = &session->record->facts;
	double begin_s = timebase_raw_s();
	size_t n = session->options->cpus->n;
	struct ahead_compilation ahead = {.session = session,
		.test = test,
		.n = n < MOST_PROCESSES ? (unsigned)n : MOST_PROCESSES};
	int ends[2];

	/* One process would only do the same earlier. */
	if (!session_ok(session) || !test->compile || n < 2 || pipe(ends) < 0)
		return session->rc;
	ahead_start_compilers(&ahead, ends);
	close(ends[1]);
	ahead_read_progress(&ahead, ends[0]);
	close(ends[0]);
	ahead_end_compilers(&ahead);
	session->ahead = AHEAD_SHARE;
	facts_set_count(facts, "compiled_ahead.processes", ahead.n);
	facts_set_number(
		facts, "compiled_ahead.elapsed_s", timebase_raw_s() - begin_s);
	return session->rc;
}
