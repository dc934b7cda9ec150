#include "commands.h"

#include <stddef.h>
#include <string.h>

const struct command *const commands[] = {
	&cmd_info,
	&cmd_latency,
	&cmd_watch,
	&cmd_memcpy,
	&cmd_queue,
	&cmd_cache,
	&cmd_contend,
	&cmd_numa,
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
