#include "commands.h"

#include <stddef.h>
#include <string.h>

extern const struct command cmd_analyze;
extern const struct command cmd_cl;
extern const struct command cmd_compare;
extern const struct command cmd_export;
extern const struct command cmd_info;
extern const struct command cmd_latency;
extern const struct command cmd_memcpy;
extern const struct command cmd_plot;
extern const struct command cmd_queue;

const struct command *const commands[] = {
	&cmd_info,
	&cmd_latency,
	&cmd_memcpy,
	&cmd_queue,
	&cmd_cl,
	&cmd_analyze,
	&cmd_compare,
	&cmd_export,
	&cmd_plot,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}
