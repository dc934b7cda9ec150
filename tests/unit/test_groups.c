/*
 * The analysis on machines made up from seeds: what must be found is, what is
 * not there is not, and how often, at a stated strength of flaws. The shares
 * asserted lie under those measured, by more than the seeds vary.
 *
 * slow: a share of hundreds of machines is judged for each kind.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/levels/groups.h"
#include "machines.h"
#include "stat/stat.h"

/* Levels under this confidence are not counted as given. */
#define GIVEN 0.5

struct tally {
	unsigned certain, found;
	unsigned given, invented;
	unsigned sure, sure_right; /* given with 0.9 and more */
};

static bool true_of(const struct machine *machine, const uint32_t *group)
{
	for (size_t t = 0; t < machine->n_levels; t++)
		if (machine_same_groups(
			    group, machine->levels[t].group, machine->n))
			return true;
	return false;
}

static bool found_in(
	const struct groups *groups, const uint32_t *group, size_t n)
{
	for (size_t k = 0; k < groups->n_levels; k++)
		if (groups->levels[k].confidence >= GIVEN &&
			machine_same_groups(groups->levels[k].group, group, n))
			return true;
	return false;
}

/*
 * All seeds take minutes: the full check has a quarter of them, and `make
 * score` more than all. Large machines take the longest. Sanitizers look at the
 * same lines, many times as slowly.
 */
static unsigned some_of(unsigned seeds, enum machine_kind kind)
{
	const char *mode = getenv("MODE");

	if (mode && strcmp(mode, "plain") != 0)
		return 6;
	if (getenv("C2C_TEST_LONG"))
		return seeds / 4;
	switch (kind) {
	case MACHINE_HOME:
		return 60;
	case MACHINE_NOISE:
	case MACHINE_ROWS:
	case MACHINE_UNPINNED:
	case MACHINE_SNUG:
	case MACHINE_BUS:
		return 100;
	default:
		return 25;
	}
}

/* A line of the table that the cases make: each share with its interval. */
static void print_tally(enum machine_kind kind, double hardness, unsigned seeds,
	const struct tally *tally)
{
	struct machine_share found =
		machine_share_of(tally->found, tally->certain);
	struct machine_share invented =
		machine_share_of(tally->invented, tally->given);

	print_message("%-10s at %.1f %4u machines: found %4u of %4u "
		      "(%3.0f to %3.0f %%), invented %3u of %4u given (%2.0f "
		      "to %3.0f %%); right %4u of %4u given at 0.9\n",
		machine_kind_name(kind), hardness, seeds, tally->found,
		tally->certain, 100 * found.low, 100 * found.high,
		tally->invented, tally->given, 100 * invented.low,
		100 * invented.high, tally->sure_right, tally->sure);
}

static struct tally run(enum machine_kind kind, unsigned seeds, double hardness)
{
	struct tally tally = {0};

	seeds = some_of(seeds, kind);
	for (unsigned seed = 0; seed < seeds; seed++) {
		struct machine machine;
		struct groups groups;
		struct arena arena = {0};
		struct groups_input input;

		machine_make(&machine, kind, seed, hardness, 96);
		input = (struct groups_input){.n = machine.n,
			.values = machine.values,
			.is_virtual = machine.is_virtual};
		groups_find(&input, &groups, &arena);
		for (size_t k = 0; k < groups.n_levels; k++) {
			const struct analysis_level *level = &groups.levels[k];
			bool right = true_of(&machine, level->group);

			assert_true(level->confidence >= 0);
			assert_true(level->confidence <= 1);
			assert_true(level->n_groups >= 2);
			if (level->confidence < GIVEN)
				continue;
			tally.given++;
			tally.invented += !right;
			if (level->confidence >= 0.9) {
				tally.sure++;
				tally.sure_right += right;
			}
		}
		for (size_t t = 0; t < machine.n_levels; t++) {
			if (!machine.levels[t].certain)
				continue;
			tally.certain++;
			tally.found += found_in(
				&groups, machine.levels[t].group, machine.n);
		}
		arena_release(&arena);
		machine_release(&machine);
	}
	print_tally(kind, hardness, seeds, &tally);
	return tally;
}

static void assert_share(unsigned part, unsigned whole, double least)
{
	assert_true((double)part >= least * (double)whole);
}

/* Noise to 4 %, distances to 3 %, rows to 5 %, cold to 50 %: a half of all. */
static void nested_levels_are_found(void **state)
{
	struct tally tally = run(MACHINE_NESTED, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.95);
	assert_share(tally.given - tally.invented, tally.given, 0.97);
	assert_share(tally.sure_right, tally.sure, 0.97);
}

