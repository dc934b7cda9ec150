/* Make the curves of c2c states: costs over levels. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/distance.h"
#include "cmd/states/cmd_states.h"
#include "commands.h"
#include "util/text.h"

static const char *const states[] = {LINE_STATE_WORDS(WORDS_LIST)};
static const char *const operations[] = {LINE_OPERATION_WORDS(WORDS_LIST)};

/* Warn if more walks were repeated, in per cent. */
#define WALKS_REPEATED_PCT 1

/* Warn if fewer walks of a level are valid, in per cent. */
#define WALKS_ENOUGH_PCT 90

/* "other package (125 ns)" */
#define LEVEL_NAME_BYTES 64

struct states_work {
	const struct states_plan *own;
	const struct campaign *campaign;
	struct result *result;
	double *values; /* [passes] */
};

/* Summarise a point over the passes from first to end. */
static void summarise_point(const struct states_work *work, size_t point,
	size_t first, size_t end, double out[SUMMARY_STATISTICS])
{
	summary_of(work->values,
		campaign_gather(
			work->campaign, point, 0, first, end, 1, work->values),
		out);
}

/* Return the distance of the CPUs of a level, as the system reports it. */
static const char *level_distance(
	const struct states_work *work, const struct states_level *level)
{
	return distance_names[distance_of_cpus(
		work->campaign->options.machine, level->reader, level->holder)];
}

/* Name the levels: "itself", "same LLC (34 ns)". */
static int name_states_levels(
	const struct states_work *work, struct curve *curve, struct error *err)
{
	char names[STATE_LEVELS_MOST][LEVEL_NAME_BYTES] = {"itself"};
	const char *texts[STATE_LEVELS_MOST] = {names[0]};

	for (size_t i = 1; i < work->own->n_levels; i++) {
		const struct states_level *level = &work->own->levels[i];

		snprintf(names[i], sizeof(names[i]), "%s (%.0f ns)",
			level_distance(work, level), level->one_way_ns);
		texts[i] = names[i];
	}
	return curve_name_x(curve, texts)
		       ? 0
		       : error_no_memory(err, "the names of the levels");
}

/* Add a curve over levels: the cost of an operation on lines in a state. */
static int add_states_curve(const struct states_work *work, size_t cell,
	struct curve_facts facts, size_t first, size_t end, struct error *err)
{
	const struct states_plan *own = work->own;
	const struct cpu_list *cpus = own->cpus;
	struct curve *curve;

	facts.member = states[own->points[cell].state];
	facts.family = operations[own->points[cell].operation];
	facts.x_name = "level";
	facts.y_name = "time of a line";
	facts.y_unit = "ns";
	curve = summary_add_curve(
		work->result, &facts, own->n_levels, cpus->cpus, cpus->n, err);
	for (size_t level = 0; curve && level < own->n_levels; level++) {
		double out[SUMMARY_STATISTICS];

		summarise_point(
			work, level * own->n_cells + cell, first, end, out);
		summary_set_point(curve, level, (double)level, out);
	}
	return curve ? name_states_levels(work, curve, err) : -ENOMEM;
}

/* Add the costs of all rounds, and the costs of each block of rounds. */
static int add_cell_curves(
	const struct states_work *work, size_t cell, struct error *err)
{
	size_t n = work->campaign->n_passes;
	enum line_operation operation = work->own->points[cell].operation;
	int rc = add_states_curve(work, cell,
		(struct curve_facts){.test = operations[operation]}, 0, n, err);

	if (rc == 0)
		rc = add_states_curve(work, cell,
			(struct curve_facts){.test = STATES_BLOCK_TEST,
				.variant = "first block"},
			0, n / 2, err);
	if (rc == 0)
		rc = add_states_curve(work, cell,
			(struct curve_facts){.test = STATES_BLOCK_TEST,
				.variant = "second block"},
			n / 2, n, err);
	return rc;
}

/* Add a curve of one point that names the CPUs of a level. */
static int add_level_curve(
	const struct states_work *work, size_t number, struct error *err)
{
	const struct states_level *level = &work->own->levels[number];
	const unsigned cpus[] = {level->reader, level->holder, level->third};
	const char digit[] = {(char)('0' + number), '\0'};
	const struct curve_facts facts = {
		.test = STATES_LEVEL_TEST,
		.family = "first scan",
		.member = digit,
		.variant = number ? level_distance(work, level) : NULL,
		.x_name = "level",
		.y_name = "one way between the CPUs",
		.y_unit = "ns",
	};
	const double y[] = {level->one_way_ns, NAN, NAN};
	struct curve *curve = summary_add_curve(work->result, &facts, 1,
		number ? cpus : cpus + 1, 1 + (number > 0) + level->has_third,
		err);

	if (curve)
		curve_set(curve, 0, (double)number, y);
	return curve ? 0 : -ENOMEM;
}

