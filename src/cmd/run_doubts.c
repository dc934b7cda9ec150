/* See run_doubts.h. */
#include "cmd/run_doubts.h"

#include <stdlib.h>
#include <string.h>

#include "result/record.h"
#include "util/text.h"

/* Return whether a sentence is a note of a test of c2c cl. */
static bool is_test_note(const struct run_facts *run, const char *warning)
{
	for (size_t i = 0; i < run->n_tests; i++) {
		const struct record_list notes =
			record_find_list(&run->tests[i], "notes");

		for (size_t j = 0; j < notes.n; j++) {
			if (strcmp(record_list_text(&notes, j), warning) == 0)
				return true;
		}
	}
	return false;
}

/* Report the notes of each drawn test. */
static void report_test_notes(const struct run_facts *run,
	const struct plot_options *drawn,
	void (*report)(void *context, const char *text), void *context)
{
	for (size_t i = 0; i < run->n_tests; i++) {
		const struct record *row = &run->tests[i];
		const struct record_list notes = record_find_list(row, "notes");
		const char *test = facts_text(&row->facts, "test");

		if (!test || (drawn->test && strcmp(test, drawn->test) != 0) ||
			(drawn->group && !drawn->in_group(test)))
			continue;
		for (size_t j = 0; j < notes.n; j++) {
			char *text = text_format(
				"%s: %s", test, record_list_text(&notes, j));

			report(context,
				text ? text : record_list_text(&notes, j));
			free(text);
		}
	}
}

void run_doubts_report(const struct result *result,
	const struct plot_options *drawn,
	void (*report)(void *context, const char *text), void *context)
{
	const struct run_facts *run = &result->run;

	report_test_notes(run, drawn, report, context);
	for (size_t i = 0; i < run->n_warnings; i++) {
		if (!is_test_note(run, run->warnings[i]))
			report(context, run->warnings[i]);
	}
}
