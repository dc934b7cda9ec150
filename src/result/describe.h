/* The objects "machine" and "tool" of a result, and the JSON of c2c info. */
#ifndef C2C_DESCRIBE_H
#define C2C_DESCRIBE_H

#include <stdio.h>

#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/result.h"

extern const struct record_type info_type;

/* Return the facts version, compiler and cflags. */
struct facts describe_tool(void);

/* Return the version of jansson, static. */
const char *describe_jansson_version(void);

/*
 * Initialise a result: the current time, command, CPUs, tool, machine and
 * topology. The result is complete.
 */
int describe_result(struct result *result, const char *command,
	const struct cpu_list *cpus, const struct machine *machine,
	const struct timebase *timebase, struct error *err);

/*
 * Return the JSON of c2c info, or NULL if out of memory. The caller frees the
 * text. timebase may be NULL.
 */
char *describe_text(
	const struct machine *machine, const struct timebase *timebase);

#endif
