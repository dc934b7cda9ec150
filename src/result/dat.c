/*
 * Results for gnuplot and eyes: "# key: value" lines, then a block per matrix
 * and per series.
 *
 * The lines hold the envelope of the JSON file but its topology: a member of
 * tool, machine, options and run is "# machine.cpu_model: ...". A value is
 * JSON on one line, except that a string which no JSON reader would take for
 * something else stands without quotes, so that scripts need not remove them.
 * A block begins with a line of words that tell what it holds,
 *
 *	# matrix: NAME STATISTIC UNIT QUANTITY|- lower|higher
 *		symmetric|asymmetric
 *	# series: NAME X-NAME X-UNIT Y-NAME Y-UNIT Y-STATISTIC
 *
 * (quoted as in JSON where a word has blanks) and is a table of all numbers by
 * CPU, or of two columns. Two blank lines part the blocks, as gnuplot's index
 * wants it. The first matrix plots with
 *
 *	index 0 matrix rowheaders columnheaders with image
 *
 * but gnuplot (5.4) takes the line of CPUs for names in the first block only.
 * In later ones it is row 0, to be skipped:
 *
 *	index 1 matrix rowheaders every 1:1:0:1 using 1:($2-1):3 with image
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"

/* The objects whose members get a line each. */
static const char *const sections[] = {"tool", "machine", "options", "run"};

#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

/* Words of a block's first line. */
#define N_WORDS 6

#define MATRIX_WORDS                                                           \
	"'name statistic unit quantity|- lower|higher symmetric|asymmetric'"
#define SERIES_WORDS "'name x-name x-unit y-name y-unit y-statistic'"

/*
 * NULL is text that is no JSON, or memory that was out, which jansson does not
 * tell apart: so it is tried again, lest a value become a string by that. Where
 * memory is still out, there is none for the string either.
 */
static json_t *decode(const char *text, size_t n)
{
	json_t *value = NULL;

	for (int i = 0; i < 2 && !value; i++)
		value = json_loadb(text, n,
			JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	return value;
}

/*
 * Whether text can stand without quotes: it must come back as this string.
 */
static bool is_plain(const char *text)
{
	size_t n = strlen(text);
	json_t *other;

	if (n == 0 || text[0] == ' ' || text[n - 1] == ' ')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (iscntrl((unsigned char)text[i]))
			return false;
	}
	other = decode(text, n);
	json_decref(other);
	return !other;
}

/* Keys that a line can hold; "matrix" and "series" begin blocks. */
static bool is_plain_key(const char *key)
{
	return *key &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       strlen(key) &&
	       strcmp(key, "matrix") != 0 && strcmp(key, "series") != 0;
}

/* "# section.key: value"; what is unknown gets no line. */
static int write_line(
	FILE *out, const char *section, const char *key, const json_t *value)
{
	int rc = 0;

	if (json_is_null(value) || !is_plain_key(key))
		return 0;
	fprintf(out, "# %s%s%s: ", section, *section ? "." : "", key);
	if (json_is_string(value) && is_plain(json_string_value(value)))
		fputs(json_string_value(value), out);
	else
		rc = json_dumpf(value, out, FORMAT_JSON_FLAGS);
	putc('\n', out);
	return rc;
}

static bool is_section(const char *key)
{
	for (size_t i = 0; i < N_SECTIONS; i++) {
		if (strcmp(key, sections[i]) == 0)
			return true;
	}
	return false;
}

static int write_header(FILE *out, json_t *envelope, json_t *extra)
{
	json_t *value, *member;
	const char *key, *name;
	int rc = 0;

	json_object_foreach(envelope, key, value)
	{
		if (!is_section(key)) {
			rc |= write_line(out, "", key, value);
			continue;
		}
		json_object_foreach(value, name, member) rc |=
			write_line(out, key, name, member);
	}
	json_object_foreach(extra, key, value)
	{
		if (strcmp(key, "topology") != 0)
			rc |= write_line(out, "", key, value);
	}
	return rc;
}

