/*
 * OpenCL without an implementation, with opencl=1: one CPU device, on which
 * each test ends at once with a curve of three points. The second point is a
 * gap.
 */
#include <math.h>

#include "cl/cl.h"
#include "made_up.h"

/* The linker's names. NOLINTBEGIN(bugprone-*,cert-dcl*) */
int __real_opencl_list_devices(struct record *record, struct error *err);
int __wrap_opencl_list_devices(struct record *record, struct error *err);
int __real_test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err);
int __wrap_test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err);

int __wrap_opencl_list_devices(struct record *record, struct error *err)
{
	struct facts device = {0};

	if (!(made_up("opencl", 0) > 0))
		return __real_opencl_list_devices(record, err);
	facts_set_count(&device, "index", 0);
	facts_set_text(&device, "type", "cpu");
	facts_set_text(&device, "name", "made-up CPU");
	facts_set_text(&device, "platform", "made-up platform");
	record_add_row(record, "devices", &device);
	return 0;
}

int __wrap_test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err)
{
	static const struct curve_facts facts = {.family = "time",
		.member = "made-up kernel",
		.x_name = "paths",
		.y_unit = "ms"};
	struct curve *curve;

	if (!(made_up("opencl", 0) > 0))
		return __real_test_run(
			test, options, machine, result, record, err);
	curve = result_add_curve(result, &facts, 3);
	if (!curve)
		return error_no_memory(err, "a curve");
	curve_set(curve, 0, 1, (double[]){0.5, 0.25, 0.75});
	curve_set(curve, 1, 4, (double[]){NAN, NAN, NAN});
	curve_set(curve, 2, 16, (double[]){2, NAN, NAN});
	return 0;
}
/* NOLINTEND(bugprone-*,cert-dcl*) */
