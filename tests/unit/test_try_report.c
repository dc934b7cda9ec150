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

/* Say a placement that pays. */
static struct program_trial *say_that_pays(struct arena *arena,
	struct try_task *task, struct tried_placement placements[3])
{
	static char *program[] = {"./program", "a b", NULL};
	static const struct try_arguments arguments = {0};
	bool each = task->trial.each;

	placements[0] = (struct tried_placement){.name = "unbound"};
	placements[1] = (struct tried_placement){.name = "unbound again"};
	placements[2].apart = TRIAL_PAYS;
	placements[2].judged = (struct trial_judgement){.answer = TRIAL_PAYS,
		.gain_pct = 30,
		.low_pct = 25,
		.high_pct = 35};
	*task = (struct try_task){
		.arguments = &arguments,
		.program = program,
		.trial = {.verdict = TRIAL_FOUND,
			.complete = true,
			.each = each,
			.placements = placements,
			.n_placements = 3},
	};
	assert_int_equal(arena_run(arena, run_say, task, "words", NULL), 0);
	return &task->trial;
}

static void memory_on_a_node_is_bound_by_numactl(void **state)
{
	unsigned cpus[] = {4, 5, 6, 7}, nodes[] = {1};
	struct tried_placement placements[3] = {
		[2] = {.name = "node 1 + memory",
			.choice = TRIAL_NODE,
			.cpus = {cpus, 4},
			.memory_nodes = {nodes, 1},
			.n_cpus = 4},
	};
	struct try_task task = {.trial.each = false};
	struct arena arena = {0};
	const struct program_trial *trial =
		say_that_pays(&arena, &task, placements);

	(void)state;
	assert_true(is_said(trial,
		"Placement node 1 + memory (CPUs 4-7) is 30 % faster than "
		"unbound [25, 35]."));
	assert_true(is_said(trial,
		"To use node 1 + memory: numactl --physcpubind=4-7 "
		"--membind=1 ./program 'a b'; in a unit of systemd "
		"CPUAffinity=4-7, NUMAPolicy=bind and NUMAMask=1."));
	arena_release(&arena);
}

static void threads_with_their_own_cpus_are_bound_one_by_one(void **state)
{
	unsigned cpus[] = {3, 2};
	struct tried_placement placements[3] = {
		[2] = {.name = "mine",
			.choice = TRIAL_NAMED,
			.cpus = {cpus, 2},
			.n_cpus = 2},
	};
	struct try_task task = {.trial.each = true};
	struct arena arena = {0};
	const struct program_trial *trial =
		say_that_pays(&arena, &task, placements);

	(void)state;
	assert_true(is_said(trial,
		"To use mine: bind the first thread to the first of CPUs 3,2, "
		"the second to the second, and so on: taskset -p -c CPU TID, "
		"or a binding in the program; with OpenMP "
		"GOMP_CPU_AFFINITY=3,2."));
	arena_release(&arena);
}

static void the_reason_of_no_verdict_is_said(void **state)
{
	static const struct {
		enum trial_answer control;
		const char *words;
	} reasons[] = {
		{TRIAL_UNKNOWN, "too few runs of unbound have a value"},
		{TRIAL_SAME, "the runs vary so much"},
		{TRIAL_PAYS, "the two unbound runs of a round differ"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct tried_placement placements[3] = {{.name = "unbound"}};
		struct try_task task = {.trial.each = false};
		struct arena arena = {0};

		task.trial = *say_that_pays(&arena, &task, placements);
		task.trial.verdict = TRIAL_NO_VERDICT;
		task.trial.control.answer = reasons[i].control;
		task.trial.n_sentences = 0;
		task.trial.sentences = NULL;
		assert_int_equal(
			arena_run(&arena, run_say, &task, "words", NULL), 0);
		assert_non_null(
			strstr(task.trial.sentences[0], reasons[i].words));
		arena_release(&arena);
	}
}

static void a_limit_that_stopped_the_program_is_said(void **state)
{
	const struct try_arguments arguments = {0};
	struct try_task task = {
		.arguments = &arguments,
		.throttled = 0.92,
		.trial = {.verdict = TRIAL_NOTHING, .complete = true},
	};
	struct arena arena = {0};

	(void)state;
	assert_int_equal(arena_run(&arena, run_say, &task, "words", NULL), 0);
	assert_true(is_said(&task.trial,
		"The cgroup's CPU limit (cpu.max) stopped the program in 92 % "
		"of its periods."));
	arena_release(&arena);
}

static void the_placement_that_pays_most_is_the_one_to_use(void **state)
{
	unsigned near[] = {4, 5}, other[] = {2, 3}, far[] = {0, 8};
	struct tried_placement placements[] = {
		{.name = "unbound"},
		{.name = "unbound again"},
		{.name = "near",
			.choice = TRIAL_NEAR,
			.cpus = {near, 2},
			.n_cpus = 2,
			.judged = {.answer = TRIAL_PAYS, .gain_pct = 30},
			.apart = TRIAL_PAYS},
		{.name = "other",
			.choice = TRIAL_NAMED,
			.cpus = {other, 2},
			.n_cpus = 2,
			.judged = {.answer = TRIAL_PAYS, .gain_pct = 60},
			.apart = TRIAL_PAYS},
		{.name = "far",
			.choice = TRIAL_FAR,
			.cpus = {far, 2},
			.n_cpus = 2,
			.judged = {.answer = TRIAL_COSTS,
				.gain_pct = -20,
				.low_pct = -30,
				.high_pct = -5},
			.apart = TRIAL_COSTS},
	};
	char *program[] = {"./program", NULL};
	const struct try_arguments arguments = {0};
	struct try_task task = {
		.arguments = &arguments,
		.program = program,
		.trial = {.verdict = TRIAL_FOUND,
			.complete = true,
			.placements = placements,
			.n_placements = 5},
	};
	struct arena arena = {0};

	(void)state;
	assert_int_equal(arena_run(&arena, run_say, &task, "words", NULL), 0);
	assert_true(is_said(
		&task.trial, "Placement far (CPUs 0,8) costs 20 % [5.0, 30]."));
	assert_true(is_said(&task.trial,
		"To use other: taskset -c 2,3 ./program; in a unit of systemd "
		"CPUAffinity=2,3; numactl --physcpubind=2,3."));
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(memory_on_a_node_is_bound_by_numactl),
	cmocka_unit_test(the_placement_that_pays_most_is_the_one_to_use),
	cmocka_unit_test(the_reason_of_no_verdict_is_said),
	cmocka_unit_test(threads_with_their_own_cpus_are_bound_one_by_one),
	cmocka_unit_test(a_limit_that_stopped_the_program_is_said),
};

CASE_GROUP(cases);
