/* Load topologies from results, and from files that --topology names. */
#ifndef C2C_TOPOLOGY_OPTION_H
#define C2C_TOPOLOGY_OPTION_H

#include "machine/machine.h"
#include "result/result.h"
#include "util/error.h"

/* Load the XML file of hwloc at path, as machine_new_file() does. */
int topology_load(
	const char *path, struct machine **machine, struct error *err);

/* Load the topology of a result that has one; path: for messages. */
int topology_load_embedded(const struct result *result, const char *path,
	struct machine **machine, struct error *err);

/*
 * If a result has no CPU numbers, check that it has as many CPUs as the
 * topology. Messages name the path of the result, the option, and the topology:
 * `from`.
 */
int topology_check_cpu_count(const struct machine *machine, const char *option,
	const char *from, const struct result *result, const char *path,
	struct error *err);

/* Warn if a topology and a result are from different hosts. */
void topology_warn_of_host(const char *command, const struct result *result,
	const struct machine *machine);

#endif
