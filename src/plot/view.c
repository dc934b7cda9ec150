/*
 * Choosing what of a result is drawn and the order of its CPUs; captions.
 */
#include "plot/view.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "plot/scale.h"
#include "util/array.h"
#include "util/text.h"

/* Between the parts of a caption. */
#define DOT " · "

/* The matrices of a result as "latency median, latency min". */
static void list_matrices(const struct result *result, char *text, size_t bytes)
{
	size_t used = 0;

	snprintf(text, bytes, "none");
	for (size_t i = 0; i < result->n_matrices && used < bytes; i++) {
		int n = snprintf(text + used, bytes - used, "%s%s %s",
			i ? ", " : "", result->matrices[i].name,
			result->matrices[i].statistic);

		used += n > 0 ? (size_t)n : 0;
	}
}

static int no_such_matrix(const struct result *result,
	const struct plot_options *options, struct error *err)
{
	char known[512];

	list_matrices(result, known, sizeof(known));
	if (result->n_matrices == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no matrix to plot%s",
			result->n_curves ? ", only curves" : "");
	return error_set(err, ERROR_USAGE, EINVAL,
		"the result has no matrix%s%s%s with the statistic '%s'; it "
		"has: %s",
		options->name ? " '" : "", options->name ? options->name : "",
		options->name ? "'" : "",
		options->statistic ? options->statistic : "median", known);
}

/* The values of a curve that --statistic may name. */
enum curve_values {
	VALUES_MIDDLE,
	VALUES_LOW,
	VALUES_HIGH,
	VALUES_FIT,
	VALUES_CEILING,
	CURVE_VALUES,
};

static const char *const values_names[CURVE_VALUES] = {
	"median", "ci_low", "ci_high", "fit", "ceiling"};

static bool has_number(const double *values, size_t n)
{
	for (size_t i = 0; values && i < n; i++) {
		if (!isnan(values[i]))
			return true;
	}
	return false;
}

/* Whether a curve has these values; every curve may have a middle. */
static bool has_values(const struct curve *curve, enum curve_values which)
{
	switch (which) {
	case VALUES_MIDDLE:
		return curve->is.statistic != CURVE_CEILING;
	case VALUES_LOW:
		return has_number(curve->low, curve->n);
	case VALUES_HIGH:
		return has_number(curve->high, curve->n);
	case VALUES_FIT:
		return curve->fit;
	default:
		return has_number(curve->ceiling, curve->n);
	}
}

static int no_such_values(
	const struct result *result, const char *statistic, struct error *err)
{
	char known[128] = "";
	size_t used = 0;

	for (unsigned v = 0; v < CURVE_VALUES; v++) {
		bool any = false;

		for (size_t i = 0; i < result->n_curves; i++)
			any |= has_values(
				&result->curves[i], (enum curve_values)v);
		if (any)
			used += (size_t)snprintf(known + used,
				sizeof(known) - used, "%s%s", used ? ", " : "",
				values_names[v]);
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"the result has no curve with the statistic '%s'; it has: %s",
		statistic, known);
}

/* The LLC of cpu by its place among the facts, or -1. */
static long llc_of(const struct machine *machine, unsigned cpu)
{
	const struct machine_facts *facts = machine_facts(machine);

	for (size_t i = 0; i < facts->n_caches; i++) {
		if (cpu_list_find(&facts->caches[i].cpus, cpu) >= 0)
			return (long)i;
	}
	return -1;
}

static enum plot_border border_between(
	const struct machine *machine, unsigned a, unsigned b)
{
	const char *shared = machine_shared_by(machine, a, b);

	if (shared && strcmp(shared, "Machine") == 0)
		return PLOT_BORDER_MAJOR;
	if (llc_of(machine, a) != llc_of(machine, b) ||
		machine_node_of(machine, a) != machine_node_of(machine, b))
		return PLOT_BORDER_MINOR;
	return PLOT_BORDER_NONE;
}

/* How many borders are of this kind or a greater one. */
static size_t count_borders(const struct plot_view *view, enum plot_border kind)
{
	size_t count = 0;

	for (size_t i = 1; i < view->result.cpus.n; i++)
		count += view->borders[i] >= kind;
	return count;
}

