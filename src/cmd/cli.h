/*
 * Functions for all commands: messages, signals, terminals.
 */
#ifndef C2C_CLI_H
#define C2C_CLI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "machine/machine.h"
#include "util/error.h"

/*
 * Print "c2c COMMAND: text" on standard error; return the exit status. On a
 * terminal, wrap long messages between words.
 */
int cli_fail(const char *command, const struct error *err);

/*
 * Like cli_fail(), for a failed write to standard output, and clear this
 * failure so that c2c does not report it again at exit.
 */
int cli_fail_output(const char *command, struct error *err);

/* Print "c2c COMMAND: text" on standard error, wrapped like errors. */
void cli_notify(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print "c2c COMMAND: warning: text" on standard error. */
void cli_warn(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print all warnings of c2c info in one line, without explanations. */
void cli_warn_of_machine(
	const char *command, const struct machine_facts *facts);

/*
 * Draw the progress on standard error; see util/progress.h.
 */
void cli_draw_progress(double fraction, const char *text);

/*
 * Make this process part `at` of n of c2c measure, from 1: draw the progress of
 * all parts, and keep the last error. command is borrowed.
 */
void cli_begin_section(const char *command, size_t at, size_t n);

/* In a part of c2c measure: return the last error message. Borrowed. */
const char *cli_last_words(void);

/*
 * Return the columns for text on a stream: those of the terminal, at most 80.
 */
int cli_columns(FILE *out);

/*
 * Print text, made safe, wrapped at cli_columns(). The first line begins at
 * column first, where the cursor is, all others at column rest.
 */
void cli_wrap(FILE *out, const char *text, int first, int rest);

/*
 * Print on standard output the lines that print() writes, wrapped at the edge
 * of a terminal. Each line ends in a newline.
 */
int cli_print_lines(void (*print)(FILE *out, const void *context),
	const void *context, struct error *err);

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP sets the returned flag, so
 * that the run ends in order. A second signal has its default action and
 * terminates the program. Signals that were ignored stay ignored. SIGPIPE is
 * ignored too: writing fails with EPIPE.
 */
const atomic_bool *cli_catch_signals(void);

/* Return whether the first signal has arrived. */
bool cli_stop_was_requested(void);

/* cli_stop_was_requested() as a hook for memory_request.stopped. */
bool cli_is_stopped(const void *unused);

/* Largest seed: JSON readers with doubles lose digits of larger numbers. */
#define CLI_SEED_MAX ((UINT64_C(1) << 53) - 1)

/* Draw a seed for --seed. */
uint64_t cli_draw_seed(void);

/* The state of a terminal before c2c draws a screen. */
struct cli_terminal {
	int fd;
	struct termios modes;
	char exit_sequence[256]; /* codes that restore the screen */
	size_t bytes;
};

/*
 * Restore *terminal if a second signal, or SIGQUIT, terminates the program.
 * Keep *terminal until the call with NULL.
 */
void cli_set_saved_terminal(const struct cli_terminal *terminal);

/* Return a file name with %h and %% replaced, for free(), or NULL with *err. */
char *cli_output_name(const char *text, struct error *err);

#endif
