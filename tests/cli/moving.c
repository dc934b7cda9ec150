/*
 * c2c on 8 CPUs that need not exist and move when they are told: linked in
 * place of src/probe/probe.c and src/machine/bind.c. The file that C2C_MOVING
 * names has a letter for each CPU, the thread of a core where it is: a and b
 * are the SMT siblings of one core, and so are c and d. a to d share a
 * last-level cache, and e to h. Whoever writes another letter moves a CPU. With
 * C2C_MOVING_END=N the Nth visit interrupts c2c.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/internal.h"
#include "probe/probe.h"

#define CPUS 8

/* One way, between siblings, below one cache, and across. */
#define SIBLINGS_NS 20
#define CACHE_NS    60
#define ACROSS_NS   140

static _Thread_local unsigned here;

static const char *places(void)
{
	static const char *_Atomic map;
	const char *made = map;
	int fd;

	if (made)
		return made;
	fd = open(getenv("C2C_MOVING"), O_RDONLY);
	made = mmap(NULL, CPUS, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || made == MAP_FAILED)
		abort();
	close(fd);
	map = made;
	return made;
}

static void count_visit(void)
{
	static atomic_int visits;
	const char *end = getenv("C2C_MOVING_END");

	if (end && atomic_fetch_add(&visits, 1) + 1 == atoi(end))
		kill(getpid(), SIGINT);
}

/* In [-1, 1], of this visit alone. */
static double noise_of(const struct probe_visit *visit)
{
	uint64_t x = ((uint64_t)visit->pass << 20) +
		     ((uint64_t)visit->first_cpu << 10) + visit->second_cpu;

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)(int64_t)(x ^ (x >> 31)) / 0x1p63;
}

static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const volatile char *place = places();
	char a = place[visit->first_cpu], b = place[visit->second_cpu];
	double ns = ACROSS_NS;

	count_visit();
	if ((a - 'a') / 2 == (b - 'a') / 2)
		ns = SIBLINGS_NS;
	else if ((a - 'a') / 4 == (b - 'a') / 4)
		ns = CACHE_NS;
	ns *= 1 + 0.05 * noise_of(visit);
	for (uint32_t i = 0; i < params->samples; i++)
		ticks[i] = (int64_t)(ns * 2 * params->round_trips /
				     params->ns_per_tick);
	return true;
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	return true;
}

static void abandon(void *slot)
{
	(void)slot;
}

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}

static const struct probe moving = {
	.name = "line",
	.summary = "measures nothing",
	.first_cell = PROBE_BOTH,
	.first = first,
	.second = second,
	.abandon = abandon,
	.scale = probe_scale_round_trips,
};

const struct probe *const latency_probes[] = {&moving, NULL};

int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err)
{
	(void)thread;
	(void)cpus;
	(void)n;
	(void)err;
	return 0;
}

int machine_check_affinity(struct error *err)
{
	(void)err;
	return 0;
}

bool machine_affinity(pid_t thread, struct cpu_list *cpus)
{
	(void)thread;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		cpu_list_add(cpus, cpu, NULL);
	return true;
}

int machine_current_cpu(void)
{
	return (int)here;
}

int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err)
{
	(void)machine;
	(void)err;
	here = cpu;
	return 0;
}