/* One word of a block's first line. */
static int write_word(FILE *out, const char *word)
{
	json_t *quoted;
	int rc;

	putc(' ', out);
	if (!word) {
		putc('-', out);
		return 0;
	}
	if (*word != '"' && strcmp(word, "-") != 0 && !strchr(word, ' ') &&
		is_plain(word)) {
		fputs(word, out);
		return 0;
	}
	quoted = json_string(word);
	rc = json_dumpf(quoted, out, FORMAT_JSON_FLAGS);
	json_decref(quoted);
	return rc;
}

static int write_words(FILE *out, const char *kind, const char *const *words)
{
	int rc = 0;

	fprintf(out, "# %s:", kind);
	for (size_t i = 0; i < N_WORDS; i++)
		rc |= write_word(out, words[i]);
	putc('\n', out);
	return rc;
}

static int write_matrix(
	FILE *out, const struct result *result, const struct matrix *matrix)
{
	const char *const words[N_WORDS] = {matrix->name, matrix->statistic,
		matrix->unit, matrix->quantity,
		matrix->higher_is_better ? "higher" : "lower",
		matrix->symmetric ? "symmetric" : "asymmetric"};
	size_t n = result->cpus.n;
	struct number number;
	int rc = write_words(out, "matrix", words);

	/* Seven places hold "123.456": columns stand under their CPU. */
	fprintf(out, "%-5s", "cpu");
	for (size_t j = 0; j < n; j++)
		fprintf(out, " %7u", result->cpus.cpus[j]);
	putc('\n', out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%-5u", result->cpus.cpus[i]);
		for (size_t j = 0; j < n; j++)
			fprintf(out, " %7s",
				format_number(&number,
					matrix->values[i * n + j], "nan"));
		putc('\n', out);
	}
	return rc;
}

static int write_series(FILE *out, const struct series *series)
{
	const char *const words[N_WORDS] = {series->name, series->x_name,
		series->x_unit, series->y_name, series->y_unit,
		series->y_statistic};
	struct number x, y;
	int rc = write_words(out, "series", words);

	for (size_t i = 0; i < series->n; i++)
		fprintf(out, "%s %s\n", format_number(&x, series->x[i], "nan"),
			format_number(&y, series->y[i], "nan"));
	return rc;
}

int result_write_dat(const struct result *result, FILE *out, struct error *err)
{
	json_t *envelope = format_pack_envelope(result, err);
	const char *gap = "";
	int rc, flushed;

	if (!envelope)
		return -ENOMEM;
	rc = write_header(out, envelope, result->extra);
	json_decref(envelope);
	for (size_t i = 0; i < result->n_matrices; i++) {
		fputs(gap, out);
		rc |= write_matrix(out, result, &result->matrices[i]);
		gap = "\n\n";
	}
	for (size_t i = 0; i < result->n_series; i++) {
		fputs(gap, out);
		rc |= write_series(out, &result->series[i]);
		gap = "\n\n";
	}
	flushed = format_flush(out, err);
	if (flushed < 0 || rc == 0)
		return flushed;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"the result holds text that is not UTF-8, or memory is out");
}

/* Reading: the line at hand, which each step leaves at its successor. */
struct dat {
	struct result *result;
	struct reader *reader;
	char *line; /* NULL at the end of the file */
};

static int next_line(struct dat *dat, struct error *err)
{
	int rc = reader_next_line(dat->reader, &dat->line, err);

	if (rc <= 0)
		dat->line = NULL;
	return rc < 0 ? rc : 0;
}

/* What follows the prefix of a line, or NULL when it begins otherwise. */
static char *after(char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return line && strncmp(line, prefix, n) == 0 ? line + n : NULL;
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " \t")] == '\0';
}

static bool is_block(char *line)
{
	return after(line, "# matrix:") || after(line, "# series:");
}

/* Keys that the JSON has as objects or arrays and .dat as lines or blocks. */
static bool is_reserved(const char *key)
{
	return is_section(key) || strcmp(key, "matrices") == 0 ||
	       strcmp(key, "passes") == 0 || strcmp(key, "series") == 0 ||
	       strcmp(key, "topology") == 0;
}

