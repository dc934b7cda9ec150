/*
 * The crew has one thread for each CPU under test. Each thread is created,
 * bound and verified once, and is kept until the end.
 *
 * The caller's thread gives the crew a program and sleeps until it is done. A
 * program is a list of steps; the pairs of a step are measured at the same
 * time. The threads pass a baton: the last thread to finish a step posts the
 * next step, so that no other thread wakes while a pair is timed.
 *
 * One thread owns a crew and calls these functions.
 *
 * A coordinator would need a quiet CPU, but every CPU may be under test. A
 * program lasts about 50 ms. Members without work sleep or spin (--idle): a
 * host moves vCPUs that sleep, but if it has more vCPUs than cores, spinning
 * vCPUs take cores from the measured pair (together.h).
 *
 * If a step does not end in time, the caller marks it as abandoned. Every
 * waiting loop of a probe checks for this mark, so that the step ends without
 * values. A thread that does not react is lost, and the run ends with the
 * results so far.
 */
#ifndef C2C_CREW_H
#define C2C_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "probe/probe.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct crew;

/* How idle members wait. */
enum crew_idle {
	CREW_PARK, /* asleep in the kernel */
	CREW_SPIN, /* spinning, with the spin-wait hint */
	CREW_DOZE, /* first spinning, then asleep */
};

struct crew_options {
	const struct machine *machine; /* NULL: simulated CPUs, no binding */
	const struct cpu_list *cpus;   /* member i works on cpus->cpus[i] */
	const struct probe *probe;
	const struct probe_params *params;
	enum crew_idle idle;
	/*
	 * A step that takes longer is abandoned. A member is lost if it does
	 * not return within a further second or a tenth of patience_s.
	 */
	double patience_s;
	const atomic_bool *stop; /* set by a signal handler: end a run */
};

/*
 * A measurement of one pair. Members are indexes. If first == second, this
 * member runs the first half, then the second. `others` run the second half.
 */
struct crew_visit {
	uint32_t first, second;
	uint32_t pair;
	uint32_t pass;
	uint32_t variant;
	uint32_t n_others;	/* number of other members */
	const uint32_t *others; /* [n_others], all different */
	void *slots;
	/*
	 * NULL for the crew's params. Other params must not have more samples
	 * and slots than the crew's, and must exist as long as the visit.
	 */
	const struct probe_params *params;
	const struct probe *probe; /* NULL: the crew's */
	/*
	 * Trimmed means of the samples in ticks: [0] of the first half, [1] of
	 * the second half; NaN if it does not measure.
	 */
	double ticks[2];
	double *other_ticks; /* [n_others], memory of the caller */
};

/* Step s is visits[step_ends[s - 1] .. step_ends[s]). */
struct crew_program {
	struct crew_visit *visits;
	size_t *step_ends;
	size_t n_steps;
	size_t n_visits; /* only for crew_program_add() */
};

/* Append a visit; end the step of the appended visits. False without memory. */
bool crew_program_add(
	struct crew_program *program, const struct crew_visit *visit);
bool crew_program_end_step(struct crew_program *program);

/* Return the index of a step's first visit. */
size_t crew_program_begin(const struct crew_program *program, size_t step);

/* Free a program, unless a lost member may still use it. */
void crew_program_release(struct crew_program *program, bool lost);

enum crew_outcome {
	CREW_DONE,	/* every step ran */
	CREW_STOPPED,	/* *stop was seen */
	CREW_OVER,	/* the deadline was reached */
	CREW_ABANDONED, /* a step took too long */
	CREW_MOVED,	/* a member ran on a CPU other than its own */
	CREW_LOST,	/* a member no longer reacts */
	CREW_FAILED,	/* a half failed, so that the run ends */
};

struct crew_report {
	size_t steps_done;  /* number of valid steps */
	unsigned cpu;	    /* CPU of the moved or lost member */
	int ran_on;	    /* CPU of the moved thread, or -1 */
	unsigned partner;   /* CPU of the lost member's partner */
	struct error error; /* error of the failed half */
};

/*
 * Start the threads and wait until each is bound and verified. options and the
 * objects it points to must outlive the crew. Return -ETIMEDOUT if a thread
 * does not start within patience_s. The thread may start later, so never free
 * options->machine then.
 */
int crew_new(struct crew **made, const struct crew_options *options,
	struct error *err);

/*
 * Run a program. Abandoned and invalid visits have NaN ticks. Run no other
 * program after CREW_LOST, CREW_MOVED or CREW_FAILED.
 */
enum crew_outcome crew_run(struct crew *crew,
	const struct crew_program *program, struct crew_report *report);

/* Set params between runs. The numbers of samples and slots must not change. */
void crew_set_params(struct crew *crew, const struct probe_params *params);

/* Between runs: set the patience for a step; let idle members sleep. */
void crew_set_patience(struct crew *crew, double s);
void crew_park(struct crew *crew, bool park);

/*
 * Between runs: set the deadline by timebase_raw_ns(), or 0 for none. No step
 * begins after the deadline; a running step keeps its patience.
 */
void crew_set_deadline(struct crew *crew, uint64_t ns);

/* Return whether a run ended with CREW_LOST. */
bool crew_is_lost(const struct crew *crew);

/*
 * Stop and join the threads. If a member is lost, leave the memory allocated,
 * because the process will exit soon.
 */
void crew_free(struct crew *crew);

#endif
