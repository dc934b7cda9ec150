/*
 * The options that only some tests take, before anything is measured: a user
 * must not wait for minutes to be told that one is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cl/cl.h"

/* An option of the user that c2c cl all hands to those that take it. */
static int check_one(const struct cl_arguments *arguments, enum cl_takes takes,
	json_t *warnings, struct error *err)
{
	const char *name = cl_option_name(takes);
	char takers[256] = "";
	size_t used = 0, n = 0, i;

	error_set(err, ERROR_USAGE, EINVAL, "%s is for no test", name);
	for (i = 0; cl_tests[i]; i++) {
		struct cl_options fitting = arguments->options;

		if (!(cl_tests[i]->takes & takes))
			continue;
		cl_fit_options(cl_tests[i], &fitting, err);
		if (!(cl_options_set(&fitting) & takes))
			continue;
		used += (size_t)snprintf(takers + used, sizeof(takers) - used,
			"%s%s", n++ ? ", " : "", cl_tests[i]->name);
	}
	if (n == 0)
		return -EINVAL;
	if (n < i &&
		json_array_append_new(warnings,
			json_sprintf("%s is taken by %s; the other tests run "
				     "as without it",
				name, takers)))
		return error_no_memory(err, "a warning");
	return 0;
}

int cl_check_plan(const struct cl_arguments *arguments, json_t *warnings,
	struct error *err)
{
	unsigned set = cl_options_set(&arguments->options);
	int rc = 0;

	if (strcmp(arguments->test, "all") != 0)
		return cl_check_options(cl_test_find(arguments->test),
			&arguments->options, err);
	for (unsigned takes = 1; takes <= set && rc == 0; takes <<= 1) {
		if (set & takes)
			rc = check_one(
				arguments, (enum cl_takes)takes, warnings, err);
	}
	for (size_t i = 0; cl_tests[i] && rc == 0; i++) {
		struct cl_options fitting = arguments->options;

		cl_fit_options(cl_tests[i], &fitting, NULL);
		rc = cl_check_options(cl_tests[i], &fitting, err);
		if (rc < 0)
			error_prefix(err, "%s", cl_tests[i]->name);
	}
	return rc;
}
