/*
 * A kernel that refuses calls, as the filters of containers do. Usage: refused
 * CODE NUMBER... -- COMMAND...: each system call of those numbers fails with
 * errno CODE. Exit status 77 where no filter is permitted.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MOST_CALLS 16

static int filter(unsigned code, char **numbers, unsigned short n)
{
	struct sock_filter filter[2 * MOST_CALLS + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = {.len = 1, .filter = filter};

	for (unsigned short i = 0; i < n; i++) {
		filter[program.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
				(unsigned)atoi(numbers[i]), 0, 1);
		filter[program.len++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | code);
	}
	filter[program.len++] = (struct sock_filter)BPF_STMT(
		BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	int command = 2;

	while (command < argc && strcmp(argv[command], "--") != 0)
		command++;
	if (command + 1 >= argc || command - 2 > MOST_CALLS)
		return 1;
	if (filter((unsigned)atoi(argv[1]), argv + 2,
		    (unsigned short)(command - 2)) != 0)
		return 77;
	execv(argv[command + 1], argv + command + 1);
	return 1;
}
