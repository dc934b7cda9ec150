/*
 * The parts of c2c cl, shared by the files cl*.c only.
 */
#ifndef C2C_CMD_CL_H
#define C2C_CMD_CL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cl/cl.h"
#include "cmd/outputs.h"
#include "machine/machine.h"
#include "result/result.h"

struct cl_arguments {
	const char *test; /* "list", "all" or a test's name */
	const char *device, *cpus_text;
	struct cl_options options; /* but for device, cpus, stop, progress */
	bool repeat_given, discard_given;
	double limit_s;
	struct outputs outputs;
	bool json, child;
	int verbosity;
};

/* The devices as text on standard output. */
void cl_print_devices(const json_t *devices);

/* The curves, and below them what else was found out. */
int cl_print_result(const struct result *result, struct error *err);

/* The test's own process: returns an enum exit_status. */
int cl_be_child(const struct cl_arguments *arguments);

#endif
