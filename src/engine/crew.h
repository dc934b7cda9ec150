/*
 * The crew: one thread per CPU under test, created once, bound once, verified
 * and kept until the end.
 *
 * The caller's thread hands the crew a program, a list of steps each holding
 * pairs that are measured at the same time, and sleeps until it is done. The
 * threads pass the baton among themselves: the last to finish a step posts the
 * next one, so no other thread wakes while a pair is timed.
 *
 * One thread owns a crew and calls these functions.
 *
 * If every CPU is under test, no quiet CPU is left for a coordinator. So the
 * last thread to finish a step posts the next one. A program lasts about 50 ms.
 * Members without work sleep or spin (--idle): on a virtual machine the host
 * moves a vCPU that sleeps, and if it has fewer cores than vCPUs, spinning
 * threads take them from the pair (together.h).
 *
 * If no step ends in time, the caller marks it as abandoned. Every waiting loop
 * of a probe checks for this mark, and the pair is left out. A thread that does
 * not react is lost, and the run ends with the results so far.
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
	CREW_SPIN, /* running, with the spin-wait hint */
	CREW_DOZE, /* running for a moment, then asleep */
};

struct crew_options {
	const struct machine *machine; /* NULL: simulated CPUs, no binding */
	const struct cpu_list *cpus;   /* member i works on cpus->cpus[i] */
	const struct probe *probe;
	const struct probe_params *params;
	enum crew_idle idle;
	/*
	 * A step that takes longer is abandoned. A member that then does not
	 * return within a second, or a tenth of patience_s, is lost.
	 */
	double patience_s;
	const atomic_bool *stop; /* set by a signal handler: end a run */
};

/*
 * A measurement of one pair. Members are indexes. If first == second, that
 * member runs the first half, then the second. The others run the second half.
 */
struct crew_visit {
	uint32_t first, second;
	uint32_t pair; /* the caller's number for the pair */
	uint32_t pass;
	uint32_t variant;	/* passed to the probe */
	uint32_t n_others;	/* members beside first and second */
	const uint32_t *others; /* [n_others], all different */
	void *slots;
	/*
	 * NULL: the crew's. Others must not have more samples and slots than
	 * the crew's; the caller keeps them as long as the visit.
	 */
	const struct probe_params *params;
	const struct probe *probe; /* NULL: the crew's */
	/*
	 * Trimmed means of the samples, in ticks: [0] the first half, [1] the
	 * second half. NaN: none.
	 */
	double ticks[2];
	double *other_ticks; /* [n_others]: the others' means; the caller's */
};

/* Step s is visits[step_ends[s - 1] .. step_ends[s]). */
struct crew_program {
	struct crew_visit *visits;
	size_t *step_ends;
	size_t n_steps;
	size_t n_visits; /* the functions below count these */
};

/* Append a visit; end the step of the visits appended. False without memory. */
bool crew_program_add(
	struct crew_program *program, const struct crew_visit *visit);
bool crew_program_end_step(struct crew_program *program);

/* Return the index of a step's first visit. */
size_t crew_program_begin(const struct crew_program *program, size_t step);

/* Free a program; if lost, do nothing: a member may still use it. */
void crew_program_release(struct crew_program *program, bool lost);

enum crew_outcome {
	CREW_DONE,	/* every step ran */
	CREW_STOPPED,	/* *stop was seen */
	CREW_OVER,	/* the deadline came after a step */
	CREW_ABANDONED, /* a step took too long; the crew continues */
	CREW_MOVED,	/* a member ran on a CPU other than its own */
	CREW_LOST,	/* a member no longer reacts */
	CREW_FAILED,	/* a half failed: nothing more can be measured */
};

struct crew_report {
	size_t steps_done;  /* first steps, whose visits are all valid */
	unsigned cpu;	    /* CPU of the member moved or lost */
	int ran_on;	    /* where a moved member ran; else -1 */
	unsigned partner;   /* if lost: CPU of another member of the visit */
	struct error error; /* if failed: error of the half */
};

/*
 * Start the threads and wait until each is bound and verified. The threads read
 * options and what it points to: both must outlive the crew. -ETIMEDOUT if a
 * thread does not start within patience_s. It may still start, so
 * options->machine must then stay.
 */
int crew_new(struct crew **made, const struct crew_options *options,
	struct error *err);

/*
 * Run a program. Visits of steps that did not end well have NaN ticks. Run no
 * other program after CREW_LOST, CREW_MOVED or CREW_FAILED.
 */
enum crew_outcome crew_run(struct crew *crew,
	const struct crew_program *program, struct crew_report *report);

/* Set params between runs, with the same number of samples and slots. */
void crew_set_params(struct crew *crew, const struct probe_params *params);

/* Between runs: set the patience with a step; let idle members sleep. */
void crew_set_patience(struct crew *crew, double s);
void crew_park(struct crew *crew, bool park);

/*
 * Between runs: set the time by timebase_raw_ns() after which a program begins
 * no step; 0: none. The running step keeps its patience.
 */
void crew_set_deadline(struct crew *crew, uint64_t ns);

/* Return whether a run ended with CREW_LOST. */
bool crew_is_lost(const struct crew *crew);

/*
 * Stop and join the threads. A lost member cannot be joined, so leave the
 * memory allocated; the process will exit soon.
 */
void crew_free(struct crew *crew);

#endif
