/*
 * c2c latency --by-line: a visit times each line of one page separately, in a
 * random order that changes with each pass.
 */
#include "cmd/latency/by_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/level_scan.h"

/* Rounds of the first scan, which uses all lines of a page. */
#define SCAN_ROUNDS 1

void by_line_choose(struct by_line_plan *own, struct measure_plan *plan,
	struct measure_options *options)
{
	own->options = options;
	own->plan = plan;
	own->method = plan->campaign.probe;
	own->probe = by_line_probe(own->method);
	plan->campaign.probe = &own->probe;
	plan->campaign.params.context = &own->context;
	plan->campaign.block_bytes = BY_LINE_BLOCK_BYTES;
	plan->campaign.block_of_slots = true;
	plan->campaign.pages = MEMORY_PAGES_AUTO;
	plan->auto_jobs = false;
	plan->epochs = false;
	plan->measure_contradicted = false;
	plan->print = by_line_print;
	plan->print_all = true;
	options->jobs = 1;
	if (option_given(&options->given, "passes")) {
		if (options->passes.max > BY_LINE_PASSES_MOST)
			options->passes.max = BY_LINE_PASSES_MOST;
		return;
	}
	options->passes.max = 2 * LINE_VERDICT_VISITS;
	if (!option_given(&options->given, "budget"))
		options->passes.min = options->passes.max;
}

/* Scan pairs while all CPUs are awake, and choose a pair of each level. */
static int choose_level_pairs(void *context, struct crew *crew,
	const struct line_pools *lines, struct schedule *schedule,
	struct error *err)
{
	const struct by_line_plan *own = context;
	const struct probe_params params = {
		.ns_per_tick = 1e9 / own->plan->clock->hz,
		.round_trips = own->plan->campaign.params.round_trips,
	};
	const struct level_scan how = {
		.probe = own->plan->campaign.probe,
		.params = &params,
		.variant = BY_LINE_SCAN,
		.rounds = SCAN_ROUNDS,
		.seed = own->options->seed,
	};
	struct scanned_pair *pairs = calloc(LEVEL_SCAN_PAIRS, sizeof(*pairs));
	struct scanned_pair chosen[BY_LINE_LEVELS];
	size_t n, n_levels = 0;
	int rc;

	if (!pairs)
		return error_no_memory(err, "the first scan");
	rc = level_scan_run(&how, crew, lines, own->cpus->n, pairs, &n, err);
	if (rc == 0)
		n_levels = level_scan_choose(
			pairs, n, own->cpus->n, chosen, BY_LINE_LEVELS);
	for (uint32_t i = 0; i < n_levels; i++)
		schedule->pairs[i] =
			(struct schedule_pair){.first = chosen[i].first,
				.second = chosen[i].second,
				.variant = i};
	if (rc == 0)
		schedule->n_pairs = n_levels;
	free(pairs);
	return rc;
}

int by_line_select(struct by_line_plan *own, struct measure_plan *plan,
	struct measure_selection *selection, struct error *err)
{
	const struct measure_options *options = own->options;
	int rc = measure_select_pairs(plan, options, selection, err);

	if (rc < 0)
		return rc;
	own->cpus = &selection->cpus;
	if (options->pairs == MEASURE_ALL && !options->all_pairs) {
		if (selection->n_pairs > BY_LINE_LEVELS)
			selection->n_pairs = BY_LINE_LEVELS;
		plan->campaign.choose_pairs = choose_level_pairs;
		plan->campaign.choose_pairs_context = own;
	}
	for (uint32_t i = 0; i < selection->n_pairs; i++)
		selection->pairs[i].variant = i;
	rc = measure_check_memory(MEMORY_PAGES_BASE,
		options->passes.max * BY_LINE_PASS_BYTES, selection->n_pairs,
		"tables of times", "fewer pairs or fewer --passes", err);
	if (rc < 0)
		return rc;
	return by_line_init(&own->context, own->method, options->seed,
		selection->n_pairs, options->passes.max, err);
}

