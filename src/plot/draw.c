/*
 * What all pictures are made of: texts, lines, axes and their marks.
 */
#include "plot/draw.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page.h"

#define MARGIN 12

/*
 * Okabe and Ito's colours (Color Universal Design, 2008), which all eyes tell
 * apart, the darker ones first; texts are darker. Shapes differ too, for grey
 * print: gnuplot's numbers of those that are filled, the hollow ones are one
 * less.
 */
static const struct {
	const char *colour, *ink;
} colours[] = {
	{"#0072B2", "#0067A1"},
	{"#D55E00", "#B54F00"},
	{"#009E73", "#007755"},
	{"#CC79A7", "#9A4F7A"},
	{"#444444", "#444444"},
	{"#E69F00", "#8F6200"},
	{"#56B4E9", "#22749F"},
};
static const int shapes[] = {7, 5, 9, 13, 11, 15};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

const char *draw_colour(size_t look)
{
	return colours[look % N_OF(colours)].colour;
}

const char *draw_ink(size_t look)
{
	return colours[look % N_OF(colours)].ink;
}

int draw_shape(size_t look, bool hollow)
{
	return shapes[look % N_OF(shapes)] - hollow;
}

void draw(struct drawing *drawing, const char *key, const char *format, ...)
{
	va_list args;

	fprintf(drawing->out, "# plot.%s: ", key);
	va_start(args, format);
	vfprintf(drawing->out, format, args);
	va_end(args);
	putc('\n', drawing->out);
}

void draw_text(struct drawing *drawing, double x, double y, const char *font,
	const char *text)
{
	if (!text || !*text)
		return;
	fprintf(drawing->out, "# plot.text: %.2f %.2f %s ", x, y, font);
	/* gnuplot ends a text at a quote, and takes a backslash as an escape.
	 */
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(drawing->out, "\\%03o", (unsigned)*c);
		else
			putc(iscntrl((unsigned char)*c) ? ' ' : *c,
				drawing->out);
	}
	putc('\n', drawing->out);
}

double draw_length(const char *text)
{
	return (double)page_columns(text, strlen(text));
}

/* Bytes of the first characters of a text. */
static size_t bytes_of(const char *text, size_t characters)
{
	size_t bytes = 0;

	while (text[bytes] && page_columns(text, bytes + 1) <= characters)
		bytes++;
	return bytes;
}

/* Draw a text in as many lines as it takes, up to three, from y on. */
static size_t wrap(struct drawing *drawing, const char *text, double size,
	bool bold, double y)
{
	/* Mean width of a letter, in em. */
	double letter = size * (bold ? 0.66 : 0.57), pitch = size + 4.5;
	size_t room = (size_t)((drawing->width - 2 * MARGIN) / letter);
	char font[48];
	size_t lines = 0;

	snprintf(font, sizeof(font), "center %g %s 0 %s", size,
		bold ? "bold" : "plain", bold ? "#000000" : DRAW_GREY);
	while (text && *text && lines < 3) {
		size_t bytes = bytes_of(text, room), end = bytes;
		char line[600];

		/* At a blank, unless that makes a short line. */
		while (end > bytes / 2 && text[bytes] && text[end] != ' ')
			end--;
		if (text[bytes] && text[end] == ' ')
			bytes = end;
		snprintf(line, sizeof(line), "%.*s%s", (int)bytes, text,
			text[bytes] && lines == 2 ? "…" : "");
		draw_text(drawing, drawing->width / 2,
			y + pitch * (double)lines, font, line);
		text += bytes;
		text += strspn(text, " ");
		lines++;
	}
	return lines;
}

double draw_captions(
	struct drawing *drawing, const char *const notes[2], double high)
{
	const struct plot_options *options = drawing->options;
	char *machine = plot_caption_machine(drawing->view);
	char *how = plot_caption_method(drawing->view);
	double y = MARGIN + 6, top;

