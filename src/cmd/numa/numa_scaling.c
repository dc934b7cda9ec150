#include "cmd/numa/numa_scaling.h"

#include <math.h>
#include <stdio.h>

/* Share of the highest rate from which more CPUs gain little. */
#define ENOUGH 0.95

/* If all CPUs reach a smaller share of the highest rate, report it. */
#define TOO_MANY 0.9

/* Return the index of the first point that reaches the rate, or n. */
static size_t find_reached(const double *gib_per_s, size_t n, double wanted)
{
	size_t i = 0;

	while (i < n && !(gib_per_s[i] >= wanted))
		i++;
	return i;
}

struct numa_scaling_figures numa_find_scaling(
	const double *cpus, const double *gib_per_s, size_t n)
{
	struct numa_scaling_figures found = {
		NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	size_t half, enough;

	for (size_t i = 0; i < n; i++) {
		if (isnan(gib_per_s[i]))
			continue;
		if (cpus[i] == 1)
			found.one_gib_per_s = gib_per_s[i];
		if (!(gib_per_s[i] <= found.most_gib_per_s)) {
			found.most_gib_per_s = gib_per_s[i];
			found.most_cpus = cpus[i];
		}
		found.last_gib_per_s = gib_per_s[i];
		found.last_cpus = cpus[i];
	}
	half = find_reached(gib_per_s, n, found.most_gib_per_s / 2);
	enough = find_reached(gib_per_s, n, ENOUGH * found.most_gib_per_s);
	if (half < n)
		found.half_cpus = cpus[half];
	if (enough < n) {
		found.enough_cpus = cpus[enough];
		found.enough_gib_per_s = gib_per_s[enough];
	}
	return found;
}

const char *numa_scaling_text(const struct numa_scaling_figures *figures,
	char text[NUMA_SCALING_BYTES])
{
	int used = snprintf(text, NUMA_SCALING_BYTES, "%.4g GiB/s",
		figures->most_gib_per_s);
	size_t at = (size_t)used;

	if (figures->last_cpus <= 1)
		return text;
	if (!isnan(figures->one_gib_per_s))
		at += (size_t)snprintf(text + at, NUMA_SCALING_BYTES - at,
			"; one CPU reaches %.4g", figures->one_gib_per_s);
	if (figures->half_cpus <= 1)
		at += (size_t)snprintf(
			text + at, NUMA_SCALING_BYTES - at, ", at least half");
	else
		at += (size_t)snprintf(text + at, NUMA_SCALING_BYTES - at,
			"; %.0f CPUs reach half", figures->half_cpus);
	if (figures->last_gib_per_s < TOO_MANY * figures->most_gib_per_s)
		snprintf(text + at, NUMA_SCALING_BYTES - at,
			"; %.0f CPUs reach the highest rate, all %.0f CPUs "
			"%.4g",
			figures->most_cpus, figures->last_cpus,
			figures->last_gib_per_s);
	else if (figures->enough_cpus < figures->last_cpus)
		snprintf(text + at, NUMA_SCALING_BYTES - at,
			"; more than %.0f CPUs add less than 5 %%",
			figures->enough_cpus);
	else
		snprintf(text + at, NUMA_SCALING_BYTES - at,
			"; the rate grows up to %.0f CPUs", figures->last_cpus);
	return text;
}
