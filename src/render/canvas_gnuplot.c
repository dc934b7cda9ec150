/*
 * Writes a canvas as a gnuplot script in canvas coordinates. The script is a
 * single plot command with one gnuplot curve for each sequence of calls with
 * the same style, a data block for each curve's points, and the bytes of images
 * at the end. Texts are also data, never commands.
 */
#include <string.h>

#include "render/picture.h"
#include "util/text.h"

/* Enlarge images to this many pixels: some PDF viewers blur pixels. */
#define SHARP 512

/* Whether two calls can be one gnuplot curve. */
static bool calls_look_alike(
	const struct canvas_call *a, const struct canvas_call *b)
{
	/* gnuplot would draw lines of several colours as single segments. */
	if ((a->kind == CANVAS_LINE || a->kind == CANVAS_MARKERS) &&
		strcmp(a->colour, b->colour) != 0)
		return false;
	return a->kind == b->kind && a->kind != CANVAS_POLYGON &&
	       a->kind != CANVAS_IMAGE && a->size == b->size &&
	       a->dash == b->dash && a->shape == b->shape &&
	       a->align == b->align && a->bold == b->bold &&
	       a->upwards == b->upwards;
}

static const struct canvas_call *skip_alike_calls(
	const struct canvas_call *first)
{
	const struct canvas_call *call = first->next;

	while (call && calls_look_alike(first, call))
		call = call->next;
	return call;
}

/* Escape quotes and backslashes, which are special to gnuplot. */
static void write_quoted_words(const char *text, FILE *out)
{
	fputs(" \"", out);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%03o", (unsigned)*c);
		else
			putc(text_is_control(*c) ? ' ' : *c, out);
	}
	putc('"', out);
}

/* Write the closed outline of each marker. */
static void write_marker_data(const struct canvas_call *call, FILE *out)
{
	struct canvas_point corners[CANVAS_CORNERS];
	size_t n = canvas_marker_corners(call->shape, corners);

	for (size_t i = 0; i < call->n; i++) {
		for (size_t k = 0; k <= n; k++)
			fprintf(out, "%.2f %.2f\n",
				call->points[i].x +
					call->size * corners[k % n].x,
				call->points[i].y +
					call->size * corners[k % n].y);
		putc('\n', out);
	}
}

/* Write a line per pixel; gnuplot needs at least two in each direction. */
static void write_image_data(const struct canvas_image *image, FILE *out)
{
	size_t across = image->columns == 1 ? 2 : 1;
	size_t down = image->rows == 1 ? 2 : 1;

	for (size_t i = 0; i < image->columns * across; i++) {
		for (size_t k = 0; k < image->rows * down; k++) {
			uint32_t rgb =
				image->palette
					[image->cells[k / down *
							      image->columns +
						      i / across]];

			fprintf(out, "%zu %zu %u %u %u\n", i, k, rgb >> 16,
				rgb >> 8 & 255, rgb & 255);
		}
	}
}

static void write_call_data(const struct canvas_call *call, FILE *out)
{
	const struct canvas_box *box = &call->box;
	const char *colour = call->colour + 1;

	if (call->kind == CANVAS_IMAGE) {
		write_image_data(call->image, out);
		return;
	}
	if (call->kind == CANVAS_MARKERS) {
		write_marker_data(call, out);
		return;
	}
	if (call->kind == CANVAS_RECT)
		fprintf(out, "%.2f %.2f %.2f %.2f 0x%s\n",
			box->x + box->width / 2, box->y + box->height / 2,
			box->width / 2, box->height / 2, colour);
	for (size_t i = 0; i < call->n; i++) {
		fprintf(out, "%.2f %.2f", call->points[i].x, call->points[i].y);
		if (call->kind == CANVAS_TEXT) {
			fprintf(out, " 0x%s", colour);
			write_quoted_words(call->text, out);
		}
		putc('\n', out);
	}
	/* A blank line in the data separates two lines of the picture. */
	if (call->kind == CANVAS_LINE)
		putc('\n', out);
}

