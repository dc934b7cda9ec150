/*
 * Does c2c numa report the latency under load that bare loops measure?
 *
 * On two CPUs, each turn runs the probe of c2c numa and the loops below in
 * random order: one CPU follows pointers while the other CPU reads. The loops
 * were written by hand for this program, and share no code with the probe. They
 * have their own ring and array, with the sizes and the kind of pages of the
 * probe. Slow changes, for example of the places of vCPUs, do not affect the
 * ratio of the two visits of a turn. Turns that the kernel disturbed do not
 * count.
 *
 * Usage: numa [TURNS [MIB [A,B]]]   (default 100, 256 and 0,1)
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"
#include "machine/timebase.h"
#include "probe/probe_numa.h"
#include "probe/undisturbed.h"
#include "read_bare.h"
#include "stat/stat.h"
#include "turns.h"

#define SAMPLES	   3
#define STEPS	   6144 /* steps of three samples of the probe */
#define SETTLE	   512
#define LINE	   64
#define SCALE	   65536.0 /* scale of the probe's ticks */
#define PIECE_MOST ((size_t)64 << 10)
#define PIECE	   ((size_t)1 << 10)

/* The data of the bare loops, and the words at which they meet. */
static struct {
	void **at; /* place in the ring */
	char *array;
	size_t bytes, next;
	uint32_t delay;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t here;
	_Atomic uint32_t phase;
	_Atomic uint32_t gone;
} bare;

static void meet(void)
{
	atomic_fetch_add(&bare.here, 1);
	while (atomic_load(&bare.here) < 2)
		;
}

static void part(void)
{
	if (atomic_fetch_add(&bare.gone, 1) == 0)
		return;
	atomic_store(&bare.phase, 0);
	atomic_store(&bare.gone, 0);
	atomic_store(&bare.here, 0);
}

static void **follow(void **at, int steps)
{
	while (steps-- > 0)
		at = *(void **volatile *)at;
	return at;
}

/* Store a value as all samples of a visit. */
static void put(int64_t *ticks, double value)
{
	for (int k = 0; k < SAMPLES; k++)
		ticks[k] = (int64_t)value;
}

static bool bare_first(const struct probe_visit *visit, int64_t *ticks)
{
	long switches;
	uint64_t begin;

	meet();
	bare.at = follow(bare.at, SETTLE);
	atomic_store(&bare.phase, 1);
	switches = probe_switches();
	begin = timebase_begin(true);
	bare.at = follow(bare.at, STEPS);
	ticks[0] =
		(int64_t)((double)(timebase_end(true) - begin) * SCALE / STEPS);
	switches -= probe_switches();
	atomic_store(&bare.phase, 2);
	part();
	(void)visit;
	return switches == 0;
}

static size_t load_until(uint32_t phase)
{
	size_t piece = bare.delay ? PIECE : PIECE_MOST, moved = 0;

	while (atomic_load(&bare.phase) < phase) {
		read_piece(bare.array + bare.next, piece);
		bare.next = (bare.next + piece) % bare.bytes;
		moved += piece;
		for (volatile uint32_t i = 0; i < bare.delay; i++)
			;
	}
	return moved;
}

static bool bare_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	long switches;
	uint64_t begin;
	size_t moved;
	double s;

	meet();
	switches = probe_switches();
	load_until(1);
	begin = timebase_begin(true);
	moved = load_until(2);
	s = (double)(timebase_end(true) - begin) * params->ns_per_tick * 1e-9;
	switches -= probe_switches();
	put(ticks, (double)moved / (1 << 30) / s * SCALE / params->ns_per_tick);
	part();
	return switches == 0 && moved > 0;
}

static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == TURNS_BARE ? bare_first(visit, ticks)
					 : probe_numa.first(visit, ticks);
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == TURNS_BARE ? bare_second(visit, ticks)
					 : probe_numa.second(visit, ticks);
}

/* Make a cycle through all lines in random order (Sattolo). */
static void draw_ring(char *memory, size_t bytes)
{
	size_t n = bytes / LINE;
	uint32_t *next = malloc(n * sizeof(*next));
	struct stat_random random;

	if (!next)
		abort();
	stat_random_init(&random, 7);
	for (size_t i = 0; i < n; i++)
		next[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)stat_random_below(&random, i);
		uint32_t one = next[i];

		next[i] = next[j];
		next[j] = one;
	}
	for (size_t i = 0; i < n; i++)
		*(void **)(void *)(memory + i * LINE) =
			memory + (size_t)next[i] * LINE;
	free(next);
	bare.at = (void **)(void *)memory;
}

