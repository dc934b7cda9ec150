/*
 * Matrices as text: aligned numbers, with colours behind them on a terminal
 * that is wide enough; otherwise a heatmap of half blocks. A half block is two
 * pixels, one above the other.
 *
 * Between groups of CPUs there is a gap, where the view has borders and there
 * is room.
 *
 * Without colours the numbers are always all there, however wide, so that the
 * text is good for pipes. Several matrices share one scale, which stands below
 * the last.
 */
#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page.h"
#include "plot/palette.h"
#include "plot/plot.h"
#include "plot/scale.h"
#include "plot/view.h"
#include "stat/stat.h"

/* Lines beside the heatmap: two captions, column labels, scale, prompt. */
#define OTHER_ROWS 7

/* Columns of the scale's bar. */
#define BAR_COLUMNS 32

/* Half a place each; the background shows in the other half. */
#define UPPER_BLOCK "\u2580"
#define LOWER_BLOCK "\u2584"

/* What all parts of one drawing need. */
struct canvas {
	struct page page;
	const struct plot_view *view;
	const struct matrix *matrix; /* the one at hand */
	struct plot_scale scale;     /* of all of them */
	bool difference;
};

static void set_background(FILE *out, struct palette_colour c)
{
	fprintf(out, "\033[48;2;%u;%u;%um", c.red, c.green, c.blue);
}

static void set_foreground(FILE *out, struct palette_colour c)
{
	fprintf(out, "\033[38;2;%u;%u;%um", c.red, c.green, c.blue);
}

static void reset(FILE *out)
{
	fputs("\033[0m", out);
}

static struct palette_colour colour_at(
	const struct canvas *canvas, double share)
{
	return canvas->difference ? palette_difference_at(share)
				  : palette_at(share);
}

static struct palette_colour colour_of(
	const struct canvas *canvas, double value)
{
	return colour_at(canvas, plot_scale_share(&canvas->scale, value));
}

/* Columns that the longest CPU number needs. */
static size_t label_columns(const struct canvas *canvas)
{
	const struct cpu_list *cpus = &canvas->view->result.cpus;
	size_t columns = 1;

	for (size_t i = 0; i < cpus->n; i++)
		columns = max(columns,
			(size_t)snprintf(NULL, 0, "%u", cpus->cpus[i]));
	return columns;
}

/*
 * Columns of the longest number, in colour in its short form. Of all matrices,
 * so that they look alike.
 */
static size_t number_columns(const struct canvas *canvas, int decimals)
{
	const struct result *drawn = &canvas->view->result;
	size_t cells = drawn->cpus.n * drawn->cpus.n;
	char text[PLOT_NUMBER_BYTES];
	size_t columns = 1;

	for (size_t i = 0; i < drawn->n_matrices * cells; i++) {
		double value = drawn->matrices[i / cells].values[i % cells];

		if (isnan(value))
			continue;
		if (canvas->page.colour)
			plot_short(text, value, decimals);
		else
			plot_fixed(text, value, decimals);
		columns = max(columns, strlen(text));
	}
	return columns;
}

/* How numbers are laid out; columns 0 when they do not fit. */
struct numbers_layout {
	size_t label;	/* columns of a row's label */
	size_t columns; /* of a cell, with the blank before its number */
	int decimals;
	enum plot_border gaps; /* before CPUs with such a border, or more */
};

/* Whether there is a gap before the CPU at i, for borders from gaps up. */
static bool has_gap(
	const struct canvas *canvas, enum plot_border gaps, size_t i)
{
	return i > 0 && gaps != PLOT_BORDER_NONE &&
	       canvas->view->borders[i] >= gaps;
}

/*
 * The least border whose gaps, each as wide as one blank, fit into room; none
 * when not even those of the greatest do. bin is how many CPUs a place has.
 */
static enum plot_border choose_gaps(
	const struct canvas *canvas, size_t bin, size_t room)
{
	size_t n = canvas->view->result.cpus.n;

	for (int kind = PLOT_BORDER_MINOR; kind <= PLOT_BORDER_MAJOR; kind++) {
		size_t gaps = 0;

		for (size_t i = 0; i < n; i += bin)
			gaps += has_gap(canvas, (enum plot_border)kind, i);
		if (gaps <= room)
			return (enum plot_border)kind;
	}
	return PLOT_BORDER_NONE;
}

