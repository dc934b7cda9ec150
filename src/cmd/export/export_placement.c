/*
 * c2c export --placement: CPUs for threads, in the words of the programs that
 * bind them.
 *
 * A format is a printer and its row here. XML of hwloc is machine/xml_export.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"
#include "analyze/placement.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cli.h"
#include "cmd/export/cmd_export.h"
#include "util/parse.h"
#include "util/text.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/*
 * QEMU refuses more NUMA nodes, and has APIC numbers for more CPUs only with
 * an IOMMU (libvirt's documentation of domains, "eim").
 */
#define MAX_NODES      128
#define MAX_PLAIN_CPUS 255

/* With more threads, a line for each would help nobody. */
#define MOST_PINNED 64

/* A guest: its shape and, for each cell, memory and host nodes. */
struct guest_layout {
	struct placement_shape shape;
	uint8_t *distances; /* [n_cells * n_cells]; NULL: not known */
	uint64_t *mib;	    /* [n_cells] */
	uint64_t total_mib;
	struct cpu_list *nodes; /* [n_cells]; NULL: the host has but one */
};

/* A placement, for the printers below. */
struct thread_placement {
	const struct export_source *source;
	const struct export_placement *wanted;
	struct arena *arena;
	const struct analysis_level **from; /* [n_levels] those that nest */
	struct placement_request request;
	size_t *rows; /* [request.threads] */
	struct guest_layout guest;
};

static unsigned cpu_of(const struct thread_placement *placement, size_t thread)
{
	return placement->source->analysis.cpus.cpus[placement->rows[thread]];
}

/* The CPUs of all threads as a list: "0-3,8". */
static char *list_cpus(const struct thread_placement *placement)
{
	size_t n = placement->request.threads;
	struct cpu_list cpus = {
		arena_alloc(placement->arena, n, sizeof(*cpus.cpus)), n};

	for (size_t i = 0; i < n; i++)
		cpus.cpus[i] = cpu_of(placement, i);
	cpu_list_sort(&cpus);
	return arena_adopt(placement->arena, cpu_list_format(&cpus));
}

static void print_taskset(const struct thread_placement *placement)
{
	printf("taskset --cpu-list %s\n", list_cpus(placement));
}

static void print_numactl(const struct thread_placement *placement)
{
	printf("numactl --physcpubind=%s --localalloc\n", list_cpus(placement));
}

static void print_slurm(const struct thread_placement *placement)
{
	printf("srun --nodes=1 --ntasks=%zu --cpu-bind=map_cpu:",
		placement->request.threads);
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("%s%u", i ? "," : "", cpu_of(placement, i));
	putchar('\n');
}

static void find_guest_nodes(struct thread_placement *placement)
{
	struct guest_layout *guest = &placement->guest;
	const struct machine *machine = placement->source->machine;
	const size_t *cells = guest->shape.cells;

	if (!machine || machine_facts(machine)->numa_nodes < 2)
		return;
	guest->nodes = arena_alloc(
		placement->arena, guest->shape.n_cells, sizeof(*guest->nodes));
	for (size_t c = 0; c < guest->shape.n_cells; c++) {
		struct cpu_list *nodes = &guest->nodes[c];

		nodes->cpus = arena_alloc(placement->arena,
			cells[c + 1] - cells[c], sizeof(*nodes->cpus));
		for (size_t i = cells[c]; i < cells[c + 1]; i++) {
			int node =
				machine_node_of(machine, cpu_of(placement, i));

			if (node >= 0 &&
				cpu_list_find(nodes, (unsigned)node) < 0)
				nodes->cpus[nodes->n++] = (unsigned)node;
		}
		cpu_list_sort(nodes);
	}
}

/*
 * Divide the memory by CPUs, in whole MiB: each cell gets the difference of two
 * running totals, so that none is lost.
 */
static int divide_memory(struct thread_placement *placement, struct error *err)
{
	struct guest_layout *guest = &placement->guest;
	uint64_t threads = placement->request.threads;
	uint64_t total_mib = placement->wanted->memory_bytes / MIB;

	if (placement->wanted->memory_bytes == 0)
		total_mib = threads * (GIB / MIB);
	guest->total_mib = total_mib;
	guest->mib = arena_alloc(
		placement->arena, guest->shape.n_cells, sizeof(*guest->mib));
	for (size_t c = 0; c < guest->shape.n_cells; c++) {
		uint64_t begin = guest->shape.cells[c];
		uint64_t end = guest->shape.cells[c + 1];

		guest->mib[c] =
			total_mib * end / threads - total_mib * begin / threads;
		if (guest->mib[c] == 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--memory: found less than 1 MiB for each of "
				"%zu nodes of the guest, expected more",
				guest->shape.n_cells);
	}
	return 0;
}

