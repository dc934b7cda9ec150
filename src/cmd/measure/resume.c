/*
 * --resume: go on with a run that was interrupted, from its record. Only pairs
 * without a value are measured; what the record has is copied.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/run.h"
#include "result/file.h"

/* The JSON text of an option for a message; a string for free(), or NULL. */
static char *option_text(const json_t *value)
{
	return value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)
		     : strdup("nothing");
}

/* That an option has the value there that it has here. */
static int check_option(const struct measure_state *run, const char *key,
	const json_t *here, struct error *err)
{
	const json_t *there = json_object_get(run->resumed.options, key);
	char *now, *then;
	int rc;

	if (json_equal(here, there))
		return 0;
	now = option_text(here);
	then = option_text(there);
	rc = error_set(err, ERROR_USAGE, EINVAL,
		"it was measured with %s %s, and this run has %s; give it the "
		"same options",
		key, then ? then : "?", now ? now : "?");
	free(now);
	free(then);
	return rc;
}

/* --lines as the record has them: rounded to whole visits. */
static json_t *whole_lines(const struct measure_plan *plan)
{
	size_t slots;

	if (!plan->lines)
		return NULL;
	return json_integer((json_int_t)campaign_lines(
		plan->lines, plan->params.samples, 1, &slots));
}

/* The options must be the same that say what a value is. */
static int check_options(const struct measure_state *run, struct error *err)
{
	json_t *idle = json_string(run->spin ? "spin" : "park");
	/* Missing pairs are a list, which is measured one by one. */
	json_t *jobs = json_integer(1);
	json_t *lines = whole_lines(run->plan);
	const char *key;
	json_t *here;
	int rc = check_option(run, "idle", idle, err);

	if (rc == 0)
		rc = check_option(run, "jobs", jobs, err);
	json_object_foreach(run->plan->options, key, here)
	{
		if (rc == 0)
			rc = check_option(run, key,
				strcmp(key, "lines") == 0 ? lines : here, err);
	}
	json_decref(idle);
	json_decref(jobs);
	json_decref(lines);
	return rc;
}

/* What the record has must be what this run measures, in the same unit. */
static int check_labels(const struct measure_state *run, struct error *err)
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
				"its matrix '%s' has %s in %s, and this run "
				"measures %s in %s",
				labels->name[k], there, matrix->unit, quantity,
				labels->unit);
	}
	return 0;
}

static int check_cpus(const struct measure_state *run, struct error *err)
{
	const struct cpu_list *here = &run->selection.cpus;
	const struct cpu_list *there = &run->resumed.cpus;
	char *list;

	if (here->n == there->n && memcmp(here->cpus, there->cpus,
					   here->n * sizeof(*here->cpus)) == 0)
		return 0;
	list = cpu_list_format(there);
	error_set(err, ERROR_USAGE, EINVAL,
		"it has other CPUs: give this run --cpus %s",
		list ? list : "?");
	free(list);
	return -EINVAL;
}

/* A host, a model and a clock that are known must be the same. */
static int check_machine(const struct measure_state *run, struct error *err)
{
	const struct machine_facts *facts = machine_facts(run->machine);
	const char *clock = json_string_value(json_object_get(
		json_object_get(run->resumed.machine, "clock"), "source"));
	const struct {
		const char *key, *here;
	} rows[] = {
		{"hostname", facts->hostname},
		{"cpu_model", facts->cpu_model},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *there = json_string_value(
			json_object_get(run->resumed.machine, rows[i].key));

		if (there && rows[i].here && strcmp(there, rows[i].here) != 0)
			return error_set(err, ERROR_USAGE, EINVAL,
				"it is of another machine: its %s is '%s', and "
				"here it is '%s'",
				rows[i].key, there, rows[i].here);
	}
	if (clock && strcmp(clock, run->timebase.source) != 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"it was timed by the clock '%s', and this run would be "
			"by '%s' (C2C_CLOCK=clock chooses "
			"clock_monotonic_raw)",
			clock, run->timebase.source);
	return 0;
}

static bool has_pair(const struct measure_state *run, struct pair pair)
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

/* Of the pairs keep those that the record lacks. */
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
			"it lacks no pair: there is nothing to measure");
	return 0;
}

int measure_resume(struct measure_state *run, struct error *err)
{
	const char *path = run->options->resume;
	int rc;

	if (!path)
		return 0;
	if (!run->plan->labels.name[0])
		return error_set(err, ERROR_USAGE, EINVAL,
			"--resume: this mode measures no matrix to resume");
	rc = result_load(&run->resumed, path, err);
	if (rc < 0) {
		error_prefix(err, "--resume");
		return rc;
	}
	if (!run->resumed.command ||
		strcmp(run->resumed.command, run->plan->command) != 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"it is no record of c2c %s", run->plan->command);
	if (rc == 0)
		rc = check_machine(run, err);
	if (rc == 0)
		rc = check_cpus(run, err);
	if (rc == 0)
		rc = check_options(run, err);
	if (rc == 0)
		rc = check_labels(run, err);
	if (rc == 0)
		rc = keep_missing(run, err);
	if (rc < 0)
		error_prefix(err, "--resume: '%s'", path);
	return rc;
}

/* The passes that the record kept go behind those of this run. */
static int move_passes(
	struct result *to, struct result *from, struct error *err)
{
	struct passes *kept;

	if (from->n_kept == 0)
		return 0;
	kept = reallocarray(to->kept, to->n_kept + from->n_kept, sizeof(*kept));
	if (!kept)
		return error_no_memory(err, "the passes of the record");
	memcpy(kept + to->n_kept, from->kept, from->n_kept * sizeof(*kept));
	to->kept = kept;
	to->n_kept += from->n_kept;
	from->n_kept = 0;
	return 0;
}

static void merge_warnings(struct measure_state *run)
{
	const json_t *list = json_object_get(run->resumed.run, "warnings");
	size_t i;
	json_t *warning;

	json_array_foreach(list, i, warning)
	{
		if (json_is_string(warning))
			campaign_warn(&run->campaign, "of the resumed run: %s",
				json_string_value(warning));
	}
}

void measure_resume_qualify(struct measure_state *run)
{
	json_t *now = run->result.run;
	const json_t *old = run->resumed.run;
	const char *name = json_string_value(json_object_get(old, "pages"));
	const char *had = json_string_value(json_object_get(now, "pages"));
	double share = json_number_value(json_object_get(old, "huge_share"));
	enum memory_pages then, here;

	if (!run->options->resume)
		return;
	if (name && had && memory_pages_parse(name, &then, NULL) == 0 &&
		memory_pages_parse(had, &here, NULL) == 0 && then < here)
		json_object_set_new(now, "pages", json_string(name));
	if (share < json_number_value(json_object_get(now, "huge_share")))
		json_object_set_new(now, "huge_share", json_real(share));
	if (!json_is_true(json_object_get(old, "memory_bound")))
		json_object_set_new(now, "memory_bound", json_false());
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
	merge_warnings(run);
	if (json_object_set_new(result->run, "resumed",
		    json_pack("{s:s?, s:o}", "started", old->started,
			    "elapsed_s",
			    isnan(old->elapsed_s) ? json_null()
						  : json_real(old->elapsed_s))))
		return error_no_memory(err, "the result");
	return move_passes(result, old, err);
}
