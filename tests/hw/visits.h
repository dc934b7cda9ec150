/*
 * What the tests of the probes of bandwidth share: halves of visits on threads
 * of their own, a gate that a vector stands at, campaigns on the CPUs at hand.
 */
#ifndef C2C_TESTS_VISITS_H
#define C2C_TESTS_VISITS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/campaign.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe.h"
#include "util/cpu_list.h"
#include "util/error.h"

/* A half of a visit on a thread of its own. */
struct half {
	const struct probe *probe;
	struct probe_visit visit;
	bool is_first;
	struct error error;
	int64_t ticks[8];
	bool well;
	atomic_bool returned;
	pthread_t thread;
};

void half_start(struct half *half, const struct probe *probe,
	const struct probe_visit *visit, bool is_first);

/* Wait for its end: whether it ended well. */
bool half_end(struct half *half);

/* Mark the visit, again and again as the crew does, until the half returns. */
void half_abandon(struct half *half);

/* A millisecond. */
void nap(void);

/* The slot is as the next visit needs it. */
void check_slot(const struct probe_visit *visit);

/* Who passes here in the call numbered at stands until it is let go. */
void gate_close(unsigned at);
void gate_pass(void);
void gate_await(void); /* until somebody stands there */
void gate_open(void);
unsigned gate_calls(void);

/* A campaign on the CPUs at hand: up to three, each once. */
struct real_rig {
	struct machine *machine;
	struct cpu_list cpus;
	unsigned cpu_numbers[3];
	struct timebase timebase;
	atomic_bool stop;
	struct campaign_options options;
	struct campaign campaign;
};

/* Whether this process may use two CPUs. */
bool real_has_two_cpus(void);

/* Four passes; the test completes options. */
void real_open(struct real_rig *rig, const struct probe *probe);

/* Run it and look at every value: all that is given or, for NaN, positive. */
void real_run(struct real_rig *rig, double all);
void real_close(struct real_rig *rig);

#endif
