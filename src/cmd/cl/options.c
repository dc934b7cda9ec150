/*
 * The options that only some tests take, before anything is measured: a user
 * must not wait for minutes to be told that one is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cl/cl.h"

/* An option of the user that c2c cl all hands to those that take it. */
static int check_one(const struct cl_arguments *arguments, enum takes takes,
	struct run_facts *run, struct error *err)
{
	const char *name = test_option_name(takes);
	char takers[256] = "", text[384];
	size_t used = 0, n = 0, i;

	error_set(err, ERROR_USAGE, EINVAL, "no test accepts %s", name);
	for (i = 0; test_table[i]; i++) {
		struct test_options fitting = arguments->options;

		if (!(test_table[i]->takes & takes))
			continue;
		test_fit_options(test_table[i], &fitting, err);
		if (!(test_options_set(&fitting) & takes))
			continue;
		used += (size_t)snprintf(takers + used, sizeof(takers) - used,
			"%s%s", n++ ? ", " : "", test_table[i]->name);
	}
	if (n == 0)
		return -EINVAL;
	if (n == i)
		return 0;
	snprintf(text, sizeof(text),
		"%s applies only to %s; the other tests ignore it", name,
		takers);
	if (!run_facts_warn(run, text))
		return error_no_memory(err, "a warning");
	return 0;
}

int cl_check_plan(const struct cl_arguments *arguments, struct run_facts *run,
	struct error *err)
{
	unsigned set = test_options_set(&arguments->options);
	int rc = 0;

	if (strcmp(arguments->test, "all") != 0)
		return test_check_options(
			test_find(arguments->test), &arguments->options, err);
	for (unsigned takes = 1; takes <= set && rc == 0; takes <<= 1) {
		if (set & takes)
			rc = check_one(arguments, (enum takes)takes, run, err);
	}
	for (size_t i = 0; test_table[i] && rc == 0; i++) {
		struct test_options fitting = arguments->options;

		test_fit_options(test_table[i], &fitting, NULL);
		rc = test_check_options(test_table[i], &fitting, err);
		if (rc < 0)
			error_prefix(err, "%s", test_table[i]->name);
	}
	return rc;
}
