/*
 * What this machine is, as the operating system tells it.
 *
 * The folder machine/ is the sole user of hwloc.h. A struct machine
 * holds an hwloc topology and the facts read beside it, once, when it is made;
 * after that it is constant and may be read by any thread, except where a
 * function says otherwise. Sources: hwloc 2 documentation; proc(5), sysfs.
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

/* The version of hwloc's interface that c2c runs with: "2.8.0". */
#define MACHINE_VERSION_BYTES 40
const char *machine_hwloc_version(char text[MACHINE_VERSION_BYTES]);

/* An LLC: the outermost data cache that hwloc reports over some CPUs. */
struct machine_cache {
	unsigned level; /* 3 for L3 */
	uint64_t bytes; /* 0 when unknown */
	unsigned line_bytes;
	struct cpu_list cpus;
};

/* A kind of CPU (hwloc cpukinds), for instance P and E cores. */
struct machine_cpu_kind {
	int efficiency; /* hwloc's rank, 0 most efficient; -1 when unknown */
	const char *description; /* "CoreType=IntelAtom FrequencyMaxMHz=3800" */
	struct cpu_list cpus;
};

/* A NUMA node; it may have no CPUs, or CPUs and no memory. */
struct machine_node {
	int node;	       /* OS index */
	uint64_t memory_bytes; /* 0: none, or unknown on every node */
	struct cpu_list cpus;
};

/* A thing that would disturb a measurement, and what to do about it. */
struct machine_warning {
	/* "the frequency governor of CPUs 0-7 is powersave: ..." */
	const char *what;
	const char *remedy; /* "cpupower frequency-set -g performance" */
};

/*
 * Facts, which the machine owns. A pointer that is NULL, a number that is
 * negative (where signed) means "cannot be known here", which files say as
 * null.
 */
struct machine_facts {
	const char *hostname;
	const char *cpu_model;
	const char *arch;	/* uname machine: "x86_64" */
	const char *kernel;	/* "Linux 6.1.0" */
	const char *hypervisor; /* "KVM"; NULL on bare metal or when unknown */
	bool hypervisor_sought; /* false: there was nothing to see it by */
	const char *microcode;
	const char *governor; /* "performance"; "mixed" when CPUs differ */
	int smt;   /* threads per core that are more than one: 1, 0, -1 */
	int boost; /* turbo allowed: 1, 0, -1 */
	int packages;
	int numa_nodes;
	int llcs;
	int cores;
	int cpus_online;
	int cpus_configured; /* present, online or not */
	/* coherence line: 64, 128 on some; 64 when nothing tells */
	unsigned line_bytes;
	uint64_t memory_bytes; /* 0 when unknown */
	double load_1min;      /* -1 when unknown */

	/* Huge pages. */
	const char *thp;       /* "always", "madvise", "never" */
	int64_t hugetlb_bytes; /* default huge page size; -1 */
	int64_t hugetlb_total; /* pages reserved; -1 */
	int64_t hugetlb_free;  /* -1 */

	struct cpu_list online;	 /* CPUs the kernel has online */
	struct cpu_list offline; /* present but offline */
	/* what this process may use: cgroup cpuset and affinity, online only */
	struct cpu_list allowed;
	struct cpu_list cpuset;	  /* what the cgroup allows (before affinity) */
	struct cpu_list isolated; /* isolcpus= */
	struct machine_cache *caches; /* the LLCs */
	size_t n_caches;
	struct machine_node *nodes; /* increasing */
	size_t n_nodes;
	/* OS indexes of those with memory, increasing; all, if none tells. */
	struct cpu_list memory_nodes;
	struct machine_cpu_kind *kinds;
	size_t n_kinds; /* 0 or >= 2: one kind alone is none */
	struct machine_warning *warnings;
	size_t n_warnings;
};

/*
 * The running machine. 0 with *machine for machine_free(), or negative.
 *
 * hwloc's own variables pretend another machine: HWLOC_XMLFILE,
 * HWLOC_SYNTHETIC and HWLOC_CPUID_PATH give its topology (and the facts then
 * end there), HWLOC_FSROOT a folder whose proc/ and sys/ stand for /proc and
 * /sys, for the facts too. A warning then says that this is not the machine at
 * hand.
 */
int machine_new(struct machine **machine, struct error *err);

/*
 * A pretended machine for tests and for topologies inside result files: every
 * CPU allowed that the topology does not itself mark as disallowed, facts
 * only as far as the topology holds them. xml is an
 * hwloc XML text of bytes bytes, path a file of it, which messages name;
 * description is hwloc's synthetic syntax ("package:2 core:4 pu:2").
 */
int machine_new_xml(struct machine **machine, const char *xml, size_t bytes,
	struct error *err);
int machine_new_file(
	struct machine **machine, const char *path, struct error *err);
int machine_new_synthetic(
	struct machine **machine, const char *description, struct error *err);

void machine_free(struct machine *machine);

/* Whether the topology is another one than that of the running machine. */
bool machine_is_pretended(const struct machine *machine);

/* Borrowed; lives as long as the machine. */
const struct machine_facts *machine_facts(const struct machine *machine);

/* The topology as hwloc XML text. A string for free(), NULL without memory. */
char *machine_export_xml(const struct machine *machine);

