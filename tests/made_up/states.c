/*
 * c2c states on made-up lines. A round trip takes 40, 100 or 300 ns by
 * distance. A CPU has its own lines after 6 ns, a line of another CPU costs 90,
 * a shared one 37, memory 115; siblings have each other's lines. A store or an
 * add of a shared line costs 100, of another one 20 or 104; a flush of a
 * modified line 157, of another one 106. With wrong=shared, shared lines are
 * exclusive; with wrong=exclusive, exclusive lines are modified; with
 * wrong=times, every load takes 6. If the third CPU of a level is sibling of
 * the reader, the reader has what the third CPU read. sibling_ns=N is a round
 * trip of siblings; with moved=1, each walk is made twice. From pass slower=N
 * on each takes 10 % more, and from pass lost=N on none counts.
 */
#include "made_up.h"

/* All but the probe is that of c2c. */
#define probe_states measured_states
extern const struct probe measured_states;
#include "probe/probe_states.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_states

#include <math.h>
#include <string.h>

static enum line_state true_state(enum line_state state)
{
	char *wrong = made_up_text("wrong");

	if (wrong && strcmp(wrong, "shared") == 0 && state == LINE_SHARED)
		state = LINE_EXCLUSIVE;
	if (wrong && strcmp(wrong, "exclusive") == 0 && state == LINE_EXCLUSIVE)
		state = LINE_MODIFIED;
	if (wrong && strcmp(wrong, "times") == 0)
		state = LINE_STATES;
	free(wrong);
	return state;
}

/* Whether the core of the reader has what the third CPU read. */
static bool third_is_near(
	const struct probe_visit *visit, const struct states_point *point)
{
	const struct states_context *context = visit->params->context;
	const struct states_level *level = &context->levels[point->level];
	struct probe_visit other = *visit;

	other.second_cpu = level->third;
	return line_state_needs_third(point->state) && level->has_third &&
	       level->reader != level->holder &&
	       made_up_distance_of(&other) == MADE_UP_SIBLINGS;
}

static double cost_of(enum line_operation operation, enum line_state state,
	enum made_up_distance distance)
{
	bool has = distance <= MADE_UP_SIBLINGS;

	if (operation == LINE_FLUSH)
		return state == LINE_MODIFIED || state == LINE_READ_BACK ? 157
									 : 106;
	if (state == LINE_STATES)
		return 6;
	if (state == LINE_IN_MEMORY)
		return operation == LINE_LOAD ? 115 : 149;
	if (operation == LINE_LOAD)
		return state == LINE_READ_BACK ? 90
		       : has		       ? 6
		       : state == LINE_SHARED  ? 37
					       : 91;
	return line_state_needs_third(state) ? 100 : has ? 20 : 104;
}

static bool made_up_first(const struct probe_visit *visit, int64_t *ticks)
{
	const double one_way_ns[] = {0, made_up("sibling_ns", 40) / 2, 50, 150};
	struct states_context *context = visit->params->context;
	enum made_up_distance distance = made_up_distance_of(visit);
	double times = visit->pass >= made_up("slower", INFINITY) ? 1.1 : 1;
	const struct states_point *point;

	if (visit->variant == STATES_PING)
		return made_up_put(visit, one_way_ns[distance], ticks);
	context->walks += 1 + (made_up("moved", 0) > 0);
	context->moved += made_up("moved", 0) > 0;
	if (!made_up_visit(visit) || visit->pass >= made_up("lost", INFINITY))
		return false;
	point = &context->points[visit->variant];
	if (third_is_near(visit, point))
		return made_up_put(visit,
			cost_of(point->operation, LINE_EXCLUSIVE, MADE_UP_SAME),
			ticks);
	return made_up_put(visit,
		times * cost_of(point->operation, true_state(point->state),
				distance),
		ticks);
}

static bool made_up_other(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	return true;
}

const struct probe probe_states = {
	.name = "states",
	.summary = "measures nothing",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_NOTHING,
	.first = made_up_first,
	.second = made_up_other,
	.abandon = made_up_abandon,
	.scale = made_up_scale,
};
