/* Load topologies from results, and from files that --topology names. */
#ifndef C2C_TOPOLOGY_OPTION_H
#define C2C_TOPOLOGY_OPTION_H

#include "machine/machine.h"
#include "result/result.h"
#include "util/error.h"

/* Load hwloc's XML at path, like machine_new_file(). */
int topology_load(
	const char *path, struct machine **machine, struct error *err);

/* Load the topology inside a result, which has one; name: for messages. */
int topology_load_embedded(const struct result *result, const char *path,
	struct machine **machine, struct error *err);

/*
 * Refuse a result at path whose CPUs have no real numbers if the topology has
 * more or fewer CPUs. `from` names the topology, which that option asked for.
 */
int topology_check_cpu_count(const struct machine *machine, const char *option,
	const char *from, const struct result *result, const char *path,
	struct error *err);

/*
 * Print a warning of this command if a topology and a result are from different
 * hosts.
 */
void topology_warn_of_host(const char *command, const struct result *result,
	const struct machine *machine);

#endif
