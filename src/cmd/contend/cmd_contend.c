/*
 * c2c contend: what do many CPUs get of one cache line?
 */
#include "cmd/contend/cmd_contend.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "util/text.h"

/* For --quick. */
#define QUICK_BUDGET_S 1.5

/* A visit of many CPUs that wait for each other takes that long at most. */
#define PATIENCE_S 2.0

/* The longest item of a list, with its final zero. */
#define WORD_BYTES 16

#define AT(member) offsetof(struct contend_options, member)

/* The next item of a list with commas. Returns what follows, NULL: nothing. */
static const char *next_item(const char *text, char item[WORD_BYTES])
{
	size_t n = strcspn(text, ",");

	item[0] = '\0';
	if (n < WORD_BYTES) {
		memcpy(item, text, n);
		item[n] = '\0';
	}
	return text[n] ? text + n + 1 : NULL;
}

/* The operation of that name, or NULL. */
static const struct contend_operation *find_operation(const char *name)
{
	for (size_t i = 0; contend_operations[i]; i++) {
		if (strcmp(name, contend_operations[i]->name) == 0)
			return contend_operations[i];
	}
	return NULL;
}

int contend_parse_operations(void *at, const char *text, struct error *err)
{
	struct contend_operations *operations = at;
	const struct contend_operation *found;
	char item[WORD_BYTES];

	*operations = (struct contend_operations){.text = text};
	for (const char *rest = text; rest;) {
		size_t k = 0;

		rest = next_item(rest, item);
		found = find_operation(item);
		if (!found)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is not a list of load, store, add, "
				"exchange, cas, lock",
				text);
		while (k < operations->n && operations->list[k] != found)
			k++;
		operations->list[k] = found;
		operations->n += k == operations->n;
	}
	return 0;
}

int contend_parse_sharings(void *at, const char *text, struct error *err)
{
	static const char *const words[] = {CONTEND_SHARINGS(WORDS_LIST)};
	struct contend_sharings *sharings = at;
	char item[WORD_BYTES];

	*sharings = (struct contend_sharings){.text = text};
	for (const char *rest = text; rest;) {
		size_t k = 0, word = 0;

		rest = next_item(rest, item);
		while (word < CONTEND_MOST_SHARINGS &&
			strcmp(item, words[word]) != 0)
			word++;
		if (word == CONTEND_MOST_SHARINGS)
			return error_set(err, ERROR_USAGE, EINVAL,
				"'%s' is not a list of %s", text,
				WORDS_COMMAS(CONTEND_SHARINGS));
		while (k < sharings->n && sharings->list[k] != word)
			k++;
		sharings->list[k] = (enum contend_sharing)word;
		sharings->n += k == sharings->n;
	}
	return 0;
}

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 2, .help = "Method:"},
	{"operation", OPTION_OWN, "LIST", AT(operations),
		.help = "What the CPUs do, a curve each: load, store, add "
			"(fetch-add), exchange, cas (load, then "
			"compare-and-swap until it succeeds), lock (a ticket "
			"lock around a counter); default all",
		.parse = contend_parse_operations, .is = OPTION_TEXT,
		.record = "operation", .same = true},
	{"share", OPTION_OWN, "LIST", AT(sharings),
		.help = "What the CPUs share, a curve each: one word (word); "
			"one line with a word for each CPU, so false sharing "
			"(line); nothing, for comparison (none); default all",
		.more = "Lines and nothing are for operations that store, "
			"except lock, and have no curves with the spin-wait "
			"hint.",
		.parse = contend_parse_sharings, .is = OPTION_TEXT,
		.record = "share", .same = true},
	{"spin-hint", OPTION_WORD, WORDS_BARS(CONTEND_SPIN_HINTS),
		AT(spin_hint), .old = "relax",
		.help = "Wait without the CPU's spin-wait hint (none), with it "
			"(pause), or measure both (the default); only cas and "
			"lock wait",
		.record = "spin_hint", .same = true},
	{"quick", OPTION_FLAG, NULL, AT(quick),
		.help = "End sooner: one word only, and a budget of 1.5 "
			"seconds",
		.record = "quick", .same = true},
	{NULL, OPTION_COUNT, NULL, AT(line_bytes), .record = "line_bytes"},
	{"precision", OPTION_NOTE,
		.more = "The rate of every CPU counts at every point, and "
			"under contention some never settle: most runs end "
			"with their budget."},
	{"output", OPTION_NOTE, .more = "A `.csv` holds no curves."},
	{"verbose", OPTION_NOTE,
		.more = "All curves are printed, not only the main ones."},
};

/* Refuse options about pairs: a line is fought for by any number of CPUs. */
static int contend_check_options(void *into, struct error *err)
{
	struct contend_options *options = into;
	const struct measure_options *measure = &options->measure;

	if (measure->pair_text || measure->all_pairs)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--%s: c2c contend measures no pairs; name the CPUs "
			"with --cpus",
			measure->pair	? "pair"
			: measure->from ? "from"
					: "all-pairs");
	if (measure->jobs != 1)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--jobs: c2c contend measures one line at a time");
	if (options->quick && !options->sharings.n)
		contend_parse_sharings(&options->sharings, "word", NULL);
	if (!options->sharings.n)
		contend_parse_sharings(
			&options->sharings, "word,line,none", NULL);
	if (!options->operations.n)
		contend_parse_operations(&options->operations,
			"load,store,add,exchange,cas,lock", NULL);
	if (options->quick && !measure->budget_given)
		options->measure.budget_s = QUICK_BUDGET_S;
	return 0;
}

static int contend_run(int argc, char **argv)
{
	struct contend_options options = {.spin_hint = 0};
	struct contend_plan own = {.options = &options};
	struct measure_plan plan = {
		.command = "contend",
		.campaign = {.probe = &probe_contend,
			.params = {.round_trips = 1,
				.samples = 1,
				.context = &own.context},
			.may_drop = true,
			.patience_s = PATIENCE_S,
			.pages = MEMORY_PAGES_BASE},
		.labels = {.unit = "Mops/s",
			.quantity = "operations a second",
			.factor = 1,
			.noun = "point",
			.curves = true},
		.diagonal = true,
		.select = contend_select,
		.prepare = contend_prepare,
		.finish = contend_finish,
		.why_empty =
			"other programs took a CPU in every visit; wait until "
			"they end, or choose other CPUs",
		.refused = measure_of_pairs,
		.options = {rows, sizeof(rows) / sizeof(*rows), &options,
			contend_check_options},
		.context = &own,
	};
	int status = measure_parse(&plan,
		"Measure what CPUs get of one cache line when more and more of "
		"them want it.\v"
		"At the end of each visit the line has to hold what the CPUs "
		"did to it: otherwise the exit status is 1.",
		&options.measure, argc, argv);

	if (status != STATUS_DONE)
		return status;
	status = measure_run(&options.measure, &plan);
	if (!plan.lost)
		contend_plan_release(&own);
	measure_options_release(&options.measure);
	return status;
}

const struct command cmd_contend = {
	.name = "contend",
	.summary = "What many CPUs get of one cache line",
	.run = contend_run,
};
