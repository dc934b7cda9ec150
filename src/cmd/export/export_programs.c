/*
 * c2c export --placement: the syntax of programs that bind threads.
 * export_formats.h describes each one; guests are in export_guests.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"
#include "cmd/cli.h"
#include "cmd/export/thread_placement.h"
#include "result/neighbours.h"
#include "util/text.h"

/* Limit of HAProxy on 64 bits (its configuration manual, "thread-groups"). */
#define MOST_GROUPED 64

/* Default of RTE_MAX_LCORE in DPDK. */
#define MOST_LCORES 128

/* Return "0,8,1": one CPU for each thread, in their order. */
static const char *ordered_cpus(const struct thread_placement *placement)
{
	struct text_list list = {.text = NULL};

	for (size_t i = 0; i < placement->request.threads; i++)
		text_list_add(&list, ",", "%u", placement_cpu(placement, i));
	return arena_adopt(placement->arena, text_list_end(&list));
}

/* Return the nodes of all threads as a list, or NULL. */
static const char *all_nodes(const struct thread_placement *placement)
{
	const struct cpu_list nodes =
		placement_nodes(placement, 0, placement->request.threads);

	return nodes.n == 0
		       ? NULL
		       : arena_adopt(placement->arena, cpu_list_format(&nodes));
}

void print_taskset(const struct thread_placement *placement)
{
	printf("taskset --cpu-list %s\n", placement_cpus(placement));
}

void print_numactl(const struct thread_placement *placement)
{
	printf("numactl --physcpubind=%s --localalloc\n",
		placement_cpus(placement));
}

void print_slurm(const struct thread_placement *placement)
{
	printf("srun --nodes=1 --ntasks=%zu --cpu-bind=map_cpu:%s\n",
		placement->request.threads, ordered_cpus(placement));
}

void print_omp(const struct thread_placement *placement)
{
	const char *cpus = ordered_cpus(placement);

	printf("env OMP_NUM_THREADS=%zu OMP_PROC_BIND=close OMP_PLACES=",
		placement->request.threads);
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("%s{%u}", i ? "," : "", placement_cpu(placement, i));
	putchar('\n');
	if (placement->source->verbosity >= 0)
		cli_notify("export",
			"instead of places: GOMP_CPU_AFFINITY=%s or "
			"KMP_AFFINITY=granularity=fine,proclist=[%s],explicit",
			cpus, cpus);
}

int find_logical_slots(struct thread_placement *placement, struct error *err)
{
	const struct machine *machine = placement->source->machine;
	size_t n = placement->request.threads;

	if (!machine)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--placement=rankfile: '%s' holds no topology, and the "
			"slots of Open MPI are hwloc's logical numbers: name "
			"one with --topology",
			placement->source->path);
	placement->slots =
		arena_alloc(placement->arena, n, sizeof(*placement->slots));
	for (size_t i = 0; i < n; i++) {
		placement->slots[i] = machine_logical_number(
			machine, placement_cpu(placement, i));
		if (placement->slots[i] < 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"--placement=rankfile: the topology lacks CPU "
				"%u",
				placement_cpu(placement, i));
	}
	return 0;
}

void print_rankfile(const struct thread_placement *placement)
{
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("rank %zu=+n0 slot=%d\n", i, placement->slots[i]);
}

void print_likwid(const struct thread_placement *placement)
{
	printf("likwid-pin -c %s\n", ordered_cpus(placement));
}

void print_systemd(const struct thread_placement *placement)
{
	const char *cpus = placement_cpus(placement);
	const char *nodes = all_nodes(placement);

	printf("[Service]\nCPUAffinity=%s\nAllowedCPUs=%s\nNUMAPolicy=%s\n",
		cpus, cpus, nodes ? "bind" : "local");
	if (nodes)
		printf("NUMAMask=%s\n", nodes);
}

void print_podman(const struct thread_placement *placement)
{
	const char *nodes = all_nodes(placement);

	printf("podman run --cpuset-cpus=%s%s%s\n", placement_cpus(placement),
		nodes ? " --cpuset-mems=" : "", nodes ? nodes : "");
}

void print_dpdk(const struct thread_placement *placement)
{
	printf("--lcores=");
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("%s%zu@%u", i ? "," : "", i,
			placement_cpu(placement, i));
	putchar('\n');
	if (placement->source->verbosity >= 0 &&
		placement->request.threads > MOST_LCORES)
		cli_warn("export",
			"DPDK takes lcores below RTE_MAX_LCORE, which is %d "
			"unless it was built otherwise: name fewer --threads",
			MOST_LCORES);
	if (placement->source->verbosity >= 0)
		cli_notify("export", "lcores with the numbers of CPUs: -l %s",
			placement_cpus(placement));
}

int check_thread_group(struct thread_placement *placement, struct error *err)
{
	if (placement->request.threads <= MOST_GROUPED)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--placement=haproxy: found %zu threads, and a thread group "
		"has at most %d: name fewer --threads",
		placement->request.threads, MOST_GROUPED);
}

void print_haproxy(const struct thread_placement *placement)
{
	printf("nbthread %zu\n", placement->request.threads);
	for (size_t i = 0; i < placement->request.threads; i++)
		printf("cpu-map 1/%zu %u\n", i + 1,
			placement_cpu(placement, i));
}

