/*
 * --resume: continue an interrupted run from its record. c2c measures only
 * pairs without a value, and copies the values of other pairs from the record.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure_run.h"
#include "cmd/resume_record.h"
#include "cmd/spin_hint_record.h"
#include "util/array.h"

/* Check that all options with an effect on values are the same. */
static int check_options(struct measure_state *run, struct error *err)
{
	const struct option_table common = measure_options_table(run->options);
	const struct measure_plan *plan = run->plan;
	const char *idle = facts_text(&run->resumed.options, "idle");
	bool chosen = run->resumed.run.jobs_chosen == 1;
	int rc;

	/*
	 * Measure the missing pairs one at a time, unless c2c chose the jobs of
	 * the record.
	 */
	run->options->jobs = 1;
	if (!option_given(&run->options->given, "jobs") && chosen)
		run->options->jobs =
			(uint64_t)facts_count(&run->resumed.options, "jobs");
	/* Idle CPUs wait as they did in the run of the record. */
	if (run->options->idle == MEASURE_AUTO && idle)
		run->options->idle =
			strcmp(idle, "spin") == 0 ? MEASURE_SPIN : MEASURE_PARK;
	/* All pairs of a matrix must have the same waiting loop. */
	if (plan->spin_hint && *plan->spin_hint == MEASURE_HINT_AUTO)
		spin_hint_recall_choice(&run->resumed, plan->spin_hint);
	if (plan->lines)
		*plan->lines = campaign_lines(*plan->lines,
			plan->campaign.params.samples,
			(size_t)run->options->jobs);
	rc = options_check_same(&common, &run->resumed.options, err);
	if (rc == 0)
		rc = options_check_same(
			&plan->options, &run->resumed.options, err);
	return rc;
}

/* Check that the record has the quantity and the unit of this run. */
static int check_labels(struct measure_state *run, struct error *err)
{
	const struct summary_labels *labels = &run->plan->labels;
	const char *quantity = labels->quantity ? labels->quantity : "values";

	for (size_t k = 0; k < 2 && labels->name[k]; k++) {
		const struct matrix *matrix = result_find_matrix(
			&run->resumed, labels->name[k], "median");
		const char *there = matrix && matrix->quantity
					    ? matrix->quantity
					    : "values";

		if (matrix && (strcmp(matrix->unit, labels->unit) != 0 ||
				      strcmp(there, quantity) != 0))
			return error_set(err, ERROR_USAGE, EINVAL,
				"the matrix '%s' of the record has %s in %s, "
				"and this run measures %s in %s",
				labels->name[k], there, matrix->unit, quantity,
				labels->unit);
	}
	return 0;
}

static int check_cpus(struct measure_state *run, struct error *err)
{
	const struct cpu_list *here = &run->selection.cpus;
	const struct cpu_list *there = &run->resumed.cpus;
	char *list;

	if (result_is_of_nodes(&run->resumed))
		return error_set(err, ERROR_USAGE, EINVAL,
			"the record has matrices of NUMA nodes, and this run "
			"measures pairs of CPUs");
	if (here->n == there->n && memcmp(here->cpus, there->cpus,
					   here->n * sizeof(*here->cpus)) == 0)
		return 0;
	list = cpu_list_format(there);
	error_set(err, ERROR_USAGE, EINVAL,
		"the record has other CPUs: add --cpus %s to this run",
		list ? list : "?");
	free(list);
	return -EINVAL;
}

static int check_machine(struct measure_state *run, struct error *err)
{
	return resume_check_machine(
		&run->resumed, run->machine, &run->timebase, err);
}

static bool has_pair(const struct measure_state *run, struct schedule_pair pair)
{
	size_t n = run->resumed.cpus.n;

	for (size_t k = 0; k < 2; k++) {
		const char *name = run->plan->labels.name[k];
		const struct matrix *matrix =
			name ? result_find_matrix(&run->resumed, name, "median")
			     : NULL;

		if (name && (!matrix || isnan(matrix->values[pair.first * n +
							     pair.second])))
			return false;
	}
	return true;
}

