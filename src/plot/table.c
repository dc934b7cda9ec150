/*
 * Curves as tables: x downwards, a column for each curve. Curves whose panels
 * differ stand in tables of their own.
 *
 * On a terminal a table that is too wide goes on below; in a pipe it is as wide
 * as it is.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page.h"
#include "plot/scale.h"
#include "stat/stat.h"

/* Blanks between columns. */
#define GAP 2

/* What a column has at least: headings of narrower ones would be many lines. */
#define NARROWEST 10

/* Digits after the point at most: what is measured does not repeat better. */
#define MOST_DECIMALS 3

struct table {
	const struct page *page;
	struct curve *curves; /* [n] of a panel; what they hold is lent */
	size_t n;
	char (*names)[CURVE_NAME_BYTES]; /* [n] */
	double *x; /* [n_x] of all curves, each once, increasing */
	size_t n_x;
	int decimals;
	char *x_title;
	size_t label;	 /* columns of the x */
	size_t number;	 /* columns of the longest number */
	size_t left_out; /* curves */
};

/* y at x, or NaN. */
static double value_at(const struct curve *curve, double x)
{
	for (size_t i = 0; i < curve->n; i++) {
		if (curve->x[i] == x)
			return curve->median[i];
	}
	return NAN;
}

static void format_x(
	char text[PLOT_NUMBER_BYTES], double x, enum curve_axis kind)
{
	if (kind == CURVE_BYTES)
		plot_bytes(text, x);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g", x);
}

static size_t longest_word(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t bytes = strcspn(text, " ");

		longest = max(longest, page_columns(text, bytes));
		text += bytes;
		text += strspn(text, " ");
	}
	return longest;
}

static size_t columns_of(const struct table *table, size_t i)
{
	return max(
		max(NARROWEST, table->number), longest_word(table->names[i]));
}

/* Bytes of the line at the start of text, as many words as fit the columns. */
static size_t line_bytes(const char *text, size_t columns)
{
	size_t bytes = strcspn(text, " ");

	while (text[bytes]) {
		size_t next = bytes + strspn(text + bytes, " ");

		next += strcspn(text + next, " ");
		if (page_columns(text, next) > columns)
			break;
		bytes = next;
	}
	return bytes;
}

/* Past the line at the start of text. */
static const char *next_line(const char *text, size_t columns)
{
	text += line_bytes(text, columns);
	return text + strspn(text, " ");
}

static size_t count_lines(const char *text, size_t columns)
{
	size_t lines = 0;

	for (; *text; text = next_line(text, columns))
		lines++;
	return lines;
}

/* The heading of a column and its place in the row. */
struct heading {
	const char *text;
	size_t columns;
	size_t end;
};

/* One of so many lines of headings, flush right and flush with the last. */
static void print_line(const struct page *page, const struct heading *headings,
	size_t n, size_t line, size_t lines)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const char *text = headings[i].text;
		size_t columns = headings[i].columns, bytes;
		size_t above = lines - count_lines(text, columns);

		if (line < above)
			continue;
		for (size_t j = above; j < line; j++)
			text = next_line(text, columns);
		bytes = line_bytes(text, columns);
		columns = page_columns(text, bytes);
		fprintf(page->out, "%*s", (int)(headings[i].end - columns - at),
			"");
		page_print(page, text, bytes);
		at = headings[i].end;
	}
	putc('\n', page->out);
}

static int print_headings(
	const struct table *table, size_t first, size_t last, struct error *err)
{
	size_t n = 1 + last - first, end = table->label, lines;
	struct heading *headings = calloc(n, sizeof(*headings));

	if (!headings)
		return error_no_memory(err, "the table");
	headings[0] = (struct heading){table->x_title, end, end};
	lines = count_lines(table->x_title, end);
	for (size_t i = first; i < last; i++) {
		const char *text = table->names[i];
		size_t columns = columns_of(table, i);

		end += GAP + columns;
		headings[1 + i - first] = (struct heading){text, columns, end};
		lines = max(lines, count_lines(text, columns));
	}
	for (size_t line = 0; line < lines; line++)
		print_line(table->page, headings, n, line, lines);
	free(headings);
	return 0;
}

