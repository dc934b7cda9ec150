/*
 * A measuring command between its options and its output. Private to the files
 * measure*.c.
 */
#ifndef C2C_MEASURE_RUN_H
#define C2C_MEASURE_RUN_H

#include <stdio.h>

#include "cmd/measure/measure.h"
#include "machine/disturbance.h"
#include "machine/timebase.h"
#include "result/result.h"

/* The part of a run that gives its values. number 0: the whole run. */
struct run_epoch {
	int64_t number, count; /* its number from 1; number of epochs */
	int64_t of_passes;     /* passes of the whole run */
	double start_s, end_s; /* since the start of the run */
};

struct measure_state {
	struct measure_options *options; /* effective values at the end */
	struct measure_plan *plan;
	struct machine *machine;
	struct timebase timebase;
	struct measure_selection selection;
	struct result resumed; /* record of --resume; without a command: none */
	bool show_progress;
	/* Counts at the campaign's start. */
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
 * Return the expected seconds of a run from the times of the first touch and of
 * a pass (0: unknown); 0 if it cannot be known. *sooner: precise values may end
 * the run earlier.
 */
double measure_expected_s(const struct campaign_options *options,
	double first_s, double pass_s, bool *sooner);

/*
 * Write "256 pairs, about 30 s", or "up to" if it may end sooner. If that is
 * long, add what takes less time (NULL: unknown) and that Ctrl-C keeps the
 * results so far. Write "" for up to three seconds.
 */
#define MEASURE_EXPECTED_BYTES 256
void measure_expected_text(size_t n, const char *noun, double s, bool sooner,
	const char *shorter_by, char text[MEASURE_EXPECTED_BYTES]);

/* Print the expected time of a run, or of several, unless quiet. */
void measure_print_expected(const struct measure_state *run,
	const struct campaign_options *options);
void measure_print_expected_runs(
	const struct measure_options *options, const struct measure_plan *plan);

/* Choose CPUs and pairs, by the command's hook or by default. */
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
 * The two runs report about their memory. Keep the worse report in the block
 * "run", which is complete except for this.
 */
void measure_resume_qualify(struct measure_state *run);

/*
 * If CPUs moved during the run, count only the passes of its longest epoch, in
 * run->epoch. Without plan->epochs all passes count.
 */
void measure_find_epoch(struct measure_state *run);

/*
 * See choose_again of struct campaign_options; the context is the run. Choose
 * the pairs whose values contradict their neighbours; none if CPUs moved.
 */
size_t measure_find_contradicted(
	void *context, const struct campaign *campaign, bool *chosen);

/* Fill run->result, already begun, from the finished campaign. */
int measure_fill_result(struct measure_state *run, struct error *err);

/* Print matrix and summary, or JSON; then warnings. An enum exit_status. */
int measure_print(const struct measure_state *run);

/* Write every -o and report failures. Return an enum exit_status. */
int measure_save(const struct measure_state *run);

/* Check that all outputs can be written, and can hold what is measured. */
int measure_check_outputs(const struct measure_state *run, struct error *err);

/* Return the exit status of a run whose result was printed and saved. */
int measure_status(const struct measure_state *run, int printed, int saved);

/*
 * --runs, in measure_runs.c: start c2c for each run, then print and save their
 * common record. Return an enum exit_status.
 */
int measure_runs(struct measure_options *options, struct measure_plan *plan);

/* Print how the runs compare, on the summary's next line. */
void measure_print_runs(FILE *out, const struct measure_state *run);

/* Print only how far runs differ, and what lowers it. */
void measure_print_spread(FILE *out, const struct result *result);

/* Begin one run of several. */
int measure_child_begin(struct measure_state *run, struct error *err);

#endif
