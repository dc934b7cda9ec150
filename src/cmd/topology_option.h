/*
 * Topologies inside results, and in files that --topology names.
 */
#ifndef C2C_TOPOLOGY_OPTION_H
#define C2C_TOPOLOGY_OPTION_H

#include "machine/machine.h"
#include "result/result.h"
#include "util/error.h"

/* Load the XML of hwloc at path, as machine_new_file() does. */
int topology_load(
	const char *path, struct machine **machine, struct error *err);

/* The topology inside a result of that name, which has one. */
int topology_load_embedded(const struct result *result, const char *path,
	struct machine **machine, struct error *err);

/*
 * Refuse a result of that path whose CPUs are only counted, for a topology of
 * more or fewer of them, which `from` names and that option asked for.
 */
int topology_check_cpu_count(const struct machine *machine, const char *option,
	const char *from, const struct result *result, const char *path,
	struct error *err);

/*
 * Warn, as that command, when a topology is of another host than the result:
 * that would be a comparison of apples and pears.
 */
void topology_warn_of_host(const char *command, const struct result *result,
	const struct machine *machine);

#endif
