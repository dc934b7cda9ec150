/*
 * Matrices as CSV. c2c writes a header row and a header column with CPU or node
 * numbers, and "cpu" or "node" in the corner. If the matrix differs from
 * default_corner, the corner describes the matrix in the words of .dat:
 *
 * 	cpu: NAME STATISTIC UNIT QUANTITY|- lower|higher
 *
 * Without a matrix, c2c writes the curves as tsv.c does.
 *
 * table.h finds a table of another tool, and shape.h its CPUs and its shape.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"
#include "result/old_names.h"
#include "result/pair_list.h"
#include "result/shape.h"
#include "result/table.h"
#include "util/text.h"

/* First words in the corners of CSV from c2c. */
static const char *const members[] = {"cpu", "node"};

enum {
	CORNER_NAME,
	CORNER_STATISTIC,
	CORNER_UNIT,
	CORNER_QUANTITY,
	CORNER_BETTER,
	N_CORNER,
};

/* Description of a matrix without a corner. */
static const char *const default_corner[N_CORNER] = {
	"latency", "median", "ns", "one-way", "lower"};

/* Write a word with _ in place of separators. several: keep blanks. */
static void write_corner_word(const char *word, bool several, FILE *out)
{
	if (*word == '\0')
		putc('_', out);
	for (; *word; word++) {
		bool plain =
			(unsigned char)*word > ' ' && !strchr(",;\"", *word);

		putc(plain || (*word == ' ' && several) ? *word : '_', out);
	}
}

static void write_csv_corner_cell(
	const struct matrix *matrix, bool of_nodes, FILE *out)
{
	const char *const words[N_CORNER] = {matrix->name, matrix->statistic,
		matrix->unit, matrix->quantity ? matrix->quantity : "-",
		matrix->higher_is_better ? "higher" : "lower"};
	bool same = true;

	for (size_t i = 0; i < N_CORNER; i++)
		same &= strcmp(words[i], default_corner[i]) == 0 ||
			(i == CORNER_QUANTITY && !matrix->quantity);
	fputs(members[of_nodes], out);
	for (size_t i = 0; !same && i < N_CORNER; i++) {
		fputs(i ? " " : ": ", out);
		write_corner_word(words[i], i == CORNER_QUANTITY, out);
	}
}

int result_write_csv(const struct result *result, FILE *out, struct error *err)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	const struct cpu_list *list = result_members(result);
	size_t n = list->n;
	struct number_text number;

	if (!matrix && result->n_curves == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the result has no matrix and no curve for a CSV");
	if (!matrix)
		return format_write_curves(result, ',', out, err);
	write_csv_corner_cell(matrix, result_is_of_nodes(result), out);
	for (size_t j = 0; j < n; j++)
		fprintf(out, ",%u", list->cpus[j]);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "\n%u", list->cpus[i]);
		for (size_t j = 0; j < n; j++)
			fprintf(out, ",%s",
				format_number(&number,
					matrix->values[i * n + j], ""));
	}
	putc('\n', out);
	return format_flush(out, err);
}

/*
 * Copy one triangle of the matrix to the other, if the other is empty. Return
 * whether the matrix is symmetric.
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
	for (size_t i = 0; lower != upper && i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double *a = &values[i * n + j], *b = &values[j * n + i];

			*(lower ? b : a) = lower ? *a : *b;
		}
	}
	return same || lower != upper;
}

/*
 * Split a corner that c2c wrote into words. The words are in the edited corner.
 * Return false for a corner of another tool.
 */
