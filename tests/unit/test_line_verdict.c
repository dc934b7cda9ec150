/*
 * Whether the time between two CPUs depends on the line, of made-up visits. The
 * times are those of pairs of a virtual machine with 32 CPUs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/line_verdict.h"
#include "stat/stat.h"

#define LINES  64
#define VISITS (2 * LINE_VERDICT_VISITS)

/* Half of the range of a visit's noise, as a share. */
#define NOISE 0.06

static double times[VISITS * LINES];
static double offsets[LINES];
static struct line_profile profile;
static struct stat_random noise;

/* In [-1, 1). */
static double draw(void)
{
	return (double)stat_random_below(&noise, 2000) / 1000 - 1;
}

/* Visits of lines that all take 60 ns, but for noise. */
static int make_times(void **state)
{
	(void)state;
	stat_random_init(&noise, 7);
	for (size_t line = 0; line < LINES; line++)
		offsets[line] = 512.0 * (double)line;
	for (size_t i = 0; i < (size_t)VISITS * LINES; i++)
		times[i] = 60 * (1 + NOISE * draw());
	return 0;
}

/* From this visit on, a line takes so many times what it took. */
static void slow_line(size_t line, size_t first, double times_slower)
{
	for (size_t visit = first; visit < VISITS; visit++)
		times[visit * LINES + line] *= times_slower;
}

static int judge_in_arena(struct arena *arena, void *visits, struct error *err)
{
	(void)err;
	line_profile_judge(&profile, times, *(const size_t *)visits, LINES,
		offsets, arena);
	return 0;
}

static enum line_profile_verdict judge(size_t visits)
{
	struct arena arena = {.last = NULL};
	struct error err;

	memset(&profile, 0, sizeof(profile));
	assert_int_equal(
		arena_run(&arena, judge_in_arena, &visits, "lines", &err), 0);
	arena_release(&arena);
	return profile.verdict;
}

static void two_groups_are_found_with_their_sizes(void **state)
{
	(void)state;
	/* Every second line but one: 31 lines are far. */
	for (size_t line = 3; line < LINES; line += 2)
		slow_line(line, 0, 1.46);
	assert_int_equal(judge(VISITS), LINE_PROFILE_GROUPS);
	assert_int_equal(profile.lines, LINES);
	assert_int_equal(profile.visits, LINE_VERDICT_VISITS);
	assert_int_equal(profile.near_lines, 33);
	assert_int_equal(profile.far_lines, 31);
	assert_true(fabs(profile.near_ns - 60) < 1);
	assert_true(fabs(profile.far_ns - 87.6) < 1);
	assert_true(profile.nearest_ns < 60 && profile.farthest_ns > 87);
	assert_int_equal(profile.repeats, 1);
	/* Ranks within a group are chance. */
	assert_true(profile.even_odd < LINE_VERDICT_AGREES);
	assert_int_equal((int)profile.nearest_offset_bytes % 1024,
		profile.nearest_offset_bytes == 512 ? 512 : 0);
	assert_int_equal((int)profile.farthest_offset_bytes % 1024, 512);
}

static void noise_alone_is_no_difference(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		make_times(NULL);
		stat_random_init(&noise, seed);
		for (size_t i = 0; i < (size_t)VISITS * LINES; i++)
			times[i] = 60 * (1 + 2 * NOISE * draw());
		assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
		assert_int_equal(profile.near_lines + profile.far_lines, 0);
		assert_true(isnan(profile.near_ns));
	}
}

static void one_slow_line_is_a_group_of_its_own(void **state)
{
	(void)state;
	slow_line(17, 0, 1.5);
	assert_int_equal(judge(VISITS), LINE_PROFILE_GROUPS);
	assert_int_equal(profile.near_lines, LINES - 1);
	assert_int_equal(profile.far_lines, 1);
	assert_true(profile.farthest_offset_bytes == 17 * 512);
}

static void interrupted_visits_make_no_slow_line(void **state)
{
	(void)state;
	for (size_t visit = 0; visit < 5; visit++)
		times[visit * LINES + 17] = 4000;
	assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
}

static void groups_in_every_second_visit_are_none(void **state)
{
	for (size_t first = 0; first < 2; first++) {
		make_times(state);
		for (size_t visit = first; visit < VISITS; visit += 2) {
			for (size_t line = 1; line < LINES; line += 2)
				times[visit * LINES + line] *= 2;
		}
		assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
	}
}

