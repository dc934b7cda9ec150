/*
 * c2c that starts itself: what the parent makes of a child that ends as it
 * should, early, late, badly or not at all. The children are this program.
 */
#include <errno.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/cli.h"
#include "job/job.h"

/* Longer than any child needs. */
#define LONG_S 100.0

/* A child that is asked to end has this long. */
#define GRACE_S 5.0

static void wait_for_sigterm(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &number);
}

static void make_result(struct result *result, bool complete, double y)
{
	const struct curve_facts facts = {
		.family = "y",
		.member = "a",
		.x_name = "x",
		.x_unit = "",
		.y_unit = "ms",
	};
	struct record test = {0};
	struct curve *curve;

	result_init(result);
	result->command = strdup("cl");
	result->complete = complete;
	facts_set_text(&test.facts, "test", "x");
	if (!run_facts_add_test(&result->run, &test))
		abort();
	curve = result_add_curve(result, &facts, 2);
	curve->x[0] = 1;
	curve->x[1] = 2;
	curve->median[0] = y;
}

static void send_result(bool complete, const struct error *why)
{
	struct result result;

	make_result(&result, complete, 3);
	if (job_store_report(
		    &(struct job_report){why, NULL, &result, true}, NULL) < 0)
		abort();
	result_release(&result);
}

/* The later one is shorter, and the one that counts. */
static void keep_results(void)
{
	struct result result;

	make_result(&result, true, 0.123456);
	if (job_store_report(&(struct job_report){.result = &result}, NULL) < 0)
		abort();
	result.curves[0].median[0] = 3;
	if (job_store_report(&(struct job_report){.result = &result}, NULL) < 0)
		abort();
	result_release(&result);
}

static void send_failure(void)
{
	struct error why;

	error_set(&why, ERROR_UNAVAILABLE, ENOTSUP, "no caf\351 here");
	send_result(false, &why);
}

static void leave_one_behind(void)
{
	struct error why;
	pid_t pid = fork();

	if (pid == 0) {
		for (;;)
			pause();
	}
	error_set(&why, ERROR_FAILURE, EIO, "%d", (int)pid);
	job_store_report(&(struct job_report){.why = &why}, NULL);
}

static int be_child(const struct case_group *group, int n, char **words)
{
	const char *how = words[0];
	struct error err;
	FILE *pipe = job_open_pipe(&err);

	(void)group;
	if (!pipe || n != 1)
		return 1;
	if (strcmp(how, "part") == 0 || strcmp(how, "whole") == 0) {
		job_report_progress(pipe, 0.5, NULL);
		wait_for_sigterm();
		send_result(strcmp(how, "whole") == 0, NULL);
	} else if (strcmp(how, "early") == 0) {
		send_result(false, NULL);
	} else if (strcmp(how, "fails") == 0) {
		send_failure();
	} else if (strcmp(how, "leaves one") == 0) {
		leave_one_behind();
	} else if (strcmp(how, "stops") == 0) {
		keep_results();
		raise(SIGSTOP);
	} else if (strcmp(how, "is killed") == 0) {
		keep_results();
		raise(SIGKILL);
	} else if (strcmp(how, "aborts") == 0) {
		fputs("two\n\twords\351", stderr);
		abort();
	}
	fclose(pipe);
	return 7;
}

static void ignore_line(void *context, const char *line)
{
	(void)context;
	(void)line;
}

static int run(const char *how, double limit_s, const atomic_bool *stop,
	struct job_outcome *outcome, struct error *err)
{
	char *argv[] = {"unit", "job", (char *)how, NULL};
	const struct job job = {
		.child = {.argv = argv,
			.stop = stop,
			.limit_s = limit_s,
			.grace_s = GRACE_S,
			.on_line = ignore_line},
		.who = "the child",
	};

	return job_run(&job, outcome, err);
}

static void assert_part(const struct job_outcome *outcome)
{
	assert_true(outcome->measured);
	assert_int_equal(outcome->result.n_curves, 1);
	assert_true(outcome->result.curves[0].median[0] == 3);
	assert_true(isnan(outcome->result.curves[0].median[1]));
}

