/*
 * Matrices as CSV: ours, with a header row and column of CPU numbers and "cpu"
 * in the corner, and those of other tools, mostly a bare square or triangle of
 * numbers. Where a matrix is not what a bare one is taken for, the corner says
 * what it is, in the words of .dat:
 *
 *	cpu: NAME STATISTIC UNIT QUANTITY|- lower|higher
 *
 * Cells stand between commas, semicolons, tabs or blanks, lines end in LF or
 * CR LF. A separator may trail, cells may have quotes, "#" begins a comment.
 * Shapes: a square, a lower triangle with diagonal (1, 2, 3... cells), the same
 * without diagonal below an empty first line (0, 1, 2...), an upper triangle
 * (n, n - 1...). A half that is empty throughout is filled from the other.
 *
 * A header with an empty corner looks like the first row of a bare square, and
 * latencies of coarse clocks can be small whole numbers: only 0, 1, 2... in
 * both the first row and the first column is taken for a header.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "result/file.h"
#include "result/format.h"
#include "util/array.h"
#include "util/text.h"

#define CORNER "cpu: "

enum {
	CORNER_NAME,
	CORNER_STATISTIC,
	CORNER_UNIT,
	CORNER_QUANTITY,
	CORNER_BETTER,
	N_CORNER,
};

/* What a matrix is taken for when its file does not say. */
static const char *const usual[N_CORNER] = {
	"latency", "median", "ns", "one-way", "lower"};

/* One word for every reader; only the quantity may be several. */
static void write_word(const char *word, bool several, FILE *out)
{
	if (*word == '\0')
		putc('_', out);
	for (; *word; word++) {
		bool plain =
			(unsigned char)*word > ' ' && !strchr(",;\"", *word);

		putc(plain || (*word == ' ' && several) ? *word : '_', out);
	}
}

static void write_corner(const struct matrix *matrix, FILE *out)
{
	const char *const words[N_CORNER] = {matrix->name, matrix->statistic,
		matrix->unit, matrix->quantity ? matrix->quantity : "-",
		matrix->higher_is_better ? "higher" : "lower"};
	bool same = true;

	for (size_t i = 0; i < N_CORNER; i++)
		same &= strcmp(words[i], usual[i]) == 0 ||
			(i == CORNER_QUANTITY && !matrix->quantity);
	fputs("cpu", out);
	for (size_t i = 0; !same && i < N_CORNER; i++) {
		fputs(i ? " " : ": ", out);
		write_word(words[i], i == CORNER_QUANTITY, out);
	}
}

int result_write_csv(const struct result *result, FILE *out, struct error *err)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	size_t n = result->cpus.n;
	struct number number;

	if (!matrix)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the result has no matrix, and CSV holds only a "
			"matrix: write .json or .dat");
	if (result_is_of_nodes(result))
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the result has matrices of NUMA nodes, and CSV holds "
			"only one of CPUs: write .json or .dat");
	write_corner(matrix, out);
	for (size_t j = 0; j < n; j++)
		fprintf(out, ",%u", result->cpus.cpus[j]);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\n%u", result->cpus.cpus[i]);
		for (size_t j = 0; j < n; j++)
			fprintf(out, ",%s",
				format_number(&number,
					matrix->values[i * n + j], ""));
	}
	putc('\n', out);
	return format_flush(out, err);
}

/* A row of the file: its line and its cells within the table's. */
struct row {
	size_t line, first, n;
};

/*
 * The cells as the file has them, in rows of any length; a missing cell is NaN.
 * The header is the first row and the first cell of each row.
 */
struct table {
	double *cells;
	size_t n_cells;
	struct row *rows;
	size_t n;
	char separator;
	bool blank_first; /* the first line of the file is empty */
	bool header;
	char *corner; /* the header's first cell, owned; or NULL */
};

/* A header and a row per CPU; a label, a cell per CPU and a trailing comma. */
#define MAX_ROWS  (RESULT_MAX_CPUS + 1)
#define MAX_CELLS (RESULT_MAX_CPUS + 2)

static int bad_cell(const struct row *row, size_t column, const char *found,
	const char *expected, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu, column %zu: found %s, expected %s", row->line,
		column, found, expected);
}

static int too_many(size_t line, const char *what, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found more than %d %s, expected a matrix of at most "
		"that many CPUs",
		line, RESULT_MAX_CPUS, what);
}

