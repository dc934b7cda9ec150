/*
 * The CPU and the CPU time of each thread of a process and its descendants, as
 * the kernel reports them (proc(5)).
 */
#ifndef C2C_PROCESS_THREADS_H
#define C2C_PROCESS_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process_thread {
	pid_t tid;
	bool runs;
	unsigned cpu; /* CPU that it last ran on */
	double run_s; /* CPU time */
};

/*
 * Fill threads[most], and return the number of threads, 0 if the process has
 * ended. Threads that begin or end meanwhile may be missing.
 */
size_t process_threads_read(
	pid_t pid, struct process_thread *threads, size_t most);

#endif
