/*
 * Puts the measured latency and bandwidth of NUMA nodes into a topology, as
 * memory attributes of hwloc, by which programs choose where to allocate.
 */
#include <errno.h>
#include <math.h>

#include "machine/export_parts.h"

#define MIB_PER_GIB 1024.0

/* The greatest value that is written. */
#define MOST 1e18

/* One cell; false if hwloc refuses it. */
static bool set_cell(hwloc_topology_t topology, bool is_bandwidth,
	hwloc_obj_t row, hwloc_obj_t column, double value)
{
	struct hwloc_location initiator = {.type = HWLOC_LOCATION_TYPE_CPUSET};
	double scaled = is_bandwidth ? value * MIB_PER_GIB : value;

	initiator.location.cpuset = row->cpuset;
	return hwloc_memattr_set_value(topology,
		       is_bandwidth ? HWLOC_MEMATTR_ID_BANDWIDTH
				    : HWLOC_MEMATTR_ID_LATENCY,
		       column, &initiator, 0,
		       (hwloc_uint64_t)llround(scaled)) == 0;
}

int export_describe_nodes(hwloc_topology_t topology,
	struct machine_node_matrix *matrix, struct error *err)
{
	size_t columns = matrix->columns->n;

	for (size_t k = 0; k < matrix->rows->n * columns; k++) {
		hwloc_obj_t row = hwloc_get_numanode_obj_by_os_index(
			topology, matrix->rows->cpus[k / columns]);
		hwloc_obj_t column = hwloc_get_numanode_obj_by_os_index(
			topology, matrix->columns->cpus[k % columns]);
		double value = matrix->values[k];

		if (!(value > 0 && value <= MOST))
			continue;
		if (!row || !column || hwloc_bitmap_iszero(row->cpuset)) {
			matrix->n_unknown++;
			continue;
		}
		if (!set_cell(
			    topology, matrix->is_bandwidth, row, column, value))
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