/* The columns from first to before last. */
static int print_block(
	const struct table *table, size_t first, size_t last, struct error *err)
{
	FILE *out = table->page->out;
	int rc = print_headings(table, first, last, err);

	if (rc < 0)
		return rc;
	for (size_t j = 0; j < table->n_x; j++) {
		char text[PLOT_NUMBER_BYTES];

		format_x(text, table->x[j], table->curves[0].is.x_axis);
		fprintf(out, "%*s", (int)table->label, text);
		for (size_t i = first; i < last; i++) {
			size_t columns = GAP + columns_of(table, i);
			double y = value_at(&table->curves[i], table->x[j]);

			plot_fixed(text, y, table->decimals);
			/* The dot may be of two bytes but is one column. */
			if (isnan(y))
				fprintf(out, "%*s%s", (int)columns - 1, "",
					page_dot(table->page));
			else
				fprintf(out, "%*s", (int)columns, text);
		}
		putc('\n', out);
	}
	return 0;
}

/* The first column that is too wide for a block which begins with first. */
static size_t end_of_block(const struct table *table, size_t first)
{
	size_t used = table->label, i = first;

	if (!table->page->colour)
		return table->n;
	for (; i < table->n; i++) {
		used += GAP + columns_of(table, i);
		if (used > table->page->columns && i > first)
			break;
	}
	return i;
}

/* A table of many CPUs is for other eyes than those before a terminal. */
static void leave_single_cpus_out(struct table *table)
{
	size_t kept = 0;

	if (end_of_block(table, 0) == table->n)
		return;
	/* Means stay, so that it does not matter which of the others do. */
	for (size_t i = 0; i < table->n; i++) {
		if (curve_is_behind_mean(
			    &table->curves[i], table->curves, table->n)) {
			table->left_out++;
			continue;
		}
		memmove(table->names[kept], table->names[i],
			sizeof(table->names[i]));
		table->curves[kept++] = table->curves[i];
	}
	table->n = kept;
}

/* The x of all curves and how wide what is: -ENOMEM. */
static int lay_out(struct table *table, struct error *err)
{
	const struct curve *first = &table->curves[0];
	size_t points = 0, n_y = 0;
	char text[PLOT_NUMBER_BYTES];
	double *y;

	table->names = calloc(table->n, sizeof(*table->names));
	for (size_t i = 0; table->names && i < table->n; i++)
		curve_name(&table->curves[i], table->names[i]);
	for (size_t i = 0; i < table->n; i++)
		points += table->curves[i].n;
	table->x = calloc(points + 1, sizeof(*table->x));
	y = calloc(points + 1, sizeof(*y));
	table->x_title = plot_x_title(first);
	if (!table->x || !y || !table->x_title || !table->names) {
		free(y);
		return error_no_memory(err, "the table");
	}
	points = 0;
	for (size_t i = 0; i < table->n; i++) {
		for (size_t j = 0; j < table->curves[i].n; j++) {
			table->x[points++] = table->curves[i].x[j];
			y[n_y] = fabs(table->curves[i].median[j]);
			n_y += !isnan(y[n_y]);
		}
	}
	stat_sort(table->x, points);
	points = stat_count_numbers(table->x, points);
	for (size_t i = 0; i < points; i++) {
		if (i == 0 || table->x[i] != table->x[i - 1])
			table->x[table->n_x++] = table->x[i];
	}
	table->decimals =
		first->is.y_axis == CURVE_COUNTS
			? 0
			: (int)min((size_t)plot_decimals(stat_median(y, n_y)),
				  MOST_DECIMALS);
	free(y);
	for (size_t i = 0; i < table->n; i++) {
		for (size_t j = 0; j < table->curves[i].n; j++) {
			plot_fixed(text, table->curves[i].median[j],
				table->decimals);
			table->number = max(table->number, strlen(text));
		}
	}
	table->label = longest_word(table->x_title);
	for (size_t i = 0; i < table->n_x; i++) {
		format_x(text, table->x[i], first->is.x_axis);
		table->label = max(table->label, strlen(text));
	}
	return 0;
}

