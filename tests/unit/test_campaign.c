/*
 * Whole campaigns on pretended CPUs: passes, budget, precision, interrupts,
 * jobs, and what summary.c makes of the values.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../case_group.h"
#include "engine/campaign.h"
#include "engine/rehearsal.h"
#include "engine/summary.h"
#include "fake_probe.h"
#include "util/progress.h"

static const struct summary_labels labels = {
	.name = {"latency", NULL},
	.unit = "ns",
	.quantity = "one-way",
	.noun = "pair",
	.factor = 1,
};

/*
 * Patience where a visit hangs. Any other one that a busy machine holds up for
 * so long is abandoned, too. (Less than a second: crew_free() adds a whole
 * one.)
 */
#define SHORT_PATIENCE_S 0.9

static atomic_bool stop;

struct rig {
	struct fake_world world;
	struct cpu_list cpus;
	struct campaign_options options;
	struct campaign campaign;
	struct result result;
};

static void rig_init(struct rig *rig, unsigned n,
	double (*ticks)(unsigned, unsigned, uint32_t, int))
{
	memset(rig, 0, sizeof(*rig));
	result_init(&rig->result);
	rig->world.ticks = ticks;
	for (unsigned cpu = 0; cpu < n; cpu++) {
		assert_int_equal(cpu_list_add(&rig->cpus, cpu, NULL), 0);
		assert_int_equal(cpu_list_add(&rig->result.cpus, cpu, NULL), 0);
	}
	atomic_store(&stop, false);
	rig->options = fake_options(&rig->world, &rig->cpus, &stop);
}

static void rig_run(struct rig *rig)
{
	assert_int_equal(campaign_run(&rig->campaign, &rig->options, NULL), 0);
}

static void rig_release(struct rig *rig)
{
	campaign_release(&rig->campaign);
	result_release(&rig->result);
	cpu_list_release(&rig->cpus);
}

static const struct matrix *matrix_of(struct rig *rig, const char *statistic)
{
	const struct matrix *matrix;

	if (rig->result.n_matrices == 0)
		assert_int_equal(summary_matrices(&rig->campaign, &labels,
					 &rig->result, NULL),
			0);
	matrix = result_find_matrix(&rig->result, "latency", statistic);
	assert_non_null(matrix);
	return matrix;
}

static double by_pair(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)half;
	/* Passes 0 to 5 add 0, 1, 2, 3, 4, 5: the median adds 2.5. */
	return 100.0 * first + second + (double)pass;
}

static void a_matrix_is_exact(void **state)
{
	static const struct {
		const char *statistic;
		double adds;
	} expected[] = {{"median", 2.5}, {"min", 0}, {"p10", 0.5}, {"p90", 4.5},
		{"ci_low", 0}, {"ci_high", 5}};
	struct rig rig;
	unsigned n = 9;

	(void)state;
	rig_init(&rig, n, by_pair);
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_complete, 6);
	assert_int_equal(rig.world.visits, 6 * 36);
	for (size_t e = 0; e < sizeof(expected) / sizeof(*expected); e++) {
		const struct matrix *matrix =
			matrix_of(&rig, expected[e].statistic);

		assert_true(matrix->symmetric);
		for (unsigned i = 0; i < n; i++) {
			assert_true(isnan(matrix->values[i * n + i]));
			for (unsigned j = i + 1; j < n; j++) {
				double value = 100.0 * i + j + expected[e].adds;

				assert_true(fabs(matrix->values[i * n + j] -
						    value) < 1e-3);
				assert_true(matrix->values[i * n + j] ==
					    matrix->values[j * n + i]);
			}
		}
	}
	assert_true(matrix_of(&rig, "passes")->values[1] == 6);
	rig_release(&rig);
}

/* The pair of CPUs 2 and 3, by whose pass all others are judged. */
static size_t choose_one(
	void *context, const struct campaign *campaign, bool *chosen)
{
	size_t *asked = context;

	assert_int_equal(campaign->n_complete, 6);
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++)
		chosen[p] = campaign->schedule.pairs[p].first == 2 &&
			    campaign->schedule.pairs[p].second == 3;
	return ++*asked;
}

/* Their passes are numbered from 0 again, and add as much. */
static void chosen_pairs_are_visited_again(void **state)
{
	const double *passes, *median;
	size_t asked = 0, again;
	struct rig rig;

	(void)state;
	rig_init(&rig, 5, by_pair);
	rig.options.choose_again = choose_one;
	rig.options.choose_again_context = &asked;
	rig_run(&rig);
	assert_int_equal(asked, 1);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_complete, 6);
	assert_non_null(rig.campaign.again);
	/* As many as there was time for. */
	again = rig.campaign.again->n_complete;
	assert_in_range(again, 1, 72);
	assert_int_equal(rig.world.visits, 6 * 10 + again);
	passes = matrix_of(&rig, "passes")->values;
	median = matrix_of(&rig, "median")->values;
	assert_true(passes[2 * 5 + 3] == 6 + (double)again);
	assert_true(passes[2 * 5 + 4] == 6);
	assert_true(median[2 * 5 + 4] == 204 + 2.5);
	/* 0 and 0 to 5, or many more. */
	assert_true(again > 1 || median[2 * 5 + 3] == 203 + 2);
	assert_true(again < 12 || median[2 * 5 + 3] >= 203 + 4);
	rig_release(&rig);
}

struct slow_choice {
	size_t asked;
	double elapsed_s;
};

static size_t choose_one_slowly(
	void *context, const struct campaign *campaign, bool *chosen)
{
	static const struct timespec time = {.tv_nsec = 100000000};
	struct slow_choice *choice = context;

	choice->elapsed_s = campaign->elapsed_s;
	nanosleep(&time, NULL);
	return choose_one(&choice->asked, campaign, chosen);
}

/* The share of the time is for visits. */
static void to_choose_pairs_takes_no_visits(void **state)
{
	struct slow_choice choice = {0, NAN};
	struct rig rig;

	(void)state;
	rig_init(&rig, 5, by_pair);
	rig.options.choose_again = choose_one_slowly;
	rig.options.choose_again_context = &choice;
	rig_run(&rig);
	assert_non_null(rig.campaign.again);
	assert_true(rig.campaign.again->options.budget_s >
		    1.1 * choice.elapsed_s + 0.09);
	rig_release(&rig);
}

static void nobody_looks_again_where_few_run_at_once(void **state)
{
	size_t asked = 0;
	struct rig rig;

	(void)state;
	rig_init(&rig, 5, by_pair);
	rig.options.at_once = fake_two_at_once;
	rig.options.choose_again = choose_one;
	rig.options.choose_again_context = &asked;
	rig_run(&rig);
	assert_int_equal(asked, 0);
	assert_null(rig.campaign.again);
	rig_release(&rig);
}

static double alike(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)pass;
	(void)half;
	return 1000 + 10.0 * first + second;
}

static void a_run_ends_when_precise(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 4, alike);
	rig.options.passes_max = 100000;
	rig_run(&rig);
	/* Six passes suffice; a batch may hold a few hundred. */
	assert_true(rig.campaign.complete);
	assert_in_range(rig.campaign.n_complete, 6, 50000);
	rig_release(&rig);
}

static double wild(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)half;
	return pass % 2 ? 100 : 300 + (double)first + second;
}

static void a_run_goes_on_while_imprecise(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 3, wild);
	rig.options.passes_max = 400;
	rig_run(&rig);
	assert_int_equal(rig.campaign.n_complete, 400);
	rig_release(&rig);
}

static void a_spent_budget_still_gives_a_matrix(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 12, alike);
	rig.options.budget_s = 0;
	rig.options.passes_max = 100000;
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	assert_in_range(rig.campaign.n_complete, 1, 1000);
	for (unsigned i = 1; i < 12; i++)
		assert_false(isnan(matrix_of(&rig, "median")->values[i]));
	/* One pass or a few have no interval: it is missing, not zero. */
	if (rig.campaign.n_passes < 6)
		assert_true(isnan(matrix_of(&rig, "ci_low")->values[1]));
	rig_release(&rig);
}

static void passes_come_before_the_budget(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 40, wild);
	rig.options.budget_s = 0;
	rig.options.most_s = INFINITY;
	rig.options.passes_max = 1000;
	rig_run(&rig);
	/* All that was asked for, and no more than the batch it ended in. */
	assert_in_range(rig.campaign.n_complete, 6, 500);
	rig_release(&rig);
}

