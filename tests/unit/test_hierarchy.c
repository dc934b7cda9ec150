/*
 * Infers the levels and TLBs of a made-up CPU, and compares them with what
 * pretended machines say.
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
#include "../topo/pretend.h"
#include "analyze/caches/hierarchy.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define GHZ 4.0

/* The CPU: 48 KiB, 2 MiB, 32 MiB, and a TLB that reaches over 384 KiB. */
static const double sizes[] = {48 * KIB, 2 * MIB, 32 * MIB, INFINITY};
static const double clocks_of[] = {5, 16, 70, 400};

/* A system that tells the same. */
#define SAME                                                                   \
	"package:1 l3:1(size=33554432) l2:2(size=2097152) l1d:1(size=49152) "  \
	"core:1 "                                                              \
	"pu:1"

static double load_clocks(double bytes, bool pages)
{
	double clocks = clocks_of[0];

	for (size_t i = 0; i < 3; i++) {
		if (bytes > sizes[i])
			clocks += (1 - pow(sizes[i] / bytes, 3)) *
				  (clocks_of[i + 1] - clocks_of[i]);
	}
	if (!pages && bytes > 384 * KIB)
		clocks += 7 * (1 - 384 * KIB / bytes);
	return clocks;
}

/* The result of a run, and its curves. */
struct run {
	struct result result;
	struct hierarchy_curves curves;
};

enum kind {
	IN_NS,
	IN_CLOCKS,
	BY_PAGE,
	RATE,
};

static double value_of(enum kind kind, double bytes)
{
	double clocks = load_clocks(bytes, kind == BY_PAGE);

	return kind == IN_NS  ? clocks / GHZ
	       : kind == RATE ? 1000 / clocks
			      : clocks;
}

static struct curve *new_curve(const char *unit, size_t n)
{
	const struct curve_facts facts = {
		.family = "f", .member = "m", .x_name = "x", .y_unit = unit};
	struct curve *curve = calloc(1, sizeof(*curve));

	assert_non_null(curve);
	assert_true(curve_init(curve, &facts, n));
	assert_int_equal(cpu_list_add(&curve->cpus, 1, NULL), 0);
	return curve;
}

static const struct curve *over_sizes(
	enum kind kind, double least, double most, unsigned steps)
{
	size_t n = (size_t)(log2(most / least) * steps + 1.001);
	struct curve *curve = new_curve(kind == IN_NS ? "ns" : "clk", n);

	for (size_t i = 0; i < n; i++) {
		double bytes = least * exp2((double)i / steps);
		double value = value_of(kind, bytes);

		curve_set(curve, i, bytes,
			(const double[3]){value, value, value});
	}
	return curve;
}

static const struct curve *over_points(
	const double *x, const double *y, size_t n)
{
	struct curve *curve = new_curve("ns", n);

	for (size_t i = 0; i < n; i++)
		curve_set(curve, i, x[i], (const double[3]){y[i], y[i], y[i]});
	return curve;
}

static void drop(const struct curve *borrowed)
{
	struct curve *curve = (struct curve *)borrowed;

	if (!curve)
		return;
	curve_release(curve);
	free(curve);
}

static void start(struct run *run, double least, double most)
{
	*run = (struct run){
		.curves = {.ns = over_sizes(IN_NS, least, most, 4),
			.clocks = over_sizes(IN_CLOCKS, least, most, 4),
			.fastest = over_sizes(IN_CLOCKS, least, most, 4),
			.page_bytes = 4096,
			.small_bytes = 4096},
	};
	run->curves.rates[0] = over_sizes(RATE, least, most, 1);
	result_init(&run->result);
	run->result.run.passes = 6;
}

static void end(struct run *run)
{
	drop(run->curves.ns);
	drop(run->curves.clocks);
	drop(run->curves.fastest);
	drop(run->curves.small_random);
	drop(run->curves.small_by_page);
	drop(run->curves.line);
	drop(run->curves.ways[0]);
	drop(run->curves.ways[1]);
	drop(run->curves.rates[0]);
	result_release(&run->result);
}

/* Infer on the machine that text describes. NULL: the system says nothing. */
static void infer(struct run *run, const char *text)
{
	struct machine *machine = text ? pretend_synthetic(text) : NULL;
	struct error err;

	assert_int_equal(
		hierarchy_infer(&run->curves, machine, &run->result, &err), 0);
	machine_free(machine);
}

