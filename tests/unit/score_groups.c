/*
 * How often the analysis of machines made up from seeds is right, and how sure
 * it was: score_groups [SEEDS [HARDNESS [KIND [FIRST]]]]. With a KIND, a number
 * as in machines.h, every machine with a fault is listed by its seed; -1 is all
 * kinds. FIRST is the first seed, 0 unless given.
 *
 * Three tables, a line per kind: what was found of the levels that show, and
 * invented of those given, with confidence 0.5 or more; how many levels
 * were given at each tenth of confidence and how many of them are right; and
 * how many are right of those given at 0.9 and more, with the confidence as it
 * is and as it would be, had it been fitted to all other kinds.
 *
 * Kinds of small machines with few levels get FEW_LEVELS times as many seeds.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/groups.h"
#include "machines.h"

#define N_MAX 256
#define BINS  11

/* A level with this confidence and more is told, and taken for a fact. */
#define TOLD 0.5
#define SURE 0.9

/* Else these kinds would have too few levels at 0.9 to say anything. */
#define FEW_LEVELS 4

/* What the user asks for. */
struct request {
	unsigned seeds, first;
	double hardness;
	long kind; /* or -1: all */
};

/* A level that was given; levels alike are pooled, see fit(). */
struct given {
	double confidence;
	double count, right;
};

