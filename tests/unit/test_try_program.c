/* Runs of c2c try: what a placement gives the program. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/try/cmd_try.h"

/* Of a run. */
struct setting {
	struct try_task task;
	struct tried_placement placement;
	struct try_run run;
};

static int run_program_once(
	struct arena *arena, void *context, struct error *err)
{
	struct setting *setting = context;

	setting->task.arena = arena;
	return try_program_run(&setting->task, &setting->placement,
		&setting->placement.cpus, 60, &setting->run, err);
}

static int run_setting(struct setting *setting, struct error *err)
{
	struct arena arena = {0};
	int rc = arena_run(&arena, run_program_once, setting, "a run", err);

	arena_release(&arena);
	return rc;
}

static void memory_of_a_program_is_bound_to_nodes(void **state)
{
	char *program[] = {
		"grep", "-q", " bind:", "/proc/self/numa_maps", NULL};
	const struct try_arguments arguments = {.limit_s = 60};
	struct machine *machine = NULL;
	struct setting setting = {
		.task = {.arguments = &arguments, .program = program}};
	struct error err;
	int rc;

	(void)state;
	if (access("/proc/self/numa_maps", R_OK) != 0) {
		print_message("skip: the kernel shows no memory policies\n");
		skip();
	}
	assert_int_equal(machine_new(&machine, &err), 0);
	setting.task.allowed = &machine_facts(machine)->allowed;
	assert_int_equal(run_setting(&setting, &err), -ECHILD);
	assert_string_equal(err.text, "'grep' exited with status 1");
	setting.placement.memory_nodes = machine_facts(machine)->memory_nodes;
	setting.placement.memory_nodes.n = 1;
	rc = run_setting(&setting, &err);
	if (rc == -EPERM) {
		assert_non_null(strstr(err.text, "its memory bound"));
		print_message("skip: memory cannot be bound here\n");
		machine_free(machine);
		skip();
	}
	machine_free(machine);
	assert_int_equal(rc, 0);
	assert_true(setting.run.value > 0);
}

/*
 * A shell that waits until it has one CPU, and starts another one that waits
 * until it has another CPU; it prints both.
 */
static const char two_shells[] =
	"own() { while read -r key value; do case $key in "
	"Cpus_allowed_list:) cpu=$value ;; esac; done </proc/self/status; }\n"
	"own; until [ \"$cpu\" -ge 0 ] 2>/dev/null; do own; done\n"
	"first=$cpu\n"
	"(until [ \"$cpu\" != \"$first\" ]; do own; done; "
	"echo $((1 + 1000 * first + cpu))) & wait";

static void each_thread_gets_its_cpu_in_order(void **state)
{
	char *program[] = {"sh", "-c", (char *)two_shells, NULL};
	const struct try_arguments arguments = {.limit_s = 60, .each = true};
	struct machine *machine = NULL;
	unsigned cpus[2];
	struct setting setting = {
		.task = {.arguments = &arguments,
			.program = program,
			.metric = TRY_OUTPUT},
		.placement = {.cpus = {cpus, 2}},
	};
	struct error err;

	(void)state;
	if (access("/proc/thread-self/children", R_OK) != 0) {
		print_message("skip: the kernel does not list children\n");
		skip();
	}
	assert_int_equal(machine_new(&machine, &err), 0);
	setting.task.allowed = &machine_facts(machine)->allowed;
	if (setting.task.allowed->n < 2) {
		machine_free(machine);
		print_message("skip: this machine has one CPU\n");
		skip();
	}
	cpus[0] = setting.task.allowed->cpus[1];
	cpus[1] = setting.task.allowed->cpus[0];
	assert_int_equal(
		regcomp(&setting.task.regex, "^[0-9]+", REG_EXTENDED), 0);
	assert_int_equal(run_setting(&setting, &err), 0);
	regfree(&setting.task.regex);
	machine_free(machine);
	assert_false(setting.run.timed_out);
	assert_false(setting.run.binds_itself);
	assert_int_equal((int)setting.run.value, 1 + 1000 * cpus[0] + cpus[1]);
}

static void threads_are_stacked_if_a_cpu_is_free(void **state)
{
	char cpu[16];
	char work[] = "work() { i=0; while [ $i -lt 50000 ]; do "
		      "i=$((i + 1)); done; }; work & work & wait";
	char *program[] = {"taskset", "-c", cpu, "sh", "-c", work, NULL};
	const struct try_arguments arguments = {.limit_s = 60};
	struct machine *machine = NULL;
	struct setting setting = {
		.task = {.arguments = &arguments, .program = program}};
	const struct cpu_list *allowed;
	/* Some kernels do not list children. */
	bool seen = access("/proc/thread-self/children", R_OK) == 0;
	struct error err;

	(void)state;
	assert_int_equal(machine_new(&machine, &err), 0);
	allowed = &machine_facts(machine)->allowed;
	snprintf(cpu, sizeof(cpu), "%u", allowed->cpus[0]);
	setting.task.allowed = allowed;
	setting.placement.cpus = (struct cpu_list){allowed->cpus, 1};
	assert_int_equal(run_setting(&setting, &err), 0);
	assert_false(setting.run.stacked);
	setting.placement.cpus.n = allowed->n;
	assert_int_equal(run_setting(&setting, &err), 0);
	assert_int_equal(setting.run.stacked, seen && allowed->n > 1);
	machine_free(machine);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_thread_gets_its_cpu_in_order),
	cmocka_unit_test(memory_of_a_program_is_bound_to_nodes),
	cmocka_unit_test(threads_are_stacked_if_a_cpu_is_free),
};

CASE_GROUP(cases);
