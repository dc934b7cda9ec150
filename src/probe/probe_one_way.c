/*
 * one-way: each message is the value of the sender's counter. The receiver
 * subtracts it from its own counter, which gives the latency of this direction.
 *
 * Timed: from the ordered counter read before the store on one CPU to the
 * ordered counter read after the load of the message on the other CPU. A sample
 * is the sum over round_trips messages of one direction. Answers and the
 * surrounding loop are not timed.
 *
 * Known biases: the figure includes one ordered counter read (10 to 30 ns),
 * unlike the round-trip methods. The offset between the two counters is added
 * to one direction and subtracted from the other. No exchange of messages can
 * separate the offset from a true asymmetry, so the caller refuses pairs whose
 * directions differ by more than hardware does (engine/campaign.h,
 * campaign_check_counters).
 */
#include "probe/round_trips.h"

#define NOTHING	  UINT64_C(0)
#define ABANDONED UINT64_MAX

struct two_stamps {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t there;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t back;
};
_Static_assert(sizeof(struct two_stamps) <= PROBE_SLOT_BYTES, "slot too small");

ROUND_TRIPS_INLINE void send_time_stamp(_Atomic uint64_t *line, bool counter)
{
	atomic_store_explicit(
		line, timebase_begin(counter), memory_order_release);
}

/*
 * Wait for the message after *last, set *last to it, and store its age in *age;
 * return false if the visit is abandoned. All messages of a sender differ,
 * because two are a round trip apart.
 */
ROUND_TRIPS_INLINE bool receive_time_stamp(_Atomic uint64_t *line,
	uint64_t *last, int64_t *age, bool counter, bool use_hint)
{
	uint64_t stamp;

	while ((stamp = atomic_load_explicit(line, memory_order_acquire)) ==
		*last) {
		if (use_hint)
			arch_spin_hint();
	}
	*age = (int64_t)(timebase_end(counter) - stamp);
	*last = stamp;
	return stamp != ABANDONED;
}

/*
 * If the previous sample used the same lines, its last message may still be in
 * the line: wait for zero or the next message. Then receive_time_stamp() needs
 * only one test, like probe_line.c.
 */
ROUND_TRIPS_INLINE void one_way_wait_for_zero(
	_Atomic uint64_t *line, uint64_t last)
{
	while (last != NOTHING &&
		atomic_load_explicit(line, memory_order_acquire) == last)
		;
}

/* Exchange n messages; *sum is the sum of their ages in the direction here. */
ROUND_TRIPS_INLINE bool exchange_messages(_Atomic uint64_t *mine,
	_Atomic uint64_t *theirs, uint32_t n, uint64_t *last, int64_t *sum,
	bool is_first, bool counter, bool use_hint)
{
	int64_t age;

	*sum = 0;
	arch_align_loop();
	for (uint32_t k = 0; k < n; k++) {
		if (is_first)
			send_time_stamp(mine, counter);
		if (!receive_time_stamp(theirs, last, &age, counter, use_hint))
			return false;
		if (!is_first)
			send_time_stamp(mine, counter);
		*sum += age;
	}
	return true;
}

ROUND_TRIPS_INLINE bool one_way_take_samples(const struct probe_visit *visit,
	int64_t *ticks, bool is_first, bool use_hint)
{
	const struct probe_params *params = visit->params;
	const bool counter = params->counter;
	uint64_t last = NOTHING;
	int64_t sum;

	for (uint32_t s = 0; s < params->samples; s++) {
		struct two_stamps *stamps = probe_slot(visit, s);
		_Atomic uint64_t *mine =
			is_first ? &stamps->there : &stamps->back;
		_Atomic uint64_t *theirs =
			is_first ? &stamps->back : &stamps->there;

		if (!is_first)
			one_way_wait_for_zero(theirs, last);
		last = NOTHING;
		if (!exchange_messages(mine, theirs, params->warm_up, &last,
			    &sum, is_first, counter, use_hint) ||
			!exchange_messages(mine, theirs, params->round_trips,
				&last, &sum, is_first, counter, use_hint))
			return false;
		ticks[s] = sum;
		if (!is_first)
			continue;
		/* Clear the slot, which the partner has left. */
		atomic_store_explicit(
			&stamps->there, NOTHING, memory_order_relaxed);
		atomic_store_explicit(
			&stamps->back, NOTHING, memory_order_relaxed);
	}
	return true;
}

static bool one_way_first(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->params->use_spin_hint
		       ? one_way_take_samples(visit, ticks, true, true)
		       : one_way_take_samples(visit, ticks, true, false);
}

static bool one_way_second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->params->use_spin_hint
		       ? one_way_take_samples(visit, ticks, false, true)
		       : one_way_take_samples(visit, ticks, false, false);
}

static void one_way_abandon(void *slot)
{
	struct two_stamps *stamps = slot;

	atomic_store_explicit(&stamps->there, ABANDONED, memory_order_relaxed);
	atomic_store_explicit(&stamps->back, ABANDONED, memory_order_relaxed);
}

static double one_way_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / params->round_trips;
}

/* The first CPU times the messages of the backward direction. */
const struct probe probe_one_way = {
	.name = "one-way",
	.summary = "time-stamped messages, each direction reported apart",
	.first_cell = PROBE_BACKWARD,
	.second_cell = PROBE_FORWARD,
	.round_trips = true,
	.needs_synchronous_counters = true,
	.first = one_way_first,
	.second = one_way_second,
	.abandon = one_way_abandon,
	.scale = one_way_scale,
};