static void levels_are_found_through_all_flaws(void **state)
{
	struct tally tally = run(MACHINE_NESTED, 150, 1);

	(void)state;
	assert_share(tally.found, tally.certain, 0.92);
	assert_share(tally.sure_right, tally.sure, 0.9);
}

static void siblings_and_classes_are_found(void **state)
{
	struct tally tally = run(MACHINE_HYBRID, 200, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.92);
	assert_share(tally.sure_right, tally.sure, 0.97);
}

/* slow: these machines are large. */
static void one_home_node_hides_nothing_inside(void **state)
{
	struct tally tally = run(MACHINE_HOME, 150, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.87);
	assert_share(tally.sure_right, tally.sure, 0.9);
}

static void noise_has_no_levels(void **state)
{
	(void)state;
	assert_int_equal(run(MACHINE_NOISE, 500, 0.5).invented, 0);
	assert_true(run(MACHINE_NOISE, 500, 1).invented <= 5);
}

/* Machines with groups that are perhaps there. */
static unsigned count_perhaps(
	enum machine_kind kind, unsigned seeds, double hardness)
{
	unsigned count = 0;

	seeds = some_of(seeds, kind);
	for (unsigned seed = 0; seed < seeds; seed++) {
		struct machine machine;
		struct groups groups;
		struct arena arena = {0};
		struct groups_input input;

		machine_make(&machine, kind, seed, hardness, 48);
		input = (struct groups_input){.n = machine.n,
			.values = machine.values,
			.is_virtual = machine.is_virtual};
		groups_find(&input, &groups, &arena);
		for (size_t k = 0; k < groups.n_levels; k++)
			count += groups.levels[k].nested &&
				 groups.levels[k].confidence < GIVEN;
		arena_release(&arena);
		machine_release(&machine);
	}
	return count;
}

static void rows_are_no_levels(void **state)
{
	(void)state;
	assert_int_equal(run(MACHINE_ROWS, 500, 0.5).invented, 0);
	assert_true(run(MACHINE_ROWS, 500, 1).invented <= 10);
}

static void meshes_have_siblings_only(void **state)
{
	struct tally tally = run(MACHINE_MESH, 500, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.99);
	assert_true(tally.invented <= 5);
}

/* Wrong CPUs make pairs now and then, which few of are believed. */
static void unpinned_threads_give_hardly_any_level(void **state)
{
	struct tally tally = run(MACHINE_UNPINNED, 500, 0.5);

	(void)state;
	assert_true(tally.invented <= 15);
	assert_true(tally.sure <= 5);
}

/*
 * Neither noise nor rows have groups that are perhaps there. Threads that moved
 * have some, and nothing in the numbers says that they moved.
 */
static void structureless_machines_have_no_perhaps(void **state)
{
	static const enum machine_kind kinds[] = {
		MACHINE_NOISE, MACHINE_ROWS, MACHINE_SNUG, MACHINE_BUS};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		assert_int_equal(count_perhaps(kinds[k], 200, 0.5), 0);
	assert_true(count_perhaps(MACHINE_UNPINNED, 200, 0.5) <= 10);
}

/* Four caches of four pairs: cells of one are noise of up to four times. */
static void fill_noisy(double *values, size_t noisy)
{
	struct stat_random random;

	stat_random_init(&random, 1);
	for (size_t i = 0; i < 32; i++) {
		for (size_t j = 0; j < i; j++) {
			double ns = i / 8 != j / 8   ? 350
				    : i / 2 == j / 2 ? 12
						     : 38;

			if (i / 8 == j / 8 && i / 8 < noisy)
				ns = 27 +
				     (double)stat_random_below(&random, 54);
			values[i * 32 + j] = values[j * 32 + i] = ns;
		}
		values[i * 32 + i] = NAN;
	}
}

/* The level of siblings, with so many noisy caches; NULL: there is none. */
static const struct analysis_level *find_noisy(
	size_t noisy, struct groups *groups, struct arena *arena)
{
	double values[32 * 32];
	const struct groups_input input = {.n = 32, .values = values};

	fill_noisy(values, noisy);
	groups_find(&input, groups, arena);
	for (size_t k = 0; k < groups->n_levels; k++)
		if (groups->levels[k].n_groups > 4)
			return &groups->levels[k];
	return NULL;
}

