/*
 * Converts values to other units: by a factor, or by the record's clock. Also
 * converts work-items of a compute unit to occupancy.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "figure/view.h"
#include "result/record.h"
#include "result/runs.h"
#include "util/array.h"
#include "util/text.h"

double plot_unit_factor(const char *from, const char *to)
{
	static const struct {
		const char *unit;
		double in_base;
		bool rate;
	} units[] = {{"ns", 1, false}, {"us", 1e3, false}, {"ms", 1e6, false},
		{"s", 1e9, false}, {"GB/s", 1e9, true}, {"MB/s", 1e6, true},
		{"TB/s", 1e12, true}, {"MiB/s", 0x1p20, true},
		{"GiB/s", 0x1p30, true}, {"TiB/s", 0x1p40, true}};
	size_t a = 0, b = 0;

	if (text_same(from, to))
		return 1;
	while (a < N_OF(units) && strcmp(units[a].unit, from) != 0)
		a++;
	while (b < N_OF(units) && strcmp(units[b].unit, to) != 0)
		b++;
	if (a == N_OF(units) || b == N_OF(units) ||
		units[a].rate != units[b].rate)
		return NAN;
	return units[a].in_base / units[b].in_base;
}

/* Units by the clock of the cores, and units without this clock. */
static const struct {
	const char *unit, *base; /* base: for a clock of 1 GHz */
	bool time, per_unit;	 /* per compute unit */
} clock_units[] = {
	{"clk", "ns", true, false},
	{"B/clk", "GB/s", false, false},
	{"B/clk/unit", "GB/s", false, true},
	{"FLOP/clk", "GFLOP/s", false, false},
	{"FLOP/clk/unit", "GFLOP/s", false, true},
};

/* Return the record of the test of c2c cl that measured a curve, or NULL. */
static const struct record *find_test_record(
	const struct result *record, const struct curve_facts *curve)
{
	for (size_t i = 0; i < record->run.n_tests; i++) {
		const struct record *test = &record->run.tests[i];
		const char *device = facts_text(&test->facts, "device.name");

		if (text_same(facts_text(&test->facts, "test"), curve->test) &&
			(!curve->device ||
				(device && strstr(curve->device, device))))
			return test;
	}
	return NULL;
}

double plot_unit_factor_of(const struct result *record,
	const struct curve_facts *curve, const char *to)
{
	const struct record *test = find_test_record(record, curve);
	double ghz = test ? run_test_clock_ghz(test)
			  : facts_number(&record->run.other, RUNS_CLOCK);
	double units =
		test ? facts_number(&test->facts, "device.compute_units") : NAN;
	double factor = plot_unit_factor(curve->y_unit, to);

	for (size_t i = 0; i < N_OF(clock_units); i++) {
		if (strcmp(clock_units[i].unit, to) != 0)
			continue;
		factor = plot_unit_factor(curve->y_unit, clock_units[i].base);
		factor *= clock_units[i].time ? ghz : 1 / ghz;
		if (clock_units[i].per_unit)
			factor /= units;
	}
	return factor;
}

/* Return how many work-items a unit of the curve's device holds, or NaN. */
static double most_unit_items(
	const struct result *record, const struct curve_facts *curve)
{
	const struct record *test = find_test_record(record, curve);

	return test ? facts_number(&test->facts, "device.unit_items") : NAN;
}

void plot_view_show_occupancy(struct plot_view *view, const size_t *from)
{
	double most;

	/* The first round only looks for curves without this number. */
	for (size_t k = 0; k < 2 * view->n_curves; k++) {
		size_t i = k % view->n_curves;
		struct curve *curve = &view->curves[i];
		double *x;

		if (!text_same(curve->facts.x_name, CURVE_UNIT_ITEMS))
			continue;
		most = most_unit_items(
			view->sources[from[i]].record, &curve->facts);
		if (!(most > 0))
			return;
		if (k < view->n_curves)
			continue;
		x = arena_alloc(&view->memory, curve->n, sizeof(*x));
		for (size_t p = 0; p < curve->n; p++)
			x[p] = round(1000 * curve->x[p] / most) / 10;
		curve->x = x;
		curve->facts.x_name = "occupancy";
		curve->facts.x_unit = "%";
		curve->facts.x_axis = CURVE_SHARES;
	}
}

int plot_refuse_unit(const char *from, const char *to, struct error *err)
{
	bool clock = strstr(to, "clk");

	return error_set(err, ERROR_USAGE, EINVAL,
		"--in %s: values are in %s, and no factor%s makes %s of these",
		to, from, clock ? ", or clock in the record," : "", to);
}
