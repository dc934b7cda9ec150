/*
 * c2c cache on made-up caches. Where nothing else is chosen, a clock lasts 0.5
 * ns, L1 holds 32 KiB, L2 1 MiB, L3 4 MiB, and a load from them takes 2, 7, 25
 * ns, from memory 100. A line has 64 bytes, L1 8 ways, L2 16. The TLB holds 64
 * pages of 4 KiB, and a miss in random order costs 10 ns. With stores a load
 * takes half as long again; n chains take an n-th.
 *
 * With alone=NS a chase alone takes that long where its ring is larger than L2.
 * With unsteady=BYTES the rounds through rings of that size never agree. With
 * heap=NS loads from L3 take that long in every other four passes.
 *
 * A CPU reads 100, 50, 25 and 10 GiB/s from these levels. The CPUs of an array
 * in memory share the 10. With slow=CPU that one has half of it. Each access
 * behind the first has a tenth less, a scalar a quarter.
 */
#include <stddef.h>
#include <string.h>

#include "cmd/cache/cmd_cache.h"
#include "made_up.h"

/* All but the probe is that of c2c. */
#define probe_cache measured_cache
extern const struct probe measured_cache;
#include "probe/probe_cache.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_cache

#define CLOCK_NS  0.5
#define TLB_BYTES (64 * 4096.0)
#define MISS_NS	  10.0

enum {
	L1,
	L2,
	L3,
	MEMORY
};

static const double level_ns[] = {2, 7, 25, 100};
static const double level_gib_per_s[] = {100, 50, 25, 10};

static int level_of(size_t bytes)
{
	const double sizes[] = {made_up("l1", 32 << 10), made_up("l2", 1 << 20),
		made_up("l3", 4 << 20)};
	int level = L1;

	while (level < MEMORY && (double)bytes > sizes[level])
		level++;
	return level;
}

/*
 * The curve of a variant: the plan has it, and the context is a part of that.
 */
static const struct latency_curve *curve_of(
	const struct cache_context *context, uint32_t variant)
{
	const struct cache_plan *plan =
		(const void *)((const char *)context -
			       offsetof(struct cache_plan, context));
	const struct latency_curve *curve = plan->latency.curves;

	while (variant >= curve->first + curve->n)
		curve++;
	return curve;
}

static double tlb_ns(const struct latency_curve *curve, size_t bytes)
{
	bool small = curve->memory->chase.memory.pages == MEMORY_PAGES_BASE;

	if (!small || curve->order.order != CHASE_RANDOM ||
		(double)bytes <= TLB_BYTES)
		return 0;
	return MISS_NS * (1 - TLB_BYTES / (double)bytes);
}

/* The i-th point of a curve for the inference. */
static double ns_of_test(const struct latency_curve *curve, uint32_t i)
{
	const uint32_t ways[] = {8, 16};
	int level = L1;

	if (curve->kind == LATENCY_LINE)
		return i < 3 ? (level_ns[L1] + level_ns[L2]) / 2 : level_ns[L2];
	while (level < (int)curve->level && level < L3 && i + 1 > ways[level])
		level++;
	return level_ns[level];
}

/* What the rounds before a visit would leave. */
static void go_round_made_up(struct chase_point *point)
{
	if (point->state == CHASE_WARMED || point->ring->bytes < 256 << 10)
		return;
	point->visits++;
	point->rounds += 4;
	point->steady += (double)point->ring->bytes != made_up("unsteady", 0);
}

static double ns_of(const struct probe_visit *visit)
{
	const struct cache_context *context = visit->params->context;
	uint32_t variant = visit->variant;
	const struct latency_curve *curve = curve_of(context, variant);
	struct chase_point *point = &context->chase.points[variant];
	size_t bytes = point->ring->bytes;
	double ns = level_ns[level_of(bytes)];

	go_round_made_up(point);
	if (point->state == CHASE_ALONE && level_of(bytes) > L2)
		ns = made_up("alone", ns);
	else if (visit->pass / 4 % 2 && level_of(bytes) == L3)
		ns = made_up("heap", ns);
	ns += tlb_ns(curve, bytes);
	if (curve->kind == LATENCY_LINE || curve->kind == LATENCY_WAYS)
		return ns_of_test(curve, variant - (uint32_t)curve->first);
	return ns * (curve->dirty ? 1.5 : 1) / curve->chains;
}

static double gib_per_s_of(const struct stream_point *point)
{
	int level = level_of(point->bytes);
	double gib_per_s = level_gib_per_s[level] * (1 - point->access / 10.0);

	if (level == MEMORY)
		gib_per_s /= point->n_cpus;
	return strcmp(point->vector->name, "scalar") == 0 ? gib_per_s / 4
							  : gib_per_s;
}

static bool is_chase(const struct probe_visit *visit)
{
	const struct cache_context *context = visit->params->context;

	return visit->variant < context->chase.n;
}

static bool made_up_first(const struct probe_visit *visit, int64_t *ticks)
{
	double value = is_chase(visit) ? ns_of(visit) : 1 / CLOCK_NS;

	if (!cache_due(visit->params->context, visit->variant, visit->pass))
		return false;
	return made_up_visit(visit) && made_up_put(visit, value, ticks);
}

static bool made_up_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct cache_context *context = visit->params->context;
	size_t at = visit->variant - context->chase.n;

	if (!cache_due(visit->params->context, visit->variant, visit->pass))
		return false;
	if (!is_chase(visit)) {
		bool slow = visit->second_cpu == made_up("slow", -1);

		return made_up_put(visit,
			gib_per_s_of(&context->stream.points[at]) /
				(slow ? 2 : 1),
			ticks);
	}
	/* A clock has no noise. */
	for (uint32_t s = 0; s < visit->params->samples; s++)
		ticks[s] = llround(CHASE_CLOCKS * CLOCK_NS * 1e6);
	return true;
}

const struct probe probe_cache = {
	.name = "cache",
	.summary = "measures nothing",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.counts = {true, true},
	.first = made_up_first,
	.second = made_up_second,
	.abandon = made_up_abandon,
	.scale = made_up_scale,
};
