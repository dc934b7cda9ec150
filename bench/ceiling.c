/*
 * Do the ceilings of c2c cl use all that the cores can do?
 *
 * The program measures ceilings as c2c cl does, with one CPU and with all CPUs.
 * It measures the clock of a core right before and right after each ceiling.
 * The last columns are the bytes that a CPU moved in a clock. A core that loads
 * two times 32 bytes a clock can read 64 bytes a clock.
 *
 * Usage: ceiling [CPUS [TURNS]]   (default: all CPUs, 9 turns)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/vector.h"
#include "machine/frequency.h"
#include "machine/machine.h"
#include "native/native.h"
#include "stat/stat.h"

#define GIB 1073741824.0

#define MOST_TURNS 1000

static const size_t sizes[] = {16384, 262144, (size_t)4 << 20};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const char *const names[] = {
	[NATIVE_READ] = "read",
	[NATIVE_WRITE] = "write",
	[NATIVE_COPY] = "copy",
};

static void die(const char *what)
{
	fprintf(stderr, "ceiling: %s\n", what);
	exit(1);
}

/* Measure one ceiling, and the mean clock before and after it. */
static double measure(const struct machine *machine,
	const struct cpu_list *cpus, const struct native_work *work,
	double *ghz)
{
	struct native_rate rate = {NAN, NAN, NAN};
	double before;
	struct error err;

	if (machine_bind_thread(machine, cpus->cpus[0], &err) < 0)
		die(err.text);
	before = frequency_ghz();
	if (native_measure(machine, cpus, work, &rate, &err) < 0)
		die(err.text);
	*ghz = (before + frequency_ghz()) / 2;
	return rate.median;
}

static void report(const struct machine *machine, const struct cpu_list *cpus,
	struct native_work work, size_t turns)
{
	double rates[MOST_TURNS], clocks[MOST_TURNS], moved[MOST_TURNS];
	size_t bytes = work.bytes;

	work.bytes *= cpus->n;
	for (size_t t = 0; t < turns; t++) {
		rates[t] = measure(machine, cpus, &work, &clocks[t]);
		moved[t] = rates[t] * GIB / (clocks[t] * 1e9 * (double)cpus->n);
	}
	stat_sort(moved, turns);
	printf("%4zu %9zu KiB %-6s %8.1f %7.2f %11.1f %8.1f %8.1f\n", cpus->n,
		bytes >> 10, names[work.what], stat_median(rates, turns),
		stat_median(clocks, turns), moved[0],
		stat_quantile(moved, turns, 0.5), moved[turns - 1]);
}

int main(int argc, char **argv)
{
	size_t turns = argc > 2 ? (size_t)atol(argv[2]) : 9;
	struct cpu_list cpus = {0}, one;
	struct machine *machine;
	struct error err;

	if (turns == 0 || turns > MOST_TURNS)
		die("expected 1 to 1000 turns");
	if (machine_new(&machine, &err) < 0 ||
		machine_select(machine, argc > 1 ? argv[1] : NULL,
			MACHINE_PER_PU, &cpus, &err) < 0)
		die(err.text);
	one = (struct cpu_list){cpus.cpus, 1};
	printf("%s\n%4s %13s %-6s %8s %7s %20s %8s\n",
		arch_vector_widest()->name, "CPUs", "each", "", "GiB/s", "GHz",
		"B/clk: least, median", "most");
	for (size_t i = 0; i < SIZES; i++) {
		for (int what = NATIVE_READ; what <= NATIVE_COPY; what++) {
			const struct native_work work = {
				(enum native_what)what, .bytes = sizes[i]};

			report(machine, &one, work, turns);
			if (cpus.n > 1)
				report(machine, &cpus, work, turns);
		}
	}
	cpu_list_release(&cpus);
	machine_free(machine);
	return 0;
}
