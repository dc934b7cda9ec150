/*
 * The clock that times samples: which one is chosen, and that its calibration
 * agrees with other clocks as far as physics guarantees.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/timebase.h"

/* Long against a bracket of two clock readings. */
#define PAUSE_NS  100000000
#define TOLERANCE 0.01

static void pause_a_while(void)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};

	nanosleep(&pause, NULL);
}

/* A reading of the counter, and the clock before and after it. */
struct reading {
	uint64_t before_ns, ticks, after_ns;
};

static struct reading read_both(void)
{
	struct reading reading;

	reading.before_ns = timebase_raw_ns();
	reading.ticks = timebase_begin(true);
	reading.after_ns = timebase_raw_ns();
	return reading;
}

/*
 * Two readings bound the rate from both sides, however long a busy machine
 * kept this thread waiting between them.
 */
static void assert_rate(double hz, struct reading from, struct reading to)
{
	double ticks = (double)(to.ticks - from.ticks);

	assert_true(hz > 1e9 * ticks / (double)(to.after_ns - from.before_ns) *
				 (1 - TOLERANCE));
	assert_true(hz < 1e9 * ticks / (double)(to.before_ns - from.after_ns) *
				 (1 + TOLERANCE));
}

static void an_invariant_counter_is_used(void **state)
{
	const char *name = ARCH_COUNTER_NAME;
	struct timebase timebase;
	struct reading from;

	(void)state;
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	if (!name || !arch_counter_invariant()) {
		print_message("skip: this CPU has no invariant counter\n");
		skip();
	}
	assert_true(timebase.counter);
	assert_true(timebase.invariant);
	assert_string_equal(timebase.source, name);
	assert_true(timebase.start.ns > 0);
	assert_true(timebase.hz > 1e6);
	assert_true(timebase.step_ns > 0);
	from = read_both();
	pause_a_while();
	assert_rate(timebase.hz, from, read_both());
	assert_true(fabs(timebase_drift(&timebase)) < TOLERANCE);
}

/* A rate that is off by a tenth shows as a drift of a tenth. */
static void drift_is_relative_to_the_rate(void **state)
{
	struct timebase timebase;

	(void)state;
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	if (!timebase.counter) {
		print_message("skip: this CPU has no invariant counter\n");
		skip();
	}
	pause_a_while();
	timebase.hz /= 1.1;
	assert_true(fabs(timebase_drift(&timebase) - 0.1) < TOLERANCE);
}

static void the_clock_can_be_forced(void **state)
{
	struct timebase timebase;

	(void)state;
	assert_int_equal(setenv("C2C_CLOCK", "clock", 1), 0);
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	assert_int_equal(unsetenv("C2C_CLOCK"), 0);
	assert_false(timebase.counter);
	assert_true(timebase.invariant);
	assert_string_equal(timebase.source, "clock_monotonic_raw");
	assert_true(timebase.hz == 1e9);
	/* Of this clock, a whole number of ticks. */
	assert_true(timebase.step_ns >= 1);
	assert_int_equal(timebase.start.ticks, timebase.start.ns);
	assert_true(timebase_drift(&timebase) == 0);
}

static void other_values_force_nothing(void **state)
{
	struct timebase plain, other;

	(void)state;
	assert_int_equal(timebase_init(&plain, NULL), 0);
	assert_int_equal(setenv("C2C_CLOCK", "sundial", 1), 0);
	assert_int_equal(timebase_init(&other, NULL), 0);
	assert_int_equal(unsetenv("C2C_CLOCK"), 0);
	assert_string_equal(other.source, plain.source);
}

static void time_does_not_run_backwards(void **state)
{
	struct timebase timebase;

	(void)state;
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	for (int counter = 0; counter <= timebase.counter; counter++) {
		uint64_t begin = timebase_begin(counter);

		assert_true(timebase_end(counter) >= begin);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(an_invariant_counter_is_used),
	cmocka_unit_test(drift_is_relative_to_the_rate),
	cmocka_unit_test(the_clock_can_be_forced),
	cmocka_unit_test(other_values_force_nothing),
	cmocka_unit_test(time_does_not_run_backwards),
};

CASE_GROUP(cases);
