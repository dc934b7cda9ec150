/*
 * What a record of c2c contend says, in words, from its curves alone.
 */
#include <math.h>
#include <stdbool.h>

#include "cmd/contend/cmd_contend.h"
#include "util/text.h"

/* The curve of a test with the operation of another; NULL: none. */
static const struct curve *find_matching_curve(const struct result *result,
	const char *test, const struct curve *like, const char *variant)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve_facts *facts = &result->curves[i].facts;

		if (text_same(facts->test, test) &&
			text_same(facts->family, like->facts.family) &&
			text_same(facts->member, like->facts.member) &&
			text_same(facts->variant, variant))
			return &result->curves[i];
	}
	return NULL;
}

/* The most CPUs for which all these curves have a value; 0: none. */
static double most_common_cpus(
	const struct curve *one, const struct curve *other)
{
	double most = 0;

	for (size_t i = 0; i < one->n; i++) {
		if (!isnan(one->median[i]) &&
			!isnan(curve_value_at(other, one->x[i])))
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
struct family_heading {
	const char *text, *family;
};

/* Before the first row of a distance. */
static void print_family_heading(struct prose *prose,
	struct family_heading *heading, const struct curve *curve,
	struct arena *arena)
{
	if (!text_same(curve->facts.family, heading->family))
		prose_heading(
			prose, arena_format(arena, "%s, %s", heading->text,
				       curve->facts.family));
	heading->family = curve->facts.family;
}

/* "162 Mops/s by one CPU, 49.9 by 16 together; one then takes 717 ns" */
static void print_word_row(struct prose *prose, const struct result *result,
	const struct curve *sum, struct family_heading *heading,
	struct arena *arena)
{
	const char *variant = sum->facts.variant;
	double most = most_common_cpus(sum, sum),
	       alone = curve_value_at(sum, 1);
	double latency = curve_value_at(
		find_matching_curve(result, "latency", sum, variant), most);
	double fair = curve_value_at(
		find_matching_curve(result, "fairness", sum, variant), most);
	struct text_list text = {0};

	if (most < 2)
		return;
	print_family_heading(prose, heading, sum, arena);
	if (!isnan(alone)) {
		add_number(&text, alone);
		text_list_add(&text, " ", "%s by one CPU,", sum->facts.y_unit);
	}
	add_number(&text, curve_value_at(sum, most));
	text_list_add(
		&text, " ", "%s by %.0f together", sum->facts.y_unit, most);
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
		variant ? arena_format(
				  arena, "%s, %s", sum->facts.member, variant)
			: sum->facts.member,
		arena_adopt(arena, text_list_end(&text)));
}

/* "8 CPUs: 53 Mops/s on one line, 1219 Mops/s on lines of their own" */
static void print_line_row(struct prose *prose, const struct result *result,
	const struct curve *line, struct family_heading *heading,
	struct arena *arena)
{
	const struct curve *own =
		find_matching_curve(result, "sharing", line, "own lines");
	struct text_list text = {0};
	double most;

	if (!own)
		return;
	most = most_common_cpus(line, own);
	if (most < 2)
		return;
	print_family_heading(prose, heading, line, arena);
	text_list_add(&text, "", "%.0f CPUs:", most);
	add_number(&text, curve_value_at(line, most));
	text_list_add(&text, " ", "%s on one line,", line->facts.y_unit);
	add_number(&text, curve_value_at(own, most));
	text_list_add(
		&text, " ", "%s on lines of their own", own->facts.y_unit);
	prose_row(prose, line->facts.member,
		arena_adopt(arena, text_list_end(&text)));
}

/* One word, or words of their own, each kind of distance under its head. */
static void print_contend_test(struct prose *prose, const struct result *result,
	bool sum, const char *text, struct arena *arena)
{
	const char *test = sum ? "sum" : "sharing";
	struct family_heading heading = {.text = text};

	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		if (!text_same(curve->facts.test, test) ||
			(!sum && curve->facts.variant))
			continue;
		(sum ? print_word_row : print_line_row)(
			prose, result, curve, &heading, arena);
	}
}

void contend_print_prose(
	struct prose *prose, const struct result *result, struct arena *arena)
{
	print_contend_test(prose, result, true, "All want one word", arena);
	print_contend_test(prose, result, false,
		"Each has a word of its own (false sharing)", arena);
}
