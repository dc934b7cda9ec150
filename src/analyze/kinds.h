/*
 * Infers what the CPUs of a group share: a core, a cache, a NUMA node or a
 * package. The functions are pure; any thread may call them.
 */
#ifndef C2C_KINDS_H
#define C2C_KINDS_H

#include <stdbool.h>

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "result/run.h"
#include "util/arena.h"

/*
 * Infer kind, kind_confidence and may_be of each level whose kind is not known,
 * from latencies and known levels. `machine` has the machine facts of the main
 * result. Nothing in the arena outlives the call.
 */
void kinds_infer(struct analysis *analysis, const struct facts *machine,
	struct arena *arena);

/* Infer kinds like kinds_infer(), but with these constants. */
void kinds_infer_by(struct analysis *analysis, const struct facts *machine,
	const struct level_constants *constants, struct arena *arena);

/* Whether cores of this architecture have at most two SMT threads. */
bool kinds_have_two_threads(const char *arch);

/*
 * Set a level's kind from evidence other than latencies. kinds_infer() keeps
 * this kind, and infers the kinds of other levels from it.
 */
void kinds_set_known(struct analysis_level *level, enum analysis_kind kind,
	double confidence, enum analysis_evidence evidence);

#endif