static void the_limit_leaves_what_was_measured(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(run("part", 0.25, NULL, &outcome, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "did not end within 0.25 s (--limit)");
	assert_part(&outcome);
	assert_false(outcome.result.complete);
	job_outcome_release(&outcome);
}

static void an_interrupt_leaves_what_was_measured(void **state)
{
	struct job_outcome outcome;
	atomic_bool stop = true;
	struct error err;

	(void)state;
	assert_int_equal(run("part", LONG_S, &stop, &outcome, &err), -EINTR);
	assert_string_equal(err.text, "interrupted");
	assert_part(&outcome);
	job_outcome_release(&outcome);
}

static void a_test_that_just_made_it_is_whole(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(run("whole", 0.1, NULL, &outcome, &err), 0);
	assert_part(&outcome);
	assert_true(outcome.result.complete);
	job_outcome_release(&outcome);
}

/* Asked to end, it does not hear. */
static void a_stopped_child_is_killed(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(run("stops", 0.1, NULL, &outcome, &err), -ETIMEDOUT);
	assert_non_null(strstr(err.text, "did not end within 0.1 s (--limit)"));
	assert_part(&outcome);
	assert_false(outcome.result.complete);
	job_outcome_release(&outcome);
}

static void what_failed_has_its_reason_and_its_points(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(run("fails", LONG_S, NULL, &outcome, &err), -ENOTSUP);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_string_equal(err.text, "no caf? here");
	assert_part(&outcome);
	job_outcome_release(&outcome);

	assert_int_equal(run("early", LONG_S, NULL, &outcome, &err), -ECHILD);
	assert_non_null(
		strstr(err.text, "another process ended it by a signal"));
	assert_part(&outcome);
	job_outcome_release(&outcome);
}

static void an_end_without_a_word_is_told(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(run("aborts", LONG_S, NULL, &outcome, &err), -ECHILD);
	assert_non_null(strstr(err.text, "ended by signal 6"));
	assert_non_null(strstr(err.text, "it said: two words?"));
	assert_false(outcome.measured);
	job_outcome_release(&outcome);
	assert_int_equal(run("exits", LONG_S, NULL, &outcome, &err), -ECHILD);
	assert_non_null(strstr(err.text, "exited with status 7"));
	job_outcome_release(&outcome);
}

static void what_was_kept_outlives_the_child(void **state)
{
	struct job_outcome outcome;
	struct error err;

	(void)state;
	assert_int_equal(
		run("is killed", LONG_S, NULL, &outcome, &err), -ECHILD);
	assert_non_null(strstr(err.text, "ended by signal 9"));
	assert_part(&outcome);
	assert_false(outcome.result.complete);
	job_outcome_release(&outcome);
}

static void what_a_child_started_ends_with_it(void **state)
{
	struct job_outcome outcome;
	struct error err;
	char path[64], line[64] = "";

	(void)state;
	assert_int_equal(run("leaves one", 20, NULL, &outcome, &err), -EIO);
	job_outcome_release(&outcome);
	/* It is gone, or nobody has asked for its status yet. */
	snprintf(path, sizeof(path), "/proc/%ld/stat",
		strtol(err.text, NULL, 10));
	for (int i = 0; i < 1000; i++) {
		FILE *file = fopen(path, "re");
		const char *at;

		if (!file)
			return;
		if (!fgets(line, sizeof(line), file))
			line[0] = '\0';
		fclose(file);
		at = strrchr(line, ')');
		if (!at || at[2] == 'Z' || at[2] == 'X')
			return;
		usleep(10000);
	}
	fail_msg("still there: %s", line);
}

/* The first is heard, the second comes too soon, the third ends the process. */
static void interrupt_often(void)
{
	const struct timespec later = {.tv_nsec = 400000000};
	const atomic_bool *stop;
	sigset_t set;
	bool right;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	stop = cli_catch_signals();
	right = !atomic_load(stop) && !cli_stop_was_requested();
	raise(SIGINT);
	right = right && atomic_load(stop) && cli_stop_was_requested();
	raise(SIGINT);
	nanosleep(&later, NULL);
	if (right)
		raise(SIGTERM);
	_exit(1);
}

static void a_second_interrupt_ends_the_process(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		interrupt_often();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* For children, which may be told to end before they are ready. */
static int block_sigterm(void **state)
{
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	return sigprocmask(SIG_BLOCK, &set, NULL);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_limit_leaves_what_was_measured),
	cmocka_unit_test(an_interrupt_leaves_what_was_measured),
	cmocka_unit_test(a_test_that_just_made_it_is_whole),
	cmocka_unit_test(a_stopped_child_is_killed),
	cmocka_unit_test(what_failed_has_its_reason_and_its_points),
	cmocka_unit_test(an_end_without_a_word_is_told),
	cmocka_unit_test(what_was_kept_outlives_the_child),
	cmocka_unit_test(what_a_child_started_ends_with_it),
	cmocka_unit_test(a_second_interrupt_ends_the_process),
};

CASE_GROUP(cases, .set_up = block_sigterm, .take_words = be_child);
