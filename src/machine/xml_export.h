/*
 * A topology with measured values, as hwloc XML.
 *
 * group[i], row i and column i belong to cpus->cpus[i]. Pointers are borrowed.
 * Sources: hwloc's documentation of hwloc_topology_insert_group_object(), of
 * distances and of CPU kinds.
 */
#ifndef C2C_XML_EXPORT_H
#define C2C_XML_EXPORT_H

#include "machine/machine.h"

/* A measured level of groups, and the result of its export. */
struct machine_level {
	const char *kind; /* "smt", "llc": the info C2CLevel of its objects */
	bool classes;	  /* classes of cores, exported as CPU kinds */
	const uint32_t *group;
	size_t n_groups;
	const char *unit;
	double inside, between; /* medians in unit; NaN: unknown */
	double confidence;	/* NaN: unknown */
	/* [n_groups] GiB/s that its CPUs read (NaN: unknown), or NULL */
	const double *rates;

	/* machine_export_measured() counts groups of two CPUs or more: */
	size_t n_inserted; /* new Group objects, or CPU kinds */
	size_t n_reported; /* the topology already had an object */
	size_t n_crossing; /* left out: they cross objects that must stay */
};

/* A measured matrix, and the result of its export. */
struct machine_matrix {
	const char *name; /* "latency" */
	const char *unit; /* "ns" becomes ps, "GiB/s" MiB/s */
	bool higher_is_better;
	const double *values; /* NaN: missing */

	/*
	 * Set by the export. A matrix is left out if cells off the diagonal are
	 * missing or too large for hwloc, or if its unit is unknown.
	 */
	size_t n_missing, n_too_large;
	bool bad_unit;
};

/* A cache as one CPU measured it, and its export. NaN: unknown. */
struct machine_measured_cache {
	unsigned level;
	const struct cpu_list *cpus; /* measured to share it; may be empty */
	double least_bytes, most_bytes;
	double line_bytes, ways;
	/* The system reports another value. */
	bool size_differs, line_differs, ways_differs;

	/*
	 * Set by the export: how many caches of this level the topology has,
	 * and how many got these numbers. If the CPU had none, the export
	 * inserted a cache, unless it crosses objects or hwloc lacks the level.
	 */
	size_t n_objects, n_described;
	bool inserted, crosses, unknown;
};

/* Memory of NUMA nodes, measured from CPUs of nodes; result of its export. */
struct machine_node_matrix {
	bool is_bandwidth;		/* GiB/s; else a latency in ns */
	const struct cpu_list *rows;	/* nodes whose CPUs measured */
	const struct cpu_list *columns; /* nodes whose memory they measured */
	const double *values; /* [rows->n * columns->n], NaN: missing */

	/*
	 * machine_export_measured() counts the cells that the topology took,
	 * and those whose nodes it lacks.
	 */
	size_t n_set, n_unknown;
};

struct machine_measured {
	const char *origin; /* info C2COrigin of the whole machine */
	const struct cpu_list *cpus;
	struct machine_level *levels;
	size_t n_levels;
	struct machine_matrix *matrices;
	size_t n_matrices;
	struct machine_node_matrix *node_matrices;
	size_t n_node_matrices;
	struct machine_measured_cache *caches;
	size_t n_caches;
	unsigned cache_cpu; /* CPU that measured the caches */
	/* The groups of the first level share caches of this level; 0: none. */
	unsigned shared_level;

	/*
	 * Set by the export, for free(): the types of objects that measured
	 * groups cross and the XML leaves out, "Core, L3"; NULL: none.
	 */
	char *left_out;
};

/*
 * Make a machine with these CPUs and no other facts, for measurements without a
 * topology. For machine_free().
 */
int machine_new_plain(struct machine **machine, const struct cpu_list *cpus,
	struct error *err);

/*
 * Put *measured into the machine's topology, as hwloc XML for free():
 *
 * - A measured group that matches no object becomes a Group. If it crosses
 *   objects of the topology (each has CPUs that the other lacks), all objects
 *   of their type are removed. If this is impossible, because they are Groups
 *   or contain NUMA nodes, the measured group is not inserted. An unmeasured
 *   CPU joins the group of the measured CPUs in the smallest object around it,
 *   if these are in one group.
 * - A matrix becomes distances between PUs, for example "c2c latency ps". hwloc
 *   needs an integer in every cell: a diagonal that was not measured gets 0 for
 *   latencies and the greatest value for rates, like hwloc's own matrices.
 *   Before hwloc 2.5 distances have no name.
 * - A matrix of nodes becomes memory attributes, Latency in ns or Bandwidth in
 *   MiB/s, of the column's node for the CPUs of the row's. They replace the
 *   firmware's values.
 * - A measured cache gets infos, and its measured size, line and ways if they
 *   differ; so do all caches that the topology describes in the same way. The
 *   size is the smallest of the measured values. A cache that the topology
 *   lacks becomes an object over the CPUs that share it, else over the CPU that
 *   measured it.
 * - If the sharing of caches was measured, they get their CPUs as an info.
 *
 * -EINVAL (ERROR_USAGE) if the topology lacks one of the CPUs. After a failure
 * there is nothing to free.
 */
int machine_export_measured(const struct machine *machine,
	struct machine_measured *measured, char **xml, struct error *err);

#endif
