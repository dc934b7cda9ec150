/*
 * Write sentences and rows of a report, as text for a terminal or as pieces for
 * a page.
 */
#ifndef C2C_PROSE_H
#define C2C_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/arena.h"

struct prose {
	FILE *out;
	struct arena *arena; /* arena of the texts */
	/* Column of the labels of rows, and column of their texts. */
	int indent, columns;
	/*
	 * NULL: print. Otherwise an array to fill with objects
	 * {"part"|"head"|"text"|"item"|"block": TEXT}, {"row": LABEL, "text":
	 * TEXT} or {"row": LABEL, "items": [TEXT]}.
	 */
	struct json_t *pieces;
	bool failed; /* memory is out, and pieces are missing */
};

/*
 * Begin a section with a head, up to the next section. NULL ends the last of
 * several sections.
 */
void prose_section(struct prose *prose, const char *text);

enum prose_kind {
	PROSE_HEADING,	 /* a heading line, which does not wrap */
	PROSE_TEXT,	 /* sentences */
	PROSE_PARAGRAPH, /* sentences, then an empty line */
	PROSE_ITEM,	 /* an indented sentence */
};
void prose_add(struct prose *prose, enum prose_kind kind, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Return the JSON string for a piece, which may have non-ASCII characters. */
struct json_t *prose_pack(const char *text);

/* Print a label with a text, or with a list, wrapped between items. */
void prose_row(struct prose *prose, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void prose_list(struct prose *prose, const char *label,
	const char *const *items, size_t n);

/* Add lines, for example a table, unchanged to pieces; do not print them. */
void prose_block(struct prose *prose, const char *lines);

/* Print an empty line, unless the output is pieces. */
void prose_blank_line(struct prose *prose);

#endif
