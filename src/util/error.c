#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_class class, int code,
	const char *format, ...)
{
	if (err) {
		va_list args;
		err->class = class;
		err->code = code;
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
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
	char text[sizeof(err->text)];
	va_list args;
	size_t used;

	if (!err)
		return;
	memcpy(text, err->text, sizeof(text));
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
}
