/* Describe a record of c2c states in words, using only its curves. */
#include <math.h>
#include <stdbool.h>

#include "cmd/states/cmd_states.h"
#include "util/text.h"

static const char *const states[] = {LINE_STATE_WORDS(WORDS_LIST)};
static const char *const operations[] = {LINE_OPERATION_WORDS(WORDS_LIST)};

/* Print costs that differ by less than this factor as one value. */
#define ALIKE_FACTOR 1.02

static int find_state_word(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++) {
		if (text_same(words[i], word))
			return i;
	}
	return -1;
}

static void read_states_curve(const struct curve *curve,
	struct state_cost (*costs)[LINE_OPERATIONS][LINE_STATES], int operation,
	int state, size_t *n_levels)
{
	for (size_t i = 0; i < curve->n; i++) {
		double ns = curve->median[i];
		size_t level = (size_t)curve->x[i];

		if (!(curve->x[i] >= 0 && curve->x[i] < STATE_LEVELS_MOST))
			continue;
		costs[level][operation][state] =
			(struct state_cost){ns, curve->low[i], curve->high[i]};
		if (*n_levels <= level)
			*n_levels = level + 1;
	}
}

/* Read the costs of a block of rounds, or NULL: of all rounds. */
static bool read_costs(const struct result *result, const char *block,
	struct state_table *table)
{
	const struct state_cost none = {NAN, NAN, NAN};

	table->n_levels = 0;
	for (int i = 0; i < STATE_LEVELS_MOST * LINE_OPERATIONS * LINE_STATES;
		i++)
		(&table->costs[0][0][0])[i] = none;
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve_facts *facts = &result->curves[i].facts;
		int operation = find_state_word(
			operations, LINE_OPERATIONS, facts->family);
		int state = find_state_word(states, LINE_STATES, facts->member);

		if (operation >= 0 && state >= 0 &&
			text_same(facts->variant, block))
			read_states_curve(&result->curves[i], table->costs,
				operation, state, &table->n_levels);
	}
	return table->n_levels > 0;
}

bool states_read_table(const struct result *result, struct state_table *table)
{
	return read_costs(result, NULL, table);
}

static const char *ns_text(struct arena *arena, double ns)
{
	char number[TEXT_NUMBER_BYTES];

	return arena_strdup(arena, text_number(ns, number));
}

/* Return "modified or exclusive". */
static const char *class_words(
	struct arena *arena, const struct state_class *class)
{
	const char *words = states[class->states[0]];

	for (size_t i = 1; i < class->n; i++)
		words = arena_format(arena, "%s%s%s", words,
			i + 1 < class->n ? ", " : " or ",
			states[class->states[i]]);
	return words;
}

/* Words of a check: the compared states and the conclusions. */
static const struct {
	const char *name, *low, *high;
	const char *holds, *otherwise; /* conclusions: holds, does not hold */
} check_words[STATE_CHECKS] = {
	[STATE_CHECK_TIMES] = {"evicted", "exclusive", "memory",
		"a flush evicts lines",
		"flushed lines cost no more than own lines, so c2c cannot "
		"distinguish states; this is normal on an emulated CPU"},
	[STATE_CHECK_HELD] = {"held",
		"the most expensive of modified, exclusive and shared",
		"memory", "a CPU still holds the lines that it used last",
		"a CPU no longer holds the lines that it used last"},
	[STATE_CHECK_EXCLUSIVE] = {"exclusive", "exclusive", "shared",
		"exclusive lines are not shared",
		"exclusive and shared lines have equal costs"},
	[STATE_CHECK_CLEAN] = {"clean", "exclusive", "modified",
		"exclusive lines are not modified",
		"exclusive lines may be modified"},
	[STATE_CHECK_SHARED] = {"shared", "shared", "exclusive",
		"the third CPU has a copy of shared lines",
		"loads of shared lines cost no less than loads of exclusive "
		"lines"},
};

