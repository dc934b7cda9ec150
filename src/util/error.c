/* error.c: describes a failure for the command that prints it. */
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

		/* Format to a copy, because an argument may be err->text. */
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		/* Arguments may be words from files and file names. */
		text_make_utf8(text);
		text_make_safe(text);
		err->class = class;
		err->code = code;
		memcpy(err->text, text, strlen(text) + 1);
	}
	return -code;
}

bool error_is_of_filter(int code)
{
	return code == EPERM || code == ENOSYS;
}

static const char *errno_remedy(int code)
{
	switch (code) {
	case EAGAIN:
		return "see ulimit -u and the pids limit of the cgroup";
	case ENOMEM:
		return "see ulimit -v and the memory limit of the cgroup";
	case EMFILE:
		return "see ulimit -n";
	default:
		return "";
	}
}

int error_of_call(
	struct error *err, int code, const char *call, const char *format, ...)
{
	char text[sizeof(err->text)];
	bool filter = error_is_of_filter(code);
	const char *remedy = errno_remedy(code);
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (filter)
		return error_set(err, ERROR_FAILURE, code,
			"%s: %s (a seccomp filter, as containers have, must "
			"allow %s)",
			text, strerror(code), call);
	return error_set(err, ERROR_FAILURE, code, "%s: %s%s%s%s", text,
		strerror(code), *remedy ? " (" : "", remedy,
		*remedy ? ")" : "");
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
