/* Describe a record of c2c contend in words, from its curves. */
#include <math.h>
#include <stdbool.h>

#include "cmd/contend/cmd_contend.h"
#include "util/text.h"

/* Return the curve of a test with the operation of this curve, or NULL. */
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

/* Return the most CPUs for which both curves have a value; 0: none. */
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

static const char *number_text(struct prose *prose, double value)
{
	char number[TEXT_NUMBER_BYTES];

	return arena_strdup(prose->arena, text_number(value, number));
}

/* Print "162 Mops/s by one CPU, 49.9 by 16 together", latency and fairness. */
static void print_word_row(struct prose *prose, const struct result *result,
	const struct curve *sum, double most)
{
	const char *variant = sum->facts.variant, *unit = sum->facts.y_unit;
	const char *by_one = "", *takes = "", *gets = "";
	double alone = curve_value_at(sum, 1);
	double latency = curve_value_at(
		find_matching_curve(result, "latency", sum, variant), most);
	double fair = curve_value_at(
		find_matching_curve(result, "fairness", sum, variant), most);

	if (!isnan(alone))
		by_one = arena_format(prose->arena, "%s %s by one CPU, ",
			number_text(prose, alone), unit);
	if (!isnan(latency))
		takes = arena_format(prose->arena,
			"; an operation by one of %.0f CPUs takes %s ns", most,
			number_text(prose, latency));
	if (!isnan(fair))
		gets = arena_format(prose->arena,
			"; the slowest CPU reaches %.0f %% of the rate of the "
			"fastest",
			100 * fair);
	prose_row(prose,
		variant ? arena_format(prose->arena, "%s, %s",
				  sum->facts.member, variant)
			: sum->facts.member,
		"%s%s %s by %.0f together%s%s", by_one,
		number_text(prose, curve_value_at(sum, most)), unit, most,
		takes, gets);
}

/* Print the results for one word, or for separate words, by distance. */
static void print_contend_test(struct prose *prose, const struct result *result,
	bool sum, const char *heading)
{
	const char *family = NULL;

	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i], *own = curve;
		double most;

		if (!text_same(curve->facts.test, sum ? "sum" : "sharing") ||
			(!sum && curve->facts.variant))
			continue;
		if (!sum)
			own = find_matching_curve(
				result, "sharing", curve, "own lines");
		if (!own)
			continue;
		most = most_common_cpus(curve, own);
		if (most < 2)
			continue;
		if (!text_same(curve->facts.family, family))
			prose_add(prose, PROSE_HEADING, "%s, %s", heading,
				curve->facts.family);
		family = curve->facts.family;
		if (sum)
			print_word_row(prose, result, curve, most);
		else
			prose_row(prose, curve->facts.member,
				"%.0f CPUs: %s %s on one line, %s %s on "
				"separate lines",
				most,
				number_text(prose, curve_value_at(curve, most)),
				curve->facts.y_unit,
				number_text(prose, curve_value_at(own, most)),
				own->facts.y_unit);
	}
}

void contend_print_prose(struct prose *prose, const struct result *result)
{
	print_contend_test(prose, result, true, "All CPUs use one word");
	print_contend_test(
		prose, result, false, "Separate words (false sharing)");
}
