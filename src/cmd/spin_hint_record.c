#include "cmd/spin_hint_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/measure/measure.h"
#include "util/text.h"

/*
 * Smallest ratio of latencies that counts as a difference of the waiting loops.
 */
#define DIFFERENCE 1.1

#define KEY_BYTES 32

static const struct {
	const char *key, *words;
} distances[SPIN_HINT_DISTANCES] = {
	[SPIN_HINT_CORE] = {"spin_hint_core", "in one core"},
	[SPIN_HINT_LLC] = {"spin_hint_llc", "under one last-level cache"},
	[SPIN_HINT_PACKAGE] = {"spin_hint_package", "in one package"},
	[SPIN_HINT_MACHINE] = {"spin_hint_machine", "in one machine"},
};

/* The members of a spin_hint_figure for the record. */
static const struct {
	const char *key;
	size_t at;
	bool value; /* a value in the unit of the matrix */
} numbers[] = {
	{"none", offsetof(struct spin_hint_figure, none), true},
	{"pause", offsetof(struct spin_hint_figure, pause), true},
	{"ratio", offsetof(struct spin_hint_figure, ratio), false},
	{"ci_low", offsetof(struct spin_hint_figure, ci_low), false},
	{"ci_high", offsetof(struct spin_hint_figure, ci_high), false},
};

#define N_NUMBERS (sizeof(numbers) / sizeof(*numbers))

static double *trial_number_at(struct spin_hint_figure *figure, size_t i)
{
	void *at = (char *)figure + numbers[i].at;

	return at;
}

static const char *format_trial_key(
	int distance, const char *key, char text[KEY_BYTES])
{
	snprintf(text, KEY_BYTES, "%s.%s", distances[distance].key, key);
	return text;
}

void spin_hint_record_trial(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	double factor, struct facts *run)
{
	char key[KEY_BYTES];

	for (int d = 0; d < SPIN_HINT_DISTANCES; d++) {
		struct spin_hint_figure figure = figures[d];

		if (figure.turns == 0)
			continue;
		facts_set_count(run, format_trial_key(d, "turns", key),
			(int64_t)figure.turns);
		for (size_t i = 0; i < N_NUMBERS; i++)
			facts_set_number(run,
				format_trial_key(d, numbers[i].key, key),
				*trial_number_at(&figure, i) *
					(numbers[i].value ? factor : 1));
	}
}

/* Return the trial at a distance; turns is 0 if there was no trial. */
static struct spin_hint_figure read_trial_figure(
	const struct facts *run, int distance)
{
	struct spin_hint_figure figure;
	char key[KEY_BYTES];
	int64_t turns =
		facts_count(run, format_trial_key(distance, "turns", key));

	figure.turns = turns > 0 ? (size_t)turns : 0;
	for (size_t i = 0; i < N_NUMBERS; i++)
		*trial_number_at(&figure, i) = facts_number(
			run, format_trial_key(distance, numbers[i].key, key));
	return figure;
}

void spin_hint_copy_trial(const struct facts *from, struct facts *run)
{
	struct spin_hint_figure figures[SPIN_HINT_DISTANCES];

	for (int d = 0; d < SPIN_HINT_DISTANCES; d++)
		figures[d] = read_trial_figure(from, d);
	spin_hint_record_trial(figures, 1, run);
}

void spin_hint_recall_choice(const struct result *result, int *spin_hint)
{
	const char *loop = facts_text(&result->options, "spin_hint");

	if (loop && strcmp(loop, "none") == 0)
		*spin_hint = MEASURE_HINT_NONE;
	else if (loop && strcmp(loop, "pause") == 0)
		*spin_hint = MEASURE_HINT_PAUSE;
}

bool spin_hint_was_tried(const struct result *result)
{
	bool tried = false;

	for (int d = 0; d < SPIN_HINT_DISTANCES; d++)
		tried |= read_trial_figure(&result->run.other, d).turns > 0;
	return tried;
}

/* Return whether the loops differ by more than noise and by more than 10 %. */
static bool waiting_loops_differ(const struct spin_hint_figure *figure)
{
	return figure->turns > 0 &&
	       (figure->ci_low > 1 || figure->ci_high < 1) &&
	       fmax(figure->ratio, 1 / figure->ratio) > DIFFERENCE;
}

/* Return "none 31.9, pause 14.1 ns in one core; ..." for free(), or NULL. */
static char *format_loop_differences(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	struct text_list list = {.text = NULL};
	char none[TEXT_NUMBER_BYTES], pause[TEXT_NUMBER_BYTES];

	for (int d = 0; d < SPIN_HINT_DISTANCES; d++) {
		struct spin_hint_figure figure =
			read_trial_figure(&result->run.other, d);

		if (!waiting_loops_differ(&figure))
			continue;
		text_list_add(&list, "; ", "none %s, pause %s %s %s",
			text_number(figure.none, none),
			text_number(figure.pause, pause),
			matrix ? matrix->unit : "ns", distances[d].words);
	}
	return list.out ? text_list_end(&list) : NULL;
}

void spin_hint_print_trial(FILE *out, const struct result *result)
{
	char *where = format_loop_differences(result);
	const char *loop = facts_text(&result->options, "spin_hint");

	if (where && loop)
		fprintf(out, "waiting loop: %s (trial: %s)\n", loop, where);
	free(where);
}

const char *spin_hint_caveat(const struct compare_side *a,
	const struct compare_side *b, struct arena *arena)
{
	const char *before = facts_text(&a->result->options, "spin_hint");
	const char *after = facts_text(&b->result->options, "spin_hint");
	char *tried;

	if (!before || !after || strcmp(before, after) == 0 ||
		strcmp(a->result->command, "latency") != 0)
		return NULL;
	tried = format_loop_differences(b->result);
	if (!tried)
		tried = format_loop_differences(a->result);
	before = arena_format(arena,
		"'%s' was measured with --spin-hint %s, and '%s' with %s%s: "
		"the hint alone may change pairs, above all SMT siblings%s%s; "
		"measure both with --spin-hint %s",
		a->source, before, b->source, after,
		spin_hint_was_tried(a->result) || spin_hint_was_tried(b->result)
			? ", which c2c chose by a trial"
			: "",
		tried ? "; a trial had " : "", tried ? tried : "", before);
	free(tried);
	return before;
}
