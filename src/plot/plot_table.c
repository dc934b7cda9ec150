/*
 * Curves as tables, one for each panel: x runs downwards, and each curve has a
 * column.
 *
 * On a terminal a table that is too wide continues below; in a pipe it keeps
 * its width.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_page.h"
#include "plot/plot_scale.h"
#include "stat/stat.h"
#include "util/text.h"

/* Blanks between columns. */
#define GAP 2

/* Least width of a column, so that its heading does not need many lines. */
#define NARROWEST 10

/* Larger sizes are no integers. */
#define MOST_BYTES 1e18

/* Most decimals; measurements are not repeatable beyond these. */
#define MOST_DECIMALS 3

/* Of an x that was measured too, as the report of c2c numa has it. */
#define MEASURED_DECIMALS 2

struct table_column {
	const struct curve *curve;
	char name[CURVE_NAME_BYTES];
	size_t columns; /* its width */
	size_t numbers; /* values that are not missing */
};

struct curve_table {
	const struct text_page *page;
	struct table_column *columns; /* [n], then those that have no column */
	size_t n, n_all;
	double *x; /* [n_x] of all curves, each once, increasing */
	size_t n_x;
	int decimals;
	enum curve_axis kind;	   /* of x */
	struct table_column label; /* what x is */
	size_t left_out;	   /* curves */
};

static size_t format_table_x(
	const struct curve_table *table, double x, char text[PLOT_NUMBER_BYTES])
{
	if (table->kind == CURVE_BYTES)
		plot_format_bytes(text, x);
	else if (table->kind == CURVE_SETS && x >= 0 && x < MOST_BYTES)
		text_size((uint64_t)x, text);
	else if (table->kind == CURVE_MEASURED)
		plot_format_fixed(text, x, MEASURED_DECIMALS);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g", x);
	return strlen(text);
}

static size_t longest_word(const char *text)
{
	size_t longest = 0;

	for (; *text; text += strspn(text, " ")) {
		size_t bytes = strcspn(text, " ");

		longest = max_size(longest, text_columns(text, bytes));
		text += bytes;
	}
	return longest;
}

/* Where the next line of a heading begins. */
static const char *next_heading_line(
	const struct table_column *column, const char *text)
{
	text += text_line(text, column->columns, ' ');
	return text + strspn(text, " ");
}

static size_t count_heading_lines(const struct table_column *column)
{
	size_t lines = 0;

	for (const char *text = column->name; *text; lines++)
		text = next_heading_line(column, text);
	return lines;
}

/*
 * Print one line of a heading, which ends in the last of all lines. Where it
 * has no word, the gap before the next heading grows.
 */
static void print_heading_line(const struct text_page *page,
	const struct table_column *column, size_t line, size_t lines,
	size_t *gap)
{
	size_t above = lines - count_heading_lines(column), bytes;
	const char *text = column->name;

	*gap += column->columns;
	if (line < above) {
		*gap += GAP;
		return;
	}
	for (size_t j = above; j < line; j++)
		text = next_heading_line(column, text);
	bytes = text_line(text, column->columns, ' ');
	fprintf(page->out, "%*s", (int)(*gap - text_columns(text, bytes)), "");
	page_print(page, text, bytes);
	*gap = GAP;
}

/* The columns from first to before last. */
static void print_column_block(
	const struct curve_table *table, size_t first, size_t last)
{
	const struct text_page *page = table->page;
	size_t lines = count_heading_lines(&table->label);

	for (size_t i = first; i < last; i++)
		lines = max_size(
			lines, count_heading_lines(&table->columns[i]));
	for (size_t line = 0; line < lines; line++) {
		size_t gap = 0;

		print_heading_line(page, &table->label, line, lines, &gap);
		for (size_t i = first; i < last; i++)
			print_heading_line(
				page, &table->columns[i], line, lines, &gap);
		putc('\n', page->out);
	}
	for (size_t j = 0; j < table->n_x; j++) {
		char text[PLOT_NUMBER_BYTES];

		format_table_x(table, table->x[j], text);
		fprintf(page->out, "%*s", (int)table->label.columns, text);
		for (size_t i = first; i < last; i++) {
			const struct table_column *column = &table->columns[i];

			page_number(page, GAP + column->columns,
				curve_value_at(column->curve, table->x[j]),
				table->decimals);
		}
		putc('\n', page->out);
	}
}