static int push_cell(struct table *table, struct row *row, const char *cell,
	size_t n, struct error *err)
{
	bool missing = n == 0 || (n == 3 && strncasecmp(cell, "nan", 3) == 0);
	struct quote quote;
	double value = NAN;

	if (row->n++ == MAX_CELLS)
		return too_many(row->line, "cells", err);
	reader_quote(&quote, cell, n);
	if (!missing && !reader_number(cell, n, &value)) {
		/* Text in the corner is the name of a header. */
		if (row->n > 1 || table->n > 0)
			return bad_cell(row, row->n, quote.text,
				table->header && table->n == 0
					? "a CPU number, since the line begins "
					  "like a header"
					: "a number or an empty cell",
				err);
		table->header = true;
		table->corner = strndup(cell, n);
		if (!table->corner)
			return error_no_memory(err, "the header");
	}
	if (value < 0)
		return bad_cell(row, row->n, quote.text,
			"a number that is not negative", err);
	if (!array_grow(&table->cells, table->n_cells, sizeof(value)))
		return error_no_memory(err, "the numbers of the file");
	table->cells[table->n_cells++] = value;
	return 0;
}

/* The cell from text to end without the blanks and the quotes around it. */
static const char *trim(const char *text, const char *end, size_t *n)
{
	text += strspn(text, " \t");
	while (end > text && strchr(" \t", end[-1]))
		end--;
	if (end - text >= 2 && *text == '"' && end[-1] == '"') {
		text++;
		end--;
	}
	*n = end > text ? (size_t)(end - text) : 0;
	return text;
}

static int push_row(
	struct table *table, const char *text, size_t line, struct error *err)
{
	const char separators[] = {
		table->separator, table->separator == ' ' ? '\t' : '\0', '\0'};
	struct row row = {.line = line, .first = table->n_cells};
	const char *end;

	if (table->n == MAX_ROWS)
		return too_many(line, "lines", err);
	if (!array_grow(&table->rows, table->n, sizeof(row)))
		return error_no_memory(err, "the rows of the file");
	for (;; text = end + 1) {
		const char *cell;
		size_t n;
		int rc;

		/* Any number of blanks is one separator. */
		if (table->separator == ' ')
			text += strspn(text, " \t");
		end = text + strcspn(text, separators);
		cell = trim(text, end, &n);
		if (table->separator != ' ' || n > 0 || row.n == 0) {
			rc = push_cell(table, &row, cell, n, err);
			if (rc < 0)
				return rc;
		}
		if (*end == '\0')
			break;
	}
	table->rows[table->n++] = row;
	return 0;
}

/* The first of these that the line has, else blanks. */
static char find_separator(const char *line)
{
	static const char candidates[] = ";,\t";

	for (const char *c = candidates; *c; c++) {
		if (strchr(line, *c))
			return *c;
	}
	return ' ';
}

/* What a file is that begins so, if c2c does not read it; or NULL. */
static const char *other_kind(const char *line)
{
	static const struct {
		const char *begin, *kind;
	} kinds[] = {
		{"# plot", "a .dat is for gnuplot and c2c does not read it"},
		{"# format:", "a .dat is for gnuplot and c2c does not read it"},
		{"\x89PNG", "this is a picture, not a record"},
		{"%PDF", "this is a picture, not a record"},
		{"<svg", "this is a picture, not a record"},
		{"<", "this is XML or HTML, not a record"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strncmp(line, kinds[i].begin, strlen(kinds[i].begin)) == 0)
			return kinds[i].kind;
	}
	return NULL;
}

static int read_table(
	struct table *table, struct reader *reader, struct error *err)
{
	const char *kind = NULL;
	char *line = NULL;
	int rc;

	while ((rc = reader_next_line(reader, &line, err)) > 0) {
		if (reader->line == 1)
			kind = other_kind(line);
		if (kind)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"%s: name the .json or the .csv of that run",
				kind);
		if (*line == '#')
			continue;
		/* Rows of one cell, as a triangle begins, do not tell. */
		if (table->n_cells == table->n)
			table->separator = find_separator(line);
		/* An empty line has neither cells nor separators. */
		if (!line[strspn(
			    line, table->separator == '\t' ? " " : " \t")]) {
			table->blank_first |= reader->line == 1;
			continue;
		}
		rc = push_row(table, line, reader->line, err);
		if (rc < 0)
			return rc;
	}
	if (rc == 0 && table->n == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found no cells, expected a result of c2c or a CSV "
			"matrix");
	return rc;
}

static double cell_at(const struct table *table, size_t i, size_t j)
{
	return table->cells[table->rows[i].first + j];
}

/* Whether a header with an empty corner is there: see the top of the file. */
static bool is_bare_header(const struct table *table)
{
	size_t n = table->n;

	if (n < 3 || table->rows[0].n < n || !isnan(cell_at(table, 0, 0)))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (cell_at(table, 0, i) != (double)(i - 1) ||
			cell_at(table, i, 0) != (double)(i - 1))
			return false;
	}
	return true;
}

