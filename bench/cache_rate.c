/*
 * Does c2c cache report the rate that a bare loop measures?
 *
 * The probe of c2c cache and the loop below read the same memory on one CPU.
 * The loop was written by hand for this program, and shares no code with the
 * probe. Each turn runs both in random order. Slow changes, for example of the
 * place of a vCPU, do not affect the ratio of the two visits of a turn. The
 * last column is the number of bytes that the probe read in a clock of the
 * core. A chain of additions measures the clock right before each visit.
 *
 * Like the probe, the bare loop first reads all memory once, but at most as
 * much as caches may hold. The timed part takes 0.3 ms.
 *
 * Usage: cache_rate [CPU [TURNS [WIDTH]]]   (default 0, 200, the widest)
 *
 * WIDTH is a name, for example avx2. If a core loads two times 32 bytes a clock
 * by AVX2, both loops should read 64 bytes a clock.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe_stream.h"
#include "stat/stat.h"

#define GIB	   1073741824.0
#define TIMED_NS   300000u
#define WARM_BYTES ((size_t)256 << 20)

/* Number of bytes between two readings of the clock. */
#define SLICE_BYTES ((size_t)1 << 20)

static const size_t sizes[] = {
	4096, 16384, 262144, (size_t)8 << 20, (size_t)256 << 20};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void die(const char *what)
{
	fprintf(stderr, "cache_rate: %s\n", what);
	exit(1);
}

/*
 * Read from `begin` to `end`, `rounds` times. The size is a multiple of 512
 * bytes.
 */
#if defined(__x86_64__)

