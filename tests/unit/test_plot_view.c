/* Which matrix is drawn, in which order, under which captions. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "figure/view.h"
#include "machine/machine.h"
#include "plot_sample.h"

static const double three[] = {NAN, 1, 2, 1, NAN, 3, 2, 3, NAN};

static struct plot_options defaults(void)
{
	struct plot_options options;

	plot_options_init(&options);
	return options;
}

static void options_begin_empty(void **state)
{
	struct plot_options options;

	(void)state;
	memset(&options, 0xff, sizeof(options));
	plot_options_init(&options);
	assert_null(options.name);
	assert_null(options.statistic);
	assert_null(options.title);
	assert_int_equal(options.order, PLOT_ORDER_OS);
	assert_true(isnan(options.range_min) && isnan(options.range_max));
}

/* The order of the file is the user's: --cpus 5,0,2. */
static void the_order_of_the_result_is_kept(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;

	(void)state;
	plot_sample(&result, "5,0,2", three);
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.images->cpus.n, 3);
	assert_int_equal(view.images->cpus.cpus[0], 5);
	assert_int_equal(view.images->cpus.cpus[2], 2);
	assert_true(view.images[0].matrix.values[1] == 1);
	assert_int_equal(view.n_images, 1);
	assert_string_equal(view.statistic, "median");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(view.images->borders[i], PLOT_BORDER_NONE);
	plot_view_release(&view);
	result_release(&result);
}

static void a_matrix_is_chosen(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;
	struct matrix *matrix;

	(void)state;
	plot_sample(&result, "0-2", three);
	matrix = result_add_matrix(
		&result, "latency", "min", "ns", NULL, false, true);
	matrix->values[1] = 7;
	matrix = result_add_matrix(
		&result, "other", "median", "GiB/s", "rate", true, false);
	matrix->values[1] = 8;

	options.statistic = "min";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_true(view.images[0].matrix.values[1] == 7);
	assert_string_equal(view.statistic, "min");
	plot_view_release(&view);

	options.statistic = NULL;
	options.name = "other";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_true(view.images[0].matrix.values[1] == 8);
	assert_true(view.images[0].matrix.higher_is_better);
	plot_view_release(&view);
	result_release(&result);
}

static struct matrix *add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, bool higher)
{
	struct matrix *matrix = result_add_matrix(
		result, name, statistic, unit, "rate", higher, false);

	assert_non_null(matrix);
	matrix->values[1] = (double)result->n_matrices;
	return matrix;
}

/* One scale must serve all that stand together. */
static void matrices_of_a_kind_are_drawn_together(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;

	(void)state;
	result_init(&result);
	assert_int_equal(cpu_list_parse(&result.cpus, "0-2", NULL), 0);
	add_matrix(&result, "writer", "median", "GiB/s", true); /* 1 */
	add_matrix(&result, "writer", "min", "GiB/s", true);
	add_matrix(&result, "cost", "median", "ns", true);
	add_matrix(&result, "loss", "median", "GiB/s", false);
	assert_non_null(result_add_matrix(
		&result, "peak", "median", "GiB/s", NULL, true, false));
	add_matrix(&result, "reader", "min", "GiB/s", true);
	add_matrix(&result, "reader", "median", "GiB/s", true); /* 7 */
	add_matrix(&result, "copy", "min", "GiB/s", true);
	add_matrix(&result, "reader", "median", "GiB/s", true);
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.n_images, 2);
	assert_true(view.images[0].matrix.values[1] == 1);
	assert_true(view.images[1].matrix.values[1] == 7);
	plot_view_release(&view);

	options.name = "reader";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.n_images, 1);
	assert_true(view.images[0].matrix.values[1] == 7);
	plot_view_release(&view);

	options.name = NULL;
	options.statistic = "min";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.n_images, 3);
	plot_view_release(&view);
	result_release(&result);
}

static struct curve *add_curve(struct result *result, const char *family)
{
	const struct curve_facts facts = {
		.family = family,
		.member = "a",
		.x_name = "x",
		.x_unit = "B",
		.x_axis = CURVE_BYTES,
		.y_unit = "ns",
	};
	struct curve *curve = result_add_curve(result, &facts, 1);

