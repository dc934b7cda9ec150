/*
 * What the commands have in common: how errors look, how they notice an
 * interrupt.
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
 * Print "c2c COMMAND: text" on standard error; returns the exit status. On a
 * terminal long messages are wrapped between words.
 */
int cli_fail(const char *command, const struct error *err);

/*
 * The same of a failed print on standard output: what is said here is not said
 * again at exit.
 */
int cli_fail_output(const char *command, struct error *err);

/* Print "c2c COMMAND: text" on standard error, wrapped likewise. */
void cli_notify(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print "c2c COMMAND: warning: text" on standard error. */
void cli_warn(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Warn in one line of all that c2c info warns of, without the explanations. */
void cli_warn_of_machine(
	const char *command, const struct machine_facts *facts);

/*
 * Draw the progress on standard error; see util/progress.h.
 */
void cli_draw_progress(double fraction, const char *text);

/*
 * This process is part `at` of n of c2c measure, from 1: progress is that of
 * them all, and what is said is kept. command is borrowed.
 */
void cli_begin_section(const char *command, size_t at, size_t n);

/* In such a process: the last message that is no warning. Borrowed. */
const char *cli_last_words(void);

/*
 * The columns of a stream: 80, since longer lines are hard to read, or those of
 * a terminal that has fewer.
 */
int cli_columns(FILE *out);

/*
 * Print text, made safe, wrapped at 80 columns, or at the edge of a terminal
 * that has fewer. The first line begins at column first, where the cursor is,
 * the others at column rest.
 */
void cli_wrap(FILE *out, const char *text, int first, int rest);

/*
 * Print the lines that print() writes on standard output, where they wrap at
 * the edge of a terminal. Each ends in a newline.
 */
int cli_print_lines(void (*print)(FILE *out, const void *context),
	const void *context, struct error *err);

/*
 * From here on the first SIGINT, SIGTERM or SIGHUP sets the returned flag, and
 * the run ends in order. A second one has its default action and ends the
 * program. Ignored signals stay ignored, and so is SIGPIPE: writing fails with
 * EPIPE.
 */
const atomic_bool *cli_catch_signals(void);

/* Whether the first signal came. */
bool cli_stop_was_requested(void);

/* JSON readers that keep numbers as doubles lose digits above it. */
#define CLI_SEED_MAX ((UINT64_C(1) << 53) - 1)

/* Draw a seed for --seed. */
uint64_t cli_draw_seed(void);

/* How a terminal was before a program drew on all of it. */
struct cli_terminal {
	int fd;
	struct termios modes;
	char exit_sequence[256]; /* to be written: the old screen, the cursor */
	size_t bytes;
};

/*
 * A second signal, or SIGQUIT, makes the terminal as it was before it ends the
 * program; NULL to leave it alone again. *terminal is read until then.
 */
void cli_set_saved_terminal(const struct cli_terminal *terminal);

/* A file name with %h and %% replaced: for free(), or NULL with *err. */
char *cli_output_name(const char *text, struct error *err);

#endif
