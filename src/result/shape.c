/*
 * A matrix is a square or a triangle, with or without the diagonal. A row of
 * CPUs may be above the matrix, and a column of CPUs at the left.
 *
 * c2c tries all readings of a table. c2c refuses a table with two readings,
 * unless one reading contradicts these rules: - 0, 1, 2... in both the first
 * row and the first column are CPUs. - A triangle with labels at the left has
 * no numbers on its diagonal. - A latency between two CPUs is not 0.
 */
#include "result/shape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/field.h"
#include "result/result.h"

static enum cell_kind kind_at(
	const struct text_table *table, size_t i, size_t j)
{
	return (enum cell_kind)table->kinds[table->rows[i].first + j];
}

static double cell_at(const struct text_table *table, size_t i, size_t j)
{
	return table->values[table->rows[i].first + j];
}

static int refuse_bad_cell(const struct text_table *table, size_t i,
	size_t column, const char *expected, struct error *err)
{
	const struct table_row *row = &table->rows[i];
	struct quoted_text quote;

	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu, column %zu: found %s, expected %s", row->line,
		column + 1, table_quote(table, row, column, &quote), expected);
}

static size_t count_number_rows(
	const struct text_table *table, const struct table_reading *reading)
{
	return table->n - reading->heading;
}

static size_t count_row_numbers(const struct text_table *table,
	const struct table_reading *reading, size_t i)
{
	size_t n = table->rows[i + reading->heading].n;

	return n - (reading->labels && n > 0);
}

/* Return the number of cells in row i of a shape with n rows. */
static size_t count_shape_cells(enum matrix_shape shape, size_t i, size_t n)
{
	switch (shape) {
	case SHAPE_LOWER:
		return i + 1;
	case SHAPE_LOWER_OPEN:
		return i;
	case SHAPE_UPPER:
		return n - i;
	case SHAPE_UPPER_OPEN:
		return n - 1 - i;
	case SHAPE_HOLLOW:
		return n - 1;
	default:
		return n;
	}
}

/* Return the column of the matrix where cell j of row i belongs. */
static size_t find_shape_column(enum matrix_shape shape, size_t i, size_t j)
{
	switch (shape) {
	case SHAPE_UPPER:
		return j + i;
	case SHAPE_UPPER_OPEN:
		return j + i + 1;
	case SHAPE_HOLLOW:
		return j + (j >= i);
	default:
		return j;
	}
}

/* Return whether row i has as many cells as the reading requires. */
static bool row_fits(const struct text_table *table,
	const struct table_reading *reading, size_t i)
{
	size_t n = count_number_rows(table, reading);
	size_t expected = count_shape_cells(
		reading->shape, i + reading->down, n + reading->down);
	size_t found = count_row_numbers(table, reading, i);

	/* A trailing separator leaves an empty cell. */
	return found == expected ||
	       (found == expected + 1 &&
		       kind_at(table, i + reading->heading,
			       expected + reading->labels) == CELL_GAP);
}

/* Return the first row that does not fit the reading, or the number of rows. */
static size_t find_first_misfit(
	const struct text_table *table, const struct table_reading *reading)
{
	size_t n = count_number_rows(table, reading);

	for (size_t i = 0; i < n; i++) {
		if (!row_fits(table, reading, i))
			return i;
	}
	return n;
}

/* Return the number of CPUs in the heading. */
static size_t count_named_cpus(
	const struct text_table *table, const struct table_reading *reading)
{
	size_t n = table->rows[0].n;

	if (n > 1 && kind_at(table, 0, n - 1) == CELL_GAP)
		n--;
	return n - reading->corner;
}

static double cpu_at(const struct text_table *table,
	const struct table_reading *reading, size_t i)
{
	return reading->heading ? cell_at(table, 0, i + reading->corner)
				: cell_at(table, i, 0);
}

/* Return whether a square has an empty column in place of labels. */
static bool is_gap_column(const struct text_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].n != table->n + 1 ||
			kind_at(table, i, 0) != CELL_GAP)
			return false;
	}
	return true;
}

