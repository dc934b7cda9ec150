/*
 * Curves as tables, one for each panel: x runs downwards, and each curve has a
 * column.
 *
 * On a terminal, a table that is too wide continues below; in a pipe it keeps
 * its full width.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/colour_scale.h"
#include "figure/draw.h"
#include "render/text_page.h"
#include "stat/stat.h"
#include "util/text_table.h"

/* Least width of a column, so that its heading does not need many lines. */
#define NARROWEST 10

/* Maximum number of decimals; measurements are not repeatable beyond these. */
#define MOST_DECIMALS 3

struct table_column {
	const struct curve *curve;
	char name[CURVE_NAME_BYTES];
	size_t numbers; /* number of known values */
};

struct curve_table {
	const struct text_page *page;
	const struct plot_panel *panel;
	struct table_column *columns; /* [n], then curves without a column */
	size_t n, n_all;
	double *x; /* [n_x] distinct x of all curves, increasing */
	size_t n_x;
	int decimals;
	size_t wide;	   /* least width of a column of numbers */
	const char *label; /* name of x */
	size_t left_out;   /* curves without a column */
};

/* Leave out curves that a mean represents. Return whether there are any. */
static bool drop_single_cpus(struct curve_table *table)
{
	const struct plot_panel *panel = table->panel;
	size_t n = table->n;

	table->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!curve_is_behind_mean(
			    table->columns[i].curve, panel->curves, panel->n))
			table->columns[table->n++] = table->columns[i];
	}
	table->left_out = n - table->n;
	return table->left_out > 0;
}

/*
 * Choose the curves that get a column. A curve with only one value gets a line
 * below the table if other curves have more values.
 */
static void choose_table_columns(struct curve_table *table)
{
	const struct plot_panel *panel = table->panel;
	size_t most = 0, n = 0;

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = &panel->curves[i];
		struct table_column *column = &table->columns[n];

		/* Ceilings get a column only on request. */
		if (curve_is_bound(curve) && curve->ceiling)
			continue;
		*column = (struct table_column){.curve = curve};
		curve_name(curve, column->name);
		for (size_t k = 0; k < curve->n; k++)
			column->numbers += !isnan(curve->median[k]);
		most = max_size(most, column->numbers);
		n++;
	}
	table->n_all = n;
	for (size_t i = 0; i < n; i++) {
		struct table_column column = table->columns[i];

		if (column.numbers <= (most > 1))
			continue;
		memmove(&table->columns[table->n + 1],
			&table->columns[table->n],
			(i - table->n) * sizeof(column));
		table->columns[table->n++] = column;
	}
}

/* Collect the x of all columns, and choose decimals and widths. */
static void lay_out_table(struct curve_table *table, struct plot_view *view)
{
	const struct curve *first = table->columns[0].curve;
	char text[PLOT_NUMBER_BYTES];
	const struct curve **curves =
		arena_alloc(&view->memory, table->n, sizeof(struct curve *));
	size_t points = 0, n = 0;
	double *y;

	for (size_t i = 0; i < table->n; i++) {
		curves[i] = table->columns[i].curve;
		points += curves[i]->n;
	}
	table->n_x = draw_collect_x(&view->memory, curves, table->n, &table->x);
	y = arena_alloc(&view->memory, points, sizeof(*y));
	for (size_t i = 0; i < table->n; i++) {
		for (size_t j = 0; j < curves[i]->n; j++) {
			y[n] = fabs(curves[i]->median[j]);
			n += !isnan(y[n]);
		}
	}
	if (first->facts.y_axis != CURVE_COUNTS)
		table->decimals =
			(int)min_size((size_t)plot_decimals(stat_median(y, n)),
				MOST_DECIMALS);
	table->wide = NARROWEST;
	for (size_t i = 0; i < table->n; i++) {
		for (size_t j = 0; j < curves[i]->n; j++) {
			plot_format_fixed(
				text, curves[i]->median[j], table->decimals);
			table->wide = max_size(table->wide, strlen(text));
		}
	}
	table->label = plot_x_title(view, first);
}

