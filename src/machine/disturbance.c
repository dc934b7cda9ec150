/* proc(5) describes the formats of /proc/interrupts and /proc/stat. */
#include "machine/disturbance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"
#include "machine/system.h"
#include "machine/timebase.h"

/* Stolen time of fewer ticks (some 10 ms each) is too inexact. */
#define LEAST_STOLEN_TICKS 5

/* Ignore a CPU limit that throttles a smaller share of its periods. */
#define LEAST_THROTTLED_SHARE 0.01

/* Add a factor times the counts of one line to the sums of the CPUs. */
static void add_interrupts(const char *line, const long *columns, size_t n,
	double factor, double *sums)
{
	char *at = strchr(line, ':');

	if (!at)
		return;
	at++;
	for (size_t k = 0; k < n; k++) {
		char *end;
		unsigned long long count = strtoull(at, &end, 10);

		if (end == at)
			return;
		if (columns[k] >= 0)
			sums[columns[k]] += factor * (double)count;
		at = end;
	}
}

/*
 * Find the index in cpus of each column, or -1, and return the number of
 * columns. Columns are online CPUs: "CPU0 CPU1 CPU3".
 */
static size_t read_columns(
	char *line, const struct cpu_list *cpus, long *columns)
{
	char *word, *rest;
	size_t n = 0;

	for (word = strtok_r(line, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		unsigned cpu;

		if (n == CPU_LIST_MAX_CPU || sscanf(word, "CPU%u", &cpu) != 1)
			break;
		columns[n++] = cpu_list_find(cpus, cpu);
	}
	return n;
}

/* Sum the interrupts of each CPU. */
static void read_interrupts(
	char *text, const struct cpu_list *cpus, long *columns, double *sums)
{
	char *line_end;
	char *line = text ? strtok_r(text, "\n", &line_end) : NULL;
	size_t n;

	if (!line)
		return;
	n = read_columns(line, cpus, columns);
	for (size_t k = 0; k < n; k++) {
		if (columns[k] >= 0)
			sums[columns[k]] = 0;
	}
	while ((line = strtok_r(NULL, "\n", &line_end))) {
		/* ERR and MIS are errors with one count for all CPUs. */
		if (!strstr(line, "ERR:") && !strstr(line, "MIS:"))
			add_interrupts(line, columns, n, 1, sums);
	}
}

void interrupts_count(
	const struct machine *machine, struct interrupts_counted *counted)
{
	struct files files = {.root = machine->files.root};
	const char *text = files_read(&files, "/proc/interrupts");

	*counted = (struct interrupts_counted){
		.text = text ? strdup(text) : NULL, .at_s = timebase_raw_s()};
	arena_release(&files.arena);
}

void interrupts_release(struct interrupts_counted *counted)
{
	free(counted->text);
	*counted = (struct interrupts_counted){.text = NULL};
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : NULL;
}

/* Return the number of a device's interrupt; -1 for timers and others. */
static long find_number(const char *line)
{
	char *end;
	long number = strtol(line, &end, 10);

	return end > line && *end == ':' ? number : -1;
}

/* Return the line of this interrupt, searching from `line` on, or NULL. */
static const char *find_interrupt(const char *line, long number)
{
	while (line && find_number(line) != number)
		line = next_line(line);
	return line;
}

/* Return whether two texts have the same columns, one for each online CPU. */
static bool have_same_columns(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n");

	return strncmp(a, b, n + 1) == 0;
}

/* Set *most to a CPU whose interrupt rate is higher, if there is one. */
static void keep_most(const char *line, const struct cpu_list *cpus,
	const double *sums, double seconds, struct device_interrupts *most)
{
	const char *name = strrchr(line, ' ');

	for (size_t i = 0; i < cpus->n; i++) {
		if (!(sums[i] / seconds > most->per_s))
			continue;
		most->per_s = sums[i] / seconds;
		most->cpu = cpus->cpus[i];
		snprintf(most->device, sizeof(most->device), "%s",
			name ? name + 1 : "?");
	}
}

bool interrupts_find_most(const struct interrupts_counted *then,
	const struct interrupts_counted *now, const struct cpu_list *cpus,
	struct device_interrupts *most)
{
	char *text = now->text ? strdup(now->text) : NULL;
	size_t words = text ? strlen(text) / 2 + 1 : 1;
	long *columns = calloc(words, sizeof(*columns));
	double *sums = calloc(cpus->n + 1, sizeof(*sums));
	const char *before = then->text;
	char *line_end, *line;
	size_t n;

	*most = (struct device_interrupts){.per_s = 0};
	line = text && before && columns && sums &&
			       have_same_columns(before, text)
		       ? strtok_r(text, "\n", &line_end)
		       : NULL;
	n = line ? read_columns(line, cpus, columns) : 0;
	while (line && (line = strtok_r(NULL, "\n", &line_end))) {
		long number = find_number(line);
		const char *old;

		if (number < 0)
			continue;
		for (size_t i = 0; i < cpus->n; i++)
			sums[i] = 0;
		add_interrupts(line, columns, n, 1, sums);
		old = find_interrupt(before, number);
		if (old) {
			add_interrupts(old, columns, n, -1, sums);
			before = next_line(old);
		}
		keep_most(line, cpus, sums, now->at_s - then->at_s, most);
	}
	free(sums);
	free(columns);
	free(text);
	return most->per_s > 0;
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

bool disturbance_find_stolen(const struct cpu_disturbance *then,
	const struct cpu_disturbance *now, const struct cpu_list *cpus,
	struct stolen_time *stolen)
{
	double taken = 0, ticks = 0;

	*stolen = (struct stolen_time){.share = 0};
	for (size_t i = 0; i < cpus->n; i++) {
		double lost = fmax(now[i].stolen - then[i].stolen, 0);
		double all = now[i].ticks - then[i].ticks;

		if (then[i].ticks < 0 || !(all > 0))
			continue;
		taken += lost;
		ticks += all;
		if (lost / all > stolen->most) {
			stolen->most = lost / all;
			stolen->cpu = cpus->cpus[i];
		}
	}
	if (!(ticks > 0) || taken < LEAST_STOLEN_TICKS)
		return false;
	stolen->share = taken / ticks;
	return true;
}

void machine_count_ticks(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts)
{
	struct files files = {.root = machine->files.root};

	for (size_t i = 0; i < cpus->n; i++)
		counts[i] = (struct cpu_disturbance){-1, -1, -1};
	read_ticks(files_read(&files, "/proc/stat"), cpus, counts);
	arena_release(&files.arena);
}

int machine_count_disturbance(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts,
	struct error *err)
{
	struct files files = {.root = machine->files.root};
	char *interrupts = files_read(&files, "/proc/interrupts");
	/* A text has at most this many numbers. */
	size_t words = interrupts ? strlen(interrupts) / 2 + 1 : 1;
	long *columns = calloc(words, sizeof(*columns));
	double *sums = calloc(cpus->n + 1, sizeof(*sums));
	int rc = 0;

	machine_count_ticks(machine, cpus, counts);
	if (columns && sums) {
		for (size_t i = 0; i < cpus->n; i++)
			sums[i] = -1;
		read_interrupts(interrupts, cpus, columns, sums);
		for (size_t i = 0; i < cpus->n; i++)
			counts[i].interrupts = sums[i];
	} else {
		rc = error_no_memory(err, "the interrupts");
	}
	free(columns);
	free(sums);
	arena_release(&files.arena);
	return rc;
}

static void count_cgroup(struct files *files, const char *folder, void *arg)
{
	struct throttled_periods *counted = arg;
	const char *stat = files_read(files, "%s/cpu.stat", folder);
	size_t i = counted->n;

	if (i == THROTTLED_MOST)
		return;
	counted->cgroups[i].all = (double)files_stat(stat, "nr_periods");
	counted->cgroups[i].stopped = (double)files_stat(stat, "nr_throttled");
	counted->n++;
}

void throttled_count(
	const struct machine *machine, struct throttled_periods *counted)
{
	struct files files = {.root = machine->files.root};

	counted->n = 0;
	system_visit_cgroups(&files, "cpu", count_cgroup, counted);
	arena_release(&files.arena);
}

double throttled_find_share(const struct throttled_periods *then,
	const struct throttled_periods *now)
{
	double share = 0;

	/* A process that moved has other cgroups. */
	for (size_t i = 0; then->n == now->n && i < now->n; i++) {
		double all = now->cgroups[i].all - then->cgroups[i].all;
		double stopped =
			now->cgroups[i].stopped - then->cgroups[i].stopped;

		if (all > 0)
			share = fmax(share, stopped / all);
	}
	return share >= LEAST_THROTTLED_SHARE ? share : 0;
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
