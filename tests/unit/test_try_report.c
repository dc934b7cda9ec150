/* What c2c try says of made-up trials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/try/cmd_try.h"

static int run_say(struct arena *arena, void *context, struct error *err)
{
	struct try_task *task = context;

	(void)err;
	task->arena = arena;
	try_say(task);
	return 0;
}

static bool is_said(const struct program_trial *trial, const char *sentence)
{
	for (size_t i = 0; i < trial->n_sentences; i++) {
		if (strcmp(trial->sentences[i], sentence) == 0)
			return true;
	}
	return false;
}

static void memory_on_a_node_is_bound_by_numactl(void **state)
{
	unsigned cpus[] = {4, 5, 6, 7}, nodes[] = {1};
	struct tried_placement placements[] = {
		{.name = "unbound"},
		{.name = "unbound again"},
		{.name = "node 1 + memory",
			.choice = TRIAL_NODE,
			.cpus = {cpus, 4},
			.memory_nodes = {nodes, 1},
			.n_cpus = 4,
			.judged = {.answer = TRIAL_PAYS,
				.gain_pct = 30,
				.low_pct = 25,
				.high_pct = 35},
			.apart = TRIAL_PAYS},
	};
	char *program[] = {"./program", "a b", NULL};
	const struct try_arguments arguments = {0};
	struct try_task task = {
		.arguments = &arguments,
		.program = program,
		.trial = {.verdict = TRIAL_FOUND,
			.complete = true,
			.placements = placements,
			.n_placements = 3},
	};
	struct arena arena = {0};

	(void)state;
	assert_int_equal(arena_run(&arena, run_say, &task, "words", NULL), 0);
	assert_true(is_said(&task.trial,
		"Placement node 1 + memory (CPUs 4-7) is 30 % faster than "
		"unbound [25, 35]."));
	assert_true(is_said(&task.trial,
		"To use node 1 + memory: numactl --physcpubind=4-7 "
		"--membind=1 ./program 'a b'; in a unit of systemd "
		"CPUAffinity=4-7, NUMAPolicy=bind and NUMAMask=1."));
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(memory_on_a_node_is_bound_by_numactl),
};

CASE_GROUP(cases);