/* Lines where groups begin; none of a kind that parts every two CPUs. */
static void find_borders(struct plot_view *view, const struct machine *machine)
{
	const struct cpu_list *cpus = &view->result.cpus;

	for (size_t i = 1; i < cpus->n; i++)
		view->borders[i] = border_between(
			machine, cpus->cpus[i - 1], cpus->cpus[i]);
	for (int kind = PLOT_BORDER_MINOR; kind <= PLOT_BORDER_MAJOR; kind++) {
		if (count_borders(view, (enum plot_border)kind) + 1 < cpus->n)
			continue;
		for (size_t i = 1; i < cpus->n; i++) {
			if (view->borders[i] == (enum plot_border)kind)
				view->borders[i] = PLOT_BORDER_NONE;
		}
	}
}

static int order_by_topology(struct plot_view *view, struct error *err)
{
	const char *xml = view->result.hwloc_xml;
	struct machine *machine;
	int rc;

	if (!xml)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no topology to order by, which only "
			".json files of c2c do; use --order os or the .json of "
			"that run");
	rc = machine_new_xml(&machine, xml, strlen(xml), err);
	if (rc < 0) {
		error_prefix(err, "the result's topology");
		return rc;
	}
	machine_sort_by_topology(machine, &view->result.cpus);
	find_borders(view, machine);
	machine_free(machine);
	return 0;
}

/* The order and the borders that the options give. */
static void order_as_given(
	struct plot_view *view, const struct plot_options *options)
{
	for (size_t i = 0; i < view->result.cpus.n; i++) {
		view->result.cpus.cpus[i] = options->cpus->cpus[i];
		view->borders[i] = options->borders[i];
	}
}

/* Copy the values into the order of view->result.cpus. */
static int copy_values(struct plot_view *view, const struct result *result,
	const struct matrix *matrix, struct error *err)
{
	const struct cpu_list *cpus = &view->result.cpus;
	struct matrix *copy = &view->result.matrices[view->result.n_matrices];
	size_t n = cpus->n;
	size_t *from = calloc(n + 1, sizeof(*from));

	*copy = *matrix;
	copy->values = calloc(n * n + 1, sizeof(*copy->values));
	if (!from || !copy->values) {
		free(copy->values);
		free(from);
		return error_no_memory(err, "the matrix to plot");
	}
	view->result.n_matrices++;
	for (size_t i = 0; i < n; i++)
		from[i] = (size_t)cpu_list_find(&result->cpus, cpus->cpus[i]);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++)
			copy->values[i * n + j] =
				matrix->values[from[i] * n + from[j]];
	}
	free(from);
	return 0;
}

/* Whether one scale and one caption serve both. */
static bool are_alike(const struct matrix *a, const struct matrix *b)
{
	const char *first = a->quantity ? a->quantity : "";
	const char *second = b->quantity ? b->quantity : "";

	return strcmp(a->unit, b->unit) == 0 && strcmp(first, second) == 0 &&
	       a->higher_is_better == b->higher_is_better;
}

/* The matrices that options choose of those with the names in the result. */
static int take_matrices(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	const struct matrix *first =
		result_find_matrix(result, options->name, options->statistic);
	int rc = 0;

	if (!first)
		return no_such_matrix(result, options, err);
	view->statistic = first->statistic;
	view->result.matrices = calloc(result->n_matrices, sizeof(*first));
	if (!view->result.matrices)
		return error_no_memory(err, "the matrices to plot");
	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		/* The first of its name that has the statistic. */
		if ((!options->name ||
			    strcmp(matrix->name, options->name) == 0) &&
			are_alike(matrix, first) &&
			matrix == result_find_matrix(result, matrix->name,
					  first->statistic))
			rc = copy_values(view, result, matrix, err);
	}
	return rc;
}

