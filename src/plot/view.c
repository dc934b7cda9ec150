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
			result->n_series ? ", only curves" : "");
	return error_set(err, ERROR_USAGE, EINVAL,
		"the result has no matrix%s%s%s with the statistic '%s'; it "
		"has: %s",
		options->name ? " '" : "", options->name ? options->name : "",
		options->name ? "'" : "",
		options->statistic ? options->statistic : "median", known);
}

static int no_such_series(
	const struct result *result, const char *statistic, struct error *err)
{
	char known[512] = "";
	size_t used = 0;

	/* Each statistic once: there is one series of it for every curve. */
	for (size_t i = 0; i < result->n_series && used < sizeof(known); i++) {
		const char *name = result->series[i].y_statistic;
		bool said = false;
		int n;

		for (size_t j = 0; j < i; j++)
			said |= strcmp(result->series[j].y_statistic, name) ==
				0;
		if (said)
			continue;
		n = snprintf(known + used, sizeof(known) - used, "%s%s",
			used ? ", " : "", name);
		used += n > 0 ? (size_t)n : 0;
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

/* The first series of that statistic; NULL: of medians, else the first. */
static const struct series *find_series(
	const struct result *result, const char *statistic)
{
	for (size_t i = 0; i < result->n_series; i++) {
		if (strcmp(result->series[i].y_statistic,
			    statistic ? statistic : "median") == 0)
			return &result->series[i];
	}
	return statistic ? NULL : result->series;
}

/* The test that a record of 'c2c cl' is of, "all" for all; or NULL. */
static const char *method_of(const struct result *result)
{
	return result->command && strcmp(result->command, "cl") == 0
		       ? facts_text(&result->options, "method")
		       : NULL;
}

/* Bytes of the test in "TEST: WHAT", as curves of all tests show; or 0. */
static size_t test_bytes(const struct series *series)
{
	const char *end = strstr(series->y_name, ": ");

	return end ? (size_t)(end - series->y_name) : 0;
}

static bool is_of_test(const struct series *series, const char *test)
{
	size_t n = test_bytes(series);

	return n > 0 && n == strlen(test) &&
	       strncmp(series->y_name, test, n) == 0;
}

static int no_such_test(
	const struct result *result, const char *test, struct error *err)
{
	const char *method = method_of(result);
	char known[512] = "";
	size_t used = 0;

	if (!method)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result has no curves of a test '%s', which only "
			"those of 'c2c cl' have",
			test);
	if (strcmp(method, "all") != 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result has no test '%s'; it has: %s", test,
			method);
	for (size_t i = 0; i < result->n_series && used < sizeof(known); i++) {
		const struct series *series = &result->series[i];
		bool said = false;
		int n;

		for (size_t j = 0; j < i && !said; j++)
			said = test_bytes(series) ==
				       test_bytes(&result->series[j]) &&
			       strncmp(series->y_name, result->series[j].y_name,
				       test_bytes(series)) == 0;
		if (said)
			continue;
		n = snprintf(known + used, sizeof(known) - used, "%s%.*s",
			used ? ", " : "", (int)test_bytes(series),
			series->y_name);
		used += n > 0 ? (size_t)n : 0;
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"the result has no test '%s'; it has: %s", test, known);
}

/* Panels of several units have no range in common. */
static int check_range(const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const struct result *drawn = &view->result;
	const struct series *first = find_series(drawn, view->statistic);

	if (isnan(options->range_min) || !method_of(drawn))
		return 0;
	for (size_t i = 0; i < drawn->n_series; i++) {
		const struct series *series = &drawn->series[i];

		if (strcmp(series->y_statistic, view->statistic) == 0 &&
			strcmp(series->y_unit, first->y_unit) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--range is for curves of one unit, not of %s "
				"and %s",
				first->y_unit, series->y_unit);
	}
	return 0;
}

static int take_series(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	const char *method = method_of(result);
	const struct series *first;
	bool all;

	if (result->n_series == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no %s to plot",
			result->n_matrices ? "curves" : "matrix and no curves");
	view->result.series = calloc(result->n_series, sizeof(*first));
	if (!view->result.series)
		return error_no_memory(err, "the curves to plot");
	all = !options->test || (method && strcmp(method, "all") != 0 &&
					strcmp(method, options->test) == 0);
	for (size_t i = 0; i < result->n_series; i++) {
		const struct series *series = &result->series[i];

		if (all || is_of_test(series, options->test))
			view->result.series[view->result.n_series++] = *series;
	}
	if (view->result.n_series == 0)
		return no_such_test(result, options->test, err);
	first = find_series(&view->result, options->statistic);
	if (!first)
		return no_such_series(result, options->statistic, err);
	view->statistic = first->y_statistic;
	return check_range(view, options, err);
}

int plot_view_init(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	bool series = options->series || options->test ||
		      (result->n_matrices == 0 && !options->name);
	size_t n = result->cpus.n;
	int rc = 0;

	*view = (struct plot_view){.result = *result};
	view->result.cpus = (struct cpu_list){0};
	view->result.matrices = NULL;
	view->result.n_matrices = 0;
	view->result.series = NULL;
	view->result.n_series = 0;
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
		rc = take_series(view, result, options, err);
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
	free(view->result.series);
	cpu_list_release(&view->result.cpus);
	free(view->borders);
	view->result.matrices = NULL;
	view->result.n_matrices = 0;
	view->result.series = NULL;
	view->result.n_series = 0;
	view->borders = NULL;
}

/* A caption as it grows; text NULL without memory. */
struct caption {
	char *text;
	size_t bytes;
	FILE *stream;
};

static void caption_begin(struct caption *caption)
{
	*caption = (struct caption){0};
	caption->stream = open_memstream(&caption->text, &caption->bytes);
}

/* One more part, with the dot between it and what is there. */
__attribute__((format(printf, 2, 3))) static void caption_add(
	struct caption *caption, const char *format, ...)
{
	va_list args;

	if (!caption->stream)
		return;
	if (ftell(caption->stream) > 0)
		fputs(DOT, caption->stream);
	va_start(args, format);
	vfprintf(caption->stream, format, args);
	va_end(args);
}

static char *caption_end(struct caption *caption)
{
	if (!caption->stream)
		return NULL;
	if (fclose(caption->stream) == 0)
		return caption->text;
	free(caption->text);
	return NULL;
}

char *plot_caption_machine(const struct plot_view *view)
{
	static const char *const keys[] = {
		"cpu_model", "hostname", "hypervisor"};
	struct caption caption;

	caption_begin(&caption);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = facts_text(&view->result.machine, keys[i]);

		if (text && *text)
			caption_add(&caption, "%s", text);
	}
	return caption_end(&caption);
}

