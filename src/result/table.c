#include "result/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "result/result.h"
#include "result/thousands.h"
#include "util/array.h"
#include "util/text.h"

/* Limit for cells in a row: CPUs, a label and a summary. */
#define TABLE_CELLS_MAX (RESULT_MAX_CPUS + 2)

/* Number of cells that classify_line() reads. */
#define LINE_CELLS_TO_CHECK 64

static int refuse_too_many(size_t line, const char *what, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found more than %d %s, expected a matrix of at most "
		"that many CPUs",
		line, RESULT_MAX_CPUS, what);
}

static void drop_colours(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		size_t n = 0;

		if (from[0] == '\033' && from[1] == '[') {
			n = 2 + strspn(from + 2, "0123456789;");
			n = from[n] == 'm' ? n + 1 : 0;
		}
		if (n > 0)
			from += n;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

/* Remove the signs > before a line that an e-mail quotes. */
static void drop_mail_quotes(char *text)
{
	size_t n = strspn(text, "> ");

	if (*text == '>')
		memmove(text, text + n, strlen(text + n) + 1);
}

/* Remove bars around a row in Markdown, and \\ after a row in LaTeX. */
static void drop_row_frame(char *text)
{
	size_t begin = strspn(text, " \t"), n = strlen(text);

	while (n > 0 && strchr(" \t", text[n - 1]))
		n--;
	if (n >= 2 && memcmp(text + n - 2, "\\\\", 2) == 0)
		text[n - 2] = '\0';
	if (n > begin + 1 && text[begin] == '|' && text[n - 1] == '|') {
		text[n - 1] = '\0';
		memmove(text, text + begin + 1, n - begin - 1);
	}
}

static int add_text_line(struct text_table *table, const char *text,
	size_t number, struct error *err)
{
	struct table_line line = {.number = number, .text = strdup(text)};

	if (!line.text ||
		!array_grow(&table->lines, table->n_lines, sizeof(line))) {
		free(line.text);
		return error_no_memory(err, "the lines of the file");
	}
	drop_colours(line.text);
	drop_mail_quotes(line.text);
	drop_row_frame(line.text);
	table->lines[table->n_lines++] = line;
	return 0;
}

/*
 * State of reading rows in brackets, as in JSON and numpy. A row ends at its
 * closing bracket, not at the end of a line.
 */
struct bracket_rows {
	bool used;
	size_t depth;
	struct text_list row;
};

/* Return whether a line begins the repr() of a numpy array. */
static bool is_numpy_array(const char *line)
{
	return strncmp(line + strspn(line, " \t"), "array([[", 8) == 0;
}

static int end_bracket_row(struct text_table *table,
	struct bracket_rows *brackets, size_t number, struct error *err)
{
	char *row = text_list_end(&brackets->row);
	bool empty = row && row[strspn(row, " \t,")] == '\0';
	int rc = 0;

	brackets->row = (struct text_list){.text = NULL};
	brackets->depth -= brackets->depth > 0;
	if (!row)
		return error_no_memory(err, "the lines of the file");
	if (!empty)
		rc = add_text_line(table, row, number, err);
	free(row);
	return rc;
}

static int add_bracket_text(struct text_table *table,
	struct bracket_rows *brackets, const char *line, size_t number,
	struct error *err)
{
	int rc = 0;

	for (const char *c = line; *c && rc == 0; c++) {
		if (*c == '[')
			brackets->depth++;
		else if (*c == ']')
			rc = end_bracket_row(table, brackets, number, err);
		else if (brackets->depth == 2)
			text_list_add(&brackets->row, "", "%c", *c);
	}
	if (brackets->depth == 2)
		text_list_add(&brackets->row, "", " ");
	return rc;
}

static int read_table_lines(
	struct text_table *table, struct reader *reader, struct error *err)
{
	struct bracket_rows brackets = {.used = false};
	char *line = NULL;
	int rc;

	while ((rc = reader_next_line(reader, &line, err)) > 0) {
		if (reader->line == 1)
			brackets.used =
				reader->has_rows || is_numpy_array(line);
		rc = brackets.used
			     ? add_bracket_text(table, &brackets, line,
				       reader->line, err)
			     : add_text_line(table, line, reader->line, err);
		if (rc < 0)
			break;
	}
	free(text_list_end(&brackets.row));
	return rc;
}

enum line_kind {
	LINE_EMPTY,
	LINE_BETWEEN,
	LINE_OF_TABLE,
	LINE_OF_TEXT
};

/* Return whether a line is a horizontal rule, such as |---|:--:|. */
static bool is_horizontal_rule(const char *text)
{
	return strlen(text) > 2 && text[strspn(text, "-=+|: \t")] == '\0' &&
	       strpbrk(text, "-=") &&
	       (strstr(text, "--") || strstr(text, "=="));
}

/* Return whether numactl printed a line, such as "node 0 cpus: 0 1 2". */
static bool is_node_of_numactl(const char *text)
{
	static const char *const after[] = {" cpus:", " size:", " free:"};
	const char *at = text + 5;

	if (strncmp(text, "node ", 5) != 0)
		return false;
	at += strspn(at, "0123456789");
	for (size_t i = 0; i < sizeof(after) / sizeof(*after); i++) {
		if (strncmp(at, after[i], strlen(after[i])) == 0)
			return true;
	}
	return false;
}

/* Return whether a word is a bad number, such as 1x, 0x10 or inf. */
static bool is_bad_number(const struct text_cell *cell)
{
	const char *text = cell->text + (*cell->text == '-');

	return isdigit((unsigned char)*text) ||
	       strncasecmp(text, "inf", 3) == 0;
}

/* Classify a line. Set *separator, or 0 for a line with one cell. */
static enum line_kind classify_line(const char *text, char *separator)
{
	const struct cell_dialect dialect = {
		.separator = cell_separator(text), .decimal_comma = true};
	size_t words = 0, numbers = 0, cells = 0;
	const char *at = text;
	struct text_cell cell;

	*separator = 0;
	if (text[strspn(text, " ")] == '\0')
		return LINE_EMPTY;
	if (*text == '#' || is_horizontal_rule(text))
		return LINE_BETWEEN;
	if (is_node_of_numactl(text))
		return LINE_OF_TEXT;
	while (cells < LINE_CELLS_TO_CHECK && cell_next(&at, &dialect, &cell)) {
		cells++;
		if (cell.kind == CELL_NUMBER || cell.kind == CELL_LABEL ||
			(cell.kind == CELL_WORD && is_bad_number(&cell)))
			numbers++;
		else
			words += cell.kind == CELL_WORD;
	}
	if (cells > 1)
		*separator = dialect.separator;
	/* A line of only blanks has no cells. */
	if (cells == 0)
		return LINE_EMPTY;
	return words == 0 || (numbers > 0 && numbers >= words) ? LINE_OF_TABLE
							       : LINE_OF_TEXT;
}

/* A sequence of lines: begin to end - 1. n of the lines are rows. */
struct line_run {
	size_t begin, end, n;
	size_t differs; /* next line with another separator, or 0 */
	char separator;
};

static bool line_runs_are_equal(const struct text_table *table,
	const struct line_run *a, const struct line_run *b)
{
	for (size_t i = 0; i < a->end - a->begin; i++) {
		if (b->begin + i >= b->end ||
			strcmp(table->lines[a->begin + i].text,
				table->lines[b->begin + i].text) != 0)
			return false;
	}
	return true;
}

static void keep_longer_run(const struct text_table *table,
	const struct line_run *run, struct line_run *longest,
	struct line_run *rival)
{
	if (run->n > longest->n) {
		*longest = *run;
		*rival = (struct line_run){.n = 0};
	} else if (run->n == longest->n && run->begin != longest->begin &&
		   (rival->n == 0 ||
			   line_runs_are_equal(table, longest, rival))) {
		*rival = *run;
	}
}

/* Return whether a line may belong to a list of pairs. */
static bool is_pair_of_list(const char *text)
{
	struct pair_line pair;

	return pair_line_read(text, &pair) &&
	       !(pair.own && !pair.of_nodes && pair.value > 0);
}

/*
 * Return the longest run of rows or pairs. *rival becomes another run of the
 * same length, preferably with another text. Without a rival, n of *rival is 0.
 */
static struct line_run find_longest_run(
	const struct text_table *table, bool of_pairs, struct line_run *rival)
{
	struct line_run run = {.n = 0}, longest = {.n = 0};

	*rival = (struct line_run){.n = 0};
	for (size_t i = 0; i < table->n_lines; i++) {
		const char *text = table->lines[i].text;
		char separator;
		enum line_kind kind = classify_line(text, &separator);

		if (kind == LINE_EMPTY || kind == LINE_BETWEEN)
			continue;
		if (of_pairs ? !is_pair_of_list(text) : kind == LINE_OF_TEXT) {
			run = (struct line_run){.n = 0};
			continue;
		}
		if (run.n > 0 && separator && run.separator &&
			separator != run.separator)
			run = (struct line_run){.differs = i};
		if (run.n++ == 0)
			run.begin = i;
		if (separator && !of_pairs)
			run.separator = separator;
		run.end = i + 1;
		keep_longer_run(table, &run, &longest, rival);
	}
	return longest;
}

/* Return whether the text before a word shows that the word is a unit. */
static bool is_meant_as_unit(
	const char *text, const char *word, const char *before, size_t n_before)
{
	static const char *const leads[] = {"in", "node", "latency",
		"latencies", "bandwidth", "bandwidths", "unit"};
	const char *end = word;

	while (end > text && end[-1] == ' ')
		end--;
	if (end > text && strchr("([:=", end[-1]))
		return true;
	for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++) {
		if (n_before == strlen(leads[i]) &&
			strncasecmp(before, leads[i], n_before) == 0)
			return true;
	}
	return false;
}

