/*
 * line: the first CPU changes a word in a cache line from pong to ping, and the
 * second CPU changes it back to pong, by plain atomic loads and stores.
 *
 * Timed: whole turns (round_trips.h).
 *
 * Source: the ping-pong of "AMD Zen Memory Latency/Bandwidth Considerations".
 *
 * Known biases: a turn is a store and the load of the answer, so the latency
 * includes the drain of the store buffer. If the protocol grants shared copies
 * early, waiting loads move the line back and forth. Half a round trip is the
 * mean of both directions.
 */
#include "probe/round_trips.h"

#define PONG	  UINT32_C(0)
#define PING	  UINT32_C(1)
#define ABANDONED (UINT32_C(1) << 31)

/*
 * Change the word. No branch checks whether the visit is abandoned, because the
 * loop adds the observed value to the count of turns, and the mark makes the
 * count negative. Loops are aligned so that a turn is within 64 bytes. One more
 * branch on the waiting path, a test between seeing and answering, or a turn
 * across a boundary of 64 bytes would each cost 2 to 20 per cent between SMT
 * siblings and between some pairs of a mesh (bench/README.md).
 *
 * Release and acquire suffice, because only the word is passed; on x86-64 they
 * are plain moves. A sequentially consistent store would be a slow locked
 * instruction.
 */
ROUND_TRIPS_INLINE bool line_ping(
	void *slot, uint32_t done, uint32_t round_trips, bool use_hint)
{
	_Atomic uint32_t *word = slot;
	uint32_t left = round_trips;

	(void)done;
	arch_align_loop();
	do {
		atomic_store_explicit(word, PING, memory_order_release);
		/* Pong is 0. */
		left = left - 1 + wait_while(word, PING, use_hint);
	} while ((int32_t)left > 0);
	return left == 0;
}

ROUND_TRIPS_INLINE bool line_pong(
	void *slot, uint32_t round_trips, bool use_hint)
{
	_Atomic uint32_t *word = slot;
	uint32_t left = round_trips;

	arch_align_loop();
	do {
		/* Ping is 1. */
		left -= wait_while(word, PONG, use_hint);
		atomic_store_explicit(word, PONG, memory_order_release);
	} while ((int32_t)left > 0);
	return left == 0;
}

static bool line_first(const struct probe_visit *visit, int64_t *ticks)
{
	return time_round_trips(visit, ticks, line_ping, NULL);
}

static bool line_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return answer_round_trips(visit, line_pong);
}

static void line_abandon(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store_explicit(word, ABANDONED, memory_order_relaxed);
}

const struct probe probe_line = {
	.name = "line",
	.summary = "one word flips between ping and pong, loads and stores",
	.first_cell = PROBE_BOTH,
	.round_trips = true,
	.first = line_first,
	.second = line_second,
	.abandon = line_abandon,
	.scale = probe_scale_round_trips,
};