static void levels_stand_beside_what_the_system_says(void **state)
{
	static const char *const names[] = {"L1d", "L2", "L3", "memory"};
	struct run run;

	(void)state;
	start(&run, KIB, 512 * MIB);
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct cache_level *level = &run.result.caches[i];

		assert_string_equal(level->name, names[i]);
		assert_int_equal(level->level, i + 1);
		assert_int_equal(level->memory, i == 3);
		assert_true(fabs(level->clocks / clocks_of[i] - 1) < 0.5);
		assert_true(fabs(level->clocks / level->ns / GHZ - 1) < 0.01);
		assert_true(level->rates[0] > 0 && isnan(level->rates[1]));
		if (i == 3)
			break;
		assert_true(level->least_bytes <= sizes[i]);
		assert_true(level->most_bytes >= sizes[i] / 1.19);
		assert_int_equal(level->size_verdict, CACHE_SAME);
		assert_true(level->reported_bytes == sizes[i]);
		assert_int_equal(level->reported_cpus.n, i == 2 ? 2 : 1);
		assert_int_equal(level->line_verdict, CACHE_UNKNOWN);
		assert_true(level->reported_line_bytes == 64);
		assert_int_equal(level->ways_verdict, CACHE_HIDDEN);
		/* No test measures the line or the ways of other levels. */
		assert_int_equal(!!strstr(level->why, "line: "), i == 0);
		assert_int_equal(!!strstr(level->why, "ways: "), i < 2);
	}
	assert_true(
		run.result.caches[0].rates[0] > run.result.caches[1].rates[0]);
	assert_null(run.result.caches[3].why);
	end(&run);
}

static void what_the_system_says_may_be_wrong(void **state)
{
	static const struct {
		const char *machine;
		enum cache_verdict verdicts[3];
	} cases[] = {
		{"package:1 l3:1(size=268435456) l2:2(size=1048576) "
		 "l1d:1(size=49152) "
		 "core:1 pu:1",
			{CACHE_SAME, CACHE_DIFFERS, CACHE_LESS}},
		{"package:1 l2:2(size=2097152) l1d:1(size=32768) core:1 pu:1",
			{CACHE_DIFFERS, CACHE_SAME, CACHE_HIDDEN}},
		{"package:1 core:2 pu:1",
			{CACHE_HIDDEN, CACHE_HIDDEN, CACHE_HIDDEN}},
		{NULL, {CACHE_HIDDEN, CACHE_HIDDEN, CACHE_HIDDEN}},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct run run;

		start(&run, KIB, 512 * MIB);
		infer(&run, cases[c].machine);
		assert_int_equal(run.result.n_caches, 4);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(run.result.caches[i].size_verdict,
				cases[c].verdicts[i]);
		end(&run);
	}
}

