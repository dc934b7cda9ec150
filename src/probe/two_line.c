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

/* As in line.c: the test for abandonment is off the answering path. */
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

/* Message number k is the value k; the lines hold `sent` before the call. */
static inline __attribute__((always_inline)) bool ping(struct two_lines *lines,
	uint32_t sent, uint32_t round_trips, bool relax)
{
	const uint32_t last = sent + round_trips;

	while (sent != last) {
		sent++;
		atomic_store_explicit(
			&lines->there, sent, memory_order_release);
		if (!wait_for(&lines->back, sent, relax))
			return false;
	}
	return true;
}

static inline __attribute__((always_inline)) bool pong(
	struct two_lines *lines, uint32_t round_trips, bool relax)
{
	for (uint32_t k = 1; k <= round_trips; k++) {
		if (!wait_for(&lines->there, k, relax))
			return false;
		atomic_store_explicit(&lines->back, k, memory_order_release);
	}
	return true;
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

static bool two_line_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const uint32_t round_trips = params->warm_up + params->round_trips;

	(void)ticks;
	for (uint32_t s = 0; s < params->samples; s++) {
		struct two_lines *lines = probe_slot(visit, s);

		if (!(params->relax ? pong(lines, round_trips, true)
				    : pong(lines, round_trips, false)))
			return false;
	}
	return true;
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
