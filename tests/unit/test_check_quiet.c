/*
 * Whether CPUs were undisturbed between two looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/check/cmd_check.h"
#include "machine/disturbance.h"

/* Two CPUs that were looked at twice, and what was found. */
struct looks {
	struct cpu_disturbance before[2], after[2];
	double seconds;
	struct check_task task;
};

static int judge_looks(struct arena *arena, void *context, struct error *err)
{
	struct looks *looks = context;

	(void)err;
	check_judge_disturbance(&looks->task, looks->before, looks->after,
		looks->seconds, arena);
	return 0;
}

/* The answers of interrupts and of stolen time, and the CPU of each. */
static void assert_judged(struct looks looks, enum check_answer interrupts,
	unsigned first, enum check_answer stolen, unsigned second)
{
	unsigned numbers[] = {4, 9};
	struct arena arena = {0};
	const struct check_finding *findings;

	looks.task.cpus = (struct cpu_list){numbers, 2};
	assert_int_equal(
		arena_run(&arena, judge_looks, &looks, "the looks", NULL), 0);
	findings = looks.task.check.findings;
	assert_int_equal(looks.task.check.n, 2);
	assert_string_equal(findings[0].code, "interrupts");
	assert_int_equal(findings[0].answer, interrupts);
	assert_string_equal(findings[1].code, "stolen");
	assert_int_equal(findings[1].answer, stolen);
	if (first)
		assert_int_equal(findings[0].cpus.cpus[0], first);
	if (second)
		assert_int_equal(findings[1].cpus.cpus[0], second);
	arena_release(&arena);
}

static void the_most_disturbed_cpu_is_named(void **state)
{
	(void)state;
	/* 100 a second are allowed, and 1.5 %. */
	assert_judged((struct looks){.before = {{50, 3, 100}, {10, 7, 100}},
			      .after = {{150, 4, 200}, {210, 7, 200}},
			      .seconds = 2},
		CHECK_HOLDS, 9, CHECK_HOLDS, 4);
	assert_judged((struct looks){.before = {{50, 3, 100}, {10, 7, 100}},
			      .after = {{150, 3, 200}, {212, 9, 200}},
			      .seconds = 2},
		CHECK_FAILS, 9, CHECK_FAILS, 9);
	assert_judged((struct looks){.before = {{0, 0, 100}, {0, 0, 100}},
			      .after = {{101, 2, 200}, {0, 0, 200}},
			      .seconds = 1},
		CHECK_FAILS, 4, CHECK_FAILS, 4);
}

static void what_is_not_counted_cannot_be_told(void **state)
{
	(void)state;
	assert_judged((struct looks){.before = {{-1, -1, -1}, {0, 0, 100}},
			      .after = {{-1, -1, -1}, {0, 0, 200}},
			      .seconds = 1},
		CHECK_UNKNOWN, 0, CHECK_UNKNOWN, 0);
	/* No time passed by the kernel's clock: nothing was stolen. */
	assert_judged((struct looks){.before = {{0, 5, 100}, {0, 5, 100}},
			      .after = {{0, 5, 100}, {0, 5, 100}},
			      .seconds = 1},
		CHECK_HOLDS, 4, CHECK_HOLDS, 4);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_most_disturbed_cpu_is_named),
	cmocka_unit_test(what_is_not_counted_cannot_be_told),
};

CASE_GROUP(cases);