static void passes_that_take_too_long_are_left_out(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 40, wild);
	rig.options.budget_s = 0;
	rig.options.most_s = 1e-9;
	rig.options.passes_min = 1000;
	rig.options.passes_max = 1000;
	rig_run(&rig);
	assert_in_range(rig.campaign.n_complete, 1, 999);
	rig_release(&rig);
}

static void stop_soon(const struct probe_visit *visit)
{
	if (visit->pass == 2 && visit->first_cpu == 1)
		atomic_store(&stop, true);
}

static void an_interrupt_keeps_what_there_is(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 8, by_pair);
	rig.options.passes_max = 1000;
	rig.world.during = stop_soon;
	rig_run(&rig);
	assert_false(rig.campaign.complete);
	assert_true(rig.campaign.interrupted);
	for (unsigned i = 1; i < 8; i++) {
		double passes = matrix_of(&rig, "passes")->values[i];

		assert_true(passes == 2 || passes == 3);
		assert_false(isnan(matrix_of(&rig, "median")->values[i]));
	}
	/* What the interrupted batch had done counts; what it had not, not. */
	assert_int_equal(rig.campaign.n_complete, 2);
	assert_int_equal(rig.campaign.n_passes, 3);
	rig_release(&rig);
}

static void an_abandoned_visit_does_not_count(void **state)
{
	struct rig rig;
	const struct matrix *passes;

	(void)state;
	rig_init(&rig, 4, by_pair);
	rig.options.patience_s = SHORT_PATIENCE_S;
	rig.world.hang = 1;
	rig.world.hang_first = 0;
	rig.world.hang_second = 2;
	rig.world.hang_pass = 1;
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	/* It was tried twice. */
	assert_int_equal(rig.campaign.n_warnings, 2);
	assert_non_null(strstr(rig.campaign.warnings[0], "CPUs 0 and 2"));
	assert_non_null(strstr(rig.campaign.warnings[0], "tries it again"));
	assert_non_null(strstr(rig.campaign.warnings[1], "does not count"));
	assert_int_equal(rig.campaign.n_complete, 6);
	passes = matrix_of(&rig, "passes");
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = i + 1; j < 4; j++)
			assert_true(passes->values[i * 4 + j] ==
				    (i == 0 && j == 2 ? 5 : 6));
	}
	rig_release(&rig);
}

/* One pass of three CPUs. The visit of CPUs 0 and 2 hangs. */
static void run_one_pass_that_hangs(struct rig *rig, int hang)
{
	rig_init(rig, 3, by_pair);
	rig->options.patience_s = SHORT_PATIENCE_S;
	rig->options.passes_min = 1;
	rig->options.passes_max = 1;
	rig->world.hang = hang;
	rig->world.hang_first = 0;
	rig->world.hang_second = 2;
	rig_run(rig);
}

/* A busy machine may hold both CPUs up once. */
static void a_visit_that_ends_at_the_second_try_counts(void **state)
{
	struct rig rig;

	(void)state;
	run_one_pass_that_hangs(&rig, 4);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_warnings, 1);
	assert_non_null(strstr(rig.campaign.warnings[0], "tries it again"));
	assert_int_equal(rig.campaign.n_complete, 1);
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = i + 1; j < 3; j++)
			assert_int_equal(
				matrix_of(&rig, "passes")->values[i * 3 + j],
				1);
	}
	rig_release(&rig);
}

static void a_matrix_with_a_hole_is_not_complete(void **state)
{
	struct rig rig;

	(void)state;
	run_one_pass_that_hangs(&rig, 1);
	assert_false(rig.campaign.complete);
	assert_false(rig.campaign.interrupted);
	assert_true(isnan(matrix_of(&rig, "median")->values[0 * 3 + 2]));
	assert_false(isnan(matrix_of(&rig, "median")->values[0 * 3 + 1]));
	assert_false(isnan(matrix_of(&rig, "median")->values[1 * 3 + 2]));
	rig_release(&rig);
}

static int all_at_once(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err)
{
	fake_two_at_once(crew, lines, cpus, at_once, err);
	*at_once = (double)cpus->n;
	return 0;
}

/* A machine with four vCPUs, whose visits have time enough to end. */
static void rig_init_cores(struct rig *rig,
	int (*at_once)(struct crew *, const struct line_pools *,
		const struct cpu_list *, double *, struct error *))
{
	rig_init(rig, 4, alike);
	rig->options.at_once = at_once;
	rig->options.idle = CREW_SPIN;
	rig->options.park_if_few = true;
	rig->options.params.round_trips = 30000;
	rig->options.passes_min = 2;
	rig->options.passes_max = 2;
}

static void waiting_cpus_sleep_where_few_run_at_once(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, fake_two_at_once);
	rig_run(&rig);
	assert_true(rig.campaign.overcommitted);
	assert_true(rig.campaign.at_once == 2);
	assert_int_equal(rig.campaign.options.idle, CREW_PARK);
	rig_release(&rig);
	rig_init_cores(&rig, fake_two_at_once);
	rig.options.park_if_few = false;
	rig_run(&rig);
	assert_int_equal(rig.campaign.options.idle, CREW_SPIN);
	rig_release(&rig);
	rig_init_cores(&rig, all_at_once);
	rig_run(&rig);
	assert_false(rig.campaign.overcommitted);
	assert_int_equal(rig.campaign.options.idle, CREW_SPIN);
	rig_release(&rig);
}

static bool warns(const struct campaign *campaign, const char *sentence)
{
	for (size_t i = 0; i < campaign->n_warnings; i++) {
		if (strstr(campaign->warnings[i], sentence))
			return true;
	}
	return false;
}

static void suspect(struct rig *rig)
{
	struct summary_agreement agreement;

	assert_int_equal(summary_agree(&rig->campaign, &agreement, NULL), 0);
	summary_add_warnings(&rig->campaign, &agreement, &labels);
}

static void vcpus_that_never_run_at_once_are_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, fake_two_at_once);
	rig.world.hang = 1;
	rig.world.hang_first = 1;
	rig.world.hang_second = 3;
	rig.world.hang_pass = FAKE_EVERY_PASS;
	rig_run(&rig);
	/* Tried more often than a run with cores for all puts up with. */
	assert_int_equal(rig.campaign.n_complete, 2);
	assert_false(rig.campaign.complete);
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = i + 1; j < 4; j++)
			assert_true(
				matrix_of(&rig, "passes")->values[i * 4 + j] ==
				(i == 1 && j == 3 ? 0 : 2));
	}
	suspect(&rig);
	assert_true(warns(&rig.campaign, "about 2.0 of these 4 vCPUs"));
	assert_true(warns(
		&rig.campaign, "vCPUs 1 and 3 did not run at the same time"));
	assert_false(warns(&rig.campaign, "vCPUs 0 and 1"));
	rig_release(&rig);
}

static void an_overcommitted_run_ends_in_its_budget(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, fake_two_at_once);
	rig.options.budget_s = 0;
	rig.options.pairs =
		(const struct schedule_pair[]){{.first = 0, .second = 1},
			{.first = 0, .second = 2}, {.first = 0, .second = 3}};
	rig.options.n_pairs = 3;
	rig_run(&rig);
	assert_int_equal(rig.campaign.n_complete, 0);
	suspect(&rig);
	assert_true(warns(&rig.campaign, "2 pairs were not visited"));
	rig_release(&rig);
}

/* From the third pass on, the host takes its time: 50 ms for each visit. */
static atomic_size_t slow_visits;

static double slower(unsigned first, unsigned second, uint32_t pass, int half)
{
	static const struct timespec nap = {.tv_nsec = 50000000};

	if (pass >= 2) {
		atomic_fetch_add(&slow_visits, 1);
		nanosleep(&nap, NULL);
	}
	return alike(first, second, pass, half);
}

/*
 * A batch is as long as its visits were. If they take longer, the budget ends
 * it in the middle of a pass.
 */
