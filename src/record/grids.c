/*
 * A large record mostly consists of numbers. jansson allocates an object for
 * each number, which takes ten times as long as reading the number. This file
 * reads numbers with at most 15 digits and no sign or exponent, and removes
 * them from the text for jansson. If another number occurs, jansson reads the
 * whole text and reports errors.
 *
 * This file reads only the values of matrices and passes, in a record, its
 * sections and its runs. An index replaces the values in the text, so that
 * jansson finds all errors around the values.
 */
#include "record/grids.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* Nesting depth of the deepest values, sections[].runs[].matrices[].values. */
#define DEPTHS 8

/* A double holds all whole numbers with this many digits, and 10^15. */
#define DIGITS_MAX 15

/* Limit for grids: the index of a grid is not longer than its text "[[0]]". */
#define GRIDS_MAX 10000

struct json_key {
	const char *text;
	size_t bytes;
};

struct grid_scan {
	const char *at, *end;
	size_t depth;
	struct json_key keys[DEPTHS]; /* the latest string at each depth */
	struct record_grids *grids;
};

static bool key_is(const struct json_key *key, const char *text)
{
	return key->bytes == strlen(text) &&
	       memcmp(key->text, text, key->bytes) == 0;
}

/* Return whether the latest string is the key of matrix or pass values. */
static bool is_values_key(const struct grid_scan *scan)
{
	const struct json_key *keys = scan->keys;
	size_t depth = scan->depth, around = depth - 3;

	if (depth < 3 || depth >= DEPTHS)
		return false;
	if (around >= 2 && key_is(&keys[around - 1], "runs"))
		around -= 2;
	if (around == 2 && key_is(&keys[1], "sections"))
		around = 0;
	return around == 0 && key_is(&keys[depth], "values") &&
	       (key_is(&keys[depth - 2], "matrices") ||
		       key_is(&keys[depth - 2], "passes"));
}

static void skip_blanks(struct grid_scan *scan)
{
	while (scan->at < scan->end &&
		(*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\t' ||
			*scan->at == '\r'))
		scan->at++;
}

/*
 * Skip the character c and the blanks around c. Return false for another
 * character.
 */
static bool skip_expected_character(struct grid_scan *scan, char c)
{
	skip_blanks(scan);
	if (scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	skip_blanks(scan);
	return true;
}

static size_t pass_digits(struct grid_scan *scan, uint64_t *number)
{
	size_t n = 0;

	while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9' &&
		n <= DIGITS_MAX) {
		*number = *number * 10 + (uint64_t)(*scan->at++ - '0');
		n++;
	}
	return n;
}

/*
 * Read a number or null. A double holds the digits and the power of ten
 * exactly, so the quotient is the nearest double, as from strtod().
 */
static bool scan_grid_number(struct grid_scan *scan, double *value)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *begin = scan->at;
	uint64_t number = 0;
	size_t whole, behind = 0;

	if (scan->end - begin >= 4 && memcmp(begin, "null", 4) == 0) {
		scan->at += 4;
		*value = NAN;
		return true;
	}
	whole = pass_digits(scan, &number);
	if (whole == 0 || (whole > 1 && *begin == '0'))
		return false;
	if (scan->at < scan->end && *scan->at == '.') {
		scan->at++;
		behind = pass_digits(scan, &number);
		if (behind == 0)
			return false;
	}
	if (whole + behind > DIGITS_MAX)
		return false;
	*value = (double)number / powers[behind];
	return true;
}

static bool pass_row(struct grid_scan *scan, struct number_grid *grid)
{
	size_t before = grid->rows * grid->columns, n = 0;

	if (!skip_expected_character(scan, '['))
		return false;
	do {
		if (!array_grow(&grid->values, before + n, sizeof(double)) ||
			!scan_grid_number(scan, &grid->values[before + n]))
			return false;
		n++;
	} while (skip_expected_character(scan, ','));
	if (grid->rows == 0)
		grid->columns = n;
	grid->rows++;
	return n == grid->columns && skip_expected_character(scan, ']');
}

static bool pass_grid(struct grid_scan *scan)
{
	struct record_grids *grids = scan->grids;
	struct number_grid *grid;

	if (grids->n == GRIDS_MAX ||
		!array_grow(&grids->grids, grids->n, sizeof(*grids->grids)))
		return false;
	grid = &grids->grids[grids->n++];
	*grid = (struct number_grid){0};
	if (!skip_expected_character(scan, '['))
		return false;
	do {
		if (!pass_row(scan, grid))
			return false;
	} while (skip_expected_character(scan, ','));
	return skip_expected_character(scan, ']');
}

/* Skip the rest of a string after its first quotation mark. */
static void pass_string(struct grid_scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && *scan->at != '"')
		scan->at +=
			*scan->at == '\\' && scan->at + 1 < scan->end ? 2 : 1;
	if (scan->depth < DEPTHS)
		scan->keys[scan->depth] =
			(struct json_key){begin, (size_t)(scan->at - begin)};
	if (scan->at < scan->end)
		scan->at++;
}

/*
 * Skip to the colon before the next values. Return false at the end of the
 * text.
 */
static bool find_grid_values(struct grid_scan *scan)
{
	while (scan->at < scan->end) {
		switch (*scan->at++) {
		case '"':
			pass_string(scan);
			break;
		case '{':
		case '[':
			scan->depth++;
			break;
		case '}':
		case ']':
			scan->depth -= scan->depth > 0;
			break;
		case ':':
			if (is_values_key(scan))
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

static void append_rest_text(
	struct record_grids *grids, const char *text, size_t n)
{
	memcpy(grids->rest + grids->rest_bytes, text, n);
	grids->rest_bytes += n;
}

bool grids_take(struct record_grids *grids, const char *text, size_t n)
{
	struct grid_scan scan = {.at = text, .end = text + n, .grids = grids};
	const char *from = text;

	*grids = (struct record_grids){.rest = malloc(n)};
	for (size_t i = 0; i < DEPTHS; i++)
		scan.keys[i] = (struct json_key){text, 0};
	while (grids->rest && find_grid_values(&scan)) {
		char number[32];

		append_rest_text(grids, from, (size_t)(scan.at - from));
		snprintf(number, sizeof(number), "%zu", grids->n);
		if (!pass_grid(&scan)) {
			grids_release(grids);
			return false;
		}
		from = scan.at;
		append_rest_text(grids, number, strlen(number));
	}
	if (!grids->rest)
		return false;
	append_rest_text(grids, from, (size_t)(text + n - from));
	return true;
}

void grids_release(struct record_grids *grids)
{
	for (size_t i = 0; i < grids->n; i++)
		free(grids->grids[i].values);
	free(grids->grids);
	free(grids->rest);
	*grids = (struct record_grids){0};
}
