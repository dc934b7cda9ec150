#include "result/pair_line.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "result/cell.h"
#include "util/array.h"

static const char *const fillers[] = {"to", "from", "and", "between", "latency",
	"is", "lat", "median", "pair", "numa"};

static const char *const arrows[] = {
	"<->", "<=>", "-->", "->", "=>", "<--", "\xe2\x86\x92", "\xe2\x86\x94"};

/* State of reading the numbers of a line. */
struct line_numbers {
	bool decimal_comma; /* commas are decimal signs */
	double value[3];
	size_t n;
	size_t cpus, nodes; /* number of words for CPUs, and for nodes */
};

static size_t take_arrow(const char *text)
{
	for (size_t i = 0; i < N_OF(arrows); i++) {
		size_t n = strlen(arrows[i]);

		if (strncmp(text, arrows[i], n) == 0)
			return n;
	}
	return 0;
}

static bool is_word_separator(char c, const struct line_numbers *numbers)
{
	return c && strchr(" \t,;:|()[]{}=\"", c) &&
	       !(c == ',' && numbers->decimal_comma);
}

/* Return the length of a separator at text. An arrow makes a pair explicit. */
static size_t take_word_separator(const char *text, bool after_digit,
	const struct line_numbers *numbers, struct pair_line *pair)
{
	size_t n = take_arrow(text);

	/* "0-1" is a pair. */
	if (n == 0 && *text == '-' && after_digit &&
		isdigit((unsigned char)text[1]))
		n = 1;
	pair->is_explicit |= n > 0;
	if (n > 0 || !is_word_separator(*text, numbers))
		return n;
	pair->is_explicit |= !strchr(" \t,;|\"", *text);
	return 1;
}

static size_t word_length(const char *text, const struct line_numbers *numbers)
{
	size_t n = 0;

	while (text[n] && !is_word_separator(text[n], numbers) &&
		!take_arrow(text + n) &&
		!(n > 0 && text[n] == '-' &&
			isdigit((unsigned char)text[n - 1])))
		n++;
	return n;
}

static bool is_filler(const char *text, size_t n)
{
	for (size_t i = 0; i < N_OF(fillers); i++) {
		if (n == strlen(fillers[i]) &&
			strncasecmp(text, fillers[i], n) == 0)
			return true;
	}
	return false;
}

/* Read a word: one of the three numbers, a unit or a filler. */
static bool take_word(const char *text, size_t n, struct line_numbers *numbers,
	struct pair_line *pair)
{
	const struct cell_dialect whole = {
		.separator = '\n', .decimal_comma = numbers->decimal_comma};
	char copy[64];
	const char *at = copy;
	struct text_cell cell;
	bool node = false, place;

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (cell_unit(copy, n)) {
		pair->unit = cell_unit(copy, n);
		return numbers->n == 3;
	}
	place = cell_is_place(copy, n, &node);
	numbers->nodes += place && node;
	numbers->cpus += place && !node;
	/* A single "cpu" may be the corner of a table. */
	pair->is_explicit |=
		is_filler(copy, n) || numbers->cpus > 1 || numbers->nodes > 1;
	if (place || is_filler(copy, n))
		return true;
	cell_next(&at, &whole, &cell);
	if (numbers->n == 3 ||
		(cell.kind != CELL_NUMBER &&
			(cell.kind != CELL_LABEL || numbers->n == 2)))
		return false;
	pair->is_explicit |= cell.kind == CELL_LABEL;
	numbers->nodes += cell.of_node;
	if (cell.unit)
		pair->unit = cell.unit;
	numbers->value[numbers->n++] = cell.value;
	return true;
}

/* Return whether the line has an empty cell between separators. */
static bool has_gap_cell(const char *text)
{
	static const char signs[] = ",;|\t";

	for (; *text; text++) {
		const char *next = text + 1 + strspn(text + 1, " ");

		if (strchr(signs, *text) && *next && strchr(signs, *next))
			return true;
	}
	return false;
}

bool pair_line_read(const char *text, struct pair_line *pair)
{
	struct line_numbers numbers = {.decimal_comma = strpbrk(text, ";|\t")};
	double value;

	*pair = (struct pair_line){.is_explicit = false};
	if (has_gap_cell(text))
		return false;
	for (const char *begin = text; *text;) {
		bool after_digit =
			text > begin && isdigit((unsigned char)text[-1]);
		size_t n =
			take_word_separator(text, after_digit, &numbers, pair);

		if (n == 0) {
			n = word_length(text, &numbers);
			if (n == 0 || !take_word(text, n, &numbers, pair))
				return false;
		}
		text += n;
	}
	pair->of_nodes = numbers.nodes > 0;
	if (numbers.n < 3 || (pair->of_nodes && numbers.cpus > 0) ||
		(numbers.cpus + numbers.nodes == 1 && !pair->is_explicit) ||
		!cell_is_cpu(numbers.value[0]) ||
		!cell_is_cpu(numbers.value[1]))
		return false;
	value = numbers.value[2];
	pair->a = (unsigned)numbers.value[0];
	pair->b = (unsigned)numbers.value[1];
	pair->own = pair->a == pair->b;
	pair->value = pair->own && value == 0 ? NAN : value;
	return value > 0 || (pair->own && value == 0);
}
