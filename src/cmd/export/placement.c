/*
 * c2c export --placement: CPUs for threads, in the words of the programs that
 * bind them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/placement.h"
#include "cmd/cli.h"
#include "cmd/export/export.h"
#include "util/parse.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/*
 * QEMU refuses more NUMA nodes, and has APIC numbers for more CPUs only with
 * an IOMMU (libvirt's documentation of domains, "eim").
 */
#define MAX_NODES      128
#define MAX_PLAIN_CPUS 255

/* A placement that was found, for the printers below. */
struct placed {
	const struct export_source *source;
	const struct export_placement *wanted;
	struct placement_level *levels; /* those that nest */
	size_t *indexes; /* [n_levels] which of the analysis' each is */
	struct placement_request request;
	size_t *rows; /* [request.threads] */
};

static unsigned cpu_of(const struct placed *placed, size_t thread)
{
	return placed->source->analysis.cpus.cpus[placed->rows[thread]];
}

/* "0-3,8", increasing, of threads from first on, for free(). */
static char *list_cpus(const struct placed *placed)
{
	struct cpu_list cpus = {0};
	char *text = NULL;
	size_t i = 0;

	while (i < placed->request.threads &&
		cpu_list_add(&cpus, cpu_of(placed, i), NULL) == 0)
		i++;
	cpu_list_sort(&cpus);
	if (i == placed->request.threads)
		text = cpu_list_format(&cpus);
	cpu_list_release(&cpus);
	return text;
}

static int print_list(const struct placed *placed, const char *before,
	const char *after, struct error *err)
{
	char *text = list_cpus(placed);

	if (!text)
		return error_no_memory(err, "a list of CPUs");
	printf("%s%s%s\n", before, text, after);
	free(text);
	return 0;
}

static int print_taskset(struct placed *placed, struct error *err)
{
	return print_list(placed, "taskset --cpu-list ", "", err);
}

static int print_numactl(struct placed *placed, struct error *err)
{
	return print_list(
		placed, "numactl --physcpubind=", " --localalloc", err);
}

static int print_slurm(struct placed *placed, struct error *err)
{
	(void)err;
	printf("srun --nodes=1 --ntasks=%zu --cpu-bind=map_cpu:",
		placed->request.threads);
	for (size_t i = 0; i < placed->request.threads; i++)
		printf("%s%u", i ? "," : "", cpu_of(placed, i));
	putchar('\n');
	return 0;
}

/* What a guest gets: its shape and, for each cell, memory and host nodes. */
struct guest {
	struct placement_shape shape;
	uint8_t *distances; /* [n_cells * n_cells]; NULL: not known */
	uint64_t *mib;	    /* [n_cells] */
	uint64_t total_mib;
	struct cpu_list *nodes; /* [n_cells]; NULL: the host has but one */
};

static void guest_release(struct guest *guest)
{
	for (size_t c = 0; guest->nodes && c < guest->shape.n_cells; c++)
		cpu_list_release(&guest->nodes[c]);
	free(guest->nodes);
	free(guest->distances);
	free(guest->mib);
	placement_shape_release(&guest->shape);
}

static int find_nodes(
	const struct placed *placed, struct guest *guest, struct error *err)
{
	const struct machine *machine = placed->source->machine;
	size_t n = guest->shape.n_cells;
	int rc = 0;

	if (!machine || machine_facts(machine)->numa_nodes < 2)
		return 0;
	guest->nodes = calloc(n + 1, sizeof(*guest->nodes));
	if (!guest->nodes)
		return error_no_memory(err, "the guest's nodes");
	for (size_t c = 0; rc == 0 && c < n; c++) {
		for (size_t i = guest->shape.cells[c];
			rc == 0 && i < guest->shape.cells[c + 1]; i++) {
			int node = machine_node_of(machine, cpu_of(placed, i));

			if (node >= 0)
				rc = cpu_list_add(
					&guest->nodes[c], (unsigned)node, err);
		}
		cpu_list_sort(&guest->nodes[c]);
	}
	return rc;
}

/*
 * Each cell has memory by its number of CPUs, in whole MiB: from that of all
 * threads before it to that of all threads up to its end, so none is lost.
 */
