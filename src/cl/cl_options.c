/*
 * Options of tests. The messages here use the table of tests, which lists the
 * options and values of each test. This file calls no OpenCL.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cl.h"
#include "util/array.h"
#include "util/text.h"

/* Options with the default 0. */
static const struct {
	enum test_takes takes;
	const char *name;
	size_t offset; /* offset of a uint64_t */
} rows[] = {
	{TAKES_SIZE, "--size", offsetof(struct test_options, size_bytes)},
	{TAKES_WORK_ITEMS, "--work-items",
		offsetof(struct test_options, work_items)},
	{TAKES_WORK_GROUP, "--work-group",
		offsetof(struct test_options, work_group)},
	{TAKES_SWEEP, "--work-group sweep",
		offsetof(struct test_options, sweep_groups)},
	{TAKES_SIZES, "--sizes", offsetof(struct test_options, most_bytes)},
	{TAKES_ACCESS, "--access", offsetof(struct test_options, access)},
	{TAKES_FINE, "--fine", offsetof(struct test_options, fine)},
	{TAKES_ELEMENT, "--element",
		offsetof(struct test_options, element_bytes)},
	{TAKES_EACH, "--sizes=MIN:MAX:N",
		offsetof(struct test_options, each_doubling)},
};

static uint64_t *test_option_value(struct test_options *options, size_t row)
{
	return (uint64_t *)((char *)options + rows[row].offset);
}

const char *test_option_name(enum test_takes takes)
{
	size_t i = 0;

	while (rows[i].takes != takes)
		i++;
	return rows[i].name;
}

char *test_list(unsigned takes)
{
	struct text_list list = {.text = NULL};

	for (size_t i = 0; test_table[i]; i++) {
		if ((test_table[i]->takes & takes) == takes)
			text_list_add(&list, ", ", "%s", test_table[i]->name);
	}
	return text_list_end(&list);
}

unsigned test_options_set(const struct test_options *options)
{
	struct test_options values = *options;
	unsigned set = 0;

	for (size_t i = 0; i < N_OF(rows); i++)
		set |= *test_option_value(&values, i) ? rows[i].takes : 0;
	return set;
}

static void keep_test_options(struct test_options *options, unsigned those)
{
	for (size_t i = 0; i < N_OF(rows); i++) {
		if (!(those & rows[i].takes))
			*test_option_value(options, i) = 0;
	}
}

int test_check_groups(const struct test_options *options, size_t items,
	size_t group, struct error *err)
{
	size_t below = group, groups;

	if (items % group == 0)
		return 0;
	if (options->work_items && !options->work_group) {
		below = items / group * group;
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: %zu are no multiple of the %zu in a "
			"group; the nearest are %zu and %zu",
			items, group, below ? below : group,
			below ? below + group : 2 * group);
	}
	if (group > items)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: %zu are more than the work-items; take "
			"%zu at most",
			group, items);
	while (items % below)
		below--;
	/* Make fewer but larger groups. */
	groups = items / group;
	while (items % groups)
		groups--;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--work-group: %zu work-items are no multiple of %zu; the "
		"nearest that divide them are %zu and %zu",
		items, group, below, items / groups);
}

/* Return the next size that a rule allows. */
static uint64_t next_test_size(const struct size_rule *rule, uint64_t bytes)
{
	return rule->kind == SIZE_MULTIPLE ? bytes + rule->least
	       : rule->kind == SIZE_SQUARE ? 4 * bytes
					   : 2 * bytes;
}

