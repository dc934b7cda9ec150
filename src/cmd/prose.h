/*
 * Write what a command says in words, as text for a terminal or as pieces for a
 * page, from one source.
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
	/* The column of the labels of rows, and that of their texts. */
	int indent, columns;
	/*
	 * An array to fill instead of printing lines of 80 columns. It has
	 * objects {"part"|"head"|"text"|"item"|"block": TEXT}, {"row": LABEL,
	 * "text": TEXT} or {"row": LABEL, "items": [TEXT]}.
	 */
	struct json_t *pieces;
	bool failed; /* memory was out: pieces are missing */
};

/*
 * Begin a section: a head above everything up to the next one. NULL ends the
 * last of several sections.
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

/* Return the string for a piece: a page can show more characters. */
struct json_t *prose_pack(const char *text);

/* Print a label with a text, or with a list whose items are not broken. */
void prose_row(struct prose *prose, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void prose_list(struct prose *prose, const char *label,
	const char *const *items, size_t n);

/* Add lines unchanged, for example a table; only to pieces. */
void prose_block(struct prose *prose, const char *lines);

/* Print an empty line, unless the output is pieces. */
void prose_blank_line(struct prose *prose);

#endif
