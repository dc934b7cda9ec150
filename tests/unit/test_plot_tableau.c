/* Curves as tables: which cells there are, their colours and numbers. */
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
#include "render/picture.h"
#include "util/arena.h"

#define DARK	"#440154"
#define BRIGHT	"#FDE725"
#define MISSING "#E8E8E8"

#define FILL(colour) " fill=\"" colour "\"/>\n"
#define RECT_AT_100_50                                                         \
	"<rect x=\"100\" y=\"50\" width=\"15\" height=\"27.5\" fill=\""
#define MOST 40

/* Curves and their table. */
struct bench {
	struct arena memory;
	struct curve curves[MOST];
	struct curve_place places[MOST];
	size_t n;
	struct plot_options options;
	struct draw_table *table;
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	plot_options_init(&bench->options);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	for (size_t i = 0; i < bench->n; i++)
		curve_release(&bench->curves[i]);
	arena_release(&bench->memory);
	free(bench);
	return 0;
}

/* Values of a rate or a time, with intervals of this width. */
static void add(struct bench *bench, enum curve_drawn drawn, const char *member,
	const char *unit, size_t n, const double (*values)[2], double width)
{
	const struct curve_facts facts = {
		.family = "f", .member = member, .x_name = "x", .y_unit = unit};
	struct curve *curve = &bench->curves[bench->n++];

	assert_true(bench->n <= MOST);
	assert_true(curve_init(curve, &facts, n));
	bench->places[bench->n - 1].drawn = drawn;
	curve->place = &bench->places[bench->n - 1];
	for (size_t i = 0; i < n; i++)
		curve_set(curve, i, values[i][0],
			(double[]){values[i][1], values[i][1] - width / 2,
				values[i][1] + width / 2});
}

static int make(struct arena *memory, void *context, struct error *err)
{
	struct bench *bench = context;
	const struct curve *curves[MOST];

	(void)err;
	for (size_t i = 0; i < bench->n; i++)
		curves[i] = &bench->curves[i];
	bench->table =
		draw_table_new(memory, curves, bench->n, &bench->options);
	return 0;
}

static struct draw_table *table_of(struct bench *bench)
{
	assert_int_equal(
		arena_run(&bench->memory, make, bench, "the test", NULL), 0);
	return bench->table;
}

/* As SVG in a frame of that size; for free(). */
static char *drawn(const struct draw_table *table, double wide, double tall)
{
	char *text = NULL;
	size_t bytes;
	struct plot_view view = {.test = NULL};
	struct drawing drawing = {.canvas.memory = &view.memory, .view = &view};
	FILE *out = open_memstream(&text, &bytes);
	struct draw_panel frame = {100, 50, wide, tall, .size = 8};

	assert_non_null(out);
	draw_table(&drawing, table, &frame, 36);
	canvas_write_svg(&drawing.canvas, out);
	assert_int_equal(fclose(out), 0);
	arena_release(&view.memory);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void assert_value(
	const struct draw_table *table, size_t row, size_t column, double value)
{
	double found = table->values[row * table->columns + column];

	if (isnan(value))
		assert_true(isnan(found));
	else
		assert_true(found == value);
}

static const double first[][2] = {{1, 8}, {2, 4}, {8, 1}};
static const double second[][2] = {{1, 4}, {4, 2}};

static void rows_share_their_columns(void **state)
{
	struct bench *bench = *state;
	struct draw_table *table;

	add(bench, CURVE_ROW, "1 chain", "ns", 3, first, 0);
	add(bench, CURVE_ROW, "2 chains", "ns", 2, second, 0);
	table = table_of(bench);
	assert_non_null(table);
	assert_int_equal(table->rows, 2);
	assert_int_equal(table->columns, 4);
	assert_true(table->x[2] == 4);
	assert_value(table, 0, 1, 4);
	assert_value(table, 0, 2, NAN);
	assert_value(table, 0, 3, 1);
	assert_value(table, 1, 2, 2);
	assert_value(table, 1, 3, NAN);
	assert_string_equal(table->names[1], "2 chains");
}

static void a_grid_has_sixteen_x_in_a_row(void **state)
{
	static const double values[][2] = {{0, 5}, {17, 6}, {127, 7}};
	struct bench *bench = *state;
	struct draw_table *table;

	add(bench, CURVE_GRID, "4 B", "GiB/s", 3, values, 0);
	table = table_of(bench);
	assert_non_null(table);
	assert_int_equal(table->rows, 8);
	assert_int_equal(table->columns, 16);
	assert_value(table, 0, 0, 5);
	assert_value(table, 1, 1, 6);
	assert_value(table, 7, 15, 7);
	assert_value(table, 7, 14, NAN);
	assert_string_equal(table->names[7], "112");
}

/* A file may hold any x. Those are drawn as curves. */
static void odd_x_make_no_table(void **state)
{
	static const double odd[][2] = {
		{0.5, 1}, {-1, 1}, {1e300, 1}, {NAN, 1}, {INFINITY, 1}};
	struct bench *bench = *state;
	double many[65][2];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		add(bench, CURVE_GRID, "m", "ns", 1, &odd[i], 0);
		assert_null(table_of(bench));
		curve_release(&bench->curves[--bench->n]);
	}
	add(bench, CURVE_GRID, "m", "ns", 0, first, 0);
	assert_null(table_of(bench));
	curve_release(&bench->curves[--bench->n]);
	for (size_t i = 0; i < 65; i++)
		many[i][0] = many[i][1] = (double)i;
	add(bench, CURVE_ROW, "m", "ns", 65, many, 0);
	assert_null(table_of(bench));
	curve_release(&bench->curves[--bench->n]);
	for (size_t i = 0; i < 33; i++)
		add(bench, CURVE_ROW, "m", "ns", 1, many, 0);
	assert_null(table_of(bench));
}

