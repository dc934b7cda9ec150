/* --resume: load the record of an interrupted run, and check its machine. */
#ifndef C2C_RESUME_RECORD_H
#define C2C_RESUME_RECORD_H

#include "cmd/outputs.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "result/result.h"
#include "util/error.h"

/*
 * Load the record of an interrupted run of a command into *resumed. The outputs
 * may replace it, but not other sections of its file. Messages begin with
 * --resume.
 */
int resume_load(struct result *resumed, const char *path, const char *command,
	const struct outputs *outputs, struct error *err);

/*
 * Check that a record is from this machine: where both sides know the host, the
 * model and the clock, these are equal. -EINVAL: ERROR_USAGE.
 */
int resume_check_machine(const struct result *resumed,
	const struct machine *machine, const struct timebase *timebase,
	struct error *err);

#endif
