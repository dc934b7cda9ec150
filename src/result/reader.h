/*
 * Text input for the loaders: numbered lines, numbers, and short quotes for
 * messages. A reader's memory is bounded, whatever the input is.
 */
#ifndef C2C_READER_H
#define C2C_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

/* Longest line in bytes: four times 16,384 cells of 64 bytes. */
#define READER_LINE_MAX ((size_t)4 << 20)

struct reader {
	FILE *in;      /* borrowed */
	bool is_json;  /* begins with { or [, not followed by a number */
	bool has_rows; /* the text begins with [[ */
	unsigned char beginning[4096]; /* bytes read to identify the file */
	size_t at, end; /* unread bytes are beginning[at] to [end - 1] */
	char *text;	/* the last line */
	size_t line;	/* number of that line, from 1 */
	int failure;	/* positive errno of a read that failed, or 0 */
};

/*
 * Read the beginning of the stream, skip a UTF-8 byte order mark, and refuse
 * input that is neither a record nor text. After a failure there is nothing to
 * release.
 */
int reader_init(struct reader *reader, FILE *in, struct error *err);
void reader_release(struct reader *reader);

/*
 * Get the next line without its end (LF or CR LF). The caller may change the
 * line; it is valid until the next call. Return 1, 0 at the end of input, or a
 * negative errno: a failed read, a NUL byte, a line longer than
 * READER_LINE_MAX.
 */
int reader_next_line(struct reader *reader, char **text, struct error *err);

/* Read up to `room` raw bytes; 0 at the end or on failure (->failure). */
size_t reader_read(struct reader *reader, void *data, size_t room);

/* Report the failed read. */
int reader_failed(const struct reader *reader, struct error *err);

/*
 * Whether text[n] is a decimal number within the limits of results; no digit
 * may follow it. A number too near to 0 becomes 0.
 */
bool reader_number(const char *text, size_t n, double *value);

#endif
