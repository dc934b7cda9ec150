/*
 * Results for gnuplot and eyes, which are not read back: "# key: value" lines,
 * then a block per matrix and per curve.
 *
 * The lines hold the envelope of the JSON file but its topology: a member of
 * tool, machine, options and run is "# machine.cpu_model: ...". A value is
 * JSON on one line, but a string stands without quotes. A block begins with a
 * line of words that tell what it holds,
 *
 *	# matrix: NAME STATISTIC UNIT QUANTITY|- lower|higher
 *		symmetric|asymmetric
 *	# curve: PANEL NAME X-NAME X-UNIT Y-UNIT STATISTIC
 *
 * (quoted as in JSON where a word has blanks) and is a table of all numbers by
 * CPU, or of x, median, low, high, ceiling and fit. Two blank lines part the
 * blocks, as gnuplot's index wants it. The first matrix plots with
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

/* Whether text can stand without quotes, in a line that it does not end. */
static bool is_plain(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return false;
	}
	return *text;
}

/* Keys that a line can hold; "matrix" and "curve" begin blocks. */
static bool is_plain_key(const char *key)
{
	return *key &&
	       strspn(key, "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       strlen(key) &&
	       strcmp(key, "matrix") != 0 && strcmp(key, "curve") != 0;
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

/* All of a curve's values at each x. */
static int write_curve(FILE *out, const struct curve *curve)
{
	const double *const columns[] = {curve->x, curve->median, curve->low,
		curve->high, curve->ceiling};
	static const char *const statistics[] = {"median", "mean", "ceiling"};
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	const char *const words[N_WORDS] = {curve_title(curve, title),
		curve_name(curve, name), curve->is.x_name, curve->is.x_unit,
		curve->is.y_unit, statistics[curve->is.statistic]};
	struct number number;
	int rc = write_words(out, "curve", words);

	/* gnuplot does not count a block without a line. */
	if (curve->n == 0)
		fputs("nan nan nan nan nan nan\n", out);
	for (size_t i = 0; i < curve->n; i++) {
		double fit = curve->fit ? curve_fit_at(curve->fit, curve->x[i])
					: NAN;

		for (size_t k = 0; k < 5; k++)
			fprintf(out, "%s ",
				format_number(&number,
					columns[k] ? columns[k][i] : NAN,
					"nan"));
		fprintf(out, "%s\n", format_number(&number, fit, "nan"));
	}
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
	for (size_t i = 0; i < result->n_curves; i++) {
		fputs(gap, out);
		rc |= write_curve(out, &result->curves[i]);
		gap = "\n\n";
	}
	flushed = format_flush(out, err);
	if (flushed < 0 || rc == 0)
		return flushed;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"the result holds text that is not UTF-8, or memory is out");
}