/* Describe the values and the conclusion of a check. */
static const char *state_check_text(struct arena *arena, enum state_check check,
	const struct state_check_result *result)
{
	const char *who = "own ", *says = check_words[check].otherwise;

	if (result->finding == STATE_NOT_APPLICABLE)
		return "does not apply, because c2c did not measure its values";
	if (result->finding == STATE_HOLDS)
		says = check_words[check].holds;
	if (result->finding == STATE_TOO_FEW)
		says = "too few values: a check needs six of each state";
	if (result->level)
		who = arena_format(arena, "level %zu, ", result->level);
	return arena_format(arena, "%s%s: %s %s ns, %s %s: %s", who,
		operations[result->operation], check_words[check].low,
		ns_text(arena, result->low_ns), check_words[check].high,
		ns_text(arena, result->high_ns), says);
}

const char *states_refusal(struct arena *arena, const struct state_table *table)
{
	struct state_check_result results[STATE_CHECKS];

	state_check_table(table, results);
	for (int check = 0; check < STATE_CHECKS; check++) {
		if (results[check].finding == STATE_FAILS)
			return arena_format(arena, "check '%s' fails: %s",
				check_words[check].name,
				state_check_text(arena, (enum state_check)check,
					&results[check]));
	}
	return NULL;
}

/* Return "90", or "99 to 112" if the states differ. */
static const char *class_ns(
	struct arena *arena, const struct state_class *class)
{
	if (class->most_ns < ALIKE_FACTOR * class->least_ns)
		return ns_text(arena, (class->least_ns + class->most_ns) / 2);
	return arena_format(arena, "%s to %s", ns_text(arena, class->least_ns),
		ns_text(arena, class->most_ns));
}

/* Return "modified or exclusive 90 ns, shared 37, memory 115". */
static const char *costs_text(
	struct arena *arena, const struct state_cost costs[LINE_STATES])
{
	struct state_class classes[LINE_STATES];
	size_t n = state_classes(costs, classes);
	const char *text = NULL;

	for (size_t i = 0; i < n; i++)
		text = arena_format(arena, "%s%s%s %s%s", text ? text : "",
			text ? ", " : "", class_words(arena, &classes[i]),
			class_ns(arena, &classes[i]), i == 0 ? " ns" : "");
	return text;
}

static const struct curve *find_level_curve(
	const struct result *result, size_t level)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		if (text_same(curve->facts.test, STATES_LEVEL_TEST) &&
			curve->n && curve->x[0] == (double)level)
			return curve;
	}
	return NULL;
}

/* Print "Level 1: CPU 0 takes lines of CPU 1; short pings 14 ns, ...". */
static void print_level_heading(
	struct prose *prose, const struct result *result, size_t level)
{
	const struct curve *curve = find_level_curve(result, level);
	const unsigned *cpus = curve ? curve->cpus.cpus : NULL;

	if (level == 0 && curve && curve->cpus.n)
		prose_add(prose, PROSE_HEADING, "CPU %u itself", cpus[0]);
	else if (level && curve && curve->cpus.n > 1)
		prose_add(prose, PROSE_HEADING,
			"Level %zu: CPU %u takes lines of CPU %u; short pings "
			"%s ns, system: %s",
			level, cpus[0], cpus[1],
			ns_text(prose->arena, curve->median[0]),
			curve->facts.variant ? curve->facts.variant
					     : "unknown");
	else
		prose_add(prose, PROSE_HEADING, "Level %zu", level);
}

static bool is_unverified(enum state_finding finding)
{
	return finding == STATE_UNVERIFIED || finding == STATE_TOO_FEW;
}

/* Return a note for a row whose states are unverified, or "". */
static const char *doubt_of_row(
	size_t level, int operation, const struct state_check_result *results)
{
	if (operation == LINE_FLUSH &&
		is_unverified(results[STATE_CHECK_CLEAN].finding))
		return " (exclusive is unverified)";
	if (operation == LINE_LOAD && level &&
		is_unverified(results[STATE_CHECK_SHARED].finding))
		return " (shared is unverified)";
	return "";
}

static void print_level_costs(struct prose *prose,
	const struct state_table *table, size_t level,
	const struct state_check_result *results)
{
	for (int operation = 0; operation < LINE_OPERATIONS; operation++) {
		const char *text = costs_text(
			prose->arena, table->costs[level][operation]);

		if (text)
			prose_row(prose, operations[operation], "%s%s", text,
				doubt_of_row(level, operation, results));
	}
}

