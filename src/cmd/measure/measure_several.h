/*
 * For c2c measure and c2c report: run several commands (the parts) as child
 * processes, and store one record with a section for each.
 */
#ifndef C2C_MEASURE_SEVERAL_H
#define C2C_MEASURE_SEVERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/option.h"
#include "cmd/outputs.h"
#include "cmd/page/page.h"
#include "util/text.h"

struct several_options {
	const char *command;		  /* command for the record */
	const struct option_table *table; /* options for the record */
	double budget_s; /* for all parts together; NaN: defaults */
	double limit_s;	 /* c2c ends all parts within this time; 0: no limit */
	bool quick, json;
	struct outputs outputs;
	int verbosity;
	/*
	 * Save the outputs, and print a common report of all parts. Return an
	 * enum exit_status. contents->pages is parts[n]. NULL: each part prints
	 * its report.
	 */
	int (*report)(const struct several_options *options,
		const struct output_contents *contents,
		struct page_input *parts);
};

/*
 * Measure, and write the record. words[n] are commands with their options,
 * separated by "+". Return an enum exit_status.
 */
int measure_several(
	const struct several_options *options, char *const *words, size_t n);

/* Append a line for each command that c2c measure can run. */
void several_list_parts(struct text_list *list);

#endif
