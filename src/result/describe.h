/*
 * The blocks "machine" and "tool" of a result, and the report of c2c info.
 */
#ifndef C2C_DESCRIBE_H
#define C2C_DESCRIBE_H

#include <stdio.h>

#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/result.h"

/* The format of the report of c2c info. */
extern const struct record_type info_type;

/* Return version, compiler and cflags. */
struct facts describe_tool(void);

/* Return the version of jansson, which reads and writes JSON. Static. */
const char *describe_jansson_version(void);

/*
 * Begin a complete result with the current time: command, CPUs, the blocks
 * "tool" and "machine", and the topology.
 */
int describe_result(struct result *result, const char *command,
	const struct cpu_list *cpus, const struct machine *machine,
	const struct timebase *timebase, struct error *err);

/*
 * Return the report of c2c info as JSON, for free(); NULL without memory. A
 * NULL timebase is unknown.
 */
char *describe_text(
	const struct machine *machine, const struct timebase *timebase);

#endif
