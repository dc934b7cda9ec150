/* The crew on pretended CPUs, and what it does when a member does not. */
#include <linux/futex.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "engine/crew.h"
#include "engine/schedule.h"
#include "fake_probe.h"

/*
 * Patience where a visit hangs. Any other one that a busy machine holds up for
 * so long is abandoned, too. (Less than a second: crew_free() adds a whole
 * one.)
 */
#define SHORT_PATIENCE_S 0.9

static double ticks_by_pair(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return 10000.0 * first + 10.0 * second + (double)pass + 0.0 * half;
}

/* A crew of n pretended CPUs, a pass over all pairs, and room for slots. */
struct rig {
	struct fake_world world;
	uint32_t samples; /* 0: 3 */
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
	rig->params = (struct probe_params){
		.samples = rig->samples ? rig->samples : 3,
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
		struct schedule_pair pair =
			rig->schedule.pairs[rig->schedule.order[i]];

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

/* Their median would be that of the faster ones. */
static void lines_of_two_kinds_count_by_their_mean(void **state)
{
	struct rig rig = {.samples = 9, .world.slow_samples = 4};
	const struct crew_visit *visit;
	struct crew_report report;

	(void)state;
	rig_open(&rig, 2, 1, CREW_PARK, 30, NULL);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_DONE);
	visit = &rig.program.visits[0];
	assert_true(visit->ticks[0] ==
		    ticks_by_pair(visit->first, visit->second, 0, 0) +
			    (7 + 3 * FAKE_SLOW_TICKS) / 7);
	rig_close(&rig);
}

static void every_pair_of_a_pass_is_visited(void **state)
{
	(void)state;
	run_whole_pass(2, 1, CREW_PARK);
	run_whole_pass(2, 1, CREW_SPIN);
	run_whole_pass(3, 1, CREW_SPIN);
	run_whole_pass(16, 1, CREW_PARK);
	run_whole_pass(17, 8, CREW_PARK);
	run_whole_pass(64, 32, CREW_PARK);
}

static void one_crew_does_many_runs(void **state)
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

static void an_empty_program_ends_at_once(void **state)
{
	const struct crew_program empty = {0};
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 2, 1, CREW_PARK, 30, NULL);
	assert_int_equal(crew_run(rig.crew, &empty, &report), CREW_DONE);
	rig_close(&rig);
}

static void a_stop_ends_after_a_step(void **state)
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

/* A visit of a hundredth of a second. */
static double slowly(unsigned first, unsigned second, uint32_t pass, int half)
{
	static const struct timespec nap = {.tv_nsec = 10000000};

	nanosleep(&nap, NULL);
	return ticks_by_pair(first, second, pass, half);
}

static void no_step_begins_after_the_deadline(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 16, 1, CREW_PARK, 30, NULL);
	rig.world.ticks = slowly;
	crew_set_deadline(rig.crew, 1);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_OVER);
	/* A busy machine may wake the owner late, but not by all steps. */
	assert_in_range(report.steps_done, 1, rig.schedule.n_steps - 1);
	for (size_t i = 0; i < rig.schedule.n_pairs; i++)
		assert_int_equal(isnan(rig.program.visits[i].ticks[0]),
			i >= report.steps_done);
	/* It is no fault of the crew. */
	rig.world.ticks = ticks_by_pair;
	crew_set_deadline(rig.crew, 0);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_DONE);
	rig_close(&rig);
}

/* Who sleeps when the deadline comes has yet to begin the step. */
static void a_step_that_has_begun_ends_after_the_deadline(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 16, 1, CREW_PARK, 30, NULL);
	crew_set_deadline(rig.crew, 1);
	for (unsigned run = 0; run < 200; run++) {
		enum crew_outcome outcome =
			crew_run(rig.crew, &rig.program, &report);

		assert_true(outcome == CREW_OVER || outcome == CREW_DONE);
		for (size_t i = 0; i < report.steps_done; i++)
			assert_false(isnan(rig.program.visits[i].ticks[0]));
	}
	rig_close(&rig);
}

