#include "engine/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "stat/stat.h"

/* A pair whose p90 / p10 is larger has no single value. */
#define SPREAD_LIMIT 1.5

/* Values of "statistic" of a matrix in a record. */
const char *const summary_statistic_names[SUMMARY_STATISTICS] = {
	"median", "min", "p10", "p90", "ci_low", "ci_high", "passes"};

void summary_of(double *values, size_t n, double out[SUMMARY_STATISTICS])
{
	for (int s = 0; s < SUMMARY_STATISTICS; s++)
		out[s] = NAN;
	out[SUMMARY_PASSES] = (double)n;
	if (n == 0)
		return;
	stat_sort(values, n);
	out[SUMMARY_MEDIAN] = stat_quantile(values, n, 0.5);
	out[SUMMARY_MIN] = values[0];
	out[SUMMARY_P10] = stat_quantile(values, n, 0.1);
	out[SUMMARY_P90] = stat_quantile(values, n, 0.9);
	if (stat_median_ci95(values, n, &out[SUMMARY_CI_LOW],
		    &out[SUMMARY_CI_HIGH]) < 0) {
		out[SUMMARY_CI_LOW] = NAN;
		out[SUMMARY_CI_HIGH] = NAN;
	}
}

void summary_of_pair(const struct campaign *campaign, size_t pair, size_t k,
	double out[SUMMARY_STATISTICS])
{
	size_t n = campaign_gather_counted(campaign, pair, k);

	summary_of(campaign->scratch, n, out);
}

void summary_set_point(struct curve *curve, size_t i, double x,
	const double out[SUMMARY_STATISTICS])
{
	curve_set(curve, i, x,
		(const double[3]){out[SUMMARY_MEDIAN], out[SUMMARY_CI_LOW],
			out[SUMMARY_CI_HIGH]});
}

struct curve *summary_add_curve(struct result *result,
	const struct curve_facts *facts, size_t n, const unsigned *cpus,
	size_t n_cpus, struct error *err)
{
	struct curve *curve = result_add_curve(result, facts, n);

	if (!curve)
		error_no_memory(err, "a curve");
	for (size_t i = 0; curve && i < n_cpus; i++) {
		if (cpu_list_add(&curve->cpus, cpus[i], err) < 0)
			return NULL;
	}
	return curve;
}

/* One missing value is allowed for each 16 CPUs of a sum. */
#define CPUS_FOR_A_GAP 16

double summary_sum(
	const struct campaign *campaign, size_t pass, size_t pair, size_t n)
{
	size_t there = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double value = campaign_value(campaign, pass, pair, 1 + i);

		sum += isnan(value) ? 0 : value;
		there += !isnan(value);
	}
	if (there == 0 || (n - there) * CPUS_FOR_A_GAP > n)
		return NAN;
	return sum / (double)there * (double)n;
}

size_t summary_gather_sums(
	const struct campaign *campaign, size_t pair, size_t n, double *values)
{
	size_t found = 0;

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double sum = summary_sum(campaign, pass, pair, n);

		if (!isnan(sum))
			values[found++] = sum;
	}
	return found;
}

enum probe_cell summary_cell_of(const struct campaign *campaign, size_t k)
{
	const struct probe *probe = campaign->options.probe;

	if (k == 0 && probe->first_cell != PROBE_NOTHING)
		return probe->first_cell;
	return probe->second_cell;
}

void summary_put(struct matrix *matrix, size_t n, struct schedule_pair pair,
	enum probe_cell cell, double value)
{
	if (cell == PROBE_BOTH || cell == PROBE_FORWARD)
		matrix->values[pair.first * n + pair.second] = value;
	if (cell == PROBE_BOTH || cell == PROBE_BACKWARD)
		matrix->values[pair.second * n + pair.first] = value;
}

int summary_add_matrices(const struct summary_labels *labels, const char *name,
	bool symmetric, struct result *result, struct error *err)
{
	for (int s = 0; s < SUMMARY_STATISTICS; s++) {
		bool counts = s == SUMMARY_PASSES;

		if (!result_add_matrix(result, name, summary_statistic_names[s],
			    counts ? "passes" : labels->unit,
			    counts ? NULL : labels->quantity,
			    counts || labels->higher_is_better, symmetric))
			return error_no_memory(err, "a matrix");
	}
	return 0;
}

