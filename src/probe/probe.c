#include "probe/probe.h"

#include <stddef.h>
#include <string.h>

extern const struct probe probe_line;
extern const struct probe probe_cas;
extern const struct probe probe_two_line;
extern const struct probe probe_one_way;

const struct probe *const latency_probes[] = {
	&probe_line,
	&probe_cas,
	&probe_two_line,
	&probe_one_way,
	NULL,
};

const struct probe *probe_find(const char *name)
{
	for (size_t i = 0; latency_probes[i]; i++) {
		if (strcmp(latency_probes[i]->name, name) == 0)
			return latency_probes[i];
	}
	return NULL;
}

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}
