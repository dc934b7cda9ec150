/*
 * Commands of c2c as a user runs them, on bytes and into memory; for
 * tests/fuzz only.
 */
#ifndef C2C_TESTS_FUZZ_COMMAND_H
#define C2C_TESTS_FUZZ_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

/*
 * Standard output and error lead into memory from capture_begin() to
 * capture_end(), which returns both for free(). What a sanitizer says still
 * goes to the real ones, as it writes to descriptors.
 */
struct capture {
	char *out, *err;
	size_t out_bytes, err_bytes;
	void *old_out, *old_err;
};

void capture_begin(struct capture *capture);
void capture_end(struct capture *capture);
void capture_release(struct capture *capture);

/*
 * Run words, of which the first is a command and NULL ends them, with data[n]
 * on standard input. Returns the exit status.
 */
int command_run(struct capture *capture, const char *const *words,
	const void *data, size_t n);

/*
 * What must hold for any command: an exit status that it has (with
 * may_not_hold also 3), a message with a failure and with nothing else, no
 * other output then, and text that a terminal may show. Returns NULL, or what
 * did not hold.
 */
const char *command_check(const char *name, int status,
	const struct capture *capture, bool may_not_hold);

/* A file of data[n], whose name is put into path; to be closed. */
int command_file(const void *data, size_t n, char path[64]);

/* data[n] as a result, from any of the formats. */
int command_load(
	struct result *result, const void *data, size_t n, struct error *err);

/*
 * Whether the analysis of a result takes so little time that many can be
 * tried: limits of size only.
 */
bool command_is_small(const struct result *result);

/* Whether text is one that a terminal may show; line feeds are allowed. */
bool command_is_text(const char *text);

#endif
