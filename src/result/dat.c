/*
 * Results for gnuplot: "# key: value" lines, then a block for each matrix and
 * for each curve. c2c cannot read this format.
 *
 * The lines have the values before the matrices in the JSON file, except the
 * topology. A member of an object is "# machine.cpu_model: VALUE", with VALUE
 * in JSON, but without quotes. A block begins with a description:
 *
 * 	# matrix: NAME STATISTIC UNIT QUANTITY|- lower|higher
 * 		symmetric|asymmetric
 * 	# curve: PANEL NAME X-NAME X-UNIT|- Y-NAME Y-UNIT
 * 		median|mean|ceiling|theory
 *
 * Tabs separate the fields of a curve. The columns of a matrix are CPUs or
 * nodes. The columns of a curve are x, median, low, high, ceiling and fit.
 * Caches and TLBs precede the blocks, with sizes in bytes:
 *
 * 	# cache: NAME LEAST MOST SYSTEM-SAYS NS CLOCKS
 * 	# tlb: PAGE LEAST MOST MISS-NS MISS-CLOCKS
 *
 * Two blank lines separate blocks, as gnuplot's index requires. Plot the first
 * matrix with:
 *
 * 	index 0 matrix rowheaders columnheaders with image
 *
 * gnuplot 5.4 reads the line of CPUs as names only in the first block. In later
 * blocks skip the line of CPUs, which is row 0:
 *
 * 	index 1 matrix rowheaders every 1:1:0:1 using 1:($2-1):3 with image
 */
#include <errno.h>
#include <math.h>

#include "record/print.h"
#include "result/fields.h"
#include "result/file.h"
#include "result/format.h"
#include "util/text.h"

static void write_dat_matrix(
	FILE *out, const struct result *result, const struct matrix *matrix)
{
	const struct cpu_list *members = result_members(result);
	size_t n = members->n;
	struct number_text number;

	fprintf(out, "# matrix: %s %s %s %s %s %s\n", matrix->name,
		matrix->statistic, matrix->unit,
		matrix->quantity ? matrix->quantity : "-",
		matrix->higher_is_better ? "higher" : "lower",
		matrix->symmetric ? "symmetric" : "asymmetric");
	/* The widest number, "123.456", has seven characters. */
	fprintf(out, "%-5s", result_is_of_nodes(result) ? "node" : "cpu");
	for (size_t j = 0; j < n; j++)
		fprintf(out, " %7u", members->cpus[j]);
	putc('\n', out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%-5u", members->cpus[i]);
		for (size_t j = 0; j < n; j++)
			fprintf(out, " %7s",
				format_number(&number,
					matrix->values[i * n + j], "nan"));
		putc('\n', out);
	}
}

static void write_dat_curve(FILE *out, const struct curve *curve)
{
	static const char *const statistics[] = {
		"median", "mean", "ceiling", "theory"};
	const double *const columns[] = {curve->x, curve->median, curve->low,
		curve->high, curve->ceiling};
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	const struct curve_facts *facts = &curve->facts;
	const struct curve_fit *good = curve_good_fit(curve);
	struct number_text number;

	fprintf(out, "# curve:\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
		curve_title(curve, title), curve_name(curve, name),
		facts->x_name, facts->x_unit ? facts->x_unit : "-",
		curve_quantity(facts), facts->y_unit,
		statistics[facts->statistic]);
	/* gnuplot does not count an empty block. */
	if (curve->n == 0)
		fputs("nan nan nan nan nan nan\n", out);
	for (size_t i = 0; i < curve->n; i++) {
		double fit = good ? curve_fit_at(good, curve->x[i]) : NAN;

		for (size_t k = 0; k < 5; k++)
			fprintf(out, "%s ",
				format_number(&number,
					columns[k] ? columns[k][i] : NAN,
					"nan"));
		fprintf(out, "%s\n", format_number(&number, fit, "nan"));
	}
}

static void write_dat_numbers(FILE *out, const double values[5])
{
	struct number_text number;

	for (size_t i = 0; i < 5; i++)
		fprintf(out, " %s", format_number(&number, values[i], "nan"));
	putc('\n', out);
}

static void write_dat_caches(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->n_caches; i++) {
		const struct cache_level *level = &result->caches[i];

		fprintf(out, "# cache: %s", level->name);
		write_dat_numbers(
			out, (const double[]){level->least_bytes,
				     level->most_bytes, level->reported_bytes,
				     level->ns, level->clocks});
	}
	for (size_t i = 0; i < result->n_tlbs; i++) {
		const struct cache_tlb *tlb = &result->tlbs[i];

		fputs("# tlb:", out);
		write_dat_numbers(
			out, (const double[]){tlb->page_bytes, tlb->least_bytes,
				     tlb->most_bytes, tlb->miss_ns,
				     tlb->miss_clocks});
	}
}

int result_write_dat(const struct result *result, FILE *out, struct error *err)
{
	/* Keys that begin the lines of blocks and caches. */
	static const char *const others[] = {
		"matrix", "curve", "cache", "tlb", NULL};
	int rc = print_fact_lines(&result_type, result, others, out), flushed;
	const char *gap = "";

	write_dat_caches(out, result);
	for (size_t i = 0; i < result->n_matrices; i++, gap = "\n\n") {
		fputs(gap, out);
		write_dat_matrix(out, result, &result->matrices[i]);
	}
	for (size_t i = 0; i < result->n_curves; i++, gap = "\n\n") {
		fputs(gap, out);
		write_dat_curve(out, &result->curves[i]);
	}
	flushed = format_flush(out, err);
	if (flushed < 0 || rc == 0)
		return flushed;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"the result has a text that is not UTF-8, or c2c is out of "
		"memory");
}