/* Input for the curves of one pair. */
struct by_line_work {
	const struct by_line_plan *own;
	const struct campaign *campaign;
	const struct summary_labels *labels;
	struct result *result;
	struct arena *arena;
	double *ns;	/* [passes * BY_LINE_LINES] of the pair */
	double *values; /* [passes] */
};

static void read_pair_lines(struct by_line_work *work, size_t pair)
{
	const struct campaign *campaign = work->campaign;

	for (size_t i = 0; i < campaign->n_passes * BY_LINE_LINES; i++) {
		size_t pass = i / BY_LINE_LINES;

		work->ns[i] =
			isnan(campaign_value(campaign, pass, pair, 0))
				? NAN
				: work->labels->factor *
					  by_line_value(&work->own->context,
						  pair, pass,
						  i % BY_LINE_LINES);
	}
}

/* Statistics of a line over the passes from first to end. */
static void summarise_line(const struct by_line_work *work, size_t line,
	size_t first, size_t end, double out[SUMMARY_STATISTICS])
{
	size_t n = 0;

	for (size_t pass = first; pass < end; pass++) {
		double ns = work->ns[pass * BY_LINE_LINES + line];

		if (!isnan(ns))
			work->values[n++] = ns;
	}
	summary_of(work->values, n, out);
}

/* A line with its median in the first block of visits. */
struct ranked_line {
	size_t line;
	double ns;
};

static int compare_ranked_lines(const void *a, const void *b)
{
	double x = ((const struct ranked_line *)a)->ns;
	double y = ((const struct ranked_line *)b)->ns;

	return (x > y) - (x < y);
}

/* Order lines by their median in the first block, missing medians last. */
static void rank_lines(const struct by_line_work *work, size_t end,
	struct ranked_line ranked[BY_LINE_LINES])
{
	for (size_t line = 0; line < BY_LINE_LINES; line++) {
		double out[SUMMARY_STATISTICS];

		summarise_line(work, line, 0, end, out);
		ranked[line] = (struct ranked_line){
			line, isnan(out[SUMMARY_MEDIAN]) ? INFINITY
							 : out[SUMMARY_MEDIAN]};
	}
	qsort(ranked, BY_LINE_LINES, sizeof(*ranked), compare_ranked_lines);
}

static struct curve *add_line_curve(struct by_line_work *work,
	struct curve_facts facts, const struct cpu_list *cpus,
	struct error *err)
{
	facts.family = "latency of each line";
	facts.member = arena_format(
		work->arena, "CPUs %u and %u", cpus->cpus[0], cpus->cpus[1]);
	facts.y_name = work->labels->quantity;
	facts.y_unit = work->labels->unit;
	return summary_add_curve(
		work->result, &facts, BY_LINE_LINES, cpus->cpus, cpus->n, err);
}

/*
 * Add a curve of a block's times over the lines, sorted by the first block. If
 * this order is random, the curve of the second block is flat.
 */
static int add_rank_curve(struct by_line_work *work,
	const struct ranked_line *ranked, const struct line_profile *profile,
	bool second, struct error *err)
{
	const struct curve_facts facts = {
		.test = "rank",
		.variant = second ? "second block" : NULL,
		.x_name = "lines, from near to far in the first block",
		.x_unit = "%",
	};
	struct curve *curve = add_line_curve(work, facts, &profile->cpus, err);

	for (size_t i = 0; curve && i < BY_LINE_LINES; i++) {
		double out[SUMMARY_STATISTICS];

		summarise_line(work, ranked[i].line,
			second ? profile->visits : 0,
			second ? work->campaign->n_passes : profile->visits,
			out);
		summary_set_point(
			curve, i, 100.0 * (double)i / (BY_LINE_LINES - 1), out);
	}
	return curve ? 0 : -ENOMEM;
}

