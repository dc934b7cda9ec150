/*
 * A measuring command between its options and its output: shared by the files
 * measure*.c only.
 */
#ifndef C2C_MEASURE_RUN_H
#define C2C_MEASURE_RUN_H

#include <stdio.h>

#include "cmd/measure/measure.h"
#include "machine/timebase.h"
#include "result/result.h"

/* The part of a run that its values are of; number 0: all of it. */
struct run_epoch {
	int64_t number, count; /* from 1, and how many there are */
	int64_t of_passes;     /* of the whole run */
	double start_s, end_s; /* since its start */
};

struct measure_state {
	struct measure_options *options; /* as effective, in the end */
	struct measure_plan *plan;
	struct machine *machine;
	struct timebase timebase;
	struct measure_selection selection;
	struct result resumed; /* of --resume; without a command: none */
	bool show_progress;
	double stolen_s; /* of the machine, when the campaign began; or -1 */
	FILE *pipe;	 /* of a child that tells its progress; else NULL */
	struct campaign campaign;
	struct summary_agreement agreement;
	struct run_epoch epoch;
	struct result result;
};

/*
 * The options of a command line, over their defaults: returns an enum
 * exit_status.
 */
int measure_parse(const struct measure_plan *plan,
	struct measure_options *options, int argc, char **argv);

/*
 * Seconds that a run will take, of a first touch and a pass of this length (0:
 * unknown); 0 if nobody can know. *sooner: precise values may end it before.
 */
double measure_expected_s(const struct campaign_options *options,
	double first_s, double pass_s, bool *sooner);

/*
 * "256 pairs, about 30 s", or "up to" where it may end sooner; and, if that is
 * long, what takes less time (NULL: unknown) and that Ctrl-C keeps what there
 * is. "" for up to three seconds.
 */
#define MEASURE_EXPECTED_BYTES 256
void measure_expected_text(size_t n, const char *noun, double s, bool sooner,
	const char *shorter_by, char text[MEASURE_EXPECTED_BYTES]);

/* Tell that of a run, or of several, unless it is to be quiet. */
void measure_print_expected(const struct measure_state *run,
	const struct campaign_options *options);
void measure_print_expected_runs(
	const struct measure_options *options, const struct measure_plan *plan);

/* Choose CPUs and pairs, by the command's own way or by the usual one. */
int measure_select(struct measure_state *run, struct error *err);

/* If selection->pairs is NULL, which means all of them, list them. */
int measure_list_pairs(const struct measure_plan *plan,
	struct measure_selection *selection, struct error *err);

/*
 * --resume: load the record, see that it is of the same measurement, and leave
 * only the pairs that it lacks. measure_resume_merge() puts what it has into
 * the new result.
 */
int measure_resume(struct measure_state *run, struct error *err);
int measure_resume_merge(struct measure_state *run, struct error *err);

/*
 * In the block "run", which is otherwise complete, keep the worse of what the
 * two runs say about their memory.
 */
void measure_resume_qualify(struct measure_state *run);

/*
 * If CPUs moved during the run, let only the passes of its longest epoch count,
 * in run->epoch. Without plan->epochs all passes do.
 */
void measure_find_epoch(struct measure_state *run);

/*
 * As choose_again of struct campaign_options, whose context is the run: the
 * pairs whose values contradict their neighbours. In a run whose CPUs moved
 * there are none.
 */
size_t measure_find_contradicted(
	void *context, const struct campaign *campaign, bool *chosen);

/* Fill run->result, which was begun, from the campaign that ended. */
int measure_fill_result(struct measure_state *run, struct error *err);

/* Print matrix and summary, or JSON; then warnings. An enum exit_status. */
int measure_print(const struct measure_state *run);

/* Write every -o and report what fails. Returns an enum exit_status. */
int measure_save(const struct measure_state *run);

/* Whether all outputs can be written, and hold what is measured. */
int measure_check_outputs(const struct measure_state *run, struct error *err);

/* The exit status of a run whose result is on its way out. */
int measure_status(const struct measure_state *run, int printed, int saved);

/*
 * --runs, in measure_runs.c: start c2c for each run, then print and save the
 * record that is made of them. Returns an enum exit_status.
 */
int measure_runs(struct measure_options *options, struct measure_plan *plan);

/* Print what the runs say of each other, on the summary's next line. */
void measure_print_runs(FILE *out, const struct measure_state *run);

/* The same without that line: how far runs differ, and what lowers it. */
void measure_print_spread(FILE *out, const struct result *result);

/* In such a run: begin. */
int measure_child_begin(struct measure_state *run, struct error *err);

#endif
