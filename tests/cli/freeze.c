/*
 * Stop one thread of another process for a while, as nothing else can: SIGSTOP
 * stops them all. Usage: freeze TID SECONDS. Prints "frozen" once it is.
 * Exit status 77 where ptrace(2) is not permitted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#define NOT_PERMITTED 77

/* Reap the thread should it be ended: its process cannot end before. */
static void hold(pid_t tid, long seconds)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	for (long i = 0; i < 50 * seconds; i++) {
		int status;

		if (waitpid(tid, &status, __WALL | WNOHANG) == tid &&
			(WIFEXITED(status) || WIFSIGNALED(status)))
			return;
		nanosleep(&pause, NULL);
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

int main(int argc, char **argv)
{
	pid_t tid;

	if (argc != 3) {
		fputs("usage: freeze TID SECONDS\n", stderr);
		return 2;
	}
	tid = (pid_t)atol(argv[1]);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 ||
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0) {
		perror("freeze");
		return NOT_PERMITTED;
	}
	if (waitpid(tid, NULL, __WALL) != tid) {
		perror("freeze: waitpid");
		return 1;
	}
	puts("frozen");
	fflush(stdout);
	hold(tid, atol(argv[2]));
	return 0;
}
