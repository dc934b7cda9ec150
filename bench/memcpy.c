/*
 * Does c2c memcpy report what a bare memcpy() of the same bytes measures? The
 * program alternately measures the probe and a bare call, on the same CPU and
 * with the same two regions (see turns.h).
 *
 * Usage: memcpy [TURNS MIB A,B...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/vector.h"
#include "machine/timebase.h"
#include "probe/probe_memcpy.h"
#include "turns.h"

static bool bare_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct memcpy_context *context = visit->params->context;
	const void *from = context->row->source.base;
	/* The target is on the node of the copying CPU. */
	void *to = context->nodes[context->n_nodes - 1].dests->memory.base;
	uint64_t begin = timebase_begin(true);

	memcpy(to, from, context->bytes);
	ticks[0] = (int64_t)(timebase_end(true) - begin);
	return true;
}

/*
 * The probe writes the source once for a whole row, in pass 0. Here `pass` is
 * the kind of the visit, so clear it.
 */
static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	struct probe_visit same = *visit;

	same.pass = 0;
	return visit->pass == TURNS_BARE ? true
					 : probe_memcpy.first(&same, ticks);
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == TURNS_BARE ? bare_second(visit, ticks)
					 : probe_memcpy.second(visit, ticks);
}

static struct comparison visit_pair(struct machine *machine,
	const struct probe_params *params, unsigned cpus[2], size_t turns,
	size_t bytes)
{
	struct memcpy_context context = {.machine = machine,
		.bytes = bytes,
		.slice_bytes = bytes,
		.n_dests = 1,
		.vector = arch_vector_widest()};
	struct probe_params own = *params;
	struct probe probe = probe_memcpy;
	struct cpu_list list = {cpus, 2};
	struct crew_options options = {.machine = machine,
		.cpus = &list,
		.probe = &probe,
		.params = &own};
	void *slots = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	struct turn *taken = calloc(turns, sizeof(*taken));
	struct comparison comparison;
	struct error err;

	if (!slots || !taken)
		abort();
	memset(slots, 0, PROBE_SLOT_BYTES);
	if (memcpy_context_init(&context, &list, &err) < 0)
		turns_die(err.text);
	own.context = &context;
	probe.first = first;
	probe.second = second;
	turns_measure(&options, 0, slots, taken, turns);
	comparison = turns_compare(
		taken, turns, 1, (double)bytes, params->ns_per_tick);
	printf("%4u,%-4u", cpus[0], cpus[1]);
	turns_print(&comparison);
	memcpy_context_release(&context);
	free(slots);
	free(taken);
	return comparison;
}

int main(int argc, char **argv)
{
	struct probe_params params = {.slots = 1};
	struct machine *machine = turns_machine(&params);
	size_t turns = argc > 1 ? (size_t)atol(argv[1]) : 30;
	size_t bytes = (size_t)(argc > 2 ? atol(argv[2]) : 256) << 20;
	double least = 0, most = 0;
	size_t near = 0;
	int pairs = argc > 3 ? argc - 3 : 1;

	printf("%-9s", "GiB/s");
	turns_print_head();
	for (int i = 0; i < pairs; i++) {
		unsigned cpus[2] = {0, 1};
		struct comparison c;

		if (argc > 3)
			turns_parse_pair(argv[3 + i], cpus);
		c = visit_pair(machine, &params, cpus, turns, bytes);
		if (i == 0 || c.ratio < least)
			least = c.ratio;
		if (i == 0 || c.ratio > most)
			most = c.ratio;
		near += c.ratio >= 0.97 && c.ratio <= 1.03;
	}
	printf("\n%zu of %d ratios within 3 %%, all in %.3f to %.3f\n", near,
		pairs, least, most);
	machine_free(machine);
	return 0;
}
