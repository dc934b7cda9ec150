/* Judges whether values agree or disagree with a topology, or neither. */
#ifndef C2C_TOPOLOGY_VERDICT_H
#define C2C_TOPOLOGY_VERDICT_H

#include "result/analysis.h"

/*
 * Fill verdict and unknown_reason of an analysis, after
 * analysis_compare_topology(). is_virtual: the values or the topology are from
 * a virtual machine.
 */
void topology_verdict_find(
	struct analysis *analysis, bool is_virtual, struct arena *arena);

#endif
