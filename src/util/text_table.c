#include "util/text_table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/size.h"

struct table_cell {
	const char *text;
	size_t bytes;
	bool last; /* the last cell of its line */
};

struct text_column {
	char *heading;
	size_t gap, width;
	bool right;
};

/* A table. A block has the first column and the columns `first` to end - 1. */
struct table_layout {
	struct text_column *columns;
	size_t n, first, end;
	const char *missing;
};

/* Return the cell at *at, and move *at to the next cell. */
static struct table_cell take_cell(const char **at)
{
	struct table_cell cell = {.text = *at, .bytes = strcspn(*at, "\t\n")};

	*at += cell.bytes;
	cell.last = **at != '\t';
	*at += **at != '\0';
	return cell;
}

/* Return the bytes of a heading's next line, and of the blanks after it. */
static size_t heading_line(const struct text_column *column, const char *at)
{
	size_t bytes = text_line(at, column->width, ' ');

	return bytes + strspn(at + bytes, " ");
}

/* Parse a column, and end its heading's text. */
static struct text_column take_column(char *text, size_t bytes)
{
	struct text_column column = {.gap = strspn(text, " ")};
	char *end = text + bytes;

	while (end > text && isdigit((unsigned char)end[-1]))
		end--;
	/*
	 * Without a width, the next heading follows, which may begin with
	 * digits.
	 */
	if (end < text + bytes)
		column.width = strtoul(end, NULL, 10);
	if (end > text)
		column.right = *--end == '>';
	*end = '\0';
	column.heading = text + column.gap;
	/* A column is at least as wide as each word of its heading. */
	for (char *at = column.heading; *at; at += strspn(at, " ")) {
		bytes = strcspn(at, " ");
		column.width = max_size(column.width, text_columns(at, bytes));
		at += bytes;
	}
	return column;
}

/* Print a cell after `blanks`; return the blanks before the next cell. */
static size_t print_table_cell(FILE *out, const struct text_column *column,
	const struct table_cell *cell, size_t blanks)
{
	size_t used = text_columns(cell->text, cell->bytes);
	size_t rest = column->width - min_size(column->width, used);

	blanks += column->gap + (column->right ? rest : 0);
	if (cell->bytes == 0)
		return blanks + (column->right ? 0 : rest);
	fprintf(out, "%*s%.*s", (int)blanks, "", (int)cell->bytes, cell->text);
	return column->right ? 0 : rest;
}

static bool is_missing(
	const struct text_column *column, const struct table_cell *cell)
{
	size_t sign = *cell->text == '-';

	return column->right && cell->bytes == sign + strlen("nan") &&
	       strncmp(cell->text + sign, "nan", strlen("nan")) == 0;
}

static bool is_in_block(const struct table_layout *table, size_t k)
{
	return k == 0 || (k >= table->first && k < table->end);
}

/* Print the lines to out; if it is NULL, only widen the columns. */
static void walk_table(
	FILE *out, const struct table_layout *table, const char *at)
{
	while (*at) {
		struct table_cell cell = {.last = false};
		size_t blanks = 0;

		for (size_t k = 0; !cell.last; k++) {
			size_t column = min_size(k, table->n - 1);
			struct text_column *of = &table->columns[column];

			cell = take_cell(&at);
			if (is_missing(of, &cell)) {
				cell.text = table->missing;
				cell.bytes = strlen(cell.text);
			}
			if (!out && (!cell.last || k + 1 >= table->n))
				of->width = max_size(of->width,
					text_columns(cell.text, cell.bytes));
			if (out && is_in_block(table, column))
				blanks = print_table_cell(
					out, of, &cell, blanks);
		}
		if (out)
			putc('\n', out);
	}
}

static size_t count_heading_lines(const struct text_column *column)
{
	size_t n = 0;

	for (const char *at = column->heading; *at; n++)
		at += heading_line(column, at);
	return n;
}

/* Print the headings, which all end in the same line. */
static void print_table_headings(FILE *out, const struct table_layout *table)
{
	size_t left = 0, blanks = 0;

	for (size_t k = 0; k < table->n; k++) {
		if (is_in_block(table, k))
			left = max_size(
				left, count_heading_lines(&table->columns[k]));
	}
	for (; left > 0; left--, blanks = 0) {
		for (size_t k = 0; k < table->n; k++) {
			const struct text_column *column = &table->columns[k];
			struct table_cell cell = {.text = column->heading};
			size_t n = count_heading_lines(column);

			if (!is_in_block(table, k))
				continue;
			for (; n > left; n--)
				cell.text += heading_line(column, cell.text);
			if (n == left)
				cell.bytes = text_line(
					cell.text, column->width, ' ');
			blanks = print_table_cell(out, column, &cell, blanks);
		}
		putc('\n', out);
	}
}

/* Choose the columns from `first` on that fit beside the first column. */
static void choose_block(
	struct table_layout *table, size_t first, size_t most_columns)
{
	size_t used = table->columns[0].width;

	table->first = table->end = first;
	for (; table->end < table->n; table->end++) {
		const struct text_column *next = &table->columns[table->end];

		used += next->gap + next->width;
		if (used > most_columns && table->end > first)
			return;
	}
}

size_t text_table_print(FILE *out, struct text_list *lines, const char *missing,
	size_t most_columns)
{
	char *text = text_list_end(lines);
	const char *at = text ? text : "";
	struct table_cell cell = {.last = false};
	struct table_layout table = {.missing = missing,
		.columns =
			calloc(strcspn(at, "\n") + 1, sizeof(*table.columns))};
	size_t blocks = 0;

	while (text && table.columns && !cell.last) {
		cell = take_cell(&at);
		table.columns[table.n++] =
			take_column(text + (cell.text - text), cell.bytes);
	}
	if (table.n > 0 && *at) {
		walk_table(NULL, &table, at);
		for (table.end = 1; blocks == 0 || table.end < table.n;
			blocks++) {
			choose_block(&table, table.end, most_columns);
			fputs(blocks > 0 ? "\n" : "", out);
			print_table_headings(out, &table);
			walk_table(out, &table, at);
		}
	}
	free(table.columns);
	free(text);
	return blocks;
}
