/*
 * Text input for the loaders of this folder: lines with their numbers, cells,
 * numbers, and short quotes of what was found for messages. Memory stays
 * bounded whatever the input is.
 */
#ifndef C2C_RESULT_READER_H
#define C2C_RESULT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

/*
 * The longest line: 16,384 cells of 64 bytes are a quarter of it. Beyond lies
 * what is no text with lines at all.
 */
#define READER_LINE_MAX ((size_t)4 << 20)

struct reader {
	FILE *in;     /* borrowed */
	bool is_json; /* the first byte that is not blank is a bracket */
	unsigned char beginning[4096]; /* up to that byte */
	size_t at, end; /* unread bytes are beginning[at] to [end - 1] */
	char *text;	/* the line given last */
	size_t line;	/* its number, from 1 */
	int failure;	/* positive errno of a read that failed, or 0 */
};

/*
 * Read the beginning of the stream and step over a UTF-8 byte order mark.
 * After a failure nothing is to be released.
 */
int reader_init(struct reader *reader, FILE *in, struct error *err);
void reader_release(struct reader *reader);

/*
 * The next line, without its end (LF or CR LF), NUL after it; good until the
 * next call, and the caller may change it. 1, 0 at the end of input, or
 * negative: a failed read, a NUL byte, a line beyond READER_LINE_MAX.
 */
int reader_next_line(struct reader *reader, char **text, struct error *err);

/* Up to room raw bytes into data; 0 at the end, or at a failure (->failure). */
size_t reader_read(struct reader *reader, void *data, size_t room);

/* The failed read as an error. */
int reader_failed(const struct reader *reader, struct error *err);

/* Room for what reader_quote() gives. */
struct quote {
	char text[64];
};

/*
 * The n bytes of text as "'text'" for a message: at most about 40 bytes, none
 * unprintable; "nothing" when n is 0. Returns quote->text.
 */
const char *reader_quote(struct quote *quote, const char *text, size_t n);

/*
 * Whether text[n], which must not be followed by a byte that would continue a
 * number, is a finite decimal number.
 */
bool reader_number(const char *text, size_t n, double *value);

#endif
