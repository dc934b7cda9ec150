/*
 * Runs a program or a function in its own process under a time limit, reads its
 * output, and leaves no process behind.
 *
 * The child leads a process group, and the whole group ends with it. A signal
 * from the terminal reaches only c2c, which decides about the child. If c2c
 * ends first, the kernel kills the child, and a keeper process kills the
 * processes that a program started. Processes of a function ask the kernel for
 * a signal (PR_SET_PDEATHSIG). c2c ignores SIGPIPE and SIGXFSZ, but its
 * programs do not. Only one thread at a time may call child_run().
 */
#ifndef C2C_CHILD_H
#define C2C_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Values of child_file.fd instead of an open file. */
#define CHILD_PIPE (-1) /* pipe to c2c */
#define CHILD_NULL (-2) /* /dev/null */

struct child_file {
	int fd; /* descriptor in c2c, CHILD_PIPE or CHILD_NULL */
	int number;
};

struct child {
	char *const *argv;
	const char *file; /* program; NULL: argv[0], searched in PATH */
	/* Called in the child instead of a program; or NULL. */
	void (*function)(void *context);
	/* Called in the child before its program, returns an errno; or NULL. */
	int (*before)(void *context);
	/* [n_files] may replace any descriptor below 10 in the child. */
	const struct child_file *files;
	size_t n_files;
	const char *folder; /* folder to remove if c2c ends first; or NULL */
	/*
	 * At the limit, or when *stop is set, the child gets SIGTERM, and
	 * grace_s later the group gets SIGKILL. If grace_s is 0, the group gets
	 * SIGKILL at once. A child that closes the pipe also has grace_s to
	 * end, unless grace_s is 0.
	 */
	double limit_s, grace_s;
	const atomic_bool *stop; /* or NULL */
	char *text; /* for the first bytes of the pipe and a NUL; or NULL */
	size_t text_bytes;
	/*
	 * If text is NULL: gets bytes from the pipe, and returns whether the
	 * child may continue. The child always continues if grace_s is 0.
	 */
	bool (*on_output)(void *context, const char *bytes, size_t n);
	/* Gets each line, perhaps cut, if text and on_output() are NULL. */
	void (*on_line)(void *context, const char *line);
	/* Called when c2c asks the child to end; or NULL. */
	void (*on_stop)(void *context);
	/* Called when a signal stopped the process (SIGSTOP); or NULL. */
	void (*on_halted)(void *context, pid_t pid);
	void (*on_slow)(void *context); /* called once after 0.7 s; or NULL */
	/* Called every look_ms (0: 20) while the process runs; or NULL. */
	void (*on_look)(void *context, pid_t pid);
	int look_ms;
	/*
	 * Also kill processes that left the group, if the kernel lists children
	 * (CONFIG_PROC_CHILDREN). For this, c2c adopts all orphans from now on.
	 */
	bool adopts;
	void *context;
};

struct child_end {
	int status;	/* as from waitpid() */
	bool timed_out; /* the time limit ended the child */
	bool stopped;
	bool remains; /* SIGKILL failed or is forbidden */
	bool left;    /* ended, but processes remain */
	double elapsed_s;
	double run_s;	   /* time until the process ended; NaN: remains */
	double cpu_s;	   /* CPU time of the child and its reaped children */
	size_t peak_bytes; /* peak memory, at least the memory of c2c */
};

/* Run a child to its end. Return 0, or a positive errno if the start fails. */
int child_run(const struct child *child, struct child_end *end);

/*
 * Append the children that a thread has started or adopted to pids[n], which
 * has room for `most`. Return the new length, or n if the kernel lists no
 * children.
 */
size_t child_add_pids(pid_t pid, pid_t tid, pid_t *pids, size_t n, size_t most);

/* Create a memory file above the descriptors of a child; -1: see errno. */
int child_memory_file(const char *name);

/* Remove a folder with its contents. */
void child_remove_folder(const char *folder);

#endif