static int read_header(
	const struct table *table, struct cpu_list *cpus, struct error *err)
{
	const struct row *head = &table->rows[0];
	char found[64];

	if (head->n == 1 && table->corner) {
		struct quote quote;

		reader_quote(&quote, table->corner, strlen(table->corner));
		return bad_cell(head, 1, quote.text,
			"a matrix of numbers, or a header of CPU numbers", err);
	}
	for (size_t j = 1; j < head->n; j++) {
		double cpu = cell_at(table, 0, j);
		int rc;

		/* A trailing separator leaves an empty cell. */
		if (isnan(cpu) && j + 1 == head->n && j >= table->n)
			break;
		snprintf(found, sizeof(found), "%.15g", cpu);
		if (!(cpu <= CPU_LIST_MAX_CPU) || cpu != trunc(cpu))
			return bad_cell(head, j + 1, found,
				"a CPU number in the header", err);
		rc = cpu_list_add(cpus, (unsigned)cpu, err);
		if (rc < 0)
			return rc;
		snprintf(found, sizeof(found), "CPU %.15g for the second time",
			cpu);
		if (cpus->n != j)
			return bad_cell(
				head, j + 1, found, "every CPU once", err);
	}
	if (cpus->n + 1 != table->n)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu lines below a header of %zu CPUs, expected "
			"one per CPU",
			table->n - 1, cpus->n);
	return 0;
}

/* Take header row and column off the table and into cpus. */
static int take_header(
	struct table *table, struct cpu_list *cpus, struct error *err)
{
	int rc = read_header(table, cpus, err);

	for (size_t i = 0; rc == 0 && i < cpus->n; i++) {
		struct row *row = &table->rows[i + 1];

		if (cell_at(table, i + 1, 0) != cpus->cpus[i])
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column 1: found %.15g, expected %u, "
				"the CPU of column %zu",
				row->line, cell_at(table, i + 1, 0),
				cpus->cpus[i], i + 2);
		row->first++;
		row->n--;
		table->rows[i] = *row;
	}
	table->n--;
	return rc;
}

enum shape {
	SHAPE_SQUARE,
	SHAPE_LOWER,
	SHAPE_UPPER,
	SHAPE_COUNT,
};

/* How many cells row i of n has in a shape. */
static size_t cells_of(enum shape shape, size_t i, size_t n)
{
	return shape == SHAPE_LOWER ? i + 1 : shape == SHAPE_UPPER ? n - i : n;
}

/* The first row that does not fit the shape, or n when all do. */
static size_t first_misfit(const struct table *table, enum shape shape)
{
	for (size_t i = 0; i < table->n; i++) {
		size_t expected = cells_of(shape, i, table->n);
		size_t found = table->rows[i].n;

		/* A trailing separator leaves an empty cell. */
		if (found == expected + 1 && isnan(cell_at(table, i, expected)))
			continue;
		if (found != expected)
			return i;
	}
	return table->n;
}

static int find_shape(
	const struct table *table, enum shape *shape, struct error *err)
{
	size_t misfit;

	/* A lone cell below an empty line is a triangle, not a square. */
	for (int s = table->blank_first; s < SHAPE_COUNT + 1; s++) {
		*shape = (enum shape)(s % SHAPE_COUNT);
		if (first_misfit(table, *shape) == table->n)
			return 0;
	}
	/* Two rows tell which shape was meant; name the row that is not so. */
	*shape = table->rows[0].n <= 2 && table->n > 2 ? SHAPE_LOWER
						       : SHAPE_SQUARE;
	misfit = first_misfit(table, *shape);
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found %zu cells, expected %zu: a matrix of %zu "
		"lines is a square of as many columns, or a triangle",
		table->rows[misfit].line, table->rows[misfit].n,
		cells_of(*shape, misfit, table->n), table->n);
}

/*
 * Fill an empty half from the other, and say whether the matrix is symmetric,
 * which files of other tools do not tell.
 */
static bool make_symmetric(double *values, size_t n)
{
	bool lower = false, upper = false, same = true;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double a = values[i * n + j], b = values[j * n + i];

			lower |= !isnan(a);
			upper |= !isnan(b);
			same &= a == b || (isnan(a) && isnan(b));
		}
	}
	for (size_t i = 0; lower != upper && i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double *a = &values[i * n + j], *b = &values[j * n + i];

			*(lower ? b : a) = lower ? *a : *b;
		}
	}
	return same || lower != upper;
}

/*
 * The words of a corner of ours, within *corner. Any other corner is another
 * tool's, and tells nothing.
 */
