#include "cl/ratio.h"

#include <math.h>
#include <stdio.h>

struct ratio ratio_of(const struct cl_timing *time, const struct cl_timing *to)
{
	return (struct ratio){
		.times = time->median_s / to->median_s,
		.low = time->low_s / to->high_s,
		.high = time->high_s / to->low_s,
	};
}

bool ratio_differs(const struct ratio *ratio)
{
	return ratio->low > 1 || ratio->high < 1;
}

const char *ratio_text(const struct ratio *ratio, char text[RATIO_BYTES])
{
	if (isnan(ratio->times))
		snprintf(text, RATIO_BYTES, "has no result");
	else if (isnan(ratio->low) || isnan(ratio->high))
		snprintf(text, RATIO_BYTES,
			"takes %.3g times as long (of too few runs to be sure)",
			ratio->times);
	else if (ratio_differs(ratio))
		snprintf(text, RATIO_BYTES,
			"takes %.3g times as long (%.3g to %.3g)", ratio->times,
			ratio->low, ratio->high);
	else
		snprintf(text, RATIO_BYTES,
			"shows no difference (%.3g to %.3g times as long)",
			ratio->low, ratio->high);
	return text;
}

struct cl_timing timing_over(const struct cl_timing *timing, double n)
{
	struct cl_timing one = *timing;

	one.median_s /= n;
	one.low_s /= n;
	one.high_s /= n;
	one.min_s /= n;
	return one;
}

struct cl_timing timing_none(void)
{
	return (struct cl_timing){
		.median_s = NAN, .low_s = NAN, .high_s = NAN, .min_s = NAN};
}

/* Whether all from the i-th on are that much longer than the least before. */
static bool rises_at(
	const struct cl_timing *timings, size_t i, size_t n, double factor)
{
	struct cl_timing before = timing_none(), after = timing_none();
	struct ratio ratio;

	for (size_t k = 0; k < n; k++) {
		struct cl_timing *least = k < i ? &before : &after;

		if (!isnan(timings[k].median_s) &&
			!(timings[k].median_s >= least->median_s))
			*least = timings[k];
	}
	ratio = ratio_of(&after, &before);
	return ratio.times > factor &&
	       (isnan(ratio.low) || ratio_differs(&ratio));
}

size_t timing_rises(const struct cl_timing *timings, size_t n, double factor)
{
	for (size_t i = 1; i < n; i++) {
		if (!isnan(timings[i].median_s) &&
			rises_at(timings, i, n, factor))
			return i;
	}
	return 0;
}