static bool split_corner(char *corner, const char *words[N_CORNER])
{
	char *rest = corner, *last;
	const char *word = strsep(&rest, ":");
	size_t n = 0;

	if (!rest || *rest++ != ' ' ||
		(strcmp(word, members[0]) != 0 &&
			strcmp(word, members[1]) != 0))
		return false;
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

/* Return the command that measures matrices with this name. */
static const char *command_of_matrix(const char *name)
{
	if (strcmp(name, "rate") == 0)
		return "rate";
	if (strcmp(name, "copy") == 0)
		return "memcpy";
	if (strcmp(name, "writer") == 0 || strcmp(name, "reader") == 0)
		return "queue";
	return "latency";
}

static int check_corner_words(
	const char *const words[N_CORNER], struct error *err)
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
 * Add the matrix of a CSV. Almost all other tools print a latency in
 * nanoseconds for each pair, so c2c assumes default_corner, with an unknown
 * quantity.
 */
static int add_csv_matrix(struct result *result, const struct text_table *table,
	struct error *err)
{
	const char *words[N_CORNER], *quantity = NULL;
	bool foreign = !split_corner(table->corner, words);
	int rc;

	if (foreign)
		memcpy(words, default_corner, sizeof(words));
	result->bare = foreign;
	result->has_unit = foreign && table->unit;
	if (foreign && table->unit)
		words[CORNER_UNIT] = table->unit;
	if (strcmp(words[CORNER_UNIT], "ms") == 0)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"the file says that its unit is ms, expected ns or us: "
			"multiply the numbers by 1,000 and write us");
	if (foreign && text_is_rate(words[CORNER_UNIT])) {
		words[CORNER_NAME] = "rate";
		words[CORNER_BETTER] = "higher";
	}
	words[CORNER_NAME] = old_names_today("name", words[CORNER_NAME]);
	words[CORNER_STATISTIC] =
		old_names_today("statistic", words[CORNER_STATISTIC]);
	if (!foreign && strcmp(words[CORNER_QUANTITY], "-") != 0)
		quantity = words[CORNER_QUANTITY];
	rc = check_corner_words(words, err);
	if (rc < 0)
		return rc;
	result->command =
		strdup(table->of_nodes || table->pairs.of_nodes
				? "numa"
				: command_of_matrix(words[CORNER_NAME]));
	if (result->command &&
		result_add_matrix(result, words[CORNER_NAME],
			words[CORNER_STATISTIC], words[CORNER_UNIT], quantity,
			strcmp(words[CORNER_BETTER], "higher") == 0, false))
		return 0;
	return error_no_memory(err, "a matrix");
}

static int set_csv_nodes(
	struct result *result, const struct cpu_list *nodes, struct error *err)
{
	if (nodes->n > RESULT_MAX_NODES)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu nodes, expected at most %d", nodes->n,
			RESULT_MAX_NODES);
	return result_set_nodes(result, nodes, nodes)
		       ? 0
		       : error_no_memory(err, "the nodes");
}

/* Fill a matrix from pairs. result->cpus has the CPUs or nodes of all pairs. */
static int unpack_pairs(struct result *result, const struct text_table *table,
	struct error *err)
{
	const struct pair_list *pairs = &table->pairs;
	struct cpu_list named = result->cpus;
	struct matrix *matrix;
	int rc = table_refuse_odd_pair(table, err);

	if (rc == 0)
		rc = pair_list_check(pairs, named.n, err);
	if (rc == 0 && pairs->of_nodes) {
		result->cpus = (struct cpu_list){NULL, 0};
		rc = set_csv_nodes(result, &named, err);
		cpu_list_release(&named);
	}
	if (rc == 0)
		rc = add_csv_matrix(result, table, err);
	if (rc < 0)
		return rc;
	matrix = result->matrices;
	rc = pair_list_fill(pairs, result_members(result), matrix->values, err);
	matrix->symmetric = rc == 0 && make_symmetric(matrix->values,
					       result_members(result)->n);
	return rc;
}

static int take_node_names(struct result *result,
	const struct text_table *table, const struct table_reading *reading,
	struct error *err)
{
	struct cpu_list nodes = {NULL, 0};
	int rc = shape_cpus(table, reading, &nodes, err);

	if (rc == 0)
		rc = set_csv_nodes(result, &nodes, err);
	cpu_list_release(&nodes);
	return rc;
}

