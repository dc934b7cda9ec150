/*
 * The block "run" of a record: its life, and its JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/format.h"
#include "result/record.h"
#include "util/array.h"

enum run_kind {
	RUN_COUNT,  /* int64_t */
	RUN_NUMBER, /* double */
	RUN_TEXT,   /* char * */
	RUN_SWITCH, /* int */
};

static const struct {
	const char *key;
	enum run_kind kind;
	size_t at;
	bool always; /* null when unknown, where pairs were measured */
} rows[] = {
	{"pairs", RUN_COUNT, offsetof(struct run_facts, pairs), false},
	{"passes", RUN_COUNT, offsetof(struct run_facts, passes), false},
	{"jobs", RUN_COUNT, offsetof(struct run_facts, jobs), false},
	{"jobs_bias", RUN_NUMBER, offsetof(struct run_facts, jobs_bias), true},
	{"memory_bound", RUN_SWITCH, offsetof(struct run_facts, memory_bound),
		false},
	{"pages", RUN_TEXT, offsetof(struct run_facts, pages), false},
	{"huge_share", RUN_NUMBER, offsetof(struct run_facts, huge_share),
		false},
	{"agreement.even_odd", RUN_NUMBER, offsetof(struct run_facts, even_odd),
		true},
	{"agreement.halves", RUN_NUMBER, offsetof(struct run_facts, halves),
		true},
	{"most_wrong_bytes", RUN_NUMBER,
		offsetof(struct run_facts, most_wrong_bytes), false},
	{"resumed.started", RUN_TEXT,
		offsetof(struct run_facts, resumed_started), false},
	{"resumed.elapsed_s", RUN_NUMBER,
		offsetof(struct run_facts, resumed_elapsed_s), false},
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
		.jobs_bias = NAN,
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

static void set_row(size_t i, const struct run_facts *run, struct facts *facts)
{
	const void *at = (const char *)run + rows[i].at;

	switch (rows[i].kind) {
	case RUN_COUNT:
		if (*(const int64_t *)at >= 0)
			facts_set_count(
				facts, rows[i].key, *(const int64_t *)at);
		break;
	case RUN_NUMBER:
		if (!isnan(*(const double *)at) ||
			(rows[i].always && run->pairs >= 0))
			facts_set_number(
				facts, rows[i].key, *(const double *)at);
		break;
	case RUN_TEXT:
		if (*(char *const *)at)
			facts_set_text(facts, rows[i].key, *(char *const *)at);
		break;
	case RUN_SWITCH:
		if (*(const int *)at >= 0)
			facts_set_flag(facts, rows[i].key, *(const int *)at);
	}
}

/* Append item to list, both taken over; NULL without memory. */
static json_t *append(json_t *list, json_t *item)
{
	if (json_array_append_new(list, item) == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *run_facts_pack(const struct run_facts *run)
{
	json_t *warnings = json_array(), *tests = json_array(), *object;
	struct facts facts = {.n = 0};

	for (size_t i = 0; i < N_ROWS; i++)
		set_row(i, run, &facts);
	if (verdicts[run->verdict])
		facts_set_text(
			&facts, "agreement.verdict", verdicts[run->verdict]);
	for (size_t i = 0; i < run->n_warnings; i++)
		warnings = append(warnings, json_string(run->warnings[i]));
	if (run->known || run->n_warnings > 0)
		facts_set_json(&facts, "warnings", json_incref(warnings));
	facts_append(&facts, &run->other);
	for (size_t i = 0; i < run->n_tests; i++)
		tests = append(tests, record_pack(&run->tests[i]));
	if (run->tests)
		facts_set_json(&facts, "tests", json_incref(tests));
	json_decref(warnings);
	json_decref(tests);
	object = facts_pack(&facts);
	facts_release(&facts);
	return object;
}

/* Whether a value can be of a kind: null is a number that is not known. */
static bool is_of(enum run_kind kind, const json_t *value)
{
	switch (kind) {
	case RUN_COUNT:
		return json_is_integer(value) && json_integer_value(value) >= 0;
	case RUN_NUMBER:
		return json_is_number(value) || json_is_null(value);
	case RUN_TEXT:
		return json_is_string(value);
	case RUN_SWITCH:
		return json_is_boolean(value);
	}
	return false;
}

static bool take_row(size_t i, const json_t *value, struct run_facts *run)
{
	void *at = (char *)run + rows[i].at;

	switch (rows[i].kind) {
	case RUN_COUNT:
		*(int64_t *)at = json_integer_value(value);
		break;
	case RUN_NUMBER:
		*(double *)at =
			json_is_null(value) ? NAN : json_number_value(value);
		break;
	case RUN_TEXT:
		*(char **)at = strdup(json_string_value(value));
		return *(char **)at;
	case RUN_SWITCH:
		*(int *)at = json_is_true(value);
		break;
	}
	return true;
}

/* A list of texts are warnings; any other list stays. */
static void take_warnings(struct run_facts *run, struct facts *facts)
{
	const json_t *list = facts_value(facts, "warnings"), *item;
	bool taken = json_is_array(list);
	size_t i;

	json_array_foreach(list, i, item)
	{
		taken = taken && json_is_string(item);
	}
	for (i = 0; taken && i < json_array_size(list); i++)
		taken = run_facts_warn(
			run, json_string_value(json_array_get(list, i)));
	if (taken)
		facts_drop(facts, "warnings");
}

static bool take_tests(struct run_facts *run, struct facts *facts)
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
	const json_t *value;

	facts_unpack(facts, object);
	run->known = true;
	for (size_t i = 0; i < N_ROWS; i++) {
		value = facts_value(facts, rows[i].key);
		/* What is of another kind stays among the other facts. */
		if (is_of(rows[i].kind, value) && take_row(i, value, run))
			facts_drop(facts, rows[i].key);
	}
	/* Records of older versions have the figures alone. */
	if (run->pairs < 0 || run->pairs >= RUN_JUDGED_PAIRS)
		run->verdict = run_judge(run->even_odd, run->halves);
	for (int v = RUN_AGREES; v <= RUN_SCATTERED; v++) {
		const char *said = facts_text(facts, "agreement.verdict");

		if (said && strcmp(said, verdicts[v]) == 0) {
			run->verdict = (enum run_verdict)v;
			facts_drop(facts, "agreement.verdict");
		}
	}
	take_warnings(run, facts);
	return take_tests(run, facts) ? 0 : -ENOMEM;
}
