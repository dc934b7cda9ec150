#include "result/cell.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "result/reader.h"
#include "util/array.h"
#include "util/cpu_list.h"

/* A cell with more bytes is not a number. */
#define NUMBER_BYTES 64

/* Words before the number of a CPU or a node. */
static const struct {
	const char *word;
	bool node;
} places[] = {{"cpu", false}, {"core", false}, {"thread", false}, {"pu", false},
	{"vcpu", false}, {"lcore", false}, {"hart", false}, {"node", true},
	{"numa node", true}};

static const char *const gaps[] = {"x", "-", "--", "---", "*", "n/a", "na",
	"nan", "null", "\xe2\x80\x94", "\xc2\xb7"};

static const char *const summaries[] = {"avg", "average", "mean", "median",
	"min", "minimum", "max", "maximum", "sum", "total", "std", "stddev"};

/* Units in tables, and the same units in c2c. */
static const struct {
	const char *word, *unit;
} units[] = {{"ns", "ns"}, {"nsec", "ns"}, {"nanoseconds", "ns"}, {"us", "us"},
	{"usec", "us"}, {"microseconds", "us"}, {"\xc2\xb5s", "us"},
	{"\xce\xbcs", "us"}, /* Greek mu */
	{"ms", "ms"}, {"msec", "ms"}, {"milliseconds", "ms"},
	{"cycles", "cycles"}, {"cycle", "cycles"}, {"cyc", "cycles"},
	{"clocks", "cycles"}, {"clk", "cycles"},
	{"#HWCs", "cycles"}, /* unit in a .mct of MCTOP */
	{"ticks", "ticks"}, {"distance", "distance"}, {"distances", "distance"},
	{"gb/s", "GB/s"}, {"gib/s", "GiB/s"}, {"mb/s", "MB/s"},
	{"mib/s", "MiB/s"}, {"gb/sec", "GB/s"}, {"gib/sec", "GiB/s"},
	{"mb/sec", "MB/s"}, {"mib/sec", "MiB/s"}};

/* Signs before a standard deviation. */
static const char *const deviations[] = {"\xc2\xb1", "+-", "+/-"};

static bool is_cell_word(const char *text, size_t n, const char *word)
{
	return strncasecmp(text, word, n) == 0 && word[n] == '\0';
}

static bool is_one_of(
	const char *text, size_t n, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++) {
		if (is_cell_word(text, n, words[i]))
			return true;
	}
	return false;
}

const char *cell_unit(const char *text, size_t n)
{
	for (size_t i = 0; i < N_OF(units); i++) {
		const char *slash = memchr(text, '/', n);

		if (!is_cell_word(text, n, units[i].word))
			continue;
		/* "US", "MS" and the bit rate "Mb/s" are not units. */
		if ((slash && isupper((unsigned char)*text) &&
			    slash[-1] == 'b') ||
			(n == 2 && tolower((unsigned char)*text) != 'n' &&
				memcmp(text, units[i].word, n) != 0))
			return NULL;
		return units[i].unit;
	}
	return NULL;
}

