/*
 * The ends of the colour scale, and numbers as short text.
 */
#include "figure/colour_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure/view.h"
#include "stat/stat.h"
#include "util/size.h"
#include "util/text.h"

/* A value is an outlier if it is this many times as far away as the rest. */
#define FAR 3

/* Hardware latencies are within about this factor of the median. */
#define FAR_OF_MEDIAN 10

/* With fewer values (fewer than four CPUs), there are no outliers. */
#define VALUES_WITH_EXCEPTIONS 12

/* A pair of CPUs has two values, one per direction. */
#define PAIR 2

/*
 * If even and odd passes of a run correlate at 0.9, its values span about six
 * times their interval.
 */
#define WELL_BEYOND_NOISE 6

/* Standard deviations of a normal distribution in its 95 % interval. */
#define DEVIATIONS 3.92

/* Set the ends from sorted[m], m > 0. */
static void choose_scale_ends(
	struct plot_scale *scale, const double *sorted, size_t m)
{
	bool exceptions = m >= VALUES_WITH_EXCEPTIONS;
	size_t bad = m / 100 > PAIR ? m / 100 : PAIR;
	size_t good = m / 1000;
	size_t first, last;
	double limit;

	if (!exceptions)
		bad = 0;
	first = scale->reversed ? bad : good;
	last = m - 1 - (scale->reversed ? good : bad);
	if (exceptions && scale->median > 0) {
		while (sorted[last] > FAR_OF_MEDIAN * scale->median)
			last--;
	}
	limit = scale->least + FAR * (sorted[last] - scale->least);
	for (last = m - 1; sorted[last] > limit;)
		last--;
	scale->high = sorted[last];
	limit = scale->high - FAR * (scale->high - sorted[first]);
	for (first = 0; sorted[first] < limit;)
		first++;
	scale->low = sorted[first];
}

static void count_values_beyond(struct plot_scale *scale, const double *sorted)
{
	scale->whole = scale->n_values > 0;
	for (size_t i = 0; i < scale->n_values; i++) {
		scale->whole &= sorted[i] == floor(sorted[i]);
		scale->below |= sorted[i] < scale->low;
		scale->above |= sorted[i] > scale->high;
		scale->n_beyond +=
			sorted[i] < scale->low || sorted[i] > scale->high;
	}
}

void plot_scale_judge_noise(struct plot_scale *scale)
{
	double span = scale->most - scale->least;
	/*
	 * Return slightly more than the expected range of m equal values with
	 * noise.
	 */
	double equal = 2 * sqrt(2 * log((double)scale->n_values)) / DEVIATIONS;

	if (isinf(scale->noise) || span == 0)
		return;
	scale->flat = span < fmax(1, equal) * scale->noise;
	scale->noisy = !scale->flat && span < WELL_BEYOND_NOISE * scale->noise;
}

void plot_scale_init(struct plot_scale *scale, const struct plot_view *view,
	const struct plot_options *options, struct arena *memory)
{
	const struct matrix *first = &view->images->matrix;
	size_t cells = 0;
	double *sorted;

	*scale = (struct plot_scale){.low = 0,
		.high = 1,
		.reversed = first->higher_is_better,
		.counts = text_same(first->statistic, "passes") &&
			  !options->relative,
		.palette = options->difference ? PALETTE_DIFFERENCE
					       : options->palette,
		.noise = view->noise};
	for (size_t i = 0; i < view->n_images; i++)
		cells += view->images[i].cpus.n * view->images[i].cpus.n;
	sorted = arena_alloc(memory, cells, sizeof(*sorted));
	cells = 0;
	for (size_t i = 0; i < view->n_images; i++) {
		size_t n = view->images[i].cpus.n;

		memcpy(sorted + cells, view->images[i].matrix.values,
			n * n * sizeof(*sorted));
		cells += n * n;
	}
	stat_sort(sorted, cells);
	scale->n_values = stat_count_numbers(sorted, cells);
	if (scale->n_values > 0) {
		scale->least = sorted[0];
		scale->most = sorted[scale->n_values - 1];
		scale->median = stat_quantile(sorted, scale->n_values, 0.5);
		choose_scale_ends(scale, sorted, scale->n_values);
		/*
		 * Most slowdowns are 1: nothing is slower. The few large
		 * slowdowns are no outliers, and the scale hides noise around
		 * 1.
		 */
		if (!options->difference &&
			text_same(first->quantity, "slowdown")) {
			scale->low = fmin(1, scale->least);
			scale->high = fmin(
				scale->most, FAR_OF_MEDIAN * scale->median);
			scale->high = fmax(scale->high, 2);
		} else if (!options->difference) {
			plot_scale_judge_noise(scale);
		}
	}
	scale->flat |= isinf(view->noise) && !options->difference;
	if (scale->flat) {
		scale->low = scale->least;
		scale->high = scale->most;
	}
	if (!isnan(options->range_min)) {
		scale->noisy = false;
		scale->flat = false;
		scale->low = options->range_min;
		scale->high = options->range_max;
	}
	count_values_beyond(scale, sorted);
	plot_scale_surround(scale);
}

