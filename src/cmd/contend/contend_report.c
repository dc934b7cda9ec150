/*
 * What a record of c2c contend says, in words, from its curves alone.
 */
#include <math.h>
#include <stdbool.h>

#include "cmd/contend/cmd_contend.h"
#include "util/text.h"

/* The curve of a test with the operation of another; NULL: none. */
static const struct curve *find(const struct result *result, const char *test,
	const struct curve *like, const char *variant)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve_facts *is = &result->curves[i].is;

		if (text_same(is->test, test) &&
			text_same(is->family, like->is.family) &&
			text_same(is->member, like->is.member) &&
			text_same(is->variant, variant))
			return &result->curves[i];
	}
	return NULL;
}

static double value_at(const struct curve *curve, double x)
{
	for (size_t i = 0; curve && i < curve->n; i++) {
		if (curve->x[i] == x)
			return curve->median[i];
	}
	return NAN;
}

/* The most CPUs for which all these curves have a value; 0: none. */
static double most_cpus(const struct curve *one, const struct curve *other)
{
	double most = 0;

	for (size_t i = 0; i < one->n; i++) {
		if (!isnan(one->median[i]) &&
			!isnan(value_at(other, one->x[i])))
			most = fmax(most, one->x[i]);
	}
	return most;
}

static void add_number(struct text_list *text, double value)
{
	char number[TEXT_NUMBER_BYTES];

	text_list_add(text, " ", "%s", text_number(value, number));
}

/* The head of the curves of a distance, and the last one that began. */
struct head {
	const char *text, *family;
};

/* Before the first row of a distance. */
static void begin_family(struct prose *prose, struct head *head,
	const struct curve *curve, struct arena *arena)
{
	if (!text_same(curve->is.family, head->family))
		prose_head(prose, arena_format(arena, "%s, %s", head->text,
					  curve->is.family));
	head->family = curve->is.family;
}

/* "162 Mops/s by one CPU, 49.9 by 16 together; one then takes 717 ns" */
static void say_word(struct prose *prose, const struct result *result,
	const struct curve *sum, struct head *head, struct arena *arena)
{
	const char *variant = sum->is.variant;
	double most = most_cpus(sum, sum), alone = value_at(sum, 1);
	double latency = value_at(find(result, "latency", sum, variant), most);
	double fair = value_at(find(result, "fairness", sum, variant), most);
	struct text_list text = {0};

	if (most < 2)
		return;
	begin_family(prose, head, sum, arena);
	if (!isnan(alone)) {
		add_number(&text, alone);
		text_list_add(&text, " ", "%s by one CPU,", sum->is.y_unit);
	}
	add_number(&text, value_at(sum, most));
	text_list_add(&text, " ", "%s by %.0f together", sum->is.y_unit, most);
	if (!isnan(latency)) {
		text_list_add(&text, "; ", "one then takes");
		add_number(&text, latency);
		text_list_add(&text, " ", "ns");
	}
	if (!isnan(fair))
		text_list_add(&text, "; ",
			"the slowest CPU gets %.0f %% of what the fastest gets",
			100 * fair);
	prose_row(prose,
		variant ? arena_format(arena, "%s, %s", sum->is.member, variant)
			: sum->is.member,
		arena_adopt(arena, text_list_end(&text)));
}

/* "8 CPUs: 53 Mops/s on one line, 1219 Mops/s on lines of their own" */
static void say_line(struct prose *prose, const struct result *result,
	const struct curve *line, struct head *head, struct arena *arena)
{
	const struct curve *own = find(result, "sharing", line, "own lines");
	struct text_list text = {0};
	double most;

	if (!own)
		return;
	most = most_cpus(line, own);
	if (most < 2)
		return;
	begin_family(prose, head, line, arena);
	text_list_add(&text, "", "%.0f CPUs:", most);
	add_number(&text, value_at(line, most));
	text_list_add(&text, " ", "%s on one line,", line->is.y_unit);
	add_number(&text, value_at(own, most));
	text_list_add(&text, " ", "%s on lines of their own", own->is.y_unit);
	prose_row(prose, line->is.member,
		arena_adopt(arena, text_list_end(&text)));
}

/* One word, or words of their own, each kind of distance under its head. */
static void say_test(struct prose *prose, const struct result *result, bool sum,
	const char *text, struct arena *arena)
{
	const char *test = sum ? "sum" : "sharing";
	struct head head = {.text = text};

	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		if (!text_same(curve->is.test, test) ||
			(!sum && curve->is.variant))
			continue;
		(sum ? say_word : say_line)(prose, result, curve, &head, arena);
	}
}

void contend_tell(
	struct prose *prose, const struct result *result, struct arena *arena)
{
	say_test(prose, result, true, "All want one word", arena);
	say_test(prose, result, false,
		"Each has a word of its own (false sharing)", arena);
}
