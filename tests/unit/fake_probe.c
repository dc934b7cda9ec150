#include "fake_probe.h"

#include <sched.h>
#include <time.h>

enum {
	EMPTY,
	ARRIVED,
	ANSWERED,
	ABANDONED
};

static void nap(void)
{
	const struct timespec time = {.tv_nsec = 100000};

	nanosleep(&time, NULL);
}

/* Wait for a change of *word away from old: in turn with others, then asleep.
 */
static uint32_t await_change(_Atomic uint32_t *word, uint32_t old)
{
	uint32_t seen;
	int tries = 0;

	while ((seen = atomic_load(word)) == old) {
		if (++tries < 10000)
			sched_yield();
		else
			nap();
	}
	return seen;
}

static struct fake_world *world_of(const struct probe_visit *visit)
{
	return visit->params->context;
}

static void enter(struct fake_world *world, unsigned cpu)
{
	if (world->busy && atomic_fetch_add(&world->busy[cpu], 1) > 0)
		atomic_fetch_add(&world->twice, 1);
}

static void leave(struct fake_world *world, unsigned cpu)
{
	if (world->busy)
		atomic_fetch_sub(&world->busy[cpu], 1);
}

static void fill(const struct probe_visit *visit, int64_t *ticks, int half)
{
	double value = world_of(visit)->ticks(
		visit->first_cpu, visit->second_cpu, visit->pass, half);

	/* The first of several samples is an outlier that no median sees. */
	for (uint32_t i = 0; i < visit->params->samples; i++)
		ticks[i] = (int64_t)value +
			   (i == 0 && visit->params->samples > 1 ? 7 : 0);
}

static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	struct fake_world *world = world_of(visit);
	_Atomic uint32_t *word = visit->slots;
	bool well;

	enter(world, visit->first_cpu);
	well = await_change(word, EMPTY) == ARRIVED;
	if (well) {
		atomic_fetch_add(&world->visits, 1);
		if (world->during)
			world->during(visit);
		fill(visit, ticks, 0);
		atomic_store(word, ANSWERED);
	}
	leave(world, visit->first_cpu);
	return well;
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	struct fake_world *world = world_of(visit);
	_Atomic uint32_t *word = visit->slots;
	bool hangs = world->hang && visit->first_cpu == world->hang_first &&
		     visit->second_cpu == world->hang_second &&
		     visit->pass == world->hang_pass;
	bool well;

	enter(world, visit->second_cpu);
	if (hangs && world->hang == 2) {
		for (;;)
			nap();
	}
	if (hangs) {
		await_change(word, EMPTY);
		well = false;
	} else {
		atomic_store(word, ARRIVED);
		well = await_change(word, ARRIVED) == ANSWERED;
		if (well) {
			fill(visit, ticks, 1);
			atomic_store(word, EMPTY);
		}
	}
	leave(world, visit->second_cpu);
	return well;
}

static void abandon(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store(word, ABANDONED);
}

static double scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick;
}

const struct probe fake_probe = {
	.name = "fake",
	.summary = "measures nothing",
	.first_cell = PROBE_BOTH,
	.first = first,
	.second = second,
	.abandon = abandon,
	.scale = scale,
};

const struct probe fake_one_way_probe = {
	.name = "fake-one-way",
	.summary = "measures nothing in both directions",
	.first_cell = PROBE_BACKWARD,
	.second_cell = PROBE_FORWARD,
	.needs_synchronous_counters = true,
	.first = first,
	.second = second,
	.abandon = abandon,
	.scale = scale,
};
