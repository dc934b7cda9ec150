/*
 * warn.c: warn of conditions that would disturb a measurement, with a remedy.
 * The most disturbing conditions are checked first. An unknown fact causes no
 * warning.
 */
#include <stdarg.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/internal.h"
#include "machine/source.h"
#include "machine/system.h"

/* Warn if a tenth of the CPUs, but at least half a CPU, is busy. */
#define LOAD_SHARE  0.1
#define LOAD_LOWEST 0.5

/* Warn of stolen time if its share since boot is larger. */
#define STOLEN_SHARE 0.01

/* Warn of idle states that take longer to leave. */
#define IDLE_EXIT_US 10
#define IDLE_REMEDY  "cpupower idle-set -D 10, or measure with --idle spin"

#define CLOCKSOURCE_FOLDER "/sys/devices/system/clocksource/clocksource0"

__attribute__((format(printf, 3, 4))) static void add_machine_warning(
	struct machine *machine, const char *remedy, const char *format, ...)
{
	struct machine_facts *facts = &machine->facts;
	va_list args;

	va_start(args, format);
	facts->warnings[facts->n_warnings++] = (struct machine_warning){
		arena_vformat(&machine->files.arena, format, args), remedy};
	va_end(args);
}

static const char *list_text(
	struct machine *machine, const struct cpu_list *cpus)
{
	return arena_adopt(&machine->files.arena, cpu_list_format(cpus));
}

/* Return the subject of a sentence: "CPU 3 is", "CPUs 0-3 are". */
static const char *cpus_are(
	struct machine *machine, const struct cpu_list *cpus)
{
	return arena_format(&machine->files.arena,
		cpus->n == 1 ? "CPU %s is" : "CPUs %s are",
		list_text(machine, cpus));
}

static void warn_pretended(struct machine *machine)
{
	if (!machine->here)
		add_machine_warning(machine,
			arena_format(&machine->files.arena, "unset %s",
				arena_adopt(&machine->files.arena,
					source_variables())),
			"this is not the real machine: a variable makes hwloc "
			"pretend another one");
}

static void warn_hwloc_messages(struct machine *machine)
{
	struct arena *arena = &machine->files.arena;
	const char *variables = arena_adopt(arena, source_variables());

	if (machine->hwloc_messages && *machine->hwloc_messages)
		add_machine_warning(machine,
			*variables ? arena_format(arena, "unset %s", variables)
				   : "check with 'lstopo' whether caches or "
				     "nodes are missing",
			"hwloc reports about the topology: %s",
			machine->hwloc_messages);
}

static void warn_hypervisor(struct machine *machine)
{
	if (machine->facts.hypervisor)
		add_machine_warning(machine,
			"on the host, pin each virtual CPU to one core (virsh "
			"vcpupin), or measure on bare metal",
			MACHINE_IS_VIRTUAL
			" (%s): its host may move the "
			"CPUs to other cores at any time, and the topology "
			"shown here need not be the hardware's",
			machine->facts.hypervisor);
}

/* Return the CPUs of `all` that are not in `these`. */
static struct cpu_list cpus_except(struct machine *machine,
	const struct cpu_list *all, const struct cpu_list *these)
{
	struct cpu_list left = {
		arena_alloc(&machine->files.arena, all->n, sizeof(*left.cpus)),
		0};

	for (size_t i = 0; i < all->n; i++) {
		if (cpu_list_find(these, all->cpus[i]) < 0)
			left.cpus[left.n++] = all->cpus[i];
	}
	return left;
}

static void warn_cpuset(struct machine *machine)
{
	const struct machine_facts *facts = &machine->facts;
	struct cpu_list barred =
		cpus_except(machine, &facts->online, &facts->cpuset);

	if (barred.n)
		add_machine_warning(machine,
			"widen cpuset.cpus of the cgroup (docker run "
			"--cpuset-cpus), or run elsewhere",
			"%s outside the cpuset of this process's cgroup and "
			"cannot be measured",
			cpus_are(machine, &barred));
}

/* Warn of CPUs that the kernel allows but its files lack. */
static void warn_absent(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	struct cpu_list seen = list_of_set(
		arena, hwloc_topology_get_topology_cpuset(machine->topology));
	struct cpu_list absent = cpus_except(machine, &facts->allowed, &seen);

	if (absent.n)
		add_machine_warning(machine,
			"measure on the host, or unmount the files that "
			"'findmnt | grep system/cpu' lists in the container",
			"%s in no topology: hwloc sees CPU%s %s only, as "
			"/sys/devices/system/cpu/online says (lxcfs changes "
			"this file in containers of LXD and Proxmox); records "
			"keep no topology",
			cpus_are(machine, &absent), seen.n == 1 ? "" : "s",
			list_text(machine, &seen));
}

