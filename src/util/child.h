/*
 * Run another program, or a function, in a process of its own under a time
 * limit, read what it writes, and leave nothing of it behind.
 *
 * The child leads a process group, and the whole group ends with it. A signal
 * from the terminal reaches only c2c, which decides about the child. If c2c
 * ends first, in any way, the kernel ends the child, and a keeper process ends
 * what a program started. Processes of a function ask the kernel for the same
 * (PR_SET_PDEATHSIG). One thread calls child_run() at a time.
 */
#ifndef C2C_CHILD_H
#define C2C_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a descriptor of the child may be beside a file that is open here. */
#define CHILD_PIPE (-1) /* leads to text, on_output() or on_line() */
#define CHILD_NULL (-2) /* /dev/null */

struct child_file {
	int fd; /* open here, or one of the above */
	int number;
};

struct child {
	char *const *argv;
	const char *file; /* to execute; NULL: argv[0], sought in PATH */
	/* Called in the child in place of a program, if not NULL. */
	void (*function)(void *context);
	/* [n_files]; fds from 10 on, since the child may overwrite others. */
	const struct child_file *files;
	size_t n_files;
	const char *folder; /* to remove if c2c ends first; or NULL */
	/*
	 * At the limit and once *stop is set, the child gets SIGTERM, and
	 * grace_s later the group gets SIGKILL; at once if that is 0. A child
	 * that closes the pipe also has grace_s to end, unless that is 0.
	 */
	double limit_s, grace_s;
	const atomic_bool *stop; /* or NULL */
	char *text;		 /* the first bytes from the pipe, and a NUL */
	size_t text_bytes;
	/*
	 * Without text: bytes from the pipe; false ends the child, if grace_s
	 * is not 0.
	 */
	bool (*on_output)(void *context, const char *bytes, size_t n);
	/* Without either: a line from the pipe, perhaps cut. */
	void (*on_line)(void *context, const char *line);
	void (*on_stop)(void *context); /* c2c asks it to end; or NULL */
	/* Somebody stopped the process (SIGSTOP), or NULL. */
	void (*on_halted)(void *context, pid_t pid);
	void (*on_slow)(void *context); /* told once after 0.7 s, or NULL */
	void *context;
};

struct child_end {
	int status;	/* as from waitpid() */
	bool timed_out; /* why c2c ended it; both false: it ended alone */
	bool stopped;
	bool remains; /* SIGKILL did not end it, or c2c may not send it */
	double elapsed_s;
	size_t peak_bytes; /* of its memory: no less than c2c had */
};

/* Run it to its end: 0, or a positive errno if it does not start. */
int child_run(const struct child *child, struct child_end *end);

/* A file in memory, above the descriptors of a child; -1 with errno. */
int child_memory_file(const char *name);

/* Remove a folder with its contents. */
void child_remove_folder(const char *folder);

#endif
