/*
 * types.c: list all objects of one type. In an uneven tree, objects of a type
 * are at several depths, for example cores if only one core has a cache for
 * each CPU. hwloc then can neither count nor list them.
 */
#include "machine/internal.h"

static bool is_spread(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	return hwloc_get_type_depth(topology, type) ==
	       HWLOC_TYPE_DEPTH_MULTIPLE;
}

static unsigned first_pu(hwloc_obj_t obj)
{
	while (obj->first_child)
		obj = obj->first_child;
	return obj->logical_index;
}

/* Return whether a is before b in the tree: parents are before children. */
static bool is_before(hwloc_obj_t a, hwloc_obj_t b)
{
	unsigned x = first_pu(a), y = first_pu(b);

	return x != y ? x < y : a->depth < b->depth;
}

hwloc_obj_t next_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t last)
{
	hwloc_obj_t next = NULL;

	if (!is_spread(topology, type))
		return hwloc_get_next_obj_by_type(topology, type, last);
	for (int d = 0; d < hwloc_topology_get_depth(topology); d++) {
		hwloc_obj_t obj = NULL;

		if (hwloc_get_depth_type(topology, d) != type)
			continue;
		while ((obj = hwloc_get_next_obj_by_depth(topology, d, obj))) {
			if ((!last || is_before(last, obj)) &&
				(!next || is_before(obj, next)))
				next = obj;
		}
	}
	return next;
}

int count_of_type(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);

	if (!is_spread(topology, type))
		return n;
	n = 0;
	for (int d = 0; d < hwloc_topology_get_depth(topology); d++) {
		if (hwloc_get_depth_type(topology, d) == type)
			n += (int)hwloc_get_nbobjs_by_depth(topology, d);
	}
	return n;
}

hwloc_obj_t object_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, unsigned index)
{
	hwloc_obj_t obj = next_of_type(topology, type, NULL);

	while (obj && index-- > 0)
		obj = next_of_type(topology, type, obj);
	return obj;
}

unsigned index_of_object(hwloc_topology_t topology, hwloc_obj_t obj)
{
	unsigned index = 0;

	if (!is_spread(topology, obj->type))
		return obj->logical_index;
	for (hwloc_obj_t at = next_of_type(topology, obj->type, NULL);
		at && at != obj; at = next_of_type(topology, obj->type, at))
		index++;
	return index;
}
