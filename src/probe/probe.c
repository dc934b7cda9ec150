#include "probe/probe.h"

#include <stdatomic.h>
#include <stddef.h>

#define ELEMENT(row) &(row),
const struct probe *const latency_probes[] = {LATENCY_PROBES(ELEMENT) NULL};

void probe_abandon_word(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store_explicit(word, PROBE_ABANDONED, memory_order_relaxed);
}

void probe_abandon_lines(void *slot)
{
	probe_abandon_word(slot);
	probe_abandon_word((char *)slot + PROBE_LINE_STRIDE);
}

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}
