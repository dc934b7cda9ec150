/*
 * cas: the two CPUs change the word of "line" by compare-and-swap, and wait by
 * retrying it.
 *
 * The timing is that of "line". Most published core-to-core figures use this
 * method (nviennot/core-to-core-latency and its descendants).
 *
 * Known biases: a failed compare-and-swap takes the line exclusively on most
 * CPUs, so the waiting CPU takes the line away from the CPU that is about to
 * write. On some machines the result of this race decides whether the latency
 * is higher or lower than that of "line".
 */
#include "probe/round_trips.h"

enum {
	PONG = 0,
	PING = 1
};

/* Change the slot, round_trips times; retry each change until it succeeds. */
ROUND_TRIPS_INLINE bool cas_turn(void *slot, uint32_t from, uint32_t to,
	uint32_t round_trips, bool use_hint)
{
	_Atomic uint32_t *word = slot;

	do {
		uint32_t expected = from;

		while (!atomic_compare_exchange_strong_explicit(word, &expected,
			to, memory_order_acq_rel, memory_order_acquire)) {
			if (expected == PROBE_ABANDONED)
				return false;
			expected = from;
			if (use_hint)
				arch_spin_hint();
		}
	} while (--round_trips);
	return true;
}

/*
 * Make the first CPU's swaps. Round trip k is timed from the first CPU's swap k
 * to its swap k + 1.
 */
ROUND_TRIPS_INLINE bool cas_ping(
	void *slot, uint32_t done, uint32_t round_trips, bool use_hint)
{
	(void)done;
	return cas_turn(slot, PONG, PING, round_trips, use_hint);
}

ROUND_TRIPS_INLINE bool cas_pong(
	void *slot, uint32_t round_trips, bool use_hint)
{
	return cas_turn(slot, PING, PONG, round_trips, use_hint);
}

static bool cas_first(const struct probe_visit *visit, int64_t *ticks)
{
	return time_round_trips(visit, ticks, cas_ping, NULL);
}

static bool cas_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return answer_round_trips(visit, cas_pong);
}

const struct probe probe_cas = {
	.name = "cas",
	.summary = "the same by compare-and-swap, as most published figures",
	.first_cell = PROBE_BOTH,
	.round_trips = true,
	.first = cas_first,
	.second = cas_second,
	.abandon = probe_abandon_word,
	.scale = probe_scale_round_trips,
};