/*
 * The object that a header line's key is a member of, and its name there: a
 * section for "machine.smt", else root. NULL without memory.
 */
static json_t *find_home(json_t *root, const char *key, const char **name)
{
	const char *dot = strchr(key, '.');
	char section[16];
	json_t *home;

	*name = key;
	if (!dot)
		return root;
	snprintf(section, sizeof(section), "%.*s", (int)(dot - key), key);
	if (!is_section(section))
		return root;
	*name = dot + 1;
	home = json_object_get(root, section);
	if (!home) {
		json_object_set_new(root, section, json_object());
		home = json_object_get(root, section);
	}
	return home;
}

/* Put the key and the value of a header line where the JSON has them. */
static int put_header(struct dat *dat, json_t *root, const char *key,
	const char *text, struct error *err)
{
	const char *name;
	json_t *home = find_home(root, key, &name);
	json_t *value;
	struct quote quote;

	if (json_object_get(home, name))
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found %s for the second time, expected it "
			"once",
			dat->reader->line,
			reader_quote(&quote, key, strlen(key)));
	value = decode(text, strlen(text));
	if (!value)
		value = json_string(text);
	if (json_object_set_new(home, name, value) < 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found text that is not UTF-8, expected "
			"'# key: value'",
			dat->reader->line);
	return 0;
}

/* Lines up to the first block. Comments that are no "key: value" may be. */
static int read_header(struct dat *dat, json_t *root, struct error *err)
{
	int rc = next_line(dat, err);

	while (rc == 0 && dat->line && !is_block(dat->line)) {
		char *key = after(dat->line, "# ");
		char *colon = key ? strstr(key, ": ") : NULL;
		struct quote quote;

		if (colon) {
			*colon = '\0';
			if (!is_reserved(key))
				rc = put_header(dat, root, key, colon + 2, err);
		} else if (!is_blank(dat->line) && *dat->line != '#') {
			rc = error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu: found %s, expected '# matrix: "
				"...' before numbers",
				dat->reader->line,
				reader_quote(
					&quote, dat->line, strlen(dat->line)));
		}
		if (rc == 0)
			rc = next_line(dat, err);
	}
	return rc;
}

/* The end of the word at text: of a JSON string, or before a blank. */
static size_t word_length(const char *text)
{
	size_t n = 1;

	if (*text != '"')
		return strcspn(text, " \t");
	while (text[n] && text[n] != '"')
		n += text[n] == '\\' && text[n + 1] ? 2 : 1;
	return n + (text[n] == '"');
}

/*
 * The words of a block's first line as an array of strings, "-" as null. A
 * new reference, or NULL when there are not N_WORDS or one is no UTF-8.
 */
static json_t *read_words(const char *text)
{
	json_t *words = json_array();
	size_t n;

	for (text += strspn(text, " \t"); *text;
		text += n + strspn(text + n, " \t")) {
		json_t *word;

		n = word_length(text);
		if (n == 1 && *text == '-')
			word = json_null();
		else if (*text == '"')
			word = decode(text, n);
		else
			word = json_pack("s%", text, n);
		if (json_array_append_new(words, word) < 0)
			break;
	}
	if (*text || json_array_size(words) != N_WORDS) {
		json_decref(words);
		return NULL;
	}
	return words;
}

static const char *word(const json_t *words, size_t i)
{
	return json_string_value(json_array_get(words, i));
}

/* A table's line, cell by cell: returns the next cell, *n bytes long. */
static char *next_cell(char **cursor, size_t *n)
{
	char *cell = *cursor + strspn(*cursor, " \t");

	*n = strcspn(cell, " \t");
	*cursor = cell + *n;
	return cell;
}

static int bad_cell(struct dat *dat, size_t column, const char *found, size_t n,
	const char *expected, struct error *err)
{
	struct quote quote;

	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu, column %zu: found %s, expected %s",
		dat->reader->line, column, reader_quote(&quote, found, n),
		expected);
}

