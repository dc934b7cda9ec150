/*
 * Make latency curves over the working set: the median over the passes in ns,
 * and the median and the fastest pass in clocks of the core. Other programs can
 * only slow a pass down, so the fastest pass shows what the caches can do. The
 * interval of an unsteady point contains eight in ten passes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cache/cmd_cache.h"
#include "util/text.h"

enum latency_value {
	LATENCY_NS,
	LATENCY_CLOCKS,
	LATENCY_FASTEST, /* in clocks, or in ns if clocks cannot be counted */
};

struct latency_curve_inputs {
	struct cache_plan *own;
	struct campaign *campaign;
	struct result *result;
	double *scratch;     /* [passes] */
	double ns_per_clock; /* of the highest frequency; NaN: unknown */
};

static void summarise_clocks(const struct latency_curve_inputs *work,
	size_t pair, double out[SUMMARY_STATISTICS])
{
	const struct campaign *campaign = work->campaign;
	size_t found = 0;

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double clocks = campaign_value(campaign, pass, pair, 0) /
				campaign_value(campaign, pass, pair, 1) *
				CHASE_CLOCKS;

		if (!isnan(clocks))
			work->scratch[found++] = clocks;
	}
	summary_of(work->scratch, found, out);
}

/*
 * Return the ns of a clock at the highest frequency of the run. The frequency
 * may change within a pass.
 */
static double find_ns_per_clock(const struct campaign *campaign, size_t n)
{
	double least = NAN;

	for (size_t i = 0; i < n; i++) {
		double out[SUMMARY_STATISTICS];

		/* The minimum may come from a jump of a virtual clock. */
		summary_of_pair(campaign, i, 1, out);
		least = fmin(least, out[SUMMARY_P10]);
	}
	return least / CHASE_CLOCKS;
}

static void summarise_latency_point(const struct latency_curve_inputs *work,
	size_t pair, enum latency_value value, double y[3])
{
	double out[SUMMARY_STATISTICS];

	if (value == LATENCY_CLOCKS)
		summarise_clocks(work, pair, out);
	else
		summary_of_pair(work->campaign, pair, 0, out);
	y[0] = out[SUMMARY_MEDIAN];
	y[1] = out[SUMMARY_CI_LOW];
	y[2] = out[SUMMARY_CI_HIGH];
	if (chase_is_unsteady(&work->own->latency.points[pair]) &&
		!isnan(y[1])) {
		y[1] = fmin(y[1], out[SUMMARY_P10]);
		y[2] = fmax(y[2], out[SUMMARY_P90]);
	}
	if (value != LATENCY_FASTEST)
		return;
	y[0] = out[SUMMARY_MIN];
	if (!isnan(work->ns_per_clock)) {
		double clocks[SUMMARY_STATISTICS];

		/* On a slower core, a load takes fewer clocks. */
		summarise_clocks(work, pair, clocks);
		y[0] = fmin(y[0] / work->ns_per_clock, clocks[SUMMARY_MEDIAN]);
	}
	y[1] = y[2] = NAN;
}

/* Write "stride of 4 KiB". */
static void name_order(
	const struct latency_curve *curve, char name[CURVE_NAME_BYTES])
{
	char step[TEXT_SIZE_BYTES];

	if (curve->order.order == CHASE_RANDOM)
		snprintf(name, CURVE_NAME_BYTES, "load");
	else if (curve->order.order == CHASE_PAGE)
		snprintf(name, CURVE_NAME_BYTES, "page by page");
	else
		snprintf(name, CURVE_NAME_BYTES, "stride of %s",
			text_size(curve->order.step_bytes, step));
}