	y += 17.5 * (double)wrap(drawing,
			    options->title ? options->title : machine, 13, true,
			    y);
	y += 15 * (double)wrap(drawing, how, 10.5, false, y - 1);
	top = y + 2;
	y = top + high + 8;
	for (size_t i = 0; i < 2; i++)
		y += 13.5 * (double)wrap(drawing, notes[i], 9, false, y);
	drawing->height = ceil(y + MARGIN - 6);
	free(machine);
	free(how);
	return top;
}

double draw_step(double span, double parts)
{
	double power = pow(10, floor(log10(span / parts)));
	double r = span / parts / power;

	return (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10) * power;
}

double draw_share(const struct draw_axis *axis, double value)
{
	if (axis->base > 0)
		return log(value / axis->low) / log(axis->high / axis->low);
	return (value - axis->low) / (axis->high - axis->low);
}

/* Counts as one says them: "512", "4 Ki", "16 Mi". */
static void count(char text[PLOT_NUMBER_BYTES], double value)
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
		plot_bytes(text, value);
	else if (axis->decimals >= 0)
		plot_fixed(text, value, axis->decimals);
	else if (axis->base == 2)
		count(text, value);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g", value);
}

static void add_mark(struct draw_axis *axis, double value)
{
	if (axis->n < N_OF(axis->marks))
		axis->marks[axis->n++] = value + 0.0; /* never -0 */
}

void draw_extend(struct draw_extent *extent, const double *values, size_t n)
{
	for (size_t i = 0; values && i < n; i++) {
		/* These leave a NaN out. */
		extent->least = fmin(extent->least, values[i]);
		extent->most = fmax(extent->most, values[i]);
	}
}

/* Doublings from the least on, as many as fit, the last among them. */
static void mark_doublings(
	struct draw_axis *axis, const struct draw_extent *extent, double fits)
{
	int doublings = (int)(log2(extent->most / extent->least) + 0.2);
	int step = (int)fmax(1, ceil(doublings / fits));

	for (int d = 0; d <= doublings; d++) {
		if (d == 0 || (d >= step && (doublings - d) % step == 0))
			add_mark(axis, ldexp(extent->least, d));
	}
}

/* Round numbers within the ends. */
static void mark_steps(struct draw_axis *axis, double step)
{
	double first = ceil(axis->low / step - 1e-9);
	double last = floor(axis->high / step + 1e-9);

	for (size_t i = 0; first + (double)i <= last && i < N_OF(axis->marks);
		i++)
		add_mark(axis, (first + (double)i) * step);
}

void draw_choose_x(struct draw_axis *axis, const struct draw_extent *extent,
	enum curve_axis kind, double width, double size)
{
	double least = extent->least, most = extent->most, longest = 1, fits;
	double span = most > least ? most - least : 1;
	char text[PLOT_NUMBER_BYTES];

	*axis = (struct draw_axis){
		.decimals = -1, .bytes = kind == CURVE_BYTES};
	if (isnan(least)) {
		axis->high = 1;
		return;
	}
	if (least > 0 && most > least &&
		(axis->bytes || most >= 8 * least || most >= 10000))
		axis->base = 2;
	axis->marks[0] = least;
	axis->marks[1] = most;
	for (size_t i = 0; i < 64 && axis->marks[0] <= most; i++) {
		draw_mark(axis, i % 2, text);
		longest = fmax(longest, draw_length(text));
		axis->marks[0] *= axis->base > 0 && i % 2 ? 2 : 1;
		if (i > 0 && axis->base == 0)
			break;
	}
	fits = width / ((longest * 0.62 + 0.7) * size);
	if (axis->base > 0) {
		/* Some room at either end. */
		axis->low = least / pow(most / least, 0.025);
		axis->high = most * pow(most / least, 0.025);
		mark_doublings(axis, extent, fits);
		return;
	}
	axis->low = least - 0.025 * span;
	axis->high = most + 0.025 * span;
	if (most == least) {
		axis->low = least - 1;
		axis->high = least + 1;
		axis->n = 1;
		return;
	}
	span = draw_step(span, fmin(8, fits));
	mark_steps(axis, least == floor(least) && most == floor(most)
				 ? fmax(1, span)
				 : span);
}

