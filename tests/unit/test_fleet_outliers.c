/*
 * Fleets of made-up hosts: who stands out and why, what chance does, and which
 * hosts are of one kind.
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
#include "analyze/compare/fleet_outliers.h"
#include "plot_sample.h"
#include "stat/stat.h"

#define LEVELS 3

/*
 * Of 100 fleets with 5 % each, more than this come once in ten thousand times.
 */
#define FLEETS	  100
#define FALSE_MAX 14

/* A fleet of one kind that is being made. */
struct made {
	struct arena arena;
	struct fleet fleet;
	struct result result; /* of the host at hand */
	struct compare_side first, side;
	double values[LEVELS]; /* of the first host */
	bool nameless;	       /* nobody has a word for any level */
};

static void begin(struct made *made, const char *host, const double *values)
{
	const double cells[] = {NAN, 100, 100, NAN};

	*made = (struct made){.fleet = {.n = 0}};
	plot_sample(&made->result, "0-1", cells);
	facts_set_text(&made->result.machine, "hostname", host);
	facts_set_text(&made->result.machine, "cpu_model", "Made");
	made->first.result = made->side.result = &made->result;
	made->first.source = made->side.source = host;
	memcpy(made->values, values, sizeof(made->values));
	fleet_add_kind(&made->fleet, &made->first, NULL, &made->arena);
}

/* A host with these values, and one fact that the first has otherwise. */
static void add(struct made *made, const char *host, const double *values,
	const char *fact, const char *before, const char *after)
{
	struct compare_level levels[LEVELS + 1];
	struct compare_matrix matrix = {.name = "latency",
		.unit = "ns",
		.levels = levels,
		.n_levels = LEVELS + 1};
	struct compare_fact facts[] = {
		{(char *)fact, (char *)before, (char *)after}};
	struct comparison comparison = {
		.matrices = &matrix, .n_matrices = 1, .facts = facts};

	comparison.n_facts = fact != NULL;
	for (size_t k = 0; k < LEVELS + 1; k++) {
		size_t at = k % LEVELS;

		levels[k] = (struct compare_level){
			.kind = made->nameless ? ANALYSIS_GROUP
					       : (enum analysis_kind)at,
			.pairs = k == LEVELS ? COMPARE_ALL : COMPARE_INSIDE,
			.before = made->values[at],
			.after = values[at],
		};
	}
	facts_set_text(&made->result.machine, "hostname", host);
	made->side.source = host;
	comparison.distance_pct = fabs(values[0] - made->values[0]);
	fleet_add_host(&made->fleet.kinds[0], &made->first, &made->side,
		&comparison, &made->arena);
}

static void end(struct made *made)
{
	result_release(&made->result);
	arena_release(&made->arena);
}

/* Judge hosts with one value each: "x" for an outlier. */
static void judge(const double *values, size_t n, const char *expected)
{
	struct made made;
	char host[32];

	begin(&made, "n0", (const double[LEVELS]){100, 100, 100});
	for (size_t i = 0; i < n; i++) {
		snprintf(host, sizeof(host), "n%zu", i + 1);
		add(&made, host, (const double[LEVELS]){values[i], 100, 100},
			NULL, NULL, NULL);
	}
	fleet_judge(&made.fleet, &made.arena);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(made.fleet.kinds[0].hosts[i + 1].outlier,
			expected[i] == 'x');
	end(&made);
}

static void levels_of_one_word_stay_apart(void **state)
{
	struct made made;
	const struct fleet_kind *kind;
	char host[32];

	(void)state;
	begin(&made, "n0", (const double[LEVELS]){100, 200, 300});
	made.nameless = true;
	for (size_t i = 1; i < 6; i++) {
		snprintf(host, sizeof(host), "n%zu", i);
		add(&made, host, (const double[LEVELS]){100, 200, 300}, NULL,
			NULL, NULL);
	}
	fleet_judge(&made.fleet, &made.arena);
	kind = &made.fleet.kinds[0];
	assert_int_equal(kind->n_levels, LEVELS);
	for (size_t k = 0; k < LEVELS; k++)
		assert_int_equal(kind->levels[k].n, 6);
	end(&made);
}

static void outliers_exceed_the_spread_of_the_others(void **state)
{
	(void)state;
	judge((const double[]){101, 102, 101.5, 120, 102.5}, 5, "...x.");
	/* Two per cent more are within what runs repeat to. */
	judge((const double[]){101, 101, 101, 101, 103}, 5, ".....");
	/* Too few, and just enough. */
	judge((const double[]){101, 101, 190}, 3, "...");
	judge((const double[]){101, 101, 190, 101}, 4, "..x.");
	/* Faster is odd too, and two bad hosts do not hide each other. */
	judge((const double[]){101, 102, 60, 101.5, 102.5, 101, 100.5, 61}, 8,
		"..x....x");
}

static void fill(double *values, struct stat_random *random)
{
	for (size_t k = 0; k < LEVELS; k++) {
		double sum = 0;

		for (int i = 0; i < 12; i++)
			sum += (double)stat_random_below(random, 1U << 20) /
			       (1 << 20);
		/* A deviation of 2 %. */
		values[k] = 20 * (double)(k + 1) * (1 + 0.02 * (sum - 6));
	}
}