/* Write "16 chains, thp pages"; "" for the plain curve of one kind of pages. */
static void name_variant(const struct latency_curve_inputs *work,
	const struct latency_curve *curve, enum latency_value value,
	char name[CURVE_NAME_BYTES])
{
	struct text_list list = {.text = NULL};
	char *text;

	if (value == LATENCY_FASTEST)
		text_list_add(&list, ", ", "fastest pass");
	if (curve->chains > 1)
		text_list_add(&list, ", ", "%u chains", curve->chains);
	if (curve->dirty)
		text_list_add(&list, ", ", "with stores");
	if (curve->state == CHASE_ALONE)
		text_list_add(&list, ", ", "%s", CACHE_ALONE);
	if (work->own->options->pages == CACHE_PAGES_ALL ||
		curve->kind == LATENCY_TLB)
		text_list_add(&list, ", ", "%s pages",
			memory_pages_name(curve->memory->pages));
	text = text_list_end(&list);
	snprintf(name, CURVE_NAME_BYTES, "%s", text ? text : "");
	free(text);
}

static struct curve_facts latency_curve_facts(const struct latency_curve *curve,
	enum latency_value value, bool clocks, const char *member,
	const char *variant)
{
	struct curve_facts facts = {
		.test = "latency",
		.family = "latency",
		.member = member,
		.variant = *variant ? variant : NULL,
		.x_name = "working set",
		.x_unit = "B",
		.y_unit = value == LATENCY_NS || !clocks ? "ns" : "clk",
		.x_axis = CURVE_SETS,
		.y_axis = CURVE_RATIOS,
	};

	if (curve->kind == LATENCY_LINE) {
		facts.test = "line";
		facts.family = "two loads";
		facts.member = "mean of both";
		facts.y_name = "latency";
		facts.x_name = "distance";
		facts.x_axis = CURVE_BYTES;
	} else if (curve->kind == LATENCY_WAYS) {
		facts.test = "ways";
		facts.family = "lines at one index";
		facts.member = curve->level == 1 ? "L1" : "L2";
		facts.y_name = "latency";
		facts.x_name = "lines";
		facts.x_unit = NULL;
		facts.x_axis = CURVE_COUNTS;
	}
	return facts;
}

static double latency_curve_x(const struct latency_curve *curve, size_t i)
{
	const struct chase_spec *spec =
		&curve->memory->specs[latency_ring(curve, i)];

	if (curve->kind == LATENCY_LINE)
		return (double)spec->step_bytes;
	if (curve->kind == LATENCY_WAYS)
		return (double)spec->bytes / (double)CHASE_LINE_BYTES;
	return (double)spec->bytes;
}

/* Add a curve; return its number, from 1, or 0 without memory. */
static size_t add_latency_curve(const struct latency_curve_inputs *work,
	const struct latency_curve *curve, enum latency_value value)
{
	struct result *result = work->result;
	char member[CURVE_NAME_BYTES], variant[CURVE_NAME_BYTES];
	struct curve_facts facts;
	struct curve *added;

	name_order(curve, member);
	name_variant(work, curve, value, variant);
	facts = latency_curve_facts(
		curve, value, !isnan(work->ns_per_clock), member, variant);
	added = summary_add_curve(
		result, &facts, curve->n, result->cpus.cpus, 1, NULL);
	if (!added)
		return 0;
	for (size_t i = 0; i < curve->n; i++) {
		double y[3];

		summarise_latency_point(work, curve->first + i, value, y);
		curve_set(added, i, latency_curve_x(curve, i), y);
	}
	return result->n_curves;
}

/*
 * Add a curve of the mean number of rounds before a visit, or of the share of
 * visits whose rounds agreed. False without memory.
 */
static bool add_rounds_curve(const struct latency_curve_inputs *work,
	const struct latency_curve *curve, bool share)
{
	char member[CURVE_NAME_BYTES], variant[CURVE_NAME_BYTES];
	const struct chase_point *points =
		&work->own->latency.points[curve->first];
	struct curve_facts facts;
	struct curve *added;
	uint64_t visits = 0;

	for (size_t i = 0; i < curve->n; i++)
		visits += points[i].visits;
	if (visits == 0)
		return true;
	name_order(curve, member);
	name_variant(work, curve, LATENCY_NS, variant);
	facts = latency_curve_facts(curve, LATENCY_NS, false, member, variant);
	facts.test = "rounds";
	facts.family = share ? "steady visits" : "rounds before a visit";
	facts.y_unit = share ? CURVE_SHARE_UNIT : "rounds";
	facts.y_axis = CURVE_AMOUNTS;
	added = summary_add_curve(work->result, &facts, curve->n,
		work->result->cpus.cpus, 1, NULL);
	if (!added)
		return false;
	for (size_t i = 0; i < curve->n; i++) {
		double sum =
			share ? points[i].steady : (double)points[i].rounds;
		double y[3] = {sum / points[i].visits, NAN, NAN};

		curve_set(added, i, latency_curve_x(curve, i), y);
	}
	return true;
}

