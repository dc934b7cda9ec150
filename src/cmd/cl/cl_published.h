/*
 * The values with which a test's source measured, as options of c2c cl. Private
 * to cmd/cl.
 */
#ifndef C2C_CL_PUBLISHED_H
#define C2C_CL_PUBLISHED_H

#include "cmd/option.h"

#define CL_PUBLISHED_OPTIONS 2

struct cl_published {
	const char *test;
	const char *source; /* document and place */
	/* As typed, the first NULL: the source states no such values. */
	const char *options[CL_PUBLISHED_OPTIONS];
};

/* Return the row of a test; NULL: there is no such test. */
const struct cl_published *cl_published_find(const char *test);

/*
 * Return whether option i of the row applies: there is one, and the user gave
 * neither that option nor one that excludes it.
 */
bool cl_published_applies(const struct cl_published *row, size_t i,
	const struct options_given *given);

/*
 * Return the options of a row with blanks between, for free(): those that
 * apply, or with given NULL all. NULL: none, or no memory.
 */
char *cl_published_text(
	const struct cl_published *row, const struct options_given *given);

#endif
