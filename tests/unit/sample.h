/*
 * A small result that has everything a result can have, and texts instead of
 * files, for the tests of src/result.
 */
#ifndef C2C_TESTS_UNIT_SAMPLE_H
#define C2C_TESTS_UNIT_SAMPLE_H

#include <stdio.h>

#include "result/file.h"
#include "result/result.h"

typedef int sample_writer(
	const struct result *result, FILE *out, struct error *err);

/*
 * CPUs 0, 2, 5; a symmetric and an asymmetric matrix, a series, passes and
 * none, all blocks.
 */
void sample_result(struct result *result);

/* What a writer makes of result: a string for free(). Asserts success. */
char *sample_text(const struct result *result, sample_writer *writer);

/* Read text as a file; *result as result_read() leaves it. */
int sample_read(struct result *result, const char *text, struct error *err);

/* A file of tests/unit/golden as a string for free(). */
char *sample_golden(const char *name);

/* Assert that reading text fails with exactly this message. */
void sample_refused(const char *text, const char *message);

/* Assert the same facts under the same keys, in one order. */
void sample_assert_facts(const struct facts *a, const struct facts *b);

/* Assert equal bits, or a NaN each. */
void sample_assert_values(const double *a, const double *b, size_t n);

/*
 * Setup and teardown of a test that works in a new folder of its own: with
 * umask 022, and all that is in it removed after.
 */
int sample_enter_folder(void **state);
int sample_leave_folder(void **state);

/*
 * text, for free(), with its first occurrence of old (which must be there)
 * replaced.
 */
char *sample_replace(const char *text, const char *old, const char *new);

#endif
