/*
 * Placing threads by groups: packed, spread, uneven, without levels; and the
 * guest that fits a placement.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/placement.h"

#define MAX_CPUS 64

/*
 * Two packages of two LLCs of two cores of two siblings, numbered as x86
 * servers do: the siblings are 8 apart.
 */
static const uint32_t core[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
static const uint32_t llc[] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3};
static const uint32_t package[] = {
	0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};
static const struct placement_level server[] = {
	{core, 8}, {llc, 4}, {package, 2}};

enum {
	BY_SMT,
	BY_LLC,
	BY_PACKAGE
};

static struct placement_request on_server(
	size_t level, bool spread, size_t threads)
{
	return (struct placement_request){
		.n = 16,
		.levels = server,
		.n_levels = 3,
		.level = level,
		.spread = spread,
		.threads = threads,
	};
}

/* "0 1 2" */
static const char *join(const size_t *rows, size_t n, char text[])
{
	char *at = text;

	*at = '\0';
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s%zu", i ? " " : "", rows[i]);
	return text;
}

static void assert_rows(
	const struct placement_request *request, const char *expected)
{
	char text[MAX_CPUS * 4];
	struct arena arena = {0};

	join(placement_find(request, &arena), request->threads, text);
	assert_string_equal(text, expected);
	arena_release(&arena);
}

static void pack_fills_a_group_before_the_next(void **state)
{
	const struct placement_request two = on_server(BY_SMT, false, 3);
	const struct placement_request four = on_server(BY_LLC, false, 6);
	const struct placement_request all = on_server(BY_PACKAGE, false, 16);

	(void)state;
	assert_rows(&two, "0 8 1");
	/* Cores before siblings, and the other LLC of the same package next. */
	assert_rows(&four, "0 1 8 9 2 3");
	/* LLCs take turns, then cores, then siblings. */
	assert_rows(&all, "0 2 1 3 8 10 9 11 4 6 5 7 12 14 13 15");
}

static void spread_gives_each_thread_a_group(void **state)
{
	const struct placement_request two = on_server(BY_PACKAGE, true, 3);
	const struct placement_request near = on_server(BY_LLC, true, 2);
	const struct placement_request four = on_server(BY_LLC, true, 6);
	const struct placement_request eight = on_server(BY_SMT, true, 9);

	(void)state;
	assert_rows(&two, "0 4 2");
	assert_rows(&near, "0 2");
	assert_rows(&four, "0 2 4 6 1 3");
	assert_rows(&eight, "0 1 2 3 4 5 6 7 8");
}

