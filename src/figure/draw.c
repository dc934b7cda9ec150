/*
 * The parts of all pictures: texts, lines, axes and their marks.
 */
#include "figure/draw.h"

#include <math.h>
#include <string.h>

#include "stat/stat.h"
#include "util/array.h"
#include "util/text.h"

#define MARGIN 12

/* The last byte of the dot between the parts of a caption. */
#define DOT_END '\xb7'

/* With fewer values, an axis also has marks at other positions. */
#define FEW_VALUES 4

/*
 * The colours of Okabe and Ito (Color Universal Design, 2008) for colour
 * blindness, dark colours first. Texts have a darker shade, background lines a
 * half-white shade. Shapes also differ, for grey print.
 */
static const struct {
	const char *colour, *ink, *pale;
} colours[DRAW_COLOURS] = {
	{"#0072B2", "#0067A1", "#80B8D8"},
	{"#D55E00", "#B54F00", "#EAAE80"},
	{"#009E73", "#007755", "#80CEB9"},
	{"#CC79A7", "#9A4F7A", "#E5BCD3"},
	{"#444444", "#444444", "#A1A1A1"},
	{"#E69F00", "#8F6200", "#F2CF80"},
	{"#56B4E9", "#22749F", "#AAD9F4"},
};
static const int shapes[] = {CANVAS_DISC, CANVAS_SQUARE, CANVAS_TRIANGLE,
	CANVAS_DIAMOND, CANVAS_TRIANGLE_DOWN, CANVAS_PENTAGON};

const struct draw_extent draw_nothing = {NAN, NAN};

const char *draw_colour(size_t look)
{
	return colours[look % N_OF(colours)].colour;
}

const char *draw_ink(size_t look)
{
	return colours[look % N_OF(colours)].ink;
}

const char *draw_pale(size_t look)
{
	return colours[look % N_OF(colours)].pale;
}

int draw_shape(size_t look)
{
	return shapes[look % N_OF(shapes)];
}

void draw_text(
	struct drawing *drawing, struct canvas_words at, const char *text)
{
	char *words;

	if (!text || !*text)
		return;
	words = arena_strdup(&drawing->view->memory, text);
	text_make_xml(words);
	canvas_text(&drawing->canvas, at, words);
}

double draw_length(const char *text)
{
	return (double)text_columns(text, strlen(text));
}

const char *draw_cut(struct drawing *drawing, const char *text, double columns)
{
	size_t most = (size_t)fmax(columns, 1), bytes = strlen(text);

	if (text_columns(text, bytes) <= most)
		return text;
	while (text_columns(text, bytes) >= most)
		bytes--;
	return arena_format(&drawing->view->memory, "%.*s…", (int)bytes, text);
}

double draw_lines(struct drawing *drawing, struct canvas_words at, double room,
	char after, const char *text)
{
	/* Mean width of a letter, in em. */
	double letter = at.bold ? 0.66 : 0.57,
	       pitch = DRAW_LINE_PITCH * at.size;
	size_t most = (size_t)(room / (letter * at.size));
	int lines = 0;

	for (; text && *text && lines < 3; lines++) {
		size_t bytes = text_line(text, most, after);
		char line[600];

		/* Break a long part after a word, and a long word anywhere. */
		if (text_columns(text, bytes) > most)
			bytes = text_line(text, most, ' ');
		while (text_columns(text, bytes) > most)
			bytes--;
		snprintf(line, sizeof(line), "%.*s%s", (int)bytes, text,
			text[bytes] && lines == 2 ? "…" : "");
		if (!isnan(at.y))
			draw_text(drawing, at, line);
		at.y += pitch;
		text += bytes;
		text += strspn(text, " ");
	}
	return lines * pitch;
}

/* Draw both captions in a given width; return their height. */
static double draw_head(
	struct drawing *drawing, struct canvas_words at, double room)
{
	const char *title = drawing->options->title;
	double top = at.y;

	if (!title)
		title = plot_caption_machine(drawing->view);
	if (*title) {
		char *words = arena_strdup(&drawing->view->memory, title);

		text_make_xml(words);
		drawing->canvas.title = words;
	}
	at.y += draw_lines(drawing, at, room,
		drawing->options->title ? ' ' : DOT_END, title);
	at.size = 10.5;
	at.bold = false;
	at.colour = DRAW_GREY;
	at.y += draw_lines(
		drawing, at, room, ' ', plot_caption_method(drawing->view));
	at.y += draw_lines(drawing, at, room, ' ', drawing->view->cells);
	return at.y - top;
}

