/*
 * Probes that measure nothing: their ticks come from a function of the test.
 * The halves meet in the slot as real ones do, so that crew and campaign are
 * driven for real, on CPUs that need not exist.
 */
#ifndef C2C_TESTS_FAKE_PROBE_H
#define C2C_TESTS_FAKE_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/campaign.h"

/* What a visit's variant adds: to the ticks, and then to the value. */
#define FAKE_VARIANT_TICKS 4096
#define FAKE_VARIANT_VALUE 0.25

#define FAKE_EVERY_PASS UINT32_MAX

#define FAKE_SLOW_TICKS 14

/* A half that began. */
struct fake_event {
	unsigned cpu, first_cpu;
	bool is_first;
	uint32_t pass, variant;
};

/* What params->context points to. */
struct fake_world {
	/* Ticks of a visit; half 0 is the first CPU's. */
	double (*ticks)(
		unsigned first, unsigned second, uint32_t pass, int half);

	/* What the spin-wait hint makes of them: this many times. 0: nothing */
	double relaxed;
	atomic_uint relaxed_visits;

	/* So many of the last samples of a visit take FAKE_SLOW_TICKS more. */
	unsigned slow_samples;

	/* Called by the first half with both threads in the visit. */
	void (*during)(const struct probe_visit *visit);

	atomic_uint *busy; /* [cpu]: halves running there; may be NULL */
	atomic_uint twice; /* CPUs found busy with another half */
	atomic_uint visits;

	/*
	 * The second half of this visit hangs: 1 until abandoned, 2 for ever,
	 * 3 until the mark that it took off came back so often, 4 until
	 * abandoned, but only when it is tried first. Of a crowd, it is the
	 * half that runs on CPU hang_second.
	 */
	int hang;
	atomic_uint hung; /* how often 4 hung, or would have */
	unsigned hang_marks;
	unsigned hang_first, hang_second;
	uint32_t hang_pass; /* or FAKE_EVERY_PASS */

	/* Visits of earlier passes are dropped; not of fake_crowd_probe. */
	uint32_t first_kept;

	/* For fake_crowd_probe only. */

	/* As during, by each second half. */
	void (*during_second)(const struct probe_visit *visit);

	/* A half on this CPU fails: the first (1) or the second (2) */
	int fail;
	unsigned fail_cpu;
	uint32_t fail_pass;

	struct fake_event *events; /* [events_room]; may be NULL */
	size_t events_room;
	atomic_size_t n_events; /* also of those without room */
};

/* One value a visit, symmetric; and one value for each direction. */
extern const struct probe fake_probe;
extern const struct probe fake_one_way_probe;

/*
 * Visits of any shape: one CPU alone, two, or one and several. All members are
 * in the visit at once. Each half leaves a value, in the visit's direction.
 */
extern const struct probe fake_crowd_probe;

/* What campaign_options.at_once finds: two of the CPUs run at the same time. */
int fake_two_at_once(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err);

/* Six passes of fake_probe over the CPUs, one pair at a time. */
struct campaign_options fake_options(struct fake_world *world,
	const struct cpu_list *cpus, atomic_bool *stop);

#endif
