/*
 * Draws matrices as text. If the terminal is wide enough, a matrix is aligned
 * numbers on a coloured background. On a narrower terminal, a matrix is a
 * heatmap of half blocks. A half block shows two pixels, one above the other.
 *
 * If the view has borders and the width allows it, gaps separate the groups of
 * CPUs.
 *
 * Without colours, all numbers are printed at any width, for use in pipes.
 * Several matrices share one scale, which is printed after the last matrix.
 */
#include <assert.h>
#include <langinfo.h>
#include <math.h>
#include <string.h>

#include "figure/colour_scale.h"
#include "figure/palette.h"
#include "figure/view.h"
#include "render/plot.h"
#include "render/text_page.h"
#include "stat/stat.h"

/* Lines around the heatmap: two captions, column labels, scale, prompt. */
#define OTHER_ROWS 7

/* Columns of the scale's bar. */
#define BAR_COLUMNS 32

/* Resets the colours of letters and background. */
#define RESET "\033[0m"

/* Each block fills half of a character; the other half shows the background. */
#define UPPER_BLOCK "\u2580"
#define LOWER_BLOCK "\u2584"

/* The state that all parts of a drawing share. */
struct matrix_canvas {
	struct text_page page;
	struct plot_view *view;
	const struct plot_image *image; /* the current image */
	struct plot_scale scale;	/* scale of all images */
	size_t digits;			/* width of the longest CPU number */
	size_t label;			/* width of a row's label */
};

/* Set the colour of letters (38) or of their background (48). */
static void print_colour_escape(
	const struct matrix_canvas *canvas, int what, struct palette_colour c)
{
	FILE *out = canvas->page.out;
	unsigned number;

	switch (canvas->page.colours) {
	case PLOT_COLOUR_TRUE:
		fprintf(out, "\033[%d;2;%u;%u;%um", what, c.red, c.green,
			c.blue);
		break;
	case PLOT_COLOUR_256:
		fprintf(out, "\033[%d;5;%um", what,
			palette_256(canvas->scale.palette, &c));
		break;
	default:
		/* Codes 30 to 37 and 90 to 97; add 10 for backgrounds. */
		number = palette_16(canvas->scale.palette, &c);
		fprintf(out, "\033[%um",
			(unsigned)what - 8 + number + (number < 8 ? 0 : 52));
	}
}

/* Return the colour of a value as the terminal displays it. */
static struct palette_colour terminal_colour_of(
	const struct matrix_canvas *canvas, double value)
{
	struct palette_colour c = plot_scale_colour(&canvas->scale, value);

	if (canvas->page.colours == PLOT_COLOUR_256)
		palette_256(canvas->scale.palette, &c);
	else if (canvas->page.colours == PLOT_COLOUR_16)
		palette_16(canvas->scale.palette, &c);
	return c;
}

/* The layout of numbers; columns is 0 if the numbers do not fit. */
struct number_layout {
	size_t columns; /* width of a cell, with the blank before its number */
	size_t after;	/* blanks after a number, included in columns */
	int decimals;
	enum plot_border gaps; /* gaps before CPUs with at least this border */
};

/*
 * Whether a gap precedes the CPU at i; `gaps` is the least border with a gap.
 */
static bool has_group_gap(
	const struct matrix_canvas *canvas, enum plot_border gaps, size_t i)
{
	return i > 0 && gaps != PLOT_BORDER_NONE &&
	       canvas->image->borders[i] >= gaps;
}

/*
 * Return the least border whose gaps of one blank fit into `room`, or none.
 * Each column has `bin` CPUs.
 */
static enum plot_border choose_group_gaps(
	const struct matrix_canvas *canvas, size_t bin, size_t room)
{
	for (int kind = PLOT_BORDER_MINOR; kind <= PLOT_BORDER_MAJOR; kind++) {
		size_t gaps = 0;

		for (size_t i = 0; i < canvas->image->cpus.n; i += bin)
			gaps += has_group_gap(
				canvas, (enum plot_border)kind, i);
		if (gaps <= room)
			return (enum plot_border)kind;
	}
	return PLOT_BORDER_NONE;
}

/* Return the preferred number of decimals; text for pipes has one more. */
static int wanted_decimals(const struct matrix_canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;

	if (scale->whole || canvas->page.colour)
		return plot_scale_decimals(scale);
	return (int)fmax(1, plot_decimals(fabs(scale->median)));
}