/*
 * Return the unit in a line near a table, as in "(ns)", "in cycles", "unit:
 * us", "latency_us", "node distances:", or in the first line of a .mct file.
 * Ignore other words, which may equal a unit by chance.
 */
static const char *unit_of_text(const char *text)
{
	static const char ends[] = " \t()[],;:=._";
	const char *unit = NULL, *before = "", *word = text;
	size_t n_words = 0, n_before = 0;

	if (strncmp(text, "#HWCs", 5) == 0)
		return cell_unit(text, 5);
	while (*(word += strspn(word, ends))) {
		size_t n = strcspn(word, ends);
		const char *found = cell_unit(word, n);

		if (found && is_meant_as_unit(text, word, before, n_before))
			return found;
		if (found)
			unit = found;
		n_words += n > 1 || *word != '#';
		before = word;
		n_before = n;
		word += n;
	}
	return n_words == 1 ? unit : NULL;
}

/*
 * Return whether a run has decimal commas: commas do not separate cells,
 * numbers have commas, and no number has a point.
 */
static bool has_decimal_comma(
	const struct text_table *table, const struct line_run *run)
{
	bool comma = false;

	if (run->separator == ',')
		return false;
	for (size_t i = run->begin; i < run->end; i++) {
		const char *text = table->lines[i].text;

		for (size_t c = 1; *text && text[c] && text[c + 1]; c++) {
			if (!isdigit((unsigned char)text[c - 1]) ||
				!isdigit((unsigned char)text[c + 1]))
				continue;
			if (text[c] == '.')
				return false;
			comma |= text[c] == ',';
		}
	}
	return comma;
}