/* Decimals to begin with; text that is not for a screen keeps one more. */
static int wanted_decimals(const struct canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;
	double size = fabs(scale->median);
	int decimals;

	if (scale->whole)
		return 0;
	if (canvas->page.colour)
		return plot_decimals(fmax(size, scale->high - scale->low));
	decimals = plot_decimals(size);
	return decimals > 1 ? decimals : 1;
}

static struct numbers_layout lay_out_numbers(const struct canvas *canvas)
{
	size_t n = canvas->view->result.cpus.n;
	struct numbers_layout layout = {.label = max(3, label_columns(canvas)),
		.decimals = wanted_decimals(canvas)};

	for (; layout.decimals >= 0; layout.decimals--) {
		layout.columns =
			1 + max(label_columns(canvas),
				    number_columns(canvas, layout.decimals));
		if (!canvas->page.colour)
			return layout;
		/* A blank on either side where there is room for it. */
		if (layout.label + 1 + n * (layout.columns + 1) <=
			canvas->page.columns)
			layout.columns++;
		if (layout.label + 1 + n * layout.columns <=
			canvas->page.columns) {
			layout.gaps = choose_gaps(canvas, 1,
				canvas->page.columns - layout.label - 1 -
					n * layout.columns);
			return layout;
		}
	}
	layout.columns = 0;
	return layout;
}

static void print_cell(const struct canvas *canvas,
	const struct numbers_layout *layout, double value, size_t after)
{
	char text[PLOT_NUMBER_BYTES];
	struct palette_colour colour;
	FILE *out = canvas->page.out;

	if (isnan(value) || !canvas->page.colour) {
		page_number(&canvas->page, layout->columns - after, value,
			layout->decimals);
		fprintf(out, "%*s", (int)after, "");
		return;
	}
	plot_short(text, value, layout->decimals);
	colour = colour_of(canvas, value);
	set_background(out, colour);
	set_foreground(out, palette_ink(colour));
	fprintf(out, "%*s%*s", (int)(layout->columns - after), text, (int)after,
		"");
	reset(out);
}

static void print_numbers(
	const struct canvas *canvas, const struct numbers_layout *layout)
{
	const struct cpu_list *cpus = &canvas->view->result.cpus;
	const double *value = canvas->matrix->values;
	size_t inner = max(label_columns(canvas),
		number_columns(canvas, layout->decimals));
	size_t after = layout->columns - 1 - inner;
	FILE *out = canvas->page.out;

	fprintf(out, "%*s ", (int)layout->label, "CPU");
	for (size_t j = 0; j < cpus->n; j++)
		fprintf(out, "%s%*u%*s",
			has_gap(canvas, layout->gaps, j) ? " " : "",
			(int)(layout->columns - after), cpus->cpus[j],
			(int)(j + 1 < cpus->n ? after : 0), "");
	putc('\n', out);
	for (size_t i = 0; i < cpus->n; i++) {
		if (has_gap(canvas, layout->gaps, i))
			putc('\n', out);
		fprintf(out, "%*u ", (int)layout->label, cpus->cpus[i]);
		for (size_t j = 0; j < cpus->n; j++) {
			if (has_gap(canvas, layout->gaps, j))
				putc(' ', out);
			print_cell(canvas, layout, *value++, after);
		}
		putc('\n', out);
	}
}

/* What stands for the gap between groups among the bins of pixels. */
#define GAP SIZE_MAX

/*
 * How the heatmap is laid out: CPUs in bins, a square of pixels for a bin of
 * rows and one of columns, and pixels in the places of the terminal.
 */
struct pixels_layout {
	size_t label;	/* columns of a row's label */
	size_t bin;	/* CPUs to a bin */
	size_t n;	/* bins */
	size_t columns; /* of a pixel */
	size_t stacked; /* pixels, one above the other, in a row */
	size_t zoom;	/* pixels to a bin, each way */
	size_t side;	/* pixels, each way */
	size_t *bins;	/* [side] of which bin each is, or GAP */
};