static void warn_affinity(struct machine *machine)
{
	const struct machine_facts *facts = &machine->facts;
	struct cpu_list barred =
		cpus_except(machine, &facts->cpuset, &facts->allowed);
	bool isolated = cpus_except(machine, &barred, &facts->isolated).n == 0;

	if (barred.n)
		add_machine_warning(machine,
			arena_format(&machine->files.arena,
				"taskset -c %s c2c ...",
				list_text(machine, &facts->cpuset)),
			"%s outside this process's affinity%s and will not be "
			"measured",
			cpus_are(machine, &barred),
			isolated ? " (isolated at boot)" : "");
}

static void warn_quota(struct machine *machine)
{
	double quota = system_cpu_quota(&machine->files);
	size_t n = machine->facts.allowed.n;

	if (quota >= 0 && quota < (double)n)
		add_machine_warning(machine,
			"raise cpu.max of the cgroup (docker run --cpus, "
			"limits.cpu of Kubernetes)",
			"the cgroup grants the time of %.3g CPUs for %zu CPUs: "
			"the kernel stops threads for tens of milliseconds "
			"when this time is used up",
			quota, n);
}

static void warn_load(struct machine *machine)
{
	const struct machine_facts *facts = &machine->facts;
	double load = facts->load_1min;

	if (load >= LOAD_SHARE * facts->cpus_online && load >= LOAD_LOWEST)
		add_machine_warning(machine,
			"stop what 'top' shows, or leave its CPUs out (--cpus)",
			"the load is %.2f on %d CPU%s: other programs take "
			"time, cache and bandwidth from the measurement",
			load, facts->cpus_online,
			facts->cpus_online == 1 ? "" : "s");
}

static void warn_stolen(struct machine *machine)
{
	double stolen, total;

	if (system_cpu_ticks(&machine->files, &stolen, &total) &&
		stolen / total >= STOLEN_SHARE)
		add_machine_warning(machine,
			"ask for dedicated CPUs, or measure when the host is "
			"quiet",
			"since boot the host ran something else for %.1f %% of "
			"the CPUs' time (steal)",
			100 * stolen / total);
}

static void warn_governor(struct machine *machine)
{
	const struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	struct cpu_list others = {NULL, 0};
	const char *first = facts->governor;

	if (!first || strcmp(first, "performance") == 0)
		return;
	others.cpus = arena_alloc(arena, facts->online.n, sizeof(*others.cpus));
	for (size_t i = 0; i < facts->online.n; i++) {
		unsigned cpu = facts->online.cpus[i];
		const char *governor = system_governor(&machine->files, cpu);

		if (!governor || strcmp(governor, "performance") == 0)
			continue;
		if (others.n == 0)
			first = governor;
		others.cpus[others.n++] = cpu;
	}
	add_machine_warning(machine, "cpupower frequency-set -g performance",
		"the frequency governor of CPU%s %s is %s, not performance: a "
		"CPU speeds up only while it is being measured",
		others.n == 1 ? "" : "s", list_text(machine, &others), first);
}

static void warn_boost(struct machine *machine)
{
	long long no_turbo = files_number(files_read(&machine->files,
		"/sys/devices/system/cpu/intel_pstate/no_turbo"));

	if (machine->facts.boost == 1)
		add_machine_warning(machine,
			no_turbo >= 0 ? "echo 1 > /sys/devices/system/cpu/"
					"intel_pstate/no_turbo"
				      : "echo 0 > /sys/devices/system/cpu/"
					"cpufreq/boost",
			"boost (turbo) is on: the frequency depends on heat "
			"and on the number of busy CPUs, and it changes "
			"latencies within a core or cache");
}

static void warn_counter(struct machine *machine)
{
	/* NULL: the instruction set has no counter. */
	const char *counter = ARCH_COUNTER_NAME;

	if (machine->here && counter && !arch_counter_invariant())
		add_machine_warning(machine,
			"ask for more round trips a sample (--round-trips); in "
			"a virtual machine, let the hypervisor pass the invtsc "
			"flag",
			"the counter (%s) is not invariant: samples are timed "
			"by the slower clock_gettime",
			counter);
}