static int set_cell_unit(struct text_table *table, const char *unit,
	size_t line, struct error *err)
{
	if (table->cell_unit && strcmp(unit, table->cell_unit) != 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found '%s' after '%s': write all numbers in "
			"one unit",
			line, unit, table->cell_unit);
	table->unit = table->cell_unit = unit;
	return 0;
}

static int push_table_cell(struct text_table *table, struct table_row *row,
	const struct text_cell *cell, struct error *err)
{
	bool node = false;
	const char *word; /* first word of the corner */

	if (row->n++ == TABLE_CELLS_MAX)
		return refuse_too_many(row->line, "cells", err);
	if (!array_grow(&table->values, table->n_cells, sizeof(cell->value)) ||
		!array_grow(&table->kinds, table->n_cells, 1))
		return error_no_memory(err, "the numbers of the file");
	table->values[table->n_cells] = cell->value;
	table->kinds[table->n_cells++] = (unsigned char)cell->kind;
	if (cell->unit && set_cell_unit(table, cell->unit, row->line, err) < 0)
		return -EINVAL;
	table->of_nodes |= cell->of_node;
	if (table->n_cells > 1 || cell->kind != CELL_WORD)
		return 0;
	word = memchr(cell->text, ':', cell->n);
	table->of_nodes |=
		cell_is_place(cell->text,
			word ? (size_t)(word - cell->text) : cell->n, &node) &&
		node;
	table->corner = strndup(cell->text, cell->n);
	if (!table->corner)
		return error_no_memory(err, "the header");
	if (unit_of_text(table->corner))
		table->unit = unit_of_text(table->corner);
	return 0;
}