static int check_test_size(
	const struct test *test, uint64_t bytes, struct error *err)
{
	static const char *const kinds[] = {
		[SIZE_POWER] = "a power of two",
		[SIZE_SQUARE] = "a square of a power of two of words",
		[SIZE_MULTIPLE] = "a multiple",
	};
	const struct size_rule *rule = &test->size;
	char least[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];
	char below[TEXT_SIZE_BYTES], above[TEXT_SIZE_BYTES];
	uint64_t near = rule->least;

	if (rule->kind == SIZE_MULTIPLE && bytes > near)
		near = bytes / rule->least * rule->least;
	else
		while (next_test_size(rule, near) <= bytes &&
			next_test_size(rule, near) < rule->most)
			near = next_test_size(rule, near);
	if (bytes == near || bytes == rule->most)
		return 0;
	if (rule->kind == SIZE_MULTIPLE)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--size: %s takes multiples of %s; the nearest are %s "
			"and %s",
			test->name, text_size(rule->least, least),
			text_size(near, below),
			text_size(next_test_size(rule, near), above));
	return error_set(err, ERROR_USAGE, EINVAL,
		"--size: %s takes %s from %s to %s; the nearest are %s and %s",
		test->name, kinds[rule->kind], text_size(rule->least, least),
		text_size(rule->most, most), text_size(near, below),
		text_size(next_test_size(rule, near), above));
}

static int check_item_numbers(const struct test *test,
	const struct test_options *options, struct error *err)
{
	uint64_t items = options->work_items, group = options->work_group;

	if (test->most_items && items > test->most_items)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: %s takes %zu at most", test->name,
			test->most_items);
	if (group && !items && test->group_divides &&
		test->group_divides % group)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: %s takes a power of two up to %zu",
			test->name, test->group_divides);
	items = items ? items : test->items;
	group = group ? group : test->group;
	/* Without --work-items and --work-group, the device decides. */
	return items && group ? test_check_groups(options, items, group, err)
			      : 0;
}

int test_check_options(const struct test *test,
	const struct test_options *options, struct error *err)
{
	unsigned refused = test_options_set(options) & ~test->takes;
	uint64_t group = options->work_group;
	int rc;

	for (size_t i = 0; i < N_OF(rows); i++) {
		char *those;

		if (!(refused & rows[i].takes))
			continue;
		those = test_list(rows[i].takes);
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"%s does not apply to %s, only to %s", rows[i].name,
			test->name, those ? those : "others");
		free(those);
		return rc;
	}
	rc = test->check ? test->check(options, err)
			 : check_item_numbers(test, options, err);
	if (rc == 0 && options->size_bytes)
		rc = check_test_size(test, options->size_bytes, err);
	/*
	 * The number of work-items is a power of two, unless the user chose it.
	 */
	if (rc == 0 && (group & (group - 1)) && !options->work_items)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: found %" PRIu64
			", expected a power of two",
			group);
	return rc;
}

void test_fit_options(const struct test *test, struct test_options *options,
	struct error *why)
{
	unsigned those = test_options_set(options) & test->takes, taken = 0;
	struct test_options fitting = *options;

	keep_test_options(&fitting, those);
	if (test_check_options(test, &fitting, NULL) == 0) {
		*options = fitting;
		return;
	}
	for (size_t i = 0; i < N_OF(rows); i++) {
		fitting = *options;
		keep_test_options(&fitting, those & rows[i].takes);
		if (test_check_options(test, &fitting, why) == 0)
			taken |= rows[i].takes;
	}
	keep_test_options(options, those & taken);
}

void test_add_memory_remedy(const struct test *test, struct error *err)
{
	static const struct {
		enum test_takes takes;
		const char *less;
	} remedies[] = {
		{TAKES_SIZE, "a smaller --size"},
		{TAKES_SIZES, "smaller --sizes"},
		{TAKES_WORK_ITEMS, "fewer --work-items"},
	};
	struct text_list list = {.text = NULL};
	char *those;

	if (!err)
		return;
	for (size_t i = 0; i < N_OF(remedies); i++) {
		if (test->memory_by & remedies[i].takes)
			text_list_add(&list, " or ", "%s", remedies[i].less);
	}
	those = text_list_end(&list);
	if (those && *those)
		error_set(err, err->class, err->code, "%s: choose %s",
			err->text, those);
	else
		error_set(err, err->class, err->code,
			"%s: %s always needs this much memory; try another "
			"device (--device)",
			err->text, test->name);
	free(those);
}