static void a_noisy_cache_hides_no_siblings_of_others(void **state)
{
	struct arena arena = {0};
	struct groups groups;
	const struct analysis_level *level;

	(void)state;
	level = find_noisy(0, &groups, &arena);
	assert_true(level && level->n_groups == 16 && level->confidence >= 0.9);
	level = find_noisy(1, &groups, &arena);
	/* The noisy eight are alone, the others are pairs. */
	assert_true(
		level && level->n_groups == 8 + 12 && level->confidence < 0.9);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(level->group[i], i < 8 ? i : 8 + (i - 8) / 2);
	level = find_noisy(3, &groups, &arena);
	assert_true(level && level->confidence < 0.9);
	arena_release(&arena);
}

/*
 * One of two packages is home to all lines: the caches of the other one are
 * nearer to each other only once the rows are taken off.
 */
static void a_package_shows_that_is_home_to_no_line(void **state)
{
	static const double rows[] = {0, 0, -2, -7, -9, -9, -2, -1, 3, 6, 7, 7};
	double values[48 * 48];
	const struct groups_input input = {.n = 48, .values = values};
	struct stat_random random;
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	stat_random_init(&random, 1);
	for (size_t i = 0; i < 48; i++) {
		for (size_t j = 0; j < i; j++)
			values[i * 48 + j] = values[j * 48 + i] =
				i / 4 == j / 4
					? 23
					: (i < 24	    ? 110
						  : j >= 24 ? 193
							    : 197) +
						  rows[i / 4] + rows[j / 4] +
						  (double)stat_random_below(
							  &random, 3);
		values[i * 48 + i] = NAN;
	}
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[0].n_groups, 12);
	assert_int_equal(groups.levels[1].n_groups, 2);
	for (size_t i = 0; i < 48; i++)
		assert_int_equal(groups.levels[1].group[i], i / 24);
	assert_true(groups.levels[1].confidence >= 0.9);
	arena_release(&arena);
}

/* Pairs in caches of eight, in a unit, some of whose cells are a thousandfold.
 */
static size_t count_found(uint64_t seed, double unit, size_t spikes)
{
	double values[32 * 32];
	const struct groups_input input = {.n = 32, .values = values};
	struct stat_random random;
	struct groups groups;
	struct arena arena = {0};
	size_t found = 0;

	stat_random_init(&random, seed);
	for (size_t i = 0; i < 32; i++) {
		for (size_t j = 0; j < i; j++)
			values[i * 32 + j] = values[j * 32 + i] =
				unit *
				(i / 2 == j / 2		 ? 10
					: i / 8 == j / 8 ? 40
							 : 100) *
				(1 + (double)stat_random_below(&random, 50) /
						1000);
		values[i * 32 + i] = NAN;
	}
	for (size_t k = 0; k < spikes; k++) {
		size_t i = stat_random_below(&random, 16);
		size_t j = 16 + stat_random_below(&random, 16);

		values[i * 32 + j] *= 1000;
		values[j * 32 + i] *= 1000;
	}
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		found += groups.levels[k].confidence >= 0.9 &&
			 (groups.levels[k].n_groups == 16 ||
				 groups.levels[k].n_groups == 4);
	arena_release(&arena);
	return found;
}

static void a_unit_changes_nothing(void **state)
{
	static const double units[] = {1e-12, 1e-9, 1e-3, 1, 1e3, 1e9};

	(void)state;
	for (size_t k = 0; k < sizeof(units) / sizeof(*units); k++)
		assert_int_equal(count_found(1, units[k], 0), 2);
}

static void far_spikes_hide_no_level(void **state)
{
	size_t found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		found += count_found(seed, 1, 3);
	assert_true(found >= 38);
}

/* Strangers on the cores of virtual CPUs make no kind of core. */
static void shared_cores_are_no_class(void **state)
{
	struct tally tally = run(MACHINE_SHARED, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.9);
	assert_true(tally.invented <= 9);
}

/*
 * Siblings read one or two steps of the clock, and other cells do at times. One
 * level in thirty leaves some siblings alone, below 0.9.
 */
static void siblings_show_through_a_coarse_clock(void **state)
{
	struct tally tally = run(MACHINE_COARSE, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.92);
	assert_share(tally.given - tally.invented, tally.given, 0.95);
	assert_share(tally.sure_right, tally.sure, 0.99);
}

/*
 * Siblings hardly nearer than cores: no groups of the cores fast to all. One
 * level in sixteen leaves some siblings alone, below 0.9.
 */