/* Return whether the corner is empty, or a word for CPUs or nodes. */
static bool is_known_corner(const struct text_table *table)
{
	const char *corner = table->corner ? table->corner : "";
	bool node;

	return !*corner || cell_is_place(corner, strcspn(corner, ":"), &node);
}

/* Check that a heading has a different CPU for each row. */
static int check_heading(const struct text_table *table,
	const struct table_reading *reading, struct error *err)
{
	size_t n = count_named_cpus(table, reading),
	       rows = count_number_rows(table, reading);
	struct cpu_list cpus = {NULL, 0};
	int rc = 0;

	for (size_t j = 0; j < n && rc == 0; j++) {
		size_t column = j + reading->corner;
		double cpu = cell_at(table, 0, column);

		if (!cell_is_cpu(cpu)) {
			rc = refuse_bad_cell(table, 0, column,
				is_known_corner(table)
					? "a CPU number in the heading"
					: "a CPU number: a table that begins "
					  "with a word has a heading",
				err);
			break;
		}
		rc = cpu_list_add(&cpus, (unsigned)cpu, err);
		if (rc == 0 && cpus.n != j + 1)
			rc = error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column %zu: found CPU %.0f for the "
				"second time, expected every CPU once",
				table->rows[0].line, column + 1, cpu);
	}
	cpu_list_release(&cpus);
	if (rc == 0 && n != rows)
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found a heading of %zu CPU%s and %zu line%s "
			"below it, expected one per CPU",
			table->rows[0].line, n, n == 1 ? "" : "s", rows,
			rows == 1 ? "" : "s");
	return rc;
}

/* Check that labels equal the heading, or are different CPUs. */
static int check_row_labels(const struct text_table *table,
	const struct table_reading *reading, struct error *err)
{
	size_t n = count_number_rows(table, reading);
	struct cpu_list cpus = {NULL, 0};
	int rc = 0;

	if (!reading->heading && is_gap_column(table))
		return 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t row = i + reading->heading;
		double cpu = cell_at(table, row, 0);

		if (!cell_is_cpu(cpu)) {
			rc = refuse_bad_cell(
				table, row, 0, "a CPU number", err);
			break;
		}
		if (reading->heading) {
			double named = cpu_at(table, reading, i);

			if (cpu != named)
				rc = error_set(err, ERROR_FAILURE, EINVAL,
					"line %zu, column 1: found %.0f, "
					"expected %.0f, the CPU of column %zu",
					table->rows[row].line, cpu, named,
					i + reading->corner + 1);
			continue;
		}
		rc = cpu_list_add(&cpus, (unsigned)cpu, err);
		if (rc == 0 && cpus.n != i + 1)
			rc = error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column 1: found CPU %.0f for the "
				"second time, expected every CPU once",
				table->rows[row].line, cpu);
	}
	cpu_list_release(&cpus);
	return rc;
}

static const char *expected_number_text(
	const struct text_table *table, size_t i, size_t column)
{
	struct quoted_text quote;
	const char *text =
		table_quote(table, &table->rows[i], column, &quote) + 1;
	size_t n = strspn(text, "0123456789.eE+-");

	if (text[n] == '\'' && strtod(text, NULL) > RESULT_MOST)
		return "a number up to 1e15 or an empty cell";
	return "a number or an empty cell";
}

static int check_number_cells(const struct text_table *table,
	const struct table_reading *reading, struct error *err)
{
	for (size_t i = reading->heading; i < table->n; i++) {
		for (size_t j = reading->labels; j < table->rows[i].n; j++) {
			enum cell_kind kind = kind_at(table, i, j);

			if (kind != CELL_NUMBER && kind != CELL_GAP)
				return refuse_bad_cell(table, i, j,
					expected_number_text(table, i, j), err);
			if (cell_at(table, i, j) < 0)
				return refuse_bad_cell(table, i, j,
					"a number that is not negative", err);
		}
	}
	return 0;
}

