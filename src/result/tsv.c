/*
 * Results as TSV in long form: a line for each matrix cell, an empty line, and
 * a line for each curve point. A missing value has no line or an empty field.
 * c2c cannot read TSV.
 */
#include <math.h>
#include <stdio.h>

#include "result/file.h"
#include "result/format.h"

/* Write the text of one field. */
static void write_tsv_text(const char *text, FILE *out)
{
	for (; text && *text; text++)
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
	putc('\t', out);
}

static void write_tsv_matrix(
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
		write_tsv_text(matrix->name, out);
		write_tsv_text(matrix->statistic, out);
		write_tsv_text(matrix->unit, out);
		fprintf(out, "%s\n",
			format_number(&number, matrix->values[i], ""));
	}
}

static void write_tsv_curve(const struct curve *curve, FILE *out)
{
	const struct curve_facts *facts = &curve->facts;
	const double *const columns[] = {
		curve->x, curve->median, curve->low, curve->high};
	const char *const words[] = {facts->test, facts->device, facts->family};
	char name[CURVE_NAME_BYTES];
	struct number_text number;

	for (size_t i = 0; i < curve->n && !curve_is_bound(curve); i++) {
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			write_tsv_text(words[k], out);
		write_tsv_text(curve_name(curve, name), out);
		write_tsv_text(facts->x_name, out);
		write_tsv_text(facts->x_unit, out);
		write_tsv_text(facts->y_name, out);
		write_tsv_text(facts->y_unit, out);
		for (size_t k = 0; k < 4; k++)
			fprintf(out, "%s%c",
				format_number(&number,
					columns[k] ? columns[k][i] : NAN, ""),
				k < 3 ? '\t' : '\n');
	}
}

int result_write_tsv(const struct result *result, FILE *out, struct error *err)
{
	if (result->n_matrices > 0)
		fputs("from\tto\tmatrix\tstatistic\tunit\tvalue\n", out);
	for (size_t i = 0; i < result->n_matrices; i++)
		write_tsv_matrix(result, &result->matrices[i], out);
	if (result->n_matrices > 0 && result->n_curves > 0)
		putc('\n', out);
	if (result->n_curves > 0)
		fputs("test\tdevice\tpanel\tcurve\tx_name\tx_unit\ty_name\t"
		      "y_unit\tx\ty\tlow\thigh\n",
			out);
	for (size_t i = 0; i < result->n_curves; i++)
		write_tsv_curve(&result->curves[i], out);
	return format_flush(out, err);
}
