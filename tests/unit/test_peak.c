/*
 * The arithmetic of each width that this CPU has against plain numbers: as many
 * chains and steps as are counted, none left out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/peak.h"

#define CHAINS 12

/* Chain k begins at (k + 1) / 4; each step brings it nearer to 1. */
static double expected(unsigned turns)
{
	double sum = 0.25;

	for (int k = 1; k <= CHAINS; k++) {
		double x = 0.25 * k;

		for (unsigned i = 0; i < turns; i++)
			x = 0.75 * x + 0.25;
		sum += x;
	}
	return sum;
}

static void every_step_is_done(void **state)
{
	size_t usable = 0;

	(void)state;
	for (size_t i = 0; arch_peaks[i]; i++) {
		const struct arch_peak *peak = arch_peaks[i];

		if (!arch_peak_usable(peak))
			continue;
		usable++;
		for (unsigned turns = 0; turns < 8; turns++) {
			double right = expected(turns);

			assert_true(
				fabs(peak->run_float(turns) - right) < 1e-5);
			assert_true(
				fabs(peak->run_double(turns) - right) < 1e-12);
		}
	}
	assert_true(usable > 0);
}

/* A register has half as many doubles, each with two operations a step. */
static void operations_are_counted(void **state)
{
	unsigned last = UINT32_MAX;

	(void)state;
	for (size_t i = 0; arch_peaks[i]; i++) {
		const struct arch_peak *peak = arch_peaks[i];
		unsigned of_one = 2 * CHAINS;

		assert_int_equal(peak->double_operations % of_one, 0);
		if (peak->float_operations > of_one)
			assert_int_equal(peak->float_operations,
				2 * peak->double_operations);
		assert_true(peak->float_operations <= last);
		last = peak->float_operations;
	}
}

static void the_best_is_usable(void **state)
{
	(void)state;
	assert_true(arch_peak_usable(arch_peak_best()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_is_done),
		cmocka_unit_test(operations_are_counted),
		cmocka_unit_test(the_best_is_usable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
