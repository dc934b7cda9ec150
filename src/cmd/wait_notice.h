/*
 * Says what c2c waits for: opening a FIFO, and reading one, lasts until another
 * program is there, and a child that somebody stopped does not go on.
 */
#ifndef C2C_WAIT_NOTICE_H
#define C2C_WAIT_NOTICE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

struct wait_notice {
	const char *path; /* borrowed */
	bool writing;	  /* what waits writes */
	bool is_running;  /* the thread runs */
	sem_t done;
	pthread_t thread;
};

/*
 * Between both, if path is a FIFO, standard error says once what is waited for
 * when that takes long. A signal ends the wait as it does without.
 */
void wait_notice_begin(
	struct wait_notice *waiting, const char *path, bool writing);
void wait_notice_end(struct wait_notice *waiting);

/* Say that a child of c2c is stopped, as a hook of struct child. */
void wait_notice_on_stopped(void *context, pid_t pid);

/*
 * Say on a terminal that gnuplot takes long, as the same hook. Elsewhere nobody
 * waits.
 */
void wait_notice_on_gnuplot(void *context);

#endif
