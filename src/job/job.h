/*
 * Run c2c in a child process. Three features use child processes: --runs,
 * because the host may move idle vCPUs between processes; OpenCL, whose
 * implementations may crash or hang; and c2c measure. The child does the work;
 * its parent handles the options, the time limit and the files.
 *
 * The child has an argument --child or --child-section. For each step, the
 * child writes a line to its pipe: the completed share, and optionally a text:
 * "0.2500 pass 3, pair 5 of 10". The report is a file in memory, which exists
 * after the child has ended.
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

/* Where the child may print for the user. */
enum job_voice {
	JOB_IS_SILENT,
	JOB_SPEAKS, /* on standard error */
	JOB_PRINTS,
};

struct job {
	/* job_run() sets file and files; on_line() gets the progress lines. */
	struct child child;
	const char *who; /* name of the child in messages */
	enum job_voice voice;
};

/* The outcome of a child, for job_outcome_release(). */
struct job_outcome {
	struct child_end end;
	char *said; /* last output, unless printed, or NULL */
	struct record found;
	bool measured; /* result is set */
	struct result result;
};

/*
 * Run c2c with these arguments (argv[0] is its name) until it ends or reaches
 * the limit. Return 0, or a negative errno with the child's own error or the
 * cause of its end: -EINTR if the user stopped it, -ETIMEDOUT if it reached the
 * limit, -ECHILD if it ended without a report. Release *outcome even after a
 * failure, because it has earlier reports of the child.
 */
int job_run(
	const struct job *job, struct job_outcome *outcome, struct error *err);

void job_outcome_release(struct job_outcome *outcome);

/* Return the exit status of a child; ERROR_FAILURE if a signal ended it. */
int job_exit_status(const struct job_outcome *outcome);

/*
 * Return, for free(), the last message of a child without a result, without
 * "c2c COMMAND: ", or if there is none, how the child ended; NULL without
 * memory.
 */
char *job_find_failure(
	const struct job_outcome *outcome, const struct error *err);

/*
 * For --runs: complete *merged, which has only its runs, to their common
 * record. `asked` is the requested number of runs. Only the first run has a
 * topology in XML.
 */
int job_merge_runs(struct result *merged, uint64_t asked, struct error *err);

/* In the child: open the pipe. */
FILE *job_open_pipe(struct error *err);

/* In the child: report the progress. words may be NULL. */
void job_report_progress(FILE *pipe, double fraction, const char *words);

/* The report of a child to its parent. */
struct job_report {
	const struct error *why;     /* error; NULL: none */
	const struct record *found;  /* or NULL */
	const struct result *result; /* or NULL */
	bool is_complete;	     /* false: partial */
};

/*
 * In the child: replace the report for the parent. Takes milliseconds, and
 * wakes no process. Return -EIO if the report could not be stored.
 */
int job_store_report(const struct job_report *report, struct error *err);

/* In the child: return whether the child has stored a report. */
bool job_has_report(void);

#endif
