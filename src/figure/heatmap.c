/*
 * The layout of a heatmap, for 2 to 1,024 CPUs: square cells, whole pixels
 * wide, and texts that do not touch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/draw.h"
#include "figure/palette.h"

/*
 * Sizes of numbers in cells. Numbers lose decimals below the wanted size, and
 * are omitted below the least size.
 */
#define LEAST_SIZE  5.8
#define WANTED_SIZE 8

/* Size of the titles of several images, and of the room above them. */
#define TITLE_SIZE 11.0
#define HEAD	   16.0

/* Lines of frames and ticks. */
#define FRAME_LINE CANVAS_STROKE(0.5, DRAW_FRAME)

/* The position of an image: n by n square cells with the corner at x and y. */
struct image_place {
	const struct plot_image *image;
	size_t n;
	double x, y, cell, side;
	double tick_size, number_size;
	int decimals; /* decimals of the numbers in cells */
	size_t step;  /* label every step-th CPU */
};

struct heatmap_layout {
	struct drawing *drawing;
	const struct plot_view *view;
	struct plot_scale scale;
	struct image_place *places; /* [view->n_images] */
	size_t across;		    /* images per row */
	double label;		    /* width of a CPU's number, in em */
	double left, top, width, height;
	double side; /* side of the largest image in the first row */
};

/* More images than this need several rows. */
#define MOST_ACROSS 4

/*
 * Choose cell sizes: a row of images is at most 1,800 pixels wide, if possible.
 */
static void size_heatmap_cells(
	const struct heatmap_layout *map, struct image_place *place)
{
	double n = (double)place->n, panels = (double)map->across;
	double least = place->n > 512 ? 2 : map->view->n_images > 1 ? 3 : 4;
	double pixels = floor(fmin(1800, 300 * sqrt(n)) / sqrt(panels) / n);

	place->cell = fmax(least, pixels) / 2;
	place->side = n * place->cell;
	place->tick_size = 10;
	if (map->label * 10 + 4 > place->cell &&
		map->label * 8 + 3 <= place->cell)
		place->tick_size = 8;
	place->step = 1;
	while ((double)place->step * place->cell <
		map->label * place->tick_size + (place->step > 1 ? 8 : 3))
		place->step *= 2;
	/* With adjacent SMT siblings, an even step labels only half of them. */
	if (place->step > 1 && map->drawing->options->order != PLOT_ORDER_OS)
		place->step++;
}

/* Choose the largest letters that fit the cells; 0 if none fit. */
static void size_heatmap_numbers(
	const struct heatmap_layout *map, struct image_place *place)
{
	const struct plot_scale *scale = &map->scale;
	int d = plot_scale_decimals(scale);
	double size = 0;

	/* Cells that are too small for two digits have no numbers. */
	if (scale->n_values == 0 || place->cell < 2 * DRAW_DIGIT * LEAST_SIZE)
		return;
	for (; d >= 0 && size < (d > 0 ? WANTED_SIZE : LEAST_SIZE); d--) {
		double longest =
			(double)plot_longest_number(map->view, true, d);

		place->decimals = d;
		size = fmin(fmin(12, 0.45 * place->cell),
			0.82 * place->cell / (longest * DRAW_DIGIT));
	}
	place->number_size = size < LEAST_SIZE ? 0 : size;
}

/* Whether all cells have one colour, so that no colour bar is needed. */
static bool has_one_colour(const struct plot_scale *scale)
{
	return scale->n_values == 0 || scale->constant || scale->flat;
}

