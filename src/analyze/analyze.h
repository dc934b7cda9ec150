/* Infers the structure of a machine from results. */
#ifndef C2C_ANALYZE_H
#define C2C_ANALYZE_H

#include <stdint.h>

#include "machine/machine.h"
#include "result/comparison.h"
#include "util/arena.h"
#include "util/error.h"

/*
 * Analyse results[n] of the same CPUs of one machine together; sources[i] names
 * each result. The main result is the first with latencies, else results[0]. A
 * level of another result is added if it nests with the levels of the main
 * result. Return -EINVAL (ERROR_USAGE) if the results are from different
 * machines, or have no matrix or no number. The caller releases *analysis after
 * success only.
 */
int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err);

/*
 * Extract one epoch of a run that kept its passes, as a result. number counts
 * from 1; 0 is the last epoch. Return -EINVAL (ERROR_USAGE) if the epoch does
 * not exist. The caller releases *out after success only.
 */
int analysis_extract_epoch(const struct result *result, uint64_t number,
	struct result *out, struct error *err);

/*
 * Check that two results have the same CPUs and that their machine facts under
 * `keys` are equal. If not, return -EINVAL (ERROR_USAGE) with the reason and
 * advice.
 */
int analysis_check_same_cpus(const struct compare_side *a,
	const struct compare_side *b, const char *const keys[2],
	const char *advice, struct error *err);

/* Like analysis_check_same_cpus(), but for the machine facts alone. */
int analysis_check_same_machine(const struct compare_side *a,
	const struct compare_side *b, const char *const keys[2],
	const char *advice, struct error *err);

/* Whether the passes of a run show that vCPUs moved. */
bool analysis_has_moved(const struct result *result, struct arena *arena);

/* Return the index of the main result in results[n]. */
size_t analysis_main_index(const struct result *results, size_t n);

/* Return the CPUs with this group number, in increasing order: "0,8". */
char *analysis_list_cpus(const struct analysis *analysis, const uint32_t *group,
	uint32_t g, struct arena *arena);

/* Format the groups of at least two CPUs: "0,8 and 1,9 and 14 more". */
#define ANALYSIS_GROUPS_SHOWN 4
char *analysis_list_groups(const struct analysis *analysis,
	const uint32_t *group, struct arena *arena);

/*
 * Return the indexes [cpus.n] of the CPUs, sorted by nested levels: the CPUs of
 * each group are contiguous. CPUs without a group are last.
 */
size_t *analysis_cpu_order(
	const struct analysis *analysis, struct arena *arena);

/*
 * Return why levels may be wrong, as a static string: CPUs moved, may have
 * moved, or are too few to detect a move. Return NULL if no CPU moved.
 */
const char *analysis_placement_doubt(enum analysis_placement placement);

/*
 * Compare each level of an analysis with the topology of `machine` (agree.c).
 * Fill `reported` and `agrees` of each level. Choose its kind by an equal
 * topology object. Add disagreements, and the reported divisions that no level
 * shows. `result` is the main result of the analysis; its values may contradict
 * a reported core. If CPUs moved, each epoch is compared instead of the whole
 * run; without epochs, `compared` stays false. Return -EINVAL (ERROR_USAGE) if
 * the topology lacks one of the CPUs.
 */
int analysis_compare_topology(struct analysis *analysis,
	const struct result *result, const struct machine *machine,
	struct error *err);

#endif
