/*
 * A C library with a mind of its own, to be preloaded. $ODD_CLOCK is what
 * CLOCK_MONOTONIC_RAW does: "steps" of 10 ms, "back" (it runs backwards) or
 * "still". With $ODD_ARGP no memory is left for the options of a command. With
 * $ODD_SWITCHES each look finds that the thread lost its CPU once more. With
 * $ODD_DISK nothing reaches the disk. With $ODD_FIFO the policy is SCHED_FIFO.
 * $ODD_LINK is a file to which a link is put in the place of a.json once
 * somebody asks whether that is a link. With $ODD_APPEND folders are
 * append-only.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 10000000

typedef int clock_gettime_function(clockid_t, struct timespec *);
typedef int getrusage_function(__rusage_who_t, struct rusage *);
typedef int fsync_function(int);

/* Names as in glibc's header are glibc's own. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	clock_gettime_function *real =
		(clock_gettime_function *)dlsym(RTLD_NEXT, "clock_gettime");
	const char *odd = getenv("ODD_CLOCK");
	int status = real(clock, now);

	if (!odd || clock != CLOCK_MONOTONIC_RAW)
		return status;
	if (strcmp(odd, "steps") == 0)
		now->tv_nsec -= now->tv_nsec % STEP_NS;
	if (strcmp(odd, "back") == 0) {
		now->tv_sec = 1000000000 - now->tv_sec;
		now->tv_nsec = 999999999 - now->tv_nsec;
	}
	if (strcmp(odd, "still") == 0)
		*now = (struct timespec){.tv_sec = 1000};
	return status;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int getrusage(__rusage_who_t who, struct rusage *usage)
{
	static atomic_long looks;
	getrusage_function *real =
		(getrusage_function *)dlsym(RTLD_NEXT, "getrusage");
	int status = real(who, usage);

	if (getenv("ODD_SWITCHES"))
		usage->ru_nivcsw += ++looks;
	return status;
}

int fsync(int fd)
{
	fsync_function *real = (fsync_function *)dlsym(RTLD_NEXT, "fsync");

	if (!getenv("ODD_DISK"))
		return real(fd);
	errno = EIO;
	return -1;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int sched_getscheduler(pid_t process)
{
	(void)process;
	return getenv("ODD_FIFO") ? SCHED_FIFO : SCHED_OTHER;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int lstat(const char *path, struct stat *is)
{
	const char *odd = getenv("ODD_LINK");

	if (odd && strcmp(path, "a.json") == 0 &&
		(unlink(path) != 0 || symlink(odd, path) != 0))
		abort();
	return fstatat(AT_FDCWD, path, is, AT_SYMLINK_NOFOLLOW);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	int *flags;

	va_start(list, request);
	flags = va_arg(list, int *);
	va_end(list);
	if (request != FS_IOC_GETFLAGS || !getenv("ODD_APPEND"))
		return (int)syscall(SYS_ioctl, fd, request, flags);
	*flags = FS_APPEND_FL;
	return 0;
}