double draw_captions(struct drawing *drawing,
	const char *const notes[DRAW_NOTES], double high)
{
	bool page = drawing->panel;
	struct canvas_words at = {.x = drawing->canvas.width / 2,
		.y = page ? 0 : MARGIN + 6,
		.size = 13,
		.bold = true};
	double top, room = drawing->canvas.width - 2 * MARGIN;

	if (!page)
		at.y += draw_head(drawing, at, room);
	top = ceil(at.y + 2); /* cells begin on a whole pixel */
	at.y = top + high + (page ? 2 : 8);
	at.size = page ? 7.5 : 9;
	at.bold = false;
	at.colour = DRAW_GREY;
	for (size_t i = 0; i < DRAW_NOTES; i++) {
		char *rest = notes[i] ? arena_strdup(&drawing->view->memory,
						notes[i])
				      : NULL;

		for (const char *line; (line = strsep(&rest, "\n"));)
			at.y += draw_lines(drawing, at, room, ' ', line);
	}
	drawing->canvas.height = ceil(at.y + (page ? 0 : MARGIN - 6));
	return top;
}

double draw_axis_tick_step(double span, double parts)
{
	double power = pow(10, floor(log10(span / parts)));
	double r = span / parts / power;

	return (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10) * power;
}

double draw_axis_share(const struct draw_axis *axis, double value)
{
	if (axis->base > 0)
		return log(value / axis->low) / log(axis->high / axis->low);
	return (value - axis->low) / (axis->high - axis->low);
}

/* Format a count: "512", "4 Ki", "16 Mi". */
static void format_binary_count(char text[PLOT_NUMBER_BYTES], double value)
{
	const char *unit = "";

	for (size_t i = 1; i <= 2 && value >= 1024 && fmod(value, 1024) == 0;
		i++) {
		value /= 1024;
		unit = i == 1 ? " Ki" : " Mi";
	}
	snprintf(text, PLOT_NUMBER_BYTES, "%.7g%s", value, unit);
}

void draw_mark(
	const struct draw_axis *axis, size_t i, char text[PLOT_NUMBER_BYTES])
{
	double value = axis->marks[i];

	if (axis->bytes)
		plot_format_bytes(text, value);
	else if (axis->decimals >= 0)
		plot_format_fixed(text, value, axis->decimals);
	else if (axis->base == 2)
		format_binary_count(text, value);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g", value);
}

static void add_axis_mark(struct draw_axis *axis, double value)
{
	if (axis->n < DRAW_MARKS)
		axis->marks[axis->n++] = value + 0.0; /* never -0 */
}

void draw_extend(struct draw_extent *extent, const double *values, size_t n)
{
	for (size_t i = 0; values && i < n; i++) {
		/* fmin() and fmax() ignore a NaN. */
		extent->least = fmin(extent->least, values[i]);
		extent->most = fmax(extent->most, values[i]);
	}
}

/* Mark the first doubling, and every step-th from the last backwards. */
static void mark_doublings(
	struct draw_axis *axis, struct draw_extent extent, int step)
{
	int doublings = (int)(log2(extent.most / extent.least) + 0.2);

	for (int d = 0; d <= doublings; d++) {
		if (d == 0 || (d >= step && (doublings - d) % step == 0))
			add_axis_mark(axis, ldexp(extent.least, d));
	}
}

/* Mark round numbers within the ends. */
static void mark_steps(struct draw_axis *axis, double step)
{
	double first = ceil(axis->low / step - 1e-9);
	double last = floor(axis->high / step + 1e-9);
	size_t n = (size_t)fmin(fmax(last - first + 1, 0), DRAW_MARKS);

	for (size_t i = 0; i < n; i++)
		add_axis_mark(axis, (first + (double)i) * step);
}