static int print_table(struct table *table, struct error *err)
{
	int rc = lay_out(table, err);

	if (rc == 0)
		leave_single_cpus_out(table);
	for (size_t i = 0, end; rc == 0 && i < table->n; i = end) {
		end = end_of_block(table, i);
		if (i > 0)
			putc('\n', table->page->out);
		rc = print_block(table, i, end, err);
	}
	if (table->left_out)
		fprintf(table->page->out,
			"\n%zu curves of single CPUs are left out; output to "
			"a pipe has them.\n",
			table->left_out);
	free(table->names);
	free(table->x_title);
	free(table->x);
	return rc;
}

/* Whether an earlier curve has the axes of the i-th. */
static bool is_done(const struct curve *curves, size_t i)
{
	for (size_t j = 0; j < i; j++) {
		if (curve_same_panel(&curves[j], &curves[i]))
			return true;
	}
	return false;
}

static size_t count_numbers(const struct curve *curve)
{
	size_t count = 0;

	for (size_t i = 0; i < curve->n; i++)
		count += !isnan(curve->median[i]);
	return count;
}

static void print_name(const struct page *page, const struct curve *curve)
{
	char name[CURVE_NAME_BYTES];

	curve_name(curve, name);
	page_print(page, name, strlen(name));
}

/* "one loop: 6.74 at 1 (work-items)" */
static void print_single(const struct table *table, const struct curve *curve)
{
	const struct page *page = table->page;
	char x[PLOT_NUMBER_BYTES], y[PLOT_NUMBER_BYTES];
	size_t i = 0;

	while (isnan(curve->median[i]))
		i++;
	format_x(x, curve->x[i], curve->is.x_axis);
	plot_fixed(y, curve->median[i], table->decimals);
	print_name(page, curve);
	fprintf(page->out, ": %s at %s (", y, x);
	page_print(page, curve->is.x_name, strlen(curve->is.x_name));
	fputs(")\n", page->out);
}

/*
 * Those of [n] curves that have the axes of the i-th. What has one value, while
 * others have more, would be a column of dots: it has a line below the table,
 * and so has what has none. scratch is for [n].
 */
static int print_alike(const struct page *page, const struct curve *curves,
	size_t n, size_t i, struct curve *scratch, struct error *err)
{
	struct table table = {.page = page, .curves = scratch};
	size_t most = 0;
	int rc = 0;

	for (size_t j = i; j < n; j++) {
		if (curve_same_panel(&curves[j], &curves[i]))
			most = max(most, count_numbers(&curves[j]));
	}
	for (size_t j = i; j < n; j++) {
		if (curve_same_panel(&curves[j], &curves[i]) &&
			count_numbers(&curves[j]) > (most > 1))
			scratch[table.n++] = curves[j];
	}
	if (table.n == 0)
		fputs("No values.\n", page->out);
	else
		rc = print_table(&table, err);
	for (size_t j = i; rc == 0 && most > 0 && j < n; j++) {
		size_t count = count_numbers(&curves[j]);

		if (!curve_same_panel(&curves[j], &curves[i]))
			continue;
		if (count == 0) {
			print_name(page, &curves[j]);
			fputs(": no values\n", page->out);
		} else if (count == 1 && most > 1) {
			print_single(&table, &curves[j]);
		}
	}
	return rc;
}

int page_print_table(const struct page *page, const struct plot_view *view,
	struct error *err)
{
	const struct result *drawn = &view->result;
	struct curve *all = calloc(drawn->n_curves, sizeof(*all));
	struct curve *some = calloc(drawn->n_curves, sizeof(*some));
	bool titled = view->n_panels > 1;
	char title[CURVE_TITLE_BYTES];
	size_t n = 0;
	int rc = all && some ? 0 : error_no_memory(err, "the table");

	for (size_t i = 0; rc == 0 && i < drawn->n_curves; i++) {
		/* Ceilings have no column, unless they are what is asked for.
		 */
		if (drawn->curves[i].is.statistic != CURVE_CEILING ||
			!drawn->curves[i].ceiling)
			all[n++] = drawn->curves[i];
	}
	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (is_done(all, i))
			continue;
		if (titled)
			fprintf(page->out, "%s%s [%s]\n", i ? "\n" : "",
				curve_title(&all[i], title), all[i].is.y_unit);
		rc = print_alike(page, all, n, i, some, err);
	}
	free(some);
	free(all);
	return rc;
}
