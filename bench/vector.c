/*
 * How fast are the loops that fill and read a queue, if nothing slows them
 * down? Each vector goes through 16 KiB, which fit the first cache of any CPU,
 * with one call for each chunk, as the queue calls it. Beside the vectors is
 * the loop that a programmer would write without them. The rate of a queue
 * cannot exceed these rates. If it is well below them, it does not depend on
 * the loop.
 *
 * The program also checks that flushing works. It prints the time to read a
 * line that is cached, and after arch_flush().
 *
 * Usage: vector [CPU]
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/vector.h"
#include "machine/timebase.h"
#include "stat/stat.h"

#define BYTES	   (16 * 1024)
#define TURNS	   8 /* passes through the memory in a sample */
#define SAMPLES	   401
#define LINES	   4096
#define LINE_BYTES 64

static const size_t chunks[] = {64, 128, 256, 512, 4096};

#define CHUNKS (sizeof(chunks) / sizeof(chunks[0]))

/* The results go here, so that the compiler does not remove a loop. */
static volatile uint64_t sink;

static char *memory, *target;

static void fill_inline(void *to, size_t bytes, uint64_t word)
{
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *)to)[i] = word;
}

static uint64_t read_inline(const void *from, size_t bytes)
{
	uint64_t all = 0;

	for (size_t i = 0; i < bytes / 8; i++)
		all ^= ((const uint64_t *)from)[i];
	return all;
}

/* If `vector` is NULL, run the inline loop. */
static inline void turn(
	const struct arch_vector *vector, char what, size_t chunk)
{
	uint64_t all = 0;

	for (size_t at = 0; at < BYTES; at += chunk) {
		if (what == 's')
			vector->stream(target + at, memory + at, chunk);
		else if (what == 'f' && vector)
			vector->fill(memory + at, chunk, at);
		else if (what == 'f')
			fill_inline(memory + at, chunk, at);
		else if (vector)
			all ^= vector->read(memory + at, chunk);
		else
			all ^= read_inline(memory + at, chunk);
	}
	sink = all;
}

static double bytes_per_ns(
	const struct arch_vector *vector, char what, size_t chunk)
{
	double rates[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++) {
		uint64_t begin = timebase_raw_ns();

		for (int t = 0; t < TURNS; t++)
			turn(vector, what, chunk);
		rates[i] = (double)(TURNS * BYTES) /
			   (double)(timebase_raw_ns() - begin);
	}
	return stat_median(rates, SAMPLES);
}

static void row(const char *name, const struct arch_vector *vector, char what)
{
	printf("%-8s%-8s", name,
		what == 'f' ? "fill" : (what == 'r' ? "read" : "stream"));
	for (size_t i = 0; i < CHUNKS; i++)
		printf("%9.1f", bytes_per_ns(vector, what, chunks[i]));
	printf("\n");
}

/* Read one byte of each line. The address depends on the byte before. */
static void visit(const volatile unsigned char *lines, const uint32_t *order)
{
	size_t at = 0;

	for (size_t i = 0; i < LINES; i++)
		at = lines[at + (size_t)order[i] * LINE_BYTES];
}

/* Print ns for each line, in an order that no prefetcher predicts. */
static void report_flush(void)
{
	unsigned char *lines = aligned_alloc(4096, LINES * LINE_BYTES);
	double cached[SAMPLES], flushed[SAMPLES], again[SAMPLES];
	uint32_t order[LINES];
	struct stat_random random;

	if (!lines)
		abort();
	memset(lines, 0, LINES * LINE_BYTES);
	stat_random_init(&random, 1);
	stat_shuffle(&random, order, LINES);
	for (size_t i = 0; i < SAMPLES; i++) {
		uint64_t ns[4];

		ns[0] = timebase_raw_ns();
		visit(lines, order);
		ns[1] = timebase_raw_ns();
		arch_flush(lines, LINES * LINE_BYTES, LINE_BYTES);
		ns[2] = timebase_raw_ns();
		visit(lines, order);
		ns[3] = timebase_raw_ns();
		cached[i] = (double)(ns[1] - ns[0]) / LINES;
		flushed[i] = (double)(ns[2] - ns[1]) / LINES;
		again[i] = (double)(ns[3] - ns[2]) / LINES;
	}
	printf("a line of %d KiB: read cached %.1f ns, flushed in %.1f ns, "
	       "read again %.1f ns\n",
		LINES * LINE_BYTES / 1024, stat_median(cached, SAMPLES),
		stat_median(flushed, SAMPLES), stat_median(again, SAMPLES));
	free(lines);
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 1 ? (size_t)atoi(argv[1]) : 0, &cpus);
	memory = aligned_alloc(4096, BYTES);
	target = aligned_alloc(4096, BYTES);
	if (!memory || !target || sched_setaffinity(0, sizeof(cpus), &cpus))
		abort();
	memset(memory, 0, BYTES);
	memset(target, 0, BYTES);
	printf("%-16s", "bytes per ns");
	for (size_t i = 0; i < CHUNKS; i++)
		printf("%7zu B", chunks[i]);
	printf("\n");
	row("inline", NULL, 'f');
	row("inline", NULL, 'r');
	for (size_t i = 0; arch_vectors[i]; i++) {
		if (!arch_vector_usable(arch_vectors[i]))
			continue;
		row(arch_vectors[i]->name, arch_vectors[i], 'f');
		row(arch_vectors[i]->name, arch_vectors[i], 'r');
		row(arch_vectors[i]->name, arch_vectors[i], 's');
	}
	report_flush();
	free(memory);
	free(target);
	return 0;
}