/* Return a note about the values if some are outside the colour bar. */
static char *note_values(const struct heatmap_layout *map, struct arena *memory)
{
	const struct plot_scale *scale = &map->scale;
	const char *unit = map->view->images->matrix.unit;
	char least[PLOT_NUMBER_BYTES], most[PLOT_NUMBER_BYTES];

	if (!has_one_colour(scale) || scale->n_values == 0)
		return plot_scale_note(scale, unit, memory);
	plot_format_fixed(least, scale->least,
		scale->counts ? 0 : plot_decimals(fabs(scale->least)));
	plot_format_fixed(most, scale->most,
		scale->counts ? 0 : plot_decimals(fabs(scale->most)));
	return strcmp(least, most) == 0
		       ? arena_format(
				 memory, "All values are %s %s.", least, unit)
		       : arena_format(memory, "Values from %s to %s %s.", least,
				 most, unit);
}

/* The texts next to the colour bar. */
struct colour_bar {
	struct draw_axis axis;
	char low[PLOT_NUMBER_BYTES + 8], high[PLOT_NUMBER_BYTES + 8];
	char *label;
	const char *better;
	double width; /* width of the numbers */
	bool broken;  /* the label is in two lines */
};

static void describe_colour_bar(
	const struct heatmap_layout *map, struct colour_bar *bar)
{
	const struct plot_scale *scale = &map->scale;
	double span = scale->high - scale->low;
	double step = draw_axis_tick_step(span, map->side < 250 ? 3 : 6),
	       length;
	int d = plot_scale_bar_decimals(scale);
	char low[PLOT_NUMBER_BYTES], high[PLOT_NUMBER_BYTES];

	*bar = (struct colour_bar){
		.axis = {.low = scale->low, .high = scale->high, .decimals = d},
		.label = plot_caption_bar(
			map->view, &map->drawing->view->memory),
		.better = plot_direction(&map->view->images->matrix)};
	if (d == 0)
		step = fmax(1, step);
	/* Keep the label away from the texts at the ends. */
	for (double v = (floor(scale->low / step) + 1) * step;
		bar->axis.n < DRAW_MARKS && v < scale->high;) {
		double near = span * 14 / map->side;

		if (v - scale->low > near && scale->high - v > near)
			bar->axis.marks[bar->axis.n++] = v;
		v = (round(v / step) + 1) * step;
	}
	plot_format_fixed(low, scale->low, d);
	plot_format_fixed(high, scale->high, d);
	snprintf(bar->low, sizeof(bar->low), "%s%s", scale->below ? "≤ " : "",
		low);
	snprintf(bar->high, sizeof(bar->high), "%s%s", scale->above ? "≥ " : "",
		high);
	bar->width = fmax(draw_length(bar->low), draw_length(bar->high)) *
		     DRAW_DIGIT * 10;
	length = draw_length(bar->label) + draw_length(bar->better) + 1;
	bar->broken = length * 0.57 * 10.5 > map->side + 20;
}

/* The first colour marks missing values; the others get brighter. */
static void choose_shades(
	const struct plot_scale *scale, uint32_t palette[CANVAS_SHADES])
{
	palette[0] = (uint32_t)strtoul(&PALETTE_MISSING[1], NULL, 16);
	for (size_t i = 1; i < CANVAS_SHADES; i++) {
		struct palette_colour colour = palette_at(
			scale->palette, (double)(i - 1) / (CANVAS_SHADES - 2));

		palette[i] =
			colour.red * 65536u + colour.green * 256u + colour.blue;
	}
}

static uint8_t shade_of_value(const struct plot_scale *scale, double value)
{
	return isnan(value)
		       ? 0
		       : (uint8_t)(1 + lround(plot_scale_share(scale, value) *
					       (CANVAS_SHADES - 2)));
}

