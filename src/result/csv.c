/*
 * Matrices as CSV: ours, with a header row and column of CPU numbers and
 * "cpu" in the corner, and those of other tools, which as a rule are a bare
 * square or triangle of numbers. Where the matrix is not what a bare one is
 * taken for, the corner says what it is, in the words of .dat:
 *
 *	cpu: NAME STATISTIC UNIT QUANTITY|- lower|higher
 *
 * Read are commas, semicolons, tabs or blanks between cells, LF or CR LF, a
 * trailing separator, quotes around cells, "#" comments. Shapes: a square, a
 * lower triangle with diagonal (1, 2, 3... cells), the same without diagonal
 * below an empty first line (0, 1, 2...), an upper triangle (n, n - 1...). A
 * half that is empty throughout is filled from the other.
 *
 * A header with an empty corner has the form of a bare square's first row, and
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

/* The corner of a matrix that is not what fill_matrix() takes it for. */
#define CORNER "cpu: "

enum {
	CORNER_NAME,
	CORNER_STATISTIC,
	CORNER_UNIT,
	CORNER_QUANTITY,
	CORNER_BETTER,
	N_CORNER,
};

/* What a matrix is that a file says nothing about. */
static const char *const usual[N_CORNER] = {
	"latency", "median", "ns", "one-way", "lower"};

/*
 * One word, whoever reads it, but for the quantity: it stands between words
 * and may be several.
 */
static void write_word(const char *word, bool several, FILE *out)
{
	if (*word == '\0')
		putc('_', out);
	for (; *word; word++)
		putc((*word == ' ' && several) ||
					((unsigned char)*word > ' ' &&
						!strchr(",;\"", *word))
				? *word
				: '_',
			out);
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
	write_corner(matrix, out);
	for (size_t j = 0; j < n; j++)
		fprintf(out, ",%u", result->cpus.cpus[j]);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\n%u", result->cpus.cpus[i]);
		for (size_t j = 0; j < n; j++) {
			putc(',', out);
			fputs(format_number(
				      &number, matrix->values[i * n + j], ""),
				out);
		}
	}
	putc('\n', out);
	return format_flush(out, err);
}

/*
 * A growing row of numbers, so that memory follows what a file really holds
 * and not what its header promises. Zeroed is empty; free(values).
 */
struct numbers {
	double *values;
	size_t n;
};

/* A row of the file: its line and its cells within the table's. */
struct row {
	size_t line, first, n;
};

/*
 * The cells as the file has them, rows of any length; missing cells are NaN.
 * With a header the first row and the first cell of each row are its.
 */
struct table {
	struct numbers cells;
	struct row *rows;
	size_t n, room;
	char separator;
	bool blank_first; /* the first line of the file is empty */
	bool header;
	char *corner; /* the header's first cell, owned; or NULL */
};

/* Header and a row per CPU; label, a cell per CPU and a trailing comma. */
#define MAX_ROWS  (RESULT_MAX_CPUS + 1)
#define MAX_CELLS (RESULT_MAX_CPUS + 2)

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t';
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

/* The cell that begins at text, less blanks and quotes around it. */
static const char *trim(const char *text, const char *end, size_t *n)
{
	while (text < end && is_blank_char(*text))
		text++;
	while (end > text && is_blank_char(end[-1]))
		end--;
	if (end - text >= 2 && *text == '"' && end[-1] == '"') {
		text++;
		end--;
	}
	*n = (size_t)(end - text);
	return text;
}

static bool is_missing(const char *cell, size_t n)
{
	return n == 0 || (n == 3 && strncasecmp(cell, "nan", 3) == 0);
}

static int bad_cell(const struct row *row, size_t column, const char *found,
	size_t n, const char *expected, struct error *err)
{
	struct quote quote;

	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu, column %zu: found %s, expected %s", row->line,
		column, reader_quote(&quote, found, n), expected);
}