/* The tests of a result: "stride, local". */
static void list_tests(const struct result *result, char *text, size_t bytes)
{
	size_t used = 0;

	for (size_t i = 0; i < result->n_curves && used < bytes; i++) {
		const char *test = result->curves[i].is.test;
		bool said = !test;
		int n;

		for (size_t j = 0; j < i && !said; j++)
			said = result->curves[j].is.test &&
			       strcmp(result->curves[j].is.test, test) == 0;
		if (said)
			continue;
		n = snprintf(text + used, bytes - used, "%s%s",
			used ? ", " : "", test);
		used += n > 0 ? (size_t)n : 0;
	}
}

static int no_such_test(
	const struct result *result, const char *test, struct error *err)
{
	char known[512] = "";

	list_tests(result, known, sizeof(known));
	if (!*known)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result has no test '%s'; only results of 'c2c "
			"cl' have tests",
			test);
	return error_set(err, ERROR_USAGE, EINVAL,
		"the result has no test '%s'; it has: %s", test, known);
}

/* Panels of several units have no range in common. */
static int check_range(const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const struct result *drawn = &view->result;
	const struct curve *first = drawn->curves;

	if (isnan(options->range_min))
		return 0;
	for (size_t i = 0; i < drawn->n_curves; i++) {
		const struct curve *curve = &drawn->curves[i];

		if (strcmp(curve->is.y_unit, first->is.y_unit) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--range is for curves of one unit, not of %s "
				"and %s",
				first->is.y_unit, curve->is.y_unit);
	}
	return 0;
}

/* The rates of a fit at the points of its curve. */
static int take_fit(
	struct plot_view *view, struct curve *curve, struct error *err)
{
	double *values = calloc(curve->n + 1, sizeof(*values));

	if (!values ||
		!array_grow(&view->fitted, view->n_fitted, sizeof(values))) {
		free(values);
		return error_no_memory(err, "a fit");
	}
	view->fitted[view->n_fitted++] = values;
	for (size_t i = 0; i < curve->n; i++)
		values[i] = curve_fit_at(curve->fit, curve->x[i]);
	curve->median = values;
	return 0;
}

/* The curve with the values that are drawn as its middle, and none beside. */
static int take_curve(struct plot_view *view, const struct curve *from,
	enum curve_values which, struct error *err)
{
	struct curve *curve = &view->result.curves[view->result.n_curves];

	*curve = *from;
	if (which == VALUES_LOW)
		curve->median = curve->low;
	if (which == VALUES_HIGH)
		curve->median = curve->high;
	if (which == VALUES_CEILING)
		curve->median = curve->ceiling;
	if (which == VALUES_FIT && take_fit(view, curve, err) < 0)
		return -ENOMEM;
	if (which != VALUES_MIDDLE) {
		curve->low = NULL;
		curve->high = NULL;
		curve->ceiling = NULL;
		curve->fit = NULL;
	}
	view->result.n_curves++;
	return 0;
}

/* Bring the curves of a panel together, in the order of the first of each. */
static int group_panels(struct plot_view *view, struct error *err)
{
	struct curve *curves = view->result.curves;
	size_t n = view->result.n_curves;

	view->panels = calloc(n, sizeof(*view->panels));
	if (!view->panels)
		return error_no_memory(err, "the curves to plot");
	for (size_t first = 0, end; first < n; first = end) {
		end = first + 1;
		for (size_t i = end; i < n; i++) {
			struct curve curve = curves[i];

			if (!curve_same_panel(&curve, &curves[first]))
				continue;
			memmove(&curves[end + 1], &curves[end],
				(i - end) * sizeof(curve));
			curves[end++] = curve;
		}
		view->panels[view->n_panels++] =
			(struct plot_panel){&curves[first], end - first};
	}
	return 0;
}

