/*
 * Print c2c cl all on one screen: a line for each test with its main figure,
 * the share of the ceiling, and a verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cl/cl_summary.h"
#include "cmd/cl/cmd_cl.h"
#include "figure/colour_scale.h"
#include "render/plot.h"
#include "util/text.h"
#include "util/text_table.h"

static bool family_is(const char *family, const char *wanted)
{
	size_t length = strlen(wanted);

	return length > 0 && wanted[length - 1] == ' '
		       ? strncmp(family, wanted, length) == 0
		       : strcmp(family, wanted) == 0;
}

static bool is_figure_curve(const struct curve *curve, const char *test,
	const struct main_figure *figure)
{
	size_t i = 0, most = sizeof(figure->members) / sizeof(char *);

	if (!text_same(curve->facts.test, test) ||
		!family_is(curve->facts.family, figure->family) ||
		curve->facts.variant || curve->facts.statistic != CURVE_MEDIAN)
		return false;
	if (!figure->members[0])
		return true;
	while (i < most && figure->members[i] &&
		strcmp(figure->members[i], curve->facts.member) != 0)
		i++;
	return i < most && figure->members[i];
}

/*
 * Return the ceiling of point i: the ceiling of its curve, or the highest
 * ceiling of its panel. No panel has ceilings of both native rates and theory.
 */
static double ceiling_of(const struct curve *curves, size_t n,
	const struct curve *curve, size_t i, const struct main_figure *figure)
{
	double most = curve->ceiling ? curve->ceiling[i] : NAN;

	for (size_t c = 0; c < n; c++) {
		const struct curve *other = &curves[c];

		if (!curve_is_bound(other) || !other->ceiling ||
			!curve_same_panel(other, curve) ||
			(other->facts.statistic == CURVE_CEILING &&
				figure->ceiling &&
				strcmp(other->facts.member, figure->ceiling) !=
					0))
			continue;
		for (size_t k = 0; k < other->n; k++) {
			if (other->x[k] == curve->x[i])
				most = fmax(most, other->ceiling[k]);
		}
	}
	return most;
}

static struct cl_summary_figure find_best_figure(const struct curve *curves,
	size_t n, const char *test, const struct main_figure *figure)
{
	struct cl_summary_figure best = {.of = "", .value = NAN, .share = NAN};
	const struct curve *from = NULL;

	for (size_t c = 0; c < n; c++) {
		const struct curve *curve = &curves[c];

		for (size_t i = 0;
			i < curve->n && is_figure_curve(curve, test, figure);
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
			best.unit = curve->facts.y_unit;
			/* The part of the curve's name after the prefix. */
			if (figure->last)
				best.of = curve->facts.family +
					  strlen(figure->family);
			from = curve;
		}
	}
	return best;
}

struct cl_summary_figure cl_summary_find_figure(
	const struct curve *curves, size_t n, const struct test *test)
{
	struct cl_summary_figure found = {.of = "", .value = NAN, .share = NAN};
	const struct main_figure *figure = test->figures;

	for (; figure->what && isnan(found.value); figure++) {
		found = find_best_figure(curves, n, test->name, figure);
		found.what = figure->what;
	}
	return found;
}

const char *fact_or_unknown(const struct facts *facts, const char *key)
{
	const char *text = facts_text(facts, key);

	return text ? text : "unknown";
}

void cl_summary_verdict(const struct record *test, bool bound,
	char verdict[CL_SUMMARY_VERDICT_BYTES])
{
	const struct record_list rejected = record_find_list(test, "rejected");
	const char *status = fact_or_unknown(&test->facts, "status");
	bool done = text_same(status, "done");
	double wide = facts_number(&test->facts, "wide");

	if (rejected.n > 0)
		snprintf(verdict, CL_SUMMARY_VERDICT_BYTES, "%s%s%zu rejected",
			done ? "" : status, done ? "" : ", ", rejected.n);
	else if (done && bound &&
		 facts_find(&test->facts, "threads_where_asked") &&
		 !facts_flag(&test->facts, "threads_where_asked"))
		snprintf(
			verdict, CL_SUMMARY_VERDICT_BYTES, "threads elsewhere");
	else if (done && wide > 0)
		snprintf(verdict, CL_SUMMARY_VERDICT_BYTES, "ok, %.0f wide",
			wide);
	else
		snprintf(verdict, CL_SUMMARY_VERDICT_BYTES, "%s",
			done ? "ok" : status);
}

/* Return the test of a record; NULL if this version of c2c lacks it. */
static const struct test *test_of_record(const struct record *record)
{
	const char *name = facts_text(&record->facts, "test");

	return name ? test_find(name) : NULL;
}

/* The printed shares: of native rates, of theory, and above 100 %. */
struct printed_shares {
	bool native, theory, exceeded;
};

