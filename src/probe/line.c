/*
 * line: one word in one cache line, turned from pong to ping by the first CPU
 * and back by the second, with plain atomic loads and stores.
 *
 * Timed: round_trips whole turns, on the first CPU, between two ordered reads
 * of its own counter. Not timed: waiting for the partner to arrive, the
 * warm-up that brings each sample's line to the pair, anything between
 * samples.
 *
 * Source: the ping-pong of "AMD Zen Memory Latency/Bandwidth Considerations".
 *
 * Known biases: a turn holds one store and the load that sees the answer, so
 * the store buffer's drain is part of the figure; waiting loads of the other
 * side steal the line back and forth where the protocol grants shared copies
 * early; half a round trip is the mean of the two directions.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "machine/timebase.h"
#include "probe/probe.h"

#define PONG	  UINT32_C(0)
#define PING	  UINT32_C(1)
#define ABANDONED (UINT32_C(1) << 31)

static inline __attribute__((always_inline)) uint32_t wait_while(
	_Atomic uint32_t *word, uint32_t unchanged, bool relax)
{
	uint32_t seen;

	while ((seen = atomic_load_explicit(word, memory_order_acquire)) ==
		unchanged) {
		if (relax)
			arch_relax();
	}
	return seen;
}

/*
 * Nothing asks whether the visit is abandoned: what was seen goes into the
 * count of turns, and the mark makes that negative, whatever it was. So the
 * loops are as short as loops that are never abandoned, and they begin where
 * a turn lies within 64 bytes. Between SMT siblings and between some pairs of
 * a mesh each of these is 2 to 20 per cent of the figure: one more branch on
 * the waiting path, a test on the way from seeing to answering, a turn across
 * such a boundary (bench/README.md).
 *
 * Release and acquire: the word is all that travels, and on x86-64 they are
 * plain moves. A sequentially consistent store would be a locked instruction
 * and time that.
 */
static inline __attribute__((always_inline)) bool ping(
	_Atomic uint32_t *word, uint32_t round_trips, bool relax)
{
	uint32_t left = round_trips;

	arch_align_loop();
	do {
		atomic_store_explicit(word, PING, memory_order_release);
		/* Pong is 0. */
		left = left - 1 + wait_while(word, PING, relax);
	} while ((int32_t)left > 0);
	return left == 0;
}

static inline __attribute__((always_inline)) bool pong(
	_Atomic uint32_t *word, uint32_t round_trips, bool relax)
{
	uint32_t left = round_trips;

	arch_align_loop();
	do {
		/* Ping is 1. */
		left -= wait_while(word, PONG, relax);
		atomic_store_explicit(word, PONG, memory_order_release);
	} while ((int32_t)left > 0);
	return left == 0;
}

/* The constant relax makes two copies, so that no loop tests it. */
static inline __attribute__((always_inline)) bool first_with(
	const struct probe_visit *visit, int64_t *ticks, bool relax)
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->round_trips;
	const bool counter = params->counter;

	for (uint32_t s = 0; s < params->samples; s++) {
		_Atomic uint32_t *word = probe_slot(visit, s);
		uint64_t begin;

		if (!ping(word, params->warm_up, relax))
			return false;
		begin = timebase_begin(counter);
		if (!ping(word, round_trips, relax))
			return false;
		ticks[s] = (int64_t)(timebase_end(counter) - begin);
	}
	return true;
}

static bool line_first(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->params->relax ? first_with(visit, ticks, true)
				    : first_with(visit, ticks, false);
}

static inline __attribute__((always_inline)) bool second_with(
	const struct probe_visit *visit, bool relax)
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->warm_up + params->round_trips;

	for (uint32_t s = 0; s < params->samples; s++) {
		if (!pong(probe_slot(visit, s), round_trips, relax))
			return false;
	}
	return true;
}

static bool line_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return visit->params->relax ? second_with(visit, true)
				    : second_with(visit, false);
}

static void line_abandon(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store_explicit(word, ABANDONED, memory_order_relaxed);
}

extern const struct probe probe_line;
const struct probe probe_line = {
	.name = "line",
	.summary = "one word flips between ping and pong, loads and stores",
	.first_cell = PROBE_BOTH,
	.first = line_first,
	.second = line_second,
	.abandon = line_abandon,
	.scale = probe_scale_round_trips,
};
