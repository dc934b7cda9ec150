/*
 * A measuring command from options to output. Private to the files measure*.c.
 */
#ifndef C2C_MEASURE_RUN_H
#define C2C_MEASURE_RUN_H

#include <stdio.h>

#include "cmd/measure/measure.h"
#include "machine/disturbance.h"
#include "machine/timebase.h"
#include "result/result.h"

/* The epoch that the values of a run are from. number 0: the whole run. */
struct run_epoch {
	int64_t number, count; /* number from 1, and number of epochs */
	int64_t of_passes;     /* passes of the whole run */
	double start_s, end_s; /* from the start of the run */
};

struct measure_state {
	struct measure_options *options; /* effective values after the run */
	struct measure_plan *plan;
	struct machine *machine;
	struct timebase timebase;
	struct measure_selection selection;
	struct result resumed; /* record of --resume, if it has a command */
	bool show_progress;
	/* System counters at the start of the campaign. */
	struct cpu_disturbance *ticks; /* [selection.cpus.n], or NULL */
	struct interrupts_counted interrupts;
	struct throttled_periods throttled;
	FILE *pipe; /* for the progress of a child; else NULL */
	struct campaign campaign;
	struct summary_agreement agreement;
	struct run_epoch epoch;
	struct result result;
};

/*
 * Parse the options of a command line over their defaults. Return an enum
 * exit_status.
 */
int measure_parse(const struct measure_plan *plan,
	struct measure_options *options, int argc, char **argv);

/*
 * Return the expected seconds of a run, 0 if unknown, from the times of the
 * first touch and of a pass (0: unknown). *sooner: precise values may end the
 * run earlier.
 */
double measure_expected_s(const struct campaign_options *options,
	double first_s, double pass_s, bool *sooner);

/*
 * Write "256 pairs, about 30 s", or "up to 30 s" if the run may end sooner. For
 * a long run, add shorter_by (NULL: unknown), and that Ctrl-C keeps the values.
 * For a run of up to three seconds, write "".
 */
#define MEASURE_EXPECTED_BYTES 256
void measure_expected_text(size_t n, const char *noun, double s, bool sooner,
	const char *shorter_by, char text[MEASURE_EXPECTED_BYTES]);

/* Print the expected time of a run, or of several, unless quiet. */
void measure_print_expected(const struct measure_state *run,
	const struct campaign_options *options);
void measure_print_expected_runs(
	const struct measure_options *options, const struct measure_plan *plan);

/* Choose CPUs and pairs by the command's select() hook, or the default. */
int measure_select(struct measure_state *run, struct error *err);

/* If selection->pairs is NULL, which means all pairs, list them. */
int measure_list_pairs(const struct measure_plan *plan,
	struct measure_selection *selection, struct error *err);

/*
 * --resume: load the record, check that it is from the same measurement, and
 * measure only the pairs that it lacks. measure_resume_merge() copies its
 * values into the new result.
 */
int measure_resume(struct measure_state *run, struct error *err);
int measure_resume_merge(struct measure_state *run, struct error *err);

/*
 * Both runs report about their memory: keep the worse report in the block
 * "run".
 */
void measure_resume_qualify(struct measure_state *run);

/*
 * If CPUs moved during the run, use only the passes of its longest epoch,
 * run->epoch. Without plan->epochs, use all passes.
 */
void measure_find_epoch(struct measure_state *run);

/*
 * A hook choose_again of struct campaign_options: choose the pairs whose values
 * contradict their neighbours, or none if CPUs moved. context is the run.
 */
size_t measure_find_contradicted(
	void *context, const struct campaign *campaign, bool *chosen);

/* Complete run->result from the finished campaign. */
int measure_fill_result(struct measure_state *run, struct error *err);

/* Print matrix and summary, or JSON; then warnings. An enum exit_status. */
int measure_print(const struct measure_state *run);

/* Write every -o and report failures. Return an enum exit_status. */
int measure_save(const struct measure_state *run);

/* Return the exit status of a run whose result was printed and saved. */
int measure_status(const struct measure_state *run, int printed, int saved);

/*
 * --runs, in measure_runs.c: start c2c for each run, then print and save their
 * common record. Return an enum exit_status.
 */
int measure_runs(struct measure_options *options, struct measure_plan *plan);

/* Print the summary of several runs. */
void measure_print_runs(FILE *out, const struct measure_state *run);

/* Print only the spread between runs, and how to reduce it. */
void measure_print_spread(FILE *out, const struct result *result);

/* Begin one of several runs. */
int measure_child_begin(struct measure_state *run, struct error *err);

#endif