/* Return the rows of text for a heatmap. */
static size_t heatmap_rows(const struct text_page *page)
{
	return page->rows > OTHER_ROWS ? page->rows - OTHER_ROWS : 0;
}

/* Use as many decimals as fit, and a second blank if there is room. */
static struct number_layout lay_out_numbers(const struct matrix_canvas *canvas)
{
	bool limited = canvas->page.colour || canvas->page.fit;
	size_t n = canvas->image->cpus.n;
	size_t used = canvas->label + 1, columns = canvas->page.columns;
	struct number_layout numbers = {.decimals = wanted_decimals(canvas)};

	for (; numbers.decimals >= 0; numbers.decimals--) {
		numbers.columns = 1 + max_size(canvas->digits,
					      plot_longest_number(canvas->view,
						      canvas->page.colour,
						      numbers.decimals));
		if (canvas->page.fit && n > heatmap_rows(&canvas->page))
			break;
		if (!limited)
			return numbers;
		numbers.after = used + n * (numbers.columns + 1) <= columns;
		numbers.columns += numbers.after;
		if (used + n * numbers.columns <= columns) {
			numbers.gaps = choose_group_gaps(canvas, 1,
				columns - used - n * numbers.columns);
			return numbers;
		}
	}
	numbers.columns = 0;
	return numbers;
}

static void print_matrix_cell(const struct matrix_canvas *canvas,
	const struct number_layout *numbers, double value)
{
	char text[PLOT_NUMBER_BYTES];
	struct palette_colour colour;
	FILE *out = canvas->page.out;
	size_t columns = numbers->columns - numbers->after;

	if (isnan(value) || !canvas->page.colour) {
		page_number(&canvas->page, columns, value, numbers->decimals);
		fprintf(out, "%*s", (int)numbers->after, "");
		return;
	}
	plot_format_short(text, value, numbers->decimals);
	colour = terminal_colour_of(canvas, value);
	print_colour_escape(canvas, 48, colour);
	print_colour_escape(canvas, 38, palette_ink(colour));
	fprintf(out, "%*s%*s", (int)columns, text, (int)numbers->after, "");
	fputs(RESET, out);
}

static void print_matrix_numbers(
	const struct matrix_canvas *canvas, const struct number_layout *numbers)
{
	const struct cpu_list *cpus = &canvas->image->cpus;
	const double *value = canvas->image->matrix.values;
	FILE *out = canvas->page.out;

	fprintf(out, "%*s ", (int)canvas->label,
		result_member_word(canvas->image->source->record));
	for (size_t j = 0; j < cpus->n; j++)
		fprintf(out, "%s%*u%*s",
			has_group_gap(canvas, numbers->gaps, j) ? " " : "",
			(int)(numbers->columns - numbers->after), cpus->cpus[j],
			(int)(j + 1 < cpus->n ? numbers->after : 0), "");
	putc('\n', out);
	for (size_t i = 0; i < cpus->n; i++) {
		if (has_group_gap(canvas, numbers->gaps, i))
			putc('\n', out);
		fprintf(out, "%*u ", (int)canvas->label, cpus->cpus[i]);
		for (size_t j = 0; j < cpus->n; j++) {
			if (has_group_gap(canvas, numbers->gaps, j))
				putc(' ', out);
			print_matrix_cell(canvas, numbers, *value++);
		}
		putc('\n', out);
	}
}

/* Marks a gap between groups in the list of bins. */
#define GAP SIZE_MAX

/*
 * The layout of the heatmap: CPUs form bins, a pair of bins is a square of
 * pixels, and a character shows one or two pixels.
 */
struct pixel_layout {
	size_t bin;	 /* CPUs per bin */
	size_t n;	 /* number of bins */
	size_t columns;	 /* characters per pixel */
	size_t stacked;	 /* pixels per row of text, one above the other */
	size_t zoom;	 /* pixels per bin, in each direction */
	size_t side;	 /* pixels in each direction */
	size_t *bins;	 /* [side] the bin of each pixel, or GAP */
	double *nearest; /* [n * n] value of each pair of bins */
};

