/*
 * two-line: each direction has a line of its own. The first CPU writes the
 * one and waits on the other; the second answers.
 *
 * Timed and not timed: as for "line". Each line has one writer, as the two
 * ends of a single-producer queue have, so nobody's waiting load takes away
 * the line that its owner is about to write next.
 *
 * Source: the common two-flag ping-pong, for instance the "read" variants of
 * core-to-core tools; the shape of Lamport's single-writer queue.
 *
 * Known biases: two lines of one slot may have different home slices.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "machine/timebase.h"
#include "probe/probe.h"

#define ABANDONED UINT32_MAX

struct two_lines {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t there;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t back;
};
_Static_assert(sizeof(struct two_lines) <= PROBE_SLOT_BYTES, "slot too small");

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
 * Where the sample before was on the same lines, its last message may still
 * be there: wait for the zero or the first message.
 */
static inline __attribute__((always_inline)) void wait_for_zero(
	_Atomic uint32_t *word)
{
	uint32_t seen;

	do {
		seen = atomic_load_explicit(word, memory_order_acquire);
	} while (seen > 1 && seen != ABANDONED);
}

/*
 * Message number k is the value k; the lines hold `sent` before the call. As
 * in line.c nothing asks whether the visit is abandoned: the next message is
 * numbered by the one that was seen, and the mark is beyond the last.
 */
static inline __attribute__((always_inline)) bool ping(struct two_lines *lines,
	uint32_t sent, uint32_t round_trips, bool relax)
{
	const uint32_t last = sent + round_trips;

	arch_align_loop();
	do {
		atomic_store_explicit(
			&lines->there, sent + 1, memory_order_release);
		sent = wait_while(&lines->back, sent, relax);
	} while (sent < last);
	return sent == last;
}

static inline __attribute__((always_inline)) bool pong(
	struct two_lines *lines, uint32_t round_trips, bool relax)
{
	uint32_t seen = 0;

	wait_for_zero(&lines->there);
	arch_align_loop();
	do {
		seen = wait_while(&lines->there, seen, relax);
		atomic_store_explicit(&lines->back, seen, memory_order_release);
	} while (seen < round_trips);
	return seen == round_trips;
}

static inline __attribute__((always_inline)) bool first_with(
	const struct probe_visit *visit, int64_t *ticks, bool relax)
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->round_trips;
	const bool counter = params->counter;

	for (uint32_t s = 0; s < params->samples; s++) {
		struct two_lines *lines = probe_slot(visit, s);
		uint64_t begin;

		if (!ping(lines, 0, params->warm_up, relax))
			return false;
		begin = timebase_begin(counter);
		if (!ping(lines, params->warm_up, round_trips, relax))
			return false;
		ticks[s] = (int64_t)(timebase_end(counter) - begin);
		/* The partner has left this slot: zero for the next. */
		atomic_store_explicit(&lines->there, 0, memory_order_relaxed);
		atomic_store_explicit(&lines->back, 0, memory_order_relaxed);
	}
	return true;
}

static bool two_line_first(const struct probe_visit *visit, int64_t *ticks)
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

static bool two_line_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return visit->params->relax ? second_with(visit, true)
				    : second_with(visit, false);
}

static void two_line_abandon(void *slot)
{
	struct two_lines *lines = slot;

	atomic_store_explicit(&lines->there, ABANDONED, memory_order_relaxed);
	atomic_store_explicit(&lines->back, ABANDONED, memory_order_relaxed);
}

extern const struct probe probe_two_line;
const struct probe probe_two_line = {
	.name = "two-line",
	.summary = "each direction has its own line, with one writer each",
	.first_cell = PROBE_BOTH,
	.first = two_line_first,
	.second = two_line_second,
	.abandon = two_line_abandon,
	.scale = probe_scale_round_trips,
};
