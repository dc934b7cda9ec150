/* The crew on pretended CPUs, and what it does when a member does not. */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/crew.h"
#include "engine/schedule.h"
#include "fake_probe.h"

static double ticks_by_pair(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return 10000.0 * first + 10.0 * second + (double)pass + 0.0 * half;
}

/* A crew of n pretended CPUs, a pass over all pairs, and room for slots. */
struct rig {
	struct fake_world world;
	struct cpu_list cpus;
	struct probe_params params;
	atomic_bool stop;
	struct crew *crew;
	struct schedule schedule;
	struct crew_program program;
	char *slots;
};

static void rig_open(struct rig *rig, size_t n, size_t jobs,
	enum crew_idle idle, double patience_s, const struct machine *machine)
{
	struct crew_options options;

	rig->world.ticks = ticks_by_pair;
	for (unsigned cpu = 0; cpu < n; cpu++)
		assert_int_equal(cpu_list_add(&rig->cpus, cpu, NULL), 0);
	rig->world.busy = calloc(n, sizeof(*rig->world.busy));
	rig->params = (struct probe_params){.samples = 3,
		.round_trips = 1,
		.slots = 1,
		.ns_per_tick = 1,
		.context = &rig->world};
	options = (struct crew_options){.machine = machine,
		.cpus = &rig->cpus,
		.probe = &fake_probe,
		.params = &rig->params,
		.idle = idle,
		.patience_s = patience_s,
		.stop = &rig->stop};
	assert_int_equal(crew_new(&rig->crew, &options, NULL), 0);
	assert_int_equal(
		schedule_init_all(&rig->schedule, n, false, 5, NULL), 0);
	schedule_draw(&rig->schedule, jobs);
	rig->slots = aligned_alloc(PROBE_SLOT_BYTES, n * PROBE_SLOT_BYTES);
	memset(rig->slots, 0, n * PROBE_SLOT_BYTES);
	rig->program.visits =
		calloc(rig->schedule.n_pairs, sizeof(*rig->program.visits));
	for (size_t i = 0; i < rig->schedule.n_pairs; i++) {
		struct pair pair = rig->schedule.pairs[rig->schedule.order[i]];

		rig->program.visits[i] = (struct crew_visit){
			.first = pair.first,
			.second = pair.second,
			.slots = rig->slots + (i % n) * PROBE_SLOT_BYTES,
		};
	}
	rig->program.step_ends = rig->schedule.step_ends;
	rig->program.n_steps = rig->schedule.n_steps;
}

static void rig_close(struct rig *rig)
{
	crew_free(rig->crew);
	schedule_release(&rig->schedule);
	cpu_list_release(&rig->cpus);
	free((void *)rig->world.busy);
	free(rig->program.visits);
	free(rig->slots);
}

static void run_whole_pass(size_t n, size_t jobs, enum crew_idle idle)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	rig_open(&rig, n, jobs, idle, 30, NULL);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_DONE);
	assert_int_equal(report.steps_done, rig.schedule.n_steps);
	assert_int_equal(rig.world.visits, rig.schedule.n_pairs);
	assert_int_equal(rig.world.twice, 0);
	for (size_t i = 0; i < rig.schedule.n_pairs; i++) {
		const struct crew_visit *visit = &rig.program.visits[i];

		assert_true(visit->ticks[0] ==
			    ticks_by_pair(visit->first, visit->second, 0, 0));
		/* The second half of this probe measures nothing. */
		assert_true(isnan(visit->ticks[1]));
	}
	rig_close(&rig);
}

static void test_whole_pass(void **state)
{
	(void)state;
	run_whole_pass(2, 1, CREW_PARK);
	run_whole_pass(2, 1, CREW_SPIN);
	run_whole_pass(3, 1, CREW_SPIN);
	run_whole_pass(16, 1, CREW_PARK);
	run_whole_pass(17, 8, CREW_PARK);
	run_whole_pass(64, 32, CREW_PARK);
}

static void test_many_runs_of_one_crew(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 4, 2, CREW_PARK, 30, NULL);
	for (unsigned run = 1; run <= 200; run++) {
		assert_int_equal(
			crew_run(rig.crew, &rig.program, &report), CREW_DONE);
		assert_int_equal(rig.world.visits, 6 * run);
	}
	rig_close(&rig);
}