/* Print which levels have no third core. */
static void print_near_thirds(
	struct prose *prose, const struct result *result, size_t n_levels)
{
	for (size_t level = 0; level < n_levels; level++) {
		const struct curve *curve = find_level_curve(result, level);

		if (curve && curve->cpus.n == 1 + (level > 0))
			prose_add(prose, PROSE_TEXT,
				"Level %zu has no costs of shared, modified "
				"then read, because the third CPU seems to "
				"share a core with the reader or the holder.",
				level);
	}
}

static void print_checks(
	struct prose *prose, const struct state_check_result *results)
{
	static const char *const findings[] = {
		[STATE_NOT_APPLICABLE] = "",
		[STATE_HOLDS] = "holds; ",
		[STATE_UNVERIFIED] = "unverified; ",
		[STATE_TOO_FEW] = "unverified; ",
		[STATE_FAILS] = "fails; ",
	};

	prose_add(prose, PROSE_HEADING, "Checks");
	for (int check = 0; check < STATE_CHECKS; check++)
		prose_row(prose, check_words[check].name, "%s%s",
			findings[results[check].finding],
			state_check_text(prose->arena, (enum state_check)check,
				&results[check]));
}

/* Print the largest difference between the two blocks. */
static void print_blocks(struct prose *prose, const struct result *result)
{
	struct state_table first, second;
	const char *where = NULL;
	double most = 0;

	if (!read_costs(result, "first block", &first) ||
		!read_costs(result, "second block", &second))
		return;
	for (size_t level = 0; level < first.n_levels; level++) {
		for (int i = 0; i < LINE_OPERATIONS * LINE_STATES; i++) {
			double change = fabs(
				(&second.costs[level][0][0])[i].ns /
					(&first.costs[level][0][0])[i].ns -
				1);

			if (!(change > most))
				continue;
			most = change;
			where = arena_format(prose->arena,
				"%s of %s, level %zu",
				operations[i / LINE_STATES],
				states[i % LINE_STATES], level);
		}
	}
	if (where)
		prose_add(prose, PROSE_TEXT,
			"Costs in the second half of the passes differ from "
			"the first half by at most %.0f %% (%s).",
			100 * most, where);
}

void states_print_prose(struct prose *prose, const struct result *result)
{
	struct state_check_result results[STATE_CHECKS];
	struct state_table table;
	const char *refused =
		facts_text(&result->run.other, STATES_REFUSED_KEY);

	if (refused)
		prose_add(prose, PROSE_TEXT, "No costs: %s.", refused);
	if (!states_read_table(result, &table))
		return;
	state_check_table(&table, results);
	for (size_t level = 0; level < table.n_levels; level++) {
		print_level_heading(prose, result, level);
		print_level_costs(prose, &table, level, results);
	}
	if (result->cpus.n < 3)
		prose_add(prose, PROSE_TEXT,
			"There are no costs of shared, modified then read, "
			"which need a third CPU.");
	else
		print_near_thirds(prose, result, table.n_levels);
	prose_add(prose, PROSE_TEXT,
		"States with a common value or range differ by less than a "
		"tenth, or their intervals overlap.");
	print_checks(prose, results);
	print_blocks(prose, result);
}

/* Return the name of a level, or its number. */
static const char *name_level(
	struct arena *arena, const struct result *result, size_t level)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const char *name =
			curve_x_name(&result->curves[i], (double)level);

		if (name)
			return name;
	}
	return arena_format(arena, "level %zu", level);
}

const char *states_describe_loads(
	struct arena *arena, const struct result *result, size_t level)
{
	struct state_check_result results[STATE_CHECKS];
	struct state_table table;
	const char *text;

	if (!states_read_table(result, &table) || level >= table.n_levels)
		return NULL;
	state_check_table(&table, results);
	table.costs[level][LINE_LOAD][LINE_READ_BACK].ns = NAN;
	text = costs_text(arena, table.costs[level][LINE_LOAD]);
	return text ? arena_format(arena, "load, %s: %s%s",
			      name_level(arena, result, level), text,
			      doubt_of_row(level, LINE_LOAD, results))
		    : NULL;
}