/* How many of some fleets have outliers where nothing is wrong. */
static size_t count_false(size_t n_fleets, size_t hosts)
{
	struct stat_random random;
	size_t n_false = 0;

	stat_random_init(&random, hosts);
	for (size_t f = 0; f < n_fleets; f++) {
		double values[LEVELS];
		struct made made;
		char host[32];

		fill(values, &random);
		begin(&made, "n0", values);
		for (size_t i = 1; i < hosts; i++) {
			fill(values, &random);
			snprintf(host, sizeof(host), "n%zu", i);
			add(&made, host, values, NULL, NULL, NULL);
		}
		fleet_judge(&made.fleet, &made.arena);
		n_false += made.fleet.kinds[0].n_outliers > 0;
		end(&made);
	}
	return n_false;
}

static void one_of_twenty_sound_fleets_has_an_outlier_at_most(void **state)
{
	(void)state;
	assert_true(count_false(FLEETS, 5) <= FALSE_MAX);
	assert_true(count_false(FLEETS, 16) <= FALSE_MAX);
	assert_true(count_false(FLEETS, 120) <= FALSE_MAX);
}

static void a_slow_level_is_named(void **state)
{
	struct stat_random random;
	double values[LEVELS];
	struct made made;
	const struct fleet_host *slow;
	char host[32];

	(void)state;
	stat_random_init(&random, 5);
	fill(values, &random);
	begin(&made, "n0", values);
	for (size_t i = 1; i < 40; i++) {
		fill(values, &random);
		if (i == 17)
			values[1] *= 1.3;
		snprintf(host, sizeof(host), "n%zu", i);
		add(&made, host, values, NULL, NULL, NULL);
	}
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.kinds[0].n_outliers, 1);
	/* All pairs are no level of their own where there are levels. */
	assert_int_equal(made.fleet.kinds[0].n_levels, LEVELS);
	slow = &made.fleet.kinds[0].hosts[17];
	assert_true(slow->outlier);
	assert_int_equal(slow->n_reasons, 1);
	assert_int_equal(slow->reasons[0].what, FLEET_LEVEL);
	assert_non_null(strstr(slow->reasons[0].text, "llc, inside"));
	assert_non_null(strstr(slow->reasons[0].text, "slower"));
	assert_true(fabs(slow->reasons[0].off_pct - 30) < 6);
	end(&made);
}

static void a_host_counts_once(void **state)
{
	const double same[LEVELS] = {100, 100, 100};
	struct made made;
	char host[32];

	(void)state;
	begin(&made, "n0", same);
	/* Ten files of one host are no spread. */
	for (size_t i = 0; i < 10; i++)
		add(&made, "n0", same, NULL, NULL, NULL);
	for (size_t i = 1; i < 4; i++) {
		snprintf(host, sizeof(host), "n%zu", i);
		add(&made, host,
			(const double[LEVELS]){100 + 10 * (double)i, 100, 100},
			NULL, NULL, NULL);
	}
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.kinds[0].n_outliers, 0);
	assert_int_equal(made.fleet.kinds[0].levels[0].n, 4);
	assert_true(made.fleet.kinds[0].hosts[1].again);
	end(&made);
}

static void most_hosts_say_what_is_usual(void **state)
{
	const double same[LEVELS] = {100, 100, 100};
	const struct fleet_kind *kind;
	struct made made;
	char host[32];

	(void)state;
	/* The first one is odd: the others all differ from it. */
	begin(&made, "n0", same);
	for (size_t i = 1; i < 6; i++) {
		snprintf(host, sizeof(host), "n%zu", i);
		add(&made, host, same, "topology.L3", "2 groups",
			i == 5 ? "8 groups" : "4 groups");
	}
	fleet_judge(&made.fleet, &made.arena);
	kind = &made.fleet.kinds[0];
	assert_int_equal(kind->n_differences, 2);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(kind->hosts[i].outlier, i % 5 == 0);
	assert_int_equal(kind->hosts[0].reasons[0].what, FLEET_TOPOLOGY);
	assert_string_equal(kind->hosts[0].reasons[0].text,
		"topology.L3: 2 groups; most have 4 groups");
	end(&made);
	/* Another kernel is told, and no reason to be an outlier. */
	begin(&made, "n0", same);
	add(&made, "n1", same, NULL, NULL, NULL);
	add(&made, "n2", same, "machine.kernel", "6", "7");
	fleet_judge(&made.fleet, &made.arena);
	kind = &made.fleet.kinds[0];
	assert_int_equal(kind->n_differences, 1);
	assert_int_equal(kind->n_outliers, 0);
	assert_int_equal(kind->hosts[2].reasons[0].what, FLEET_SETTING);
	end(&made);
	/* Half and half: nobody is odd. */
	begin(&made, "n0", same);
	add(&made, "n1", same, NULL, NULL, NULL);
	add(&made, "n2", same, "machine.kernel", "6", "7");
	add(&made, "n3", same, "machine.kernel", "6", "7");
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.kinds[0].n_differences, 0);
	end(&made);
}