static void siblings_that_hardly_show_make_no_other_groups(void **state)
{
	struct tally tally = run(MACHINE_FAINT, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.95);
	assert_share(tally.given - tally.invented, tally.given, 0.92);
	assert_share(tally.sure_right, tally.sure, 0.99);
}

/* The caches around a pair of siblings that is alone, if not the pair yet. */
static void a_lone_pair_of_siblings_hides_no_cache(void **state)
{
	struct tally tally = run(MACHINE_LONE, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.92);
	assert_share(tally.sure_right, tally.sure, 0.97);
}

static void one_home_among_dies_makes_no_groups(void **state)
{
	struct tally tally = run(MACHINE_HOPS, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.95);
	assert_share(tally.given - tally.invented, tally.given, 0.97);
	assert_share(tally.sure_right, tally.sure, 0.95);
}

static void a_few_nearly_uniform_cores_have_no_groups(void **state)
{
	struct tally tally = run(MACHINE_SNUG, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.95);
	assert_true(tally.invented <= 3);
}

static void kinds_of_cores_on_a_bus_are_no_other_groups(void **state)
{
	struct tally tally = run(MACHINE_BUS, 300, 0.5);

	(void)state;
	assert_share(tally.found, tally.certain, 0.9);
	/* A cold CPU is as far from all as one of another kind. */
	assert_share(tally.given - tally.invented, tally.given, 0.97);
	assert_share(tally.sure_right, tally.sure, 0.97);
}

/*
 * Four cores of two CPUs and eight of one, which are dearer: kinds, unless the
 * siblings may be in another virtual machine.
 */
static void having_no_sibling_says_nothing_in_a_virtual_machine(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++)
			values[i * 16 + j] =
				i == j ? NAN
				: i / 2 == j / 2 && i < 8
					? 8
					: 40 + 4 * (i >= 8) + 4 * (j >= 8);
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[1].kind, ANALYSIS_CLASS);
	arena_release(&arena);
	input.is_virtual = true;
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	arena_release(&arena);
}

/* The confidence in classes of 16 CPUs: those from first on cost more. */
static double confidence_in_classes(size_t first, double more, bool siblings)
{
	double values[256], confidence = 0;
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++) {
			bool paired = siblings || (i < first && j < first);

			values[i * 16 + j] =
				i == j ? NAN
				: i / 2 == j / 2 && paired
					? 8
					: 40 + more * (i >= first) +
						  more * (j >= first);
		}
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		if (groups.levels[k].kind == ANALYSIS_CLASS)
			confidence = groups.levels[k].confidence;
	arena_release(&arena);
	return confidence;
}

/* They are siblings in one core, but a bad cell hides that. */
static void two_cpus_without_siblings_are_no_kind(void **state)
{
	(void)state;
	assert_true(confidence_in_classes(12, -4, false) > GIVEN);
	assert_true(confidence_in_classes(14, -4, false) == 0);
}

/* Cores of one kind, too, pay more the farther they are from a home node. */
static void kinds_far_apart_may_be_distances(void **state)
{
	double doubted = confidence_in_classes(8, 20, true);

	(void)state;
	assert_true(confidence_in_classes(8, 10, true) > GIVEN);
	assert_true(doubted > 0 && doubted < GIVEN);
}

/*
 * Four cores with siblings, others of their kind whose sibling is elsewhere,
 * and from CPU n_fast on two modules of three cores without siblings.
 */
static double part_of_hybrid(size_t i, size_t j, size_t n_fast)
{
	if (i < 8 && i / 2 == j / 2)
		return 8;
	if ((i < n_fast) != (j < n_fast))
		return 60;
	return i < n_fast || (i - n_fast) / 3 == (j - n_fast) / 3 ? 40 : 80;
}

static double confidence_in_hybrid(size_t n_hidden)
{
	size_t n_fast = 8 + n_hidden, n = n_fast + 6;
	double values[256], confidence = 0;
	struct groups_input input = {.n = n, .values = values};
	struct groups groups;
	struct arena arena = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			values[i * n + j] =
				part_of_hybrid(i, j, n_fast) +
				0.01 * (double)((i * j + i + j) % 7);
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++) {
		const struct analysis_level *level = &groups.levels[k];

		if (level->kind != ANALYSIS_CLASS || level->confidence < GIVEN)
			continue;
		confidence = level->confidence;
		for (size_t i = 0; i < n; i++)
			assert_int_equal(level->group[i], i >= n_fast);
	}
	arena_release(&arena);
	return confidence;
}

