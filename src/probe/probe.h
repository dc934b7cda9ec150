/*
 * A probe: a measurement between two CPUs.
 *
 * A visit: the engine runs a probe's two halves on two pinned threads
 * simultaneously, once per pair and pass. The first half runs on the pair's
 * first CPU (row: ping), the second half on the second CPU (column: pong). Each
 * half that measures fills the ticks of its samples; the engine converts their
 * mean, without the fastest and the slowest (stat_trimmed_mean()), to a value
 * with scale(). The second half may run on several CPUs simultaneously. A CPU
 * paired with itself runs the first half, then the second. A new probe is a
 * file with a const struct probe.
 *
 * The memory of a visit is an array of slots. A slot has PROBE_SLOT_BYTES
 * bytes, and is aligned to its size. Sample s uses slot s % params->slots. A
 * single slot would give random values, because the cache slice of a line has a
 * large effect on a sample. All slots are zero when a visit begins, and after
 * halves that succeed. No other pair uses these slots during the visit. Probes
 * of bandwidth have a larger block of memory that begins with the slots.
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

/* Value of a slot's first word that ends all waiting. */
#define PROBE_ABANDONED UINT32_MAX

/* Parameters, the same for every visit of a run. */
struct probe_params {
	uint32_t round_trips; /* per sample */
	uint32_t samples;     /* per visit */
	uint32_t warm_up;     /* untimed round trips before a sample */
	uint32_t slots;	      /* in a visit */
	bool use_spin_hint;   /* wait with the spin-wait hint */
	bool counter;	      /* see timebase_begin() */
	double ns_per_tick;
	double step_ticks; /* a step of the clock */
	void *context;	   /* data of the probe */
};

struct probe_visit {
	const struct probe_params *params;
	void *slots;
	unsigned first_cpu, second_cpu; /* CPU of the calling second half */
	uint32_t pass;
	uint32_t variant;   /* variant of the pair, from 0 */
	uint32_t n_seconds; /* number of CPUs of the second half */
	/*
	 * A half fills this if nothing more can be measured, for example
	 * without memory or after a wrong byte. First it abandons its slots, so
	 * that its partners return. The run ends with this message.
	 */
	struct error *error;
};

/* The cells of a matrix that get a half's value. */
enum probe_cell {
	PROBE_NOTHING,	/* no value */
	PROBE_BOTH,	/* [first][second] and [second][first] */
	PROBE_FORWARD,	/* [first][second] */
	PROBE_BACKWARD, /* [second][first] */
};

struct probe {
	const char *name;
	const char *summary; /* one line */

	enum probe_cell first_cell, second_cell;

	/* A sample has params->round_trips round trips of two running CPUs. */
	bool round_trips;

	bool counts[2]; /* the half returns a number, not a time */

	/* The probe compares the counters of two CPUs. */
	bool needs_synchronous_counters;

	/*
	 * The halves. A half that measures fills ticks[params->samples], which
	 * only its thread uses. A half returns false, with the slot in any
	 * state, after abandon() for the slot, or after filling visit->error.
	 */
	bool (*first)(const struct probe_visit *visit, int64_t *ticks);
	bool (*second)(const struct probe_visit *visit, int64_t *ticks);

	/*
	 * End the waiting of halves in this slot. Another thread calls this
	 * repeatedly for every slot of the visit until both halves have
	 * returned, because a half may overwrite the mark once.
	 */
	void (*abandon)(void *slot);

	/* Convert a sample's ticks to its value; latencies are ns one way. */
	double (*scale)(const struct probe_params *params, uint32_t variant,
		double ticks);
};

/* Odd difference of consecutive words of verified memory. */
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

/* The methods in the order of the list, then NULL. */
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