/* Whether guests of this machine can have dies, as far as known. */
static bool has_dies(const struct result *result)
{
	const char *arch = facts_text(&result->machine, "arch");

	return !arch || strcmp(arch, "x86_64") == 0;
}

/*
 * Groups that share a core or a cache are no NUMA nodes: a cell is a group of
 * the next outer level that can be one.
 */
static struct placement_parts find_guest_parts(
	const struct thread_placement *placement)
{
	size_t n = placement->request.n_levels;
	struct placement_parts parts = {.core = n, .die = n, .cell = n};

	for (size_t k = 0; k < n && parts.cell == n; k++) {
		switch (placement->from[k]->kind) {
		case ANALYSIS_SMT:
			parts.core = k;
			break;
		case ANALYSIS_LLC:
			if (has_dies(placement->source->result))
				parts.die = k;
			break;
		default:
			if (k >= placement->request.level)
				parts.cell = k;
			break;
		}
	}
	return parts;
}

static void warn_differing(const struct placement_shape *shape)
{
	if (shape->cells_differ)
		cli_warn("export",
			"the guest's NUMA nodes have different numbers of "
			"CPUs, but sockets must be equal: each has %zu CPUs",
			shape->dies * shape->cores * shape->threads);
	if (shape->dies_differ)
		cli_warn("export",
			"different numbers of CPUs share a cache, but dies "
			"must be equal: each socket is one die");
	if (shape->cores_differ)
		cli_warn("export",
			"cores have different numbers of threads, but must be "
			"equal: each vCPU is a separate core");
}

/* Check what QEMU takes, which is usually behind libvirt too. */
static int check_limits(
	const struct thread_placement *placement, struct error *err)
{
	size_t nodes = placement->guest.shape.n_cells;

	if (nodes > MAX_NODES)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the guest would have %zu NUMA nodes, and QEMU takes "
			"at most %d: choose another --level or fewer --threads",
			nodes, MAX_NODES);
	if (placement->request.threads > MAX_PLAIN_CPUS &&
		placement->source->verbosity >= 0)
		cli_warn("export",
			"%zu vCPUs: more than %d need the machine q35, an "
			"IOMMU with intremap and eim, and a QEMU whose q35 "
			"allows that many (7.2: 288)",
			placement->request.threads, MAX_PLAIN_CPUS);
	return 0;
}

/* Find the distances of two nodes or more, as far as measured. */
static void find_guest_distances(
	struct thread_placement *placement, const struct placement_parts *parts)
{
	struct guest_layout *guest = &placement->guest;
	const struct export_source *source = placement->source;
	const struct matrix *matrix =
		result_find_matrix(source->result, NULL, NULL);
	const struct placement_guest measured = {
		.request = &placement->request,
		.rows = placement->rows,
		.parts = parts,
		.shape = &guest->shape,
		.values = matrix->values,
		.near_is_high = matrix_near_is_high(matrix),
	};

	if (guest->shape.n_cells < 2)
		return;
	guest->distances = placement_distances(&measured, placement->arena);
	if (!guest->distances && source->verbosity >= 0)
		cli_warn("export",
			"the guest gets no distances between its nodes: no "
			"pair of CPUs was measured inside a node, or none "
			"between two nodes");
}

static int find_guest_layout(
	struct thread_placement *placement, struct error *err)
{
	const struct placement_parts parts = find_guest_parts(placement);
	struct placement_shape *shape = &placement->guest.shape;

	placement_sort_nested(&placement->request, placement->rows,
		placement->request.threads);
	placement_shape_find(&placement->request, placement->rows, &parts,
		shape, placement->arena);
	if (check_limits(placement, err) < 0 ||
		divide_memory(placement, err) < 0)
		return -EINVAL;
	find_guest_nodes(placement);
	find_guest_distances(placement, &parts);
	if (placement->source->verbosity >= 0)
		warn_differing(shape);
	return 0;
}

static void print_libvirt_memory(const struct thread_placement *placement)
{
	const struct guest_layout *guest = &placement->guest;

	if (!guest->nodes)
		return;
	puts("  <numatune>");
	for (size_t c = 0; c < guest->shape.n_cells; c++)
		printf("    <memnode cellid='%zu' mode='strict' "
		       "nodeset='%s'/>\n",
			c,
			arena_adopt(placement->arena,
				cpu_list_format(&guest->nodes[c])));
	puts("  </numatune>");
}