static int push_cell(struct table *table, struct row *row, const char *cell,
	size_t n, struct error *err)
{
	double value = NAN;

	if (row->n == MAX_CELLS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found more than %d cells, expected a matrix "
			"of at most that many CPUs",
			row->line, RESULT_MAX_CPUS);
	if (!is_missing(cell, n) && !reader_number(cell, n, &value)) {
		/* Text in the corner is the name of a header. */
		if (row->n > 0 || table->n > 0)
			return bad_cell(row, row->n + 1, cell, n,
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
		return bad_cell(row, row->n + 1, cell, n,
			"a number that is not negative", err);
	row->n++;
	if (!array_grow(&table->cells.values, table->cells.n, sizeof(value)))
		return error_no_memory(err, "the numbers of the file");
	table->cells.values[table->cells.n++] = value;
	return 0;
}

/* The end of the cell that begins at text. */
static const char *cell_end(const struct table *table, const char *text)
{
	if (table->separator == ' ')
		return text + strcspn(text, " \t");
	return strchrnul(text, table->separator);
}

static int push_row(
	struct table *table, const char *text, size_t line, struct error *err)
{
	struct row row = {.line = line, .first = table->cells.n};
	const char *end;

	if (table->n == MAX_ROWS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found more than %d lines, expected a matrix "
			"of at most that many CPUs",
			line, RESULT_MAX_CPUS);
	if (table->n == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		struct row *rows =
			reallocarray(table->rows, room, sizeof(*rows));

		if (!rows)
			return error_no_memory(err, "the rows of the file");
		table->rows = rows;
		table->room = room;
	}
	for (;; text = end + 1) {
		const char *cell;
		size_t n;
		int rc;

		/* Any number of blanks is one separator. */
		if (table->separator == ' ')
			text += strspn(text, " \t");
		end = cell_end(table, text);
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

/* Whether a line has neither cells nor separators. */
static bool is_empty(const struct table *table, const char *line)
{
	const char *blanks = table->separator == '\t' ? " " : " \t";

	return line[strspn(line, blanks)] == '\0';
}

static int read_table(
	struct table *table, struct reader *reader, struct error *err)
{
	char *line;
	int rc;

	while ((rc = reader_next_line(reader, &line, err)) > 0) {
		if (*line == '#')
			continue;
		/* Rows of one cell, as a triangle begins, do not tell. */
		if (table->cells.n == table->n)
			table->separator = find_separator(line);
		if (is_empty(table, line)) {
			if (reader->line == 1)
				table->blank_first = true;
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
	return table->cells.values[table->rows[i].first + j];
}

/* Whether value could be a CPU number. */
static bool is_cpu(double value)
{
	return value >= 0 && value <= CPU_LIST_MAX_CPU && value == trunc(value);
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

/* Take header row and column off the table and into cpus. */
static int take_header(
	struct table *table, struct cpu_list *cpus, struct error *err)
{
	const struct row *head = &table->rows[0];

	for (size_t j = 1; j < head->n; j++) {
		double cpu = cell_at(table, 0, j);
		int rc;

		/* A trailing separator leaves an empty cell. */
		if (isnan(cpu) && j + 1 == head->n && j >= table->n)
			break;
		if (!is_cpu(cpu))
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column %zu: found %.15g, expected a "
				"CPU number in the header",
				head->line, j + 1, cpu);
		rc = cpu_list_add(cpus, (unsigned)cpu, err);
		if (rc < 0)
			return rc;
		if (cpus->n != j)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column %zu: found CPU %.15g for the "
				"second time, expected every CPU once",
				head->line, j + 1, cpu);
	}
	if (cpus->n + 1 != table->n)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu lines below a header of %zu CPUs, expected "
			"one per CPU",
			table->n - 1, cpus->n);
	for (size_t i = 0; i < cpus->n; i++) {
		struct row *row = &table->rows[i + 1];

		if (cell_at(table, i + 1, 0) != cpus->cpus[i])
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column 1: found %.15g, expected %u, "
				"the CPU of column %zu",
				row->line, cell_at(table, i + 1, 0),
				cpus->cpus[i], i + 2);
		row->first++;
		row->n--;
	}
	table->n--;
	memmove(table->rows, table->rows + 1, table->n * sizeof(*table->rows));
	return 0;
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
	switch (shape) {
	case SHAPE_LOWER:
		return i + 1;
	case SHAPE_UPPER:
		return n - i;
	default:
		return n;
	}
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
 * A CPU to itself is no pair; tools that must print something there print 0.
 */
static void clear_diagonal(double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (values[i * n + i] == 0)
			values[i * n + i] = NAN;
	}
}

/*
 * Fill an empty half from the other, and say whether the matrix is symmetric,
 * which a file of other tools does not tell.
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
	if (lower == upper)
		return same;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (lower)
				values[j * n + i] = values[i * n + j];
			else
				values[i * n + j] = values[j * n + i];
		}
	}
	return true;
}

static bool has_number(const struct table *table)
{
	for (size_t i = 0; i < table->cells.n; i++) {
		if (!isnan(table->cells.values[i]))
			return true;
	}
	return false;
}

/*
 * The words of a corner of ours, within *corner. One that is not like it is
 * another tool's, and tells nothing.
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
 * A CSV with another corner says nothing about itself. Nearly every tool that
 * writes one prints one latency in nanoseconds per pair, so this is what it is
 * taken for, under the statistic that c2c shows by default. Whether the number
 * is one way or round trip stays unknown.
 */
static int add_matrix(struct result *result, char *corner, struct matrix **made,
	struct error *err)
{
	const char *words[N_CORNER];
	const char *quantity = NULL;
	int rc;

	*made = NULL;
	result->bare = !split_corner(corner, words);
	if (result->bare)
		memcpy(words, usual, sizeof(words));
	else if (strcmp(words[CORNER_QUANTITY], "-") != 0)
		quantity = words[CORNER_QUANTITY];
	rc = check_words(words, err);
	result->command = strdup(command_of(words[CORNER_NAME]));
	if (rc == 0 && result->command)
		*made = result_add_matrix(result, words[CORNER_NAME],
			words[CORNER_STATISTIC], words[CORNER_UNIT], quantity,
			strcmp(words[CORNER_BETTER], "higher") == 0, false);
	return rc < 0 || *made ? rc : error_no_memory(err, "a matrix");
}

/* A matrix of the table's cells; down is 1 below an empty first line. */
static int fill_matrix(struct result *result, const struct table *table,
	enum shape shape, size_t down, struct error *err)
{
	struct matrix *matrix;
	size_t n = result->cpus.n;
	int rc = add_matrix(result, table->corner, &matrix, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < table->n; i++) {
		size_t right = shape == SHAPE_UPPER ? i : 0;
		size_t cells = cells_of(shape, i, table->n);

		for (size_t j = 0; j < cells; j++)
			matrix->values[(i + down) * n + j + right] =
				cell_at(table, i, j);
	}
	clear_diagonal(matrix->values, n);
	matrix->symmetric = make_symmetric(matrix->values, n);
	return 0;
}

static int unpack(struct result *result, struct table *table, struct error *err)
{
	enum shape shape;
	size_t down = 0;
	int rc;

	if (table->header || is_bare_header(table)) {
		rc = take_header(table, &result->cpus, err);
		if (rc < 0)
			return rc;
	} else if (!has_number(table)) {
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found only empty cells, expected numbers");
	}
	rc = find_shape(table, &shape, err);
	if (rc < 0)
		return rc;
	/* One cell below an empty line: CPU 1 to CPU 0, no diagonal. */
	if (shape == SHAPE_LOWER && table->blank_first && result->cpus.n == 0)
		down = 1;
	if (table->n + down > RESULT_MAX_CPUS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu CPUs, expected at most %d", table->n + down,
			RESULT_MAX_CPUS);
	for (size_t i = 0; result->cpus.n < table->n + down; i++) {
		rc = cpu_list_add(&result->cpus, (unsigned)i, err);
		if (rc < 0)
			return rc;
	}
	return fill_matrix(result, table, shape, down, err);
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
	free(table.cells.values);
	free(table.rows);
	free(table.corner);
	return rc;
}
