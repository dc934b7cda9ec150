/*
 * Whether the levels that were measured are those that a topology advertises.
 */
#ifndef C2C_ANALYZE_AGREE_H
#define C2C_ANALYZE_AGREE_H

#include "analyze/analysis.h"
#include "machine/machine.h"

/*
 * Compare every level of analysis with machine's topology: fill advertised and
 * agrees, name kinds by the objects they equal, add disagreements and the
 * advertised divisions that no level shows. result is the main one of the
 * analysis, whose numbers may contradict an advertised core. If CPUs moved,
 * each epoch is compared in place of the whole; without epochs nothing is
 * compared, and compared stays false. -EINVAL (ERROR_USAGE) when the topology
 * lacks one of the CPUs.
 */
int agree(struct analysis *analysis, const struct result *result,
	const struct machine *machine, struct error *err);

#endif
