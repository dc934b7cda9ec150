/*
 * The parts of c2c latency --by-line, and its report, which other commands use.
 */
#ifndef C2C_BY_LINE_H
#define C2C_BY_LINE_H

#include "analyze/line_verdict.h"
#include "cmd/measure/measure.h"
#include "cmd/prose.h"
#include "probe/probe_by_line.h"

#define BY_LINE_ROUND_TRIPS 100

/* Largest number of passes: c2c keeps each line's time in each pass. */
#define BY_LINE_PASSES_MOST 1024

/* Largest number of pairs that c2c chooses, and of pairs with curves. */
#define BY_LINE_LEVELS 4

/* The command's part of a plan that measures line by line. */
struct by_line_plan {
	const struct measure_options *options;
	const struct measure_plan *plan;
	const struct cpu_list *cpus;
	bool keep_lines;
	struct by_line_context context;
	const struct probe *method;
	struct probe probe; /* probe of the method, line by line */
};

/* Make the plan measure each line by the method of its campaign. */
void by_line_choose(struct by_line_plan *own, struct measure_plan *plan,
	struct measure_options *options);

/* Select the CPUs, and the requested pairs or one pair of each level. */
int by_line_select(struct by_line_plan *own, struct measure_plan *plan,
	struct measure_selection *selection, struct error *err);

int by_line_finish(const struct by_line_plan *own, struct campaign *campaign,
	struct result *result, struct error *err);

/* Return whether lines differ, as a sentence without its full stop. */
const char *by_line_describe(
	struct arena *arena, const struct line_profile *profile);

/* Print for each pair whether the latency depends on the line. */
void by_line_print_prose(struct prose *prose, const struct result *result);

/* Print by_line_print_prose() on standard output. */
void by_line_print(const struct result *result);

#endif
