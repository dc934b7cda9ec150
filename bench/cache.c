/*
 * Does c2c cache report the latency that a bare loop of pointers measures?
 *
 * The probe and the bare loop alternately chase pointers through the same lines
 * on one CPU. Each has its own ring. Slow changes, and the choice of pages by
 * the host, do not affect the ratio of the two latencies. The bare loop shares
 * no code with the probe: it draws its ring itself (Sattolo), and uses the
 * system's clock. Before the timing, the bare loop loads each line once, with
 * WALKERS chains at the same time. The probe has sixteen chains. One chain
 * takes the longest, so other programs evict more lines before the timing.
 *
 * Usage: cache [CPU [TURNS [WALKERS]]]   (default 0, 101, 16; at most 16)
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/timebase.h"
#include "probe/chase.h"
#include "stat/stat.h"

#define LINE	   64
#define WALKERS	   16
#define BARE_LOADS 3000
#define SAMPLES	   3

static void *volatile sink;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void *bare_loop(void *at, size_t loads)
{
	for (size_t i = 0; i < loads; i++)
		at = *(void **)at;
	return at;
}

struct bare {
	void **order; /* [lines] the lines in the order of the ring */
	size_t lines, walkers;
	size_t at; /* index of the next line in order */
};

static void **order_of(void *at, size_t lines)
{
	void **order = malloc(lines * sizeof(*order));

	for (size_t i = 0; order && i < lines; i++) {
		order[i] = at;
		at = *(void **)at;
	}
	return order;
}

/*
 * The walk begins at the next line to time, so that this line is the least
 * recently used.
 */
static void warm_up(const struct bare *bare)
{
	size_t part = bare->lines / bare->walkers;
	void *at[WALKERS];

	for (size_t k = 0; k < bare->walkers; k++)
		at[k] = bare->order[(bare->at + k * part) % bare->lines];
	for (size_t i = 0; i < part; i++)
		for (size_t k = 0; k < bare->walkers; k++)
			at[k] = *(void **)at[k];
	for (size_t k = 0; k < bare->walkers; k++)
		sink = at[k];
}

/* Draw a ring in the last word of each line. The probe uses the first word. */
static void *bare_ring(char *memory, size_t bytes)
{
	size_t n = bytes / LINE;
	char *lines = memory + LINE - sizeof(void *);
	uint32_t *next = malloc(n * sizeof(*next));

	if (!next)
		die("not enough memory");
	for (size_t i = 0; i < n; i++)
		next[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = ((size_t)random() << 31 | (size_t)random()) % i;
		uint32_t kept = next[i];

		next[i] = next[j];
		next[j] = kept;
	}
	for (size_t i = 0; i < n; i++)
		*(void **)(lines + i * LINE) = lines + (size_t)next[i] * LINE;
	free(next);
	return lines;
}

/*
 * Return the median of short samples, because other programs may interrupt a
 * sample.
 */
static double bare_ns(struct bare *bare)
{
	double ns[SAMPLES];

	warm_up(bare);
	for (size_t i = 0; i < SAMPLES; i++) {
		void *at = bare->order[bare->at];
		double begin = now_ns();

		sink = bare_loop(at, BARE_LOADS);
		ns[i] = (now_ns() - begin) / BARE_LOADS;
		bare->at = (bare->at + BARE_LOADS) % bare->lines;
	}
	return stat_median(ns, SAMPLES);
}

/* Run the visit as a campaign does, and repeat it if it was disturbed. */
static double probe_ns(const struct probe_visit *visit)
{
	int64_t ticks[SAMPLES];
	double sorted[SAMPLES];

	while (!probe_chase.first(visit, ticks))
		;
	for (size_t i = 0; i < SAMPLES; i++)
		sorted[i] = (double)ticks[i];
	return probe_chase.scale(
		visit->params, 0, stat_median(sorted, SAMPLES));
}

static double quartile(double *values, size_t n, double at)
{
	stat_sort(values, n);
	return stat_quantile(values, n, at);
}

static void compare(size_t bytes, size_t turns, size_t walkers)
{
	const struct chase_spec spec = {.bytes = bytes};
	const struct chase_plan plan = {.specs = &spec,
		.n = 1,
		.seed = 1,
		.request = {
			.node = MEMORY_ANY_NODE, .pages = MEMORY_PAGES_AUTO}};
	struct chase_context rings;
	struct chase_point point;
	struct chase_points points = {&point, 1, (size_t)128 << 20};
	struct timebase timebase;
	struct probe_params params = {.samples = SAMPLES, .context = &points};
	_Alignas(PROBE_SLOT_BYTES) char slots[PROBE_SLOT_BYTES] = {0};
	const struct probe_visit visit = {
		.params = &params, .slots = slots, .n_seconds = 1};
	double *values = calloc(3 * turns, sizeof(*values)), low = 0, high = 0;
	double *probe = values, *bare, *ratio;
	struct bare loop = {.lines = bytes / LINE, .walkers = walkers};
	struct error err;

	if (!values || chase_init(&rings, &plan, NULL, &err) < 0 ||
		timebase_init(&timebase, &err) < 0)
		die("not enough memory");
	bare = values + turns;
	ratio = bare + turns;
	loop.order = order_of(bare_ring(rings.memory.base, bytes), loop.lines);
	if (!loop.order)
		die("not enough memory");
	params.counter = timebase.counter;
	params.ns_per_tick = 1e9 / timebase.hz;
	chase_point_init(&point, &rings.rings[0], 1, false);
	for (size_t i = 0; i < turns; i++) {
		/* Alternate which of the two is first. */
		if (i % 2)
			bare[i] = bare_ns(&loop);
		probe[i] = probe_ns(&visit);
		if (i % 2 == 0)
			bare[i] = bare_ns(&loop);
		ratio[i] = probe[i] / bare[i];
	}
	stat_sort(ratio, turns);
	stat_median_ci95(ratio, turns, &low, &high);
	printf("%10zu%9.3f%9.3f%9.3f%9.3f,%7.3f%9.3f,%7.3f\n", bytes,
		quartile(probe, turns, 0.5), quartile(bare, turns, 0.5),
		stat_quantile(ratio, turns, 0.5), low, high,
		stat_quantile(ratio, turns, 0.25),
		stat_quantile(ratio, turns, 0.75));
	free(loop.order);
	free(values);
	chase_release(&rings);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {(size_t)16 << 10, (size_t)256 << 10,
		(size_t)8 << 20, (size_t)256 << 20};
	size_t turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 101;
	size_t walkers = argc > 3 ? strtoul(argv[3], NULL, 10) : WALKERS;
	cpu_set_t cpus;

	if (walkers < 1 || walkers > WALKERS)
		die("WALKERS is 1 to 16");
	CPU_ZERO(&cpus);
	CPU_SET(argc > 1 ? strtoul(argv[1], NULL, 10) : 0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		die("there is no such CPU");
	printf("%10s%9s%9s%9s%17s%17s\n", "bytes", "c2c ns", "bare ns", "ratio",
		"95 %", "p25, p75");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		compare(sizes[i], turns, walkers);
	return 0;
}
