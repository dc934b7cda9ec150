#include "probe/probe.h"

#include <stddef.h>

#define ELEMENT(row) &(row),
const struct probe *const latency_probes[] = {LATENCY_PROBES(ELEMENT) NULL};

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}