static void cores_whose_siblings_are_elsewhere_keep_their_kind(void **state)
{
	double two = confidence_in_hybrid(2);

	(void)state;
	assert_true(confidence_in_hybrid(0) >= 0.8);
	assert_true(two >= GIVEN && two <= 0.8);
	/* It may be a slow or fast core of the other kind. */
	assert_true(confidence_in_hybrid(1) < GIVEN);
}

/* Two packages of two caches of four cores, 20, 60 and 150 ns. */
static double example(size_t i, size_t j)
{
	if (i == j)
		return NAN;
	if (i / 4 == j / 4)
		return 20;
	return i / 8 == j / 8 ? 60 : 150;
}

static void fill_example(double values[256])
{
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++)
			values[i * 16 + j] = example(i, j);
}

static void assert_example(const struct groups *groups)
{
	assert_int_equal(groups->n_levels, 2);
	assert_int_equal(groups->levels[0].n_groups, 4);
	assert_int_equal(groups->levels[1].n_groups, 2);
	for (size_t i = 0; i < 16; i++) {
		assert_int_equal(groups->levels[0].group[i], i / 4);
		assert_int_equal(groups->levels[1].group[i], i / 8);
	}
	assert_int_equal(groups->placement, ANALYSIS_STABLE);
}

static void levels_have_their_medians(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill_example(values);
	groups_find(&input, &groups, &arena);
	assert_example(&groups);
	/* Two packages of two caches are no chance. */
	assert_true(groups.levels[1].confidence > 0.9);
	assert_true(groups.levels[0].inside == 20);
	assert_true(groups.levels[0].between == 60);
	assert_true(groups.levels[1].inside == 60);
	assert_true(groups.levels[1].between == 150);
	assert_int_equal(groups.n_outliers, 0);
	arena_release(&arena);
}

/* A rate is better when it is higher; medians stay rates. */
static void rates_are_read_the_other_way(void **state)
{
	double values[256];
	struct groups_input input = {
		.n = 16, .values = values, .near_is_high = true};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill_example(values);
	for (size_t k = 0; k < 256; k++)
		values[k] = 600 / values[k];
	groups_find(&input, &groups, &arena);
	assert_example(&groups);
	assert_true(fabs(groups.levels[0].inside - 30) < 1e-3);
	assert_true(fabs(groups.levels[1].between - 4) < 1e-3);
	arena_release(&arena);
}

/* A lower triangle is enough, and so is one with holes. */
static void missing_cells_are_passed_over(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill_example(values);
	for (size_t i = 0; i < 16; i++)
		for (size_t j = i; j < 16; j++)
			values[i * 16 + j] = NAN;
	values[5 * 16 + 4] = values[9 * 16 + 2] = NAN;
	groups_find(&input, &groups, &arena);
	assert_example(&groups);
	arena_release(&arena);
}

/* What a CPU may lack: all numbers, all but one, or narrow intervals. */
enum lack {
	LACKS_ALL,
	LACKS_MOST,
	LACKS_CERTAINTY,
	LACKS
};

struct lacking {
	double values[256], low[256], high[256];
	struct groups_input input;
};

static void make_lacking(struct lacking *lacking, unsigned lost, enum lack lack)
{
	fill_example(lacking->values);
	for (unsigned k = 0; k < 256; k++) {
		double *value = &lacking->values[k];

		lacking->low[k] = lacking->high[k] = *value;
		if (k / 16 != lost && k % 16 != lost)
			continue;
		if (lack == LACKS_CERTAINTY)
			lacking->high[k] *= 3;
		else if (lack == LACKS_ALL || k / 16 + k % 16 != 15)
			*value = NAN;
	}
	lacking->input =
		(struct groups_input){.n = 16, .values = lacking->values};
	if (lack == LACKS_CERTAINTY) {
		lacking->input.ci_low = lacking->low;
		lacking->input.ci_high = lacking->high;
	}
}

/* The groups of so many CPUs of the example, and lost by itself. */
static void assert_all_but(
	const struct analysis_level *level, unsigned size, unsigned lost)
{
	assert_int_equal(level->n_groups, 16 / size + 1);
	for (unsigned i = 0; i < 256; i++) {
		unsigned a = i / 16, b = i % 16;
		bool together = a / size == b / size && a != lost && b != lost;

		assert_int_equal(
			level->group[a] == level->group[b], a == b || together);
	}
}

/*
 * A CPU without numbers is alone, and harms nobody else; but where it belongs
 * nobody knows.
 */
