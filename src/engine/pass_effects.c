#include "engine/pass_effects.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rehearsal.h"
#include "machine/frequency.h"
#include "stat/stat.h"

/* Ticks that a visit returns for a clock of 1 GHz. */
#define TICKS_PER_GHZ 1e6

/* Clamp values beyond this many deviations, to exclude interrupts. */
#define FAR 3.0

enum {
	OF_LINES,
	OF_HOMES,
	EFFECTS
};

static bool take_clock(const struct probe_visit *visit, int64_t *ticks)
{
	double ghz = frequency_ghz();

	(void)visit;
	ticks[0] = isnan(ghz) ? 0 : (int64_t)(ghz * TICKS_PER_GHZ);
	return true;
}

static void clock_probe_abandon(void *slot)
{
	(void)slot;
}

static const struct probe clock_probe = {
	.name = "clock",
	.summary = "the clock of a core",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_FORWARD,
	.first = take_clock,
	.second = take_clock,
	.abandon = clock_probe_abandon,
};

/* Append visits that measure two CPUs each. */
static bool add_clock_visits(struct crew_program *program,
	const struct line_pools *lines, const struct cpu_list *cpus)
{
	static const struct probe_params params = {.samples = 1, .slots = 1};
	bool well = true;

	for (uint32_t i = 0; i < cpus->n && well; i += 2) {
		uint32_t next = i + 1 < cpus->n ? i + 1 : 0;
		const struct crew_visit visit = {
			.first = i,
			.second = next,
			.slots = lines_slots(lines, i, next, 0, 0, 0),
			.params = &params,
			.probe = &clock_probe,
		};

		well = crew_program_add(program, &visit) &&
		       crew_program_end_step(program);
	}
	return well;
}

int pass_effects_clock(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *ghz, struct error *err)
{
	struct crew_program program = {.visits = NULL};
	double *all = calloc(cpus->n, sizeof(*all));
	bool well = all && add_clock_visits(&program, lines, cpus);
	int rc = well ? rehearsal_run(crew, &program, "the clock", err)
		      : error_no_memory(err, "the clock");
	size_t n = 0;

	*ghz = NAN;
	for (size_t v = 0; rc == 0 && v < program.n_visits; v++) {
		double ticks = rehearsal_ticks(&program.visits[v]);

		if (ticks > 0)
			all[n++] = ticks / TICKS_PER_GHZ;
	}
	if (n > 0)
		*ghz = stat_median(all, n);
	if (rc == -EBUSY || rc == -EINTR)
		rc = 0;
	crew_program_release(&program, crew_is_lost(crew));
	free(all);
	return rc;
}

/* Buffers to split the passes of a pair. */
struct effect_buffers {
	double *values, *sorted, *scratch;
	uint32_t *groups, *homes;
	size_t n_groups;
};

static bool effect_buffers_init(
	struct effect_buffers *buffers, const struct campaign *campaign)
{
	size_t n = campaign->n_passes + 1;

	buffers->n_groups = campaign->n_blocks * campaign->n_homes;
	buffers->values = calloc(n, sizeof(double));
	buffers->sorted = calloc(n, sizeof(double));
	buffers->groups = calloc(n, sizeof(*buffers->groups));
	buffers->homes = calloc(n, sizeof(*buffers->homes));
	buffers->scratch = calloc(2 * buffers->n_groups, sizeof(double));
	return buffers->values && buffers->sorted && buffers->groups &&
	       buffers->homes && buffers->scratch;
}

/* Gather a pair's values, clamped to FAR deviations. Return their number. */
static size_t gather_clamped_values(const struct campaign *campaign,
	size_t pair, size_t k, struct effect_buffers *buffers, double *scale)
{
	const uint32_t *places = campaign->places + pair;
	double middle;
	size_t n = 0;

	for (size_t pass = campaign->counted_first;
		pass < campaign_counted_end(campaign); pass++) {
		double value = campaign_value(campaign, pass, pair, k);

		if (isnan(value))
			continue;
		buffers->groups[n] = places[pass * campaign->schedule.n_pairs];
		buffers->sorted[n] = buffers->values[n] = value;
		n++;
	}
	stat_sort(buffers->sorted, n);
	middle = stat_quantile(buffers->sorted, n, 0.5);
	*scale = (stat_quantile(buffers->sorted, n, 0.9) -
			 stat_quantile(buffers->sorted, n, 0.1)) /
		 STAT_P10_TO_P90;
	for (size_t i = 0; i < n; i++)
		buffers->values[i] =
			fmin(fmax(buffers->values[i] - middle, -FAR * *scale),
				FAR * *scale);
	return n;
}

