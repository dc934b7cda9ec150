#include "analyze/state_checks.h"

#include <math.h>

/*
 * Two costs are distinct if their intervals do not overlap and they differ by
 * this factor. On CPUs of two vendors, modified and exclusive lines differed by
 * 1 to 3 %, memory and transfers by at least 20 %.
 */
#define TOLD_FACTOR 1.1

/* A flush of a clean line was at least 4 % cheaper on measured CPUs. */
#define CLEAN_FACTOR 1.03

/* Least time of a transfer or of memory / time of a line in the own cache. */
#define FAR_FACTOR 1.5

static bool cost_is_known(const struct state_cost *cost)
{
	return !isnan(cost->ns);
}

/* Whether a is certainly below b, by this factor. */
static bool cost_is_below(
	const struct state_cost *a, const struct state_cost *b, double factor)
{
	/* A median of few values has no interval. */
	double high = isnan(a->high) ? a->ns : a->high;
	double low = isnan(b->low) ? b->ns : b->low;

	return high < low && a->ns * factor <= b->ns;
}

/* List the measured states, cheapest first. */
static size_t sort_states(
	const struct state_cost costs[LINE_STATES], enum line_state *sorted)
{
	size_t n = 0;

	for (int state = 0; state < LINE_STATES; state++) {
		size_t at = n;

		if (!cost_is_known(&costs[state]))
			continue;
		for (; at > 0 && costs[sorted[at - 1]].ns > costs[state].ns;
			at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (enum line_state)state;
		n++;
	}
	return n;
}

static void add_to_class(
	struct state_class *class, enum line_state state, double ns)
{
	size_t at = class->n++;

	if (at == 0)
		class->least_ns = ns;
	class->most_ns = ns;

	for (; at > 0 && class->states[at - 1] > state; at--)
		class->states[at] = class->states[at - 1];
	class->states[at] = state;
}

size_t state_classes(const struct state_cost costs[LINE_STATES],
	struct state_class classes[LINE_STATES])
{
	enum line_state sorted[LINE_STATES];
	size_t n = sort_states(costs, sorted), found = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		/* The first and last of many similar states may differ. */
		if (i == 0 || cost_is_below(&costs[sorted[first]],
				      &costs[sorted[i]], TOLD_FACTOR)) {
			classes[found++] = (struct state_class){.n = 0};
			first = i;
		}
		add_to_class(
			&classes[found - 1], sorted[i], costs[sorted[i]].ns);
	}
	return found;
}

/* Check that the first of two states costs less. */
static void compare_states(const struct state_table *table,
	struct state_check_result *result, enum line_state low,
	enum line_state high, double factor)
{
	const struct state_cost *costs =
		table->costs[result->level][result->operation];

	result->low_ns = costs[low].ns;
	result->high_ns = costs[high].ns;
	if (!cost_is_known(&costs[low]) || !cost_is_known(&costs[high]))
		result->finding = STATE_NOT_APPLICABLE;
	else if (isnan(costs[low].high) || isnan(costs[high].low))
		result->finding = STATE_TOO_FEW;
	else
		result->finding =
			cost_is_below(&costs[low], &costs[high], factor)
				? STATE_HOLDS
				: STATE_FAILS;
}

/* Check that a load from the own cache is fast in each state. */
static void check_held(
	const struct state_table *table, struct state_check_result *result)
{
	static const enum line_state held[] = {
		LINE_MODIFIED, LINE_EXCLUSIVE, LINE_SHARED};
	const struct state_cost *costs = table->costs[0][LINE_LOAD];

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		struct state_check_result one = *result;

		compare_states(
			table, &one, held[i], LINE_IN_MEMORY, FAR_FACTOR);
		/* The slowest state decides. */
		if (one.finding != STATE_NOT_APPLICABLE &&
			!(one.low_ns <= result->low_ns))
			*result = one;
	}
	result->high_ns = costs[LINE_IN_MEMORY].ns;
}

/*
 * Check that a store to an exclusive line of the own cache is fast: a shared
 * line has copies to invalidate.
 */
