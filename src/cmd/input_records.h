/*
 * The records of the files that a command reads. Each section of a file is a
 * record (result/sections.h).
 */
#ifndef C2C_INPUT_RECORDS_H
#define C2C_INPUT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/page/page.h"
#include "cmd/unit_option.h"
#include "result/result.h"
#include "util/error.h"

/* A zeroed struct has no records. */
struct input_records {
	struct result *results; /* [n] */
	/* [n] name of each record: the given path, or FILE:NAME */
	char **names;
	/* [n] section of each record, within its name; NULL: no section */
	const char **sections;
	size_t n;
	/* [n_skipped] notes on commands without a section, with the reason */
	char **skipped;
	/* [n_skipped] index of the file's first record */
	size_t *skipped_at;
	size_t n_skipped;
};

/*
 * Append the records of the file at path, loaded as unit_option_load_result()
 * does. A file is loaded only once. Messages name the file. Release the records
 * even after a failure.
 */
int input_records_load(struct input_records *records,
	const struct unit_choice *choice, const char *path, struct error *err);
void input_records_release(struct input_records *records);

/* Return record i for a page. Borrowed. */
struct page_input input_records_page(
	const struct input_records *records, size_t i);

/* Print notes of commands without a section. */
void input_records_note_skipped(
	const struct input_records *records, const char *command);

/* Return whether records i and k are sections of one file. */
bool input_records_same_file(
	const struct input_records *records, size_t i, size_t k);

/*
 * Check that there is one record, because `what` ("--epoch") takes only one.
 * Otherwise return -EINVAL (ERROR_USAGE) with the names of the records.
 */
int input_records_check_one(const struct input_records *records,
	const char *what, struct error *err);

#endif
