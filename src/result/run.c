/*
 * The block "run" of a record, between its struct and the list of its facts.
 */
#include <jansson.h>
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
	if (run->environment)
		record_release(run->environment);
	free(run->environment);
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

static void list_row(size_t i, const struct run_facts *run, struct facts *facts)
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

static void list_warnings(const struct run_facts *run, struct facts *facts)
{
	json_t *list = json_array();
	int rc = list ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < run->n_warnings; i++)
		rc = json_array_append_new(list, json_string(run->warnings[i]));
	if (rc == 0)
		facts_set_json(facts, "warnings", list);
	facts->failed |= rc != 0;
	json_decref(list);
}

struct facts run_facts_list(const struct run_facts *run)
{
	struct facts facts = {.n = 0};

	for (size_t i = 0; i < N_ROWS; i++)
		list_row(i, run, &facts);
	if (verdicts[run->verdict])
		facts_set_text(
			&facts, "agreement.verdict", verdicts[run->verdict]);
	if (run->known || run->n_warnings > 0)
		list_warnings(run, &facts);
	facts_append(&facts, NULL, &run->other);
	return facts;
}

/* What is of another kind stays among the other facts. */
static bool take_row(size_t i, const struct fact *fact, struct run_facts *run)
{
	void *at = (char *)run + rows[i].at;

	switch (rows[i].kind) {
	case RUN_COUNT:
		if (fact->kind != FACT_COUNT || fact->count < 0)
			return false;
		*(int64_t *)at = fact->count;
		return true;
	case RUN_NUMBER:
		if (fact->kind != FACT_COUNT && fact->kind != FACT_NUMBER)
			return fact->kind == FACT_UNKNOWN;
		*(double *)at = fact->number;
		return true;
	case RUN_TEXT:
		if (fact->kind != FACT_TEXT)
			return false;
		*(char **)at = strdup(fact->text);
		return *(char **)at;
	case RUN_SWITCH:
		if (fact->kind != FACT_FLAG)
			return false;
		*(int *)at = fact->flag;
	}
	return true;
}

/* A list of texts become warnings; any other list is none of ours. */
static bool take_warnings(const struct fact *fact, struct run_facts *run)
{
	json_t *list = fact->kind == FACT_JSON ? json_loads(fact->text, 0, NULL)
					       : NULL;
	bool taken = json_is_array(list);
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		taken = taken && json_is_string(item);
	}
	json_array_foreach(list, i, item)
	{
		if (taken)
			taken = run_facts_warn(run, json_string_value(item));
	}
	json_decref(list);
	return taken;
}

void run_facts_take(struct run_facts *run, struct facts *facts)
{
	const struct fact *fact;

	run->known = true;
	for (size_t i = 0; i < N_ROWS; i++) {
		fact = facts_find(facts, rows[i].key);
		if (fact && take_row(i, fact, run))
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
	fact = facts_find(facts, "warnings");
	if (fact && take_warnings(fact, run))
		facts_drop(facts, "warnings");
	run->other = *facts;
	*facts = (struct facts){.n = 0};
}
