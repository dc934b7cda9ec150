/*
 * c2c numa on made-up memory. A load of a node's own memory takes near_ns, of
 * another's far_ns. All CPUs of a row together have near_gib_per_s or
 * far_gib_per_s, a tenth less for each mix behind the first, or mix=N % more.
 * Under load they have 400 / (400 + delay) of it. The latency rises by a
 * quarter up to 80 % of the rate, and to four times at all of it.
 * CPUs that read together have cpu_gib_per_s each; so many neighbours as
 * link_cpus share a link, and have link_gib_per_s together.
 */
#include <math.h>

#include "made_up.h"

/* All but the probe is that of c2c. */
#define probe_numa measured_numa
extern const struct probe measured_numa;
#include "probe/probe_numa.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_numa

#define HALF_DELAY 400.0
#define KNEE	   0.8
#define KNEE_TIMES 1.25
#define MOST_TIMES 4.0

static bool is_near(const struct probe_visit *visit)
{
	const struct numa_context *context = visit->params->context;

	return context->rows[numa_point_of(visit)->row].node ==
	       numa_home_of(visit)->node;
}

/* The share of all that a row can move. */
static double load_share(const struct numa_point *point)
{
	return point->kind == NUMA_LOADED
		       ? HALF_DELAY / (HALF_DELAY + point->delay)
		       : 1;
}

static double times_idle(double share)
{
	if (share <= KNEE)
		return 1 + (KNEE_TIMES - 1) * share / KNEE;
	return KNEE_TIMES +
	       (MOST_TIMES - KNEE_TIMES) * (share - KNEE) / (1 - KNEE);
}

static bool made_up_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct numa_point *point = numa_point_of(visit);
	double ns;

	if (!made_up_visit(visit) || point->kind == NUMA_BANDWIDTH ||
		point->kind == NUMA_TEAM || !numa_home_of(visit)->bound)
		return false;
	ns = is_near(visit) ? made_up("near_ns", 80) : made_up("far_ns", 140);
	if (point->kind == NUMA_LOADED)
		ns *= times_idle(load_share(point));
	return made_up_put(visit, ns, ticks);
}

/* What a CPU gets of its link, which other CPUs of its team may use. */
static double team_rate(const struct probe_visit *visit)
{
	const struct cpu_list *cpus = numa_cpus_of(visit);
	unsigned each = (unsigned)made_up("link_cpus", 4);
	double n = 0, share;

	for (size_t i = 0; i < cpus->n; i++)
		n += cpus->cpus[i] / each == visit->second_cpu / each;
	share = made_up("link_gib_per_s", 40) / n;
	return fmin(made_up("cpu_gib_per_s", 15), share);
}

static bool made_up_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct numa_point *point = numa_point_of(visit);
	double gib_per_s;

	if (point->kind == NUMA_LATENCY ||
		!numa_point_is_bound(visit->params->context, visit->variant))
		return false;
	if (point->kind == NUMA_TEAM)
		return made_up_put(visit, team_rate(visit), ticks);
	gib_per_s = is_near(visit) ? made_up("near_gib_per_s", 40)
				   : made_up("far_gib_per_s", 20);
	gib_per_s *= (1 + point->mix * made_up("mix", -10) / 100) *
		     load_share(point);
	return made_up_put(visit, gib_per_s / visit->n_seconds, ticks);
}

const struct probe probe_numa = {
	.name = "numa",
	.summary = "measures nothing",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.counts = {true, true},
	.first = made_up_first,
	.second = made_up_second,
	.abandon = made_up_abandon,
	.scale = made_up_scale,
};