/* Return whether the first column or row is 0, 1, 2... after some cells. */
static bool counts_up(const struct text_table *table, bool rows, size_t from)
{
	size_t n = rows ? table->n : table->rows[0].n;

	for (size_t i = from; i < n; i++) {
		double value =
			rows ? cell_at(table, i, 0) : cell_at(table, 0, i);

		if (value != (double)(i - from))
			return false;
	}
	return n > from;
}

static bool labels_rise(const struct text_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		double value = cell_at(table, i, 0);

		if (!cell_is_cpu(value) ||
			(i > 0 && value <= cell_at(table, i - 1, 0)))
			return false;
	}
	return true;
}

static bool is_consecutive(const struct text_table *table)
{
	size_t last = table->n - 1;

	return labels_rise(table) &&
	       cell_at(table, last, 0) - cell_at(table, 0, 0) == (double)last;
}

static bool has_only_labels(const struct text_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (kind_at(table, i, 0) != CELL_LABEL)
			return false;
	}
	return true;
}

/* Return whether the last cell of each row is empty or 0. */
static bool ends_in_nothing(const struct text_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		size_t n = table->rows[i].n;
		double last = n > i ? cell_at(table, i, i) : NAN;

		if (!isnan(last) && last != 0)
			return false;
	}
	return true;
}

/* Return whether the rows are a triangle below an empty first row. */
static bool is_below_first_row(const struct text_table *table)
{
	const struct table_reading reading = {
		.down = true, .shape = SHAPE_LOWER_OPEN};

	return table->below_blank &&
	       find_first_misfit(table, &reading) == table->n &&
	       !ends_in_nothing(table);
}

static bool may_have_shape(
	const struct text_table *table, const struct table_reading *reading)
{
	bool named = reading->heading || reading->labels;

	switch (reading->shape) {
	case SHAPE_HOLLOW:
		return reading->heading ||
		       (reading->labels && is_consecutive(table));
	case SHAPE_LOWER_OPEN:
	case SHAPE_UPPER_OPEN:
		/*
		 * A table without CPU numbers does not show which CPU is
		 * missing.
		 */
		if (!named)
			return false;
		break;
	default:
		break;
	}
	/* The first column of a triangle may be latencies or labels. */
	return !reading->labels || reading->heading ||
	       reading->shape == SHAPE_SQUARE || counts_up(table, true, 0) ||
	       (reading->rising && labels_rise(table)) ||
	       has_only_labels(table);
}

static int refuse_two_readings(
	const struct text_table *table, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: the first numbers may be CPUs or latencies: put a "
		"heading above the table, as in 'cpu,0,1,2'",
		table->rows[0].line);
}

static size_t count_misfit_rows(
	const struct text_table *table, const struct table_reading *reading)
{
	size_t n = count_number_rows(table, reading), misfits = 0;

	for (size_t i = 0; i < n; i++)
		misfits += !row_fits(table, reading, i);
	return misfits;
}

/* Return the width of rows begin to end - 1, or 0 for different widths. */
static size_t common_width(const struct text_table *table,
	const struct table_reading *reading, size_t begin, size_t end)
{
	size_t width = count_row_numbers(table, reading, begin);

	for (size_t i = begin; i < end; i++) {
		if (count_row_numbers(table, reading, i) != width)
			return 0;
	}
	return width;
}

/* Return the first row after a gap between lines, or the number of rows. */
static size_t row_behind_gap(
	const struct text_table *table, const struct table_reading *reading)
{
	size_t n = count_number_rows(table, reading), i;

	for (i = 1; i < n; i++) {
		const struct table_row *row =
			&table->rows[i + reading->heading];

		if (row->line > row[-1].line + 1)
			break;
	}
	return i < n ? i : n;
}

/* Refuse a table, and report a row that does not fit the most likely shape. */
static int refuse_shape(const struct text_table *table,
	struct table_reading *reading, struct error *err)
{
	size_t n = count_number_rows(table, reading), fewest = n + 1, misfit,
	       found;
	size_t gap = row_behind_gap(table, reading);
	size_t width = common_width(table, reading, 0, gap);
	enum matrix_shape best = SHAPE_SQUARE;

