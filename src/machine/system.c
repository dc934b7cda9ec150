/*
 * system.c: read the facts in the kernel's files: sysfs
 * (Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/pm,
 * admin-guide/mm/transhuge) and proc(5).
 */
#include "machine/system.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/internal.h"

#define CPU_FOLDER    "/sys/devices/system/cpu"
#define CGROUP_FOLDER "/sys/fs/cgroup"

static void read_affinity(struct machine *machine)
{
	hwloc_bitmap_t *sets = machine->sets;
	struct files *files = &machine->files;
	bool known = false;

	if (machine->here)
		known = hwloc_get_cpubind(machine->topology, sets[SET_SCRATCH],
				HWLOC_CPUBIND_THREAD) == 0 &&
			!hwloc_bitmap_iszero(sets[SET_SCRATCH]);
	else
		known = files_cpus(sets[SET_SCRATCH],
			files_field(files,
				files_read(files, "/proc/self/status"),
				"Cpus_allowed_list"));
	hwloc_bitmap_copy(
		sets[SET_AFFINITY], sets[known ? SET_SCRATCH : SET_ONLINE]);
}

struct cpuset_search {
	hwloc_bitmap_t set;
	bool found;
};

static void take_cpuset(struct files *files, const char *folder, void *arg)
{
	struct cpuset_search *search = arg;
	char *text;

	/*
	 * Only the lowest folder counts, because a partition takes its CPUs
	 * from its parent's set.
	 */
	if (search->found)
		return;
	text = files_read(files, "%s/cpuset.cpus.effective", folder);
	if (!text)
		text = files_read(files, "%s/cpuset.effective_cpus", folder);
	search->found = text && *text != '\n' && files_cpus(search->set, text);
}

/*
 * Restrict cpuset to the cgroup's CPUs. In a container, hwloc does not find the
 * cgroup if /proc/self/cgroup has the path of the host.
 */
static void lower_to_cgroup(struct machine *machine, hwloc_bitmap_t cpuset)
{
	struct cpuset_search search = {machine->sets[SET_SCRATCH], false};

	system_visit_cgroups(&machine->files, "cpuset", take_cpuset, &search);
	if (search.found)
		hwloc_bitmap_and(cpuset, cpuset, search.set);
}

static void read_sets(struct machine *machine)
{
	hwloc_topology_t topology = machine->topology;
	struct files *files = &machine->files;
	hwloc_bitmap_t *sets = machine->sets;
	hwloc_bitmap_t online = sets[SET_ONLINE], cpuset = sets[SET_CPUSET];
	hwloc_bitmap_t present = sets[SET_PRESENT];
	hwloc_bitmap_t affinity = sets[SET_AFFINITY];

	hwloc_bitmap_copy(online, hwloc_topology_get_topology_cpuset(topology));
	hwloc_bitmap_copy(
		present, hwloc_topology_get_complete_cpuset(topology));
	hwloc_bitmap_copy(cpuset, hwloc_topology_get_allowed_cpuset(topology));
	lower_to_cgroup(machine, cpuset);
	files_cpus(online, files_read(files, CPU_FOLDER "/online"));
	files_cpus(present, files_read(files, CPU_FOLDER "/present"));
	files_cpus(
		sets[SET_ISOLATED], files_read(files, CPU_FOLDER "/isolated"));
	read_affinity(machine);
	/*
	 * The kernel keeps the affinity within the cpuset and the online CPUs.
	 * If the files list fewer CPUs, they are wrong: some containers
	 * simulate them.
	 */
	if (files->root)
		hwloc_bitmap_or(online, online, affinity);
	hwloc_bitmap_copy(sets[SET_SCRATCH], affinity);
	/* The age of copied files may differ: prefer hwloc's CPUs. */
	if (!machine->here)
		hwloc_bitmap_andnot(sets[SET_SCRATCH], affinity,
			hwloc_topology_get_topology_cpuset(topology));
	if (files->root)
		hwloc_bitmap_or(cpuset, cpuset, sets[SET_SCRATCH]);
	hwloc_bitmap_or(present, present, online);
	hwloc_bitmap_and(cpuset, cpuset, online);
	hwloc_bitmap_and(affinity, affinity, cpuset);
	hwloc_bitmap_andnot(sets[SET_OFFLINE], present, online);
}

