/* What a PCI Express link can carry, by a tree of sysfs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/link.h"
#include "pretend.h"

static const struct link_place place = {true, 0, 0x3b, 0, 1};

/* The rate in GB/s of a link of that speed and width. */
static double rate_of(const char *speed, const char *width)
{
	static const char folder[] = "sys/bus/pci/devices/0000:3b:00.1";
	char *root = pretend_tree("bare"), path[128];
	double rate;

	snprintf(path, sizeof(path), "%s/current_link_speed", folder);
	pretend_put(root, path, speed);
	snprintf(path, sizeof(path), "%s/current_link_width", folder);
	pretend_put(root, path, width);
	rate = link_bytes_per_s(root, &place) / 1e9;
	pretend_remove(root);
	return rate;
}

static void assert_rate(const char *speed, const char *width, double rate)
{
	assert_true(fabs(rate_of(speed, width) - rate) < 0.001);
}

static void a_link_carries_its_lanes_without_their_encoding(void **state)
{
	(void)state;
	assert_rate("32.0 GT/s PCIe\n", "16\n", 63.015);
	assert_rate("16.0 GT/s PCIe\n", "16\n", 31.508);
	assert_rate("8.0 GT/s PCIe\n", "8\n", 7.877);
	assert_rate("5.0 GT/s PCIe\n", "4\n", 2);
	assert_rate("2.5 GT/s PCIe\n", "16\n", 4);
	assert_rate("64.0 GT/s PCIe\n", "16\n", 121);
}

static void what_is_no_speed_or_width_is_not_known(void **state)
{
	(void)state;
	assert_true(isnan(rate_of("Unknown\n", "16\n")));
	assert_true(isnan(rate_of("32.0 GT/s PCIe\n", "0\n")));
	assert_true(isnan(rate_of("32.0 GT/s PCIe\n", "255\n")));
	assert_true(isnan(rate_of("1e300\n", "16\n")));
	assert_true(isnan(rate_of("", "")));
}

static void a_place_that_is_not_there_has_no_link(void **state)
{
	const struct link_place nowhere = {.is_known = false};
	char name[LINK_NAME_BYTES];

	(void)state;
	assert_true(isnan(link_bytes_per_s("/none", &place)));
	assert_true(isnan(link_bytes_per_s("", &nowhere)));
	assert_string_equal(link_name(&place, name), "0000:3b:00.1");
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_link_carries_its_lanes_without_their_encoding),
	cmocka_unit_test(what_is_no_speed_or_width_is_not_known),
	cmocka_unit_test(a_place_that_is_not_there_has_no_link),
};

CASE_GROUP(cases);
