/*
 * The last-level caches of c2c numa --scaling --llcs FILE: the groups that
 * share a cache according to the latencies of a record.
 */
#include <errno.h>

#include "analyze/analyze.h"
#include "cmd/latencies.h"
#include "cmd/numa/cmd_numa.h"

static const struct analysis_level *find_llc_level(
	const struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].kind == ANALYSIS_LLC)
			return &analysis->levels[k];
	}
	return NULL;
}

/* Check that groups share a last-level cache, and that no CPUs move. */
static int check_groups(
	const struct analysis *analysis, const char *path, struct error *err)
{
	if (analysis->placement == ANALYSIS_DRIFTING ||
		analysis->placement == ANALYSIS_MOVING_ASLEEP)
		return error_set(err, ERROR_USAGE, EINVAL,
			"the groups of '%s' may be wrong: %s", path,
			analysis_placement_doubt(analysis->placement));
	if (find_llc_level(analysis))
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' has no groups that share a last-level cache: see its "
		"groups with 'c2c analyze'",
		path);
}

/* List the CPUs of each group, without empty groups. */
static int list_groups(const struct analysis *analysis,
	const struct cpu_list *cpus, struct cpu_list *llcs, size_t *n,
	struct error *err)
{
	const struct analysis_level *level = find_llc_level(analysis);
	int rc = 0;

	for (uint32_t g = 0; rc == 0 && g < level->n_groups; g++) {
		struct cpu_list *llc = &llcs[*n];

		for (size_t i = 0; rc == 0 && i < cpus->n; i++) {
			long at = cpu_list_find(&analysis->cpus, cpus->cpus[i]);

			if (at < 0)
				return error_set(err, ERROR_USAGE, EINVAL,
					"the record lacks CPU %u: name the "
					"CPUs of the record with --cpus",
					cpus->cpus[i]);
			if (level->group[at] == g)
				rc = cpu_list_add(llc, cpus->cpus[i], err);
		}
		*n += llc->n > 0;
	}
	return rc;
}

int numa_list_measured_llcs(const char *path, const struct cpu_list *cpus,
	struct cpu_list *llcs, size_t *n, struct error *err)
{
	struct analysis analysis;
	struct result result;
	int rc = latencies_load(path, &result, err);

	if (rc == 0) {
		rc = analysis_make(&result, &path, 1, &analysis, err);
		if (rc == 0) {
			rc = check_groups(&analysis, path, err);
			if (rc == 0)
				rc = list_groups(&analysis, cpus, llcs, n, err);
			analysis_release(&analysis);
		}
		result_release(&result);
	}
	if (rc < 0)
		error_prefix(err, "--llcs");
	return rc;
}
