/*
 * The verdict of c2c try on rounds that were run before: judge_rounds FILE...,
 * of the form that replayed_rounds.h describes. A line a placement, and one of
 * counts at the end: how often an unbound placement differs from the control,
 * and each two of them from each other.
 */
#include <stdio.h>
#include <string.h>

#include "replayed_rounds.h"

struct counts {
	size_t judged, false_judged; /* of placements that are unbound */
	size_t pairs, false_pairs;   /* of each two */
};

/* Count which two of the unbound placements differ, as a control. */
static void count_pairs(
	const struct program_trial *trial, struct counts *counts)
{
	for (size_t i = 0; i < trial->n_placements; i++) {
		for (size_t j = i + 1; j < trial->n_placements; j++) {
			struct tried_placement pair[2] = {
				trial->placements[i], trial->placements[j]};
			struct program_trial two = *trial;

			if (*pair[0].name != 'U' || *pair[1].name != 'U')
				continue;
			two.placements = pair;
			two.n_placements = 2;
			replay_judge(&two);
			counts->pairs++;
			counts->false_pairs += two.control.answer >= TRIAL_PAYS;
		}
	}
}

static void print_program(void *context, const char *series, const char *name,
	struct program_trial *trial)
{
	struct counts *counts = context;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		const struct trial_judgement *judged = &placement->judged;

		printf("%s\t%s\t%s\t%s\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\t%.3g\n",
			series, name, placement->name,
			trial->verdict == TRIAL_NO_VERDICT
				? "no verdict"
				: trial_answers[judged->answer],
			judged->gain_pct, judged->low_pct, judged->high_pct,
			judged->p[0], judged->p[1], judged->visible_pct);
		if (placement->n_cpus == 0) {
			counts->judged++;
			counts->false_judged += judged->answer >= TRIAL_PAYS;
		}
	}
	printf("%s\t%s\tcontrol\t%s\t%.3g\t%.3g\t%.3g\n", series, name,
		trial_answers[trial->control.answer], trial->control.gain_pct,
		trial->control.low_pct, trial->control.high_pct);
	count_pairs(trial, counts);
}

int main(int argc, char **argv)
{
	struct counts counts = {0};
	int failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: judge_rounds FILE...\n");
		return 2;
	}
	puts("series\tprogram\tplacement\tanswer\tgain %\tlow\thigh\tp 1\tp 2\t"
	     "visible %");
	for (int i = 1; i < argc; i++)
		failed |= replay_rounds(argv[i], print_program, &counts);
	printf("unbound placements that differ: %zu of %zu; pairs of unbound "
	       "that differ: %zu of %zu\n",
		counts.false_judged, counts.judged, counts.false_pairs,
		counts.pairs);
	return failed;
}
