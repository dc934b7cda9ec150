/* Reads text input: see reader.h. */
#include "result/reader.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/field.h"
#include "util/array.h"

/* Return the next byte, from the buffer or from the file. */
static int next_byte(struct reader *reader)
{
	if (reader->at < reader->end)
		return reader->beginning[reader->at++];
	return getc_unlocked(reader->in);
}

static int check_read(struct reader *reader, struct error *err)
{
	if (!ferror(reader->in))
		return 0;
	reader->failure = errno ? errno : EIO;
	return reader_failed(reader, err);
}

/*
 * Return whether a bracket or a number follows the first bracket, so that the
 * text consists of rows.
 */
static bool begins_row(struct reader *reader)
{
	int c = EOF;

	while (reader->end < sizeof(reader->beginning)) {
		c = getc_unlocked(reader->in);
		if (c == EOF)
			break;
		reader->beginning[reader->end++] = (unsigned char)c;
		if (!c || !strchr(" \t\r\n", c))
			break;
	}
	reader->has_rows = c == '[';
	return c == '[' || (c >= '0' && c <= '9');
}

#define OF_THAT_RUN ": name the .json or the .csv of that run"
#define DAT	    "a .dat is for gnuplot and c2c does not read it" OF_THAT_RUN
#define PICTURE	    "this is a picture, not a record" OF_THAT_RUN
#define MARKUP	    "this is XML or HTML, not a record" OF_THAT_RUN
#define UTF_16	    "this is text in UTF-16: save it as UTF-8"
#define SHEET	    "this is a spreadsheet: export its table as CSV"
#define POINTS                                                                 \
	"these are points of curves, which c2c does not read: name the .json " \
	"of that run"

/* Largest number of magic bytes in `kinds`. */
#define MAGIC_BYTES_MAX 9

/* Magic bytes of files that c2c cannot read, with advice. */
static const struct {
	const char *begin;
	size_t bytes;
	const char *kind;
} kinds[] = {
	{"\x1f\x8b", 2, "this is compressed with gzip: unpack it (gunzip)"},
	{"\xfd"
	 "7zXZ",
		5, "this is compressed with xz: unpack it (unxz)"},
	{"\x28\xb5\x2f\xfd", 4,
		"this is compressed with zstd: unpack it (unzstd)"},
	{"BZh", 3, "this is compressed with bzip2: unpack it (bunzip2)"},
	{"\x04\x22\x4d\x18", 4,
		"this is compressed with lz4: unpack it (unlz4)"},
	{"7z\xbc\xaf", 4, "this is a 7-Zip archive: unpack it (7z x)"},
	{"PK\x03\x04", 4,
		"this is a ZIP archive, as .xlsx and .ods are: unpack it "
		"(unzip), or export the table as CSV"},
	{"\xd0\xcf\x11\xe0", 4, SHEET},
	{"\xff\xfe", 2, UTF_16},
	{"\xfe\xff", 2, UTF_16},
	{"\x7f"
	 "ELF",
		4, "this is a program, not a record" OF_THAT_RUN},
	{"\x89PNG", 4, PICTURE},
	{"\xff\xd8\xff", 3, PICTURE},
	{"GIF8", 4, PICTURE},
	{"%PDF", 4, PICTURE},
	{"<svg", 4, PICTURE},
	{"<", 1, MARKUP},
	{"# plot", 6, DAT},
	{"# format:", 9, DAT},
	{"test,devi", 9, POINTS},
	{"test;devi", 9, POINTS},
	{"test\tdevi", 9, POINTS},
	{"\"test\",\"d", 9, POINTS},
};

/* Refuse a file whose magic bytes are in `kinds`. */
static int check_magic_bytes(
	struct reader *reader, size_t first, struct error *err)
{
	size_t most = first + MAGIC_BYTES_MAX;

	while (reader->end < most && reader->end < sizeof(reader->beginning)) {
		int c = getc_unlocked(reader->in);

		if (c == EOF)
			break;
		reader->beginning[reader->end++] = (unsigned char)c;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t n = kinds[i].bytes;

		if (reader->end >= first + n &&
			memcmp(reader->beginning + first, kinds[i].begin, n) ==
				0)
			return error_set(err, ERROR_FAILURE, EINVAL, "%s",
				kinds[i].kind);
	}
	return 0;
}

