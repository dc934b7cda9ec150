/*
 * Facts about this machine, as the operating system reports them.
 *
 * Only the folder machine/ uses hwloc.h. A struct machine holds an hwloc
 * topology and the facts read with it. After machine_new() it is constant and
 * may be read by any thread, unless a function says otherwise. Sources: hwloc 2
 * documentation; proc(5), sysfs.
 */
#ifndef C2C_MACHINE_H
#define C2C_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/cpu_list.h"
#include "util/error.h"

struct machine;

/* How the warning about a virtual machine begins. */
#define MACHINE_IS_VIRTUAL "this is a virtual machine"

/* Return the version of the running hwloc's interface: "2.8.0". */
#define MACHINE_VERSION_BYTES 40
const char *machine_hwloc_version(char text[MACHINE_VERSION_BYTES]);

/* An LLC: the outermost data cache that hwloc reports for a group of CPUs. */
struct machine_cache {
	unsigned level; /* 3 for L3 */
	uint64_t bytes; /* 0: unknown */
	unsigned line_bytes;
	struct cpu_list cpus;
};

/* A kind of CPU (hwloc cpukinds), for instance P and E cores. */
struct machine_cpu_kind {
	int efficiency; /* hwloc's rank, 0 most efficient; -1: unknown */
	const char *description; /* "CoreType=IntelAtom FrequencyMaxMHz=3800" */
	struct cpu_list cpus;
};

/* A NUMA node; it may have no CPUs, or CPUs and no memory. */
struct machine_node {
	int node;	       /* OS index */
	uint64_t memory_bytes; /* 0: no memory, or unknown */
	struct cpu_list cpus;
};

/* A condition that would disturb a measurement, and its remedy. */
struct machine_warning {
	/* "the frequency governor of CPUs 0-7 is powersave: ..." */
	const char *what;
	const char *remedy; /* "cpupower frequency-set -g performance" */
};

/* Facts, which the machine owns. NULL and negative numbers are unknown. */
struct machine_facts {
	const char *hostname;
	const char *cpu_model;
	const char *arch;	/* uname -m: "x86_64" */
	const char *kernel;	/* "Linux 6.1.0" */
	const char *hypervisor; /* "KVM"; NULL: bare metal or unknown */
	bool hypervisor_sought; /* false: detection failed */
	const char *microcode;
	const char *governor; /* "performance"; "mixed": CPUs differ */
	int smt;	      /* several threads per core; -1: unknown */
	int boost;	      /* turbo is allowed; -1: unknown */
	int packages;
	int numa_nodes;
	int llcs;
	int cores;
	int cpus_online;
	int cpus_configured; /* present, online or not */
	/* size of a coherence line: 64 or 128; 64 if unknown */
	unsigned line_bytes;
	uint64_t memory_bytes; /* 0: unknown */
	double load_1min;      /* -1: unknown */

	/* Huge pages. */
	const char *thp;       /* "always", "madvise", "never" */
	int64_t hugetlb_bytes; /* default huge page size; -1 */
	int64_t hugetlb_total; /* pages reserved; -1 */
	int64_t hugetlb_free;  /* free pages; -1 */

	struct cpu_list online;	 /* CPUs that are online */
	struct cpu_list offline; /* present but offline */
	/* online CPUs that the cgroup's cpuset and the affinity allow */
	struct cpu_list allowed;
	struct cpu_list cpuset;	      /* CPUs in the cgroup's cpuset */
	struct cpu_list isolated;     /* isolcpus= */
	struct machine_cache *caches; /* the LLCs */
	size_t n_caches;
	struct machine_node *nodes; /* by increasing OS index */
	size_t n_nodes;
	/* Nodes with memory, sorted; all nodes if none reports memory. */
	struct cpu_list memory_nodes;
	struct machine_cpu_kind *kinds;
	size_t n_kinds; /* never 1 */
	struct machine_warning *warnings;
	size_t n_warnings;
};

/*
 * Read the running machine. Return 0 and *machine, for machine_free(), or a
 * negative errno.
 *
 * hwloc's own variables simulate another machine: HWLOC_XMLFILE,
 * HWLOC_SYNTHETIC and HWLOC_CPUID_PATH give only its topology; HWLOC_FSROOT
 * names a folder whose proc/ and sys/ replace /proc and /sys, also for the
 * facts. The facts then have a warning about the simulation.
 */
int machine_new(struct machine **machine, struct error *err);

/*
 * Make a simulated machine for tests and for topologies in result files: every
 * CPU is allowed unless the topology disallows it, and all facts are from the
 * topology. xml is an hwloc XML text of this many bytes; path is a file with
 * XML, named in messages; description is in hwloc's synthetic syntax
 * ("package:2 core:4 pu:2").
 */
int machine_new_xml(struct machine **machine, const char *xml, size_t bytes,
	struct error *err);
int machine_new_file(
	struct machine **machine, const char *path, struct error *err);
int machine_new_synthetic(
	struct machine **machine, const char *description, struct error *err);

void machine_free(struct machine *machine);

/* Return whether the topology is not that of the running machine. */
bool machine_is_pretended(const struct machine *machine);

/* Return the facts, which live as long as the machine. */
const struct machine_facts *machine_facts(const struct machine *machine);

/* Return the topology as hwloc XML text for free(), NULL without memory. */
char *machine_export_xml(const struct machine *machine);

