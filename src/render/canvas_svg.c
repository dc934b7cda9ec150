/* Writes a canvas as SVG, one line per call. */
#include <math.h>
#include <string.h>

#include "render/picture.h"
#include "render/png_indexed.h"
#include "util/text.h"

/* Draw up to this many cells as paths, because viewers may blur images. */
#define MOST_CELLS (128 * 128)

/* Largest number of cells in an image: libxml2 refuses texts above 10 MB. */
#define STRIP_CELLS (1024 * 1024)

/* Distance from the middle of capital letters to the baseline, in em. */
#define BASELINE 0.35

/* Write a number with at most two decimals. */
static void write_svg_number(const char *before, double value, FILE *out)
{
	char text[340], *end;

	snprintf(text, sizeof(text), "%.2f", value);
	end = text + strlen(text) - 1;
	while (*end == '0')
		*end-- = '\0';
	if (*end == '.')
		*end = '\0';
	fprintf(out, "%s%s", before, strcmp(text, "-0") == 0 ? "0" : text);
}

static void write_svg_text(const char *text, FILE *out)
{
	static const char *const escaped[] = {"&lt;", "&gt;", "&amp;"};

	text_print_escaped(out, text, "<>&", escaped);
}

static void write_svg_path(const struct canvas_call *call, FILE *out)
{
	fputs("<path d=\"", out);
	for (size_t i = 0; i < call->n; i++) {
		write_svg_number(i == 0 ? "M" : "L", call->points[i].x, out);
		write_svg_number(" ", call->points[i].y, out);
	}
}

static void write_svg_line(const struct canvas_call *call, FILE *out)
{
	static const char *const dashes[] = {
		"", " stroke-dasharray=\"4 2.5\"", " stroke-dasharray=\"1 2\""};

	write_svg_path(call, out);
	fprintf(out, "\" fill=\"none\" stroke=\"%s\"", call->colour);
	write_svg_number(" stroke-width=\"", call->size, out);
	fprintf(out, "\"%s/>\n", dashes[call->dash]);
}

static void write_svg_polygon(const struct canvas_call *call, FILE *out)
{
	write_svg_path(call, out);
	fprintf(out, "z\" fill=\"%s\" fill-opacity=\"%g\"/>\n", call->colour,
		call->size);
}

static void write_svg_rect(const struct canvas_call *call, FILE *out)
{
	write_svg_number("<rect x=\"", call->box.x, out);
	write_svg_number("\" y=\"", call->box.y, out);
	write_svg_number("\" width=\"", call->box.width, out);
	write_svg_number("\" height=\"", call->box.height, out);
	fprintf(out, "\" fill=\"%s\"/>\n", call->colour);
}

static void write_svg_marker(
	struct canvas_point at, const struct canvas_marker *marker, FILE *out)
{
	struct canvas_point corners[CANVAS_CORNERS];
	size_t n = canvas_marker_corners(marker->shape, corners);
	double radius = marker->size * corners[0].x;

	if (n < CANVAS_CORNERS) {
		for (size_t k = 0; k < n; k++) {
			write_svg_number(k == 0 ? "M" : "L",
				at.x + marker->size * corners[k].x, out);
			write_svg_number(
				" ", at.y + marker->size * corners[k].y, out);
		}
		putc('z', out);
		return;
	}
	write_svg_number("M", at.x - radius, out);
	write_svg_number(" ", at.y, out);
	for (int half = 1; half >= -1; half -= 2) {
		write_svg_number("a", radius, out);
		write_svg_number(" ", radius, out);
		write_svg_number(" 0 1 0 ", half * 2 * radius, out);
		fputs(" 0", out);
	}
	putc('z', out);
}

static void write_svg_markers(const struct canvas_call *call, FILE *out)
{
	const struct canvas_marker marker = {.shape = call->shape, call->size};

	fputs("<path d=\"", out);
	for (size_t i = 0; i < call->n; i++)
		write_svg_marker(call->points[i], &marker, out);
	if (call->shape % 2) {
		fprintf(out, "\" fill=\"%s\"/>\n", call->colour);
		return;
	}
	fprintf(out, "\" fill=\"none\" stroke=\"%s\"", call->colour);
	write_svg_number(" stroke-width=\"", canvas_marker_line(&marker), out);
	fputs("\"/>\n", out);
}

static void write_svg_words(const struct canvas_call *call, FILE *out)
{
	static const char *const anchors[] = {
		" text-anchor=\"middle\"", "", " text-anchor=\"end\""};
	double x = call->points->x, y = call->points->y;
	double down = BASELINE * call->size;

	if (call->upwards) {
		write_svg_number("<text transform=\"translate(", x, out);
		write_svg_number(" ", y, out);
		write_svg_number(") rotate(-90)\" y=\"", down, out);
	} else {
		write_svg_number("<text x=\"", x, out);
		write_svg_number("\" y=\"", y + down, out);
	}
	write_svg_number("\" font-size=\"", call->size, out);
	fprintf(out, "\"%s%s fill=\"%s\">", anchors[call->align],
		call->bold ? " font-weight=\"bold\"" : "", call->colour);
	write_svg_text(call->text, out);
	fputs("</text>\n", out);
}

