/*
 * The sides of a comparison: files as results with their runs and levels.
 */
#ifndef C2C_COMPARE_SIDE_H
#define C2C_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/unit_option.h"
#include "result/comparison.h"
#include "util/error.h"

/* The files of a side: those between commas, unless one has that name. */
struct side_names {
	char **texts;
	size_t n;
};

int side_names_of(
	const char *path, struct side_names *names, struct error *err);
void side_names_release(struct side_names *names);

/*
 * Load a side and, if levels are asked for, find them. Release it by
 * side_close() after a failure too.
 */
int side_open(struct compared *file, const struct unit_choice *unit,
	const char *path, bool levels, struct error *err);

/* Make a side of a result that the caller keeps; then as side_open(). */
int side_borrow(struct compared *file, const struct result *result,
	const char *name, bool levels, struct error *err);
void side_return(struct compared *file);

/* Find the levels of a side that was opened without. */
int side_find_levels(struct compared *file, struct error *err);

/*
 * Compare a side with the reference, by the levels that fit. If watched, a bar
 * on standard error shows how far a long test is.
 */
int side_compare(const struct compared *to, struct compared *file,
	bool by_level, bool watched, struct error *err);

/* Release all but what a fleet keeps of a file. */
void side_close(struct compared *file);

#endif
