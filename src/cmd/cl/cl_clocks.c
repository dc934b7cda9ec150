#include "cmd/cl/cl_clocks.h"

#include <math.h>
#include <string.h>

#include "util/array.h"

#define GIB 1073741824.0

static const struct {
	const char *unit, *in_clocks;
	double giga; /* unit / 1e9 per second; 0: a time in ns */
} units[] = {
	{"GiB/s", "B/clock/unit", GIB / 1e9},
	{"GFLOP/s", "FLOP/clock/unit", 1},
	{"Gcalls/s", "calls/clock/unit", 1},
	{"ns", "clocks", 0},
};

int cl_clocks_add_curve(const struct curve *curve, const struct record *test,
	struct result *into, struct error *err)
{
	struct curve_facts facts = curve->facts;
	struct curve *added;
	/* NaN: the record lacks a fact. */
	double ghz = run_test_clock_ghz(test), factor;
	double n = facts_number(&test->facts, "device.compute_units");
	size_t u = 0;

	while (u < N_OF(units) && strcmp(facts.y_unit, units[u].unit) != 0)
		u++;
	if (u == N_OF(units) || facts.statistic != CURVE_MEDIAN)
		return 0;
	factor = units[u].giga > 0 ? units[u].giga / (ghz * n) : ghz;
	if (!isfinite(factor))
		return 0;
	facts.y_unit = units[u].in_clocks;
	added = result_add_curve(into, &facts, curve->n);
	if (!added)
		return error_no_memory(err, "a curve");
	for (size_t i = 0; i < curve->n; i++)
		curve_set(added, i, curve->x[i],
			(double[3]){curve->median[i] * factor,
				curve->low[i] * factor,
				curve->high[i] * factor});
	return 0;
}