static int take_curves(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	const char *wanted =
		options->statistic ? options->statistic : values_names[0];
	unsigned which = 0;
	bool any = false;
	int rc = 0;

	if (result->n_curves == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no %s to plot",
			result->n_matrices ? "curves" : "matrix and no curves");
	view->result.curves =
		calloc(result->n_curves, sizeof(*view->result.curves));
	if (!view->result.curves)
		return error_no_memory(err, "the curves to plot");
	while (which < CURVE_VALUES && strcmp(values_names[which], wanted) != 0)
		which++;
	for (size_t i = 0; i < result->n_curves && rc == 0; i++) {
		const struct curve *curve = &result->curves[i];
		const char *test = curve->is.test ? curve->is.test : "";

		if (options->test && strcmp(test, options->test) != 0)
			continue;
		any = true;
		/* What is a ceiling alone is drawn beside the middle. */
		if (which < CURVE_VALUES &&
			(which == VALUES_MIDDLE ||
				has_values(curve, (enum curve_values)which)))
			rc = take_curve(
				view, curve, (enum curve_values)which, err);
	}
	if (rc < 0)
		return rc;
	if (!any)
		return no_such_test(result, options->test, err);
	if (view->result.n_curves == 0)
		return no_such_values(result, wanted, err);
	view->statistic = values_names[which];
	rc = check_range(view, options, err);
	return rc < 0 ? rc : group_panels(view, err);
}

int plot_view_init(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	bool series = options->series || options->test ||
		      (result->n_matrices == 0 && !options->name);
	size_t n = result->cpus.n;
	int rc = 0;

	*view = (struct plot_view){.result = *result, .test = options->test};
	view->result.cpus = (struct cpu_list){0};
	view->result.matrices = NULL;
	view->result.n_matrices = 0;
	view->result.curves = NULL;
	view->result.n_curves = 0;
	view->borders = calloc(n + 1, sizeof(*view->borders));
	if (!view->borders)
		rc = error_no_memory(err, "the order of CPUs");
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = cpu_list_add(
			&view->result.cpus, result->cpus.cpus[i], err);
	if (rc == 0 && series && options->order == PLOT_ORDER_TOPOLOGY)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--order topology is for matrices, and these are "
			"curves");
	if (rc == 0 && series)
		rc = take_curves(view, result, options, err);
	if (rc == 0 && !series && options->order == PLOT_ORDER_TOPOLOGY)
		rc = order_by_topology(view, err);
	if (rc == 0 && !series && options->order == PLOT_ORDER_GIVEN)
		order_as_given(view, options);
	if (rc == 0 && !series)
		rc = take_matrices(view, result, options, err);
	if (rc < 0)
		plot_view_release(view);
	return rc;
}

void plot_view_release(struct plot_view *view)
{
	for (size_t i = 0; i < view->result.n_matrices; i++)
		free(view->result.matrices[i].values);
	free(view->result.matrices);
	free(view->result.curves);
	free(view->panels);
	for (size_t i = 0; i < view->n_fitted; i++)
		free(view->fitted[i]);
	free(view->fitted);
	cpu_list_release(&view->result.cpus);
	free(view->borders);
	view->result.matrices = NULL;
	view->result.n_matrices = 0;
	view->result.curves = NULL;
	view->result.n_curves = 0;
	view->panels = NULL;
	view->borders = NULL;
}

/* The device that was measured, unless it is the machine's CPUs; or NULL. */
static const char *device_of(const struct result *result)
{
	const struct facts *run = &result->run.other;
	const char *type = facts_text(run, "device_type");

	return type && strcmp(type, "cpu") == 0 ? NULL
						: facts_text(run, "device");
}

char *plot_caption_machine(const struct plot_view *view)
{
	static const char *const keys[] = {
		"cpu_model", "hostname", "hypervisor"};
	const char *device = device_of(&view->result);
	struct text_list caption = {0};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text =
			i == 0 && device
				? device
				: facts_text(&view->result.machine, keys[i]);

		if (text && *text)
			text_list_add(&caption, DOT, "%s", text);
	}
	return text_list_end(&caption);
}

/*
 * "one-way latency, median [ns]", "writer and reader rate, median [GiB/s]",
 * "copy rate with page faults, ...".
 */
static void add_matrices(struct text_list *caption, const struct result *drawn)
{
	const char *quantity = drawn->matrices->quantity;
	bool rate = quantity && strncmp(quantity, "rate", 4) == 0;
	size_t n = drawn->n_matrices;

	text_list_add(caption, DOT, "%s%s", quantity && !rate ? quantity : "",
		quantity && *quantity && !rate ? " " : "");
	for (size_t i = 0; caption->out && i < n; i++)
		fprintf(caption->out, "%s%s",
			i == 0	     ? ""
			: i == n - 1 ? " and "
				     : ", ",
			drawn->matrices[i].name);
	if (caption->out)
		fprintf(caption->out, "%s%s, %s [%s]", rate ? " " : "",
			rate ? quantity : "", drawn->matrices->statistic,
			drawn->matrices->unit);
}

