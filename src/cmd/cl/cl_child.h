/*
 * c2c cl in two processes: an implementation of OpenCL may end the process that
 * calls it, or never return. The child does all that calls OpenCL. Its parent
 * has the options, the limit and the files. Shared by the files of cmd/cl only.
 */
#ifndef C2C_CL_CHILD_H
#define C2C_CL_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "result/record.h"
#include "result/result.h"
#include "util/error.h"

/* A child that is asked to end has this long before it is killed. */
#define CL_CHILD_GRACE_S 5.0

/* A child's pipe for its progress, and the file for what it found out. */
#define CL_CHILD_FD	    3
#define CL_CHILD_OUTCOME_FD 4

/* What came of a child; cl_outcome_release() frees it. */
struct cl_outcome {
	struct record found; /* of a list: "devices", "warnings" */
	bool measured;	     /* there is a result, all or a part of it */
	struct result result;
};

/* Who is told how far a child is. */
struct cl_child_hooks {
	const atomic_bool *stop;
	double limit_s;
	const char *folder; /* to remove if c2c ends meanwhile; or NULL */
	void (*progress)(void *context, double fraction); /* or NULL */
	void (*on_stop)(void *context); /* it is asked to end; or NULL */
	void *context;
};

/*
 * Run this program with these arguments (argv[0] is its name, NULL ends them)
 * as a child, until it ends or the limit is over: c2c then asks it to end, and
 * kills it some seconds later. 0, or negative with the child's own error or how
 * it ended: -EINTR if stopped, -ETIMEDOUT by the limit. In any case release
 * *outcome, which has what the child found out by then.
 */
int cl_child_run(char *const argv[], const struct cl_child_hooks *hooks,
	struct cl_outcome *outcome, struct error *err);

void cl_outcome_release(struct cl_outcome *outcome);

/* In the child: open the pipe, and end when the parent does. */
FILE *cl_child_open(struct error *err);

/* In the child: tell how far it is. */
void cl_child_progress(FILE *pipe, double fraction);

/* What a child found out. */
struct cl_child_report {
	const struct error *why;      /* how it failed; NULL: it did not */
	const struct record *devices; /* of a list; or NULL */
	const struct result *result;  /* of a test; or NULL */
	bool is_complete;	      /* or more may come */
};

/*
 * In the child: leave this for the parent, in place of what was left before.
 * Costs milliseconds, and wakes nobody. -EIO: it could not be kept.
 */
int cl_child_store_report(const struct cl_child_report *report);

#endif
