/*
 * The threads of a process and of its descendants: where each one is, and how
 * long it has run, as the kernel reports it (proc(5)).
 */
#ifndef C2C_PROCESS_THREADS_H
#define C2C_PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_thread {
	pid_t tid;
	bool runs;    /* it runs, or waits for its CPU */
	unsigned cpu; /* where it runs or ran last */
	double run_s; /* CPU time since it began */
};

/*
 * Fill threads[most], and return how many there are: at most `most`, 0 if the
 * process has ended. Threads that begin or end meanwhile may be missing.
 */
size_t process_threads_read(
	pid_t pid, struct process_thread *threads, size_t most);

#endif