	if (gap < n && width > 0 && common_width(table, reading, gap, n) > 0 &&
		common_width(table, reading, 0, n) == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found %zu cells, and %zu in the lines above "
			"the gap: keep only one of these tables",
			table->rows[gap + reading->heading].line,
			count_row_numbers(table, reading, gap), width);
	for (int s = SHAPES; s-- > 0;) {
		size_t misfits;

		reading->shape = (enum matrix_shape)s;
		if (!may_have_shape(table, reading))
			continue;
		misfits = count_misfit_rows(table, reading);
		/* Some rows of a square have the width of a triangle. */
		if (s == SHAPE_SQUARE ? misfits <= fewest || 3 * fewest > n
				      : misfits < fewest) {
			fewest = misfits;
			best = reading->shape;
		}
	}
	reading->shape = best;
	misfit = find_first_misfit(table, reading);
	/* The shape fits, but the first column cannot be CPUs. */
	if (misfit == n)
		return refuse_two_readings(table, err);
	found = count_row_numbers(table, reading, misfit);
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found %zu cell%s, expected %zu: a matrix of %zu "
		"lines is a square of as many columns, or a triangle",
		table->rows[misfit + reading->heading].line, found,
		found == 1 ? "" : "s",
		count_shape_cells(reading->shape, misfit, n), n);
}

static int find_fitting_shape(const struct text_table *table,
	struct table_reading *reading, struct error *err)
{
	size_t n = count_number_rows(table, reading);

	if (!reading->heading && !reading->labels &&
		is_below_first_row(table)) {
		reading->shape = SHAPE_LOWER_OPEN;
		reading->down = true;
		reading->n = n + 1;
		return 0;
	}
	for (int s = 0; s < SHAPES; s++) {
		reading->shape = (enum matrix_shape)s;
		if (may_have_shape(table, reading) &&
			find_first_misfit(table, reading) == n) {
			reading->n = n;
			return 0;
		}
	}
	return refuse_shape(table, reading, err);
}

/* Return whether the first row has a word, so that it is a heading. */
static bool has_heading(const struct text_table *table)
{
	for (size_t j = 1; j < table->rows[0].n; j++) {
		enum cell_kind kind = kind_at(table, 0, j);

		if (kind == CELL_LABEL)
			return true;
	}
	if (kind_at(table, 0, 0) == CELL_WORD)
		return true;
	/* "CPU 0" is one cell in "CPU 0 1 2", where blanks separate cells. */
	return kind_at(table, 0, 0) == CELL_LABEL && table->n > 1 &&
	       (kind_at(table, 1, 0) != CELL_LABEL ||
		       cell_at(table, 1, 0) == cell_at(table, 0, 0));
}

static int try_reading(const struct text_table *table,
	struct table_reading *reading, struct error *err)
{
	int rc = 0;

	if (reading->heading && !reading->corner && !reading->labels &&
		!has_heading(table) && !counts_up(table, false, 0))
		return -EINVAL;
	if (table->n <= reading->heading)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found a heading and no line below it",
			table->rows[0].line);
	if (reading->heading)
		rc = check_heading(table, reading, err);
	if (rc == 0 && reading->labels)
		rc = check_row_labels(table, reading, err);
	if (rc == 0)
		rc = check_number_cells(table, reading, err);
	return rc < 0 ? rc : find_fitting_shape(table, reading, err);
}

/* Return whether bare numbers and an empty corner are a heading. */
static bool is_bare_heading(const struct text_table *table)
{
	return table->n >= 3 && table->rows[0].n >= table->n &&
	       kind_at(table, 0, 0) == CELL_GAP && counts_up(table, true, 1) &&
	       (counts_up(table, false, 1) ||
		       kind_at(table, 0, table->rows[0].n - 1) == CELL_GAP);
}

/* Return whether a square has only zeros above or below its diagonal. */
static bool has_empty_half(
	const struct text_table *table, const struct table_reading *reading)
{
	bool numbers[2] = {false, false}, zeros[2] = {false, false};

	if (reading->shape != SHAPE_SQUARE)
		return false;
	for (size_t i = 0; i < reading->n; i++) {
		for (size_t j = 0; j < reading->n; j++) {
			double value = cell_at(table, i + reading->heading,
				j + reading->labels);

			numbers[j > i] |= i != j && value > 0;
			zeros[j > i] |= i != j && value == 0;
		}
	}
	return (zeros[0] && !numbers[0] && !zeros[1] && numbers[1]) ||
	       (zeros[1] && !numbers[1] && !zeros[0] && numbers[0]);
}

