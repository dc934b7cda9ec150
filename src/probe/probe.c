#include "probe/probe.h"

#include <stddef.h>

const struct probe *const latency_probes[] = {
	&probe_line,
	&probe_cas,
	&probe_two_line,
	&probe_one_way,
	NULL,
};

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}
