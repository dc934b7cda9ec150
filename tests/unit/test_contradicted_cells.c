/*
 * Which cells contradict their neighbours, on made-up machines with a spike and
 * without.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/contradicted_cells.h"
#include "machines.h"

#define N 16

/* Caches of four CPUs, in pairs: 20, 60 and 140 ns, and a noise of 2 %. */
static void fill_square(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double ns = i / 2 == j / 2   ? 20
				    : i / 4 == j / 4 ? 60
						     : 140;

			ns *= 0.98 +
			      0.04 * (double)((i * 7 + j * 13) % 11) / 10;
			values[i * n + j] = values[j * n + i] =
				i == j ? NAN : ns;
		}
}

static void fill(double values[N * N])
{
	fill_square(values, N);
}

static void spike(double values[N * N], size_t i, size_t j, double ns)
{
	values[i * N + j] = values[j * N + i] = ns;
}

/* How many there are, of which all are i and j. */
static size_t count_only(const double values[N * N], size_t i, size_t j)
{
	struct arena arena = {0};
	bool *marked = arena_alloc(&arena, N * N, sizeof(*marked));
	size_t found = contradicted_cells_find(values, N, marked, &arena);
	size_t marks = 0;

	for (size_t k = 0; k < N * N; k++)
		marks += marked[k];
	assert_int_equal(marks, 2 * found);
	assert_int_equal(marked[i * N + j], found > 0);
	assert_int_equal(marked[j * N + i], found > 0);
	arena_release(&arena);
	return found;
}

static void a_cell_far_above_both_rows_contradicts(void **state)
{
	static const struct {
		size_t i, j;
		double ns;
		size_t found;
	} rows[] = {
		{4, 5, 90, 1},	 /* siblings beyond their cache */
		{4, 5, 160, 1},	 /* ... and beyond all */
		{4, 6, 90, 1},	 /* in a cache */
		{0, 15, 200, 1}, /* between caches */
		{4, 5, 44, 1},	 /* siblings, and no others are so far */
		{4, 5, 72, 1},	 /* ... and as far as others of the cache */
		/* What is nearer than its neighbours is no surprise. */
		{4, 5, 30, 0},
		{4, 6, 50, 0},
		{0, 15, 100, 0},
		{0, 15, 155, 0},
	};
	double values[N * N];

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		fill(values);
		spike(values, rows[r].i, rows[r].j, rows[r].ns);
		assert_int_equal(count_only(values, rows[r].i, rows[r].j),
			rows[r].found);
	}
}

/* The siblings of 4 and 9 are elsewhere: these are as far as they look. */
static void cpus_that_are_alone_do_not_contradict(void **state)
{
	struct arena arena = {0};
	double all[N * N], values[(N - 2) * (N - 2)];
	bool marked[(N - 2) * (N - 2)];
	size_t k = 0;

	(void)state;
	fill(all);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			if (i != 5 && i != 8 && j != 5 && j != 8)
				values[k++] = all[i * N + j];
	assert_int_equal(
		contradicted_cells_find(values, N - 2, marked, &arena), 0);
	values[4 * (N - 2) + 7] = values[7 * (N - 2) + 4] = 100;
	assert_int_equal(
		contradicted_cells_find(values, N - 2, marked, &arena), 1);
	assert_true(marked[4 * (N - 2) + 7]);
	arena_release(&arena);
}

/* Of so many CPUs its cells are no more than exceptions. */
static void a_slow_row_contradicts_nobody(void **state)
{
	enum {
		MANY = 64,
		SLOW = 61
	};
	double *values = calloc((size_t)MANY * MANY, sizeof(*values));
	struct arena arena = {0};
	bool *marked = arena_alloc(&arena, (size_t)MANY * MANY, sizeof(bool));

	(void)state;
	assert_non_null(values);
	fill_square(values, MANY);
	for (size_t j = 0; j < MANY; j++) {
		values[SLOW * MANY + j] *= 2;
		values[j * MANY + SLOW] = values[SLOW * MANY + j];
	}
	assert_int_equal(
		contradicted_cells_find(values, MANY, marked, &arena), 0);
	arena_release(&arena);
	free(values);
}

static void missing_cells_do_not_tell(void **state)
{
	double values[N * N];

	(void)state;
	fill(values);
	for (size_t i = 0; i < N; i++)
		spike(values, i, (i + 5) % N, NAN);
	assert_int_equal(count_only(values, 4, 5), 0);
	spike(values, 4, 5, 160);
	assert_int_equal(count_only(values, 4, 5), 1);
	for (size_t k = 0; k < N * N; k++)
		values[k] = NAN;
	assert_int_equal(count_only(values, 4, 5), 0);
}

static void one_direction_is_enough(void **state)
{
	double values[N * N];

	(void)state;
	fill(values);
	values[4 * N + 5] = 160;
	values[5 * N + 4] = NAN;
	assert_int_equal(count_only(values, 4, 5), 1);
}

/* Where every second cell is, the others are no better. */
static void many_are_none(void **state)
{
	double values[N * N];

	(void)state;
	fill(values);
	for (size_t i = 0; i < N; i += 2)
		spike(values, i, i + 1, 500);
	assert_int_equal(count_only(values, 0, 1), 0);
}

/* One pair or a few CPUs have no neighbours. */
static void few_cpus_do_not_tell(void **state)
{
	struct arena arena = {0};
	const double values[9] = {NAN, 10, 900, 10, NAN, 10, 900, 10, NAN};
	bool marked[9];

	(void)state;
	assert_int_equal(contradicted_cells_find(values, 3, marked, &arena), 0);
	assert_int_equal(contradicted_cells_find(values, 1, marked, &arena), 0);
	arena_release(&arena);
}

/* In a row of bad cells, and of a core that is fast to everyone, some do. */
static void machines_without_spikes_contradict_seldom(void **state)
{
	unsigned machines = 0, with = 0;

	(void)state;
	for (int kind = 0; kind < MACHINE_KINDS; kind++)
		for (uint64_t seed = 1; seed <= 30; seed++) {
			struct arena arena = {0};
			struct machine machine;
			bool *marked;

			machine_make(&machine, (enum machine_kind)kind, seed,
				0.5, 32);
			marked = arena_alloc(
				&arena, machine.n * machine.n, sizeof(*marked));
			if (machine.flaws.streaks == 0 &&
				machine.flaws.favoured == 0) {
				machines++;
				with += contradicted_cells_find(machine.values,
						machine.n, marked, &arena) > 0;
			}
			arena_release(&arena);
			machine_release(&machine);
		}
	print_message("%u of %u\n", with, machines);
	assert_in_range(with * 100 / machines, 0, 4);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_cell_far_above_both_rows_contradicts),
	cmocka_unit_test(cpus_that_are_alone_do_not_contradict),
	cmocka_unit_test(a_slow_row_contradicts_nobody),
	cmocka_unit_test(missing_cells_do_not_tell),
	cmocka_unit_test(one_direction_is_enough),
	cmocka_unit_test(many_are_none),
	cmocka_unit_test(few_cpus_do_not_tell),
	cmocka_unit_test(machines_without_spikes_contradict_seldom),
};

CASE_GROUP(cases);