/* A level that no working set shows has a row too, which says why. */
static void levels_that_no_size_shows_are_told_as_such(void **state)
{
	static const struct {
		double least, most;
		size_t n, unseen; /* levels, and which of them */
		const char *why;
	} cases[] = {
		{128 * KIB, 512 * MIB, 4, 0, "smaller than all working sets"},
		{KIB, 512 * KIB, 3, 2, "larger than all working sets"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct run run;
		const struct cache_level *level;

		start(&run, cases[c].least, cases[c].most);
		infer(&run, SAME);
		assert_int_equal(run.result.n_caches, cases[c].n);
		level = &run.result.caches[cases[c].unseen];
		assert_true(isnan(level->least_bytes) && isnan(level->ns));
		assert_true(level->reported_bytes == sizes[cases[c].unseen]);
		assert_int_equal(level->size_verdict, CACHE_UNKNOWN);
		assert_non_null(strstr(level->why, cases[c].why));
		end(&run);
	}
}

/* If the sizes begin late, the first levels are missing. */
static void sizes_that_begin_late_misname_no_level(void **state)
{
	static const struct {
		double least;
		const char *machine;
		size_t unseen;
		const char *why;
	} cases[] = {
		{40 * KIB, SAME, 1, "too few working sets fit the cache"},
		{64 * KIB, SAME, 1, "smaller than all working sets"},
		{2 * MIB, SAME, 2, "working sets"},
		{4 * MIB, SAME, 2, "smaller than all working sets"},
		{64 * KIB, NULL, 1, "smaller than all working sets"},
		{4 * MIB, NULL, 1, "smaller than all working sets"},
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		const size_t *unseen = &cases[c].unseen;
		struct run run;

		start(&run, cases[c].least, 512 * MIB);
		infer(&run, cases[c].machine);
		for (size_t i = 0; i < run.result.n_caches; i++) {
			const struct cache_level *level = &run.result.caches[i];

			assert_int_equal(isnan(level->ns), i < *unseen);
			assert_int_not_equal(
				level->size_verdict, CACHE_DIFFERS);
			if (i >= *unseen)
				continue;
			assert_non_null(strstr(level->why, cases[c].why));
		}
		assert_true(run.result.n_caches > *unseen + 1);
		end(&run);
	}
	/* A plateau of 5 clocks is L1 whatever the system says. */
	{
		struct run run;

		start(&run, 20 * KIB, 512 * MIB);
		infer(&run, "package:1 l2:2(size=2097152) l1d:1(size=8192) "
			    "core:1 pu:1");
		assert_string_equal(run.result.caches[0].name, "L1d");
		assert_int_equal(
			run.result.caches[0].size_verdict, CACHE_DIFFERS);
		end(&run);
	}
}

static void a_cache_without_an_end_has_a_size_at_least(void **state)
{
	const struct cache_level *level;
	struct run run;

	(void)state;
	start(&run, KIB, 512 * KIB);
	infer(&run, SAME);
	level = &run.result.caches[1];
	assert_string_equal(level->name, "L2");
	assert_false(level->memory);
	assert_true(level->least_bytes > 256 * KIB);
	assert_true(isnan(level->most_bytes));
	assert_int_equal(level->size_verdict, CACHE_UNKNOWN);
	assert_non_null(strstr(level->why, "size: unknown"));
	end(&run);
	/* A measured L1 differs if the system tells a smaller one. */
	start(&run, KIB, 512 * KIB);
	infer(&run,
		"package:1 l2:2(size=262144) l1d:1(size=49152) core:1 pu:1");
	assert_int_equal(run.result.caches[1].size_verdict, CACHE_DIFFERS);
	end(&run);
}

static void lines_ways_and_tlbs_are_told(void **state)
{
	static const double bytes[] = {8, 16, 32, 64, 128};
	static const double pairs[] = {2.6, 2.6, 2.6, 4, 4};
	double lines[32], first[32], second[32];
	const struct cache_tlb *tlb;
	struct run run;

	(void)state;
	for (size_t i = 0; i < 32; i++) {
		lines[i] = (double)i + 1;
		first[i] = i < 12 ? 1.25 : 4;
		second[i] = i < 12 ? 1.25 : i < 16 ? 4 : 17.5;
	}
	start(&run, KIB, 512 * MIB);
	run.curves.page_bytes = 2 * MIB;
	run.curves.line = over_points(bytes, pairs, 5);
	run.curves.ways[0] = over_points(lines, first, 32);
	run.curves.ways[1] = over_points(lines, second, 32);
	run.curves.small_random = over_sizes(IN_CLOCKS, 16 * KIB, 64 * MIB, 2);
	run.curves.small_by_page = over_sizes(BY_PAGE, 16 * KIB, 64 * MIB, 2);
	infer(&run, SAME);
	assert_true(run.result.caches[0].line_bytes == 64);
	assert_int_equal(run.result.caches[0].line_verdict, CACHE_SAME);
	assert_true(isnan(run.result.caches[1].line_bytes));
	assert_true(run.result.caches[0].ways == 12);
	assert_true(run.result.caches[1].ways == 16);
	assert_true(isnan(run.result.caches[2].ways));
	assert_null(strstr(run.result.caches[2].why, "ways"));
	/* At 384 KiB only base pages can miss, not the run's huge pages. */
	assert_int_equal(run.result.n_tlbs, 1);
	tlb = run.result.tlbs;
	assert_true(tlb->page_bytes == 4096);
	assert_true(tlb->least_bytes <= 384 * KIB);
	assert_true(tlb->most_bytes >= 384 * KIB);
	assert_true(fabs(tlb->miss_clocks / 7 - 1) < 0.2);
	assert_true(fabs(tlb->miss_clocks / tlb->miss_ns / GHZ - 1) < 0.01);
	end(&run);
	/* Lines that miss the TLB lie on small pages, in unknown sets. */
	for (size_t i = 6; i < 32; i++)
		second[i] = i < 12 ? 3.3 : i < 17 ? 4.2 : 30;
	start(&run, KIB, 512 * MIB);
	run.curves.ways[0] = over_points(lines, first, 32);
	run.curves.ways[1] = over_points(lines, second, 32);
	infer(&run, SAME);
	assert_true(run.result.caches[0].ways == 12);
	assert_true(isnan(run.result.caches[1].ways));
	assert_non_null(strstr(run.result.caches[1].why, "miss the TLB"));
	end(&run);
	/* If the run has base pages only, each TLB is told once. */
	start(&run, KIB, 512 * MIB);
	run.curves.small_random = over_sizes(IN_CLOCKS, 16 * KIB, 64 * MIB, 2);
	run.curves.small_by_page = over_sizes(BY_PAGE, 16 * KIB, 64 * MIB, 2);
	infer(&run, SAME);
	assert_int_equal(run.result.n_tlbs, 1);
	end(&run);
}

static void what_is_missing_has_its_true_reason(void **state)
{
	static const double lines[] = {8, 12, 13, 16};
	static const double loads[] = {1.25, 1.25, 4, 4};
	struct run run;

	(void)state;
	/* The ways of L1 need the latency of L2, which is not measured. */
	start(&run, KIB, 32 * KIB);
	run.curves.ways[0] = over_points(lines, loads, 4);
	infer(&run, SAME);
	assert_non_null(
		strstr(run.result.caches[0].why, "how long a miss takes"));
	end(&run);
	/* The working sets reach memory, so they do not end too early. */
	start(&run, KIB, 64 * MIB);
	for (size_t i = 0; i < run.curves.ns->n; i++) {
		if (run.curves.ns->x[i] > 3 * MIB) {
			run.curves.ns->median[i] = 100;
			run.curves.clocks->median[i] = 400;
			run.curves.fastest->median[i] = 400;
		}
	}
	run.curves.rates[0]->median[run.curves.rates[0]->n - 1] = NAN;
	infer(&run, "package:1 l3:1(size=268435456) l2:2(size=2097152) "
		    "l1d:1(size=49152) core:1 pu:1");
	assert_int_equal(run.result.n_caches, 4);
	assert_non_null(strstr(run.result.caches[2].why, "no plateau"));
	/* If a rate is missing, the rate of the nearest size counts. */
	assert_true(run.result.caches[3].rates[0] > 0);
	end(&run);
	/* No rate at all. */
	start(&run, KIB, 512 * MIB);
	for (size_t i = 0; i < run.curves.rates[0]->n; i++)
		run.curves.rates[0]->median[i] = NAN;
	infer(&run, SAME);
	for (size_t i = 0; i < 4; i++)
		assert_non_null(strstr(run.result.caches[i].why, "rates: no"));
	end(&run);
}

/* Beyond 64 MiB the page tables do not fit a cache either. */
static void page_walks_are_no_level_behind_memory(void **state)
{
	struct run run;

	(void)state;
	start(&run, KIB, 1024 * MIB);
	for (size_t i = 0; i < run.curves.ns->n; i++) {
		double bytes = run.curves.ns->x[i];
		double times = bytes > 256 * MIB ? 2.2 : 1;

		run.curves.ns->median[i] *= times;
		run.curves.clocks->median[i] *= times;
		run.curves.fastest->median[i] *= times;
	}
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 4);
	assert_true(run.result.caches[3].memory);
	assert_true(isnan(run.result.caches[3].least_bytes));
	end(&run);
}

