/*
 * Checks that two results can be compared, and lists the differences of their
 * machines, tools, options and topologies.
 *
 * analysis_check_same_cpus() (analyze.c) checks inputs of one analysis.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare_parts.h"
#include "analyze/levels/groups.h"
#include "result/record.h"
#include "util/array.h"
#include "util/text.h"

/* Facts that differ between any two runs, or that warnings already report. */
static const char *const ignored_facts[] = {"machine.clock.hz",
	"machine.clock.step_ns", "machine.huge_pages.hugetlb_free",
	"machine.warnings", "options.seed", "options.runs"};

/* Options that decide what is measured, not how well. */
static const char *const matrix_methods[] = {"method", "round_trip", "cold",
	"chunk_bytes", "chunks", "size_bytes", "slice_bytes", "line_bytes",
	"readers", "shared_bytes"};

/*
 * Options that decide how curves are measured. Other options are facts of
 * curves.
 */
static const char *const curve_methods[] = {
	"method", "cold", "chunk_bytes", "chunks", "pages", "dirty", "memory"};

/* Facts of the machine that must not differ. */
static const char *const machine_keys[] = {"arch", "cpu_model"};

/* Whether two texts are known and differ. */
static bool texts_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static bool same_cpu_list(const struct cpu_list *a, const struct cpu_list *b)
{
	for (size_t i = 0; i < a->n; i++) {
		if (cpu_list_find(b, a->cpus[i]) < 0)
			return false;
	}
	return a->n == b->n;
}

/* Check that the matrices of both sides have the same NUMA nodes or CPUs. */
static int check_nodes(const struct compare_side *a,
	const struct compare_side *b, bool by_level, struct error *err)
{
	const struct result_nodes *old = &a->result->nodes;
	const struct result_nodes *new = &b->result->nodes;

	if (!same_cpu_list(&old->rows, &new->rows) ||
		!same_cpu_list(&old->columns, &new->columns))
		return error_set(err, ERROR_USAGE, EINVAL,
			"the matrices of '%s' and '%s' are of different NUMA "
			"nodes: compare only those of one machine",
			a->source, b->source);
	if (by_level && old->all.n > 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--by-level compares groups of CPUs, but '%s' has "
			"matrices of NUMA nodes",
			a->source);
	return 0;
}

/* Check that both sides have a matrix of the same name and quantity. */
static int check_matrices(const struct compare_side *a,
	const struct compare_side *b, struct error *err)
{
	const struct matrix *old = result_find_matrix(a->result, NULL, NULL);
	const struct matrix *new;

	if (!old)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has no matrix to compare", a->source);
	new = result_find_matrix(b->result, old->name, NULL);
	if (!new)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has no matrix '%s', but '%s' has one", b->source,
			old->name, a->source);
	if (strcmp(old->unit, new->unit) != 0 ||
		texts_differ(old->quantity, new->quantity) ||
		strcmp(old->statistic, new->statistic) != 0 ||
		old->higher_is_better != new->higher_is_better)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has the %s of %s%s%s in %s, '%s' has the %s of "
			"%s%s%s in %s: these cannot be compared",
			a->source, old->statistic,
			old->quantity ? old->quantity : "",
			old->quantity ? " " : "", old->name, old->unit,
			b->source, new->statistic,
			new->quantity ? new->quantity : "",
			new->quantity ? " " : "", new->name, new->unit);
	return 0;
}

static int refuse_method(const struct compare_side *a,
	const struct compare_side *b, const char *key, struct error *err)
{
	char *old = fact_words(facts_find(&a->result->options, key));
	char *new = fact_words(facts_find(&b->result->options, key));
	/* Advise --by-level only if c2c would accept it. */
	bool by_level = check_matrices(a, b, NULL) == 0;

	error_set(err, ERROR_USAGE, EINVAL,
		"'%s' was measured with %s %s, '%s' with %s: their values "
		"cannot be compared%s",
		a->source, key, old ? old : "?", b->source, new ? new : "?",
		by_level ? "; --by-level compares their levels" : "");
	free(old);
	free(new);
	return -EINVAL;
}

static int check_methods(const struct compare_side *a,
	const struct compare_side *b, const char *const keys[], size_t n,
	struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact *old =
			facts_find(&a->result->options, keys[i]);
		const struct fact *new =
			facts_find(&b->result->options, keys[i]);

		if (fact_is_known(old) && fact_is_known(new) &&
			!fact_same(old, new))
			return refuse_method(a, b, keys[i], err);
	}
	return 0;
}