static void cpus_without_numbers_are_set_aside(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16 * LACKS; i++) {
		enum lack lack = i / 16;
		unsigned lost = i % 16;
		struct lacking lacking;
		struct groups groups;
		struct arena arena = {0};

		make_lacking(&lacking, lost, lack);
		groups_find(&lacking.input, &groups, &arena);
		assert_int_equal(groups.n_levels, 2);
		assert_all_but(&groups.levels[0], 4, lost);
		assert_all_but(&groups.levels[1], 8, lost);
		assert_float_equal(groups.levels[0].confidence, 0.8, 1e-9);
		assert_non_null(
			strstr(groups.levels[0].doubt, "without measurements"));
		assert_true(groups.levels[1].confidence <= 0.8);
		assert_int_equal(groups.n_outliers, 1);
		assert_int_equal(groups.outliers[0].cpu, lost);
		assert_int_equal(groups.outliers[0].why, GROUPS_WHY_UNMEASURED);
		assert_int_equal(
			groups.n_missing, lack == LACKS_MOST ? 14 : 15);
		arena_release(&arena);
	}
}

/*
 * Siblings whose only cell is missing are inferred from their rows, the last
 * two as well. A level with an inferred member is at 0.8 at most.
 */
static void missing_siblings_make_doubt(void **state)
{
	(void)state;
	for (size_t n_lost = 0; n_lost <= 4; n_lost++) {
		double values[32 * 32];
		struct groups_input input = {.n = 32, .values = values};
		struct groups groups;
		struct arena arena = {0};

		for (size_t i = 0; i < 32; i++)
			for (size_t j = 0; j < 32; j++)
				values[i * 32 + j] =
					(i / 2 == j / 2 ? 20 : 80) +
					0.01 * (double)((i * j + i + j) % 7);
		for (size_t k = 0; k < n_lost; k++) {
			values[(2 * k) * 32 + 2 * k + 1] = NAN;
			values[(2 * k + 1) * 32 + 2 * k] = NAN;
		}
		/* As many elsewhere, as chance would have it. */
		for (size_t k = 0; k < 30 * n_lost; k++) {
			size_t i = k % 16, j = 16 + k / 16;

			values[i * 32 + j] = values[j * 32 + i] = NAN;
		}
		groups_find(&input, &groups, &arena);
		assert_int_equal(groups.n_levels, 1);
		if (n_lost < 2)
			assert_int_equal(groups.levels[0].n_groups, 16);
		if (n_lost < 1)
			assert_true(groups.levels[0].confidence > 0.9);
		else
			assert_true(groups.levels[0].confidence <= 0.8);
		arena_release(&arena);
	}
}

/* Without a cell to its cache, a CPU alone may be a member. */
static void a_cache_without_cells_to_a_cpu_makes_doubt(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill_example(values);
	for (size_t i = 0; i < 3; i++)
		values[i * 16 + 3] = values[3 * 16 + i] = NAN;
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[0].n_groups, 5);
	assert_true(groups.levels[0].confidence < GIVEN);
	assert_true(groups.levels[1].confidence >= GIVEN);
	arena_release(&arena);
}

/* Any order of CPUs gives the same groups. */
static void order_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		double values[256];
		uint32_t order[16];
		struct groups_input input = {.n = 16, .values = values};
		struct stat_random random;
		struct groups groups;
		struct arena arena = {0};

		stat_random_init(&random, seed);
		stat_shuffle(&random, order, 16);
		for (size_t i = 0; i < 16; i++)
			for (size_t j = 0; j < 16; j++)
				values[i * 16 + j] =
					example(order[i], order[j]);
		groups_find(&input, &groups, &arena);
		assert_int_equal(groups.n_levels, 2);
		for (size_t i = 0; i < 16; i++)
			for (size_t j = 0; j < 16; j++) {
				assert_int_equal(
					groups.levels[0].group[i] ==
						groups.levels[0].group[j],
					order[i] / 4 == order[j] / 4);
				assert_int_equal(
					groups.levels[1].group[i] ==
						groups.levels[1].group[j],
					order[i] / 8 == order[j] / 8);
			}
		arena_release(&arena);
	}
}

/*
 * Two dies of four pairs each. Every core of the second costs more, so that its
 * pairs are nearly as far apart as the cores of the first. (At 7 ns a core they
 * would be. To allow that, costs must be taken within each die; then of 1,826
 * levels one fewer is found, of 808 of parts two, two more are invented, and
 * the siblings beside a noisy cache are lost.)
 */
