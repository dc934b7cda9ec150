#ifndef C2C_PROGRESS_H
#define C2C_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/* Return whether the stream is a terminal that can erase a line. */
bool progress_can_be_drawn(FILE *out);

/*
 * Draw a bar and text over the current line of a terminal, at most `columns`
 * wide.
 */
void progress_draw(
	FILE *out, unsigned columns, double fraction, const char *text);

void progress_clear(FILE *out);

#endif
