#include "cmd/text_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/size.h"

struct text_column {
	size_t gap, width;
	bool right;
};

struct table_cell {
	const char *text;
	size_t bytes, columns;
	bool last; /* of its line */
};

/* The cell at *at, which then is at the next one. */
static struct table_cell take_cell(const char **at)
{
	struct table_cell cell = {.text = *at, .bytes = strcspn(*at, "\t\n")};

	cell.columns = text_columns(cell.text, cell.bytes);
	*at += cell.bytes;
	cell.last = **at != '\t';
	*at += **at != '\0';
	return cell;
}

/* Take what is no heading off the cell of a column. */
static struct text_column take_column(struct table_cell *heading)
{
	size_t gap = strspn(heading->text, " ");
	const char *side = heading->text + strcspn(heading->text, "<>");

	heading->text += gap;
	heading->bytes = (size_t)(side - heading->text);
	heading->columns = text_columns(heading->text, heading->bytes);
	return (struct text_column){.gap = gap,
		.width =
			max_size(strtoul(side + 1, NULL, 10), heading->columns),
		.right = *side == '>'};
}

/* Print a cell behind so many blanks. How many the next one has, or more. */
static size_t print_table_cell(FILE *out, const struct text_column *column,
	const struct table_cell *cell, size_t blanks)
{
	size_t rest = column->width - min_size(column->width, cell->columns);

	blanks += column->gap + (column->right ? rest : 0);
	if (cell->bytes == 0)
		return blanks + (column->right ? 0 : rest);
	fprintf(out, "%*s%.*s", (int)blanks, "", (int)cell->bytes, cell->text);
	return column->right ? 0 : rest;
}

/* A missing number in place of "nan" or "-nan". */
static void mark_missing(const struct text_column *column,
	struct table_cell *cell, const char *missing)
{
	size_t sign = *cell->text == '-';

	if (!column->right || cell->bytes != sign + strlen("nan") ||
		strncmp(cell->text + sign, "nan", strlen("nan")) != 0)
		return;
	cell->text = missing;
	cell->bytes = cell->columns = strlen(missing);
}

/* Go over lines of cells, to widen the columns or, with out, to print. */
static void walk_table(FILE *out, struct text_column *columns, size_t n,
	const char *at, const char *missing)
{
	while (*at) {
		struct table_cell cell = {.last = false};
		size_t blanks = 0;

		for (size_t k = 0; !cell.last; k++) {
			struct text_column *column =
				&columns[min_size(k, n - 1)];

			cell = take_cell(&at);
			mark_missing(column, &cell, missing);
			if (out)
				blanks = print_table_cell(
					out, column, &cell, blanks);
			else if (!cell.last || k + 1 >= n)
				column->width =
					max_size(column->width, cell.columns);
		}
		if (out)
			putc('\n', out);
	}
}

void text_table_print(FILE *out, struct text_list *lines, const char *missing)
{
	char *text = text_list_end(lines);
	size_t bytes = text ? strcspn(text, "\n") : 0, n = 0, blanks = 0;
	struct text_column *columns = calloc(bytes + 1, sizeof(*columns));
	struct table_cell *headings = calloc(bytes + 1, sizeof(*headings));
	const char *at = text;
	bool any = false;

	while (columns && headings && text &&
		(n == 0 || !headings[n - 1].last)) {
		headings[n] = take_cell(&at);
		columns[n] = take_column(&headings[n]);
		any |= headings[n++].bytes > 0;
	}
	if (n > 0 && *at) {
		walk_table(NULL, columns, n, at, missing);
		for (size_t k = 0; any && k < n; k++)
			blanks = print_table_cell(
				out, &columns[k], &headings[k], blanks);
		fputs(any ? "\n" : "", out);
		walk_table(out, columns, n, at, missing);
	}
	free(headings);
	free(columns);
	free(text);
}
