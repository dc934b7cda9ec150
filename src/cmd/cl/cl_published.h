/* The options of a test's source (struct test). Private to cmd/cl. */
#ifndef C2C_CL_PUBLISHED_H
#define C2C_CL_PUBLISHED_H

#include "cl/cl.h"
#include "cmd/option.h"

/*
 * Return whether option i of the source exists and applies: the user gave
 * neither this option nor one that excludes it and that the test takes.
 */
bool cl_published_applies(
	const struct test *test, size_t i, const struct options_given *given);

/*
 * Return the options of a source that apply (given NULL: all), with blanks
 * between, for free(). NULL: no options, or no memory.
 */
char *cl_published_text(
	const struct test *test, const struct options_given *given);

#endif