/* Which pixels are of which bin, with one pixel to a gap: -ENOMEM. */
static int place_bins(const struct canvas *canvas, struct pixels_layout *layout,
	size_t wide, struct error *err)
{
	size_t used = layout->n * layout->zoom;
	enum plot_border gaps =
		choose_gaps(canvas, layout->bin, wide > used ? wide - used : 0);

	layout->bins = calloc(used + layout->n + 1, sizeof(*layout->bins));
	if (!layout->bins)
		return error_no_memory(err, "the heatmap");
	for (size_t i = 0; i < layout->n; i++) {
		if (has_gap(canvas, gaps, i * layout->bin))
			layout->bins[layout->side++] = GAP;
		for (size_t k = 0; k < layout->zoom; k++)
			layout->bins[layout->side++] = i;
	}
	return 0;
}

/* The caller frees layout->bins. */
static int lay_out_pixels(const struct canvas *canvas,
	struct pixels_layout *layout, struct error *err)
{
	size_t n = canvas->view->result.cpus.n;
	size_t rows = canvas->page.rows > OTHER_ROWS
			      ? canvas->page.rows - OTHER_ROWS
			      : 0;
	size_t wide = 0, most, high;

	*layout = (struct pixels_layout){.label = max(3, label_columns(canvas)),
		.columns = canvas->page.utf8 ? 1 : 2,
		.stacked = canvas->page.utf8 ? 2 : 1};
	high = rows * layout->stacked;
	if (canvas->page.columns > layout->label + 1)
		wide = (canvas->page.columns - layout->label - 1) /
		       layout->columns;
	/* A terminal scrolls down, not sideways. */
	most = max(1, wide);
	/* Powers of two, because caches and cores mostly group CPUs so. */
	for (layout->bin = 1; (n + layout->bin - 1) / layout->bin > most;)
		layout->bin *= 2;
	layout->n = (n + layout->bin - 1) / layout->bin;
	layout->zoom = max(1, min(wide, high) / max(1, layout->n));
	return place_bins(canvas, layout, wide, err);
}

/* Whether a bin begins with the pixel. */
static bool begins_bin(const struct pixels_layout *layout, size_t pixel)
{
	size_t bin = layout->bins[pixel];

	return bin != GAP && (pixel == 0 || layout->bins[pixel - 1] != bin);
}

/*
 * The nearest of the values in a bin of rows and one of columns, or NaN: the
 * lowest latency, the highest rate. A median would hide SMT siblings, which
 * are single cells.
 */
static double nearest_in_bin(
	const struct canvas *canvas, size_t bin, size_t row, size_t column)
{
	size_t n = canvas->view->result.cpus.n;
	double nearest = NAN;

	for (size_t i = row * bin; i < n && i < (row + 1) * bin; i++) {
		for (size_t j = column * bin; j < n && j < (column + 1) * bin;
			j++) {
			double value = canvas->matrix->values[i * n + j];

			if (canvas->difference) {
				if (!(fabs(value) <= fabs(nearest)) &&
					!isnan(value))
					nearest = value;
				continue;
			}
			/* These leave a NaN out. */
			nearest = canvas->matrix->higher_is_better
					  ? fmax(nearest, value)
					  : fmin(nearest, value);
		}
	}
	return nearest;
}

/* All bins, row by row; for free(), or NULL without memory. */
static double *nearest_of_bins(
	const struct canvas *canvas, const struct pixels_layout *layout)
{
	double *bins = calloc(layout->n * layout->n + 1, sizeof(*bins));

	for (size_t i = 0; bins && i < layout->n; i++) {
		for (size_t j = 0; j < layout->n; j++)
			bins[i * layout->n + j] =
				nearest_in_bin(canvas, layout->bin, i, j);
	}
	return bins;
}

/* Numbers of CPUs above the columns, as many as do not touch. */
static void print_column_labels(
	const struct canvas *canvas, const struct pixels_layout *layout)
{
	const struct cpu_list *cpus = &canvas->view->result.cpus;
	size_t wide =
		max(layout->side * layout->columns, label_columns(canvas));
	size_t step = 1, used = 0;

	while (step * layout->columns * layout->zoom <
		label_columns(canvas) + 2)
		step *= 2;
	fprintf(canvas->page.out, "%*s ", (int)layout->label, "CPU");
	for (size_t x = 0; x < layout->side; x++) {
		size_t at = x * layout->columns;
		char label[16];
		size_t length;

		if (!begins_bin(layout, x) || layout->bins[x] % step != 0)
			continue;
		length = (size_t)snprintf(label, sizeof(label), "%u",
			cpus->cpus[layout->bins[x] * layout->bin]);
		if (at + length > wide)
			break;
		fprintf(canvas->page.out, "%*s%s", (int)(at - used), "", label);
		used = at + length;
	}
	putc('\n', canvas->page.out);
}

