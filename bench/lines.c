/*
 * Does c2c latency --by-line report what a bare loop measures?
 *
 * The probe of c2c and a loop alternately use the same two threads, CPUs and
 * lines. The loop was written by hand for this program, and shares no code with
 * the probe. In a turn, the probe visits all lines one after the other, and so
 * does the loop. Each has its own random order of the lines, and the order of
 * probe and loop is random, too. Slow changes, for example of the place of a
 * vCPU, do not affect the ratio of the two visits of a turn.
 *
 * Usage: lines [A,B [TURNS]]   (default 0,1 and 300)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/crew.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "probe/probe_by_line.h"
#include "stat/stat.h"
#include "turns.h"

#define ROUND_TRIPS 100
#define WARM_UP	    4
#define PATIENCE_S  20
#define SEED	    1

static struct by_line_context context;
static struct probe by_line;

/* The one-way times of the bare loop in ns: [turns * BY_LINE_LINES]. */
static double *bare_ns;

static void bare_ping(_Atomic int *word, int n)
{
	arch_align_loop();
	for (int i = 0; i < n; i++) {
		atomic_store_explicit(word, 1, memory_order_release);
		while (atomic_load_explicit(word, memory_order_acquire) != 0)
			;
	}
}

static void bare_pong(_Atomic int *word, int n)
{
	arch_align_loop();
	for (int i = 0; i < n; i++) {
		while (atomic_load_explicit(word, memory_order_acquire) != 1)
			;
		atomic_store_explicit(word, 0, memory_order_release);
	}
}

/* Draw the order of the lines in a turn. Both halves draw the same order. */
static void draw_bare_order(uint32_t turn, uint32_t order[BY_LINE_LINES])
{
	uint32_t random = 2 * turn + 1;

	for (uint32_t i = 0; i < BY_LINE_LINES; i++) {
		uint32_t at;

		order[i] = i;
		random = random * 1664525 + 1013904223;
		at = (random >> 16) % (i + 1);
		order[i] = order[at];
		order[at] = i;
	}
}

static _Atomic int *bare_word(const struct probe_visit *visit, uint32_t line)
{
	return (void *)((char *)visit->slots +
			(size_t)context.slots[line] * PROBE_SLOT_BYTES);
}

/* Separate the turn and the kind of a visit, which are both in its `pass`. */
static struct probe_visit visit_of_turn(const struct probe_visit *visit)
{
	struct probe_visit out = *visit;

	out.pass /= TURNS_KINDS;
	return out;
}

static bool lines_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_visit own = visit_of_turn(visit);
	uint32_t order[BY_LINE_LINES];

	if (visit->pass % TURNS_KINDS == TURNS_C2C)
		return by_line.first(&own, ticks);
	draw_bare_order(own.pass, order);
	for (uint32_t i = 0; i < BY_LINE_LINES; i++) {
		_Atomic int *word = bare_word(visit, order[i]);
		uint64_t begin;

		bare_ping(word, WARM_UP);
		begin = timebase_begin(true);
		bare_ping(word, ROUND_TRIPS);
		ticks[i] = (int64_t)(timebase_end(true) - begin);
		bare_ns[own.pass * BY_LINE_LINES + order[i]] =
			(double)ticks[i] * visit->params->ns_per_tick /
			(2.0 * ROUND_TRIPS);
	}
	return true;
}

static bool lines_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_visit own = visit_of_turn(visit);
	uint32_t order[BY_LINE_LINES];

	if (visit->pass % TURNS_KINDS == TURNS_C2C)
		return by_line.second(&own, ticks);
	draw_bare_order(own.pass, order);
	for (uint32_t i = 0; i < BY_LINE_LINES; i++)
		bare_pong(bare_word(visit, order[i]), WARM_UP + ROUND_TRIPS);
	return true;
}

static void run_turns(const struct crew_options *options, char *block,
	struct crew_visit *visits, size_t n)
{
	size_t *ends = calloc(n, sizeof(*ends));
	struct crew_program program = {visits, ends, n, n};
	struct crew_report outcome;
	struct stat_random random;
	struct error err;
	struct crew *crew;

	if (!ends)
		turns_die("no memory");
	stat_random_init(&random, SEED);
	for (size_t i = 0; i < n; i++) {
		uint32_t kind =
			i % TURNS_KINDS
				? TURNS_BARE - visits[i - 1].pass % TURNS_KINDS
				: (uint32_t)stat_random_below(
					  &random, TURNS_KINDS);

		visits[i] = (struct crew_visit){.second = 1,
			.pass = (uint32_t)(i / TURNS_KINDS) * TURNS_KINDS +
				kind,
			.slots = block};
		ends[i] = i + 1;
	}
	if (crew_new(&crew, options, &err) < 0)
		turns_die(err.text);
	if (crew_run(crew, &program, &outcome) != CREW_DONE)
		turns_die("a CPU did not do its part");
	crew_free(crew);
	free(ends);
}