/* LLCs of two, four and six CPUs; those of four and six are one package. */
static const uint32_t uneven_llc[] = {0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
static const uint32_t uneven_package[] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const struct placement_level uneven[] = {
	{uneven_llc, 3}, {uneven_package, 2}};

static void a_group_with_room_for_all_comes_first(void **state)
{
	struct placement_request request = {
		.n = 12, .levels = uneven, .n_levels = 2, .threads = 2};

	(void)state;
	assert_rows(&request, "0 1");
	request.threads = 3;
	assert_rows(&request, "2 3 4");
	request.threads = 5;
	assert_rows(&request, "6 7 8 9 10");
	/* None of the LLCs has room, one of the packages has. */
	request.threads = 7;
	assert_rows(&request, "2 3 4 5 6 7 8");
	request.threads = 11;
	assert_rows(&request, "0 1 2 3 4 5 6 7 8 9 10");
	request.spread = true;
	request.threads = 2;
	assert_rows(&request, "2 6");
	request.threads = 8;
	assert_rows(&request, "0 2 6 1 3 7 4 8");
}

static void without_levels_any_cpus_do(void **state)
{
	struct placement_request request = {.n = 4, .threads = 3};

	(void)state;
	assert_rows(&request, "0 1 2");
	request.spread = true;
	assert_rows(&request, "0 1 2");
}

static void assert_nearest(const double *values, bool near_is_high,
	size_t threads, const char *expected)
{
	struct arena arena = {0};
	char text[MAX_CPUS * 4];

	assert_string_equal(join(placement_nearest(values, 4, near_is_high,
					 NULL, threads, &arena),
				    threads, text),
		expected);
	arena_release(&arena);
}

/* 1 and 3 are nearest, and 0 is nearest to both. */
static void without_levels_pairs_tell_what_is_near(void **state)
{
	const double values[] = {
		NAN, 12, 20, 12,  /* 0 */
		12, NAN, 11, 10,  /* 1 */
		20, 15, NAN, 15,  /* 2 */
		12, 10, NAN, NAN, /* 3 */
	};
	const double alike[] = {
		NAN, 9, 9, 9, 9, NAN, 9, 9, 9, 9, NAN, 9, 9, 9, 9, NAN};
	const double unmeasured[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, 9, NAN,
		NAN, NAN, NAN, NAN, NAN, NAN, NAN};

	(void)state;
	assert_nearest(values, false, 2, "1 3");
	assert_nearest(values, false, 3, "0 1 3");
	assert_nearest(values, false, 4, "0 1 2 3");
	assert_nearest(values, true, 2, "0 2");
	assert_nearest(alike, false, 2, "0 1");
	assert_nearest(unmeasured, false, 2, "1 3");
	assert_nearest(unmeasured, false, 3, "0 1 3");
}

/* From 0 to 1 is the shortest way, and the one back the longest. */
static void what_is_near_is_so_both_ways(void **state)
{
	const double values[] = {
		NAN, 1, 20, 20,	 /* 0 */
		40, NAN, 20, 20, /* 1 */
		20, 20, NAN, 10, /* 2 */
		20, 20, 11, NAN, /* 3 */
	};
	const double rates[] = {
		NAN, 40, 20, 20, /* 0 */
		1, NAN, 20, 20,	 /* 1 */
		20, 20, NAN, 30, /* 2 */
		20, 20, 30, NAN, /* 3 */
	};

	(void)state;
	assert_nearest(values, false, 2, "2 3");
	assert_nearest(rates, true, 2, "2 3");
}

/* Of every request, each row is used once and groups are filled as said. */
static void every_row_is_used_once(void **state)
{
	(void)state;
	for (size_t level = BY_SMT; level <= BY_PACKAGE; level++) {
		for (size_t threads = 1; threads <= 16; threads++) {
			for (int spread = 0; spread < 2; spread++) {
				const struct placement_request request =
					on_server(level, spread, threads);
				struct arena arena = {0};
				const size_t *rows =
					placement_find(&request, &arena);
				size_t used[16] = {0};
				size_t in[8] = {0}, groups = 0;

				for (size_t i = 0; i < threads; i++) {
					size_t g = server[level].group[rows[i]];

					assert_int_equal(used[rows[i]]++, 0);
					groups += in[g]++ == 0;
				}
				if (spread)
					assert_int_equal(groups,
						threads < server[level].n_groups
							? threads
							: server[level]
								  .n_groups);
				else
					assert_int_equal(groups,
						(threads -
							1) / (16 / server[level]
									     .n_groups) +
							1);
				arena_release(&arena);
			}
		}
	}
}

/* sizes: sockets, dies, cores, threads; an x for each that differs. */
static void assert_shape(const struct placement_request *request,
	const struct placement_parts *parts, const char *nested,
	const char *cells, const char *sizes)
{
	struct placement_shape shape;
	struct arena arena = {0};
	size_t *rows = placement_find(request, &arena);
	char text[MAX_CPUS * 4];

	placement_sort_nested(request, rows, request->threads);
	assert_string_equal(join(rows, request->threads, text), nested);
	placement_shape_find(request, rows, parts, &shape, &arena);
	assert_string_equal(join(shape.cells, shape.n_cells + 1, text), cells);
	sprintf(text, "%zu%s %zu%s %zu %zu%s", shape.sockets,
		shape.cells_differ ? "x" : "", shape.dies,
		shape.dies_differ ? "x" : "", shape.cores, shape.threads,
		shape.cores_differ ? "x" : "");
	assert_string_equal(text, sizes);
	assert_int_equal(
		shape.sockets * shape.dies * shape.cores * shape.threads,
		request->threads);
	arena_release(&arena);
}

static void a_guest_has_the_shape_of_its_cpus(void **state)
{
	static const struct placement_parts all = {BY_SMT, BY_LLC, BY_PACKAGE};
	static const struct placement_parts cores = {BY_SMT, 3, 3};
	static const struct placement_parts dies = {3, BY_LLC, 3};
	static const struct placement_parts cells = {3, 3, BY_LLC};
	static const struct placement_parts none = {0, 0, 0};
	const struct placement_request full = on_server(BY_PACKAGE, false, 16);
	const struct placement_request spread = on_server(BY_LLC, true, 8);
	const struct placement_request one = on_server(BY_LLC, false, 4);
	const struct placement_request flat = {.n = 4, .threads = 4};

	(void)state;
	assert_shape(&full, &all, "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15",
		"0 8 16", "2 2 2 2");
	assert_shape(&full, &cores, "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15",
		"0 16", "1 1 8 2");
	assert_shape(&full, &dies, "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15",
		"0 16", "1 4 4 1");
	assert_shape(&spread, &all, "0 1 2 3 4 5 6 7", "0 4 8", "2 2 2 1");
	assert_shape(
		&spread, &cells, "0 1 2 3 4 5 6 7", "0 2 4 6 8", "4 1 2 1");
	assert_shape(&one, &all, "0 8 1 9", "0 4", "1 1 2 2");
	assert_shape(&flat, &none, "0 1 2 3", "0 4", "1 1 4 1");
}

static void what_differs_is_told_apart(void **state)
{
	static const struct placement_parts all = {BY_SMT, BY_LLC, BY_PACKAGE};
	static const struct placement_parts cells = {3, 3, BY_LLC};
	static const struct placement_parts odd = {2, 0, 1};
	const struct placement_request six = on_server(BY_LLC, false, 6);
	const struct placement_request five = on_server(BY_LLC, false, 5);
	const struct placement_request lopsided = {
		.n = 12, .levels = uneven, .n_levels = 2, .threads = 12};

	(void)state;
	/* Cells of four and two are sockets of two. */
	assert_shape(&six, &cells, "0 8 1 9 2 3", "0 4 6", "3x 1 2 1");
	assert_shape(&six, &all, "0 8 1 9 2 3", "0 6", "1 1x 6 1x");
	assert_shape(&five, &cells, "0 8 1 9 2", "0 4 5", "5x 1 1 1");
	assert_shape(&lopsided, &odd, "0 1 2 3 4 5 6 7 8 9 10 11", "0 2 12",
		"6x 1x 2 1");
}

/* What pairs of the server cost: siblings, LLC, package, across; per cent. */
static void fill_values(double *values, unsigned across, double scale)
{
	for (size_t i = 0; i < 16; i++) {
		for (size_t j = 0; j < 16; j++)
			values[i * 16 + j] =
				scale * (i == j ? (double)NAN
						: core[i] == core[j] ? 20
						: llc[i] == llc[j]   ? 40
						: package[i] == package[j]
							? 60
							: across);
	}
}

/* The distances of all cells in a line, or "unknown". */
static void assert_distances(const struct placement_request *request,
	const double *values, bool higher, const char *expected)
{
	struct arena arena = {0};
	const uint8_t *distances;
	const struct placement_parts parts = {.core = request->n_levels,
		.die = request->n_levels,
		.cell = request->level};
	struct placement_shape shape;
	size_t *rows = placement_find(request, &arena);
	size_t numbers[MAX_CPUS * MAX_CPUS];
	char text[MAX_CPUS * MAX_CPUS * 4];

	placement_sort_nested(request, rows, request->threads);
	placement_shape_find(request, rows, &parts, &shape, &arena);
	distances = placement_distances(&(struct placement_guest){request, rows,
						&parts, &shape, values, higher},
		&arena);
	for (size_t i = 0; distances && i < shape.n_cells * shape.n_cells; i++)
		numbers[i] = distances[i];
	strcpy(text, "unknown");
	if (distances)
		join(numbers, shape.n_cells * shape.n_cells, text);
	assert_string_equal(text, expected);
	arena_release(&arena);
}

static void nodes_are_as_far_apart_as_their_groups(void **state)
{
	const struct placement_request halves =
		on_server(BY_PACKAGE, false, 16);
	const struct placement_request caches = on_server(BY_LLC, true, 4);
	const struct placement_request cores = on_server(BY_SMT, true, 3);
	double values[16 * 16], rates[16 * 16];

	(void)state;
	fill_values(values, 150, 1);
	assert_distances(&halves, values, false, "10 25 25 10");
	/* A CPU of each cell is used; all of its group count. */
	assert_distances(&caches, values, false,
		"10 15 38 38 15 10 38 38 38 38 10 15 38 38 15 10");
	assert_distances(&cores, values, false, "10 20 30 20 10 30 30 30 10");
	fill_values(values, 150, 1e-300);
	assert_distances(&halves, values, false, "10 25 25 10");
	for (size_t i = 0; i < 16 * 16; i++)
		rates[i] = 1 / values[i];
	assert_distances(&halves, rates, true, "10 25 25 10");
	/* Nearly alike, and absurdly far. */
	fill_values(values, 61, 1);
	assert_distances(&halves, values, false, "10 11 11 10");
	fill_values(values, 60000, 1);
	assert_distances(&halves, values, false, "10 254 254 10");
}

/* A few missing pairs are no matter; all of those that are needed are. */
static void distances_need_what_was_measured(void **state)
{
	const struct placement_request caches = on_server(BY_LLC, true, 4);
	const struct placement_request two = on_server(BY_LLC, true, 2);
	static const uint32_t single[] = {0, 1, 2, 3};
	static const struct placement_level singles = {single, 4};
	const struct placement_request alone = {
		.n = 4, .levels = &singles, .n_levels = 1, .threads = 4};
	double values[16 * 16];

	(void)state;
	fill_values(values, 150, 1);
	values[1] = values[16] = values[3] = NAN;
	assert_distances(&two, values, false, "10 15 15 10");
	for (size_t i = 0; i < 16; i++) {
		for (size_t j = 0; j < 16; j++) {
			if (llc[i] + llc[j] == 3)
				values[i * 16 + j] = NAN;
		}
	}
	assert_distances(&caches, values, false, "unknown");
	assert_distances(&two, values, false, "10 15 15 10");
	fill_values(values, 150, 1);
	assert_distances(&alone, values, false, "unknown");
	fill_values(values, 150, 0);
	assert_distances(&two, values, false, "unknown");
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(pack_fills_a_group_before_the_next),
	cmocka_unit_test(spread_gives_each_thread_a_group),
	cmocka_unit_test(a_group_with_room_for_all_comes_first),
	cmocka_unit_test(without_levels_any_cpus_do),
	cmocka_unit_test(without_levels_pairs_tell_what_is_near),
	cmocka_unit_test(what_is_near_is_so_both_ways),
	cmocka_unit_test(every_row_is_used_once),
	cmocka_unit_test(a_guest_has_the_shape_of_its_cpus),
	cmocka_unit_test(what_differs_is_told_apart),
	cmocka_unit_test(nodes_are_as_far_apart_as_their_groups),
	cmocka_unit_test(distances_need_what_was_measured),
};

CASE_GROUP(cases);