/* Return the number of blocks below each other that hold all columns. */
static size_t format_columns(
	const struct curve_table *table, FILE *out, size_t most_columns)
{
	struct text_list lines = {.text = NULL};
	char text[PLOT_NUMBER_BYTES];

	text_list_add(&lines, "", "%s%c", table->label,
		table->columns[0].curve->n_x_names ? '<' : '>');
	for (size_t i = 0; i < table->n; i++)
		text_list_add(&lines, "\t", "  %s>%zu", table->columns[i].name,
			table->wide);
	for (size_t j = 0; j < table->n_x; j++) {
		text_list_add(&lines, "\n", "%s",
			plot_x_text(table->panel, table->x[j], text));
		for (size_t i = 0; i < table->n; i++) {
			plot_format_fixed(text,
				curve_value_at(
					table->columns[i].curve, table->x[j]),
				table->decimals);
			text_list_add(&lines, "\t", "%s", text);
		}
	}
	return text_table_print(
		out, &lines, table->page->utf8 ? PAGE_DOT : ".", most_columns);
}

/*
 * Print the columns. If the curves of single CPUs do not fit a terminal, print
 * their mean.
 */
static void print_columns(struct curve_table *table)
{
	const struct text_page *page = table->page;
	size_t most = page->colour ? page->columns : SIZE_MAX;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out && format_columns(table, out, most) > 1 &&
		drop_single_cpus(table)) {
		rewind(out);
		format_columns(table, out, most);
	}
	if (out && fclose(out) == 0)
		page_print(page, text, bytes);
	free(text);
}

/* "one loop: 6.74 at 1 (work-items)" */
static void print_single_value(
	const struct curve_table *table, const struct table_column *column)
{
	const struct text_page *page = table->page;
	const struct curve *curve = column->curve;
	char x[PLOT_NUMBER_BYTES], y[PLOT_NUMBER_BYTES];
	size_t i = 0;

	page_print(page, column->name, strlen(column->name));
	if (column->numbers == 0) {
		fputs(": no values\n", page->out);
		return;
	}
	while (isnan(curve->median[i]))
		i++;
	plot_format_fixed(y, curve->median[i], table->decimals);
	fprintf(page->out, ": %s at %s (", y,
		plot_x_text(table->panel, curve->x[i], x));
	page_print(page, curve->facts.x_name, strlen(curve->facts.x_name));
	fputs(")\n", page->out);
}

static void print_curve_table(const struct text_page *page,
	struct plot_view *view, struct table_column *columns,
	const struct plot_panel *panel)
{
	struct curve_table table = {
		.page = page, .panel = panel, .columns = columns};
	size_t n;

	choose_table_columns(&table);
	n = table.n;
	if (n == 0) {
		fputs("No values.\n", page->out);
		return;
	}
	lay_out_table(&table, view);
	print_columns(&table);
	if (table.left_out)
		fprintf(page->out,
			"\n%zu curves of single CPUs are left out; output to "
			"a pipe has them.\n",
			table.left_out);
	for (size_t i = n; i < table.n_all; i++)
		print_single_value(&table, &columns[i]);
}

void page_print_tables(const struct text_page *page, struct plot_view *view)
{
	struct table_column *columns =
		arena_alloc(&view->memory, view->n_curves, sizeof(*columns));

	for (size_t p = 0; p < view->n_panels; p++) {
		const struct plot_panel *panel = &view->panels[p];
		char title[CURVE_TITLE_BYTES];

		if (view->n_panels > 1)
			fprintf(page->out, "%s%s [%s]\n", p ? "\n" : "",
				curve_title(panel->curves, title),
				panel->curves->facts.y_unit);
		print_curve_table(page, view, columns, panel);
	}
}
