/*
 * What the CPUs of a group share: a core, a cache, a node, a package. Pure; any
 * thread may call them.
 */
#ifndef C2C_KINDS_H
#define C2C_KINDS_H

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "result/run.h"
#include "util/arena.h"

/*
 * Argue from the numbers, and from what is settled, which kind each other level
 * is: fill its kind, kind_confidence and may_be. machine is what the record of
 * the main result says of its machine. Nothing in the arena outlives the call.
 */
void kinds_infer(struct analysis *analysis, const struct facts *machine,
	struct arena *arena);

/* The same by other constants than those of the table. */
void kinds_infer_by(struct analysis *analysis, const struct facts *machine,
	const struct level_constants *constants, struct arena *arena);

/*
 * Say what another witness than the numbers says of a level. kinds_infer() then
 * leaves the level alone and argues from it.
 */
void kinds_set_known(struct analysis_level *level, enum analysis_kind kind,
	double confidence, enum analysis_evidence evidence);

#endif