static int divide_memory(
	const struct placed *placed, struct guest *guest, struct error *err)
{
	uint64_t threads = placed->request.threads;
	uint64_t total_mib = placed->wanted->memory_bytes / MIB;

	if (placed->wanted->memory_bytes == 0)
		total_mib = threads * (GIB / MIB);
	guest->total_mib = total_mib;
	guest->mib = calloc(guest->shape.n_cells + 1, sizeof(*guest->mib));
	if (!guest->mib)
		return error_no_memory(err, "the guest's memory");
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

/* Whether guests of the machine can have dies, if one can tell. */
static bool has_dies(const struct result *result)
{
	const char *arch = facts_text(&result->machine, "arch");

	return !arch || strcmp(arch, "x86_64") == 0;
}

/*
 * SMT siblings and sharers of a cache are no NUMA nodes: a cell is a group of
 * the next level around them that may be one.
 */
static struct placement_parts find_parts(const struct placed *placed)
{
	const struct analysis *analysis = &placed->source->analysis;
	size_t n = placed->request.n_levels;
	struct placement_parts parts = {.core = n, .die = n, .cell = n};

	for (size_t k = 0; k < n && parts.cell == n; k++) {
		switch (analysis->levels[placed->indexes[k]].kind) {
		case ANALYSIS_SMT:
			parts.core = k;
			break;
		case ANALYSIS_LLC:
			if (has_dies(placed->source->result))
				parts.die = k;
			break;
		default:
			if (k >= placed->request.level)
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

/* What QEMU, which is behind libvirt as a rule, takes. */
static int check_limits(const struct placed *placed,
	const struct placement_shape *shape, struct error *err)
{
	if (shape->n_cells > MAX_NODES)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the guest would have %zu NUMA nodes, and QEMU takes "
			"at most %d: choose another --level or fewer --threads",
			shape->n_cells, MAX_NODES);
	if (placed->request.threads > MAX_PLAIN_CPUS &&
		placed->source->verbosity >= 0)
		cli_warn("export",
			"%zu vCPUs: more than %d need the machine q35, an "
			"IOMMU with intremap and eim, and a QEMU whose q35 "
			"allows that many (7.2: 288)",
			placed->request.threads, MAX_PLAIN_CPUS);
	return 0;
}

/* Of two nodes and more, as far as what was measured tells them. */
static int find_distances(const struct placed *placed,
	const struct placement_parts *parts, struct guest *guest,
	struct error *err)
{
	const struct export_source *source = placed->source;
	const struct matrix *matrix =
		result_find_matrix(source->result, NULL, NULL);
	const struct placement_guest measured = {
		.request = &placed->request,
		.rows = placed->rows,
		.parts = parts,
		.shape = &guest->shape,
		.values = matrix->values,
		.higher_is_better = matrix->higher_is_better,
	};
	size_t n = guest->shape.n_cells;
	int rc;

	if (n < 2)
		return 0;
	guest->distances = calloc(n * n, sizeof(*guest->distances));
	if (!guest->distances)
		return error_no_memory(err, "the distances of nodes");
	rc = placement_distances(&measured, guest->distances, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (source->verbosity >= 0)
		cli_warn("export",
			"the guest gets no distances between its nodes: no "
			"pair of CPUs was measured inside a node, or none "
			"between two nodes");
	free(guest->distances);
	guest->distances = NULL;
	return 0;
}

static int guest_init(
	struct placed *placed, struct guest *guest, struct error *err)
{
	const struct placement_parts parts = find_parts(placed);
	int rc;

	*guest = (struct guest){0};
	placement_nest(&placed->request, placed->rows, placed->request.threads);
	rc = placement_shape_find(
		&placed->request, placed->rows, &parts, &guest->shape, err);
	if (rc == 0)
		rc = check_limits(placed, &guest->shape, err);
	if (rc == 0)
		rc = find_nodes(placed, guest, err);
	if (rc == 0)
		rc = divide_memory(placed, guest, err);
	if (rc == 0)
		rc = find_distances(placed, &parts, guest, err);
	if (rc == 0 && placed->source->verbosity >= 0)
		warn_differing(&guest->shape);
	return rc;
}

static void print_libvirt_memory(const struct guest *guest, char *const *nodes)
{
	if (!guest->nodes)
		return;
	puts("  <numatune>");
	for (size_t c = 0; c < guest->shape.n_cells; c++)
		printf("    <memnode cellid='%zu' mode='strict' "
		       "nodeset='%s'/>\n",
			c, nodes[c]);
	puts("  </numatune>");
}

static void print_libvirt_cell(const struct guest *guest, size_t c)
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

static void print_libvirt_domain(const struct placed *placed,
	const struct guest *guest, char *const *nodes)
{
	const struct placement_shape *shape = &guest->shape;

	printf("<domain type='kvm'>\n"
	       "  <name>c2c</name>\n"
	       "  <memory unit='MiB'>%" PRIu64 "</memory>\n"
	       "  <vcpu placement='static'>%zu</vcpu>\n"
	       "  <cputune>\n",
		guest->total_mib, placed->request.threads);
	for (size_t i = 0; i < placed->request.threads; i++)
		printf("    <vcpupin vcpu='%zu' cpuset='%u'/>\n", i,
			cpu_of(placed, i));
	puts("  </cputune>");
	print_libvirt_memory(guest, nodes);
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

static int print_libvirt(struct placed *placed, struct error *err)
{
	struct guest guest;
	char **nodes = NULL;
	int rc = guest_init(placed, &guest, err);

	if (rc == 0) {
		nodes = calloc(guest.shape.n_cells + 1, sizeof(*nodes));
		rc = nodes ? 0 : error_no_memory(err, "the guest's nodes");
	}
	for (size_t c = 0; rc == 0 && guest.nodes && c < guest.shape.n_cells;
		c++) {
		nodes[c] = cpu_list_format(&guest.nodes[c]);
		if (!nodes[c])
			rc = error_no_memory(err, "the guest's nodes");
	}
	if (rc == 0)
		print_libvirt_domain(placed, &guest, nodes);
	for (size_t c = 0; nodes && c < guest.shape.n_cells; c++)
		free(nodes[c]);
	free(nodes);
	guest_release(&guest);
	return rc;
}

/* QEMU has no option for it. */
static void tell_pins(const struct placed *placed)
{
	fputs("c2c export: QEMU does not pin vCPUs. Ask query-cpus-fast for "
	      "the thread of each, and pin it with taskset -p -c CPU. vCPU "
	      "to CPU:",
		stderr);
	for (size_t i = 0; i < placed->request.threads; i++)
		fprintf(stderr, " %zu:%u", i, cpu_of(placed, i));
	fputc('\n', stderr);
}

/* One direction of each two nodes: QEMU takes the other for the same. */
static void print_qemu_distances(const struct guest *guest)
{
	size_t n = guest->shape.n_cells;

	for (size_t c = 0; guest->distances && c < n; c++) {
		for (size_t d = c + 1; d < n; d++)
			printf("-numa dist,src=%zu,dst=%zu,val=%u\n", c, d,
				guest->distances[c * n + d]);
	}
}

static int print_qemu(struct placed *placed, struct error *err)
{
	const struct placement_shape *shape;
	struct guest guest;
	int rc = guest_init(placed, &guest, err);

	shape = &guest.shape;
	if (rc == 0) {
		printf("-m %" PRIu64 "M\n-smp %zu,sockets=%zu,",
			guest.total_mib, placed->request.threads,
			shape->sockets);
		/* Machines without dies refuse the word. */
		if (shape->dies > 1)
			printf("dies=%zu,", shape->dies);
		printf("cores=%zu,threads=%zu\n", shape->cores, shape->threads);
	}
	for (size_t c = 0; rc == 0 && c < shape->n_cells; c++) {
		printf("-object memory-backend-ram,id=c2c%zu,size=%" PRIu64 "M",
			c, guest.mib[c]);
		for (size_t i = 0; guest.nodes && i < guest.nodes[c].n; i++)
			printf(",host-nodes=%u", guest.nodes[c].cpus[i]);
		printf("%s\n-numa node,nodeid=%zu,cpus=%zu-%zu,memdev=c2c%zu\n",
			guest.nodes ? ",policy=bind" : "", c, shape->cells[c],
			shape->cells[c + 1] - 1, c);
	}
	if (rc == 0)
		print_qemu_distances(&guest);
	if (rc == 0 && placed->source->verbosity >= 0)
		tell_pins(placed);
	guest_release(&guest);
	return rc;
}

static const struct format {
	const char *name;
	int (*print)(struct placed *placed, struct error *err);
	bool guest;
} formats[] = {
	{"taskset", print_taskset, false},
	{"numactl", print_numactl, false},
	{"slurm", print_slurm, false},
	{"libvirt", print_libvirt, true},
	{"qemu", print_qemu, true},
};

static const struct format *find_format(const char *text)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(formats[i].name, text) == 0)
			return &formats[i];
	}
	return NULL;
}

bool export_placement_is_format(const char *text)
{
	return find_format(text);
}

bool export_placement_is_guest(const char *text)
{
	return find_format(text)->guest;
}

/* Classes do not nest, so nothing can be in one group of them after another. */
static const enum analysis_kind kinds[] = {ANALYSIS_SMT, ANALYSIS_LLC,
	ANALYSIS_NODE, ANALYSIS_PACKAGE, ANALYSIS_GROUP};

bool export_placement_is_level(const char *text)
{
	uint64_t number;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(text, analysis_kind_name(kinds[i])) == 0)
			return true;
	}
	return parse_u64(text, 1, UINT32_MAX, &number, NULL) == 0;
}

