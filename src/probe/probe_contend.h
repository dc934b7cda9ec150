/*
 * What probe_contend does: one CPU, or several at the same time, work on words
 * of one cache line, or each on a line of its own.
 */
#ifndef C2C_PROBE_CONTEND_H
#define C2C_PROBE_CONTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"
#include "util/cpu_list.h"
#include "util/words.h"

/* What the CPUs of a visit share. */
#define CONTEND_SHARINGS(word) word("word") word("line") word("none")

enum contend_sharing {
	CONTEND_WORD, /* one word */
	CONTEND_LINE, /* one line, in which each has its own word */
	CONTEND_NONE, /* nothing: each has its own line */
};

/* What a CPU did to its word in a visit, to check the word by. */
struct contend_tally {
	uint64_t done;	   /* operations */
	uint64_t put, got; /* sums of what it stored and what it loaded */
	uint64_t last;	   /* what it stored last */
};

/* One CPU at work on its word. */
struct contend_worker {
	void *word;
	struct contend_tally tally;
	/* Who fails to store gives up when this differs from phase_seen. */
	const _Atomic uint32_t *phase;
	uint32_t phase_seen;
};

/* The first words of a line at the end, and the tallies of its CPUs, summed. */
struct contend_sum {
	const uint64_t *words;
	uint64_t done, put, got;
	bool is_last; /* the word is what one of them stored last */
};

struct contend_operation {
	const char *name;
	/*
	 * Do it n times, without and with the spin-wait hint where a CPU waits
	 * (else NULL). Returns how many were done: fewer if the hand gave up.
	 */
	uint32_t (*run)(struct contend_worker *worker, uint32_t n);
	uint32_t (*run_with_hint)(struct contend_worker *worker, uint32_t n);
	/* Whether the word says the same as the tallies. */
	bool (*sum_is_right)(const struct contend_sum *sum);
	uint64_t start;	 /* the word before */
	bool stores;	 /* so that words of one line disturb each other */
	bool needs_word; /* it is nothing unless the CPUs share a word */
	/* The word at this place ends all waiting if it is UINT64_MAX; or 0. */
	size_t waits_at;
};

/* A name that is NULL ends the table. */
extern const struct contend_operation contend_operations[];

/* Does nothing: its time is that of the call and of reading the clock. */
uint32_t contend_nothing(struct contend_worker *worker, uint32_t n);

/* What a visit of one variant does. */
struct contend_point {
	const struct contend_operation *operation;
	enum contend_sharing sharing;
	bool with_spin_hint;
	uint32_t n_cpus;
	const uint32_t *order; /* [n_cpus] by index into cpus, borrowed */
};

/* What all CPUs of a visit did together, once for each visit that counts. */
struct contend_latency {
	double median_ns, p99_ns; /* of an operation; NaN: cannot be told */
};

struct contend_figures {
	struct contend_latency *latency; /* [n] */
	size_t n;
	size_t visits;	/* that came to an end */
	size_t stalled; /* ... in which a CPU stood still */
};

struct contend_cpu_state;

/* For params->context. */
struct contend_context {
	const struct contend_point *points; /* by variant, borrowed */
	size_t n_points;
	const struct cpu_list *cpus; /* borrowed */
	unsigned line_bytes;
	struct contend_cpu_state *cpu_states; /* [cpus->n] */
	struct contend_figures *figures;      /* [n_points] */
	double *pool;			      /* latencies of a visit */
};

/* Memory of a visit, for so many CPUs. */
size_t contend_block_bytes(size_t n_cpus);

/* Seats and figures for points and cpus. contend_release() frees them. */
int contend_init(struct contend_context *context, struct error *err);
void contend_release(struct contend_context *context);

/*
 * The second half measures, on all CPUs of the point. Each has a value, in
 * million operations a second. A word that does not say what was done to it
 * ends the run.
 */
extern const struct probe probe_contend;

#endif
