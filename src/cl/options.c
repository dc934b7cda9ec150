/*
 * Which test takes which options: the table says it, and what is said to users
 * comes from there. No OpenCL here.
 */
#include <errno.h>
#include <stdio.h>

#include "cl/tests.h"

static const struct {
	enum cl_takes takes;
	const char *name;
} names[] = {
	{CL_TAKES_SIZE, "--size"},
	{CL_TAKES_WORK_ITEMS, "--work-items"},
	{CL_TAKES_WORK_GROUP, "--work-group"},
	{CL_TAKES_SWEEP, "--work-group sweep"},
};

#define N_NAMES (sizeof(names) / sizeof(names[0]))

const char *cl_option_name(enum cl_takes takes)
{
	size_t i = 0;

	while (i < N_NAMES - 1 && names[i].takes != takes)
		i++;
	return names[i].name;
}

void cl_list_tests(unsigned takes, char *text, size_t bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; cl_tests[i] && used < bytes; i++) {
		int n;

		if ((cl_tests[i]->takes & takes) != takes)
			continue;
		n = snprintf(text + used, bytes - used, "%s%s",
			used ? ", " : "", cl_tests[i]->name);
		used += n > 0 ? (size_t)n : 0;
	}
}

unsigned cl_options_set(const struct cl_options *options)
{
	return (options->size_bytes ? CL_TAKES_SIZE : 0) |
	       (options->work_items ? CL_TAKES_WORK_ITEMS : 0) |
	       (options->work_group ? CL_TAKES_WORK_GROUP : 0) |
	       (options->sweep_groups ? CL_TAKES_SWEEP : 0);
}

static void keep(struct cl_options *options, unsigned those)
{
	if (!(those & CL_TAKES_SIZE))
		options->size_bytes = 0;
	if (!(those & CL_TAKES_WORK_ITEMS))
		options->work_items = 0;
	if (!(those & CL_TAKES_WORK_GROUP))
		options->work_group = 0;
	if (!(those & CL_TAKES_SWEEP))
		options->sweep_groups = false;
}

int cl_check_options(const struct cl_test *test,
	const struct cl_options *options, struct error *err)
{
	unsigned refused = cl_options_set(options) & ~test->takes;
	uint64_t group = options->work_group;
	char those[256];
	int rc;

	for (size_t i = 0; i < N_NAMES; i++) {
		if (!(refused & names[i].takes))
			continue;
		cl_list_tests(names[i].takes, those, sizeof(those));
		return error_set(err, ERROR_USAGE, EINVAL,
			"%s is not for %s: it is for %s", names[i].name,
			test->name, those);
	}
	rc = test->check(options, err);
	/* The numbers of work-items that are not the user's are such. */
	if (rc == 0 && (group & (group - 1)) && !options->work_items)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: %llu is no power of two, of which the "
			"work-items are a multiple",
			(unsigned long long)group);
	return rc;
}

void cl_fit_options(const struct cl_test *test, struct cl_options *options,
	struct error *why)
{
	unsigned those = cl_options_set(options) & test->takes, taken = 0;
	struct cl_options fitting = *options;

	keep(&fitting, those);
	if (cl_check_options(test, &fitting, NULL) == 0) {
		*options = fitting;
		return;
	}
	for (size_t i = 0; i < N_NAMES; i++) {
		fitting = *options;
		keep(&fitting, those & names[i].takes);
		if (cl_check_options(test, &fitting, why) == 0)
			taken |= names[i].takes;
	}
	keep(options, those & taken);
}

void tell_memory_remedy(const struct cl_test *test, struct error *err)
{
	bool size = test->memory_by & CL_TAKES_SIZE;
	bool items = test->memory_by & CL_TAKES_WORK_ITEMS;

	if (err && (size || items))
		error_set(err, err->class, err->code, "%s: choose %s%s%s",
			err->text, size ? "a smaller --size" : "",
			size && items ? " or " : "",
			items ? "fewer --work-items" : "");
	else if (err)
		error_set(err, err->class, err->code,
			"%s: %s always needs that much; another device may "
			"have it (--device)",
			err->text, test->name);
}
