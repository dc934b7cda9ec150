/*
 * The facts that the kernel's files tell: sysfs (Documentation/ABI/testing/
 * sysfs-devices-system-cpu, admin-guide/pm, admin-guide/mm/transhuge) and
 * proc(5).
 */
#include "machine/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/files.h"
#include "machine/internal.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

/* The sets from which the CPU lists of the facts are worked out. */
enum {
	ONLINE,
	PRESENT,
	CPUSET,
	AFFINITY,
	ISOLATED,
	SCRATCH,
	SETS
};

static void read_affinity(const struct machine *machine, const char *root,
	hwloc_bitmap_t sets[SETS])
{
	char *status, *list;

	hwloc_bitmap_copy(sets[AFFINITY], sets[ONLINE]);
	if (machine->here) {
		if (hwloc_get_cpubind(machine->topology, sets[SCRATCH],
			    HWLOC_CPUBIND_THREAD) == 0 &&
			!hwloc_bitmap_iszero(sets[SCRATCH]))
			hwloc_bitmap_copy(sets[AFFINITY], sets[SCRATCH]);
		return;
	}
	status = files_text(root, "/proc/self/status");
	list = files_field(status, "Cpus_allowed_list");
	files_parse_cpus(sets[AFFINITY], list);
	free(list);
	free(status);
}

static void read_sets(const struct machine *machine, const char *root,
	hwloc_bitmap_t sets[SETS])
{
	hwloc_topology_t topology = machine->topology;

	hwloc_bitmap_copy(
		sets[ONLINE], hwloc_topology_get_topology_cpuset(topology));
	hwloc_bitmap_copy(
		sets[PRESENT], hwloc_topology_get_complete_cpuset(topology));
	hwloc_bitmap_copy(
		sets[CPUSET], hwloc_topology_get_allowed_cpuset(topology));
	files_cpus(sets[ONLINE], root, CPU_FOLDER "/online");
	files_cpus(sets[PRESENT], root, CPU_FOLDER "/present");
	files_cpus(sets[ISOLATED], root, CPU_FOLDER "/isolated");
	read_affinity(machine, root, sets);
	/*
	 * The kernel keeps the affinity within the cpuset and the CPUs that
	 * are online. Where the files say less (they are made up in some
	 * containers), they are wrong.
	 */
	if (machine->here) {
		hwloc_bitmap_or(sets[ONLINE], sets[ONLINE], sets[AFFINITY]);
		hwloc_bitmap_or(sets[CPUSET], sets[CPUSET], sets[AFFINITY]);
	}
	hwloc_bitmap_or(sets[PRESENT], sets[PRESENT], sets[ONLINE]);
	hwloc_bitmap_and(sets[CPUSET], sets[CPUSET], sets[ONLINE]);
	hwloc_bitmap_and(sets[AFFINITY], sets[AFFINITY], sets[CPUSET]);
	hwloc_bitmap_andnot(sets[SCRATCH], sets[PRESENT], sets[ONLINE]);
}

static int replace_list(
	struct cpu_list *list, hwloc_const_bitmap_t set, struct error *err)
{
	cpu_list_release(list);
	return bitmap_to_list(set, list, err);
}

static int read_cpus(
	struct machine *machine, const char *root, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	struct cpu_list *const lists[SETS] = {
		[ONLINE] = &facts->online,
		[CPUSET] = &facts->cpuset,
		[AFFINITY] = &facts->allowed,
		[ISOLATED] = &facts->isolated,
		[SCRATCH] = &facts->offline,
	};
	hwloc_bitmap_t sets[SETS];
	int rc = 0;

	for (int i = 0; i < SETS; i++) {
		sets[i] = hwloc_bitmap_alloc();
		if (!sets[i])
			rc = error_no_memory(err, "the sets of CPUs");
	}
	if (rc == 0)
		read_sets(machine, root, sets);
	for (int i = 0; i < SETS; i++) {
		if (rc == 0 && lists[i])
			rc = replace_list(lists[i], sets[i], err);
		hwloc_bitmap_free(sets[i]);
	}
	facts->cpus_online = (int)facts->online.n;
	facts->cpus_configured = (int)(facts->online.n + facts->offline.n);
	return rc;
}

/*
 * hwloc gives a node without CPUs of its own (CXL, HBM) the CPUs that are
 * nearest to it; the kernel tells the two apart.
 */
static int read_node_cpus(
	struct machine_facts *facts, const char *root, struct error *err)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int rc = 0;

	if (!cpus)
		return error_no_memory(err, "the CPUs of a NUMA node");
	for (size_t i = 0; i < facts->n_nodes && rc == 0; i++) {
		struct machine_node *node = &facts->nodes[i];

		if (files_cpus(cpus, root,
			    "/sys/devices/system/node/node%d/cpulist",
			    node->node))
			rc = replace_list(&node->cpus, cpus, err);
	}
	hwloc_bitmap_free(cpus);
	return rc;
}

static void read_identity(struct machine *machine, const char *root)
{
	struct machine_facts *facts = &machine->facts;
	char *cpuinfo = files_text(root, "/proc/cpuinfo");

	if (!facts->cpu_model || strcmp(facts->cpu_model, "unknown") == 0) {
		free(facts->cpu_model);
		facts->cpu_model = identity_cpu_model(cpuinfo);
	}
	facts->microcode = identity_microcode(root, cpuinfo);
	facts->hypervisor = identity_hypervisor(root, cpuinfo, machine->here);
	facts->hypervisor_sought = machine->here || cpuinfo;
	free(cpuinfo);
}

