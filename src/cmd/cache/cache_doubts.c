/*
 * Warn about a run of c2c cache: disturbed visits, points without a value,
 * passes that differ.
 */
#include <math.h>
#include <stdio.h>

#include "cmd/cache/cmd_cache.h"
#include "stat/stat.h"
#include "util/text.h"

/*
 * Largest ratio of the 90th to the 10th percentile over a point's passes: above
 * it, one number does not describe the point.
 */
#define SPREAD_LIMIT 2.0

/* Fewest passes for a 10th percentile. */
#define SPREAD_PASSES 10

/*
 * Passes form two clusters if the ratio of values across the gap is at least
 * this, and larger than the ratio within the middle half of each cluster. Each
 * cluster needs MODE_PASSES consecutive passes.
 */
#define MODE_GAP    1.25
#define MODE_PASSES 3

/* Two clusters of a point's passes, the faster one first. */
struct latency_modes {
	double ns[2];
	double share; /* share of the passes in the first cluster */
	double gap;   /* ratio across the gap; 0: one cluster */
};

struct cache_warning_counts {
	size_t visits, dropped;
	size_t points, missing, scattered, wide;
	double least, most; /* p10, p90 of the most scattered point */
	size_t worst_point;
	size_t missing_point; /* example of a point without a value */
	size_t unsteady;
	double least_bytes, most_bytes;	  /* working sets of unsteady points */
	size_t bimodal, widest_gap_point; /* points with two clusters */
	struct latency_modes modes;	  /* clusters of widest_gap_point */
};

#define NAME_BYTES (TEXT_SIZE_BYTES + 64)

/* Write "the latency of 64 KiB" or "the rate of read by 2 CPUs on 64 KiB". */
static const char *name_point(
	const struct cache_plan *own, size_t point, char name[NAME_BYTES])
{
	const struct stream_point *stream;
	char size[TEXT_SIZE_BYTES];

	if (point < own->latency.n_points) {
		snprintf(name, NAME_BYTES, "the latency of %s",
			text_size(
				own->latency.points[point].ring->bytes, size));
		return name;
	}
	stream = &own->rates.points[point - own->latency.n_points];
	snprintf(name, NAME_BYTES, "the rate of %s by %u CPU%s on %s%s",
		arch_access_names[stream->access], (unsigned)stream->n_cpus,
		stream->n_cpus == 1 ? "" : "s", text_size(stream->bytes, size),
		stream->n_cpus == 1 ? "" : " each");
	return name;
}

/*
 * Return the index of a point's value: of the chase, or of the first streaming
 * CPU.
 */
static size_t point_value_index(const struct cache_plan *own, size_t point)
{
	return point < own->latency.n_points ? 0 : 1;
}

/* Count visits. A visit is disturbed if any of its CPUs was disturbed. */
static void count_cache_visits(const struct cache_plan *own,
	const struct campaign *campaign, size_t point,
	struct cache_warning_counts *counts)
{
	size_t first = point_value_index(own, point);
	size_t end = first ? campaign_pair_values(campaign, point) : 1;

	for (size_t pass = 0; pass < campaign->n_complete; pass++) {
		bool whole = true;

		if (!cache_due(&own->context, (uint32_t)point, (uint32_t)pass))
			continue;
		for (size_t k = first; k < end; k++)
			whole = whole && !isnan(campaign_value(
						 campaign, pass, point, k));
		counts->visits++;
		counts->dropped += !whole;
	}
}

static void examine_cache_point(const struct cache_plan *own,
	const struct campaign *campaign, size_t point,
	struct cache_warning_counts *counts)
{
	double out[SUMMARY_STATISTICS];

	summary_of_pair(campaign, point, point_value_index(own, point), out);
	counts->points++;
	if (isnan(out[SUMMARY_MEDIAN])) {
		counts->missing++;
		counts->missing_point = point;
	}
	counts->wide +=
		out[SUMMARY_PASSES] >= STAT_CI95_LEAST &&
		out[SUMMARY_CI_HIGH] - out[SUMMARY_CI_LOW] >
			2 * campaign->options.precision * out[SUMMARY_MEDIAN];
	if (out[SUMMARY_PASSES] < SPREAD_PASSES ||
		!(out[SUMMARY_P90] > SPREAD_LIMIT * out[SUMMARY_P10]))
		return;
	counts->scattered++;
	if (counts->scattered > 1 && out[SUMMARY_P90] / out[SUMMARY_P10] <=
					     counts->most / counts->least)
		return;
	counts->least = out[SUMMARY_P10];
	counts->most = out[SUMMARY_P90];
	counts->worst_point = point;
}

/* Return the largest number of consecutive passes on one side of the limit. */
static size_t longest_streak(
	const struct campaign *campaign, size_t point, double limit, bool above)
{
	size_t run = 0, most = 0;

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double ns = campaign_value(campaign, pass, point, 0);

		if (isnan(ns))
			continue;
		run = (ns > limit) == above ? run + 1 : 0;
		most = run > most ? run : most;
	}
	return most;
}

/* Return the upper quartile divided by the lower one. */
static double quartile_ratio(const double *sorted, size_t n)
{
	return stat_quantile(sorted, n, 0.75) / stat_quantile(sorted, n, 0.25);
}

