/*
 * Finds caches in curves: in recorded ones, and in made-up curves of quiet and
 * of disturbed machines whose caches are known.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/caches/cache_plateaus.h"
#include "cache_curves.h"
#include "stat/stat.h"

#define KIB	    1024.0
#define MIB	    (1024 * KIB)
#define MOST_POINTS 400
#define MOST_PASSES 32
#define MOST_PAGES  32

struct made_level {
	double bytes; /* INFINITY: memory */
	double ns;
};

struct made {
	double bytes[MOST_POINTS], ns[MOST_POINTS], least_ns[MOST_POINTS];
	double page_bytes[MOST_PAGES], page_ns[MOST_PAGES];
	size_t n, n_pages;
};

/* A machine, and how its neighbours and the clock disturb a pass. */
struct machine {
	struct made_level levels[6];
	double reach_bytes, miss_ns; /* of a TLB; 0: none shows */
	double busy;		     /* the largest share that others use */
	size_t passes;
};

static const struct machine zen = {
	.levels = {{32 * KIB, 1.1}, {1 * MIB, 3.8}, {32 * MIB, 13.9},
		{INFINITY, 112}},
};

static const struct machine emerald = {
	.levels = {{48 * KIB, 5}, {2 * MIB, 16}, {60 * MIB, 72},
		{INFINITY, 400}},
	.reach_bytes = 384 * KIB,
	.miss_ns = 7,
};

static const struct machine two_levels = {
	.levels = {{64 * KIB, 4}, {1 * MIB, 13}, {INFINITY, 300}},
};

/*
 * The share of loads that miss a cache: none up to its size, then more and
 * more, as with random replacement.
 */
static double misses(double bytes, double cache)
{
	return bytes <= cache ? 0 : 1 - pow(cache / bytes, 3);
}

/* The latency of a load if others leave these shares of each level. */
static double load_ns(
	const struct made_level *levels, const double *shares, double bytes)
{
	double ns = levels[0].ns;

	for (size_t i = 0; !isinf(levels[i].bytes); i++)
		ns += misses(bytes, levels[i].bytes * shares[i]) *
		      (levels[i + 1].ns - levels[i].ns);
	return ns;
}

static double uniform(struct stat_random *random)
{
	return (double)stat_random_below(random, 1 << 20) / (1 << 20);
}

/*
 * One pass. Strangers use the last cache; a sibling sometimes uses the others.
 */
static double pass_ns(const struct machine *machine, double bytes, bool pages,
	struct stat_random *random)
{
	double shares[6] = {1, 1, 1, 1, 1, 1}, ns;
	size_t memory = 0, last;

	while (!isinf(machine->levels[memory].bytes))
		memory++;
	last = memory ? memory - 1 : 0;
	if (last > 1)
		shares[last] = 1 - machine->busy * (1 + uniform(random)) / 2;
	for (size_t i = 0; i < last || i < 2; i++) {
		if (uniform(random) < machine->busy / 2)
			shares[i] = 1 - 0.7 * uniform(random);
	}
	ns = load_ns(machine->levels, shares, bytes);
	if (!pages && machine->reach_bytes && bytes > machine->reach_bytes)
		ns += machine->miss_ns * (1 - machine->reach_bytes / bytes);
	ns *= 1 + 0.01 * uniform(random);
	if (uniform(random) < machine->busy / 20)
		ns *= 1 + 2 * uniform(random);
	/* The clock changed between the loads and the count of clocks. */
	if (uniform(random) < machine->busy / 50)
		ns *= 0.87;
	return ns;
}

static double passes_ns(const struct machine *machine, double bytes, bool pages,
	struct stat_random *random, double *least)
{
	size_t n = machine->passes ? machine->passes : 1;
	double ns[MOST_PASSES];

	*least = INFINITY;
	for (size_t i = 0; i < n; i++) {
		ns[i] = pass_ns(machine, bytes, pages, random);
		*least = fmin(*least, ns[i]);
	}
	return stat_median(ns, n);
}