/*
 * Write all cells of one colour as a path; adjacent cells of a row are joined.
 */
static void write_svg_shade(
	const struct canvas_image *image, unsigned shade, FILE *out)
{
	size_t n = image->columns;
	bool any = false;

	for (size_t row = 0; row < image->rows; row++) {
		const uint8_t *cells = image->cells + row * n;

		for (size_t i = 0, end; i < n; i = end) {
			end = i + 1;
			if (cells[i] != shade)
				continue;
			while (end < n && cells[end] == shade)
				end++;
			fprintf(out, "%sM%zu %zuh%zuv1h-%zuz",
				any ? "" : "<path d=\"", i, row, end - i,
				end - i);
			any = true;
		}
	}
	if (any)
		fprintf(out, "\" fill=\"#%06X\"/>\n", image->palette[shade]);
}

/* Write `rows` rows, from this row on, as an image. */
static void write_svg_strip(
	const struct canvas_call *call, size_t row, size_t rows, FILE *out)
{
	struct canvas_image strip = *call->image;
	double tall = call->box.height / (double)strip.rows;

	strip.cells += row * strip.columns;
	strip.rows = rows;
	write_svg_number("<image x=\"", call->box.x, out);
	write_svg_number("\" y=\"", call->box.y + (double)row * tall, out);
	write_svg_number("\" width=\"", call->box.width, out);
	write_svg_number("\" height=\"", (double)rows * tall, out);
	fputs("\" preserveAspectRatio=\"none\" "
	      "image-rendering=\"optimizeSpeed\" "
	      "style=\"image-rendering:pixelated\" "
	      "xlink:href=\"data:image/png;base64,",
		out);
	png_write_base64(&strip, out);
	fputs("\"/>\n", out);
}

static void write_svg_image(const struct canvas_call *call, FILE *out)
{
	const struct canvas_image *image = call->image;
	const struct canvas_box *box = &call->box;

	if (image->columns * image->rows > MOST_CELLS) {
		size_t rows = STRIP_CELLS / image->columns;

		for (size_t row = 0, n; row < image->rows; row += n) {
			n = image->rows - row < rows ? image->rows - row : rows;
			write_svg_strip(call, row, n, out);
		}
		return;
	}
	write_svg_number("<g shape-rendering=\"crispEdges\" "
			 "transform=\"translate(",
		box->x, out);
	write_svg_number(" ", box->y, out);
	fprintf(out, ") scale(%.9g %.9g)\">\n",
		box->width / (double)image->columns,
		box->height / (double)image->rows);
	for (unsigned shade = 0; shade < CANVAS_SHADES; shade++)
		write_svg_shade(image, shade, out);
	fputs("</g>\n", out);
}

/* Write "x y,x y,,x y", with nothing between commas without a value. */
static void write_svg_spots(const struct canvas_call *call, FILE *out)
{
	fprintf(out, "<g data-curve=\"%zu\" data-spots=\"", call->curve);
	for (size_t i = 0; i < call->n; i++) {
		if (i > 0)
			putc(',', out);
		if (isnan(call->points[i].x))
			continue;
		write_svg_number("", call->points[i].x, out);
		write_svg_number(" ", call->points[i].y, out);
	}
	fputs("\"/>\n", out);
}

static void write_svg_call(const struct canvas_call *call, FILE *out)
{
	static void (*const writers[])(const struct canvas_call *, FILE *) = {
		[CANVAS_RECT] = write_svg_rect,
		[CANVAS_LINE] = write_svg_line,
		[CANVAS_POLYGON] = write_svg_polygon,
		[CANVAS_MARKERS] = write_svg_markers,
		[CANVAS_TEXT] = write_svg_words,
		[CANVAS_IMAGE] = write_svg_image,
		[CANVAS_SPOTS] = write_svg_spots,
	};

	writers[call->kind](call, out);
}

/* Write a file's beginning, its title and its background. */
static void write_svg_head(const struct canvas *canvas, FILE *out)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
		"width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\">\n<title>",
		canvas->width * canvas_scale(canvas),
		canvas->height * canvas_scale(canvas), canvas->width,
		canvas->height);
	write_svg_text(canvas->title ? canvas->title : "c2c", out);
	fprintf(out,
		"</title>\n<rect width=\"100%%\" height=\"100%%\" "
		"fill=\"%s\"/>\n",
		canvas_ground(canvas));
}

void canvas_write_svg(const struct canvas *canvas, FILE *out)
{
	if (canvas->page)
		fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\">\n", canvas->width,
			canvas->height);
	else
		write_svg_head(canvas, out);
	for (const struct canvas_call *c = canvas->first; c; c = c->next)
		write_svg_call(c, out);
	fputs("</svg>\n", out);
}