static void lay_out_pixels(
	const struct matrix_canvas *canvas, struct pixel_layout *pixels)
{
	size_t n = canvas->image->cpus.n, label = canvas->label + 1;
	const struct text_page *page = &canvas->page;
	size_t rows = heatmap_rows(page);
	size_t wide = page->columns > label ? page->columns - label : 0;
	bool blocks = page->utf8 && page->colour;
	enum plot_border gaps;
	size_t used, most;

	*pixels = (struct pixel_layout){.bin = 1,
		.n = n,
		.columns = blocks ? 1 : 2,
		.stacked = blocks ? 2 : 1};
	wide /= pixels->columns;
	/*
	 * Only the terminal's width limits a heatmap that may scroll. Bins are
	 * powers of two, like most groups of CPUs.
	 */
	most = page->fit ? min_size(wide, rows * pixels->stacked) : wide;
	while (pixels->n > max_size(1, most)) {
		pixels->bin *= 2;
		pixels->n = (n + pixels->bin - 1) / pixels->bin;
	}
	pixels->zoom = max_size(1, min_size(wide, rows * pixels->stacked) /
					   max_size(1, pixels->n));
	used = pixels->n * pixels->zoom;
	gaps = choose_group_gaps(
		canvas, pixels->bin, wide > used ? wide - used : 0);
	pixels->bins = arena_alloc(
		&canvas->view->memory, used + pixels->n, sizeof(*pixels->bins));
	pixels->nearest = arena_alloc(&canvas->view->memory,
		pixels->n * pixels->n, sizeof(*pixels->nearest));
	for (size_t i = 0; i < pixels->n; i++) {
		if (has_group_gap(canvas, gaps, i * pixels->bin))
			pixels->bins[pixels->side++] = GAP;
		for (size_t k = 0; k < pixels->zoom; k++)
			pixels->bins[pixels->side++] = i;
	}
}

static void keep_nearest(
	const struct matrix_canvas *canvas, double *nearest, double value)
{
	/* fmin() and fmax() ignore a NaN. */
	if (canvas->scale.palette != PALETTE_DIFFERENCE)
		*nearest = matrix_near_is_high(&canvas->image->matrix)
				   ? fmax(*nearest, value)
				   : fmin(*nearest, value);
	else if (!(fabs(value) <= fabs(*nearest)) && !isnan(value))
		*nearest = value;
}

/*
 * Find the nearest value of each pair of bins: the lowest latency, the highest
 * rate or slowdown, the largest change; or NaN. A median would hide SMT
 * siblings, which are single cells.
 */
static void find_nearest(
	const struct matrix_canvas *canvas, const struct pixel_layout *pixels)
{
	size_t n = canvas->image->cpus.n, bin = pixels->bin;

	assert(bin > 0);
	for (size_t i = 0; i < pixels->n * pixels->n; i++)
		pixels->nearest[i] = NAN;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			keep_nearest(canvas,
				&pixels->nearest[i / bin * pixels->n + j / bin],
				canvas->image->matrix.values[i * n + j]);
	}
}

/* Whether a pixel is the first of its bin. */
static bool is_first_pixel_of_bin(
	const struct pixel_layout *pixels, size_t pixel)
{
	size_t bin = pixels->bins[pixel];

	return bin != GAP && (pixel == 0 || pixels->bins[pixel - 1] != bin);
}

/* Print as many CPU numbers above the columns as fit without touching. */
static void print_column_labels(
	const struct matrix_canvas *canvas, const struct pixel_layout *pixels)
{
	const struct cpu_list *cpus = &canvas->image->cpus;
	size_t wide = max_size(pixels->side * pixels->columns, canvas->digits);
	size_t step = 1, used = 0;

	while (step * pixels->columns * pixels->zoom < canvas->digits + 2)
		step *= 2;
	fprintf(canvas->page.out, "%*s ", (int)canvas->label,
		result_member_word(canvas->image->source->record));
	for (size_t x = 0; x < pixels->side; x++) {
		size_t at = x * pixels->columns;
		char label[16];
		size_t length;

		if (!is_first_pixel_of_bin(pixels, x) ||
			pixels->bins[x] % step != 0)
			continue;
		length = (size_t)snprintf(label, sizeof(label), "%u",
			cpus->cpus[pixels->bins[x] * pixels->bin]);
		if (at + length > wide)
			break;
		fprintf(canvas->page.out, "%*s%s", (int)(at - used), "", label);
		used = at + length;
	}
	putc('\n', canvas->page.out);
}