/* Sizes from 1 KiB to most, with this many steps in each doubling. */
static void make(struct made *made, const struct machine *machine, double most,
	unsigned steps, uint64_t seed)
{
	struct stat_random random;
	double least;

	*made = (struct made){.n = 0};
	stat_random_init(&random, seed);
	for (unsigned k = 0; KIB * exp2((double)k / steps) <= most * 1.001;
		k++) {
		double bytes = KIB * exp2((double)k / steps);

		made->bytes[made->n] = bytes;
		made->ns[made->n] = passes_ns(machine, bytes, false, &random,
			&made->least_ns[made->n]);
		made->n++;
	}
	for (unsigned k = 14; exp2(k) <= most; k++) {
		double bytes = exp2(k);

		made->page_bytes[made->n_pages] = bytes;
		made->page_ns[made->n_pages++] =
			passes_ns(machine, bytes, true, &random, &least);
	}
}

static struct cache_findings find(const struct made *made)
{
	const struct cache_curve curve = {made->bytes, made->ns, made->least_ns,
		made->n, made->page_bytes, made->page_ns, made->n_pages};
	struct cache_findings found;

	assert_int_equal(cache_plateaus_find(&curve, &found), 0);
	return found;
}

static size_t count_levels(const struct machine *machine)
{
	size_t n = 0;

	while (!isinf(machine->levels[n].bytes))
		n++;
	return n + 1;
}

static bool holds(
	const struct cache_plateau *level, double bytes, unsigned steps)
{
	double step = exp2(1.0 / steps) * 1.001;

	return level->least_bytes <= bytes * step &&
	       level->most_bytes >= bytes / step;
}

/* The level must have this size, within one step, and this latency. */
static void assert_level(const struct cache_plateau *level, double bytes,
	double ns, unsigned steps)
{
	double step = exp2(1.0 / steps) * 1.001;

	assert_true(fabs(level->ns / ns - 1) < 0.15);
	if (isinf(bytes)) {
		assert_true(isnan(level->least_bytes));
		assert_true(isnan(level->most_bytes));
		return;
	}
	assert_true(holds(level, bytes, steps));
	assert_true(level->most_bytes <= level->least_bytes * step * step);
}

/* The sizes of exclusive levels add up, because no two hold the same line. */
static void levels_of_quiet_machines_are_found_within_a_step(void **state)
{
	static const struct machine machines[] = {
		{.levels = {{32 * KIB, 1.1}, {1 * MIB, 3.8}, {32 * MIB, 13.9},
			 {INFINITY, 112}}},
		{.levels = {{48 * KIB, 1.4}, {2 * MIB, 4.4}, {60 * MIB, 22},
			 {INFINITY, 110}}},
		{.levels = {{64 * KIB, 1.5}, {INFINITY, 90}}},
		{.levels = {{128 * KIB, 0.9}, {12 * MIB, 5}, {INFINITY, 100}}},
		{.levels = {{32 * KIB, 1.2}, {256 * KIB, 3.5}, {8 * MIB, 11},
			 {128 * MIB, 40}, {INFINITY, 80}}},
		{.levels = {{32 * KIB, 1.1}, {(512 + 32) * KIB, 3.8},
			 {16.5 * MIB, 11}, {INFINITY, 95}}},
	};
	struct made *made = malloc(sizeof(*made));

	(void)state;
	assert_non_null(made);
	for (size_t m = 0; m < sizeof(machines) / sizeof(*machines); m++) {
		for (unsigned steps = 1; steps <= 8; steps *= 2) {
			const struct made_level *levels = machines[m].levels;
			struct cache_findings found;

			make(made, &machines[m], 1024 * MIB, steps, steps);
			found = find(made);
			assert_int_equal(found.n, count_levels(&machines[m]));
			for (size_t i = 0; i < found.n; i++) {
				assert_true(found.levels[i].clean);
				assert_level(&found.levels[i], levels[i].bytes,
					levels[i].ns, steps);
			}
			assert_int_equal(found.n_tlbs, 0);
		}
	}
	free(made);
}

/* How often each kind of mistake happened. */
struct mistakes {
	unsigned runs, phantoms, missed, first, second, last;
};

