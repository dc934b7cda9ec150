/*
 * Squares of plausible latencies between the CPUs of topologies, for
 * judge_groups: topology_squares FOLDER SEED FILE.xml... writes into FOLDER a
 * NAME.csv for each topology that divides its CPUs, and truth.json.
 *
 * Siblings take a fifth to a third of what two cores of the innermost cache do,
 * each larger place takes 1.3 to 2.2 times the smaller one; rows differ by up
 * to 3 % and cells by a noise of 0.5 to 4 %. So each place shows, and is
 * certain if there are two of two CPUs or more and hardly a CPU is alone.
 */
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "machine/division.h"
#include "stat/stat.h"
#include "util/arena.h"

/* As many levels as judge_groups takes of a file. */
#define MOST_LEVELS 8

struct square {
	const struct machine_division *levels[MOST_LEVELS];
	size_t n, n_levels;
	double *values; /* [n * n] */
};

static double draw(struct stat_random *random, double low, double high)
{
	return low + (high - low) * (double)(stat_random_next(random) >> 11) *
			     0x1p-53;
}

/* The sum of twelve is normal enough. */
static double noise(struct stat_random *random)
{
	double sum = -6;

	for (int k = 0; k < 12; k++)
		sum += draw(random, 0, 1);
	return sum;
}

/* Whether each group lies in one of the other, and they are not the same. */
static bool nests(const struct machine_division *inner,
	const struct machine_division *outer, size_t n)
{
	bool smaller = false;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			bool within = inner->group[i] == inner->group[j];
			bool around = outer->group[i] == outer->group[j];

			if (within && !around)
				return false;
			smaller |= around && !within;
		}
	return smaller;
}

static void take_levels(
	struct square *square, const struct machine_divisions *divisions)
{
	for (size_t k = 0; k < divisions->n; k++) {
		const struct machine_division *division = &divisions->items[k];
		size_t n = square->n_levels;

		if (n < MOST_LEVELS && strcmp(division->name, "CPUKind") != 0 &&
			(n == 0 || nests(square->levels[n - 1], division,
					   square->n)))
			square->levels[square->n_levels++] = division;
	}
}

static void fill_square(
	struct square *square, struct stat_random *random, struct arena *arena)
{
	size_t n = square->n;
	double inside[MOST_LEVELS + 1], spread = draw(random, .005, .04);
	double rows = draw(random, 0, .03);
	double *row = arena_alloc(arena, n, sizeof(*row));
	bool siblings = square->n_levels > 0 &&
			strcmp(square->levels[0]->name, "Core") == 0;

	inside[0] = draw(random, 20, 45);
	for (size_t k = 1; k <= square->n_levels; k++)
		inside[k] = inside[k - 1] *
			    (k == 1 && siblings ? draw(random, 3, 5)
						: draw(random, 1.3, 2.2));
	for (size_t i = 0; i < n; i++)
		row[i] = 1 + rows * draw(random, -1, 1);
	square->values = arena_alloc(arena, n * n, sizeof(double));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			size_t k = 0;

			while (k < square->n_levels &&
				square->levels[k]->group[i] !=
					square->levels[k]->group[j])
				k++;
			square->values[i * n + j] = square->values[j * n + i] =
				inside[k] * (row[i] + row[j]) / 2 *
				exp(spread * noise(random));
		}
}

static json_t *describe_level(const struct machine_division *level, size_t n)
{
	json_t *groups = json_array();
	size_t several = 0, alone = 0;

	for (size_t g = 0; g < level->n_groups; g++)
		json_array_append_new(groups, json_array());
	for (size_t i = 0; i < n; i++)
		json_array_append_new(json_array_get(groups, level->group[i]),
			json_integer((json_int_t)i));
	for (size_t g = 0; g < level->n_groups; g++) {
		size_t size = json_array_size(json_array_get(groups, g));

		several += size > 1;
		alone += size == 1;
	}
	return json_pack("{s:o, s:s}", "groups", groups, "confidence",
		several > 1 && 8 * alone <= n ? "certain" : "likely");
}

static void write_square(const struct square *square, const char *path)
{
	FILE *out = fopen(path, "w");

	for (size_t k = 0; out && k < square->n * square->n; k++) {
		if (k / square->n != k % square->n)
			fprintf(out, "%.1f", square->values[k]);
		putc(k % square->n + 1 == square->n ? '\n' : ',', out);
	}
	if (!out || fclose(out) != 0) {
		perror(path);
		exit(1);
	}
}

/* Make one of a topology; false if it says nothing of its CPUs. */
static bool make_square(const char *folder, char *file,
	struct stat_random *random, json_t *truth)
{
	struct machine_divisions divisions = {0};
	struct machine *machine = NULL;
	struct arena arena = {0};
	struct square square = {0};
	struct error err;
	char *name = basename(file), *path;
	bool made = false;

	if (machine_new_file(&machine, file, &err) < 0 ||
		machine_divide(machine, &machine_facts(machine)->allowed,
			&divisions, &err) < 0) {
		fprintf(stderr, "%s: %s\n", file, err.text);
		goto out;
	}
	square.n = machine_facts(machine)->allowed.n;
	take_levels(&square, &divisions);
	made = square.n >= 4 && square.n_levels > 0;
	if (made) {
		json_t *levels = json_object();

		fill_square(&square, random, &arena);
		for (size_t k = 0; k < square.n_levels; k++)
			json_object_set_new(levels, square.levels[k]->name,
				describe_level(square.levels[k], square.n));
		name = arena_format(&arena, "%.*s.csv",
			(int)strcspn(name, "/") - (int)strlen(".xml"), name);
		path = arena_format(&arena, "%s/%s", folder, name);
		write_square(&square, path);
		json_object_set_new(truth, name,
			json_pack("{s:i, s:o}", "n", (int)square.n, "levels",
				levels));
	}
out:
	machine_divisions_release(&divisions);
	machine_free(machine);
	arena_release(&arena);
	return made;
}

int main(int argc, char **argv)
{
	json_t *truth = json_object();
	struct stat_random random;
	char path[4096];
	int made = 0;

	if (argc < 4) {
		fputs("usage: topology_squares FOLDER SEED FILE.xml...\n",
			stderr);
		return 2;
	}
	for (int k = 3; k < argc; k++) {
		stat_random_init(&random,
			strtoul(argv[2], NULL, 10) * 1000 + (uint64_t)k);
		made += make_square(argv[1], argv[k], &random, truth);
	}
	snprintf(path, sizeof(path), "%s/truth.json", argv[1]);
	if (json_dump_file(truth, path, JSON_INDENT(1)) < 0) {
		perror(path);
		return 1;
	}
	printf("%d squares of %d files\n", made, argc - 3);
	json_decref(truth);
	return 0;
}
