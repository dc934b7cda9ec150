/* Errors are filled whole, cut where they must be, and prefixed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/error.h"

static void set_fills_all(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(
		error_set(&err, ERROR_USAGE, EINVAL, "%s %d", "a", 1), -EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.text, "a 1");
}

static void null_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(
		error_set(NULL, ERROR_FAILURE, EIO, "nobody reads"), -EIO);
	assert_int_equal(error_no_memory(NULL, "a list"), -ENOMEM);
	error_prefix(NULL, "%s", "nobody reads");
}

static void no_memory_names_what(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_no_memory(&err, "512 samples"), -ENOMEM);
	assert_int_equal(err.class, ERROR_FAILURE);
	assert_string_equal(err.text, "not enough memory for 512 samples");
}

static void prefix_keeps_the_rest(void **state)
{
	struct error err;

	(void)state;
	error_set(&err, ERROR_UNAVAILABLE, ENOENT, "no gnuplot");
	error_prefix(&err, "--%s %d", "output", 7);
	assert_string_equal(err.text, "--output 7: no gnuplot");
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_int_equal(err.code, ENOENT);
}

static void assert_call_says(int code, const char *remedy)
{
	struct error err;
	char text[256];

	assert_int_equal(
		error_of_call(&err, code, "clone", "no thread %d", 7), -code);
	assert_int_equal(err.class, ERROR_FAILURE);
	snprintf(text, sizeof(text), "no thread 7: %s%s", strerror(code),
		remedy);
	assert_string_equal(err.text, text);
}

static void a_remedy_fits_the_errno(void **state)
{
	static const char filter[] = " (a seccomp filter, as containers have, "
				     "must allow clone)";

	(void)state;
	assert_call_says(EPERM, filter);
	assert_call_says(ENOSYS, filter);
	assert_call_says(
		EAGAIN, " (see ulimit -u and the pids limit of the cgroup)");
	assert_call_says(
		ENOMEM, " (see ulimit -v and the memory limit of the cgroup)");
	assert_call_says(EMFILE, " (see ulimit -n)");
	assert_call_says(EINVAL, "");
}

/* The usual way to add words after a text. */
static void a_text_may_go_into_itself(void **state)
{
	struct error err;

	(void)state;
	error_set(&err, ERROR_FAILURE, EIO, "inner");
	error_set(&err, ERROR_FAILURE, EIO, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
	error_prefix(&err, "%s", err.text);
	assert_string_equal(err.text, "outer (inner): outer (inner)");
}

static void long_texts_are_cut(void **state)
{
	char text[4000];
	struct error err;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERROR_FAILURE, EIO, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	error_prefix(&err, "name");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "name: xxx", 9);
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(set_fills_all),
	cmocka_unit_test(null_is_allowed),
	cmocka_unit_test(no_memory_names_what),
	cmocka_unit_test(prefix_keeps_the_rest),
	cmocka_unit_test(a_remedy_fits_the_errno),
	cmocka_unit_test(a_text_may_go_into_itself),
	cmocka_unit_test(long_texts_are_cut),
};

CASE_GROUP(cases);
