#include "plot/stamp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/text.h"

#define DATE_DIGITS 14

static const char svg_title[] = "<title>Gnuplot</title>";
static const char pdf_date[] = "/CreationDate (D:";

/* False without memory. */
static bool write_escaped_text(const char *text, FILE *out)
{
	char *words = strdup(text);

	if (!words)
		return false;
	text_make_xml(words);
	for (const char *c = words; *c; c++) {
		switch (*c) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			putc(*c, out);
		}
	}
	free(words);
	return true;
}

/* The date of SOURCE_DATE_EPOCH as a PDF has it; false if there is none. */
static bool read_source_date(char date[DATE_DIGITS + 1])
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	struct tm tm;
	time_t when;
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	when = strtoll(text, &end, 10);
	return !errno && !*end && when >= 0 && gmtime_r(&when, &tm) &&
	       strftime(date, DATE_DIGITS + 1, "%Y%m%d%H%M%S", &tm) ==
		       DATE_DIGITS;
}

/*
 * Set the date of a PDF. Its length stays: a table has the places of objects.
 */
static void set_pdf_date(char *bytes, size_t n)
{
	char date[DATE_DIGITS + 1];
	char *at = memmem(bytes, n, pdf_date, strlen(pdf_date));

	if (!at || !read_source_date(date))
		return;
	at += strlen(pdf_date);
	if ((size_t)(bytes + n - at) >= DATE_DIGITS)
		memcpy(at, date, DATE_DIGITS);
}

/*
 * The start of an SVG, up to its title, with another title. Returns its length.
 */
static size_t put_svg_title(
	const char *bytes, size_t n, const char *title, FILE *out)
{
	const char *at = memmem(bytes, n, svg_title, strlen(svg_title));

	if (!at)
		return 0;
	fwrite(bytes, 1, (size_t)(at - bytes), out);
	fputs("<title>", out);
	if (!write_escaped_text(title, out))
		fputs("c2c", out);
	fputs("</title>", out);
	return (size_t)(at - bytes) + strlen(svg_title);
}

/* The bytes of a file for free(); NULL without memory. */
static char *read_picture_bytes(FILE *file, size_t *n)
{
	char *bytes = NULL;
	long size = -1;

	if (fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	rewind(file);
	if (size >= 0)
		bytes = malloc((size_t)size + 1);
	if (bytes)
		*n = fread(bytes, 1, (size_t)size, file);
	return bytes;
}

int plot_stamp(FILE *picture, const char *kind, const char *title, FILE *out)
{
	size_t n, done = 0;
	char *bytes = read_picture_bytes(picture, &n);

	if (!bytes)
		return -EIO;
	if (strcmp(kind, "pdf") == 0)
		set_pdf_date(bytes, n);
	if (strcmp(kind, "svg") == 0)
		done = put_svg_title(bytes, n, title, out);
	fwrite(bytes + done, 1, n - done, out);
	free(bytes);
	return ferror(out) ? -EIO : 0;
}
