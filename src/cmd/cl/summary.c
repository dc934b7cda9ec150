/*
 * c2c cl all on one screen: a line for each test with its main figure, its
 * share of what is possible, and a verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cl/cl.h"
#include "cmd/cl/summary.h"
#include "plot/plot.h"
#include "plot/scale.h"
#include "util/text.h"

#define WHAT_BYTES 64

static bool family_is(const char *family, const char *wanted)
{
	size_t length = strlen(wanted);

	return length > 0 && wanted[length - 1] == ' '
		       ? strncmp(family, wanted, length) == 0
		       : strcmp(family, wanted) == 0;
}

static bool is_of(const struct curve *curve, const char *test,
	const struct main_figure *figure)
{
	size_t i = 0, most = sizeof(figure->members) / sizeof(char *);

	if (!text_same(curve->is.test, test) ||
		!family_is(curve->is.family, figure->family) ||
		curve->is.variant || curve->is.statistic != CURVE_MEDIAN)
		return false;
	if (!figure->members[0])
		return true;
	while (i < most && figure->members[i] &&
		strcmp(figure->members[i], curve->is.member) != 0)
		i++;
	return i < most && figure->members[i];
}

/*
 * The ceiling of point i: its curve's own, or the highest of its panel. No
 * panel has both native rates and theory.
 */
static double ceiling_of(const struct curve *curves, size_t n,
	const struct curve *curve, size_t i, const struct main_figure *figure)
{
	double most = curve->ceiling ? curve->ceiling[i] : NAN;

	for (size_t c = 0; c < n; c++) {
		const struct curve *other = &curves[c];

		if (!curve_is_bound(other) || !other->ceiling ||
			!curve_same_panel(other, curve) ||
			(other->is.statistic == CURVE_CEILING &&
				figure->ceiling &&
				strcmp(other->is.member, figure->ceiling) != 0))
			continue;
		for (size_t k = 0; k < other->n; k++) {
			if (other->x[k] == curve->x[i])
				most = fmax(most, other->ceiling[k]);
		}
	}
	return most;
}

/* What follows a family that is a beginning only. */
static const char *rest_of(const char *family, const char *beginning)
{
	size_t length = strlen(beginning);

	return strlen(family) > length ? family + length : "";
}

static struct summary_figure best_of(const struct curve *curves, size_t n,
	const char *test, const struct main_figure *figure)
{
	struct summary_figure best = {.of = "", .value = NAN, .share = NAN};
	const struct curve *from = NULL;

	for (size_t c = 0; c < n; c++) {
		const struct curve *curve = &curves[c];

		for (size_t i = 0; i < curve->n && is_of(curve, test, figure);
			i++) {
			double value = curve->median[i];

			if (isnan(value) ||
				(figure->x != 0 && curve->x[i] != figure->x) ||
				(value <= best.value &&
					(!figure->last || from == curve)))
				continue;
			best.value = value;
			best.share =
				value / ceiling_of(curves, n, curve, i, figure);
			best.unit = curve->is.y_unit;
			if (figure->last)
				best.of = rest_of(
					curve->is.family, figure->family);
			from = curve;
		}
	}
	return best;
}

struct summary_figure summary_figure_of(
	const struct curve *curves, size_t n, const struct test *test)
{
	struct summary_figure found = {.of = "", .value = NAN, .share = NAN};
	const struct main_figure *figure = test->figures;

	for (; figure->what && isnan(found.value); figure++) {
		found = best_of(curves, n, test->name, figure);
		found.what = figure->what;
	}
	return found;
}

void summary_verdict(const struct record *test, bool bound,
	char verdict[SUMMARY_VERDICT_BYTES])
{
	const struct record_list rejected = record_find(test, "rejected");
	const char *status = facts_text(&test->facts, "status");
	bool done = status && strcmp(status, "done") == 0;
	double wide = facts_number(&test->facts, "wide");

	if (rejected.n > 0)
		snprintf(verdict, SUMMARY_VERDICT_BYTES, "%s%s%zu rejected",
			done ? "" : status, done ? "" : ", ", rejected.n);
	else if (done && bound &&
		 facts_find(&test->facts, "threads_where_asked") &&
		 !facts_flag(&test->facts, "threads_where_asked"))
		snprintf(verdict, SUMMARY_VERDICT_BYTES, "threads elsewhere");
	else if (done && wide > 0)
		snprintf(verdict, SUMMARY_VERDICT_BYTES, "ok, %.0f wide", wide);
	else
		snprintf(verdict, SUMMARY_VERDICT_BYTES, "%s",
			done ? "ok" : status);
}

static void print_line(const struct curve *curves, size_t n,
	const struct record *record, bool bound)
{
	const char *name = facts_text(&record->facts, "test");
	struct summary_figure figure =
		summary_figure_of(curves, n, test_find(name));
	char value[PLOT_NUMBER_BYTES] = "-", share[PLOT_NUMBER_BYTES] = "-";
	char verdict[SUMMARY_VERDICT_BYTES], what[WHAT_BYTES];

	snprintf(what, sizeof(what), "%s%s", figure.what, figure.of);
	if (!isnan(figure.value))
		plot_fixed(value, figure.value, plot_decimals(figure.value));
	if (!isnan(figure.share))
		snprintf(share, sizeof(share), "%.0f %%", figure.share * 100);
	summary_verdict(record, bound, verdict);
	printf("%-8s %-28s %7s %-7s %6s  %s\n", name, what, value,
		figure.unit ? figure.unit : "", share, verdict);
}

/* The tests of a group under its name. Returns how many there are. */
static size_t print_group(const struct result *result,
	const struct cl_part *part, bool bound, enum test_group group,
	bool after)
{
	size_t lines = 0;

	for (size_t i = 0; i < result->run.n_tests; i++) {
		const struct record *test = &result->run.tests[i];
		const char *name = facts_text(&test->facts, "test");

		if (facts_number(&test->facts, "device.index") !=
				facts_number(&part->device, "index") ||
			test_find(name)->set != group)
			continue;
		if (lines++ == 0)
			printf("%s%-8s %-28s %15s %6s  %s\n", after ? "\n" : "",
				test_group_names[group], "main figure", "",
				"share", "verdict");
		print_line(result->curves + part->first_curve, part->n_curves,
			test, bound);
	}
	return lines;
}

void summary_print(
	const struct result *result, const struct cl_part *part, bool bound)
{
	size_t lines = 0;

	for (enum test_group group = 0; group < GROUPS; group++)
		lines += print_group(result, part, bound, group, lines > 0);
}
