/*
 * The points of probe_contend: one CPU, or several simultaneously, use words of
 * one cache line, or one line each.
 */
#ifndef C2C_PROBE_CONTEND_H
#define C2C_PROBE_CONTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"
#include "util/cpu_list.h"
#include "util/words.h"

/* The user's words for enum contend_sharing. */
#define CONTEND_SHARINGS(word) word("word") word("line") word("none")

enum contend_sharing {
	CONTEND_WORD, /* one word */
	CONTEND_LINE, /* one line, with a word for each */
	CONTEND_NONE, /* nothing: a line for each */
};

/* The operations of a CPU in a visit, to check the word. */
struct contend_tally {
	uint64_t done;	   /* operations */
	uint64_t put, got; /* sums of the values stored and loaded */
	uint64_t last;	   /* last value stored */
};

/* State of a CPU that works on a word. */
struct contend_worker {
	void *word;
	struct contend_tally tally;
	/* An operation gives up when *phase is not phase_seen. */
	const _Atomic uint32_t *phase;
	uint32_t phase_seen;
};

/* First words of a line after a visit, and sums of its CPUs' tallies. */
struct contend_sum {
	const uint64_t *words;
	uint64_t done, put, got;
	bool is_last; /* a CPU stored the word last */
};

struct contend_operation {
	const char *name;
	/*
	 * Run the operation n times, without and with the spin-wait hint (NULL
	 * if a CPU never waits). Return the number of operations: less than n
	 * if it gave up.
	 */
	uint32_t (*run)(struct contend_worker *worker, uint32_t n);
	uint32_t (*run_with_hint)(struct contend_worker *worker, uint32_t n);
	/* Return whether the word agrees with the tallies. */
	bool (*sum_is_right)(const struct contend_sum *sum);
	uint64_t start;	 /* first value of the word */
	bool stores;	 /* disturbs other words */
	bool needs_word; /* only shared words */
	/* Offset of a word whose value UINT64_MAX ends all waiting, or 0. */
	size_t waits_at;
};

/* The operations; a NULL name ends the table. */
extern const struct contend_operation contend_operations[];

/* Do nothing, to measure the time of the call and of reading the clock. */
uint32_t contend_nothing(struct contend_worker *worker, uint32_t n);

/* A visit of one variant. */
struct contend_point {
	const struct contend_operation *operation;
	enum contend_sharing sharing;
	bool with_spin_hint;
	uint32_t n_cpus;
	const uint32_t *order; /* [n_cpus], indexes into cpus, borrowed */
};

/* Latencies of all CPUs together, for each valid visit. */
struct contend_latency {
	double median_ns, p99_ns; /* NaN: below the clock's step */
};

struct contend_figures {
	struct contend_latency *latency; /* [n] */
	size_t n;
	size_t visits;	/* number of visits */
	size_t stalled; /* visits in which a CPU made no progress */
};

struct contend_cpu_state;

/* params->context of probe_contend. */
struct contend_context {
	const struct contend_point *points; /* by variant, borrowed */
	size_t n_points;
	const struct cpu_list *cpus; /* borrowed */
	unsigned line_bytes;
	struct contend_cpu_state *cpu_states; /* [cpus->n] */
	struct contend_figures *figures;      /* [n_points] */
	double *pool;			      /* latencies of a visit */
};

/* Return the bytes of a visit's memory for this many CPUs. */
size_t contend_block_bytes(size_t n_cpus);

/* Allocate memory for points and cpus, for contend_release(). */
int contend_init(struct contend_context *context, struct error *err);
void contend_release(struct contend_context *context);

/*
 * The second half measures on all CPUs of the point. Values are in million
 * operations a second. A wrong word ends the run.
 */
extern const struct probe probe_contend;

#endif
