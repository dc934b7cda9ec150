/*
 * Chooses what to draw of a result, orders it, and writes captions.
 */
#include "plot/view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "plot/plot_scale.h"
#include "result/record.h"
#include "stat/stat.h"
#include "util/text.h"

/* Between the parts of a caption. */
#define DOT " · "

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

/* Say what the result has instead; frees both texts. */
static int report_none_such(
	struct error *err, char *what, struct text_list *known)
{
	char *has = text_list_end(known);
	int rc = what && has ? error_set(err, ERROR_USAGE, EINVAL,
				       "the result has no %s; it has: %s", what,
				       *has ? has : "none")
			     : error_no_memory(err, "what the result has");

	free(what);
	free(has);
	return rc;
}

static int no_such_matrix(const struct result *result,
	const struct plot_options *options, struct error *err)
{
	struct text_list known = {0};

	if (result->n_matrices == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no matrix to plot%s",
			result->n_curves ? ", only curves" : "");
	for (size_t i = 0; i < result->n_matrices; i++)
		text_list_add(&known, ", ", "%s %s", result->matrices[i].name,
			result->matrices[i].statistic);
	return report_none_such(err,
		text_format("matrix%s%s%s with the statistic '%s'",
			options->name ? " '" : "",
			options->name ? options->name : "",
			options->name ? "'" : "",
			options->statistic ? options->statistic : "median"),
		&known);
}

/* The stored values; those of a fit have to be computed. */
static double *stored_curve_values(
	const struct curve *curve, enum curve_values which)
{
	double *const values[CURVE_VALUES] = {
		curve->median, curve->low, curve->high, NULL, curve->ceiling};

	return values[which];
}

static bool curve_has_statistic(
	const struct curve *curve, enum curve_values which)
{
	const double *values = stored_curve_values(curve, which);
	size_t i = 0;

	if (which == VALUES_MIDDLE)
		return curve->facts.statistic != CURVE_CEILING;
	if (which == VALUES_FIT)
		return curve_good_fit(curve);
	while (values && i < curve->n && isnan(values[i]))
		i++;
	return values && i < curve->n;
}

static int no_such_values(
	const struct result *result, const char *statistic, struct error *err)
{
	struct text_list known = {0};

	for (unsigned v = 0; v < CURVE_VALUES; v++) {
		bool any = false;

		for (size_t i = 0; i < result->n_curves; i++)
			any |= curve_has_statistic(
				&result->curves[i], (enum curve_values)v);
		if (any)
			text_list_add(&known, ", ", "%s", values_names[v]);
	}
	return report_none_such(err,
		text_format("curve with the statistic '%s'", statistic),
		&known);
}

static bool is_curve_chosen(
	const struct plot_options *options, const struct curve *curve)
{
	const char *test = curve->facts.test;

	if (options->main && curve->facts.place == CURVE_DETAIL)
		return false;
	if (options->group && !(test && options->in_group(test)))
		return false;
	return !options->test || text_same(test, options->test);
}

static int no_such_test(const struct result *result,
	const struct plot_options *options, struct error *err)
{
	struct text_list known = {0};

	for (size_t i = 0; i < result->n_curves; i++) {
		const char *one = result->curves[i].facts.test;
		size_t j = 0;

		while (!text_same(result->curves[j].facts.test, one))
			j++;
		if (one && i == j)
			text_list_add(&known, ", ", "%s", one);
	}
	return report_none_such(err,
		options->group
			? text_format("test of the group %s", options->group)
			: text_format("test '%s'", options->test),
		&known);
}

/* The index of the LLC of a CPU in the facts, or -1. */
static long llc_index_of_cpu(const struct machine *machine, unsigned cpu)
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
	if (llc_index_of_cpu(machine, a) != llc_index_of_cpu(machine, b) ||
		machine_node_of(machine, a) != machine_node_of(machine, b))
		return PLOT_BORDER_MINOR;
	return PLOT_BORDER_NONE;
}

/* Mark where groups begin, except with borders that separate all CPUs. */
static void find_group_borders(
	struct plot_view *view, const struct machine *machine)
{
	const struct cpu_list *cpus = &view->result.cpus;
	enum plot_border *borders = view->borders;

