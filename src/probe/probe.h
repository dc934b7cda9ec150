/*
 * A probe: a measurement between two CPUs.
 *
 * A visit: the engine runs a probe's two halves on two pinned threads
 * simultaneously, once per pair and pass. The first half runs on the pair's
 * first CPU (row: ping), the second on its second (column: pong). Each half
 * that measures fills the ticks of its samples; the engine takes their mean,
 * without the fastest and the slowest (stat_trimmed_mean()), and turns it into
 * a value with the probe's scale. The second half may run on several CPUs
 * together. If first and second are one CPU, it runs the first half, then the
 * second. A new probe is one file with one const struct probe.
 *
 * The memory of a visit is a row of slots, PROBE_SLOT_BYTES each and aligned to
 * that; sample s uses slot s % params->slots. If a cache has slices, the slice
 * of a line affects a sample most, so with one line for each visit the value
 * would be random. All slots are zero when a visit begins, and after halves
 * that succeed. No other pair uses these slots meanwhile. A probe of bandwidth
 * asks for a larger block of memory, which has the slots at its start.
 */
#ifndef C2C_PROBE_H
#define C2C_PROBE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Distance of two lines: two coherence lines of the largest size known (128
 * bytes), because prefetchers fetch lines in pairs.
 */
#define PROBE_LINE_STRIDE 256
#define PROBE_SLOT_BYTES  (2 * PROBE_LINE_STRIDE)

/* Value of a slot's first word that makes halves stop waiting. */
#define PROBE_ABANDONED UINT32_MAX

/* Parameters, the same for every visit of a run. */
struct probe_params {
	uint32_t round_trips; /* per sample */
	uint32_t samples;     /* per visit */
	uint32_t warm_up;     /* round trips, or trials, before each sample */
	uint32_t slots;	      /* in a visit */
	bool use_spin_hint;   /* wait with the spin-wait hint */
	bool counter;	      /* see timebase_begin() */
	double ns_per_tick;
	double step_ticks; /* shorter samples are not valid */
	void *context;	   /* the probe's own data: sizes, regions */
};

struct probe_visit {
	const struct probe_params *params;
	void *slots;
	unsigned first_cpu,
		second_cpu; /* with several: CPU of the calling thread */
	uint32_t pass;
	uint32_t variant; /* variant of the pair; 0 unless there are several */
	uint32_t n_seconds; /* CPUs that run the second half together */
	/*
	 * A half fills this if nothing more can be measured, for example
	 * without memory or after a wrong byte. It first abandons its slots, so
	 * its partners return. The run then ends with this message.
	 */
	struct error *error;
};

/* Where a half's value is in the matrix. */
enum probe_cell {
	PROBE_NOTHING,	/* no value */
	PROBE_BOTH,	/* [first][second] and [second][first] */
	PROBE_FORWARD,	/* [first][second] */
	PROBE_BACKWARD, /* [second][first] */
};

struct probe {
	const char *name;    /* the user's name for it */
	const char *summary; /* one line */

	enum probe_cell first_cell, second_cell;

	/* A sample has params->round_trips round trips: both CPUs run. */
	bool round_trips;

	bool counts[2]; /* the half returns a number, not a time */

	/* It compares the counters of two CPUs. */
	bool needs_synchronous_counters;

	/*
	 * The halves. A half that measures fills ticks[params->samples], which
	 * only its thread uses. It returns false, with the slot in any state,
	 * once abandon() was called on the slot, or with visit->error filled.
	 */
	bool (*first)(const struct probe_visit *visit, int64_t *ticks);
	bool (*second)(const struct probe_visit *visit, int64_t *ticks);

	/*
	 * Make a half that waits in this slot return; another thread calls it.
	 * Called repeatedly for every slot of the visit until both halves have
	 * returned, because a half may overwrite the mark once.
	 */
	void (*abandon)(void *slot);

	/* Convert a sample's ticks to its value; latencies are ns one way. */
	double (*scale)(const struct probe_params *params, uint32_t variant,
		double ticks);
};

/* Difference of consecutive words of memory that is verified; odd. */
#define PROBE_WORD_STEP UINT64_C(0x9e3779b97f4a7c15)

/* Return the rate in GiB/s of this many bytes in these ticks. */
static inline double probe_gib_per_s(
	const struct probe_params *params, double bytes, double ticks)
{
	return bytes / (1 << 30) / (ticks * params->ns_per_tick * 1e-9);
}

/* Return the slot of sample s. */
static inline void *probe_slot(const struct probe_visit *visit, uint32_t s)
{
	return (char *)visit->slots +
	       (size_t)(s % visit->params->slots) * PROBE_SLOT_BYTES;
}

/* The methods of c2c latency; each is in its own file. */
#define LATENCY_PROBES(ROW)                                                    \
	ROW(probe_line)                                                        \
	ROW(probe_cas)                                                         \
	ROW(probe_two_line)                                                    \
	ROW(probe_one_way)

#define DECLARE_PROBE(row) extern const struct probe row;
LATENCY_PROBES(DECLARE_PROBE)

/* The methods in this order, then NULL. */
extern const struct probe *const latency_probes[];

/* Mark the slot as abandoned, in its first line or in both. */
static inline void probe_abandon_word(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store_explicit(word, PROBE_ABANDONED, memory_order_relaxed);
}

static inline void probe_abandon_lines(void *slot)
{
	probe_abandon_word(slot);
	probe_abandon_word((char *)slot + PROBE_LINE_STRIDE);
}

/* Return the one-way ns of a sample that timed whole round trips. */
double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks);

#endif
