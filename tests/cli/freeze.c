/*
 * Stop one thread of another process for a while, as nothing else can: SIGSTOP
 * stops them all. Usage: freeze TID SECONDS. Prints "frozen" once it is.
 * Exit status 77 where ptrace(2) is not permitted.
 *
 * A thread is not stopped within ThreadSanitizer's runtime library, where it
 * may hold a lock that every other thread needs: it is let go on a little, and
 * stopped again.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#define NOT_PERMITTED 77
#define NOT_STOPPED   1
#define TRIES	      20000

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

static uint64_t program_counter(pid_t tid)
{
	struct user_regs_struct registers;
	struct iovec into = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &into) != 0)
		return 0;
#ifdef __x86_64__
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* Whether an address lies in ThreadSanitizer's library. */
static bool in_sanitizer(pid_t tid, uint64_t address)
{
	char path[64], line[4096];
	bool inside = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	maps = fopen(path, "r");
	if (maps == NULL)
		return false;
	while (!inside && fgets(line, sizeof(line), maps) != NULL) {
		uint64_t from, to;

		inside =
			sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 &&
			address >= from && address < to &&
			strstr(line, "libtsan") != NULL;
	}
	fclose(maps);
	return inside;
}

/* Whether the thread stopped where it holds nothing. */
static bool stop(pid_t tid)
{
	for (int i = 0; i < TRIES; i++) {
		/* Never the same stretch of its loop. */
		const struct timespec pause = {.tv_nsec = i % 89 * 10000L};

		nanosleep(&pause, NULL);
		if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
			waitpid(tid, NULL, __WALL) != tid)
			return false;
		if (!in_sanitizer(tid, program_counter(tid)))
			return true;
		ptrace(PTRACE_CONT, tid, NULL, NULL);
	}
	return false;
}

int main(int argc, char **argv)
{
	pid_t tid;

	if (argc != 3) {
		fputs("usage: freeze TID SECONDS\n", stderr);
		return 2;
	}
	tid = (pid_t)atol(argv[1]);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
		perror("freeze");
		return NOT_PERMITTED;
	}
	if (!stop(tid)) {
		perror("freeze: not stopped");
		return NOT_STOPPED;
	}
	puts("frozen");
	fflush(stdout);
	hold(tid, atol(argv[2]));
	return 0;
}
