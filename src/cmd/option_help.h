/*
 * Print the help of a command from the rows of its tables: its purpose,
 * examples, and options.
 */
#ifndef C2C_OPTION_HELP_H
#define C2C_OPTION_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/option.h"

/* The group of --color, --quiet and --verbose; --help is in the next group. */
#define OPTION_COMMON_GROUP 100

enum option_help_form {
	OPTION_HELP_ALL,  /* every option, by group */
	OPTION_HELP_ROWS, /* every option on one line, for programs */
	OPTION_HELP_MORE, /* text that only the manuals have */
	OPTION_HELP_SHORT /* examples and the most important options */
};

/* Print the help. common[n] are the rows of every command. */
void option_print_help(const struct option_command *command,
	const struct option_row *common, size_t n, enum option_help_form form);

/* Return whether the first word of names, without "=VALUE", is name. */
bool option_is_name(const char *names, const char *name);

/* Return whether the help of the command has the option. */
bool option_is_in_help(
	const struct option_command *command, const struct option_row *row);

#endif
