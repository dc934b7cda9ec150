/*
 * c2c contend on made-up lines. A CPU alone does 100 million operations a
 * second, and as many where nobody disturbs it: with loads, and on a line of
 * its own. CPUs that disturb each other share 60 million, or 75 with the
 * spin-wait hint. The first one of a visit takes skew=N times what each other
 * one has. The median of an operation is what the rates say, the 99th
 * percentile three times that. The Nth visit loses an operation with lose=N,
 * and in every Nth a CPU stands still with stall=N.
 */
#include "made_up.h"

/* All but the probe is that of c2c. */
#define probe_contend measured_contend
extern const struct probe measured_contend;
#include "probe/probe_contend.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_contend

#define ALONE_MOPS   100.0
#define SHARED_MOPS  60.0
#define RELAXED_MOPS 75.0

static double rate_of(const struct contend_point *point, bool is_first)
{
	double skew = made_up("skew", 2), n = point->n_cpus;
	double together = point->with_spin_hint ? RELAXED_MOPS : SHARED_MOPS;

	if (n < 2 || point->sharing == CONTEND_NONE ||
		!point->operation->stores)
		return ALONE_MOPS;
	return together / (n - 1 + skew) * (is_first ? skew : 1);
}

static bool lose(const struct probe_visit *visit)
{
	error_set(visit->error, ERROR_FAILURE, EIO,
		"an operation was lost, as the test chose");
	return false;
}

/* What all CPUs of a visit did is noted by the first one. */
static bool note(struct contend_figures *figures, double mops)
{
	static atomic_int visits;
	int visit = atomic_fetch_add(&visits, 1) + 1;
	int every = (int)made_up("stall", 0);

	figures->visits++;
	figures->stalled += every && visit % every == 0;
	if (array_grow(
		    &figures->latency, figures->n, sizeof(*figures->latency)))
		figures->latency[figures->n++] = (struct contend_latency){
			.median_ns = 1e3 / mops, .p99_ns = 3e3 / mops};
	return visit != (int)made_up("lose", 0);
}

static bool made_up_second(const struct probe_visit *visit, int64_t *ticks)
{
	struct contend_context *context = visit->params->context;
	const struct contend_point *point = &context->points[visit->variant];
	long self = cpu_list_find(context->cpus, visit->second_cpu);
	bool is_first = point->order[0] == (uint32_t)self, calm = true;
	double mops = rate_of(point, is_first);

	if (is_first) {
		calm = made_up_visit(visit);
		if (!note(&context->figures[visit->variant], mops))
			return lose(visit);
	}
	return made_up_put(visit, mops, ticks) && calm;
}

const struct probe probe_contend = {
	.name = "contend",
	.summary = "measures nothing",
	.second_cell = PROBE_FORWARD,
	.counts = {true, true},
	.first = contend_first,
	.second = made_up_second,
	.abandon = made_up_abandon,
	.scale = made_up_scale,
};