/* Find the curve for the levels: plain loads on the largest pages. */
static const struct latency_curve *find_plain_curve(
	const struct latency_plan *plan)
{
	const struct latency_curve *found = NULL;

	for (size_t i = 0; i < plan->n_curves; i++) {
		const struct latency_curve *curve = &plan->curves[i];

		if (curve->kind == LATENCY_LOAD && curve->chains == 1 &&
			!curve->dirty && curve->state != CHASE_ALONE &&
			curve->order.order == CHASE_RANDOM &&
			(!found ||
				curve->memory->chase.memory.page_bytes >=
					found->memory->chase.memory.page_bytes))
			found = curve;
	}
	return found;
}

/* Add all curves of loads that the options request. False without memory. */
static bool add_load_curves(const struct latency_curve_inputs *work,
	const struct latency_curve *curve, bool plain)
{
	struct cache_curve_numbers none = {0};
	struct cache_curve_numbers *to =
		plain ? &work->own->curve_numbers : &none;

	to->ns = add_latency_curve(work, curve, LATENCY_NS);
	if (!to->ns || curve->chains > 1 || curve->state == CHASE_ALONE)
		return to->ns;
	if (!isnan(work->ns_per_clock)) {
		to->clocks = add_latency_curve(work, curve, LATENCY_CLOCKS);
		if (!to->clocks)
			return false;
	}
	if (plain)
		to->fastest = add_latency_curve(work, curve, LATENCY_FASTEST);
	return !plain || to->fastest;
}

/* Add a curve that only the inference of levels needs. False without memory. */
static bool add_inference_curve(const struct latency_curve_inputs *work,
	const struct latency_curve *curve)
{
	bool tlb = curve->kind == LATENCY_TLB;
	size_t at = add_latency_curve(work, curve,
		tlb && !isnan(work->ns_per_clock) ? LATENCY_CLOCKS
						  : LATENCY_NS);
	struct cache_curve_numbers *to = &work->own->curve_numbers;

	if (tlb && curve->order.order == CHASE_RANDOM)
		to->tlb_random = at;
	else if (tlb)
		to->tlb_pages = at;
	else if (curve->kind == LATENCY_LINE)
		to->line = at;
	else
		to->ways[curve->level - 1] = at;
	return at;
}

int cache_add_latency(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err)
{
	const struct latency_plan *plan = &own->latency;
	const struct latency_curve_inputs work = {own, campaign, result,
		scratch, find_ns_per_clock(campaign, plan->n_points)};
	const struct latency_curve *plain = find_plain_curve(plan);

	own->latency.memory = plain ? plain->memory : &plan->memories[0];
	for (size_t i = 0; i < plan->n_curves; i++) {
		const struct latency_curve *curve = &plan->curves[i];

		if (!(curve->kind == LATENCY_LOAD
				    ? add_load_curves(
					      &work, curve, curve == plain)
				    : add_inference_curve(&work, curve)))
			return error_no_memory(err, "the curves");
	}
	for (size_t i = 0; i < 2 * plan->n_curves; i++) {
		const struct latency_curve *curve = &plan->curves[i / 2];

		if (curve->kind == LATENCY_LOAD &&
			!add_rounds_curve(&work, curve, i % 2))
			return error_no_memory(err, "the curves");
	}
	for (size_t i = 0; i < plan->n_missing_pages; i++)
		campaign_warn(campaign, "%s", plan->missing_pages[i]);
	return 0;
}