static int refuse_table(struct arena *arena, void *context, struct error *err)
{
	struct result *result = context;
	struct state_table table;
	const char *why;

	(void)err;
	if (!states_read_table(result, &table))
		return 0;
	why = states_refusal(arena, &table);
	if (!why)
		return 0;
	facts_set_text(&result->run.other, STATES_REFUSED_KEY, why);
	return 1;
}

/* Count the valid walks of a level in these passes; *most gets all walks. */
static size_t count_walks(const struct states_work *work, size_t level,
	size_t first, size_t end, size_t *most)
{
	size_t cells = work->own->n_cells, n = 0;

	for (size_t i = 0; i < cells; i++)
		n += campaign_gather(work->campaign, level * cells + i, 0,
			first, end, 1, work->values);
	*most = cells * (end - first);
	return n;
}

/* Warn of a level if too few walks of either half of the passes are valid. */
static void warn_of_level(
	const struct states_work *work, struct campaign *campaign, size_t level)
{
	const size_t passes = campaign->n_complete;
	size_t n[2], most[2];

	n[0] = count_walks(work, level, 0, passes / 2, &most[0]);
	n[1] = count_walks(work, level, passes / 2, passes, &most[1]);
	if (100 * n[0] >= WALKS_ENOUGH_PCT * most[0] &&
		100 * n[1] >= WALKS_ENOUGH_PCT * most[1])
		return;
	campaign_warn(campaign,
		"level %zu: only %zu of %zu walks are valid, %zu of %zu in the "
		"second half of the passes",
		level, n[0] + n[1], most[0] + most[1], n[1], most[1]);
}

static void warn_of_walks(
	const struct states_work *work, struct campaign *campaign)
{
	const struct states_context *context = &work->own->context;

	if (100 * (context->moved + context->disturbed) >
		WALKS_REPEATED_PCT * context->walks)
		campaign_warn(campaign,
			"%zu of %zu walks were invalid: in %zu the pair was "
			"nearer or farther than in the first scan, and in %zu "
			"another program ran on the reader",
			context->moved + context->disturbed, context->walks,
			context->moved, context->disturbed);
	for (size_t level = 0; level < work->own->n_levels; level++)
		warn_of_level(work, campaign, level);
}

static void forget_level(struct curve *curve, size_t level)
{
	const double none[] = {NAN, NAN, NAN};

	for (size_t i = 0; i < curve->n; i++) {
		if (curve->x[i] == (double)level)
			curve_set(curve, i, curve->x[i], none);
	}
}

/* Drop costs that need a third core, if the third CPU has none of its own. */
static void drop_near_thirds(struct states_plan *own, struct result *result)
{
	struct state_table table;

	if (!states_read_table(result, &table))
		return;
	for (size_t level = 0; level < own->n_levels; level++) {
		if (!own->third_is_sibling[level] &&
			!state_third_is_near(&table, level))
			continue;
		own->levels[level].has_third = false;
		for (size_t i = 0; i < result->n_curves; i++) {
			const char *state = result->curves[i].facts.member;

			if (text_same(state, states[LINE_SHARED]) ||
				text_same(state, states[LINE_READ_BACK]))
				forget_level(&result->curves[i], level);
		}
	}
}

/* Drop all costs. */
static void drop_costs(struct result *result)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->n_curves; i++) {
		if (text_same(result->curves[i].facts.test, STATES_LEVEL_TEST))
			result->curves[kept++] = result->curves[i];
		else
			curve_release(&result->curves[i]);
	}
	result->n_curves = kept;
}

int states_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	struct states_plan *own = plan->context;
	struct states_work work = {
		.own = own, .campaign = campaign, .result = result};
	struct arena arena = {.last = NULL};
	int rc = 0;

	work.values = calloc(campaign->n_passes + 1, sizeof(*work.values));
	if (!work.values)
		return error_no_memory(err, "the curves");
	for (size_t cell = 0; rc == 0 && cell < own->n_cells; cell++)
		rc = add_cell_curves(&work, cell, err);
	if (rc == 0)
		drop_near_thirds(own, result);
	for (size_t level = 0; rc == 0 && level < own->n_levels; level++)
		rc = add_level_curve(&work, level, err);
	if (rc == 0)
		warn_of_walks(&work, campaign);
	free(work.values);
	if (rc < 0)
		return rc;
	rc = arena_run(&arena, refuse_table, result, "the checks", err);
	arena_release(&arena);
	if (rc > 0) {
		drop_costs(result);
		plan->status = STATUS_UNDECIDED;
		rc = 0;
	}
	return rc;
}
