/*
 * Pack the cells of a matrix for report.js into a fraction of their size in
 * JSON.
 *
 * A cell is a whole number of steps of 10^-decimals. Each cell has a code, row
 * by row: 0 for no value, 2c for a rise by c, or 1 + 2c for a fall by c. The
 * change is relative to the previous cell. If there is a similar matrix, c2c
 * encodes the differences from the similar matrix instead of the cells. A
 * symmetric matrix has only the cells above the diagonal and on it.
 *
 * A code is written as a Rice code: (code >> shift) ones, a zero, and then the
 * lowest `shift` bits, highest first. The bits are base64.
 */
#include <math.h>
#include <stdlib.h>

#include "cmd/page/page_parts.h"

/* Cells are below this many steps, so that a double holds a code of 52 bits. */
#define MOST_STEPS ((double)(1LL << 49))

/* No value needs more steps, because the page shows four digits. */
#define ENOUGH_STEPS 1e6

#define MOST_DECIMALS 300

/* Maximum of ones before the last bits; one more precedes a code of 52 bits. */
#define MOST_ONES 24
#define CODE_BITS 52

/* The script reads at most 25 bits together. */
#define MOST_SHIFT 24

struct packed_cells {
	int decimals;
	unsigned shift;
	const struct matrix *matrix;
	const double *steps, *beside; /* [n * n]; beside: or NULL */
	FILE *out;
	uint32_t bits;
	unsigned n_bits;
};

static double count_steps(double value, int decimals)
{
	return floor(decimals < 0 ? value / pow(10, -decimals) + 0.5
				  : value * pow(10, decimals) + 0.5);
}

/* Return the fewest decimals that keep all values, at most those that fit. */
static int choose_cell_decimals(const struct matrix *matrix)
{
	double least = INFINITY, most = 0;
	int decimals = 0, limit = MOST_DECIMALS;

	for (size_t i = 0; i < matrix->n * matrix->n; i++) {
		double value = fabs(matrix->values[i]);

		least = value > 0 ? fmin(least, value) : least;
		most = fmax(most, value);
	}
	while (limit > -MOST_DECIMALS &&
		(count_steps(most, limit) >= MOST_STEPS ||
			count_steps(least, limit) >= ENOUGH_STEPS))
		limit--;
	for (size_t i = 0; i < matrix->n * matrix->n && decimals < limit;) {
		double value = matrix->values[i];
		double steps = count_steps(value, decimals);

		if (isnan(value) || steps / pow(10, decimals) == value)
			i++;
		else
			decimals++;
	}
	return decimals < limit ? decimals : limit;
}

static double *make_steps(
	const struct matrix *matrix, int decimals, struct arena *arena)
{
	size_t cells = matrix->n * matrix->n;
	double *steps = arena_alloc(arena, cells, sizeof(*steps));

	for (size_t i = 0; i < cells; i++)
		steps[i] = count_steps(matrix->values[i], decimals);
	return steps;
}

/* Write bits, six for each letter. */
static void put_cell_bits(struct packed_cells *cells, uint64_t bits, unsigned n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	while (n-- > 0) {
		cells->bits = cells->bits << 1 | (uint32_t)(bits >> n & 1);
		if (++cells->n_bits == 6) {
			putc(digits[cells->bits & 63], cells->out);
			cells->n_bits = 0;
		}
	}
}

static void put_cell_code(struct packed_cells *cells, uint64_t code)
{
	uint64_t ones = code >> cells->shift;

	if (ones > MOST_ONES) {
		put_cell_bits(cells, UINT64_MAX, MOST_ONES + 1);
		put_cell_bits(cells, code, CODE_BITS);
		return;
	}
	put_cell_bits(cells, (2u << ones) - 2, (unsigned)ones + 1);
	put_cell_bits(cells, code, cells->shift);
}

/* Write the codes of all cells. Without a file, only add them up. */
static double walk_cells(struct packed_cells *cells)
{
	size_t n = cells->matrix->n;
	double before = 0, sum = 0;

	for (size_t i = 0; i < n * n; i++) {
		double value = cells->steps[i], code = 0;

		if (cells->matrix->symmetric && i % n < i / n)
			continue;
		if (cells->beside && !isnan(cells->beside[i]))
			value -= cells->beside[i];
		if (!isnan(value)) {
			code = 1 + 2 * fabs(value - before) - (value > before);
			before = value;
		}
		if (cells->out)
			put_cell_code(cells, (uint64_t)code);
		sum += code;
	}
	return sum;
}

void page_put_cells(struct html_page *page, struct json_t *object,
	const struct matrix *matrix, const struct matrix *beside)
{
	struct packed_cells cells = {
		.matrix = matrix, .decimals = choose_cell_decimals(matrix)};
	char *text = NULL;
	size_t bytes;
	double mean;

	if (beside == matrix ||
		(beside && choose_cell_decimals(beside) != cells.decimals))
		beside = NULL;
	cells.steps = make_steps(matrix, cells.decimals, page->arena);
	if (beside)
		cells.beside = make_steps(beside, cells.decimals, page->arena);
	mean = walk_cells(&cells) / (double)(matrix->n * matrix->n);
	if (matrix->symmetric)
		mean *= 2;
	while (cells.shift < MOST_SHIFT && mean >= 2 << cells.shift)
		cells.shift++;
	cells.out = open_memstream(&text, &bytes);
	if (!cells.out)
		arena_fail(page->arena);
	walk_cells(&cells);
	/* Pad the last letter with zero bits, the last byte with letters. */
	put_cell_bits(&cells, 0, 48);
	if (fclose(cells.out) != 0) {
		free(text);
		arena_fail(page->arena);
	}
	text[bytes - bytes % 4] = '\0';
	text = arena_adopt(page->arena, text);
	page_set(page, object, "cells", "{s:i, s:i, s:b, s:s}", "decimals",
		cells.decimals, "shift", (int)cells.shift, "beside",
		beside != NULL, "bits", text);
}