	for (size_t i = 1; i < cpus->n; i++)
		borders[i] = border_between(
			machine, cpus->cpus[i - 1], cpus->cpus[i]);
	for (int kind = PLOT_BORDER_MINOR; kind <= PLOT_BORDER_MAJOR; kind++) {
		size_t n = 1;

		for (size_t i = 1; i < cpus->n; i++)
			n += borders[i] >= (enum plot_border)kind;
		for (size_t i = 1; i < cpus->n && n == cpus->n; i++) {
			if (borders[i] == (enum plot_border)kind)
				borders[i] = PLOT_BORDER_NONE;
		}
	}
}

static int order_view_by_topology(struct plot_view *view, struct error *err)
{
	const char *xml = view->result.hwloc_xml;
	struct machine *machine;
	int rc;

	if (result_is_of_nodes(&view->result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--order topology is for CPUs, and these are NUMA "
			"nodes");
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
	find_group_borders(view, machine);
	machine_free(machine);
	return 0;
}

/* A matrix with its values in the order of view->result.cpus. */
static struct matrix copy_matrix_in_order(struct plot_view *view,
	const struct result *result, const struct matrix *matrix)
{
	const struct cpu_list *cpus = &view->result.cpus;
	struct matrix copy = *matrix;
	size_t n = cpus->n;
	size_t *from = arena_alloc(&view->memory, n, sizeof(*from));

	copy.values = arena_alloc(&view->memory, n * n, sizeof(*copy.values));
	for (size_t i = 0; i < n; i++)
		from[i] = (size_t)cpu_list_find(
			result_members(result), cpus->cpus[i]);
	for (size_t i = 0; i < n * n; i++)
		copy.values[i] = matrix->values[from[i / n] * n + from[i % n]];
	return copy;
}

/* Whether one scale and one caption serve both. */
static bool matrices_share_scale(const struct matrix *a, const struct matrix *b)
{
	const char *first = a->quantity ? a->quantity : "";
	const char *second = b->quantity ? b->quantity : "";

	return strcmp(a->unit, b->unit) == 0 && strcmp(first, second) == 0 &&
	       a->higher_is_better == b->higher_is_better;
}

/* The statistic, or "" where a file of another tool does not tell it. */
static const char *caption_statistic(const struct result *drawn)
{
	const char *statistic = drawn->matrices->statistic;

	return drawn->tool.n == 0 && strcmp(statistic, "median") == 0
		       ? ""
		       : statistic;
}

/* Append the widths of the intervals of a matrix, if the result has them. */
static size_t add_interval_widths(
	const struct result *result, const char *name, double *widths)
{
	const struct matrix *low = result_find_matrix(result, name, "ci_low");
	const struct matrix *high = result_find_matrix(result, name, "ci_high");
	size_t n = result_members(result)->n, cells = n * n;

	if (!low || !high)
		return 0;
	for (size_t i = 0; i < cells; i++)
		widths[i] = high->values[i] - low->values[i];
	return cells;
}

static double median_matrix_noise(
	struct plot_view *view, const struct result *result)
{
	const struct result *drawn = &view->result;
	size_t members = result_members(result)->n;
	size_t cells = members * members, n = 0;
	double *widths;

	/* Counts of passes have no noise. */
	if (strcmp(view->statistic, "passes") == 0)
		return NAN;
	/* Those of several runs have the intervals of the runs. */
	if (result->run.passes >= 0 && result->run.passes < STAT_CI95_LEAST &&
		!result->run.interval)
		return INFINITY;
	if (strcmp(view->statistic, "median") != 0)
		return NAN;
	widths = arena_alloc(
		&view->memory, drawn->n_matrices * cells, sizeof(*widths));
	for (size_t i = 0; i < drawn->n_matrices; i++)
		n += add_interval_widths(
			result, drawn->matrices[i].name, widths + n);
	stat_sort(widths, n);
	n = stat_count_numbers(widths, n);
	return n > 0 ? stat_quantile(widths, n, 0.5) : NAN;
}

/* Take the matrices that the options choose and that share one scale. */
static int choose_view_matrices(struct plot_view *view,
	const struct result *result, const struct plot_options *options,
	struct error *err)
{
	const struct matrix *first =
		result_find_matrix(result, options->name, options->statistic);

	if (!first)
		return no_such_matrix(result, options, err);
	view->statistic = first->statistic;
	view->result.matrices =
		arena_alloc(&view->memory, result->n_matrices, sizeof(*first));
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		/* The first of its name that has the statistic. */
		if ((!options->name ||
			    strcmp(matrix->name, options->name) == 0) &&
			matrices_share_scale(matrix, first) &&
			matrix == result_find_matrix(result, matrix->name,
					  first->statistic))
			view->result.matrices[view->result.n_matrices++] =
				copy_matrix_in_order(view, result, matrix);
	}
	view->noise = median_matrix_noise(view, result);
	return 0;
}