static void write_text_style(const struct canvas_call *call, FILE *out)
{
	static const char *const aligns[] = {"center", "left", "right"};

	fprintf(out,
		"using 1:2:4:3 with labels %s rotate by %d font "
		"font.\"%s,%.3g\" textcolor rgb variable",
		aligns[call->align], call->upwards ? 90 : 0,
		call->bold ? " Bold" : "", call->size);
}

/* Return the number of pixels per cell side. */
static size_t choose_cell_pixels(size_t cells)
{
	return cells >= SHARP ? 1 : (SHARP + cells - 1) / cells;
}

static void write_image_style(
	const struct canvas_call *call, bool as_bytes, FILE *out)
{
	const struct canvas_image *image = call->image;
	size_t columns = image->columns * choose_cell_pixels(image->columns);
	size_t rows = image->rows * choose_cell_pixels(image->rows);
	double dx, dy;

	if (!as_bytes) {
		columns = image->columns + (image->columns == 1);
		rows = image->rows + (image->rows == 1);
	}
	dx = call->box.width / (double)columns;
	dy = call->box.height / (double)rows;
	if (as_bytes)
		fprintf(out,
			"binary array=(%zu,%zu) "
			"format=\"%%uchar%%uchar%%uchar\" "
			"origin=(%.9g,%.9g) dx=%.9g dy=%.9g using 1:2:3",
			columns, rows, call->box.x + dx / 2,
			call->box.y + dy / 2, dx, dy);
	else
		fprintf(out, "using (%.9g+%.9g*$1):(%.9g+%.9g*$2):3:4:5",
			call->box.x + dx / 2, dx, call->box.y + dy / 2, dy);
	fputs(" with rgbimage", out);
}

static void write_marker_style(const struct canvas_call *call, FILE *out)
{
	const struct canvas_marker marker = {.shape = call->shape, call->size};

	if (call->shape % 2)
		fprintf(out,
			"using 1:2 with filledcurves closed fillcolor rgb "
			"\"%s\" fillstyle solid noborder",
			call->colour);
	else
		fprintf(out,
			"using 1:2 with lines linewidth %.3g*thick linecolor "
			"rgb \"%s\"",
			canvas_marker_line(&marker), call->colour);
}

static void write_call_style(
	const struct canvas_call *call, bool as_bytes, FILE *out)
{
	/* The same dashes as in canvas_svg.c. */
	static const char *const dashes[] = {
		"solid", "(4*dash,2.5*dash)", "(1*dash,2*dash)"};

	switch (call->kind) {
	case CANVAS_RECT:
		fputs("using 1:2:3:4:5 with boxxyerror fillstyle solid "
		      "noborder linecolor rgb variable",
			out);
		break;
	case CANVAS_LINE:
		fprintf(out,
			"using 1:2 with lines linewidth %g*thick dashtype %s "
			"linecolor rgb \"%s\"",
			call->size, dashes[call->dash], call->colour);
		break;
	case CANVAS_POLYGON:
		fprintf(out,
			"using 1:2 with filledcurves closed fillcolor rgb "
			"\"%s\" fillstyle transparent solid %g noborder",
			call->colour, call->size);
		break;
	case CANVAS_MARKERS:
		write_marker_style(call, out);
		break;
	case CANVAS_TEXT:
		write_text_style(call, out);
		break;
	case CANVAS_IMAGE:
		write_image_style(call, as_bytes, out);
		break;
	case CANVAS_SPOTS:;
	}
}

static void write_image_bytes(const struct canvas_image *image, FILE *out)
{
	size_t across = choose_cell_pixels(image->columns);
	size_t down = choose_cell_pixels(image->rows);

	for (size_t row = 0; row < down * image->rows; row++) {
		const uint8_t *cells =
			image->cells + row / down * image->columns;

		for (size_t i = 0; i < across * image->columns; i++) {
			uint32_t rgb = image->palette[cells[i / across]];

			putc((int)(rgb >> 16), out);
			putc((int)(rgb >> 8 & 255), out);
			putc((int)(rgb & 255), out);
		}
	}
}