	assert_non_null(curve);
	return curve;
}

/* Without matrices, or when asked for. */
static void curves_are_drawn(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;
	struct error err;

	(void)state;
	plot_sample(&result, "0-2", three);
	add_curve(&result, "y")->low[0] = 5;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.n_images, 1);
	assert_int_equal(view.n_curves, 0);
	plot_view_release(&view);

	options.series = true;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_int_equal(view.n_images, 0);
	assert_int_equal(view.n_curves, 1);
	assert_string_equal(view.statistic, "median");
	plot_view_release(&view);

	/* What is drawn is the middle, whatever it is. */
	options.statistic = "ci_low";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_string_equal(view.statistic, "ci_low");
	assert_true(view.curves[0].median[0] == 5);
	assert_null(view.curves[0].low);
	plot_view_release(&view);

	options.statistic = "p99";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text,
		"the result has no curve with the statistic 'p99'; it has: "
		"median, ci_low");
	result_release(&result);

	plot_sample(&result, "0-2", three);
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_string_equal(err.text, "the result holds no curves to plot");
	result_release(&result);

	/* Those of a fit are computed. */
	result_init(&result);
	add_curve(&result, "y")->x[0] = 1073741824;
	result.curves[0].fit = calloc(1, sizeof(struct curve_fit));
	assert_non_null(result.curves[0].fit);
	result.curves[0].fit->overhead_ns[0] = 1e9;
	result.curves[0].fit->rate_gib_per_s[0] = 1;
	options = defaults();
	options.statistic = "fit";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_true(view.curves[0].median[0] == 0.5);
	plot_view_release(&view);
	result.curves[0].fit->worst_error = 0.21;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	result_release(&result);
}

static void what_is_not_there_is_named(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;
	struct error err;

	(void)state;
	plot_sample(&result, "0-2", three);
	options.statistic = "p99";
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text,
		"the result has no matrix with the statistic 'p99'; it has: "
		"latency median");
	options.name = "queue";
	options.statistic = NULL;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_string_equal(err.text,
		"the result has no matrix 'queue' with the statistic "
		"'median'; it has: latency median");
	result_release(&result);

	result_init(&result);
	options = defaults();
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_string_equal(
		err.text, "the result holds no matrix and no curves to plot");
	options.name = "writer";
	add_curve(&result, "y");
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_string_equal(
		err.text, "the result holds no matrix to plot, only curves");
	result_release(&result);
}

static void no_topology_is_no_order(void **state)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;
	struct error err;

	(void)state;
	plot_sample(&result, "0-2", three);
	options.order = PLOT_ORDER_TOPOLOGY;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_non_null(strstr(err.text, "--order os"));

	result.hwloc_xml = strdup("no XML");
	assert_true(plot_view_init(
			    &view, PLOT_RECORD(&result), &options, &err) < 0);
	assert_ptr_equal(strstr(err.text, "the result's topology: "), err.text);
	result_release(&result);
}

/* What cell i has: its CPUs, told by the number. */
static double value_of(const struct cpu_list *cpus, size_t i)
{
	size_t row = i / cpus->n, column = i % cpus->n;

	return 100.0 * cpus->cpus[row] + cpus->cpus[column];
}

/* A result over all CPUs of a synthetic machine, in order of their numbers. */
static void on_machine(
	struct result *result, const char *cpus, const char *description)
{
	struct machine *machine;
	struct matrix *matrix;
	size_t n;

	result_init(result);
	assert_int_equal(cpu_list_parse(&result->cpus, cpus, NULL), 0);
	n = result->cpus.n;
	matrix = result_add_matrix(
		result, "latency", "median", "ns", NULL, false, false);
	for (size_t i = 0; i < n * n; i++)
		matrix->values[i] = value_of(&result->cpus, i);
	assert_int_equal(machine_new_synthetic(&machine, description, NULL), 0);
	result->hwloc_xml = machine_export_xml(machine);
	machine_free(machine);
	assert_non_null(result->hwloc_xml);
}

