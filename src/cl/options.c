/*
 * Which test takes which options, and what they may be: the table says it, and
 * what is said to users comes from there. No OpenCL here.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cl/tests.h"
#include "util/text.h"

/* Where the options are whose default is 0. */
static const struct {
	enum takes takes;
	const char *name;
	size_t offset, bytes;
} rows[] = {
#define ROW(takes, name, field)                                                \
	{                                                                      \
		takes, name, offsetof(struct test_options, field),             \
			sizeof(((struct test_options *)0)->field)              \
	}
	ROW(TAKES_SIZE, "--size", size_bytes),
	ROW(TAKES_WORK_ITEMS, "--work-items", work_items),
	ROW(TAKES_WORK_GROUP, "--work-group", work_group),
	ROW(TAKES_SWEEP, "--work-group sweep", sweep_groups),
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static size_t find(enum takes takes)
{
	size_t i = 0;

	while (i < N_ROWS - 1 && rows[i].takes != takes)
		i++;
	return i;
}

const char *test_option_name(enum takes takes)
{
	return rows[find(takes)].name;
}

void test_option_words(const struct test_options *options, enum takes takes,
	char words[TEST_OPTION_BYTES])
{
	size_t i = find(takes);
	uint64_t value;

	/* "--work-group sweep" has no number. */
	snprintf(words, TEST_OPTION_BYTES, "%s", rows[i].name);
	if (strchr(words, ' ')) {
		*strchr(words, ' ') = '=';
		return;
	}
	memcpy(&value, (const char *)options + rows[i].offset, sizeof(value));
	snprintf(words, TEST_OPTION_BYTES, "%s=%llu", rows[i].name,
		(unsigned long long)value);
}

void test_list(unsigned takes, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; test_table[i] && used < bytes; i++) {
		int n;

		if ((test_table[i]->takes & takes) != takes)
			continue;
		n = snprintf(text + used, bytes - used, "%s%s",
			used ? ", " : "", test_table[i]->name);
		used += n > 0 ? (size_t)n : 0;
	}
}

unsigned test_options_set(const struct test_options *options)
{
	static const char nothing[sizeof(uint64_t)];
	unsigned set = 0;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (memcmp((const char *)options + rows[i].offset, nothing,
			    rows[i].bytes) != 0)
			set |= rows[i].takes;
	}
	return set;
}

static void keep(struct test_options *options, unsigned those)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!(those & rows[i].takes))
			memset((char *)options + rows[i].offset, 0,
				rows[i].bytes);
	}
}

int check_groups(const struct test_options *options, size_t items, size_t group,
	struct error *err)
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
	/* Larger groups are fewer. */
	groups = items / group;
	while (items % groups)
		groups--;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--work-group: %zu work-items are no multiple of %zu; the "
		"nearest that divide them are %zu and %zu",
		items, group, below, items / groups);
}

/* The sizes of a rule go up from the least by this factor. */
static uint64_t next_size(const struct size_rule *rule, uint64_t bytes)
{
	return rule->kind == SIZE_MULTIPLE ? bytes + rule->least
	       : rule->kind == SIZE_SQUARE ? 4 * bytes
					   : 2 * bytes;
}

static int check_size(
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
		while (next_size(rule, near) <= bytes &&
			next_size(rule, near) < rule->most)
			near = next_size(rule, near);
	if (bytes == near || bytes == rule->most)
		return 0;
	if (rule->kind == SIZE_MULTIPLE)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--size: %s takes multiples of %s; the nearest are %s "
			"and %s",
			test->name, text_size(rule->least, least),
			text_size(near, below),
			text_size(next_size(rule, near), above));
	return error_set(err, ERROR_USAGE, EINVAL,
		"--size: %s takes %s from %s to %s; the nearest are %s and %s",
		test->name, kinds[rule->kind], text_size(rule->least, least),
		text_size(rule->most, most), text_size(near, below),
		text_size(next_size(rule, near), above));
}

static int check_numbers(const struct test *test,
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
	/* Where one is not the user's, the other may not be known yet. */
	return items && group ? check_groups(options, items, group, err) : 0;
}

int test_check_options(const struct test *test,
	const struct test_options *options, struct error *err)
{
	unsigned refused = test_options_set(options) & ~test->takes;
	uint64_t group = options->work_group;
	char those[256];
	int rc;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (!(refused & rows[i].takes))
			continue;
		test_list(rows[i].takes, those, sizeof(those));
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s does not apply to %s, only to %s", rows[i].name,
			test->name, those);
	}
	rc = test->check ? test->check(options, err)
			 : check_numbers(test, options, err);
	if (rc == 0 && options->size_bytes)
		rc = check_size(test, options->size_bytes, err);
	/* Numbers of work-items that are not the user's are powers of two. */
	if (rc == 0 && (group & (group - 1)) && !options->work_items)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: found %llu, expected a power of two",
			(unsigned long long)group);
	return rc;
}

void test_fit_options(const struct test *test, struct test_options *options,
	struct error *why)
{
	unsigned those = test_options_set(options) & test->takes, taken = 0;
	struct test_options fitting = *options;

	keep(&fitting, those);
	if (test_check_options(test, &fitting, NULL) == 0) {
		*options = fitting;
		return;
	}
	for (size_t i = 0; i < N_ROWS; i++) {
		fitting = *options;
		keep(&fitting, those & rows[i].takes);
		if (test_check_options(test, &fitting, why) == 0)
			taken |= rows[i].takes;
	}
	keep(options, those & taken);
}

void tell_memory_remedy(const struct test *test, struct error *err)
{
	bool size = test->memory_by & TAKES_SIZE;
	bool items = test->memory_by & TAKES_WORK_ITEMS;

	if (err && (size || items))
		error_set(err, err->class, err->code, "%s: choose %s%s%s",
			err->text, size ? "a smaller --size" : "",
			size && items ? " or " : "",
			items ? "fewer --work-items" : "");
	else if (err)
		error_set(err, err->class, err->code,
			"%s: %s always needs this much memory; try another "
			"device (--device)",
			err->text, test->name);
}