/* Two pixels in one place; a missing one shows the terminal's background. */
static void print_stacked(
	const struct canvas *canvas, double top, double bottom)
{
	FILE *out = canvas->page.out;

	if (isnan(top) && isnan(bottom)) {
		putc(' ', out);
		return;
	}
	if (isnan(top)) {
		set_foreground(out, colour_of(canvas, bottom));
		fputs(LOWER_BLOCK, out);
	} else {
		set_foreground(out, colour_of(canvas, top));
		if (!isnan(bottom))
			set_background(out, colour_of(canvas, bottom));
		fputs(UPPER_BLOCK, out);
	}
	reset(out);
}

/* One pixel that fills its places. */
static void print_flat(const struct canvas *canvas,
	const struct pixels_layout *layout, double value)
{
	if (!isnan(value))
		set_background(canvas->page.out, colour_of(canvas, value));
	fprintf(canvas->page.out, "%*s", (int)layout->columns, "");
	if (!isnan(value))
		reset(canvas->page.out);
}

/* The value of a pixel; NaN for the gaps and beyond the last row. */
static double pixel_at(const struct pixels_layout *layout,
	const double *nearest, size_t x, size_t y)
{
	if (y >= layout->side || layout->bins[x] == GAP ||
		layout->bins[y] == GAP)
		return NAN;
	return nearest[layout->bins[y] * layout->n + layout->bins[x]];
}

/* Row y of the pixels and, when they are stacked, the one below it. */
static void print_pixel_row(const struct canvas *canvas,
	const struct pixels_layout *layout, const double *nearest, size_t y)
{
	for (size_t x = 0; x < layout->side; x++) {
		double top = pixel_at(layout, nearest, x, y);

		if (layout->stacked == 2)
			print_stacked(canvas, top,
				pixel_at(layout, nearest, x, y + 1));
		else
			print_flat(canvas, layout, top);
	}
	putc('\n', canvas->page.out);
}

/*
 * The label of the row of text that begins with pixel y, where a bin begins
 * there or behind a gap; *next is the first pixel that may have one again:
 * every second row at most.
 */
static void print_row_label(const struct canvas *canvas,
	const struct pixels_layout *layout, size_t y, size_t *next)
{
	const struct cpu_list *cpus = &canvas->view->result.cpus;
	size_t pixel = y;

	if (layout->stacked == 2 && layout->bins[y] == GAP)
		pixel++;
	if (y >= *next && begins_bin(layout, pixel)) {
		fprintf(canvas->page.out, "%*u ", (int)layout->label,
			cpus->cpus[layout->bins[pixel] * layout->bin]);
		*next = y + 2 * layout->stacked;
	} else {
		fprintf(canvas->page.out, "%*s ", (int)layout->label, "");
	}
}

static int print_pixels(const struct canvas *canvas, struct error *err)
{
	struct pixels_layout layout;
	int rc = lay_out_pixels(canvas, &layout, err);
	double *nearest = rc == 0 ? nearest_of_bins(canvas, &layout) : NULL;
	size_t next = 0;

	if (rc == 0 && !nearest)
		rc = error_no_memory(err, "the heatmap");
	if (rc == 0)
		print_column_labels(canvas, &layout);
	for (size_t y = 0; rc == 0 && y < layout.side; y += layout.stacked) {
		print_row_label(canvas, &layout, y, &next);
		print_pixel_row(canvas, &layout, nearest, y);
	}
	if (rc == 0 && layout.bin > 1)
		fprintf(canvas->page.out,
			"Each cell shows the nearest of %zu by %zu.\n",
			layout.bin, layout.bin);
	free(nearest);
	free(layout.bins);
	return rc;
}

