/*
 * What the curves of arithmetic say, as far as their intervals allow. Points
 * that were rejected are gaps in the curves, and not among what counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/suite/math.h"
#include "cl/verdict.h"

/* "add 95 to 97 % (vectors of 8 and 16)"; false: there is no figure. */
static bool write_share(const struct math *math, const struct math_curve *curve,
	bool first, FILE *text)
{
	const double peak = curve->ceiling->gflop_per_s;
	const struct figure native = {peak, peak, peak};
	struct figure figures[MATH_WIDTHS];
	char share[FIGURE_BYTES];
	size_t best;

	for (size_t w = 0; w < math->n_widths; w++)
		figures[w] = curve_figure(math->session, curve->rate, w);
	best = figure_most(figures, math->n_widths);
	if (best == math->n_widths || isnan(peak))
		return false;
	fprintf(text, "%s%s %s (vectors of", first ? "" : ", ", curve->name,
		figure_percent(figure_over(figures[best], native), share));
	/* Without intervals any other may be as good, which says nothing. */
	for (size_t w = 0, n = 0; w < math->n_widths; w++) {
		if (w == best ||
			(!isnan(figures[w].low) && !isnan(figures[best].low) &&
				!figure_differs(figures[w], figures[best])))
			fprintf(text, "%s %zu", n++ ? " or" : "",
				math->widths[w]);
	}
	fprintf(text, ")");
	return true;
}

static int find_shares(const struct math *math, const struct math_type *type,
	const struct math_curve *curves, size_t n, struct error *err)
{
	size_t bytes, written = 0;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &bytes);
	int rc = 0;

	if (!stream)
		return error_no_memory(err, "a finding");
	for (size_t i = 0; i < n; i++)
		written += write_share(math, &curves[i], written == 0, stream);
	if (fclose(stream) != 0)
		rc = error_no_memory(err, "a finding");
	else if (written > 0)
		rc = curve_finding(math->session, err,
			"%s, share of each operation's native peak: %s",
			type->name, text);
	free(text);
	return rc;
}

/* The latency of the first curve held to that ceiling, of the least vector. */
static struct figure latency_of(const struct math *math,
	const struct math_curve *curves, size_t n,
	enum arch_operation operation)
{
	for (size_t i = 0; i < n; i++) {
		if (curves[i].ceiling->operation == operation)
			return curve_figure(
				math->session, curves[i].latency, 0);
	}
	return (struct figure){NAN, NAN, NAN};
}

static int find_latency(const struct math *math, const struct math_type *type,
	const struct math_curve *curves, size_t n, struct error *err)
{
	static const char *const verdicts[] = {
		[MAD_UNKNOWN] = "whether it is fused cannot be told",
		[MAD_FUSED] = "it is fused",
		[MAD_SEPARATE] = "it is one after the other, not fused",
	};
	struct figure add = latency_of(math, curves, n, ARCH_ADD);
	struct figure mul = latency_of(math, curves, n, ARCH_MUL);
	struct figure mad = latency_of(math, curves, n, ARCH_MAD);

	if (isnan(add.median) || isnan(mul.median) || isnan(mad.median))
		return 0;
	return curve_finding(math->session, err,
		"%s: a mad that waits for the one before takes %.3g ns, a mul "
		"%.3g ns and an add %.3g ns: %s",
		type->name, mad.median, mul.median, add.median,
		verdicts[judge_mad(mad, mul, add)]);
}

int math_conclude(const struct math *math, const struct math_type *type,
	const struct math_curve *curves, size_t n, struct error *err)
{
	int rc = find_shares(math, type, curves, n, err);

	return rc == 0 ? find_latency(math, type, curves, n, err) : rc;
}
