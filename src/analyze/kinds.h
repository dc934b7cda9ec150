/*
 * Infers what the CPUs of a group share: a core, a cache, a node, a package.
 * Pure; any thread may call it.
 */
#ifndef C2C_KINDS_H
#define C2C_KINDS_H

#include <stdbool.h>

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "result/run.h"
#include "util/arena.h"

/*
 * Infer each unsettled level's kind, kind_confidence and may_be from the
 * numbers, and from what is settled. machine is what the record of the main
 * result says of its machine. Nothing in the arena outlives the call.
 */
void kinds_infer(struct analysis *analysis, const struct facts *machine,
	struct arena *arena);

/* Infer kinds like kinds_infer(), by other constants than the table's. */
void kinds_infer_by(struct analysis *analysis, const struct facts *machine,
	const struct level_constants *constants, struct arena *arena);

/* Whether a core of this architecture has two SMT threads at most. */
bool kinds_have_two_threads(const char *arch);

/*
 * Set what a witness other than the numbers says of a level. kinds_infer() then
 * leaves the level alone and argues from it.
 */
void kinds_set_known(struct analysis_level *level, enum analysis_kind kind,
	double confidence, enum analysis_evidence evidence);

#endif