bool shape_is_absurd(
	const struct text_table *table, const struct table_reading *reading)
{
	if (has_empty_half(table, reading))
		return false;
	for (size_t i = 0; i < count_number_rows(table, reading); i++) {
		size_t row = i + reading->heading;

		for (size_t j = 0; j < count_row_numbers(table, reading, i);
			j++) {
			size_t column = find_shape_column(
				reading->shape, i + reading->down, j);
			double value = cell_at(table, row, j + reading->labels);
			bool own = column == i + reading->down;

			if (isnan(value))
				continue;
			if (own ? value > 0 && reading->shape != SHAPE_SQUARE
				: value == 0)
				return true;
		}
	}
	return false;
}

bool shape_has_diagonal(
	const struct text_table *table, const struct table_reading *reading)
{
	for (size_t i = 0; i < reading->n; i++) {
		if (reading->shape == SHAPE_SQUARE &&
			cell_at(table, i + reading->heading,
				i + reading->labels) > 0)
			return true;
	}
	return false;
}

static void drop_summaries(struct text_table *table)
{
	const size_t whole = table->rows[0].n;
	size_t kept = 0, n = whole;

	while (n > 2 && kind_at(table, 0, n - 1) == CELL_SUMMARY)
		n--;
	for (size_t i = 0; i < table->n; i++) {
		if (i > 0 && kind_at(table, i, 0) == CELL_SUMMARY)
			continue;
		if (table->rows[i].n >= whole)
			table->rows[i].n -= whole - n;
		table->rows[kept++] = table->rows[i];
	}
	table->n = kept;
}

/*
 * Readings with CPUs above and at the left. If one fits, c2c tries no other
 * reading.
 */
static const struct table_reading framed[] = {
	{.heading = true, .corner = true, .labels = true},
	{.heading = true, .labels = true},
};

static const struct table_reading below_heading = {.heading = true};
static const struct table_reading beside_labels = {.labels = true};
static const struct table_reading beside_rising = {
	.labels = true, .rising = true};
static const struct table_reading bare = {.n = 0};

static bool has_number(const struct text_table *table)
{
	for (size_t i = 0; i < table->n_cells; i++) {
		if (table->kinds[i] == CELL_NUMBER)
			return true;
	}
	return false;
}

/*
 * Return whether an implausible matrix shows that the reading is wrong: it is a
 * triangle with numbers on its diagonal, or a square with 0 in one direction of
 * a pair. (With a coarse clock, both directions may be 0.)
 */
static bool is_meant_otherwise(
	const struct text_table *table, const struct table_reading *reading)
{
	size_t n = reading->n;

	if (!shape_is_absurd(table, reading))
		return false;
	if (reading->shape != SHAPE_SQUARE)
		return true;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double a = cell_at(table, i, j),
			       b = cell_at(table, j, i);

			if ((a == 0 && b > 0) || (b == 0 && a > 0))
				return true;
		}
	}
	return false;
}

/* A shorter row of increasing numbers may be latencies. */
#define HEADING_RISES 3

/* Return whether the numbers in the heading increase, like CPU numbers. */
static bool heading_rises(
	const struct text_table *table, const struct table_reading *reading)
{
	for (size_t i = 1; i < reading->n; i++) {
		if (cpu_at(table, reading, i) <= cpu_at(table, reading, i - 1))
			return false;
	}
	return reading->n >= HEADING_RISES;
}

/*
 * Find a reading with CPUs above and at the left and an empty corner, or a bare
 * square. Return 1 if the table has no heading.
 */
static int find_framed_reading(const struct text_table *table,
	struct table_reading *found, struct error *err)
{
	struct table_reading numbers = bare;
	bool square;

