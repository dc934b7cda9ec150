#include "score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/contradicted_cells.h"
#include "analyze/kinds.h"
#include "analyze/levels/groups.h"
#include "machines.h"
#include "stat/stat.h"
#include "util/array.h"

const double score_bins[SCORE_BINS] = {0.99, 0.95, 0.9, 0.8, SCORE_GIVEN};

void score_groups_find(const struct score_machine *machine,
	const double *values, struct score_answer *answer, struct arena *arena)
{
	const struct facts unknown = {0};
	struct groups_input input = {.n = machine->n,
		.values = values,
		.is_virtual = machine->is_virtual,
		.constants = machine->constants};
	struct groups groups;
	struct analysis analysis;

	groups_find(&input, &groups, arena);
	analysis = (struct analysis){.cpus.n = machine->n,
		.levels = groups.levels,
		.n_levels = groups.n_levels};
	for (size_t k = 0; k < groups.n_levels; k++)
		groups.levels[k].to_ns = 1;
	if (machine->constants)
		kinds_infer_by(&analysis, &unknown, machine->constants, arena);
	else
		kinds_infer(&analysis, &unknown, arena);
	*answer = (struct score_answer){
		.moves = groups.placement == ANALYSIS_CANNOT_TELL};
	for (size_t k = 0; k < groups.n_levels; k++) {
		const struct analysis_level *level = &groups.levels[k];

		if (level->confidence >= SCORE_GIVEN &&
			answer->n_levels < N_OF(answer->levels))
			answer->levels[answer->n_levels++] =
				(struct score_level){level->group,
					level->confidence,
					level->kind_confidence, level->kind};
	}
}

/* The answer to the CPUs in the order of a seed, the first their own. */
static void ask(const struct score_task *task,
	const struct score_machine *machine, uint64_t seed,
	struct score_answer *answer, struct arena *arena)
{
	size_t n = machine->n;
	uint32_t *order = arena_alloc(arena, n, sizeof(*order));
	double *values = arena_alloc(arena, n * n, sizeof(*values));
	struct stat_random random;