static size_t count_blanks(const char *text, size_t n)
{
	size_t at = 0;

	while (at < n && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

/*
 * Read a number at the beginning of text[n]. Return the length of the number,
 * or 0.
 */
static size_t take_number(
	const char *text, size_t n, bool decimal_comma, double *value)
{
	char copy[NUMBER_BYTES];
	size_t length = 0, sign = n > 0 && (*text == '-' || *text == '+');

	while (length < n && length + 1 < sizeof(copy)) {
		char c = text[length];
		bool exponent = (c == 'e' || c == 'E') && length > sign;
		bool of_exponent =
			(c == '+' || c == '-') &&
			(length == 0 || strchr("eE", text[length - 1]));

		if (c == ',' && decimal_comma)
			c = '.';
		else if (!isdigit((unsigned char)c) && c != '.' && !exponent &&
			 !of_exponent)
			break;
		copy[length++] = c;
	}
	copy[length] = '\0';
	return reader_number(copy, length, value) ? length : 0;
}

/* Return the length of a deviation sign at the beginning of text[n], or 0. */
static size_t take_deviation(const char *text, size_t n)
{
	for (size_t i = 0; i < N_OF(deviations); i++) {
		size_t length = strlen(deviations[i]);

		if (n >= length && memcmp(text, deviations[i], length) == 0)
			return length;
	}
	return 0;
}

static void skip_with_blanks(const char **text, const char *end, size_t length)
{
	*text += length;
	*text += count_blanks(*text, (size_t)(end - *text));
}

/* Read a number, a unit and a deviation. Return false for another cell. */
static bool read_number_cell(struct text_cell *cell, bool decimal_comma)
{
	const char *text = cell->text, *end = cell->text + cell->n;
	size_t n, length;
	double deviation;

	length = take_number(text, cell->n, decimal_comma, &cell->value);
	if (length == 0)
		return false;
	skip_with_blanks(&text, end, length);
	length = take_deviation(text, (size_t)(end - text));
	if (length > 0) {
		skip_with_blanks(&text, end, length);
		length = take_number(
			text, (size_t)(end - text), decimal_comma, &deviation);
		if (length == 0)
			return false;
		skip_with_blanks(&text, end, length);
	}
	n = (size_t)(end - text);
	if (n == 0)
		return true;
	cell->unit = cell_unit(text, n);
	return cell->unit;
}

/*
 * Return the length of a word for a CPU or a node, at the beginning of text[n],
 * or 0.
 */
static size_t take_place(const char *text, size_t n, bool *node)
{
	for (size_t i = 0; i < N_OF(places); i++) {
		size_t length = strlen(places[i].word);

		if (n >= length &&
			strncasecmp(text, places[i].word, length) == 0 &&
			(n == length ||
				!isalpha((unsigned char)text[length]))) {
			*node = places[i].node;
			return length;
		}
	}
	return 0;
}

bool cell_is_cpu(double value)
{
	return value >= 0 && value <= CPU_LIST_MAX_CPU && value == trunc(value);
}

bool cell_is_place(const char *text, size_t n, bool *node)
{
	return n > 0 && take_place(text, n, node) == n;
}

static bool read_label_cell(struct text_cell *cell)
{
	const char *text = cell->text;
	size_t n = cell->n, digits = 0;
	size_t place = take_place(text, n, &cell->of_node);
	bool colon = n > 0 && text[n - 1] == ':';
	double value = 0;

	n -= colon;
	for (size_t i = place; i < n; i++) {
		if (digits == 0 && place > 0 && strchr(" \t_-#", text[i]))
			continue;
		if (!isdigit((unsigned char)text[i]) || ++digits > 9)
			return false;
		value = value * 10 + (text[i] - '0');
	}
	if (digits == 0 || (place == 0 && !colon))
		return false;
	cell->value = value;
	return true;
}

static void classify_cell(struct text_cell *cell, bool decimal_comma)
{
	size_t n = cell->n;

	cell->unit = NULL;
	cell->of_node = false;
	if (read_number_cell(cell, decimal_comma)) {
		cell->kind = CELL_NUMBER;
		return;
	}
	cell->value = NAN;
	if (n == 0 || is_one_of(cell->text, n, gaps, N_OF(gaps))) {
		cell->kind = CELL_GAP;
		return;
	}
	if (read_label_cell(cell)) {
		cell->kind = CELL_LABEL;
		return;
	}
	n -= cell->text[n - 1] == ':';
	cell->kind = is_one_of(cell->text, n, summaries, N_OF(summaries))
			     ? CELL_SUMMARY
			     : CELL_WORD;
}

/* Remove blanks, quotes and bold markup around a cell. */
static void trim_cell(struct text_cell *cell)
{
	static const char *const around[] = {"\"", "**", "`"};

	for (bool again = true; again;) {
		size_t before = count_blanks(cell->text, cell->n);

		again = false;
		cell->text += before;
		cell->n -= before;
		while (cell->n > 0 && strchr(" \t", cell->text[cell->n - 1]))
			cell->n--;
		for (size_t i = 0; i < N_OF(around); i++) {
			size_t length = strlen(around[i]);

			if (cell->n < 2 * length ||
				memcmp(cell->text, around[i], length) != 0 ||
				memcmp(cell->text + cell->n - length, around[i],
					length) != 0)
				continue;
			cell->text += length;
			cell->n -= 2 * length;
			again = true;
		}
	}
}

static bool ends_in_deviation(const char *text, size_t n)
{
	for (size_t i = 0; i < N_OF(deviations); i++) {
		size_t length = strlen(deviations[i]);

		if (n >= length &&
			memcmp(text + n - length, deviations[i], length) == 0)
			return true;
	}
	return false;
}

/* Return whether a cell continues after a blank, as in "CPU 0" or "53 ns". */
static bool continues_cell(
	const struct text_cell *cell, const char *next, size_t n)
{
	bool node;
	double value;

	if (n == 0)
		return false;
	if (take_place(cell->text, cell->n, &node) == cell->n)
		return isdigit((unsigned char)*next) ||
		       (is_cell_word(cell->text, cell->n, "numa") &&
			       take_place(next, n, &node) > 0);
	if (take_number(cell->text, cell->n, false, &value) == 0)
		return false;
	return cell_unit(next, n) || take_deviation(next, n) > 0 ||
	       ends_in_deviation(cell->text, cell->n);
}

static bool next_blank_separated(const char **at, struct text_cell *cell)
{
	const char *text = *at + strspn(*at, " \t");

	if (*text == '\0')
		return false;
	if (*text == '"' && strchr(text + 1, '"')) {
		*cell = (struct text_cell){.text = text,
			.n = (size_t)(strchr(text + 1, '"') + 1 - text)};
		*at = text + cell->n;
		return true;
	}
	*cell = (struct text_cell){.text = text, .n = strcspn(text, " \t")};
	for (;;) {
		const char *end = cell->text + cell->n;
		const char *next = end + strspn(end, " \t");
		size_t n = strcspn(next, " \t");

		if (!continues_cell(cell, next, n))
			break;
		cell->n = (size_t)(next + n - cell->text);
	}
	*at = cell->text + cell->n;
	return true;
}

/* Return the end of a cell, after its closing quote if the cell has quotes. */
static const char *find_cell_end(const char *text, char separator)
{
	const char *quote = text + strspn(text, " \t");
	const char stops[] = {separator, '\0'};

	if (*quote == '"') {
		const char *end = strchr(quote + 1, '"');

		if (end)
			text = end + 1;
	}
	return text + strcspn(text, stops);
}

bool cell_next(const char **at, const struct cell_dialect *dialect,
	struct text_cell *cell)
{
	const char *end;

	if (dialect->separator == ' ') {
		if (!next_blank_separated(at, cell))
			return false;
	} else {
		if (!*at)
			return false;
		end = find_cell_end(*at, dialect->separator);
		*cell = (struct text_cell){
			.text = *at, .n = (size_t)(end - *at)};
		*at = *end ? end + 1 : NULL;
	}
	trim_cell(cell);
	classify_cell(cell, dialect->decimal_comma);
	return true;
}

/* Return whether all commas are between digits, as decimal commas are. */
static bool is_decimal_comma(const char *line)
{
	for (size_t i = 0; line[i]; i++) {
		if (line[i] == ',' &&
			(i == 0 || !isdigit((unsigned char)line[i - 1]) ||
				!isdigit((unsigned char)line[i + 1])))
			return false;
	}
	return true;
}

static bool has_blank_between(const char *line)
{
	for (size_t i = 1; line[0] && line[i]; i++) {
		if (strchr(" \t", line[i]) &&
			isdigit((unsigned char)line[i - 1]) &&
			isdigit((unsigned char)
					line[i + strspn(line + i, " \t")]))
			return true;
	}
	return false;
}

char cell_separator(const char *line)
{
	/* In "53,1 17,2", a blank separates two cells. */
	if (strchr(line, ',') && !strpbrk(line, "|&;") &&
		is_decimal_comma(line) &&
		(strchr(line, '\t') || has_blank_between(line)))
		return strchr(line, '\t') ? '\t' : ' ';
	for (const char *c = "|&;,\t"; *c; c++) {
		if (strchr(line, *c))
			return *c;
	}
	return ' ';
}
