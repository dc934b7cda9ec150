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

/* Most bytes of a line: four times 16,384 cells of 64 bytes. */
#define READER_LINE_MAX ((size_t)4 << 20)

struct reader {
	FILE *in;      /* borrowed */
	bool is_json;  /* the text begins with { or [, no number follows */
	bool has_rows; /* the text begins with [[ */
	unsigned char beginning[4096]; /* what was read to decide */
	size_t at, end; /* unread bytes are beginning[at] to [end - 1] */
	char *text;	/* the last line */
	size_t line;	/* number of that line, from 1 */
	int failure;	/* positive errno of a read that failed, or 0 */
};

/*
 * Read the beginning of the stream, without a UTF-8 byte order mark, and refuse
 * what is neither a record nor a text. After a failure there is nothing to
 * release.
 */
int reader_init(struct reader *reader, FILE *in, struct error *err);
void reader_release(struct reader *reader);

/*
 * Get the next line without its end (LF or CR LF). The caller may change it; it
 * is good until the next call. Return 1, 0 at the end of input, or negative: a
 * failed read, a NUL byte, a line beyond READER_LINE_MAX.
 */
int reader_next_line(struct reader *reader, char **text, struct error *err);

/* Read up to room raw bytes; 0 at the end, or at a failure (->failure). */
size_t reader_read(struct reader *reader, void *data, size_t room);

/* Report the failed read. */
int reader_failed(const struct reader *reader, struct error *err);

/*
 * Whether text[n] is a decimal number within the limits of results; no digit
 * may follow it. A number too near to 0 becomes 0.
 */
bool reader_number(const char *text, size_t n, double *value);

#endif