static void a_slow_die_is_on_the_level_of_a_fast_one(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++)
			values[i * 16 + j] =
				(i == j			 ? NAN
					: i / 2 == j / 2 ? 12
					: i / 8 == j / 8 ? 27
							 : 110) +
				5 * (double)(i / 8 + j / 8) +
				0.1 * (double)((i * j + i + j) % 7);
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[0].n_groups, 8);
	assert_int_equal(groups.levels[1].n_groups, 2);
	arena_release(&arena);
}

#define LONE_CPUS 26

/* Of caches of three cores each, two cores of one have a sibling. */
static double two_lone_pairs(size_t i, size_t j)
{
	size_t a = i < j ? i : j, b = i < j ? j : i;
	size_t near = a < 24 ? a % 8 : 0, far = b < 24 ? b % 8 : 0;

	if (i == j)
		return NAN;
	if (b >= 24 && a == (b - 24) * 8)
		return 6;
	return (near == far ? 30 : 70) + 0.3 * (double)((i * j + i + j) % 7);
}

static void a_few_siblings_hide_no_small_caches(void **state)
{
	double values[LONE_CPUS * LONE_CPUS];
	struct groups_input input = {.n = LONE_CPUS, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < LONE_CPUS; i++)
		for (size_t j = 0; j < LONE_CPUS; j++)
			values[i * LONE_CPUS + j] = two_lone_pairs(i, j);
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[0].n_groups, LONE_CPUS - 2);
	assert_int_equal(groups.levels[1].n_groups, 8);
	for (size_t k = 0; k < 2; k++)
		assert_true(groups.levels[k].confidence >= 0.5);
	arena_release(&arena);
}

/*
 * Rows that differ by more than the level gains: cells inside a group are
 * dearer than some outside, until the rows are taken out.
 */
static void levels_show_through_rows(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++)
			values[i * 16 + j] =
				i == j ? NAN
				       : (i / 8 == j / 8 ? 50 : 70) +
						 3 * (double)(i % 8 + j % 8);
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_int_equal(groups.levels[0].n_groups, 2);
	assert_true(groups.levels[0].confidence >= 0.9);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(groups.levels[0].group[i], i / 8);
	arena_release(&arena);
}

/* Cells that might as well be others make a level doubtful or destroy it. */
static void wide_intervals_make_doubt(void **state)
{
	double values[256], low[256], high[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};
	double without;

	(void)state;
	fill_example(values);
	groups_find(&input, &groups, &arena);
	without = groups.levels[0].confidence;
	arena_release(&arena);
	for (size_t k = 0; k < 256; k++) {
		low[k] = values[k] * 0.99;
		high[k] = values[k] * 1.01;
	}
	input.ci_low = low;
	input.ci_high = high;
	groups_find(&input, &groups, &arena);
	assert_example(&groups);
	assert_true(groups.levels[0].confidence == without);
	arena_release(&arena);
	for (size_t k = 0; k < 256; k++) {
		low[k] = 80;
		high[k] = 155;
	}
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		assert_true(groups.levels[k].confidence < 0.5);
	arena_release(&arena);
}

static void a_slow_cpu_is_named(void **state)
{
	double values[256];
	struct groups_input input = {.n = 16, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill_example(values);
	for (size_t i = 0; i < 16; i++) {
		values[3 * 16 + i] *= 1.5;
		values[i * 16 + 3] *= 1.5;
	}
	groups_find(&input, &groups, &arena);
	assert_example(&groups);
	assert_true(groups.n_outliers >= 1);
	assert_int_equal(groups.outliers[0].cpu, 3);
	assert_int_equal(groups.outliers[0].why, GROUPS_WHY_SLOW);
	assert_true(fabs(groups.outliers[0].ratio - 1.5) < 0.01);
	arena_release(&arena);
}

static void cpus_are_judged_among_their_class(void **state)
{
	double values[24 * 24];
	struct groups_input input = {.n = 24, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 24; i++)
		for (size_t j = 0; j < 24; j++)
			values[i * 24 + j] =
				i == j ? NAN
				: i / 2 == j / 2 && i < 16
					? 8
					: 40 + 6 * (i >= 16) + 6 * (j >= 16);
	groups_find(&input, &groups, &arena);
	assert_int_equal(
		groups.levels[groups.n_levels - 1].kind, ANALYSIS_CLASS);
	assert_int_equal(groups.n_outliers, 0);
	for (size_t i = 0; i < 24; i++) {
		values[20 * 24 + i] *= 1.3;
		values[i * 24 + 20] *= 1.3;
	}
	groups_find(&input, &groups, &arena);
	assert_int_equal(
		groups.levels[groups.n_levels - 1].kind, ANALYSIS_CLASS);
	assert_int_equal(groups.n_outliers, 1);
	assert_int_equal(groups.outliers[0].cpu, 20);
	assert_int_equal(groups.outliers[0].why, GROUPS_WHY_SLOW);
	arena_release(&arena);
}

/* Near cells in a ring, each CPU near to two that are not near each other. */
static void near_cells_without_groups_cannot_tell(void **state)
{
	double values[144];
	struct groups_input input = {.n = 12, .values = values};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 12; i++)
		for (size_t j = 0; j < 12; j++) {
			size_t apart = (i + 12 - j) % 12;

			values[i * 12 + j] = i == j ? NAN : 20;
			if (apart == 1 || apart == 11)
				values[i * 12 + j] = 8;
		}
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		assert_true(groups.levels[k].confidence < 0.5);
	assert_int_equal(groups.placement, ANALYSIS_CANNOT_TELL);
	arena_release(&arena);
}