static void assert_view(
	const struct plot_view *view, const char *cpus, const char *borders)
{
	char *text = cpu_list_format(&view->images->cpus);
	size_t n = view->images->cpus.n;

	assert_non_null(text);
	assert_string_equal(text, cpus);
	free(text);
	assert_int_equal(strlen(borders), n);
	for (size_t i = 0; i < n; i++) {
		static const char names[] = {'.', '-', '='};

		assert_int_equal(names[view->images->borders[i]], borders[i]);
	}
	/* Rows and columns moved together. */
	for (size_t i = 0; i < n * n; i++)
		assert_true(view->images[0].matrix.values[i] ==
			    value_of(&view->images->cpus, i));
}

static void assert_topology(const char *cpus, const char *description,
	const char *order, const char *borders)
{
	struct plot_options options = defaults();
	struct plot_view view;
	struct result result;

	on_machine(&result, cpus, description);
	options.order = PLOT_ORDER_TOPOLOGY;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	assert_view(&view, order, borders);
	plot_view_release(&view);
	result_release(&result);
}

static void topology_orders_and_parts(void **state)
{
	(void)state;
	/*
	 * Two packages of two L3s of two CPUs, numbered package by package and
	 * round again.
	 */
	assert_topology("0-7", "package:2 l3:2 pu:2(indexes=2*4:1*2)",
		"0,4,1,5,2,6,3,7", "..-.=.-.");
	/* Some CPUs only, as the user named them. */
	assert_topology("7,1,0,4", "package:2 l3:2 pu:2(indexes=2*4:1*2)",
		"0,4,1,7", "..-=");
}

/* Lines between every two CPUs would say nothing. */
static void a_line_everywhere_is_none(void **state)
{
	(void)state;
	assert_topology("0-3", "l3:4 pu:1", "0-3", "....");
	assert_topology("0-3", "package:4 pu:1", "0-3", "....");
	assert_topology("0-3", "package:2 l3:2 pu:1", "0-3", "..=.");
	assert_topology("0-3", "l3:1 pu:4", "0-3", "....");
}

static void assert_captions(
	struct result *result, const char *machine, const char *method)
{
	struct plot_options options = defaults();
	struct plot_view view;
	char *text;

	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(result), &options, NULL), 0);
	text = plot_caption_machine(&view);
	assert_non_null(text);
	assert_string_equal(text, machine);
	text = plot_caption_method(&view);
	assert_non_null(text);
	assert_string_equal(text, method);
	plot_view_release(&view);
}

/* An analysis knows groups that the topology does not. */
static void the_order_may_be_given(void **state)
{
	enum plot_border borders[] = {
		PLOT_BORDER_NONE, PLOT_BORDER_MAJOR, PLOT_BORDER_MINOR};
	struct plot_options options = defaults();
	struct cpu_list cpus = {0};
	struct plot_view view;
	struct result result;

	(void)state;
	plot_sample(&result, "5,0,2", three);
	assert_int_equal(cpu_list_parse(&cpus, "2,5,0", NULL), 0);
	options.order = PLOT_ORDER_GROUPS;
	options.cpus = &cpus;
	options.borders = borders;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(&result), &options, NULL), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(view.images->cpus.cpus[i], cpus.cpus[i]);
		assert_int_equal(view.images->borders[i], borders[i]);
	}
	/* From 2 to 5, from 2 to 0, from 5 to 0. */
	assert_true(view.images[0].matrix.values[1] == 2);
	assert_true(view.images[0].matrix.values[2] == 3);
	assert_true(view.images[0].matrix.values[5] == 1);
	plot_view_release(&view);
	cpu_list_release(&cpus);
	result_release(&result);
}

static void captions_say_machine_and_method(void **state)
{
	struct result result;

	(void)state;
	plot_sample(&result, "0-2", three);
	/* A file of another tool does not tell what its values are. */
	assert_captions(&result, "", "one-way latency [ns]");
	plot_sample_describe(&result);
	assert_captions(&result, "Test CPU {_^@} · lab",
		"c2c latency (line) · one-way latency, median [ns] · 25 "
		"passes · 2026-11-21");
	result.complete = false;
	result.run.passes = 1;
	facts_set_text(&result.machine, "hypervisor", "KVM");
	facts_drop(&result.options, "method");
	assert_captions(&result, "Test CPU {_^@} · lab · KVM",
		"c2c latency · one-way latency, median [ns] · 1 pass · "
		"incomplete · 2026-11-21");
	result_release(&result);
}

