/*
 * How often the analysis of machines made up from seeds is right, and how sure
 * it was: score_groups [SEEDS [HARDNESS [KIND]]]. With a KIND, a number as in
 * machines.h, every machine with a fault is listed by its seed. Kinds of levels
 * are judged on true levels alone.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/groups.h"
#include "analyze/kinds.h"
#include "machines.h"

#define N_MAX 256

struct score {
	unsigned certain, found, invented, faulty;
	unsigned given[11], right[11]; /* by tenths of confidence */
	unsigned named[11], well[11];  /* the same of kinds; 0: no name */
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

/* A package of one cluster is both. The level of a true place counts. */
static void count_kind(const struct machine *machine,
	const struct analysis_level *level, struct score *score)
{
	int bin = (int)(level->kind_confidence * 10);
	bool is_true = false, is_right = false;

	for (size_t l = 0; l < MACHINE_LEVELS; l++) {
		if (!machine_same_groups(
			    level->group, machine->place[l], machine->n))
			continue;
		is_true = true;
		is_right |= kind_of(machine, l) == level->kind;
	}
	score->named[bin] += is_true;
	score->well[bin] += is_right;
}

static void count_kinds(const struct machine *machine, struct groups *groups,
	struct score *score)
{
	struct analysis analysis = {.cpus.n = machine->n,
		.levels = groups->levels,
		.n_levels = groups->n_levels};
	const struct facts unknown = {0};
	struct arena arena = {0};

	for (size_t k = 0; k < groups->n_levels; k++)
		groups->levels[k].to_ns = 1;
	kinds_infer(&analysis, &unknown, &arena);
	for (size_t k = 0; k < groups->n_levels; k++)
		count_kind(machine, &groups->levels[k], score);
	arena_release(&arena);
}

static bool true_of(const struct machine *machine, const uint32_t *group)
{
	for (size_t t = 0; t < machine->n_levels; t++)
		if (machine_same_groups(
			    group, machine->levels[t].group, machine->n))
			return true;
	return false;
}

static bool found_in(
	const struct groups *groups, const uint32_t *group, size_t n)
{
	for (size_t k = 0; k < groups->n_levels; k++)
		if (groups->levels[k].confidence >= 0.5 &&
			machine_same_groups(groups->levels[k].group, group, n))
			return true;
	return false;
}

static void list(const struct machine *machine, const struct groups *groups,
	unsigned seed)
{
	const struct machine_flaws *flaws = &machine->flaws;

	printf("seed %u: %zu CPUs, noise %.3f, distance %.3f, rows %.3f, "
	       "cold %.2f, step %.1f, streaks %u, favoured %u, offline %u:",
		seed, machine->n, flaws->noise, flaws->distance, flaws->rows,
		flaws->cold, flaws->step_ns, flaws->streaks, flaws->favoured,
		flaws->offline);
	for (size_t t = 0; t < machine->n_levels; t++)
		printf(" %s x%.2f",
			found_in(groups, machine->levels[t].group, machine->n)
				? "found"
				: "missed",
			machine->levels[t].ratio);
	for (size_t k = 0; k < groups->n_levels; k++)
		if (!true_of(machine, groups->levels[k].group))
			printf(" invented %zu groups at %.2f (%.1f/%.1f)",
				groups->levels[k].n_groups,
				groups->levels[k].confidence,
				groups->levels[k].inside,
				groups->levels[k].between);
	printf("\n");
}

/* Count one machine; returns whether there is a fault. */
static bool count(const struct machine *machine, const struct groups *groups,
	struct score *score)
{
	bool fault = false;

	for (size_t k = 0; k < groups->n_levels; k++) {
		const struct analysis_level *level = &groups->levels[k];
		bool right = true_of(machine, level->group);
		int bin = (int)(level->confidence * 10);

		score->given[bin]++;
		score->right[bin] += right;
		if (level->confidence >= 0.5 && !right) {
			score->invented++;
			fault = true;
		}
	}
	for (size_t t = 0; t < machine->n_levels; t++) {
		bool found =
			found_in(groups, machine->levels[t].group, machine->n);

		if (!machine->levels[t].certain)
			continue;
		score->certain++;
		score->found += found;
		fault = fault || !found;
	}
	return fault;
}

static void run(enum machine_kind kind, unsigned seeds, double hardness,
	bool listed, struct score *score)
{
	for (unsigned seed = 0; seed < seeds; seed++) {
		struct machine machine;
		struct groups groups;
		struct groups_input input;
		struct arena arena = {0};

		machine_make(&machine, kind, seed, hardness, N_MAX);
		input = (struct groups_input){
			.n = machine.n, .values = machine.values};
		groups_find(&input, &groups, &arena);
		count_kinds(&machine, &groups, score);
		if (count(&machine, &groups, score)) {
			score->faulty++;
			if (listed)
				list(&machine, &groups, seed);
		}
		arena_release(&arena);
		machine_release(&machine);
	}
}

static void print_bins(
	const char *what, const unsigned given[11], const unsigned right[11])
{
	for (int b = 0; b <= 10; b++)
		if (given[b])
			printf("%s %.1f: %u given, %.3f right\n", what,
				b / 10.0, given[b],
				(double)right[b] / given[b]);
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300;
	double hardness = argc > 2 ? strtod(argv[2], NULL) : 0.5;
	struct score all = {0};

	for (int kind = 0; kind < MACHINE_KINDS; kind++) {
		struct score score = {0};

		if (argc > 3 && strtol(argv[3], NULL, 10) != kind)
			continue;
		run((enum machine_kind)kind, seeds, hardness, argc > 3, &score);
		printf("%-10s certain found %u of %u, invented %u, machines "
		       "with a fault %u of %u\n",
			machine_kind_name((enum machine_kind)kind), score.found,
			score.certain, score.invented, score.faulty, seeds);
		for (int b = 0; b <= 10; b++) {
			all.given[b] += score.given[b];
			all.right[b] += score.right[b];
			all.named[b] += score.named[b];
			all.well[b] += score.well[b];
		}
	}
	print_bins("confidence", all.given, all.right);
	print_bins("kind_confidence", all.named, all.well);
	return 0;
}
