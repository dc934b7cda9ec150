/*
 * What would disturb a measurement on this machine, why, and what to do about
 * it. The checks stand in the order in which their warnings are shown, the
 * most disturbing first. A fact that cannot be known gives no warning.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/files.h"
#include "machine/internal.h"
#include "machine/system.h"
#include "util/text.h"

/* A tenth of the CPUs busy, and on small machines half a CPU, disturbs. */
#define LOAD_SHARE  0.1
#define LOAD_LOWEST 0.5

/* A host that took this share of the time since boot will take more. */
#define STOLEN_SHARE 0.01

/* Leaving deeper idle states takes longer than a sample of round trips. */
#define IDLE_EXIT_US 10
#define IDLE_REMEDY  "cpupower idle-set -D 10, or measure with --idle spin"

#define CLOCKSOURCE_FOLDER "/sys/devices/system/clocksource/clocksource0"

/* What the checks share. root is NULL when there are no files to read. */
struct check {
	struct machine *machine;
	struct machine_facts *facts;
	const char *root;
	struct error *err;
};

/* remedy: copied; NULL where there was no memory to make it. */
__attribute__((format(printf, 3, 4))) static int warn(
	const struct check *check, const char *remedy, const char *format, ...)
{
	char *what = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	return facts_add_warning(
		check->facts, what, remedy ? strdup(remedy) : NULL, check->err);
}

/* "CPU 3 is", "CPUs 0-3 are"; a string for free(), or NULL. */
static char *cpus_are(const struct cpu_list *cpus)
{
	char *list = cpu_list_format(cpus);
	char *text = NULL;

	if (list)
		text = cpus->n == 1 ? text_format("CPU %s is", list)
				    : text_format("CPUs %s are", list);
	free(list);
	return text;
}

static int warn_pretended(const struct check *check)
{
	if (check->machine->here)
		return 0;
	return warn(check,
		"unset HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_FSROOT "
		"HWLOC_THISSYSTEM",
		"this is not the real machine: hwloc was told to pretend "
		"another one");
}

static int warn_hypervisor(const struct check *check)
{
	if (!check->facts->hypervisor)
		return 0;
	return warn(check,
		"on the host, pin each virtual CPU to one core (virsh vcpupin)"
		", or measure on bare metal",
		"this is a virtual machine (%s): its host may move the CPUs to "
		"other cores at any time, and the topology shown here need not "
		"be the hardware's",
		check->facts->hypervisor);
}

