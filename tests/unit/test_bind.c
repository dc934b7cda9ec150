/*
 * Binding threads on the machine at hand, and what it says of itself when its
 * affinity is narrowed.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/machine.h"

#define THREADS 8
#define ROUNDS	20

static struct machine *new_machine(void)
{
	struct machine *machine = NULL;
	struct error err = {0};

	if (machine_new(&machine, &err) < 0)
		fail_msg("%s", err.text);
	return machine;
}

/* Visit every allowed CPU in turn; returns NULL if it got to each. */
static void *visit_cpus(void *argument)
{
	const struct machine *machine = argument;
	const struct cpu_list *cpus = &machine_facts(machine)->allowed;

	for (size_t i = 0; i < ROUNDS * cpus->n; i++) {
		unsigned cpu = cpus->cpus[i % cpus->n];

		if (machine_bind_thread(machine, cpu, NULL) != 0 ||
			machine_current_cpu() != (int)cpu)
			return argument;
	}
	return NULL;
}

static void threads_go_where_they_are_bound(void **state)
{
	struct machine *machine = new_machine();
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, visit_cpus, machine),
			0);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	machine_free(machine);
}

struct attempt {
	const struct machine *machine;
	unsigned cpu;
	struct error err;
	int rc;
};

static void *attempt_bind(void *argument)
{
	struct attempt *attempt = argument;

	attempt->rc = machine_bind_thread(
		attempt->machine, attempt->cpu, &attempt->err);
	return NULL;
}

/* In a thread of its own: whatever becomes of its binding is gone with it. */
static void attempt(struct attempt *attempt)
{
	pthread_t thread;

	assert_int_equal(
		pthread_create(&thread, NULL, attempt_bind, attempt), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct machine *machine = new_machine();
	struct attempt absent = {.machine = machine, .cpu = 1000000};

	(void)state;
	attempt(&absent);
	assert_true(absent.rc < 0);
	assert_int_equal(absent.err.class, ERROR_FAILURE);
	assert_non_null(strstr(absent.err.text, "CPU 1000000"));
	machine_free(machine);
}

/* hwloc accepts bindings on a pretended machine, and does nothing. */
static void a_binding_without_effect_is_noticed(void **state)
{
	struct attempt pretended = {.cpu = 1279};
	struct machine *machine = NULL;

	(void)state;
	assert_int_equal(
		machine_new_synthetic(&machine, "core:1280 pu:1", NULL), 0);
	pretended.machine = machine;
	attempt(&pretended);
	assert_int_equal(pretended.rc, -ENOTSUP);
	assert_int_equal(pretended.err.class, ERROR_FAILURE);
	assert_non_null(strstr(pretended.err.text, "pretended machine"));
	machine_free(machine);
}

/* A system that leaves each thread where it is: the CPU behind the last. */
static _Atomic bool stays;

/* The linker puts wrap_getcpu in the place of sched_getcpu(3): --wrap. */
int real_getcpu(void) __asm__("__real_sched_getcpu");
int wrap_getcpu(void) __asm__("__wrap_sched_getcpu");

int wrap_getcpu(void)
{
	return stays ? (int)CPU_LIST_MAX_CPU : real_getcpu();
}

static void a_thread_that_does_not_arrive_is_noticed(void **state)
{
	struct machine *machine = new_machine();
	struct attempt one = {.machine = machine,
		.cpu = machine_facts(machine)->allowed.cpus[0]};

	(void)state;
	stays = true;
	attempt(&one);
	stays = false;
	assert_int_equal(one.rc, -EXDEV);
	assert_non_null(strstr(one.err.text, "does not honour bindings"));
	machine_free(machine);
}

static void *narrow_and_look(void *argument)
{
	unsigned cpu = *(const unsigned *)argument;
	struct machine *machine = NULL;

	if (machine_new(&machine, NULL) < 0)
		return NULL;
	if (machine_bind_thread(machine, cpu, NULL) < 0) {
		machine_free(machine);
		return NULL;
	}
	machine_free(machine);
	return machine_new(&machine, NULL) < 0 ? NULL : machine;
}

static void a_narrow_affinity_is_told(void **state)
{
	struct machine *machine = new_machine();
	const struct machine_facts *facts = machine_facts(machine);
	unsigned cpu = facts->allowed.cpus[facts->allowed.n - 1];
	bool fewer = facts->cpuset.n > 1;
	const struct machine_facts *narrow;
	pthread_t thread;
	void *narrowed;
	bool told = false;

	(void)state;
	assert_int_equal(
		pthread_create(&thread, NULL, narrow_and_look, &cpu), 0);
	assert_int_equal(pthread_join(thread, &narrowed), 0);
	assert_non_null(narrowed);
	narrow = machine_facts(narrowed);
	assert_int_equal(narrow->allowed.n, 1);
	assert_int_equal(narrow->allowed.cpus[0], cpu);
	assert_int_equal(narrow->online.n, facts->online.n);
	for (size_t i = 0; i < narrow->n_warnings; i++)
		told |= strstr(narrow->warnings[i].what, "affinity") != NULL;
	assert_int_equal(told, fewer);
	machine_free(narrowed);
	machine_free(machine);
}

static void facts_of_this_machine_hold_together(void **state)
{
	struct machine *machine = new_machine();
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_non_null(facts->hostname);
	assert_non_null(facts->arch);
	assert_non_null(facts->kernel);
	assert_true(facts->allowed.n >= 1);
	assert_true(facts->allowed.n <= facts->cpuset.n);
	assert_true(facts->cpuset.n <= facts->online.n);
	assert_int_equal(facts->online.n, facts->cpus_online);
	assert_int_equal(
		facts->online.n + facts->offline.n, facts->cpus_configured);
	assert_true(facts->line_bytes >= 16);
	for (size_t i = 0; i < facts->allowed.n; i++)
		assert_true(cpu_list_find(&facts->cpuset,
				    facts->allowed.cpus[i]) >= 0);
	for (size_t i = 0; i < facts->cpuset.n; i++)
		assert_true(cpu_list_find(&facts->online,
				    facts->cpuset.cpus[i]) >= 0);
	machine_free(machine);
}

/* Unknown, or time that has passed: it cannot run backwards. */
static void stolen_time_does_not_shrink(void **state)
{
	double before = machine_stolen_s();
	double after = machine_stolen_s();

	(void)state;
	assert_true(before < 0 ? after < 0 : after >= before);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(threads_go_where_they_are_bound),
	cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
	cmocka_unit_test(a_thread_that_does_not_arrive_is_noticed),
	cmocka_unit_test(a_binding_without_effect_is_noticed),
	cmocka_unit_test(a_narrow_affinity_is_told),
	cmocka_unit_test(facts_of_this_machine_hold_together),
	cmocka_unit_test(stolen_time_does_not_shrink),
};

CASE_GROUP(cases);
