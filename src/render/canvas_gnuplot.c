/*
 * Writes a canvas as a script for gnuplot, whose coordinates are those of the
 * canvas. All is one plot: a curve of it for each run of calls that look alike,
 * a block of data for the points of each, and the bytes of images at the end.
 * Texts are data, too, never commands.
 */
#include <string.h>

#include "render/canvas.h"
#include "util/text.h"

/* Enlarge an image of a PDF to so many pixels: some viewers blur the edges. */
#define SHARP 512

/* gnuplot cuts sizes to whole points. */
#define SIZE_ROUNDING 1e-6

struct gnuplot_kind {
	const char *name, *terminal, *scales;
	double size;	   /* of the terminal's, for 1/72 inch */
	double thick, dot; /* its units for lines and points */
	size_t sharp;	   /* the least pixels of an image */
};

static const struct gnuplot_kind gnuplot_kinds[] = {
	{"png", "pngcairo", "fontscale 1.5 linewidth 2", 2, 1, 1, 2},
	{"pdf", "pdfcairo", "fontscale 0.75 linewidth 1", 1 / 72.0, 1.7, 0.62,
		SHARP},
};

static bool is_drawn_alone(const struct canvas_call *call)
{
	return call->kind == CANVAS_POLYGON || call->kind == CANVAS_IMAGE;
}

/*
 * Whether two calls are one curve. Each may have its own colour, but for lines,
 * which gnuplot then draws segment by segment: dashes begin anew at each point.
 */
static bool calls_look_alike(
	const struct canvas_call *a, const struct canvas_call *b)
{
	if (a->kind == CANVAS_LINE && strcmp(a->colour, b->colour) != 0)
		return false;
	return a->kind == b->kind && !is_drawn_alone(a) && a->size == b->size &&
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

/* To gnuplot a quote is the end, and a backslash an escape. */
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

static void write_call_data(const struct canvas_call *call, FILE *out)
{
	const struct canvas_box *box = &call->box;
	const char *colour = call->colour + 1;

	if (call->kind == CANVAS_RECT)
		fprintf(out, "%.2f %.2f %.2f %.2f 0x%s\n",
			box->x + box->width / 2, box->y + box->height / 2,
			box->width / 2, box->height / 2, colour);
	for (size_t i = 0; i < call->n; i++) {
		fprintf(out, "%.2f %.2f 0x%s", call->points[i].x,
			call->points[i].y, colour);
		if (call->kind == CANVAS_TEXT)
			write_quoted_words(call->text, out);
		putc('\n', out);
	}
	/* The next line is another one. */
	if (call->kind == CANVAS_LINE)
		putc('\n', out);
}

static void write_text_style(const struct canvas_call *call, FILE *out)
{
	static const char *const aligns[] = {"center", "left", "right"};

	fprintf(out,
		"using 1:2:4:3 with labels %s rotate by %d font "
		"\"sans-serif%s,%.3g\" textcolor rgb variable",
		aligns[call->align], call->upwards ? 90 : 0,
		call->bold ? " Bold" : "", call->size);
}

/* How many pixels a cell becomes; gnuplot needs two of an image. */
static size_t choose_cell_pixels(size_t cells, size_t least)
{
	return cells >= least ? 1 : (least + cells - 1) / cells;
}

static void write_image_style(const struct canvas_call *call,
	const struct gnuplot_kind *kind, FILE *out)
{
	const struct canvas_image *image = call->image;
	size_t columns = image->columns *
			 choose_cell_pixels(image->columns, kind->sharp);
	size_t rows =
		image->rows * choose_cell_pixels(image->rows, kind->sharp);
	double dx = call->box.width / (double)columns;
	double dy = call->box.height / (double)rows;

	fprintf(out,
		"binary array=(%zu,%zu) format=\"%%uchar%%uchar%%uchar\" "
		"origin=(%.9g,%.9g) dx=%.9g dy=%.9g using 1:2:3 with rgbimage",
		columns, rows, call->box.x + dx / 2, call->box.y + dy / 2, dx,
		dy);
}

static void write_call_style(const struct canvas_call *call,
	const struct gnuplot_kind *kind, FILE *out)
{
	switch (call->kind) {
	case CANVAS_RECT:
		fputs("using 1:2:3:4:5 with boxxyerror fillstyle solid "
		      "noborder linecolor rgb variable",
			out);
		break;
	case CANVAS_LINE:
		fprintf(out,
			"using 1:2 with lines linewidth %g dashtype %d "
			"linecolor rgb \"%s\"",
			call->size * kind->thick, 1 + (int)call->dash,
			call->colour);
		break;
	case CANVAS_POLYGON:
		fprintf(out,
			"using 1:2 with filledcurves closed fillcolor rgb "
			"\"%s\" fillstyle transparent solid %g noborder",
			call->colour, call->size);
		break;
	case CANVAS_MARKERS:
		fprintf(out,
			"using 1:2:3 with points pointtype %d pointsize %.3g "
			"linecolor rgb variable",
			call->shape, call->size * kind->dot);
		break;
	case CANVAS_TEXT:
		write_text_style(call, out);
		break;
	case CANVAS_IMAGE:
		write_image_style(call, kind, out);
	}
}

static void write_image_bytes(const struct canvas_image *image,
	const struct gnuplot_kind *kind, FILE *out)
{
	size_t across = choose_cell_pixels(image->columns, kind->sharp);
	size_t down = choose_cell_pixels(image->rows, kind->sharp);

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

/* The data of all calls but images, as $d1, $d2, ... */
static void write_data_blocks(const struct canvas *canvas, FILE *out)
{
	const struct canvas_call *call = canvas->first, *end;

	for (size_t i = 1; call; i++, call = end) {
		end = skip_alike_calls(call);
		if (call->kind == CANVAS_IMAGE)
			continue;
		fprintf(out, "$d%zu << end\n", i);
		for (; call != end; call = call->next)
			write_call_data(call, out);
		fputs("end\n", out);
	}
}

static void write_plot_command(
	const struct canvas *canvas, const struct gnuplot_kind *kind, FILE *out)
{
	const struct canvas_call *call = canvas->first;

	fputs("plot NaN", out);
	for (size_t i = 1; call; i++, call = skip_alike_calls(call)) {
		if (call->kind == CANVAS_IMAGE)
			fputs(", \\\n\t\"-\" ", out);
		else
			fprintf(out, ", \\\n\t$d%zu ", i);
		write_call_style(call, kind, out);
	}
	putc('\n', out);
	for (call = canvas->first; call; call = call->next) {
		if (call->kind == CANVAS_IMAGE)
			write_image_bytes(call->image, kind, out);
	}
	putc('\n', out);
}

void canvas_write_gnuplot(
	const struct canvas *canvas, const char *kind, FILE *out)
{
	const struct gnuplot_kind *terminal = gnuplot_kinds;

	while (strcmp(terminal->name, kind) != 0)
		terminal++;
	fprintf(out,
		"set encoding utf8\n"
		"set datafile commentschars \"\"\n"
		"set terminal %s noenhanced size %.9g, %.9g font "
		"\"sans-serif,10\" %s background rgb \"white\"\n",
		terminal->terminal,
		canvas->width * terminal->size + SIZE_ROUNDING,
		canvas->height * terminal->size + SIZE_ROUNDING,
		terminal->scales);
	fprintf(out,
		"set output ARG1\n"
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
	write_data_blocks(canvas, out);
	write_plot_command(canvas, terminal, out);
}