static int push_table_row(struct text_table *table,
	const struct table_line *line, struct error *err)
{
	struct table_row row = {.line = line->number,
		.text = line->text,
		.first = table->n_cells};
	const char *at = line->text;
	struct text_cell cell;
	int rc = 0;

	if (table->n == TABLE_CELLS_MAX)
		return refuse_too_many(row.line, "lines", err);
	if (!array_grow(&table->rows, table->n, sizeof(row)))
		return error_no_memory(err, "the rows of the file");
	while (rc == 0 && cell_next(&at, &table->dialect, &cell))
		rc = push_table_cell(table, &row, &cell, err);
	table->rows[table->n++] = row;
	return rc;
}

/* Return a line next to a run with another separator, or 0. */
static size_t differing_line(
	const struct text_table *table, const struct line_run *run)
{
	char separator = 0;

	if (run->differs)
		return table->lines[run->differs].number;
	if (run->end < table->n_lines &&
		classify_line(table->lines[run->end].text, &separator) ==
			LINE_OF_TABLE &&
		separator)
		return table->lines[run->end].number;
	return 0;
}

static int push_run_rows(
	struct text_table *table, const struct line_run *run, struct error *err)
{
	char separator;
	int rc = 0;

	table->dialect = (struct cell_dialect){
		.separator = (char)(run->separator ? run->separator : ' '),
		.decimal_comma = has_decimal_comma(table, run)};
	table->below_blank = run->begin > 0 &&
			     classify_line(table->lines[run->begin - 1].text,
				     &separator) == LINE_EMPTY;
	table->differs = differing_line(table, run);
	for (size_t i = run->begin; i < run->end && rc == 0; i++) {
		if (classify_line(table->lines[i].text, &separator) ==
			LINE_OF_TABLE)
			rc = push_table_row(table, &table->lines[i], err);
	}
	return rc;
}

/* Find the unit in the text above or below a run. */
static void find_text_unit(struct text_table *table, const struct line_run *run)
{
	const char *unit;
	char separator;

	for (size_t i = 0; i < run->begin; i++) {
		unit = unit_of_text(table->lines[i].text);
		if (unit)
			table->unit = unit;
	}
	/* The text below a table may belong to another table. */
	for (size_t i = table->n_lines; i > run->end && !table->unit; i--) {
		const char *text = table->lines[i - 1].text;

		if (classify_line(text, &separator) == LINE_OF_TABLE)
			break;
		table->unit = unit_of_text(text);
	}
}

/* Return whether a word in a heading stands for a CPU of a pair, as "from". */
static bool is_cpu_end_heading(const struct text_cell *cell)
{
	static const char *const ends[] = {"a", "b", "i", "j", "x", "y", "from",
		"to", "src", "dst", "source", "target", "sender", "receiver",
		"first", "second", "cpu_a", "cpu_b", "cpua", "cpub"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (cell->n == strlen(ends[i]) &&
			strncasecmp(cell->text, ends[i], cell->n) == 0)
			return true;
	}
	return cell_is_place(cell->text, cell->n, &(bool){false});
}

static bool is_node_heading(const struct text_cell *cell)
{
	for (size_t i = 0; i + 4 <= cell->n; i++) {
		if (strncasecmp(cell->text + i, "node", 4) == 0)
			return true;
	}
	return false;
}

/*
 * Return whether the line above a list is a heading, as in "a,b,ns". Set unit
 * and of_nodes from a heading.
 */
static bool is_pair_heading(struct text_table *table, size_t first)
{
	const char *at = first > 0 ? table->lines[first - 1].text : "";
	const struct cell_dialect dialect = {.separator = cell_separator(at)};
	struct text_cell cell = {.n = 0};
	bool of_nodes = false;
	size_t n = 0;

	while (cell_next(&at, &dialect, &cell)) {
		n++;
		if (cell.kind != CELL_WORD ||
			(dialect.separator == ' ' && n < 3 &&
				!is_cpu_end_heading(&cell)))
			return false;
		of_nodes |= n < 3 && is_node_heading(&cell);
	}
	if (n != 3)
		return false;
	table->pairs.of_nodes = of_nodes;
	at = cell_unit(cell.text, cell.n);
	table->unit = at ? at : table->unit;
	return true;
}

