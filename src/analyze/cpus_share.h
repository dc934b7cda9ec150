/*
 * Judges by latencies whether CPUs share a core, a last-level cache, a NUMA
 * node or a package. If latencies do not decide, the topology of a machine
 * without a hypervisor does.
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
	/* Topology with the CPUs of the result, or NULL. */
	const struct machine *machine;
	const size_t *rows;	 /* [n] rows of the CPUs in the result */
	size_t n;		 /* two or more */
	enum analysis_kind kind; /* smt, llc, node or package */
};

extern const char *const share_nouns[];

/* Whether a record has the latencies that cpus_share_judge() needs. */
bool share_has_latencies(const struct result *result);

/*
 * Call in an arena_run(). The finding: "shared", "apart", "moved", "unknown".
 */
void cpus_share_judge(const struct share_question *question,
	struct machine_check *check, struct arena *arena);

#endif