int summary_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err)
{
	const struct schedule *schedule = &campaign->schedule;
	size_t n = result->cpus.n;
	size_t n_values = campaign->n_values - campaign->n_others;
	size_t at[2] = {0, 0};
	int rc = 0;

	for (size_t k = 0; k < n_values && rc == 0; k++) {
		at[k] = k > 0 && !labels->name[k] ? at[0] : result->n_matrices;
		if (at[k] == result->n_matrices)
			rc = summary_add_matrices(labels, labels->name[k],
				summary_cell_of(campaign, k) == PROBE_BOTH,
				result, err);
	}
	for (size_t p = 0; p < schedule->n_pairs && rc == 0; p++) {
		for (size_t k = 0; k < n_values; k++) {
			double out[SUMMARY_STATISTICS];

			summary_of_pair(campaign, p, k, out);
			for (int s = 0; s < SUMMARY_STATISTICS; s++)
				summary_put(
					&result->matrices[at[k] + (size_t)s], n,
					schedule->pairs[p],
					summary_cell_of(campaign, k),
					s == SUMMARY_PASSES
						? out[s]
						: labels->factor * out[s]);
		}
	}
	return rc;
}

/* Store value k of every pass, from column `first` on. */
static void put_passes(const struct campaign *campaign, size_t k, double factor,
	struct passes *passes, size_t first)
{
	const struct schedule *schedule = &campaign->schedule;
	bool back = summary_cell_of(campaign, k) == PROBE_BACKWARD;

	for (size_t p = 0; p < schedule->n_pairs; p++) {
		const struct schedule_pair *pair = &schedule->pairs[p];
		struct cpu_pair *cell = &passes->pairs[first + p];

		cell->first = back ? pair->second : pair->first;
		cell->second = back ? pair->first : pair->second;
	}
	for (size_t pass = 0; pass < passes->n_passes; pass++) {
		const float *from =
			campaign->values +
			pass * schedule->n_pairs * campaign->n_values;
		double *to = passes->values + pass * passes->n_pairs + first;

		for (size_t p = 0; p < schedule->n_pairs; p++)
			to[p] = factor * from[p * campaign->n_values + k];
	}
}

int summary_passes(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err)
{
	size_t n_pairs = campaign->schedule.n_pairs;
	size_t n_values = campaign->n_values - campaign->n_others;
	size_t width;

	for (size_t k = 0; k < n_values; k += width) {
		struct passes *passes;

		/* Without a name, value 1 is in the matrix of value 0. */
		width = k + 1 < n_values && !labels->name[k + 1] ? 2 : 1;
		passes = result_add_passes(result, labels->name[k],
			labels->unit, width * n_pairs, campaign->n_passes);
		if (!passes)
			return error_no_memory(err, "the passes");
		for (size_t i = 0; i < width; i++)
			put_passes(campaign, k + i, labels->factor, passes,
				i * n_pairs);
		for (size_t pass = 0; pass < campaign->n_passes; pass++)
			passes->start_s[pass] = campaign->pass_start_s[pass];
	}
	return 0;
}

/*
 * Compute medians of value k over some passes, or NaN. Raise small values to
 * equal_below, because their ranks are only noise.
 */
static void medians_over(const struct campaign *campaign, size_t k,
	size_t first, size_t end, size_t stride, double *out)
{
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		size_t n = campaign_gather(
			campaign, p, k, first, end, stride, campaign->scratch);

		out[p] = stat_median(campaign->scratch, n);
		if (out[p] < campaign->options.equal_below)
			out[p] = campaign->options.equal_below;
	}
}

/* Lower *least to the correlation of `one` and `other`, if that exists. */
static void note_agreement(
	const double *one, const double *other, size_t n, double *least)
{
	double rho;

	if (stat_spearman(one, other, n, &rho) == 0 && !(rho >= *least))
		*least = rho;
}

int summary_agree(const struct campaign *campaign,
	struct summary_agreement *agreement, struct error *err)
{
	size_t n = campaign->schedule.n_pairs;
	size_t passes = campaign->n_complete;
	double *one = calloc(n, sizeof(*one));
	double *other = calloc(n, sizeof(*other));
	int rc = 0;

	agreement->even_odd = NAN;
	agreement->halves = NAN;
	if (!one || !other)
		rc = error_no_memory(err, "the agreement of passes");
	for (size_t k = 0; rc == 0 && passes >= 4 && k < campaign->n_values;
		k++) {
		medians_over(campaign, k, 0, passes, 2, one);
		medians_over(campaign, k, 1, passes, 2, other);
		note_agreement(one, other, n, &agreement->even_odd);
		medians_over(campaign, k, 0, passes / 2, 1, one);
		medians_over(campaign, k, passes / 2, passes, 1, other);
		note_agreement(one, other, n, &agreement->halves);
	}
	agreement->verdict =
		n >= RUN_JUDGED_PAIRS
			? run_judge(agreement->even_odd, agreement->halves)
			: RUN_UNJUDGED;
	free(one);
	free(other);
	return rc;
}

