#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyze/groups.h"
#include "stat/stat.h"

/* Read a bare square; empty cells are NaN. */
static double *read_square(const char *path, size_t n)
{
	FILE *in = fopen(path, "r");
	double *values = malloc(sizeof(*values) * n * n);
	char *line = NULL;
	size_t room = 0;

	if (!in || !values) {
		perror(path);
		exit(1);
	}
	for (size_t i = 0; i < n; i++) {
		char *at;

		if (getline(&line, &room, in) < 0) {
			fprintf(stderr, "%s: short\n", path);
			exit(1);
		}
		at = line;
		for (size_t j = 0; j < n; j++) {
			char *end;

			values[i * n + j] = strtod(at, &end);
			if (end == at)
				values[i * n + j] = NAN;
			at = strchr(end, ',');
			at = at ? at + 1 : end;
		}
	}
	free(line);
	fclose(in);
	return values;
}

/* Whether labels a and b say the same partition. */
static bool same(const uint32_t *a, const uint32_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if ((a[i] == a[j]) != (b[i] == b[j]))
				return false;
	return true;
}

struct truth {
	const char *name, *confidence;
	uint32_t *group;
	uint32_t *visible; /* or NULL; 0 outside the visible groups */
	bool trivial, found;
};

static uint32_t *labels_of(const json_t *groups, size_t n)
{
	uint32_t *labels = calloc(n, sizeof(*labels));
	size_t g, m;
	const json_t *group, *member;

	for (size_t i = 0; labels && i < n; i++)
		labels[i] = 100000;
	json_array_foreach(groups, g, group) json_array_foreach(group, m,
		member) labels[json_integer_value(member)] = (uint32_t)g;
	return labels;
}

static int judge(const char *folder, const char *file, json_t *about,
	unsigned shuffles, unsigned score[4], bool verbose)
{
	size_t n = (size_t)json_integer_value(json_object_get(about, "n"));
	bool unpinned = json_is_true(json_object_get(about, "unpinned"));
	json_t *levels = json_object_get(about, "levels");
	struct truth truths[8];
	size_t n_truths = 0;
	const char *key;
	json_t *level;
	char path[4096];
	double *values;
	char report[8192] = "";

	json_object_foreach(levels, key, level)
	{
		struct truth *t = &truths[n_truths++];
		json_t *visible = json_object_get(level, "visible_groups");

		t->name = key;
		t->confidence =
			json_string_value(json_object_get(level, "confidence"));
		t->trivial = json_is_true(json_object_get(level, "trivial"));
		t->group = labels_of(json_object_get(level, "groups"), n);
		t->visible = visible ? labels_of(visible, n) : NULL;
	}
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	values = read_square(path, n);
	for (unsigned s = 0; s < shuffles; s++) {
		struct stat_random random;
		uint32_t *order = malloc(sizeof(*order) * n);
		uint32_t *back = malloc(sizeof(*back) * n);
		double *mixed = malloc(sizeof(*mixed) * n * n);
		struct groups_input input = {.n = n, .values = mixed};
		struct groups groups;
		struct error err;
		char one[8192] = "";
		size_t at = 0;

		stat_random_init(&random, s);
		stat_shuffle(&random, order, n);
		if (s == 0)
			for (size_t i = 0; i < n; i++)
				order[i] = (uint32_t)i;
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				mixed[i * n + j] =
					values[order[i] * n + order[j]];
		if (groups_find(&input, &groups, &err)) {
			fprintf(stderr, "%s: %s\n", file, err.text);
			exit(1);
		}
		for (size_t t = 0; t < n_truths; t++)
			truths[t].found = false;
		for (size_t k = 0; k < groups.n_levels; k++) {
			const struct groups_level *l = &groups.levels[k];
			const char *what = "INVENTED";

			for (size_t i = 0; i < n; i++)
				back[order[i]] = l->group[i];
			for (size_t t = 0; t < n_truths; t++)
				if (same(back, truths[t].group, n) ||
					(truths[t].visible &&
						same(back, truths[t].visible,
							n))) {
					truths[t].found = true;
					what = truths[t].name;
				}
			if (unpinned && l->confidence < 0.5)
				what = "(unsure)";
			if (!strcmp(what, "INVENTED"))
				score[3]++;
			at += (size_t)snprintf(one + at, sizeof(one) - at,
				" %s[%zu] %.2f (%.1f/%.1f)", what, l->n_groups,
				l->confidence, l->inside, l->between);
		}
		for (size_t t = 0; t < n_truths; t++) {
			if (truths[t].trivial ||
				!strcmp(truths[t].confidence, "not visible"))
				continue;
			if (!strcmp(truths[t].confidence, "certain")) {
				score[0] += truths[t].found;
				score[1]++;
			}
			if (!truths[t].found)
				at += (size_t)snprintf(one + at,
					sizeof(one) - at, " MISSED-%s:%s",
					truths[t].confidence, truths[t].name);
		}
		for (size_t k = 0; k < groups.n_outliers; k++)
			if (verbose)
				at += (size_t)snprintf(one + at,
					sizeof(one) - at, " out:%u",
					order[groups.outliers[k].cpu]);
		if (groups.placement == GROUPS_PLACEMENT_UNKNOWN)
			at += (size_t)snprintf(
				one + at, sizeof(one) - at, " placement?");
		if (s == 0 || strcmp(one, report)) {
			printf("%-32s #%u%s\n", s ? "" : file, s, one);
			snprintf(report, sizeof(report), "%s", one);
		}
		groups_release(&groups);
		free(order);
		free(back);
		free(mixed);
	}
	free(values);
	return 0;
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : ".";
	unsigned shuffles = argc > 2 ? (unsigned)atoi(argv[2]) : 3;
	unsigned score[4] = {0};
	char path[4096];
	json_error_t error;
	json_t *truth, *about;
	const char *file;

	snprintf(path, sizeof(path), "%s/truth.json", folder);
	truth = json_load_file(path, 0, &error);
	if (!truth) {
		fprintf(stderr, "%s: %s\n", path, error.text);
		return 77;
	}
	json_object_foreach(
		truth, file, about) if (argc < 4 || strstr(file, argv[3]))
		judge(folder, file, about, shuffles, score, argc > 3);
	printf("certain found %u of %u, invented %u\n", score[0], score[1],
		score[3]);
	json_decref(truth);
	return score[3] > 0 || score[0] < score[1];
}
