/*
 * What a command says in words: text on a terminal, or pieces for a page, so
 * that both come from one place.
 */
#ifndef C2C_PROSE_H
#define C2C_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct prose {
	FILE *out;
	/*
	 * Not lines wrapped at 80 columns but objects of JSON between commas,
	 * each {"part"|"head"|"text"|"item"|"block": TEXT},
	 * {"row": LABEL, "text": TEXT} or {"row": LABEL, "items": [TEXT]}.
	 */
	bool pieces;
	bool any; /* of these */
};

/*
 * A head above everything up to the next one, or to NULL, which ends the last
 * of several.
 */
void prose_section(struct prose *prose, const char *text);

/* A line above others; a paragraph; an indented sentence. */
void prose_heading(struct prose *prose, const char *text);
void prose_text(struct prose *prose, const char *text);
void prose_item(struct prose *prose, const char *text);

/* A text behind its label, and a list whose items stay whole. */
void prose_row(struct prose *prose, const char *label, const char *text);
void prose_list(struct prose *prose, const char *label,
	const char *const *items, size_t n);

/* Lines as they are, a table for example: only in pieces. */
void prose_block(struct prose *prose, const char *lines);

/* An empty line, where there are lines. */
void prose_blank_line(struct prose *prose);

#endif
