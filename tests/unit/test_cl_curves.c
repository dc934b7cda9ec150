/*
 * What c2c cl makes of times: curves with their runs, strides, the squares that
 * caches suggest. None of it needs a device.
 */
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
#include "../topo/pretend.h"
#include "cl/cl_caches.h"
#include "cl/suite/rowcol.h"
#include "cl/sweep.h"

/* A time of enough runs. */
static struct timing a_timing(double median, double low, double high)
{
	return (struct timing){.median_s = median,
		.low_s = low,
		.high_s = high,
		.runs = 10,
		.visits = 2};
}

static void long_runs_are_few_but_have_an_interval(void **state)
{
	(void)state;
	assert_false(timing_is_enough(9, 0.2));
	assert_false(timing_is_enough(5, 0.6));
	assert_true(timing_is_enough(6, 0.3));
	assert_false(timing_is_enough(3, 1.9));
	assert_true(timing_is_enough(3, 2.1));
	assert_false(timing_is_enough(2, 100));
	assert_false(timing_is_enough(6, NAN));
}

static void the_best_has_the_least_median(void **state)
{
	struct timing all[] = {timing_none(), a_timing(3, 3, 3),
		a_timing(2, 2, 2), a_timing(2, 1, 5), a_timing(4, 4, 4),
		timing_none()};
	size_t n = sizeof(all) / sizeof(all[0]);

	(void)state;
	for (size_t i = 0; i < n; i++)
		all[i].group = i;
	assert_int_equal(timing_best(all, n).group, 2);
	assert_int_equal(timing_best(all, 2).group, 1);
	assert_true(isnan(timing_best(all, 1).median_s));
	assert_true(isnan(timing_best(all, 0).median_s));
}

static void strides_are_all_or_some(void **state)
{
	struct test_options options = {.quick = false};
	struct session session = {.options = &options};
	struct sweep sweep = sweep_of_strides(&session, true, "4 MiB", false);

	(void)state;
	assert_int_equal(sweep.n, 17);
	for (unsigned i = 0; i <= 16; i++)
		assert_true(sweep.x[i] == i);
	assert_string_equal(sweep.name, "write of 4 MiB");
	sweep = sweep_of_strides(&session, false, "4 MiB", true);
	assert_int_equal(sweep.n, 7);
	assert_true(sweep.x[0] == 0);
	assert_true(sweep.x[6] == 16);
	session_release(&session, 0);
}

static void a_sweep_goes_over_sizes_too(void **state)
{
	struct sweep sweep = {.n = 0};

	(void)state;
	sweep_up_to(&sweep, 4096, 100000, 4);
	assert_int_equal(sweep.n, 3);
	assert_true(sweep.x[0] == 4096 && sweep.x[2] == 65536);
	/* All powers of two, until there is no room. */
	for (size_t i = 0; i < 1 + SWEEP_MOST / 63; i++)
		sweep_up_to(&sweep, 1, SIZE_MAX / 2, 2);
	assert_int_equal(sweep.n, SWEEP_MOST);
}

static void sizes_are_as_many_in_each_doubling_as_chosen(void **state)
{
	struct test_options options = {
		.least_bytes = 4096, .most_bytes = 1 << 20, .each_doubling = 4};
	struct session session = {.options = &options};
	struct sweep sweep = {.session = &session};

	(void)state;
	sweep_each_doubling(&sweep, 1024, 16384, 64);
	assert_int_equal(sweep.n, 9);
	for (size_t i = 0; i < sweep.n; i++)
		assert_true(fmod(sweep.x[i], 64) == 0);
	assert_true(sweep.x[0] == 4096 && sweep.x[1] == 4928);
	assert_true(sweep.x[4] == 8192 && sweep.x[8] == 16384);
	/* Sizes of few units: each once. */
	sweep.n = 0;
	sweep_each_doubling(&sweep, 1024, 16384, 4096);
	assert_int_equal(sweep.n, 4);
	/* None. */
	sweep.n = 0;
	sweep_each_doubling(&sweep, 1024, 2048, 64);
	assert_int_equal(sweep.n, 0);
}

/* What a list of the record says first, of a name or by itself. */
static const char *said(
	const struct session *session, const char *key, size_t i)
{
	const struct record_list list = record_find_list(session->record, key);
	struct facts row = record_list_row(&list, i);

	assert_true(i < list.n);
	return row.n ? facts_text(&row, "name") : record_list_text(&list, i);
}

