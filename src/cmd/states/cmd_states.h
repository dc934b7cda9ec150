/* The interface between the files of c2c states. Private to this folder. */
#ifndef C2C_CMD_STATES_H
#define C2C_CMD_STATES_H

#include "analyze/state_checks.h"
#include "cmd/level_scan.h"
#include "cmd/measure/measure.h"
#include "cmd/prose.h"
#include "probe/probe_states.h"

/* Rounds of all points in each of the two blocks. */
#define STATES_ROUNDS 30

/* Test of the curves with the CPUs of each level. */
#define STATES_LEVEL_TEST "apart"

/* Name of the test whose curves are the costs of each half of the rounds. */
#define STATES_BLOCK_TEST "blocks"

/* Key in "run" with the reason for missing costs. */
#define STATES_REFUSED_KEY "states_refused"

struct states_options {
	struct measure_options measure;
	struct option_list operations; /* enum line_operation */
	struct measure_home home;
	int pages;
	uint64_t lines; /* as recorded */
};

/* The command's own part of a plan. */
struct states_plan {
	struct states_options *options;
	struct states_context context;
	const struct machine *machine;
	const struct cpu_list *cpus; /* CPUs of the run */
	struct states_level levels[STATE_LEVELS_MOST];
	bool third_is_sibling[STATE_LEVELS_MOST]; /* per level */
	size_t n_levels;
	struct states_point *points; /* [STATE_LEVELS_MOST * n_cells] */
	size_t n_cells;		     /* number of points in a level */
	uint32_t *others; /* [STATE_LEVELS_MOST], indexes into cpus */
	const struct measure_plan *plan;
};

/*
 * Return the latency in ns below which pairs count as SMT siblings, 0 if none
 * do. Siblings are the pairs of the first level, if these are twice as near as
 * the pairs of the next level and each CPU has only one sibling.
 */
double states_sibling_ns(const struct scanned_pair *sorted, size_t n,
	size_t n_cpus, const struct scanned_pair *chosen, size_t n_chosen);

/* Halve the lines of a walk until they fit an L2 cache with this many bytes. */
uint64_t states_lines_that_fit(uint64_t lines, uint64_t l2_bytes);

int states_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int states_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);
int states_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);
void states_plan_release(void *context);

/* Read the costs from a record. Return false if it has none. */
bool states_read_table(const struct result *result, struct state_table *table);

/* Describe the failed check, or return NULL. */
const char *states_refusal(
	struct arena *arena, const struct state_table *table);

/*
 * Describe the costs of loads of a level: "load, same LLC (94 ns): modified or
 * exclusive 98 ns, shared 39, memory 118". NULL: no such level.
 */
const char *states_describe_loads(
	struct arena *arena, const struct result *result, size_t level);

/* Column of texts on a terminal (struct prose). */
#define STATES_COLUMNS 10

/* Print the costs of states, and the results of the checks. */
void states_print_prose(struct prose *prose, const struct result *result);

#endif
