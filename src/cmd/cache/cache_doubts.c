/*
 * Warnings about a run of c2c cache: visits that were disturbed, points without
 * a value, passes that differ.
 */
#include <math.h>
#include <stdio.h>

#include "cmd/cache/cmd_cache.h"
#include "stat/stat.h"
#include "util/text.h"

/*
 * A point is no single number if its 90th percentile over the passes is more
 * than this many times its 10th.
 */
#define SPREAD_LIMIT 2.0

/* Fewer passes have no 10th percentile. */
#define SPREAD_PASSES 10

/*
 * The passes of a point are two heaps if HEAP_GAP times lie between them, more
 * than within the middle half of either, and each has HEAP_PASSES in a row.
 */
#define HEAP_GAP    1.25
#define HEAP_PASSES 3

/* Two states of a point that each last, the faster one first. */
struct heaps {
	double ns[2];
	double share; /* of the passes, in the first */
	double gap;   /* 0: the passes are one heap */
};

struct doubts {
	size_t visits, dropped;
	size_t points, missing, scattered, wide;
	double least, most; /* p10 and p90 of the point that scatters most */
	size_t worst;
	size_t lost; /* a point without a value */
	size_t unsteady;
	double least_bytes, most_bytes; /* of the unsteady points */
	size_t parted, widest;		/* points of two heaps */
	struct heaps heaps;		/* those of the point with most gap */
};

#define NAME_BYTES (TEXT_SIZE_BYTES + 64)

/* "the latency of 64 KiB" or "the rate of read by 2 CPUs on 64 KiB" */
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
 * Which value of a point counts: of the chase, or of the first CPU that
 * streams.
 */
static size_t value_of(const struct cache_plan *own, size_t point)
{
	return point < own->latency.n_points ? 0 : 1;
}

/* A visit counts as disturbed if one of its CPUs was. */
static void count_visits(const struct cache_plan *own,
	const struct campaign *campaign, size_t point, struct doubts *doubts)
{
	size_t first = value_of(own, point);
	size_t end = first ? campaign_pair_values(campaign, point) : 1;

	for (size_t pass = 0; pass < campaign->n_complete; pass++) {
		bool whole = true;

		if (!cache_due(&own->context, (uint32_t)point, (uint32_t)pass))
			continue;
		for (size_t k = first; k < end; k++)
			whole = whole && !isnan(campaign_value(
						 campaign, pass, point, k));
		doubts->visits++;
		doubts->dropped += !whole;
	}
}

static void examine(const struct cache_plan *own,
	const struct campaign *campaign, size_t point, struct doubts *doubts)
{
	double out[SUMMARY_STATISTICS];

	summary_of_pair(campaign, point, value_of(own, point), out);
	doubts->points++;
	if (isnan(out[SUMMARY_MEDIAN])) {
		doubts->missing++;
		doubts->lost = point;
	}
	doubts->wide +=
		out[SUMMARY_PASSES] >= STAT_CI95_LEAST &&
		out[SUMMARY_CI_HIGH] - out[SUMMARY_CI_LOW] >
			2 * campaign->options.precision * out[SUMMARY_MEDIAN];
	if (out[SUMMARY_PASSES] < SPREAD_PASSES ||
		!(out[SUMMARY_P90] > SPREAD_LIMIT * out[SUMMARY_P10]))
		return;
	doubts->scattered++;
	if (doubts->scattered > 1 && out[SUMMARY_P90] / out[SUMMARY_P10] <=
					     doubts->most / doubts->least)
		return;
	doubts->least = out[SUMMARY_P10];
	doubts->most = out[SUMMARY_P90];
	doubts->worst = point;
}