/* Write the data of all calls, except images, as $d1, $d2, ... */
static void write_data_blocks(
	const struct canvas *canvas, bool as_bytes, FILE *out)
{
	const struct canvas_call *call = canvas->first, *end;

	for (size_t i = 1; call; i++, call = end) {
		end = skip_alike_calls(call);
		if (call->kind == CANVAS_IMAGE && as_bytes)
			continue;
		fprintf(out, "$d%zu << end\n", i);
		for (; call != end; call = call->next)
			write_call_data(call, out);
		fputs("end\n", out);
	}
}

static void write_plot_command(
	const struct canvas *canvas, bool as_bytes, FILE *out)
{
	const struct canvas_call *call = canvas->first;

	fputs("plot NaN", out);
	for (size_t i = 1; call; i++, call = skip_alike_calls(call)) {
		if (call->kind == CANVAS_IMAGE && as_bytes)
			fputs(", \\\n\t\"-\" ", out);
		else
			fprintf(out, ", \\\n\t$d%zu ", i);
		write_call_style(call, as_bytes, out);
	}
	putc('\n', out);
	for (call = canvas->first; call && as_bytes; call = call->next) {
		if (call->kind == CANVAS_IMAGE)
			write_image_bytes(call->image, out);
	}
	putc('\n', out);
}

/* Write the variables that a user may change, and settings of the terminal. */
static void write_gnuplot_head(
	const struct canvas *canvas, const char *picture, FILE *out)
{
	/* pt: terminal units per 1/72 inch; thick, dash: factors for lines. */
	static const struct {
		const char *kind, *terminal, *scales;
		double pt, thick, dash;
	} kinds[] = {
		{"png", "pngcairo", "fontscale 1.5*size linewidth 2*size", 2, 1,
			4},
		{"svg", "svg", "fontscale size linewidth size", 1, 1, 1},
		{"pdf", "pdfcairo", "fontscale 0.75*size linewidth size",
			1 / 72.0, 1.7, 3.64},
	};

	fprintf(out,
		"# What c2c drew: change it, then gnuplot -c THIS "
		"OUT.{png,svg,pdf}\n"
		"size = %.9g\n"
		"font = \"sans-serif\"\n"
		"ground = \"%s\"\n"
		"picture = ARGC > 0 ? ARG1 :",
		canvas_scale(canvas), canvas_ground(canvas));
	write_quoted_words(picture, out);
	fputs(".\".png\"\n"
	      "kind = ARGC > 1 ? ARG2 : picture[strlen(picture) - 2:]\n\n"
	      "set encoding utf8\n"
	      "set datafile commentschars \"\"\n",
		out);
	/* gnuplot truncates sizes to whole pixels. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		fprintf(out,
			"if (kind eq \"%s\") { thick = %g; dash = %g*size; set "
			"terminal %s noenhanced size %.9g*size+1e-6, "
			"%.9g*size+1e-6 font "
			"font.\",10\" %s background rgb ground }\n",
			kinds[i].kind, kinds[i].thick, kinds[i].dash,
			kinds[i].terminal, canvas->width * kinds[i].pt,
			canvas->height * kinds[i].pt, kinds[i].scales);
	fprintf(out,
		"set output picture\n"
		"unset key\n"
		"unset border\n"
		"unset tics\n"
		"set lmargin at screen 0\n"
		"set rmargin at screen 1\n"
		"set tmargin at screen 1\n"
		"set bmargin at screen 0\n"
		"set xrange [0:%g]\n"
		"set yrange [%g:0]\n",
		canvas->width, canvas->height);
}

void canvas_write_gnuplot(const struct canvas *canvas, const char *picture,
	bool as_bytes, FILE *out)
{
	write_gnuplot_head(canvas, picture, out);
	write_data_blocks(canvas, as_bytes, out);
	write_plot_command(canvas, as_bytes, out);
}