/* One range cannot serve several units. */
static int check_range_unit(const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const struct result *drawn = &view->result;
	const char *unit = drawn->curves->facts.y_unit;

	for (size_t i = 0; i < drawn->n_curves; i++) {
		if (!isnan(options->range_min) &&
			strcmp(drawn->curves[i].facts.y_unit, unit) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--range is for curves of one unit, not of %s "
				"and %s",
				unit, drawn->curves[i].facts.y_unit);
	}
	return 0;
}

/* Sort the curves by panel; panels keep the order of their first curves. */
static void group_panels(struct plot_view *view)
{
	struct curve *curves = view->result.curves;
	size_t n = view->result.n_curves;

	view->panels = arena_alloc(&view->memory, n, sizeof(*view->panels));
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
}

/* The curve with these values in place of its middle, and no others. */
static struct curve curve_as_median(struct plot_view *view,
	const struct curve *from, enum curve_values which)
{
	struct curve curve = *from;

	if (which == VALUES_MIDDLE)
		return curve;
	curve.median = stored_curve_values(from, which);
	if (which == VALUES_FIT) {
		curve.median = arena_alloc(
			&view->memory, curve.n, sizeof(*curve.median));
		for (size_t i = 0; i < curve.n; i++)
			curve.median[i] = curve_fit_at(curve.fit, curve.x[i]);
	}
	curve.low = NULL;
	curve.high = NULL;
	curve.ceiling = NULL;
	curve.fit = NULL;
	return curve;
}

static int choose_view_curves(struct plot_view *view,
	const struct result *result, const struct plot_options *options,
	struct error *err)
{
	const char *wanted =
		options->statistic ? options->statistic : values_names[0];
	unsigned which = 0;
	bool any = false;

	if (result->n_curves == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no %s to plot",
			result->n_matrices ? "curves" : "matrix and no curves");
	view->result.curves = arena_alloc(
		&view->memory, result->n_curves, sizeof(struct curve));
	while (which < CURVE_VALUES && strcmp(values_names[which], wanted) != 0)
		which++;
	for (size_t i = 0; i < result->n_curves; i++) {
		const struct curve *curve = &result->curves[i];

		if (!is_curve_chosen(options, curve))
			continue;
		any = true;
		/* Curves that are only a ceiling belong beside the medians. */
		if (which < CURVE_VALUES &&
			(which == VALUES_MIDDLE ||
				curve_has_statistic(
					curve, (enum curve_values)which)))
			view->result.curves[view->result.n_curves++] =
				curve_as_median(
					view, curve, (enum curve_values)which);
	}
	if (!any)
		return no_such_test(result, options, err);
	if (view->result.n_curves == 0)
		return no_such_values(result, wanted, err);
	view->statistic = values_names[which];
	group_panels(view);
	return check_range_unit(view, options, err);
}

/* CPUs and borders in the order that the options choose. */
static int order_view_cpus(struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	if (options->order == PLOT_ORDER_TOPOLOGY)
		return order_view_by_topology(view, err);
	for (size_t i = 0;
		options->order == PLOT_ORDER_GROUPS && i < view->result.cpus.n;
		i++) {
		view->result.cpus.cpus[i] = options->cpus->cpus[i];
		view->borders[i] = options->borders[i];
	}
	return 0;
}

#define RATE_OF_MIX "bandwidth-"

static bool is_bandwidth_of_mix(const struct matrix *matrix)
{
	return strncmp(matrix->name, RATE_OF_MIX, strlen(RATE_OF_MIX)) == 0;
}

const char *plot_matrix_name(
	const struct matrix *matrix, char name[PLOT_MATRIX_BYTES])
{
	if (!is_bandwidth_of_mix(matrix))
		return matrix->name;
	snprintf(name, PLOT_MATRIX_BYTES, "bandwidth (%s)",
		curve_mix_words(matrix->name + strlen(RATE_OF_MIX)));
	text_make_utf8(name);
	return name;
}