/* A time that takes turns with none: gaps are what was given up. */
static struct timing time_it(struct sweep *sweep, size_t i)
{
	const struct timing *timings = sweep->context;

	return timings[i];
}

static void strides_are_told_apart_by_their_intervals(void **state)
{
	static const unsigned compared[] = {0, 2, 16};
	struct timing timings[] = {a_timing(4, 3, 5), a_timing(2, 2, 2),
		a_timing(3, 1, 5), timing_none()};
	struct test_options options = {0};
	struct record record = {0};
	struct result result;
	struct session session = {.options = &options,
		.result = &result,
		.record = &record,
		.all = 1};
	struct sweep sweep = {.session = &session,
		.name = "reading",
		.facts = {.family = "y",
			.member = "read",
			.x_name = "stride",
			.x_unit = "words"},
		.x = {0, 1, 2, 16},
		.n = 4,
		.time = time_it,
		.amount = GIB,
		.compared = compared,
		.n_compared = 3,
		.context = timings};
	struct median_interval ratio;

	(void)state;
	result_init(&result);
	stat_random_init(&session.random, 1);
	assert_int_equal(sweep_run(&sweep, 1), 0);
	ratio = figure_over(
		sweep_figure_at(&sweep, 1), sweep_figure_at(&sweep, 0));
	assert_true(ratio.median == 2 && ratio.low == 1.5 && ratio.high == 2.5);
	assert_true(isnan(sweep_figure_at(&sweep, 16).median));
	assert_true(isnan(sweep_figure_at(&sweep, 3).median));
	assert_string_equal(said(&session, "findings", 0),
		"reading beside stride 1: stride 0, 2.00 times as long (1.50 "
		"to 2.50); stride 2, no clear difference (0.50 to 2.50 times "
		"as long); stride 16, no result");
	assert_int_equal(session.n_points, 3);
	assert_true(session.done == session.all);
	free(session.points);
	session_release(&session, 0);
	record_release(&record);
	result_release(&result);
}

static void sizes_are_powers_of_two_within_bounds(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *nearest; /* NULL: it is right */
	} sizes[] = {{0, NULL}, {4096, NULL}, {8192, NULL}, {1 << 20, NULL},
		{2048, "4 KiB and 8 KiB"}, {4097, "4 KiB and 8 KiB"},
		{12288, "8 KiB and 16 KiB"}, {2 << 20, "512 KiB and 1 MiB"}};
	const struct test test = {.name = "x",
		.takes = TAKES_SIZE,
		.size = {SIZE_POWER, 4096, 1 << 20}};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct test_options options = {.size_bytes = sizes[i].bytes};
		int rc = test_check_options(&test, &options, &err);

		assert_int_equal(rc, sizes[i].nearest ? -EINVAL : 0);
		if (!sizes[i].nearest)
			continue;
		assert_non_null(strstr(err.text, sizes[i].nearest));
		assert_non_null(strstr(err.text,
			"x takes a power of two from 4 KiB to 1 MiB"));
	}
}