static void a_batch_ends_with_the_budget(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 64, slower);
	rig.options.passes_min = 2;
	rig.options.passes_max = 100;
	rig.options.precision = 0;
	rig.options.least_s = 3600;
	rig.options.budget_s = 1.5;
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	assert_true(rig.campaign.n_complete >= 1);
	assert_true(rig.campaign.n_complete < 4);
	/* A whole pass has 4,032 halves, and the owner may be late. */
	assert_true(atomic_load(&slow_visits) < 500);
	rig_release(&rig);
}

/* In pass 0 the host takes a CPU away for three seconds. */
static double taken_away(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return pass == 0 && first == 0 && second == 1
		       ? 3e9
		       : alike(first, second, pass, half);
}

static void time_that_the_host_took_is_no_latency(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, fake_two_at_once);
	rig.world.ticks = taken_away;
	rig_run(&rig);
	assert_true(matrix_of(&rig, "passes")->values[1] == 1);
	assert_true(matrix_of(&rig, "median")->values[1] < 1e6);
	rig_release(&rig);
	rig_init_cores(&rig, all_at_once);
	rig.world.ticks = taken_away;
	rig_run(&rig);
	assert_true(matrix_of(&rig, "passes")->values[1] == 2);
	rig_release(&rig);
}

static double always_away(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return first == 0 && second == 1 ? 3e9
					 : alike(first, second, pass, half);
}

static void pairs_slower_than_any_line_are_told(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, all_at_once);
	rig.world.ticks = always_away;
	rig_run(&rig);
	suspect(&rig);
	assert_true(warns(&rig.campaign,
		"1 of 6 pairs took over 20 us a round trip, the first one "
		"between CPUs 0 and 1"));
	rig_release(&rig);
	rig_init_cores(&rig, all_at_once);
	rig_run(&rig);
	suspect(&rig);
	assert_false(warns(&rig.campaign, "took over"));
	rig_release(&rig);
}

static void a_run_without_any_value_is_not_precise(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 2, alike);
	rig.options.may_drop = true;
	rig.options.passes_min = 2;
	rig.options.passes_max = 1000;
	rig.options.precision = 0.5;
	rig.world.first_kept = 20;
	rig_run(&rig);
	assert_true(rig.campaign.n_complete > 20);
	assert_true(rig.campaign.n_complete < 1000);
	assert_true(matrix_of(&rig, "passes")->values[1] > 0);
	rig_release(&rig);
}

static double always(unsigned first, unsigned second, uint32_t pass, int half)
{
	return alike(first, second, pass, half);
}

static void a_dead_member_ends_the_run(void **state)
{
	/* Not on the stack, and not released: the lost thread keeps it. */
	static struct rig rig;

	(void)state;
	rig_init(&rig, 3, always);
	rig.options.patience_s = SHORT_PATIENCE_S;
	rig.world.hang = 2;
	rig.world.hang_first = 1;
	rig.world.hang_second = 2;
	rig.world.hang_pass = 3;
	rig_run(&rig);
	assert_false(rig.campaign.complete);
	assert_true(rig.campaign.lost);
	assert_false(isnan(matrix_of(&rig, "median")->values[1 * 3 + 2]));
	assert_int_equal(rig.campaign.n_warnings, 1);
}

/* The second time that cores are counted, a member is lost. */
static struct fake_world *world_of_the_count;

static int lose_a_member(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err)
{
	static size_t step_end = 1;
	static struct crew_visit visit = {.first = 0, .second = 1, .pass = 9};
	const struct crew_program program = {.visits = &visit,
		.step_ends = &step_end,
		.n_steps = 1,
		.n_visits = 1};

	*at_once = (double)cpus->n;
	if (!world_of_the_count->hung)
		return 0;
	visit.slots = lines_slots(lines, 0, 1, 0, 0, 0);
	world_of_the_count->hang = 2;
	world_of_the_count->hang_pass = 9;
	return rehearsal_run(crew, &program, "--idle", err);
}

static void a_member_lost_beside_the_passes_is_told(void **state)
{
	/* Not on the stack, and not released: the lost thread keeps it. */
	static struct rig rig;

	(void)state;
	rig_init(&rig, 2, alike);
	rig.options.at_once = lose_a_member;
	rig.options.patience_s = SHORT_PATIENCE_S;
	world_of_the_count = &rig.world;
	rig.world.hang = 4;
	rig.world.hang_first = 0;
	rig.world.hang_second = 1;
	rig.world.hang_pass = 2;
	rig_run(&rig);
	assert_false(rig.campaign.complete);
	assert_true(rig.campaign.lost);
	assert_false(isnan(matrix_of(&rig, "median")->values[1]));
}

static void jobs_run_pairs_together(void **state)
{
	struct rig rig;

	(void)state;
	for (size_t jobs = 2; jobs <= 5; jobs++) {
		atomic_uint *busy = calloc(10, sizeof(*busy));

		rig_init(&rig, 10, by_pair);
		rig.world.busy = busy;
		rig.options.jobs = jobs == 5 ? SIZE_MAX : jobs;
		rig_run(&rig);
		assert_int_equal(rig.campaign.jobs, jobs);
		assert_int_equal(rig.world.twice, 0);
		assert_true(matrix_of(&rig, "median")->values[1] == 3.5);
		rig_release(&rig);
		free((void *)busy);
	}
}

/*
 * The visits while --jobs is settled, in their order: for each number of pairs
 * that is tried, 15 times a round of all pairs alone and one of so many pairs
 * together, the latter first in every second of the 15; and all of it again
 * with other pairs, unless the bias is far too large.
 */
enum {
	ROUND = 4, /* pairs of eight CPUs */
	REPEATS = 15,
	TRIAL = 2 * REPEATS * ROUND
};

static struct {
	unsigned tried[3]; /* 0: the run itself */
	atomic_uint begun;
	atomic_bool in_company; /* a visit that was to be alone */
} settling;

/* Three pairs or more together are 5 % slow; two are not. */
static _Thread_local bool is_slow;

static void meet_the_others(const struct probe_visit *visit)
{
	const struct timespec time = {.tv_nsec = 100000};
	unsigned n = atomic_fetch_add(&settling.begun, 1);
	unsigned trial = n / TRIAL, repeat = n % TRIAL / (2 * ROUND);
	unsigned tried = trial < 3 ? settling.tried[trial] : 0;
	bool together = tried && n / ROUND % 2 != repeat % 2;

	is_slow = together && tried > 2;
	if (together) {
		/* Without them the visit is abandoned, and the run fails. */
		while (atomic_load(&settling.begun) < n - n % tried + tried)
			nanosleep(&time, NULL);
	} else if (tried && atomic_load(&settling.begun) > n + 1) {
		atomic_store(&settling.in_company, true);
	}
	if (tried)
		assert_int_equal(visit->pass, repeat);
}

static double slow_in_company(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	(void)half;
	return is_slow ? 1050 : 1000;
}

static void settle_jobs(struct rig *rig, size_t jobs, unsigned then_tried)
{
	rig_init(rig, 8, slow_in_company);
	rig->world.during = meet_the_others;
	rig->options.jobs = jobs;
	rig->options.passes_min = 1;
	rig->options.passes_max = 1;
	settling.tried[0] = ROUND;
	settling.tried[1] = then_tried;
	settling.tried[2] = then_tried;
	atomic_store(&settling.begun, 0);
	atomic_store(&settling.in_company, false);
	rig_run(rig);
	assert_false(atomic_load(&settling.in_company));
}

static void jobs_auto_avoids_bias(void **state)
{
	struct rig rig;

	(void)state;
	settle_jobs(&rig, 0, 2);
	assert_int_equal(rig.campaign.jobs, 2);
	assert_true(fabs(rig.campaign.jobs_bias) < 1e-9);
	rig_release(&rig);

	/* A given number is kept and its bias told. */
	settle_jobs(&rig, SIZE_MAX, 0);
	assert_int_equal(rig.campaign.jobs, 4);
	assert_true(fabs(rig.campaign.jobs_bias - 0.05) < 1e-9);
	rig_release(&rig);
}

static void listed_pairs_alone_are_measured(void **state)
{
	static const struct schedule_pair star[] = {
		{.first = 1, .second = 0}, {.first = 1, .second = 2}};
	const struct matrix *matrix;
	struct rig rig;

	(void)state;
	rig_init(&rig, 3, by_pair);
	rig.options.pairs = star;
	rig.options.n_pairs = 2;
	rig_run(&rig);
	matrix = matrix_of(&rig, "median");
	assert_true(matrix->values[1 * 3 + 0] == 102.5);
	assert_true(matrix->values[0 * 3 + 1] == 102.5);
	assert_true(matrix->values[1 * 3 + 2] == 104.5);
	assert_true(isnan(matrix->values[0 * 3 + 2]));
	rig_release(&rig);
}

