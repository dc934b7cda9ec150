/*
 * The analysis against recorded machines whose structure is known:
 * judge_groups FOLDER [ORDERS]. FOLDER has truth.json, which says per file and
 * level the groups and whether the numbers show them, and the files, bare
 * squares. The CPUs are put into ORDERS orders, the first their own. A line
 * per file, and per order that gives another answer: the true name of each
 * level, and behind "as" what kind it is said to be.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyze/kinds.h"
#include "analyze/levels/groups.h"
#include "stat/stat.h"

struct truth {
	const char *name, *confidence;
	uint32_t *group;
	uint32_t *visible; /* or NULL */
	bool trivial, found;
};

struct file {
	const char *name;
	size_t n;
	double *values;
	bool unpinned;
	struct truth truths[8];
	size_t n_truths;
};

struct score {
	unsigned certain, found, likely, likely_found, invented;
};

static void *get(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		abort();
	return memory;
}

/* Read a bare square; empty cells are NaN. */
static int read_square(const char *folder, struct file *file)
{
	char path[4096];
	char *line = NULL;
	size_t room = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, file->name);
	in = fopen(path, "r");
	if (!in) {
		perror(path);
		return -1;
	}
	file->values = get(sizeof(*file->values) * file->n * file->n);
	for (size_t i = 0; i < file->n && getline(&line, &room, in) > 0; i++) {
		char *at = line;

		for (size_t j = 0; j < file->n; j++) {
			char *end;
			double value = strtod(at, &end);

			file->values[i * file->n + j] = end == at ? NAN : value;
			at = end + strcspn(end, ",");
			at += *at == ',';
		}
	}
	free(line);
	fclose(in);
	return 0;
}

/* CPUs in no group get a label of their own. */
static uint32_t *labels_of(const json_t *groups, size_t n)
{
	uint32_t *labels = get(sizeof(*labels) * n);
	const json_t *group, *member;
	size_t g, m;

	for (size_t i = 0; i < n; i++)
		labels[i] = (uint32_t)(n + i);
	json_array_foreach(groups, g, group) json_array_foreach(group, m,
		member) labels[json_integer_value(member)] = (uint32_t)g;
	return labels;
}

static void read_truth(json_t *about, struct file *file)
{
	const char *name;
	json_t *level;

	file->n = (size_t)json_integer_value(json_object_get(about, "n"));
	file->unpinned = json_is_true(json_object_get(about, "unpinned"));
	json_object_foreach(json_object_get(about, "levels"), name, level)
	{
		struct truth *truth = &file->truths[file->n_truths];
		json_t *visible = json_object_get(level, "visible_groups");

		if (file->n_truths++ >= 8)
			abort();
		truth->name = name;
		truth->confidence =
			json_string_value(json_object_get(level, "confidence"));
		truth->trivial =
			json_is_true(json_object_get(level, "trivial"));
		truth->group =
			labels_of(json_object_get(level, "groups"), file->n);
		truth->visible = visible ? labels_of(visible, file->n) : NULL;
	}
}