/* Draw the colours from high to low, in a frame. */
static void draw_bar_colours(const struct heatmap_layout *map, double x)
{
	struct canvas *canvas = &map->drawing->canvas;
	const struct plot_scale *scale = &map->scale;
	double right = x + 16, bottom = map->top + map->side;
	const struct canvas_point frame[] = {{x, map->top}, {right, map->top},
		{right, bottom}, {x, bottom}, {x, map->top}};
	uint8_t cells[CANVAS_SHADES - 1];
	struct canvas_image image = {
		.columns = 1, .rows = sizeof(cells), .cells = cells};

	choose_shades(scale, image.palette);
	for (size_t i = 0; i < sizeof(cells); i++) {
		double share = 1 - ((double)i + 0.5) / sizeof(cells);

		cells[i] = shade_of_value(
			scale, scale->low + share * (scale->high - scale->low));
	}
	canvas_image(canvas, (struct canvas_box){x, map->top, 16, map->side},
		&image);
	canvas_polyline(canvas, frame, 5, FRAME_LINE);
}

static void draw_colour_bar(
	struct heatmap_layout *map, const struct colour_bar *bar)
{
	struct drawing *drawing = map->drawing;
	const struct plot_scale *scale = &map->scale;
	double x = map->left + map->width + 18, y = map->top + map->side / 2;
	char text[200];

	if (scale->n_values == 0)
		draw_text(drawing, DRAW_AT(map->left + map->width / 2, y, 12),
			"no values");
	if (has_one_colour(scale))
		return;
	draw_bar_colours(map, x);
	x += 16;
	for (size_t i = 0; i < bar->axis.n; i++) {
		double share = draw_axis_share(&bar->axis, bar->axis.marks[i]);
		double at = map->top + map->side * (1 - share);

		draw_mark(&bar->axis, i, text);
		draw_text(drawing, DRAW_AT(x + 6, at, 10, .align = CANVAS_LEFT),
			text);
		canvas_line(&drawing->canvas, x, at, x + 3, at, FRAME_LINE);
	}
	draw_text(drawing,
		DRAW_AT(x + 6, map->top + map->side, 10, .align = CANVAS_LEFT),
		bar->low);
	draw_text(drawing, DRAW_AT(x + 6, map->top, 10, .align = CANVAS_LEFT),
		bar->high);
	x += 6 + bar->width + 6 + 7;
	snprintf(text, sizeof(text), "%s%s%s", bar->label,
		bar->broken ? "" : " ", bar->broken ? "" : bar->better);
	draw_text(drawing, DRAW_AT(x, y, 10.5, .upwards = true), text);
	if (bar->broken)
		draw_text(drawing, DRAW_AT(x + 14, y, 10.5, .upwards = true),
			bar->better);
}

/* Draw a CPU's label on both axes, with a tick if some CPUs have no label. */
static void draw_cpu_label(
	struct drawing *drawing, const struct image_place *place, size_t i)
{
	double across = place->x + ((double)i + 0.5) * place->cell;
	double down = place->y + ((double)i + 0.5) * place->cell;
	double bottom = place->y + place->side;
	char label[16];

	snprintf(label, sizeof(label), "%u", place->image->cpus.cpus[i]);
	draw_text(drawing,
		DRAW_AT(across, bottom + 5 + place->tick_size / 2,
			place->tick_size),
		label);
	draw_text(drawing,
		DRAW_AT(place->x - 6, down, place->tick_size,
			.align = CANVAS_RIGHT),
		label);
	if (place->step == 1)
		return;
	canvas_line(&drawing->canvas, across, bottom, across, bottom + 3,
		FRAME_LINE);
	canvas_line(&drawing->canvas, place->x - 3, down, place->x, down,
		FRAME_LINE);
}

/* Draw lines where groups begin, and around the image. */
static void draw_group_borders(
	struct drawing *drawing, const struct image_place *place)
{
	double right = place->x + place->side, bottom = place->y + place->side;

	for (size_t i = 0; i <= place->n; i++) {
		bool end = i == 0 || i == place->n;
		enum plot_border border =
			end ? PLOT_BORDER_NONE : place->image->borders[i];
		double at = (double)i * place->cell;
		double width = border == PLOT_BORDER_MAJOR ? 2 : 0.6;
		struct canvas_stroke line =
			end ? FRAME_LINE : CANVAS_STROKE(width, "#FFFFFF");

		if (!end && border == PLOT_BORDER_NONE)
			continue;
		canvas_line(&drawing->canvas, place->x + at, place->y,
			place->x + at, bottom, line);
		canvas_line(&drawing->canvas, place->x, place->y + at, right,
			place->y + at, line);
	}
}

