/*
 * The commands of c2c. Each command is a struct command cmd_NAME in its file in
 * cmd/, and has a row in commands.c.
 */
#ifndef C2C_COMMANDS_H
#define C2C_COMMANDS_H

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_DOES_NOT_HOLD = 3, /* finished, but a check does not hold */
	STATUS_UNDECIDED = 4,	  /* finished, but without an answer */
	STATUS_UNAVAILABLE = 77,  /* this machine lacks what was requested */
	STATUS_INTERRUPTED = 130,
};

struct command {
	const char *name;
	const char *summary; /* one line, no full stop */

	/*
	 * Parse argv, whose first element is "c2c NAME", run the command and
	 * print. Return an enum exit_status.
	 */
	int (*run)(int argc, char **argv);
};

/* All commands, in the order of the help text; NULL ends the list. */
extern const struct command *const commands[];

/* Return the command of that name, or NULL. */
const struct command *command_find(const char *name);

#endif