	*found = framed[0];
	if (kind_at(table, 0, 0) != CELL_GAP ||
		try_reading(table, found, NULL) < 0 || found->n < 2)
		return 1;
	square = try_reading(table, &numbers, NULL) == 0;
	if (square && shape_is_absurd(table, &numbers))
		return 0;
	if (!heading_rises(table, found))
		return 1;
	return square ? refuse_two_readings(table, err) : 0;
}

/* Find a reading with CPUs above or at the left, or without CPUs. */
static int find_open_reading(const struct text_table *table,
	struct table_reading *found, struct error *err)
{
	struct table_reading numbers = bare, labels = beside_labels;
	struct table_reading heading = below_heading;
	int rc = find_framed_reading(table, found, err);

	if (rc <= 0)
		return rc;
	if (try_reading(table, &heading, NULL) == 0 && heading.n > 1) {
		*found = heading;
		return 0;
	}
	rc = try_reading(table, &numbers, err);
	*found = numbers;
	if (rc == 0 && !has_number(table))
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found only empty cells, expected numbers");
	if (try_reading(table, &labels, NULL) < 0 || labels.n < 2 ||
		shape_is_absurd(table, &labels)) {
		if (rc < 0 || !is_meant_otherwise(table, &numbers))
			return rc;
		*found = beside_rising;
		if (try_reading(table, found, NULL) < 0 || found->n < 2 ||
			shape_is_absurd(table, found))
			return refuse_two_readings(table, err);
		return 0;
	}
	if (rc == 0 && !shape_is_absurd(table, &numbers))
		return refuse_two_readings(table, err);
	*found = labels;
	return 0;
}

int shape_find(struct text_table *table, struct table_reading *reading,
	struct error *err)
{
	bool heading, corner;
	int rc = -EINVAL, open;

	drop_summaries(table);
	heading = has_heading(table) || is_bare_heading(table);
	corner = kind_at(table, 0, 0) == CELL_WORD ||
		 kind_at(table, 0, 0) == CELL_GAP;
	/* Report the error of a reading whose heading has a word. */
	for (size_t i = 0; i < 2 && rc < 0; i++) {
		bool likely = heading && (i == 0) == corner;

		if (i == 0 && !heading)
			continue;
		*reading = framed[i];
		rc = try_reading(table, reading, likely ? err : NULL);
	}
	/* A matrix of nodes may have one row, but a matrix of CPUs has more. */
	if (rc == 0 && (reading->n > 1 || table->of_nodes))
		return 0;
	if (heading && corner)
		return rc;
	open = find_open_reading(table, reading, heading ? NULL : err);
	return heading && open < 0 ? rc : open;
}

bool shape_has_names(
	const struct text_table *table, const struct table_reading *reading)
{
	return reading->heading || (reading->labels && !is_gap_column(table));
}

int shape_cpus(const struct text_table *table,
	const struct table_reading *reading, struct cpu_list *cpus,
	struct error *err)
{
	bool named = shape_has_names(table, reading);
	int rc = 0;

	for (size_t i = 0; i < reading->n && rc == 0; i++)
		rc = cpu_list_add(cpus,
			named ? (unsigned)cpu_at(table, reading, i)
			      : (unsigned)i,
			err);
	return rc;
}

void shape_fill(const struct text_table *table,
	const struct table_reading *reading, double *values)
{
	bool empty = has_empty_half(table, reading);

	for (size_t i = 0; i < count_number_rows(table, reading); i++) {
		size_t row = i + reading->down;
		size_t n = count_shape_cells(reading->shape, row, reading->n);

		for (size_t j = 0; j < n; j++) {
			size_t column =
				find_shape_column(reading->shape, row, j);

			values[row * reading->n + column] = cell_at(table,
				i + reading->heading, j + reading->labels);
		}
	}
	/* Some tools print 0 for a CPU with itself, or in an empty triangle. */
	for (size_t i = 0; i < reading->n; i++) {
		for (size_t j = 0; j < reading->n; j++) {
			double *value = &values[i * reading->n + j];

			if (*value == 0 && (i == j || empty))
				*value = NAN;
		}
	}
}
