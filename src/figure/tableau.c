/*
 * Draws curves as tables of coloured cells, with numbers if they fit. A curve
 * is a row of a table (CURVE_ROW), or a table with x row by row (CURVE_GRID).
 * Dark is better, as in heatmaps.
 */
#include <math.h>

#include "figure/draw.h"
#include "figure/palette.h"
#include "stat/stat.h"
#include "util/arena.h"

/* Larger tables are drawn as curves; a file may have many x. */
#define MOST_COLUMNS 64
#define MOST_ROWS    32

/* Values that differ by more than this factor get a logarithmic scale. */
#define FACTOR 4

/* Numbers have three digits, or two if letters are below the wanted size. */
#define LEAST_SIZE  5.8
#define WANTED_SIZE 8

#define LETTER	0.57 /* mean width of a letter, in em */
#define GAP	0.5
#define TALLEST 28.0 /* height of a cell */

static bool is_grid_x(double x)
{
	return x >= 0 && x < (double)CURVE_GRID_COLUMNS * MOST_ROWS &&
	       x == floor(x);
}

/* Each x of the curves is a column, and each curve a row. */
static bool collect_table_columns(struct arena *memory,
	struct draw_table *table, const struct curve *const *curves, size_t n)
{
	double *x;

	table->columns = draw_collect_x(memory, curves, n, &x);
	table->x = x;
	table->rows = n;
	return table->columns > 0 && table->columns <= MOST_COLUMNS &&
	       n <= MOST_ROWS;
}

/* Choose the number of rows of a grid, so that the largest x has a cell. */
static bool size_grid_table(struct draw_table *table, const struct curve *curve)
{
	table->columns = CURVE_GRID_COLUMNS;
	for (size_t i = 0; i < curve->n; i++) {
		size_t row;

		if (!is_grid_x(curve->x[i]))
			return false;
		row = (size_t)curve->x[i] / CURVE_GRID_COLUMNS;
		table->rows = row < table->rows ? table->rows : row + 1;
	}
	return table->rows > 0;
}

static size_t find_table_cell(
	const struct draw_table *table, size_t row, double x)
{
	size_t column = 0;

	if (!table->x)
		return (size_t)x;
	while (table->x[column] != x)
		column++;
	return row * table->columns + column;
}

/* Name the rows; a row of a grid is named by the x of its first cell. */
static void name_table_rows(struct arena *memory, struct draw_table *table,
	const struct curve *const *curves)
{
	char name[CURVE_NAME_BYTES];

	table->names = arena_alloc(memory, table->rows, sizeof(char *));
	for (size_t i = 0; i < table->rows; i++)
		table->names[i] = table->x
					  ? arena_strdup(memory,
						    curve_name(curves[i], name))
					  : arena_format(memory, "%zu",
						    i * CURVE_GRID_COLUMNS);
}

static double table_scale_value(const struct draw_table *table, double value)
{
	return table->powers ? log(value) : value;
}

/* Return the median width of the intervals, or NaN. */
static double median_curve_noise(struct arena *memory,
	const struct curve *const *curves, size_t n, size_t cells)
{
	double *widths = arena_alloc(memory, cells, sizeof(*widths));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < curves[i]->n && used < cells; k++) {
			if (!curves[i]->low || !curves[i]->high)
				continue;
			widths[used] = curves[i]->high[k] - curves[i]->low[k];
			used += !isnan(widths[used]);
		}
	}
	return stat_median(widths, used);
}

/*
 * Scale from the minimum to the maximum, or as the options fix it. Tables have
 * to show outliers, so no value is off the scale.
 */
static void choose_table_scale(struct draw_table *table,
	const struct curve *curve, double noise,
	const struct plot_options *options)
{
	struct draw_extent all = draw_nothing;
	struct plot_scale *scale = &table->scale;

	draw_extend(&all, table->values, table->rows * table->columns);
	*scale = (struct plot_scale){.high = 1,
		.least = all.least,
		.most = all.most,
		.noise = noise,
		.palette = options->palette,
		.reversed = curve->of_rates ||
			    curve_higher_is_better(&curve->facts)};
	if (isnan(all.least))
		return;
	scale->n_values = 1;
	if (!isnan(options->range_min))
		all = (struct draw_extent){
			options->range_min, options->range_max};
	table->powers = all.least > 0 && all.most >= FACTOR * all.least;
	scale->low = table_scale_value(table, all.least);
	scale->high = table_scale_value(table, all.most);
	if (isnan(options->range_min) && !table->powers)
		plot_scale_judge_noise(scale);
	/* The middle colour: all values are equal, neither good nor bad. */
	plot_scale_surround(scale);
}

