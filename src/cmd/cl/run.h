/*
 * A run of c2c cl, between its options and its output: shared by the files
 * cl*.c only.
 */
#ifndef C2C_CMD_CL_RUN_H
#define C2C_CMD_CL_RUN_H

#include <stdatomic.h>

#include "cmd/cl/cl.h"
#include "machine/timebase.h"

struct cl_state {
	const struct cl_arguments *arguments;
	struct machine *machine;
	struct timebase timebase;
	struct cpu_list cpus;
	char *cpus_text;
	char folder[4096];	    /* of kernels; empty: not made */
	struct record found;	    /* the devices */
	struct record set;	    /* the environment */
	size_t n_told;		    /* warnings on standard error */
	struct cl_part *parts;	    /* [n_chosen], those of --device */
	size_t n_chosen, n_parts;   /* n_parts: begun */
	const struct facts *device; /* that is measured; borrowed */
	struct result result;
	const atomic_bool *stop;
	const struct test *test; /* that runs, or ran */
	double test_s;		 /* its process, from start to end */
	bool show_progress, interrupted;
};

/* Whether more than one device is measured. */
bool cl_has_several(const struct cl_state *state);

/* The whole result, before there are curves in it. */
int cl_record_begin(struct cl_state *state, struct error *err);

/*
 * What came of a test: its curves and what it recorded move from one result
 * into the whole one. NULL: nothing came. why: what it ended with; NULL: well.
 * ECANCELED says that it was not begun.
 */
int cl_record_test(struct cl_state *state, const struct test *test,
	struct result *from, const struct error *why, struct error *err);

/* Of all curves the points that have a figure. */
size_t cl_count_points(const struct result *result);

/*
 * All tests are over: whether it is complete, and what was measured, for
 * whoever draws it, run.device and run.platform. Where there are several, each
 * curve tells.
 */
void cl_record_end(struct cl_state *state, double elapsed_s);

/* On standard error the warnings that came since the last time. */
void cl_tell_warnings(struct cl_state *state);

/* Which test, and of several devices which, in front of a message. */
void cl_prefix(const struct cl_state *state, const struct facts *device,
	const char *test, struct error *err);

/*
 * All tests are over: tell, save and print what came of them. status: the worst
 * so far. Returns an enum exit_status.
 */
int cl_finish(struct cl_state *state, int status);

#endif
