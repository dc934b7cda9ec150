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
struct compare_side_names {
	char **texts;
	size_t n;
};

int compare_side_split_names(
	const char *path, struct compare_side_names *names, struct error *err);
void compare_side_names_release(struct compare_side_names *names);

/*
 * Load a side and, if levels are asked for, find them. Release it by
 * compare_side_close() after a failure too.
 */
int compare_side_open(struct compared_file *file,
	const struct unit_choice *unit, const char *path, bool levels,
	struct error *err);

/*
 * Make a side of a result that the caller keeps; then as compare_side_open().
 */
int compare_side_borrow(struct compared_file *file, const struct result *result,
	const char *name, bool levels, struct error *err);
void compare_side_return(struct compared_file *file);

/* The same, but the side takes *result over, after a failure too. */
int compare_side_adopt(struct compared_file *file, struct result *result,
	const char *name, bool levels, struct error *err);

/* Find the levels of a side that was opened without. */
int compare_side_find_levels(struct compared_file *file, struct error *err);

/*
 * Compare a side with the reference, by the levels that fit. If watched, a bar
 * on standard error shows how far a long test is.
 */
int compare_side_with_reference(const struct compared_file *to,
	struct compared_file *file, bool by_level, bool show_progress,
	struct error *err);

/* Release all but what a fleet keeps of a file. */
void compare_side_close(struct compared_file *file);

#endif