static void test_empty_program(void **state)
{
	const struct crew_program empty = {NULL, NULL, 0};
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 2, 1, CREW_PARK, 30, NULL);
	assert_int_equal(crew_run(rig.crew, &empty, &report), CREW_DONE);
	rig_close(&rig);
}

static void test_stop_ends_after_a_step(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 6, 1, CREW_PARK, 30, NULL);
	atomic_store(&rig.stop, true);
	assert_int_equal(
		crew_run(rig.crew, &rig.program, &report), CREW_STOPPED);
	assert_int_equal(report.steps_done, 1);
	assert_false(isnan(rig.program.visits[0].ticks[0]));
	for (size_t i = 1; i < rig.schedule.n_pairs; i++)
		assert_true(isnan(rig.program.visits[i].ticks[0]));
	rig_close(&rig);
}

static void test_hanging_pair_is_abandoned(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;
	bool found = false;

	(void)state;
	rig_open(&rig, 4, 1, CREW_PARK, 0.05, NULL);
	rig.world.hang = 1;
	rig.world.hang_first = 1;
	rig.world.hang_second = 2;
	assert_int_equal(
		crew_run(rig.crew, &rig.program, &report), CREW_ABANDONED);
	assert_int_equal(report.cpu, 1);
	assert_int_equal(report.partner, 2);
	for (size_t i = 0; i < rig.schedule.n_pairs; i++) {
		const struct crew_visit *visit = &rig.program.visits[i];

		if (visit->first == 1 && visit->second == 2) {
			assert_int_equal(report.steps_done, i);
			assert_true(isnan(visit->ticks[0]));
			found = true;
		} else if (i < report.steps_done) {
			assert_false(isnan(visit->ticks[0]));
		}
	}
	assert_true(found);
	/* The crew is whole, the slots are clean: the next run succeeds. */
	rig.world.hang = 0;
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_DONE);
	rig_close(&rig);
}

/* Without it the test would end by its bound: patience is an hour. */
static void test_stop_breaks_a_long_step(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 2, 1, CREW_PARK, 3600, NULL);
	rig.world.hang = 1;
	rig.world.hang_first = 0;
	rig.world.hang_second = 1;
	atomic_store(&rig.stop, true);
	assert_int_equal(
		crew_run(rig.crew, &rig.program, &report), CREW_STOPPED);
	assert_int_equal(report.steps_done, 0);
	assert_true(isnan(rig.program.visits[0].ticks[0]));
	rig_close(&rig);
}

static void test_dead_member_is_lost(void **state)
{
	/* Not on the stack: the lost thread keeps them. */
	static struct rig rig;
	struct crew_report report;

	(void)state;
	rig_open(&rig, 4, 1, CREW_PARK, 0.05, NULL);
	rig.world.hang = 2;
	rig.world.hang_first = 0;
	rig.world.hang_second = 3;
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_LOST);
	/* The one that hangs, not the one that only waited for it. */
	assert_int_equal(report.cpu, 3);
	assert_int_equal(report.partner, 0);
	for (size_t i = report.steps_done; i < rig.schedule.n_pairs; i++)
		assert_true(isnan(rig.program.visits[i].ticks[0]));
	crew_free(rig.crew);
}

static void move_to_other_cpu(const struct probe_visit *visit)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(visit->second_cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void test_moved_member_is_noticed(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;
	struct machine *machine;
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (!CPU_ISSET(0, &set) || !CPU_ISSET(1, &set)) {
		print_message("skip: needs CPUs 0 and 1\n");
		skip();
	}
	assert_int_equal(machine_new(&machine, NULL), 0);
	rig_open(&rig, 2, 1, CREW_PARK, 30, machine);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_DONE);
	rig.world.during = move_to_other_cpu;
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_MOVED);
	assert_int_equal(report.cpu, 0);
	assert_int_equal(report.ran_on, 1);
	assert_true(isnan(rig.program.visits[0].ticks[0]));
	rig_close(&rig);
	machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_pass),
		cmocka_unit_test(test_many_runs_of_one_crew),
		cmocka_unit_test(test_empty_program),
		cmocka_unit_test(test_stop_ends_after_a_step),
		cmocka_unit_test(test_hanging_pair_is_abandoned),
		cmocka_unit_test(test_stop_breaks_a_long_step),
		cmocka_unit_test(test_moved_member_is_noticed),
		cmocka_unit_test(test_dead_member_is_lost),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
