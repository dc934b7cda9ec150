/*
 * Chooses the parts of a result to draw, orders these parts, and writes
 * captions.
 */
#include "figure/view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/colour_scale.h"
#include "machine/machine.h"
#include "result/record.h"
#include "stat/stat.h"
#include "util/text.h"

/* Separates the parts of a caption. */
#define DOT " · "

/* Captions list the names and doubts of at most this many sources. */
#define MOST_NAMED 4

/* Larger sizes do not fit the type of integers. */
#define MOST_BYTES 1e18

/* Decimals of a measured x, as in the report of c2c numa. */
#define MEASURED_DECIMALS 2

/* Whole numbers below this have all their digits. */
#define MOST_WHOLE 1e12

/* The values of a curve that --statistic can select. */
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

void plot_options_init(struct plot_options *options)
{
	*options = (struct plot_options){
		.range_min = NAN,
		.range_max = NAN,
		.limit_s = PLOT_LIMIT_S,
	};
}

/* Report a missing matrix or curve, and the choices; free both texts. */
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

	if (result->n_matrices == 0 || result_members(result)->n == 0)
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

/* Return the stored values of a curve; NULL for a fit. */
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

static bool is_curve_chosen(const struct plot_options *options,
	const char *test, const struct curve_place *place)
{
	if (options->main && place->page == CURVE_DETAIL)
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

static enum plot_border border_between(
	const struct machine *machine, unsigned a, unsigned b)
{
	const struct machine_facts *facts = machine_facts(machine);
	const char *shared = machine_shared_by(machine, a, b);

	if (shared && strcmp(shared, "Machine") == 0)
		return PLOT_BORDER_MAJOR;
	if (machine_llc_index(facts, a) != machine_llc_index(facts, b) ||
		machine_node_of(machine, a) != machine_node_of(machine, b))
		return PLOT_BORDER_MINOR;
	return PLOT_BORDER_NONE;
}

/* Mark where groups begin; drop borders that separate all CPUs. */
static void find_group_borders(
	struct plot_image *image, const struct machine *machine)
{
	const struct cpu_list *cpus = &image->cpus;
	enum plot_border *borders = image->borders;

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

static int order_image_by_topology(struct plot_image *image, struct error *err)
{
	const struct result *record = image->source->record;
	const char *xml = record->hwloc_xml;
	struct machine *machine;
	int rc;

	if (result_is_of_nodes(record) || result_is_of_units(record))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--order topology is for CPUs, and these are %s",
			result_is_of_nodes(record) ? "NUMA nodes"
						   : "compute units");
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
	machine_sort_by_topology(machine, &image->cpus);
	find_group_borders(image, machine);
	machine_free(machine);
	return 0;
}

/* Find CPUs and borders in the order that the options choose. */
static int order_image_cpus(struct plot_view *view, struct plot_image *image,
	const struct plot_options *options, struct error *err)
{
	const struct cpu_list *members = result_members(image->source->record);
	size_t n = members->n;

	image->borders = arena_alloc(&view->memory, n, sizeof(*image->borders));
	image->cpus.n = n;
	image->cpus.cpus =
		arena_copy(&view->memory, members->cpus, n, sizeof(unsigned));
	if (options->order == PLOT_ORDER_TOPOLOGY)
		return order_image_by_topology(image, err);
	for (size_t i = 0; options->order == PLOT_ORDER_GROUPS && i < n; i++) {
		image->cpus.cpus[i] = options->cpus->cpus[i];
		image->borders[i] = options->borders[i];
	}
	return 0;
}

/* Fill an image with a matrix's values in the image's order, times a factor. */
static void fill_image(struct plot_view *view, struct plot_image *image,
	const struct matrix *matrix, double factor)
{
	const struct cpu_list *members = result_members(image->source->record);
	size_t n = image->cpus.n;
	size_t *from = arena_alloc(&view->memory, n, sizeof(*from));

	image->matrix = *matrix;
	image->matrix.values =
		arena_alloc(&view->memory, n * n, sizeof(double));
	for (size_t i = 0; i < n; i++)
		from[i] = (size_t)cpu_list_find(members, image->cpus.cpus[i]);
	for (size_t i = 0; i < n * n; i++)
		image->matrix.values[i] =
			factor * matrix->values[from[i / n] * n + from[i % n]];
}

static const char *matrix_quantity(const struct matrix *matrix)
{
	return matrix->quantity ? matrix->quantity : "values";
}

static bool matrices_share_quantity(
	const struct matrix *a, const struct matrix *b)
{
	return strcmp(matrix_quantity(a), matrix_quantity(b)) == 0 &&
	       a->higher_is_better == b->higher_is_better;
}

/* Add the record's name to an error, if there are several records. */
static int of_record(
	const struct plot_view *view, size_t i, int rc, struct error *err)
{
	if (rc < 0 && view->records.n > 1)
		error_prefix(err, "'%s'", view->records.names[i]);
	return rc;
}

/* Return the statistic, or "" if a file of another tool lacks it. */
static const char *caption_statistic(const struct plot_view *view)
{
	const struct plot_image *first = view->images;
	const char *statistic = first->matrix.statistic;

	return first->source->record->tool.n == 0 &&
			       strcmp(statistic, "median") == 0
		       ? ""
		       : statistic;
}

/* Append the known widths of a matrix's intervals; return how many. */
static size_t add_interval_widths(
	const struct result *result, const char *name, double *widths)
{
	const struct matrix *low = result_find_matrix(result, name, "ci_low");
	const struct matrix *high = result_find_matrix(result, name, "ci_high");
	size_t n = 0, members = result_members(result)->n;

	for (size_t i = 0; low && high && i < members * members; i++) {
		widths[n] = high->values[i] - low->values[i];
		n += !isnan(widths[n]);
	}
	return n;
}

static double median_matrix_noise(
	struct plot_view *view, const struct result *result)
{
	size_t members = result_members(result)->n;
	size_t cells = members * members, n = 0;
	double *widths;

	/* Numbers of passes have no noise. */
	if (strcmp(view->statistic, "passes") == 0)
		return NAN;
	/* Several runs have intervals over runs. */
	if (result->run.passes >= 0 && result->run.passes < STAT_CI95_LEAST &&
		!result->run.interval)
		return INFINITY;
	if (strcmp(view->statistic, "median") != 0)
		return NAN;
	widths = arena_alloc(
		&view->memory, view->n_images * cells, sizeof(*widths));
	for (size_t i = 0; i < view->n_images; i++) {
		if (view->images[i].source->record == result)
			n += add_interval_widths(result,
				view->images[i].matrix.name, widths + n);
	}
	return stat_median(widths, n);
}

/* Append a matrix's image, in the unit of the options or the first image. */
static int add_image(struct plot_view *view, struct plot_image image,
	const struct matrix *matrix, const struct plot_options *options,
	struct error *err)
{
	const struct plot_image *first =
		view->n_images > 0 ? view->images : NULL;
	const char *unit = options->unit ? options->unit
			   : first	 ? first->matrix.unit
					 : matrix->unit;
	double factor = plot_unit_factor(matrix->unit, unit);

	if (isnan(factor) && options->unit)
		return plot_refuse_unit(matrix->unit, unit, err);
	if (isnan(factor) && first)
		return plot_sources_differ(
			first->source, unit, image.source, matrix->unit, err);
	if (first && matrix->quantity && first->matrix.quantity &&
		!matrices_share_quantity(matrix, &first->matrix))
		return plot_sources_differ(first->source,
			matrix_quantity(&first->matrix), image.source,
			matrix_quantity(matrix), err);
	fill_image(view, &image, matrix, factor);
	image.matrix.unit = arena_strdup(&view->memory, unit);
	view->images = arena_grow(
		&view->memory, view->images, view->n_images, sizeof(image));
	view->images[view->n_images++] = image;
	return 0;
}

/* A scale needs one value of noise: use the largest known noise of a record. */
static void add_record_noise(
	struct plot_view *view, const struct result *record, const char *unit)
{
	double noise = median_matrix_noise(view, record) *
		       plot_unit_factor(unit, view->images->matrix.unit);

	if (isnan(view->noise) ||
		(isfinite(noise) &&
			(isinf(view->noise) || noise > view->noise)))
		view->noise = noise;
}

/*
 * Take the matrices of a record that have the same scale as its first matrix.
 */
static int choose_record_matrices(struct plot_view *view, size_t at,
	const struct plot_options *options, struct error *err)
{
	const struct result *record = &view->records.results[at];
	const struct matrix *first =
		result_find_matrix(record, options->name, options->statistic);
	struct plot_image image = {0};
	int rc;

	if (!first || result_members(record)->n == 0)
		return no_such_matrix(record, options, err);
	if (at == 0)
		view->statistic = first->statistic;
	/* No source is added after this, so the pointer stays valid. */
	image.source = &view->sources[plot_view_source(view, at, NULL)];
	rc = order_image_cpus(view, &image, options, err);
	for (size_t i = 0; rc == 0 && i < record->n_matrices; i++) {
		const struct matrix *matrix = &record->matrices[i];

		/* Take the first matrix of each name that has the statistic. */
		if ((!options->name ||
			    strcmp(matrix->name, options->name) == 0) &&
			strcmp(matrix->unit, first->unit) == 0 &&
			matrices_share_quantity(matrix, first) &&
			matrix == result_find_matrix(record, matrix->name,
					  first->statistic))
			rc = add_image(view, image, matrix, options, err);
	}
	if (rc == 0)
		add_record_noise(view, record, first->unit);
	return rc;
}

/* Title each image: by its source, its matrix, or both. */
static void name_images(struct plot_view *view)
{
	bool several = false;

	for (size_t i = 1; i < view->n_images; i++)
		several |= strcmp(view->images[i].matrix.name,
				   view->images->matrix.name) != 0;
	for (size_t i = 0; i < view->n_images && view->n_images > 1; i++) {
		struct plot_image *image = &view->images[i];
		char name[PLOT_MATRIX_BYTES];
		bool of = view->n_sources > 1;

		image->title = arena_format(&view->memory, "%s%s%s",
			of ? image->source->name : "",
			of && several ? ", " : "",
			several || !of ? plot_matrix_name(&image->matrix, name)
				       : "");
	}
}

static int choose_view_matrices(struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < view->records.n; i++)
		plot_view_source(view, i, NULL);
	plot_view_name_sources(view);
	for (size_t i = 0; rc == 0 && i < view->records.n; i++)
		rc = of_record(view, i,
			choose_record_matrices(view, i, options, err), err);
	if (rc < 0)
		return rc;
	name_images(view);
	return options->relative ? plot_view_make_relative(view, err) : 0;
}