/*
 * Print the medians of both kinds, and the median of their ratios with its
 * interval.
 */
static void print_half(
	const struct turn *turns, size_t n, int half, double ns_per_tick)
{
	double *kinds[2], *ratios = calloc(n, sizeof(double));
	double low = NAN, high = NAN;
	size_t found = 0;

	for (int kind = 0; kind < 2; kind++) {
		kinds[kind] = calloc(n, sizeof(double));
		if (!kinds[kind] || !ratios)
			abort();
	}
	for (size_t i = 0; i < n; i++) {
		double c2c = turns[i].ticks[TURNS_C2C][half];
		double by_hand = turns[i].ticks[TURNS_BARE][half];

		/*
		 * If one half of a visit is missing, the other half had no
		 * load.
		 */
		if (isnan(turns[i].ticks[0][0] + turns[i].ticks[0][1] +
			    turns[i].ticks[1][0] + turns[i].ticks[1][1]))
			continue;
		kinds[0][found] = c2c * ns_per_tick / SCALE;
		kinds[1][found] = by_hand * ns_per_tick / SCALE;
		ratios[found++] = c2c / by_hand;
	}
	stat_sort(ratios, found);
	stat_median_ci95(ratios, found, &low, &high);
	printf("%9.2f%9.2f%7.3f (%.3f, %.3f)", stat_median(kinds[0], found),
		stat_median(kinds[1], found), stat_median(ratios, found), low,
		high);
	if (half == 1)
		printf("%6zu", found);
	free(kinds[0]);
	free(kinds[1]);
	free(ratios);
}

int main(int argc, char **argv)
{
	static const uint32_t delays[] = {20000, 1000, 200, 50, 0};
	struct probe_params params = {.slots = 1};
	struct machine *machine = turns_machine(&params);
	size_t n = argc > 1 ? (size_t)atol(argv[1]) : 100;
	size_t bytes = (size_t)(argc > 2 ? atol(argv[2]) : 256) << 20;
	unsigned cpus[2] = {0, 1};
	struct cpu_list list = {cpus, 2};
	struct probe probe = probe_numa;
	struct numa_row row = {.cpus = list};
	struct numa_home home = {.node = 0};
	struct numa_point point = {.kind = NUMA_LOADED};
	struct numa_context context = {.rows = &row,
		.n_rows = 1,
		.homes = &home,
		.n_homes = 1,
		.points = &point,
		.n_points = 1};
	const struct numa_request request = {.ring_bytes = bytes,
		.array_bytes = bytes,
		.least_bytes = bytes,
		.pages = MEMORY_PAGES_AUTO,
		.seed = 7};
	struct memory_request where = {.bytes = bytes};
	struct crew_options options = {.machine = machine,
		.cpus = &list,
		.probe = &probe,
		.params = &params};
	void *slots = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	struct turn *turns = calloc(n, sizeof(*turns));
	struct memory_mapping ring, array;
	struct error err;

	if (!slots || !turns)
		abort();
	if (argc > 3)
		turns_parse_pair(argv[3], cpus);
	home.node = machine_node_of(machine, cpus[0]);
	where.node = home.node;
	memset(slots, 0, PROBE_SLOT_BYTES);
	params.context = &context;
	params.samples = SAMPLES;
	probe.first = first;
	probe.second = second;
	if (numa_init(&context, machine, &request, &err) < 0 ||
		memory_map(&ring, machine, &where, &err) < 0 ||
		memory_map(&array, machine, &where, &err) < 0)
		turns_die(err.text);
	draw_ring(ring.base, bytes);
	memset(array.base, 1, bytes);
	bare.array = array.base;
	bare.bytes = bytes;
	printf("%8s%9s%9s%22s%9s%9s%22s%6s\n", "delay", "c2c, ns", "bare",
		"ratio (95 %)", "GiB/s", "bare", "ratio (95 %)", "turns");
	for (size_t d = 0; d < sizeof(delays) / sizeof(*delays); d++) {
		point.delay = bare.delay = delays[d];
		bare.next = 0;
		turns_measure(&options, 0, slots, turns, n);
		printf("%8u", delays[d]);
		print_half(turns, n, 0, params.ns_per_tick);
		print_half(turns, n, 1, params.ns_per_tick);
		putchar('\n');
	}
	memory_release(&ring);
	memory_release(&array);
	numa_release(&context);
	machine_free(machine);
	free(slots);
	free(turns);
	return 0;
}