/* Return the value of a pixel; NaN in gaps and beyond the last row. */
static double pixel_at(const struct pixel_layout *pixels, size_t x, size_t y)
{
	if (y >= pixels->side || pixels->bins[x] == GAP ||
		pixels->bins[y] == GAP)
		return NAN;
	return pixels->nearest[pixels->bins[y] * pixels->n + pixels->bins[x]];
}

/*
 * Print a pixel and the pixel below it; a missing pixel shows the background.
 */
static void print_pixel_place(const struct matrix_canvas *canvas,
	const struct pixel_layout *pixels, size_t x, size_t y)
{
	/* Without colours, near is dense. */
	static const char letters[] = "@%#*+=-:.";
	FILE *out = canvas->page.out;
	double top = pixel_at(pixels, x, y), bottom = NAN;

	if (pixels->stacked == 2)
		bottom = pixel_at(pixels, x, y + 1);
	if (isnan(top) && isnan(bottom)) {
		fprintf(out, "%*s", (int)pixels->columns, "");
		return;
	}
	if (!canvas->page.colour) {
		char letter =
			letters[lround(plot_scale_share(&canvas->scale, top) *
				       (double)(sizeof(letters) - 2))];

		fprintf(out, "%c%c", letter, letter);
		return;
	}
	if (pixels->stacked == 1) {
		print_colour_escape(
			canvas, 48, terminal_colour_of(canvas, top));
		fprintf(out, "%*s", (int)pixels->columns, "");
	} else if (isnan(top)) {
		print_colour_escape(
			canvas, 38, terminal_colour_of(canvas, bottom));
		fputs(LOWER_BLOCK, out);
	} else {
		print_colour_escape(
			canvas, 38, terminal_colour_of(canvas, top));
		if (!isnan(bottom))
			print_colour_escape(
				canvas, 48, terminal_colour_of(canvas, bottom));
		fputs(UPPER_BLOCK, out);
	}
	fputs(RESET, out);
}

/*
 * Print the row of text that begins with pixel y. The label is the first bin
 * that begins in this row.
 */
static void print_pixel_row(const struct matrix_canvas *canvas,
	const struct pixel_layout *pixels, size_t y)
{
	const struct cpu_list *cpus = &canvas->image->cpus;
	size_t pixel = y, end = min_size(y + pixels->stacked, pixels->side);

	while (pixel < end && !is_first_pixel_of_bin(pixels, pixel))
		pixel++;
	if (pixel < end)
		fprintf(canvas->page.out, "%*u ", (int)canvas->label,
			cpus->cpus[pixels->bins[pixel] * pixels->bin]);
	else
		fprintf(canvas->page.out, "%*s ", (int)canvas->label, "");
	for (size_t x = 0; x < pixels->side; x++)
		print_pixel_place(canvas, pixels, x, y);
	putc('\n', canvas->page.out);
}

static void print_matrix_pixels(const struct matrix_canvas *canvas)
{
	struct pixel_layout pixels;

	lay_out_pixels(canvas, &pixels);
	find_nearest(canvas, &pixels);
	print_column_labels(canvas, &pixels);
	for (size_t y = 0; y < pixels.side; y += pixels.stacked)
		print_pixel_row(canvas, &pixels, y);
	if (pixels.bin > 1)
		fprintf(canvas->page.out,
			"Each cell shows the nearest of %zu by %zu.\n",
			pixels.bin, pixels.bin);
}

/* Print the colours from low to high, with numbers at both ends. */
static void print_scale_bar(const struct matrix_canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;
	int decimals = plot_scale_bar_decimals(scale);
	char text[PLOT_NUMBER_BYTES];
	FILE *out = canvas->page.out;
	bool utf8 = canvas->page.utf8;

	plot_format_fixed(text, scale->low, decimals);
	fprintf(out, "%s%s ",
		!scale->below ? ""
		: utf8	      ? "\u2264 "
			      : "<= ",
		text);
	for (size_t i = 0; i < BAR_COLUMNS; i++) {
		double share = (double)i / (BAR_COLUMNS - 1);

		print_colour_escape(canvas, 48,
			terminal_colour_of(canvas,
				scale->low +
					share * (scale->high - scale->low)));
		putc(' ', out);
	}
	fputs(RESET, out);
	plot_format_fixed(text, scale->high, decimals);
	fprintf(out, " %s%s",
		!scale->above ? ""
		: utf8	      ? "\u2265 "
			      : ">= ",
		text);
}