struct draw_table *draw_table_new(struct arena *memory,
	const struct curve *const *curves, size_t n,
	const struct plot_options *options)
{
	struct draw_table *table = arena_alloc(memory, 1, sizeof(*table));
	bool grid = curves[0]->place->drawn == CURVE_GRID;
	size_t cells;

	*table = (struct draw_table){
		.bytes = curve_axis_is_bytes(curves[0]->facts.x_axis)};
	if (grid ? n != 1 || !size_grid_table(table, curves[0])
		 : !collect_table_columns(memory, table, curves, n))
		return NULL;
	cells = table->rows * table->columns;
	table->values = arena_alloc(memory, cells, sizeof(double));
	for (size_t i = 0; i < cells; i++)
		table->values[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < curves[i]->n; k++) {
			if (!isnan(curves[i]->x[k]))
				table->values[find_table_cell(
					table, i, curves[i]->x[k])] =
					curves[i]->median[k];
		}
	}
	name_table_rows(memory, table, curves);
	choose_table_scale(table, curves[0],
		median_curve_noise(memory, curves, n, cells), options);
	return table;
}

double draw_table_height(const struct draw_table *table, double most)
{
	return fmin(most, TALLEST * (double)table->rows);
}

/* Format a value with two or three digits. */
static void format_table_value(
	char text[PLOT_NUMBER_BYTES], double value, int figures)
{
	int decimals = plot_decimals(fabs(value)) - (figures < 3);

	plot_format_short(text, value, decimals > 0 ? decimals : 0);
}

char *draw_table_ends(struct arena *memory, const struct draw_table *table)
{
	const struct plot_scale *scale = &table->scale;
	double ends[2] = {scale->low, scale->high};
	char text[2][PLOT_NUMBER_BYTES];

	if (scale->n_values == 0)
		return arena_strdup(memory, "no values");
	if (scale->most <= scale->least) {
		plot_format_figures(text[0], scale->least);
		return arena_format(memory, "all values are %s", text[0]);
	}
	for (size_t i = 0; i < 2; i++) {
		plot_format_figures(
			text[i], table->powers ? exp(ends[i]) : ends[i]);
	}
	if (scale->flat)
		return arena_format(memory,
			"%s to %s: one colour, as intervals are as wide",
			text[0], text[1]);
	return arena_format(memory, "dark is %s, bright is %s%s",
		text[scale->reversed], text[!scale->reversed],
		table->powers ? ", colours by factors" : "");
}

/* Return the size of letters that fit a cell, or 0; set their digits. */
static double size_table_numbers(
	const struct draw_table *table, double wide, double tall, int *figures)
{
	double size = 0;

	for (*figures = 4; *figures > 2 && size < WANTED_SIZE;) {
		size_t longest = 1;

		--*figures;
		for (size_t i = 0; i < table->rows * table->columns; i++) {
			char text[PLOT_NUMBER_BYTES];
			size_t length;

			if (isnan(table->values[i]))
				continue;
			format_table_value(text, table->values[i], *figures);
			length = (size_t)draw_length(text);
			longest = length > longest ? length : longest;
		}
		size = fmin(fmin(10, 0.45 * tall),
			0.82 * wide / ((double)longest * DRAW_DIGIT));
	}
	return size < LEAST_SIZE ? 0 : size;
}

/* The position and size of the cells. */
struct cell_layout {
	double x, y, width, height;
	double letters; /* 0: no numbers */
	int figures;
};