static void print_libvirt_cell(const struct guest_layout *guest, size_t c)
{
	const struct placement_shape *shape = &guest->shape;
	size_t n = shape->n_cells;

	printf("      <cell id='%zu' cpus='%zu-%zu' "
	       "memory='%" PRIu64 "' unit='MiB'%s>\n",
		c, shape->cells[c], shape->cells[c + 1] - 1, guest->mib[c],
		guest->distances ? "" : "/");
	if (!guest->distances)
		return;
	puts("        <distances>");
	for (size_t d = 0; d < n; d++)
		printf("          <sibling id='%zu' value='%u'/>\n", d,
			guest->distances[c * n + d]);
	puts("        </distances>\n"
	     "      </cell>");
}

static void print_libvirt(const struct thread_placement *placement)
{
	const struct guest_layout *guest = &placement->guest;
	const struct placement_shape *shape = &guest->shape;

	printf("<domain type='kvm'>\n"
	       "  <name>c2c</name>\n"
	       "  <memory unit='MiB'>%" PRIu64 "</memory>\n"
	       "  <vcpu placement='static'>%zu</vcpu>\n"
	       "  <cputune>\n",
		guest->total_mib, placement->request.threads);
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("    <vcpupin vcpu='%zu' cpuset='%u'/>\n", i,
			cpu_of(placement, i));
	puts("  </cputune>");
	print_libvirt_memory(placement);
	printf("  <os>\n"
	       "    <type>hvm</type>\n"
	       "  </os>\n"
	       "  <cpu mode='host-passthrough'>\n"
	       "    <topology sockets='%zu' dies='%zu' cores='%zu' "
	       "threads='%zu'/>\n"
	       "    <numa>\n",
		shape->sockets, shape->dies, shape->cores, shape->threads);
	for (size_t c = 0; c < shape->n_cells; c++)
		print_libvirt_cell(guest, c);
	puts("    </numa>\n"
	     "  </cpu>\n"
	     "</domain>");
}

/* Print the pins: QEMU has no option for them. */
static void print_vcpu_pins(const struct thread_placement *placement)
{
	struct text_list pins = {.text = NULL};
	char *text;

	for (size_t i = 0; i < placement->request.threads; i++)
		text_list_add(&pins, " ", "%zu:%u", i, cpu_of(placement, i));
	text = text_list_end(&pins);
	cli_notify("export",
		"QEMU does not pin vCPUs. Ask query-cpus-fast for the thread "
		"of each, and pin it with taskset -p -c CPU. vCPU to CPU: %s",
		text ? text : "no memory to say it");
	free(text);
}

/* Each pair once: QEMU uses a distance in both directions. */
static void print_qemu_distances(const struct guest_layout *guest)
{
	size_t n = guest->shape.n_cells;

	for (size_t c = 0; guest->distances && c < n; c++) {
		for (size_t d = c + 1; d < n; d++)
			printf("-numa dist,src=%zu,dst=%zu,val=%u\n", c, d,
				guest->distances[c * n + d]);
	}
}

static void print_qemu(const struct thread_placement *placement)
{
	const struct guest_layout *guest = &placement->guest;
	const struct placement_shape *shape = &guest->shape;

	printf("-m %" PRIu64 "M\n-smp %zu,sockets=%zu,", guest->total_mib,
		placement->request.threads, shape->sockets);
	/* Machine types without dies refuse this word. */
	if (shape->dies > 1)
		printf("dies=%zu,", shape->dies);
	printf("cores=%zu,threads=%zu\n", shape->cores, shape->threads);
	for (size_t c = 0; c < shape->n_cells; c++) {
		printf("-object memory-backend-ram,id=c2c%zu,size=%" PRIu64 "M",
			c, guest->mib[c]);
		for (size_t i = 0; guest->nodes && i < guest->nodes[c].n; i++)
			printf(",host-nodes=%u", guest->nodes[c].cpus[i]);
		printf("%s\n-numa node,nodeid=%zu,cpus=%zu-%zu,memdev=c2c%zu\n",
			guest->nodes ? ",policy=bind" : "", c, shape->cells[c],
			shape->cells[c + 1] - 1, c);
	}
	print_qemu_distances(guest);
	if (placement->source->verbosity >= 0)
		print_vcpu_pins(placement);
}