/* "idle latency 132 ns · bandwidth (reads only) 119 GiB/s", of one cell. */
static char *single_cell_caption(struct plot_view *view,
	const struct result *result, const struct plot_options *options)
{
	struct text_list cells = {0};

	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];
		bool idle = text_same(matrix->quantity, "idle");
		char text[PLOT_NUMBER_BYTES], name[PLOT_MATRIX_BYTES];

		if (isnan(matrix->values[0]) ||
			matrix != result_find_matrix(result, matrix->name,
					  options->statistic))
			continue;
		text_list_add(&cells, DOT, "%s%s %s %s", idle ? "idle " : "",
			plot_matrix_name(matrix, name),
			plot_format_figures(text, matrix->values[0]),
			matrix->unit);
	}
	return arena_adopt(&view->memory, text_list_end(&cells));
}

/* What plot_view_init() was called with. */
struct view_request {
	struct plot_view *view;
	const struct result *result;
	const struct plot_options *options;
};

static int fill_plot_view(
	struct arena *memory, void *context, struct error *err)
{
	const struct view_request *request = context;
	struct plot_view *view = request->view;
	const struct result *result = request->result;
	const struct plot_options *options = request->options;
	const struct cpu_list *members = result_members(result);
	size_t n = members->n;
	/* A single cell says less than the curves do. */
	bool small = n == 1 && result->n_curves > 0;
	int rc;

	view->borders = arena_alloc(memory, n, sizeof(*view->borders));
	view->result.cpus.cpus =
		arena_copy(memory, members->cpus, n, sizeof(unsigned));
	view->result.cpus.n = n;
	if (!options->series && !options->test && !options->group &&
		((result->n_matrices > 0 && !small) || options->name)) {
		rc = order_view_cpus(view, options, err);
		return rc < 0 ? rc
			      : choose_view_matrices(
					view, result, options, err);
	}
	if (options->order != PLOT_ORDER_OS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--order %s is for matrices, and these are curves",
			options->order == PLOT_ORDER_GROUPS ? "groups"
							    : "topology");
	if (small && !options->test && !options->group)
		view->cells = single_cell_caption(view, result, options);
	return choose_view_curves(view, result, options, err);
}

int plot_view_init(struct plot_view *view, const struct result *result,
	const struct plot_options *options, struct error *err)
{
	struct view_request request = {view, result, options};
	int rc;

	*view = (struct plot_view){.result = *result,
		.test = options->test,
		.doubt = options->doubt};
	view->result.matrices = NULL;
	view->result.n_matrices = 0;
	view->result.curves = NULL;
	view->result.n_curves = 0;
	rc = arena_run(
		&view->memory, fill_plot_view, &request, "the plot", err);
	if (rc < 0)
		plot_view_release(view);
	return rc;
}

void plot_view_release(struct plot_view *view)
{
	arena_release(&view->memory);
}

/* The OpenCL device, or NULL if it is the CPUs of the machine. */
static const char *opencl_device_name(const struct result *result)
{
	const struct facts *run = &result->run.other;
	const char *type = facts_text(run, "device_type");

	return type && strcmp(type, "cpu") == 0 ? NULL
						: facts_text(run, "device");
}

char *plot_caption_machine(struct plot_view *view)
{
	static const char *const keys[] = {
		"cpu_model", "hostname", "hypervisor"};
	const char *device = opencl_device_name(&view->result);
	struct text_list caption = {0};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text =
			i == 0 && device
				? device
				: facts_text(&view->result.machine, keys[i]);

		if (text && *text)
			text_list_add(&caption, DOT, "%s", text);
	}
	return arena_adopt(&view->memory, text_list_end(&caption));
}

/* "one-way latency, median [ns]", "writer and reader rate, median [GiB/s]". */
static void add_matrices_caption(
	struct text_list *caption, const struct result *drawn)
{
	const char *known = drawn->matrices->quantity;
	/* A bandwidth is a rate. */
	const char *quantity =
		known && !is_bandwidth_of_mix(drawn->matrices) ? known : "";
	const char *statistic = caption_statistic(drawn);
	bool rate = strncmp(quantity, "rate", 4) == 0;
	size_t n = drawn->n_matrices;

	text_list_add(caption, DOT, "%s%s%s", rate ? "" : quantity,
		*quantity && !rate ? " " : "",
		strcmp(quantity, "slowdown") == 0 ? "where " : "");
	for (size_t i = 0; i < n; i++) {
		char name[PLOT_MATRIX_BYTES];

		text_list_add(caption, "", "%s%s",
			i == 0	     ? ""
			: i == n - 1 ? " and "
				     : ", ",
			plot_matrix_name(&drawn->matrices[i], name));
	}
	text_list_add(caption, "", "%s%s%s%s [%s]", rate ? " " : "",
		rate ? quantity : "", *statistic ? ", " : "", statistic,
		drawn->matrices->unit);
}

