/*
 * The machine, the clock and the tool as the blocks "machine" and "tool" of a
 * result, and all that c2c info tells.
 */
#ifndef C2C_RESULT_DESCRIBE_H
#define C2C_RESULT_DESCRIBE_H

#include <stdio.h>

#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/result.h"

/* version, compiler, cflags */
struct facts describe_tool(void);

/* The design's block "machine", unknown where a fact cannot be known. */
struct facts describe_machine(
	const struct machine *machine, const struct timebase *timebase);

/*
 * Begin a result: command and CPUs, when it started, which is now, the blocks
 * tool and machine, and the topology. Complete, until somebody knows better.
 */
int describe_result(struct result *result, const char *command,
	const struct cpu_list *cpus, const struct machine *machine,
	const struct timebase *timebase, struct error *err);

/* The report of c2c info as JSON. */
int describe_print(const struct machine *machine,
	const struct timebase *timebase, FILE *out, struct error *err);

#endif