/* The system tells L1 only. 512 KiB is ten times that size, but quick. */
static void a_hidden_cache_is_no_memory(void **state)
{
	struct run run;

	(void)state;
	start(&run, KIB, 512 * KIB);
	infer(&run, "package:1 l1d:2(size=49152) core:1 pu:1");
	assert_int_equal(run.result.n_caches, 2);
	assert_false(run.result.caches[1].memory);
	assert_int_equal(run.result.caches[1].size_verdict, CACHE_HIDDEN);
	end(&run);
}

static bool says(const struct run *run, size_t level, const char *what)
{
	return strstr(run->result.caches[level].why, what) != NULL;
}

/* Nobody else uses the rest of a cache that one core has. */
static void others_use_only_what_they_share(void **state)
{
	struct run run;

	(void)state;
	start(&run, KIB, 512 * MIB);
	infer(&run, "package:1 l3:1(size=268435456) core:2 l2:1(size=8388608) "
		    "l1d:1(size=49152) pu:2");
	assert_int_equal(run.result.caches[1].size_verdict, CACHE_LESS);
	assert_int_equal(run.result.caches[1].reported_cpus.n, 2);
	assert_true(says(&run, 1, "no pass was fast up to the reported size"));
	assert_false(says(&run, 1, "others"));
	assert_int_equal(run.result.caches[2].size_verdict, CACHE_LESS);
	assert_true(says(&run, 2, "other programs may have used the rest"));
	end(&run);
}

