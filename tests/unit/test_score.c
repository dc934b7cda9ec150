/*
 * The score of the analysis is no worse than it was, kind by kind, on a few
 * small machines and parts of them. Who makes it better writes the rows that
 * this prints into the table; `make score` shows what they are worth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machines.h"
#include "score.h"
#include "util/array.h"

#define N_MAX 24

struct counts {
	unsigned found, invented, wrong, by_order, misplaced;
};

static const struct gate {
	const char *kind;
	struct counts counts[2]; /* whole machines, parts */
} gates[] = {
	{"lone two", {{2, 0, 0, 0, 0}, {3, 0, 0, 0, 0}}},
	{"one module", {{4, 0, 0, 0, 0}, {2, 0, 0, 0, 0}}},
	{"modules", {{4, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"few pairs", {{4, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
	{"inverted", {{3, 0, 0, 0, 0}, {3, 0, 0, 0, 0}}},
	{"side by side", {{4, 0, 0, 0, 0}, {3, 0, 0, 0, 0}}},
	{"first slow", {{2, 0, 0, 0, 0}, {2, 0, 0, 0, 0}}},
	{"fast rows", {{0, 1, 0, 0, 0}, {1, 0, 0, 0, 0}}},
	{"tiny", {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
	{"classes", {{2, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}},
	{"l2 pairs", {{2, 0, 0, 0, 0}, {3, 0, 0, 0, 0}}},
	{"wide smt", {{2, 0, 0, 0, 0}, {2, 0, 0, 0, 0}}},
	{"noisy smt", {{2, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"holes", {{2, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"moving", {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
	{"steps of 1.3", {{5, 0, 0, 0, 0}, {8, 0, 0, 0, 0}}},
	{"many small", {{5, 0, 0, 0, 0}, {8, 0, 0, 0, 0}}},
	{"random", {{3, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"spikes", {{3, 0, 0, 0, 0}, {1, 0, 0, 0, 1}}},
	{"cold", {{1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}}},
	{"missing", {{2, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"home", {{3, 0, 0, 0, 0}, {4, 0, 0, 0, 0}}},
	{"clock", {{1, 0, 0, 0, 0}, {2, 0, 0, 0, 0}}},
	{"slow siblings", {{4, 0, 0, 0, 0}, {6, 0, 0, 0, 0}}},
	{"alike", {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
	{"slopes", {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}}},
};

static struct counts count_kind(size_t kind, bool part)
{
	const struct score_task task = {.kind = kind,
		.part = part,
		.n_max = N_MAX,
		.orders = part ? 2 : 1,
		.analyse = score_groups_find};
	struct score_tally tally = {0};

	for (uint64_t seed = 1; seed <= (part ? 4 : 2); seed++)
		score_add(&task, seed, &tally);
	return (struct counts){tally.found, tally.invented, tally.wrong,
		tally.machines - tally.same, tally.misplaced};
}

static bool is_worse(const struct counts *is, const struct counts *was)
{
	return is->found < was->found || is->invented > was->invented ||
	       is->wrong > was->wrong || is->by_order > was->by_order ||
	       is->misplaced > was->misplaced;
}

/* It analyses 200 matrices, in half a second. */
static void no_kind_is_worse_than_it_was(void **state)
{
	const char *mode = getenv("MODE");
	bool worse = false;

	(void)state;
	if (mode && strcmp(mode, "plain") != 0) {
		print_message("skip: a sanitizer sees the same code in other "
			      "cases\n");
		skip();
	}
	for (size_t kind = 0; kind < N_OF(gates); kind++) {
		const struct gate *gate = &gates[kind];
		struct counts is[2];

		assert_string_equal(gate->kind, score_kind_name(kind));
		for (int part = 0; part < 2; part++)
			is[part] = count_kind(kind, part);
		if (memcmp(is, gate->counts, sizeof(is)) == 0)
			continue;
		print_message("now {\"%s\", {{%u, %u, %u, %u, %u}, "
			      "{%u, %u, %u, %u, %u}}},\n",
			gate->kind, is[0].found, is[0].invented, is[0].wrong,
			is[0].by_order, is[0].misplaced, is[1].found,
			is[1].invented, is[1].wrong, is[1].by_order,
			is[1].misplaced);
		worse |= is_worse(&is[0], &gate->counts[0]) ||
			 is_worse(&is[1], &gate->counts[1]);
	}
	assert_false(worse);
	/* The next kind has a gate in test_groups.c. */
	assert_string_equal(score_kind_name(N_OF(gates)), machine_kind_name(0));
}

/* What spikes hide is found if the run measures again, and no less. */
static void measuring_again_finds_more(void **state)
{
	struct score_task task = {
		.n_max = 32, .orders = 1, .analyse = score_groups_find};
	struct score_tally once = {0}, again = {0};

	(void)state;
	while (strcmp(score_kind_name(task.kind), "spikes") != 0)
		task.kind++;
	for (uint64_t seed = 30000; seed < 30060; seed++) {
		task.again = false;
		score_add(&task, seed, &once);
		task.again = true;
		score_add(&task, seed, &again);
	}
	print_message("found %u, then %u of %u; again %u cells of %u\n",
		once.found, again.found, again.shown, again.cells, again.again);
	assert_true(again.found >= once.found + 3);
	assert_true(again.invented <= once.invented);
	assert_in_range(again.again, 20, 50);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(no_kind_is_worse_than_it_was),
	cmocka_unit_test(measuring_again_finds_more),
};

CASE_GROUP(cases);