static void a_run_that_drifts_among_steady_ones_is_odd(void **state)
{
	const double same[LEVELS] = {100, 100, 100};
	struct result drifted;
	struct made made;

	(void)state;
	begin(&made, "n0", same);
	made.result.run.verdict = RUN_AGREES;
	add(&made, "n1", same, NULL, NULL, NULL);
	add(&made, "n2", same, NULL, NULL, NULL);
	drifted = made.result;
	drifted.run.verdict = RUN_DRIFTED;
	made.side.result = &drifted;
	add(&made, "n2", same, NULL, NULL, NULL);
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.kinds[0].n_outliers, 1);
	assert_int_equal(
		made.fleet.kinds[0].hosts[3].reasons[0].what, FLEET_RUN);
	end(&made);
}

static void few_hosts_with_other_cpus_lack_some(void **state)
{
	const double cells[] = {NAN, 1, 1, 1, NAN, 1, 1, 1, NAN};
	const double same[LEVELS] = {100, 100, 100};
	struct compare_side side = {.source = "less"};
	struct result more;
	struct made made;

	(void)state;
	begin(&made, "n0", same);
	add(&made, "n1", same, NULL, NULL, NULL);
	add(&made, "n2", same, NULL, NULL, NULL);
	plot_sample(&more, "0,1,5", cells);
	facts_set_text(&more.machine, "cpu_model", "Made");
	side.result = &more;
	fleet_add_kind(&made.fleet, &side, "it has CPU 5", &made.arena);
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.n, 2);
	assert_true(made.fleet.kinds[1].hosts[0].outlier);
	assert_int_equal(
		made.fleet.kinds[1].hosts[0].reasons[0].what, FLEET_CPUS);
	assert_string_equal(made.fleet.kinds[1].hosts[0].reasons[0].text,
		"3 CPUs (0,1,5); most have 2 (0,1)");
	assert_int_equal(made.fleet.kinds[0].n_outliers, 0);
	result_release(&more);
	end(&made);
}

/* A kind of so many files, of one host or of several. */
static void add_kind(
	struct made *made, struct result *result, size_t files, bool one_host)
{
	struct compare_side side = {.result = result, .source = "other"};
	struct comparison same = {.n_matrices = 0};
	char host[32];

	for (size_t i = 0; i < files; i++) {
		snprintf(host, sizeof(host), "m%zu", one_host ? 0 : i);
		facts_set_text(&result->machine, "hostname", host);
		if (i == 0)
			fleet_add_kind(&made->fleet, &side, "other CPUs",
				&made->arena);
		else
			fleet_add_host(&made->fleet.kinds[made->fleet.n - 1],
				&side, &side, &same, &made->arena);
	}
}

/* Whether the CPUs of the second kind are a reason, by hosts of the first. */
static bool cpus_are_odd(size_t hosts, size_t files, bool one_host)
{
	const double cells[] = {NAN, 1, 1, 1, NAN, 1, 1, 1, NAN};
	const double same[LEVELS] = {100, 100, 100};
	const struct fleet_host *odd;
	struct result more;
	struct made made;
	char host[32];
	bool found;

	begin(&made, "n0", same);
	for (size_t i = 1; i < hosts; i++) {
		snprintf(host, sizeof(host), "n%zu", i);
		add(&made, host, same, NULL, NULL, NULL);
	}
	plot_sample(&more, "0,1,5", cells);
	facts_set_text(&more.machine, "cpu_model", "Made");
	add_kind(&made, &more, files, one_host);
	fleet_judge(&made.fleet, &made.arena);
	assert_int_equal(made.fleet.n, 2);
	odd = &made.fleet.kinds[1].hosts[0];
	found = odd->n_reasons > 0;
	assert_true(!found || odd->reasons[0].what == FLEET_CPUS);
	assert_int_equal(made.fleet.kinds[0].n_outliers, 0);
	result_release(&more);
	end(&made);
	return found;
}

static void kinds_are_as_large_as_their_hosts(void **state)
{
	(void)state;
	assert_true(cpus_are_odd(3, 1, false));
	/* Two hosts are not most, and five others are a kind. */
	assert_false(cpus_are_odd(2, 1, false));
	assert_false(cpus_are_odd(8, 5, false));
	/* Many files of one host are one host. */
	assert_true(cpus_are_odd(3, 4, true));
	assert_true(cpus_are_odd(8, 5, true));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(outliers_exceed_the_spread_of_the_others),
	cmocka_unit_test(levels_of_one_word_stay_apart),
	cmocka_unit_test(one_of_twenty_sound_fleets_has_an_outlier_at_most),
	cmocka_unit_test(a_slow_level_is_named),
	cmocka_unit_test(a_host_counts_once),
	cmocka_unit_test(most_hosts_say_what_is_usual),
	cmocka_unit_test(a_run_that_drifts_among_steady_ones_is_odd),
	cmocka_unit_test(few_hosts_with_other_cpus_lack_some),
	cmocka_unit_test(kinds_are_as_large_as_their_hosts),
};

CASE_GROUP(cases);
