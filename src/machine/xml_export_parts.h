/*
 * The parts of an export. Private to src/machine/xml_export*.c.
 */
#ifndef C2C_XML_EXPORT_PARTS_H
#define C2C_XML_EXPORT_PARTS_H

#include "machine/internal.h"
#include "machine/xml_export.h"

/*
 * xml_export_nodes.c. The first function overwrites the firmware's values of
 * measured attributes in XML with blanks. The second adds the measured values;
 * it returns -EIO if hwloc refuses one.
 */
void xml_export_blank_nodes(char *xml, const struct machine_measured *measured);
int xml_export_describe_nodes(hwloc_topology_t topology,
	const struct machine_facts *facts, struct machine_node_matrix *matrix,
	struct error *err);

/*
 * xml_export_caches.c. The first two functions add measured values to the
 * caches of the topology: their numbers, and the CPUs that share them. The
 * third inserts the caches that the topology lacks into its XML. The third
 * function frees xml, and the caller frees its result.
 */
void xml_export_describe_caches(hwloc_topology_t topology,
	struct machine_measured *measured, struct arena *arena);
void xml_export_describe_sharing(hwloc_topology_t topology,
	const struct machine_measured *measured, struct arena *arena);
char *xml_export_insert_caches(
	char *xml, struct machine_measured *measured, struct arena *arena);

/* Add an info to an object, unless value is NULL. */
void xml_export_add_info(struct arena *arena, hwloc_obj_t obj, const char *name,
	const char *value);

#endif