char *plot_x_title(struct plot_view *view, const struct curve *curve)
{
	const struct curve_facts *facts = &curve->facts;

	if (!facts->x_unit || curve_axis_is_bytes(facts->x_axis))
		return arena_strdup(&view->memory, facts->x_name);
	return arena_format(
		&view->memory, "%s [%s]", facts->x_name, facts->x_unit);
}

/* The settings that a figure depends on: " (cold, 512 B chunks)". */
static void add_settings_caption(
	struct text_list *caption, struct plot_view *view)
{
	const struct facts *options = &view->result.options;
	const char *method =
		view->test ? view->test : facts_text(options, "method");
	const char *platform = facts_text(&view->result.run.other, "platform");
	static const struct {
		const char *key, *after;
	} sizes[] = {{"chunk_bytes", " chunks"}, {"slice_bytes", " slices"},
		{"size_bytes", ""}, {"shared_bytes", " cache"}};
	double whole = facts_number(options, "size_bytes");
	const char *level = facts_text(options, "shared");
	struct text_list settings = {0};
	const char *listed;

	if (method)
		text_list_add(&settings, ", ", "%s", method);
	/* A size stands behind it anyway. */
	if (level && !(*level >= '0' && *level <= '9'))
		text_list_add(&settings, ", ", "%s", level);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double size = facts_number(options, sizes[i].key);
		char text[PLOT_NUMBER_BYTES];

		/* A slice as large as the region is none. */
		if (isnan(size) || (size == whole && *sizes[i].after))
			continue;
		plot_format_bytes(text, size);
		text_list_add(&settings, ", ", "%s%s", text, sizes[i].after);
	}
	listed = arena_adopt(&view->memory, text_list_end(&settings));
	text_list_add(caption, "", "%s%s%s%s%s", *listed ? " (" : "", listed,
		*listed ? ")" : "", platform ? " through " : "",
		platform ? platform : "");
}

char *plot_caption_bar(struct plot_view *view)
{
	const struct matrix *first = view->result.matrices;
	const char *statistic = caption_statistic(&view->result);
	struct text_list caption = {0};

	if (view->result.n_matrices == 1)
		add_matrices_caption(&caption, &view->result);
	else
		text_list_add(&caption, DOT, "%s%s%s [%s]",
			first->quantity ? first->quantity : "value",
			*statistic ? ", " : "", statistic, first->unit);
	return arena_adopt(&view->memory, text_list_end(&caption));
}

/* A warning says first what happened, then why, or what helps. */
#define LEAST_CLAUSE 20

static size_t first_clause_bytes(const char *warning)
{
	size_t n = 0;

	for (; warning[n]; n++) {
		const char *at = warning + n;

		if (n >= LEAST_CLAUSE && (strncmp(at, ": ", 2) == 0 ||
						 strncmp(at, "; ", 2) == 0 ||
						 strncmp(at, " (", 2) == 0))
			break;
	}
	return n;
}

static bool is_test_drawn(const struct result *drawn, const char *test)
{
	for (size_t i = 0; i < drawn->n_curves; i++) {
		if (text_same(drawn->curves[i].facts.test, test))
			return true;
	}
	return false;
}

/* What a test counted, on all devices; 0 if it was not the first of them. */
static int64_t sum_test_count(
	const struct run_facts *run, size_t first, const char *key)
{
	const char *test = facts_text(&run->tests[first].facts, "test");
	int64_t sum = 0;

	for (size_t t = 0; t < run->n_tests; t++) {
		const struct facts *facts = &run->tests[t].facts;
		int64_t n = facts_count(facts, key);

		if (!text_same(facts_text(facts, "test"), test))
			continue;
		if (t < first)
			return 0;
		sum += n > 0 ? n : 0;
	}
	return sum;
}

/* "Points with wide intervals: cache 58, stream 11.", of the drawn tests. */
static void add_test_doubts(struct text_list *doubts,
	const struct plot_view *view, const char *key, const char *title)
{
	const struct run_facts *run = &view->result.run;
	size_t n_listed = 0;

	for (size_t t = 0; t < run->n_tests; t++) {
		const char *test = facts_text(&run->tests[t].facts, "test");
		int64_t n = sum_test_count(run, t, key);

		if (n == 0 || !test || !is_test_drawn(&view->result, test))
			continue;
		text_list_add(doubts, n_listed ? ", " : " ", "%s%s %lld",
			n_listed ? "" : title, test, (long long)n);
		n_listed++;
	}
	if (n_listed > 0)
		text_list_add(doubts, "", ".");
}