/* Return the variance between nodes, and subtract each node's mean. */
static double subtract_home_effect(const struct campaign *campaign,
	struct effect_buffers *buffers, size_t n)
{
	double *sums = buffers->scratch, *counts = sums + campaign->n_homes;
	uint32_t *homes = buffers->homes;
	double effect;

	for (size_t i = 0; i < n; i++)
		homes[i] = (uint32_t)(buffers->groups[i] / campaign->n_blocks);
	effect = stat_random_effect(
		buffers->values, homes, n, campaign->n_homes, buffers->scratch);
	/* stat_random_effect() stored sums and counts in scratch. */
	for (size_t i = 0; i < n && !isnan(effect); i++)
		buffers->values[i] -= sums[homes[i]] / counts[homes[i]];
	return effect;
}

/* Estimate the standard deviations of a pair by lines and by nodes. */
static void estimate_pair_effects(const struct campaign *campaign, size_t pair,
	size_t k, struct effect_buffers *buffers, double sd[EFFECTS])
{
	double scale, all, variances[EFFECTS] = {NAN, NAN};
	size_t n = gather_clamped_values(campaign, pair, k, buffers, &scale);

	sd[OF_LINES] = sd[OF_HOMES] = NAN;
	if (n < 2)
		return;
	all = stat_variance(buffers->values, n);
	if (campaign->n_homes > 1)
		variances[OF_HOMES] =
			subtract_home_effect(campaign, buffers, n);
	variances[OF_LINES] = stat_random_effect(buffers->values,
		buffers->groups, n, buffers->n_groups, buffers->scratch);
	/* Scale by p10 and p90, which are robust against interrupts. */
	for (size_t e = 0; e < EFFECTS; e++) {
		double share = all > 0 ? variances[e] / all : 0;

		if (!isnan(variances[e]))
			sd[e] = scale * sqrt(fmin(share, 1));
	}
}

/* Append the matrix of an effect on value k, unless it is empty. */
static int add_effect_matrix(const struct campaign *campaign,
	const struct summary_labels *labels, size_t k, size_t effect,
	const struct matrix *found, struct result *result, struct error *err)
{
	size_t cells = result->cpus.n * result->cpus.n, known = 0;
	struct matrix *matrix;

	for (size_t i = 0; i < cells; i++)
		known += !isnan(found->values[i]);
	if (known == 0)
		return 0;
	matrix = result_add_matrix(result, labels->name[k],
		effect == OF_LINES ? "sd_lines" : "sd_homes", labels->unit,
		labels->quantity, false,
		summary_cell_of(campaign, k) == PROBE_BOTH);
	if (!matrix)
		return error_no_memory(err, "the effects of lines");
	memcpy(matrix->values, found->values, cells * sizeof(double));
	return 0;
}

/* Append the effects on the values k to end - 1 of the same matrix. */
static int add_effects(const struct campaign *campaign,
	const struct summary_labels *labels, size_t k, size_t end,
	struct effect_buffers *buffers, struct result *result,
	struct error *err)
{
	size_t n = result->cpus.n, cells = n * n;
	double *all = calloc(EFFECTS * cells, sizeof(*all));
	struct matrix found[EFFECTS] = {
		{.values = all}, {.values = all ? all + cells : NULL}};
	int rc = 0;

	if (!all)
		return error_no_memory(err, "the effects of lines");
	for (size_t i = 0; i < EFFECTS * cells; i++)
		all[i] = NAN;
	for (size_t v = k; v < end; v++) {
		for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
			double sd[EFFECTS];

			estimate_pair_effects(campaign, p, v, buffers, sd);
			for (size_t e = 0; e < EFFECTS; e++)
				summary_put(&found[e], n,
					campaign->schedule.pairs[p],
					summary_cell_of(campaign, v),
					labels->factor * sd[e]);
		}
	}
	for (size_t e = 0; rc == 0 && e < EFFECTS; e++)
		rc = add_effect_matrix(
			campaign, labels, k, e, &found[e], result, err);
	free(all);
	return rc;
}

int pass_effects_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err)
{
	size_t n_values = campaign->n_values - campaign->n_others;
	struct effect_buffers buffers = {.values = NULL};
	int rc = 0;

	if (!campaign->places || campaign->n_blocks * campaign->n_homes < 2)
		return 0;
	if (!effect_buffers_init(&buffers, campaign))
		rc = error_no_memory(err, "the effects of lines");
	for (size_t k = 0; rc == 0 && k < n_values; k++) {
		size_t end = k + 1 < n_values && !labels->name[k + 1] ? k + 2
								      : k + 1;

		if (k > 0 && !labels->name[k])
			continue;
		rc = add_effects(
			campaign, labels, k, end, &buffers, result, err);
	}
	free(buffers.values);
	free(buffers.sorted);
	free(buffers.groups);
	free(buffers.homes);
	free(buffers.scratch);
	return rc;
}
