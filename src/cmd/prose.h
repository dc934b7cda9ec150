/*
 * What a command says in words: text on a terminal, or pieces for a page, so
 * that both come from one place.
 */
#ifndef C2C_PROSE_H
#define C2C_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/arena.h"

struct prose {
	FILE *out;
	struct arena *arena; /* of texts */
	/* Where the labels of rows begin, and their texts. */
	int indent, columns;
	/*
	 * An array to fill instead of lines wrapped at 80 columns: of objects
	 * {"part"|"head"|"text"|"item"|"block": TEXT},
	 * {"row": LABEL, "text": TEXT} or {"row": LABEL, "items": [TEXT]}.
	 */
	struct json_t *pieces;
	bool failed; /* memory was out: pieces are missing */
};

/*
 * A head above everything up to the next one, or to NULL, which ends the last
 * of several.
 */
void prose_section(struct prose *prose, const char *text);

enum prose_kind {
	PROSE_HEADING,	 /* a line above others, which does not wrap */
	PROSE_TEXT,	 /* sentences */
	PROSE_PARAGRAPH, /* the same, with an empty line behind them */
	PROSE_ITEM,	 /* an indented sentence */
};
void prose_add(struct prose *prose, enum prose_kind kind, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* The string that a piece has: a page can show signs. */
struct json_t *prose_pack(const char *text);

/* A text behind its label, and a list whose items stay whole. */
void prose_row(struct prose *prose, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void prose_list(struct prose *prose, const char *label,
	const char *const *items, size_t n);

/* Lines as they are, a table for example: only in pieces. */
void prose_block(struct prose *prose, const char *lines);

/* An empty line, where there are lines. */
void prose_blank_line(struct prose *prose);

#endif