static void (*const formats[])(const struct thread_placement *placement) = {
	[EXPORT_TASKSET] = print_taskset,
	[EXPORT_NUMACTL] = print_numactl,
	[EXPORT_SLURM] = print_slurm,
	[EXPORT_LIBVIRT] = print_libvirt,
	[EXPORT_QEMU] = print_qemu,
};

/* The number of a level in the report of c2c analyze. */
static size_t placement_level_number(
	const struct thread_placement *placement, size_t k)
{
	return (size_t)(placement->from[k] -
			placement->source->analysis.levels) +
	       1;
}

/* The error that lists "1 smt, 3 package". */
static int no_such_level(const struct thread_placement *placement,
	const char *text, struct error *err)
{
	struct text_list list = {0};

	for (size_t k = 0; k < placement->request.n_levels; k++)
		text_list_add(&list, ", ", "%zu %s",
			placement_level_number(placement, k),
			analysis_kinds[placement->from[k]->kind]);
	if (placement->request.n_levels == 0) {
		free(text_list_end(&list));
		return error_set(err, ERROR_USAGE, EINVAL,
			"--level: found '%s', but '%s' has none: leave the "
			"option out",
			text, placement->source->path);
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"--level: found '%s', expected a level of '%s': %s", text,
		placement->source->path,
		arena_adopt(placement->arena, text_list_end(&list)));
}

/* The level that text names, innermost first; without text the outermost. */
static int choose_placement_level(
	struct thread_placement *placement, const char *text, struct error *err)
{
	size_t n = placement->request.n_levels;
	uint64_t number = 0;

	if (!text) {
		placement->request.level = n ? n - 1 : 0;
		return 0;
	}
	parse_u64(text, 1, UINT32_MAX, &number, NULL);
	for (size_t k = 0; k < n; k++) {
		const char *kind = analysis_kinds[placement->from[k]->kind];

		if (placement_level_number(placement, k) == number ||
			strcmp(kind, text) == 0) {
			placement->request.level = k;
			return 0;
		}
	}
	return no_such_level(placement, text, err);
}

static void list_nested_levels(struct thread_placement *placement)
{
	const struct analysis *analysis = &placement->source->analysis;
	size_t n = analysis->n_levels, kept = 0;
	struct placement_level *levels =
		arena_alloc(placement->arena, n, sizeof(*levels));

	placement->from = arena_alloc(placement->arena, n, sizeof(void *));
	for (size_t k = 0; k < n; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		if (!level->nested || level->kind == ANALYSIS_CLASS)
			continue;
		levels[kept] =
			(struct placement_level){level->group, level->n_groups};
		placement->from[kept++] = level;
	}
	placement->request.levels = levels;
	placement->request.n_levels = kept;
}

/* By pairs unless groups are asked for; not where all CPUs are taken. */
static bool is_by_pairs(const struct thread_placement *placement)
{
	const struct export_placement *wanted = placement->wanted;
	const struct placement_request *request = &placement->request;

	if (request->threads == 1 || request->threads == request->n)
		return wanted->per_core;
	return !wanted->spread &&
	       (request->n_levels == 0 || (!wanted->level && !wanted->pack));
}

/* The nearest CPUs, of different cores if that is asked for. */
static int place_nearest_threads(
	struct thread_placement *placement, struct error *err)
{
	const struct placement_request *request = &placement->request;
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	const uint32_t *core = placement->wanted->per_core
				       ? placement->source->analysis.core
				       : NULL;

	placement->rows = placement_nearest(
		nearest_values(placement->source->result, placement->arena),
		request->n, matrix_near_is_high(matrix), core, request->threads,
		placement->arena);
	if (placement->rows)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--per=core: found %zu threads and fewer cores in '%s': leave "
		"--per out, or name fewer --threads",
		request->threads, placement->source->path);
}

/* Where threads go. */
static int place_threads(struct thread_placement *placement, struct error *err)
{
	const struct export_source *source = placement->source;
	const struct placement_request *request = &placement->request;
	bool by_pairs = is_by_pairs(placement);

	if (request->n_levels == 0 && source->verbosity >= 0 &&
		(!by_pairs || placement->wanted->pack))
		cli_warn("export",
			"'%s' has no level to place threads by: c2c uses %s",
			source->path,
			by_pairs ? "CPUs that are near each other, pair by pair"
				 : "the first CPUs");
	if (by_pairs)
		return place_nearest_threads(placement, err);
	placement->rows = placement_find(request, placement->arena);
	return 0;
}