void plot_scale_surround(struct plot_scale *scale)
{
	double around = scale->low == 0 ? 1 : fabs(scale->low) / 20;

	scale->constant = scale->high <= scale->low;
	if (!scale->constant)
		return;
	if (scale->counts)
		around = ceil(around);
	scale->high = scale->low + around;
	scale->low -= around;
}

struct palette_colour plot_scale_colour(
	const struct plot_scale *scale, double value)
{
	return palette_at(scale->palette, plot_scale_share(scale, value));
}

double plot_scale_share(const struct plot_scale *scale, double value)
{
	double share = (value - scale->low) / (scale->high - scale->low);

	if (scale->flat)
		return 0.5;
	share = fmin(fmax(share, 0), 1);
	return scale->reversed ? 1 - share : share;
}

int plot_scale_decimals(const struct plot_scale *scale)
{
	return scale->whole ? 0
			    : plot_decimals(fmax(fabs(scale->median),
				      scale->high - scale->low));
}

int plot_scale_bar_decimals(const struct plot_scale *scale)
{
	bool whole = scale->low == floor(scale->low) &&
		     scale->high == floor(scale->high);

	return scale->counts && whole ? 0
				      : plot_decimals(scale->high - scale->low);
}

char *plot_scale_note(
	const struct plot_scale *scale, const char *unit, struct arena *memory)
{
	char least[PLOT_NUMBER_BYTES], most[PLOT_NUMBER_BYTES];
	int d = plot_decimals(scale->most > scale->least
				      ? scale->most - scale->least
				      : fabs(scale->most));

	if (scale->n_beyond == 0)
		return NULL;
	plot_format_fixed(least, scale->least, d);
	plot_format_fixed(most, scale->most, d);
	return arena_format(memory,
		"Values from %s to %s %s; %zu of %zu lie beyond the colours.",
		least, most, unit, scale->n_beyond, scale->n_values);
}

char *plot_scale_doubt(
	const struct plot_scale *scale, const char *unit, struct arena *memory)
{
	char span[PLOT_NUMBER_BYTES], wide[PLOT_NUMBER_BYTES];
	double most = scale->most - scale->least;

	if (scale->flat && isinf(scale->noise) && most > 0)
		return arena_strdup(memory,
			"Fewer than six passes: one colour, as differences may "
			"be noise.");
	if (!scale->noisy && !(scale->flat && most > 0))
		return NULL;
	return arena_format(memory,
		"%salues differ by %s %s, and the 95 %% interval of one is %s "
		"%s wide.",
		scale->flat ? "One colour: v" : "V",
		plot_format_figures(span, most), unit,
		plot_format_figures(wide, scale->noise), unit);
}

static size_t longest_number_of_image(
	const struct plot_image *image, bool brief, int decimals)
{
	size_t cells = image->cpus.n * image->cpus.n, longest = 1;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < cells; i++) {
		double value = image->matrix.values[i];

		if (isnan(value))
			continue;
		if (brief)
			plot_format_short(text, value, decimals);
		else
			plot_format_fixed(text, value, decimals);
		longest = max_size(longest, strlen(text));
	}
	return longest;
}

size_t plot_longest_number(
	const struct plot_view *view, bool brief, int decimals)
{
	size_t longest = 1;

	for (size_t i = 0; i < view->n_images; i++)
		longest = max_size(
			longest, longest_number_of_image(
					 &view->images[i], brief, decimals));
	return longest;
}

int plot_decimals(double span)
{
	if (span >= 100 || !(span > 1e-9))
		return 0;
	return 2 - (int)floor(log10(span));
}

void plot_format_fixed(char text[PLOT_NUMBER_BYTES], double value, int decimals)
{
	/* A file may have values that no measurement can have. */
	if (fabs(value) >= 1e15)
		snprintf(text, PLOT_NUMBER_BYTES, "%.6g", value);
	else
		snprintf(text, PLOT_NUMBER_BYTES, "%.*f", decimals, value);
	/* Drop the sign of a value that was rounded to zero. */
	if (text[strspn(text, "-0.")] == '\0' && *text == '-')
		memmove(text, text + 1, strlen(text));
}

const char *plot_format_figures(char text[PLOT_NUMBER_BYTES], double value)
{
	plot_format_fixed(text, value, plot_decimals(fabs(value)));
	return text;
}

void plot_format_short(char text[PLOT_NUMBER_BYTES], double value, int decimals)
{
	double size = fabs(value);

	if (size >= 1e12)
		snprintf(text, PLOT_NUMBER_BYTES, "%.0e", value);
	else if (size >= 1e9)
		snprintf(text, PLOT_NUMBER_BYTES, "%.0fG", value / 1e9);
	else if (size >= 1e6)
		snprintf(text, PLOT_NUMBER_BYTES, "%.0fM", value / 1e6);
	else if (size >= 1e4)
		snprintf(text, PLOT_NUMBER_BYTES, "%.0fk", value / 1e3);
	else
		plot_format_fixed(text, value, decimals);
}

void plot_format_bytes(char text[PLOT_NUMBER_BYTES], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	for (; i < 4 && bytes >= 1024 && fmod(bytes, 1024) == 0; i++)
		bytes /= 1024;
	snprintf(text, PLOT_NUMBER_BYTES, "%.6g %s", bytes, units[i]);
}
