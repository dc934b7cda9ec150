/*
 * Records as one HTML file that needs nothing else: what c2c says of them in
 * words, and each record itself, which report.js draws.
 *
 * All that comes from a record is JSON in a script element that no browser
 * runs, and report.js makes only text of it. The file forbids the browser to
 * load anything, and to run any other script.
 *
 * Its words are those of the report of a command (cmd/prose.h), as that of c2c
 * analyze; tables of other commands are a block. page_record.c adds them and
 * how to draw a record, page_changes.c what compare_two() says of two sides.
 */
#ifndef C2C_PAGE_H
#define C2C_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "plot/plot.h"
#include "result/result.h"
#include "util/error.h"

struct page_input {
	const struct result *result;
	const char *name; /* of its file */
	const char *path; /* of it, or NULL: there is none to read again */
	/* FILE or FILE:NAME, as commands take it; NULL: it is in no file */
	const char *argument;
	/* Of a section: the same for all of its record, side by side; or NULL
	 */
	const void *whole;
	/* [n_skipped] sentences: what its file has no records of, and why */
	char *const *skipped;
	size_t n_skipped;
	bool has_answers; /* the page begins with those of c2c report */
};

/* Whether a path is for a page, by its extension. */
bool page_has_extension(const char *path);

/*
 * Write inputs[n], n > 0, to path, atomically. Records of one machine stand one
 * below the other, machines beside each other, and so do two records that
 * measured the same. Sections of one record stay together. The options choose
 * what is there and what is shown first. -EINVAL (ERROR_USAGE) if an input has
 * nothing to show. -EINTR if a signal set options->stop.
 */
int page_save(const struct page_input *inputs, size_t n,
	const struct plot_options *options, const char *path,
	struct error *err);

/*
 * The same of a fleet: its comparison format, which is JSON, as a page with the
 * ranking, the outliers and the values of each host.
 */
int page_save_fleet(const char *json, const struct plot_options *options,
	const char *path, struct error *err);

#endif