static void what_is_nothing_has_no_levels(void **state)
{
	double values[64];
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	for (size_t n = 0; n <= 8; n++)
		for (int content = 0; content < 4; content++) {
			const double contents[] = {NAN, 0, 5, -1};
			struct groups_input input = {.n = n, .values = values};

			for (size_t k = 0; k < 64; k++)
				values[k] = contents[content];
			groups_find(&input, &groups, &arena);
			assert_int_equal(groups.n_levels, 0);
			assert_int_equal(groups.placement, ANALYSIS_STABLE);
			arena_release(&arena);
		}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(nested_levels_are_found),
	cmocka_unit_test(levels_are_found_through_all_flaws),
	cmocka_unit_test(siblings_and_classes_are_found),
	cmocka_unit_test(one_home_node_hides_nothing_inside),
	cmocka_unit_test(noise_has_no_levels),
	cmocka_unit_test(rows_are_no_levels),
	cmocka_unit_test(meshes_have_siblings_only),
	cmocka_unit_test(unpinned_threads_give_hardly_any_level),
	cmocka_unit_test(structureless_machines_have_no_perhaps),
	cmocka_unit_test(a_noisy_cache_hides_no_siblings_of_others),
	cmocka_unit_test(a_package_shows_that_is_home_to_no_line),
	cmocka_unit_test(a_unit_changes_nothing),
	cmocka_unit_test(far_spikes_hide_no_level),
	cmocka_unit_test(shared_cores_are_no_class),
	cmocka_unit_test(siblings_show_through_a_coarse_clock),
	cmocka_unit_test(siblings_that_hardly_show_make_no_other_groups),
	cmocka_unit_test(a_lone_pair_of_siblings_hides_no_cache),
	cmocka_unit_test(one_home_among_dies_makes_no_groups),
	cmocka_unit_test(a_few_nearly_uniform_cores_have_no_groups),
	cmocka_unit_test(kinds_of_cores_on_a_bus_are_no_other_groups),
	cmocka_unit_test(two_cpus_without_siblings_are_no_kind),
	cmocka_unit_test(kinds_far_apart_may_be_distances),
	cmocka_unit_test(having_no_sibling_says_nothing_in_a_virtual_machine),
	cmocka_unit_test(cores_whose_siblings_are_elsewhere_keep_their_kind),
	cmocka_unit_test(levels_have_their_medians),
	cmocka_unit_test(rates_are_read_the_other_way),
	cmocka_unit_test(missing_cells_are_passed_over),
	cmocka_unit_test(cpus_without_numbers_are_set_aside),
	cmocka_unit_test(missing_siblings_make_doubt),
	cmocka_unit_test(a_cache_without_cells_to_a_cpu_makes_doubt),
	cmocka_unit_test(order_does_not_matter),
	cmocka_unit_test(a_slow_die_is_on_the_level_of_a_fast_one),
	cmocka_unit_test(a_few_siblings_hide_no_small_caches),
	cmocka_unit_test(levels_show_through_rows),
	cmocka_unit_test(wide_intervals_make_doubt),
	cmocka_unit_test(a_slow_cpu_is_named),
	cmocka_unit_test(cpus_are_judged_among_their_class),
	cmocka_unit_test(near_cells_without_groups_cannot_tell),
	cmocka_unit_test(what_is_nothing_has_no_levels),
};

CASE_GROUP(cases);
