/*
 * What the curves of arithmetic say, as far as their intervals allow. Points
 * that were rejected are gaps in the curves, and not among what counts.
 */
#include <math.h>
#include <stdio.h>

#include "cl/suite/math.h"

/* "add 95 to 97 % (vectors of 8 or 16)"; empty: there is no figure. */
#define SHARE_BYTES (FIGURE_BYTES + 64)
static void write_share(const struct sweep *rate, char text[SHARE_BYTES])
{
	double peak = rate->ceiling->rate;
	const struct figure native = {peak, peak, peak};
	struct figure figures[MATH_WIDTHS];
	char share[FIGURE_BYTES];
	size_t best, used;

	text[0] = '\0';
	for (size_t w = 0; w < rate->n; w++)
		figures[w] = sweep_figure(rate, w);
	best = figure_most(figures, rate->n);
	if (best == rate->n || isnan(peak))
		return;
	used = (size_t)snprintf(text, SHARE_BYTES, "%s %s (vectors of",
		rate->member,
		figure_percent(figure_over(figures[best], native), share));
	/* Without intervals any other may be as good, which says nothing. */
	for (size_t w = 0, n = 0; w < rate->n; w++) {
		if (w == best ||
			(!isnan(figures[w].low) && !isnan(figures[best].low) &&
				!figure_differs(figures[w], figures[best])))
			used += (size_t)snprintf(text + used,
				SHARE_BYTES - used, "%s %.0f", n++ ? " or" : "",
				rate->x[w]);
	}
	snprintf(text + used, SHARE_BYTES - used, ")");
}

/* The latency of the first kind held to that ceiling, of the least vector. */
static struct figure latency_of(
	const struct sweep *sweeps, size_t n, enum arch_operation operation)
{
	for (size_t k = 0; k < n; k++) {
		if (sweeps[k].ceiling->operation == operation)
			return sweep_figure(&sweeps[n + k], 0);
	}
	return (struct figure){NAN, NAN, NAN};
}

void math_conclude(const struct math *math, const struct math_type *type,
	const struct sweep *sweeps, size_t n)
{
	static const char *const verdicts[] = {
		[MAD_UNKNOWN] = "c2c cannot tell whether it is fused",
		[MAD_FUSED] = "it is fused",
		[MAD_SEPARATE] = "it is not fused but two operations",
	};
	struct figure add = latency_of(sweeps, n, ARCH_ADD);
	struct figure mul = latency_of(sweeps, n, ARCH_MUL);
	struct figure mad = latency_of(sweeps, n, ARCH_MAD);
	char text[1024] = "", share[SHARE_BYTES];
	size_t used = 0;

	for (size_t k = 0; k < n; k++) {
		write_share(&sweeps[k], share);
		if (*share)
			used += (size_t)snprintf(text + used,
				sizeof(text) - used, "%s%s", used ? ", " : "",
				share);
	}
	if (used)
		session_find(math->session,
			"%s, share of each operation's native peak: %s",
			type->name, text);
	if (!isnan(add.median) && !isnan(mul.median) && !isnan(mad.median))
		session_find(math->session,
			"%s: a mad that waits for the one before takes %.3g "
			"ns, a mul %.3g ns and an add %.3g ns: %s",
			type->name, mad.median, mul.median, add.median,
			verdicts[judge_mad(mad, mul, add)]);
}
