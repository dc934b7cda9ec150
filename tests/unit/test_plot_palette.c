/* The palette: its ends, its luminance, what is readable on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "figure/palette.h"

#define STEPS 1000

static void assert_colour(
	struct palette_colour colour, uint8_t red, uint8_t green, uint8_t blue)
{
	assert_int_equal(colour.red, red);
	assert_int_equal(colour.green, green);
	assert_int_equal(colour.blue, blue);
}

static void its_ends_are_those_of_viridis(void **state)
{
	(void)state;
	assert_colour(palette_at(PALETTE_VIRIDIS, 0), 0x44, 0x01, 0x54);
	assert_colour(palette_at(PALETTE_VIRIDIS, 1), 0xFD, 0xE7, 0x25);
	assert_colour(palette_at(PALETTE_VIRIDIS, -3), 0x44, 0x01, 0x54);
	assert_colour(palette_at(PALETTE_VIRIDIS, 7), 0xFD, 0xE7, 0x25);
	/* Halfway between the fifth anchor and the sixth of ten. */
	assert_colour(palette_at(PALETTE_VIRIDIS, 0.5), 0x23, 0x90, 0x8C);
}

static void its_luminance_rises_steadily(void **state)
{
	double before = -1;

	(void)state;
	/* Steps so small that a colour may repeat, but never darken. */
	for (int i = 0; i <= STEPS; i++) {
		double now = palette_luminance(
			palette_at(PALETTE_VIRIDIS, (double)i / STEPS));

		assert_true(now >= before - 0.002);
		before = now;
	}
	for (int i = 1; i <= 20; i++)
		assert_true(palette_luminance(
				    palette_at(PALETTE_VIRIDIS, i / 20.0)) >
			    palette_luminance(palette_at(
				    PALETTE_VIRIDIS, (i - 1) / 20.0)));
	assert_true(palette_luminance(palette_at(PALETTE_VIRIDIS, 0)) < 0.02);
	assert_true(palette_luminance(palette_at(PALETTE_VIRIDIS, 1)) > 0.75);
}

static void luminance_is_that_of_wcag(void **state)
{
	(void)state;
	assert_float_equal(
		palette_luminance((struct palette_colour){0, 0, 0}), 0, 1e-12);
	assert_float_equal(
		palette_luminance((struct palette_colour){255, 255, 255}), 1,
		1e-12);
	assert_float_equal(
		palette_luminance((struct palette_colour){0, 255, 0}), 0.7152,
		1e-12);
	assert_float_equal(
		palette_luminance((struct palette_colour){128, 128, 128}),
		0.21586, 1e-4);
}

static void text_is_readable_everywhere(void **state)
{
	(void)state;
	for (int i = 0; i <= STEPS; i++) {
		struct palette_colour ground =
			palette_at(PALETTE_VIRIDIS, (double)i / STEPS);
		double a = palette_luminance(ground);
		double b = palette_luminance(palette_ink(ground));
		double contrast = a > b ? (a + 0.05) / (b + 0.05)
					: (b + 0.05) / (a + 0.05);

		/* WCAG 2.1, level AA. */
		assert_true(contrast >= 4.5);
	}
}

static void differences_are_white_in_the_middle(void **state)
{
	(void)state;
	assert_colour(palette_at(PALETTE_DIFFERENCE, 0.5), 0xF7, 0xF7, 0xF7);
	/* Darker and darker from there to either side, purple and orange. */
	for (int i = 0; i < STEPS / 2; i++) {
		double share = (double)i / STEPS, next = share + 1.0 / STEPS;

		assert_true(palette_luminance(
				    palette_at(PALETTE_DIFFERENCE, share)) <=
			    palette_luminance(
				    palette_at(PALETTE_DIFFERENCE, next)) +
				    0.004);
		assert_true(palette_luminance(palette_at(
				    PALETTE_DIFFERENCE, 1 - share)) <=
			    palette_luminance(
				    palette_at(PALETTE_DIFFERENCE, 1 - next)) +
				    0.004);
	}
	assert_true(palette_at(PALETTE_DIFFERENCE, 0.1).blue >
		    palette_at(PALETTE_DIFFERENCE, 0.1).red);
	assert_true(palette_at(PALETTE_DIFFERENCE, 0.9).red >
		    palette_at(PALETTE_DIFFERENCE, 0.9).blue);
}

/* Of the same brightness or brighter, and how often it changed. */
static int count_changes(
	unsigned (*reduce)(enum palette_kind, struct palette_colour *))
{
	unsigned last = 0;
	double before = -1;
	int changes = 0;

	for (int i = 0; i <= STEPS; i++) {
		struct palette_colour shown =
			palette_at(PALETTE_VIRIDIS, (double)i / STEPS);
		unsigned number = reduce(PALETTE_VIRIDIS, &shown);
		double now = palette_luminance(shown);

		changes += i > 0 && number != last;
		/* A cube's step of 40 may be darker by this much. */
		assert_true(now >= before - 0.04);
		before = now;
		last = number;
	}
	return changes;
}

static void fewer_colours_keep_the_order(void **state)
{
	struct palette_colour colour = {0xFF, 0xFF, 0xFF};

	(void)state;
	assert_true(count_changes(palette_16) >= 4);
	assert_true(count_changes(palette_256) >= 10);
	/* 16 + 36 * 5 + 6 * 5 + 5 */
	assert_int_equal(palette_256(PALETTE_VIRIDIS, &colour), 231);
	assert_int_equal(palette_16(PALETTE_VIRIDIS, &colour), 15);
	/* No grey stands between purple and blue. */
	for (int i = 0; i <= STEPS; i++) {
		colour = palette_at(PALETTE_VIRIDIS, (double)i / STEPS);
		assert_int_not_equal(palette_256(PALETTE_VIRIDIS, &colour), 60);
		assert_true(colour.red != colour.green ||
			    colour.green != colour.blue);
	}
	/* Better and worse never look alike. */
	for (int i = 0; i < STEPS / 2 - 1; i++) {
		for (int j = STEPS / 2 + 2; j <= STEPS; j++) {
			struct palette_colour better = palette_at(
				PALETTE_DIFFERENCE, (double)i / STEPS);
			struct palette_colour worse = palette_at(
				PALETTE_DIFFERENCE, (double)j / STEPS);

			assert_true(
				palette_16(PALETTE_DIFFERENCE, &better) !=
					palette_16(
						PALETTE_DIFFERENCE, &worse) ||
				palette_16(PALETTE_DIFFERENCE, &better) == 15);
		}
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(its_ends_are_those_of_viridis),
	cmocka_unit_test(its_luminance_rises_steadily),
	cmocka_unit_test(luminance_is_that_of_wcag),
	cmocka_unit_test(text_is_readable_everywhere),
	cmocka_unit_test(differences_are_white_in_the_middle),
	cmocka_unit_test(fewer_colours_keep_the_order),
};

CASE_GROUP(cases);
