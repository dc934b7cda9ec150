/*
 * Write records as one self-contained HTML file: c2c's report in words,
 * pictures of curves, and each record. report.js draws the heatmaps in the
 * orders and colours that c2c has chosen.
 *
 * All data from a record is JSON in a script element that no browser runs, or
 * an SVG element with escaped text. The file forbids the browser to load
 * anything, and to run any other script.
 *
 * The words of a page are reports of commands, for example of c2c analyze
 * (cmd/prose.h), with tables as blocks of text. page_record.c adds the words
 * and the layout of a record; page_changes.c adds the report of compare_two()
 * on two sides.
 */
#ifndef C2C_PAGE_H
#define C2C_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "render/plot.h"
#include "result/result.h"
#include "util/error.h"

struct record_groups;
struct fleet;

struct page_input {
	const struct result *result;
	const struct record_groups *groups; /* of this record alone, or NULL */
	const char *name;		    /* name of its file */
	const char *path; /* path of a file to embed, or NULL */
	/* FILE or FILE:NAME of the command line; NULL: not in a file. */
	const char *argument;
	/*
	 * For a section: the same pointer in all sections of a record, which
	 * must be consecutive; or NULL.
	 */
	const void *whole;
	/*
	 * [n_skipped] sentences: commands without a record in its file, and
	 * why.
	 */
	char *const *skipped;
	size_t n_skipped;
	/*
	 * [n_sentences] that precede other words on the record, and lines of a
	 * table that follow these words; or NULL.
	 */
	char *const *sentences;
	size_t n_sentences;
	const char *table;
	bool has_answers; /* the page has the answers of c2c report */
};

/* Return whether a path is for a page, by its extension. */
bool page_has_extension(const char *path);

/*
 * Write inputs[n], n > 0, to path, atomically. Records of one machine are below
 * each other. Machines are beside each other, and so are two records of the
 * same measurement. Sections of one record stay together. The page begins with
 * the picture of the curves of all inputs, if they have a common panel. The
 * options choose the contents and the matrix that the page shows first. -EINVAL
 * (ERROR_USAGE) if an input has nothing to show. -EINTR if a signal set
 * options->stop.
 */
int page_save(const struct page_input *inputs, size_t n,
	const struct plot_options *options, const char *path,
	struct error *err);

/*
 * Write a page for a fleet, from its comparison as JSON: the ranking, the
 * outliers and the values of each host.
 */
int page_save_fleet(const struct fleet *fleet, const char *json,
	const struct plot_options *options, const char *path,
	struct error *err);

#endif
