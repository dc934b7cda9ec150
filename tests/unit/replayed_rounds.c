#include "replayed_rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "analyze/trial_verdict.h"

#define PLACEMENTS_MAX 32

static void *get(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);

	if (!memory)
		abort();
	return memory;
}

static void add_placement(
	struct program_trial *trial, const char *name, size_t n_values)
{
	struct tried_placement *placement =
		&trial->placements[trial->n_placements++];

	if (trial->n_placements > PLACEMENTS_MAX)
		abort();
	*placement = (struct tried_placement){
		.name = strdup(name),
		.choice = strcmp(name, "randN") == 0  ? TRIAL_RANDOM
			  : strcmp(name, "one") == 0  ? TRIAL_ONE
			  : strcmp(name, "near") == 0 ? TRIAL_NEAR
			  : strcmp(name, "far") == 0  ? TRIAL_FAR
						      : TRIAL_NAMED,
		.n_cpus = *name == 'U' || strcmp(name, "all") == 0 ? 0
			  : strcmp(name, "one") == 0		   ? 1
								   : 2,
		.values = get(n_values, sizeof(double)),
		.stacked = get(n_values, sizeof(bool)),
		.n_values = n_values,
	};
}

/* Fill the values of the rounds from `from` on; return how many there were. */
static size_t fill_rounds(struct program_trial *trial, const json_t *rounds,
	size_t from, size_t at)
{
	size_t n = json_array_size(rounds);

	for (size_t i = from; i < n; i++) {
		const json_t *v =
			json_object_get(json_array_get(rounds, i), "v");

		for (size_t k = 0; k < trial->n_placements; k++) {
			const json_t *value =
				json_object_get(v, trial->placements[k].name);

			trial->placements[k].values[at + i - from] =
				json_is_number(value) ? json_number_value(value)
						      : NAN;
		}
	}
	return n > from ? n - from : 0;
}

static void release_trial(struct program_trial *trial)
{
	for (size_t k = 0; k < trial->n_placements; k++) {
		free(trial->placements[k].name);
		free(trial->placements[k].values);
		free(trial->placements[k].stacked);
	}
	free(trial->placements);
}

static int run_judge(struct arena *arena, void *context, struct error *err)
{
	(void)err;
	trial_judge(context, arena);
	return 0;
}

void replay_judge(struct program_trial *trial)
{
	struct arena arena = {0};
	struct error err;

	if (arena_run(&arena, run_judge, trial, "rounds", &err) < 0)
		abort();
	arena_release(&arena);
}

struct leader_search {
	const struct program_trial *trial;
	const struct tried_placement *leader;
	double *gain_pct;
};

static int run_leader(struct arena *arena, void *context, struct error *err)
{
	struct leader_search *search = context;

	(void)err;
	search->leader =
		trial_find_leader(search->trial, search->gain_pct, arena);
	return 0;
}

const struct tried_placement *replay_leader(
	const struct program_trial *trial, double *gain_pct)
{
	struct leader_search search = {.trial = trial, .gain_pct = gain_pct};
	struct arena arena = {0};
	struct error err;

	if (arena_run(&arena, run_leader, &search, "rounds", &err) < 0)
		abort();
	arena_release(&arena);
	return search.leader;
}

static void replay_program(const json_t *program, struct program_trial *trial)
{
	const json_t *rounds = json_object_get(program, "rounds");
	const json_t *more = json_object_get(program, "rounds2");
	const json_t *first = json_array_get(rounds, 0);
	json_t *v = json_object_get(first, "v");
	size_t n = json_array_size(rounds) + json_array_size(more);
	const char *name;
	const json_t *value;

	*trial = (struct program_trial){
		.higher = json_number_value(
				  json_object_get(program, "higher")) > 0,
		.complete = true,
		.placements = get(PLACEMENTS_MAX, sizeof(*trial->placements)),
	};
	add_placement(trial, "U1", n);
	add_placement(trial, "U2", n);
	json_object_foreach(v, name, value)
	{
		if (strcmp(name, "U1") != 0 && strcmp(name, "U2") != 0)
			add_placement(trial, name, n);
	}
	trial->rounds[0] = fill_rounds(trial, rounds, 1, 0);
	trial->rounds[1] = fill_rounds(trial, more, 0, trial->rounds[0]);
}

int replay_rounds(const char *path,
	void (*visit)(void *context, const char *series, const char *name,
		struct program_trial *trial),
	void *context)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);
	const char *series, *name;
	json_t *programs, *program;

	if (!root) {
		fprintf(stderr, "%s: %s\n", path, error.text);
		return 1;
	}
	json_object_foreach(root, series, programs)
	{
		json_object_foreach(programs, name, program)
		{
			struct program_trial trial;

			replay_program(program, &trial);
			replay_judge(&trial);
			visit(context, series, name, &trial);
			release_trial(&trial);
		}
	}
	json_decref(root);
	return 0;
}
