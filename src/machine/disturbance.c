/* See proc(5): interrupts, stat; and the kernel's cputopology. */
#include "machine/disturbance.h"

#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"
#include "machine/system.h"

/* Add the counts of one line to the sums of the CPUs. */
static void add_interrupts(
	const char *line, const long *columns, size_t n, double *sums)
{
	char *at = strchr(line, ':');

	/* ERR and MIS have one number for the machine, and are errors. */
	if (!at || strstr(line, "ERR:") || strstr(line, "MIS:"))
		return;
	at++;
	for (size_t k = 0; k < n; k++) {
		char *end;
		unsigned long long count = strtoull(at, &end, 10);

		if (end == at)
			return;
		if (columns[k] >= 0)
			sums[columns[k]] += (double)count;
		at = end;
	}
}

/* Sum the interrupts. The columns are CPUs online: "CPU0 CPU1 CPU3". */
static void read_interrupts(
	char *text, const struct cpu_list *cpus, long *columns, double *sums)
{
	char *line_end, *word, *rest;
	size_t n = 0;
	char *line = text ? strtok_r(text, "\n", &line_end) : NULL;

	if (!line)
		return;
	for (word = strtok_r(line, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		unsigned cpu;

		if (n == CPU_LIST_MAX_CPU || sscanf(word, "CPU%u", &cpu) != 1)
			break;
		columns[n] = cpu_list_find(cpus, cpu);
		if (columns[n] >= 0)
			sums[columns[n]] = 0;
		n++;
	}
	while ((line = strtok_r(NULL, "\n", &line_end)))
		add_interrupts(line, columns, n, sums);
}

static void read_ticks(const char *text, const struct cpu_list *cpus,
	struct cpu_disturbance *counts)
{
	for (const char *line = text; line;) {
		unsigned cpu;
		long at;

		/* The line "cpu" is the sum of all CPUs, so skip it. */
		if (strncmp(line, "cpu ", 4) != 0 &&
			sscanf(line, "cpu%u", &cpu) == 1 &&
			(at = cpu_list_find(cpus, cpu)) >= 0)
			system_line_ticks(
				line, &counts[at].stolen, &counts[at].ticks);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

/* Count the disturbances; columns and sums are buffers. */
static void count_disturbance(struct files *files, char *interrupts,
	const struct cpu_list *cpus, long *columns, double *sums,
	struct cpu_disturbance *counts)
{
	for (size_t i = 0; i < cpus->n; i++) {
		sums[i] = -1;
		counts[i].stolen = counts[i].ticks = -1;
	}
	read_interrupts(interrupts, cpus, columns, sums);
	read_ticks(files_read(files, "/proc/stat"), cpus, counts);
	for (size_t i = 0; i < cpus->n; i++)
		counts[i].interrupts = sums[i];
}

int machine_count_disturbance(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts,
	struct error *err)
{
	struct files files = {.root = machine->files.root};
	char *interrupts = files_read(&files, "/proc/interrupts");
	/* The text has at most this many words. */
	size_t words = interrupts ? strlen(interrupts) / 2 + 1 : 1;
	long *columns = calloc(words, sizeof(*columns));
	double *sums = calloc(cpus->n + 1, sizeof(*sums));
	int rc = 0;

	if (columns && sums)
		count_disturbance(
			&files, interrupts, cpus, columns, sums, counts);
	else
		rc = error_no_memory(err, "the interrupts");
	free(columns);
	free(sums);
	arena_release(&files.arena);
	return rc;
}

int machine_list_tickless(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_list *tickless,
	struct error *err)
{
	struct files files = {.root = machine->files.root};
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int rc = set ? 0 : error_no_memory(err, "a set of CPUs");

	if (rc == 0)
		files_cpus(set, files_read(&files,
					"/sys/devices/system/cpu/nohz_full"));
	for (size_t i = 0; rc == 0 && i < cpus->n; i++) {
		if (hwloc_bitmap_isset(set, cpus->cpus[i]))
			rc = cpu_list_add(tickless, cpus->cpus[i], err);
	}
	hwloc_bitmap_free(set);
	arena_release(&files.arena);
	return rc;
}