struct score {
	const char *name;
	unsigned machines, certain, found, invented;
	struct given *given;
	size_t n_given, room;
};

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
		if (groups->levels[k].confidence >= TOLD &&
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
			: machine->levels[t].certain ? "missed"
						     : "hidden",
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

static void add_given(struct score *score, double confidence, bool right)
{
	if (score->n_given == score->room) {
		score->room = 2 * score->room + 64;
		score->given = realloc(
			score->given, sizeof(*score->given) * score->room);
		if (!score->given)
			abort();
	}
	score->given[score->n_given++] = (struct given){confidence, 1, right};
}

/* Count one machine; returns whether there is a fault. */
static bool count(const struct machine *machine, const struct groups *groups,
	struct score *score)
{
	unsigned invented = 0, missed = 0;

	for (size_t k = 0; k < groups->n_levels; k++) {
		const struct analysis_level *level = &groups->levels[k];
		bool right = true_of(machine, level->group);

		add_given(score, level->confidence, right);
		invented += level->confidence >= TOLD && !right;
	}
	for (size_t t = 0; t < machine->n_levels; t++) {
		bool found =
			found_in(groups, machine->levels[t].group, machine->n);

		if (!machine->levels[t].certain)
			continue;
		score->certain++;
		score->found += found;
		missed += !found;
	}
	score->machines++;
	score->invented += invented;
	return invented > 0 || missed > 0;
}

static void run(enum machine_kind kind, const struct request *request,
	struct score *score)
{
	unsigned first = request->first, seeds = request->seeds;

	if (kind == MACHINE_SNUG || kind == MACHINE_BUS)
		seeds *= FEW_LEVELS;
	score->name = machine_kind_name(kind);
	for (unsigned seed = first; seed < first + seeds; seed++) {
		struct machine machine;
		struct groups groups;
		struct groups_input input;
		struct arena arena = {0};

		machine_make(&machine, kind, seed, request->hardness, N_MAX);
		input = (struct groups_input){.n = machine.n,
			.values = machine.values,
			.is_virtual = machine.is_virtual};
		groups_find(&input, &groups, &arena);
		if (count(&machine, &groups, score) && request->kind >= 0)
			list(&machine, &groups, seed);
		arena_release(&arena);
		machine_release(&machine);
	}
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 1;
}

static void print_share(unsigned part, unsigned whole)
{
	struct machine_share share = machine_share_of(part, whole);

	printf(" %6u of %-5u", part, whole);
	if (whole > 0)
		printf(" %5.1f (%5.1f, %5.1f)", 100 * share.share,
			100 * share.low, 100 * share.high);
	else
		printf(" %20s", "");
}

static void print_found(const struct score scores[MACHINE_KINDS])
{
	printf("levels, %% (95 %% interval)\n%-10s %8s %-36s%s\n", "kind",
		"machines", "     found of those that show",
		"     invented of those given");
	for (int kind = 0; kind < MACHINE_KINDS; kind++) {
		const struct score *score = &scores[kind];
		unsigned told = 0;

		for (size_t k = 0; k < score->n_given; k++)
			told += score->given[k].confidence >= TOLD;
		if (score->machines == 0)
			continue;
		printf("%-10s %8u", score->name, score->machines);
		print_share(score->found, score->certain);
		print_share(score->invented, told);
		printf("\n");
	}
}

static void print_bins(const struct score scores[MACHINE_KINDS])
{
	printf("\nright of given, by confidence\n%-10s", "kind");
	for (int b = 0; b < BINS; b++)
		printf(" %9.1f", b / 10.0);
	printf("\n");
	for (int kind = 0; kind < MACHINE_KINDS; kind++) {
		const struct score *score = &scores[kind];
		unsigned given[BINS] = {0}, right[BINS] = {0};

		for (size_t k = 0; k < score->n_given; k++) {
			int bin = (int)(score->given[k].confidence * 10);

			given[bin]++;
			right[bin] += score->given[k].right > 0;
		}
		if (score->machines == 0)
			continue;
		printf("%-10s", score->name);
		for (int b = 0; b < BINS; b++) {
			char text[32] = "";

			if (given[b])
				snprintf(text, sizeof(text), "%u/%u", right[b],
					given[b]);
			printf(" %9s", text);
		}
		printf("\n");
	}
}

static int by_confidence(const void *a, const void *b)
{
	double left = ((const struct given *)a)->confidence;
	double right = ((const struct given *)b)->confidence;

	return (left > right) - (left < right);
}

static bool joins(const struct given *last, const struct given *next)
{
	return next->confidence <= last->confidence ||
	       share(next->right, next->count) <=
		       share(last->right, last->count);
}

/*
 * The share right as a function of confidence that never falls and fits best:
 * neighbours in the wrong order are pooled. Returns the number of pools, each
 * with the least confidence in it.
 */
static size_t fit(struct given *pools, size_t n)
{
	size_t made = 0;

	qsort(pools, n, sizeof(*pools), by_confidence);
	for (size_t k = 0; k < n; k++) {
		struct given next = pools[k];

		while (made > 0 && joins(&pools[made - 1], &next)) {
			made--;
			next.confidence = pools[made].confidence;
			next.count += pools[made].count;
			next.right += pools[made].right;
		}
		pools[made++] = next;
	}
	return made;
}

static double fitted(const struct given *pools, size_t n, double confidence)
{
	size_t k = 0;

	while (k + 1 < n && pools[k + 1].confidence <= confidence)
		k++;
	return n ? share(pools[k].right, pools[k].count) : confidence;
}

/* One line of the third table: a kind, by what all others teach. */
static void print_sure(
	const struct score scores[MACHINE_KINDS], int kind, struct given *pools)
{
	const struct score *score = &scores[kind];
	unsigned sure[2] = {0}, right[2] = {0};
	size_t n = 0;

	for (int other = 0; other < MACHINE_KINDS; other++)
		for (size_t k = 0; other != kind && k < scores[other].n_given;
			k++)
			pools[n++] = scores[other].given[k];
	n = fit(pools, n);
	for (size_t k = 0; k < score->n_given; k++) {
		const struct given *given = &score->given[k];
		double levels[2] = {
			given->confidence, fitted(pools, n, given->confidence)};

		for (int l = 0; l < 2; l++)
			if (levels[l] >= SURE) {
				sure[l]++;
				right[l] += given->right > 0;
			}
	}
	printf("%-10s", score->name);
	for (int l = 0; l < 2; l++)
		print_share(right[l], sure[l]);
	printf("\n");
}

static void print_calibration(const struct score scores[MACHINE_KINDS])
{
	struct given *pools;
	size_t n = 1;

	for (int kind = 0; kind < MACHINE_KINDS; kind++)
		n += scores[kind].n_given;
	pools = calloc(n, sizeof(*pools));
	if (!pools)
		abort();
	printf("\nright of those given at %.1f and more, %% (95 %% interval)\n"
	       "%-10s %-36s%s\n",
		SURE, "kind", "     as it is",
		"     fitted to the other kinds");
	for (int kind = 0; kind < MACHINE_KINDS; kind++)
		if (scores[kind].machines > 0)
			print_sure(scores, kind, pools);
	free(pools);
}

int main(int argc, char **argv)
{
	struct request request = {
		.seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 300,
		.hardness = argc > 2 ? strtod(argv[2], NULL) : 0.5,
		.kind = argc > 3 ? strtol(argv[3], NULL, 10) : -1,
		.first = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0};
	struct score scores[MACHINE_KINDS] = {{0}};

	for (int kind = 0; kind < MACHINE_KINDS; kind++)
		if (request.kind < 0 || request.kind == kind)
			run((enum machine_kind)kind, &request, &scores[kind]);
	print_found(scores);
	print_bins(scores);
	if (request.kind < 0)
		print_calibration(scores);
	for (int kind = 0; kind < MACHINE_KINDS; kind++)
		free(scores[kind].given);
	return 0;
}
