#include "plot/stamp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DATE_DIGITS 14

static const char pdf_date[] = "/CreationDate (D:";

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

int plot_stamp(FILE *picture, const char *kind, FILE *out)
{
	size_t n;
	char *bytes = read_picture_bytes(picture, &n);

	if (!bytes)
		return -EIO;
	if (strcmp(kind, "pdf") == 0)
		set_pdf_date(bytes, n);
	fwrite(bytes, 1, n, out);
	free(bytes);
	return ferror(out) ? -EIO : 0;
}