/*
 * Numbers of pairs that vary between passes, have wide intervals, or took
 * longer than any cache line takes.
 */
struct suspect_pairs {
	size_t n, scattered, wide, apart;
	double worst_low, worst_high; /* p10 and p90 of the worst pair */
	struct schedule_pair worst, first_apart;
};

size_t summary_counted_passes(const struct campaign *campaign)
{
	size_t end = campaign_counted_end(campaign), most = 0, complete;

	/* Ignore an incomplete last pass. */
	if (end > campaign->n_complete)
		end = campaign->n_complete;
	complete = end > campaign->counted_first ? end - campaign->counted_first
						 : 0;
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		for (size_t k = 0; k < campaign->n_values; k++) {
			size_t n = campaign_gather_counted(campaign, p, k);

			most = n > most ? n : most;
			/* Stop early, because most pairs have all values. */
			if (complete > 0 && most >= complete)
				return complete;
		}
	}
	return most;
}

static void find_suspect_pairs(
	const struct campaign *campaign, struct suspect_pairs *suspects)
{
	double worst = 0;

	suspects->n = campaign->schedule.n_pairs;
	for (size_t p = 0; p < suspects->n; p++) {
		bool wide = false, scattered = false, apart = false;

		for (size_t k = 0; k < campaign_pair_values(campaign, p); k++) {
			double out[SUMMARY_STATISTICS];

			summary_of_pair(campaign, p, k, out);
			/* !(... <=) is also true if the interval is NaN. */
			if (!(out[SUMMARY_CI_HIGH] - out[SUMMARY_CI_LOW] <=
				    2 * campaign->options.precision *
					    out[SUMMARY_MEDIAN]))
				wide = true;
			apart |= campaign->options.probe->round_trips &&
				 out[SUMMARY_MEDIAN] > CAMPAIGN_SLOWEST_NS;
			if (out[SUMMARY_PASSES] < 10 ||
				!(out[SUMMARY_P90] >
					SPREAD_LIMIT * out[SUMMARY_P10]))
				continue;
			scattered = true;
			if (out[SUMMARY_P90] / out[SUMMARY_P10] > worst) {
				worst = out[SUMMARY_P90] / out[SUMMARY_P10];
				suspects->worst_low = out[SUMMARY_P10];
				suspects->worst_high = out[SUMMARY_P90];
				suspects->worst = campaign->schedule.pairs[p];
			}
		}
		if (apart && suspects->apart++ == 0)
			suspects->first_apart = campaign->schedule.pairs[p];
		suspects->wide += wide;
		suspects->scattered += scattered;
	}
}

static void warn_agreement(
	struct campaign *campaign, const struct summary_agreement *agreement)
{
	if (agreement->verdict == RUN_SCATTERED)
		campaign_warn(campaign,
			"even and odd passes agree at only %.2f (rank "
			"correlation; %.1f is expected): except for cells "
			"that stand out, the differences between pairs are "
			"hardly larger than the noise; try more --passes, "
			"--idle spin, a quieter machine",
			agreement->even_odd, RUN_LOW_EVEN_ODD);
	else if (agreement->verdict == RUN_DRIFTED)
		campaign_warn(campaign,
			"the two halves of the run agree at only %.2f, even "
			"and odd passes at %.2f: CPUs moved during the run, "
			"as vCPUs do when the host moves them",
			agreement->halves, agreement->even_odd);
}

/* Write the pair for a warning: "between CPUs 0 and 3, 64 B chunks". */
static void format_warned_pair(const struct campaign *campaign,
	const struct summary_labels *labels, struct schedule_pair pair,
	char text[128])
{
	const struct cpu_list *cpus = campaign->options.cpus;
	const char *variant =
		labels->variants ? labels->variants[pair.variant] : "";
	unsigned first = cpus->cpus[pair.first];
	unsigned second = cpus->cpus[pair.second];
	int used = first == second
			   ? snprintf(text, 128, "on CPU %u%s", first, variant)
			   : snprintf(text, 128, "between CPUs %u and %u%s",
				     first, second, variant);

	if (pair.n_others && used > 0 && used < 128)
		snprintf(text + used, 128 - (size_t)used, " and %u more",
			pair.n_others);
}

/* Largest number of named pairs that never ran simultaneously. */
#define NAMED_APART 12

