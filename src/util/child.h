/*
 * Other programs: run one under a time limit, take what it tells, and leave
 * nothing of it behind.
 *
 * The child leads a process group, which ends as a whole: what it started too.
 * A signal from the terminal reaches only c2c, which decides what becomes of
 * the child. Should c2c end first, however it ends, a keeper process ends the
 * group. One thread calls child_run() at a time.
 */
#ifndef C2C_UTIL_CHILD_H
#define C2C_UTIL_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a child has under a number beside files that are open here. */
#define CHILD_PIPE (-1) /* what goes to hear() */
#define CHILD_NULL (-2) /* /dev/null */

struct child_file {
	int fd; /* open here, or one of the above */
	int number;
};

struct child {
	char *const *argv;
	const char *file; /* to execute; NULL: argv[0], sought in PATH */
	/* [n_files]; fds of 10 and more: others may be overwritten. */
	const struct child_file *files;
	size_t n_files;
	const char *folder; /* goes when c2c ends meanwhile; or NULL */
	/*
	 * At the limit and once *stop is set, the child gets SIGTERM, and the
	 * group SIGKILL grace_s later; at once where that is 0. A child that
	 * has closed the pipe has grace_s to end as well, unless that is 0.
	 */
	double limit_s, grace_s;
	const atomic_bool *stop; /* or NULL */
	/* Bytes from the pipe; false ends the child. */
	bool (*hear)(void *context, const char *bytes, size_t n);
	void (*stopping)(void *context); /* it was asked to end; or NULL */
	void *context;
};

struct child_end {
	int status;	/* as of waitpid() */
	bool timed_out; /* why it was ended; both false: it was not */
	bool stopped;
};

/* Run it to its end: 0, or a positive errno when it could not be started. */
int child_run(const struct child *child, struct child_end *end);

/* A file in memory with a number that no child has: -1 with errno. */
int child_memory_file(const char *name);

/* Remove a folder with all that is in it. */
void child_remove_folder(const char *folder);

#endif