static void dark_is_better(void **state)
{
	static const struct {
		const char *unit, *ends, *first;
	} cases[] = {{"ns", "dark is 1.00, bright is 8.00, colours by factors",
			     RECT_AT_100_50 BRIGHT},
		{"GiB/s", "dark is 8.00, bright is 1.00, colours by factors",
			RECT_AT_100_50 DARK}};
	struct bench *bench = *state;

	for (size_t i = 0; i < 2; i++) {
		struct draw_table *table;
		char *text;

		add(bench, CURVE_ROW, "1", cases[i].unit, 3, first, 0);
		add(bench, CURVE_ROW, "2", cases[i].unit, 2, second, 0);
		table = table_of(bench);
		text = drawn(table, 62, 56);
		assert_int_equal(count(text, "<rect x="), 8);
		assert_int_equal(count(text, FILL(MISSING)), 3);
		assert_int_equal(count(text, FILL(DARK)), 1);
		assert_int_equal(count(text, FILL(BRIGHT)), 1);
		assert_non_null(strstr(text, cases[i].first));
		assert_string_equal(
			draw_table_ends(&bench->memory, table), cases[i].ends);
		free(text);
		while (bench->n > 0)
			curve_release(&bench->curves[--bench->n]);
	}
}

/* Values that differ less than their intervals look alike. */
static void noise_has_no_colours(void **state)
{
	static const double values[][2] = {{1, 100}, {2, 101}};
	struct bench *bench = *state;
	struct draw_table *table;
	char *text;

	add(bench, CURVE_ROW, "m", "ns", 2, values, 20);
	table = table_of(bench);
	assert_true(table->scale.flat);
	text = drawn(table, 100, 20);
	assert_null(strstr(text, DARK));
	assert_null(strstr(text, BRIGHT));
	free(text);
	assert_string_equal(draw_table_ends(&bench->memory, table),
		"100 to 101: one colour, as intervals are as wide");
	curve_release(&bench->curves[--bench->n]);
	add(bench, CURVE_ROW, "m", "ns", 2, values, 0);
	table = table_of(bench);
	text = drawn(table, 100, 20);
	assert_non_null(strstr(text, DARK));
	assert_non_null(strstr(text, BRIGHT));
	free(text);
}

static void a_range_is_the_ends_of_the_colours(void **state)
{
	struct bench *bench = *state;

	bench->options.range_min = 0;
	bench->options.range_max = 10;
	add(bench, CURVE_ROW, "m", "GiB/s", 3, first, 100);
	assert_string_equal(draw_table_ends(&bench->memory, table_of(bench)),
		"dark is 10.0, bright is 0");
}