/* Split the passes of a point into two clusters at the widest gap. */
static struct latency_modes split_into_modes(
	const struct campaign *campaign, size_t point)
{
	double *ns = campaign->scratch;
	size_t n = campaign_gather(
		campaign, point, 0, 0, campaign->n_passes, 1, ns);
	struct latency_modes modes = {.gap = MODE_GAP};
	size_t at = 0;

	stat_sort(ns, n);
	for (size_t i = MODE_PASSES; i + MODE_PASSES <= n; i++) {
		if (ns[i] <= modes.gap * ns[i - 1])
			continue;
		modes.gap = ns[i] / ns[i - 1];
		at = i;
	}
	if (at == 0 || quartile_ratio(ns, at) > modes.gap ||
		quartile_ratio(ns + at, n - at) > modes.gap)
		return (struct latency_modes){.gap = 0};
	modes.ns[0] = stat_quantile(ns, at, 0.5);
	modes.ns[1] = stat_quantile(ns + at, n - at, 0.5);
	modes.share = (double)at / (double)n;
	if (longest_streak(campaign, point, ns[at - 1], false) < MODE_PASSES ||
		longest_streak(campaign, point, ns[at - 1], true) < MODE_PASSES)
		modes.gap = 0;
	return modes;
}

/* Count points whose chase was unsteady, and points with two clusters. */
static void examine_steadiness(const struct cache_plan *own,
	const struct campaign *campaign, size_t point,
	struct cache_warning_counts *counts)
{
	const struct chase_point *chase;
	double bytes;
	struct latency_modes modes;

	if (point >= own->latency.n_points)
		return;
	chase = &own->latency.points[point];
	bytes = (double)chase->ring->bytes;
	if (chase_is_unsteady(chase)) {
		if (counts->unsteady++ == 0)
			counts->least_bytes = counts->most_bytes = bytes;
		counts->least_bytes = fmin(counts->least_bytes, bytes);
		counts->most_bytes = fmax(counts->most_bytes, bytes);
	}
	modes = split_into_modes(campaign, point);
	if (!(modes.gap > 0))
		return;
	counts->bimodal++;
	if (modes.gap <= counts->modes.gap)
		return;
	counts->modes = modes;
	counts->widest_gap_point = point;
}

static void warn_of_states(const struct cache_plan *own,
	struct campaign *campaign, const struct cache_warning_counts *counts)
{
	const struct latency_modes *modes = &counts->modes;
	char name[NAME_BYTES], least[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];

	if (counts->unsteady)
		campaign_warn(campaign,
			"the latency of %zu of %zu points did not become "
			"steady, because other programs use the same cache "
			"(working sets of %s to %s); the intervals of these "
			"points contain eight in ten passes",
			counts->unsteady, counts->points,
			text_size((uint64_t)counts->least_bytes, least),
			text_size((uint64_t)counts->most_bytes, most));
	if (counts->bimodal)
		campaign_warn(campaign,
			"passes of %zu of %zu points form two clusters, each "
			"with several consecutive passes: %s has %.3g ns in "
			"%.0f %% of them and %.3g ns in %.0f %%",
			counts->bimodal, counts->points,
			name_point(own, counts->widest_gap_point, name),
			modes->ns[0], 100 * modes->share, modes->ns[1],
			100 * (1 - modes->share));
}

void cache_warn_of_points(
	const struct cache_plan *own, struct campaign *campaign)
{
	struct cache_warning_counts counts = {.points = 0};
	char name[NAME_BYTES];

	for (size_t point = 0; point < campaign->schedule.n_pairs; point++) {
		count_cache_visits(own, campaign, point, &counts);
		examine_cache_point(own, campaign, point, &counts);
		examine_steadiness(own, campaign, point, &counts);
	}
	if (counts.dropped)
		campaign_warn(campaign,
			"%zu of %zu visits %s disturbed and dropped, because "
			"other programs ran on the CPUs",
			counts.dropped, counts.visits,
			counts.dropped == 1 ? "was" : "were");
	if (counts.missing && campaign->n_complete)
		campaign_warn(campaign,
			"%zu of %zu points %s no value, because every visit "
			"was disturbed (%s%s); try more --passes or a quieter "
			"machine",
			counts.missing, counts.points,
			counts.missing == 1 ? "has" : "have",
			counts.missing == 1 ? "" : "one is ",
			name_point(own, counts.missing_point, name));
	if (counts.wide)
		campaign_warn(campaign,
			"%zu of %zu points %s a 95 %% interval wider than "
			"+-%g %%; more --passes or a longer --budget helps",
			counts.wide, counts.points,
			counts.wide == 1 ? "has" : "have",
			100 * campaign->options.precision);
	if (counts.scattered)
		campaign_warn(campaign,
			"the passes of %zu of %zu points differ by more than a "
			"factor of two: at %s, a tenth of the passes was below "
			"%.3g and a tenth above %.3g %s; other programs use "
			"the same cache, or the host moves the vCPU",
			counts.scattered, counts.points,
			name_point(own, counts.worst_point, name), counts.least,
			counts.most,
			counts.worst_point < own->latency.n_points ? "ns"
								   : "GiB/s");
	warn_of_states(own, campaign, &counts);
}