static void assert_doubts(const struct result *result, const char *expected)
{
	const struct plot_options options = defaults();
	struct plot_view view;
	const char *doubts;

	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(result), &options, NULL), 0);
	doubts = plot_caption_doubts(&view);
	if (expected) {
		assert_non_null(doubts);
		assert_non_null(strstr(doubts, expected));
	} else {
		assert_null(doubts);
	}
	plot_view_release(&view);
}

static void a_run_that_disagrees_says_so(void **state)
{
	struct result result;

	(void)state;
	plot_sample(&result, "0-2", three);
	assert_doubts(&result, NULL);
	result.run.even_odd = 0.404;
	result.run.halves = 0.36;
	result.run.verdict = RUN_SCATTERED;
	assert_doubts(&result, "passes agree at only 0.40: ");
	result.run.even_odd = 0.95;
	result.run.verdict = RUN_DRIFTED;
	assert_doubts(
		&result, "halves of the run agree at only 0.36: CPUs moved");
	result.run.verdict = RUN_AGREES;
	assert_doubts(&result, NULL);
	result_release(&result);
}

static void a_run_of_curves_says_its_warnings_in_short(void **state)
{
	struct result result;

	(void)state;
	plot_sample(&result, "0", three);
	result.n_matrices = 0;
	add_curve(&result, "y");
	/* Ranks along a plateau are noise. */
	result.run.even_odd = 0.404;
	result.run.verdict = RUN_SCATTERED;
	assert_doubts(&result, NULL);
	run_facts_warn(&result.run,
		"2 of 9 visits were disturbed and dropped: other programs ran");
	run_facts_warn(&result.run,
		"5 of 7 points have a 95 % interval wider than ±2.5 %; more");
	run_facts_warn(&result.run, "passes of 3 points scatter");
	assert_doubts(&result,
		"Doubts: 2 of 9 visits were disturbed and dropped; 5 of 7 "
		"points have a 95 % interval wider than ±2.5 %; passes of 3 "
		"points scatter.");
	result.n_matrices = 1;
	result_release(&result);
}

static double noise_of(
	const struct result *result, const char *name, const char *statistic)
{
	struct plot_options options = defaults();
	struct plot_view view;
	double noise;

	options.name = name;
	options.statistic = statistic;
	assert_int_equal(
		plot_view_init(&view, PLOT_RECORD(result), &options, NULL), 0);
	noise = view.noise;
	plot_view_release(&view);
	return noise;
}

static void add_like(struct result *result, const char *name,
	const char *statistic, const double values[9])
{
	struct matrix *matrix = result_add_matrix(
		result, name, statistic, "ns", "one-way", false, true);

	assert_non_null(matrix);
	memcpy(matrix->values, values, 9 * sizeof(*values));
}

/* The median of those that there are, and only beside medians. */
static void noise_is_the_width_of_intervals(void **state)
{
	/* 1, 2, 4 and 5 wide about the medians of three, and two unknown. */
	static const double low[9] = {NAN, 0.5, 1, 0, NAN, 2, NAN, 0, NAN};
	static const double high[9] = {NAN, 1.5, 3, 4, NAN, 7, 9, NAN, NAN};
	struct result result;

	(void)state;
	plot_sample(&result, "0-2", three);
	assert_true(isnan(noise_of(&result, NULL, NULL)));
	add_like(&result, "latency", "ci_low", low);
	assert_true(isnan(noise_of(&result, NULL, NULL)));
	add_like(&result, "latency", "ci_high", high);
	assert_true(noise_of(&result, NULL, NULL) == 3);
	assert_true(isnan(noise_of(&result, NULL, "ci_low")));
	/* Too few passes for intervals, those of several runs apart. */
	result.run.passes = 5;
	assert_true(isinf(noise_of(&result, NULL, NULL)));
	assert_true(isinf(noise_of(&result, NULL, "ci_low")));
	result.run.passes = 6;
	assert_true(noise_of(&result, NULL, NULL) == 3);
	result.run.passes = 2;
	result.run.interval = strdup("range");
	assert_true(noise_of(&result, NULL, NULL) == 3);
	result_release(&result);
}

