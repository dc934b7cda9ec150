/*
 * two-line: each direction has its own line. The first CPU writes one line and
 * waits on the other; the second CPU answers.
 *
 * The timing is that of "line". Each line has one writer, like the two ends of
 * a single-producer queue, so that a waiting load never takes a line away from
 * a CPU that is about to write it.
 *
 * Source: the common two-flag ping-pong, for instance the "read" variants of
 * core-to-core tools, with the lines of Lamport's single-writer queue.
 *
 * Known biases: two lines of one slot may have different home slices.
 */
#include "probe/round_trips.h"

struct two_lines {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t there;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t back;
};
_Static_assert(sizeof(struct two_lines) <= PROBE_SLOT_BYTES, "slot too small");

/*
 * If the previous sample used the same lines, its last message may still be in
 * the line: wait for zero or the first message.
 */
ROUND_TRIPS_INLINE void two_line_wait_for_zero(_Atomic uint32_t *word)
{
	uint32_t seen;

	do {
		seen = atomic_load_explicit(word, memory_order_acquire);
	} while (seen > 1 && seen != PROBE_ABANDONED);
}

/*
 * Make the first CPU's round trips. Message k is the value k; both lines have
 * the value `sent` before the call. No branch checks whether the visit is
 * abandoned: the loop computes the next number from the observed message, and
 * the mark is greater than the last number.
 */
ROUND_TRIPS_INLINE bool two_line_ping(
	void *slot, uint32_t sent, uint32_t round_trips, bool use_hint)
{
	struct two_lines *lines = slot;
	const uint32_t last = sent + round_trips;

	arch_align_loop();
	do {
		atomic_store_explicit(
			&lines->there, sent + 1, memory_order_release);
		sent = wait_while(&lines->back, sent, use_hint);
	} while (sent < last);
	return sent == last;
}

ROUND_TRIPS_INLINE bool two_line_pong(
	void *slot, uint32_t round_trips, bool use_hint)
{
	struct two_lines *lines = slot;
	uint32_t seen = 0;

	two_line_wait_for_zero(&lines->there);
	arch_align_loop();
	do {
		seen = wait_while(&lines->there, seen, use_hint);
		atomic_store_explicit(&lines->back, seen, memory_order_release);
	} while (seen < round_trips);
	return seen == round_trips;
}

/* The partner has left this slot: clear it for the next sample. */
ROUND_TRIPS_INLINE void two_line_finish_slot(void *slot)
{
	struct two_lines *lines = slot;

	atomic_store_explicit(&lines->there, 0, memory_order_relaxed);
	atomic_store_explicit(&lines->back, 0, memory_order_relaxed);
}

static bool two_line_first(const struct probe_visit *visit, int64_t *ticks)
{
	return time_round_trips(
		visit, ticks, two_line_ping, two_line_finish_slot);
}

static bool two_line_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return answer_round_trips(visit, two_line_pong);
}

const struct probe probe_two_line = {
	.name = "two-line",
	.summary = "each direction has its own line, with one writer each",
	.first_cell = PROBE_BOTH,
	.round_trips = true,
	.first = two_line_first,
	.second = two_line_second,
	.abandon = probe_abandon_lines,
	.scale = probe_scale_round_trips,
};