/* The median between the chosen CPUs, or between these and others. */
static double median_between(const struct thread_placement *placement,
	const bool *chosen, bool others)
{
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	size_t n = placement->request.n, count = 0;
	float *values = arena_alloc(placement->arena, n * n, sizeof(*values));

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			if (i != j && chosen[i] && chosen[j] != others)
				append_known(values, &count,
					(float)matrix->values[i * n + j]);
		}
	}
	return (double)median_of_floats(values, count);
}

/* What a placement buys. */
static void print_placement_gain(const struct thread_placement *placement)
{
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	size_t n = placement->request.n;
	bool *chosen = arena_alloc(placement->arena, n, sizeof(*chosen));
	double inside, between;

	for (size_t i = 0; i < placement->request.threads; i++)
		chosen[placement->rows[i]] = true;
	inside = median_between(placement, chosen, false);
	between = median_between(placement, chosen, true);
	if (isnan(inside))
		return;
	if (isnan(between))
		cli_notify("export", "CPUs %s: %.4g %s inside",
			list_cpus(placement), inside, matrix->unit);
	else
		cli_notify("export", "CPUs %s: %.4g %s inside, %.4g between",
			list_cpus(placement), inside, matrix->unit, between);
}

/* taskset and numactl bind a process: its threads go where they like in it. */
static void print_thread_pins(const struct thread_placement *placement)
{
	size_t n = placement->request.threads;

	if (placement->wanted->format > EXPORT_NUMACTL || n < 2 ||
		n > MOST_PINNED || n == placement->request.n)
		return;
	cli_notify("export",
		"this binds the process, and its threads to any of these "
		"CPUs. To pin each thread, by its TID:");
	for (size_t i = 0; i < n; i++)
		cli_notify("export", "thread %zu: taskset -p -c %u TID", i,
			cpu_of(placement, i));
}

static void warn_of_cores(const struct export_source *source,
	const struct export_placement *wanted)
{
	if (wanted->per_core && source->analysis.core_perhaps &&
		source->verbosity >= 0)
		cli_warn("export",
			"neither the numbers nor a topology show SMT siblings "
			"for sure: %s; --topology=XML tells",
			source->analysis.core
				? "pairs that stand out as near count as cores"
				: "each CPU counts as a core");
}

int export_nearest_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err)
{
	const uint32_t *core = wanted->per_core ? source->analysis.core : NULL;
	struct analysis_pair *pairs;
	size_t n;

	if (matrix_is_slowdown(nearest_matrix(source->result)))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--nearest: '%s' has slowdowns, which are no "
			"distances; 'c2c latency' measures these",
			source->path);
	n = nearest_find(
		source->result, core, wanted->nearest, &pairs, source->arena);
	warn_of_cores(source, wanted);
	for (size_t k = 0; k < n; k++)
		puts(analyze_name_pair(&pairs[k], source->arena));
	return 0;
}

static size_t count_all_cores(const struct export_source *source)
{
	const uint32_t *core = source->analysis.core;
	size_t n = source->analysis.cpus.n, last = 0;

	/* They are numbered by their first CPUs. */
	for (size_t i = 0; core && i < n; i++)
		last = core[i] > last ? core[i] : last;
	return core ? last + 1 : n;
}

int export_placement_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err)
{
	struct thread_placement placement = {
		.source = source, .wanted = wanted, .arena = source->arena};
	struct placement_request *request = &placement.request;

	request->n = source->analysis.cpus.n;
	request->spread = wanted->spread;
	request->threads = wanted->threads    ? wanted->threads
			   : wanted->per_core ? count_all_cores(source)
					      : request->n;
	list_nested_levels(&placement);
	if (choose_placement_level(&placement, wanted->level, err) < 0)
		return -EINVAL;
	if (wanted->threads > request->n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--threads: found %" PRIu64 ", expected at most %zu, "
			"the CPUs of '%s'",
			wanted->threads, request->n, source->path);
	if (place_threads(&placement, err) < 0)
		return -EINVAL;
	if (wanted->format >= EXPORT_LIBVIRT &&
		find_guest_layout(&placement, err) < 0)
		return -EINVAL;
	warn_of_cores(source, wanted);
	formats[wanted->format](&placement);
	if (source->verbosity < 0)
		return 0;
	print_placement_gain(&placement);
	print_thread_pins(&placement);
	return 0;
}
