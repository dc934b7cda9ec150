/*
 * Pack the cells of a matrix for report.js into a fraction of their size in
 * JSON.
 *
 * A cell is a whole number of steps. A step is the last of the four digits that
 * the page shows: 10^-decimals for the smallest cells, and ten times as much
 * for each further digit before the point, up to 1. Each cell has a code, row
 * by row: 0 for no value, 2c for a rise by c, or 1 + 2c for a fall by c. The
 * change is relative to the previous cell. If there is a similar matrix, c2c
 * encodes the differences from the similar matrix instead of the cells. A
 * symmetric matrix has only the cells above the diagonal and on it.
 *
 * A code is digits, the lowest first. The last digit is below 63, a letter from
 * ? on without \. The others are of base 21, a letter from ' on. The letter =
 * is EQUAL_CELLS times the code for a change by 0, because most passes are
 * equal. JSON and HTML escape none of these letters.
 */
#include <math.h>
#include <stdlib.h>

#include "cmd/page/page_parts.h"

/* Whole parts of cells are below this many steps, so that a double holds a
 * code. */
#define MOST_STEPS ((double)(1LL << 49))

#define MOST_DECIMALS 300

/* Steps from 1.000 to 10.00: numbers of four digits. */
#define STEPS_OF_DIGIT 9000.0

#define CODE_BASE 21
#define CODE_LAST 63

#define EQUAL_CELLS 32

/* The code of a cell that equals the previous one: a fall by 0. */
#define CODE_EQUAL 1

static double count_steps(double value, int decimals)
{
	return floor(decimals < 0 ? value / pow(10, -decimals) + 0.5
				  : value * pow(10, decimals) + 0.5);
}

/* Return the decimals of a value with four digits, or of a whole number. */
static double shown_decimals(double value, int most)
{
	return fmin(fmax(3 - floor(log10(value)), 0), most);
}

/* Round a value to what the page shows. */
static double round_cell(double value)
{
	double power = pow(10, shown_decimals(value, MOST_DECIMALS));

	return value == 0 ? 0 : floor(value * power + 0.5) / power;
}

/*
 * Return the fewest decimals that keep all values; below 0, if the largest
 * value has too many steps.
 */
static int choose_cell_decimals(const struct matrix *matrix)
{
	size_t cells = matrix->n * matrix->n;
	double most = 0;
	int decimals = 0;

	for (size_t i = 0; i < cells; i++)
		most = fmax(most, matrix->values[i]);
	while (count_steps(most, decimals) >= MOST_STEPS)
		decimals--;
	for (size_t i = 0; i < cells && decimals >= 0; i++) {
		double value = round_cell(matrix->values[i]);

		while (decimals < shown_decimals(value, MOST_DECIMALS) &&
			count_steps(value, decimals) / pow(10, decimals) !=
				value)
			decimals++;
	}
	return decimals;
}

static double *make_steps(
	const struct matrix *matrix, int decimals, struct arena *arena)
{
	size_t cells = matrix->n * matrix->n;
	double *steps = arena_alloc(arena, cells, sizeof(*steps));

	for (size_t i = 0; i < cells; i++) {
		double value = round_cell(matrix->values[i]);
		int own = (int)shown_decimals(value, decimals);

		steps[i] = count_steps(value, own) +
			   STEPS_OF_DIGIT * (decimals - own);
	}
	return steps;
}

static void put_cell_code(FILE *out, uint64_t code)
{
	for (; code >= CODE_LAST; code /= CODE_BASE)
		putc('\'' + (int)(code % CODE_BASE), out);
	code += '?';
	putc((int)code + (code >= '\\'), out);
}

/* Write the codes of n cells that equal their previous cells. */
static void put_equal_cells(FILE *out, size_t n)
{
	for (; n >= EQUAL_CELLS; n -= EQUAL_CELLS)
		putc('=', out);
	for (; n > 0; n--)
		put_cell_code(out, CODE_EQUAL);
}

/* Write the codes of cells with these steps, less the steps beside them. */
static void write_cells(FILE *out, const struct matrix *matrix,
	const double *steps, const double *beside)
{
	size_t n = matrix->n, equal = 0;
	double before = 0;

	for (size_t i = 0; i < n * n; i++) {
		double value = steps[i], code = 0;

		if (matrix->symmetric && i % n < i / n)
			continue;
		if (beside && !isnan(beside[i]))
			value -= beside[i];
		if (!isnan(value)) {
			code = 1 + 2 * fabs(value - before) - (value > before);
			before = value;
		}
		if (code == CODE_EQUAL) {
			equal++;
			continue;
		}
		put_equal_cells(out, equal);
		put_cell_code(out, (uint64_t)code);
		equal = 0;
	}
	put_equal_cells(out, equal);
}

void page_put_cells(struct html_page *page, struct json_t *object,
	const struct matrix *matrix, const struct matrix *beside)
{
	int decimals = choose_cell_decimals(matrix);
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		arena_fail(page->arena);
	if (beside == matrix ||
		(beside && choose_cell_decimals(beside) != decimals))
		beside = NULL;
	write_cells(out, matrix, make_steps(matrix, decimals, page->arena),
		beside ? make_steps(beside, decimals, page->arena) : NULL);
	if (fclose(out) != 0) {
		free(text);
		arena_fail(page->arena);
	}
	page_set(page, object, "cells", "{s:i, s:b, s:s}", "decimals", decimals,
		"beside", beside != NULL, "codes",
		arena_adopt(page->arena, text));
}