static void drift_is_no_difference(void **state)
{
	(void)state;
	for (size_t i = 0; i < (size_t)VISITS * LINES; i++)
		times[i] *= pow(1.02, (double)i / LINES);
	assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
	make_times(NULL);
	/* The vCPUs move in the middle of the first block. */
	for (size_t i = 8 * LINES; i < (size_t)VISITS * LINES; i++)
		times[i] *= 3;
	assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
}

static void lines_may_differ_without_groups(void **state)
{
	(void)state;
	for (size_t line = 0; line < LINES; line++)
		slow_line(line, 0, 1 + 0.3 * (double)line / LINES);
	assert_int_equal(judge(VISITS), LINE_PROFILE_DIFFERS);
	assert_true(profile.even_odd >= LINE_VERDICT_AGREES);
	assert_true(profile.blocks >= LINE_VERDICT_AGREES);
	assert_int_equal(profile.near_lines, 0);
}

static void a_difference_below_that_of_visits_is_none(void **state)
{
	(void)state;
	for (size_t line = 0; line < LINES; line++)
		slow_line(line, 0, 1 + 0.04 * (double)line / LINES);
	assert_int_equal(judge(VISITS), LINE_PROFILE_ALIKE);
}

static void the_second_block_shows_that_lines_changed(void **state)
{
	(void)state;
	for (size_t line = 0; line < LINES; line++) {
		slow_line(line, 0, 1 + 0.3 * (double)line / LINES);
		slow_line(line, LINE_VERDICT_VISITS,
			1 / (1 + 0.6 * (double)line / LINES));
	}
	assert_int_equal(judge(VISITS), LINE_PROFILE_DIFFERS);
	assert_true(profile.blocks < -LINE_VERDICT_AGREES);
	assert_int_equal(profile.repeats, 0);
	make_times(NULL);
	for (size_t line = 1; line < LINES; line += 2) {
		slow_line(line, 0, 1.46);
		slow_line(line, LINE_VERDICT_VISITS, 1 / 1.46);
		slow_line(line - 1, LINE_VERDICT_VISITS, 1.46);
	}
	assert_int_equal(judge(VISITS), LINE_PROFILE_GROUPS);
	assert_int_equal(profile.repeats, 0);
}

static void few_visits_are_one_block_or_not_judged(void **state)
{
	(void)state;
	slow_line(17, 0, 1.5);
	assert_int_equal(judge(15), LINE_PROFILE_GROUPS);
	assert_int_equal(profile.visits, 15);
	assert_true(isnan(profile.blocks));
	assert_int_equal(profile.repeats, -1);
	assert_int_equal(judge(7), LINE_PROFILE_UNKNOWN);
	assert_int_equal(judge(1), LINE_PROFILE_UNKNOWN);
	assert_int_equal(judge(0), LINE_PROFILE_UNKNOWN);
	assert_int_equal(profile.lines, 0);
}

static void lines_without_a_value_are_left_out(void **state)
{
	(void)state;
	for (size_t line = 1; line < LINES; line += 2)
		slow_line(line, 0, 1.46);
	for (size_t visit = 0; visit < VISITS; visit++)
		times[visit * LINES + 5] = NAN;
	times[2 * LINES + 6] = NAN;
	assert_int_equal(judge(VISITS), LINE_PROFILE_GROUPS);
	assert_int_equal(profile.lines, LINES - 1);
	assert_int_equal(profile.far_lines, LINES / 2 - 1);
	for (size_t i = 0; i < (size_t)VISITS * LINES; i++)
		times[i] = NAN;
	assert_int_equal(judge(VISITS), LINE_PROFILE_UNKNOWN);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test_setup(
		two_groups_are_found_with_their_sizes, make_times),
	cmocka_unit_test_setup(noise_alone_is_no_difference, make_times),
	cmocka_unit_test_setup(one_slow_line_is_a_group_of_its_own, make_times),
	cmocka_unit_test_setup(
		interrupted_visits_make_no_slow_line, make_times),
	cmocka_unit_test_setup(
		groups_in_every_second_visit_are_none, make_times),
	cmocka_unit_test_setup(drift_is_no_difference, make_times),
	cmocka_unit_test_setup(lines_may_differ_without_groups, make_times),
	cmocka_unit_test_setup(
		a_difference_below_that_of_visits_is_none, make_times),
	cmocka_unit_test_setup(
		the_second_block_shows_that_lines_changed, make_times),
	cmocka_unit_test_setup(
		few_visits_are_one_block_or_not_judged, make_times),
	cmocka_unit_test_setup(lines_without_a_value_are_left_out, make_times),
};

CASE_GROUP(cases);
