/*
 * The commands of c2c: one file in cmd/ and one row of the table each.
 */
#ifndef C2C_COMMANDS_H
#define C2C_COMMANDS_H

enum exit_status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_DOES_NOT_HOLD = 3, /* finished, but what was asked is not so */
	STATUS_UNDECIDED = 4,	  /* finished, but nobody can tell */
	STATUS_UNAVAILABLE = 77,  /* this machine lacks what was asked for */
	STATUS_INTERRUPTED = 130,
};

struct command {
	const char *name;
	const char *summary; /* one line, no full stop */

	/*
	 * Parse argv, whose first element is "c2c NAME", do it and print.
	 * Returns an enum exit_status.
	 */
	int (*run)(int argc, char **argv);
};

/* Each is in its own file. */
extern const struct command cmd_analyze;
extern const struct command cmd_cl;
extern const struct command cmd_compare;
extern const struct command cmd_contend;
extern const struct command cmd_numa;
extern const struct command cmd_export;
extern const struct command cmd_info;
extern const struct command cmd_latency;
extern const struct command cmd_watch;
extern const struct command cmd_memcpy;
extern const struct command cmd_plot;
extern const struct command cmd_queue;
extern const struct command cmd_cache;

/* Every command, in the order of the help text; NULL ends it. */
extern const struct command *const commands[];

/* The command of that name, or NULL. */
const struct command *command_find(const char *name);

#endif