static void a_range_of_sizes_is_for_tests_that_take_one(void **state)
{
	const struct test takes = {.name = "x", .takes = TAKES_SIZES};
	const struct test other = {.name = "x", .takes = TAKES_SIZE};
	struct test_options options = {
		.least_bytes = 1024, .most_bytes = 1 << 20};
	struct error err;

	(void)state;
	assert_int_equal(test_options_set(&options), TAKES_SIZES);
	assert_int_equal(test_check_options(&takes, &options, &err), 0);
	assert_int_equal(test_check_options(&other, &options, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--sizes does not apply to x"));
	/* Others keep it, one that takes none does without. */
	test_fit_options(&takes, &options, NULL);
	assert_int_equal(options.most_bytes, 1 << 20);
	test_fit_options(&other, &options, NULL);
	assert_int_equal(options.most_bytes, 0);
	assert_int_equal(test_options_set(&options), 0);
}

/* A record of findings about a curve of four sizes. */
struct found {
	struct test_options options;
	struct record record;
	struct result result;
	struct session session;
	struct sweep sweep;
};

static void open_found(struct found *found, const struct timing timings[4])
{
	*found = (struct found){.session = {.options = &found->options,
					.result = &found->result,
					.record = &found->record,
					.units = 4,
					.all = 1},
		.sweep = {.session = &found->session,
			.name = "reading",
			.facts = {.family = "y", .member = "read", SWEEP_SIZES},
			.x = {1024, 2048, 4096, 8192},
			.n = 4,
			.time = time_it,
			.amount = GIB,
			.launch.kernel = (cl_kernel)found,
			.context = (void *)timings}};
	result_init(&found->result);
	facts_set_number(&found->record.facts, "device.clock_mhz", 2000);
	stat_random_init(&found->session.random, 1);
	assert_int_equal(sweep_run(&found->sweep, 1), 0);
}

static void close_found(struct found *found)
{
	free(found->session.points);
	session_release(&found->session, 0);
	record_release(&found->record);
	result_release(&found->result);
}

static void the_best_point_has_its_clocks_and_share(void **state)
{
	const struct timing timings[] = {a_timing(0.5, 0.5, 0.5),
		a_timing(0.11, 0.1, 0.2), timing_none(),
		a_timing(0.1, 0.08, 0.125)};
	struct ceiling ceiling = {.rate = 20, .rounds = 100};
	struct found found;

	(void)state;
	open_found(&found, timings);
	sweep_report_best(&found.sweep, 0);
	assert_string_equal(said(&found.session, "findings", 0),
		"reading: at best 10 GiB/s, 1.34 bytes per clock and unit, at "
		"size 8 KiB");
	found.sweep.bound.ceiling = &ceiling;
	found.sweep.launch.kernel = NULL;
	sweep_report_best(&found.sweep, 0.9);
	assert_string_equal(said(&found.session, "findings", 1),
		"reading: at best 10 GiB/s, 40 to 62 % of its ceiling, at size "
		"8 KiB; at least 90 % of that at size 2 KiB");
	/* Other points may reach it sooner, but were left out. */
	found.session.left_out = 1;
	found.sweep.bound.ceiling_per_y = 0.5;
	sweep_report_best(&found.sweep, 0.9);
	assert_string_equal(said(&found.session, "findings", 2),
		"reading: at best 10 GiB/s, 20 to 31 % of its ceiling, at size "
		"8 KiB");
	found.sweep.n = 0;
	sweep_report_best(&found.sweep, 0.9);
	assert_int_equal(record_find_list(&found.record, "findings").n, 3);
	close_found(&found);
}

static void of_times_the_shortest_is_the_best(void **state)
{
	const struct timing timings[] = {timing_none(), a_timing(3, 3, 3),
		a_timing(2, 1, 3), a_timing(4, 4, 4)};
	struct found found;

	(void)state;
	open_found(&found, timings);
	found.sweep.shows = SHOWS_STEP;
	assert_int_equal(sweep_best(&found.sweep), 3);
	assert_int_equal(sweep_worst(&found.sweep), 2);
	sweep_report_best(&found.sweep, 0);
	assert_string_equal(said(&found.session, "findings", 0),
		"reading: at best 0.25 GiB/s, 0.5 clocks, at size 8 KiB");
	/* Nothing is said of gaps. */
	sweep_compare(&found.sweep, 1, &found.sweep, 0);
	sweep_compare(&found.sweep, 4, &found.sweep, 1);
	sweep_compare(&found.sweep, 1, &found.sweep, 3);
	assert_string_equal(said(&found.session, "findings", 1),
		"reading, size 2 KiB beside 8 KiB: 1.33 times as long "
		"(1.33 to 1.33)");
	close_found(&found);
}

static void a_curve_may_fall_several_times(void **state)
{
	const struct timing timings[] = {a_timing(1, 1, 1), a_timing(2, 2, 2),
		a_timing(4, 4, 4), a_timing(4, 4, 4)};
	const struct timing twice[] = {a_timing(1, 1, 1), a_timing(2, 2, 2),
		a_timing(2, 2, 2), a_timing(4, 4, 4)};
	struct found found;

	(void)state;
	open_found(&found, timings);
	assert_true(sweep_report_falls(&found.sweep, 0.2) == 0);
	assert_int_equal(record_find_list(&found.record, "findings").n, 0);
	assert_true(sweep_report_falls(&found.sweep, 0.7) == 2048);
	assert_string_equal(said(&found.session, "findings", 0),
		"reading: falls by at least 30 % at 2 KiB");
	close_found(&found);
	open_found(&found, twice);
	assert_true(sweep_report_falls(&found.sweep, 0.7) == 2048);
	assert_string_equal(said(&found.session, "findings", 0),
		"reading: falls by at least 30 % at 2 KiB, 8 KiB");
	found.sweep.facts.x_axis = CURVE_AMOUNTS;
	sweep_report_falls(&found.sweep, 0.75);
	assert_string_equal(said(&found.session, "findings", 1),
		"reading: falls by at least 25 % at size 2048, size 8192");
	close_found(&found);
}

static void groups_divide_the_work_items(void **state)
{
	const struct test test = {
		.name = "x", .takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP};
	struct test_options options = {.work_items = 96, .work_group = 32};
	struct error err;

	(void)state;
	assert_int_equal(test_check_options(&test, &options, &err), 0);
	options.work_group = 64;
	assert_int_equal(test_check_options(&test, &options, &err), -EINVAL);
	assert_string_equal(err.text,
		"--work-group: 96 work-items are no multiple of 64; the "
		"nearest that divide them are 48 and 96");
	/* None is larger than all; what is prime has a group of one or all. */
	options.work_group = 256;
	assert_int_equal(test_check_groups(&options, 96, 256, &err), -EINVAL);
	assert_non_null(strstr(err.text, "take 96 at most"));
	assert_int_equal(
		test_check_groups(&options, 4294967291, 256, &err), -EINVAL);
	assert_non_null(strstr(err.text, "are 1 and 4294967291"));
	/* Where the group is not the user's, the work-items are to blame. */
	options.work_group = 0;
	assert_int_equal(test_check_groups(&options, 96, 48, &err), 0);
	assert_int_equal(test_check_groups(&options, 96, 64, &err), -EINVAL);
	assert_string_equal(err.text,
		"--work-items: 96 are no multiple of the 64 in a group; the "
		"nearest are 64 and 128");
	assert_int_equal(test_check_groups(&options, 96, 256, &err), -EINVAL);
	assert_non_null(strstr(err.text, "the nearest are 256 and 512"));
}

static struct sweep a_sweep(struct session *session, size_t n)
{
	struct sweep sweep = {.session = session,
		.name = "reading",
		.facts = {.family = "y",
			.member = "read",
			.x_name = "stride",
			.x_unit = "words"},
		.time = time_it,
		.amount = GIB};

	for (unsigned i = 0; i < n; i++)
		sweep_over(&sweep, &i, 1);
	return sweep;
}

static void ceilings_are_of_a_curve_or_of_its_panel(void **state)
{
	struct record record = {0};
	struct result result;
	struct session session = {.result = &result, .record = &record};
	struct sweep sweep = a_sweep(&session, 3);
	struct ceiling ceiling = {.rate = NAN};
	struct ceiling_line line = {NULL, "a", 0, 0, 2};
	struct curve *curve;

	(void)state;
	result_init(&result);
	assert_int_equal(sweep_begin(&sweep), 0);
	assert_int_equal(ceiling_show(&session, &ceiling, &line), 0);
	assert_int_equal(result.n_curves, 1);
	assert_null(result.curves[0].ceiling);
	/* In parts, then another one of the panel. */
	ceiling.rate = 5;
	line.from = line.to = 1;
	assert_int_equal(ceiling_show(&session, &ceiling, &line), 0);
	ceiling.rate = 6;
	line.from = line.to = 2;
	assert_int_equal(ceiling_show(&session, &ceiling, &line), 0);
	line.member = "b";
	line.from = 0;
	assert_int_equal(ceiling_show(&session, &ceiling, &line), 0);
	assert_int_equal(result.n_curves, 3);
	curve = &result.curves[1];
	assert_string_equal(curve->facts.member, "a");
	assert_int_equal(curve->facts.statistic, CURVE_CEILING);
	assert_string_equal(curve->facts.y_unit, "GiB/s");
	assert_true(isnan(curve->ceiling[0]));
	assert_true(curve->ceiling[1] == 5 && curve->ceiling[2] == 6);
	assert_true(curve->x[2] == 2);
	assert_true(isnan(curve->median[2]));
	assert_true(result.curves[2].ceiling[0] == 6);
	/* That of the curve itself. */
	line.member = NULL;
	line.from = 1;
	assert_int_equal(ceiling_show(&session, &ceiling, &line), 0);
	assert_int_equal(result.n_curves, 3);
	assert_true(isnan(result.curves[0].ceiling[0]));
	assert_true(result.curves[0].ceiling[1] == 6);
	/* No name of any was for the record. */
	assert_int_equal(record_find_list(&record, "ceilings").n, 0);
	record_release(&record);
	result_release(&result);
}

/* Ceilings that will not be measured again: of 1 byte a CPU, then of 8 KiB. */
static void bound_it(struct sweep *sweep, size_t i)
{
	sweep->bound.bytes = i > 0 ? 8192 : 64;
	sweep->amount = GIB * (double)(i ? i : 1);
}

static struct timing time_below(struct sweep *sweep, size_t i)
{
	if (i > 0) {
		sweep->bound.ceiling->rate = 2;
		sweep->bound.ceiling->rounds = 5;
	}
	return time_it(sweep, i);
}

/* On no device: one that is no CPU has a ceiling that is not known. */
static void points_above_a_ceiling_are_gaps(void **state)
{
	struct record_list list;
	struct facts row;
	struct timing timings[] = {a_timing(1, 0.95, 1.05),
		a_timing(1, 0.95, 1.05), a_timing(1, 0.95, 1.05),
		a_timing(1, 0.95, 1.05)};
	unsigned cpu = 0;
	struct cpu_list cpus = {&cpu, 1};
	struct test_options options = {.cpus = &cpus};
	struct record record = {0};
	struct result result;
	struct session session = {.options = &options,
		.result = &result,
		.record = &record,
		.all = 1};
	struct sweep sweep = {.session = &session,
		.name = "reading",
		.facts = {.family = "y",
			.member = "read",
			.x_name = "stride",
			.x_unit = "words"},
		.x = {0, 1, 2, 3},
		.n = 4,
		.prepare = bound_it,
		.time = time_below,
		.bound = {.what = NATIVE_READ, .bytes = 64},
		.context = timings};

	(void)state;
	result_init(&result);
	stat_random_init(&session.random, 1);
	assert_int_equal(sweep_run(&sweep, 1), 0);
	assert_int_equal(sweep.bound.own[sweep.bound.own_at[3]].bytes, 8192);

	assert_true(result.curves[0].median[0] == 1);
	assert_true(result.curves[0].median[1] == 1);
	assert_true(result.curves[0].median[2] == 2);
	assert_true(isnan(result.curves[0].median[3]));
	assert_true(result.curves[0].x[3] == 3);
	assert_true(sweep_figure_at(&sweep, 2).median == 2);
	assert_true(isnan(sweep_figure_at(&sweep, 3).median));
	assert_string_equal(said(&session, "ceilings", 0), "reading, stride 0");
	list = record_find_list(&record, "ceilings");
	row = record_list_row(&list, 0);
	assert_true(facts_number(&row, "bytes") == 4096);
	assert_string_equal(
		said(&session, "ceilings", 1), "reading, stride 1 to 3");
	assert_non_null(strstr(said(&session, "rejected", 0),
		"reading, stride 3: 3 GiB/s is above the 2 GiB/s"));
	free(session.points);
	session_release(&session, 0);
	record_release(&record);
	result_release(&result);
}

static void measure_point(struct sweep *sweep, size_t i)
{
	struct timing timing = sweep_measure(sweep, i);

	sweep_put(sweep, i, &timing);
}

/* What either of two ceilings bears is put; held says of what they are. */
static void one_of_two_ceilings_is_enough(void **state)
{
	struct timing timings[] = {
		a_timing(1, 0.95, 1.05), a_timing(1, 0.95, 1.05)};
	struct ceiling low = {.rate = 1, .rounds = 5};
	struct ceiling high = {.rate = 3, .rounds = 5};
	struct cpu_list cpus = {0};
	struct test_options options = {.cpus = &cpus};
	struct record record = {0};
	struct result result;
	struct session session = {.options = &options,
		.result = &result,
		.record = &record,
		.all = 1};
	struct sweep sweep = {.session = &session,
		.name = "copy",
		.facts = {.family = "y",
			.member = "read",
			.x_name = "size",
			.x_unit = "B",
			.x_axis = CURVE_BYTES},
		.x = {4096, 8192},
		.n = 2,
		.time = time_it,
		.amount = 2 * GIB,
		.bound = {.ceiling = &low, .other = &high},
		.context = timings};

	(void)state;
	result_init(&result);
	sweep_begin(&sweep);
	measure_point(&sweep, 0);
	assert_true(sweep_figure(&sweep, 0).median == 2);
	sweep.bound.ceiling_per_y = 2;
	measure_point(&sweep, 1);
	assert_true(isnan(sweep_figure(&sweep, 1).median));
	assert_string_equal(said(&session, "rejected", 0),
		"copy, size 8 KiB: 4 GiB/s is above the 3 GiB/s that the CPUs "
		"reach natively");
	free(session.points);
	session_release(&session, 0);
	record_release(&record);
	result_release(&result);
}

/* What has to hold for two ceilings is held to each with its own bytes. */
static void both_of_two_ceilings_have_to_hold(void **state)
{
	struct timing timings[] = {
		a_timing(1, 0.95, 1.05), a_timing(1, 0.95, 1.05)};
	struct ceiling read = {
		.rate = 3, .rounds = 5, .bytes = (size_t)3 << 30};
	struct ceiling write = {.rate = 1, .rounds = 5, .bytes = 1u << 30};
	struct cpu_list cpus = {0};
	struct test_options options = {.cpus = &cpus};
	struct record record = {0};
	struct result result;
	struct session session = {.options = &options,
		.result = &result,
		.record = &record,
		.all = 1};
	struct sweep sweep = a_sweep(&session, 2);

	(void)state;
	result_init(&result);
	sweep.shows = SHOWS_TIME;
	sweep.bound.ceiling = &read;
	sweep.bound.other = &write;
	sweep.bound.both = true;
	sweep.context = timings;
	sweep_begin(&sweep);
	measure_point(&sweep, 0);
	assert_true(sweep_figure(&sweep, 0).median == 1000);
	write.bytes = (size_t)2 << 30;
	measure_point(&sweep, 1);
	assert_true(isnan(sweep_figure(&sweep, 1).median));
	assert_string_equal(said(&session, "rejected", 0),
		"reading, stride 1: 2 GiB/s is above the 1 GiB/s that the CPUs "
		"reach natively");
	free(session.points);
	session_release(&session, 0);
	record_release(&record);
	result_release(&result);
}

/*
 * Returns whether a rate holds to a ceiling of 1 to 1.2 with median 1.1. The
 * session is on no device, so that another measurement leaves the ceiling.
 */
static bool rate_holds(
	struct ceiling *ceiling, double median, double low, double high)
{
	struct cpu_list cpus = {0};
	struct test_options options = {.cpus = &cpus};
	struct session session = {.options = &options};

	*ceiling = (struct ceiling){
		.rate = 1.1, .low = 1, .high = 1.2, .rounds = 1};
	return ceiling_allows_rate(&session, ceiling,
		(struct median_interval){median, low, high}, 2);
}

static void rates_hold_within_the_intervals_of_both(void **state)
{
	struct ceiling ceiling;

	(void)state;
	/* Loops differ by up to a fifth. */
	assert_true(rate_holds(&ceiling, 1.3, 1.3, 1.3));
	assert_int_equal(ceiling.rounds, 1);
	/* Above, but both are uncertain: the ceiling is measured again. */
	assert_true(rate_holds(&ceiling, 1.35, 1.15, 1.5));
	assert_int_equal(ceiling.rounds, 3);
	/* Three tenths above a ceiling are too much. */
	assert_false(rate_holds(&ceiling, 1.3 * 1.1, 1.25, 1.6));
	assert_int_equal(ceiling.rounds, 3);
	assert_false(rate_holds(&ceiling, 1.3 * 1.1, NAN, NAN));
	/* A ceiling of half is below a kernel that reaches most of it. */
	assert_false(rate_holds(&ceiling, 2 * 0.75 * 1.1, 1.5, 1.7));
	assert_true(rate_holds(&ceiling, NAN, NAN, NAN));
}

/* A session on no device with one curve of three points. */
struct rig {
	struct test_options options;
	struct result result;
	struct record record;
	struct session session;
	struct sweep sweep;
};

static void open_curve(struct rig *curve)
{
	*curve = (struct rig){.options = {.repeat = 10, .precision_pct = 20}};
	result_init(&curve->result);
	curve->session = (struct session){.options = &curve->options,
		.result = &curve->result,
		.record = &curve->record};
	curve->sweep = a_sweep(&curve->session, 3);
	curve->sweep.shows = SHOWS_TIME;
	assert_int_equal(sweep_begin(&curve->sweep), 0);
}

static void close_curve(struct rig *curve)
{
	session_release(&curve->session, 0);
	record_release(&curve->record);
	result_release(&curve->result);
}

static void put_time(
	struct rig *curve, size_t i, double half, size_t group, unsigned runs)
{
	struct timing timing = a_timing(1, 1 - half, 1 + half);

	timing.group = group;
	timing.runs = runs;
	timing.checksum = i == 0 ? 4294967295 : -1;
	assert_true(sweep_put(&curve->sweep, i, &timing));
}

static void assert_words(
	const struct facts *facts, const char *key, const char *expected)
{
	char *words = fact_words(facts_find(facts, key));

	assert_string_equal(words, expected);
	free(words);
}

static void the_record_has_the_runs_and_groups_of_points(void **state)
{
	struct record_list points;
	struct facts first, *row = &first;
	struct rig curve;

	(void)state;
	open_curve(&curve);
	put_time(&curve, 1, 0.1, 0, 3);
	put_time(&curve, 0, 0.1, 64, 10);
	assert_int_equal(curves_end(&curve.session), 0);
	points = record_find_list(&curve.record, "points");
	assert_int_equal(points.n, 1);
	first = record_list_row(&points, 0);
	assert_string_equal(facts_text(row, "name"), "read");
	assert_string_equal(facts_text(row, "y"), "y");
	assert_words(row, "x", "[0,1]");
	assert_words(row, "runs", "[10,3]");
	assert_words(row, "visits", "[2,2]");
	assert_words(row, "work_group", "[64,null]");
	assert_words(row, "checksum", "[4294967295,null]");
	assert_string_equal(said(&curve.session, "findings", 0),
		"1 of 2 points have fewer than 10 runs (at least 3), because "
		"each run takes long");
	assert_int_equal(record_find_list(&curve.record, "findings").n, 1);
	close_curve(&curve);
}

static void wide_intervals_are_told(void **state)
{
	struct rig curve;

	(void)state;
	open_curve(&curve);
	assert_true(isnan(curves_noise(&curve.result)));
	put_time(&curve, 0, 0.5, 0, 10);
	put_time(&curve, 1, 0.05, 0, 10);
	put_time(&curve, 2, 0.1, 0, 10);
	assert_true(fabs(curves_noise(&curve.result) - 0.1) < 1e-9);
	assert_int_equal(curves_end(&curve.session), 0);
	assert_int_equal(record_find_list(&curve.record, "findings").n, 1);
	assert_string_equal(said(&curve.session, "findings", 0),
		"1 of 3 points has a 95 % interval wider than +-20 %; a longer "
		"--budget or a quieter machine helps");
	assert_true(facts_number(&curve.record.facts, "wide") == 1);
	put_time(&curve, 1, 0.25, 0, 10);
	put_time(&curve, 2, 0.25, 0, 10);
	assert_int_equal(curves_end(&curve.session), 0);
	assert_non_null(strstr(
		said(&curve.session, "findings", 1), "3 of 3 points have a"));
	assert_non_null(strstr(said(&curve.session, "findings", 2),
		"half of the intervals are +-25 % or wider"));
	close_curve(&curve);
}

/* The caches of these CPUs. */
static struct cpu_list cpus_of(const char *text)
{
	struct cpu_list cpus = {0};

	assert_int_equal(cpu_list_parse(&cpus, text, NULL), 0);
	return cpus;
}

static void caches_are_those_of_the_cpus_used(void **state)
{
	static const struct {
		const char *cpus;
		unsigned l2_mib, llc_mib;
	} rows[] = {{"0", 2, 24}, {"0-1", 2, 24}, {"0,2", 4, 24},
		{"4-7", 4, 24}, {"8", 2, 2}, {"9,0", 4, 26}, {"0-9", 10, 26}};
	struct machine *machine = pretend_xml("hybrid.xml");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list cpus = cpus_of(rows[i].cpus);

		assert_int_equal(caches_bytes(machine, &cpus, 2),
			(uint64_t)rows[i].l2_mib << 20);
		assert_int_equal(caches_llc_bytes(machine, &cpus),
			(uint64_t)rows[i].llc_mib << 20);
		cpu_list_release(&cpus);
	}
	machine_free(machine);
}

/* Of the CPUs 0 to 3 two share an L1 of 12 ways, of 4 to 9 none one of 8. */
static void lines_are_counted_for_the_cpus_that_share_a_cache(void **state)
{
	static const struct {
		const char *cpus;
		unsigned level;
		size_t pitch, lines, sharers;
	} rows[] = {{"0", 1, 4096, 12, 1}, {"0-1", 1, 4096, 12, 2},
		{"4-7", 1, 4096, 8, 1}, {"0,4", 1, 4096, 8, 1},
		{"0-9", 1, 4096, 12, 2}, {"4", 1, 2048, 16, 1},
		{"4", 1, 4096 + 64, 512, 1}, {"4-5", 2, 4096, 1024, 2},
		{"4", 3, 1024, 24576, 1}, {"8", 3, 4096, 0, 0}};
	struct machine *machine = pretend_xml("hybrid.xml");

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list cpus = cpus_of(rows[i].cpus);
		struct lines_held held = caches_lines_held(
			machine, &cpus, rows[i].level, rows[i].pitch);

		assert_int_equal(held.lines, rows[i].lines);
		assert_int_equal(held.cpus, rows[i].sharers);
		cpu_list_release(&cpus);
	}
	machine_free(machine);
}

