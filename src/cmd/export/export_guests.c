/*
 * c2c export --placement for guests: libvirt and QEMU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/export/thread_placement.h"
#include "util/text.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/*
 * QEMU allows at most this many NUMA nodes. More than this many CPUs need an
 * IOMMU (libvirt's documentation of domains, "eim").
 */
#define MAX_NODES      128
#define MAX_PLAIN_CPUS 255

static void find_guest_nodes(struct thread_placement *placement)
{
	struct guest_layout *guest = &placement->guest;
	const struct machine *machine = placement->source->machine;
	const size_t *cells = guest->shape.cells;

	if (!machine || machine_facts(machine)->numa_nodes < 2)
		return;
	guest->nodes = arena_alloc(
		placement->arena, guest->shape.n_cells, sizeof(*guest->nodes));
	for (size_t c = 0; c < guest->shape.n_cells; c++)
		guest->nodes[c] =
			placement_nodes(placement, cells[c], cells[c + 1]);
}

/*
 * Divide the memory by CPUs, in whole MiB. A cell gets the difference of two
 * cumulative sums, so that no MiB is lost.
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

/* Return whether guests of this machine can have dies; true if unknown. */
static bool has_dies(const struct result *result)
{
	const char *arch = facts_text(&result->machine, "arch");

	return !arch || strcmp(arch, "x86_64") == 0;
}

/*
 * Choose the level of NUMA nodes: groups that share a core or a cache cannot be
 * nodes.
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
			"CPUs, but sockets must be equal: each gets %zu CPUs",
			shape->dies * shape->cores * shape->threads);
	if (shape->dies_differ)
		cli_warn("export",
			"caches have different numbers of CPUs, but dies must "
			"be equal: each socket is one die");
	if (shape->cores_differ)
		cli_warn("export",
			"cores have different numbers of threads, but QEMU "
			"needs equal cores: each vCPU is a separate core");
}

/* Check the limits of QEMU, which libvirt usually uses too. */
static int check_limits(
	const struct thread_placement *placement, struct error *err)
{
	size_t nodes = placement->guest.shape.n_cells;

	if (nodes > MAX_NODES)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the guest would have %zu NUMA nodes, and QEMU allows "
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

/* Find the distances between nodes from the measured pairs. */
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
			"the guest gets no distances between its nodes: the "
			"record lacks pairs of CPUs inside a node or between "
			"two nodes");
}

int find_guest_layout(struct thread_placement *placement, struct error *err)
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

	printf("      <cell id='%zu' cpus='%zu-%zu' memory='%" PRIu64
	       "' unit='MiB'%s>\n",
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

void print_libvirt(const struct thread_placement *placement)
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
			placement_cpu(placement, i));
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

/* Print the pins as comments: QEMU has no option for them. */
static void print_vcpu_pins(const struct thread_placement *placement)
{
	struct text_list pins = {.text = NULL};
	char *text;

	for (size_t i = 0; i < placement->request.threads; i++)
		text_list_add(
			&pins, " ", "%zu:%u", i, placement_cpu(placement, i));
	text = text_list_end(&pins);
	cli_notify("export",
		"QEMU does not pin vCPUs. Pin the thread of each vCPU "
		"(query-cpus-fast) with taskset -p -c CPU. vCPU to CPU: %s",
		text ? text : "no memory to say it");
	free(text);
}

/* Print each pair once: QEMU uses a distance in both directions. */
static void print_qemu_distances(const struct guest_layout *guest)
{
	size_t n = guest->shape.n_cells;

	for (size_t c = 0; guest->distances && c < n; c++) {
		for (size_t d = c + 1; d < n; d++)
			printf("-numa dist,src=%zu,dst=%zu,val=%u\n", c, d,
				guest->distances[c * n + d]);
	}
}

void print_qemu(const struct thread_placement *placement)
{
	const struct guest_layout *guest = &placement->guest;
	const struct placement_shape *shape = &guest->shape;

	printf("-m %" PRIu64 "M\n-smp %zu,sockets=%zu,", guest->total_mib,
		placement->request.threads, shape->sockets);
	/* Some machine types reject the word dies. */
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
