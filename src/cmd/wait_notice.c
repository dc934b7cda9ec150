#include "cmd/wait_notice.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Do not report shorter waits. */
#define QUIET_NS 500000000

static void *wait_notice_thread(void *context)
{
	struct wait_notice *waiting = context;
	struct timespec until;
	int rc;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += QUIET_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	do
		rc = sem_timedwait(&waiting->done, &until);
	while (rc != 0 && errno == EINTR);
	if (rc != 0)
		fprintf(stderr,
			"c2c: waiting for a program that %s the FIFO '%s'\n",
			waiting->writing ? "reads" : "writes to",
			waiting->path);
	return NULL;
}

void wait_notice_begin(
	struct wait_notice *waiting, const char *path, bool writing)
{
	sigset_t all, before;
	struct stat status;

	*waiting = (struct wait_notice){.path = path, .writing = writing};
	if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode) ||
		sem_init(&waiting->done, 0, 0) != 0)
		return;
	/* Block signals here, so that the waiting thread gets them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	waiting->is_running = pthread_create(&waiting->thread, NULL,
				      wait_notice_thread, waiting) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wait_notice_end(struct wait_notice *waiting)
{
	if (!waiting->is_running)
		return;
	sem_post(&waiting->done);
	pthread_join(waiting->thread, NULL);
	sem_destroy(&waiting->done);
}

void wait_notice_on_stopped(void *context, pid_t pid)
{
	(void)context;
	fprintf(stderr,
		"c2c: waiting for process %ld, which is stopped: kill -CONT "
		"%ld continues it\n",
		(long)pid, (long)pid);
}

void wait_notice_on_gnuplot(void *context)
{
	(void)context;
	if (isatty(STDERR_FILENO))
		fputs("c2c: waiting for gnuplot\n", stderr);
}