/* Whether the marks do not touch, or are too few to omit any. */
static bool axis_marks_fit(
	const struct draw_axis *axis, double width, double size)
{
	double before = 0, from = 0;
	bool fit = true;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < axis->n; i++) {
		double share = draw_axis_share(axis, axis->marks[i]), letters;

		draw_mark(axis, i, text);
		letters = draw_length(text);
		fit &= i == 0 ||
		       (share - from) * width >=
			       (0.31 * (before + letters) + 0.7) * size;
		before = letters;
		from = share;
	}
	return fit || axis->n < 3;
}

size_t draw_distinct(double *values, size_t n)
{
	size_t used = 0;

	stat_sort(values, n);
	n = stat_count_numbers(values, n);
	for (size_t i = 0; i < n; i++) {
		if (used == 0 || values[i] != values[used - 1])
			values[used++] = values[i];
	}
	return used;
}

size_t draw_collect_x(struct arena *memory, const struct curve *const *curves,
	size_t n, double **x)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += curves[i]->n;
	*x = arena_alloc(memory, all, sizeof(**x));
	all = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < curves[i]->n; k++)
			(*x)[all++] = curves[i]->x[k];
	}
	return draw_distinct(*x, all);
}

void draw_choose_x(struct draw_axis *axis, const double *values, size_t n,
	enum curve_axis kind, double width, double size)
{
	double least = n ? values[0] : NAN, most = n ? values[n - 1] : NAN;
	double span = most - least;
	bool whole = least == floor(least) && most == floor(most);

	*axis = (struct draw_axis){
		.high = 1, .decimals = -1, .bytes = curve_axis_is_bytes(kind)};
	if (isnan(least))
		return;
	if (kind != CURVE_SHARES && least > 0 && most > least &&
		isfinite(most / least) &&
		(axis->bytes || most >= 8 * least || most >= 10000))
		axis->base = 2;
	/* Leave some room at each end. */
	axis->low = least - 0.025 * span;
	axis->high = most + 0.025 * span;
	if (axis->base > 0) {
		axis->low = least / pow(most / least, 0.025);
		axis->high = most * pow(most / least, 0.025);
	} else if (span == 0) {
		axis->low = least - 1;
		axis->high = least + 1;
		add_axis_mark(axis, least);
		return;
	}
	for (size_t i = 0; n >= FEW_VALUES && n <= DRAW_MARKS && i < n; i++)
		add_axis_mark(axis, values[i]);
	if (axis->n > 0 && kind != CURVE_MEASURED &&
		axis_marks_fit(axis, width, size))
		return;
	for (int i = 1;
		i == 1 || (i <= 64 && !axis_marks_fit(axis, width, size));
		i++) {
		double step = draw_axis_tick_step(span, fmax(1, 9 - i));

		axis->n = 0;
		if (axis->base > 0)
			mark_doublings(
				axis, (struct draw_extent){least, most}, i);
		else
			mark_steps(axis, whole ? fmax(1, step) : step);
	}
}

void draw_choose_x_names(struct draw_axis *axis, const struct curve *curve)
{
	bool steps = curve->n_x_names > 0 && curve->n <= DRAW_MARKS;

	for (size_t i = 0; steps && i < curve->n; i++)
		steps = curve->x[i] == curve->x[0] + (double)i;
	if (!steps)
		return;
	*axis = (struct draw_axis){.named = curve,
		.low = curve->x[0] - 0.5,
		.high = curve->x[curve->n - 1] + 0.5};
	for (size_t i = 0; i < curve->n; i++)
		add_axis_mark(axis, curve->x[i]);
}

/* Mark powers, and also 2 and 5 times these if there are few powers of ten. */
static void mark_powers(struct draw_axis *axis, double parts)
{
	bool few = axis->base == 10 &&
		   axis->high < pow(10, fmax(2, (parts + 4) / 3)) * axis->low;
	double log_low = log(axis->low) / log(axis->base);
	double log_high = log(axis->high) / log(axis->base);
	double step = fmax(1, ceil((log_high - log_low) / (parts + 3)));

	for (int d = (int)floor(log_low); d <= log_high; d++) {
		double power = pow(axis->base, d);

		for (int i = 1; i <= (few ? 5 : 1); i = i == 1 ? 2 : i + 3) {
			if (i * power >= axis->low && i * power <= axis->high &&
				(few || d % (int)step == 0))
				add_axis_mark(axis, i * power);
		}
	}
}

void draw_choose_y(struct draw_axis *axis, struct draw_extent extent,
	enum curve_axis kind, const struct plot_options *options, double parts)
{
	double least = extent.least, most = extent.most, step;

