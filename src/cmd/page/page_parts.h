/*
 * Make the parts of a page as JSON. Private to src/cmd/page. If memory runs
 * out, functions exit by arena_fail().
 */
#ifndef C2C_PAGE_PARTS_H
#define C2C_PAGE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/page/page.h"
#include "cmd/prose.h"
#include "cmd/record_groups.h"
#include "figure/colour_scale.h"
#include "util/arena.h"

/* The colours of a matrix that several records have. */
struct page_scale {
	const struct result *record;
	const struct matrix *matrix; /* of this record */
	struct plot_scale colours;
	const char *notes;
};

struct html_page {
	const struct page_input *inputs; /* [n] */
	size_t n;
	struct plot_records all;   /* the results of the inputs */
	struct page_scale *scales; /* [n_scales] */
	size_t n_scales;
	const struct fleet *fleet; /* instead of inputs; or NULL */
	const char *comparison;	   /* the JSON of a fleet */
	const struct plot_options *options;
	const char *path;
	FILE *records;	     /* the script elements that hold records */
	struct json_t *data; /* the words about the records: one object */
	struct arena *arena;
};

/* A side of a page: the records below the name of one machine. */
struct page_side {
	const struct page_input **inputs; /* [n] */
	size_t n;
};

/*
 * page_groups.c: append the report of c2c analyze on groups, as pieces of
 * prose.
 */
void page_write_groups(struct html_page *page,
	const struct record_groups *groups, struct json_t *pieces);

/* Return whether a result has CPUs to group, and not only lines of pairs. */
bool page_has_groups(const struct result *result);

/*
 * page.c: write a record into a script element with this id. If the file at
 * path (NULL: none) differs from what c2c would write, another element, whose
 * id ends in "-file", has its bytes.
 */
int page_embed(struct html_page *page, const char *id,
	const struct result *result, const char *path, struct error *err);

/* page.c: fail with EINTR if a signal has asked c2c to end. */
int page_check_stop(const struct html_page *page, struct error *err);

/*
 * page.c: make a value like json_pack(). Append the value to an array, set it
 * under a key of an object, or without a key add its members to an object.
 * Return it; borrowed.
 */
struct json_t *page_append(
	struct html_page *page, struct json_t *array, const char *format, ...);
struct json_t *page_set(struct html_page *page, struct json_t *object,
	const char *key, const char *format, ...);

/* page_fleet.c: write the pictures of a fleet's levels into templates. */
void page_write_fleet(struct html_page *page);

/* page_changes.c: describe what changed between two sides, record by record. */
void page_write_changes(struct html_page *page, const struct page_side *first,
	const struct page_side *other, struct prose *prose);

/*
 * page_cells.c: set the key "cells" of an object to a matrix, as differences to
 * a similar matrix (or NULL) with the same decimals.
 */
void page_put_cells(struct html_page *page, struct json_t *object,
	const struct matrix *matrix, const struct matrix *beside);

/*
 * page_record.c: append the object of an input, with the groups of its CPUs
 * unless the page already has these groups.
 */
int page_write_record(struct html_page *page, struct json_t *records,
	const struct page_input *input, bool groups_written, struct error *err);

#endif
