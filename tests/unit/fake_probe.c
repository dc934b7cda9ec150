#include "fake_probe.h"

#include <errno.h>
#include <math.h>
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
	const struct fake_world *world = world_of(visit);
	double value = world->ticks(visit->first_cpu, visit->second_cpu,
			       visit->pass, half) +
		       FAKE_VARIANT_TICKS * (double)visit->variant;

	if (visit->params->use_spin_hint && world->relaxed > 0)
		value *= world->relaxed;

	/* The first of several samples is an outlier that does not count. */
	for (uint32_t i = 0; i < visit->params->samples; i++)
		ticks[i] = (int64_t)value +
			   (i == 0 && visit->params->samples > 1 ? 7 : 0) +
			   (i + world->slow_samples >= visit->params->samples
					   ? FAKE_SLOW_TICKS
					   : 0);
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
		atomic_fetch_add(
			&world->relaxed_visits, visit->params->use_spin_hint);
		if (world->during)
			world->during(visit);
		fill(visit, ticks, 0);
		atomic_store(word, ANSWERED);
	}
	leave(world, visit->first_cpu);
	return well && visit->pass >= world->first_kept;
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	struct fake_world *world = world_of(visit);
	_Atomic uint32_t *word = visit->slots;
	bool hangs = world->hang && visit->first_cpu == world->hang_first &&
		     visit->second_cpu == world->hang_second &&
		     (visit->pass == world->hang_pass ||
			     world->hang_pass == FAKE_EVERY_PASS);
	bool well;

	if (hangs && world->hang == 4)
		hangs = atomic_fetch_add(&world->hung, 1) == 0;
	enter(world, visit->second_cpu);
	if (hangs && world->hang == 2) {
		for (;;)
			nap();
	}
	if (hangs) {
		await_change(word, EMPTY);
		for (unsigned i = 1; world->hang == 3 && i < world->hang_marks;
			i++) {
			atomic_store(word, EMPTY);
			await_change(word, EMPTY);
		}
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
	return well && visit->pass >= world->first_kept;
}

static void abandon(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store(word, ABANDONED);
}

static double scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	return ticks * params->ns_per_tick + FAKE_VARIANT_VALUE * variant;
}

/* The slot of a crowd, which nobody needs to answer in. */
struct crowd {
	_Atomic uint32_t come; /* halves, and whether the visit is abandoned */
	_Atomic uint32_t gone;
};

#define CROWD_ABANDONED (UINT32_C(1) << 31)

static void crowd_abandon(void *slot)
{
	struct crowd *crowd = slot;

	atomic_fetch_or(&crowd->come, CROWD_ABANDONED);
}

static bool all_come(struct crowd *crowd, uint32_t n)
{
	uint32_t come = atomic_fetch_add(&crowd->come, 1) + 1;

	while (come != n) {
		if (come & CROWD_ABANDONED)
			return false;
		come = await_change(&crowd->come, come);
	}
	return true;
}

static void note(const struct probe_visit *visit, unsigned cpu, bool is_first)
{
	struct fake_world *world = world_of(visit);
	size_t i = atomic_fetch_add(&world->n_events, 1);

	if (i < world->events_room)
		world->events[i] = (struct fake_event){
			.cpu = cpu,
			.first_cpu = visit->first_cpu,
			.is_first = is_first,
			.pass = visit->pass,
			.variant = visit->variant,
		};
}

static bool fails(const struct probe_visit *visit, unsigned cpu, bool is_first)
{
	const struct fake_world *world = world_of(visit);

	if (world->fail != (is_first ? 1 : 2) || world->fail_cpu != cpu ||
		world->fail_pass != visit->pass)
		return false;
	error_set(visit->error, ERROR_UNAVAILABLE, ENOTSUP,
		"CPU %u has no more to measure with", cpu);
	crowd_abandon(visit->slots);
	return true;
}

static bool stays_away(const struct probe_visit *visit, unsigned cpu)
{
	const struct fake_world *world = world_of(visit);
	struct crowd *crowd = visit->slots;

	if (!world->hang || visit->first_cpu != world->hang_first ||
		cpu != world->hang_second || visit->pass != world->hang_pass)
		return false;
	while (world->hang == 2 ||
		!(atomic_load(&crowd->come) & CROWD_ABANDONED))
		nap();
	return true;
}

static bool crowd_half(
	const struct probe_visit *visit, int64_t *ticks, bool is_first)
{
	struct fake_world *world = world_of(visit);
	struct crowd *crowd = visit->slots;
	unsigned cpu = is_first ? visit->first_cpu : visit->second_cpu;
	uint32_t n = 1 + visit->n_seconds;

	note(visit, cpu, is_first);
	if (fails(visit, cpu, is_first) || stays_away(visit, cpu))
		return false;
	/* Alone on its CPU, one half runs after the other. */
	if (visit->n_seconds == 1 && visit->first_cpu == visit->second_cpu)
		n = 1;
	if (!all_come(crowd, n))
		return false;
	if (is_first)
		atomic_fetch_add(&world->visits, 1);
	if (is_first && world->during)
		world->during(visit);
	if (!is_first && world->during_second)
		world->during_second(visit);
	fill(visit, ticks, is_first ? 0 : 1);
	if (atomic_fetch_add(&crowd->gone, 1) + 1 == n) {
		atomic_store(&crowd->gone, 0);
		atomic_store(&crowd->come, 0);
	}
	return true;
}

static bool crowd_first(const struct probe_visit *visit, int64_t *ticks)
{
	return crowd_half(visit, ticks, true);
}

static bool crowd_second(const struct probe_visit *visit, int64_t *ticks)
{
	return crowd_half(visit, ticks, false);
}

const struct probe fake_probe = {
	.name = "fake",
	.summary = "measures nothing",
	.first_cell = PROBE_BOTH,
	.round_trips = true,
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

const struct probe fake_crowd_probe = {
	.name = "fake-crowd",
	.summary = "measures nothing on any number of CPUs",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_FORWARD,
	.first = crowd_first,
	.second = crowd_second,
	.abandon = crowd_abandon,
	.scale = scale,
};

int fake_two_at_once(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err)
{
	(void)crew;
	(void)lines;
	(void)cpus;
	(void)err;
	*at_once = 2;
	return 0;
}

struct campaign_options fake_options(struct fake_world *world,
	const struct cpu_list *cpus, atomic_bool *stop)
{
	return (struct campaign_options){
		.cpus = cpus,
		.probe = &fake_probe,
		.params = {.samples = 1,
			.round_trips = 1,
			.ns_per_tick = 1,
			.context = world},
		.jobs = 1,
		.idle = CREW_PARK,
		.lines = 64,
		.seed = 3,
		.passes_min = 6,
		.passes_max = 6,
		.precision = 0.02,
		.budget_s = INFINITY,
		.patience_s = 30,
		.stop = stop,
	};
}
