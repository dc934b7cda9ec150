/* bind.c: bind the calling thread to one CPU, and verify its CPU. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/internal.h"

/*
 * Emulated kernels (gVisor) move a thread after sched_setaffinity() returns, so
 * the thread checks its CPU up to LOOKS times.
 */
#define LOOKS	      100
#define LOOK_PAUSE_NS 1000000

/* Size of an affinity mask of 16,384 CPUs. */
#define MASK_BYTES 2048

/* Set the affinity. Return 0, or a positive errno. */
static int set_mask(pid_t thread, const unsigned *cpus, size_t n)
{
	cpu_set_t *mask = calloc(1, MASK_BYTES);
	int code = 0;

	if (!mask)
		return ENOMEM;
	for (size_t i = 0; i < n; i++)
		CPU_SET_S(cpus[i], MASK_BYTES, mask);
	if (sched_setaffinity(thread, MASK_BYTES, mask) != 0)
		code = errno;
	free(mask);
	return code;
}

int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err)
{
	int code = set_mask(thread, cpus, n);

	if (code == 0)
		return 0;
	return error_of_call(err, code, "sched_setaffinity",
		"cannot bind a thread to CPU %u%s", n ? cpus[0] : 0,
		n > 1 ? " and others" : "");
}

bool machine_is_fifo(void)
{
	/* With SCHED_RESET_ON_FORK, new threads do not inherit SCHED_FIFO. */
	return sched_getscheduler(0) == SCHED_FIFO;
}

int machine_check_affinity(struct error *err)
{
	cpu_set_t *mask = calloc(1, MASK_BYTES);
	int code = mask ? 0 : ENOMEM;

	if (mask && sched_getaffinity(0, MASK_BYTES, mask) != 0)
		code = errno;
	free(mask);
	if (code == 0)
		return 0;
	return error_of_call(err, code, "sched_getaffinity",
		"the kernel does not say which CPUs this process may use");
}

bool machine_affinity(pid_t thread, struct cpu_list *cpus)
{
	cpu_set_t *mask = calloc(1, MASK_BYTES);
	bool known = mask && sched_getaffinity(thread, MASK_BYTES, mask) == 0;

	for (unsigned cpu = 0; known && cpu < 8 * MASK_BYTES; cpu++) {
		if (CPU_ISSET_S(cpu, MASK_BYTES, mask))
			known = cpu_list_add(cpus, cpu, NULL) == 0;
	}
	free(mask);
	return known;
}

int machine_current_cpu(void)
{
	return sched_getcpu();
}

static bool wait_until_on_cpu(unsigned cpu)
{
	static const struct timespec pause = {.tv_nsec = LOOK_PAUSE_NS};

	for (int i = 0; i < LOOKS; i++) {
		if (sched_getcpu() == (int)cpu)
			return true;
		if (i == 0)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
	return false;
}

int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err)
{
	int code;

	if (!machine->here)
		return error_set(err, ERROR_FAILURE, ENOTSUP,
			"nothing can be measured on a pretended machine: unset "
			"HWLOC_FSROOT, HWLOC_CPUID_PATH, HWLOC_SYNTHETIC and "
			"HWLOC_XMLFILE");
	code = set_mask(0, &cpu, 1);
	if (code == EINVAL)
		return error_set(err, ERROR_FAILURE, code,
			"cannot bind a thread to CPU %u: %s (it may have gone "
			"offline or left this process's cpuset: see c2c info)",
			cpu, strerror(code));
	if (code)
		return error_of_call(err, code, "sched_setaffinity",
			"cannot bind a thread to CPU %u", cpu);
	if (!wait_until_on_cpu(cpu))
		return error_set(err, ERROR_FAILURE, EXDEV,
			"a thread bound to CPU %u runs on CPU %d: this system "
			"does not honour bindings, so nothing can be measured "
			"between CPUs here",
			cpu, sched_getcpu());
	return 0;
}
