/*
 * Any small result through c2c analyze: what it prints is its format, its
 * groups are partitions of the CPUs, and levels that nest do nest.
 *
 * slow: thousands of inputs are analysed.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "target.h"

/* Which group of a level each CPU is in; none yet: -1. */
struct division {
	long *group; /* [n] as the CPUs of the result */
	size_t n;
	size_t n_groups;
};

static bool is_one_of(const json_t *value, const char *const *words)
{
	const char *text = json_string_value(value);

	while (*words && !(text && strcmp(text, *words) == 0))
		words++;
	return *words;
}

/* The levels' groups hold every CPU once. */
static const char *take_groups(struct division *division, const json_t *groups,
	const struct cpu_list *cpus)
{
	const json_t *group, *cpu;
	size_t g, i, n_found = 0;

	division->n_groups = json_array_size(groups);
	if (division->n_groups < 2)
		return "a level has no two groups";
	for (i = 0; i < cpus->n; i++)
		division->group[i] = -1;
	json_array_foreach(groups, g, group)
	{
		if (json_array_size(group) == 0)
			return "a group is empty";
		json_array_foreach(group, i, cpu)
		{
			long at = cpu_list_find(
				cpus, (unsigned)json_integer_value(cpu));

			if (!json_is_integer(cpu) || at < 0)
				return "a group has a CPU that is not there";
			if (division->group[at] >= 0)
				return "a CPU is in two groups";
			division->group[at] = (long)g;
			n_found++;
		}
	}
	return n_found == cpus->n ? NULL : "a CPU is in no group";
}

/* Whether CPUs that are together in inner are so in outer. */
static bool nests(const struct division *inner, const struct division *outer)
{
	for (size_t i = 0; i < inner->n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (inner->group[i] == inner->group[j] &&
				outer->group[i] != outer->group[j])
				return false;
		}
	}
	return true;
}

static const char *check_median(const json_t *median)
{
	const json_t *value = json_object_get(median, "median");

	if (!json_is_null(value) && !json_is_real(value))
		return "a median is no number";
	if (!json_is_string(json_object_get(median, "unit")))
		return "a median has no unit";
	return NULL;
}

/* A kind that is given comes into question; a group has no confidence. */
static const char *check_may_be(const json_t *level, const char *const *kinds)
{
	const char *kind = json_string_value(json_object_get(level, "kind"));
	const json_t *list = json_object_get(level, "may_be"), *item;
	double confidence =
		json_number_value(json_object_get(level, "kind_confidence"));
	bool named = false;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (!is_one_of(item, kinds))
			return "a level may be of no kind";
		named |= strcmp(json_string_value(item), kind) == 0;
	}
	if (!json_is_array(list) || !(confidence >= 0 && confidence < 1))
		return "the kind of a level has no confidence";
	if (!named != (confidence == 0))
		return "a level is of another kind than it may be";
	return NULL;
}

static const char *check_level(const json_t *level)
{
	static const char *const kinds[] = {
		"smt", "llc", "node", "package", "class", "group", NULL};
	const char *problem = check_median(json_object_get(level, "within"));
	const json_t *reported = json_object_get(level, "reported");
	const json_t *agrees = json_object_get(level, "agrees");
	double confidence =
		json_number_value(json_object_get(level, "confidence"));

	if (!problem)
		problem = check_median(json_object_get(level, "between"));
	if (problem)
		return problem;
	if (!is_one_of(json_object_get(level, "kind"), kinds))
		return "a level is of no kind";
	problem = check_may_be(level, kinds);
	if (problem)
		return problem;
	if (!(confidence >= 0.5 && confidence <= 1))
		return "a level has no confidence";
	if (!json_is_null(agrees) && !json_is_boolean(agrees))
		return "a level neither agrees nor disagrees";
	if (json_is_true(agrees) && !json_is_string(reported))
		return "a level agrees with nothing";
	return NULL;
}

static const char *check_levels(
	const json_t *levels, const struct cpu_list *cpus)
{
	struct division now = {calloc(cpus->n + 1, sizeof(long)), cpus->n, 0};
	struct division before = {
		calloc(cpus->n + 1, sizeof(long)), cpus->n, 0};
	const char *problem = json_is_array(levels) ? NULL : "no levels";
	const json_t *level;
	size_t k;

	if (!now.group || !before.group)
		abort();
	json_array_foreach(levels, k, level)
	{
		long *swap = now.group;

		if (!problem)
			problem = check_level(level);
		if (!problem)
			problem = take_groups(
				&now, json_object_get(level, "groups"), cpus);
		if (problem || !json_is_true(json_object_get(level, "nested")))
			continue;
		if (before.n_groups && (now.n_groups >= before.n_groups ||
					       !nests(&before, &now)))
			problem = "a level does not nest";
		now.group = before.group;
		before.group = swap;
		before.n_groups = now.n_groups;
	}
	free(now.group);
	free(before.group);
	return problem;
}

