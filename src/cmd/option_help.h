/*
 * The help of a command: what it is for, examples, and its options, from the
 * rows of its tables.
 */
#ifndef C2C_OPTION_HELP_H
#define C2C_OPTION_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/option.h"

/* The group of --color, --quiet and --verbose; that of --help follows. */
#define OPTION_COMMON_GROUP 100

enum option_help_form {
	OPTION_HELP_ALL,  /* every option, by group */
	OPTION_HELP_ROWS, /* the same, an option a line, for programs */
	OPTION_HELP_MORE, /* what manuals say beyond the help */
	OPTION_HELP_SHORT /* examples, and the options that most people need */
};

/* Print the help; common are the n rows that every command has. */
void option_print_help(const struct option_command *command,
	const struct option_row *common, size_t n, enum option_help_form form);

/* Whether the first of names, with its value or without, is this. */
bool option_is_name(const char *names, const char *name);

/* Whether the help of the command has the option. */
bool option_is_in_help(
	const struct option_command *command, const struct option_row *row);

#endif