static double with_offset(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	/* The counter of CPU 2 is 500 ahead; a message takes 100. */
	double offset = (second == 2 ? 500 : 0) - (first == 2 ? 500 : 0);

	(void)pass;
	return 100 + (half == 1 ? offset : -offset);
}

/* Directions a little less, and a little more, apart than is allowed. */
static double nearly_in_step(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	return half == 1 ? 124 : 76;
}

static double hardly_in_step(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	return half == 1 ? 126 : 74;
}

static void counters_at_the_limit_pass(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 2, nearly_in_step);
	rig.options.probe = &fake_one_way_probe;
	rig_run(&rig);
	assert_int_equal(campaign_check_counters(&rig.campaign, &err), 0);
	rig_release(&rig);

	rig_init(&rig, 2, hardly_in_step);
	rig.options.probe = &fake_one_way_probe;
	rig_run(&rig);
	assert_true(campaign_check_counters(&rig.campaign, &err) < 0);
	rig_release(&rig);
}

/* A clock of steps of 100 ticks, which nearly every visit spans, or none. */
static double in_steps(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)half;
	return pass % 500 == 499 ? 100 : 200;
}

static double under_a_step(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)half;
	/* Now and then two steps are seen, which says nothing. */
	return pass % 20 == 19 ? 200 : pass % 2 ? 100 : 0;
}

static double backwards(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)half;
	return pass % 500 == 499 ? -50 : 200;
}

static void samples_under_a_clock_step_are_refused(void **state)
{
	double (*const tolerable[])(unsigned, unsigned, uint32_t, int) = {
		in_steps, backwards};
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 2, under_a_step);
	rig.options.params.step_ticks = 100;
	rig.options.params.ns_per_tick = 1e5;
	rig.options.passes_max = 100000;
	assert_int_equal(
		campaign_run(&rig.campaign, &rig.options, &err), -ENOTSUP);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "a step of the clock (10 ms)"));
	/* Not all of the passes that were asked for. */
	assert_in_range(rig.world.visits, 1, 99999);
	result_release(&rig.result);
	cpu_list_release(&rig.cpus);

	for (size_t i = 0; i < 2; i++) {
		rig_init(&rig, 2, tolerable[i]);
		rig.options.params.step_ticks = 100;
		rig.options.passes_min = rig.options.passes_max = 500;
		rig_run(&rig);
		assert_true(matrix_of(&rig, "min")->values[1] == 200);
		assert_true(matrix_of(&rig, "passes")->values[1] == 499);
		assert_int_equal(rig.campaign.n_warnings, 1);
		assert_non_null(strstr(rig.campaign.warnings[0],
			"1 of 500 samples took no longer"));
		rig_release(&rig);
	}
}

static double slow_second(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	return half ? 50 : 200;
}

/* A slow rate is a small number, whatever the clock. */
static void a_number_is_no_time_under_a_clock_step(void **state)
{
	struct probe probe = fake_one_way_probe;
	struct rig rig;

	(void)state;
	probe.needs_synchronous_counters = false;
	probe.counts[1] = true;
	rig_init(&rig, 2, slow_second);
	rig.options.probe = &probe;
	rig.options.params.step_ticks = 100;
	rig.options.passes_min = rig.options.passes_max = 6;
	rig_run(&rig);
	assert_true(matrix_of(&rig, "min")->values[1] == 50);
	assert_true(matrix_of(&rig, "min")->values[2] == 200);
	assert_int_equal(rig.campaign.n_warnings, 0);
	rig_release(&rig);
}

/* A message that comes before it was sent has no age. */
static void messages_before_their_time_do_not_count(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 2, backwards);
	rig.options.probe = &fake_one_way_probe;
	rig.options.passes_min = rig.options.passes_max = 500;
	rig_run(&rig);
	assert_true(matrix_of(&rig, "min")->values[1] == 200);
	assert_int_equal(campaign_check_counters(&rig.campaign, &err), 0);
	rig_release(&rig);
}

/* A probe whose partner never comes, and one that waits for it. */
static bool wait_for_ever(const struct probe_visit *visit, int64_t *ticks)
{
	const struct timespec nap = {.tv_nsec = 100000};
	atomic_uint *mark = visit->slots;

	(void)ticks;
	while (atomic_load(mark) == 0)
		nanosleep(&nap, NULL);
	return false;
}

static void end_waiting(void *slot)
{
	atomic_uint *mark = slot;

	atomic_store(mark, 1);
}

/* Who has no value at all must learn whose CPUs are held, and what to do. */
static void an_empty_run_says_why(void **state)
{
	struct probe probe = fake_probe;
	struct rig rig;

	(void)state;
	probe.first = probe.second = wait_for_ever;
	probe.abandon = end_waiting;
	rig_init(&rig, 2, alike);
	rig.options.probe = &probe;
	rig.options.patience_s = 0.5;
	rig_run(&rig);
	assert_false(rig.campaign.complete);
	assert_int_equal(rig.campaign.failure.code, ETIMEDOUT);
	assert_int_equal(rig.campaign.failure.class, ERROR_FAILURE);
	assert_non_null(strstr(rig.campaign.failure.text, "CPUs "));
	assert_non_null(strstr(rig.campaign.failure.text, "0.5 s"));
	assert_non_null(strstr(rig.campaign.failure.text, "top"));
	assert_non_null(strstr(rig.campaign.failure.text, "c2c info"));
	rig_release(&rig);

	/* The budget may end a run before the third. */
	rig_init(&rig, 2, alike);
	rig.options.probe = &probe;
	rig.options.patience_s = 0.5;
	rig.options.budget_s = 0;
	rig_run(&rig);
	assert_int_equal(rig.campaign.n_complete, 1);
	assert_int_equal(rig.campaign.failure.code, ETIMEDOUT);
	rig_release(&rig);
}

/* A visit has a line for each sample, as far as --lines and reason go. */
static void samples_of_a_visit_have_their_lines(void **state)
{
	static const struct {
		uint32_t samples;
		size_t lines, slots, total;
	} cases[] = {{9, 64, 9, 63}, {9, 4, 4, 4}, {1, 64, 1, 64},
		{100, 64, 16, 64}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig rig;

		rig_init(&rig, 2, alike);
		rig.options.params.samples = cases[i].samples;
		rig.options.lines = cases[i].lines;
		rig_run(&rig);
		assert_int_equal(
			rig.campaign.options.params.slots, cases[i].slots);
		assert_int_equal(rig.campaign.options.lines, cases[i].total);
		rig_release(&rig);
	}
}

/*
 * With nine samples a visit, for 16 CPUs: a run that may choose how many pairs
 * are together needs no more lines than those, nor than a user says.
 */
