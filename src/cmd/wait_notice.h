/*
 * Report what c2c waits for: opening or reading a FIFO waits for another
 * program, and a child that was stopped does not continue.
 */
#ifndef C2C_WAIT_NOTICE_H
#define C2C_WAIT_NOTICE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

struct wait_notice {
	const char *path; /* path of the FIFO, borrowed */
	bool writing;	  /* the waiting thread writes */
	bool is_running;  /* the thread runs */
	sem_t done;
	pthread_t thread;
};

/*
 * Between these two calls, if path is a FIFO and the wait is long, standard
 * error gets one message on it. A signal ends the wait as usual.
 */
void wait_notice_begin(
	struct wait_notice *waiting, const char *path, bool writing);
void wait_notice_end(struct wait_notice *waiting);

/* Report that a child of c2c is stopped; a hook of struct child. */
void wait_notice_on_stopped(void *context, pid_t pid);

/*
 * Report on a terminal that gnuplot takes long; the same hook. Elsewhere no
 * user waits.
 */
void wait_notice_on_gnuplot(void *context);

#endif
