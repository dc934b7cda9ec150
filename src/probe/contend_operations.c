/*
 * The operations of c2c contend, and the checks of the final values of their
 * words.
 *
 * Each function is a loop, because a call takes a few nanoseconds. Loops with
 * and without the spin-wait hint are inlined from the same source, so that no
 * loop tests whether to use the hint.
 *
 * A new operation needs a loop, a check of its word, and a row here. Add its
 * name to the help and the message of c2c contend, to the completion, and to
 * the manual page.
 */
#include "probe/probe_contend.h"

#include <stdatomic.h>

#include "arch/arch.h"

#define CONTEND_INLINE static inline __attribute__((always_inline))

/* Ticket lock: the CPU with the ticket `serving` may add to the counter. */
struct ticket_lock {
	_Atomic uint64_t next, serving;
	uint64_t counter; /* guarded by the lock */
};

uint32_t contend_nothing(struct contend_worker *worker, uint32_t n)
{
	__asm__ volatile("" : : "r"(worker) : "memory");
	return n;
}

static uint32_t contend_load(struct contend_worker *worker, uint32_t n)
{
	const _Atomic uint64_t *word = worker->word;
	uint64_t got = 0;

	for (uint32_t i = 0; i < n; i++)
		got += atomic_load_explicit(word, memory_order_relaxed);
	worker->tally.got += got;
	return n;
}

/* Store each value once: a CPU counts up in its own range. */
static uint32_t contend_store(struct contend_worker *worker, uint32_t n)
{
	_Atomic uint64_t *word = worker->word;
	uint64_t value = worker->tally.last;

	for (uint32_t i = 0; i < n; i++)
		atomic_store_explicit(word, ++value, memory_order_relaxed);
	worker->tally.last = value;
	return n;
}

static uint32_t contend_fetch_add(struct contend_worker *worker, uint32_t n)
{
	_Atomic uint64_t *word = worker->word;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t got = atomic_fetch_add_explicit(
			word, 1, memory_order_acq_rel);

		/* Use the result, so that the compiler emits a fetch-add. */
		__asm__ volatile("" : : "r"(got));
	}
	return n;
}

static uint32_t contend_exchange(struct contend_worker *worker, uint32_t n)
{
	_Atomic uint64_t *word = worker->word;
	uint64_t value = worker->tally.last, put = 0, got = 0;

	for (uint32_t i = 0; i < n; i++) {
		put += ++value;
		got += atomic_exchange_explicit(
			word, value, memory_order_acq_rel);
	}
	worker->tally.put += put;
	worker->tally.got += got;
	worker->tally.last = value;
	return n;
}

/*
 * Load, then compare and swap until it succeeds. A CPU might never succeed, so
 * after a failure it checks the phase, which is in the CPU's own line.
 */
CONTEND_INLINE uint32_t increment_by_cas(
	struct contend_worker *worker, uint32_t n, bool use_hint)
{
	_Atomic uint64_t *word = worker->word;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t seen =
			atomic_load_explicit(word, memory_order_relaxed);

		while (!atomic_compare_exchange_strong_explicit(word, &seen,
			seen + 1, memory_order_acq_rel, memory_order_relaxed)) {
			if (atomic_load_explicit(worker->phase,
				    memory_order_relaxed) != worker->phase_seen)
				return i;
			if (use_hint)
				arch_spin_hint();
		}
	}
	return n;
}

static uint32_t contend_cas(struct contend_worker *worker, uint32_t n)
{
	return increment_by_cas(worker, n, false);
}

static uint32_t contend_cas_with_hint(struct contend_worker *worker, uint32_t n)
{
	return increment_by_cas(worker, n, true);
}

/*
 * Wait for a ticket's turn, like a lock, by reading `serving`. If the visit is
 * abandoned, `serving` is greater than all tickets: return false.
 */
CONTEND_INLINE bool await_turn(
	const struct ticket_lock *lock, uint64_t ticket, bool use_hint)
{
	uint64_t seen;

	while ((seen = atomic_load_explicit(
			&lock->serving, memory_order_acquire)) < ticket) {
		if (use_hint)
			arch_spin_hint();
	}
	return seen == ticket;
}

CONTEND_INLINE uint32_t increment_under_lock(
	struct contend_worker *worker, uint32_t n, bool use_hint)
{
	struct ticket_lock *lock = worker->word;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t ticket = atomic_fetch_add_explicit(
			&lock->next, 1, memory_order_relaxed);

		if (!await_turn(lock, ticket, use_hint))
			return i;
		lock->counter++;
		atomic_store_explicit(
			&lock->serving, ticket + 1, memory_order_release);
	}
	return n;
}

static uint32_t contend_lock(struct contend_worker *worker, uint32_t n)
{
	return increment_under_lock(worker, n, false);
}

static uint32_t contend_lock_with_hint(
	struct contend_worker *worker, uint32_t n)
{
	return increment_under_lock(worker, n, true);
}

/* No CPU stores, so every load returns the first value. */
static bool contend_load_sum_is_right(const struct contend_sum *sum)
{
	return sum->words[0] == PROBE_WORD_STEP &&
	       sum->got == sum->done * PROBE_WORD_STEP;
}

static bool contend_store_sum_is_right(const struct contend_sum *sum)
{
	return sum->done == 0 ? sum->words[0] == 0 : sum->is_last;
}

static bool contend_add_sum_is_right(const struct contend_sum *sum)
{
	return sum->words[0] == sum->done;
}

/* Each stored value was loaded once, except for the last one. */
static bool contend_exchange_sum_is_right(const struct contend_sum *sum)
{
	return sum->put == sum->got + sum->words[0];
}

static bool contend_lock_sum_is_right(const struct contend_sum *sum)
{
	return sum->words[0] == sum->done && sum->words[1] == sum->done &&
	       sum->words[2] == sum->done;
}

const struct contend_operation contend_operations[] = {
	{
		.name = "load",
		.run = contend_load,
		.sum_is_right = contend_load_sum_is_right,
		.start = PROBE_WORD_STEP,
	},
	{
		.name = "store",
		.run = contend_store,
		.sum_is_right = contend_store_sum_is_right,
		.stores = true,
	},
	{
		.name = "add",
		.run = contend_fetch_add,
		.sum_is_right = contend_add_sum_is_right,
		.stores = true,
	},
	{
		.name = "exchange",
		.run = contend_exchange,
		.sum_is_right = contend_exchange_sum_is_right,
		.stores = true,
	},
	{
		.name = "cas",
		.run = contend_cas,
		.run_with_hint = contend_cas_with_hint,
		.sum_is_right = contend_add_sum_is_right,
		.stores = true,
	},
	{
		.name = "lock",
		.run = contend_lock,
		.run_with_hint = contend_lock_with_hint,
		.sum_is_right = contend_lock_sum_is_right,
		.stores = true,
		.needs_word = true,
		.waits_at = offsetof(struct ticket_lock, serving),
	},
	{.name = NULL},
};