static void no_run_takes_more_lines_than_it_needs(void **state)
{
	static const struct {
		size_t jobs, lines;
		bool given;
		size_t had_jobs, had_lines;
		bool warned;
	} cases[] = {
		{1, 9, false, 1, 9, false},
		{1, 9, true, 1, 9, false},
		{0, 9, false, 8, 72, false},
		{0, 9, true, 1, 9, false},
		{0, 20, true, 2, 18, false},
		{0, 900, true, 8, 900, false},
		{4, 9, false, 4, 36, false},
		{4, 9, true, 4, 36, true},
		{4, 40, true, 4, 36, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig rig;

		rig_init(&rig, 16, alike);
		rig.options.params.samples = 9;
		rig.options.jobs = cases[i].jobs;
		rig.options.lines = cases[i].lines;
		rig.options.lines_given = cases[i].given;
		rig_run(&rig);
		assert_int_equal(rig.campaign.jobs, cases[i].had_jobs);
		assert_int_equal(
			rig.campaign.options.lines, cases[i].had_lines);
		assert_int_equal(
			warns(&rig.campaign, "more than the 9 of --lines"),
			cases[i].warned);
		rig_release(&rig);
	}
}

/* On too few cores, too: pairs are not together there. */
static void an_overcommitted_run_has_the_lines_of_its_user(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_cores(&rig, fake_two_at_once);
	rig.options.params.samples = 9;
	rig.options.params.round_trips = 4000;
	rig.options.jobs = 0;
	rig.options.lines = 9;
	rig_run(&rig);
	assert_true(rig.campaign.overcommitted);
	assert_int_equal(rig.campaign.jobs, 1);
	assert_int_equal(rig.campaign.options.lines, 9);
	rig_release(&rig);
}

/* Two pools of two blocks; member 0 is near the first, member 1 the second. */
static void home_chooses_the_node(void **state)
{
	static char memory[2][2 * PROBE_SLOT_BYTES];
	struct memory_mapping pools[2] = {
		{.base = memory[0], .bytes = sizeof(memory[0])},
		{.base = memory[1], .bytes = sizeof(memory[1])}};
	unsigned nodes[2] = {0, 1};
	size_t pool_of[2] = {0, 1};
	struct line_pools lines = {
		.options = {.n_blocks = 2, .block_bytes = PROBE_SLOT_BYTES},
		.pools = pools,
		.nodes = {nodes, 2},
		.pool_of = pool_of};

	(void)state;
	lines.options.home = LINES_HOME_FIRST;
	assert_ptr_equal(lines_slots(&lines, 0, 1, 0, 0, 0), memory[0]);
	assert_ptr_equal(lines_slots(&lines, 1, 0, 0, 0, 0), memory[1]);
	lines.options.home = LINES_HOME_SECOND;
	assert_ptr_equal(lines_slots(&lines, 0, 1, 0, 0, 0), memory[1]);
	assert_ptr_equal(lines_slots(&lines, 1, 0, 0, 0, 0), memory[0]);
	lines.options.home = LINES_HOME_INTERLEAVE;
	assert_ptr_not_equal(lines_slots(&lines, 0, 1, 0, 0, 0),
		lines_slots(&lines, 0, 1, 1, 0, 0));
	lines.options.home = LINES_HOME_NODE;
	lines.nodes.n = 1;
	assert_ptr_equal(lines_slots(&lines, 1, 0, 1, 0, 0), memory[0]);
}

static double in_step(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	return half == 1 ? 110 : 90;
}

static void directions_have_their_own_values(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 4, in_step);
	rig.options.probe = &fake_one_way_probe;
	rig_run(&rig);
	assert_int_equal(rig.campaign.n_values, 2);
	assert_int_equal(campaign_check_counters(&rig.campaign, &err), 0);
	assert_false(matrix_of(&rig, "median")->symmetric);
	/* The second half received what the first sent: row first. */
	assert_true(matrix_of(&rig, "median")->values[0 * 4 + 1] == 110);
	assert_true(matrix_of(&rig, "median")->values[1 * 4 + 0] == 90);
	rig_release(&rig);

	rig_init(&rig, 4, with_offset);
	rig.options.probe = &fake_one_way_probe;
	rig_run(&rig);
	assert_true(campaign_check_counters(&rig.campaign, &err) < 0);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_non_null(strstr(err.text, " 2 "));
	rig_release(&rig);
}

/*
 * Unlike pairs that hold still; and that change places a little after half
 * way, so that the median of the whole run is still that of the first part.
 */
static double moving(unsigned first, unsigned second, uint32_t pass, int half)
{
	double value = 1000 + 37 * ((first * 7 + second * 13) % 29);

	(void)half;
	return pass < 22 ? value : 3000 - value;
}

static double still(unsigned first, unsigned second, uint32_t pass, int half)
{
	return moving(first, second, pass % 20, half);
}

static double noise(unsigned first, unsigned second, uint32_t pass, int half)
{
	uint32_t hash = (first * 2654435761u) ^ (second * 40503u) ^
			((pass + 1) * 2246822519u);

	(void)half;
	hash ^= hash >> 15;
	hash *= 2654435761u;
	hash ^= hash >> 13;
	return 1000 + hash % 200;
}

static void agree(struct rig *rig,
	double (*ticks)(unsigned, unsigned, uint32_t, int),
	struct summary_agreement *agreement)
{
	rig_init(rig, 12, ticks);
	rig->options.passes_max = rig->options.passes_min = 40;
	rig_run(rig);
	assert_int_equal(summary_agree(&rig->campaign, agreement, NULL), 0);
	summary_add_warnings(&rig->campaign, agreement, &labels);
}

static void agreement_tells_drift_from_noise(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;

	(void)state;
	agree(&rig, still, &agreement);
	assert_true(fabs(agreement.even_odd - 1) < 1e-9);
	assert_true(fabs(agreement.halves - 1) < 1e-9);
	assert_int_equal(rig.campaign.n_warnings, 0);
	rig_release(&rig);

	agree(&rig, moving, &agreement);
	assert_true(agreement.even_odd > 0.9);
	assert_true(fabs(agreement.halves + 1) < 1e-9);
	assert_true(rig.campaign.n_warnings >= 1);
	assert_non_null(strstr(rig.campaign.warnings[0], "CPUs moved"));
	rig_release(&rig);

	agree(&rig, noise, &agreement);
	assert_true(fabs(agreement.even_odd) < 0.5);
	assert_true(rig.campaign.n_warnings >= 1);
	assert_non_null(strstr(rig.campaign.warnings[0], "noise"));
	rig_release(&rig);
}

/* CPUs 0 and 1 differ from all others, whose values are noise below 2,000. */
static double one_pair_differs(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return first + second == 1 ? 5000 : noise(first, second, pass, half);
}

static void values_that_are_alike_have_no_ranks(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;

	(void)state;
	agree(&rig, one_pair_differs, &agreement);
	assert_true(agreement.even_odd < 0.8);
	rig.campaign.options.equal_below = 4000;
	assert_int_equal(summary_agree(&rig.campaign, &agreement, NULL), 0);
	assert_true(fabs(agreement.even_odd - 1) < 1e-9);
	/* If all are alike, nothing can be said. */
	rig.campaign.options.equal_below = 6000;
	assert_int_equal(summary_agree(&rig.campaign, &agreement, NULL), 0);
	assert_true(isnan(agreement.even_odd));
	assert_int_equal(agreement.verdict, RUN_UNJUDGED);
	rig_release(&rig);
}

/* Ranks of a few pairs agree or not by chance: nobody is warned of that. */
static void few_pairs_get_no_warning_of_agreement(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;

	(void)state;
	/* Four CPUs are six pairs, five are ten. */
	for (unsigned n = 4; n <= 5; n++) {
		bool told = false;

		rig_init(&rig, n, noise);
		rig.options.passes_max = rig.options.passes_min = 40;
		rig_run(&rig);
		assert_int_equal(
			summary_agree(&rig.campaign, &agreement, NULL), 0);
		assert_true(agreement.even_odd < 0.8);
		summary_add_warnings(&rig.campaign, &agreement, &labels);
		for (size_t i = 0; i < rig.campaign.n_warnings; i++)
			told = told || strstr(rig.campaign.warnings[i],
					       "even and odd passes");
		assert_int_equal(told, n == 5);
		rig_release(&rig);
	}
}

static void a_pair_that_varies_is_named(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;
	bool told = false;

	(void)state;
	rig_init(&rig, 2, wild);
	rig.options.passes_max = rig.options.passes_min = 20;
	rig_run(&rig);
	assert_int_equal(summary_agree(&rig.campaign, &agreement, NULL), 0);
	/* One pair has no ranks. */
	assert_true(isnan(agreement.even_odd));
	summary_add_warnings(&rig.campaign, &agreement, &labels);
	for (size_t i = 0; i < rig.campaign.n_warnings; i++)
		told = told ||
		       strstr(rig.campaign.warnings[i],
			       "fold between passes: between CPUs 0 and 1");
	assert_true(told);
	rig_release(&rig);
}

static void hundreds_of_cpus_are_measured(void **state)
{
	struct rig rig;
	const struct matrix *matrix;
	const char *mode = getenv("MODE");

	(void)state;
	/* So many visits take minutes under ThreadSanitizer. */
	if (mode && strcmp(mode, "tsan") == 0) {
		print_message("skip: too slow under ThreadSanitizer\n");
		skip();
	}
	/* More pairs than 16 bits can count. */
	rig_init(&rig, 400, alike);
	rig.options.passes_min = rig.options.passes_max = 1;
	rig_run(&rig);
	assert_int_equal(rig.world.visits, 79800);
	matrix = matrix_of(&rig, "median");
	for (unsigned i = 0; i < 400; i++) {
		for (unsigned j = i + 1; j < 400; j++)
			assert_true(matrix->values[i * 400 + j] ==
				    1000 + 10.0 * i + j);
	}
	rig_release(&rig);
}