	*axis = (struct draw_axis){.decimals = -1};
	/* No axis has an infinite range. */
	if (!isfinite(most - least))
		least = most = NAN;
	if (isnan(options->range_min) && least > 0 && most >= 4 * least &&
		(kind == CURVE_RATIOS || kind == CURVE_COUNTS)) {
		/* Mark doublings if numbers and their ratio are small. */
		axis->base = kind == CURVE_COUNTS ||
					     (most <= 100 * least &&
						     least >= 0.1 && most < 500)
				     ? 2
				     : 10;
		axis->low = least / 1.3;
		axis->high = most * 1.3;
		mark_powers(axis, parts);
		return;
	}
	axis->low = least < 0 ? 1.05 * least : 0;
	axis->high = most > axis->low ? most + 0.08 * (most - axis->low)
				      : axis->low + 1;
	if (!isnan(options->range_min)) {
		axis->low = options->range_min;
		axis->high = options->range_max;
	}
	step = draw_axis_tick_step(axis->high - axis->low, parts);
	axis->decimals = step < 1 ? (int)ceil(-log10(step)) : 0;
	mark_steps(axis, step);
}

double draw_panel_x(const struct draw_panel *panel, double value)
{
	return panel->x + panel->width * draw_axis_share(&panel->across, value);
}

double draw_panel_y(const struct draw_panel *panel, double value)
{
	double share = draw_axis_share(&panel->up, value);

	return panel->y + panel->height * (1 - fmin(fmax(share, 0), 1));
}

double draw_x_names(
	struct drawing *drawing, const struct draw_panel *panel, double y)
{
	const struct draw_axis *axis = &panel->across;
	double most = 0;

	for (size_t i = 0; axis->named && i < axis->n; i++) {
		double room = panel->width / (double)axis->n, high;
		struct canvas_words at =
			DRAW_AT(draw_panel_x(panel, axis->marks[i]), y,
				panel->size, .colour = DRAW_GREY);
		char *name = arena_strdup(&drawing->view->memory,
			curve_x_name(axis->named, axis->marks[i]));
		char *figure = strstr(name, " (");

		/* A text in parentheses stays whole, on its own line. */
		if (figure)
			*figure++ = '\0';
		high = draw_lines(drawing, at, room, ' ', name);
		at.y += high;
		high += draw_lines(drawing, at, room, ')', figure);
		most = fmax(most, high);
	}
	return most;
}

void draw_panel(struct drawing *drawing, const struct draw_panel *panel)
{
	const struct draw_axis *x = &panel->across, *y = &panel->up;
	double left = panel->x, right = panel->x + panel->width;
	double top = panel->y, bottom = panel->y + panel->height;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < y->n; i++) {
		double at = draw_panel_y(panel, y->marks[i]);

		canvas_line(&drawing->canvas, left, at, right, at,
			CANVAS_STROKE(0.5, "#DDDDDD"));
	}
	for (size_t i = 0; i < x->n; i++) {
		double at = draw_panel_x(panel, x->marks[i]);

		canvas_line(&drawing->canvas, at, bottom, at, bottom + 3,
			CANVAS_STROKE(0.5, DRAW_FRAME));
	}
	canvas_line(&drawing->canvas, left, top, left, bottom,
		CANVAS_STROKE(0.5, DRAW_FRAME));
	canvas_line(&drawing->canvas, left, bottom, right, bottom,
		CANVAS_STROKE(0.5, DRAW_FRAME));
	for (size_t i = 0; i < y->n; i++) {
		draw_mark(y, i, text);
		draw_text(drawing,
			DRAW_AT(left - 0.6 * panel->size,
				draw_panel_y(panel, y->marks[i]), panel->size,
				.align = CANVAS_RIGHT, .colour = DRAW_GREY),
			text);
	}
	draw_x_names(drawing, panel, bottom + 1.3 * panel->size);
	for (size_t i = 0; !x->named && i < x->n; i++) {
		draw_mark(x, i, text);
		draw_text(drawing,
			DRAW_AT(draw_panel_x(panel, x->marks[i]),
				bottom + 1.3 * panel->size, panel->size,
				.colour = DRAW_GREY),
			text);
	}
}