static int read_number(struct dat *dat, char **cursor, size_t column,
	struct numbers *numbers, struct error *err)
{
	double value = NAN;
	size_t n;
	char *cell = next_cell(cursor, &n);

	if (!(n == 3 && memcmp(cell, "nan", 3) == 0) &&
		!reader_number(cell, n, &value))
		return bad_cell(dat, column, cell, n, "a number or nan", err);
	return format_push(numbers, value, err);
}

static int expect_cpu(struct dat *dat, char **cursor, size_t column,
	unsigned cpu, struct error *err)
{
	char expected[64];
	unsigned found;
	size_t n;
	char *cell = next_cell(cursor, &n);

	if (reader_cpu(cell, n, &found) && found == cpu)
		return 0;
	snprintf(
		expected, sizeof(expected), "CPU %u, as '# cpus:' has it", cpu);
	return bad_cell(dat, column, cell, n, expected, err);
}

static int expect_end(
	struct dat *dat, char **cursor, size_t column, struct error *err)
{
	size_t n;
	char *cell = next_cell(cursor, &n);

	if (n == 0)
		return 0;
	return bad_cell(dat, column, cell, n, "the end of the line", err);
}

/* Go on to a line that the table must have. */
static int need_line(struct dat *dat, const char *what, struct error *err)
{
	int rc = next_line(dat, err);

	if (rc == 0 && !dat->line)
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found the end of the file, expected %s",
			dat->reader->line + 1, what);
	return rc;
}

static int read_columns(struct dat *dat, struct error *err)
{
	const struct cpu_list *cpus = &dat->result->cpus;
	int rc = need_line(dat, "a line of CPU numbers", err);
	char *cursor = dat->line;
	size_t n;

	if (rc < 0)
		return rc;
	next_cell(&cursor, &n); /* the corner */
	for (size_t j = 0; rc == 0 && j < cpus->n; j++)
		rc = expect_cpu(dat, &cursor, j + 2, cpus->cpus[j], err);
	return rc ? rc : expect_end(dat, &cursor, cpus->n + 2, err);
}

static int read_row(
	struct dat *dat, size_t i, struct numbers *numbers, struct error *err)
{
	const struct cpu_list *cpus = &dat->result->cpus;
	int rc = need_line(dat, "a row of the matrix", err);
	char *cursor = dat->line;

	if (rc == 0)
		rc = expect_cpu(dat, &cursor, 1, cpus->cpus[i], err);
	for (size_t j = 0; rc == 0 && j < cpus->n; j++) {
		rc = read_number(dat, &cursor, j + 2, numbers, err);
		if (rc == 0 && numbers->values[numbers->n - 1] < 0)
			rc = error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu, column %zu: found %.9g, expected a "
				"number that is not negative",
				dat->reader->line, j + 2,
				numbers->values[numbers->n - 1]);
	}
	return rc ? rc : expect_end(dat, &cursor, cpus->n + 2, err);
}

static int bad_words(struct dat *dat, const char *kind, const char *expected,
	struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"line %zu: found other words after '# %s:' than expected: %s",
		dat->reader->line, kind, expected);
}

/* Whether words[i] is one of two; *second says which. */
static bool is_either(const json_t *words, size_t i, const char *a,
	const char *b, bool *second)
{
	const char *found = word(words, i);

	*second = found && strcmp(found, b) == 0;
	return *second || (found && strcmp(found, a) == 0);
}

static int read_table(
	struct dat *dat, struct numbers *numbers, struct error *err)
{
	int rc = read_columns(dat, err);

	for (size_t i = 0; rc == 0 && i < dat->result->cpus.n; i++)
		rc = read_row(dat, i, numbers, err);
	return rc;
}

