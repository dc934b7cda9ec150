/*
 * Text input for the loaders: see reader.h.
 */
#include "result/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM ((size_t)64 << 10)

/* Make room at the end of the buffer and read into it. */
static int fill(struct reader *reader, struct error *err)
{
	size_t unread = reader->end - reader->at;
	size_t got;

	memmove(reader->buffer, reader->buffer + reader->at, unread);
	reader->at = 0;
	reader->end = unread;
	if (unread == reader->room) {
		char *buffer = realloc(reader->buffer, 2 * reader->room);

		if (!buffer)
			return error_no_memory(err, "a line of the file");
		reader->buffer = buffer;
		reader->room *= 2;
	}
	errno = 0;
	got = fread(
		reader->buffer + unread, 1, reader->room - unread, reader->in);
	if (got == 0 && ferror(reader->in)) {
		reader->failure = errno ? errno : EIO;
		return reader_failed(reader, err);
	}
	reader->end += got;
	return 0;
}

int reader_init(struct reader *reader, FILE *in, struct error *err)
{
	static const char mark[] = {'\xef', '\xbb', '\xbf'};
	int rc;

	memset(reader, 0, sizeof(*reader));
	reader->in = in;
	reader->room = FIRST_ROOM;
	reader->buffer = malloc(reader->room);
	if (!reader->buffer)
		return error_no_memory(err, "reading the file");
	rc = fill(reader, err);
	if (rc < 0) {
		reader_release(reader);
		return rc;
	}
	if (reader->end >= sizeof(mark) &&
		memcmp(reader->buffer, mark, sizeof(mark)) == 0)
		reader->at = sizeof(mark);
	return 0;
}

void reader_release(struct reader *reader)
{
	free(reader->buffer);
	reader->buffer = NULL;
}

/*
 * The place of the next line feed within the buffer, reading on as needed;
 * end when the input ends first.
 */
static int find_line_end(struct reader *reader, size_t *end, struct error *err)
{
	size_t seen = 0;

	for (;;) {
		size_t unread = reader->end - reader->at;
		char *from = reader->buffer + reader->at;
		char *feed = memchr(from + seen, '\n', unread - seen);
		int rc;

		if (feed) {
			*end = (size_t)(feed - reader->buffer);
			return 0;
		}
		if (unread >= READER_LINE_MAX)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu is longer than %zu bytes: expected "
				"a result of c2c or a CSV matrix",
				reader->line + 1, READER_LINE_MAX);
		seen = unread;
		rc = fill(reader, err);
		if (rc < 0)
			return rc;
		if (reader->end - reader->at == unread) {
			*end = reader->end;
			return 0;
		}
	}
}

int reader_next_line(struct reader *reader, char **text, struct error *err)
{
	size_t end = 0, next, length;
	int rc = find_line_end(reader, &end, err);

	if (rc < 0)
		return rc;
	if (reader->at == reader->end)
		return 0;
	reader->line++;
	if (memchr(reader->buffer + reader->at, '\0', end - reader->at))
		return error_set(err, ERROR_FAILURE, EINVAL,
			"line %zu: found a NUL byte, expected text (save "
			"UTF-16 as UTF-8)",
			reader->line);
	/* fill() left room for one more byte behind what it read last. */
	next = end < reader->end ? end + 1 : end;
	length = end - reader->at;
	*text = reader->buffer + reader->at;
	if (length > 0 && (*text)[length - 1] == '\r')
		length--;
	(*text)[length] = '\0';
	reader->at = next;
	return 1;
}

size_t reader_read(struct reader *reader, void *data, size_t room)
{
	size_t unread;

	if (reader->at == reader->end && fill(reader, NULL) < 0)
		return 0;
	unread = reader->end - reader->at;
	if (room > unread)
		room = unread;
	memcpy(data, reader->buffer + reader->at, room);
	reader->at += room;
	return room;
}

int reader_failed(const struct reader *reader, struct error *err)
{
	return error_set(err, ERROR_FAILURE, reader->failure,
		"reading failed: %s", strerror(reader->failure));
}

const char *reader_quote(struct quote *quote, const char *text, size_t n)
{
	size_t shown = n < 40 ? n : 40;

	if (n == 0)
		return "nothing";
	snprintf(quote->text, sizeof(quote->text), "'%.*s%s'", (int)shown, text,
		shown < n ? "..." : "");
	for (char *c = quote->text; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	return quote->text;
}

bool reader_number(const char *text, size_t n, double *value)
{
	double number;
	char *end;

	/* strtod() also takes blanks, "inf", "nan" and hexadecimal. */
	if (n == 0 || strspn(text, "0123456789.eE+-") < n)
		return false;
	number = strtod(text, &end);
	if (end != text + n || !isfinite(number))
		return false;
	*value = number;
	return true;
}
