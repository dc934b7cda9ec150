#include "visits.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void *half_main(void *argument)
{
	struct half *half = argument;

	half->well =
		(half->is_first ? half->probe->first : half->probe->second)(
			&half->visit, half->ticks);
	atomic_store(&half->returned, true);
	return NULL;
}

void half_start(struct half *half, const struct probe *probe,
	const struct probe_visit *visit, bool is_first)
{
	*half = (struct half){
		.probe = probe, .visit = *visit, .is_first = is_first};
	half->visit.error = &half->error;
	assert_int_equal(
		pthread_create(&half->thread, NULL, half_main, half), 0);
}

bool half_end(struct half *half)
{
	assert_int_equal(pthread_join(half->thread, NULL), 0);
	return half->well;
}

void half_abandon(struct half *half)
{
	for (int i = 0; i < 20000 && !atomic_load(&half->returned); i++) {
		half->probe->abandon(half->visit.slots);
		nap();
	}
	assert_true(atomic_load(&half->returned));
}

void nap(void)
{
	const struct timespec time = {.tv_nsec = 1000000};

	nanosleep(&time, NULL);
}

void check_slot(const struct probe_visit *visit)
{
	static const char zeros[PROBE_SLOT_BYTES];

	assert_memory_equal(visit->slots, zeros, sizeof(zeros));
}

static struct {
	atomic_uint calls;
	unsigned at;
	atomic_bool stands, go;
} gate;

void gate_close(unsigned at)
{
	atomic_store(&gate.calls, 0);
	atomic_store(&gate.stands, false);
	atomic_store(&gate.go, false);
	gate.at = at;
}

void gate_pass(void)
{
	if (atomic_fetch_add(&gate.calls, 1) != gate.at)
		return;
	atomic_store(&gate.stands, true);
	while (!atomic_load(&gate.go))
		nap();
}

void gate_await(void)
{
	while (!atomic_load(&gate.stands))
		nap();
}

void gate_open(void)
{
	atomic_store(&gate.go, true);
}

unsigned gate_calls(void)
{
	return atomic_load(&gate.calls);
}

bool real_has_two_cpus(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set) >= 2;
}

void real_open(struct real_rig *rig, const struct probe *probe)
{
	const struct cpu_list *allowed;

	memset(rig, 0, sizeof(*rig));
	assert_int_equal(machine_new(&rig->machine, NULL), 0);
	allowed = &machine_facts(rig->machine)->allowed;
	rig->cpus.cpus = rig->cpu_numbers;
	for (; rig->cpus.n < 3 && rig->cpus.n < allowed->n; rig->cpus.n++)
		rig->cpu_numbers[rig->cpus.n] = allowed->cpus[rig->cpus.n];
	assert_int_equal(timebase_init(&rig->timebase, NULL), 0);
	rig->options = (struct campaign_options){
		.machine = rig->machine,
		.cpus = &rig->cpus,
		.probe = probe,
		.params = {.samples = 3,
			.round_trips = 1,
			.counter = rig->timebase.counter,
			.ns_per_tick = 1e9 / rig->timebase.hz},
		.both_ways = true,
		.jobs = 1,
		.idle = CREW_PARK,
		.lines = 1,
		.pages = MEMORY_PAGES_AUTO,
		.seed = 5,
		.passes_min = 4,
		.passes_max = 4,
		.precision = 0.02,
		.budget_s = INFINITY,
		.patience_s = 60,
		.stop = &rig->stop,
	};
}

void real_close(struct real_rig *rig)
{
	campaign_release(&rig->campaign);
	machine_free(rig->machine);
}

void real_run(struct real_rig *rig, double all)
{
	struct campaign *campaign = &rig->campaign;

	assert_int_equal(campaign_run(campaign, &rig->options, NULL), 0);
	assert_true(campaign->complete);
	assert_int_equal(campaign->failure.code, 0);
	assert_int_equal(campaign->n_complete, rig->options.passes_max);
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		for (size_t k = 0; k < campaign_pair_values(campaign, p); k++) {
			double values[16];
			size_t n = campaign_gather(campaign, p, k, 0,
				campaign->n_passes, 1, values);

			assert_int_equal(n, campaign->n_passes);
			for (size_t i = 0; i < n; i++)
				assert_true(isnan(all) ? values[i] > 0
						       : values[i] == all);
		}
	}
}
