/*
 * Writes a view as Markdown tables for an article, one for each matrix or panel
 * of curves. Half the width of the interval follows each value.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "render/picture.h"

/* Escape markup in a text, and bars, which end a table cell. */
static void write_markdown_text(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("|\\<*_#`", *text))
			putc('\\', out);
		putc(text_is_control(*text) ? ' ' : *text, out);
	}
}

/* Write the line below a table's headings; numbers are right-aligned. */
static void write_markdown_rule(size_t columns, FILE *out)
{
	for (size_t i = 0; i < columns; i++)
		fputs("|---:", out);
	fputs("|\n", out);
}

static void write_markdown_image(
	const struct plot_image *image, int decimals, FILE *out)
{
	const struct cpu_list *cpus = &image->cpus;
	char text[PLOT_NUMBER_BYTES];

	if (image->title) {
		fputs("**", out);
		write_markdown_text(image->title, out);
		fputs("**\n\n", out);
	}
	fprintf(out, "| %s ", result_member_word(image->source->record));
	for (size_t i = 0; i < cpus->n; i++)
		fprintf(out, "| %u ", cpus->cpus[i]);
	fputs("|\n", out);
	write_markdown_rule(cpus->n + 1, out);
	for (size_t i = 0; i < cpus->n * cpus->n; i++) {
		double value = image->matrix.values[i];

		if (i % cpus->n == 0)
			fprintf(out, "| **%u** ", cpus->cpus[i / cpus->n]);
		plot_format_fixed(text, value, decimals);
		fprintf(out, "| %s ", isnan(value) ? "" : text);
		if (i % cpus->n == cpus->n - 1)
			fputs("|\n", out);
	}
	putc('\n', out);
}

static void write_markdown_images(
	struct plot_view *view, const struct plot_options *options, FILE *out)
{
	struct plot_scale scale;
	int decimals;

	plot_scale_init(&scale, view, options, &view->memory);
	decimals = scale.whole ? 0 : plot_decimals(fabs(scale.median));
	for (size_t i = 0; i < view->n_images; i++)
		write_markdown_image(&view->images[i], decimals, out);
}

/* Write "25.1 ± 0.3", or nothing if the curve has no point. */
static void write_markdown_point(const struct curve *curve, double x, FILE *out)
{
	char value[PLOT_NUMBER_BYTES], half[PLOT_NUMBER_BYTES];
	size_t i = 0;
	int decimals;

	while (i < curve->n && curve->x[i] != x)
		i++;
	fputs("| ", out);
	if (i == curve->n || isnan(curve->median[i]))
		return;
	decimals = plot_decimals(fabs(curve->median[i]));
	plot_format_fixed(value, curve->median[i], decimals);
	fprintf(out, "%s ", value);
	if (!curve->low || isnan(curve->low[i] + curve->high[i]))
		return;
	plot_format_fixed(half, (curve->high[i] - curve->low[i]) / 2, decimals);
	fprintf(out, "± %s ", half);
}

static void write_markdown_panel(
	struct plot_view *view, const struct plot_panel *panel, FILE *out)
{
	const struct curve_facts *facts = &panel->curves->facts;
	const struct curve **curves =
		arena_alloc(&view->memory, panel->n, sizeof(struct curve *));
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	char text[PLOT_NUMBER_BYTES];
	size_t n_curves = 0, n;
	double *x;

	for (size_t i = 0; i < panel->n; i++) {
		if (!curve_is_bound(&panel->curves[i]))
			curves[n_curves++] = &panel->curves[i];
	}
	if (n_curves == 0)
		return;
	fputs("**", out);
	write_markdown_text(curve_title(panel->curves, title), out);
	fprintf(out, "**, %s [%s]\n\n| ", curve_quantity(facts), facts->y_unit);
	write_markdown_text(plot_x_title(view, panel->curves), out);
	for (size_t i = 0; i < n_curves; i++) {
		fputs(" | ", out);
		write_markdown_text(curve_name(curves[i], name), out);
	}
	fputs(" |\n", out);
	write_markdown_rule(n_curves + 1, out);
	n = draw_collect_x(&view->memory, curves, n_curves, &x);
	for (size_t k = 0; k < n; k++) {
		fputs("| ", out);
		write_markdown_text(plot_x_text(panel, x[k], text), out);
		putc(' ', out);
		for (size_t i = 0; i < n_curves; i++)
			write_markdown_point(curves[i], x[k], out);
		fputs("|\n", out);
	}
	putc('\n', out);
}

/* Write a paragraph, if there is any text. */
static void write_markdown_paragraph(const char *text, FILE *out)
{
	if (!text || !*text)
		return;
	write_markdown_text(text, out);
	fputs("\n\n", out);
}

struct markdown_file {
	const struct drawing *drawing;
	FILE *out;
};

static int write_markdown(
	struct arena *memory, void *context, struct error *err)
{
	const struct markdown_file *file = context;
	const struct plot_options *options = file->drawing->options;
	struct plot_view *view = file->drawing->view;
	FILE *out = file->out;

	(void)memory;
	(void)err;
	write_markdown_paragraph(
		options->title ? options->title : plot_caption_machine(view),
		out);
	write_markdown_paragraph(plot_caption_method(view), out);
	write_markdown_paragraph(view->cells, out);
	if (view->n_images > 0)
		write_markdown_images(view, options, out);
	for (size_t i = 0; i < view->n_panels; i++)
		write_markdown_panel(view, &view->panels[i], out);
	write_markdown_paragraph(plot_caption_doubts(view), out);
	return 0;
}

int plot_write_markdown(
	const struct drawing *drawing, FILE **file, struct error *err)
{
	struct markdown_file tables = {drawing, NULL};

	tables.out = *file = gnuplot_memory_file("tables", err);
	return *file ? arena_run(&drawing->view->memory, write_markdown,
			       &tables, "the tables", err)
		     : -EIO;
}
