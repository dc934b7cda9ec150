#include "cmd/spin_hint_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure.h"
#include "util/text.h"

/* The loops differ where one has this much more than the other. */
#define DIFFERENCE 1.1

#define KEY_BYTES 32

static const struct {
	const char *key, *words;
} distances[RELAX_DISTANCES] = {
	[RELAX_CORE] = {"spin_hint_core", "in one core"},
	[RELAX_LLC] = {"spin_hint_llc", "under one last-level cache"},
	[RELAX_PACKAGE] = {"spin_hint_package", "in one package"},
	[RELAX_MACHINE] = {"spin_hint_machine", "in one machine"},
};

/* The numbers of a figure, with their places. */
static const struct {
	const char *key;
	size_t at;
	bool value; /* in the unit of the matrix */
} numbers[] = {
	{"none", offsetof(struct relax_figure, none), true},
	{"pause", offsetof(struct relax_figure, pause), true},
	{"ratio", offsetof(struct relax_figure, ratio), false},
	{"ci_low", offsetof(struct relax_figure, ci_low), false},
	{"ci_high", offsetof(struct relax_figure, ci_high), false},
};

#define N_NUMBERS (sizeof(numbers) / sizeof(*numbers))

static double *number_of(struct relax_figure *figure, size_t i)
{
	void *at = (char *)figure + numbers[i].at;

	return at;
}

static const char *key_of(int distance, const char *key, char text[KEY_BYTES])
{
	snprintf(text, KEY_BYTES, "%s.%s", distances[distance].key, key);
	return text;
}

void relax_record(const struct relax_figure figures[RELAX_DISTANCES],
	double factor, struct facts *run)
{
	char key[KEY_BYTES];

	for (int d = 0; d < RELAX_DISTANCES; d++) {
		struct relax_figure figure = figures[d];

		if (figure.turns == 0)
			continue;
		facts_set_count(
			run, key_of(d, "turns", key), (int64_t)figure.turns);
		for (size_t i = 0; i < N_NUMBERS; i++)
			facts_set_number(run, key_of(d, numbers[i].key, key),
				*number_of(&figure, i) *
					(numbers[i].value ? factor : 1));
	}
}

/* Without turns if a record has no trial at that distance. */
static struct relax_figure figure_of(const struct facts *run, int distance)
{
	struct relax_figure figure;
	char key[KEY_BYTES];
	int64_t turns = facts_count(run, key_of(distance, "turns", key));

	figure.turns = turns > 0 ? (size_t)turns : 0;
	for (size_t i = 0; i < N_NUMBERS; i++)
		*number_of(&figure, i) = facts_number(
			run, key_of(distance, numbers[i].key, key));
	return figure;
}

void relax_keep(const struct facts *from, struct facts *run)
{
	struct relax_figure figures[RELAX_DISTANCES];

	for (int d = 0; d < RELAX_DISTANCES; d++)
		figures[d] = figure_of(from, d);
	relax_record(figures, 1, run);
}

void relax_recall(const struct result *result, int *relax)
{
	const char *loop = facts_text(&result->options, "spin_hint");

	if (loop && strcmp(loop, "none") == 0)
		*relax = MEASURE_NONE;
	else if (loop && strcmp(loop, "pause") == 0)
		*relax = MEASURE_PAUSE;
}

bool relax_was_tried(const struct result *result)
{
	bool tried = false;

	for (int d = 0; d < RELAX_DISTANCES; d++)
		tried |= figure_of(&result->run.other, d).turns > 0;
	return tried;
}

/* Whether the loops differ by more than noise and by more than 10 %. */
static bool differs(const struct relax_figure *figure)
{
	return figure->turns > 0 &&
	       (figure->ci_low > 1 || figure->ci_high < 1) &&
	       fmax(figure->ratio, 1 / figure->ratio) > DIFFERENCE;
}

/* "none 31.9, pause 14.1 ns in one core; ..." for free(); NULL: nowhere. */
static char *differences(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	struct text_list list = {.text = NULL};
	bool any = false;

	for (int d = 0; d < RELAX_DISTANCES; d++) {
		struct relax_figure figure = figure_of(&result->run.other, d);

		if (!differs(&figure))
			continue;
		any = true;
		text_list_add(&list, "; ",
			figure.none < 1000 ? "none %.3g, pause %.3g %s %s"
					   : "none %.0f, pause %.0f %s %s",
			figure.none, figure.pause, matrix ? matrix->unit : "ns",
			distances[d].words);
	}
	return any ? text_list_end(&list) : NULL;
}

void relax_print(FILE *out, const struct result *result)
{
	char *where = differences(result);
	const char *loop = facts_text(&result->options, "spin_hint");

	if (where && loop)
		fprintf(out, "waiting loop: %s; the trial had %s\n", loop,
			where);
	free(where);
}

const char *relax_doubt(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena)
{
	const char *before = facts_text(&a->result->options, "spin_hint");
	const char *after = facts_text(&b->result->options, "spin_hint");
	char *tried;

	if (!before || !after || strcmp(before, after) == 0 ||
		strcmp(a->result->command, "latency") != 0)
		return NULL;
	tried = differences(b->result);
	if (!tried)
		tried = differences(a->result);
	before = arena_format(arena,
		"the threads of '%s' waited with --spin-hint %s, those of '%s' "
		"with %s%s: that alone may change pairs, most of all SMT "
		"siblings%s%s; measure both with --spin-hint %s",
		a->source, before, b->source, after,
		relax_was_tried(a->result) || relax_was_tried(b->result)
			? ", which c2c chose by a trial"
			: "",
		tried ? "; a trial had " : "", tried ? tried : "", before);
	free(tried);
	return before;
}