/* Check that both sides have curves, measured with the same method and CPUs. */
static int check_curves(const struct compare_side *a,
	const struct compare_side *b, bool by_level, struct error *err)
{
	const struct compare_side *sides[] = {a, b};
	int rc = 0;

	for (size_t i = 0; i < 2; i++) {
		if (!compare_has_curves(sides[i]->result))
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has neither a matrix nor a curve to "
				"compare",
				sides[i]->source);
	}
	if (by_level)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--by-level compares groups of CPUs, but '%s' has only "
			"curves",
			a->source);
	rc = check_methods(a, b, curve_methods, N_OF(curve_methods), err);
	if (rc == 0)
		rc = analysis_check_same_cpus(a, b, machine_keys,
			"compare only curves of one machine and the same CPUs",
			err);
	return rc;
}

int compare_check(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct error *err)
{
	int rc = 0;

	/* A bare CSV has no command; check_matrices() reports what differs. */
	if (a->result->tool.n && b->result->tool.n &&
		texts_differ(a->result->command, b->result->command))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' is a result of c2c %s, '%s' of c2c %s: compare "
			"only results of one command",
			a->source, a->result->command, b->source,
			b->result->command);
	if (!result_find_matrix(a->result, NULL, NULL))
		return check_curves(a, b, by_level, err);
	/* Check methods first, which may explain different quantities. */
	if (!by_level)
		rc = check_methods(
			a, b, matrix_methods, N_OF(matrix_methods), err);
	if (rc == 0)
		rc = check_matrices(a, b, err);
	if (rc == 0)
		rc = check_nodes(a, b, by_level, err);
	if (rc == 0 && !by_level)
		rc = analysis_check_same_cpus(a, b, machine_keys,
			"--by-level compares their levels", err);
	return rc;
}

static bool is_ignored_fact(const char *path)
{
	for (size_t i = 0; i < N_OF(ignored_facts); i++) {
		if (strcmp(ignored_facts[i], path) == 0)
			return true;
	}
	return false;
}

/* Append a difference; its texts are in the arena. */
static void add_fact_difference(
	struct comparison *comparison, char *what, char *before, char *after)
{
	comparison->facts = arena_grow(&comparison->memory, comparison->facts,
		comparison->n_facts, sizeof(*comparison->facts));
	comparison->facts[comparison->n_facts++] =
		(struct compare_fact){what, before, after};
}

/* A block of facts to compare. */
struct facts_block {
	struct comparison *comparison;
	const char *name;
	const char *ignored; /* a key to ignore, or NULL */
};

static int add_block_difference(void *context, const char *key,
	const struct fact *a, const struct fact *b)
{
	const struct facts_block *block = context;
	struct arena *arena = &block->comparison->memory;
	char *path = arena_format(arena, "%s.%s", block->name, key);

	if (!is_ignored_fact(path) && !text_same(key, block->ignored))
		add_fact_difference(block->comparison, path,
			arena_adopt(arena, fact_words(a)),
			arena_adopt(arena, fact_words(b)));
	return 0;
}

/* Compare a block, unless a file lacks it (files of other tools do). */
static void compare_blocks(struct comparison *comparison, const char *name,
	const char *ignored, const struct facts *a, const struct facts *b)
{
	struct facts_block block = {comparison, name, ignored};

	if (a->n && b->n &&
		facts_compare(a, b, add_block_difference, &block) < 0)
		arena_fail(&comparison->memory);
}

int compare_divide_topology(const struct compare_side *side,
	const struct cpu_list *cpus, struct machine_divisions *divisions,
	struct error *err)
{
	const char *xml = side->result->hwloc_xml;
	struct machine *machine;
	int rc = machine_new_xml(&machine, xml, strlen(xml), err);

	if (rc == 0) {
		rc = machine_divide(machine, cpus, divisions, err);
		machine_free(machine);
	}
	if (rc < 0) {
		machine_divisions_release(divisions);
		error_prefix(err, "'%s': the topology in it", side->source);
	}
	return rc;
}

static const struct machine_division *find_division(
	const struct machine_divisions *divisions, const char *name)
{
	for (size_t i = 0; i < divisions->n; i++) {
		if (strcmp(divisions->items[i].name, name) == 0)
			return &divisions->items[i];
	}
	return NULL;
}

/* Return "4 groups", "4 other groups" or "no groups". */
static char *format_group_count(struct arena *arena,
	const struct machine_division *division, bool other)
{
	if (!division)
		return arena_strdup(arena, "no groups");
	return arena_format(arena, "%zu %sgroups", division->n_groups,
		other ? "other " : "");
}

