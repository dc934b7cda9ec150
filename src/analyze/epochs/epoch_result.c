/* Makes a result from one epoch of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/epochs/epochs.h"
#include "stat/stat.h"

static void set_pair_value(struct matrix *matrix, size_t n,
	const struct cpu_pair *pair, double value)
{
	matrix->values[pair->first * n + pair->second] = value;
	if (matrix->symmetric)
		matrix->values[pair->second * n + pair->first] = value;
}

/* Statistics of an epoch, the same as for a whole run. */
enum epoch_statistic {
	EPOCH_MEDIAN,
	EPOCH_CI_LOW,
	EPOCH_CI_HIGH,
	N_EPOCH_STATISTICS
};

static int copy_run_facts(const struct result *result,
	const struct analysis_epoch *epoch, struct result *out,
	struct error *err)
{
	out->command = result->command ? strdup(result->command) : NULL;
	out->started = result->started ? strdup(result->started) : NULL;
	out->hwloc_xml = result->hwloc_xml ? strdup(result->hwloc_xml) : NULL;
	out->elapsed_s = epoch->end_s - epoch->start_s;
	out->complete = result->complete;
	facts_append(&out->tool, &result->tool);
	facts_append(&out->machine, &result->machine);
	facts_append(&out->options, &result->options);
	out->run.known = true;
	out->run.passes = (int64_t)epoch->n_passes;
	if (out->options.failed || (result->command && !out->command) ||
		(result->started && !out->started) ||
		(result->hwloc_xml && !out->hwloc_xml))
		return error_no_memory(err, "an epoch");
	return 0;
}

int epoch_result(const struct result *result, const struct passes *passes,
	const struct analysis_epoch *epoch, struct result *out,
	struct error *err)
{
	static const char *const names[] = {"median", "ci_low", "ci_high"};
	const struct matrix *like =
		result_find_matrix(result, passes->name, NULL);
	/* Repeated passes (again) belong to the whole run, not to an epoch. */
	const struct passes *again =
		epoch->n_passes == passes->n_passes
			? result_find_passes_again(result, passes->name)
			: NULL;
	size_t n = result->cpus.n;
	size_t most = epoch->n_passes + (again ? again->n_passes : 0);
	double *values = calloc(most + 1, sizeof(double));
	int rc = values ? 0 : error_no_memory(err, "an epoch");

	result_init(out);
	if (rc == 0)
		rc = copy_run_facts(result, epoch, out, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = cpu_list_add(&out->cpus, result->cpus.cpus[i], err);
	for (size_t k = 0; rc == 0 && k < N_EPOCH_STATISTICS; k++) {
		if (!result_add_matrix(out, passes->name, names[k],
			    passes->unit, like->quantity,
			    like->higher_is_better, like->symmetric))
			rc = error_no_memory(err, "an epoch");
	}
	for (size_t p = 0; rc == 0 && p < passes->n_pairs; p++) {
		const struct cpu_pair *pair = &passes->pairs[p];
		double low = NAN, high = NAN;
		size_t used = 0;

		for (size_t t = 0; t < epoch->n_passes; t++) {
			double value = passes->values[(epoch->first + t) *
							      passes->n_pairs +
						      p];

			if (isfinite(value))
				values[used++] = value;
		}
		used += passes_take_pair(again, *pair, values + used);
		stat_sort(values, used);
		if (stat_median_ci95(values, used, &low, &high) < 0)
			low = high = NAN;
		set_pair_value(&out->matrices[EPOCH_MEDIAN], n, pair,
			stat_quantile(values, used, 0.5));
		set_pair_value(&out->matrices[EPOCH_CI_LOW], n, pair, low);
		set_pair_value(&out->matrices[EPOCH_CI_HIGH], n, pair, high);
	}
	if (rc < 0)
		result_release(out);
	free(values);
	return rc;
}
