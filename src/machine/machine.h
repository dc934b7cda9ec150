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

/* The warning about a virtual machine begins with this. */
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
	uint64_t memory_bytes; /* 0: none, or unknown on every node */
	struct cpu_list cpus;
};

/* A condition that would disturb a measurement, and its remedy. */
struct machine_warning {
	/* "the frequency governor of CPUs 0-7 is powersave: ..." */
	const char *what;
	const char *remedy; /* "cpupower frequency-set -g performance" */
};

/*
 * Facts, which the machine owns. NULL or (if signed) a negative number means
 * "unknown", which files write as null.
 */
struct machine_facts {
	const char *hostname;
	const char *cpu_model;
	const char *arch;	/* by uname -m: "x86_64" */
	const char *kernel;	/* "Linux 6.1.0" */
	const char *hypervisor; /* "KVM"; NULL: bare metal or unknown */
	bool hypervisor_sought; /* false: it could not be detected */
	const char *microcode;
	const char *governor; /* "performance"; "mixed": CPUs differ */
	int smt;	      /* more than one thread per core: 1, 0, -1 */
	int boost;	      /* turbo allowed: 1, 0, -1 */
	int packages;
	int numa_nodes;
	int llcs;
	int cores;
	int cpus_online;
	int cpus_configured; /* present, online or not */
	/* coherence line: 64, 128 on some; 64 if unknown */
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
	/* CPUs this process may use: cgroup cpuset and affinity, online only */
	struct cpu_list allowed;
	struct cpu_list cpuset;	  /* in the cgroup's cpuset (before affinity) */
	struct cpu_list isolated; /* isolcpus= */
	struct machine_cache *caches; /* the LLCs */
	size_t n_caches;
	struct machine_node *nodes; /* by increasing OS index */
	size_t n_nodes;
	/* Nodes with memory, increasing; all if none reports any. */
	struct cpu_list memory_nodes;
	struct machine_cpu_kind *kinds;
	size_t n_kinds; /* 0 or >= 2: a single kind does not count */
	struct machine_warning *warnings;
	size_t n_warnings;
};

/*
 * Make the running machine. Return 0 with *machine for machine_free(), or
 * negative.
 *
 * hwloc's own variables simulate another machine: HWLOC_XMLFILE,
 * HWLOC_SYNTHETIC and HWLOC_CPUID_PATH give only its topology; HWLOC_FSROOT
 * names a folder whose proc/ and sys/ replace /proc and /sys, also for the
 * facts. A warning then says that this is not the running machine.
 */
int machine_new(struct machine **machine, struct error *err);

/*
 * Make a simulated machine for tests and for topologies in result files: every
 * CPU is allowed unless the topology disallows it, and the facts are only those
 * of the topology. xml is an hwloc XML text of this many bytes; path is a file
 * with XML, named in messages; description is in hwloc's synthetic syntax
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

/* machine_select() keeps one CPU of each such object; PU: all CPUs. */
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
 * Check, without loading it, the topology in a record of these CPUs. -ENOTSUP
 * if a later hwloc wrote it or it lacks some of the CPUs, as in records of
 * older versions. Damaged XML is rejected only on loading.
 */
int machine_check_recorded(
	const char *xml, const struct cpu_list *cpus, struct error *err);

/*
 * Select the CPUs that text names, in its order: Linux CPU numbers ("0-3,8")
 * and hwloc objects by logical index ("core:0-3", "numa:0", "package:1",
 * "l3:0", "pu:4"), separated by commas; an object stands for all its CPUs. text
 * NULL: every allowed CPU, increasing. -EINVAL (ERROR_USAGE) if something does
 * not exist, is offline or not allowed, with *err naming it and what exists.
 * The caller releases *cpus, even after a failure.
 *
 * per keeps only the first named CPU of each core, LLC, node or package. A CPU
 * outside these objects is kept.
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

/* Return hwloc's logical index of cpu; -1: the topology lacks it. */
int machine_logical_number(const struct machine *machine, unsigned cpu);

/* Return the OS index of the node with memory nearest to cpu, or -1. */
int machine_node_of(const struct machine *machine, unsigned cpu);

/* Return the OS index of the node that has cpu, even without memory, or -1. */
int machine_own_node_of(const struct machine *machine, unsigned cpu);

/*
 * The firmware's figures for a node's memory as seen from CPUs of another node:
 * the distance, relative to 10 for a node's own memory (ACPI SLIT), and the
 * latency and read bandwidth (ACPI HMAT). The kernel passes on latency and
 * bandwidth only for the CPUs nearest to each memory.
 */
enum machine_reported {
	MACHINE_REPORTED_DISTANCE,
	MACHINE_REPORTED_LATENCY,   /* ns */
	MACHINE_REPORTED_BANDWIDTH, /* MiB/s */
};

/* Return a reported value; NaN: none. Nodes are OS indexes. */
double machine_reported_value(const struct machine *machine,
	enum machine_reported reported, unsigned from, unsigned to);

/*
 * Return the closest object that two CPUs share: the name of hwloc's object
 * type ("Core", "L2", "L3", "NUMANode", "Package", "Machine", also "Group" and
 * "Die"; "PU" for a == b), static. NULL if the topology lacks one of the CPUs.
 */
const char *machine_shared_by(
	const struct machine *machine, unsigned a, unsigned b);

/* A data or unified cache of one CPU; 0: unknown. */
struct machine_cpu_cache {
	unsigned number; /* index in its level; CPUs may share a cache */
	uint64_t bytes;
	unsigned line_bytes;
	unsigned ways; /* associativity; fully associative: number of lines */
};

/* Deepest cache level that hwloc knows. */
#define MACHINE_CACHE_LEVELS 5

/* Get the cache of a level, from 1, of a CPU. False: there is none. */
bool machine_cpu_cache(const struct machine *machine, unsigned cpu,
	unsigned level, struct machine_cpu_cache *cache);

/* Append the CPUs that share this cache, increasing; none without it. */
int machine_cache_cpus(const struct machine *machine, unsigned cpu,
	unsigned level, struct cpu_list *cpus, struct error *err);

/* Return whether two CPUs share an LLC. */
bool machine_share_llc(const struct machine *machine, unsigned a, unsigned b);

/* Return whether the topology has an LLC for both CPUs. */
bool machine_has_llcs(const struct machine *machine, unsigned a, unsigned b);

/* Return whether two CPUs are in one package, or both in none. */
bool machine_share_package(
	const struct machine *machine, unsigned a, unsigned b);

/*
 * Bind the calling thread to one CPU and verify where it runs. -EXDEV
 * (ERROR_FAILURE) if it runs elsewhere, -ENOTSUP on a simulated machine. Any
 * thread may call it.
 */
int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err);

/*
 * Restrict a thread of this process, 0 for the calling one, to cpus[n]; threads
 * that it starts later inherit that. Nothing is verified.
 */
int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err);

/* Append the CPUs on which a thread may run, increasing. False: unknown. */
bool machine_affinity(pid_t thread, struct cpu_list *cpus);

/* Return whether this thread is SCHED_FIFO: no ordinary thread preempts it. */
bool machine_is_fifo(void);

/* Return the CPU that the calling thread runs on, or -1. Cheap (vDSO). */
int machine_current_cpu(void);

/*
 * Return the time that the hypervisor stole since boot, summed over CPUs, in
 * seconds (proc(5), /proc/stat); negative: unknown.
 */
double machine_stolen_s(void);

#endif