static void print_matrix_scale(const struct matrix_canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;
	const struct matrix *matrix = &canvas->image->matrix;
	int decimals = canvas->page.colour
			       ? plot_decimals(scale->most - scale->least)
			       : wanted_decimals(canvas);
	char least[PLOT_NUMBER_BYTES], most[PLOT_NUMBER_BYTES];
	const char *note =
		plot_scale_note(scale, matrix->unit, &canvas->view->memory);
	const char *doubt =
		plot_scale_doubt(scale, matrix->unit, &canvas->view->memory);
	FILE *out = canvas->page.out;

	putc('\n', out);
	if (!matrix->symmetric)
		fprintf(out, "Rows: %s, columns: %s.\n",
			plot_role(canvas->image, false),
			plot_role(canvas->image, true));
	if (scale->n_values == 0) {
		fputs("No values.\n", out);
		return;
	}
	if (scale->least == scale->most || scale->counts)
		decimals = wanted_decimals(canvas);
	plot_format_fixed(least, scale->least, decimals);
	plot_format_fixed(most, scale->most, decimals);
	if (scale->least == scale->most)
		fprintf(out, "All values are %s", least);
	else if (canvas->page.colour && !scale->constant && !scale->flat)
		print_scale_bar(canvas);
	else
		fprintf(out, "%s to %s", least, most);
	fprintf(out, " %s %s\n", matrix->unit, plot_direction(matrix));
	if (note && canvas->page.colour)
		fprintf(out, "%s\n", note);
	if (doubt && canvas->page.colour)
		fprintf(out, "%s\n", doubt);
	if (canvas->view->doubt)
		fprintf(out, "%s\n", canvas->view->doubt);
}

static void print_text_matrices(const struct text_page *page,
	struct plot_view *view, const struct plot_options *options)
{
	struct matrix_canvas canvas = {
		.page = *page, .view = view, .digits = 1};

	plot_scale_init(&canvas.scale, view, options, &view->memory);
	for (size_t i = 0; i < view->n_images; i++) {
		const struct cpu_list *cpus = &view->images[i].cpus;

		for (size_t k = 0; k < cpus->n; k++)
			canvas.digits = max_size(canvas.digits,
				(size_t)snprintf(NULL, 0, "%u", cpus->cpus[k]));
	}
	canvas.label = max_size(3, canvas.digits);
	for (size_t i = 0; i < view->n_images; i++) {
		struct number_layout numbers;

		canvas.image = &view->images[i];
		numbers = lay_out_numbers(&canvas);
		if (canvas.image->title) {
			fputs(i ? "\n" : "", page->out);
			page_print(page, canvas.image->title,
				strlen(canvas.image->title));
			putc('\n', page->out);
		}
		if (numbers.columns > 0)
			print_matrix_numbers(&canvas, &numbers);
		else
			print_matrix_pixels(&canvas);
	}
	print_matrix_scale(&canvas);
}

struct text_plot {
	struct text_page page;
	struct plot_view view;
	const struct plot_options *options;
};

static int print_text_plot(
	struct arena *memory, void *context, struct error *err)
{
	struct text_plot *plot = context;
	const struct text_page *page = &plot->page;

	(void)memory;
	(void)err;
	page_print_captions(page, &plot->view, plot->options);
	if (plot->view.n_images > 0)
		print_text_matrices(page, &plot->view, plot->options);
	else if ((page->colour || plot->options->chart) &&
		 page_has_chart(&plot->view))
		page_print_chart(page, &plot->view);
	else
		page_print_tables(page, &plot->view);
	return 0;
}

int plot_text(const struct plot_records *records,
	const struct plot_options *options,
	const struct plot_terminal *terminal, FILE *out, struct error *err)
{
	struct text_plot plot = {
		.page = {.columns = terminal->columns,
			.rows = terminal->rows,
			.colour = terminal->colour != PLOT_COLOUR_NONE,
			.colours = terminal->colour,
			.fit = terminal->fit,
			.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
			.out = out},
		.options = options,
	};
	int rc = plot_view_init(&plot.view, records, options, err);

	if (rc < 0)
		return rc;
	rc = arena_run(
		&plot.view.memory, print_text_plot, &plot, "the plot", err);
	plot_view_release(&plot.view);
	return rc;
}
