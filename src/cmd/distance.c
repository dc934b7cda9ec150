#include "cmd/distance.h"

#include <string.h>

const char *const distance_names[DISTANCES] = {
	[DISTANCE_SAME_CORE] = "SMT siblings",
	[DISTANCE_SAME_LLC] = "same LLC",
	[DISTANCE_SAME_PACKAGE] = "same package",
	[DISTANCE_OTHER_PACKAGE] = "other package",
};

enum cpu_distance distance_of_cpus(
	const struct machine *machine, unsigned a, unsigned b)
{
	const char *shared = machine_shared_by(machine, a, b);

	if (shared && strcmp(shared, "Core") == 0)
		return DISTANCE_SAME_CORE;
	if (machine_share_llc(machine, a, b))
		return DISTANCE_SAME_LLC;
	/* With one package, all CPUs share the package. */
	if (machine_facts(machine)->packages <= 1 ||
		(shared && strcmp(shared, "Machine") != 0))
		return DISTANCE_SAME_PACKAGE;
	return DISTANCE_OTHER_PACKAGE;
}
