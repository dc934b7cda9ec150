#include "commands.h"

#include <stddef.h>
#include <string.h>

/* The commands, in the order of the help text. */
#define COMMANDS(ROW)                                                          \
	ROW(cmd_report)                                                        \
	ROW(cmd_info)                                                          \
	ROW(cmd_latency)                                                       \
	ROW(cmd_watch)                                                         \
	ROW(cmd_memcpy)                                                        \
	ROW(cmd_queue)                                                         \
	ROW(cmd_cache)                                                         \
	ROW(cmd_contend)                                                       \
	ROW(cmd_states)                                                        \
	ROW(cmd_numa)                                                          \
	ROW(cmd_cl)                                                            \
	ROW(cmd_measure)                                                       \
	ROW(cmd_analyze)                                                       \
	ROW(cmd_compare)                                                       \
	ROW(cmd_try)                                                           \
	ROW(cmd_check)                                                         \
	ROW(cmd_export)                                                        \
	ROW(cmd_plot)

/* Each command is in its own file in cmd/. */
#define DECLARE(row) extern const struct command row;
COMMANDS(DECLARE)

#define ELEMENT(row) &(row),
const struct command *const commands[] = {COMMANDS(ELEMENT) NULL};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}