static void count_mistakes(struct mistakes *mistakes,
	const struct machine *machine, const struct cache_findings *found)
{
	const struct made_level *levels = machine->levels;
	size_t n = count_levels(machine);

	mistakes->runs++;
	mistakes->phantoms += found->n > n;
	mistakes->missed += found->n < n;
	mistakes->first +=
		found->n < 2 || !holds(&found->levels[0], levels[0].bytes, 4);
	mistakes->second +=
		found->n < 3 || !holds(&found->levels[1], levels[1].bytes, 4);
	mistakes->last +=
		found->n == n && n > 3 &&
		found->levels[n - 2].most_bytes > levels[n - 2].bytes * 1.5;
}

static void strangers_make_no_levels(void **state)
{
	static const double busy[] = {0.2, 0.5, 0.8, 0.95};
	static const size_t passes[] = {3, 6, 24};
	struct made *made = malloc(sizeof(*made));

	(void)state;
	assert_non_null(made);
	for (size_t b = 0; b < 4; b++) {
		for (size_t p = 0; p < 3; p++) {
			struct mistakes mistakes = {0};

			for (uint64_t seed = 0; seed < 300; seed++) {
				struct machine machine = seed % 3 == 0 ? zen
							 : seed % 3 == 1
								 ? emerald
								 : two_levels;
				struct cache_findings found;

				machine.busy = busy[b];
				machine.passes = passes[p];
				make(made, &machine, 512 * MIB, 4, seed);
				found = find(made);
				count_mistakes(&mistakes, &machine, &found);
			}
			print_message("others use up to %.0f %%, %zu passes: "
				      "of %u runs %u found a level too many, "
				      "%u one too few, %u a wrong L1, %u a "
				      "wrong L2, %u too large an L3\n",
				100 * busy[b], passes[p], mistakes.runs,
				mistakes.phantoms, mistakes.missed,
				mistakes.first, mistakes.second, mistakes.last);
			assert_true(mistakes.phantoms <= mistakes.runs / 100);
			assert_true(mistakes.missed <= mistakes.runs / 100);
			assert_true(mistakes.first <= mistakes.runs / 100);
			assert_true(mistakes.second <= mistakes.runs / 100);
			assert_int_equal(mistakes.last, 0);
		}
	}
	free(made);
}

/* Neighbours slow the median down, but hardly the fastest pass. */
static void a_neighbour_makes_the_interval_wider_not_wrong(void **state)
{
	static const struct machine machine = {
		.levels = {{48 * KIB, 1.4}, {2 * MIB, 4.4}, {60 * MIB, 22},
			{INFINITY, 110}}};
	struct made *made = malloc(sizeof(*made));
	struct stat_random random;

	(void)state;
	assert_non_null(made);
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct cache_findings found;

		stat_random_init(&random, seed);
		make(made, &machine, 1024 * MIB, 4, seed);
		for (size_t i = 0; i < made->n; i++) {
			double noise = (double)stat_random_below(&random, 1000);

			made->least_ns[i] *= 1 + noise / 1e4;
			/* A neighbour leaves 8 MiB of the last level. */
			if (made->bytes[i] > 2 * MIB)
				made->ns[i] = fmax(made->ns[i],
					22 +
						misses(made->bytes[i],
							8 * MIB) *
							(110 - 22) +
						noise / 100);
		}
		found = find(made);
		assert_int_equal(found.n, 4);
		assert_level(&found.levels[0], 48 * KIB, 1.4, 4);
		assert_level(&found.levels[3], INFINITY, 110, 4);
		assert_true(found.levels[1].least_bytes <= 2 * MIB * 1.2);
		assert_true(found.levels[1].most_bytes >= 2 * MIB);
		assert_true(found.levels[2].least_bytes < 16 * MIB);
		assert_true(found.levels[2].most_bytes >= 60 * MIB);
		assert_true(found.levels[2].most_bytes < 90 * MIB);
	}
	free(made);
}

