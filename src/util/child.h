/*
 * Run a program or a function in its own process under a time limit, read its
 * output, and leave no process behind.
 *
 * The child leads a process group, and the whole group ends with it. A signal
 * from the terminal reaches only c2c, which decides about the child. If c2c
 * ends first, for any reason, the kernel kills the child, and a keeper process
 * kills the processes that a program started. Processes of a function ask the
 * kernel for that (PR_SET_PDEATHSIG). A program does not ignore SIGPIPE and
 * SIGXFSZ, which c2c ignores. One thread calls child_run() at a time.
 */
#ifndef C2C_CHILD_H
#define C2C_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Values of child_file.fd besides a file that is open here. */
#define CHILD_PIPE (-1) /* pipe to text, on_output() or on_line() */
#define CHILD_NULL (-2) /* /dev/null */

struct child_file {
	int fd; /* open here, or CHILD_PIPE or CHILD_NULL */
	int number;
};

struct child {
	char *const *argv;
	const char *file; /* program; NULL: argv[0], searched in PATH */
	/* Called in the child instead of a program; or NULL. */
	void (*function)(void *context);
	/* Called in the child before its program: 0 or an errno; or NULL. */
	int (*before)(void *context);
	/* [n_files]; the child's files may overwrite an fd below 10. */
	const struct child_file *files;
	size_t n_files;
	const char *folder; /* remove it if c2c ends first; or NULL */
	/*
	 * At the limit, or when *stop is set, the child gets SIGTERM, and
	 * grace_s later the group gets SIGKILL; immediately if grace_s is 0. A
	 * child that closes the pipe also has grace_s to end, unless it is 0.
	 */
	double limit_s, grace_s;
	const atomic_bool *stop; /* or NULL */
	char *text; /* gets the first bytes from the pipe, and a NUL; or NULL */
	size_t text_bytes;
	/*
	 * Without text: gets bytes from the pipe. If it returns false, the
	 * child is stopped, unless grace_s is 0.
	 */
	bool (*on_output)(void *context, const char *bytes, size_t n);
	/* Without text and on_output(): gets each line, which may be cut. */
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
	 * Also end processes that left the group, if the kernel lists children
	 * (CONFIG_PROC_CHILDREN). From then on c2c adopts all orphans.
	 */
	bool adopts;
	void *context;
};

struct child_end {
	int status;	/* as from waitpid() */
	bool timed_out; /* the limit ended it */
	bool stopped;
	bool remains; /* it outlived SIGKILL, or c2c may not send that */
	bool left;    /* it ended, and left processes behind */
	double elapsed_s;
	double run_s;	   /* until the process ended; NaN: it remains */
	double cpu_s;	   /* CPU time, with that of processes it waited for */
	size_t peak_bytes; /* peak memory: at least that of c2c */
};

/* Run a child to its end: 0, or a positive errno if it does not start. */
int child_run(const struct child *child, struct child_end *end);

/*
 * Append the children that a thread has started or adopted to pids[most], which
 * has n. Return how many it has then; n if the kernel lists no children.
 */
size_t child_add_pids(pid_t pid, pid_t tid, pid_t *pids, size_t n, size_t most);

/* Create a memory file, above the descriptors of a child; -1 with errno. */
int child_memory_file(const char *name);

/* Remove a folder with its contents. */
void child_remove_folder(const char *folder);

#endif