static void numbers_stand_in_cells_that_hold_them(void **state)
{
	static const double values[][2] = {{1, 0.1304}, {2, 21.58}};
	static const struct {
		double wide, tall;
		const char *low, *high;
	} cases[] = {{200, 28, ">0.130<", ">21.6<"}, {62, 28, ">0.13<", ">22<"},
		{30, 28, NULL, NULL}, {200, 10, NULL, NULL}};
	struct bench *bench = *state;
	struct draw_table *table;

	add(bench, CURVE_ROW, "m", "ns", 2, values, 0);
	table = table_of(bench);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = drawn(table, cases[i].wide, cases[i].tall);

		/* Two columns and a row have labels. */
		assert_int_equal(count(text, "</text>"), cases[i].low ? 5 : 3);
		if (cases[i].low) {
			assert_non_null(strstr(text, cases[i].low));
			assert_non_null(strstr(text, cases[i].high));
			/* Ink on dark, and on bright. */
			assert_int_equal(count(text, "\"#FFFFFF\">"), 1);
			assert_int_equal(count(text, "\"#000000\">"), 1);
		}
		free(text);
	}
}

/* Also where names are long, and cells narrower than a pixel. */
static void cells_stay_in_the_frame(void **state)
{
	static const struct {
		double wide, tall;
	} frames[] = {{168, 88}, {452, 224}, {20, 9}};
	struct bench *bench = *state;
	double values[128][2];
	struct draw_table *table;

	for (size_t i = 0; i < 128; i++) {
		values[i][0] = (double)i;
		values[i][1] = 1 + (double)i;
	}
	add(bench, CURVE_GRID, "m", "ns", 128, values, 0);
	for (size_t rows = 0; rows < 2; rows++) {
		table = table_of(bench);
		for (size_t i = 0; i < 3; i++) {
			char *text =
				drawn(table, frames[i].wide, frames[i].tall);
			const char *at = text;
			size_t cells = 0;

			for (; (at = strstr(at, "<rect x=")); at++) {
				double x, y, w, h;

				assert_int_equal(
					sscanf(at,
						"<rect x=\"%lf\" y=\"%lf\" "
						"width=\"%lf\" "
						"height=\"%lf\"",
						&x, &y, &w, &h),
					4);
				assert_true(
					x >= 100 && y >= 50 && w > 0 && h > 0);
				assert_true(x + w <= 100.01 + frames[i].wide);
				assert_true(y + h <= 50.01 + frames[i].tall);
				cells++;
			}
			assert_int_equal(cells, table->rows * table->columns);
			free(text);
		}
		curve_release(&bench->curves[--bench->n]);
		add(bench, CURVE_ROW, "a name that is longer than its table",
			"ns", 3, first, 0);
	}
}

/* Not of a table, but of what draws it: nothing else has such values. */
static void an_axis_does_not_reach_to_infinity(void **state)
{
	static const struct draw_extent ends[] = {
		{1, INFINITY}, {-INFINITY, 1}, {1, 1e30}, {NAN, NAN}};
	const struct bench *bench = *state;
	struct draw_axis axis;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		draw_choose_y(&axis, ends[i], CURVE_RATIOS, &bench->options, 5);
		assert_true(isfinite(axis.low) && isfinite(axis.high));
		assert_true(axis.low < axis.high);
		assert_in_range(axis.n, 2, DRAW_MARKS);
	}
}

#define CASE(function)                                                         \
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static const struct CMUnitTest cases[] = {
	CASE(rows_share_their_columns),
	CASE(a_grid_has_sixteen_x_in_a_row),
	CASE(odd_x_make_no_table),
	CASE(dark_is_better),
	CASE(noise_has_no_colours),
	CASE(a_range_is_the_ends_of_the_colours),
	CASE(numbers_stand_in_cells_that_hold_them),
	CASE(cells_stay_in_the_frame),
	CASE(an_axis_does_not_reach_to_infinity),
};

CASE_GROUP(cases);
