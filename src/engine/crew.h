/*
 * The crew: one thread per CPU under test, created once, bound once, verified
 * and kept until the end.
 *
 * The caller's thread hands the crew a program, a list of steps each holding
 * pairs that are measured at the same time, and sleeps until it is done. The
 * threads pass the baton among themselves: the last to finish a step posts
 * the next one, so no other thread wakes while a pair is timed.
 *
 * One thread owns a crew and calls these functions.
 *
 * If every CPU is under test, no quiet CPU is left for a coordinator. So
 * whoever finishes a step last hands out the next one. A program lasts about 50
 * ms. Members without work sleep or spin (--idle): on a virtual machine the
 * host moves a vCPU that sleeps, and if it has fewer cores than vCPUs, spinning
 * threads take them from the pair (together.h).
 *
 * If no step ends in time, the caller marks it as abandoned. Every waiting loop
 * of a probe sees that, and the pair is left out. A thread that does not answer
 * even then is lost, and the run ends with what it has.
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
	const struct machine *machine; /* NULL: pretended CPUs, no binding */
	const struct cpu_list *cpus;   /* member i works on cpus->cpus[i] */
	const struct probe *probe;
	const struct probe_params *params;
	enum crew_idle idle;
	/*
	 * A step that takes longer is abandoned; a member that then does not
	 * return within a second, or a tenth of it, is lost.
	 */
	double patience_s;
	const atomic_bool *stop; /* set by a signal handler: end after a step */
};

/*
 * One pair, measured once. Members by index; first == second runs the first
 * half, then the second on one member. others run the second half too.
 */
struct crew_visit {
	uint32_t first, second;
	uint32_t pair; /* the caller's own number for it */
	uint32_t pass;
	uint32_t variant;	/* handed to the probe */
	uint32_t n_others;	/* beside second */
	const uint32_t *others; /* [n_others], none in the visit twice */
	void *slots;
	/*
	 * NULL: those of the crew. Else of no more samples and slots than these
	 * have, and as lasting as the visit.
	 */
	const struct probe_params *params;
	const struct probe *probe; /* NULL: that of the crew */
	/*
	 * Where the halves put the trimmed means of their samples, in ticks:
	 * [0] the first's, [1] the second's, and one for each of others. NaN
	 * when there is none.
	 */
	double ticks[2];
	double *other_ticks; /* [n_others], the caller's */
};

/* Step s is visits[step_ends[s - 1] .. step_ends[s]). */
struct crew_program {
	struct crew_visit *visits;
	size_t *step_ends;
	size_t n_steps;
	size_t n_visits; /* of the functions below */
};

/* Append a visit, or end the step of those appended. False without memory. */
bool crew_program_add(
	struct crew_program *program, const struct crew_visit *visit);
bool crew_program_end_step(struct crew_program *program);

/* The first visit of a step. */
size_t crew_program_begin(const struct crew_program *program, size_t step);

/* Free it, unless a lost member may still read it and write to its visit. */
void crew_program_release(struct crew_program *program, bool lost);

enum crew_outcome {
	CREW_DONE,    /* every step ran */
	CREW_STOPPED, /* *stop was seen */
	CREW_OVER,    /* the deadline came; a step ended, and no other began */
	CREW_ABANDONED, /* a step outlasted patience; the crew goes on */
	CREW_MOVED,	/* a member runs on another CPU than its own */
	CREW_LOST,	/* a member does not answer any more */
	CREW_FAILED,	/* a half said that nothing more can be measured */
};

struct crew_report {
	size_t steps_done;  /* leading steps whose visits are all valid */
	unsigned cpu;	    /* of the member moved or lost */
	int ran_on;	    /* where it runs instead, when moved; else -1 */
	unsigned partner;   /* CPU of another in the visit, when lost */
	struct error error; /* what the half said, when failed */
};

/*
 * Start the threads and wait until each is bound and verified. options and
 * what it points to must outlive the crew, and are read by its threads.
 * -ETIMEDOUT when one does not start within patience_s: it still may, so that
 * options->machine must then stay.
 */
int crew_new(struct crew **made, const struct crew_options *options,
	struct error *err);

/*
 * Run a program. The visits of steps that did not end well have NaN ticks.
 * After CREW_LOST no more can be run, and after CREW_MOVED and CREW_FAILED none
 * should be.
 */
enum crew_outcome crew_run(struct crew *crew,
	const struct crew_program *program, struct crew_report *report);

/* Give all further visits these, of as many samples and slots, between runs. */
void crew_set_params(struct crew *crew, const struct probe_params *params);

/* Between runs: how long a step may take, and whether idle members sleep. */
void crew_set_patience(struct crew *crew, double s);
void crew_park(struct crew *crew, bool park);

/*
 * Between runs: by timebase_raw_ns(), when a program begins no other step; 0:
 * never. The step under way still has its patience.
 */
void crew_set_deadline(struct crew *crew, uint64_t ns);

/* Whether a run ended as CREW_LOST. */
bool crew_is_lost(const struct crew *crew);

/*
 * End and join the threads. A lost member cannot be joined: then the memory
 * is left to it, for the process is about to end.
 */
void crew_free(struct crew *crew);

#endif