/* The values of a crowd: 0 the first's, 1 the second's, then the others'. */
enum {
	CROWD_OTHERS = 3,
	CROWD_PASSES = 200
};

static const uint32_t crowd_others[CROWD_OTHERS] = {4, 2, 5};

/* Pairs with ever more others, not always the first; unlike in variants. */
static const struct schedule_pair crowd_pairs[CROWD_OTHERS + 1] = {
	{.first = 1, .second = 3, .n_others = 0},
	{.first = 1, .second = 3, .n_others = 3, .variant = 2},
	{.first = 0, .second = 3, .n_others = 1, .variant = 1},
	{.first = 0, .second = 1, .n_others = 2, .others_at = 1},
};

static double by_half(unsigned first, unsigned second, uint32_t pass, int half)
{
	return 1000 + 100 * first + 10 * second + pass + 10000 * half;
}

static void rig_init_crowd(struct rig *rig)
{
	rig_init(rig, 6, by_half);
	rig->options.probe = &fake_crowd_probe;
	rig->options.pairs = crowd_pairs;
	rig->options.n_pairs = CROWD_OTHERS + 1;
	rig->options.others = crowd_others;
	rig->options.passes_min = rig->options.passes_max = CROWD_PASSES;
}

/* Every value of one pass at its place, as far as the pair has it. */
static void check_crowd_pass(const struct campaign *campaign, size_t pass)
{
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		const struct schedule_pair *pair = &crowd_pairs[p];

		assert_int_equal(
			campaign_pair_values(campaign, p), 2 + pair->n_others);
		for (size_t k = 0; k < 2 + CROWD_OTHERS; k++) {
			unsigned second =
				k < 2 ? pair->second
				: k - 2 < pair->n_others
					? crowd_others[pair->others_at + k - 2]
					: 0;
			double expected =
				by_half(pair->first, second, (uint32_t)pass,
					k > 0) +
				(FAKE_VARIANT_TICKS + FAKE_VARIANT_VALUE) *
					pair->variant;
			double value;
			size_t n = campaign_gather(
				campaign, p, k, pass, pass + 1, 1, &value);

			assert_int_equal(n, k < 2 + pair->n_others);
			assert_true(n == 0 || value == expected);
		}
	}
}

static void others_have_values_of_their_own(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_crowd(&rig);
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_values, 2 + CROWD_OTHERS);
	assert_int_equal(rig.campaign.n_complete, CROWD_PASSES);
	for (size_t pass = 0; pass < CROWD_PASSES; pass++)
		check_crowd_pass(&rig.campaign, pass);
	rig_release(&rig);
}

/* The rest of the batch goes on, and its figures stay with their visits. */
static void a_broken_off_crowd_leaves_a_hole(void **state)
{
	struct rig rig;
	size_t hole = 70;

	(void)state;
	rig_init_crowd(&rig);
	rig.options.patience_s = SHORT_PATIENCE_S;
	rig.world.hang = 1;
	rig.world.hang_first = 1;
	rig.world.hang_second = crowd_others[2];
	rig.world.hang_pass = (uint32_t)hole;
	rig_run(&rig);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_complete, CROWD_PASSES);
	assert_int_equal(rig.campaign.n_warnings, 2);
	assert_non_null(strstr(rig.campaign.warnings[0], "CPUs 1 and 3"));
	for (size_t pass = 0; pass < CROWD_PASSES; pass++) {
		if (pass != hole)
			check_crowd_pass(&rig.campaign, pass);
	}
	for (size_t p = 0; p < rig.campaign.schedule.n_pairs; p++) {
		for (size_t k = 0; k < campaign_pair_values(&rig.campaign, p);
			k++) {
			double value;

			assert_int_equal(campaign_gather(&rig.campaign, p, k,
						 hole, hole + 1, 1, &value),
				p != 1);
		}
	}
	rig_release(&rig);
}

static void a_crowd_with_a_hole_is_not_complete(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_crowd(&rig);
	rig.options.passes_min = rig.options.passes_max = 1;
	rig.options.patience_s = SHORT_PATIENCE_S;
	rig.world.hang = 1;
	rig.world.hang_first = 0;
	rig.world.hang_second = crowd_others[1];
	rig_run(&rig);
	assert_false(rig.campaign.complete);
	assert_false(rig.campaign.interrupted);
	assert_int_equal(rig.campaign.failure.code, ETIMEDOUT);
	rig_release(&rig);
}

static double steady_others(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	/* Only the last of the others never gets narrow. */
	return 1000 + (half && second == 5 && pass % 2 ? 500 : 0);
}

/* Nor does a run end as long as one of the others is imprecise. */
static void imprecise_others_keep_a_run_going(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_crowd(&rig);
	rig.world.ticks = steady_others;
	rig.options.passes_min = 6;
	rig.options.passes_max = 3000;
	rig_run(&rig);
	assert_int_equal(rig.campaign.n_complete, 3000);
	rig_release(&rig);
}

/* Values that a pair does not have are none that is imprecise. */
static void fewer_others_cause_no_warning(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;

	(void)state;
	rig_init_crowd(&rig);
	rig.world.ticks = alike;
	rig.options.passes_min = 6;
	rig.options.passes_max = 100000;
	rig_run(&rig);
	assert_in_range(rig.campaign.n_complete, 6, 50000);
	assert_int_equal(summary_agree(&rig.campaign, &agreement, NULL), 0);
	summary_add_warnings(&rig.campaign, &agreement, &labels);
	assert_int_equal(rig.campaign.n_warnings, 0);
	rig_release(&rig);
}

/* Rows of a list stay together in every pass; a CPU alone is a pair, too. */
static void a_campaign_goes_row_by_row(void **state)
{
	enum {
		N = 4,
		PASSES = 20
	};
	struct fake_event events[2 * N * N * PASSES];
	struct schedule_pair pairs[N * N];
	struct rig rig;

	(void)state;
	for (uint32_t i = 0; i < N * N; i++)
		pairs[i] =
			(struct schedule_pair){.first = i / N, .second = i % N};
	rig_init(&rig, N, by_half);
	rig.options.probe = &fake_crowd_probe;
	rig.options.pairs = pairs;
	rig.options.n_pairs = N * N;
	rig.options.order = SCHEDULE_BY_ROW;
	rig.options.passes_min = rig.options.passes_max = PASSES;
	rig.world.events = events;
	rig.world.events_room = sizeof(events) / sizeof(*events);
	rig_run(&rig);
	assert_int_equal(rig.world.n_events, 2 * N * N * PASSES);
	for (size_t e = 0; e < rig.world.n_events; e++) {
		/* A pass has two events for each pair, a row N pairs. */
		assert_int_equal(events[e].pass, e / (2 * N * N));
		assert_int_equal(events[e].first_cpu,
			events[e / (2 * N) * (2 * N)].first_cpu);
	}
	for (size_t i = 0; i < N; i++)
		assert_true(rig.campaign.values[i * (N + 1) * 2] ==
			    (float)by_half((unsigned)i, (unsigned)i, 0, 0));
	rig_release(&rig);
}

/* The run ends with what it has, which may be nothing, and knows why. */
static void a_failing_half_ends_the_run(void **state)
{
	struct rig rig;

	(void)state;
	rig_init_crowd(&rig);
	rig.world.fail = 2;
	rig.world.fail_cpu = 3;
	rig.world.fail_pass = 5;
	rig_run(&rig);
	assert_int_equal(rig.campaign.failure.code, ENOTSUP);
	assert_int_equal(rig.campaign.failure.class, ERROR_UNAVAILABLE);
	assert_false(rig.campaign.complete);
	assert_false(rig.campaign.interrupted);
	assert_false(rig.campaign.lost);
	assert_int_equal(rig.campaign.n_warnings, 1);
	assert_non_null(strstr(
		rig.campaign.warnings[0], "CPU 3 has no more to measure with"));
	assert_in_range(rig.campaign.n_passes, 5, 6);
	for (size_t pass = 0; pass < 5; pass++)
		check_crowd_pass(&rig.campaign, pass);
	rig_release(&rig);

	rig_init_crowd(&rig);
	rig.options.n_pairs = 1;
	rig.world.fail = 1;
	rig.world.fail_cpu = 1;
	rig_run(&rig);
	assert_string_equal(
		rig.campaign.failure.text, "CPU 1 has no more to measure with");
	assert_int_equal(rig.campaign.n_passes, 0);
	assert_false(rig.campaign.complete);
	assert_true(isnan(matrix_of(&rig, "median")->values[1 * 6 + 3]));
	rig_release(&rig);
}

