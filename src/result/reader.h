/*
 * Reads text input: lines with their numbers, and decimal numbers. A reader
 * uses limited memory for any input.
 */
#ifndef C2C_READER_H
#define C2C_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

/* Longest line in bytes: 65,536 cells of 64 bytes. */
#define READER_LINE_MAX ((size_t)4 << 20)

struct reader {
	FILE *in;      /* borrowed */
	bool is_json;  /* the text begins with { or [, but not with a row */
	bool has_rows; /* the text begins with [[ */
	unsigned char beginning[4096]; /* first bytes of the file */
	size_t at, end; /* unread bytes: beginning[at] to [end - 1] */
	char *text;	/* the last line */
	size_t line;	/* number of the last line, from 1 */
	int failure;	/* positive errno of a failed read, or 0 */
};

/*
 * Read the beginning of the stream, skip a UTF-8 byte order mark, and refuse
 * input that is neither a record nor text. After an error the caller releases
 * nothing.
 */
int reader_init(struct reader *reader, FILE *in, struct error *err);
void reader_release(struct reader *reader);

/*
 * Set *text to the next line without LF or CR LF. The caller may change the
 * line, which is valid until the next call. Return 1, 0 at the end of input, or
 * a negative errno after a failed read, a NUL byte or a line longer than
 * READER_LINE_MAX.
 */
int reader_next_line(struct reader *reader, char **text, struct error *err);

/* Read up to `room` bytes. Return 0 at the end, or after a failure. */
size_t reader_read(struct reader *reader, void *data, size_t room);

int reader_failed(const struct reader *reader, struct error *err);

/*
 * Return whether text[n] is a decimal number of at most RESULT_MOST, and set
 * *value. The character text[n] is not a digit. A number below RESULT_LEAST
 * becomes 0.
 */
bool reader_number(const char *text, size_t n, double *value);

#endif