static void read_cpu_facts(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	hwloc_bitmap_t *sets = machine->sets;

	read_sets(machine);
	facts->online = list_of_set(arena, sets[SET_ONLINE]);
	facts->cpuset = list_of_set(arena, sets[SET_CPUSET]);
	facts->allowed = list_of_set(arena, sets[SET_AFFINITY]);
	facts->isolated = list_of_set(arena, sets[SET_ISOLATED]);
	facts->offline = list_of_set(arena, sets[SET_OFFLINE]);
	facts->cpus_online = (int)facts->online.n;
	/* If hwloc does not see all CPUs, its count of cores is wrong. */
	if (!hwloc_bitmap_isincluded(sets[SET_AFFINITY],
		    hwloc_topology_get_topology_cpuset(machine->topology))) {
		facts->packages = -1;
		facts->cores = -1;
		facts->smt = -1;
	}
	facts->cpus_configured = (int)(facts->online.n + facts->offline.n);
}

/*
 * Read the CPUs of each node. hwloc gives a node without its own CPUs (CXL,
 * HBM) the nearest CPUs; the kernel does not.
 */
static void read_node_cpus(struct machine *machine)
{
	struct files *files = &machine->files;
	hwloc_bitmap_t cpus = machine->sets[SET_SCRATCH];

	for (size_t i = 0; i < machine->facts.n_nodes; i++) {
		struct machine_node *node = &machine->facts.nodes[i];

		if (files_cpus(cpus,
			    files_read(files,
				    "/sys/devices/system/node/node%d/cpulist",
				    node->node)))
			node->cpus = list_of_set(&files->arena, cpus);
	}
}

static void read_identity(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct files *files = &machine->files;

	machine->cpuinfo = files_read(files, "/proc/cpuinfo");
	if (!facts->cpu_model || strcmp(facts->cpu_model, "unknown") == 0)
		facts->cpu_model = identity_cpu_model(files, machine->cpuinfo);
	facts->microcode = identity_microcode(files, machine->cpuinfo);
	facts->hypervisor =
		identity_hypervisor(files, machine->cpuinfo, machine->here);
	facts->hypervisor_sought = machine->here || machine->cpuinfo;
}

char *system_governor(struct files *files, unsigned cpu)
{
	return files_line(files_read(
		files, CPU_FOLDER "/cpu%u/cpufreq/scaling_governor", cpu));
}

/* Return the governor of all CPUs, "mixed", or NULL: unknown. */
static const char *read_governor(
	struct files *files, const struct cpu_list *online)
{
	const char *common = NULL;

	for (size_t i = 0; i < online->n; i++) {
		const char *governor = system_governor(files, online->cpus[i]);

		if (common && governor && strcmp(common, governor) != 0)
			return "mixed";
		common = common ? common : governor;
	}
	return common;
}

static int as_switch(long long number)
{
	return number < 0 ? -1 : number != 0;
}

static int read_boost(struct files *files)
{
	int no_turbo = as_switch(files_number(
		files_read(files, CPU_FOLDER "/intel_pstate/no_turbo")));

	if (no_turbo >= 0)
		return !no_turbo;
	return as_switch(
		files_number(files_read(files, CPU_FOLDER "/cpufreq/boost")));
}