/* Before the first pass, while --jobs is settled, it is as at its beginning. */
static void a_failure_while_jobs_are_settled_ends_the_run(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 6, by_half);
	rig.options.probe = &fake_crowd_probe;
	rig.options.jobs = 2;
	rig.world.fail = 1;
	for (unsigned cpu = 0; cpu < 5; cpu++) {
		rig.world.fail_cpu = cpu;
		rig.world.fail_pass = 7;
		if (campaign_run(&rig.campaign, &rig.options, &err) == 0) {
			/* This CPU was second in the round that was tried. */
			rig_release(&rig);
			continue;
		}
		assert_int_equal(err.class, ERROR_UNAVAILABLE);
		assert_non_null(strstr(err.text, "no more to measure with"));
		assert_true(
			campaign_run(&rig.campaign, &rig.options, NULL) < 0);
		rig_release(&rig);
		return;
	}
	fail_msg("no CPU was first");
}

/* The blocks of the visits under way. */
enum {
	BLOCK_BYTES = 5 * PROBE_SLOT_BYTES,
	BLOCKS_MAX = 16
};

static struct {
	pthread_mutex_t lock;
	const char *blocks[BLOCKS_MAX];
	size_t most;
	bool met;
} under_way = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void use_block(const struct probe_visit *visit)
{
	const struct timespec time = {.tv_nsec = 2000000};
	const char *mine = visit->slots;
	size_t free_at = BLOCKS_MAX, n = 1;

	pthread_mutex_lock(&under_way.lock);
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		const char *other = under_way.blocks[i];

		if (!other) {
			free_at = i;
			continue;
		}
		n++;
		if (mine < other + BLOCK_BYTES && other < mine + BLOCK_BYTES)
			under_way.met = true;
	}
	under_way.blocks[free_at] = mine;
	if (n > under_way.most)
		under_way.most = n;
	pthread_mutex_unlock(&under_way.lock);
	/* All of it is the visit's own. */
	memset((char *)visit->slots + PROBE_SLOT_BYTES, 0xa5,
		BLOCK_BYTES - PROBE_SLOT_BYTES);
	nanosleep(&time, NULL);
	pthread_mutex_lock(&under_way.lock);
	under_way.blocks[free_at] = NULL;
	pthread_mutex_unlock(&under_way.lock);
}

static void pairs_of_a_round_have_blocks_of_their_own(void **state)
{
	(void)state;
	for (size_t jobs = 1; jobs <= 5; jobs++) {
		struct rig rig;

		rig_init(&rig, 10, by_half);
		rig.options.probe = &fake_crowd_probe;
		rig.options.both_ways = true;
		rig.options.block_bytes = BLOCK_BYTES;
		rig.options.jobs = jobs;
		rig.options.passes_min = rig.options.passes_max = 1;
		rig.options.params.samples = 9;
		rig.world.during = use_block;
		under_way.most = 0;
		under_way.met = false;
		rig_run(&rig);
		assert_true(rig.campaign.complete);
		assert_false(under_way.met);
		/* Or nothing could have met. */
		assert_true(jobs == 1 || under_way.most > 1);
		assert_in_range(under_way.most, 1, jobs);
		/* All samples work in the one block. */
		assert_int_equal(rig.campaign.options.params.slots, 1);
		rig_release(&rig);
	}
}

static const struct summary_labels queue_labels = {
	.name = {"writer", "reader"},
	.unit = "GiB/s",
	.quantity = "rate",
	.higher_is_better = true,
	.factor = 1,
};

static void two_values_make_two_matrices(void **state)
{
	enum {
		N = 4
	};
	struct rig rig;

	(void)state;
	rig_init(&rig, N, by_half);
	rig.options.probe = &fake_crowd_probe;
	rig.options.both_ways = true;
	rig_run(&rig);
	assert_int_equal(rig.campaign.schedule.n_pairs, N * (N - 1));
	assert_int_equal(summary_matrices(&rig.campaign, &queue_labels,
				 &rig.result, NULL),
		0);
	assert_int_equal(rig.result.n_matrices, 2 * SUMMARY_STATISTICS);
	for (int half = 0; half < 2; half++) {
		const struct matrix *matrix = result_find_matrix(
			&rig.result, queue_labels.name[half], "median");

		assert_non_null(matrix);
		assert_false(matrix->symmetric);
		assert_true(matrix->higher_is_better);
		assert_string_equal(matrix->unit, "GiB/s");
		assert_string_equal(matrix->quantity, "rate");
		for (unsigned i = 0; i < N; i++) {
			for (unsigned j = 0; j < N; j++) {
				double value = matrix->values[i * N + j];

				if (i == j)
					assert_true(isnan(value));
				else
					assert_true(
						value ==
						by_half(i, j, 0, half) + 2.5);
			}
		}
	}
	rig_release(&rig);
}

/* The passes as they were, and where directions were measured both. */
static void passes_are_kept(void **state)
{
	enum {
		N = 4,
		PAIRS = N * (N - 1) / 2
	};
	struct summary_labels twice = labels;
	const struct passes *passes;
	struct rig rig;

	(void)state;
	rig_init(&rig, N, by_half);
	rig.options.probe = &fake_one_way_probe;
	rig_run(&rig);
	rig.campaign.values[2 * PAIRS] = NAN;
	twice.factor = 2;
	assert_int_equal(
		summary_passes(&rig.campaign, &twice, &rig.result, NULL), 0);
	assert_int_equal(rig.result.n_kept, 1);
	passes = result_find_passes(&rig.result, "latency");
	assert_non_null(passes);
	assert_string_equal(passes->unit, "ns");
	assert_int_equal(passes->n_passes, 6);
	assert_int_equal(passes->n_pairs, 2 * PAIRS);
	for (size_t i = 0; i < passes->n_passes * passes->n_pairs; i++) {
		const struct cpu_pair *cell = &passes->pairs[i % (2 * PAIRS)];
		uint32_t pass = (uint32_t)(i / (2 * PAIRS));
		bool back = cell->first > cell->second;
		double value = by_half(back ? cell->second : cell->first,
			back ? cell->first : cell->second, pass, !back);

		if (pass == 1 && i % (2 * PAIRS) == 0)
			assert_true(isnan(passes->values[i]));
		else
			assert_true(passes->values[i] == 2 * value);
		assert_true(passes->start_s[pass] >= 0 &&
			    passes->start_s[pass] <= rig.campaign.elapsed_s);
	}
	rig_release(&rig);
}

static void passes_of_two_values_are_kept_apart(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 3, by_half);
	rig.options.probe = &fake_crowd_probe;
	rig.options.both_ways = true;
	rig_run(&rig);
	assert_int_equal(
		summary_passes(&rig.campaign, &queue_labels, &rig.result, NULL),
		0);
	assert_int_equal(rig.result.n_kept, 2);
	for (int half = 0; half < 2; half++) {
		const struct passes *passes = result_find_passes(
			&rig.result, queue_labels.name[half]);

		assert_non_null(passes);
		assert_string_equal(passes->unit, "GiB/s");
		assert_int_equal(passes->n_pairs, 6);
		for (size_t i = 0; i < 6 * passes->n_passes; i++) {
			const struct cpu_pair *cell = &passes->pairs[i % 6];

			assert_true(passes->values[i] ==
				    by_half(cell->first, cell->second,
					    (uint32_t)(i / 6), half));
		}
	}
	rig_release(&rig);
}

static double writer_is_noise(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return (half == 0 ? noise : still)(first, second, pass, half);
}

static double reader_is_noise(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return (half == 1 ? noise : still)(first, second, pass, half);
}