static int unpack_table(struct result *result, struct text_table *table,
	const struct table_reading *reading, struct error *err)
{
	struct matrix *matrix;
	int rc = 0;

	if (reading->n > RESULT_MAX_CPUS)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"found %zu CPUs, expected at most %d", reading->n,
			RESULT_MAX_CPUS);
	/* The matrix may need the memory of the lines. */
	table_drop_lines(table);
	if (table->of_nodes)
		rc = take_node_names(result, table, reading, err);
	else
		rc = shape_cpus(table, reading, &result->cpus, err);
	result->counted = !shape_has_names(table, reading);
	if (rc == 0)
		rc = add_csv_matrix(result, table, err);
	if (rc < 0)
		return rc;
	matrix = result->matrices;
	shape_fill(table, reading, matrix->values);
	matrix->symmetric = make_symmetric(matrix->values, reading->n);
	return 0;
}

/*
 * Return whether the text is a list of pairs and not a table. reading is the
 * matrix in the table, or NULL.
 */
static bool is_about_pairs(const struct text_table *table,
	const struct cpu_list *cpus, const struct table_reading *reading)
{
	const struct pair_list *pairs = &table->pairs;
	bool whole = pairs->n + pairs->has_heading >= table->n;

	if (!reading && pairs->odd && pairs->all_explicit)
		return true;
	/* A table with the same CPUs as row and column labels is a matrix. */
	if (reading &&
		(!whole || pairs->odd || (reading->heading && reading->labels)))
		return false;
	if (pairs->has_heading || (whole && pairs->all_explicit))
		return true;
	return pair_list_is_complete(pairs, cpus) && (whole || pairs->n > 2);
}

/*
 * Read a list of pairs, or find out that the text is a table. Lines of three
 * numbers may be pairs or rows.
 */
static int unpack_pairs_or_table(struct result *result,
	struct text_table *table, bool *is_table, struct error *err)
{
	const struct pair_list *pairs = &table->pairs;
	struct table_reading reading = {.n = 0};
	bool shaped, doubtful;
	int rc = pair_list_cpus(pairs, &result->cpus, err);

	if (rc < 0)
		return rc;
	shaped = table->n > 0 && shape_find(table, &reading, NULL) == 0;
	/* A text without rows of cells is a list of pairs. */
	*is_table = table->n > 0 && !is_about_pairs(table, &result->cpus,
					    shaped ? &reading : NULL);
	/* A list of pairs may be incomplete. A matrix may have a diagonal. */
	doubtful = *is_table ? shaped && !reading.heading &&
				       pairs->n >= table->n &&
				       shape_has_diagonal(table, &reading)
			     : shaped && !pairs->has_heading &&
				       !shape_is_absurd(table, &reading);
	if (doubtful)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: three numbers may be a pair of CPUs and its "
			"latency, or a row of a matrix: put the line 'a,b,ns' "
			"above pairs, or 'cpu,0,1,2' above a matrix",
			pairs->first_line);
	if (!*is_table)
		return unpack_pairs(result, table, err);
	cpu_list_release(&result->cpus);
	return 0;
}

static int unpack_csv(
	struct result *result, struct text_table *table, struct error *err)
{
	struct table_reading reading = {.n = 0};
	bool is_table = true;
	int rc = 0;

	if (table->pairs.n > 0)
		rc = unpack_pairs_or_table(result, table, &is_table, err);
	if (rc == 0 && is_table)
		rc = shape_find(table, &reading, err);
	if (rc < 0 && is_table && table->differs)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found another separator than in the next "
			"lines: use one separator, and no commas within "
			"numbers",
			table->differs);
	return rc < 0 || !is_table ? rc
				   : unpack_table(result, table, &reading, err);
}

int format_read_csv(
	struct result *result, struct reader *reader, struct error *err)
{
	struct text_table table = {0};
	int rc;

	result->complete = true;
	rc = table_read(&table, reader, err);
	if (rc == 0)
		rc = unpack_csv(result, &table, err);
	table_release(&table);
	return rc;
}