static void a_hanging_pair_is_abandoned(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;
	bool found = false;

	(void)state;
	rig_open(&rig, 4, 1, CREW_PARK, SHORT_PATIENCE_S, NULL);
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
static void a_stop_breaks_a_long_step(void **state)
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

/* As one within a large copy does, where a step may take long. */
static void a_late_answer_is_no_loss(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	rig_open(&rig, 2, 1, CREW_PARK, 3600, NULL);
	rig.world.hang = 3;
	/* More than there are in the second of who is not that patient. */
	rig.world.hang_marks = 1500;
	rig.world.hang_first = 0;
	rig.world.hang_second = 1;
	atomic_store(&rig.stop, true);
	assert_int_equal(
		crew_run(rig.crew, &rig.program, &report), CREW_STOPPED);
	assert_false(crew_is_lost(rig.crew));
	rig_close(&rig);
}

static void a_dead_member_is_lost(void **state)
{
	/* Not on the stack: the lost thread keeps them. */
	static struct rig rig;
	struct crew_report report;

	(void)state;
	rig_open(&rig, 4, 1, CREW_PARK, SHORT_PATIENCE_S, NULL);
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

/* The thread that is to be stopped while it holds the baton, by its CPU. */
static atomic_bool stop_holder;
static atomic_int held_by = -1;
static _Thread_local int own_cpu = -1;

static double note_own_cpu(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	own_cpu = (int)(half ? second : first);
	return ticks_by_pair(first, second, pass, half);
}

/* The linker puts wrap_syscall in the place of syscall(2): --wrap. */
long real_syscall(long number, ...) __asm__("__real_syscall");
long wrap_syscall(long number, void *word, long operation, long value,
	void *timeout, void *other, long last) __asm__("__wrap_syscall");

/*
 * Threads of the crew wake somebody only while they hold the baton: this one
 * has posted one half of a step then, and never posts the other.
 */
long wrap_syscall(long number, void *word, long operation, long value,
	void *timeout, void *other, long last)
{
	long rc = real_syscall(
		number, word, operation, value, timeout, other, last);

	if (number == SYS_futex && own_cpu >= 0 &&
		(operation & FUTEX_CMD_MASK) == FUTEX_WAKE &&
		atomic_exchange(&stop_holder, false)) {
		atomic_store(&held_by, own_cpu);
		for (;;)
			pause();
	}
	return rc;
}

static void who_stops_with_the_baton_is_named(void **state)
{
	/* Not on the stack: the lost thread keeps them. */
	static struct rig rig;
	struct crew_report report;

	(void)state;
	rig_open(&rig, 5, 2, CREW_PARK, SHORT_PATIENCE_S, NULL);
	rig.world.ticks = note_own_cpu;
	atomic_store(&stop_holder, true);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_LOST);
	assert_int_equal(report.cpu, atomic_load(&held_by));
	assert_int_not_equal(report.partner, report.cpu);
	crew_free(rig.crew);
}

static bool may_use_two_cpus(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_ISSET(0, &set) && CPU_ISSET(1, &set);
}

static void go_to(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void move_to_other_cpu(const struct probe_visit *visit)
{
	go_to(visit->second_cpu);
}

static void a_moved_member_is_noticed(void **state)
{
	struct rig rig = {.stop = false};
	struct crew_report report;
	struct machine *machine;

	(void)state;
	if (!may_use_two_cpus()) {
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

/*
 * Visits of any shape, written out: a crew of members on pretended CPUs, or on
 * those of a machine, and a program of a few steps.
 */
enum {
	CROWD_MEMBERS = 6,
	CROWD_VISITS = 4,
	CROWD_EVENTS = 64
};

struct crowd_rig {
	struct fake_world world;
	struct fake_event events[CROWD_EVENTS];
	unsigned cpu_of[CROWD_MEMBERS];
	struct cpu_list cpus;
	struct probe_params params;
	atomic_bool stop;
	struct crew *crew;
	uint32_t others[CROWD_MEMBERS];
	struct crew_visit visits[CROWD_VISITS];
	double other_ticks[CROWD_VISITS][CROWD_MEMBERS];
	size_t step_ends[CROWD_VISITS];
	struct crew_program program;
	_Alignas(PROBE_SLOT_BYTES) char slots[CROWD_VISITS][PROBE_SLOT_BYTES];
};

/* Member i on CPU 10 + i, unless cpu_of[] was filled before. */
static void crowd_open(struct crowd_rig *rig, enum crew_idle idle,
	double patience_s, const struct machine *machine)
{
	struct crew_options options = {
		.machine = machine,
		.cpus = &rig->cpus,
		.probe = &fake_crowd_probe,
		.params = &rig->params,
		.idle = idle,
		.patience_s = patience_s,
		.stop = &rig->stop,
	};

	for (unsigned i = 0; i < CROWD_MEMBERS && !machine; i++)
		rig->cpu_of[i] = 10 + i;
	if (!rig->cpus.n)
		rig->cpus.n = CROWD_MEMBERS;
	rig->cpus.cpus = rig->cpu_of;
	rig->world.ticks = ticks_by_pair;
	rig->world.events = rig->events;
	rig->world.events_room = CROWD_EVENTS;
	rig->params = (struct probe_params){.samples = 3,
		.round_trips = 1,
		.slots = 1,
		.ns_per_tick = 1,
		.context = &rig->world};
	assert_int_equal(crew_new(&rig->crew, &options, NULL), 0);
	rig->program.visits = rig->visits;
	rig->program.step_ends = rig->step_ends;
}

/* A step of one visit; the others are the members named in others[]. */
static void crowd_add(
	struct crowd_rig *rig, uint32_t first, uint32_t second, uint32_t n)
{
	size_t v = rig->program.n_steps++;

	rig->step_ends[v] = v + 1;
	rig->visits[v] = (struct crew_visit){
		.first = first,
		.second = second,
		.pass = (uint32_t)v,
		.n_others = n,
		.others = rig->others,
		.slots = rig->slots[v],
		.other_ticks = rig->other_ticks[v],
	};
}

static void check_visit(const struct crowd_rig *rig, size_t v)
{
	const struct crew_visit *visit = &rig->visits[v];
	unsigned first = rig->cpu_of[visit->first];
	unsigned second = rig->cpu_of[visit->second];

	assert_true(visit->ticks[0] ==
		    ticks_by_pair(first, second, visit->pass, 0));
	assert_true(visit->ticks[1] ==
		    ticks_by_pair(first, second, visit->pass, 1));
	/* Every other one leaves its own figure, at its own place. */
	for (uint32_t i = 0; i < visit->n_others; i++)
		assert_true(visit->other_ticks[i] ==
			    ticks_by_pair(first, rig->cpu_of[visit->others[i]],
				    visit->pass, 1));
}

static void check_spoiled(const struct crew_visit *visit)
{
	assert_true(isnan(visit->ticks[0]));
	assert_true(isnan(visit->ticks[1]));
	for (uint32_t i = 0; i < visit->n_others; i++)
		assert_true(isnan(visit->other_ticks[i]));
}

static const enum crew_idle both_idles[] = {CREW_PARK, CREW_SPIN};

/* Both halves on one CPU: once each, the first before the second. */
static void one_member_visits_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct crowd_rig rig = {.stop = false};
		struct crew_report report;

		crowd_open(&rig, both_idles[i], 30, NULL);
		crowd_add(&rig, 2, 2, 0);
		crowd_add(&rig, 0, 2, 0);
		crowd_add(&rig, 2, 2, 0);
		assert_int_equal(
			crew_run(rig.crew, &rig.program, &report), CREW_DONE);
		assert_int_equal(report.steps_done, 3);
		assert_int_equal(rig.world.n_events, 6);
		for (size_t e = 0; e < 6; e += 4) {
			assert_int_equal(rig.events[e].cpu, 12);
			assert_true(rig.events[e].is_first);
			assert_int_equal(rig.events[e + 1].cpu, 12);
			assert_false(rig.events[e + 1].is_first);
		}
		for (size_t v = 0; v < 3; v++)
			check_visit(&rig, v);
		crew_free(rig.crew);
	}
}

/* One member alone beside two pairs, in one step. */
static void a_step_may_have_unlike_visits(void **state)
{
	struct crowd_rig rig = {.stop = false};
	struct crew_report report;

	(void)state;
	crowd_open(&rig, CREW_PARK, 30, NULL);
	rig.others[0] = 5;
	crowd_add(&rig, 1, 1, 0);
	crowd_add(&rig, 3, 2, 1);
	crowd_add(&rig, 4, 0, 0);
	rig.program.n_steps = 1;
	rig.step_ends[0] = 3;
	for (unsigned run = 1; run <= 50; run++) {
		assert_int_equal(
			crew_run(rig.crew, &rig.program, &report), CREW_DONE);
		assert_int_equal(rig.world.n_events, 7 * run);
		assert_int_equal(rig.world.visits, 3 * run);
		for (size_t v = 0; v < 3; v++)
			check_visit(&rig, v);
	}
	crew_free(rig.crew);
}

/* All are in the visit together, or the probe would wait for ever. */
static void others_take_part(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct crowd_rig rig = {.stop = false, .others = {5, 1, 4, 2}};
		struct crew_report report;

		crowd_open(&rig, both_idles[i], 30, NULL);
		crowd_add(&rig, 3, 0, 0);
		crowd_add(&rig, 3, 0, 1);
		crowd_add(&rig, 3, 0, 4);
		crowd_add(&rig, 3, 0, 2);
		assert_int_equal(
			crew_run(rig.crew, &rig.program, &report), CREW_DONE);
		assert_int_equal(rig.world.n_events, 2 + 3 + 6 + 4);
		for (size_t v = 0; v < CROWD_VISITS; v++)
			check_visit(&rig, v);
		crew_free(rig.crew);
	}
}

/* Patience is an hour: who is not released would show as a hang. */
static void fail_on(int half, unsigned cpu, uint32_t second)
{
	struct crowd_rig rig = {.stop = false, .others = {5, 1}};
	struct crew_report report;

	crowd_open(&rig, CREW_PARK, 3600, NULL);
	rig.world.fail = half;
	rig.world.fail_cpu = cpu;
	rig.world.fail_pass = 1;
	crowd_add(&rig, 3, 0, 2);
	crowd_add(&rig, 3, second, second == 3 ? 0 : 2);
	crowd_add(&rig, 3, 0, 0);
	assert_int_equal(
		crew_run(rig.crew, &rig.program, &report), CREW_FAILED);
	assert_int_equal(report.steps_done, 1);
	assert_int_equal(report.error.class, ERROR_UNAVAILABLE);
	assert_non_null(strstr(report.error.text, "no more to measure with"));
	check_visit(&rig, 0);
	check_spoiled(&rig.visits[2]);
	/* Nobody began the third; a CPU that failed alone stopped there. */
	for (size_t e = 0; e < rig.world.n_events; e++)
		assert_in_range(rig.events[e].pass, 0, 1);
	assert_int_equal(rig.world.n_events, 4 + (second == 3 ? 1 : 4));
	crew_free(rig.crew);
}

static void a_failing_half_ends_the_program(void **state)
{
	(void)state;
	fail_on(1, 13, 0);
	fail_on(2, 10, 0);
	fail_on(2, 15, 0);
	fail_on(2, 11, 0);
	/* Alone: the first half failed, so that there is no second. */
	fail_on(1, 13, 3);
}

static void a_hanging_crowd_is_abandoned(void **state)
{
	static const unsigned hanging[] = {10, 15, 11};

	(void)state;
	for (size_t i = 0; i < sizeof(hanging) / sizeof(*hanging); i++) {
		struct crowd_rig rig = {.stop = false, .others = {5, 1}};
		struct crew_report report;

		crowd_open(&rig, CREW_PARK, SHORT_PATIENCE_S, NULL);
		rig.world.hang = 1;
		rig.world.hang_first = 13;
		rig.world.hang_second = hanging[i];
		rig.world.hang_pass = 1;
		crowd_add(&rig, 3, 0, 2);
		crowd_add(&rig, 3, 0, 2);
		crowd_add(&rig, 3, 0, 2);
		assert_int_equal(crew_run(rig.crew, &rig.program, &report),
			CREW_ABANDONED);
		assert_int_equal(report.steps_done, 1);
		assert_int_equal(report.cpu, 13);
		assert_int_equal(report.partner, 10);
		check_visit(&rig, 0);
		check_spoiled(&rig.visits[1]);
		check_spoiled(&rig.visits[2]);
		/* The crew is whole and the slots are clean. */
		rig.world.hang = 0;
		assert_int_equal(
			crew_run(rig.crew, &rig.program, &report), CREW_DONE);
		for (size_t v = 0; v < 3; v++)
			check_visit(&rig, v);
		crew_free(rig.crew);
	}
}

/* The rig is not released: the lost thread keeps it. */
static void lose(struct crowd_rig *rig, unsigned cpu, unsigned partner)
{
	struct crew_report report;

	crowd_open(rig, CREW_PARK, SHORT_PATIENCE_S, NULL);
	rig->world.hang = 2;
	rig->world.hang_first = 13;
	rig->world.hang_second = cpu;
	rig->world.hang_pass = 1;
	crowd_add(rig, 3, 0, 2);
	crowd_add(rig, 3, 0, 2);
	assert_int_equal(
		crew_run(rig->crew, &rig->program, &report), CREW_LOST);
	assert_int_equal(report.steps_done, 1);
	assert_int_equal(report.cpu, cpu);
	assert_int_equal(report.partner, partner);
	assert_true(crew_is_lost(rig->crew));
	check_visit(rig, 0);
	check_spoiled(&rig->visits[1]);
	crew_free(rig->crew);
}

/*
 * Whoever it is, another of the visit is named beside it.
 * slow: three crews wait for a thread that hangs for ever.
 */
static void a_dead_one_of_a_crowd_is_lost(void **state)
{
	static struct crowd_rig rigs[] = {
		{.others = {5, 1}}, {.others = {5, 1}}, {.others = {5, 1}}};

	(void)state;
	lose(&rigs[0], 11, 13);
	lose(&rigs[1], 10, 13);
	lose(&rigs[2], 13, 11);
}

/* Who is to run on CPU 1 goes to CPU 0. */
static void leave_cpu_1(const struct probe_visit *visit)
{
	if (visit->second_cpu == 1)
		go_to(0);
}

/* Three members on two CPUs: 0, 0 and 1. Only the other one runs on CPU 1. */
static void a_moved_other_is_noticed(void **state)
{
	struct crowd_rig rig = {
		.stop = false, .cpu_of = {0, 0, 1}, .others = {2}};
	struct crew_report report;
	struct machine *machine;

	(void)state;
	if (!may_use_two_cpus()) {
		print_message("skip: needs CPUs 0 and 1\n");
		skip();
	}
	assert_int_equal(machine_new(&machine, NULL), 0);
	rig.cpus.n = 3;
	crowd_open(&rig, CREW_PARK, 30, machine);
	rig.world.during_second = leave_cpu_1;
	crowd_add(&rig, 0, 1, 1);
	crowd_add(&rig, 0, 1, 1);
	assert_int_equal(crew_run(rig.crew, &rig.program, &report), CREW_MOVED);
	assert_int_equal(report.steps_done, 0);
	assert_int_equal(report.cpu, 1);
	assert_int_equal(report.ran_on, 0);
	check_spoiled(&rig.visits[0]);
	check_spoiled(&rig.visits[1]);
	crew_free(rig.crew);
	machine_free(machine);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_pair_of_a_pass_is_visited),
	cmocka_unit_test(lines_of_two_kinds_count_by_their_mean),
	cmocka_unit_test(one_crew_does_many_runs),
	cmocka_unit_test(an_empty_program_ends_at_once),
	cmocka_unit_test(a_stop_ends_after_a_step),
	cmocka_unit_test(no_step_begins_after_the_deadline),
	cmocka_unit_test(a_step_that_has_begun_ends_after_the_deadline),
	cmocka_unit_test(a_hanging_pair_is_abandoned),
	cmocka_unit_test(a_stop_breaks_a_long_step),
	cmocka_unit_test(a_moved_member_is_noticed),
	cmocka_unit_test(one_member_visits_itself),
	cmocka_unit_test(a_step_may_have_unlike_visits),
	cmocka_unit_test(others_take_part),
	cmocka_unit_test(a_failing_half_ends_the_program),
	cmocka_unit_test(a_hanging_crowd_is_abandoned),
	cmocka_unit_test(a_moved_other_is_noticed),
	cmocka_unit_test(a_late_answer_is_no_loss),
	cmocka_unit_test(a_dead_member_is_lost),
	cmocka_unit_test(a_dead_one_of_a_crowd_is_lost),
	cmocka_unit_test(who_stops_with_the_baton_is_named),
};

CASE_GROUP(cases);