static bool split_corner(char *corner, const char *words[N_CORNER])
{
	char *rest = corner, *last;
	size_t n = 0;

	if (!corner || strncmp(corner, CORNER, strlen(CORNER)) != 0)
		return false;
	rest += strlen(CORNER);
	while (n < CORNER_QUANTITY && rest) {
		words[n] = strsep(&rest, " ");
		if (*words[n++] == '\0')
			return false;
	}
	last = rest ? strrchr(rest, ' ') : NULL;
	if (!last || last == rest)
		return false;
	*last++ = '\0';
	words[CORNER_QUANTITY] = rest;
	words[CORNER_BETTER] = last;
	return strcmp(last, "lower") == 0 || strcmp(last, "higher") == 0;
}

/* The command that measures a matrix of this name. */
static const char *command_of(const char *name)
{
	if (strcmp(name, "copy") == 0)
		return "memcpy";
	if (strcmp(name, "writer") == 0 || strcmp(name, "reader") == 0)
		return "queue";
	return "latency";
}

/* The words go into messages, tables and pictures. */
static int check_words(const char *const words[N_CORNER], struct error *err)
{
	static const char *const keys[] = {
		"name", "statistic", "unit", "quantity"};

	for (size_t i = 0; i < CORNER_BETTER; i++) {
		const char *flaw = text_flaw(words[i], false);

		if (flaw)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"matrices[0].%s: found %s, expected text "
				"without control characters",
				keys[i], flaw);
	}
	return 0;
}

/*
 * Nearly every tool that writes a bare CSV prints one latency in nanoseconds
 * per pair, so c2c takes it for that, under the statistic that it shows by
 * default. Whether the number is one way or round trip stays unknown.
 */
static int add_matrix(struct result *result, char *corner, struct error *err)
{
	const char *words[N_CORNER], *quantity = NULL;
	int rc;

	result->bare = !split_corner(corner, words);
	if (result->bare)
		memcpy(words, usual, sizeof(words));
	else if (strcmp(words[CORNER_QUANTITY], "-") != 0)
		quantity = words[CORNER_QUANTITY];
	rc = check_words(words, err);
	if (rc < 0)
		return rc;
	result->command = strdup(command_of(words[CORNER_NAME]));
	if (result->command &&
		result_add_matrix(result, words[CORNER_NAME],
			words[CORNER_STATISTIC], words[CORNER_UNIT], quantity,
			strcmp(words[CORNER_BETTER], "higher") == 0, false))
		return 0;
	return error_no_memory(err, "a matrix");
}

/* The table's cells, down by a row below an empty first line. */
static void fill_matrix(const struct table *table, enum shape shape,
	size_t down, struct matrix *matrix)
{
	size_t n = table->n + down;

	for (size_t i = 0; i < table->n; i++) {
		size_t right = shape == SHAPE_UPPER ? i : 0;

		for (size_t j = 0; j < cells_of(shape, i, table->n); j++)
			matrix->values[(i + down) * n + j + right] =
				cell_at(table, i, j);
	}
	/* Tools that must print something for a CPU and itself print 0. */
	for (size_t i = 0; i < n; i++) {
		if (matrix->values[i * n + i] == 0)
			matrix->values[i * n + i] = NAN;
	}
	matrix->symmetric = make_symmetric(matrix->values, n);
}

static bool has_number(const struct table *table)
{
	for (size_t i = 0; i < table->n_cells; i++) {
		if (!isnan(table->cells[i]))
			return true;
	}
	return false;
}

static int unpack(struct result *result, struct table *table, struct error *err)
{
	bool header = table->header || is_bare_header(table);
	enum shape shape = SHAPE_SQUARE;
	size_t down;
	int rc = 0;

	if (header)
		rc = take_header(table, &result->cpus, err);
	else if (!has_number(table))
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"found only empty cells, expected numbers");
	if (rc == 0)
		rc = find_shape(table, &shape, err);
	if (rc < 0)
		return rc;
	/* One cell below an empty line: CPU 1 to CPU 0, no diagonal. */
	down = shape == SHAPE_LOWER && table->blank_first &&
	       result->cpus.n == 0;
	if (table->n + down > RESULT_MAX_CPUS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu CPUs, expected at most %d", table->n + down,
			RESULT_MAX_CPUS);
	for (size_t i = 0; rc == 0 && result->cpus.n < table->n + down; i++)
		rc = cpu_list_add(&result->cpus, (unsigned)i, err);
	if (rc == 0)
		rc = add_matrix(result, table->corner, err);
	if (rc == 0)
		fill_matrix(table, shape, down, result->matrices);
	return rc;
}

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err)
{
	struct table table = {0};
	int rc;

	result->complete = true;
	rc = read_table(&table, reader, err);
	if (rc == 0)
		rc = unpack(result, &table, err);
	free(table.cells);
	free(table.rows);
	free(table.corner);
	return rc;
}