/* One --range cannot apply to several units. */
static int check_range_unit(const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const struct curve *curves = view->curves;
	const char *unit = curves->facts.y_unit;

	for (size_t i = 0; i < view->n_curves; i++) {
		if (!isnan(options->range_min) &&
			strcmp(curves[i].facts.y_unit, unit) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--range is for curves of one unit, not of %s "
				"and %s",
				unit, curves[i].facts.y_unit);
	}
	return 0;
}

/* Sort the curves by panel; panels are ordered by their first curve. */
static void group_panels(struct plot_view *view)
{
	struct curve *curves = view->curves;
	size_t n = view->n_curves;

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

/* Return the curve with these values as its median, and no other values. */
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

/* Append a record's curves that the options choose, and their sources. */
static int choose_record_curves(struct plot_view *view, size_t at,
	const struct plot_options *options, unsigned which, size_t **from,
	struct error *err)
{
	const struct result *record = &view->records.results[at];
	size_t before = view->n_curves;
	bool any = false;

	if (record->n_curves == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no %s to plot",
			record->n_matrices ? "curves" : "matrix and no curves");
	for (size_t i = 0; i < record->n_curves; i++) {
		const struct curve *curve = &record->curves[i];
		const struct curve_place *place =
			curve_place_of(record->curves, record->n_curves, i);

		if (!is_curve_chosen(options, curve->facts.test, place))
			continue;
		any = true;
		/* Curves that are only a ceiling are drawn with the medians. */
		if (which == CURVE_VALUES ||
			(which != VALUES_MIDDLE &&
				!curve_has_statistic(
					curve, (enum curve_values)which)))
			continue;
		view->curves = arena_grow(&view->memory, view->curves,
			view->n_curves, sizeof(*curve));
		*from = arena_grow(
			&view->memory, *from, view->n_curves, sizeof(**from));
		(*from)[view->n_curves] =
			plot_view_source(view, at, curve->facts.device);
		view->curves[view->n_curves] =
			curve_as_median(view, curve, (enum curve_values)which);
		view->curves[view->n_curves++].place = place;
	}
	if (!any)
		return no_such_test(record, options, err);
	if (view->n_curves == before)
		return no_such_values(record,
			options->statistic ? options->statistic
					   : values_names[0],
			err);
	return 0;
}

/* Check that several records have a common panel, for a comparison. */
static int check_common_panel(const struct plot_view *view, struct error *err)
{
	for (size_t p = 0; p < view->n_panels && view->records.n > 1; p++) {
		const struct plot_panel *panel = &view->panels[p];

		for (size_t i = 1; i < panel->n; i++) {
			if (!text_same(panel->curves[i].facts.member,
				    panel->curves->facts.member))
				return 0;
		}
	}
	return view->records.n < 2
		       ? 0
		       : error_set(err, ERROR_USAGE, EINVAL,
				 "no panel has curves of two records: draw "
				 "each alone, or all as a page, .html");
}

static int choose_view_curves(struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	const char *wanted =
		options->statistic ? options->statistic : values_names[0];
	unsigned which = 0;
	size_t *from = NULL;
	int rc = 0;

	while (which < CURVE_VALUES && strcmp(values_names[which], wanted) != 0)
		which++;
	for (size_t i = 0; rc == 0 && i < view->records.n; i++)
		rc = of_record(view, i,
			choose_record_curves(
				view, i, options, which, &from, err),
			err);
	if (rc < 0)
		return rc;
	view->statistic = values_names[which];
	plot_view_name_sources(view);
	plot_view_show_occupancy(view, from);
	if (options->unit)
		rc = plot_view_convert(view, from, options->unit, err);
	if (rc == 0 && view->n_sources > 1)
		rc = plot_view_compare_curves(view, from, err);
	if (rc < 0)
		return rc;
	if (options->relative)
		rc = plot_view_make_relative(view, err);
	if (rc < 0)
		return rc;
	group_panels(view);
	rc = check_common_panel(view, err);
	return rc < 0 ? rc : check_range_unit(view, options, err);
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

/*
 * Return "idle latency 132 ns · bandwidth (reads only) 119 GiB/s" for matrices
 * of one cell.
 */
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

/* The arguments of plot_view_init(). */
struct view_request {
	struct plot_view *view;
	const struct plot_options *options;
};

bool plot_draws_matrices(
	const struct result *record, const struct plot_options *options)
{
	/*
	 * Prefer curves to a matrix of one cell, and curves of lines to a mean
	 * over lines.
	 */
	bool small =
		record->n_curves > 0 &&
		(result_members(record)->n <= 1 ||
			(record->n_line_profiles > 0 &&
				curve_place_is_main(curve_place_of(
					record->curves, record->n_curves, 0))));

	return !options->series && !options->test && !options->group &&
	       ((record->n_matrices > 0 && !small) || options->name);
}

static bool is_empty_record(const struct result *record)
{
	return record->n_matrices == 0 && record->n_curves == 0;
}

static int refuse_empty_record(
	const struct plot_view *view, size_t i, struct error *err)
{
	return of_record(view, i,
		error_set(err, ERROR_USAGE, EINVAL,
			"the result holds no matrix and no curves to plot"),
		err);
}

static int fill_plot_view(
	struct arena *memory, void *context, struct error *err)
{
	const struct view_request *request = context;
	struct plot_view *view = request->view;
	const struct result *first = view->records.results;
	const struct plot_options *options = request->options;
	bool matrices = plot_draws_matrices(first, options);

	(void)memory;
	for (size_t i = 1; i < view->records.n; i++) {
		if (plot_draws_matrices(&first[i], options) == matrices)
			continue;
		if (is_empty_record(first) || is_empty_record(&first[i]))
			return refuse_empty_record(
				view, is_empty_record(first) ? 0 : i, err);
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' holds %s and '%s' %s: draw each alone, or the "
			"curves of both with --series",
			view->records.names[0],
			matrices ? "matrices" : "curves",
			view->records.names[i],
			matrices ? "curves" : "matrices");
	}
	if (matrices)
		return choose_view_matrices(view, options, err);
	if (options->order != PLOT_ORDER_OS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--order %s is for matrices, and these are curves",
			options->order == PLOT_ORDER_GROUPS ? "groups"
							    : "topology");
	if (view->records.n == 1 && result_members(first)->n == 1 &&
		!options->test && !options->group)
		view->cells = single_cell_caption(view, first, options);
	return choose_view_curves(view, options, err);
}

int plot_view_init(struct plot_view *view, const struct plot_records *records,
	const struct plot_options *options, struct error *err)
{
	struct view_request request = {view, options};
	int rc;

	*view = (struct plot_view){.records = *records,
		.test = options->test,
		.doubt = options->doubt,
		.noise = NAN};
	if (records->n == 1) {
		view->caches = records->results->caches;
		view->n_caches = records->results->n_caches;
	}
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

/* Return "CPU model · host · hypervisor". */
static char *record_machine(struct plot_view *view, const struct result *record)
{
	static const char *const keys[] = {
		"cpu_model", "hostname", "hypervisor"};
	const char *device = plot_opencl_device(record);
	struct text_list caption = {0};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text =
			i == 0 && device
				? device
				: facts_text(&record->machine, keys[i]);

		if (text && *text)
			text_list_add(&caption, DOT, "%s", text);
	}
	return arena_adopt(&view->memory, text_list_end(&caption));
}

/* Return the caption if it is the same for all records; else NULL. */
static char *common_caption(struct plot_view *view,
	char *(*make)(struct plot_view *, const struct result *))
{
	char *text = make(view, view->records.results);

	for (size_t i = 1; i < view->records.n; i++) {
		if (!text_same(make(view, &view->records.results[i]), text))
			return NULL;
	}
	return text;
}

char *plot_caption_machine(struct plot_view *view)
{
	char *common = common_caption(view, record_machine);
	struct text_list caption = {0};
	bool alike = common != NULL;

	for (size_t i = 1; i < view->n_sources; i++)
		alike &=
			text_same(view->sources[i].model, view->sources->model);
	if (alike)
		return common;
	if (view->n_sources > MOST_NAMED)
		return arena_format(&view->memory, "%zu %s", view->n_sources,
			view->n_sources > view->records.n ? "devices"
							  : "records");
	for (size_t i = 0; i < view->n_sources; i++)
		text_list_add(&caption, DOT, "%s", view->sources[i].name);
	return arena_adopt(&view->memory, text_list_end(&caption));
}

/*
 * Add "one-way latency, median [ns]", "writer and reader rate, median [GiB/s]".
 */
static void add_matrices_caption(
	struct text_list *caption, const struct plot_view *view)
{
	const struct matrix *first = &view->images->matrix;
	const char *known = first->quantity;
	/* "bandwidth" already says that it is a rate. */
	const char *quantity =
		known && !is_bandwidth_of_mix(first) ? known : "";
	const char *statistic = caption_statistic(view);
	bool rate = strncmp(quantity, "rate", 4) == 0;
	size_t n = 0;

	/* Consider only images of the first record. */
	while (n < view->n_images &&
		view->images[n].source == view->images->source)
		n++;
	text_list_add(caption, DOT, "%s%s%s", rate ? "" : quantity,
		*quantity && !rate ? " " : "",
		strcmp(quantity, "slowdown") == 0 ? "where " : "");
	for (size_t i = 0; i < n; i++) {
		char name[PLOT_MATRIX_BYTES];

		text_list_add(caption, "", "%s%s",
			i == 0	     ? ""
			: i == n - 1 ? " and "
				     : ", ",
			plot_matrix_name(&view->images[i].matrix, name));
	}
	text_list_add(caption, "", "%s%s%s%s [%s]", rate ? " " : "",
		rate ? quantity : "", *statistic ? ", " : "", statistic,
		first->unit);
}

/*
 * Return the name of an x, borrowed; NULL if it has none, or if the curves of
 * the panel have different names.
 */
static const char *name_of_x(const struct plot_panel *panel, double x)
{
	const char *name = curve_x_name(panel->curves, x);

	for (size_t i = 1; i < panel->n; i++) {
		if (!text_same(curve_x_name(&panel->curves[i], x), name))
			return NULL;
	}
	return name;
}

const char *plot_x_text(
	const struct plot_panel *panel, double x, char text[PLOT_NUMBER_BYTES])
{
	const char *name = name_of_x(panel, x);
	enum curve_axis kind = panel->curves->facts.x_axis;

	if (name)
		return name;
	if (kind == CURVE_BYTES)
		plot_format_bytes(text, x);
	else if (kind == CURVE_SETS && x >= 0 && x < MOST_BYTES)
		text_size((uint64_t)x, text);
	else if (kind == CURVE_MEASURED)
		plot_format_fixed(text, x, MEASURED_DECIMALS);
	else
		snprintf(text, PLOT_NUMBER_BYTES,
			fabs(x) < MOST_WHOLE && x == trunc(x) ? "%.0f" : "%.6g",
			x);
	return text;
}

char *plot_x_title(struct plot_view *view, const struct curve *curve)
{
	const struct curve_facts *facts = &curve->facts;

	if (!facts->x_unit || curve_axis_is_bytes(facts->x_axis))
		return arena_strdup(&view->memory, facts->x_name);
	return arena_format(
		&view->memory, "%s [%s]", facts->x_name, facts->x_unit);
}

/* Add the settings that a figure depends on: " (cold, 512 B chunks)". */
static void add_settings_caption(struct text_list *caption,
	struct plot_view *view, const struct result *record)
{
	const struct facts *options = &record->options;
	const char *method =
		view->test ? view->test : facts_text(options, "method");
	const char *platform = facts_text(&record->run.other, "platform");
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
	/* Omit a level that is given as a size, because the size follows. */
	if (level && !(*level >= '0' && *level <= '9'))
		text_list_add(&settings, ", ", "%s", level);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		double size = facts_number(options, sizes[i].key);
		char text[PLOT_NUMBER_BYTES];

		/* Omit a slice that is as large as the region. */
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

char *plot_caption_bar(const struct plot_view *view, struct arena *memory)
{
	const struct matrix *first = &view->images->matrix;
	const char *statistic = caption_statistic(view);
	struct text_list caption = {0};

	if (view->n_images == 1)
		add_matrices_caption(&caption, view);
	else
		text_list_add(&caption, DOT, "%s%s%s [%s]",
			first->quantity ? first->quantity : "value",
			*statistic ? ", " : "", statistic, first->unit);
	return arena_adopt(memory, text_list_end(&caption));
}

/* Cut a warning after its first clause, at least this many bytes. */
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

static bool is_test_drawn(const struct plot_view *view, const char *test)
{
	for (size_t i = 0; i < view->n_curves; i++) {
		if (text_same(view->curves[i].facts.test, test))
			return true;
	}
	return false;
}

/*
 * Return a test's count summed over devices; 0 if this is not its first record.
 */
static int64_t sum_test_count(
	const struct run_facts *run, size_t first, const char *key)
{
	const char *test = facts_text(&run->tests[first].facts, "test");
	int64_t sum = 0;

	for (size_t t = 0; t < run->n_tests; t++) {
		const struct record *record = &run->tests[t];
		int64_t n = facts_count(&record->facts, key);

		if (!text_same(facts_text(&record->facts, "test"), test))
			continue;
		if (t < first)
			return 0;
		/* A count, or a list with a sentence for each point. */
		sum += n > 0 ? n : (int64_t)record_find_list(record, key).n;
	}
	return sum;
}

/*
 * Add "Points with wide intervals: 58 of cache, 11 of stream." for the drawn
 * tests.
 */
static void add_test_doubts(struct text_list *doubts,
	const struct plot_view *view, const struct run_facts *run,
	const char *key, const char *title)
{
	size_t n_listed = 0;

	for (size_t t = 0; t < run->n_tests; t++) {
		const char *test = facts_text(&run->tests[t].facts, "test");
		int64_t n = sum_test_count(run, t, key);

		if (n == 0 || !test || !is_test_drawn(view, test))
			continue;
		text_list_add(doubts, n_listed ? ", " : " ", "%s%lld of %s",
			n_listed ? "" : title, (long long)n, test);
		n_listed++;
	}
	if (n_listed > 0)
		text_list_add(doubts, "", ".");
}

/* Return the warnings of the run; for tests, the number of wide points. */
static char *doubts_of_curves(
	struct plot_view *view, const struct run_facts *run)
{
	struct text_list doubts = {0};
	char *text;

	add_test_doubts(
		&doubts, view, run, "wide", "Points with wide intervals: ");
	add_test_doubts(&doubts, view, run, "rejected", "Points rejected: ");
	add_test_doubts(&doubts, view, run, "left_out", "Points left out: ");
	/* Warnings of tests are long and detailed, so skip them. */
	for (size_t i = 0; i < run->n_warnings && run->n_tests == 0; i++)
		text_list_add(&doubts, "", "%s%.*s%s", i ? "; " : "Doubts: ",
			(int)first_clause_bytes(run->warnings[i]),
			run->warnings[i], i + 1 == run->n_warnings ? "." : "");
	text = arena_adopt(&view->memory, text_list_end(&doubts));
	text_put_signs(text);
	return *text ? text : NULL;
}

static char *doubts_of_record(
	struct plot_view *view, const struct run_facts *run)
{
	if (view->n_curves > 0)
		return doubts_of_curves(view, run);
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

char *plot_caption_doubts(struct plot_view *view)
{
	const struct result *before = NULL;
	size_t n = view->records.n, doubted = 0;
	struct text_list doubts = {0};
	char *text;

	if (view->doubt)
		return arena_strdup(&view->memory, view->doubt);
	for (size_t i = 0; i < view->n_sources; i++) {
		const struct plot_source *source = &view->sources[i];

		if (source->record == before)
			continue;
		before = source->record;
		text = doubts_of_record(view, &before->run);
		doubted += text != NULL;
		if (text)
			text_list_add(&doubts, "\n", "%s%s%s",
				n > 1 ? source->name : "", n > 1 ? ": " : "",
				text);
	}
	text = arena_adopt(&view->memory, text_list_end(&doubts));
	if (doubted > 0 && n > MOST_NAMED)
		return arena_format(&view->memory,
			"%zu of %zu records have warnings.", doubted, n);
	return *text ? text : NULL;
}

/*
 * Return "c2c cl (stream) through PoCL"; imported files do not name their tool.
 */
static char *record_command(struct plot_view *view, const struct result *record)
{
	struct text_list caption = {0};

	if (record->command && record->tool.n) {
		text_list_add(&caption, "", "c2c %s", record->command);
		add_settings_caption(&caption, view, record);
	}
	return arena_adopt(&view->memory, text_list_end(&caption));
}

/* Return a record's command without settings in which records differ. */
static char *record_bare_command(
	struct plot_view *view, const struct result *record)
{
	return record->command && record->tool.n
		       ? arena_format(&view->memory, "c2c %s%s%s%s",
				 record->command, view->test ? " (" : "",
				 view->test ? view->test : "",
				 view->test ? ")" : "")
		       : arena_strdup(&view->memory, "");
}

static char *record_passes(struct plot_view *view, const struct result *record)
{
	int64_t n = record->run.passes;

	return n < 0 ? NULL
		     : arena_format(&view->memory, "%" PRId64 " %s", n,
			       n == 1 ? "pass" : "passes");
}

static char *record_end(struct plot_view *view, const struct result *record)
{
	return record->complete ? NULL
				: arena_strdup(&view->memory, "incomplete");
}

static char *record_day(struct plot_view *view, const struct result *record)
{
	return record->started
		       ? arena_format(&view->memory, "%.10s", record->started)
		       : NULL;
}

static void add_caption(struct text_list *caption, const char *text)
{
	if (text && *text)
		text_list_add(caption, DOT, "%s", text);
}

char *plot_caption_method(struct plot_view *view)
{
	struct text_list caption = {0};
	char *command = common_caption(view, record_command);

	add_caption(&caption,
		command ? command : common_caption(view, record_bare_command));
	if (view->n_images > 0)
		add_matrices_caption(&caption, view);
	else if (text_same(view->curves->facts.y_unit, CURVE_SPEED_UNIT))
		text_list_add(&caption, DOT, "one run a cell");
	else if (view->n_panels > 1) /* panels have titles */
		text_list_add(&caption, DOT, "%s", view->statistic);
	else
		text_list_add(&caption, DOT, "%s, %s [%s]",
			view->curves->facts.family, view->statistic,
			view->curves->facts.y_unit);
	add_caption(&caption, common_caption(view, record_passes));
	add_caption(&caption, common_caption(view, record_end));
	add_caption(&caption, common_caption(view, record_day));
	return arena_adopt(&view->memory, text_list_end(&caption));
}

const char *plot_direction(const struct matrix *matrix)
{
	if (matrix_is_slowdown(matrix))
		return "(high where a cache is shared)";
	return matrix->higher_is_better ? "(higher is better)"
					: "(lower is better)";
}

const char *plot_role(const struct plot_image *image, bool second)
{
	static const struct {
		const char *command, *roles[2];
	} known[] = {
		{"latency", {"CPU (ping)", "CPU (pong)"}},
		{"queue", {"CPU (writer)", "CPU (reader)"}},
		{"memcpy", {"CPU (source)", "CPU (copier)"}},
		{"numa", {"CPUs of node", "memory of node"}},
	};
	const char *command = image->source->record->command;

	if (image->matrix.symmetric)
		return result_member_word(image->source->record);
	for (size_t i = 0; command && i < sizeof(known) / sizeof(known[0]);
		i++) {
		if (strcmp(command, known[i].command) == 0)
			return known[i].roles[second];
	}
	return second ? "second CPU" : "first CPU";
}
