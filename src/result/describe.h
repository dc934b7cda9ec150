/*
 * The machine, the clock and the tool itself as the JSON blocks "machine" and
 * "tool" of a result. Every function returns a new reference for
 * json_decref(), or NULL without memory.
 */
#ifndef C2C_RESULT_DESCRIBE_H
#define C2C_RESULT_DESCRIBE_H

#include <jansson.h>

#include "machine/machine.h"
#include "machine/timebase.h"

/* {version, compiler, cflags} */
json_t *describe_tool(void);

/* The design's "machine" object, null where a fact cannot be known. */
json_t *describe_machine(
	const struct machine *machine, const struct timebase *timebase);

#endif
