/*
 * The parts of c2c states, shared by the files of this folder only.
 */
#ifndef C2C_CMD_STATES_H
#define C2C_CMD_STATES_H

#include "analyze/state_checks.h"
#include "cmd/measure/measure.h"
#include "cmd/prose.h"
#include "probe/probe_states.h"

/* Rounds of all points, and as many again: the second block. */
#define STATES_ROUNDS 30

/* The curves of a record that say which CPUs a level has. */
#define STATES_LEVEL_TEST "apart"

/* The costs of the first and the second half of the rounds. */
#define STATES_BLOCK_TEST "blocks"

/* The key in "run" that says why there are no costs. */
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
	const struct cpu_list *cpus; /* of the run */
	struct states_level levels[STATE_LEVELS_MOST];
	bool third_is_sibling[STATE_LEVELS_MOST]; /* of one of its pair */
	size_t n_levels;
	struct states_point *points; /* [STATE_LEVELS_MOST * n_cells] */
	size_t n_cells;		     /* points of a level */
	uint32_t *others; /* [STATE_LEVELS_MOST], indexes into cpus */
	const struct measure_plan *plan;
};

/* Two CPUs, and the ns one way between them. */
struct states_distance {
	uint32_t first, second;
	double one_way_ns;
};

/*
 * Sort the distances between so many CPUs, and choose the pair in the middle of
 * each level, from near to far; returns how many levels, at most `most`.
 */
size_t states_find_levels(struct states_distance *distances, size_t n,
	size_t n_cpus, struct states_distance *chosen, size_t most);

/*
 * Return the ns below which pairs are taken for SMT siblings: those of the
 * first level, if they are twice as near as those of the next one, and a CPU
 * has one. 0: none.
 */
double states_sibling_ns(const struct states_distance *sorted, size_t n,
	size_t n_cpus, const struct states_distance *chosen, size_t n_chosen);

/* Halve the lines of a walk until an L2 cache of so many bytes holds them. */
uint64_t states_lines_that_fit(uint64_t lines, uint64_t l2_bytes);

int states_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int states_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);
int states_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);
void states_plan_release(void *context);

/* Read the costs of a record; false if it has none. */
bool states_read_table(const struct result *result, struct state_table *table);

/* Say which check fails, if one does; NULL: none. */
const char *states_refusal(
	struct arena *arena, const struct state_table *table);

/* Say which states can be told apart, and what the checks found. */
void states_print_prose(struct prose *prose, const struct result *result);

#endif
