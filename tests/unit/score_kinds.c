/*
 * How often the kind of a level is right, and how sure it was, in machines made
 * up from seeds: score_kinds [SEEDS [HARDNESS]]. A line for each kind that was
 * given and each tenth of its confidence; then how often the right kind was
 * listed where none was given. Only levels whose groups are right count.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/groups.h"
#include "analyze/kinds.h"
#include "machines.h"

#define N_MAX 256

#define KINDS (ANALYSIS_GROUP + 1)

struct score {
	unsigned given[KINDS][11], right[KINDS][11]; /* by tenths */
	unsigned unnamed, listed;
};

/* What the CPUs of one place share. */
static enum analysis_kind kind_of(const struct machine *machine, size_t place)
{
	static const enum analysis_kind kinds[MACHINE_LEVELS] = {ANALYSIS_SMT,
		ANALYSIS_LLC, ANALYSIS_PACKAGE, ANALYSIS_PACKAGE,
		ANALYSIS_PACKAGE, ANALYSIS_PACKAGE};

	if (place != 2)
		return kinds[place];
	switch (machine->kind) {
	case MACHINE_HYBRID:
	case MACHINE_BUS:
		return ANALYSIS_CLASS;
	case MACHINE_HOPS:
		return ANALYSIS_NODE;
	default:
		return kinds[place];
	}
}

/* Whether CPUs of one group share this; a package of one cluster is both. */
static bool shares(const struct machine *machine,
	const struct analysis_level *level, enum analysis_kind kind)
{
	for (size_t l = 0; l < MACHINE_LEVELS; l++) {
		if (kind_of(machine, l) == kind &&
			machine_same_groups(
				level->group, machine->place[l], machine->n))
			return true;
	}
	return false;
}

static void count(const struct machine *machine,
	const struct analysis_level *level, struct score *score)
{
	int tenth = (int)(level->kind_confidence * 10);
	bool is_true = false, listed = false;

	for (int kind = 0; kind < KINDS; kind++)
		is_true |= shares(machine, level, (enum analysis_kind)kind);
	if (!is_true)
		return;
	for (size_t i = 0; i < level->n_may_be; i++)
		listed |= shares(machine, level, level->may_be[i]);
	score->unnamed += level->kind == ANALYSIS_GROUP;
	score->listed += level->kind == ANALYSIS_GROUP && listed;
	score->given[level->kind][tenth]++;
	score->right[level->kind][tenth] += shares(machine, level, level->kind);
}

static void run(enum machine_kind kind, unsigned seed, double hardness,
	struct score *score)
{
	const struct facts unknown = {0};
	struct machine machine;
	struct groups groups;
	struct groups_input input;
	struct analysis analysis;
	struct arena arena = {0};

	machine_make(&machine, kind, seed, hardness, N_MAX);
	input = (struct groups_input){.n = machine.n,
		.values = machine.values,
		.is_virtual = machine.is_virtual};
	groups_find(&input, &groups, &arena);
	analysis = (struct analysis){.cpus.n = machine.n,
		.levels = groups.levels,
		.n_levels = groups.n_levels};
	for (size_t k = 0; k < groups.n_levels; k++)
		groups.levels[k].to_ns = 1;
	kinds_infer(&analysis, &unknown, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		count(&machine, &groups.levels[k], score);
	arena_release(&arena);
	machine_release(&machine);
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
	double hardness = argc > 2 ? strtod(argv[2], NULL) : 0.5;
	struct score score = {0};

	for (int kind = 0; kind < MACHINE_KINDS; kind++) {
		for (unsigned seed = 0; seed < seeds; seed++)
			run((enum machine_kind)kind, seed, hardness, &score);
	}
	for (int kind = 0; kind < ANALYSIS_GROUP; kind++) {
		for (int tenth = 10; tenth >= 0; tenth--) {
			if (score.given[kind][tenth])
				printf("%-7s %.1f: %u of %u right\n",
					analysis_kinds[(
						enum analysis_kind)kind],
					tenth / 10.0, score.right[kind][tenth],
					score.given[kind][tenth]);
		}
	}
	printf("group:       %u of %u list the right kind\n", score.listed,
		score.unnamed);
	return 0;
}
