/*
 * The sides of a comparison: files, loaded as results with their runs and
 * levels.
 */
#ifndef C2C_COMPARE_SIDE_H
#define C2C_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/unit_option.h"
#include "result/comparison.h"
#include "util/error.h"

/* The files of a side, from a list with commas or a single name. */
struct compare_side_names {
	char **texts;
	size_t n;
};

int compare_side_split_names(
	const char *path, struct compare_side_names *names, struct error *err);
void compare_side_names_release(struct compare_side_names *names);

/*
 * Load a side, and find its levels if `levels`. Call compare_side_close() even
 * after a failure.
 */
int compare_side_open(struct compared_file *file,
	const struct unit_choice *unit, const char *path, bool levels,
	struct error *err);

/*
 * Make a side as compare_side_open() does, from a result that the caller keeps.
 */
int compare_side_borrow(struct compared_file *file, const struct result *result,
	const char *name, bool levels, struct error *err);
void compare_side_return(struct compared_file *file);

/* Make a side that takes *result over, even after a failure. */
int compare_side_adopt(struct compared_file *file, struct result *result,
	const char *name, bool levels, struct error *err);

/* Find the levels of a side that was opened without levels. */
int compare_side_find_levels(struct compared_file *file, struct error *err);

/*
 * Compare a side with the reference. If show_progress, show the progress of a
 * long test on standard error.
 */
int compare_side_with_reference(const struct compared_file *to,
	struct compared_file *file, bool by_level, bool show_progress,
	struct error *err);

/* Release all members except those that a fleet keeps. */
void compare_side_close(struct compared_file *file);

#endif