static void add_line(struct text_list *table, const struct result *result,
	const struct cl_part *part, const struct test *test,
	const struct record *record, bool bound, struct printed_shares *shares)
{
	struct cl_summary_figure figure = cl_summary_find_figure(
		result->curves + part->first_curve, part->n_curves, test);
	bool cpu = text_same(facts_text(&record->facts, "device.type"), "cpu");
	char value[PLOT_NUMBER_BYTES];
	char verdict[CL_SUMMARY_VERDICT_BYTES];

	shares->native |= cpu && !isnan(figure.share);
	shares->theory |= !cpu && !isnan(figure.share);
	shares->exceeded |= cpu && figure.share >= 1.005;
	cl_summary_verdict(record, bound, verdict);
	text_list_add(table, "\n", "%s\t%s%s\t%s\t%s\t%.0f%s\t%s", test->name,
		figure.what, figure.of,
		plot_format_figures(value, figure.value),
		figure.unit ? figure.unit : "", figure.share * 100,
		isnan(figure.share) ? "" : " %", verdict);
}

char *cl_summary_text(const struct result *result, const struct cl_part *part,
	const struct test *test, bool bound)
{
	struct cl_summary_figure figure = cl_summary_find_figure(
		result->curves + part->first_curve, part->n_curves, test);
	struct text_list list = {.text = NULL};
	char value[PLOT_NUMBER_BYTES], verdict[CL_SUMMARY_VERDICT_BYTES];

	cl_summary_verdict(
		&result->run.tests[result->run.n_tests - 1], bound, verdict);
	if (!isnan(figure.value))
		text_list_add(&list, "", "%s%s: %s %s", figure.what, figure.of,
			plot_format_figures(value, figure.value), figure.unit);
	if (!isnan(figure.share))
		text_list_add(&list, "", ", %.0f %% of %s", figure.share * 100,
			text_same(facts_text(&part->device, "type"), "cpu")
				? "its ceiling"
				: "theory");
	text_list_add(&list, "; ", "%s", verdict);
	return text_list_end(&list);
}

/* Print the tests of a group below its name. Return whether there are any. */
static bool print_group(FILE *out, const struct result *result,
	const struct cl_part *part, bool bound, enum test_group group,
	bool after, struct printed_shares *shares)
{
	struct text_list table = {.text = NULL};
	bool any = false;

	text_list_add(&table, "",
		"%s<8\t main figure<28\t >7\t <7\t share>6\t  verdict<",
		test_group_names[group]);
	for (size_t i = 0; i < result->run.n_tests; i++) {
		const struct record *record = &result->run.tests[i];
		const struct test *test = test_of_record(record);

		if (facts_number(&record->facts, "device.index") !=
				facts_number(&part->device, "index") ||
			!test || test->set != group)
			continue;
		any = true;
		add_line(&table, result, part, test, record, bound, shares);
	}
	fputs(any && after ? "\n" : "", out);
	text_table_print(out, &table, "-", SIZE_MAX);
	return any;
}

/* Return a test's part. Curves of one device do not name it. */
static struct cl_part device_part_of_test(
	const struct result *result, const struct record *test)
{
	struct cl_part part = {.device = record_object(test, "device")};
	char name[CL_NAME_BYTES];
	size_t end;

	cl_name_device(&part.device, name);
	while (part.first_curve < result->n_curves &&
		result->curves[part.first_curve].facts.device &&
		strcmp(result->curves[part.first_curve].facts.device, name) !=
			0)
		part.first_curve++;
	end = part.first_curve;
	while (end < result->n_curves &&
		(!result->curves[end].facts.device ||
			strcmp(result->curves[end].facts.device, name) == 0))
		end++;
	part.n_curves = end - part.first_curve;
	return part;
}

static void print_foot(FILE *out, const struct printed_shares *shares)
{
	if (shares->native || shares->theory)
		fprintf(out, "\nshare: %s%s; -: not known\n",
			shares->native ? "of the native rate of the same CPUs"
				       : "",
			!shares->theory	 ? ""
			: shares->native ? ", or of the theoretical rate of "
					   "other devices"
					 : "of the device's theoretical rate");
	else
		fputs("\nshare: not known\n", out);
	if (shares->exceeded)
		fputs("over 100 %: the machine was slower when c2c measured "
		      "the ceiling\n",
			out);
}

void cl_summary_print(FILE *out, const struct result *result, bool bound)
{
	struct printed_shares shares = {false, false, false};
	double printed = NAN;

	if (!text_same(facts_text(&result->options, "method"), "all") ||
		opencl_available(NULL) < 0)
		return;
	for (size_t i = 0; i < result->run.n_tests; i++) {
		const struct record *test = &result->run.tests[i];
		double index = facts_number(&test->facts, "device.index");
		struct cl_part part;
		bool any = false;

		/* The tests of a device are in a row. */
		if (!test_of_record(test) || isnan(index) || index == printed)
			continue;
		part = device_part_of_test(result, test);
		fprintf(out, "%s%s, %s\n\n", isnan(printed) ? "" : "\n",
			fact_or_unknown(&part.device, "name"),
			fact_or_unknown(&part.device, "platform"));
		printed = index;
		for (enum test_group group = 0; group < GROUPS; group++)
			any |= print_group(
				out, result, &part, bound, group, any, &shares);
	}
	if (!isnan(printed))
		print_foot(out, &shares);
}