char *plot_x_title(const struct curve *curve)
{
	const struct curve_facts *is = &curve->is;

	if (!is->x_unit || is->x_axis == CURVE_BYTES)
		return strdup(is->x_name);
	return text_format("%s [%s]", is->x_name, is->x_unit);
}

/* Tables of several axes have titles of their own. */
static void add_curves(struct text_list *caption, const struct plot_view *view)
{
	const struct curve *curve = view->result.curves;

	if (view->n_panels > 1) {
		text_list_add(caption, DOT, "%s", view->statistic);
		return;
	}
	text_list_add(caption, DOT, "%s, %s [%s]", curve->is.family,
		view->statistic, curve->is.y_unit);
}

/* A setting in the brackets after the command, " (" before the first. */
static void add_setting(
	struct text_list *caption, const char **before, const char *text)
{
	fprintf(caption->out, "%s%s", *before, text);
	*before = ", ";
}

/* What a figure means nothing without: " (cold, 512 B chunks)". */
static void add_settings(
	struct text_list *caption, const struct plot_view *view)
{
	const struct facts *options = &view->result.options;
	static const struct {
		const char *key, *after;
	} sizes[] = {{"chunk_bytes", " chunks"}, {"size_bytes", ""}};
	const char *method =
		view->test ? view->test : facts_text(options, "method");
	const char *platform = facts_text(&view->result.run.other, "platform");
	const char *before = " (";

	if (!caption->out)
		return;
	if (method)
		add_setting(caption, &before, method);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double size = facts_number(options, sizes[i].key);
		char text[PLOT_NUMBER_BYTES];

		if (isnan(size))
			continue;
		plot_bytes(text, size);
		add_setting(caption, &before, text);
		fputs(sizes[i].after, caption->out);
	}
	if (*before == ',')
		putc(')', caption->out);
	if (platform)
		fprintf(caption->out, " through %s", platform);
}

char *plot_caption_bar(const struct plot_view *view)
{
	const struct matrix *first = view->result.matrices;
	struct text_list caption = {0};

	if (view->result.n_matrices == 1)
		add_matrices(&caption, &view->result);
	else
		text_list_add(&caption, DOT, "%s, %s [%s]",
			first->quantity ? first->quantity : "value",
			first->statistic, first->unit);
	return text_list_end(&caption);
}

char *plot_caption_method(const struct plot_view *view)
{
	const struct result *result = &view->result;
	int64_t n = result->run.passes;
	struct text_list caption = {0};

	/* Imported files do not say what tool they come from. */
	if (result->command && result->tool.n) {
		text_list_add(&caption, DOT, "c2c %s", result->command);
		add_settings(&caption, view);
	}
	if (result->n_matrices > 0)
		add_matrices(&caption, result);
	else
		add_curves(&caption, view);
	if (n >= 0)
		text_list_add(&caption, DOT, "%lld %s", (long long)n,
			n == 1 ? "pass" : "passes");
	if (!result->complete)
		text_list_add(&caption, DOT, "incomplete");
	if (result->started)
		text_list_add(&caption, DOT, "%.10s", result->started);
	return text_list_end(&caption);
}

const char *plot_role(const struct plot_view *view, bool second)
{
	static const struct {
		const char *command, *roles[2];
	} known[] = {
		{"latency", {"CPU (ping)", "CPU (pong)"}},
		{"queue", {"CPU (writer)", "CPU (reader)"}},
		{"memcpy", {"CPU (source)", "CPU (copier)"}},
	};
	const char *command = view->result.command;

	if (view->result.matrices->symmetric)
		return "CPU";
	for (size_t i = 0; command && i < sizeof(known) / sizeof(known[0]);
		i++) {
		if (strcmp(command, known[i].command) == 0)
			return known[i].roles[second];
	}
	return second ? "second CPU" : "first CPU";
}
