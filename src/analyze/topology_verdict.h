/* Whether numbers agree with a topology, disagree, or cannot tell it. */
#ifndef C2C_TOPOLOGY_VERDICT_H
#define C2C_TOPOLOGY_VERDICT_H

#include "result/analysis.h"

/*
 * Fill verdict and unknown_reason of an analysis that
 * analysis_compare_topology() has compared. is_virtual: the numbers or the
 * topology are of a virtual machine.
 */
void topology_verdict_find(
	struct analysis *analysis, bool is_virtual, struct arena *arena);

#endif
