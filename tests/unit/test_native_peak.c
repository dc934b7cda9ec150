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

#include "../case_group.h"
#include "native/native.h"
#include "native/native_peak.h"

static const double factors[ARCH_OPERATIONS] = {
	1, 1 - 0x1p-17, 1 + 0x1p-17, 0.75};

static double step(enum arch_operation operation, double x)
{
	switch (operation) {
	case ARCH_ADD:
		return x + 0.25;
	case ARCH_MUL:
		return x * factors[operation];
	case ARCH_DIV:
		return x / factors[operation];
	default:
#if defined(__aarch64__)
		return x + factors[operation] * 0.25;
#else
		return x * factors[operation] + 0.25;
#endif
	}
}

/* Chain k begins at k / 4. */
static double expected(enum arch_operation operation, unsigned turns)
{
	double sum = factors[operation];

	for (int k = 1; k <= ARCH_PEAK_CHAINS; k++) {
		double x = 0.25 * k;

		for (unsigned i = 0; i < turns; i++)
			x = step(operation, x);
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
		for (int n = 0; n < 8 * ARCH_OPERATIONS; n++) {
			enum arch_operation operation =
				(enum arch_operation)(n / 8);
			unsigned turns = (unsigned)n % 8;
			double right = expected(operation, turns);

			assert_true(fabs(peak->run_float[operation](turns) -
					    right) < 1e-4);
			assert_true(fabs(peak->run_double[operation](turns) -
					    right) < 1e-12);
		}
	}
	assert_true(usable > 0);
}

/* What leaves the normal numbers is slow, and no ceiling. */
static void chains_stay_normal_for_as_long_as_a_trial(void **state)
{
	const struct arch_peak *peak = arch_peak_best();

	(void)state;
	for (int n = 0; n < ARCH_OPERATIONS; n++) {
		double sum = peak->run_double[n](ARCH_PEAK_TURNS) - factors[n];

		assert_true(sum > 1e-9 && sum < 1e9);
	}
}

/* A register has half as many doubles. */
static void numbers_are_counted(void **state)
{
	unsigned last = UINT32_MAX;

	(void)state;
	for (size_t i = 0; arch_peaks[i]; i++) {
		const struct arch_peak *peak = arch_peaks[i];

		assert_int_equal(peak->doubles % ARCH_PEAK_CHAINS, 0);
		if (peak->floats > ARCH_PEAK_CHAINS)
			assert_int_equal(peak->floats, 2 * peak->doubles);
		assert_true(peak->floats <= last);
		last = peak->floats;
	}
}

static void the_best_is_usable(void **state)
{
	(void)state;
	assert_true(arch_peak_usable(arch_peak_best()));
}

/* What ran last: an operation, of doubles behind those of floats. */
static _Atomic int ran;

#define NOTE(number)                                                           \
	static double note_##number(uint64_t turns)                            \
	{                                                                      \
		ran = number;                                                  \
		return (double)turns;                                          \
	}

NOTE(0)
NOTE(1)
NOTE(2)
NOTE(3)
NOTE(4)
NOTE(5)
NOTE(6)
NOTE(7)

static const struct arch_peak noting = {
	.name = "noting",
	.floats = 1,
	.doubles = 1,
	.run_float = {note_0, note_1, note_2, note_3},
	.run_double = {note_4, note_5, note_6, note_7},
};

static const struct arch_peak *best;

/* The linker puts wrap_best in the place of arch_peak_best(): --wrap. */
const struct arch_peak *real_best(void) __asm__("__real_arch_peak_best");
const struct arch_peak *wrap_best(void) __asm__("__wrap_arch_peak_best");

const struct arch_peak *wrap_best(void)
{
	return best ? best : real_best();
}

static void a_rate_is_of_the_operation_that_is_asked_for(void **state)
{
	struct machine *machine;
	struct cpu_list cpus = {NULL, 0};
	struct native_rate rate;

	(void)state;
	assert_int_equal(machine_new(&machine, NULL), 0);
	assert_int_equal(
		machine_select(machine, NULL, MACHINE_PER_PU, &cpus, NULL), 0);
	best = &noting;
	for (int n = 0; n < 2 * ARCH_OPERATIONS; n++) {
		const struct native_work work = {
			.what = n < ARCH_OPERATIONS ? NATIVE_FLOAT
						    : NATIVE_DOUBLE,
			.operation =
				(enum arch_operation)(n % ARCH_OPERATIONS)};

		ran = -1;
		assert_int_equal(
			native_measure(machine, &cpus, &work, &rate, NULL), 0);
		assert_int_equal(ran, n);
	}
	best = NULL;
	cpu_list_release(&cpus);
	machine_free(machine);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_step_is_done),
	cmocka_unit_test(chains_stay_normal_for_as_long_as_a_trial),
	cmocka_unit_test(numbers_are_counted),
	cmocka_unit_test(the_best_is_usable),
	cmocka_unit_test(a_rate_is_of_the_operation_that_is_asked_for),
};

CASE_GROUP(cases);