/* Objects of which machine_select() keeps one CPU each; PU keeps all CPUs. */
enum machine_per {
	MACHINE_PER_PU,
	MACHINE_PER_CORE,
	MACHINE_PER_LLC, /* the facts' LLCs */
	MACHINE_PER_NODE,
	MACHINE_PER_PACKAGE,
};

/*
 * Return whether the topology has these CPUs. In some containers hwloc sees
 * fewer CPUs than this process may use.
 */
bool machine_has_cpus(
	const struct machine *machine, const struct cpu_list *cpus);

/*
 * Check the topology in a record of these CPUs without loading it. Return
 * -ENOTSUP if a later hwloc wrote the topology, or if it lacks some of the
 * CPUs, as in records of older versions. Only loading detects damaged XML.
 */
int machine_check_recorded(
	const char *xml, const struct cpu_list *cpus, struct error *err);

/*
 * Select the CPUs that text names, in the order of text: Linux CPU numbers
 * ("0-3,8") and hwloc objects by logical index ("core:0-3", "numa:0",
 * "package:1", "l3:0", "pu:4"), separated by commas; an object stands for all
 * its CPUs. If text is NULL, select all allowed CPUs, sorted. Return -EINVAL
 * (ERROR_USAGE) if something does not exist, is offline or not allowed, with
 * *err naming it and what exists. The caller releases *cpus, even after a
 * failure.
 *
 * If per is a core, LLC, node or package, keep only the first named CPU of
 * each, and CPUs outside all of them.
 */
int machine_select(const struct machine *machine, const char *text,
	enum machine_per per, struct cpu_list *cpus, struct error *err);

/*
 * Sort cpus by the topology, so that SMT siblings are next to each other, then
 * CPUs of one LLC, one NUMA node, one package. CPUs that the topology lacks
 * come last, increasing.
 */
void machine_sort_by_topology(
	const struct machine *machine, struct cpu_list *cpus);

/* Return hwloc's logical index of cpu; -1 if the topology lacks cpu. */
int machine_logical_number(const struct machine *machine, unsigned cpu);

/* Return the OS index of the node with memory nearest to cpu, or -1. */
int machine_node_of(const struct machine *machine, unsigned cpu);

/* Return the OS index of the node of cpu, with or without memory, or -1. */
int machine_own_node_of(const struct machine *machine, unsigned cpu);

/*
 * The firmware's figures for the memory of one node and the CPUs of another:
 * the distance (ACPI SLIT; 10 for the same node), and the latency and read
 * bandwidth (ACPI HMAT), which the kernel only reports for the CPUs nearest to
 * each memory.
 */
enum machine_reported {
	MACHINE_REPORTED_DISTANCE,
	MACHINE_REPORTED_LATENCY,   /* ns */
	MACHINE_REPORTED_BANDWIDTH, /* MiB/s */
};

/* Return a figure of the firmware, or NaN. Nodes are OS indexes. */
double machine_reported_value(const struct machine *machine,
	enum machine_reported reported, unsigned from, unsigned to);

/*
 * Return, as a static string, the type of the closest object that two CPUs
 * share, in hwloc's words ("Core", "L2", "L3", "NUMANode", "Package",
 * "Machine", also "Group" and "Die"; "PU" for a == b). NULL if the topology
 * lacks one of the CPUs.
 */
const char *machine_shared_by(
	const struct machine *machine, unsigned a, unsigned b);

/* A data or unified cache of one CPU; a value of 0 is unknown. */
struct machine_cpu_cache {
	unsigned number; /* index of the cache in its level */
	uint64_t bytes;
	unsigned line_bytes;
	unsigned ways;
};

/* Deepest cache level that hwloc knows. */
#define MACHINE_CACHE_LEVELS 5

/* Get the cache of a CPU at a level, from 1. Return false if there is none. */
bool machine_cpu_cache(const struct machine *machine, unsigned cpu,
	unsigned level, struct machine_cpu_cache *cache);

/* Append the CPUs that share this cache, sorted; none if there is no cache. */
int machine_cache_cpus(const struct machine *machine, unsigned cpu,
	unsigned level, struct cpu_list *cpus, struct error *err);

/* Return the LLC of cpu, as an index into the facts, or -1. */
int machine_llc_index(const struct machine_facts *facts, unsigned cpu);

/* Return whether two CPUs share an LLC. */
bool machine_share_llc(const struct machine *machine, unsigned a, unsigned b);

/* Return whether the topology has an LLC for both CPUs. */
bool machine_has_llcs(const struct machine *machine, unsigned a, unsigned b);

/* Return whether two CPUs are in the same package, or both outside packages. */
bool machine_share_package(
	const struct machine *machine, unsigned a, unsigned b);

/*
 * Bind the calling thread to one CPU and verify where it runs. -EXDEV
 * (ERROR_FAILURE) if it runs elsewhere, -ENOTSUP on a simulated machine. Any
 * thread may call this function.
 */
int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err);

/*
 * Restrict a thread, 0 for the calling one, to cpus[n]. Threads that it starts
 * later inherit the affinity. Nothing is verified.
 */
int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err);

/* Append the CPUs of a thread's affinity, sorted. Return false if unknown. */
bool machine_affinity(pid_t thread, struct cpu_list *cpus);

/* Return whether this thread is SCHED_FIFO: normal threads never preempt it. */
bool machine_is_fifo(void);

/* Return the CPU that the calling thread runs on, or -1. Cheap (vDSO). */
int machine_current_cpu(void);

/*
 * Return the seconds that the hypervisor stole since boot, summed over CPUs
 * (proc(5), /proc/stat); negative if unknown.
 */
double machine_stolen_s(void);

#endif