/* Select only the pairs that the record lacks. */
static int keep_missing(struct measure_state *run, struct error *err)
{
	struct measure_selection *selection = &run->selection;
	size_t kept = 0;
	int rc = measure_list_pairs(run->plan, selection, err);

	if (rc < 0)
		return rc;
	for (size_t p = 0; p < selection->n_pairs; p++) {
		if (!has_pair(run, selection->pairs[p]))
			selection->pairs[kept++] = selection->pairs[p];
	}
	selection->n_pairs = kept;
	if (kept == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"it has every pair: there is nothing to measure");
	return 0;
}

int measure_resume(struct measure_state *run, struct error *err)
{
	static int (*const checks[])(struct measure_state * run,
		struct error * err) = {check_machine, check_cpus, check_options,
		check_labels, keep_missing};
	const char *path = run->options->resume;
	int rc;

	if (!path)
		return 0;
	rc = resume_load(&run->resumed, path, run->plan->command,
		&run->options->outputs, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < sizeof(checks) / sizeof(*checks); i++)
		rc = checks[i](run, err);
	if (rc < 0)
		error_prefix(err, "--resume: '%s'", path);
	return rc;
}

/* Append the passes of the record after the passes of this run. */
static int move_passes(
	struct result *to, struct result *from, struct error *err)
{
	for (size_t i = 0; i < from->n_kept; i++) {
		if (!array_grow(&to->kept, to->n_kept, sizeof(*to->kept)))
			return error_no_memory(err, "the passes of the record");
		to->kept[to->n_kept++] = from->kept[i];
		memset(&from->kept[i], 0, sizeof(*from->kept));
	}
	return 0;
}

void measure_resume_qualify(struct measure_state *run)
{
	struct run_facts *now = &run->result.run, *old = &run->resumed.run;
	enum memory_pages then, here;

	if (!run->options->resume)
		return;
	if (run_epochs(old))
		campaign_warn(&run->campaign,
			"the values of the resumed run are of the longest of "
			"%zu epochs, because its CPUs moved",
			(size_t)run_epochs(old));
	if (old->pages && memory_pages_parse(old->pages, &then, NULL) == 0 &&
		memory_pages_parse(now->pages, &here, NULL) == 0 &&
		then < here) {
		free(now->pages);
		now->pages = old->pages;
		old->pages = NULL;
	}
	now->huge_share = fmin(
		now->huge_share, isnan(old->huge_share) ? 0 : old->huge_share);
	if (old->memory_bound != 1)
		now->memory_bound = false;
	/* Most pairs were measured with the jobs of the record. */
	if (old->jobs_chosen == 1) {
		now->jobs = old->jobs;
		now->jobs_bias = old->jobs_bias;
		now->jobs_chosen = true;
		facts_set_count(&run->result.options, "jobs", old->jobs);
	}
}

/* Copy the facts about pairs that the run of the record measured again. */
static void copy_again(const struct facts *from, struct facts *run)
{
	static const char *const keys[] = {"again.pairs", "again.passes"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (facts_count(from, "again.pairs") > 0)
			facts_set_count(
				run, keys[i], facts_count(from, keys[i]));
}

int measure_resume_merge(struct measure_state *run, struct error *err)
{
	struct result *result = &run->result;
	struct result *old = &run->resumed;
	size_t n = result->cpus.n;

	if (!run->options->resume)
		return 0;
	for (size_t m = 0; m < result->n_matrices; m++) {
		struct matrix *to = &result->matrices[m];
		const struct matrix *from =
			result_find_matrix(old, to->name, to->statistic);

		for (size_t i = 0; from && i < n * n; i++) {
			if (isnan(to->values[i]))
				to->values[i] = from->values[i];
		}
	}
	if (!isnan(old->elapsed_s))
		result->elapsed_s += old->elapsed_s;
	spin_hint_copy_trial(&old->run.other, &result->run.other);
	copy_again(&old->run.other, &result->run.other);
	for (size_t i = 0; i < old->run.n_warnings; i++)
		campaign_warn(&run->campaign, "of the resumed run: %s",
			old->run.warnings[i]);
	result->run.resumed_elapsed_s = old->elapsed_s;
	result->run.resumed_started =
		old->started ? strdup(old->started) : NULL;
	if (old->started && !result->run.resumed_started)
		return error_no_memory(err, "the result");
	return move_passes(result, old, err);
}
