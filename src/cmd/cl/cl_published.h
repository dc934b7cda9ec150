/*
 * The settings of each test's source, as options of c2c cl. Private to cmd/cl.
 */
#ifndef C2C_CL_PUBLISHED_H
#define C2C_CL_PUBLISHED_H

#include "cmd/option.h"

#define CL_PUBLISHED_OPTIONS 3

struct cl_published {
	const char *test;
	const char *source; /* document and place */
	/* Options as typed; first NULL: the source states no values. */
	const char *options[CL_PUBLISHED_OPTIONS];
};

/* Return the row of a test; NULL: no such test. */
const struct cl_published *cl_published_find(const char *test);

/*
 * Return whether option i of the row exists and applies: the user gave neither
 * this option nor one that excludes it and that the test takes.
 */
bool cl_published_applies(const struct cl_published *row, size_t i,
	const struct options_given *given);

/*
 * Return the options of a row that apply (given NULL: all), with blanks
 * between, for free(). NULL: no options, or no memory.
 */
char *cl_published_text(
	const struct cl_published *row, const struct options_given *given);

#endif
