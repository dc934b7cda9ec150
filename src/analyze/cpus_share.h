/*
 * Whether CPUs share a core, a last-level cache, a NUMA node, a package: what
 * the latencies show; where they are silent, what the system of a machine
 * without a hypervisor says.
 */
#ifndef C2C_CPUS_SHARE_H
#define C2C_CPUS_SHARE_H

#include "machine/machine.h"
#include "result/analysis.h"
#include "result/machine_check.h"
#include "result/result.h"

struct share_question {
	const struct result *result; /* latencies */
	const struct analysis *analysis;
	/* Its topology, with the CPUs of the result; or NULL. */
	const struct machine *machine;
	const size_t *rows;	 /* [n] places of the CPUs in the result */
	size_t n;		 /* two or more */
	enum analysis_kind kind; /* smt, llc, node or package */
};

/* "a core", "a last-level cache", ..., by those kinds. */
extern const char *const share_nouns[];

/* Whether a record has latencies, which is what can be asked. */
bool share_has_latencies(const struct result *result);

/*
 * Add what is found: "shared", "apart", "moved" or "unknown". In an
 * arena_run().
 */
void cpus_share_judge(const struct share_question *question,
	struct machine_check *check, struct arena *arena);

#endif