static const char *check_epochs(const json_t *epochs,
	const struct cpu_list *cpus, const struct passes *passes)
{
	const char *problem = NULL;
	const json_t *epoch, *cpu;
	json_int_t n_passes = 0;
	size_t k, i;

	json_array_foreach(epochs, k, epoch)
	{
		const json_t *moved = json_object_get(epoch, "moved");

		if (!problem)
			problem = check_levels(
				json_object_get(epoch, "levels"), cpus);
		json_array_foreach(moved, i, cpu)
		{
			if (cpu_list_find(cpus,
				    (unsigned)json_integer_value(cpu)) < 0)
				return "a CPU moved that is not there";
		}
		if ((k == 0) != (json_array_size(moved) == 0))
			return "an epoch begins without a move";
		n_passes +=
			json_integer_value(json_object_get(epoch, "passes"));
	}
	if (epochs && (!passes || n_passes > (json_int_t)passes->n_passes))
		return "epochs have more passes than there are";
	return problem;
}

static const char *check_cpus(const json_t *list, const struct cpu_list *cpus)
{
	const json_t *cpu;
	size_t i;

	if (json_array_size(list) != cpus->n)
		return "the analysis is of other CPUs";
	json_array_foreach(list, i, cpu)
	{
		if (json_integer_value(cpu) != (json_int_t)cpus->cpus[i])
			return "the analysis is of other CPUs";
	}
	return NULL;
}

static const char *check_json(const char *text, const struct result *result)
{
	static const char *const placements[] = {
		"stable", "drifting", "unknown", NULL};
	static const char *const whats[] = {
		"hidden-level", "contradicted-level", NULL};
	const struct passes *passes = result->n_kept ? result->kept : NULL;
	const struct cpu_list *cpus = &result->cpus;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *item;
	const char *problem;
	size_t i;

	if (!root)
		return "the output is no JSON";
	problem = check_cpus(json_object_get(root, "cpus"), cpus);
	if (!problem)
		problem = check_levels(json_object_get(root, "levels"), cpus);
	if (!problem)
		problem = check_epochs(
			json_object_get(root, "epochs"), cpus, passes);
	json_array_foreach(json_object_get(root, "outliers"), i, item)
	{
		const json_t *cpu = json_object_get(item, "cpu");

		if (cpu_list_find(cpus, (unsigned)json_integer_value(cpu)) < 0)
			problem = "a CPU that is not there does not fit";
	}
	json_array_foreach(json_object_get(root, "disagreements"), i, item)
	{
		if (!is_one_of(json_object_get(item, "what"), whats))
			problem = "a disagreement is of no kind";
	}
	if (!is_one_of(json_object_get(root, "placement"), placements))
		problem = "the placement is of no kind";
	json_decref(root);
	return problem;
}

static bool is_of_caches(const struct result *result)
{
	return result && result->n_matrices == 0 && result->n_caches > 0;
}

static const char *check_small(
	const struct result *result, const void *data, size_t n, bool *used)
{
	static const char *const json[] = {
		"analyze", "-q", "--json", "-", NULL};
	static const char *const report[] = {"analyze", "-v", "-", NULL};
	struct capture capture;
	int status = command_run(&capture, json, data, n), again;
	const char *problem = command_check("analyze", status, &capture, false);

	*used = status == 0;
	if (!problem && status == 0 && *capture.err)
		problem = "it is not quiet";
	/* Of sections those decide that have groups. */
	if (!problem && status == 0 && result->n_sections == 0)
		problem = check_json(capture.out, result);
	capture_release(&capture);
	if (problem)
		return problem;
	again = command_run(&capture, report, data, n);
	problem = command_check("analyze", again, &capture, false);
	/* Of caches there is a report, and no analysis to write as JSON. */
	if (!problem && again != status && !is_of_caches(result) &&
		result->n_sections == 0)
		problem = "the report ends otherwise than the JSON";
	capture_release(&capture);
	return problem;
}

static const char *check_analyze(const void *data, size_t n, bool *used)
{
	const char *problem = NULL;
	struct result result;

	*used = false;
	if (command_load(&result, data, n, NULL) < 0)
		return NULL;
	if (command_is_small(&result))
		problem = check_small(&result, data, n, used);
	result_release(&result);
	return problem;
}

static const struct fuzz_target target = {
	.inputs = 3000,
	.check = check_analyze,
};

FUZZ_TARGET(target);