static int read_matrix(struct dat *dat, const json_t *words, struct error *err)
{
	size_t first = dat->reader->line;
	struct numbers numbers = {0};
	struct matrix *matrix;
	bool higher, asymmetric;
	int rc;

	if (!word(words, 0) || !word(words, 1) || !word(words, 2) ||
		!is_either(words, 4, "lower", "higher", &higher) ||
		!is_either(words, 5, "symmetric", "asymmetric", &asymmetric))
		return bad_words(dat, "matrix", MATRIX_WORDS, err);
	rc = read_table(dat, &numbers, err);
	if (rc < 0) {
		free(numbers.values);
		return rc;
	}
	matrix = result_add_matrix(dat->result, word(words, 0), word(words, 1),
		word(words, 2), word(words, 3), higher, !asymmetric);
	if (matrix && numbers.n > 0)
		memcpy(matrix->values, numbers.values,
			numbers.n * sizeof(*numbers.values));
	free(numbers.values);
	if (!matrix)
		return error_no_memory(err, "a matrix");
	rc = format_check_symmetric(dat->result, matrix, err);
	if (rc < 0) {
		error_prefix(err, "the matrix of line %zu", first);
		return rc;
	}
	return next_line(dat, err);
}

/* Points until a line that is none. */
static int read_points(struct dat *dat, struct numbers *x, struct numbers *y,
	struct error *err)
{
	int rc;

	while ((rc = next_line(dat, err)) == 0 && dat->line &&
		!is_blank(dat->line) && *dat->line != '#') {
		char *cursor = dat->line;

		rc = read_number(dat, &cursor, 1, x, err);
		if (rc == 0)
			rc = read_number(dat, &cursor, 2, y, err);
		if (rc == 0)
			rc = expect_end(dat, &cursor, 3, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

static int read_series(struct dat *dat, const json_t *words, struct error *err)
{
	struct numbers x = {0}, y = {0};
	struct series *series;
	int rc;

	for (size_t i = 0; i < N_WORDS; i++) {
		if (!word(words, i))
			return bad_words(dat, "series", SERIES_WORDS, err);
	}
	rc = read_points(dat, &x, &y, err);
	if (rc == 0) {
		series = result_add_series(dat->result, word(words, 0),
			word(words, 1), word(words, 2), word(words, 3),
			word(words, 4), word(words, 5), x.n);
		if (!series)
			rc = error_no_memory(err, "a series");
		for (size_t i = 0; series && i < x.n; i++) {
			series->x[i] = x.values[i];
			series->y[i] = y.values[i];
		}
	}
	free(x.values);
	free(y.values);
	return rc;
}

/* The block at the line at hand, and on to the next block or the end. */
static int read_block(struct dat *dat, struct error *err)
{
	const char *text = after(dat->line, "# matrix:");
	bool is_matrix = text;
	struct quote quote;
	json_t *words;
	int rc;

	if (!is_matrix)
		text = after(dat->line, "# series:");
	words = read_words(text);
	if (!words)
		rc = bad_words(dat, is_matrix ? "matrix" : "series",
			is_matrix ? MATRIX_WORDS : SERIES_WORDS, err);
	else if (is_matrix)
		rc = read_matrix(dat, words, err);
	else
		rc = read_series(dat, words, err);
	json_decref(words);
	while (rc == 0 && dat->line && !is_block(dat->line)) {
		if (!is_blank(dat->line) && *dat->line != '#')
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu: found %s, expected a blank line and "
				"'# matrix: ...' or the end",
				dat->reader->line,
				reader_quote(
					&quote, dat->line, strlen(dat->line)));
		rc = next_line(dat, err);
	}
	return rc;
}

int format_read_dat(
	struct result *result, struct reader *reader, struct error *err)
{
	struct dat dat = {.result = result, .reader = reader};
	json_t *root = json_object();
	int rc;

	if (!root)
		return error_no_memory(err, "the file");
	rc = read_header(&dat, root, err);
	if (rc == 0) {
		rc = format_unpack_envelope(result, root, err);
		if (rc < 0)
			error_prefix(err, "the lines '# key: value'");
		else
			format_keep_extra(&result->extra, root);
	}
	json_decref(root);
	while (rc == 0 && dat.line)
		rc = read_block(&dat, err);
	return rc;
}