static bool same(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

/* What a level is: the name of a truth, or why it is none. */
static const char *name_of(
	struct file *file, const uint32_t *group, double confidence)
{
	const char *name = confidence < 0.5 ? "(unsure)" : "INVENTED";

	for (size_t t = 0; t < file->n_truths; t++) {
		struct truth *truth = &file->truths[t];

		if (!same(group, truth->group, file->n) &&
			!(truth->visible &&
				same(group, truth->visible, file->n)))
			continue;
		truth->found = true;
		name = truth->name;
	}
	return name;
}

static void judge_levels(struct file *file, const struct groups *groups,
	const uint32_t *order, FILE *out, struct score *score)
{
	uint32_t *back = get(sizeof(*back) * file->n);

	for (size_t t = 0; t < file->n_truths; t++)
		file->truths[t].found = false;
	for (size_t k = 0; k < groups->n_levels; k++) {
		const struct analysis_level *level = &groups->levels[k];
		const char *name;

		for (size_t i = 0; i < file->n; i++)
			back[order[i]] = level->group[i];
		name = name_of(file, back, level->confidence);
		score->invented += strcmp(name, "INVENTED") == 0;
		fprintf(out, " %s[%zu] %.2f (%.1f/%.1f) as %s %.2f", name,
			level->n_groups, level->confidence, level->inside,
			level->between, analysis_kinds[level->kind],
			level->kind_confidence);
	}
	free(back);
}

static void judge_truths(
	const struct file *file, FILE *out, struct score *score)
{
	for (size_t t = 0; t < file->n_truths; t++) {
		const struct truth *truth = &file->truths[t];
		bool certain = strcmp(truth->confidence, "certain") == 0;

		if (truth->trivial ||
			strcmp(truth->confidence, "not visible") == 0)
			continue;
		score->certain += certain;
		score->found += certain && truth->found;
		score->likely += !certain;
		score->likely_found += !certain && truth->found;
		if (!truth->found)
			fprintf(out, " MISSED %s:%s", truth->confidence,
				truth->name);
	}
}

static void name_kinds(struct groups *groups, size_t n, struct arena *arena)
{
	struct analysis analysis = {.cpus.n = n,
		.levels = groups->levels,
		.n_levels = groups->n_levels};
	const struct facts unknown = {0};

	for (size_t k = 0; k < groups->n_levels; k++)
		groups->levels[k].to_ns = 1;
	kinds_infer(&analysis, &unknown, arena);
}

/* The answer in one order as text for free(). */
static char *judge_order(struct file *file, unsigned seed, struct score *score)
{
	size_t n = file->n;
	uint32_t *order = get(sizeof(*order) * n);
	double *mixed = get(sizeof(*mixed) * n * n);
	struct groups_input input = {.n = n, .values = mixed};
	struct stat_random random;
	struct groups groups;
	struct arena arena = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		abort();
	stat_random_init(&random, seed);
	stat_shuffle(&random, order, n);
	for (size_t i = 0; seed == 0 && i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			mixed[i * n + j] =
				file->values[order[i] * n + order[j]];
	groups_find(&input, &groups, &arena);
	name_kinds(&groups, n, &arena);
	judge_levels(file, &groups, order, out, score);
	judge_truths(file, out, score);
	if (groups.placement == ANALYSIS_CANNOT_TELL)
		fprintf(out, " (cannot tell)");
	arena_release(&arena);
	fclose(out);
	free(order);
	free(mixed);
	return text;
}

static int judge_file(const char *folder, const char *name, json_t *about,
	unsigned orders, struct score *score)
{
	struct file file = {.name = name};
	char *last = NULL;

	read_truth(about, &file);
	if (read_square(folder, &file))
		return -1;
	for (unsigned seed = 0; seed < orders; seed++) {
		char *text = judge_order(&file, seed, score);

		if (!last || strcmp(text, last) != 0)
			printf("%-32s order %u:%s\n", last ? "" : name, seed,
				text);
		free(last);
		last = text;
	}
	free(last);
	free(file.values);
	for (size_t t = 0; t < file.n_truths; t++) {
		free(file.truths[t].group);
		free(file.truths[t].visible);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned orders = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
	struct score score = {0};
	char path[4096];
	json_error_t error;
	json_t *truth, *about;
	const char *name;

	if (argc < 2) {
		fprintf(stderr, "usage: judge_groups FOLDER [ORDERS]\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/truth.json", argv[1]);
	truth = json_load_file(path, 0, &error);
	if (!truth) {
		fprintf(stderr, "%s: %s\n", path, error.text);
		return 77;
	}
	json_object_foreach(
		truth, name, about) if (judge_file(argv[1], name, about, orders,
						&score)) return 1;
	printf("certain found %u of %u, likely found %u of %u, invented %u\n",
		score.found, score.certain, score.likely_found, score.likely,
		score.invented);
	json_decref(truth);
	return score.invented > 0 || score.found < score.certain;
}
