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

struct waiting {
	const char *path; /* borrowed */
	bool writing;	  /* what waits writes */
	bool on;	  /* the thread runs */
	sem_t over;
	pthread_t thread;
};

/*
 * Between both, if path is a FIFO, standard error says once what is waited for
 * when that takes long. A signal ends the wait as it does without.
 */
void waiting_begin(struct waiting *waiting, const char *path, bool writing);
void waiting_end(struct waiting *waiting);

/* Say that a child of c2c is stopped, as a hook of struct child. */
void waiting_for_stopped(void *context, pid_t pid);

/*
 * Say on a terminal that gnuplot takes long, as the same hook. Elsewhere nobody
 * waits.
 */
void waiting_for_gnuplot(void *context);

#endif
