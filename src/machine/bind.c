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

/* More than all masks of one call: 1,024 CPUs are 128 bytes. */
#define ROOM_BYTES 16384

/* Room for the CPUs of one affinity call: 16,384. */
#define MASK_BYTES 2048

int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err)
{
	cpu_set_t *mask = calloc(1, MASK_BYTES);
	int code = 0;

	if (!mask)
		return error_no_memory(err, "a set of CPUs");
	for (size_t i = 0; i < n; i++)
		CPU_SET_S(cpus[i], MASK_BYTES, mask);
	if (sched_setaffinity(thread, MASK_BYTES, mask) != 0)
		code = errno;
	free(mask);
	if (code == 0)
		return 0;
	return error_set(err, ERROR_FAILURE, code,
		"cannot bind a thread to CPU %u%s: %s", n ? cpus[0] : 0,
		n > 1 ? " and others" : "", strerror(code));
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