static void warn_clocksource(struct machine *machine)
{
	struct files *files = &machine->files;
	const char *current = files_line(
		files_read(files, CLOCKSOURCE_FOLDER "/current_clocksource"));
	const char *available = files_line(
		files_read(files, CLOCKSOURCE_FOLDER "/available_clocksource"));
	bool offered = files_has_word(available, "tsc");

	if (!current || strcmp(current, "tsc") == 0 ||
		!identity_has_tsc(files, machine->cpuinfo, machine->here))
		return;
	add_machine_warning(machine,
		offered ? "echo tsc > " CLOCKSOURCE_FOLDER
			  "/current_clocksource"
			: "check 'dmesg | grep -i tsc'; boot with tsc=reliable "
			  "only if the TSC is reliable",
		"the kernel's clock source is %s, not tsc: %s", current,
		offered ? "reading the clock takes longer"
			: "the kernel found that the counters of the CPUs may "
			  "differ");
}

static void warn_idle(struct machine *machine)
{
	static const char folder[] =
		"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/%s";
	const struct cpu_list *allowed = &machine->facts.allowed;
	struct files *files = &machine->files;
	const char *deepest = NULL, *name;
	unsigned cpu = allowed->n ? allowed->cpus[0] : 0;
	long long exit_us = IDLE_EXIT_US;

	for (unsigned state = 0; (name = files_line(files_read(
					  files, folder, cpu, state, "name")));
		state++) {
		long long latency = files_number(
			files_read(files, folder, cpu, state, "latency"));

		if (latency > exit_us && files_number(files_read(files, folder,
						 cpu, state, "disable")) != 1) {
			exit_us = latency;
			deepest = name;
		}
	}
	if (deepest && allowed->n)
		add_machine_warning(machine, IDLE_REMEDY,
			"idle CPUs sleep as deep as %s, which takes %lld us to "
			"leave: a parked thread starts late and with cold "
			"caches",
			deepest, exit_us);
}

static void warn_numa_balancing(struct machine *machine)
{
	if (machine->facts.numa_nodes >= 2 &&
		files_number(files_read(&machine->files,
			"/proc/sys/kernel/numa_balancing")) > 0)
		add_machine_warning(machine, "sysctl kernel.numa_balancing=0",
			"automatic NUMA balancing is on: the kernel takes "
			"pages away from running threads and may move them to "
			"another node");
}

static void warn_offline(struct machine *machine)
{
	const struct cpu_list *offline = &machine->facts.offline;
	const char *smt = files_line(files_read(
		&machine->files, "/sys/devices/system/cpu/smt/control"));
	bool off = smt && strcmp(smt, "off") == 0;

	if (offline->n && machine->files.root)
		add_machine_warning(machine,
			off ? "echo on > /sys/devices/system/cpu/smt/control"
			    : arena_format(&machine->files.arena,
				      "chcpu --enable %s",
				      list_text(machine, offline)),
			"%s offline%s and cannot be measured",
			cpus_are(machine, offline),
			off ? " (SMT is switched off)" : "");
}

static void warn_huge_pages(struct machine *machine)
{
	const struct machine_facts *facts = &machine->facts;

	if (facts->thp && strcmp(facts->thp, "never") == 0 &&
		facts->hugetlb_total <= 0)
		add_machine_warning(machine,
			"echo madvise > "
			"/sys/kernel/mm/transparent_hugepage/enabled",
			"there are no huge pages (transparent: 'never', "
			"hugetlb: none reserved): memcpy and queue include TLB "
			"misses; latency does not");
}

void facts_warn(struct machine *machine)
{
	static void (*const checks[])(struct machine * machine) = {
		warn_pretended,
		warn_hwloc_messages,
		warn_hypervisor,
		warn_stolen,
		warn_load,
		warn_quota,
		warn_cpuset,
		warn_absent,
		warn_affinity,
		warn_offline,
		warn_governor,
		warn_boost,
		warn_idle,
		warn_numa_balancing,
		warn_counter,
		warn_clocksource,
		warn_huge_pages,
	};
	const size_t n = sizeof(checks) / sizeof(checks[0]);

	machine->facts.warnings = arena_alloc(
		&machine->files.arena, n, sizeof(*machine->facts.warnings));
	for (size_t i = 0; i < n; i++)
		checks[i](machine);
}