/* The first column that no longer fits into the block of the first one. */
static size_t find_block_end(const struct curve_table *table, size_t first)
{
	size_t used = table->label.columns, i = first;

	for (; i < table->n; i++) {
		used += GAP + table->columns[i].columns;
		if (table->page->colour && used > table->page->columns &&
			i > first)
			break;
	}
	return i;
}

/* If not all columns fit a terminal, the mean stands for single CPUs. */
static void drop_single_cpus(
	struct curve_table *table, const struct plot_panel *panel)
{
	size_t n = table->n;

	if (find_block_end(table, 0) == n)
		return;
	table->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (curve_is_behind_mean(
			    table->columns[i].curve, panel->curves, panel->n))
			table->left_out++;
		else
			table->columns[table->n++] = table->columns[i];
	}
}

/*
 * Choose the curves that have a column. A curve of one value, while others have
 * more, would be a column of dots: it has a line below the table.
 */
static void choose_table_columns(
	struct curve_table *table, const struct plot_panel *panel)
{
	size_t most = 0, n = 0;

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = &panel->curves[i];
		struct table_column *column = &table->columns[n];

		/* Ceilings have no column, unless they are asked for. */
		if (curve_is_bound(curve) && curve->ceiling)
			continue;
		*column = (struct table_column){.curve = curve};
		curve_name(curve, column->name);
		column->columns =
			max_size(NARROWEST, longest_word(column->name));
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

/* Collect x of all columns, and choose decimals and widths. */
static void lay_out_table(struct curve_table *table, struct plot_view *view)
{
	const struct curve *first = table->columns[0].curve;
	char text[PLOT_NUMBER_BYTES];
	size_t points = 0, n = 0, wide = 0;
	double *y;

	for (size_t i = 0; i < table->n; i++)
		points += table->columns[i].curve->n;
	table->x = arena_alloc(&view->memory, points, sizeof(*table->x));
	y = arena_alloc(&view->memory, points, sizeof(*y));
	for (size_t i = 0; i < table->n; i++) {
		const struct curve *curve = table->columns[i].curve;

		memcpy(table->x + n, curve->x, curve->n * sizeof(*y));
		for (size_t j = 0; j < curve->n; j++)
			y[n++] = fabs(curve->median[j]);
	}
	stat_sort(table->x, points);
	points = stat_count_numbers(table->x, points);
	for (size_t i = 0; i < points; i++) {
		if (i == 0 || table->x[i] != table->x[i - 1])
			table->x[table->n_x++] = table->x[i];
	}
	stat_sort(y, n);
	n = stat_count_numbers(y, n);
	if (first->facts.y_axis != CURVE_COUNTS)
		table->decimals = (int)min_size(
			(size_t)plot_decimals(stat_quantile(y, n, 0.5)),
			MOST_DECIMALS);
	for (size_t i = 0; i < table->n; i++) {
		const struct curve *curve = table->columns[i].curve;

		for (size_t j = 0; j < curve->n; j++) {
			plot_format_fixed(
				text, curve->median[j], table->decimals);
			wide = max_size(wide, strlen(text));
		}
	}
	for (size_t i = 0; i < table->n; i++)
		table->columns[i].columns =
			max_size(table->columns[i].columns, wide);
	snprintf(table->label.name, sizeof(table->label.name), "%s",
		plot_x_title(view, first));
	table->label.columns = longest_word(table->label.name);
	for (size_t i = 0; i < table->n_x; i++)
		table->label.columns = max_size(table->label.columns,
			format_table_x(table, table->x[i], text));
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
	format_table_x(table, curve->x[i], x);
	plot_format_fixed(y, curve->median[i], table->decimals);
	fprintf(page->out, ": %s at %s (", y, x);
	page_print(page, curve->facts.x_name, strlen(curve->facts.x_name));
	fputs(")\n", page->out);
}

static void print_curve_table(const struct text_page *page,
	struct plot_view *view, struct table_column *columns,
	const struct plot_panel *panel)
{
	struct curve_table table = {.page = page,
		.columns = columns,
		.kind = panel->curves->facts.x_axis};
	size_t n;

	choose_table_columns(&table, panel);
	n = table.n;
	if (n == 0) {
		fputs("No values.\n", page->out);
		return;
	}
	lay_out_table(&table, view);
	drop_single_cpus(&table, panel);
	for (size_t i = 0, end; i < table.n; i = end) {
		end = find_block_end(&table, i);
		if (i > 0)
			putc('\n', page->out);
		print_column_block(&table, i, end);
	}
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
	struct table_column *columns = arena_alloc(
		&view->memory, view->result.n_curves, sizeof(*columns));

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