static int refuse_two_tables(const struct text_table *table,
	const struct line_run *a, const struct line_run *b, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"found two tables of %zu lines, from line %zu and from line "
		"%zu: keep only one of these tables",
		a->n, table->lines[a->begin].number,
		table->lines[b->begin].number);
}

/* Return whether a line begins with a CPU and has an arrow. */
static bool looks_like_pair(const struct text_table *table, size_t i)
{
	const char *text = i < table->n_lines ? table->lines[i].text : "";
	const char *word = text + strspn(text, " \t(");
	bool node;

	return (strstr(text, "->") || strstr(text, "=>")) &&
	       (isdigit((unsigned char)*word) ||
		       cell_is_place(
			       word, strcspn(word, " \t_-#0123456789"), &node));
}

/*
 * Append the lines of the list, or of the run if it has a heading. Set
 * pairs->odd to a line in or next to the list that is not a pair.
 */
static int push_pairs(struct text_table *table, const struct line_run *run,
	const struct line_run *list, struct error *err)
{
	struct pair_list *pairs = &table->pairs;
	const struct line_run *lines;
	struct pair_line pair;
	char separator;

	pairs->has_heading = is_pair_heading(table, run->begin);
	lines = pairs->has_heading ? run : list;
	if (!pairs->has_heading)
		pairs->has_heading = is_pair_heading(table, list->begin);
	pairs->first_line = table->lines[lines->begin].number;
	if (looks_like_pair(table, lines->end))
		pairs->odd = &table->lines[lines->end];
	if (lines->begin > 0 && looks_like_pair(table, lines->begin - 1))
		pairs->odd = &table->lines[lines->begin - 1];
	for (size_t i = lines->begin; i < lines->end; i++) {
		struct table_line *line = &table->lines[i];

		if (classify_line(line->text, &separator) == LINE_EMPTY ||
			classify_line(line->text, &separator) == LINE_BETWEEN)
			continue;
		if (!pair_line_read(line->text, &pair)) {
			pairs->odd = pairs->odd ? pairs->odd : line;
			continue;
		}
		pair.line = line->number;
		if (pairs->of_nodes)
			pair.of_nodes = true;
		if (!pair_list_add(pairs, &pair))
			return error_no_memory(err, "the pairs of the file");
		if (pair.unit &&
			set_cell_unit(table, pair.unit, pair.line, err) < 0)
			return -EINVAL;
	}
	return 0;
}

static int refuse_odd_line(const struct table_line *line, struct error *err)
{
	struct quoted_text quote;

	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found %s, expected two CPUs, or two nodes, and a "
		"number",
		line->number,
		text_excerpt(&quote, line->text, strlen(line->text)));
}

/* Append the longest list of pairs, unless the run is much longer. */
static int push_longest_pairs(
	struct text_table *table, const struct line_run *run, struct error *err)
{
	struct line_run rival, list = find_longest_run(table, true, &rival);

	if (list.n == 0 && run->n > 0 && looks_like_pair(table, run->begin))
		return refuse_odd_line(&table->lines[run->begin], err);
	if (list.n == 0 || list.n < run->n / 2)
		return 0;
	if (rival.n > 1 && !line_runs_are_equal(table, &list, &rival))
		return refuse_two_tables(table, &list, &rival, err);
	return push_pairs(table, run, &list, err);
}

static size_t count_line_cells(const char *text, char separator)
{
	const struct cell_dialect dialect = {.separator = separator};
	struct text_cell cell;
	size_t n = 0;

	while (cell_next(&text, &dialect, &cell))
		n++;
	return n;
}

/* Return the rows of a run from a line to the next empty line. */
static struct line_run find_run_part(
	const struct text_table *table, const struct line_run *run, size_t from)
{
	struct line_run part = {.begin = from, .separator = run->separator};

	for (size_t i = from; i < run->end; i++) {
		char unused;
		enum line_kind kind =
			classify_line(table->lines[i].text, &unused);

		if (kind == LINE_EMPTY && part.n > 0)
			break;
		if (kind != LINE_OF_TABLE)
			continue;
		part.begin = part.n == 0 ? i : part.begin;
		part.end = i + 1;
		part.n++;
	}
	return part;
}