/* "1 smt, 3 package" for free(), or NULL without memory. */
static char *list_levels(const struct placed *placed)
{
	const struct analysis *analysis = &placed->source->analysis;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (size_t k = 0; k < placed->request.n_levels; k++)
		fprintf(out, "%s%zu %s", k ? ", " : "", placed->indexes[k] + 1,
			analysis_kind_name(
				analysis->levels[placed->indexes[k]].kind));
	if (placed->request.n_levels == 0)
		fputs("none", out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int no_such_level(
	const struct placed *placed, const char *text, struct error *err)
{
	char *known = list_levels(placed);
	int rc;

	if (!known)
		return error_no_memory(err, "the levels");
	rc = error_set(err, ERROR_USAGE, EINVAL,
		"--level: found '%s', expected a level of '%s' that nests: "
		"%s",
		text, placed->source->path, known);
	free(known);
	return rc;
}

/* The level that text names, innermost first; without text the outermost. */
static int choose_level(
	struct placed *placed, const char *text, struct error *err)
{
	const struct analysis *analysis = &placed->source->analysis;
	size_t n = placed->request.n_levels;
	uint64_t number = 0;

	if (!text) {
		placed->request.level = n ? n - 1 : 0;
		return 0;
	}
	parse_u64(text, 1, UINT32_MAX, &number, NULL);
	for (size_t k = 0; k < n; k++) {
		size_t index = placed->indexes[k];
		const char *kind =
			analysis_kind_name(analysis->levels[index].kind);

		if (index + 1 == number || strcmp(kind, text) == 0) {
			placed->request.level = k;
			return 0;
		}
	}
	return no_such_level(placed, text, err);
}

static int take_levels(struct placed *placed, struct error *err)
{
	const struct analysis *analysis = &placed->source->analysis;

	placed->levels =
		calloc(analysis->n_levels + 1, sizeof(*placed->levels));
	placed->indexes =
		calloc(analysis->n_levels + 1, sizeof(*placed->indexes));
	if (!placed->levels || !placed->indexes)
		return error_no_memory(err, "the levels");
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		size_t at = placed->request.n_levels;

		if (!level->nested || level->kind == ANALYSIS_CLASS)
			continue;
		placed->levels[at] =
			(struct placement_level){level->group, level->n_groups};
		placed->indexes[at] = k;
		placed->request.n_levels++;
	}
	return 0;
}

static int find_rows(struct placed *placed, struct error *err)
{
	const struct export_placement *wanted = placed->wanted;
	size_t n = placed->source->analysis.cpus.n;

	if (wanted->threads > n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--threads: found %" PRIu64 ", expected at most %zu, "
			"the CPUs of '%s'",
			wanted->threads, n, placed->source->path);
	placed->request.n = n;
	placed->request.levels = placed->levels;
	placed->request.spread = wanted->spread;
	placed->request.threads = wanted->threads ? wanted->threads : n;
	placed->rows =
		calloc(placed->request.threads + 1, sizeof(*placed->rows));
	if (!placed->rows)
		return error_no_memory(err, "a placement");
	if (placed->request.n_levels == 0 && placed->source->verbosity >= 0)
		cli_warn("export",
			"'%s' has no level to place threads by: c2c uses the "
			"first CPUs",
			placed->source->path);
	return placement_find(&placed->request, placed->rows, err);
}

int export_placement_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err)
{
	struct placed placed = {.source = source, .wanted = wanted};
	int rc = take_levels(&placed, err);

	if (rc == 0)
		rc = choose_level(&placed, wanted->level, err);
	if (rc == 0)
		rc = find_rows(&placed, err);
	if (rc == 0)
		rc = find_format(wanted->format)->print(&placed, err);
	free(placed.levels);
	free(placed.indexes);
	free(placed.rows);
	return rc;
}
