/*
 * The reason why a call below the commands failed. The call returns a negative
 * errno and fills the caller's struct error with the operation, its object, and
 * what the user can do. Only the commands and main() print this text and turn
 * its class into an exit status. A struct error owns no memory. Only one thread
 * at a time may use a struct error.
 */
#ifndef C2C_ERROR_H
#define C2C_ERROR_H

#include <stdbool.h>

/* The values are the exit statuses of the program. */
enum error_class {
	ERROR_FAILURE = 1,	/* I/O, memory or the system failed */
	ERROR_USAGE = 2,	/* the user's request is malformed */
	ERROR_UNAVAILABLE = 77, /* this machine lacks what was requested */
};

struct error {
	enum error_class class;
	int code;	 /* a positive errno value */
	char text[1024]; /* one or more lines, no trailing newline */
};

/*
 * Fill *err, which may be NULL. Return -code, so that a failing function can
 * end in "return error_set(...)". code must be positive.
 */
int error_set(struct error *err, enum error_class class, int code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Report a failed system call or libc function by error_set() with
 * ERROR_FAILURE. The text has the errno, and a remedy if the errno proves a
 * cause: EPERM does not prove a resource limit.
 */
int error_of_call(struct error *err, int code, const char *call,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Return whether this errno may be from a seccomp filter, not the kernel. */
bool error_is_of_filter(int code);

/* Return -ENOMEM, and report that memory ran out for `what` ("512 samples"). */
int error_no_memory(struct error *err, const char *what);

/* Put the option or file, as "format: ", before the text of *err (or NULL). */
void error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