char *system_governor(const char *root, unsigned cpu)
{
	return files_line(
		root, CPU_FOLDER "/cpu%u/cpufreq/scaling_governor", cpu);
}

/* The one governor of all CPUs, "mixed", or NULL when no CPU tells. */
static char *read_governor(const struct cpu_list *online, const char *root)
{
	char *common = NULL;

	for (size_t i = 0; i < online->n; i++) {
		char *governor = system_governor(root, online->cpus[i]);

		if (common && governor && strcmp(common, governor) != 0) {
			free(common);
			free(governor);
			return strdup("mixed");
		}
		if (common)
			free(governor);
		else
			common = governor;
	}
	return common;
}

static int as_switch(long long number)
{
	return number < 0 ? -1 : number != 0;
}

static int read_boost(const char *root)
{
	int no_turbo = as_switch(
		files_number(root, CPU_FOLDER "/intel_pstate/no_turbo"));

	if (no_turbo >= 0)
		return !no_turbo;
	return as_switch(files_number(root, CPU_FOLDER "/cpufreq/boost"));
}

/* "always [madvise] never": the word in brackets is in force. */
static char *read_thp(const char *root)
{
	char *line =
		files_line(root, "/sys/kernel/mm/transparent_hugepage/enabled");
	char *open = line ? strchr(line, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;
	char *thp =
		close ? strndup(open + 1, (size_t)(close - open - 1)) : NULL;

	free(line);
	return thp;
}

long long system_meminfo(const char *meminfo, const char *key)
{
	char *value = files_field(meminfo, key);
	long long number = -1;

	if (value && sscanf(value, "%lld", &number) != 1)
		number = -1;
	free(value);
	return number;
}

static void read_memory(struct machine_facts *facts, const char *root)
{
	char *meminfo = files_text(root, "/proc/meminfo");
	long long total_kib = system_meminfo(meminfo, "MemTotal");
	long long page_kib = system_meminfo(meminfo, "Hugepagesize");

	if (facts->memory_bytes == 0 && total_kib > 0)
		facts->memory_bytes = (uint64_t)total_kib * 1024;
	if (page_kib > 0)
		facts->hugetlb_bytes = page_kib * 1024;
	facts->hugetlb_total = system_meminfo(meminfo, "HugePages_Total");
	facts->hugetlb_free = system_meminfo(meminfo, "HugePages_Free");
	facts->thp = read_thp(root);
	free(meminfo);
}

static double read_load(const char *root)
{
	char *line = files_line(root, "/proc/loadavg");
	double load = -1;

	if (!line || sscanf(line, "%lf", &load) != 1 || load < 0)
		load = -1;
	free(line);
	return load;
}

bool system_cpu_ticks(const char *root, double *stolen, double *total)
{
	/* user nice system idle iowait irq softirq steal */
	double ticks[8], sum = 0;
	char *line = files_line(root, "/proc/stat");
	int got = 0;

	if (line)
		got = sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf",
			&ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4],
			&ticks[5], &ticks[6], &ticks[7]);
	free(line);
	if (got != 8)
		return false;
	for (int i = 0; i < 8; i++)
		sum += ticks[i];
	*stolen = ticks[7];
	*total = sum;
	/* Some containers make the file up, all zeros. */
	return sum > 0;
}

double machine_stolen_s(void)
{
	double stolen, total;
	long hz = sysconf(_SC_CLK_TCK);

	if (hz <= 0 || !system_cpu_ticks("", &stolen, &total))
		return -1;
	return stolen / (double)hz;
}

/* The limit that one cgroup folder sets, in CPUs, where it is the lowest. */
static void take_quota(const char *root, const char *folder, void *arg)
{
	char *line = files_line(root, "%s/cpu.max", folder);
	double *lowest = arg;
	double quota = -1, period = -1;

	/* "150000 100000", or "max 100000" without a limit (cgroup v2) */
	if (line) {
		if (sscanf(line, "%lf %lf", &quota, &period) != 2)
			quota = -1;
		free(line);
	} else {
		quota = (double)files_number(
			root, "%s/cpu.cfs_quota_us", folder);
		period = (double)files_number(
			root, "%s/cpu.cfs_period_us", folder);
	}
	if (quota > 0 && period > 0 &&
		(*lowest < 0 || quota / period < *lowest))
		*lowest = quota / period;
}

double system_cpu_quota(const char *root)
{
	double lowest = -1;

	cgroup_visit(root, "cpu", take_quota, &lowest);
	return lowest;
}

int facts_from_system(
	struct machine *machine, const char *root, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	int smt = as_switch(files_number(root, CPU_FOLDER "/smt/active"));
	int rc = read_cpus(machine, root, err);

	if (rc == 0)
		rc = read_node_cpus(facts, root, err);
	if (rc < 0)
		return rc;
	if (smt >= 0)
		facts->smt = smt;
	read_identity(machine, root);
	facts->governor = read_governor(&facts->online, root);
	facts->boost = read_boost(root);
	facts->load_1min = read_load(root);
	read_memory(facts, root);
	return 0;
}
