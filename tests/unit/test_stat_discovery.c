/*
 * The false discovery rate against the example of the article that it comes
 * from, and what holds for any p.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static void discover(double *p, size_t n)
{
	struct arena arena = {0};

	stat_false_discovery(p, n, &arena);
	assert_null(arena.last);
}

/*
 * Benjamini and Hochberg, section 3.1: 15 tests of a study of heart attacks,
 * here out of order, of which the rate of 0.05 keeps the four least.
 */
static void the_article_comes_out(void **state)
{
	double p[] = {0.7590, 0.0001, 0.0278, 0.0004, 0.0298, 0.0019, 0.0344,
		0.0095, 0.0459, 0.0201, 0.3240, 0.4262, 0.5719, 0.6528, 1.0000};
	size_t kept = 0;

	(void)state;
	discover(p, 15);
	for (size_t i = 0; i < 15; i++)
		kept += p[i] <= 0.05;
	assert_int_equal(kept, 4);
	/* 15 times the least; the fourth of 15. */
	assert_true(fabs(p[1] - 0.0015) < 1e-12);
	assert_true(fabs(p[7] - 0.0095 * 15 / 4) < 1e-12);
	assert_true(p[14] == 1);
}

static void a_larger_one_lends_its_rate(void **state)
{
	/* 0.04 * 3 / 2 = 0.06 is more than 0.041 * 3 / 3. */
	double p[] = {0.041, 0.04, 0.001};

	(void)state;
	discover(p, 3);
	assert_true(fabs(p[0] - 0.041) < 1e-12);
	assert_true(fabs(p[1] - 0.041) < 1e-12);
	assert_true(fabs(p[2] - 0.003) < 1e-12);
}

static void what_is_missing_is_not_counted(void **state)
{
	double p[] = {NAN, 0.01, NAN, 0.5, NAN};

	(void)state;
	discover(p, 5);
	assert_true(isnan(p[0]) && isnan(p[2]) && isnan(p[4]));
	assert_true(fabs(p[1] - 0.02) < 1e-12);
	assert_true(fabs(p[3] - 0.5) < 1e-12);
	discover(p, 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_article_comes_out),
	cmocka_unit_test(a_larger_one_lends_its_rate),
	cmocka_unit_test(what_is_missing_is_not_counted),
};

CASE_GROUP(cases);