/* Return the active word, which is in brackets: "always [madvise] never". */
char *system_thp(struct files *files)
{
	const char *line = files_line(files_read(
		files, "/sys/kernel/mm/transparent_hugepage/enabled"));
	const char *open = line ? strchr(line, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? arena_format(&files->arena, "%.*s",
			       (int)(close - open - 1), open + 1)
		     : NULL;
}

long long system_meminfo(
	struct files *files, const char *meminfo, const char *key)
{
	const char *value = files_field(files, meminfo, key);
	long long number;

	return value && sscanf(value, "%lld", &number) == 1 ? number : -1;
}

struct hugetlb system_hugetlb(struct files *files, const char *meminfo)
{
	return (struct hugetlb){
		.page_kib = system_meminfo(files, meminfo, "Hugepagesize"),
		.total = system_meminfo(files, meminfo, "HugePages_Total"),
		.free = system_meminfo(files, meminfo, "HugePages_Free"),
		.promised = system_meminfo(files, meminfo, "HugePages_Rsvd"),
	};
}

static void read_memory(struct machine_facts *facts, struct files *files)
{
	const char *meminfo = files_read(files, "/proc/meminfo");
	struct hugetlb hugetlb = system_hugetlb(files, meminfo);
	long long total_kib = system_meminfo(files, meminfo, "MemTotal");

	if (facts->memory_bytes == 0 && total_kib > 0)
		facts->memory_bytes = (uint64_t)total_kib * 1024;
	facts->hugetlb_bytes = -1;
	if (hugetlb.page_kib > 0)
		facts->hugetlb_bytes = hugetlb.page_kib * 1024;
	facts->hugetlb_total = hugetlb.total;
	facts->hugetlb_free = hugetlb.free;
	facts->thp = system_thp(files);
}

static double read_load(struct files *files)
{
	const char *line = files_line(files_read(files, "/proc/loadavg"));
	double load;

	return line && sscanf(line, "%lf", &load) == 1 && load >= 0 ? load : -1;
}

bool system_line_ticks(const char *line, double *stolen, double *total)
{
	/* Fields of a line: user nice system idle iowait irq softirq steal */
	double ticks[8];

	if (sscanf(line, "%*s %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0],
		    &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
		    &ticks[6], &ticks[7]) != 8)
		return false;
	*stolen = ticks[7];
	*total = 0;
	for (int i = 0; i < 8; i++)
		*total += ticks[i];
	return true;
}

bool system_cpu_ticks(struct files *files, double *stolen, double *total)
{
	const char *line = files_line(files_read(files, "/proc/stat"));

	/* Some containers simulate /proc/stat, with zeros. */
	return line && strncmp(line, "cpu ", 4) == 0 &&
	       system_line_ticks(line, stolen, total) && *total > 0;
}

double machine_stolen_s(void)
{
	struct files files = {.root = ""};
	double stolen, total;
	long hz = sysconf(_SC_CLK_TCK);
	bool known = hz > 0 && system_cpu_ticks(&files, &stolen, &total);

	arena_release(&files.arena);
	return known ? stolen / (double)hz : -1;
}

void system_visit_cgroups(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg)
{
	char *rest = files_read(files, "/proc/self/cgroup");
	char *line;

	/* Lines are "number:controllers:/path", "0::/path" for v2. */
	while ((line = strsep(&rest, "\n"))) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		char *folder;
		size_t shortest;

		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		if (*controllers && !files_has_word(controllers, controller))
			continue;
		/* Visit the folder and its parents, up to the mount. */
		folder = arena_format(&files->arena, CGROUP_FOLDER "%s%s%s",
			*controllers ? "/" : "", *controllers ? controller : "",
			path);
		shortest = folder ? strlen(folder) - strlen(path) : 0;
		while (folder) {
			visit(files, folder, arg);
			if (strlen(folder) <= shortest)
				break;
			*strrchr(folder, '/') = '\0';
		}
	}
}

/* Lower *lowest to the CPU limit of one cgroup folder, in CPUs. */
static void take_quota(struct files *files, const char *folder, void *arg)
{
	const char *line = files_line(files_read(files, "%s/cpu.max", folder));
	double *lowest = arg;
	double quota = -1, period = -1;

	/* cgroup v2 has "150000 100000", or "max 100000" without a limit. */
	if (!line) {
		quota = (double)files_number(
			files_read(files, "%s/cpu.cfs_quota_us", folder));
		period = (double)files_number(
			files_read(files, "%s/cpu.cfs_period_us", folder));
	} else if (sscanf(line, "%lf %lf", &quota, &period) != 2) {
		quota = -1;
	}
	if (quota > 0 && period > 0 &&
		(*lowest < 0 || quota / period < *lowest))
		*lowest = quota / period;
}

double system_cpu_quota(struct files *files)
{
	double lowest = -1;

	system_visit_cgroups(files, "cpu", take_quota, &lowest);
	return lowest;
}

void facts_from_system(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct files *files = &machine->files;
	int smt = as_switch(
		files_number(files_read(files, CPU_FOLDER "/smt/active")));

	read_cpu_facts(machine);
	read_node_cpus(machine);
	if (smt >= 0)
		facts->smt = smt;
	read_identity(machine);
	facts->governor = read_governor(files, &facts->online);
	facts->boost = read_boost(files);
	facts->load_1min = read_load(files);
	read_memory(facts, files);
}