static bool pair_has_values(const struct campaign *campaign, size_t pair)
{
	for (size_t k = 0; k < campaign_pair_values(campaign, pair); k++) {
		if (campaign_gather(campaign, pair, k, 0, campaign->n_passes, 1,
			    campaign->scratch))
			return true;
	}
	return false;
}

/* Warn of pairs that an overcommitted host left without a value. */
static void warn_apart(struct campaign *campaign)
{
	const struct cpu_list *cpus = campaign->options.cpus;
	size_t apart = 0, unvisited = 0;

	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		struct schedule_pair pair = campaign->schedule.pairs[p];

		if (pair_has_values(campaign, p))
			continue;
		if (campaign->broken_off_visits[p] == 0)
			unvisited++;
		else if (apart++ < NAMED_APART)
			campaign_warn(campaign,
				"vCPUs %u and %u did not run at the same time",
				cpus->cpus[pair.first],
				cpus->cpus[pair.second]);
	}
	if (apart > NAMED_APART)
		campaign_warn(campaign,
			"%zu more pairs of vCPUs did not run at the same time",
			apart - NAMED_APART);
	if (unvisited)
		campaign_warn(campaign,
			"%zu pair%s not visited before the budget was spent; a "
			"longer --budget reaches %s",
			unvisited, unvisited == 1 ? " was" : "s were",
			unvisited == 1 ? "it" : "them");
}

static void warn_overcommitted(struct campaign *campaign)
{
	size_t broken = 0;

	for (size_t p = 0; p < campaign->schedule.n_pairs; p++)
		broken += campaign->broken_off_visits[p];
	campaign_warn(campaign,
		"the host runs about %.1f of these %zu vCPUs at the same time, "
		"so intervals are wide%s",
		campaign->at_once, campaign->options.cpus->n,
		campaign->options.park_if_few ? ", and waiting CPUs slept"
					      : "");
	if (broken)
		campaign_warn(campaign,
			"%zu visit%s broken off, because the vCPUs did not run "
			"at the same time, and made again",
			broken, broken == 1 ? " was" : "s were");
	if (campaign->options.probe->round_trips)
		warn_apart(campaign);
}

static void warn_apart_at_times(const struct suspect_pairs *suspects,
	const struct summary_labels *labels, struct campaign *campaign)
{
	char first[128];

	if (suspects->apart == 0)
		return;
	format_warned_pair(campaign, labels, suspects->first_apart, first);
	campaign_warn(campaign,
		"%zu of %zu %ss took over %d us a round trip, the first one "
		"%s: no cache line takes so long, so the CPUs did not run at "
		"the same time; measure again when the machine is less busy",
		suspects->apart, suspects->n, labels->noun,
		CAMPAIGN_SLOWEST_NS / 1000, first);
}

void summary_add_warnings(struct campaign *campaign,
	const struct summary_agreement *agreement,
	const struct summary_labels *labels)
{
	struct suspect_pairs suspects = {.n = 0};
	size_t passes = summary_counted_passes(campaign);
	char worst[128];

	if (campaign->overcommitted)
		warn_overcommitted(campaign);
	if (labels->curves)
		return;
	find_suspect_pairs(campaign, &suspects);
	/* Agreement is only meaningful if all passes count. */
	if (!campaign->counted_end)
		warn_agreement(campaign, agreement);
	warn_apart_at_times(&suspects, labels, campaign);
	format_warned_pair(campaign, labels, suspects.worst, worst);
	if (suspects.scattered)
		campaign_warn(campaign,
			"%zu of %zu %s%s %s more than %g-fold between passes: "
			"%s a tenth of the passes was under %.3g and a tenth "
			"over %.3g %s",
			suspects.scattered, suspects.n, labels->noun,
			suspects.n == 1 ? "" : "s",
			suspects.scattered == 1 ? "varies" : "vary",
			SPREAD_LIMIT, worst,
			suspects.worst_low * labels->factor,
			suspects.worst_high * labels->factor, labels->unit);
	/* With fewer passes there are no intervals. */
	if (suspects.wide && passes >= STAT_CI95_LEAST)
		campaign_warn(campaign,
			"%zu of %zu %s%s %s a 95 %% interval wider than "
			"+-%g %% after %zu pass%s; more --passes or a "
			"longer --budget narrow %s",
			suspects.wide, suspects.n, labels->noun,
			suspects.n == 1 ? "" : "s",
			suspects.wide == 1 ? "has" : "have",
			campaign->options.precision * 100, passes,
			passes == 1 ? "" : "es",
			suspects.wide == 1 ? "it" : "them");
}