void print_seastar(const struct thread_placement *placement)
{
	printf("--cpuset=%s --smp=%zu\n", placement_cpus(placement),
		placement->request.threads);
}

void print_proxmox(const struct thread_placement *placement)
{
	printf("--affinity %s --sockets 1 --cores %zu\n",
		placement_cpus(placement), placement->request.threads);
}

/* A label has only letters, digits, points and hyphens: no "GiB/s". */
static void print_label(const char *name, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print_label(const char *name, const char *format, ...)
{
	va_list values;

	printf("feature.node.kubernetes.io/c2c-%s=", name);
	va_start(values, format);
	vprintf(format, values);
	va_end(values);
	putchar('\n');
}

void print_nfd(const struct thread_placement *placement)
{
	const struct result *result = placement->source->result;

	print_label("cpus", "%zu", placement->request.n);
	for (size_t k = 0; k < placement->request.n_levels; k++) {
		const struct analysis_level *level = placement->from[k];
		const char *name =
			arena_format(placement->arena, "level-%zu", k + 1);

		print_label(name, "%s", analysis_kinds[level->kind]);
		print_label(arena_format(placement->arena, "%s.groups", name),
			"%zu", level->n_groups);
		if (strcmp(level->unit, "ns") != 0)
			continue;
		if (!isnan(level->inside))
			print_label(arena_format(placement->arena,
					    "%s.inside-ns", name),
				"%.1f", level->inside);
		if (!isnan(level->between))
			print_label(arena_format(placement->arena,
					    "%s.between-ns", name),
				"%.1f", level->between);
	}
	print_label("near-pairs", "%s",
		facts_count(&result->run.other, "rest.near") <= 0 ? "unknown"
		: run_lost_near_pairs(&result->run)		  ? "moved"
								  : "lasted");
}

void print_scx(const struct thread_placement *placement)
{
	const struct placement_request *request = &placement->request;
	const uint32_t *group = request->n_levels > 0
					? request->levels[request->level].group
					: NULL;
	size_t n_groups = group ? request->levels[request->level].n_groups : 1;
	size_t printed = 0;

	if (group && placement->source->verbosity >= 0 &&
		!isnan(placement->from[request->level]->inside)) {
		const struct analysis_level *level =
			placement->from[request->level];

		cli_notify("export",
			"slices of level %s: %.4g %s inside, %.4g between",
			analysis_kinds[level->kind], level->inside, level->unit,
			level->between);
	}
	for (size_t g = 0; g < n_groups; g++) {
		struct cpu_list cpus = {
			arena_alloc(placement->arena, request->threads,
				sizeof(*cpus.cpus)),
			0};

		for (size_t i = 0; i < request->threads; i++) {
			if (!group || group[placement->rows[i]] == g)
				cpus.cpus[cpus.n++] =
					placement_cpu(placement, i);
		}
		if (cpus.n == 0)
			continue;
		cpu_list_sort(&cpus);
		printf("systemctl set-property --runtime c2c-%zu.slice "
		       "AllowedCPUs=%s\n",
			printed++,
			arena_adopt(placement->arena, cpu_list_format(&cpus)));
	}
}

struct neighbour_cell {
	double cost;
	unsigned cpu;
};

static int compare_neighbour_cells(const void *a, const void *b)
{
	const struct neighbour_cell *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* List all CPUs with a known distance from a CPU, the nearest first. */
static void find_neighbours(const struct thread_placement *placement,
	size_t thread, const double *values, struct cpu_neighbours *found)
{
	const struct cpu_list *cpus = &placement->source->analysis.cpus;
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	double sign = matrix_near_is_high(matrix) ? -1 : 1;
	struct neighbour_cell *cells =
		arena_alloc(placement->arena, cpus->n, sizeof(*cells));
	size_t row = placement->rows[thread], n = 0;

	for (size_t j = 0; j < cpus->n; j++) {
		double value = nearest_pair_value(values, cpus->n, row, j);

		if (j == row || isnan(value))
			continue;
		cells[n].cost = sign * value;
		cells[n++].cpu = cpus->cpus[j];
	}
	qsort(cells, n, sizeof(*cells), compare_neighbour_cells);
	found->cpu = cpus->cpus[row];
	found->cpus = (struct cpu_list){
		arena_alloc(placement->arena, n, sizeof(*found->cpus.cpus)), n};
	found->n_values = n;
	found->values =
		arena_alloc(placement->arena, n, sizeof(*found->values));
	for (size_t k = 0; k < n; k++) {
		found->cpus.cpus[k] = cells[k].cpu;
		found->values[k] = sign * cells[k].cost;
	}
}

void print_json(const struct thread_placement *placement)
{
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	const double *values =
		nearest_values(placement->source->result, placement->arena);
	struct neighbours neighbours = {
		.matrix = matrix->name,
		.unit = matrix->unit,
		.quantity = matrix->quantity,
		.n_cpus = placement->request.threads,
		.cpus = arena_alloc(placement->arena,
			placement->request.threads, sizeof(*neighbours.cpus)),
	};

	for (size_t i = 0; i < neighbours.n_cpus; i++)
		find_neighbours(placement, i, values, &neighbours.cpus[i]);
	if (neighbours_print(&neighbours, stdout) < 0)
		arena_fail(placement->arena);
	putchar('\n');
}