static void assert_squares(const char *machine_text, const char *cpus_text,
	size_t most, const size_t *right, size_t n)
{
	struct machine *machine = strstr(machine_text, ".xml")
					  ? pretend_xml(machine_text)
					  : pretend_synthetic(machine_text);
	struct cpu_list cpus = cpus_of(cpus_text);
	size_t sides[3] = {0};

	assert_int_equal(squares_by_caches(machine, &cpus, most, sides), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(sides[i], right[i]);
	cpu_list_release(&cpus);
	machine_free(machine);
}

static void squares_fill_the_caches_that_are_used(void **state)
{
	/* 8 MiB of L2 and 32 MiB of L3 in each of two packages. */
	static const char *const two =
		"package:2 l3:1(size=33554432) l2:8(size=1048576) core:1 pu:2";
	static const char *const large = "package:2 l3:1(size=536870912) pu:2";

	(void)state;
	assert_squares(two, "0-31", 32768, (size_t[]){1024, 2048, 8192}, 3);
	assert_squares(two, "0-15", 32768, (size_t[]){1024, 2048, 8192}, 3);
	assert_squares(two, "0-1", 32768, (size_t[]){512, 2048, 8192}, 3);
	assert_squares(two, "0,16", 32768, (size_t[]){512, 2048, 8192}, 3);
	assert_squares(
		"hybrid.xml", "0-9", 32768, (size_t[]){1024, 1024, 8192}, 3);
	/* Where no more fits it is less than four times, */
	assert_squares(
		"hybrid.xml", "0-9", 4096, (size_t[]){1024, 1024, 4096}, 3);
	/* and where four times are more than a GiB: twice is enough. */
	assert_squares(large, "0-1", 32768, (size_t[]){8192, 16384}, 2);
	assert_squares(large, "0-3", 32768, (size_t[]){8192, 32768}, 2);
	assert_squares("pu:3", "0-2", 32768, NULL, 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(long_runs_are_few_but_have_an_interval),
	cmocka_unit_test(the_best_has_the_least_median),
	cmocka_unit_test(strides_are_all_or_some),
	cmocka_unit_test(a_sweep_goes_over_sizes_too),
	cmocka_unit_test(sizes_are_as_many_in_each_doubling_as_chosen),
	cmocka_unit_test(strides_are_told_apart_by_their_intervals),
	cmocka_unit_test(the_best_point_has_its_clocks_and_share),
	cmocka_unit_test(of_times_the_shortest_is_the_best),
	cmocka_unit_test(a_curve_may_fall_several_times),
	cmocka_unit_test(groups_divide_the_work_items),
	cmocka_unit_test(a_range_of_sizes_is_for_tests_that_take_one),
	cmocka_unit_test(sizes_are_powers_of_two_within_bounds),
	cmocka_unit_test(ceilings_are_of_a_curve_or_of_its_panel),
	cmocka_unit_test(points_above_a_ceiling_are_gaps),
	cmocka_unit_test(one_of_two_ceilings_is_enough),
	cmocka_unit_test(both_of_two_ceilings_have_to_hold),
	cmocka_unit_test(rates_hold_within_the_intervals_of_both),
	cmocka_unit_test(the_record_has_the_runs_and_groups_of_points),
	cmocka_unit_test(wide_intervals_are_told),
	cmocka_unit_test(caches_are_those_of_the_cpus_used),
	cmocka_unit_test(lines_are_counted_for_the_cpus_that_share_a_cache),
	cmocka_unit_test(squares_fill_the_caches_that_are_used),
};

CASE_GROUP(cases);