/* Return the point of a value, which may be beyond the edges; NaN: none. */
static struct canvas_point place_panel_value(
	const struct draw_panel *panel, double x, double y)
{
	double across = draw_axis_share(&panel->across, x);
	double up = draw_axis_share(&panel->up, y);

	if (!isfinite(across) || !isfinite(up))
		return (struct canvas_point){NAN, NAN};
	return (struct canvas_point){panel->x + panel->width * across,
		panel->y + panel->height * (1 - up)};
}

/*
 * Clip the part of a line from *from to *to (shares of its length) to where at
 * + share * way is between the ends; false if nothing is left.
 */
static bool clip_line_part(double at, double way, double least, double most,
	double *from, double *to)
{
	double near = (least - at) / way, far = (most - at) / way;

	if (way == 0)
		return at >= least && at <= most;
	*from = fmax(*from, fmin(near, far));
	*to = fmin(*to, fmax(near, far));
	return *from <= *to;
}

static struct canvas_point point_between(
	struct canvas_point a, struct canvas_point b, double share)
{
	return (struct canvas_point){
		a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

void draw_panel_line(struct drawing *drawing, const struct draw_panel *panel,
	const double *x, const double *y, size_t n, struct canvas_stroke stroke)
{
	struct canvas_point *run = arena_alloc(
		&drawing->view->memory, n + 1, sizeof(struct canvas_point));
	size_t used = 0;

	for (size_t i = 1; i < n; i++) {
		struct canvas_point a =
			place_panel_value(panel, x[i - 1], y[i - 1]);
		struct canvas_point b = place_panel_value(panel, x[i], y[i]);
		double from = 0, to = 1;
		bool drawn = !isnan(a.x) && !isnan(b.x) &&
			     clip_line_part(a.x, b.x - a.x, panel->x,
				     panel->x + panel->width, &from, &to) &&
			     clip_line_part(a.y, b.y - a.y, panel->y,
				     panel->y + panel->height, &from, &to);

		if (drawn && used == 0)
			run[used++] = point_between(a, b, from);
		if (drawn)
			run[used++] = point_between(a, b, to);
		if (used > 1 && (!drawn || to < 1 || i + 1 == n)) {
			canvas_polyline(&drawing->canvas, run, used, stroke);
			used = 0;
		}
	}
}

void draw_panel_dots(struct drawing *drawing, const struct draw_panel *panel,
	const double *x, const double *y, size_t n, struct canvas_marker marker)
{
	struct canvas_point *points = arena_alloc(
		&drawing->view->memory, n, sizeof(struct canvas_point));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		double across = draw_axis_share(&panel->across, x[i]);
		double up = draw_axis_share(&panel->up, y[i]);

		if (across >= 0 && across <= 1 && up >= 0 && up <= 1)
			points[used++] = place_panel_value(panel, x[i], y[i]);
	}
	if (used > 0)
		canvas_markers(&drawing->canvas, points, used, marker);
}

/* Whether the interval of a point is in the panel. */
static bool has_band_at(
	const struct draw_panel *panel, const struct curve *curve, size_t i)
{
	double across = draw_axis_share(&panel->across, curve->x[i]);

	return across >= 0 && across <= 1 &&
	       !isnan(curve->low[i] + curve->high[i]);
}

void draw_panel_band(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve, const char *colour, bool thin)
{
	struct canvas_point *points = arena_alloc(&drawing->view->memory,
		2 * curve->n, sizeof(struct canvas_point));

	for (size_t i = 0, n; i < curve->n; i += n + 1) {
		for (n = 0;
			i + n < curve->n && has_band_at(panel, curve, i + n);
			n++)
			;
		for (size_t k = 0; k < n; k++) {
			double x = draw_panel_x(panel, curve->x[i + k]);

			points[k] = (struct canvas_point){
				x, draw_panel_y(panel, curve->high[i + k])};
			points[2 * n - 1 - k] = (struct canvas_point){
				x, draw_panel_y(panel, curve->low[i + k])};
			if (thin)
				canvas_line(&drawing->canvas, x, points[k].y, x,
					points[2 * n - 1 - k].y,
					CANVAS_STROKE(0.8, colour));
		}
		if (n > 1 && !thin)
			canvas_polygon(
				&drawing->canvas, points, 2 * n, colour, 0.16);
	}
}
