/*
 * Time the probes of round trips: the first CPU reads its counter before and
 * after the round_trips turns of each sample, and the second CPU answers.
 * Private to src/probe.
 *
 * Not timed: waiting for the partner, the warm-up that brings each sample's
 * lines to the pair, and everything between samples.
 *
 * Each probe has its own loops, inlined for each value of use_hint, so that no
 * loop tests use_hint.
 */
#ifndef C2C_ROUND_TRIPS_H
#define C2C_ROUND_TRIPS_H

#include "machine/timebase.h"
#include "probe/probe.h"

#define ROUND_TRIPS_INLINE static inline __attribute__((always_inline))

/* Wait until the word differs from `unchanged`, and return it. */
ROUND_TRIPS_INLINE uint32_t wait_while(
	_Atomic uint32_t *word, uint32_t unchanged, bool use_hint)
{
	uint32_t seen;

	while ((seen = atomic_load_explicit(word, memory_order_acquire)) ==
		unchanged) {
		if (use_hint)
			arch_spin_hint();
	}
	return seen;
}

/* Time each sample of the visit, on the first CPU. */
ROUND_TRIPS_INLINE bool time_samples_with_hint(const struct probe_visit *visit,
	int64_t *ticks, bool use_hint,
	bool (*ping)(void *slot, uint32_t done, uint32_t n, bool use_hint),
	void (*finish_slot)(void *slot))
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->round_trips;
	const bool counter = params->counter;

	for (uint32_t s = 0; s < params->samples; s++) {
		void *slot = probe_slot(visit, s);
		uint64_t begin;

		if (!ping(slot, 0, params->warm_up, use_hint))
			return false;
		begin = timebase_begin(counter);
		if (!ping(slot, params->warm_up, round_trips, use_hint))
			return false;
		ticks[s] = (int64_t)(timebase_end(counter) - begin);
		if (finish_slot)
			finish_slot(slot);
	}
	return true;
}

/*
 * Fill ticks[params->samples]. ping(slot, done, n, use_hint) makes n round
 * trips after `done` others in this slot, and returns false if the slot is
 * abandoned. finish_slot(slot), or NULL, cleans a slot that both CPUs have
 * left.
 */
ROUND_TRIPS_INLINE bool time_round_trips(const struct probe_visit *visit,
	int64_t *ticks,
	bool (*ping)(void *slot, uint32_t done, uint32_t n, bool use_hint),
	void (*finish_slot)(void *slot))
{
	return visit->params->use_spin_hint
		       ? time_samples_with_hint(
				 visit, ticks, true, ping, finish_slot)
		       : time_samples_with_hint(
				 visit, ticks, false, ping, finish_slot);
}

ROUND_TRIPS_INLINE bool answer_with(const struct probe_visit *visit,
	bool use_hint, bool (*pong)(void *slot, uint32_t n, bool use_hint))
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->warm_up + params->round_trips;

	for (uint32_t s = 0; s < params->samples; s++) {
		if (!pong(probe_slot(visit, s), round_trips, use_hint))
			return false;
	}
	return true;
}

/* Answer on the second CPU: pong(slot, n, use_hint) answers n round trips. */
ROUND_TRIPS_INLINE bool answer_round_trips(const struct probe_visit *visit,
	bool (*pong)(void *slot, uint32_t n, bool use_hint))
{
	return visit->params->use_spin_hint ? answer_with(visit, true, pong)
					    : answer_with(visit, false, pong);
}

#endif