/* The warnings of the run; of tests, what each counted. */
static char *doubts_of_curves(struct plot_view *view)
{
	const struct run_facts *run = &view->result.run;
	struct text_list doubts = {0};
	char *text;

	add_test_doubts(&doubts, view, "wide", "Points with wide intervals: ");
	add_test_doubts(&doubts, view, "left_out", "Points left out: ");
	/* Those of tests are long, and about details. */
	for (size_t i = 0; i < run->n_warnings && run->n_tests == 0; i++)
		text_list_add(&doubts, "", "%s%.*s%s", i ? "; " : "Doubts: ",
			(int)first_clause_bytes(run->warnings[i]),
			run->warnings[i], i + 1 == run->n_warnings ? "." : "");
	text = arena_adopt(&view->memory, text_list_end(&doubts));
	/* As records say it that older versions measured. */
	for (char *at = text; (at = strstr(at, "+-"));)
		memcpy(at, "±", strlen("±"));
	return *text ? text : NULL;
}

char *plot_caption_doubts(struct plot_view *view)
{
	const struct run_facts *run = &view->result.run;

	if (view->doubt)
		return arena_strdup(&view->memory, view->doubt);
	if (view->result.n_curves > 0)
		return doubts_of_curves(view);
	if (run_epochs(run))
		return arena_format(&view->memory,
			"CPUs moved during the run, or something slowed them "
			"down: the values are of the longest of %" PRId64
			" epochs, %.2f to %.2f s.",
			run_epochs(run),
			facts_number(&run->other, "epoch.start_s"),
			facts_number(&run->other, "epoch.end_s"));
	if (run->verdict == RUN_SCATTERED)
		return arena_format(&view->memory,
			"Even and odd passes agree at only %.2f: only cells "
			"that stand out differ by more than noise.",
			run->even_odd);
	if (run->verdict == RUN_DRIFTED)
		return arena_format(&view->memory,
			"The two halves of the run agree at only %.2f: CPUs "
			"moved during the run, as vCPUs do when the host moves "
			"them.",
			run->halves);
	return NULL;
}

char *plot_caption_method(struct plot_view *view)
{
	const struct result *result = &view->result;
	int64_t n = result->run.passes;
	struct text_list caption = {0};

	/* Imported files do not name the tool that made them. */
	if (result->command && result->tool.n) {
		text_list_add(&caption, DOT, "c2c %s", result->command);
		add_settings_caption(&caption, view);
	}
	if (result->n_matrices > 0)
		add_matrices_caption(&caption, result);
	else if (view->n_panels > 1) /* which have titles of their own */
		text_list_add(&caption, DOT, "%s", view->statistic);
	else
		text_list_add(&caption, DOT, "%s, %s [%s]",
			result->curves->facts.family, view->statistic,
			result->curves->facts.y_unit);
	if (n >= 0)
		text_list_add(&caption, DOT, "%lld %s", (long long)n,
			n == 1 ? "pass" : "passes");
	if (!result->complete)
		text_list_add(&caption, DOT, "incomplete");
	if (result->started)
		text_list_add(&caption, DOT, "%.10s", result->started);
	return arena_adopt(&view->memory, text_list_end(&caption));
}

const char *plot_direction(const struct matrix *matrix)
{
	if (matrix_is_slowdown(matrix))
		return "(high where a cache is shared)";
	return matrix->higher_is_better ? "(higher is better)"
					: "(lower is better)";
}

const char *plot_role(const struct plot_view *view, bool second)
{
	static const struct {
		const char *command, *roles[2];
	} known[] = {
		{"latency", {"CPU (ping)", "CPU (pong)"}},
		{"queue", {"CPU (writer)", "CPU (reader)"}},
		{"memcpy", {"CPU (source)", "CPU (copier)"}},
		{"numa", {"CPUs of node", "memory of node"}},
	};
	const char *command = view->result.command;

	if (view->result.matrices->symmetric)
		return result_member_word(&view->result);
	for (size_t i = 0; command && i < sizeof(known) / sizeof(known[0]);
		i++) {
		if (strcmp(command, known[i].command) == 0)
			return known[i].roles[second];
	}
	return second ? "second CPU" : "first CPU";
}
