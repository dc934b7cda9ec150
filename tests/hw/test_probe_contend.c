/*
 * How the CPUs of c2c contend work on their words: that the words hold what was
 * done to them, that a wrong word ends the run, and that a visit leaves its
 * slot as the next one needs it.
 */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/timebase.h"
#include "probe/probe_contend.h"
#include "visits.h"

#define CPUS   3
#define POINTS 64

static const uint32_t order[CPUS] = {2, 0, 1};

/* Every operation on every kind of words, by one CPU up to all. */
struct rig {
	struct contend_point points[POINTS];
	size_t n;
	struct contend_context context;
	struct probe_params params;
	unsigned numbers[CPUS];
	struct cpu_list cpus;
	void *block;
	struct probe_visit visit;
};

static void add_points(
	struct rig *rig, const struct contend_operation *operation)
{
	for (int sharing = CONTEND_WORD; sharing <= CONTEND_NONE; sharing++) {
		for (uint32_t n = 1; n <= CPUS; n += CPUS - 1) {
			for (int hint = 0;
				hint < 1 + (operation->run_with_hint != NULL);
				hint++)
				rig->points[rig->n++] = (struct contend_point){
					.operation = operation,
					.sharing =
						(enum contend_sharing)sharing,
					.with_spin_hint = hint,
					.n_cpus = n,
					.order = order,
				};
			assert_true(rig->n <= POINTS);
		}
	}
}

static void rig_open(struct rig *rig)
{
	struct timebase timebase;
	size_t bytes = contend_block_bytes(CPUS);

	*rig = (struct rig){.numbers = {10, 20, 30}};
	rig->cpus = (struct cpu_list){rig->numbers, CPUS};
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	rig->params = (struct probe_params){.samples = 1,
		.counter = timebase.counter,
		.ns_per_tick = 1e9 / timebase.hz,
		.context = &rig->context};
	rig->block = aligned_alloc(PROBE_SLOT_BYTES, bytes);
	assert_non_null(rig->block);
	memset(rig->block, 0, bytes);
	rig->visit = (struct probe_visit){
		.params = &rig->params, .slots = rig->block};
}

static void rig_init(struct rig *rig)
{
	rig->context = (struct contend_context){.points = rig->points,
		.n_points = rig->n,
		.cpus = &rig->cpus,
		.line_bytes = 64};
	assert_int_equal(contend_init(&rig->context, NULL), 0);
}

static void rig_close(struct rig *rig)
{
	contend_release(&rig->context);
	free(rig->block);
}

/* The n-th CPU that this process may use; none: one of them again. */
static cpu_set_t cpu_at(const cpu_set_t *allowed, uint32_t n)
{
	cpu_set_t one;
	int cpu = 0;

	n %= (uint32_t)CPU_COUNT(allowed);
	while (!CPU_ISSET(cpu, allowed) || n-- > 0)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return one;
}

