/*
 * c2c cl in two processes: an implementation of OpenCL may end the process
 * that calls it, or never return. The child does all that calls OpenCL and
 * hands what came of it to its parent, which has the options, the limit and
 * the files. Shared by the files cl*.c only.
 */
#ifndef C2C_CMD_CL_CHILD_H
#define C2C_CMD_CL_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "result/record.h"
#include "result/result.h"
#include "util/error.h"

/* What a child has that is asked to end, before it is killed. */
#define CL_CHILD_GRACE_S 5.0

/* Where a child finds the pipe to its parent, and what keeps its result. */
#define CL_CHILD_FD	 3
#define CL_CHILD_KEPT_FD 4

/* What came of a child; cl_outcome_release() frees it. */
struct cl_outcome {
	struct record found; /* of a list: "devices", "warnings" */
	bool measured;	     /* result is there, all or a part of it */
	struct result result;
};

/* Who is told how far a child is. */
struct cl_watch {
	const atomic_bool *stop;
	double limit_s;
	const char *folder; /* that goes when c2c ends meanwhile; or NULL */
	void (*progress)(void *context, double fraction);
	void (*stopping)(void *context); /* it is asked to end; or NULL */
	void *context;
};

/*
 * Run this program with these arguments (argv[0] is its name, NULL ends them)
 * as a child, until it ends or the limit is over: it is asked to end then, and
 * killed some seconds later. 0, or negative with the child's own error or how
 * it ended: -EINTR when stopped, -ETIMEDOUT by the limit. Either way *outcome
 * has what came by then, and wants to be released.
 */
int cl_child_run(char *const argv[], const struct cl_watch *watch,
	struct cl_outcome *outcome, struct error *err);

void cl_outcome_release(struct cl_outcome *outcome);

/* In the child: prepare the pipe, and end when the parent does. */
FILE *cl_child_open(struct error *err);

/*
 * In the child: what it has measured so far, which its parent takes if nothing
 * comes later. Costs milliseconds, and wakes nobody. False when it could not be
 * kept: then the parent may find nothing.
 */
bool cl_child_keep(const struct result *result);

/* In the child, of these one: how far, then what came of it. */
void cl_child_progress(FILE *pipe, double fraction);
int cl_child_send_devices(FILE *pipe, const struct record *found);
int cl_child_send_error(FILE *pipe, const struct error *err);

/* why: what the test failed of, after a part of it; NULL: nothing. */
int cl_child_send_result(
	FILE *pipe, const struct result *result, const struct error *why);

#endif
