/*
 * Report long waits of c2c: for another program at a FIFO, for a stopped child
 * process, and for gnuplot.
 */
#ifndef C2C_WAIT_NOTICE_H
#define C2C_WAIT_NOTICE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

struct wait_notice {
	const char *path; /* path of the FIFO, borrowed */
	bool writing;	  /* c2c writes to the FIFO */
	bool is_running;  /* the thread runs */
	sem_t done;
	pthread_t thread;
};

/*
 * If path is a FIFO and the time between these two calls is long, print a
 * message on standard error. A signal ends the wait as usual.
 */
void wait_notice_begin(
	struct wait_notice *waiting, const char *path, bool writing);
void wait_notice_end(struct wait_notice *waiting);

/* Report that a child process is stopped; a hook of struct child. */
void wait_notice_on_stopped(void *context, pid_t pid);

/*
 * Report on a terminal that gnuplot takes long; a hook of struct plot_options.
 */
void wait_notice_on_gnuplot(void *context);

#endif