int reader_init(struct reader *reader, FILE *in, struct error *err)
{
	static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
	int c;

	*reader = (struct reader){.in = in};
	errno = 0;
	do {
		c = getc_unlocked(in);
		if (c == EOF)
			break;
		reader->beginning[reader->end++] = (unsigned char)c;
		if (reader->end == sizeof(mark) &&
			memcmp(reader->beginning, mark, sizeof(mark)) == 0)
			reader->end = 0;
	} while (reader->end < sizeof(reader->beginning) &&
		 ((c && strchr(" \t\r\n", c)) || c == mark[0] || c == mark[1] ||
			 c == mark[2]));
	reader->is_json = c == '{' || (c == '[' && !begins_row(reader));
	if (check_read(reader, err) < 0)
		return -reader->failure;
	return c == EOF || c == '{' || c == '['
		       ? 0
		       : check_magic_bytes(reader, reader->end - 1, err);
}

void reader_release(struct reader *reader)
{
	free(reader->text);
	reader->text = NULL;
}

int reader_next_line(struct reader *reader, char **text, struct error *err)
{
	size_t n = 0;
	int c;

	errno = 0;
	while ((c = next_byte(reader)) != EOF && c != '\n') {
		if (c == '\0')
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu: found a NUL byte, expected text "
				"(save UTF-16 as UTF-8)",
				reader->line + 1);
		if (n == READER_LINE_MAX)
			return error_set(err, ERROR_FAILURE, EINVAL,
				"line %zu is longer than %zu bytes: expected "
				"a result of c2c or a CSV matrix",
				reader->line + 1, READER_LINE_MAX);
		if (!array_grow(&reader->text, n, 1))
			return error_no_memory(err, "a line of the file");
		reader->text[n++] = (char)c;
	}
	if (check_read(reader, err) < 0)
		return -reader->failure;
	if (c == EOF && n == 0)
		return 0;
	reader->line++;
	if (n > 0 && reader->text[n - 1] == '\r')
		n--;
	if (!array_grow(&reader->text, n, 1))
		return error_no_memory(err, "a line of the file");
	reader->text[n] = '\0';
	*text = reader->text;
	return 1;
}

size_t reader_read(struct reader *reader, void *data, size_t room)
{
	size_t n = reader->end - reader->at;

	errno = 0;
	if (n == 0)
		n = fread(data, 1, room, reader->in);
	else
		memcpy(data, reader->beginning + reader->at,
			n = n < room ? n : room);
	if (reader->at < reader->end)
		reader->at += n;
	if (n == 0)
		check_read(reader, NULL);
	return n;
}

int reader_failed(const struct reader *reader, struct error *err)
{
	return error_set(err, ERROR_FAILURE, reader->failure,
		"reading failed: %s", strerror(reader->failure));
}

/*
 * Read a number of at most 15 digits and a point. A double holds the digits and
 * the power of ten exactly, so the quotient is the same as from strtod().
 * Return false for any other text.
 */
static bool read_plain_number(const char *text, size_t n, double *value)
{
	uint64_t digits = 0, power = 1;
	bool point = false;

	if (n == 0 || n > 15)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '.' && !point && n > 1) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		digits = digits * 10 + (uint64_t)(text[i] - '0');
		power *= point ? 10 : 1;
	}
	*value = (double)digits / (double)power;
	return true;
}

bool reader_number(const char *text, size_t n, double *value)
{
	double number;
	char *end;

	if (!read_plain_number(text, n, &number)) {
		/*
		 * strtod() would accept blanks, "inf", "nan" and hexadecimal
		 * numbers.
		 */
		if (n == 0 || strspn(text, "0123456789.eE+-") < n)
			return false;
		number = strtod(text, &end);
		if (end != text + n)
			return false;
	}
	if (fabs(number) > RESULT_MOST)
		return false;
	*value = fabs(number) < RESULT_LEAST ? 0 : number;
	return true;
}
