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
	const char *kind; /* for the info C2CLevel: "smt", "llc" */
	bool classes;	  /* classes of cores, exported as CPU kinds */
	const uint32_t *group;
	size_t n_groups;
	const char *unit;
	double inside, between; /* medians in unit; NaN: unknown */
	double confidence;	/* NaN: unknown */
	/* [n_groups] read bandwidth in GiB/s, NaN if unknown; or NULL */
	const double *rates;

	/* The export counts the groups of at least two CPUs: */
	size_t n_inserted; /* new Group objects, or CPU kinds */
	size_t n_reported; /* found in the topology */
	size_t n_crossing; /* left out */
};

/* A measured matrix, and the result of its export. */
struct machine_matrix {
	const char *name; /* "latency" */
	const char *unit; /* "ns" or "GiB/s" */
	bool higher_is_better;
	const double *values; /* NaN: missing */

	/*
	 * Set by the export. A matrix is left out if cells off the diagonal are
	 * missing or too large for hwloc, or if its unit is unknown.
	 */
	size_t n_missing, n_too_large;
	bool bad_unit;
};

/* A measured cache, and the result of its export. NaN is unknown. */
struct machine_measured_cache {
	unsigned level;
	const struct cpu_list *cpus; /* CPUs that share it, or empty */
	double least_bytes, most_bytes;
	double line_bytes, ways;
	/* The system reports a different value. */
	bool size_differs, line_differs, ways_differs;

	/*
	 * Set by the export: the number of similar caches of this level in the
	 * topology, and how many of them got the measured values. If the CPU
	 * had no cache of this level, the export inserts one, unless it crosses
	 * objects or hwloc lacks the level.
	 */
	size_t n_objects, n_described;
	bool inserted, crosses, unknown;
};

/* A measured matrix of NUMA nodes, and the result of its export. */
struct machine_node_matrix {
	bool is_bandwidth;		/* in GiB/s; else latency in ns */
	const struct cpu_list *rows;	/* nodes of the measuring CPUs */
	const struct cpu_list *columns; /* nodes of the measured memory */
	const double *values; /* [rows->n * columns->n], NaN: missing */

	/* Number of exported cells, and number of cells with unknown nodes. */
	size_t n_set, n_unknown;
};

struct machine_measured {
	const char *origin; /* for the info C2COrigin of the machine */
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
	/* Cache level that groups of the first level share, or 0. */
	unsigned shared_level;

	/*
	 * Set by the export, for free(): the types of objects that the XML
	 * leaves out because measured groups cross them, "Core, L3"; or NULL.
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
 * Add *measured to the machine's topology, and return it as hwloc XML in *xml,
 * for free():
 *
 * - A measured group that matches no object becomes a Group. If it crosses
 *   objects of the topology (each has CPUs that the other lacks), all objects
 *   of their type are removed. If this is impossible, because they are Groups
 *   or contain NUMA nodes, the measured group is not inserted. An unmeasured
 *   CPU joins the group of the measured CPUs in the smallest object around it,
 *   if all of them are in the same group.
 * - A matrix becomes distances between PUs, for example "c2c latency ps". hwloc
 *   needs an integer in every cell: a diagonal that was not measured gets 0 for
 *   latencies and the greatest value for rates, like hwloc's own matrices.
 *   Before hwloc 2.5 distances have no name.
 * - A matrix of nodes becomes memory attributes, Latency in ns or Bandwidth in
 *   MiB/s, of the column's node for the CPUs of the row's node. The attributes
 *   replace the firmware's values.
 * - A measured cache, and every cache that the topology describes in the same
 *   way, gets infos, and the measured size, line and ways if they differ. The
 *   size is the lower end of its interval. A cache that the topology lacks
 *   becomes an object over the CPUs that share it, else over the CPU that
 *   measured it.
 * - Caches whose sharing was measured get their CPUs as an info.
 *
 * Return -EINVAL (ERROR_USAGE) if the topology lacks one of the CPUs. After a
 * failure there is nothing to free.
 */
int machine_export_measured(const struct machine *machine,
	struct machine_measured *measured, char **xml, struct error *err);

#endif