/* Draw a cell's colour or its number. */
static void draw_table_cell(struct drawing *drawing,
	const struct draw_table *table, const struct cell_layout *cells,
	size_t i, bool number)
{
	double value = table->values[i];
	size_t row = i / table->columns;
	double x = cells->x + cells->width * (double)(i % table->columns);
	double y = cells->y + cells->height * (double)row;
	char text[PLOT_NUMBER_BYTES], ink[PALETTE_BYTES];
	char ground[PALETTE_BYTES] = PALETTE_MISSING;
	struct palette_colour colour = plot_scale_colour(
		&table->scale, table_scale_value(table, value));

	if (!isnan(value))
		palette_write(colour, ground);
	if (!number)
		canvas_rect(&drawing->canvas,
			(struct canvas_box){
				x, y, cells->width - GAP, cells->height - GAP},
			ground);
	if (!number || isnan(value) || cells->letters == 0)
		return;
	palette_write(palette_ink(colour), ink);
	format_table_value(text, value, cells->figures);
	draw_text(drawing,
		DRAW_AT(x + cells->width / 2, y + cells->height / 2,
			cells->letters, .colour = ink),
		text);
}

/* Format a column's label: its x, or in a grid the offset from the row's x. */
static void format_column_label(
	const struct draw_table *table, size_t i, char text[PLOT_NUMBER_BYTES])
{
	if (table->x && table->bytes)
		plot_format_bytes(text, table->x[i]);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g",
			table->x ? table->x[i] : (double)i);
}

/* Return the step between labels: 1 for every label, 2 for every second, ... */
static size_t choose_label_step(double pitch, double room)
{
	size_t step = 1;

	while ((double)step * pitch < room)
		step *= 2;
	return step;
}

/* Draw the labels of columns and rows; `room` is for names of rows. */
static void draw_table_labels(struct drawing *drawing,
	const struct draw_table *table, const struct cell_layout *cells,
	double size, double room)
{
	double bottom = cells->y + cells->height * (double)table->rows;
	double longest = 1;
	size_t step;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < table->columns; i++) {
		format_column_label(table, i, text);
		longest = fmax(longest, draw_length(text));
	}
	step = choose_label_step(cells->width, longest * DRAW_DIGIT * size + 3);
	for (size_t i = 0; i < table->columns; i += step) {
		format_column_label(table, i, text);
		draw_text(drawing,
			DRAW_AT(cells->x + cells->width * ((double)i + 0.5),
				bottom + 1.3 * size, size, .colour = DRAW_GREY),
			text);
	}
	step = choose_label_step(cells->height, size + 1);
	for (size_t i = 0; i < table->rows; i += step)
		draw_text(drawing,
			DRAW_AT(cells->x - 0.6 * size,
				cells->y + cells->height * ((double)i + 0.5),
				size, .align = CANVAS_RIGHT,
				.colour = DRAW_GREY),
			draw_cut(drawing, table->names[i],
				room / (LETTER * size)));
}

void draw_table(struct drawing *drawing, const struct draw_table *table,
	const struct draw_panel *frame, double margin)
{
	double names = 0, more, wide = frame->width;
	struct canvas *canvas = &drawing->canvas;
	bool dark = canvas->dark, page = canvas->page;
	struct cell_layout cells = {.y = round(2 * frame->y) / 2};

	for (size_t i = 0; i < table->rows; i++)
		names = fmax(names, draw_length(table->names[i]));
	/* Long names reduce the table's width, within a limit. */
	more = fmax(0, (0.6 + LETTER * names) * frame->size - margin);
	more = fmin(more, wide / 2);
	wide -= more;
	/* Round cells to whole pixels of a PNG, if they have several pixels. */
	cells.x = round(2 * (frame->x + more)) / 2;
	cells.width = wide / (double)table->columns;
	cells.height = frame->height / (double)table->rows;
	cells.width =
		cells.width < 2 ? cells.width : floor(2 * cells.width) / 2;
	cells.height =
		cells.height < 2 ? cells.height : floor(2 * cells.height) / 2;
	cells.letters = size_table_numbers(
		table, cells.width, cells.height, &cells.figures);
	/* Texts on cells are the same on a dark page. */
	canvas->dark = canvas->page = false;
	for (size_t i = 0; i < table->rows * table->columns; i++)
		draw_table_cell(drawing, table, &cells, i, false);
	for (size_t i = 0; i < table->rows * table->columns; i++)
		draw_table_cell(drawing, table, &cells, i, true);
	canvas->dark = dark;
	canvas->page = page;
	draw_table_labels(drawing, table, &cells, frame->size, margin + more);
}