/* The colours from low to high with the numbers at their ends. */
static void print_bar(const struct canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;
	int decimals = plot_decimals(scale->high - scale->low);
	char low[PLOT_NUMBER_BYTES], high[PLOT_NUMBER_BYTES];

	plot_fixed(low, scale->low, decimals);
	plot_fixed(high, scale->high, decimals);
	fprintf(canvas->page.out, "%s%s ",
		!scale->below	    ? ""
		: canvas->page.utf8 ? "\u2264 "
				    : "<= ",
		low);
	for (size_t i = 0; i < BAR_COLUMNS; i++) {
		double share = (double)i / (BAR_COLUMNS - 1);

		set_background(canvas->page.out,
			colour_at(canvas, scale->reversed ? 1 - share : share));
		putc(' ', canvas->page.out);
	}
	reset(canvas->page.out);
	fprintf(canvas->page.out, " %s%s",
		!scale->above	    ? ""
		: canvas->page.utf8 ? "\u2265 "
				    : ">= ",
		high);
}

static void print_scale(const struct canvas *canvas)
{
	const struct plot_scale *scale = &canvas->scale;
	const struct matrix *matrix = canvas->matrix;
	int decimals = canvas->page.colour
			       ? plot_decimals(scale->most - scale->least)
			       : wanted_decimals(canvas);
	char least[PLOT_NUMBER_BYTES], most[PLOT_NUMBER_BYTES];
	FILE *out = canvas->page.out;

	putc('\n', out);
	if (!matrix->symmetric)
		fprintf(out, "Rows: %s, columns: %s.\n",
			plot_role(canvas->view, false),
			plot_role(canvas->view, true));
	if (scale->n_values == 0) {
		fputs("No values.\n", out);
		return;
	}
	if (scale->least == scale->most)
		decimals = wanted_decimals(canvas);
	plot_fixed(least, scale->least, decimals);
	plot_fixed(most, scale->most, decimals);
	if (scale->least == scale->most)
		fprintf(out, "All values are %s", least);
	else if (canvas->page.colour && !scale->constant)
		print_bar(canvas);
	else
		fprintf(out, "%s to %s", least, most);
	fprintf(out, " %s (%s is better)\n", matrix->unit,
		matrix->higher_is_better ? "higher" : "lower");
	if (canvas->page.colour && scale->n_beyond > 0)
		fprintf(out,
			"Values from %s to %s %s; %zu of %zu lie beyond the "
			"colours.\n",
			least, most, matrix->unit, scale->n_beyond,
			scale->n_values);
}

static int print_matrix(const struct canvas *canvas, struct error *err)
{
	struct numbers_layout numbers = lay_out_numbers(canvas);

	if (numbers.columns == 0)
		return print_pixels(canvas, err);
	print_numbers(canvas, &numbers);
	return 0;
}

static int print_matrices(const struct page *page, const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const struct result *drawn = &view->result;
	struct canvas canvas = {
		.page = *page, .view = view, .difference = options->difference};
	int rc = plot_scale_init(&canvas.scale, drawn->matrices,
		drawn->n_matrices, drawn->cpus.n, options->range_min,
		options->range_max, err);

	for (size_t i = 0; rc == 0 && i < drawn->n_matrices; i++) {
		canvas.matrix = &drawn->matrices[i];
		if (drawn->n_matrices > 1)
			fprintf(page->out, "%s%s\n", i ? "\n" : "",
				canvas.matrix->name);
		rc = print_matrix(&canvas, err);
	}
	if (rc == 0)
		print_scale(&canvas);
	return rc;
}

int plot_text(const struct result *result, const struct plot_options *options,
	const struct plot_terminal *terminal, FILE *out, struct error *err)
{
	struct page page = {
		.columns = terminal->columns,
		.rows = terminal->rows,
		.colour = terminal->colour == PLOT_COLOUR_TRUE,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.out = out,
	};
	struct plot_view view;
	int rc = plot_view_init(&view, result, options, err);

	if (rc < 0)
		return rc;
	rc = page_print_captions(&page, &view, options, err);
	if (rc == 0)
		rc = view.result.n_matrices > 0
			     ? print_matrices(&page, &view, options, err)
			     : page_print_tables(&page, &view, err);
	plot_view_release(&view);
	return rc;
}