static void captions_say_what_was_moved(void **state)
{
	struct result result;

	(void)state;
	plot_sample(&result, "0-2", three);
	facts_set_text(&result.tool, "version", "0.1.0");
	facts_set_count(&result.options, "chunk_bytes", 512);
	assert_captions(&result, "",
		"c2c latency (512 B chunks) · one-way latency, median [ns]");
	facts_set_text(&result.options, "method", "cold");
	assert_captions(&result, "",
		"c2c latency (cold, 512 B chunks) · one-way latency, median "
		"[ns]");
	facts_release(&result.options);
	facts_set_count(&result.options, "size_bytes", 65536);
	assert_captions(&result, "",
		"c2c latency (64 KiB) · one-way latency, median [ns]");
	facts_set_unknown(&result.options, "size_bytes");
	assert_captions(
		&result, "", "c2c latency · one-way latency, median [ns]");
	result_release(&result);
}

static void rates_are_called_rates(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.complete = true;
	facts_set_text(&result.tool, "version", "0.1.0");
	assert_int_equal(cpu_list_parse(&result.cpus, "0-1", NULL), 0);
	assert_non_null(result_add_matrix(
		&result, "writer", "median", "GiB/s", "rate", true, false));
	assert_captions(&result, "", "writer rate, median [GiB/s]");
	assert_non_null(result_add_matrix(
		&result, "reader", "median", "GiB/s", "rate", true, false));
	assert_captions(&result, "", "writer and reader rate, median [GiB/s]");
	assert_non_null(result_add_matrix(
		&result, "copy", "median", "GiB/s", "rate", true, false));
	assert_captions(
		&result, "", "writer, reader and copy rate, median [GiB/s]");
	result_release(&result);
}

static void captions_of_curves_say_what_they_show(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.complete = true;
	add_curve(&result, "rate");
	assert_captions(&result, "", "rate, median [ns]");
	result_release(&result);
}

static void assert_roles(const char *command, bool symmetric, const char *row,
	const char *column)
{
	const struct result record = {.command = (char *)command};
	struct plot_source source = {.record = &record};
	const struct plot_image image = {
		.matrix.symmetric = symmetric, .source = &source};

	assert_string_equal(plot_role(&image, false), row);
	assert_string_equal(plot_role(&image, true), column);
}

static void roles_are_those_of_the_command(void **state)
{
	(void)state;
	assert_roles("latency", true, "CPU", "CPU");
	assert_roles("latency", false, "CPU (ping)", "CPU (pong)");
	assert_roles("queue", false, "CPU (writer)", "CPU (reader)");
	assert_roles("memcpy", false, "CPU (source)", "CPU (copier)");
	assert_roles("numa", false, "CPUs of node", "memory of node");
	assert_roles("watch", false, "first CPU", "second CPU");
	assert_roles(NULL, false, "first CPU", "second CPU");
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(options_begin_empty),
	cmocka_unit_test(the_order_of_the_result_is_kept),
	cmocka_unit_test(a_matrix_is_chosen),
	cmocka_unit_test(matrices_of_a_kind_are_drawn_together),
	cmocka_unit_test(curves_are_drawn),
	cmocka_unit_test(what_is_not_there_is_named),
	cmocka_unit_test(no_topology_is_no_order),
	cmocka_unit_test(topology_orders_and_parts),
	cmocka_unit_test(a_line_everywhere_is_none),
	cmocka_unit_test(the_order_may_be_given),
	cmocka_unit_test(captions_say_machine_and_method),
	cmocka_unit_test(captions_say_what_was_moved),
	cmocka_unit_test(a_run_that_disagrees_says_so),
	cmocka_unit_test(a_run_of_curves_says_its_warnings_in_short),
	cmocka_unit_test(noise_is_the_width_of_intervals),
	cmocka_unit_test(rates_are_called_rates),
	cmocka_unit_test(captions_of_curves_say_what_they_show),
	cmocka_unit_test(roles_are_those_of_the_command),
};

CASE_GROUP(cases);