/* One pass is the median and the fastest, whatever its curves say. */
static void one_pass_disturbs_no_other(void **state)
{
	(void)state;
	for (int64_t passes = 1; passes <= 6; passes += 5) {
		struct run run;

		start(&run, KIB, 512 * MIB);
		run.result.run.passes = passes;
		for (size_t i = 0; i < run.curves.clocks->n; i++)
			run.curves.clocks->median[i] *= 2;
		infer(&run, SAME);
		assert_int_equal(says(&run, 0, "* fastest pass"), passes > 1);
		end(&run);
	}
}

static void few_passes_make_no_level(void **state)
{
	struct run run;

	(void)state;
	start(&run, KIB, 512 * MIB);
	run.result.run.passes = 5;
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(isnan(run.result.caches[i].most_bytes));
		assert_true(isnan(run.result.caches[i].ns));
		assert_true(says(&run, i, "not measured well enough"));
	}
	assert_int_equal(run.result.caches[0].size_verdict, CACHE_UNKNOWN);
	end(&run);
}

/* Where L2 ends, a visit was dropped. */
static void a_level_needs_passes_where_it_ends(void **state)
{
	const struct curve *clocks;
	struct run run;

	(void)state;
	start(&run, KIB, 512 * MIB);
	clocks = run.curves.clocks;
	for (size_t i = 0; i < clocks->n; i++) {
		if (clocks->x[i] == 2 * MIB)
			clocks->low[i] = NAN;
	}
	infer(&run, SAME);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			says(&run, i, "not measured well enough"), i == 1);
	assert_int_equal(run.result.caches[1].size_verdict, CACHE_UNKNOWN);
	assert_int_equal(run.result.caches[2].size_verdict, CACHE_SAME);
	end(&run);
}

static void without_clocks_there_are_ns(void **state)
{
	struct run run;

	(void)state;
	start(&run, KIB, 512 * MIB);
	drop(run.curves.clocks);
	drop(run.curves.fastest);
	run.curves.clocks = NULL;
	run.curves.fastest = over_sizes(IN_NS, KIB, 512 * MIB, 4);
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 4);
	assert_int_equal(run.result.caches[1].size_verdict, CACHE_SAME);
	assert_true(fabs(run.result.caches[1].ns / 4 - 1) < 0.1);
	assert_true(isnan(run.result.caches[1].clocks));
	assert_true(isnan(run.result.caches[1].fastest_clocks));
	end(&run);
}

static void without_curves_there_is_nothing(void **state)
{
	struct run run = {.curves = {.page_bytes = 4096}};

	(void)state;
	result_init(&run.result);
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 0);
	assert_int_equal(run.result.n_tlbs, 0);
	/* A single point shows no level, but the system tells three. */
	start(&run, 4 * KIB, 4 * KIB);
	run.curves.small_random = over_sizes(IN_CLOCKS, 16 * KIB, 64 * MIB, 2);
	run.curves.small_by_page = over_sizes(BY_PAGE, 16 * KIB, 64 * MIB, 2);
	infer(&run, SAME);
	assert_int_equal(run.result.n_caches, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct cache_level *level = &run.result.caches[i];

		assert_true(isnan(level->least_bytes));
		assert_non_null(strstr(level->why, "do not span a doubling"));
	}
	/* The clocks of its miss still become a time. */
	assert_int_equal(run.result.n_tlbs, 1);
	assert_true(fabs(run.result.tlbs[0].miss_clocks /
				    run.result.tlbs[0].miss_ns / GHZ -
			    1) < 0.01);
	end(&run);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(levels_stand_beside_what_the_system_says),
	cmocka_unit_test(what_the_system_says_may_be_wrong),
	cmocka_unit_test(levels_that_no_size_shows_are_told_as_such),
	cmocka_unit_test(sizes_that_begin_late_misname_no_level),
	cmocka_unit_test(a_cache_without_an_end_has_a_size_at_least),
	cmocka_unit_test(lines_ways_and_tlbs_are_told),
	cmocka_unit_test(what_is_missing_has_its_true_reason),
	cmocka_unit_test(page_walks_are_no_level_behind_memory),
	cmocka_unit_test(a_hidden_cache_is_no_memory),
	cmocka_unit_test(others_use_only_what_they_share),
	cmocka_unit_test(one_pass_disturbs_no_other),
	cmocka_unit_test(few_passes_make_no_level),
	cmocka_unit_test(a_level_needs_passes_where_it_ends),
	cmocka_unit_test(without_clocks_there_are_ns),
	cmocka_unit_test(without_curves_there_is_nothing),
};

CASE_GROUP(cases);
