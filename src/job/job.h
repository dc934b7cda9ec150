/*
 * c2c starts itself: for each run of --runs, because the host places idle vCPUs
 * anew for each process, for whatever an implementation of OpenCL may end or
 * hang, and for each part of c2c measure. The child does the work, and its
 * parent has the options, the limit and the files.
 *
 * A child has an argument --child, or --child-section. Its pipe has a line for
 * each step: the part that is done, and perhaps words, "0.2500 pass 3, pair 5
 * of 10". What it found out is in a file in memory, which outlives it.
 */
#ifndef C2C_JOB_H
#define C2C_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/record.h"
#include "result/result.h"
#include "util/child.h"
#include "util/error.h"

/* What of a child reaches the user from itself. */
enum job_voice {
	JOB_IS_SILENT,
	JOB_SPEAKS, /* on standard error */
	JOB_PRINTS, /* there, and its report on standard output */
};

struct job {
	/* But its file and files. on_line() has the lines above. */
	struct child child;
	const char *who; /* ends, in messages */
	enum job_voice voice;
};

/* What came of a child; job_outcome_release() frees it. */
struct job_outcome {
	struct child_end end;
	char *said;	     /* its last words, if it is silent; or NULL */
	struct record found; /* what else it found out, if anything */
	bool measured;	     /* there is a result, all or a part of it */
	struct result result;
};

/*
 * Run c2c with these arguments (argv[0] is its name), until it ends or the
 * limit is over. 0, or negative with the child's own error or how it ended:
 * -EINTR if the user stopped it, -ETIMEDOUT if it reached the limit, -ECHILD if
 * it ended without a report. Release *outcome after a failure too: it has what
 * the child found out by then.
 */
int job_run(
	const struct job *job, struct job_outcome *outcome, struct error *err);

void job_outcome_release(struct job_outcome *outcome);

/* The exit status of a child; of one that was ended that of a failure. */
int job_exit_status(const struct job_outcome *outcome);

/*
 * What a child without a result said, without "c2c COMMAND: ", or how it ended:
 * for free(), or NULL without memory.
 */
char *job_find_failure(
	const struct job_outcome *outcome, const struct error *err);

/*
 * --runs: make *merged, which has runs and nothing else, the record of them, of
 * as many as were asked for. Only the first has a topology in XML.
 */
int job_merge_runs(struct result *merged, uint64_t asked, struct error *err);

/* In the child: open the pipe. */
FILE *job_open_pipe(struct error *err);

/* In the child: tell how far it is. words may be NULL. */
void job_report_progress(FILE *pipe, double fraction, const char *words);

/* What a child found out. */
struct job_report {
	const struct error *why;     /* how it failed; NULL: it did not */
	const struct record *found;  /* or NULL */
	const struct result *result; /* or NULL */
	bool is_complete;	     /* or more may come */
};

/*
 * In the child: leave this for the parent, in place of what was left before.
 * Costs milliseconds, and wakes nobody. -EIO: it could not be kept.
 */
int job_store_report(const struct job_report *report, struct error *err);

/* In the child: whether it left anything. */
bool job_has_report(void);

#endif
