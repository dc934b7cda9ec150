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
	struct test_options options; /* but for device, cpus, stop, progress */
	bool repeat_given, discard_given;
	double limit_s, list_limit_s; /* of a test, of the list of devices */
	struct outputs outputs;
	bool json, child;
	const char *measuring; /* an option that list has no use for; NULL */
	int verbosity;
};

/*
 * Of the list of devices those that --device means, in its order: a new array
 * for json_decref(), with one at least. -ENODEV (ERROR_UNAVAILABLE) when there
 * is none of that kind, -EINVAL (ERROR_USAGE) none of that name or number.
 */
int cl_choose_devices(const json_t *devices, const char *wanted,
	json_t **chosen, struct error *err);

/*
 * Before anything is measured: that the tests take the options. What of all
 * tests some do not take is told in warnings, an array.
 */
int cl_check_plan(const struct cl_arguments *arguments, json_t *warnings,
	struct error *err);

bool cl_is_cpu(const json_t *device);

/* "device 1 (a name)", where there are several; a long name is cut. */
#define CL_NAME_BYTES 64
void cl_name_device(const json_t *device, char name[CL_NAME_BYTES]);

/* A device that was measured, and where its curves lie in the result. */
struct cl_part {
	const json_t *device;
	size_t first_curve, n_curves;
};

/* The devices as text on standard output. */
void cl_print_devices(const json_t *devices);

/* Of each device the curves, and below them what else was found out. */
int cl_print_result(const struct result *result, const struct cl_part *parts,
	size_t n_parts, struct error *err);

/* The test's own process: returns an enum exit_status. */
int cl_be_child(const struct cl_arguments *arguments);

#endif
