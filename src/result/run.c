/*
 * The block "run" of a record: its memory, its verdict, its JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/compare_pack.h"
#include "result/fields.h"
#include "result/record.h"
#include "util/array.h"

#define AT(member) .at = offsetof(struct run_facts, member)

/* If pairs were measured, nullable fields are null when unknown. */
static const struct record_field rows[] = {
	{"pairs", FIELD_INT64, AT(pairs)},
	{"passes", FIELD_INT64, AT(passes)},
	{"runs", FIELD_INT64, AT(runs)},
	{"interval", FIELD_TEXT, AT(interval)},
	{"jobs", FIELD_INT64, AT(jobs)},
	{"jobs_bias", FIELD_NUMBER, AT(jobs_bias), .nullable = true},
	{"jobs_chosen", FIELD_SWITCH, AT(jobs_chosen)},
	{"cpus_at_once", FIELD_NUMBER, AT(at_once), .nullable = true},
	{"memory_bound", FIELD_SWITCH, AT(memory_bound)},
	{"pages", FIELD_TEXT, AT(pages)},
	{"huge_share", FIELD_NUMBER, AT(huge_share)},
	{"agreement.even_odd", FIELD_NUMBER, AT(even_odd), .nullable = true},
	{"agreement.halves", FIELD_NUMBER, AT(halves), .nullable = true},
	{"most_wrong_bytes", FIELD_NUMBER, AT(most_wrong_bytes)},
	{"resumed.started", FIELD_TEXT, AT(resumed_started)},
	{"resumed.elapsed_s", FIELD_NUMBER, AT(resumed_elapsed_s)},
};

#define N_ROWS (sizeof(rows) / sizeof(*rows))

static const char *const verdicts[] = {
	[RUN_AGREES] = "agrees",
	[RUN_DRIFTED] = "drifted",
	[RUN_SCATTERED] = "scattered",
};

void run_facts_init(struct run_facts *run)
{
	*run = (struct run_facts){
		.pairs = -1,
		.passes = -1,
		.jobs = -1,
		.runs = -1,
		.jobs_bias = NAN,
		.jobs_chosen = -1,
		.at_once = NAN,
		.memory_bound = -1,
		.huge_share = NAN,
		.even_odd = NAN,
		.halves = NAN,
		.most_wrong_bytes = NAN,
		.resumed_elapsed_s = NAN,
	};
}

void run_facts_release(struct run_facts *run)
{
	for (size_t i = 0; i < run->n_warnings; i++)
		free(run->warnings[i]);
	free(run->warnings);
	free(run->pages);
	free(run->interval);
	free(run->resumed_started);
	for (size_t i = 0; i < run->n_tests; i++)
		record_release(&run->tests[i]);
	free(run->tests);
	facts_release(&run->other);
	run_facts_init(run);
}

bool run_facts_warn(struct run_facts *run, const char *text)
{
	char *copy = strdup(text);

	if (!copy ||
		!array_grow(&run->warnings, run->n_warnings, sizeof(copy))) {
		free(copy);
		return false;
	}
	run->warnings[run->n_warnings++] = copy;
	return true;
}

enum run_verdict run_judge(double even_odd, double halves)
{
	if (even_odd < RUN_LOW_EVEN_ODD)
		return RUN_SCATTERED;
	if (even_odd >= RUN_LOW_EVEN_ODD && halves < RUN_LOW_HALVES)
		return RUN_DRIFTED;
	return isnan(even_odd) ? RUN_UNJUDGED : RUN_AGREES;
}

int64_t run_epochs(const struct run_facts *run)
{
	int64_t count = facts_count(&run->other, "epoch.count");

	return count > 1 ? count : 0;
}