/* machine_select() keeps one CPU of each of these objects; of PUs, all. */
enum machine_per {
	MACHINE_PER_PU,
	MACHINE_PER_CORE,
	MACHINE_PER_LLC, /* as in the facts */
	MACHINE_PER_NODE,
	MACHINE_PER_PACKAGE,
};

/*
 * Whether the topology knows these CPUs. In some containers hwloc is shown
 * fewer than this process may use.
 */
bool machine_has_cpus(
	const struct machine *machine, const struct cpu_list *cpus);

/*
 * Whether the topology in a record of these CPUs is of use, without loading it.
 * -ENOTSUP if it is of a later hwloc or lacks some of them, as records of older
 * versions do. What is damaged is refused when it is loaded.
 */
int machine_check_recorded(
	const char *xml, const struct cpu_list *cpus, struct error *err);

/*
 * The CPUs that text names, in the order named: Linux CPU numbers ("0-3,8")
 * and hwloc objects by logical index ("core:0-3", "numa:0", "package:1",
 * "l3:0", "pu:4"), separated by commas; an object stands for all its CPUs.
 * text NULL: every allowed CPU, increasing. -EINVAL (ERROR_USAGE) for what
 * does not exist, is offline or not allowed, with *err saying which and what
 * there is. *cpus is the caller's to release, also after a failure.
 *
 * per keeps only the first of the named CPUs in each core, LLC, node or
 * package. A CPU that lies in none that the topology knows is kept: nothing
 * says that it is like another.
 */
int machine_select(const struct machine *machine, const char *text,
	enum machine_per per, struct cpu_list *cpus, struct error *err);

/*
 * Reorder cpus by place in the topology, so that SMT siblings, then CPUs of
 * one LLC, one NUMA node, one package stand side by side. CPUs that the
 * topology lacks come last, increasing.
 */
void machine_sort_by_topology(
	const struct machine *machine, struct cpu_list *cpus);

/* hwloc's logical index of cpu; -1 when the topology lacks it. */
int machine_logical_number(const struct machine *machine, unsigned cpu);

/* OS index of the NUMA node nearest to cpu; -1 when unknown. */
int machine_node_of(const struct machine *machine, unsigned cpu);

/* That of the node that holds cpu, with memory or not; -1 when unknown. */
int machine_own_node_of(const struct machine *machine, unsigned cpu);

/*
 * What the firmware says of the memory of a node, from the CPUs of another: how
 * far it is, where a node's own memory is at 10 (ACPI SLIT), and the latency
 * and read bandwidth (ACPI HMAT). The kernel passes on the latency and
 * bandwidth of the CPUs nearest to each memory only.
 */
enum machine_reported {
	MACHINE_REPORTED_DISTANCE,
	MACHINE_REPORTED_LATENCY,   /* ns */
	MACHINE_REPORTED_BANDWIDTH, /* MiB/s */
};

/* NaN when it says nothing. Nodes by OS index. */
double machine_reported_value(const struct machine *machine,
	enum machine_reported reported, unsigned from, unsigned to);

/*
 * The closest thing that two CPUs share: the name of hwloc's object type
 * ("Core", "L2", "L3", "NUMANode", "Package", "Machine", also "Group" and
 * "Die"; "PU" for a == b); static. NULL when the topology lacks one of them.
 */
const char *machine_shared_by(
	const struct machine *machine, unsigned a, unsigned b);

/* A data or unified cache of one CPU; 0 is what is not known of it. */
struct machine_cpu_cache {
	unsigned number; /* among those of its level: CPUs may share one */
	uint64_t bytes;
	unsigned line_bytes;
	unsigned ways; /* of associativity; a full one has as many as lines */
};

/* hwloc knows no more. */
#define MACHINE_CACHE_LEVELS 5

/* The cache of that level, from 1, over a CPU. False: the topology has none. */
bool machine_cpu_cache(const struct machine *machine, unsigned cpu,
	unsigned level, struct machine_cpu_cache *cache);

/* Append the CPUs under that cache, increasing; none without it. -ENOMEM. */
int machine_cache_cpus(const struct machine *machine, unsigned cpu,
	unsigned level, struct cpu_list *cpus, struct error *err);

/* Whether two CPUs lie under one LLC. */
bool machine_share_llc(const struct machine *machine, unsigned a, unsigned b);

/*
 * Bind the calling thread to one CPU and verify it by where it then runs.
 * -EXDEV (ERROR_FAILURE) when it runs elsewhere, -ENOTSUP on a pretended
 * machine. Any thread may call it.
 */
int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err);

/*
 * Let a thread of this process, 0 for the calling one, run on cpus[n] alone, as
 * threads do that it starts from then on. Nothing is verified.
 */
int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err);

/* Append the CPUs a thread may run on, increasing. False when unknown. */
bool machine_affinity(pid_t thread, struct cpu_list *cpus);

/* Whether the policy of this thread is SCHED_FIFO: nothing interrupts it. */
bool machine_is_fifo(void);

/* The CPU the calling thread runs on now, or -1. Cheap (vDSO). */
int machine_current_cpu(void);

/*
 * Time stolen by the hypervisor since boot, summed over CPUs, in seconds
 * (proc(5), /proc/stat); negative when it cannot be known.
 */
double machine_stolen_s(void);

#endif
