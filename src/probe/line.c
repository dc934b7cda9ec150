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

enum {
	PONG = 0,
	PING = 1,
	ABANDONED = 2
};

/*
 * Wait until the word is wanted. The test for abandonment stands in the
 * waiting path, so that the way from seeing the word to answering is as short
 * as without it: after the loop it cost 2 to 10 per cent.
 */
static inline __attribute__((always_inline)) bool wait_for(
	_Atomic uint32_t *word, uint32_t wanted, bool relax)
{
	uint32_t seen;

	while ((seen = atomic_load_explicit(word, memory_order_acquire)) !=
		wanted) {
		if (seen == ABANDONED)
			return false;
		if (relax)
			arch_relax();
	}
	return true;
}

/*
 * Release and acquire: the word is all that travels, and on x86-64 they are
 * plain moves. A sequentially consistent store would be a locked instruction
 * and time that.
 */
static inline __attribute__((always_inline)) bool ping(
	_Atomic uint32_t *word, uint32_t round_trips, bool relax)
{
	do {
		atomic_store_explicit(word, PING, memory_order_release);
		if (!wait_for(word, PONG, relax))
			return false;
	} while (--round_trips);
	return true;
}

static inline __attribute__((always_inline)) bool pong(
	_Atomic uint32_t *word, uint32_t round_trips, bool relax)
{
	do {
		if (!wait_for(word, PING, relax))
			return false;
		atomic_store_explicit(word, PONG, memory_order_release);
	} while (--round_trips);
	return true;
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

static bool line_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->warm_up + params->round_trips;

	(void)ticks;
	for (uint32_t s = 0; s < params->samples; s++) {
		_Atomic uint32_t *word = probe_slot(visit, s);

		if (!(params->relax ? pong(word, round_trips, true)
				    : pong(word, round_trips, false)))
			return false;
	}
	return true;
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
