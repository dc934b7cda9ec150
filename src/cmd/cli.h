/*
 * What the commands have in common: how errors look, how they notice an
 * interrupt.
 */
#ifndef C2C_CMD_CLI_H
#define C2C_CMD_CLI_H

#include <stdatomic.h>
#include <stdbool.h>

#include "machine/machine.h"
#include "util/error.h"

/* Print "c2c COMMAND: text" on standard error; returns the exit status. */
int cli_fail(const char *command, const struct error *err);

/* Print "c2c COMMAND: warning: text" on standard error. */
void cli_warn(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * One line for all that c2c info would warn of: of each the part before its
 * explanation, so that nobody takes a figure of a disturbed machine for one of
 * its hardware.
 */
void cli_warn_of_machine(
	const char *command, const struct machine_facts *facts);

/*
 * Print text on standard output, broken between words at 80 columns: the first
 * line from column first on, where the cursor stands, the others from rest on.
 */
void cli_print_wrapped(const char *text, int first, int rest);

/*
 * From here on the first SIGINT, SIGTERM or SIGHUP sets the flag that is
 * returned, and the run ends in order. A second one has its default action: it
 * ends the program. Signals that are ignored stay ignored. SIGPIPE is ignored
 * too: writing then fails with EPIPE.
 */
const atomic_bool *cli_catch_signals(void);

/* Whether the first signal came. */
bool cli_was_asked(void);

/*
 * The name of a file to write: text with %h as the host's name and %% as a per
 * cent sign. For free(), or NULL with *err.
 */
char *cli_output_name(const char *text, struct error *err);

#endif