/* Powers, in between 2 and 5 where there are few of ten. */
static void mark_powers(struct draw_axis *axis, double parts)
{
	bool few = axis->base == 10 && axis->high < 100 * axis->low;
	double log_low = log(axis->low) / log(axis->base);
	double log_high = log(axis->high) / log(axis->base);
	double step = fmax(1, ceil((log_high - log_low) / (parts + 3)));

	for (int d = (int)floor(log_low); d <= log_high; d++) {
		double power = pow(axis->base, d);

		for (int i = 1; i <= (few ? 5 : 1); i = i == 1 ? 2 : i + 3) {
			if (i * power >= axis->low && i * power <= axis->high &&
				(few || d % (int)step == 0))
				add_mark(axis, i * power);
		}
	}
}

void draw_choose_y(struct draw_axis *axis, const struct draw_extent *extent,
	enum curve_axis kind, const struct plot_options *options, double parts)
{
	double least = extent->least, most = extent->most, step;

	*axis = (struct draw_axis){.decimals = -1};
	if (isnan(options->range_min) && least > 0 && most >= 4 * least &&
		(kind == CURVE_RATIOS || kind == CURVE_COUNTS)) {
		/* Small ratios are said so. */
		axis->base = kind == CURVE_COUNTS || (most <= 100 * least &&
							     least >= 0.1)
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
	step = draw_step(axis->high - axis->low, parts);
	axis->decimals = step < 1 ? (int)ceil(-log10(step)) : 0;
	mark_steps(axis, step);
}

size_t draw_block(const struct drawing *drawing, const struct curve *curve)
{
	const struct result *blocks = drawing->blocks;
	size_t i = 0;

	/* The view's curves lend their values from the file's. */
	while (i < blocks->n_curves && blocks->curves[i].x != curve->x)
		i++;
	return blocks->n_matrices + i;
}

double draw_panel_x(const struct draw_panel *panel, double value)
{
	return panel->x + panel->wide * draw_share(&panel->across, value);
}

double draw_panel_y(const struct draw_panel *panel, double value)
{
	double share = draw_share(&panel->up, value);

	return panel->y + panel->tall * (1 - fmin(fmax(share, 0), 1));
}

void draw_panel(struct drawing *drawing, const struct draw_panel *panel)
{
	const struct draw_axis *x = &panel->across, *y = &panel->up;
	double left = panel->x, right = panel->x + panel->wide;
	double top = panel->y, bottom = panel->y + panel->tall;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < y->n; i++) {
		double at = draw_panel_y(panel, y->marks[i]);

		draw_mark(y, i, text);
		draw(drawing, "text", "%.2f %.2f right %g plain 0 #444444 %s",
			left - 0.6 * panel->size, at, panel->size, text);
		draw(drawing, "back", DRAW_LINE, left, at, right, at, 0.5,
			"#DDDDDD");
	}
	for (size_t i = 0; i < x->n; i++) {
		double at = draw_panel_x(panel, x->marks[i]);

		draw_mark(x, i, text);
		draw(drawing, "text", "%.2f %.2f center %g plain 0 #444444 %s",
			at, bottom + 1.3 * panel->size, panel->size, text);
		draw(drawing, "back", DRAW_LINE, at, bottom, at, bottom + 3,
			0.5, DRAW_FRAME);
	}
	draw(drawing, "back", DRAW_LINE, left, top, left, bottom, 0.5,
		DRAW_FRAME);
	draw(drawing, "back", DRAW_LINE, left, bottom, right, bottom, 0.5,
		DRAW_FRAME);
	draw(drawing, "panel",
		"%.2f %.2f %.2f %.2f %.17g %.17g %g %.17g %.17g %g", panel->x,
		panel->y, panel->wide, panel->tall, x->low, x->high, x->base,
		y->low, y->high, y->base);
}