/* Return whether two parts have the same number and widths of lines. */
static bool parts_have_same_size(const struct text_table *table,
	const struct line_run *a, const struct line_run *b)
{
	char separator = (char)(a->separator ? a->separator : ' ');

	if (a->n != b->n || a->end - a->begin != b->end - b->begin)
		return false;
	for (size_t i = 0; i < a->end - a->begin; i++) {
		if (count_line_cells(
			    table->lines[a->begin + i].text, separator) !=
			count_line_cells(
				table->lines[b->begin + i].text, separator))
			return false;
	}
	return true;
}

static size_t find_widest_line(
	const struct text_table *table, const struct line_run *run)
{
	char separator = (char)(run->separator ? run->separator : ' ');
	size_t widest = 0;

	for (size_t i = run->begin; i < run->end; i++) {
		size_t width =
			count_line_cells(table->lines[i].text, separator);

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Return whether all lines begin with the same cell, like pairs of one CPU. */
static bool has_one_row(
	const struct text_table *table, const struct line_run *part)
{
	const char *first = table->lines[part->begin].text;
	size_t n;

	first += strspn(first, " \t");
	n = strcspn(first, " \t,;|");
	for (size_t i = part->begin + 1; i < part->end; i++) {
		const char *text = table->lines[i].text;

		text += strspn(text, " \t");
		if (strcspn(text, " \t,;|") != n ||
			strncmp(text, first, n) != 0)
			return false;
	}
	return part->end > part->begin + 1;
}

/*
 * Return whether a run consists of square tables of the same size, with empty
 * lines between them. *second becomes a table that differs from *first.
 */
static bool is_several_tables(const struct text_table *table,
	const struct line_run *run, struct line_run *first,
	struct line_run *second)
{
	struct line_run part;
	size_t widest;

	*first = find_run_part(table, run, run->begin);
	*second = (struct line_run){.n = 0};
	if (has_one_row(table, first))
		return false;
	for (part = find_run_part(table, run, first->end); part.n > 0;
		part = find_run_part(table, run, part.end)) {
		if (!parts_have_same_size(table, first, &part))
			return false;
		if (second->n == 0 || line_runs_are_equal(table, first, second))
			*second = part;
	}
	if (second->n <= 1)
		return false;
	widest = find_widest_line(table, first);
	return widest <= first->n + 1 && (first->n > 2 || widest == 2);
}

int table_refuse_odd_pair(const struct text_table *table, struct error *err)
{
	return table->pairs.odd ? refuse_odd_line(table->pairs.odd, err) : 0;
}

int table_read(
	struct text_table *table, struct reader *reader, struct error *err)
{
	int rc = read_table_lines(table, reader, err);
	struct line_run run, rival, first = {.n = 0}, second = {.n = 0};

	if (rc < 0)
		return rc;
	run = find_longest_run(table, false, &rival);
	if (run.n > 0 && is_several_tables(table, &run, &first, &second)) {
		run = first;
		rival = second;
	}
	if (rival.n > 1 && !line_runs_are_equal(table, &run, &rival))
		return refuse_two_tables(table, &run, &rival, err);
	if (run.n > 0)
		rc = thousands_drop(table->lines + run.begin,
			run.end - run.begin,
			(char)(run.separator ? run.separator : ' '), err);
	if (rc < 0)
		return rc;
	find_text_unit(table, &run);
	rc = push_longest_pairs(table, &run, err);
	if (rc == 0)
		rc = push_run_rows(table, &run, err);
	if (rc == 0 && table->n == 0 && table->pairs.n == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found no numbers, expected a result of c2c or a "
			"matrix of numbers");
	return rc;
}

void table_drop_lines(struct text_table *table)
{
	for (size_t i = 0; i < table->n_lines; i++)
		free(table->lines[i].text);
	free(table->lines);
	table->lines = NULL;
	table->n_lines = 0;
}

void table_release(struct text_table *table)
{
	table_drop_lines(table);
	free(table->values);
	free(table->kinds);
	free(table->rows);
	free(table->pairs.lines);
	free(table->corner);
}

const char *table_quote(const struct text_table *table,
	const struct table_row *row, size_t column, struct quoted_text *quote)
{
	const char *at = row->text;
	struct text_cell cell = {.text = "", .n = 0};

	for (size_t i = 0; i <= column; i++) {
		if (!cell_next(&at, &table->dialect, &cell))
			break;
	}
	return text_excerpt(quote, cell.text, cell.n);
}
