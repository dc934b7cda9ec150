/* Where curves go: each rule that needs more than the name of a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "figure/curve_places.h"

#define MOST 8

static void assert_place(const struct curve_place *place, enum curve_page page,
	enum curve_drawn drawn, unsigned part)
{
	assert_int_equal(place->page, page);
	assert_int_equal(place->drawn, drawn);
	assert_int_equal(place->part, part);
}

static void a_place_depends_on_test_family_and_variant(void **state)
{
	static const struct {
		struct curve_facts facts;
		struct curve_place place;
	} places[] = {
		{{.test = "stream", .family = "float"}, {.page = CURVE_MAIN}},
		{{.test = "banks", .family = "local memory"},
			{.drawn = CURVE_GRID}},
		{{.test = "banks", .family = "cached global memory, blocks"},
			{.drawn = CURVE_ROW}},
		{{.test = "math", .family = "best work-group, float"},
			{.page = CURVE_DETAIL, .part = 9}},
		{{.test = "math", .family = "double, row 3 of table 1"},
			{.page = CURVE_STRIP, .part = 2}},
		{{.test = "load", .family = "load"}, {.page = CURVE_MAIN}},
		{{.test = "load", .family = "CPUs of node 0, memory of node 1"},
			{.page = CURVE_DETAIL}},
		{{.test = "latency",
			 .family = "latency",
			 .y_unit = "ns",
			 .variant = "4k pages"},
			{.page = CURVE_MAIN}},
		{{.test = "latency", .family = "latency", .y_unit = "clk"},
			{.page = CURVE_DETAIL}},
		{{.test = "latency",
			 .family = "latency",
			 .y_unit = "ns",
			 .variant = "alone, 4k pages"},
			{.page = CURVE_DETAIL}},
		{{.family = "first block", .y_unit = CURVE_SPEED_UNIT},
			{.drawn = CURVE_ROW}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct curve curve = {.facts = places[i].facts};

		assert_place(curve_place_of(&curve, 1, 0), places[i].place.page,
			places[i].place.drawn, places[i].place.part);
	}
}

/* Of several accesses only the first shows its slowest CPU. */
static void the_slowest_cpu_of_the_first_access_is_shown(void **state)
{
	static const struct curve curves[] = {
		{.facts = {.test = "latency", .member = "load"}},
		{.facts = {.test = "bandwidth", .member = "write"}},
		{.facts = {.test = "bandwidth",
			 .member = "write",
			 .variant = "avx2, slowest CPU"}},
		{.facts = {.test = "bandwidth",
			 .member = "read",
			 .variant = "slowest CPU"}}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_place(curve_place_of(curves, 4, i),
			i < 3 ? CURVE_MAIN : CURVE_DETAIL, CURVE_LINE, 0);
}

/* On CPUs the first array of words, on GPUs the last, represents rowcol. */
static void one_array_represents_rowcol(void **state)
{
	static const char *const families[2][MOST] = {
		{"read, 1 MiB of bytes", "read, 4 MiB of words",
			"write, 4 MiB of words", "rows in vectors, read",
			"read, 64 MiB of words", "write, 64 MiB of words"},
		{"read, 1 MiB of bytes", "read, 4 MiB of words",
			"write, 4 MiB of words", "read, 256 MiB of words",
			"write, 256 MiB of words"}};
	static const struct curve_place places[2][MOST] = {
		{{.page = CURVE_DETAIL}, {.page = CURVE_MAIN},
			{.page = CURVE_MAIN, .part = 1},
			{.page = CURVE_MAIN, .part = 2}, {.page = CURVE_DETAIL},
			{.page = CURVE_DETAIL, .part = 1}},
		{{.page = CURVE_DETAIL}, {.page = CURVE_DETAIL},
			{.page = CURVE_DETAIL, .part = 1}, {.page = CURVE_MAIN},
			{.page = CURVE_MAIN, .part = 1}}};
	struct curve curves[2 * MOST] = {0};
	size_t n = 0, at = 0;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; families[k][i]; i++)
			curves[n++].facts =
				(struct curve_facts){.test = "rowcol",
					.family = families[k][i],
					.device = k ? "a GPU" : "a CPU"};
	}
	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 0; families[k][i]; i++)
			assert_place(curve_place_of(curves, n, at++),
				places[k][i].page, CURVE_LINE,
				places[k][i].part);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_place_depends_on_test_family_and_variant),
	cmocka_unit_test(the_slowest_cpu_of_the_first_access_is_shown),
	cmocka_unit_test(one_array_represents_rowcol),
};

CASE_GROUP(cases);