static void bare_512(const char *begin, const char *end, size_t rounds)
{
	for (; rounds > 0; rounds--) {
		ptrdiff_t at = begin - end;

		__asm__ volatile(
			".p2align 6\n"
			"1:\tvmovaps (%1,%0), %%zmm0\n\t"
			"vmovaps 64(%1,%0), %%zmm1\n\t"
			"vmovaps 128(%1,%0), %%zmm2\n\t"
			"vmovaps 192(%1,%0), %%zmm3\n\t"
			"addq $256, %0\n\t"
			"jnz 1b"
			: "+r"(at)
			: "r"(end)
			: "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
	}
	__asm__ volatile("vzeroupper");
}

/* Zen 3 loads more slowly if the address is the sum of two registers. */
static void bare_256(const char *begin, const char *end, size_t rounds)
{
	for (; rounds > 0; rounds--) {
		const char *at = begin;

		__asm__ volatile(
			".p2align 6\n"
			"1:\tvmovaps (%0), %%ymm0\n\t"
			"vmovaps 32(%0), %%ymm1\n\t"
			"vmovaps 64(%0), %%ymm2\n\t"
			"vmovaps 96(%0), %%ymm3\n\t"
			"vmovaps 128(%0), %%ymm0\n\t"
			"vmovaps 160(%0), %%ymm1\n\t"
			"vmovaps 192(%0), %%ymm2\n\t"
			"vmovaps 224(%0), %%ymm3\n\t"
			"addq $256, %0\n\t"
			"cmpq %1, %0\n\t"
			"jb 1b"
			: "+r"(at)
			: "r"(end)
			: "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
	}
	__asm__ volatile("vzeroupper");
}

static void bare(const struct arch_vector *vector, const char *begin,
	const char *end, size_t rounds)
{
	if (vector->bytes == 64)
		bare_512(begin, end, rounds);
	else
		bare_256(begin, end, rounds);
}

#else

/*
 * On other instruction sets, the probe is compared with a loop without vectors.
 */
static void bare(const struct arch_vector *vector, const char *begin,
	const char *end, size_t rounds)
{
	(void)vector;
	for (; rounds > 0; rounds--) {
		for (const volatile double *p = (const void *)begin;
			(const char *)p < end; p += 4) {
			(void)p[0];
			(void)p[1];
			(void)p[2];
			(void)p[3];
		}
	}
}

#endif

/*
 * Return the rate of the bare loop in GiB/s. The loop begins at *at, and moves
 * *at forward.
 */
static double bare_rate(
	const struct stream_point *point, const char *base, size_t *at)
{
	size_t bytes = point->bytes;
	size_t slice = bytes < SLICE_BYTES ? bytes : SLICE_BYTES;
	size_t rounds = SLICE_BYTES / slice, moved = 0;
	uint64_t begin, ns;

	while (moved < bytes && moved < WARM_BYTES) {
		bare(point->vector, base + *at, base + *at + slice, 1);
		moved += slice;
		*at = (*at + slice) % bytes;
	}
	moved = 0;
	begin = timebase_raw_ns();
	do {
		bare(point->vector, base + *at, base + *at + slice, rounds);
		*at = (*at + slice) % bytes;
		moved += slice * rounds;
		ns = timebase_raw_ns() - begin;
	} while (ns < TIMED_NS);
	return (double)moved / GIB / ((double)ns * 1e-9);
}

/*
 * Return the probe's rate, and its clock in *ghz. NaN if the thread was
 * interrupted.
 */
static double probe_rate(const struct probe_visit *visit, double *ghz)
{
	const struct probe_params *params = visit->params;
	int64_t ticks[1];

	if (!probe_stream.first(visit, ticks))
		return NAN;
	*ghz = probe_stream.scale(params, visit->variant, (double)ticks[0]);
	if (!probe_stream.second(visit, ticks))
		return NAN;
	return probe_stream.scale(params, visit->variant, (double)ticks[0]);
}

static void report(const struct probe_visit *visit, size_t turns)
{
	const struct stream_context *context = visit->params->context;
	const struct stream_point *point = &context->points[visit->variant];
	size_t bytes = point->bytes;
	const char *base = context->memory[0].base;
	double *values = calloc(4 * turns, sizeof(*values));
	double *c2c = values, *loop, *ratio, *a_clock;
	double low = NAN, high = NAN;
	struct stat_random random;
	size_t n = 0, at = 0;

	if (!values)
		abort();
	loop = values + turns;
	ratio = loop + turns;
	a_clock = ratio + turns;
	stat_random_init(&random, bytes);
	for (size_t t = 0; t < turns; t++) {
		bool first = stat_random_below(&random, 2);
		double bare_gib = 0, gib, ghz = NAN;

		if (first)
			bare_gib = bare_rate(point, base, &at);
		gib = probe_rate(visit, &ghz);
		if (!first)
			bare_gib = bare_rate(point, base, &at);
		if (isnan(gib))
			continue;
		c2c[n] = gib;
		loop[n] = bare_gib;
		ratio[n] = gib / bare_gib;
		a_clock[n++] = gib * GIB / (ghz * 1e9);
	}
	stat_sort(ratio, n);
	stat_median_ci95(ratio, n, &low, &high);
	printf("%9zu KiB %9.1f %9.1f %8.3f (%.3f, %.3f) %8.3f %6.3f %9.1f\n",
		bytes >> 10, stat_median(c2c, n), stat_median(loop, n),
		stat_quantile(ratio, n, 0.5), low, high,
		stat_quantile(ratio, n, 0.25), stat_quantile(ratio, n, 0.75),
		stat_median(a_clock, n));
	free(values);
}

/* Return the vector with this name, or the widest vector if `name` is NULL. */
static const struct arch_vector *find(const char *name)
{
	for (size_t i = 0; name && arch_vectors[i]; i++) {
		if (strcmp(arch_vectors[i]->name, name) == 0 &&
			arch_vector_usable(arch_vectors[i]))
			return arch_vectors[i];
	}
	if (name)
		die("this CPU has no vectors of that name");
	return arch_vector_widest();
}

int main(int argc, char **argv)
{
	unsigned cpu = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	size_t turns = argc > 2 ? (size_t)atol(argv[2]) : 200;
	const struct arch_vector *vector = find(argc > 3 ? argv[3] : NULL);
	struct cpu_list cpus = {&cpu, 1};
	struct stream_point points[SIZES];
	struct stream_context context = {
		.points = points, .n_points = SIZES, .cpus = &cpus};
	struct probe_params params = {.samples = 1, .context = &context};
	_Alignas(64) char slot[PROBE_SLOT_BYTES] = {0};
	struct probe_visit visit = {.params = &params,
		.slots = slot,
		.first_cpu = cpu,
		.second_cpu = cpu,
		.n_seconds = 1};
	struct timebase timebase;
	struct machine *machine;
	struct error err;

	for (size_t i = 0; i < SIZES; i++)
		points[i] = (struct stream_point){.bytes = sizes[i],
			.warm_bytes = sizes[i],
			.n_cpus = 1,
			.access = ARCH_READ,
			.vector = vector};
	if (turns == 0)
		die("no turns");
	if (machine_new(&machine, &err) < 0 ||
		machine_bind_thread(machine, cpu, &err) < 0 ||
		timebase_init(&timebase, &err) < 0 ||
		stream_init(&context, machine,
			&(const struct memory_request){
				.pages = MEMORY_PAGES_AUTO},
			&err) < 0)
		die(err.text);
	params.counter = timebase.counter;
	params.ns_per_tick = 1e9 / timebase.hz;
	printf("%s, CPU %u, GiB/s\n%13s %9s %9s %8s %14s %9s %6s %9s\n",
		vector->name, cpu, "", "c2c", "bare", "ratio", "its 95 %",
		"p25", "p75", "B/clk");
	for (uint32_t i = 0; i < SIZES; i++) {
		visit.variant = i;
		report(&visit,
			sizes[i] > SLICE_BYTES * 64 ? turns / 4 + 1 : turns);
	}
	stream_release(&context);
	machine_free(machine);
	return 0;
}