/*
 * "one-way latency, median [ns]", "writer and reader rate, median [GiB/s]",
 * "copy rate with page faults, ...".
 */
static void add_matrices(struct caption *caption, const struct result *drawn)
{
	const char *quantity = drawn->matrices->quantity;
	bool rate = quantity && strncmp(quantity, "rate", 4) == 0;
	size_t n = drawn->n_matrices;

	caption_add(caption, "%s%s", quantity && !rate ? quantity : "",
		quantity && *quantity && !rate ? " " : "");
	for (size_t i = 0; caption->stream && i < n; i++)
		fprintf(caption->stream, "%s%s",
			i == 0	     ? ""
			: i == n - 1 ? " and "
				     : ", ",
			drawn->matrices[i].name);
	if (caption->stream)
		fprintf(caption->stream, "%s%s, %s [%s]", rate ? " " : "",
			rate ? quantity : "", drawn->matrices->statistic,
			drawn->matrices->unit);
}

bool plot_same_axes(const struct series *a, const struct series *b)
{
	return strcmp(a->x_name, b->x_name) == 0 &&
	       strcmp(a->x_unit, b->x_unit) == 0 &&
	       strcmp(a->y_name, b->y_name) == 0 &&
	       strcmp(a->y_unit, b->y_unit) == 0;
}

bool plot_has_several_axes(const struct plot_view *view)
{
	const struct result *drawn = &view->result;
	const struct series *first = find_series(drawn, view->statistic);

	for (size_t i = 0; i < drawn->n_series; i++) {
		if (strcmp(drawn->series[i].y_statistic, view->statistic) ==
				0 &&
			!plot_same_axes(&drawn->series[i], first))
			return true;
	}
	return false;
}

/* Tables of several axes have titles of their own. */
static void add_curves(struct caption *caption, const struct plot_view *view)
{
	const struct series *series =
		find_series(&view->result, view->statistic);

	if (plot_has_several_axes(view)) {
		caption_add(caption, "%s", view->statistic);
		return;
	}
	caption_add(caption, "%s, %s [%s]", series->y_name, view->statistic,
		series->y_unit);
}

/* A setting in the brackets after the command, " (" before the first. */
static void add_setting(
	struct caption *caption, const char **before, const char *text)
{
	fprintf(caption->stream, "%s%s", *before, text);
	*before = ", ";
}

/* What a figure means nothing without: " (cold, 512 B chunks)". */
static void add_settings(struct caption *caption, const struct facts *options)
{
	static const struct {
		const char *key, *after;
	} sizes[] = {{"chunk_bytes", " chunks"}, {"size_bytes", ""}};
	const char *method = facts_text(options, "method");
	const char *before = " (";

	if (!caption->stream)
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
		fputs(sizes[i].after, caption->stream);
	}
	if (*before == ',')
		putc(')', caption->stream);
}

char *plot_caption_method(const struct plot_view *view)
{
	const struct result *result = &view->result;
	int64_t n = result->run.passes;
	struct caption caption;

	caption_begin(&caption);
	/* Imported files do not say what tool they come from. */
	if (result->command && result->tool.n) {
		caption_add(&caption, "c2c %s", result->command);
		add_settings(&caption, &result->options);
	}
	if (result->n_matrices > 0)
		add_matrices(&caption, result);
	else
		add_curves(&caption, view);
	if (n >= 0)
		caption_add(&caption, "%lld %s", (long long)n,
			n == 1 ? "pass" : "passes");
	if (!result->complete)
		caption_add(&caption, "incomplete");
	if (result->started)
		caption_add(&caption, "%.10s", result->started);
	return caption_end(&caption);
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