/* Add a curve of the lines' medians of all visits, over their offsets. */
static int add_offset_curve(struct by_line_work *work,
	const struct line_profile *profile, struct error *err)
{
	const struct curve_facts facts = {
		.test = "offset",
		.x_name = "offset in the page",
		.x_unit = "bytes",
	};
	struct curve *curve = add_line_curve(work, facts, &profile->cpus, err);

	for (size_t i = 0; curve && i < BY_LINE_LINES; i++) {
		double out[SUMMARY_STATISTICS];

		summarise_line(work, i, 0, work->campaign->n_passes, out);
		summary_set_point(curve, i,
			(double)work->own->context.slots[i] * PROBE_SLOT_BYTES,
			out);
	}
	return curve ? 0 : -ENOMEM;
}

static int add_pair_curves(struct by_line_work *work,
	const struct line_profile *profile, bool drawn, struct error *err)
{
	struct ranked_line ranked[BY_LINE_LINES];
	int rc = 0;

	if (drawn) {
		rank_lines(work, profile->visits, ranked);
		rc = add_rank_curve(work, ranked, profile, false, err);
		if (rc == 0 && profile->visits < work->campaign->n_passes)
			rc = add_rank_curve(work, ranked, profile, true, err);
	}
	if (rc == 0 && work->own->keep_lines)
		rc = add_offset_curve(work, profile, err);
	return rc;
}

static int add_pair_profile(
	struct by_line_work *work, size_t pair, bool drawn, struct error *err)
{
	const struct campaign *campaign = work->campaign;
	const struct schedule_pair cpus = campaign->schedule.pairs[pair];
	struct line_profile profile = {.lines = 0};
	double offsets[BY_LINE_LINES], mean[SUMMARY_STATISTICS];
	int rc;

	for (size_t i = 0; i < BY_LINE_LINES; i++)
		offsets[i] =
			(double)work->own->context.slots[i] * PROBE_SLOT_BYTES;
	read_pair_lines(work, pair);
	line_profile_judge(&profile, work->ns, campaign->n_passes,
		BY_LINE_LINES, offsets, work->arena);
	summary_of_pair(campaign, pair, 0, mean);
	profile.mean_ns = work->labels->factor * mean[SUMMARY_MEDIAN];
	if (!work->own->keep_lines)
		profile.nearest_offset_bytes = profile.farthest_offset_bytes =
			NAN;
	rc = cpu_list_add(
		&profile.cpus, work->own->cpus->cpus[cpus.first], err);
	if (rc == 0)
		rc = cpu_list_add(
			&profile.cpus, work->own->cpus->cpus[cpus.second], err);
	if (rc == 0 && !result_add_line_profile(work->result, &profile))
		rc = error_no_memory(err, "the lines");
	if (rc == 0)
		rc = add_pair_curves(work, &profile, drawn, err);
	cpu_list_release(&profile.cpus);
	return rc;
}

static int add_all_pairs(struct arena *arena, void *context, struct error *err)
{
	struct by_line_work *work = context;
	const struct campaign *campaign = work->campaign;
	size_t n_pairs = campaign->schedule.n_pairs;
	int rc = 0;

	work->arena = arena;
	work->ns = arena_alloc(arena, campaign->n_passes * BY_LINE_LINES + 1,
		sizeof(*work->ns));
	work->values = arena_alloc(
		arena, campaign->n_passes + 1, sizeof(*work->values));
	for (size_t pair = 0; rc == 0 && pair < n_pairs; pair++)
		rc = add_pair_profile(
			work, pair, n_pairs <= BY_LINE_LEVELS, err);
	return rc;
}

int by_line_finish(const struct by_line_plan *own, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct by_line_work work = {
		.own = own,
		.campaign = campaign,
		.labels = &own->plan->labels,
		.result = result,
	};
	struct arena arena = {.last = NULL};
	int rc = arena_run(&arena, add_all_pairs, &work, "the lines", err);

	arena_release(&arena);
	return rc;
}