/* Largest number of CPUs for which missing cells get a stroke. */
#define MOST_STROKES 128

static struct canvas_point middle_of_cell(
	const struct image_place *place, size_t i)
{
	size_t row = i / place->n, column = i % place->n;

	return (struct canvas_point){
		place->x + ((double)column + 0.5) * place->cell,
		place->y + ((double)row + 0.5) * place->cell};
}

/* Draw strokes through the cells without a value. */
static void draw_cell_strokes(
	struct drawing *drawing, const struct image_place *place)
{
	const double *values = place->image->matrix.values;
	double quarter = place->cell / 4;

	for (size_t i = 0; i < place->n * place->n; i++) {
		struct canvas_point at = middle_of_cell(place, i);

		if (!isnan(values[i]) || i % place->n == i / place->n)
			continue;
		canvas_line(&drawing->canvas, at.x - quarter, at.y + quarter,
			at.x + quarter, at.y - quarter,
			CANVAS_STROKE(0.5, "#999999"));
	}
}

static void draw_cell_numbers(
	const struct heatmap_layout *map, const struct image_place *place)
{
	for (size_t i = 0; i < place->n * place->n; i++) {
		double value = place->image->matrix.values[i];
		struct canvas_point at = middle_of_cell(place, i);
		char number[PLOT_NUMBER_BYTES], colour[PALETTE_BYTES];

		if (isnan(value))
			continue;
		palette_write(
			palette_ink(plot_scale_colour(&map->scale, value)),
			colour);
		plot_format_short(number, value, place->decimals);
		draw_text(map->drawing,
			DRAW_AT(at.x, at.y, place->number_size,
				.colour = colour),
			number);
	}
}

static void draw_matrix_cells(
	const struct heatmap_layout *map, const struct image_place *place)
{
	size_t n = place->n;
	uint8_t *cells = arena_alloc(&map->drawing->view->memory, n * n, 1);
	struct canvas_image image = {.columns = n, .rows = n, .cells = cells};

	choose_shades(&map->scale, image.palette);
	for (size_t i = 0; i < n * n; i++)
		cells[i] = shade_of_value(
			&map->scale, place->image->matrix.values[i]);
	canvas_image(&map->drawing->canvas,
		(struct canvas_box){
			place->x, place->y, place->side, place->side},
		&image);
	/* Dark pages do not change the colours of texts on cells. */
	map->drawing->canvas.dark = false;
	if (n <= MOST_STROKES)
		draw_cell_strokes(map->drawing, place);
	if (place->number_size > 0)
		draw_cell_numbers(map, place);
	draw_group_borders(map->drawing, place);
	map->drawing->canvas.dark = map->drawing->options->dark;
}

static void draw_heatmap_image(
	const struct heatmap_layout *map, const struct image_place *place)
{
	double middle = place->x + place->side / 2;
	double bottom = place->y + place->side;

	draw_text(map->drawing,
		DRAW_AT(middle, place->y - 10, TITLE_SIZE, .bold = true),
		place->image->title);
	draw_text(map->drawing,
		DRAW_AT(middle, bottom + 5 + place->tick_size + 11, 10.5),
		plot_role(place->image, true));
	for (size_t i = 0; i < place->n; i += place->step)
		draw_cpu_label(map->drawing, place, i);
	draw_matrix_cells(map, place);
}