static void compare_division(struct comparison *comparison,
	const struct machine_division *a, const struct machine_division *b)
{
	bool same = a && b && a->n_groups == b->n_groups;
	struct arena *arena = &comparison->memory;

	if (!same || !groups_same(a->group, b->group, comparison->cpus.n))
		add_fact_difference(comparison,
			arena_format(
				arena, "topology.%s", a ? a->name : b->name),
			format_group_count(arena, a, false),
			format_group_count(arena, b, same));
}

/* Return "0,1" or "none"; NULL without memory. */
static char *format_cpus_or_none(const struct cpu_list *cpus)
{
	return cpus->n ? cpu_list_format(cpus) : strdup("none");
}

static void compare_cache_cpus(struct comparison *comparison, const char *level,
	const char *what, const struct cpu_list *a, const struct cpu_list *b)
{
	struct arena *arena = &comparison->memory;
	char *old = arena_adopt(arena, format_cpus_or_none(a));
	char *new = arena_adopt(arena, format_cpus_or_none(b));

	if (strcmp(old, new) != 0)
		add_fact_difference(comparison,
			arena_format(arena, "caches.%s.%s", level, what), old,
			new);
}

/* Compare the sharers of each cache, measured and reported. */
static void compare_cache_facts(struct comparison *comparison,
	const struct result *a, const struct result *b)
{
	for (size_t i = 0; i < a->n_caches && i < b->n_caches; i++) {
		const struct cache_level *old = &a->caches[i];
		const struct cache_level *new = &b->caches[i];

		if (strcmp(old->name, new->name) != 0)
			continue;
		compare_cache_cpus(
			comparison, old->name, "cpus", &old->cpus, &new->cpus);
		compare_cache_cpus(comparison, old->name, "reported_cpus",
			&old->reported_cpus, &new->reported_cpus);
	}
}

/* Return the row of a variable in run.environment, or facts without keys. */
static struct facts find_variable(
	const struct record_list *environment, const char *name)
{
	for (size_t i = 0; i < environment->n; i++) {
		struct facts row = record_list_row(environment, i);

		if (text_same(facts_text(&row, "name"), name))
			return row;
	}
	return (struct facts){0};
}

/*
 * Add each variable that the user set in a, and that has another value in b. If
 * a is the new side, skip a variable that the user also set in b.
 */
static void compare_variables(struct comparison *comparison,
	const struct record_list *a, const struct record_list *b, bool a_is_new)
{
	struct arena *arena = &comparison->memory;

	for (size_t i = 0; i < a->n; i++) {
		const struct facts row = record_list_row(a, i);
		const char *name = facts_text(&row, "name");
		const struct facts other = find_variable(b, name);
		const char *value = facts_text(&row, "value");
		const char *beside =
			other.n ? facts_text(&other, "value") : "not set";

		if (!name || !value || !beside ||
			!text_same(facts_text(&row, "by"), "user") ||
			text_same(value, beside) ||
			(a_is_new && other.n &&
				text_same(facts_text(&other, "by"), "user")))
			continue;
		add_fact_difference(comparison,
			arena_format(arena, "run.environment.%s", name),
			arena_strdup(arena, a_is_new ? beside : value),
			arena_strdup(arena, a_is_new ? value : beside));
	}
}

/* Compare the variables for OpenCL implementations that a user set. */
static void compare_environments(struct comparison *comparison,
	const struct result *old, const struct result *new)
{
	const struct record olds = {.facts = old->run.other};
	const struct record news = {.facts = new->run.other};
	const struct record_list a = record_find_list(&olds, "environment");
	const struct record_list b = record_find_list(&news, "environment");

	compare_variables(comparison, &a, &b, false);
	compare_variables(comparison, &b, &a, true);
}

void compare_facts(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b,
	const struct machine_divisions topologies[2])
{
	const struct result *old = a->result, *new = b->result;
	const struct machine_divisions *olds = &topologies[0];
	const struct machine_divisions *news = &topologies[1];

	/* c2c measure divides a shared budget among all its parts. */
	bool shared = old->shared_budget_s > 0 &&
		      old->shared_budget_s == new->shared_budget_s;

	compare_blocks(
		comparison, "machine", NULL, &old->machine, &new->machine);
	compare_blocks(comparison, "tool", NULL, &old->tool, &new->tool);
	compare_blocks(comparison, "options", shared ? "budget_s" : NULL,
		&old->options, &new->options);
	compare_environments(comparison, old, new);
	compare_cache_facts(comparison, old, new);
	for (size_t i = 0; i < olds->n; i++)
		compare_division(comparison, &olds->items[i],
			find_division(news, olds->items[i].name));
	for (size_t i = 0; i < news->n; i++) {
		if (!find_division(olds, news->items[i].name))
			compare_division(comparison, NULL, &news->items[i]);
	}
}
