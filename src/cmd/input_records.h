/*
 * The records of the files that a command reads: a file with sections stands
 * for them, each as a file of its own (result/sections.h).
 */
#ifndef C2C_INPUT_RECORDS_H
#define C2C_INPUT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/page/page.h"
#include "cmd/unit_option.h"
#include "result/result.h"
#include "util/error.h"

/* A zeroed struct holds none. */
struct input_records {
	struct result *results; /* [n] */
	/* [n] what names each: the path that was given, or FILE:NAME */
	char **names;
	/* [n] the section of each, within its name; NULL: it is none */
	const char **sections;
	size_t n;
	/* [n_skipped] "'FILE' has no numa: " and why: commands without one */
	char **skipped;
	/* [n_skipped] the first record of that file */
	size_t *skipped_at;
	size_t n_skipped;
};

/*
 * Append those of the file at path, as unit_option_load_result() loads them,
 * but each file once. Messages name the file. Release them after a failure too.
 */
int input_records_load(struct input_records *records,
	const struct unit_choice *choice, const char *path, struct error *err);
void input_records_release(struct input_records *records);

/* Record i for a page. Borrowed. */
struct page_input input_records_page(
	const struct input_records *records, size_t i);

/* Print notes of commands without a section. */
void input_records_note_skipped(
	const struct input_records *records, const char *command);

/* Whether records i and k are sections of one file. */
bool input_records_same_file(
	const struct input_records *records, size_t i, size_t k);

/*
 * Of the records of one file: -EINVAL (ERROR_USAGE) if there are several: what
 * (as "--epoch") takes one, and these are their names.
 */
int input_records_check_one(const struct input_records *records,
	const char *what, struct error *err);

#endif