static void a_tlb_is_no_cache(void **state)
{
	/* One TLB reaches less than the L2, one less than a large L3. */
	static const struct machine machines[] = {
		{.levels = {{32 * KIB, 4}, {1 * MIB, 14}, {32 * MIB, 50},
			 {INFINITY, 400}},
			.reach_bytes = 256 * KIB,
			.miss_ns = 9},
		{.levels = {{32 * KIB, 4}, {1 * MIB, 14}, {96 * MIB, 50},
			 {INFINITY, 400}},
			.reach_bytes = 8 * MIB,
			.miss_ns = 40},
	};
	struct made *made = malloc(sizeof(*made));

	(void)state;
	assert_non_null(made);
	for (size_t m = 0; m < 2; m++) {
		const struct machine *machine = &machines[m];

		for (uint64_t seed = 0; seed < 50; seed++) {
			struct cache_findings found;

			make(made, machine, 512 * MIB, 4, seed);
			found = find(made);
			assert_int_equal(found.n, 4);
			for (size_t i = 0; i < 3; i++)
				assert_true(holds(&found.levels[i],
					machine->levels[i].bytes, 4));
			assert_int_equal(found.n_tlbs, 1);
			assert_true(found.tlbs[0].least_bytes <=
				    machine->reach_bytes * 1.2);
			assert_true(found.tlbs[0].most_bytes >=
				    machine->reach_bytes / 1.2);
			assert_true(found.tlbs[0].most_bytes <=
				    found.tlbs[0].least_bytes * 1.2);
			assert_true(
				fabs(found.tlbs[0].miss_ns / machine->miss_ns -
					1) < 0.2);
			/* Without the order page by page no TLB is found. */
			made->n_pages = 0;
			assert_int_equal(find(made).n_tlbs, 0);
		}
	}
	free(made);
}

/* Here only one size lies beyond the reach of the TLB. */
static void one_size_does_not_tell_the_cost_of_a_miss(void **state)
{
	const struct machine machine = {
		.levels = {{48 * KIB, 5}, {2 * MIB, 16}, {INFINITY, 400}},
		.reach_bytes = 1.45 * MIB,
		.miss_ns = 7};
	struct made *made = malloc(sizeof(*made));
	struct cache_findings found;

	(void)state;
	assert_non_null(made);
	make(made, &machine, 256 * MIB, 2, 1);
	found = find(made);
	assert_int_equal(found.n_tlbs, 1);
	assert_true(isnan(found.tlbs[0].miss_ns));
	assert_true(found.tlbs[0].least_bytes <= machine.reach_bytes);
	assert_true(found.tlbs[0].most_bytes >= machine.reach_bytes);
	free(made);
}

static void a_flat_curve_is_one_level_and_noise_is_none(void **state)
{
	static const struct machine flat = {.levels = {{INFINITY, 80}}};
	struct made *made = malloc(sizeof(*made));
	struct cache_findings found;

	(void)state;
	assert_non_null(made);
	make(made, &flat, 64 * MIB, 4, 1);
	found = find(made);
	assert_int_equal(found.n, 1);
	assert_level(&found.levels[0], INFINITY, 80, 4);
	/* Each size is slower than the one before: one long ramp. */
	for (size_t i = 0; i < made->n; i++)
		made->ns[i] = made->least_ns[i] = pow(made->bytes[i], 0.7);
	assert_int_equal(find(made).n, 0);
	for (size_t i = 0; i < made->n; i++)
		made->ns[i] = made->least_ns[i] = NAN;
	assert_int_equal(find(made).n, 0);
	made->n = 1;
	made->ns[0] = made->least_ns[0] = 1;
	assert_int_equal(find(made).n, 0);
	made->n = 0;
	assert_int_equal(find(made).n, 0);
	free(made);
}

