/*
 * The nearest CPU of each, by what c2c measured: hwloc finds it in the file
 *that HWLOC_XMLFILE names, as any program of hwloc does.
 *
 *	c2c export lat.json --hwloc lat.xml
 *	cc measured_distances.c $(pkg-config --cflags --libs hwloc) -o distances
 *	HWLOC_XMLFILE=lat.xml ./distances
 */
#include <hwloc.h>
#include <hwloc/distances.h>
#include <stdio.h>

int main(void)
{
	struct hwloc_distances_s *measured;
	hwloc_topology_t topology;
	unsigned wanted = 1;

	if (hwloc_topology_init(&topology) || hwloc_topology_load(topology) ||
		hwloc_distances_get_by_name(
			topology, "c2c latency ps", &wanted, &measured, 0) ||
		wanted == 0)
		return 1;
	for (unsigned i = 0, n = measured->nbobjs; i < n; i++) {
		const hwloc_uint64_t *ps = &measured->values[(size_t)i * n];
		unsigned nearest = i == 0;

		for (unsigned j = 0; j < n; j++)
			nearest = j != i && ps[j] < ps[nearest] ? j : nearest;
		printf("CPU %u: CPU %u at %.1f ns\n",
			measured->objs[i]->os_index,
			measured->objs[nearest]->os_index,
			(double)ps[nearest] / 1000);
	}
	hwloc_distances_release(topology, measured);
	hwloc_topology_destroy(topology);
	return 0;
}