static double value_of(enum turns_kind kind, size_t turn, size_t line)
{
	return kind == TURNS_C2C ? by_line_value(&context, 0, turn, line)
				 : bare_ns[turn * BY_LINE_LINES + line];
}

/* Set the median of each line over the turns, and print the extremes. */
static void print_lines(enum turns_kind kind, size_t turns, double *values,
	double medians[BY_LINE_LINES])
{
	double near = INFINITY, far = 0;

	for (size_t line = 0; line < BY_LINE_LINES; line++) {
		for (size_t turn = 0; turn < turns; turn++)
			values[turn] = value_of(kind, turn, line);
		medians[line] = stat_median(values, turns);
		near = fmin(near, medians[line]);
		far = fmax(far, medians[line]);
	}
	printf("lines by %s: %.1f to %.1f ns\n",
		kind == TURNS_C2C ? "c2c" : "the bare loop", near, far);
}

/*
 * Print the ratio of the means over lines, and the rank correlation over lines.
 */
static void report_turns(const struct crew_visit *visits, size_t turns,
	const struct probe_params *params)
{
	double medians[TURNS_KINDS][BY_LINE_LINES], ns[TURNS_KINDS], rho = NAN;
	double *values = calloc(turns, sizeof(*values)), low, high;
	double *ticks[TURNS_KINDS];

	for (int kind = 0; kind < TURNS_KINDS; kind++)
		ticks[kind] = calloc(turns, sizeof(double));
	for (size_t i = 0; i < TURNS_KINDS * turns; i++)
		ticks[visits[i].pass % TURNS_KINDS][i / TURNS_KINDS] =
			visits[i].ticks[0];
	for (size_t turn = 0; turn < turns; turn++)
		values[turn] = ticks[TURNS_C2C][turn] / ticks[TURNS_BARE][turn];
	stat_sort(values, turns);
	if (stat_median_ci95(values, turns, &low, &high) < 0)
		turns_die("six turns or more make an interval");
	for (int kind = 0; kind < TURNS_KINDS; kind++)
		ns[kind] = stat_median(ticks[kind], turns) *
			   params->ns_per_tick / (2.0 * ROUND_TRIPS);
	printf("c2c %.2f ns, bare loop %.2f ns, mean over lines; ratio of a "
	       "turn %.3f [%.3f, %.3f]\n",
		ns[TURNS_C2C], ns[TURNS_BARE],
		stat_quantile(values, turns, 0.5), low, high);
	for (int kind = 0; kind < TURNS_KINDS; kind++) {
		print_lines(kind, turns, values, medians[kind]);
		free(ticks[kind]);
	}
	stat_spearman(
		medians[TURNS_C2C], medians[TURNS_BARE], BY_LINE_LINES, &rho);
	printf("rank correlation of both over lines: %.2f\n", rho);
	free(values);
}

int main(int argc, char **argv)
{
	static atomic_bool stop;
	unsigned numbers[2] = {0, 1};
	const struct cpu_list cpus = {numbers, 2};
	size_t turns = argc > 2 ? (size_t)atol(argv[2]) : 300;
	struct probe_params params = {.context = &context};
	struct machine *machine = turns_machine(&params);
	struct probe both;
	struct crew_options options = {.machine = machine,
		.cpus = &cpus,
		.probe = &both,
		.params = &params,
		.idle = CREW_SPIN,
		.patience_s = PATIENCE_S,
		.stop = &stop};
	struct crew_visit *visits =
		calloc(TURNS_KINDS * turns, sizeof(*visits));
	struct memory_mapping block;
	struct error err;

	if (argc > 1)
		turns_parse_pair(argv[1], numbers);
	if (!params.counter)
		turns_die("this needs the cycle counter");
	params.round_trips = ROUND_TRIPS;
	params.samples = params.slots = BY_LINE_LINES;
	params.warm_up = WARM_UP;
	bare_ns = calloc(turns * BY_LINE_LINES, sizeof(*bare_ns));
	if (turns == 0 || !visits || !bare_ns)
		turns_die("no turns, or no memory");
	if (by_line_init(&context, &probe_line, SEED, 1, turns, &err) < 0 ||
		memory_map(&block, machine,
			&(struct memory_request){.bytes = BY_LINE_BLOCK_BYTES,
				.pages = MEMORY_PAGES_AUTO,
				.node = MEMORY_ANY_NODE},
			&err) < 0)
		turns_die(err.text);
	by_line = both = by_line_probe(&probe_line);
	both.first = lines_first;
	both.second = lines_second;
	run_turns(&options, block.base, visits, TURNS_KINDS * turns);
	printf("CPUs %u and %u, %zu turns, %zu of %zu KiB in huge pages\n",
		numbers[0], numbers[1], turns, block.huge_bytes >> 10,
		BY_LINE_BLOCK_BYTES >> 10);
	report_turns(visits, turns, &params);
	memory_release(&block);
	by_line_release(&context);
	free(bare_ns);
	free(visits);
	machine_free(machine);
	return 0;
}
