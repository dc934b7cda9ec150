/*
 * Putting the calling thread on one CPU, and seeing that it got there.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/internal.h"

/*
 * The kernel moves a thread before the call returns; emulated kernels
 * (gVisor) need a moment. Then the thread looks this often, so far apart.
 */
#define LOOKS	      100
#define LOOK_PAUSE_NS 1000000

/* Of a mask that is asked for; kernels have at most half of it. */
#define MOST_CPUS 16384

/* More than all masks of one call: 1,024 CPUs are 128 bytes. */
#define ROOM_BYTES 16384

int machine_current_cpu(void)
{
	return sched_getcpu();
}

static bool arrived(unsigned cpu)
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

/*
 * Whether there is memory for the masks that hwloc makes: version 2.9 takes for
 * granted that it gets them (hwloc_linux_set_tid_cpubind). What is freed here
 * is the next that this thread is given.
 */
static bool has_room(void)
{
	volatile char *room = malloc(ROOM_BYTES);

	if (!room)
		return false;
	/* Or compilers leave all of it out. */
	room[0] = 0;
	free((void *)room);
	return true;
}

int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err)
{
	hwloc_bitmap_t set;
	int rc, code;

	/* There hwloc binds nothing, and reports success. */
	if (!machine->here)
		return error_set(err, ERROR_FAILURE, ENOTSUP,
			"nothing can be measured on a pretended machine: unset "
			"HWLOC_SYNTHETIC, HWLOC_XMLFILE and HWLOC_FSROOT");
	set = hwloc_bitmap_alloc();
	if (!set || hwloc_bitmap_only(set, cpu) < 0 || !has_room()) {
		hwloc_bitmap_free(set);
		return error_no_memory(err, "a set of CPUs");
	}
	errno = 0;
	rc = hwloc_set_cpubind(machine->topology, set, HWLOC_CPUBIND_THREAD);
	code = errno ? errno : EIO;
	hwloc_bitmap_free(set);
	if (rc < 0)
		return error_set(err, ERROR_FAILURE, code,
			"cannot bind a thread to CPU %u: %s (it may have gone "
			"offline or left this process's cpuset: see c2c info)",
			cpu, strerror(code));
	if (!arrived(cpu))
		return error_set(err, ERROR_FAILURE, EXDEV,
			"a thread bound to CPU %u runs on CPU %d: this system "
			"does not honour bindings, so nothing can be measured "
			"between CPUs here",
			cpu, sched_getcpu());
	return 0;
}

/* For CPUs 0 to n - 1; for CPU_FREE(), NULL with *err. */
static cpu_set_t *new_mask(size_t n, struct error *err)
{
	cpu_set_t *mask = CPU_ALLOC(n);

	if (mask)
		CPU_ZERO_S(CPU_ALLOC_SIZE(n), mask);
	else
		error_no_memory(err, "a set of CPUs");
	return mask;
}

int machine_set_affinity(
	int tid, const unsigned *cpus, size_t n, struct error *err)
{
	size_t room = 1;
	cpu_set_t *mask;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		room = cpus[i] >= room ? cpus[i] + 1 : room;
	mask = new_mask(room, err);
	if (!mask)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		CPU_SET_S(cpus[i], CPU_ALLOC_SIZE(room), mask);
	if (sched_setaffinity(tid, CPU_ALLOC_SIZE(room), mask) != 0)
		rc = error_set(err, ERROR_FAILURE, errno,
			"cannot bind a thread to CPU %u%s: %s", cpus[0],
			n > 1 ? " and others" : "", strerror(errno));
	CPU_FREE(mask);
	return rc;
}

int machine_get_affinity(int tid, struct cpu_list *cpus, struct error *err)
{
	cpu_set_t *mask = new_mask(MOST_CPUS, err);
	int rc = 0;

	if (!mask)
		return -ENOMEM;
	if (sched_getaffinity(tid, CPU_ALLOC_SIZE(MOST_CPUS), mask) != 0)
		rc = error_set(err, ERROR_FAILURE, errno,
			"the kernel does not tell where a thread may run: %s",
			strerror(errno));
	for (unsigned cpu = 0; rc == 0 && cpu < MOST_CPUS; cpu++) {
		if (CPU_ISSET_S(cpu, CPU_ALLOC_SIZE(MOST_CPUS), mask))
			rc = cpu_list_add(cpus, cpu, err);
	}
	CPU_FREE(mask);
	return rc;
}
