/*
 * The reason of a failure, on its way up to the command that prints it.
 */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

int error_set(struct error *err, enum error_class class, int code,
	const char *format, ...)
{
	if (err) {
		char text[sizeof(err->text)];
		va_list args;

		/* By way of a copy, since an argument may be err->text. */
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		/* Words of files are among them, and names of files. */
		text_make_utf8(text);
		text_make_safe(text);
		err->class = class;
		err->code = code;
		memcpy(err->text, text, strlen(text) + 1);
	}
	return -code;
}

int error_no_memory(struct error *err, const char *what)
{
	return error_set(
		err, ERROR_FAILURE, ENOMEM, "not enough memory for %s", what);
}

void error_prefix(struct error *err, const char *format, ...)
{
	char prefix[sizeof(err->text)];
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	error_set(err, err->class, err->code, "%s: %s", prefix, err->text);
}