	stat_random_init(&random, seed);
	stat_shuffle(&random, order, n);
	for (size_t i = 0; i < n && seed == 0; i++)
		order[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			values[i * n + j] =
				machine->values[order[i] * n + order[j]];
	task->analyse(machine, values, answer, arena);
	for (size_t k = 0; k < answer->n_levels; k++) {
		uint32_t *group = arena_alloc(arena, n, sizeof(*group));

		for (size_t i = 0; i < n; i++)
			group[order[i]] = answer->levels[k].group[i];
		answer->levels[k].group = group;
	}
}

static bool gives(
	const struct score_answer *answer, const uint32_t *group, size_t n)
{
	for (size_t k = 0; k < answer->n_levels; k++)
		if (machine_same_groups(answer->levels[k].group, group, n))
			return true;
	return false;
}

static bool same_answer(
	const struct score_answer *a, const struct score_answer *b, size_t n)
{
	bool same = a->n_levels == b->n_levels;

	for (size_t k = 0; k < a->n_levels; k++)
		same &= gives(b, a->levels[k].group, n);
	return same;
}

/* The sizes of the groups, and how sure they are: "4x2 2x1 at 0.89". */
static void list_level(
	const char *what, const uint32_t *group, size_t n, double confidence)
{
	printf("; %s", what);
	for (size_t size = n; size > 0; size--) {
		size_t of_size = 0;

		for (size_t i = 0; i < n; i++) {
			size_t own = 0, before = 0;

			for (size_t j = 0; j < n; j++) {
				own += group[j] == group[i];
				before += group[j] == group[i] && j < i;
			}
			of_size += own == size && before == 0;
		}
		if (of_size > 0)
			printf(" %zux%zu", of_size, size);
	}
	printf(" at %.2f", confidence);
}

static void list_faults(const struct score_task *task, uint64_t seed,
	const struct score_machine *machine, const struct score_answer *answer,
	bool same)
{
	printf("%s%s, seed %llu: %zu CPUs%s%s", score_kind_name(task->kind),
		task->part ? ", part" : "", (unsigned long long)seed,
		machine->n, answer->moves ? ", moves" : "",
		same ? "" : ", by order");
	for (size_t t = 0; t < machine->n_truths; t++)
		if (machine->truths[t].shows &&
			!gives(answer, machine->truths[t].group, machine->n))
			list_level("missed", machine->truths[t].group,
				machine->n, 0);
	for (size_t k = 0; k < answer->n_levels; k++) {
		const struct score_level *level = &answer->levels[k];

		list_level(score_machine_has(machine, level->group)
				   ? "right"
				   : "invented",
			level->group, machine->n, level->confidence);
	}
	printf("\n");
}

static void count_level(const struct score_machine *machine,
	const struct score_level *level, struct score_tally *tally)
{
	bool right = score_machine_has(machine, level->group);
	unsigned kinds = 0;
	size_t b = 0;

	while (b + 1 < SCORE_BINS && level->confidence < score_bins[b])
		b++;
	tally->bins[b]++;
	tally->right[b] += right;
	tally->given++;
	tally->invented += !right;
	tally->sure += level->confidence >= SCORE_SURE;
	tally->wrong += level->confidence >= SCORE_SURE && !right;
	for (size_t t = 0; t < machine->n_truths; t++)
		if (machine_same_groups(
			    level->group, machine->truths[t].group, machine->n))
			kinds |= machine->truths[t].kinds;
	if (kinds && level->kind != ANALYSIS_GROUP &&
		level->kind_confidence >= SCORE_SURE) {
		tally->named++;
		tally->misnamed += !(kinds >> level->kind & 1);
	}
}

static double median_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* What contradicts its neighbours gets the median of three. */
static size_t measure_again(
	const struct score_machine *machine, struct arena *arena)
{
	size_t n = machine->n, cells = n * n, found;
	bool *marked = arena_alloc(arena, cells, sizeof(*marked));

	if (!machine->again)
		return 0;
	found = contradicted_cells_find(machine->values, n, marked, arena);
	for (size_t k = 0; k < cells; k++)
		if (marked[k])
			machine->values[k] = median_of_three(machine->values[k],
				machine->again[k], machine->again[cells + k]);
	return found;
}

void score_add(
	const struct score_task *task, uint64_t seed, struct score_tally *tally)
{
	struct arena arena = {0};
	struct score_machine machine;
	struct score_answer answer, other;
	struct score_tally before = *tally;
	bool same = true;

	if (!score_machine_make(&machine, task->kind, task->part, seed,
		    task->n_max, &arena)) {
		arena_release(&arena);
		return;
	}
	machine.constants = task->constants;
	if (task->again) {
		size_t cells = measure_again(&machine, &arena);

		tally->again += cells > 0;
		tally->cells += (unsigned)cells;
	}
	ask(task, &machine, 0, &answer, &arena);
	for (uint64_t order = 1; order < task->orders; order++) {
		ask(task, &machine, order, &other, &arena);
		same &= same_answer(&answer, &other, machine.n);
	}
	tally->machines++;
	tally->same += same;
	tally->misplaced += answer.moves != machine.moves;
	for (size_t t = 0; t < machine.n_truths; t++) {
		if (!machine.truths[t].shows)
			continue;
		tally->shown++;
		tally->found +=
			gives(&answer, machine.truths[t].group, machine.n);
	}
	for (size_t k = 0; k < answer.n_levels; k++)
		count_level(&machine, &answer.levels[k], tally);
	if (task->list && (!same || tally->invented > before.invented ||
				  tally->shown - tally->found >
					  before.shown - before.found))
		list_faults(task, seed, &machine, &answer, same);
	arena_release(&arena);
}