static double reader_moves(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	return (half == 1 ? moving : still)(first, second, pass, half);
}

/* Whichever value agrees least with itself is the one to tell of. */
static void the_less_agreeing_side_counts(void **state)
{
	struct summary_agreement agreement;
	struct rig rig;
	double even_odd[2];

	(void)state;
	for (int half = 0; half < 2; half++) {
		rig_init(&rig, 12, half ? reader_is_noise : writer_is_noise);
		rig.options.probe = &fake_crowd_probe;
		rig.options.passes_max = rig.options.passes_min = 40;
		rig_run(&rig);
		assert_int_equal(
			summary_agree(&rig.campaign, &agreement, NULL), 0);
		even_odd[half] = agreement.even_odd;
		assert_true(fabs(agreement.even_odd) < 0.5);
		assert_true(agreement.halves < 0.5);
		rig_release(&rig);
	}
	assert_true(even_odd[0] == even_odd[1]);

	rig_init(&rig, 12, reader_moves);
	rig.options.probe = &fake_crowd_probe;
	rig.options.passes_max = rig.options.passes_min = 40;
	rig_run(&rig);
	assert_int_equal(summary_agree(&rig.campaign, &agreement, NULL), 0);
	assert_true(agreement.even_odd > 0.9);
	assert_true(fabs(agreement.halves + 1) < 1e-9);
	rig_release(&rig);
}

static void slots_of_a_step_differ(void **state)
{
	struct cpu_list cpus = {NULL, 0};
	const struct lines_options options = {
		.cpus = &cpus,
		.home = LINES_HOME_FIRST,
		.n_blocks = 64,
		.block_bytes = (size_t)3 * PROBE_SLOT_BYTES,
		.pages = MEMORY_PAGES_BASE,
	};
	struct line_pools lines;
	char *previous = NULL;

	(void)state;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_int_equal(cpu_list_add(&cpus, cpu, NULL), 0);
	assert_int_equal(lines_init(&lines, &options, NULL), 0);
	for (size_t position = 0; position < 64; position++) {
		char *slots = lines_slots(
			&lines, 0, 1, 0, position, UINT64_C(0x123456789));

		assert_int_equal((uintptr_t)slots % PROBE_SLOT_BYTES, 0);
		assert_true(slots >= (char *)lines.pools[0].base);
		assert_true(slots + 3 * PROBE_SLOT_BYTES <=
			    (char *)lines.pools[0].base + lines.pools[0].bytes);
		/* Neighbours lie apart by a whole block, or at both ends. */
		if (previous)
			assert_true(labs((long)(slots - previous)) >=
				    3 * PROBE_SLOT_BYTES);
		previous = slots;
	}
	/* Another shift is other lines for the same place in the pass. */
	assert_ptr_not_equal(lines_slots(&lines, 0, 1, 0, 0, 1),
		lines_slots(&lines, 0, 1, 0, 0, 2));
	lines_release(&lines);
	cpu_list_release(&cpus);
}

/* However much memory there would be to touch. */
static void a_stop_before_the_first_pass_measures_nothing(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 4, by_pair);
	atomic_store(&stop, true);
	assert_int_equal(
		campaign_run(&rig.campaign, &rig.options, &err), -EINTR);
	assert_int_equal(err.code, EINTR);
	assert_int_equal(atomic_load(&rig.world.visits), 0);
	rig_release(&rig);
}

static void draw(
	FILE *out, unsigned columns, const struct campaign_progress *progress)
{
	char text[CAMPAIGN_PROGRESS_BYTES];

	campaign_progress_text(progress, text);
	progress_draw(out, columns, progress->fraction, text);
}

static void progress_fits_a_line(void **state)
{
	struct campaign_progress progress = {.passes = 2,
		.pairs = 5,
		.pairs_total = 10,
		.left_s = 3,
		.fraction = 0.5};
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	draw(out, 200, &progress);
	draw(out, 20, &progress);
	/* The pass that ended, not the one that may never come. */
	progress.pairs = 10;
	progress.noun = "point";
	progress.left_s = NAN;
	draw(out, 200, &progress);
	progress_clear(out);
	fclose(out);
	assert_string_equal(text,
		"\r\033[K[############............] pass 3, pair 5 of 10, at "
		"most 3 s left"
		"\r\033[K[############......"
		"\r\033[K[############............] pass 2, point 10 of 10"
		"\r\033[K");
	free(text);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_matrix_is_exact),
	cmocka_unit_test(chosen_pairs_are_visited_again),
	cmocka_unit_test(to_choose_pairs_takes_no_visits),
	cmocka_unit_test(nobody_looks_again_where_few_run_at_once),
	cmocka_unit_test(a_run_ends_when_precise),
	cmocka_unit_test(a_run_goes_on_while_imprecise),
	cmocka_unit_test(a_spent_budget_still_gives_a_matrix),
	cmocka_unit_test(passes_come_before_the_budget),
	cmocka_unit_test(passes_that_take_too_long_are_left_out),
	cmocka_unit_test(an_interrupt_keeps_what_there_is),
	cmocka_unit_test(an_abandoned_visit_does_not_count),
	cmocka_unit_test(a_visit_that_ends_at_the_second_try_counts),
	cmocka_unit_test(a_matrix_with_a_hole_is_not_complete),
	cmocka_unit_test(waiting_cpus_sleep_where_few_run_at_once),
	cmocka_unit_test(vcpus_that_never_run_at_once_are_named),
	cmocka_unit_test(an_overcommitted_run_ends_in_its_budget),
	cmocka_unit_test(a_batch_ends_with_the_budget),
	cmocka_unit_test(time_that_the_host_took_is_no_latency),
	cmocka_unit_test(pairs_slower_than_any_line_are_told),
	cmocka_unit_test(a_run_without_any_value_is_not_precise),
	cmocka_unit_test(a_member_lost_beside_the_passes_is_told),
	cmocka_unit_test(jobs_run_pairs_together),
	cmocka_unit_test(jobs_auto_avoids_bias),
	cmocka_unit_test(listed_pairs_alone_are_measured),
	cmocka_unit_test(directions_have_their_own_values),
	cmocka_unit_test(counters_at_the_limit_pass),
	cmocka_unit_test(samples_under_a_clock_step_are_refused),
	cmocka_unit_test(a_number_is_no_time_under_a_clock_step),
	cmocka_unit_test(messages_before_their_time_do_not_count),
	cmocka_unit_test(an_empty_run_says_why),
	cmocka_unit_test(samples_of_a_visit_have_their_lines),
	cmocka_unit_test(no_run_takes_more_lines_than_it_needs),
	cmocka_unit_test(an_overcommitted_run_has_the_lines_of_its_user),
	cmocka_unit_test(home_chooses_the_node),
	cmocka_unit_test(agreement_tells_drift_from_noise),
	cmocka_unit_test(values_that_are_alike_have_no_ranks),
	cmocka_unit_test(few_pairs_get_no_warning_of_agreement),
	cmocka_unit_test(a_pair_that_varies_is_named),
	cmocka_unit_test(others_have_values_of_their_own),
	cmocka_unit_test(a_broken_off_crowd_leaves_a_hole),
	cmocka_unit_test(a_crowd_with_a_hole_is_not_complete),
	cmocka_unit_test(imprecise_others_keep_a_run_going),
	cmocka_unit_test(fewer_others_cause_no_warning),
	cmocka_unit_test(a_campaign_goes_row_by_row),
	cmocka_unit_test(a_failing_half_ends_the_run),
	cmocka_unit_test(a_failure_while_jobs_are_settled_ends_the_run),
	cmocka_unit_test(pairs_of_a_round_have_blocks_of_their_own),
	cmocka_unit_test(two_values_make_two_matrices),
	cmocka_unit_test(passes_are_kept),
	cmocka_unit_test(passes_of_two_values_are_kept_apart),
	cmocka_unit_test(the_less_agreeing_side_counts),
	cmocka_unit_test(hundreds_of_cpus_are_measured),
	cmocka_unit_test(slots_of_a_step_differ),
	cmocka_unit_test(a_stop_before_the_first_pass_measures_nothing),
	cmocka_unit_test(progress_fits_a_line),
	cmocka_unit_test(a_dead_member_ends_the_run),
};

CASE_GROUP(cases);
