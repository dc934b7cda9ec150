/*
 * The parts of c2c cl, shared by the files cl*.c only.
 */
#ifndef C2C_CMD_CL_H
#define C2C_CMD_CL_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/cl.h"
#include "cmd/outputs.h"
#include "machine/machine.h"
#include "result/record.h"
#include "result/result.h"

struct cl_arguments {
	const char *test; /* "list", "all" or a test's name */
	const char *device, *cpus_text;
	struct test_options options; /* but for device, cpus, stop, progress */
	uint64_t repeat, discard;    /* as typed */
	bool device_given, group_given, repeat_given, discard_given;
	bool limit_given;
	double limit_s, list_limit_s; /* of a test, of the list of devices */
	struct outputs outputs;
	bool json, child;
	int verbosity;
};

/* A device that is to be measured, and where its curves lie in the result. */
struct cl_part {
	struct facts device; /* borrowed */
	size_t first_curve, n_curves;
};

/*
 * Of the list of devices those that --device means, in its order: n new parts,
 * at least one, for free(). -ENODEV (ERROR_UNAVAILABLE) when there is none of
 * that kind, -EINVAL (ERROR_USAGE) none of that name or number.
 */
int cl_choose_devices(const struct record_list *devices, const char *wanted,
	struct cl_part **parts, size_t *n, struct error *err);

/*
 * Before anything is measured: that the tests take the options. What of all
 * tests some do not take is told as a warning of the run.
 */
int cl_check_plan(const struct cl_arguments *arguments, struct run_facts *run,
	struct error *err);

bool cl_is_cpu(const struct facts *device);

/* "device 1 (a name)", where there are several; a long name is cut. */
#define CL_NAME_BYTES 64
void cl_name_device(const struct facts *device, char name[CL_NAME_BYTES]);

/* The devices as text on standard output. */
void cl_print_devices(const struct record_list *devices);

/* Of each device the curves, and below them what else was found out. */
int cl_print_result(const struct result *result, const struct cl_part *parts,
	size_t n_parts, struct error *err);

/* The test's own process: returns an enum exit_status. */
int cl_be_child(const struct cl_arguments *arguments);

#endif