/* A point is missing if every visit of it was disturbed. */
static void missing_points_are_left_out(void **state)
{
	static const struct machine machine = {
		.levels = {{32 * KIB, 1.1}, {1 * MIB, 3.8}, {INFINITY, 112}}};
	struct made *made = malloc(sizeof(*made));
	struct cache_findings found;

	(void)state;
	assert_non_null(made);
	make(made, &machine, 256 * MIB, 4, 1);
	for (size_t i = 1; i < made->n; i += 5)
		made->ns[i] = made->least_ns[i] = NAN;
	made->page_ns[3] = NAN;
	found = find(made);
	assert_int_equal(found.n, 3);
	assert_level(&found.levels[0], 32 * KIB, 1.1, 2);
	assert_level(&found.levels[1], 1 * MIB, 3.8, 2);
	/* Indexes count the missing points of a curve too. */
	for (size_t i = 0; i < 3; i++) {
		const struct cache_plateau *level = &found.levels[i];
		size_t last = level->first + level->n - 1;

		assert_true(made->ns[level->first] > 0.9 * level->ns);
		assert_true(made->ns[last] < 1.5 * level->ns);
	}
	free(made);
}

/* The largest size fits a cache, or lies on the ramp behind that cache. */
static void a_curve_may_end_before_memory(void **state)
{
	struct made *made = malloc(sizeof(*made));
	struct cache_findings found;

	(void)state;
	assert_non_null(made);
	make(made, &zen, 512 * KIB, 4, 1);
	found = find(made);
	assert_int_equal(found.n, 2);
	assert_level(&found.levels[0], 32 * KIB, 1.1, 4);
	assert_level(&found.levels[1], INFINITY, 3.8, 4);
	make(made, &zen, 2 * MIB, 4, 1);
	found = find(made);
	assert_int_equal(found.n, 2);
	assert_level(&found.levels[1], 1 * MIB, 3.8, 4);
	free(made);
}

/* A pass seems faster at one size if its clock changed there. */
static void a_wrong_clock_is_no_cache(void **state)
{
	struct made *made = malloc(sizeof(*made));
	struct cache_findings found;

	(void)state;
	assert_non_null(made);
	for (size_t at = 25; at < 40; at++) {
		make(made, &zen, 256 * MIB, 4, 1);
		made->least_ns[at] *= 0.88;
		found = find(made);
		assert_int_equal(found.n, 4);
		for (size_t i = 0; i < 3; i++)
			assert_level(&found.levels[i], zen.levels[i].bytes,
				zen.levels[i].ns, 4);
	}
	free(made);
}

