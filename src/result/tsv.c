/*
 * Results as TSV in long form: a line for each matrix cell, an empty line, and
 * a line for each curve point. A missing value has no line or an empty field.
 * The CSV of a result without matrices has these lines too, with the quotes of
 * RFC 4180. c2c cannot read them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result/file.h"
#include "result/format.h"

/* Write the text of one field, and the separator after it. */
static void write_field(const char *text, char separator, FILE *out)
{
	bool quoted = separator == ',' && text && strpbrk(text, ",\"");

	if (quoted)
		putc('"', out);
	for (; text && *text; text++) {
		if (quoted && *text == '"')
			putc('"', out);
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	if (quoted)
		putc('"', out);
	putc(separator, out);
}

static void write_matrix_lines(
	const struct result *result, const struct matrix *matrix, FILE *out)
{
	const struct cpu_list *members = result_members(result);
	size_t n = members->n;
	struct number_text number;

	for (size_t i = 0; i < n * n; i++) {
		if (isnan(matrix->values[i]))
			continue;
		fprintf(out, "%u\t%u\t", members->cpus[i / n],
			members->cpus[i % n]);
		write_field(matrix->name, '\t', out);
		write_field(matrix->statistic, '\t', out);
		write_field(matrix->unit, '\t', out);
		fprintf(out, "%s\n",
			format_number(&number, matrix->values[i], ""));
	}
}

static void write_curve_lines(
	const struct curve *curve, char separator, FILE *out)
{
	const struct curve_facts *facts = &curve->facts;
	const double *const columns[] = {
		curve->x, curve->median, curve->low, curve->high};
	char name[CURVE_NAME_BYTES];
	const char *const words[] = {facts->test, facts->device, facts->family,
		curve_name(curve, name), facts->x_name, facts->x_unit,
		facts->y_name, facts->y_unit};
	struct number_text number;

	for (size_t i = 0; i < curve->n && !curve_is_bound(curve); i++) {
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			write_field(words[k], separator, out);
		for (size_t k = 0; k < 4; k++)
			fprintf(out, "%s%c",
				format_number(&number,
					columns[k] ? columns[k][i] : NAN, ""),
				k < 3 ? separator : '\n');
	}
}

int format_write_curves(const struct result *result, char separator, FILE *out,
	struct error *err)
{
	static const char heading[] = "test,device,panel,curve,x_name,x_unit,"
				      "y_name,y_unit,x,y,low,high\n";

	for (const char *c = heading; *c && result->n_curves > 0; c++)
		putc(*c == ',' ? separator : *c, out);
	for (size_t i = 0; i < result->n_curves; i++)
		write_curve_lines(&result->curves[i], separator, out);
	return format_flush(out, err);
}

int result_write_tsv(const struct result *result, FILE *out, struct error *err)
{
	if (result->n_matrices > 0)
		fputs("from\tto\tmatrix\tstatistic\tunit\tvalue\n", out);
	for (size_t i = 0; i < result->n_matrices; i++)
		write_matrix_lines(result, &result->matrices[i], out);
	if (result->n_matrices > 0 && result->n_curves > 0)
		putc('\n', out);
	return format_write_curves(result, '\t', out, err);
}
