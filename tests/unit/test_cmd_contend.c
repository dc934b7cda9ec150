/*
 * What c2c contend plans: who joins when, how many CPUs a point has, and what
 * its lists mean; and what it makes of latencies. Two packages of two LLCs of
 * two cores of two siblings.
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
#include "cmd/contend/cmd_contend.h"
#include "cmd/cpu_counts.h"

#define CPUS 16

static unsigned char distance[CPUS * CPUS];

static int make_distances(void **state)
{
	(void)state;
	for (unsigned a = 0; a < CPUS; a++) {
		for (unsigned b = 0; b < CPUS; b++) {
			unsigned char d = DISTANCE_SAME_CORE;

			while (a >> (d + 1) != b >> (d + 1))
				d++;
			distance[a * CPUS + b] = d;
		}
	}
	return 0;
}

/* The CPUs of the first one's domain in the order in which they join. */
static void check_order(
	enum cpu_distance level, const unsigned *expected, size_t n)
{
	uint32_t places[CPUS], joined[CPUS] = {0};

	contend_order_joining(distance, CPUS, level, places);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(places[i] < n);
		joined[places[i]] = i;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(joined[i], expected[i]);
}

static void far_cpus_join_first(void **state)
{
	const unsigned core[] = {0, 1};
	const unsigned llc[] = {0, 2, 1, 3};
	const unsigned package[] = {0, 4, 2, 6, 1, 5, 3, 7};
	const unsigned all[] = {
		0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

	(void)state;
	check_order(DISTANCE_SAME_CORE, core, 2);
	check_order(DISTANCE_SAME_LLC, llc, 4);
	check_order(DISTANCE_SAME_PACKAGE, package, 8);
	check_order(DISTANCE_OTHER_PACKAGE, all, 16);
}

/* Siblings are half of all numbers apart, as on most servers of Intel. */
static unsigned interleaved(unsigned cpu)
{
	return cpu % (CPUS / 2) * 2 + cpu / (CPUS / 2);
}

/* The first 2, 4 and 8 CPUs are in as many packages, LLCs and cores. */
static void far_cpus_join_first_in_any_numbering(void **state)
{
	unsigned char other[CPUS * CPUS];
	uint32_t places[CPUS];

	(void)state;
	for (unsigned a = 0; a < CPUS; a++) {
		for (unsigned b = 0; b < CPUS; b++)
			other[a * CPUS + b] = distance[interleaved(a) * CPUS +
						       interleaved(b)];
	}
	contend_order_joining(other, CPUS, DISTANCE_OTHER_PACKAGE, places);
	assert_int_equal(places[0], 0);
	for (unsigned first = 2; first < CPUS; first *= 2) {
		unsigned parts = 0;

		for (unsigned i = 0; i < CPUS; i++) {
			if (places[i] < first)
				parts |= 1u << interleaved(i) * first / CPUS;
		}
		assert_int_equal(parts, (1u << first) - 1);
	}
	/* Within a core there are CPU 0 and its sibling, CPU 8. */
	contend_order_joining(other, CPUS, DISTANCE_SAME_CORE, places);
	assert_int_equal(places[0], 0);
	assert_int_equal(places[CPUS / 2], 1);
}

/* Every level gives the CPUs of each of its parts all places from 0 on. */
static void each_part_fills_its_places(void **state)
{
	(void)state;
	for (int level = 0; level < DISTANCES; level++) {
		uint32_t places[CPUS], size = 2u << level;
		unsigned seen[CPUS] = {0};

		contend_order_joining(
			distance, CPUS, (enum cpu_distance)level, places);
		for (uint32_t i = 0; i < CPUS; i++) {
			assert_true(places[i] < size);
			seen[i / size * size + places[i]]++;
		}
		for (uint32_t i = 0; i < CPUS; i++)
			assert_int_equal(seen[i], 1);
	}
}

static void points_thin_out_and_end_with_all(void **state)
{
	const uint32_t expected[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 61};
	size_t at = 0;

	(void)state;
	for (uint32_t n = 1; n <= 61; n = next_cpu_count(n, 61))
		assert_int_equal(n, expected[at++]);
	assert_int_equal(at, sizeof(expected) / sizeof(*expected));
	for (uint32_t most = 1; most < 300; most++) {
		uint32_t last = 0;

		for (uint32_t n = 1; n <= most; n = next_cpu_count(n, most)) {
			assert_true(n > last);
			last = n;
		}
		assert_int_equal(last, most);
	}
}

/* The plan of a pretended machine. */
struct planned {
	struct contend_options options;
	struct contend_plan own;
	struct measure_plan plan;
	struct measure_selection selection;
	struct machine *machine;
};

static int plan_for(struct planned *planned, const char *machine,
	const char *cpus, const char *sharings)
{
	static const struct option_row share = {
		.kind = OPTION_LIST, .words = WORDS_BARS(CONTEND_SHARINGS)};

	*planned = (struct planned){.options.measure.cpus_text = cpus};
	planned->own.options = &planned->options;
	planned->plan.context = &planned->own;
	/* add, load, lock */
	planned->options.operations =
		(struct option_list){.n = 3, .items = {2, 0, 5}};
	assert_int_equal(option_parse_list(&share, sharings,
				 &planned->options.sharings, NULL),
		0);
	assert_int_equal(
		machine_new_synthetic(&planned->machine, machine, NULL), 0);
	planned->selection.machine = planned->machine;
	return contend_select(&planned->plan, &planned->options.measure,
		&planned->selection, NULL);
}

static void release(struct planned *planned)
{
	contend_plan_release(&planned->own);
	free(planned->selection.pairs);
	free(planned->selection.others);
	cpu_list_release(&planned->selection.cpus);
	machine_free(planned->machine);
}

static void check_domains(
	const struct planned *planned, const uint32_t *expected, size_t n)
{
	assert_int_equal(planned->own.n_domains, n);
	for (size_t d = 0; d < n; d++)
		assert_int_equal(planned->own.domains[d].n, expected[d]);
}

/* The CPUs of a visit are those of its point, in that order, each once. */
static void check_visits(const struct planned *planned)
{
	const struct measure_selection *selection = &planned->selection;

	assert_int_equal(selection->n_pairs, planned->own.n_points);
	for (size_t p = 0; p < selection->n_pairs; p++) {
		const struct schedule_pair *pair = &selection->pairs[p];
		const struct contend_point *point = &planned->own.points[p];
		bool seen[64] = {false};

		assert_int_equal(pair->variant, p);
		assert_int_equal(pair->n_others + 1, point->n_cpus);
		assert_int_equal(pair->first, pair->second);
		assert_int_equal(pair->first, point->order[0]);
		for (uint32_t i = 0; i < point->n_cpus; i++) {
			uint32_t cpu = point->order[i];

			assert_true(cpu < selection->cpus.n && !seen[cpu]);
			seen[cpu] = true;
			assert_true(i == 0 ||
				    cpu == selection->others[pair->others_at +
							     i - 1]);
		}
	}
}

static void domains_are_those_of_the_topology(void **state)
{
	const uint32_t all[] = {2, 8, 16, 32}, flat[] = {6}, some[] = {2, 3};
	struct planned planned;

	(void)state;
	assert_int_equal(plan_for(&planned, "package:2 l3:2 core:4 pu:2", NULL,
				 "word,line,none"),
		0);
	check_domains(&planned, all, 4);
	check_visits(&planned);
	/* add on a word, own words, own lines; load; lock both ways */
	assert_int_equal(planned.own.n_curves, 4 * 6);
	release(&planned);
	assert_int_equal(
		plan_for(&planned, "package:1 core:6 pu:1", NULL, "word"), 0);
	check_domains(&planned, flat, 1);
	check_visits(&planned);
	release(&planned);
	/* Two in one LLC, then one in another package. */
	assert_int_equal(plan_for(&planned, "package:2 l3:2 core:4 pu:1",
				 "1,0,15", "word"),
		0);
	check_domains(&planned, some, 2);
	check_visits(&planned);
	release(&planned);
}

/* Words of one line end with the line. */
static void a_line_has_room_for_eight_words(void **state)
{
	struct planned planned;

	(void)state;
	assert_int_equal(
		plan_for(&planned, "package:1 l3:1 core:32 pu:1", NULL, "line"),
		0);
	assert_int_equal(planned.own.n_curves, 1);
	assert_int_equal(
		planned.own.points[planned.own.n_points - 1].n_cpus, 8);
	release(&planned);
}

static void one_cpu_is_a_domain(void **state)
{
	const uint32_t one[] = {1};
	struct planned planned;

	(void)state;
	assert_int_equal(plan_for(&planned, "package:2 l3:2 core:4 pu:2", "3",
				 "word,none"),
		0);
	check_domains(&planned, one, 1);
	check_visits(&planned);
	release(&planned);
}

/* Two points, of one CPU and of two; visits that the clock cannot tell. */
static void what_is_below_a_clock_step_counts_as_least(void **state)
{
	struct contend_latency most_below[] = {
		{NAN, NAN}, {NAN, 100}, {NAN, 100}, {100, 100}, {100, 100}};
	struct contend_latency few_below[] = {{50, 100}, {NAN, 100}, {70, 100},
		{NAN, 100}, {80, 100}, {60, 100}, {90, 100}};
	struct contend_figures figures[] = {
		{.latency = most_below, .n = 5, .visits = 5},
		{.latency = few_below, .n = 7, .visits = 7}};
	uint32_t order[] = {0, 1};
	unsigned numbers[] = {0, 1};
	const struct contend_domain domain = {
		.distance = DISTANCE_SAME_CORE, .order = order, .n = 2};
	const struct contend_operation *add = &contend_operations[2];
	struct contend_point points[] = {
		{.operation = add, .n_cpus = 1, .order = order},
		{.operation = add, .n_cpus = 2, .order = order}};
	struct contend_curve curve = {
		.domain = &domain, .operation = add, .n = 2};
	struct contend_plan own = {.context.figures = figures,
		.cpus = {numbers, 2},
		.points = points,
		.n_points = 2,
		.curves = &curve,
		.n_curves = 1};
	struct measure_plan plan = {.context = &own};
	struct campaign campaign = {.n_passes = 0};
	struct result result;
	struct error err;
	size_t found = 0;

	(void)state;
	result_init(&result);
	assert_int_equal(contend_finish(&plan, &campaign, &result, &err), 0);
	for (size_t i = 0; i < result.n_curves; i++) {
		const struct curve *is = &result.curves[i];

		if (strcmp(is->facts.test, "latency") == 0) {
			found++;
			assert_true(isnan(is->median[0]));
			assert_true(is->median[1] == 60);
		} else if (strcmp(is->facts.test, "p99") == 0) {
			found++;
			assert_true(is->median[0] == 100);
			assert_true(is->median[1] == 100);
		}
	}
	assert_int_equal(found, 2);
	campaign_release(&campaign);
	result_release(&result);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(far_cpus_join_first),
	cmocka_unit_test(far_cpus_join_first_in_any_numbering),
	cmocka_unit_test(each_part_fills_its_places),
	cmocka_unit_test(points_thin_out_and_end_with_all),
	cmocka_unit_test(domains_are_those_of_the_topology),
	cmocka_unit_test(a_line_has_room_for_eight_words),
	cmocka_unit_test(one_cpu_is_a_domain),
	cmocka_unit_test(what_is_below_a_clock_step_counts_as_least),
};

CASE_GROUP(cases, .set_up = make_distances);