static void check_exclusive(
	const struct state_table *table, struct state_check_result *result)
{
	result->operation = LINE_STORE;
	if (!cost_is_known(&table->costs[0][LINE_STORE][LINE_EXCLUSIVE]))
		result->operation = LINE_ADD;
	compare_states(table, result, LINE_EXCLUSIVE, LINE_SHARED, FAR_FACTOR);
}

/*
 * Check that a flush of an exclusive line is cheaper than of a modified line,
 * which is written to memory. Not all CPUs show this effect. A CPU shows it if
 * flushing shared lines, which are clean, is cheaper than flushing modified
 * lines.
 */
static void check_clean(
	const struct state_table *table, struct state_check_result *result)
{
	const struct state_cost *costs = table->costs[0][LINE_FLUSH];
	bool shows;

	result->operation = LINE_FLUSH;
	compare_states(
		table, result, LINE_EXCLUSIVE, LINE_MODIFIED, CLEAN_FACTOR);
	shows = cost_is_known(&costs[LINE_SHARED]) &&
		cost_is_below(&costs[LINE_SHARED], &costs[LINE_MODIFIED],
			TOLD_FACTOR);
	if (result->finding == STATE_FAILS && !shows)
		result->finding = STATE_UNVERIFIED;
}

/*
 * Check that a load of a shared line is cheaper than a load of an exclusive
 * line from another CPU, at one or more levels. The check needs a cache near
 * the reader with copies of shared lines. Some machines have no such copies.
 */
static void check_shared(const struct state_table *table, bool others_share,
	struct state_check_result *result)
{
	const struct state_cost *own =
		&table->costs[0][LINE_LOAD][LINE_EXCLUSIVE];

	for (size_t level = 1; level < table->n_levels; level++) {
		struct state_check_result one = *result;

		one.level = level;
		if (!cost_is_below(own,
			    &table->costs[level][LINE_LOAD][LINE_EXCLUSIVE],
			    FAR_FACTOR))
			continue;
		compare_states(
			table, &one, LINE_SHARED, LINE_EXCLUSIVE, TOLD_FACTOR);
		if (one.finding != STATE_NOT_APPLICABLE &&
			result->finding != STATE_HOLDS)
			*result = one;
	}
	if (result->finding == STATE_FAILS && others_share)
		result->finding = STATE_UNVERIFIED;
}

bool state_third_is_near(const struct state_table *table, size_t level)
{
	const enum line_state made[] = {LINE_SHARED, LINE_READ_BACK};

	for (int operation = 0; operation < LINE_FLUSH; operation++) {
		const struct state_cost *own =
			&table->costs[0][operation][LINE_EXCLUSIVE];
		const struct state_cost *costs = table->costs[level][operation];

		if (!cost_is_below(own, &costs[LINE_EXCLUSIVE], FAR_FACTOR))
			continue;
		for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
			if (cost_is_known(&costs[made[i]]) &&
				costs[made[i]].ns < FAR_FACTOR * own->ns)
				return true;
		}
	}
	return false;
}

void state_check_table(const struct state_table *table,
	struct state_check_result results[STATE_CHECKS])
{
	struct state_check_result *times = &results[STATE_CHECK_TIMES];

	for (int check = 0; check < STATE_CHECKS; check++)
		results[check] = (struct state_check_result){
			.operation = LINE_LOAD, .low_ns = NAN, .high_ns = NAN};
	compare_states(
		table, times, LINE_EXCLUSIVE, LINE_IN_MEMORY, FAR_FACTOR);
	if (times->finding == STATE_FAILS)
		return;
	check_held(table, &results[STATE_CHECK_HELD]);
	check_exclusive(table, &results[STATE_CHECK_EXCLUSIVE]);
	check_clean(table, &results[STATE_CHECK_CLEAN]);
	check_shared(table,
		results[STATE_CHECK_EXCLUSIVE].finding == STATE_HOLDS,
		&results[STATE_CHECK_SHARED]);
}