static void recorded_curves_have_the_caches_of_their_machines(void **state)
{
	static const struct {
		const struct recorded *curve;
		size_t least, most; /* levels */
		bool tlb;
	} all[] = {
		{&emerald_thp, 4, 4, false},
		{&emerald_4k, 3, 4, false},
		{&emerald_eight_steps, 4, 4, false},
		/* The L3 has no plateau. At 6.7 MiB a clock was wrong. */
		{&emerald_in_clocks, 4, 4, false},
		{&two_cpus_quiet, 4, 4, true},
		{&two_cpus_busy, 4, 4, true},
		/* The part of the L3 that strangers left has two plateaus. */
		{&two_cpus_steps, 4, 4, true},
		/* Loads of page tables give memory a second plateau. */
		{&two_cpus_walks, 4, 4, true},
		{&two_cpus_busy_4k, 4, 4, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct recorded *is = all[i].curve;
		const struct cache_curve curve = {is->bytes, is->median,
			is->fastest, is->n, is->page_bytes, is->by_page,
			is->n_pages};
		struct cache_findings found;

		assert_int_equal(cache_plateaus_find(&curve, &found), 0);
		assert_in_range(found.n, all[i].least, all[i].most);
		assert_true(holds(&found.levels[0], 48 * KIB, 4));
		assert_true(holds(&found.levels[1], 2 * MIB, 4));
		assert_true(found.levels[1].most_bytes < 3 * MIB);
		/* What is left is memory. */
		assert_true(
			found.levels[found.n - 1].ns > 15 * found.levels[0].ns);
		assert_true(isnan(found.levels[found.n - 1].most_bytes));
		if (found.n == 4)
			assert_true(
				found.levels[2].ns < found.levels[3].ns / 2);
		assert_int_equal(found.n_tlbs, all[i].tlb);
		if (all[i].tlb) {
			assert_true(found.tlbs[0].least_bytes <= 384 * KIB);
			assert_true(found.tlbs[0].most_bytes >= 384 * KIB);
		}
	}
}

static void the_line_is_where_the_second_load_misses(void **state)
{
	static const double bytes[] = {8, 16, 32, 64, 128};
	static const double at_64[] = {10.5, 10.4, 10.6, 16.1, 15.8};
	static const double at_128[] = {10.5, 10.4, 10.6, 10.5, 15.8};
	static const double none[] = {10.5, 10.4, 10.6, 10.5, 10.8};
	static const double all[] = {16, 16, 16, 16, 16};
	static const double mixed[] = {10.5, 16, 10.6, 16.1, 15.8};
	static const double gap[] = {10.5, 10.4, NAN, 16.1, 15.8};

	(void)state;
	assert_true(cache_plateaus_line_size(bytes, at_64, 5) == 64);
	assert_true(cache_plateaus_line_size(bytes, at_128, 5) == 128);
	assert_true(isnan(cache_plateaus_line_size(bytes, none, 5)));
	assert_true(isnan(cache_plateaus_line_size(bytes, all, 5)));
	assert_true(isnan(cache_plateaus_line_size(bytes, mixed, 5)));
	assert_true(isnan(cache_plateaus_line_size(bytes, gap, 5)));
	assert_true(isnan(cache_plateaus_line_size(bytes, at_64, 0)));
}

static void ways_are_the_lines_that_do_not_miss(void **state)
{
	double lines[32], ns[32];

	(void)state;
	/* 12 ways of L1, 16 of L2; the sixth point was disturbed. */
	for (size_t i = 0; i < 32; i++) {
		lines[i] = (double)i + 1;
		ns[i] = i < 12 ? 5 : i < 13 ? 9 : i < 16 ? 16 : 60;
	}
	ns[5] = 30;
	assert_true(cache_plateaus_ways(lines, ns, 32, 5, 16) == 12);
	assert_true(cache_plateaus_ways(lines, ns, 32, 16, 72) == 16);
	/* No number of lines misses, or all do. */
	assert_true(isnan(cache_plateaus_ways(lines, ns, 12, 5, 16)));
	assert_true(isnan(cache_plateaus_ways(lines, ns, 32, 1, 4)));
	assert_true(isnan(cache_plateaus_ways(lines, ns, 32, 5, NAN)));
	assert_true(isnan(cache_plateaus_ways(lines, ns, 32, NAN, 16)));
	assert_true(isnan(cache_plateaus_ways(lines, ns, 0, 5, 16)));
	/* Up to three lines beyond the ways may miss in part, but no more. */
	for (size_t i = 12; i < 16; i++)
		ns[i] = 7;
	assert_true(isnan(cache_plateaus_ways(lines, ns, 32, 5, 16)));
	ns[14] = ns[15] = 16;
	assert_true(cache_plateaus_ways(lines, ns, 32, 5, 16) == 12);
	/* A missing point does not count. */
	ns[11] = NAN;
	ns[12] = ns[13] = 16;
	assert_true(cache_plateaus_ways(lines, ns, 32, 5, 16) == 11);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(levels_of_quiet_machines_are_found_within_a_step),
	cmocka_unit_test(strangers_make_no_levels),
	cmocka_unit_test(a_neighbour_makes_the_interval_wider_not_wrong),
	cmocka_unit_test(a_tlb_is_no_cache),
	cmocka_unit_test(one_size_does_not_tell_the_cost_of_a_miss),
	cmocka_unit_test(a_flat_curve_is_one_level_and_noise_is_none),
	cmocka_unit_test(missing_points_are_left_out),
	cmocka_unit_test(a_curve_may_end_before_memory),
	cmocka_unit_test(a_wrong_clock_is_no_cache),
	cmocka_unit_test(recorded_curves_have_the_caches_of_their_machines),
	cmocka_unit_test(the_line_is_where_the_second_load_misses),
	cmocka_unit_test(ways_are_the_lines_that_do_not_miss),
};

CASE_GROUP(cases);
