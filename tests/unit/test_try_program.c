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
	const struct cpu_list unbound = {NULL, 0};

	setting->task.arena = arena;
	return try_program_run(&setting->task, &setting->placement, &unbound,
		60, &setting->run, err);
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

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(memory_of_a_program_is_bound_to_nodes),
};

CASE_GROUP(cases);
