/*
 * The threads of a process and of those it started, as the kernel reports them.
 */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/machine.h"
#include "machine/process_threads.h"
#include "machine/timebase.h"

#define MOST 64

static void *work(void *unused)
{
	volatile uint64_t sum = 0;

	(void)unused;
	for (;;)
		sum = sum + 1;
	return NULL;
}

/*
 * A process with two threads that work, and a child that sleeps. Its name
 * contains a bracket and a state, as the kernel writes them behind a name.
 */
static void be_a_program(void)
{
	pthread_t thread;

	prctl(PR_SET_NAME, "a) S (b");
	if (fork() == 0) {
		for (;;)
			pause();
	}
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
}

/* Read until so many threads have run, for ten seconds. */
static size_t read_until_busy(
	pid_t pid, struct process_thread threads[MOST], size_t busy)
{
	size_t n = 0, found = 0;

	for (int i = 0; i < 1000 && found < busy; i++) {
		poll(NULL, 0, 10);
		n = process_threads_read(pid, threads, MOST);
		found = 0;
		for (size_t k = 0; k < n; k++)
			found += threads[k].runs && threads[k].run_s > 0.01;
	}
	assert_int_equal(found, busy);
	return n;
}

static void threads_of_a_program_and_its_children_are_read(void **state)
{
	struct process_thread threads[MOST];
	struct cpu_list cpus = {NULL, 0};
	double begin_s = timebase_raw_s();
	pid_t pid = fork();
	size_t n;

	(void)state;
	if (pid == 0) {
		setpgid(0, 0);
		be_a_program();
	}
	setpgid(pid, pid);
	n = read_until_busy(pid, threads, 2);
	/* Some kernels do not list children. */
	assert_in_range(n, 2, 3);
	assert_true(machine_affinity(pid, &cpus));
	for (size_t k = 0; k < n; k++) {
		assert_true(cpu_list_find(&cpus, threads[k].cpu) >= 0);
		assert_true(threads[k].tid > 0);
		/* The kernel may count in steps of 10 ms. */
		assert_true(
			threads[k].run_s < timebase_raw_s() - begin_s + 0.02);
	}
	assert_int_equal(process_threads_read(pid, threads, 1), 1);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(process_threads_read(pid, threads, MOST), 0);
	cpu_list_release(&cpus);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(threads_of_a_program_and_its_children_are_read),
};

CASE_GROUP(cases);