void run_drop_epoch(struct run_facts *run)
{
	static const char *const keys[] = {"epoch.number", "epoch.count",
		"epoch.start_s", "epoch.end_s", "epoch.of_passes"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		facts_drop(&run->other, keys[i]);
}

bool run_lost_near_pairs(const struct run_facts *run)
{
	int64_t near = facts_count(&run->other, "rest.near");

	return near > 0 && 2 * facts_count(&run->other, "rest.lasted") < near;
}

static void pack_run_fact(const struct record_field *row,
	const struct run_facts *run, struct facts *facts)
{
	static const struct pack_context all_digits = {.digits = 0};
	json_t *value = field_pack(row, run, &all_digits);

	if (json_is_null(value) && !(row->nullable && run->pairs >= 0))
		json_decref(value);
	else
		facts_set_json(facts, row->key, value);
}

json_t *run_facts_pack(const struct run_facts *run)
{
	json_t *warnings = json_array(), *tests = json_array(), *object;
	struct facts facts = {.n = 0};

	for (size_t i = 0; i < N_ROWS; i++)
		pack_run_fact(&rows[i], run, &facts);
	if (verdicts[run->verdict])
		facts_set_text(
			&facts, "agreement.verdict", verdicts[run->verdict]);
	for (size_t i = 0; i < run->n_warnings; i++)
		pack_add(&warnings, json_string(run->warnings[i]));
	if (run->known || run->n_warnings > 0)
		facts_set_json(&facts, "warnings", json_incref(warnings));
	facts_append(&facts, &run->other);
	for (size_t i = 0; i < run->n_tests; i++)
		pack_add(&tests, record_pack(&run->tests[i]));
	if (run->tests)
		facts_set_json(&facts, "tests", json_incref(tests));
	json_decref(warnings);
	json_decref(tests);
	object = facts_pack(&facts);
	facts_release(&facts);
	return object;
}

/* False for a value of another kind, which stays among the other facts. */
static bool unpack_run_fact(const struct record_field *row, const json_t *value,
	struct run_facts *run)
{
	void *at = (char *)run + row->at;
	bool number = json_is_number(value);

	if (row->kind == FIELD_NUMBER && (number || json_is_null(value)))
		*(double *)at = number ? json_number_value(value) : NAN;
	else if (row->kind == FIELD_INT64 && json_is_integer(value) &&
		 json_integer_value(value) >= 0)
		*(int64_t *)at = json_integer_value(value);
	else if (row->kind == FIELD_SWITCH && json_is_boolean(value))
		*(int *)at = json_is_true(value);
	else if (row->kind == FIELD_TEXT && json_is_string(value))
		return (*(char **)at = strdup(json_string_value(value)));
	else
		return false;
	return true;
}

/*
 * A list of texts holds warnings; any other list stays where it is. False
 * without memory.
 */
static bool unpack_run_warnings(struct run_facts *run, struct facts *facts)
{
	const json_t *list = facts_value(facts, "warnings"), *item;
	bool taken = json_is_array(list);
	size_t i;

	json_array_foreach(list, i, item)
	{
		taken = taken && json_is_string(item);
	}
	for (i = 0; taken && i < json_array_size(list); i++) {
		if (!run_facts_warn(
			    run, json_string_value(json_array_get(list, i))))
			return false;
	}
	if (taken)
		facts_drop(facts, "warnings");
	return true;
}

static bool unpack_run_tests(struct run_facts *run, struct facts *facts)
{
	json_t *tests = facts_value(facts, "tests"), *test;
	size_t i;

	json_array_foreach(tests, i, test)
	{
		struct record record = {0};

		facts_unpack(&record.facts, test);
		if (!run_facts_add_test(run, &record)) {
			record_release(&record);
			return false;
		}
	}
	if (json_is_array(tests))
		facts_drop(facts, "tests");
	return true;
}

int run_facts_unpack(struct run_facts *run, json_t *object)
{
	struct facts *facts = &run->other;

	facts_unpack(facts, object);
	run->known = true;
	for (size_t i = 0; i < N_ROWS; i++) {
		const json_t *value = facts_value(facts, rows[i].key);

		if (unpack_run_fact(&rows[i], value, run))
			facts_drop(facts, rows[i].key);
	}
	/* Older records have the figures, but no verdict. */
	if (run->pairs < 0 || run->pairs >= RUN_JUDGED_PAIRS)
		run->verdict = run_judge(run->even_odd, run->halves);
	for (int v = RUN_AGREES; v <= RUN_SCATTERED; v++) {
		const char *verdict_text =
			facts_text(facts, "agreement.verdict");

		if (verdict_text && strcmp(verdict_text, verdicts[v]) == 0) {
			run->verdict = (enum run_verdict)v;
			facts_drop(facts, "agreement.verdict");
		}
	}
	return unpack_run_warnings(run, facts) && unpack_run_tests(run, facts)
		       ? 0
		       : -ENOMEM;
}