/* One visit on threads; whether a half filled the error, which goes to err. */
static bool run_visit(struct rig *rig, uint32_t variant, struct error *err)
{
	const struct contend_point *point = &rig->points[variant];
	struct half halves[CPUS];
	bool failed = false;
	cpu_set_t allowed;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	rig->visit.variant = variant;
	rig->visit.n_seconds = point->n_cpus;
	for (uint32_t i = 0; i < point->n_cpus && i < CPUS; i++) {
		const cpu_set_t one = cpu_at(&allowed, i);

		/* A thread starts where its maker may run. */
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		rig->visit.second_cpu = rig->numbers[order[i]];
		half_start(&halves[i], &probe_contend, &rig->visit, false);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
	for (uint32_t i = 0; i < point->n_cpus; i++) {
		bool well = half_end(&halves[i]);

		assert_true(halves[i].ticks[0] >= 0);
		if (!halves[i].error.code)
			continue;
		assert_false(well);
		failed = true;
		*err = halves[i].error;
	}
	check_slot(&rig->visit);
	return failed;
}

static void words_hold_what_was_done_to_them(void **state)
{
	struct error err = {.code = 0};
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (size_t i = 0; contend_operations[i].name; i++) {
		if (!contend_operations[i].needs_word)
			add_points(&rig, &contend_operations[i]);
	}
	rig_init(&rig);
	for (uint32_t v = 0; v < rig.n; v++) {
		rig.visit.pass = v % 5;
		if (run_visit(&rig, v, &err))
			fail_msg("%s", err.text);
		assert_int_equal(rig.context.figures[v].visits, 1);
	}
	rig_close(&rig);
}

static void a_lock_guards_its_counter(void **state)
{
	struct error err = {.code = 0};
	struct rig rig;
	cpu_set_t allowed;
	size_t i = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	rig_open(&rig);
	while (!contend_operations[i].needs_word)
		i++;
	/* Of two threads on one CPU, each waits for the other's time slice. */
	for (uint32_t n = 1; n <= CPUS && n <= (uint32_t)CPU_COUNT(&allowed);
		n++) {
		for (int hint = 0; hint < 2; hint++)
			rig.points[rig.n++] = (struct contend_point){
				.operation = &contend_operations[i],
				.with_spin_hint = hint,
				.n_cpus = n,
				.order = order};
	}
	rig_init(&rig);
	for (uint32_t v = 0; v < rig.n; v++) {
		if (run_visit(&rig, v, &err))
			fail_msg("%s", err.text);
	}
	rig_close(&rig);
}

/* Once in a while it counts one that it did not do. */
static uint32_t count_too_many(struct contend_worker *hand, uint32_t n)
{
	uint32_t done = contend_operations[2].run(hand, n);

	return hand->tally.done == 0 ? done + 1 : done;
}

static void a_wrong_word_is_an_error(void **state)
{
	struct contend_operation wrong = contend_operations[2];
	struct error err = {.code = 0};
	struct rig rig;

	(void)state;
	assert_string_equal(wrong.name, "add");
	wrong.run = count_too_many;
	rig_open(&rig);
	add_points(&rig, &wrong);
	rig_init(&rig);
	for (uint32_t v = 0; v < rig.n; v++) {
		assert_true(run_visit(&rig, v, &err));
		assert_int_equal(err.class, ERROR_FAILURE);
		assert_non_null(strstr(err.text, "(add, from CPU 30 on)"));
	}
	rig_close(&rig);
}

/* The sums of each operation, and what breaks them. */
static void a_lost_operation_breaks_every_sum(void **state)
{
	(void)state;
	for (size_t i = 0; contend_operations[i].name; i++) {
		const struct contend_operation *operation =
			&contend_operations[i];
		uint64_t words[3] = {
			operation->start, operation->start, operation->start};
		const uint64_t base = (uint64_t)1 << 40;
		struct contend_worker hand = {
			.word = words, .tally.last = base};
		_Atomic uint32_t phase = 0;
		struct contend_sum sum = {.words = words};

		hand.phase = &phase;
		assert_true(operation->sum_is_right(&sum));
		assert_int_equal(operation->run(&hand, 1000), 1000);
		sum.done = 1000;
		sum.put = hand.tally.put;
		sum.got = hand.tally.got;
		sum.is_last = hand.tally.last == words[0];
		assert_true(operation->sum_is_right(&sum));
		words[0]--;
		sum.is_last = hand.tally.last == words[0];
		assert_false(operation->sum_is_right(&sum));
	}
}

static void one_that_waits_can_be_abandoned(void **state)
{
	struct half half;
	struct rig rig;

	(void)state;
	rig_open(&rig);
	add_points(&rig, &contend_operations[2]);
	rig_init(&rig);
	/* The second half of three CPUs never comes. */
	rig.visit.variant = 1;
	rig.visit.n_seconds = CPUS;
	rig.visit.second_cpu = rig.numbers[order[0]];
	assert_int_equal(rig.points[1].n_cpus, CPUS);
	half_start(&half, &probe_contend, &rig.visit, false);
	half_abandon(&half);
	assert_false(half_end(&half));
	rig_close(&rig);
}

/* Two CPUs of three are at work, and the timekeeper never is. */
static void those_at_work_can_be_abandoned(void **state)
{
	struct half halves[2];
	struct rig rig;

	(void)state;
	rig_open(&rig);
	add_points(&rig, &contend_operations[2]);
	rig_init(&rig);
	/* As if the timekeeper had come, and then stood still. */
	*(uint32_t *)rig.block = 1;
	rig.visit.variant = 1;
	rig.visit.n_seconds = CPUS;
	for (int i = 0; i < 2; i++) {
		rig.visit.second_cpu = rig.numbers[order[i + 1]];
		half_start(&halves[i], &probe_contend, &rig.visit, false);
	}
	for (int i = 0; i < 20; i++)
		nap();
	for (int i = 0; i < 2; i++)
		assert_false(atomic_load(&halves[i].returned));
	for (int i = 0; i < 2; i++) {
		half_abandon(&halves[i]);
		assert_false(half_end(&halves[i]));
	}
	rig_close(&rig);
}

/* Another CPU took a ticket, and does not give it back. */
static void those_behind_a_lock_can_be_abandoned(void **state)
{
	struct half half;
	struct rig rig;
	_Atomic uint64_t *words;
	_Atomic uint32_t *here;

	(void)state;
	rig_open(&rig);
	add_points(&rig, &contend_operations[5]);
	rig_init(&rig);
	assert_true(rig.points[2].operation->waits_at);
	rig.visit.variant = 2;
	rig.visit.n_seconds = CPUS;
	rig.visit.second_cpu = rig.numbers[order[0]];
	here = rig.block;
	words = (_Atomic uint64_t *)(void *)((char *)rig.block +
					     PROBE_SLOT_BYTES +
					     2 * (size_t)PROBE_LINE_STRIDE);
	half_start(&half, &probe_contend, &rig.visit, false);
	while (atomic_load(here) == 0)
		nap();
	/* One of the two others takes a ticket before they come. */
	assert_int_equal(atomic_fetch_add(words, 1), 0);
	atomic_fetch_add(here, 2);
	for (int i = 0; i < 20; i++)
		nap();
	assert_false(atomic_load(&half.returned));
	half_abandon(&half);
	assert_false(half_end(&half));
	rig_close(&rig);
}

/* Whose ticket is never served, because its holder was frozen. */
static void one_that_waits_for_a_lock_can_be_abandoned(void **state)
{
	uint64_t words[3] = {1, UINT64_MAX, 0};
	struct contend_worker hand = {.word = words};

	(void)state;
	for (size_t i = 0; contend_operations[i].name; i++) {
		if (!contend_operations[i].needs_word)
			continue;
		assert_int_equal(contend_operations[i].waits_at, 8);
		assert_int_equal(contend_operations[i].run(&hand, 5), 0);
		assert_int_equal(
			contend_operations[i].run_with_hint(&hand, 5), 0);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(words_hold_what_was_done_to_them),
	cmocka_unit_test(a_lock_guards_its_counter),
	cmocka_unit_test(a_wrong_word_is_an_error),
	cmocka_unit_test(a_lost_operation_breaks_every_sum),
	cmocka_unit_test(one_that_waits_can_be_abandoned),
	cmocka_unit_test(those_at_work_can_be_abandoned),
	cmocka_unit_test(those_behind_a_lock_can_be_abandoned),
	cmocka_unit_test(one_that_waits_for_a_lock_can_be_abandoned),
};

CASE_GROUP(cases);
