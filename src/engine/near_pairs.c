#include "engine/near_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "stat/stat.h"
#include "util/size.h"

/* Largest number of passes in a part of a campaign. */
#define PASSES 7

/* Smallest ratio of the latencies of other pairs and near pairs. */
#define GAP 1.25

/* Parts of a campaign. COUNTED is the end of the passes that count. */
enum campaign_part {
	BEGIN,
	MIDDLE,
	END,
	COUNTED,
	AFTER_SLEEP,
	PARTS
};

/* Return the median of a pair in a part; NaN: no value. */
static double median_in(
	const struct campaign *campaign, size_t pair, enum campaign_part part)
{
	/* If there are enough passes, the parts do not overlap. */
	size_t passes =
		campaign->n_complete < NEAR_PAIRS_PARTS
			? campaign->n_complete
			: min_size(campaign->n_complete / NEAR_PAIRS_PARTS,
				  PASSES);
	size_t left = campaign->n_complete - passes;
	size_t first = part == BEGIN ? 0 : part == MIDDLE ? left / 2 : left;
	size_t end = first + passes, n;

	if (part == AFTER_SLEEP)
		return campaign->after_sleep_medians[pair * campaign->n_values];
	if (part == COUNTED && campaign->counted_end &&
		campaign->counted_end < campaign->n_complete) {
		end = campaign->counted_end;
		first = campaign->counted_first;
		first = end - first > passes ? end - passes : first;
	}
	n = campaign_gather(
		campaign, pair, 0, first, end, 1, campaign->scratch);
	return stat_median(campaign->scratch, n);
}

/*
 * Return the middle of the widest gap in the lower half of sorted values; NaN
 * if no gap is wide.
 */
static double near_limit_of(const double *sorted, size_t n)
{
	double widest = GAP, limit = NAN;

	for (size_t i = 1; i < n && 2 * i <= n; i++) {
		double ratio = sorted[i] / sorted[i - 1];

		if (ratio >= widest) {
			widest = ratio;
			limit = sqrt(sorted[i] * sorted[i - 1]);
		}
	}
	return limit;
}

/* Count a pair in the numbers of near pairs. */
static void count_pair(
	struct near_pair_counts *counts, const double medians[PARTS])
{
	bool near[PARTS];

	/* A pair without a value is not near. */
	for (int part = 0; part < PARTS; part++)
		near[part] = medians[part] < counts->limit;
	if (near[BEGIN] && near[MIDDLE] && near[END])
		counts->always++;
	else if (near[BEGIN] || near[MIDDLE] || near[END])
		counts->sometimes++;
	/* Ignore a pair without a value after the sleep. */
	if (near[COUNTED] && !isnan(medians[AFTER_SLEEP])) {
		counts->near++;
		counts->near_after_sleep += near[AFTER_SLEEP];
	}
}

int near_pairs_count(const struct campaign *campaign,
	struct near_pair_counts *counts, struct error *err)
{
	size_t n_pairs = campaign->schedule.n_pairs, n = 0;
	double(*medians)[PARTS] = calloc(n_pairs, sizeof(*medians));
	double *all = calloc(n_pairs, PARTS * sizeof(*all));

	*counts = (struct near_pair_counts){.limit = NAN};
	if (!medians || !all) {
		free(medians);
		free(all);
		return error_no_memory(err, "the near pairs");
	}
	for (size_t p = 0; p < n_pairs; p++) {
		for (int part = 0; part < PARTS; part++) {
			medians[p][part] = median_in(
				campaign, p, (enum campaign_part)part);
			if (!isnan(medians[p][part]))
				all[n++] = medians[p][part];
		}
	}
	stat_sort(all, n);
	counts->limit = near_limit_of(all, n);
	for (size_t p = 0; p < n_pairs; p++)
		count_pair(counts, medians[p]);
	free(medians);
	free(all);
	return 0;
}