/* Append to left the CPUs of all that are not in but. */
static int subtract(struct cpu_list *left, const struct cpu_list *all,
	const struct cpu_list *but, struct error *err)
{
	for (size_t i = 0; i < all->n; i++) {
		int rc;

		if (cpu_list_find(but, all->cpus[i]) >= 0)
			continue;
		rc = cpu_list_add(left, all->cpus[i], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool all_among(const struct cpu_list *all, const struct cpu_list *these)
{
	for (size_t i = 0; i < all->n; i++) {
		if (cpu_list_find(these, all->cpus[i]) < 0)
			return false;
	}
	return true;
}

static int warn_cpuset(const struct check *check)
{
	struct cpu_list barred = {0};
	int rc = subtract(&barred, &check->facts->online, &check->facts->cpuset,
		check->err);
	char *are = cpus_are(&barred);

	if (rc == 0 && barred.n > 0)
		rc = warn(check,
			are ? "widen cpuset.cpus of the cgroup (docker run "
			      "--cpuset-cpus), or run elsewhere"
			    : NULL,
			"%s outside the cpuset of this process's cgroup and "
			"cannot be measured",
			are);
	free(are);
	cpu_list_release(&barred);
	return rc;
}

static int warn_affinity(const struct check *check)
{
	const struct machine_facts *facts = check->facts;
	struct cpu_list barred = {0};
	int rc = subtract(&barred, &facts->cpuset, &facts->allowed, check->err);
	char *are = cpus_are(&barred);
	char *cpuset = cpu_list_format(&facts->cpuset);
	char *remedy = are && cpuset
			       ? text_format("taskset -c %s c2c ...", cpuset)
			       : NULL;

	if (rc == 0 && barred.n > 0)
		rc = warn(check, remedy,
			"%s outside this process's affinity%s and will not be "
			"measured",
			are,
			all_among(&barred, &facts->isolated)
				? " (isolated at boot)"
				: "");
	free(remedy);
	free(cpuset);
	free(are);
	cpu_list_release(&barred);
	return rc;
}

static int warn_quota(const struct check *check)
{
	double quota = check->root ? system_cpu_quota(check->root) : -1;

	if (quota < 0 || quota >= (double)check->facts->allowed.n)
		return 0;
	return warn(check,
		"raise cpu.max of the cgroup (docker run --cpus, limits.cpu of "
		"Kubernetes)",
		"the cgroup grants the time of %.3g CPUs while %zu may be "
		"used: threads are stopped for tens of milliseconds when it is "
		"spent",
		quota, check->facts->allowed.n);
}

static int warn_load(const struct check *check)
{
	double load = check->facts->load_1min;
	double limit = LOAD_SHARE * check->facts->cpus_online;

	if (load < limit || load < LOAD_LOWEST)
		return 0;
	return warn(check,
		"stop what 'top' shows, or leave its CPUs out (--cpus)",
		"the load is %.2f on %d CPU%s: other programs take time, cache "
		"and bandwidth from the measurement",
		load, check->facts->cpus_online,
		check->facts->cpus_online == 1 ? "" : "s");
}

static int warn_stolen(const struct check *check)
{
	double stolen, total;

	if (!check->root || !system_cpu_ticks(check->root, &stolen, &total) ||
		stolen / total < STOLEN_SHARE)
		return 0;
	return warn(check,
		"ask for dedicated CPUs, or measure when the host is quiet",
		"since boot the host ran something else for %.1f %% of the "
		"CPUs' time (steal)",
		100 * stolen / total);
}

static int warn_governor(const struct check *check)
{
	const struct machine_facts *facts = check->facts;
	struct cpu_list others = {0};
	char *list, *first = NULL;
	int rc = 0;

	if (!facts->governor || strcmp(facts->governor, "performance") == 0)
		return 0;
	for (size_t i = 0; i < facts->online.n && rc == 0; i++) {
		char *governor =
			system_governor(check->root, facts->online.cpus[i]);

		if (governor && strcmp(governor, "performance") != 0) {
			rc = cpu_list_add(
				&others, facts->online.cpus[i], check->err);
			if (!first) {
				first = governor;
				continue;
			}
		}
		free(governor);
	}
	list = cpu_list_format(&others);
	if (rc == 0)
		rc = warn(check,
			list ? "cpupower frequency-set -g performance" : NULL,
			"the frequency governor of CPU%s %s is %s, not "
			"performance: a CPU speeds up only while it is being "
			"measured",
			others.n == 1 ? "" : "s", list,
			first ? first : facts->governor);
	free(list);
	free(first);
	cpu_list_release(&others);
	return rc;
}

static int warn_boost(const struct check *check)
{
	bool intel;

	if (check->facts->boost != 1)
		return 0;
	intel = files_number(check->root,
			"/sys/devices/system/cpu/intel_pstate/no_turbo") >= 0;
	return warn(check,
		intel ? "echo 1 > "
			"/sys/devices/system/cpu/intel_pstate/no_turbo"
		      : "echo 0 > /sys/devices/system/cpu/cpufreq/boost",
		"boost (turbo) is on: the frequency follows heat and the "
		"number of busy CPUs, so figures within a core or cache rise "
		"and fall with it");
}

static int warn_counter(const struct check *check)
{
	/* NULL on an instruction set without a counter. */
	const char *counter = ARCH_COUNTER_NAME;

	if (!check->machine->here || !counter || arch_counter_invariant())
		return 0;
	return warn(check,
		"ask for more round trips a sample (--round-trips); in a "
		"virtual machine, let the hypervisor pass the invtsc flag",
		"the counter (%s) is not invariant: samples are timed by the "
		"slower clock_gettime",
		counter);
}

/* The two ways in which the clock source is not the time-stamp counter. */
static int warn_not_tsc(
	const struct check *check, const char *current, bool available)
{
	if (available)
		return warn(check,
			"echo tsc > " CLOCKSOURCE_FOLDER "/current_clocksource",
			"the kernel's clock source is %s, not tsc: reading the "
			"clock takes longer",
			current);
	return warn(check,
		"see what 'dmesg | grep -i tsc' says; boot with tsc=reliable "
		"only if it is",
		"the kernel's clock source is %s, not tsc: it does not trust "
		"the counters of the CPUs to agree",
		current);
}

static int warn_clocksource(const struct check *check)
{
	char *current, *available, *cpuinfo;
	int rc = 0;

	if (!check->root)
		return 0;
	cpuinfo = files_text(check->root, "/proc/cpuinfo");
	current = files_line(
		check->root, CLOCKSOURCE_FOLDER "/current_clocksource");
	available = files_line(
		check->root, CLOCKSOURCE_FOLDER "/available_clocksource");
	if (identity_has_tsc(cpuinfo, check->machine->here) && current &&
		strcmp(current, "tsc") != 0)
		rc = warn_not_tsc(
			check, current, files_has_word(available, "tsc"));
	free(cpuinfo);
	free(current);
	free(available);
	return rc;
}

/* The deepest idle state that CPU may enter; its name for free(), or NULL. */
static char *deepest_idle(const char *root, unsigned cpu, long long *exit_us)
{
	static const char folder[] =
		"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/%s";
	char *deepest = NULL, *name;

	*exit_us = 0;
	for (unsigned state = 0;
		(name = files_line(root, folder, cpu, state, "name"));
		state++) {
		long long latency =
			files_number(root, folder, cpu, state, "latency");

		if (latency > *exit_us && files_number(root, folder, cpu, state,
						  "disable") != 1) {
			*exit_us = latency;
			free(deepest);
			deepest = name;
		} else {
			free(name);
		}
	}
	return deepest;
}

static int warn_idle(const struct check *check)
{
	long long exit_us;
	char *deepest;
	int rc = 0;

	if (!check->root || check->facts->allowed.n == 0)
		return 0;
	deepest = deepest_idle(
		check->root, check->facts->allowed.cpus[0], &exit_us);
	if (deepest && exit_us > IDLE_EXIT_US)
		rc = warn(check, IDLE_REMEDY,
			"idle CPUs sleep as deep as %s, which takes %lld us to "
			"leave: a parked thread starts late and with cold "
			"caches",
			deepest, exit_us);
	free(deepest);
	return rc;
}

static int warn_numa_balancing(const struct check *check)
{
	if (!check->root || check->facts->numa_nodes < 2 ||
		files_number(check->root, "/proc/sys/kernel/numa_balancing") <=
			0)
		return 0;
	return warn(check, "sysctl kernel.numa_balancing=0",
		"automatic NUMA balancing is on: the kernel takes pages away "
		"from running threads and may move them to another node");
}

static int warn_offline(const struct check *check)
{
	const struct machine_facts *facts = check->facts;
	char *are, *list, *remedy, *smt;
	bool smt_off;
	int rc;

	if (facts->offline.n == 0 || !check->root)
		return 0;
	are = cpus_are(&facts->offline);
	list = cpu_list_format(&facts->offline);
	remedy = are && list ? text_format("chcpu --enable %s", list) : NULL;
	smt = files_line(check->root, "/sys/devices/system/cpu/smt/control");
	smt_off = smt && strcmp(smt, "off") == 0;
	rc = warn(check,
		remedy && smt_off
			? "echo on > /sys/devices/system/cpu/smt/control"
			: remedy,
		"%s offline%s and cannot be measured", are,
		smt_off ? " (SMT is switched off)" : "");
	free(smt);
	free(remedy);
	free(list);
	free(are);
	return rc;
}

static int warn_huge_pages(const struct check *check)
{
	const struct machine_facts *facts = check->facts;

	if (!facts->thp || strcmp(facts->thp, "never") != 0 ||
		facts->hugetlb_total > 0)
		return 0;
	return warn(check,
		"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
		"there are no huge pages (transparent: 'never', hugetlb: none "
		"reserved): memcpy and queue include TLB misses; latency does "
		"not");
}

int facts_warn(struct machine *machine, const char *root, struct error *err)
{
	static int (*const checks[])(const struct check *check) = {
		warn_pretended,
		warn_hypervisor,
		warn_stolen,
		warn_load,
		warn_quota,
		warn_cpuset,
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
	const struct check check = {machine, &machine->facts, root, err};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		int rc = checks[i](&check);

		if (rc < 0)
			return rc;
	}
	return 0;
}