/* Place the images in rows, from the top left. */
static void place_images(struct heatmap_layout *map)
{
	double head = map->view->images->title ? HEAD : 0, right = 0;

	for (size_t i = 0; i < map->view->n_images; i++) {
		struct image_place *place = &map->places[i];
		const char *title = place->image->title;
		double slot = fmax(place->side,
			title ? ceil(0.66 * TITLE_SIZE * draw_length(title))
			      : 0);

		if (i % map->across == 0) {
			right = 0;
			map->top = map->height + head;
		}
		place->x = right + (slot - place->side) / 2;
		place->y = map->top;
		map->width = fmax(map->width, right + slot);
		map->height = fmax(map->height,
			place->y + place->side + place->tick_size + 25);
		right += slot + ceil(map->label * place->tick_size + 24);
		if (i < map->across)
			map->side = fmax(map->side, place->side);
	}
}

static void lay_out_images(struct heatmap_layout *map)
{
	size_t n = map->view->n_images;
	unsigned most = 0;

	map->across = n;
	if (n > MOST_ACROSS)
		map->across = (size_t)ceil(sqrt((double)n));
	for (size_t i = 0; i < n; i++) {
		const struct cpu_list *cpus = &map->view->images[i].cpus;

		for (size_t k = 0; k < cpus->n; k++)
			most = cpus->cpus[k] > most ? cpus->cpus[k] : most;
	}
	map->label = DRAW_DIGIT * snprintf(NULL, 0, "%u", most);
	for (size_t i = 0; i < n; i++) {
		struct image_place *place = &map->places[i];

		place->image = &map->view->images[i];
		place->n = place->image->cpus.n;
		size_heatmap_cells(map, place);
		size_heatmap_numbers(map, place);
	}
	place_images(map);
}

static void lay_out_heatmap(
	struct heatmap_layout *map, const struct colour_bar *bar)
{
	double right = has_one_colour(&map->scale)
			       ? 12
			       : 18 + 16 + 6 + bar->width + 6 + 14 + 12 +
					 (bar->broken ? 14 : 0);

	map->left = 12 + 20 + map->label * map->places->tick_size + 6;
	map->drawing->canvas.width =
		ceil(fmax(map->view->n_images > 1 ? 640 : 560,
			map->left + map->width + right));
	map->left +=
		(map->drawing->canvas.width - map->left - map->width - right) /
		2;
}

int draw_heatmap(struct arena *memory, void *context, struct error *err)
{
	struct drawing *drawing = context;
	const struct plot_view *view = drawing->view;
	const char *unit = view->images->matrix.unit;
	struct heatmap_layout map = {.drawing = drawing,
		.view = view,
		.places = arena_alloc(
			memory, view->n_images, sizeof(struct image_place))};
	const char *notes[DRAW_NOTES] = {NULL}, *doubt;
	struct colour_bar bar;
	double top;

	(void)err;
	plot_scale_init(&map.scale, view, drawing->options, memory);
	notes[0] = note_values(&map, memory);
	notes[1] = plot_caption_doubts(drawing->view);
	doubt = plot_scale_doubt(&map.scale, unit, memory);
	if (notes[1] && doubt)
		notes[1] = arena_format(memory, "%s %s", notes[1], doubt);
	else if (doubt)
		notes[1] = doubt;
	lay_out_images(&map);
	describe_colour_bar(&map, &bar);
	lay_out_heatmap(&map, &bar);
	top = draw_captions(drawing, notes, map.height);
	for (size_t i = 0; i < view->n_images; i++) {
		map.places[i].x += map.left;
		map.places[i].y += top;
	}
	map.top = map.places->y;
	draw_colour_bar(&map, &bar);
	for (size_t i = 0; i < view->n_images; i++) {
		const struct image_place *place = &map.places[i];
		const char *role = plot_role(place->image, false);

		if (i % map.across == 0 ||
			!text_same(role, plot_role(place[-1].image, false)))
			draw_text(drawing,
				DRAW_AT(place->x -
						map.label * place->tick_size -
						18,
					place->y + place->side / 2, 10.5,
					.upwards = true),
				role);
		draw_heatmap_image(&map, place);
	}
	return 0;
}