/* How many passes in a row are below the limit, or above it, at most. */
static size_t longest(
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

/* The upper quartile over the lower one. */
static double middle_half(const double *sorted, size_t n)
{
	return stat_quantile(sorted, n, 0.75) / stat_quantile(sorted, n, 0.25);
}

/* Divide a point's passes at the widest gap. */
static struct heaps part(const struct campaign *campaign, size_t point)
{
	double *ns = campaign->scratch;
	size_t n = campaign_gather(
		campaign, point, 0, 0, campaign->n_passes, 1, ns);
	struct heaps heaps = {.gap = HEAP_GAP};
	size_t at = 0;

	stat_sort(ns, n);
	for (size_t i = HEAP_PASSES; i + HEAP_PASSES <= n; i++) {
		if (ns[i] <= heaps.gap * ns[i - 1])
			continue;
		heaps.gap = ns[i] / ns[i - 1];
		at = i;
	}
	if (at == 0 || middle_half(ns, at) > heaps.gap ||
		middle_half(ns + at, n - at) > heaps.gap)
		return (struct heaps){.gap = 0};
	heaps.ns[0] = stat_quantile(ns, at, 0.5);
	heaps.ns[1] = stat_quantile(ns + at, n - at, 0.5);
	heaps.share = (double)at / (double)n;
	if (longest(campaign, point, ns[at - 1], false) < HEAP_PASSES ||
		longest(campaign, point, ns[at - 1], true) < HEAP_PASSES)
		heaps.gap = 0;
	return heaps;
}

/* Whether a chase reached a state that lasts, and whether it reached two. */
static void examine_state(const struct cache_plan *own,
	const struct campaign *campaign, size_t point, struct doubts *doubts)
{
	const struct chase_point *chase;
	double bytes;
	struct heaps heaps;

	if (point >= own->latency.n_points)
		return;
	chase = &own->latency.points[point];
	bytes = (double)chase->ring->bytes;
	if (chase_is_unsteady(chase)) {
		if (doubts->unsteady++ == 0)
			doubts->least_bytes = doubts->most_bytes = bytes;
		doubts->least_bytes = fmin(doubts->least_bytes, bytes);
		doubts->most_bytes = fmax(doubts->most_bytes, bytes);
	}
	heaps = part(campaign, point);
	if (!(heaps.gap > 0))
		return;
	doubts->parted++;
	if (heaps.gap <= doubts->heaps.gap)
		return;
	doubts->heaps = heaps;
	doubts->widest = point;
}

static void warn_of_states(const struct cache_plan *own,
	struct campaign *campaign, const struct doubts *doubts)
{
	const struct heaps *heaps = &doubts->heaps;
	char name[NAME_BYTES], least[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];

	if (doubts->unsteady)
		campaign_warn(campaign,
			"%zu of %zu points did not become steady, because "
			"others use the same cache (latencies of %s to %s); an "
			"interval of these holds eight in ten passes",
			doubts->unsteady, doubts->points,
			text_size((uint64_t)doubts->least_bytes, least),
			text_size((uint64_t)doubts->most_bytes, most));
	if (doubts->parted)
		campaign_warn(campaign,
			"passes of %zu of %zu points fall into two heaps, each "
			"for several passes in a row: %s has %.3g ns in %.0f "
			"%% of them and %.3g ns in %.0f %%",
			doubts->parted, doubts->points,
			name_point(own, doubts->widest, name), heaps->ns[0],
			100 * heaps->share, heaps->ns[1],
			100 * (1 - heaps->share));
}

static void warn_of_scatter(const struct cache_plan *own,
	struct campaign *campaign, const struct doubts *doubts)
{
	char name[NAME_BYTES];

	campaign_warn(campaign,
		"passes of %zu of %zu points scatter more than twofold: at %s, "
		"a tenth of the passes was under %.3g and a tenth over %.3g "
		"%s; others use the same cache, or the host moves the vCPU",
		doubts->scattered, doubts->points,
		name_point(own, doubts->worst, name), doubts->least,
		doubts->most,
		doubts->worst < own->latency.n_points ? "ns" : "GiB/s");
}

static void warn_of_missing(const struct cache_plan *own,
	struct campaign *campaign, const struct doubts *doubts)
{
	char name[NAME_BYTES];

	campaign_warn(campaign,
		"%zu of %zu points %s no value, since every visit was "
		"disturbed (%s%s); try more --passes or a quieter machine",
		doubts->missing, doubts->points,
		doubts->missing == 1 ? "has" : "have",
		doubts->missing == 1 ? "" : "one is ",
		name_point(own, doubts->lost, name));
}

void cache_doubt(const struct cache_plan *own, struct campaign *campaign)
{
	struct doubts doubts = {.points = 0};

	for (size_t point = 0; point < campaign->schedule.n_pairs; point++) {
		count_visits(own, campaign, point, &doubts);
		examine(own, campaign, point, &doubts);
		examine_state(own, campaign, point, &doubts);
	}
	if (doubts.dropped)
		campaign_warn(campaign,
			"%zu of %zu visits %s disturbed and dropped: other "
			"programs ran on the CPUs meanwhile",
			doubts.dropped, doubts.visits,
			doubts.dropped == 1 ? "was" : "were");
	if (doubts.missing && campaign->n_complete)
		warn_of_missing(own, campaign, &doubts);
	if (doubts.wide)
		campaign_warn(campaign,
			"%zu of %zu points %s a 95 %% interval wider than "
			"+-%g %%; more --passes or a longer --budget helps",
			doubts.wide, doubts.points,
			doubts.wide == 1 ? "has" : "have",
			100 * campaign->options.precision);
	if (doubts.scattered)
		warn_of_scatter(own, campaign, &doubts);
	warn_of_states(own, campaign, &doubts);
}
