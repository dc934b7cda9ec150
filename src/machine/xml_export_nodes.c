/*
 * Add the measured latency and bandwidth of NUMA nodes to a topology as hwloc's
 * memory attributes, which programs use to choose a node for memory.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/xml_export_parts.h"

#define MIB_PER_GIB 1024.0

/* The largest value that is written. */
#define MOST 1e18

static void blank_attribute(char *xml, const char *prefix, const char *name)
{
	static const char end[] = "</memattr>";
	char begin[48];
	char *from, *close, *to;

	snprintf(begin, sizeof(begin), "<memattr name=\"%s%s\"", prefix, name);
	from = strstr(xml, begin);
	close = from ? strchr(from, '>') : NULL;
	to = close && close[-1] != '/' ? strstr(close, end) : NULL;
	if (to)
		memset(from, ' ', (size_t)(to - from) + strlen(end));
}

/*
 * Overwrite the firmware's values with blanks, because hwloc cannot remove a
 * value. Otherwise hwloc would apply a measured value to all CPUs for which the
 * firmware has one value, and average it with the firmware's values for reads
 * and writes.
 */
void xml_export_blank_nodes(char *xml, const struct machine_measured *measured)
{
	static const char *const prefixes[] = {"", "Read", "Write"};

	for (size_t m = 0; m < measured->n_node_matrices; m++) {
		for (size_t i = 0; i < 3; i++)
			blank_attribute(xml, prefixes[i],
				measured->node_matrices[m].is_bandwidth
					? "Bandwidth"
					: "Latency");
	}
}

/* Set one cell. Return false if hwloc refuses the value. */
static bool set_cell(hwloc_topology_t topology, bool is_bandwidth,
	hwloc_bitmap_t cpus, hwloc_obj_t column, double value)
{
	struct hwloc_location initiator = {.type = HWLOC_LOCATION_TYPE_CPUSET};
	double scaled = is_bandwidth ? value * MIB_PER_GIB : value;

	initiator.location.cpuset = cpus;
	return hwloc_memattr_set_value(topology,
		       is_bandwidth ? HWLOC_MEMATTR_ID_BANDWIDTH
				    : HWLOC_MEMATTR_ID_LATENCY,
		       column, &initiator, 0,
		       (hwloc_uint64_t)llround(scaled)) == 0;
}

/* Set the cells of row i, whose node has these CPUs. */
static int describe_row(hwloc_topology_t topology, hwloc_bitmap_t cpus,
	struct machine_node_matrix *matrix, size_t i, struct error *err)
{
	for (size_t j = 0; j < matrix->columns->n; j++) {
		hwloc_obj_t column = hwloc_get_numanode_obj_by_os_index(
			topology, matrix->columns->cpus[j]);
		double value = matrix->values[i * matrix->columns->n + j];

		if (!(value > 0 && value <= MOST))
			continue;
		if (!column || hwloc_bitmap_iszero(cpus)) {
			matrix->n_unknown++;
			continue;
		}
		if (!set_cell(topology, matrix->is_bandwidth, cpus, column,
			    value))
			return error_set(err, ERROR_FAILURE,
				errno ? errno : EIO,
				"hwloc refuses the %s of node %u as a memory "
				"attribute",
				matrix->is_bandwidth ? "bandwidth" : "latency",
				column->os_index);
		matrix->n_set++;
	}
	return 0;
}

int xml_export_describe_nodes(hwloc_topology_t topology,
	const struct machine_facts *facts, struct machine_node_matrix *matrix,
	struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < matrix->rows->n; i++) {
		hwloc_bitmap_t cpus = own_cpus_of(facts, matrix->rows->cpus[i]);

		rc = cpus ? describe_row(topology, cpus, matrix, i, err)
			  : error_no_memory(err, "the topology");
		hwloc_bitmap_free(cpus);
	}
	return rc;
}
