/* Whether a topology advertises the levels that were measured. */
#ifndef C2C_ANALYZE_AGREE_H
#define C2C_ANALYZE_AGREE_H

#include "analyze/analysis.h"
#include "machine/machine.h"

/*
 * Compare every level of analysis with machine's topology: fill advertised and
 * agrees, name kinds after the objects they equal, add disagreements and the
 * advertised divisions that no level shows. result is the main one of the
 * analysis; its numbers may contradict an advertised core. If CPUs moved, each
 * epoch is compared instead of the whole run; without epochs nothing is, and
 * compared stays false. -EINVAL (ERROR_USAGE) if the topology lacks one of the
 * CPUs.
 */
int agree(struct analysis *analysis, const struct result *result,
	const struct machine *machine, struct error *err);

#endif
